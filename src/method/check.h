/* check.h: is a matrix on the device finite? */
#ifndef CLS_CHECK_H
#define CLS_CHECK_H

#include "device/matrix.h"

enum { CLS_CHECK_WORDS = 256 }; /* int64 words that the search leaves behind, at most */

/* The search for NaN and Inf on one device, for one type. A zeroed one is valid to destroy. */
typedef struct cls_check {
    cls_kernel *kernel;
    cls_buffer *partial;
    int64_t work_group;
} cls_check;

clsolve_status cls_check_create(cls_device *device, clsolve_type type, cls_check *check);
void cls_check_destroy(cls_device *device, cls_check *check);

/* Enqueues the search over columns of one slab: the first `count` words of check->partial then hold, each, the smallest
 * index i + j * rows of a NaN or Inf that one work-group has found, or INT64_MAX. */
clsolve_status cls_check_enqueue_slab(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                      int64_t cols, int64_t *count);

/*
 * Enqueues the search over the first `cols` columns and waits for its few words. *row is -1 when all is finite, else
 * (*row, *column) is the first NaN or Inf in column order.
 */
clsolve_status cls_check_finite(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                int64_t *row, int64_t *column);

#endif
