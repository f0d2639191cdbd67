/* tune_measure.h: rates of updates, measured for the search of tune.h. */
#ifndef CLS_TUNE_MEASURE_H
#define CLS_TUNE_MEASURE_H

#include "blas/builtin.h"

/* A contender: our kernel with its tile, or with NULL the device's rival. */
typedef struct cls_contender {
    cls_kernel *kernel;
    const cls_tile *tile;
} cls_contender;

/* Matrices to multiply: three of n x n, ld a little more, filled with random numbers. */
typedef struct cls_bench {
    cls_device *device;
    clsolve_type type;
    int64_t n, ld;
    cls_buffer *buffer[3];
} cls_bench;

/* Takes the memory, of the order that suits the device; cls_bench_fit makes it smaller until an update of rank 128 by
 * the rival takes a twentieth of a second at most. *seconds: of the rival's first use. */
clsolve_status cls_bench_create(cls_device *device, clsolve_type type, cls_bench *bench);
clsolve_status cls_bench_fit(cls_bench *bench, double *seconds);
void cls_bench_destroy(cls_bench *bench);

/* The update of cls_record_shapes[shape], C -= op(A) op(B). */
cls_product cls_bench_update(const cls_bench *bench, clsolve_op op_a, clsolve_op op_b, int shape);

/* Its rate by the contender, 1e9 operations a second: the better of two rounds, after a call that is not counted. */
clsolve_status cls_bench_rate(const cls_bench *bench, const cls_contender *by, const cls_product *p, double *gflops);

#endif
