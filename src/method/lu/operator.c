/* operator.c: factors on the device as an operator on vectors of the host. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "method/lu/trust.h"
#include "method/rcond.h"
#include "method/vectors.h"

clsolve_status cls_lu_apply_host(const cls_lu_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                 double *to) {
    cls_lu *lu = factors->lu;
    int64_t n = lu->n;
    /* diag(r) A diag(c) z = diag(r) b, x = diag(c) z; and for the transpose the other way round. */
    const double *in = op == CLSOLVE_NO_TRANS ? factors->r : factors->c;
    const double *out = op == CLSOLVE_NO_TRANS ? factors->c : factors->r;

    if (n == 0 || cols == 0) return CLSOLVE_OK;
    double *sizes = cls_alloc((size_t)cols, sizeof *sizes);
    if (!sizes) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a few numbers");
    for (int64_t c = 0; c < cols; ++c) sizes[c] = cls_vector_bring_in(n, in, factors->unit, from + c * n, to + c * n);
    clsolve_status status = cls_lu_reserve(lu, cols, 0);
    if (status == CLSOLVE_OK) status = cls_vectors_up(lu->device, &lu->transfer, cols, to, &lu->B);
    if (status == CLSOLVE_OK) status = cls_lu_apply(lu, op, cols);
    if (status == CLSOLVE_OK) status = cls_vectors_down(lu->device, &lu->transfer, cols, &lu->B, to);
    for (int64_t c = 0; c < cols; ++c) cls_vector_bring_out(n, out, sizes[c], factors->unit, to + c * n);
    cls_free(sizes);
    return status;
}

/* ---- the condition number ---- */

typedef struct estimated {
    const cls_lu_operator *factors;
    double size; /* the inverse is taken times this */
} estimated;

static clsolve_status solve_one(void *self, clsolve_op op, double *x) {
    const estimated *e = self;
    CLS_TRY(cls_lu_apply_host(e->factors, op, 1, x, x));
    for (int64_t i = 0; i < e->factors->lu->n; ++i) x[i] *= e->size;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_rcond(const cls_lu_operator *factors, double norm1, double *rcond) {
    estimated e = {factors, cls_vector_unit(norm1)};
    /* ||A|| / size and ||A^-1|| * size: both stay in range where the norms themselves may not. */
    clsolve_status status =
        cls_rcond(factors->lu->device->error, factors->lu->n, norm1 / e.size / CLS_NORM_SCALE, solve_one, &e, rcond);
    return status;
}
