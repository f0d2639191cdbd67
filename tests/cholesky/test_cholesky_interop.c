/* Cholesky on matrices in the caller's own OpenCL buffers: both layouts and triangles; nothing else of a buffer changes. */
#include "lu/interop_support.h"

#include <stdlib.h>

#include "cholesky/cholesky_support.h"

enum { N = IO_N, NRHS = IO_NRHS };

static void solve_there(clsolve_layout layout, clsolve_uplo uplo, int refine) {
    double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS),
           *back = io_values(4, N * N);
    test_random random = test_random_start(11);
    clsolve_cholesky_options options = test_cholesky_options();
    clsolve_cholesky *cholesky = NULL;
    clsolve_report report;

    spd_make(&random, io.type, SPD_WELL, N, A);
    io_matrix a = io_put(layout, N, N, A), b = io_put(layout, N, NRHS, B);
    options.refine = refine;
    if (clsolve_cholesky_create(io.context, N, io.type, &options, &cholesky) != CLSOLVE_OK ||
        clsolve_cholesky_factor(cholesky, uplo, &a.view) != CLSOLVE_OK ||
        clsolve_cholesky_solve(cholesky, &b.view) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    io_get(&a, NULL, back);
    io_same(back, A, N * N);
    io_get(&b, NULL, X);
    const double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    assert_int_equal(clsolve_cholesky_report(cholesky, &report), CLSOLVE_OK);
    if (!refine) assert_int_equal(report.bytes_up, 0); /* no matrix has crossed */
    /* What goes out goes to the host. */
    assert_int_equal(clsolve_cholesky_factors(cholesky, uplo, &a.view), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_cholesky_inverse(cholesky, uplo, &a.view), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_cholesky_destroy(cholesky);
    io_drop(&a);
    io_drop(&b);
    free(A);
    free(B);
    free(X);
    free(back);
}

static void matrices_on_the_device(void **state) {
    (void)state;
    for (int refine = 0; refine < 2; ++refine)
        for (int shape = 0; shape < 4; ++shape)
            solve_there(shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER,
                        refine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices_on_the_device)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, io_open, io_close);
}
