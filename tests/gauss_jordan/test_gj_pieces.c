/*
 * What the solution does not show: which of equal candidates becomes the pivot, and that the stable operations leave exact
 * zeros in a pivot's column. On the device as it is, and in the kernels' shapes for a GPU.
 */
#include "blas/blas_support.h"

#include "lu/ratios.h"
#include "method/gauss_jordan/gauss_jordan.h"

enum { N = 37, FIRST = 5, SECOND = 30 };

static cls_error error;

/* Random elements below 1; in column 0 the rows FIRST and SECOND share the largest magnitude. */
static void make(double *A) {
    test_random random = test_random_start(1);
    test_random_fill(&random, A, (int64_t)N * N);
    A[SECOND] = 2;
    A[FIRST] = -2;
}

/* The elimination of one matrix by the operations; A and the pivots' rows as they are after it. */
static void eliminate(cls_device *device, double *A, int64_t *pivots) {
    const clsolve_gauss_jordan_options options = {.variant = CLSOLVE_GAUSS_JORDAN_OPERATIONS};
    clsolve_matrix view = clsolve_matrix_f64(N, N, A);
    cls_gj gj;

    memset(&gj, 0, sizeof gj);
    assert_ok(device, cls_gj_setup(device, N, CLSOLVE_F64, &options, &gj));
    assert_ok(device, cls_gj_reserve(&gj, 1, 0));
    assert_ok(device, cls_upload(device, &gj.transfer, &view, 0, N, &gj.A, &gj.scratch));
    assert_ok(device, cls_gj_operations(&gj, 0));
    assert_ok(device, cls_download(device, &gj.transfer, &gj.A, N, &view, 0, &gj.scratch));
    test_download(device, gj.pivots, pivots, N * sizeof *pivots);
    cls_gj_release(&gj);
}

static void check(int as_gpu) {
    cls_device *device = test_blas_device(NULL, &error);
    double *A = test_doubles(N * N);
    int64_t pivots[N];

    if (!device->info.fp64) {
        device->ops->destroy(device);
        free(A);
        skip();
    }
    if (as_gpu) device->info.type = CLSOLVE_DEVICE_GPU;
    make(A);
    eliminate(device, A, pivots);
    assert_int_equal(pivots[0], FIRST);
    assert_true(A[FIRST] == -2);
    for (int64_t k = 0; k < N; ++k)
        for (int64_t i = 0; i < N; ++i) assert_true((A[i + k * N] == 0) == (i != pivots[k]));
    free(A);
    device->ops->destroy(device);
}

TEST(test_here) {
    check(0);
}

TEST(test_as_gpu) {
    check(1);
}

TEST_PROGRAM_ALONE(NULL, NULL)
