/*
 * selftest.c: drivers' compilers err, and then a factorization is quietly wrong. So before a device's first use
 * its kernels solve one small system whose solution is known: rows to exchange in every column, a row-major matrix, so that
 * panel, moves, transposition and triangular solves all have their part. A leaf in one launch that is wrong gives way to
 * a launch a column.
 */
#include "method/lu/lu.h"

#include <string.h>

enum { N = CLS_LU_TEST_ORDER, TRYING = -1 };

static clsolve_status solve(cls_lu *lu, int *right) {
    double a[N * N], x[N]; /* room for either type */
    clsolve_matrix A = {lu->type, CLSOLVE_ROW_MAJOR, N, N, N, a, CLSOLVE_ON_HOST, 0};
    clsolve_matrix X = {lu->type, CLSOLVE_COLUMN_MAJOR, N, 1, N, x, CLSOLVE_ON_HOST, 0};
    int64_t info;
    int again;

    cls_lu_self_test_system(lu->type, a, x);
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, &A, &lu->A));
    CLS_TRY(cls_lu_factor(lu, NULL, &info, &again));
    CLS_TRY(cls_lu_reserve(lu, 1, 0));
    CLS_TRY(cls_upload(lu->device, &lu->transfer, &X, 0, 1, &lu->B, NULL));
    CLS_TRY(cls_lu_apply(lu, CLSOLVE_NO_TRANS, 1));
    CLS_TRY(cls_download(lu->device, &lu->transfer, &lu->B, 1, &X, 0, NULL));
    *right = info == 0 && !again && cls_lu_self_test_right(lu->type, x);
    return CLSOLVE_OK;
}

static clsolve_status try_forms(cls_device *device, clsolve_type type, int *form) {
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    int right = 0;
    cls_lu lu;

    memset(&lu, 0, sizeof lu);
    clsolve_status status = cls_lu_setup(device, N, type, &options, &lu);
    if (status == CLSOLVE_OK) status = solve(&lu, &right);
    *form = CLS_LU_KERNELS_RIGHT;
    if (status == CLSOLVE_OK && !right) {
        lu.whole = 0;
        *form = CLS_LU_KERNELS_NO_WHOLE;
        status = solve(&lu, &right);
    }
    if (status == CLSOLVE_OK && !right) *form = CLS_LU_KERNELS_WRONG;
    cls_lu_release(&lu);
    return status;
}

clsolve_status cls_lu_self_test(cls_device *device, clsolve_type type, cls_lu_kernels *form) {
    const char *name = type == CLSOLVE_F64 ? "lu double" : "lu single";
    int *known = &device->lu_kernels[type == CLSOLVE_F64];

    if (*known == 0) *known = device->ops->recall(device, name);
    if (*known == 0) {
        *known = TRYING; /* the test's own handle passes through here */
        int found = 0;
        clsolve_status status = try_forms(device, type, &found);
        *known = status == CLSOLVE_OK ? found : 0;
        CLS_TRY(status);
        device->ops->remember(device, name, found);
    }
    *form = *known == TRYING ? CLS_LU_KERNELS_RIGHT : (cls_lu_kernels)*known;
    return CLSOLVE_OK;
}
