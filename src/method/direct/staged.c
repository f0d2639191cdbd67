/* staged.c: solves for the caller's right-hand sides as vectors of doubles on the host, where factors are those of a
 * matrix that was scaled: out of core, and of tiny matrices. */
#include <float.h>
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/direct.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"

/* The first element of X, as many as B has, that is not at most `most`. */
static cls_place find_beyond(const clsolve_matrix *B, const double *X, double most) {
    const int64_t parts = cls_type_parts(B->type), n = B->rows * parts;
    for (int64_t k = 0; k < n * B->cols; ++k)
        if (!(fabs(X[k]) <= most)) return (cls_place){k % n / parts, k / n};
    return (cls_place){-1, -1};
}

static clsolve_status solve_scaled(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, double *X, cls_place *in,
                                   cls_place *out) {
    cls_inverse inverse = cls_direct_inverse(direct);

    /* A tiny A was multiplied as a whole before it was factored. */
    if (!direct->copies) inverse.exponent = ilogb(cls_direct_uniform(direct));
    inverse.plain_first = !cls_direct_in_float(direct);
    cls_vectors_get(B, 0, B->cols, X);
    *in = find_beyond(B, X, DBL_MAX);
    if (in->row >= 0) return CLSOLVE_OK;
    CLS_TRY(cls_inverse_apply(&inverse, op, B->cols, X, X));
    *out = find_beyond(B, X, cls_type_most(direct->type));
    if (out->row < 0) cls_vectors_put(B, 0, B->cols, X);
    return CLSOLVE_OK;
}

/* `B` lies in the host's memory. */
static clsolve_status solve_there(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                  cls_place *out) {
    double *X = cls_alloc((size_t)(B->rows * cls_type_parts(B->type)), (size_t)B->cols * sizeof *X),
           start = cls_seconds();

    if (!X)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a solution of %lld columns: solve for fewer at a time", (long long)B->cols);
    clsolve_status status = solve_scaled(direct, op, B, X, in, out);
    direct->costs.solve.solve = cls_seconds() - start;
    cls_free(X);
    return status;
}

clsolve_status cls_direct_solve_staged(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                       cls_place *out) {
    cls_fetched there;

    CLS_TRY(cls_fetch(direct->device, B, &there));
    clsolve_status status = solve_there(direct, op, &there.view, in, out);
    if (status == CLSOLVE_OK && in->row < 0 && out->row < 0) status = cls_store(direct->device, &there, B);
    cls_fetched_free(&there);
    return status;
}
