/* batch_call.h (private): calls of batches: the driver checks their arguments, and runs them, also enqueued. */
#ifndef CLS_API_BATCH_CALL_H
#define CLS_API_BATCH_CALL_H

#include "api/batch.h"

typedef struct cls_batch_verb cls_batch_verb;

enum { CLS_BATCH_VIEWS = 3, CLS_BATCH_NUMBERS = 3, CLS_BATCH_PARTS = -1 };

/* `ipiv`: NULL, or n numbers a member that come back; numbers: likewise, `each` a member. */
typedef struct cls_batch_call {
    const cls_batch_verb *verb;
    const char *name; /* the driver's: the public call */
    clsolve_op op;
    clsolve_uplo uplo;
    const clsolve_batch *views[CLS_BATCH_VIEWS];
    int64_t *info, *ipiv;
    double *numbers[CLS_BATCH_NUMBERS];
    /* PARTS: as many as a number of the type has. Not 0 also where inertias come back, one a member. */
    int64_t each[CLS_BATCH_NUMBERS];
    clsolve_inertia *inertias;
} cls_batch_call;

/* Rows or columns of a view. */
typedef enum cls_batch_size {
    CLS_BATCH_N,
    CLS_BATCH_ONE,
    CLS_BATCH_ANY,
    CLS_BATCH_ENTRIES,     /* of a sparse matrix */
    CLS_BATCH_BAND,        /* kl + ku + 1 */
    CLS_BATCH_BAND_FACTORS /* 2 kl + ku + 1 */
} cls_batch_size;

typedef enum cls_batch_use {
    CLS_BATCH_READ,
    CLS_BATCH_WRITTEN,
    CLS_BATCH_WANTED /* written, where it is not NULL */
} cls_batch_use;

typedef enum cls_batch_kind {
    CLS_BATCH_WHOLE,  /* neither leaves factors nor takes them */
    CLS_BATCH_FACTOR, /* leaves factors, and infos that later calls begin with */
    CLS_BATCH_SOLVE,  /* takes them */
    CLS_BATCH_EXPORT  /* takes them, and tells no infos */
} cls_batch_kind;

/* A public call. The columns of the last view are right-hand sides, but of FACTOR and EXPORT. */
struct cls_batch_verb {
    const char *call;
    cls_batch_kind kind;
    struct cls_batch_argument {
        const char *name; /* NULL: no more views */
        cls_batch_size rows, cols;
        cls_batch_use use;
    } arguments[CLS_BATCH_VIEWS];
    /* All of it on one device, for at least one element. `infos`: zeros, or those of the factorization, become the
     * call's. Writes batch->seconds. */
    clsolve_status (*run)(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
    /* Such a call can leave its infos on the device: then `infos` of `run` is NULL, and `run` does not wait. NULL: none
     * can. */
    int (*may_stay)(cls_batch *batch, const cls_batch_call *call);
};

clsolve_status cls_batch_run(cls_batch *batch, const cls_batch_call *call);
/* The call of the verb's name and _enqueue. It works before it returns, unless info is NULL and the infos may stay. */
clsolve_status cls_batch_enqueue(cls_batch *batch, const cls_batch_call *call, const clsolve_events *events);
clsolve_status cls_batch_status(cls_batch *batch);
/* The infos of the last call; `name`: the public call. */
clsolve_status cls_batch_infos(cls_batch *batch, const char *name, int64_t *info);

/* ---- the public calls of a family, a line each ---- */

/* clsolve_x_batch_VERB(batch, arguments): the call of the verb `verb`, which is the file's, with fields of
 * cls_batch_call. `arguments` stand in parentheses. */
#define CLS_BATCH_OF(...) __VA_ARGS__
#define CLS_BATCH_CALL(x, its_verb, arguments, ...)                                                                    \
    clsolve_status clsolve_##x##_batch_##its_verb(clsolve_##x##_batch *batch, CLS_BATCH_OF arguments) {                \
        return cls_batch_run((cls_batch *)batch, &(const cls_batch_call){.verb = &(its_verb), __VA_ARGS__});           \
    }
/* The same for a call that tells infos, and its form that enqueues. */
#define CLS_BATCH_CALLS(x, its_verb, arguments, ...)                                                                   \
    CLS_BATCH_CALL(x, its_verb, (CLS_BATCH_OF arguments, int64_t * info), .info = info, __VA_ARGS__)                   \
    clsolve_status clsolve_##x##_batch_##its_verb##_enqueue(clsolve_##x##_batch *batch, CLS_BATCH_OF arguments,        \
                                                            int64_t *info, const clsolve_events *events) {             \
        const cls_batch_call call = {.verb = &(its_verb), .info = info, __VA_ARGS__};                                  \
        return cls_batch_enqueue((cls_batch *)batch, &call, events);                                                   \
    }

/* The calls that all families have: destroy, status, report. */
#define CLS_BATCH_DESTROY(x)                                                                                           \
    void clsolve_##x##_batch_destroy(clsolve_##x##_batch *batch) {                                                     \
        cls_batch_destroy((cls_batch *)batch);                                                                         \
    }
#define CLS_BATCH_TOLD(x)                                                                                              \
    clsolve_status clsolve_##x##_batch_status(clsolve_##x##_batch *batch) {                                            \
        return cls_batch_status((cls_batch *)batch);                                                                   \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_batch_report(const clsolve_##x##_batch *batch, clsolve_report *report) {              \
        return cls_batch_report((const cls_batch *)batch, report);                                                     \
    }

#endif
