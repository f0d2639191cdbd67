/* device_vectors.h (private): the matrix and the vectors on the device, for solutions that are refined there. */
#ifndef CLS_SPARSE_DEVICE_VECTORS_H
#define CLS_SPARSE_DEVICE_VECTORS_H

#include "method/fronts_device/rows.h"
#include "method/sparse/engine.h"

enum { CLS_VECTORS_SLOTS = 5, CLS_VECTORS_SIDES = 16 }; /* as in cl/front_residual.cl; columns of B at once */

struct cls_sparse_vectors {
    cls_device *device;
    cls_kernel *sizes, *spread, *add, *rows, *norm, *gather, *most, *deliver;
    int64_t local, groups;
    int placed;                        /* the next four are there */
    cls_buffer *row_at, *column_at;    /* positions */
    cls_buffer *row_scale, *col_scale; /* by positions; NULL: none */
    cls_device_rows of[2];             /* of A, or of a hermitian matrix; of A^T */
    double norm_of[2];                 /* the largest sum of a row; below 0: not known */
    cls_buffer *partial, *found;
    cls_buffer *b, *x, *next; /* of `sides` columns, by positions */
    int64_t sides;
};

/* ---- device_refine.c ---- */

/* op(A) for some columns of B, as the kernels take it. */
typedef struct cls_vectors_run {
    cls_sparse_vectors *v;
    cls_sparse_device *there;
    cls_device_rows *rows;
    double *norm;
    cls_buffer *in, *out, *before, *after; /* positions and scales of rows and columns */
    int transposed;                        /* substitution is with A^T */
    int32_t scaled, through;
    int32_t turned;     /* with the conjugates of what it takes and leaves */
    int32_t conjugated; /* values of the rows are to be conjugated */
    double most_growth; /* cls_sparse_most_growth */
    int64_t n, sides;
    cls_sparse_sides from, to; /* these columns of B, and where X goes */
} cls_vectors_run;

/* All but columns, and where they are. */
cls_vectors_run cls_vectors_run_of(cls_sparse *sparse, clsolve_op op);
clsolve_status cls_vectors_launch(const cls_vectors_run *run, cls_kernel *kernel, int64_t groups, int64_t sides,
                                  const cls_arg *args, int32_t count);
/* B to positions. */
clsolve_status cls_vectors_spread(const cls_vectors_run *run);
/* The norm of op(A) comes to the first column's slot, unless the host knows it. */
clsolve_status cls_vectors_find_norm(const cls_vectors_run *run);
/* next = x + the correction for the residual in there->x, where the residual of `next` comes. `more` 0: x is 0. */
clsolve_status cls_vectors_step(const cls_vectors_run *run, int32_t more);

/* ---- device_pattern.c ---- */

clsolve_status cls_vectors_no_memory(cls_device *device);
/* The compiler begins with the kernels for factors of this type, which is one of double. */
clsolve_status cls_vectors_announce(cls_device *device, clsolve_type type);
/* Pattern, positions and scales, when they are first wanted. `transposed`: the rows of A^T too. */
clsolve_status cls_vectors_put_pattern(cls_sparse_vectors *v, const cls_sparse *sparse, int transposed);
/* Room for so many columns. */
clsolve_status cls_vectors_reserve(cls_sparse_vectors *v, cls_sparse_device *there, int64_t sides);

#endif
