/* rectangle.c: what a rectangle's factorization does on the host: LAPACK's part, scaled copies, the outcome. */
#include "method/lu/rectangle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/failure.h"
#include "method/mapped.h"
#include "method/view.h"

enum { FEW = 128 }; /* pivots that the stack has room for */

/* ---- measures of the caller's memory ---- */

/* *largest |a(i,j)|; the place of the first NaN or Inf. */
static cls_place measure(const clsolve_matrix *A, double *largest) {
    const int by_column = A->layout == CLSOLVE_COLUMN_MAJOR;
    double norm = 0;

    *largest = 0;
    cls_mapped_block(A->type, A->data, A->ld, by_column ? A->rows : A->cols, by_column ? A->cols : A->rows, &norm,
                     largest);
    return isfinite(norm) ? (cls_place){-1, -1} : cls_view_find_nonfinite(A);
}

/* ---- a copy by columns ---- */

static void copy_columns(const clsolve_matrix *from, const clsolve_matrix *to, int exponent, int all) {
    for (int64_t j = 0; j < from->cols; ++j)
        for (int64_t i = 0; i < from->rows; ++i) {
            const int64_t k = cls_view_at(to, i, j), l = cls_view_at(from, i, j);
            for (int64_t p = 0; p < cls_type_parts(to->type); ++p) {
                double value = cls_type_get(from->type, from->data, l + p);
                if (exponent != 0 && (all || i <= j)) value = ldexp(value, exponent);
                cls_type_put(to->type, to->data, k + p, value);
            }
        }
}

/* ---- by LAPACK ---- */

static clsolve_status factor_by_lapack(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv) {
    const int64_t k = cls_lesser(A->rows, A->cols);
    int few[FEW], *pivots = k <= FEW ? few : cls_alloc((size_t)k, sizeof *pivots);

    if (!pivots) return cls_fail(job->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    job->panel = "hybrid";
    job->info = cls_panel_lapack(A->type, A->rows, A->cols, A->data, A->ld, pivots);
    for (int64_t i = 0; i < k; ++i) ipiv[i] = pivots[i];
    if (pivots != few) cls_free(pivots);
    if (job->options->progress) job->options->progress(job->options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

/* ---- by a device ---- */

/* The pivots last, because the device may still fail; and what was said of a singular matrix stays. */
static clsolve_status export_square(cls_rectangle *job, cls_direct *direct, const clsolve_matrix *A, int64_t *ipiv) {
    const size_t count = (size_t)A->rows;
    int64_t *pivots = cls_alloc(count, sizeof *pivots);
    cls_error said = *job->device->error;

    if (!pivots) return cls_fail(job->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    clsolve_status status = direct->ops->export(direct, job->call, A, pivots);
    if (status == CLSOLVE_OK) {
        memcpy(ipiv, pivots, count * sizeof *ipiv);
        *job->device->error = said;
    }
    cls_free(pivots);
    return status;
}

/* The factors overflowed, which the caller lets pass. */
static clsolve_status passed(const cls_rectangle *job) {
    job->device->error->text[0] = 0;
    return job->info > 0 ? cls_singular(job->device->error, job->call, "U", job->info, 0) : CLSOLVE_OK;
}

static clsolve_status factor_square(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv) {
    clsolve_lu_options options = *job->options;
    cls_lu lu = {0};
    cls_direct direct;

    options.precision = CLSOLVE_PRECISION_WORKING;
    clsolve_status status = cls_lu_direct_setup(job->device, A->rows, A->type, &options, &lu, &direct);
    if (status == CLSOLVE_OK) status = cls_direct_factor(&direct, job->call, A);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR || status == CLSOLVE_OVERFLOW) {
        clsolve_status exported = export_square(job, &direct, A, ipiv);
        if (exported != CLSOLVE_OK) status = exported;
        job->info = direct.info;
        job->panel = lu.panel.hybrid ? "hybrid" : "native";
        job->seconds = direct.costs.factor;
        job->device_bytes = lu.A.bytes + direct.state_bytes;
        if (status == CLSOLVE_OVERFLOW && job->options->nonfinite) status = passed(job);
    }
    cls_direct_release(&direct);
    cls_lu_release(&lu);
    return status;
}

/* ---- both ---- */

static clsolve_status outcome(const cls_rectangle *job, const clsolve_matrix *A) {
    double largest;
    cls_place out = measure(A, &largest);

    if (out.row >= 0 && !job->options->nonfinite)
        return cls_nonfinite(job->device->error, CLSOLVE_OVERFLOW, job->call, "L\\U", out.row, out.column);
    return job->info > 0 ? cls_singular(job->device->error, job->call, "U", job->info, 0) : CLSOLVE_OK;
}

/* A is factored from a copy by columns, times 2^exponent, and L\U written back, U without that factor. */
static clsolve_status factor_copy(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv, int exponent) {
    clsolve_matrix copy = *A;

    copy.layout = CLSOLVE_COLUMN_MAJOR;
    copy.ld = A->rows;
    copy.data = cls_alloc((size_t)A->rows * (size_t)A->cols, (size_t)cls_type_size(A->type));
    if (!copy.data)
        return cls_fail(job->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for a copy of A: give it by columns", job->call);
    copy_columns(A, &copy, exponent, 1);
    clsolve_status status = CLSOLVE_OK;
    if (job->device->no_kernels) {
        status = factor_by_lapack(job, &copy, ipiv);
    } else {
        cls_measures measures;
        status = cls_rectangle_on_device(job, &copy, ipiv, &measures);
    }
    if (status == CLSOLVE_OK) copy_columns(&copy, A, -exponent, 0);
    cls_free(copy.data);
    return status;
}

static int exponent_of(clsolve_type type, double largest) {
    double unit = cls_scaling_unit(type, largest);
    return unit == 1 ? 0 : ilogb(unit);
}

static clsolve_status factor_on_host(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv) {
    double largest;
    cls_place in = measure(A, &largest);

    if (in.row >= 0 && !job->options->nonfinite)
        return cls_nonfinite(job->device->error, CLSOLVE_ERROR_NONFINITE, job->call, "A", in.row, in.column);
    if (A->rows > INT_MAX / 2 || A->cols > INT_MAX / 2)
        return cls_fail(job->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: LAPACK counts in 32 bits, too few for %lld x %lld", job->call, (long long)A->rows,
                        (long long)A->cols);
    int exponent = in.row >= 0 ? 0 : exponent_of(A->type, largest);
    const int suits_lapack = A->layout == CLSOLVE_COLUMN_MAJOR && CLS_BLAS_FITS(A->ld);
    if (suits_lapack && exponent == 0) return factor_by_lapack(job, A, ipiv);
    return factor_copy(job, A, ipiv, exponent);
}

clsolve_status cls_rectangle_factor(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv) {
    const double start = cls_seconds();
    clsolve_status status = CLSOLVE_OK;

    job->info = 0;
    job->panel = "none";
    if (A->rows == 0 || A->cols == 0) return CLSOLVE_OK;
    if (job->device->no_kernels) {
        status = factor_on_host(job, A, ipiv);
        job->seconds.factor = cls_seconds() - start;
    } else if (A->rows == A->cols) {
        status = factor_square(job, A, ipiv);
        job->seconds.total = cls_seconds() - start;
        return status;
    } else {
        cls_measures measures = {.row = -1};
        status = cls_rectangle_on_device(job, A, ipiv, &measures);
        int exponent = status == CLSOLVE_OK ? exponent_of(A->type, measures.largest) : 0;
        if (exponent != 0) status = factor_copy(job, A, ipiv, exponent);
    }
    if (status == CLSOLVE_OK) status = outcome(job, A);
    job->seconds.total = cls_seconds() - start;
    return status;
}
