/*
 * Large systems on a GPU: test_large dense|block-gs|band. On the device under test and, where the same GPU is there
 * through the other backend, on that too: each answer is accepted by LAPACK's ratio, and so is one backend's as the answer to
 * the other's right-hand side. Skips on what is no GPU, or has less memory than NEEDED.
 *
 * CLSOLVE_TEST_LARGE=1: on any device; with CLSOLVE_TEST_REDUCED=1 a tenth of the size.
 */
#include <clsolve/clsolve.h>

#include <cblas.h>

#include "band/band_support.h"
#include "block_gs/grid_problem.h"

#define NEEDED ((int64_t)8 << 30) /* bytes */

static clsolve_context *contexts[2]; /* the second of the other backend, or NULL */
static int fp64, reduced;

static int on(const char *name) {
    const char *value = test_env(name);
    return value && strcmp(value, "1") == 0;
}

static const char *backend(int c) {
    static char names[2][16];
    (void)snprintf(names[c], sizeof names[c], "%s", clsolve_context_device(contexts[c]).backend);
    return names[c];
}

/* ---- dense ---- */

/* dget02 with BLAS, as LAPACK has it. */
static double dense_ratio(clsolve_type type, clsolve_op op, int64_t n, const double *A, const double *x,
                          const double *b) {
    double *r = test_doubles(n), *sums = test_doubles(n), norm = 0, size = cblas_dasum((blasint)n, x, 1);
    memcpy(r, b, (size_t)n * sizeof *r);
    cblas_dgemv(CblasColMajor, op == CLSOLVE_TRANS ? CblasTrans : CblasNoTrans, (blasint)n, (blasint)n, -1, A,
                (blasint)n, x, 1, 1, r, 1);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) sums[op == CLSOLVE_TRANS ? i : j] += fabs(A[i + j * n]);
    for (int64_t i = 0; i < n; ++i) norm = fmax(norm, sums[i]);
    double ratio = cblas_dasum((blasint)n, r, 1) / norm / size / ((double)n * test_epsilon(type));
    free(r);
    free(sums);
    return ratio;
}

static void dense_solve(int c, clsolve_type type, clsolve_layout layout, clsolve_op op, int64_t n, const double *A,
                        const double *b, double *x) {
    test_matrix a = test_matrix_make(type, layout, n, n, 3), y = test_matrix_make(type, layout, n, 1, 0);
    clsolve_lu *lu = NULL;
    test_matrix_set(&a, A);
    test_matrix_set(&y, b);
    BAND_EXPECT(contexts[c], clsolve_lu_create(contexts[c], n, type, NULL, &lu), CLSOLVE_OK);
    BAND_EXPECT(contexts[c], clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    BAND_EXPECT(contexts[c], clsolve_lu_solve(lu, op, &y.view), CLSOLVE_OK);
    test_matrix_get(&y, x);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
    test_matrix_free(&y);
}

static void dense_both(clsolve_type type, clsolve_layout layout, clsolve_op op, int64_t n, double *A) {
    double *b = test_doubles(n), *x[2] = {test_doubles(n), test_doubles(n)};
    test_random random = test_random_start(1);
    for (int64_t k = 0; k < n * n; ++k) A[k] = test_rounded(type, test_random_signed(&random));
    for (int64_t k = 0; k < n; ++k) b[k] = test_rounded(type, test_random_signed(&random));
    for (int c = 0; c < 2 && contexts[c]; ++c) {
        dense_solve(c, type, layout, op, n, A, b, x[c]);
        double ratio = dense_ratio(type, op, n, A, x[c], b);
        print_message("dense, n = %d, %s, %s: ratio %.3g\n", (int)n, type == CLSOLVE_F64 ? "double" : "single",
                      backend(c), ratio);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    }
    if (contexts[1]) {
        cblas_dgemv(CblasColMajor, op == CLSOLVE_TRANS ? CblasTrans : CblasNoTrans, (blasint)n, (blasint)n, 1, A,
                    (blasint)n, x[1], 1, 0, b, 1);
        double ratio = dense_ratio(type, op, n, A, x[0], b);
        print_message("one against the other: ratio %.3g\n", ratio);
        if (!(ratio < RATIO_BOUND)) fail_msg("the backends differ: ratio %g", ratio);
    }
    free(b);
    free(x[0]);
    free(x[1]);
}

static void dense(void **state) {
    const int64_t n = reduced ? 819 : 8192;
    SCRATCH double *A = test_doubles(n * n);
    if (fp64) dense_both(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, CLSOLVE_NO_TRANS, n, A);
    dense_both(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, CLSOLVE_TRANS, n - 1, A);
}

/* ---- bands ---- */

static void band_solve(int c, const test_band *A, const double *b, double *x) {
    scratch_matrix ab = test_band_view(A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 1, 0);
    scratch_matrix y = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, A->n, 1, 0);
    OWNED(band) *band = NULL;
    test_matrix_set(&y, b);
    BAND_EXPECT(contexts[c], clsolve_band_create(contexts[c], A->n, A->kl, A->ku, A->type, NULL, &band), CLSOLVE_OK);
    BAND_EXPECT(contexts[c], clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    BAND_EXPECT(contexts[c], clsolve_band_solve(band, CLSOLVE_NO_TRANS, &y.view), CLSOLVE_OK);
    test_matrix_get(&y, x);
}

static void band(void **state) {
    const int64_t n = reduced ? 2000 : 20000, k = reduced ? 100 : 1000;
    clsolve_type type = fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    test_random random = test_random_start(2);
    test_band A = test_band_random(&random, type, n, k, k, 0);
    double *b = test_doubles(n), *x[2] = {test_doubles(n), test_doubles(n)};
    for (int64_t i = 0; i < n; ++i) b[i] = test_rounded(type, test_random_signed(&random));
    for (int c = 0; c < 2 && contexts[c]; ++c) {
        band_solve(c, &A, b, x[c]);
        double ratio = test_band_ratio(&A, CLSOLVE_NO_TRANS, 1, x[c], b);
        print_message("band, n = %d, k = %d, %s: ratio %.3g\n", (int)n, (int)k, backend(c), ratio);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    }
    if (contexts[1]) {
        test_band_multiply(&A, CLSOLVE_NO_TRANS, 1, x[1], b);
        double ratio = test_band_ratio(&A, CLSOLVE_NO_TRANS, 1, x[0], b);
        print_message("one against the other: ratio %.3g\n", ratio);
        if (!(ratio < RATIO_BOUND)) fail_msg("the backends differ: ratio %g", ratio);
    }
    test_band_free(&A);
    free(b);
    free(x[0]);
    free(x[1]);
}

/* ---- block-tridiagonal ---- */

/* ||A (Y - Z)|| / ||F||: the residual of Y for the right-hand side that Z solves, F - (F - A Z). */
static void grid_both(const char *name, grid_problem p) {
    double *Y[2] = {test_doubles(p.N * p.M), test_doubles(p.N * p.M)};
    int64_t iterations[2] = {0, 0};
    for (int c = 0; c < 2 && contexts[c]; ++c) {
        clsolve_report result;
        OWNED(block_gs) *handle = grid_set(contexts[c], &p, CLSOLVE_F64, NULL);
        BAND_EXPECT(contexts[c], grid_solve(handle, &p, CLSOLVE_F64, Y[c]), CLSOLVE_OK);
        assert_int_equal(clsolve_block_gs_report(handle, &result), CLSOLVE_OK);
        double residual = grid_residual(&p, Y[c]);
        iterations[c] = result.iterations;
        print_message("%s, %d x %d, %s, %s: %d iterations, residual %.3g\n", name, (int)p.N, (int)p.M,
                      result.block_gs.method, backend(c), (int)iterations[c], residual);
        if (!(residual < 1.1e-10)) fail_msg("residual %g", residual);
        if (fabs(result.block_gs.relative_residual - residual) > 1e-11)
            fail_msg("it says %g", result.block_gs.relative_residual);
    }
    if (contexts[1]) assert_in_range(iterations[0] + 1, iterations[1], iterations[1] + 2);
    grid_free(&p);
    free(Y[0]);
    free(Y[1]);
}

static void block_gs(void **state) {
    const int64_t N = reduced ? 100 : 1000;
    if (!fp64) skip();
    grid_both("hemodynamics-2", grid_hemodynamics_2(N, N));
    grid_both("random", grid_random(N + 24, N - 23, 3));
}

/* ---- */

/* The same GPU through the other backend. */
static void open_second(void) {
    clsolve_device_info list[32], first = clsolve_context_device(contexts[0]);
    int64_t count = 0;
    if (clsolve_devices(list, 32, &count) != CLSOLVE_OK) return;
    for (int64_t i = 0; i < count && i < 32 && !contexts[1]; ++i)
        if (strcmp(list[i].backend, first.backend) != 0 && strcmp(list[i].name, first.name) == 0)
            (void)clsolve_context_create(list[i].selector, &contexts[1]);
}

int main(int count, char **argument) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense), cmocka_unit_test(block_gs), cmocka_unit_test(band)};
    const char *const names[] = {"dense", "block-gs", "band"};
    int status = 2;
    test_require_device();
    contexts[0] = test_context(1);
    clsolve_device_info info = clsolve_context_device(contexts[0]);
    fp64 = info.fp64;
    reduced = on("CLSOLVE_TEST_REDUCED");
    if (!on("CLSOLVE_TEST_LARGE") && (info.type != CLSOLVE_DEVICE_GPU || info.global_memory < NEEDED)) {
        print_message("skipped: %s is no GPU, or has less than %lld bytes\n", info.name, (long long)NEEDED);
        clsolve_context_destroy(contexts[0]);
        return TEST_SKIPPED;
    }
    open_second();
    for (int t = 0; count == 2 && t < 3; ++t)
        if (strcmp(argument[1], names[t]) == 0)
            status = _cmocka_run_group_tests("large", &tests[t], 1, NULL, NULL) ? 1 : 0;
    if (status == 2) (void)fprintf(stderr, "usage: test_large dense|block-gs|band\n");
    clsolve_context_destroy(contexts[0]);
    clsolve_context_destroy(contexts[1]);
    return status;
}
