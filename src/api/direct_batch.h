/* direct_batch.h: what the families of batches have in common whose method is method/direct_batch. */
#ifndef CLS_API_DIRECT_BATCH_H
#define CLS_API_DIRECT_BATCH_H

#include "api/batch_call.h"
#include "method/direct_batch/batch.h"

/* A handle of such a family begins with it. */
typedef struct cls_direct_handle {
    cls_batch batch;
    cls_direct_batch work;
} cls_direct_handle;

static inline cls_direct_batch *cls_direct_family_work(cls_batch *batch) {
    return &((cls_direct_handle *)batch)->work;
}

/* The table of the family "lu", "cholesky" or "ldl"; more fields follow. A factorization has a third or a sixth of the
 * operations of an inverse: the model has batches of inverses, of any order. */
#define CLS_DIRECT_FAMILY(name, its_engine)                                                                            \
    CLS_BATCH_KIND, .kind.create = "clsolve_" name "_batch_create", .kind.report = "clsolve_" name "_batch_report",    \
                    .kind.method = name, .kind.handle = "a handle of many matrices",                                   \
                    .kind.bytes = sizeof(cls_direct_handle), .factor = "clsolve_" name "_batch_factor",                \
                    .instead = "clsolve_" name, .engine = (its_engine), .model = CLS_FAMILY_BATCH,                     \
                    .total_has_create = 1, .classes = cls_direct_family_classes, .setup = cls_direct_family_setup,     \
                    .release = cls_direct_family_drop, .fetch = cls_direct_family_fetch
clsolve_status cls_direct_family_fetch(cls_batch *batch, int later);
int64_t cls_direct_family_classes(const cls_batch_shape *shape);
clsolve_status cls_direct_family_setup(cls_batch *batch);
void cls_direct_family_drop(cls_batch *batch);

/* Fields of the shape that a create call asks for: members of one order, or each of its own. */
#define CLS_DIRECT_SHAPE(order, number, its_type, options)                                                             \
    .n = (order), .count = (number), .type = (its_type), .where = (options) ? (options)->where : CLSOLVE_WHERE_AUTO,   \
    CLS_BATCH_RESERVED(options)
#define CLS_DIRECT_RAGGED(orders_of, number, its_type, options)                                                        \
    CLS_DIRECT_SHAPE(cls_direct_family_largest((orders_of), (number)), number, its_type, options),                     \
        .orders = cls_direct_family_orders(orders_of)
/* The largest of these orders, which may be NULL; -1: one is no order. And the orders, never NULL. */
int64_t cls_direct_family_largest(const int64_t *orders, int64_t count);
const int64_t *cls_direct_family_orders(const int64_t *orders);

/* Passes the status of a call on, which may have built kernels. */
clsolve_status cls_direct_family_built(cls_batch *batch, clsolve_status status);

/* ---- calls of all these families; a family without `uplo` has LOWER, one without `op` NO_TRANS ---- */

clsolve_status cls_direct_run_factor(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
clsolve_status cls_direct_run_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
clsolve_status cls_direct_run_factor_solve(cls_batch *batch, const cls_batch_call *call, int32_t *infos); /* LU's */
clsolve_status cls_direct_run_inverse(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
clsolve_status cls_direct_run_factors(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
clsolve_status cls_direct_run_determinant(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
clsolve_status cls_direct_run_condition(cls_batch *batch, const cls_batch_call *call, int32_t *infos);
int cls_direct_factor_stays(cls_batch *batch, const cls_batch_call *call);
int cls_direct_sides_stay(cls_batch *batch, const cls_batch_call *call);

/* Their verbs, of the family "lu", "cholesky" or "ldl". */
#define CLS_DIRECT_VERB(name, verb, its_kind, its_run, stays, ...)                                                     \
    {                                                                                                                  \
        .call = "clsolve_" name "_batch_" verb, .kind = (its_kind), .run = (its_run), .may_stay = (stays),             \
        .arguments = {                                                                                                 \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define CLS_DIRECT_FACTOR(name)                                                                                        \
    CLS_DIRECT_VERB(name, "factor", CLS_BATCH_FACTOR, cls_direct_run_factor, cls_direct_factor_stays,                  \
                    {"A", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_READ})
#define CLS_DIRECT_SOLVE(name)                                                                                         \
    CLS_DIRECT_VERB(name, "solve", CLS_BATCH_SOLVE, cls_direct_run_solve, cls_direct_sides_stay,                       \
                    {"B", CLS_BATCH_N, CLS_BATCH_ANY, CLS_BATCH_WRITTEN})
#define CLS_DIRECT_INVERSE(name)                                                                                       \
    CLS_DIRECT_VERB(name, "inverse", CLS_BATCH_SOLVE, cls_direct_run_inverse, cls_direct_sides_stay,                   \
                    {"X", CLS_BATCH_N, CLS_BATCH_N, CLS_BATCH_WRITTEN})
#define CLS_DIRECT_FACTORS(name, use)                                                                                  \
    CLS_DIRECT_VERB(name, "factors", CLS_BATCH_EXPORT, cls_direct_run_factors, NULL,                                   \
                    {"F", CLS_BATCH_N, CLS_BATCH_N, use})
#define CLS_DIRECT_DETERMINANT(name)                                                                                   \
    CLS_DIRECT_VERB(name, "determinant", CLS_BATCH_EXPORT, cls_direct_run_determinant, NULL, {NULL})
#define CLS_DIRECT_CONDITION(name)                                                                                     \
    CLS_DIRECT_VERB(name, "condition", CLS_BATCH_EXPORT, cls_direct_run_condition, NULL, {NULL})

/* The infos of the last call. */
#define CLS_BATCH_INFOS(x)                                                                                             \
    clsolve_status clsolve_##x##_batch_infos(clsolve_##x##_batch *batch, int64_t *info) {                              \
        return cls_batch_infos((cls_batch *)batch, "clsolve_" #x "_batch_infos", info);                                \
    }

#endif
