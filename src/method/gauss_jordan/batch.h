/*
 * batch.h: Gauss-Jordan elimination of many small matrices at once (cl/gj_batch.cl). A call:
 *
 *     cls_gj_call call = {.A = A, .B = B, .op = op, .inverse = inverse};
 *     cls_gj_batch_up       the members are on the device: the caller's own there, or copies
 *     cls_gj_batch_run      the kernel
 *     cls_gj_batch_infos
 *     cls_gj_batch_again    members that the kernel has left to the host
 *     cls_gj_batch_down     copies of the results go back
 *     cls_gj_batch_leave    however far it came
 */
#ifndef CLS_GAUSS_JORDAN_BATCH_H
#define CLS_GAUSS_JORDAN_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/report.h>

#include "device/use.h"

enum { CLS_GJ_BATCH_SHAPES = 4 };
typedef struct cls_gj_batch {
    cls_device *device;
    clsolve_type type;
    int64_t n, count;
    cls_kernel *kernel[CLS_GJ_BATCH_SHAPES]; /* each built when first asked for */
    cls_buffer *A, *B, *info; /* copies of the members, made when first wanted; B grows with its number of columns */
    int64_t B_bytes;
} cls_gj_batch;

/* Elements from one row, and from one column, to the next within a member. */
typedef struct cls_gj_strides {
    int64_t row, column;
    int conjugate; /* 1: the conjugate of each element is meant; of A */
} cls_gj_strides;

/* The members of a call on the device. Element (i, j) of member m lies at
 * offset + m * member + i * strides.row + j * strides.column, in elements. */
typedef struct cls_gj_members {
    cls_buffer *buffer;
    int64_t offset, member;
    cls_gj_strides strides;
} cls_gj_members;

typedef struct cls_gj_call {
    const clsolve_batch *A, *B; /* the caller's: B of the systems, or X of the inverses */
    clsolve_op op;
    int inverse;
    /* batch_call.c's own: what the kernel takes, and of it the caller's own buffers, adopted; NULL: copies. */
    cls_gj_members from, to;
    cls_buffer *a, *b;
} cls_gj_call;

/* `batch` is zeroed memory. On failure the caller still calls cls_gj_batch_release. */
clsolve_status cls_gj_batch_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type, cls_gj_batch *batch);
void cls_gj_batch_release(cls_gj_batch *batch);

/* Makes room for copies of A, and for copies of `rhs` right-hand sides of each member. */
clsolve_status cls_gj_batch_reserve_A(cls_gj_batch *batch);
clsolve_status cls_gj_batch_reserve_B(cls_gj_batch *batch, int64_t rhs);
/* Right-hand sides that one launch takes: for more, solutions are written before the infos of all are known. */
int64_t cls_gj_batch_launch_rhs(void);
/*
 * Computes the inverses of the members of A into B, which may be A, where rhs is 0; else the solutions of `rhs`
 * right-hand sides in B into their place; and an info for each. Enqueues. On a device without kernels both are the
 * handle's copies.
 */
clsolve_status cls_gj_batch_run(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B);
/* The members first .. end - 1 alone, on a device with kernels. */
clsolve_status cls_gj_batch_run_part(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B,
                                     int64_t first, int64_t end);
/* Both wait; _infos reads the infos of all members. */
clsolve_status cls_gj_batch_finish(cls_gj_batch *batch);
clsolve_status cls_gj_batch_infos(cls_gj_batch *batch, int32_t *infos);

/* ---- batch_again.c ---- */

/* Computes the members among first .. end - 1 that the kernel has left to the host: their results and infos. As
 * cls_gj_batch_run, whose infos are in `infos`. Waits. */
clsolve_status cls_gj_batch_again(cls_gj_batch *batch, int64_t rhs, const cls_gj_members *A, const cls_gj_members *B,
                                  int64_t first, int64_t end, int32_t *infos);

/* ---- batch_call.c ---- */

/* A view's members in `buffer`, tight, each in the view's layout. A transposed member is the member in the other. */
cls_gj_members cls_gj_batch_tight(const clsolve_batch *view, clsolve_op op, cls_buffer *buffer);

clsolve_status cls_gj_batch_up(cls_gj_batch *batch, cls_gj_call *call);
/* Writes the members whose info is 0, where they are not written yet. */
clsolve_status cls_gj_batch_down(cls_gj_batch *batch, const cls_gj_call *call, const int32_t *infos);
void cls_gj_batch_leave(cls_gj_batch *batch, cls_gj_call *call);

/* ---- batch_stream.c ---- */

/* Is it worth it, and are A and X apart, to invert the members while others cross in both directions? */
int cls_gj_batch_can_stream(const cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X);
/* All of it: A up, the inverses, and X down where the info of a member, which is told too, is 0. seconds->factor is
 * what the device takes, 0 where the driver keeps no times; upload and download are the rest. */
clsolve_status cls_gj_batch_stream(cls_gj_batch *batch, const clsolve_batch *A, const clsolve_batch *X, int32_t *infos,
                                   clsolve_seconds *seconds);

#endif
