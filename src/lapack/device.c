#include "lapack/device.h"

#include <stdlib.h>
#include <string.h>

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

static size_t size_of(clsolve_type type) {
    return type == CLSOLVE_F32 ? sizeof(float) : sizeof(double);
}

void *cls_device_room(const lapack_call *call, int64_t rows, int64_t cols) {
    size_t column = (size_t)cls_at_least_1(rows) * size_of(call->type), count = (size_t)cls_at_least_1(cols);
    return column > SIZE_MAX / count ? NULL : malloc(column * count);
}

void cls_device_copy(const clsolve_matrix *from, clsolve_matrix *to) {
    size_t size = size_of(from->type);
    for (int64_t j = 0; j < from->cols; j++)
        memcpy((char *)to->data + size * (size_t)(j * to->ld), (const char *)from->data + size * (size_t)(j * from->ld),
               size * (size_t)from->rows);
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
    clsolve_matrix LU; /* what A is going to be */
    int64_t *ipiv, info;
} factors;

static clsolve_status make_factors(const lapack_call *call, const clsolve_matrix *A, factors *made) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options();
    clsolve_report report = {0};

    made->LU = *A;
    made->LU.ld = cls_at_least_1(A->rows);
    made->LU.data = cls_device_room(call, A->rows, A->cols);
    made->ipiv = malloc((size_t)A->cols * sizeof *made->ipiv);
    if (!made->LU.data || !made->ipiv) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    clsolve_status status = library->lu_create(cls_lapack.context, A->cols, call->type, &options, &made->lu);
    if (status != CLSOLVE_OK) return status;
    clsolve_status outcome = library->lu_factor(made->lu, A);
    if (outcome != CLSOLVE_OK && outcome != CLSOLVE_SINGULAR) return outcome;
    status = library->lu_report(made->lu, &report);
    made->info = report.info;
    if (status == CLSOLVE_OK) status = library->lu_factors(made->lu, &made->LU, made->ipiv);
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
    clsolve_status status = make_factors(call, A, &made);
    if (status == CLSOLVE_OK && B && B->cols > 0) status = cls_lapack.library.lu_solve(made.lu, CLSOLVE_NO_TRANS, B);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_device_copy(&made.LU, A);
        cls_device_put_pivots(call, ipiv, made.ipiv, A->cols);
        cls_call_put(call, info, 0, made.info);
    }
    cls_lapack.library.lu_destroy(made.lu);
    free(made.LU.data);
    free(made.ipiv);
    return status;
}
