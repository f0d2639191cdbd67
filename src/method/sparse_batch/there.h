/*
 * there.h (private): what device.c and device_solve.c share: a portion of members on the device.
 */
#ifndef CLS_SPARSE_BATCH_THERE_H
#define CLS_SPARSE_BATCH_THERE_H

#include "device/use.h"
#include "method/sparse_batch/batch.h"

enum { MEMBERS = CLS_BATCH_MEMBERS, LS = 64, NORMS = 3 };

/* Steps, or rows of A, on the device. */
typedef struct lists {
    cls_buffer *at[3];
} lists;

/* The kernels of cl/sparse_batch.cl, then those of cl/sparse_batch_solve.cl. */
enum { TAKE, EXPONENTS, SCALE, FACTOR, PIVOTS, SIDES, BEGIN, SHRINK, SUBSTITUTE, RESIDUAL, JUDGE, PUT, KERNELS };

/* Sides that are solved for at once have four vectors, and numbers of each side. */
enum { B_, R, V, X, VECTORS };
enum { SIDE_EXPONENTS, SIDE_STATES, SIDE_SIZES, SIDE_ERRORS, SIDE_NORMS, SIDE_NUMBERS };

struct cls_sparse_batch_there {
    int64_t items, blocks; /* blocks of a portion */
    cls_kernel *kernel[KERNELS];
    lists factor, substitute[2], rows[2];
    cls_buffer *first, *given;
    cls_buffer *A, *LU, *exponents, *zeros, *outcomes, *vanished, *partial;
    int64_t sides; /* that there is room for at once */
    cls_buffer *vector[VECTORS], *number[SIDE_NUMBERS];
    int32_t *states; /* of all sides at once, on the host */
    double *errors;
};

typedef struct cls_sparse_batch_there there_of;

/* A buffer of `count` numbers of `size` bytes. */
clsolve_status cls_there_buffer(cls_device *device, double count, size_t size, cls_buffer **buffer);
/* Members up; the seconds are the batch's. */
clsolve_status cls_there_bring(cls_sparse_batch *batch, const clsolve_batch *view, cls_buffer *to);

/* So many work-groups, or LS work-items for as many numbers. */
static inline cls_grid cls_there_grid(const there_of *t, int64_t groups) {
    const size_t local = (size_t)(MEMBERS * t->items);
    return (cls_grid){{(size_t)groups * local, 1, 1}, {local, 1, 1}};
}
static inline cls_grid cls_there_numbers(int64_t count) {
    return (cls_grid){{(size_t)((count + LS - 1) / LS * LS), 1, 1}, {LS, 1, 1}};
}

/* Bytes of one side of so many members; and all that sides have taken is given back. */
double cls_there_side_bytes(const cls_sparse_batch *batch, double members);
void cls_there_drop_sides(cls_device *device, there_of *t);

#endif
