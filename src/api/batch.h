/*
 * batch.h (private): the driver of all batches. It makes handles, of one device or of several, and reports them; calls
 * are batch_call.h's. A family is its table, its handle, and the code that only it has:
 *
 *      struct clsolve_x_batch {
 *          cls_batch batch;                         the driver's, first: a head (head.h), and more
 *          cls_x_batch work;                        the method's; zeros in a handle of several devices
 *      };
 *      static clsolve_status setup(cls_batch *batch);
 *      static clsolve_status run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
 *      static const cls_batch_family family = {CLS_BATCH_KIND, .kind.create = "clsolve_x_batch_create", ...};
 *      static const cls_batch_verb solve = {.call = "clsolve_x_batch_solve", .run = run_solve, ...};
 *
 *      CLS_BATCH_CALLS(x, solve, (clsolve_batch *B), .views = {B})          clsolve_x_batch_solve, and _enqueue
 *
 * A refused call stores its status alone, and the infos in the report stay; one that was to enqueue changes nothing.
 */
#ifndef CLS_API_BATCH_H
#define CLS_API_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/factorization.h>
#include <clsolve/report.h>

#include "api/head.h"
#include "api/slices.h"

typedef struct cls_batch cls_batch;

/* A caller asks for this at create. kl, ku: of bands; pivoting: of families that have it; entries, memory_limit and
 * plan, the family's analysis of the pattern: of sparse members. */
typedef struct cls_batch_shape {
    int64_t n, kl, ku, count;
    const int64_t *orders; /* of families that have it: of each member its order, n the largest; NULL: all are n */
    int64_t entries, memory_limit;
    const void *plan;
    clsolve_type type;
    clsolve_pivoting pivoting;
    int32_t condition;         /* of families that tell it: norms are kept */
    clsolve_symmetry symmetry; /* of LDL^T */
    clsolve_where where;
    const int64_t *reserved; /* of the options, read at create */
    size_t reserved_words;   /* 0: no options */
} cls_batch_shape;
#define CLS_BATCH_RESERVED(options)                                                                                    \
    .reserved = (options) ? (options)->reserved : NULL,                                                                \
    .reserved_words = (options) ? sizeof(options)->reserved / sizeof *(options)->reserved : 0

/* ---- the table of a family ---- */

typedef struct cls_batch_family {
    cls_head_kind kind; /* first; argument, check, setup and release are those of all families */
    const char *factor; /* the public call that makes factors, as messages name it; or NULL */
    const char *told;   /* "singular members": what the infos tell of */
    /* The largest order of square members, and the family for larger ones; 0: members are not square. */
    int64_t largest;
    const char *instead;
    int engine; /* of families that share a `setup`: a number of the method's */
    /* The model of the time that fits, and the order in it of members of order 100. */
    cls_family model;
    int64_t model_percent;
    /* The order in the model of members of this shape, in the place of model_percent; or NULL. */
    int64_t (*model_order)(const cls_batch_shape *shape);
    /* The classes of members of orders of their own (cost/where.h); or NULL: the family has no such members. */
    int64_t (*classes)(const cls_batch_shape *shape);
    cls_members_kind members;
    int total_has_create; /* the report's total has the time of the create */

    /* Beyond sizes, type, options and `largest`, `shape` is one that the family takes; `alone`: on the context's own
     * device. Or NULL. */
    clsolve_status (*check)(clsolve_context *context, const cls_batch_shape *shape, int alone);
    /* Elements that a member has on a device; NULL: those of a square matrix. */
    double (*elements)(const cls_batch_shape *shape);
    /* The method's memory for batch->shape on batch->choice.device. `release` also after a failure, and of zeros. */
    clsolve_status (*setup)(cls_batch *batch);
    void (*release)(cls_batch *batch);
    /* Views are checked for more than cls_validate_batch does: members may interleave. NULL: they may not. */
    clsolve_status (*check_view)(cls_batch *batch, const char *call, const char *name, const clsolve_batch *view,
                                 int written);
    /* The infos of an enqueued call that stayed on the device, to batch->infos; with `later` those of a call after the
     * factorization, to batch->now, which has the factorization's. Waits. NULL: none stay. */
    clsolve_status (*fetch)(cls_batch *batch, int later);
    /* Adds what only this family's reports have; or NULL. */
    void (*add_report)(const cls_batch *batch, clsolve_report *report);
} cls_batch_family;

/* ---- handles ---- */

enum cls_batch_owed { CLS_BATCH_OWES_INFOS = 1, CLS_BATCH_OWES_LATER = 2 };

/* The phase that is all of a call, without a clock of its own. */
typedef enum cls_batch_phase { CLS_BATCH_NO_PHASE, CLS_BATCH_FACTORS, CLS_BATCH_SOLVES } cls_batch_phase;

struct cls_batch {
    cls_head head;
    const cls_batch_family *family;
    cls_batch_shape shape;
    int64_t *orders;      /* a copy of the shape's, or NULL */
    int32_t *infos, *now; /* count each: of the last factorization; of a later call */
    int stays;            /* the call enqueues, and its infos stay on the device */
    int owed;             /* bits of cls_batch_owed: infos that are there still */
    const int32_t *told;  /* infos or now: those of the last call that has any; NULL: none yet */
    int factored;
    int64_t info, member, nrhs; /* of the last call that told infos; member: from 1 */
    clsolve_seconds seconds;    /* of the last call, but for its total */
    cls_batch_phase whole;
    cls_slices slices; /* over several devices */
};

/* The calls below take NULL as the public ones do. `batch`: the address of the caller's pointer, which becomes NULL on
 * failure. */
clsolve_status cls_batch_create(const cls_batch_family *family, clsolve_context *context, const cls_batch_shape *shape,
                                void *batch);
void cls_batch_destroy(cls_batch *batch);
/* Fields of cls_head_kind, for every family's table: its first line. */
clsolve_status cls_batch_check(clsolve_context *context, const void *asked);
clsolve_status cls_batch_setup(cls_head *head, const void *asked);
void cls_batch_release(cls_head *head);
#define CLS_BATCH_KIND                                                                                                 \
    .kind.argument = "batch", .kind.check = cls_batch_check, .kind.setup = cls_batch_setup,                            \
    .kind.release = cls_batch_release

clsolve_status cls_batch_report(const cls_batch *batch, clsolve_report *report);

#endif
