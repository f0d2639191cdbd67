#include "lapack/stand_in.h"

#include <stdlib.h>

#include "lapack/device.h"
#include "lapack/state.h"

/* A handle of a larger order takes too much memory for a question. */
enum { MOST_ASKED = 2048 };

int cls_stand_in_predict(int64_t n, int64_t nrhs, clsolve_type type, double *device, double *host) {
    const lapack_library *library = &cls_lapack.library;
    const int64_t asked = n < MOST_ASKED ? n : MOST_ASKED;
    const double factor = (double)n / (double)asked;
    clsolve_lu *lu = NULL;
    clsolve_report report = {0};
    (void)nrhs;
    clsolve_status status = library->lu_create(cls_lapack.context, asked, type, NULL, &lu);
    if (status == CLSOLVE_OK) status = library->lu_report(lu, &report);
    library->lu_destroy(lu);
    if (status != CLSOLVE_OK || !(report.expected_device > 0)) return 0;
    *device = report.expected_device * factor * factor * factor;
    *host = report.expected_host * factor * factor * factor;
    return 1;
}

clsolve_status cls_stand_in_warm(int64_t n, clsolve_type type) {
    const lapack_library *library = &cls_lapack.library;
    clsolve_lu_options options = cls_device_lu_options();
    clsolve_matrix A = type == CLSOLVE_F32 ? clsolve_matrix_f32(n, n, NULL) : clsolve_matrix_f64(n, n, NULL), B = A;
    clsolve_lu *lu = NULL;
    const size_t size = type == CLSOLVE_F32 ? sizeof(float) : sizeof(double);
    A.data = calloc((size_t)(n * n), size);
    B.cols = 1;
    B.data = calloc((size_t)n, size);
    clsolve_status status =
        A.data && B.data ? library->lu_create(cls_lapack.context, n, type, &options, &lu) : CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < n && status == CLSOLVE_OK; i++)
        if (type == CLSOLVE_F32)
            ((float *)A.data)[i * n + i] = 1;
        else
            ((double *)A.data)[i * n + i] = 1;
    if (status == CLSOLVE_OK) status = library->lu_factor(lu, &A);
    if (status == CLSOLVE_OK) status = library->lu_solve(lu, CLSOLVE_NO_TRANS, &B);
    library->lu_destroy(lu);
    free(A.data);
    free(B.data);
    cls_lapack.is_warm[type == CLSOLVE_F32] = status == CLSOLVE_OK;
    return status;
}
