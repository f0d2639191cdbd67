#include "lapack/device.h"

#include <stdlib.h>

#include "lapack/snapshot.h"

static int64_t memory_limit(void) {
    int64_t wanted = cls_lapack.options.memory;
    return wanted > 0 ? wanted : cls_lapack.library.context_device(cls_lapack.context).global_memory / 2;
}

clsolve_lu_options cls_device_lu_options(void) {
    return (clsolve_lu_options){
        .where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING, .memory_limit = memory_limit()};
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
    clsolve_lu_options options = cls_device_lu_options();
    int64_t *pivots = NULL;
    *lu = NULL;
    if (!library->lu_import) return CLSOLVE_ERROR_UNSUPPORTED;
    clsolve_status status = cls_device_get_pivots(call, ipiv, LU->cols, &pivots);
    if (status == CLSOLVE_OK) status = library->lu_create(cls_lapack.context, LU->cols, call->type, &options, lu);
    if (status == CLSOLVE_OK) status = library->lu_import(*lu, LU, pivots);
    free(pivots);
    /* With a zero pivot LAPACK divides by it, which the host does. */
    return status == CLSOLVE_SINGULAR ? CLSOLVE_ERROR_UNSUPPORTED : status;
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
    clsolve_lu_options options = cls_device_lu_options();
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

/* Without right-hand sides no handle is needed, and A may have any number of rows. */
static clsolve_status factor_in_place(const lapack_call *call, clsolve_matrix *A, int ipiv, int info) {
    const int64_t count = A->rows < A->cols ? A->rows : A->cols;
    clsolve_lu_options options = cls_device_lu_options();
    clsolve_report report = {0};
    int64_t *pivots = malloc((size_t)count * sizeof *pivots);
    if (!pivots) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = cls_lapack.library.lu_factor_in_place(cls_lapack.context, A, pivots, &options, &report);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_put_pivots(call, ipiv, pivots, count);
        cls_call_put(call, info, 0, report.info);
    }
    free(pivots);
    return status;
}

clsolve_status cls_device_factor(const lapack_call *call, clsolve_matrix *A, int ipiv, clsolve_matrix *B, int info) {
    factors made = {0};
    if (!B && cls_lapack.library.lu_factor_in_place) return factor_in_place(call, A, ipiv, info);
    if (A->rows != A->cols) return CLSOLVE_ERROR_UNSUPPORTED;
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
