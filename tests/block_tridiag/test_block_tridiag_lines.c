/* The factors of lines: row exchanges where they are wanted and not where they are not, batches of lines by themselves. */
#include <math.h>
#include <stdlib.h>

#include "block_tridiag/grid_test.h"

/* A zero on the diagonal of a line: rows are exchanged there, and said to be. A line of zeros: singular, with its number. */
static void test_pivoting(void **state) {
    grid_problem p = grid_random(6, 9, 3);
    clsolve_block_tridiag_result result;
    clsolve_block_tridiag *handle;
    double expected[54], Y[54] = {0};
    (void)state;
    if (in_gpu_shape()) skip();
    need_double();
    for (int k = 0; k < 8; k += 7) { /* a pivot of line 2, the first or one near its end */
        grid_problem q = grid_random(6, 9, 3);
        q.c[2 * 9 + k] = k > 0 ? 1e-7 : 0; /* or too small a one */
        q.a[2 * 9 + k + 1] = q.b[2 * 9 + k] = 3;
        if (k > 0) q.a[2 * 9 + k] = 0;
        grid_solve_dense(&q, expected);
        handle = grid_set(context, &q, CLSOLVE_F64, NULL);
        memset(Y, 0, sizeof Y);
        EXPECT(grid_solve(handle, &q, CLSOLVE_F64, Y), CLSOLVE_OK, "");
        result = result_of(handle);
        assert_true(result.pivoted);
        for (int i = 0; i < 54; ++i) assert_true(fabs(Y[i] - expected[i]) < 1e-6 * (1 + fabs(expected[i])));
        clsolve_block_tridiag_destroy(handle);
        grid_free(&q);
    }
    handle = grid_set(context, &p, CLSOLVE_F64, NULL);

    for (int k = 0; k < 9; ++k) p.a[27 + k] = p.b[27 + k] = p.c[27 + k] = 0;
    EXPECT(grid_set_again(handle, &p), CLSOLVE_SINGULAR, "line 4");
    result = result_of(handle);
    assert_int_equal(result.report.info, 4);
    clsolve_block_tridiag_destroy(handle);
    grid_free(&p);
}

static void test_batched(void **state) {
    static const int64_t shapes[][2] = {{1, 1}, {5, 1}, {1, 50}, {33, 20}, {100, 7}};
    (void)state;
    need_double();
    for (size_t s = in_gpu_shape() ? 2 : 0; s < (in_gpu_shape() ? 3 : 5); ++s)
        for (int pivoted = 0; pivoted < 2; ++pivoted) {
            grid_problem p = grid_random(shapes[s][0], shapes[s][1], 60 + s);
            int64_t n = p.N * p.M;
            for (int64_t o = 0; o < n; ++o) p.up[o] = p.down[o] = 0;
            double *X = calloc((size_t)n, sizeof *X), *expected = calloc((size_t)n, sizeof *expected);
            assert_non_null(X);
            assert_non_null(expected);
            memcpy(X, p.F, (size_t)n * sizeof *X);
            if (pivoted && p.M > 1) p.c[0] = 0, p.b[0] = 2, p.a[1] = 1;
            grid_solve_dense(&p, expected);
            clsolve_grid a = grid_view(&p, p.a), c = grid_view(&p, p.c), b = grid_view(&p, p.b), f = grid_view(&p, X);
            EXPECT(clsolve_tridiagonal_solve_once(context, p.N, p.M, &a, &c, &b, &f, 1, CLSOLVE_LINES_AUTO), CLSOLVE_OK,
                   "");
            for (int64_t o = 0; o < n; ++o) assert_true(fabs(X[o] - expected[o]) < 1e-9 * (1 + fabs(expected[o])));
            free(X);
            free(expected);
            grid_free(&p);
        }
}

/* -lap u, symmetric, but some couplings along the lines `strong` times the others: of stretches of lines (7 unknowns of 14), or of
 * pairs. */
static grid_problem strongly_coupled(int64_t N, int64_t M, double strong, int pairs) {
    grid_problem p = grid_diffusion(N, M, 1, NULL, 0, 74);
    for (int64_t o = 0; o < N * M; ++o) {
        int64_t k = o % M;
        double a = pairs ? (k % 9 == 4 ? strong : 1) : k / 7 % 2 && (k - 1) / 7 % 2 ? strong : 1;
        double b = pairs ? (k % 9 == 3 ? strong : 1) : k / 7 % 2 && (k + 1) / 7 % 2 ? strong : 1;
        p.a[o] = -a, p.b[o] = -b, p.up[o] = p.down[o] = -1;
        p.c[o] = a + b + 2;
    }
    return p;
}

/* Pivots are small beside a strong coupling, but nothing grows: no rows are exchanged, and multigrid runs. */
static void test_strong_couplings(void **state) {
    (void)state;
    need_double();
    for (int i = 0; i < 6; ++i) {
        grid_problem p = strongly_coupled(60, i < 4 ? 61 : 300, i % 2 ? 1e4 : 1e6, i / 2 % 2);
        clsolve_block_tridiag_options options = {.tolerance = 1e-8};
        clsolve_block_tridiag *handle = grid_set(context, &p, CLSOLVE_F64, &options);
        double *Y = zeros(p.N * p.M);
        EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK, "");
        clsolve_block_tridiag_result result = result_of(handle);
        assert_true(grid_residual(&p, Y) < 1.1e-8);
        if (result.pivoted || result.report.iterations > 12)
            fail_msg("system %d: %d iterations of %s, pivoted %d", i, (int)result.report.iterations, result.method,
                     result.pivoted);
        clsolve_block_tridiag_destroy(handle);
        grid_free(&p);
        free(Y);
    }
}

/* Couplings from 10^-6 to 10^6 at random, with diagonals that dominate and with any: whatever is done about pivots, residuals are
 * LAPACK's. */
static void test_random_couplings(void **state) {
    enum { N = 21, M = 200, SIZE = N * M };
    (void)state;
    need_double();
    for (int any = 0; any < 2; ++any) {
        grid_problem p = grid_random(N, M, 75);
        test_random random = test_random_start(76);
        double *Y = zeros(SIZE), norm = 0, solution = 0, rest = 0;
        for (int o = 0; o < SIZE; ++o) {
            p.a[o] *= pow(10, 6 * test_random_signed(&random)), p.b[o] *= pow(10, 6 * test_random_signed(&random));
            if (o % M == 0) p.a[o] = 0;
            if (o % M == M - 1) p.b[o] = 0;
            p.c[o] = any ? test_random_signed(&random) : 1.001 * (fabs(p.a[o]) + fabs(p.b[o]));
        }
        memcpy(Y, p.F, SIZE * sizeof *Y);
        clsolve_grid a = grid_view(&p, p.a), c = grid_view(&p, p.c), b = grid_view(&p, p.b), f = grid_view(&p, Y);
        EXPECT(clsolve_tridiagonal_solve_once(context, N, M, &a, &c, &b, &f, 1, CLSOLVE_LINES_AUTO), CLSOLVE_OK, "");
        for (int i = 0; i < N; ++i) {
            norm = solution = rest = 0;
            for (int o = i * M; o < (i + 1) * M; ++o) {
                double left = o % M > 0 ? p.a[o] * Y[o - 1] : 0, right = o % M + 1 < M ? p.b[o] * Y[o + 1] : 0;
                norm = fmax(norm, fabs(p.a[o]) + fabs(p.c[o]) + fabs(p.b[o]));
                solution = fmax(solution, fabs(Y[o]));
                rest = fmax(rest, fabs(p.F[o] - left - right - p.c[o] * Y[o]));
            }
            if (!(rest < 30 * M * 0x1p-53 * norm * solution))
                fail_msg("any %d, system %d: %g for %g %g", any, i, rest, norm, solution);
        }
        grid_free(&p);
        free(Y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pivoting), cmocka_unit_test(test_batched),
                                       cmocka_unit_test(test_strong_couplings),
                                       cmocka_unit_test(test_random_couplings)};
    test_require_device();
    return GRID_RUN(tests);
}
