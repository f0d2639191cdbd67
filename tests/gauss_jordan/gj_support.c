#include "gauss_jordan/gj_support.h"

#include "api/context.h"
#include "blas/blas.h"

#include <lapacke.h>

const char *const gj_variant_names[CLSOLVE_GAUSS_JORDAN_BLOCKED + 1] = {"auto", "two-pass", "one-pass", "operations",
                                                                        "blocked"};

static int shape_is(const char *name) {
    const char *shape = test_env("CLSOLVE_TEST_SHAPE");
    if (shape && strcmp(shape, "gpu") != 0 && strcmp(shape, "32") != 0 && strcmp(shape, "kernels") != 0)
        fail_msg("CLSOLVE_TEST_SHAPE is \"%s\": gpu, 32 or kernels", shape);
    return shape && strcmp(shape, name) == 0;
}

int gj_shaped(void) {
    return shape_is("gpu") || shape_is("32");
}

int gj_by_kernels(void) {
    return shape_is("kernels");
}

clsolve_context *gj_context(void) {
    clsolve_context *context = test_context(1);
    if (gj_shaped()) {
        context->device->info.type = CLSOLVE_DEVICE_GPU;
        context->device->info.max_work_group = shape_is("32") ? 32 : 64;
    }
    if (gj_shaped() || gj_by_kernels()) context->device->blas->in_place = 0;
    return context;
}

int gj_lapack_inverse(int64_t n, const double *A, double *X) {
    lapack_int *pivots = test_room(n + 1, sizeof *pivots), m = (lapack_int)n;
    memcpy(X, A, (size_t)(n * n) * sizeof *X);
    int fine = n == 0 || (LAPACKE_dgetrf(LAPACK_COL_MAJOR, m, m, X, m, pivots) == 0 &&
                          LAPACKE_dgetri(LAPACK_COL_MAJOR, m, X, m, pivots) == 0);
    free(pivots);
    return fine;
}

clsolve_gauss_jordan *gj_make(clsolve_context *context, int64_t n, clsolve_type type,
                              const clsolve_gauss_jordan_options *options) {
    clsolve_gauss_jordan *gj = NULL;
    clsolve_status status = clsolve_gauss_jordan_create(context, n, type, options, &gj);
    if (status != CLSOLVE_OK) fail_msg("create: %s", clsolve_context_message(context));
    return gj;
}

clsolve_gauss_jordan_batch *gj_batch_make(clsolve_context *context, int64_t n, int64_t count, clsolve_type type) {
    clsolve_gauss_jordan_batch *batch = NULL;
    clsolve_status status = clsolve_gauss_jordan_batch_create(context, n, count, type, NULL, &batch);
    if (status != CLSOLVE_OK) fail_msg("create: %s", clsolve_context_message(context));
    return batch;
}
