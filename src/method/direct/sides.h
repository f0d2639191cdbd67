/* sides.h: right-hand sides of a factorization in core: their room, and solves with what was scaled. */
#ifndef CLS_SIDES_H
#define CLS_SIDES_H

#include "method/direct/direct.h"

typedef struct cls_sides {
    int64_t n, slab_bytes;
    clsolve_type type;
    int limited; /* the caller limits the memory, and so many bytes are left for B and its transpose */
    int64_t left;
    int mapped;
    cls_matrix *B, *scratch; /* right-hand sides, and the same transposed; grown when more of them come */
    cls_transfer *transfer;
    cls_check *check;
    void *factors;
    /* The first `cols` columns of B become op(A)^-1 times them; a symmetric A is asked for NO_TRANS alone. Enqueues. */
    clsolve_status (*apply)(void *factors, clsolve_op op, int64_t cols);
    /* X has a NaN or Inf, which may be apply's fault: *again is 1 if so, and apply then goes another way. NULL: it is
     * never apply's fault. */
    clsolve_status (*failed)(void *factors, int *again);
} cls_sides;

/* Makes B (and with `row_major` the scratch) hold `cols` columns. Keeps what is there when it is enough. */
clsolve_status cls_sides_reserve(cls_device *device, const cls_sides *sides, int64_t cols, int row_major);

/* B, on the device, becomes the solution with what was scaled; *out is its first NaN or Inf. `first`: the rows' scaling
 * comes before the solve, and the columns' after it; else the other way round. */
clsolve_status cls_sides_apply(cls_direct *direct, const cls_sides *sides, clsolve_op op, int64_t cols, int first,
                               cls_place *out);
/* The operations solve_unrefined and solve_enqueue, by the operations `sides` and `state`. */
clsolve_status cls_sides_solve(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                               cls_place *out);
clsolve_status cls_sides_solve_enqueue(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                       int after_factor);
/* Vectors on the host: the operation `solve`. */
clsolve_status cls_sides_solve_vectors(cls_device *device, const cls_sides *sides, clsolve_op op, int64_t cols,
                                       double *x);

#endif
