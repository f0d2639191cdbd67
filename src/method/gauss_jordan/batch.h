/* batch.h: Gauss-Jordan elimination of many small matrices at once (cl/gj_batch.cl). */
#ifndef CLS_GAUSS_JORDAN_BATCH_H
#define CLS_GAUSS_JORDAN_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/report.h>

#include "device/device.h"

enum { CLS_GJ_BATCH_SHAPES = 4 };
typedef struct cls_gj_batch {
    cls_device *device;
    clsolve_type type;
    int64_t n, count;
    cls_kernel *kernel[CLS_GJ_BATCH_SHAPES]; /* each built when first asked for */
    cls_buffer *A, *B, *info;                /* B grows with the number of right-hand sides */
    int64_t B_bytes;
} cls_gj_batch;

/* Elements from one row, and from one column, to the next within a member. */
typedef struct cls_gj_strides {
    int64_t row, column;
    int conjugate; /* 1: the conjugate of each element is meant; of A */
} cls_gj_strides;

/* `batch` is zeroed memory. On failure the caller still calls cls_gj_batch_release. */
clsolve_status cls_gj_batch_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type, cls_gj_batch *batch);
void cls_gj_batch_release(cls_gj_batch *batch);

/* Makes room for `rhs` right-hand sides of each member. */
clsolve_status cls_gj_batch_reserve(cls_gj_batch *batch, int64_t rhs);
/*
 * The members lie tight in batch->A (n x n each) and batch->B (n x rhs each), each in its caller's layout. Computes
 * the inverses into A (rhs 0), stepping through them by `b`, or the solutions into B; and an info for each. Enqueues.
 */
clsolve_status cls_gj_batch_run(cls_gj_batch *batch, int64_t rhs, cls_gj_strides a, cls_gj_strides b);
/* The members first .. end - 1 alone, on a device with kernels. */
clsolve_status cls_gj_batch_run_part(cls_gj_batch *batch, int64_t rhs, cls_gj_strides a, cls_gj_strides b,
                                     int64_t first, int64_t end);
/* Both wait; _infos reads the infos of all members. */
clsolve_status cls_gj_batch_finish(cls_gj_batch *batch);
clsolve_status cls_gj_batch_infos(cls_gj_batch *batch, int32_t *infos);

/* ---- batch_stream.c ---- */

/* Is it worth it, and are A and X apart, to invert the members while others cross in both directions? */
int cls_gj_batch_can_stream(const cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X);
/* All of it: A up, the inverses, and X down where the info of a member, which is told too, is 0. seconds->factor is what the
 * device takes, 0 where the driver keeps no times; upload and download are the rest. */
clsolve_status cls_gj_batch_stream(cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X,
                                   cls_gj_strides a, cls_gj_strides b, int32_t *infos, clsolve_seconds *seconds);

#endif
