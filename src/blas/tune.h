/* tune.h: the search for the parameters of the portable product. See <clsolve/tune.h> and record.h. */
#ifndef CLS_TUNE_H
#define CLS_TUNE_H

#include <clsolve/tune.h>

#include "blas/builtin.h"

/* ---- measuring: tune_measure.c ---- */

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

/* ---- searching: tune.c ---- */

/* Who stores the record as it is by then: after a better candidate, after the search, after each op of the
 * comparison. */
typedef struct cls_tune_keeper {
    void (*keep)(void *user, const cls_record *record); /* NULL: nobody */
    void *user;
} cls_tune_keeper;

/* Fills all of the report but stored and file; record is the best candidate's, with what the comparison gave. With
 * options->resume what the stored record has is not measured again. Nothing is stored but by the keeper. */
clsolve_status cls_tune_search(cls_device *device, clsolve_type type, const clsolve_tune_options *options,
                               const cls_tune_keeper *keeper, clsolve_tune_report *report, cls_record *record);

/* The parameters with one changed, `move` from 0 on; 0 beyond the last. The result may not fit. */
int cls_tune_move(const cls_tile *from, int move, cls_tile *to);

#endif
