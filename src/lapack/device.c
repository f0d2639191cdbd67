#include "lapack/device.h"

#include <stdlib.h>

#include "lapack/snapshot.h"

/* Bytes of a handle apart from its matrices. */
static const double some_work = 1 << 28;

static int64_t memory_limit(void) {
    int64_t wanted = cls_lapack.options.memory;
    return wanted > 0 ? wanted : cls_lapack.library.context_device(cls_lapack.context).global_memory / 2;
}

/* Within a limit the library does without what takes memory of its own. So one is given where it might be reached: a
 * handle of MIXED holds A too, and all hold some work. */
clsolve_lu_options cls_device_lu_options(int64_t n, clsolve_type type) {
    const double bytes = (double)n * (double)n * (double)cls_device_size(type), limit = (double)memory_limit();
    return (clsolve_lu_options){.where = CLSOLVE_WHERE_DEVICE,
                                .precision = CLSOLVE_PRECISION_WORKING,
                                .memory_limit = 3 * bytes + some_work < limit ? 0 : memory_limit()};
}

clsolve_cholesky_options cls_device_cholesky_options(int64_t n, clsolve_type type) {
    return (clsolve_cholesky_options){.where = CLSOLVE_WHERE_DEVICE,
                                      .precision = CLSOLVE_PRECISION_WORKING,
                                      .memory_limit = cls_device_lu_options(n, type).memory_limit};
}

clsolve_band_options cls_device_band_options(void) {
    return (clsolve_band_options){.form = CLSOLVE_BAND_GBTRF,
                                  .where = CLSOLVE_WHERE_DEVICE,
                                  .precision = CLSOLVE_PRECISION_WORKING,
                                  .memory_limit = memory_limit()};
}

void *cls_device_room(const lapack_call *call, int64_t rows, int64_t cols) {
    size_t column = (size_t)cls_at_least_1(rows) * cls_device_size(call->type), count = (size_t)cls_at_least_1(cols);
    return column > SIZE_MAX / count ? NULL : malloc(column * count);
}

void cls_device_put_pivots(const lapack_call *call, int at, const int64_t *ipiv, int64_t count) {
    for (int64_t i = 0; i < count; i++) cls_call_put(call, at, i, ipiv[i]);
}

clsolve_status cls_device_get_pivots(const lapack_call *call, int at, int64_t count, int64_t **ipiv) {
    *ipiv = malloc((size_t)cls_at_least_1(count) * sizeof **ipiv);
    if (!*ipiv) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++) (*ipiv)[i] = at < 0 ? i + 1 : cls_call_get(call, at, i);
    return CLSOLVE_OK;
}

clsolve_status cls_device_import(const lapack_call *call, const clsolve_matrix *LU, int ipiv, clsolve_lu **lu) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options(LU->cols, call->type);
    int64_t *pivots = NULL;
    *lu = NULL;
    clsolve_status status = cls_device_get_pivots(call, ipiv, LU->cols, &pivots);
    if (status == CLSOLVE_OK) status = library->lu_create(cls_lapack.context, LU->cols, call->type, &options, lu);
    if (status == CLSOLVE_OK) status = library->lu_import(*lu, LU, pivots);
    free(pivots);
    /* With a zero pivot LAPACK divides by it, which the host does. */
    return status == CLSOLVE_SINGULAR ? CLSOLVE_ERROR_UNSUPPORTED : status;
}

clsolve_status cls_device_refine(const lapack_call *call, clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A,
                                 const clsolve_matrix *B, clsolve_matrix *X, int bounds) {
    const int64_t nrhs = X->cols;
    double *both = malloc(2 * (size_t)cls_at_least_1(nrhs) * sizeof *both); /* ferr, then berr */
    if (!both) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = cls_lapack.library.lu_refine(lu, op, A, B, X, both, both + nrhs);
    for (int64_t k = 0; k < nrhs && status == CLSOLVE_OK; k++) {
        cls_call_put_real(call, bounds, k, both[k]);
        cls_call_put_real(call, bounds + 1, k, both[nrhs + k]);
    }
    free(both);
    return status;
}

/* ---- dense ---- */

typedef struct factors {
    clsolve_lu *lu;
    cls_snapshot A; /* what it was */
    int64_t *ipiv, info;
} factors;

/* B first: A is overwritten last, because that may take the longest to undo. */
static clsolve_status factor_and_solve(const lapack_call *call, clsolve_matrix *A, clsolve_matrix *B, factors *made) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options(A->cols, call->type);
    clsolve_report report = {0};

    clsolve_status status = library->lu_create(cls_lapack.context, A->cols, call->type, &options, &made->lu);
    if (status != CLSOLVE_OK) return status;
    clsolve_status outcome = library->lu_factor(made->lu, A);
    if (outcome != CLSOLVE_OK && outcome != CLSOLVE_SINGULAR) return outcome;
    status = library->lu_report(made->lu, &report);
    made->info = report.info;
    if (status == CLSOLVE_OK && outcome == CLSOLVE_OK && B) status = library->lu_solve(made->lu, CLSOLVE_NO_TRANS, B);
    if (status != CLSOLVE_OK) return status;
    cls_snapshot_wait(&made->A);
    status = library->lu_factors(made->lu, A, made->ipiv);
    return status == CLSOLVE_OK ? outcome : status;
}

/* The library may write A from the beginning of its call on, and after an overflow A holds factors. */
static clsolve_status factor_kept(clsolve_matrix *A, int64_t *pivots, clsolve_report *report) {
    clsolve_lu_options options = cls_device_lu_options(A->rows < A->cols ? A->cols : A->rows, A->type);
    cls_snapshot kept;
    clsolve_status status = cls_snapshot_take(&kept, A);
    cls_snapshot_wait(&kept);
    if (status == CLSOLVE_OK)
        status = cls_lapack.library.lu_factor_in_place(cls_lapack.context, A, pivots, &options, report);
    cls_snapshot_end(&kept, status);
    return status;
}

/* Handles are of square matrices. */
static clsolve_status factor_rectangle(const lapack_call *call, clsolve_matrix *A, int ipiv, int info) {
    const int64_t count = A->rows < A->cols ? A->rows : A->cols;
    clsolve_report report = {0};
    int64_t *pivots = malloc((size_t)count * sizeof *pivots);
    if (!pivots) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = factor_kept(A, pivots, &report);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_put_pivots(call, ipiv, pivots, count);
        cls_call_put(call, info, 0, report.info);
    }
    free(pivots);
    return status;
}

clsolve_status cls_device_factor(const lapack_call *call, clsolve_matrix *A, int ipiv, clsolve_matrix *B, int info) {
    factors made = {0};
    if (A->rows != A->cols) return factor_rectangle(call, A, ipiv, info);
    if (B && B->cols == 0) B = NULL;
    made.ipiv = malloc((size_t)A->cols * sizeof *made.ipiv);
    clsolve_matrix kept = B ? *B : *A;
    kept.ld = kept.rows;
    kept.data = B ? cls_device_room(call, B->rows, B->cols) : NULL;
    if (B && kept.data) cls_device_copy(B, &kept);
    clsolve_status status =
        !made.ipiv || (B && !kept.data) ? CLSOLVE_ERROR_OUT_OF_MEMORY : cls_snapshot_take(&made.A, A);
    if (status == CLSOLVE_OK) status = factor_and_solve(call, A, B, &made);
    cls_snapshot_end(&made.A, status);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_put_pivots(call, ipiv, made.ipiv, A->cols);
        cls_call_put(call, info, 0, made.info);
    } else if (B && kept.data) {
        cls_device_copy(&kept, B);
    }
    cls_lapack.library.lu_destroy(made.lu);
    free(kept.data);
    free(made.ipiv);
    return status;
}
