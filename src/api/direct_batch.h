/* direct_batch.h: what the families of batches have in common whose method is method/direct_batch. */
#ifndef CLS_API_DIRECT_BATCH_H
#define CLS_API_DIRECT_BATCH_H

#include "api/batch.h"
#include "method/direct_batch/batch.h"

/* A handle of such a family begins with it. */
typedef struct cls_direct_handle {
    cls_batch batch;
    cls_direct_batch work;
} cls_direct_handle;

static inline cls_direct_batch *cls_direct_family_work(cls_batch *batch) {
    return &((cls_direct_handle *)batch)->work;
}

/* The largest of these orders, which may be NULL; -1: one is no order. */
int64_t cls_direct_family_largest(const int64_t *orders, int64_t count);

/* For the table of a family: `ragged` is its create call for orders, `largest` the largest order, and `instead` names
 * the family for larger ones. */
clsolve_status cls_direct_family_check(clsolve_context *context, const cls_batch_shape *shape, const char *create,
                                       const char *ragged, int64_t largest, const char *instead);
double cls_direct_family_elements(const cls_batch_shape *shape);
clsolve_status cls_direct_family_setup(cls_batch *batch, cls_direct_batch_family family);
void cls_direct_family_drop(cls_batch *batch);

/* Passes the status of a call on, which may have built kernels. */
clsolve_status cls_direct_family_built(cls_batch *batch, clsolve_status status);

#endif
