/* band_host.c: a band in the host's memory. */
#include "method/cholesky/band.h"

#include <complex.h>
#include <limits.h>
#include <string.h>

#include <lapacke.h>

#include "base/blas_int.h"
#include "base/host_blas.h"
#include "base/clock.h"
#include "base/clones.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/type.h"
#include "method/direct/scaling.h"
#include "method/mapped.h"
#include "method/view.h"

/* From so many diagonals on LAPACK's blocks are faster than the loops (docs/cholesky.md). */
enum { FEW = 128 };

typedef cls_band_triangle triangle;

#define EACH_ELEMENT "method/cholesky/band_element.h"
#include "method/elements_each.h"

/* ---- take, factor ---- */

clsolve_status cls_band_cholesky_host_take(cls_direct *direct, const clsolve_matrix *A) {
    const cls_band_cholesky *b = direct->factors;
    const triangle from = cls_band_triangle_of(b, b->uplo, A);
    cls_measures *m = &direct->measures;
    int64_t wild = -1;

    *m = (cls_measures){.row = -1, .column = -1};
    wild = CLS_FOR_TYPE(b->type, take, &from, b->n, b->k, b->L, &m->largest);
    direct->largest = m->largest;
    if (wild < 0) return CLSOLVE_OK;
    const int64_t j = wild / (b->k + 1), i = j + wild % (b->k + 1);
    m->row = b->uplo == CLSOLVE_LOWER ? i : j;
    m->column = b->uplo == CLSOLVE_LOWER ? j : i;
    return CLSOLVE_OK;
}

/* A tiny matrix is multiplied by a power of two where it lies. */
static void scale_tiny(cls_direct *direct) {
    const cls_band_cholesky *b = direct->factors;
    const double unit = cls_scaling_tiny(b->type, direct->largest);
    const int64_t count = b->n * (b->k + 1) * cls_type_parts(b->type);

    cls_direct_set_unit(direct, unit);
    for (int64_t at = 0; unit != 1 && at < count; ++at)
        cls_type_put(b->type, b->L, at, cls_type_get(b->type, b->L, at) * unit);
    direct->largest = direct->measures.largest *= unit;
}

/* |L(d, j)| times CLS_NORM_SCALE. */
static double modulus(const cls_band_cholesky *b, int64_t at) {
    const int64_t parts = cls_type_parts(b->type);
    const double re = CLS_NORM_SCALE * cls_type_get(b->type, b->L, parts * at);
    return parts == 2 ? hypot(re, CLS_NORM_SCALE * cls_type_get(b->type, b->L, parts * at + 1)) : fabs(re);
}

/* Column j has the elements of row j left of the diagonal too. */
static double norm1(const cls_band_cholesky *b) {
    double norm = 0;
    for (int64_t j = 0; j < b->n; ++j) {
        double sum = 0;
        for (int64_t d = 0; d <= b->k; ++d) sum += modulus(b, d + j * (b->k + 1));
        for (int64_t d = 1; d <= b->k && d <= j; ++d) sum += modulus(b, d + (j - d) * (b->k + 1));
        norm = sum > norm ? sum : norm;
    }
    return norm;
}

static int64_t factor_lapack(const cls_band_cholesky *b) {
    const lapack_int n = cls_blas_int(b->n), k = cls_blas_int(b->k);
    CLS_HOST_BLAS;
    return CLS_LAPACKE(b->type, pbtrf, 'L', n, k, b->L, k + 1);
}

static int goes_by_lapack(const cls_band_cholesky *b) {
    return b->k > FEW && b->n < INT_MAX && b->k < INT_MAX - 1;
}

/* The square of the product of the diagonal. */
void cls_band_cholesky_host_determinant(const cls_band_cholesky *b, cls_growth *growth) {
    double mantissa[2] = {1, 0};
    int64_t exponent = 0;
    *growth = cls_growth_begin();
    for (int64_t j = 0; j < b->n; ++j) {
        const double u[2] = {cls_type_get(b->type, b->L, cls_type_parts(b->type) * j * (b->k + 1)), 0};
        cls_mapped_multiply(0, u, mantissa, &exponent);
    }
    growth->log_abs_det = 2 * (log(fabs(mantissa[0])) + (double)exponent * log(2));
}

clsolve_status cls_band_cholesky_host_run(cls_band_cholesky *band, const cls_copy *copy, int64_t *info,
                                          cls_growth *growth) {
    const cls_band_cholesky *b = band;

    if (copy) cls_band_cholesky_pack(b, copy, 0, b->n, b->L);
    *growth = cls_growth_unknown();
    *info = goes_by_lapack(b) ? factor_lapack(b) : CLS_FOR_TYPE(b->type, factor, b->n, b->k, b->L);
    if (*info == 0) cls_band_cholesky_host_determinant(b, growth);
    return CLSOLVE_OK;
}

clsolve_status cls_band_cholesky_host_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_band_cholesky *b = direct->factors;
    const clsolve_band_cholesky_options *options = direct->options;

    *again = 0;
    if (!direct->copies) CLS_TRY(cls_band_cholesky_host_take(direct, A));
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    if (!direct->copies) scale_tiny(direct);
    if (direct->wants_rcond && !direct->copies) direct->measures.norm1 = norm1(b);
    CLS_TRY(cls_band_cholesky_host_run(b, direct->copies ? &direct->copy : NULL, &direct->info, &direct->growth));
    if (options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

/* ---- solve ---- */

static void solve_lapack(const cls_band_cholesky *b, void *x, int64_t cols) {
    const lapack_int n = cls_blas_int(b->n), k = cls_blas_int(b->k), c = cls_blas_int(cols);
    CLS_HOST_BLAS;
    (void)CLS_LAPACKE(b->type, pbtrs, 'L', n, k, c, b->L, k + 1, x, n);
}

/* x: n x cols tight elements of the type. */
static void solve_all(const cls_band_cholesky *b, void *x, int64_t cols) {
    for (int64_t c = 0, run; goes_by_lapack(b) && c < cols; c += run) {
        run = cls_blas_run(cols - c);
        solve_lapack(b, (char *)x + c * b->n * cls_type_size(b->type), run);
    }
    if (goes_by_lapack(b)) return;
    for (int64_t c = 0; c < cols; ++c)
        CLS_FOR_TYPE(b->type, solve, b->n, b->k, b->L, (void *)((char *)x + c * b->n * cls_type_size(b->type)));
}

static clsolve_status solve_view(void *factors, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out) {
    (void)op, (void)in, (void)out;
    solve_all(factors, B->data, B->cols);
    return CLSOLVE_OK;
}

/* A^-1 is its own conjugate transpose. */
clsolve_status cls_band_cholesky_host_solve(void *factors, clsolve_op op, int64_t cols, double *x) {
    const cls_band_cholesky *b = factors;
    return cls_view_solve_doubles(b->device->error, b->type, b->n, cols, x, op, solve_view, factors);
}

clsolve_status cls_band_cholesky_host_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B,
                                                cls_place *in, cls_place *out) {
    const cls_band_cholesky *b = direct->factors;
    const double start = cls_seconds();
    void *x = cls_alloc((size_t)(b->n * B->cols), (size_t)cls_type_size(b->type));
    const clsolve_matrix X = cls_view_of(b->type, b->n, B->cols, x);

    (void)op;
    if (!x) return cls_fail(b->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    cls_view_copy(B, &X);
    *in = cls_view_find_nonfinite(&X);
    if (in->row < 0) {
        solve_all(b, x, B->cols);
        *out = cls_view_find_nonfinite(&X);
        if (out->row < 0) cls_view_copy(&X, B);
    }
    cls_free(x);
    direct->costs.solve.solve += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* ---- setup ---- */

clsolve_status cls_band_cholesky_host_setup(cls_band_cholesky *band) {
    band->columns = band->n;
    band->L = cls_alloc((size_t)(band->n * (band->k + 1)), (size_t)cls_type_size(band->type));
    if (band->L) return CLSOLVE_OK;
    return cls_fail(band->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a band of order %lld",
                    (long long)band->n);
}
