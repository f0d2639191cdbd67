/* The factors of lines: row exchanges where they are wanted and not where they are not, batches of lines by themselves;
 * kernels that come when they are wanted. */
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"

#include "api/context.h"
#include "device/programs.h"

enum { SEGMENTS = 61 }; /* unknowns of a line that makes a GPU's work-group cut it */

/* A zero on the diagonal of a line: rows are exchanged there, and said to be. A line of zeros: singular, with its number. */
TEST(test_pivoting) {
    scratch_grid p = grid_random(10, 9, 3);
    clsolve_report result;
    clsolve_block_gs *handle;
    double expected[90], Y[90] = {0};
    if (in_gpu_shape()) skip();
    need_double();
    for (int k = 0; k < 8; k += 7) { /* a pivot of line 2, the first or one near its end */
        scratch_grid q = grid_random(10, 9, 3);
        q.c[2 * 9 + k] = k > 0 ? 1e-7 : 0; /* or too small a one */
        q.a[2 * 9 + k + 1] = q.b[2 * 9 + k] = 3;
        if (k > 0) q.a[2 * 9 + k] = 0;
        grid_solve_dense(&q, expected);
        handle = grid_set(context, &q, CLSOLVE_F64, NULL);
        memset(Y, 0, sizeof Y);
        EXPECT(grid_solve(handle, &q, CLSOLVE_F64, Y), CLSOLVE_OK, "");
        result = result_of(handle);
        assert_true(result.block_gs.pivoted);
        for (int i = 0; i < 90; ++i) assert_true(fabs(Y[i] - expected[i]) < 1e-6 * (1 + fabs(expected[i])));
        clsolve_block_gs_destroy(handle);
    }
    handle = grid_set(context, &p, CLSOLVE_F64, NULL);

    for (int k = 0; k < 9; ++k) p.a[27 + k] = p.b[27 + k] = p.c[27 + k] = 0;
    EXPECT(grid_set_again(handle, &p), CLSOLVE_SINGULAR, "line 4");
    result = result_of(handle);
    assert_int_equal(result.member, 4);
    clsolve_block_gs_destroy(handle);
}

TEST(test_batched) {
    static const int64_t shapes[][2] = {{1, 1}, {9, 1}, {1, 50}, {33, 20}, {100, 7}};
    need_double();
    for (size_t s = in_gpu_shape() ? 2 : 0; s < (in_gpu_shape() ? 3 : 5); ++s)
        for (int pivoted = 0; pivoted < 2; ++pivoted) {
            scratch_grid p = grid_random(shapes[s][0], shapes[s][1], 60 + s);
            int64_t n = p.N * p.M;
            for (int64_t o = 0; o < n; ++o) p.up[o] = p.down[o] = 0;
            SCRATCH double *X = test_doubles(n), *expected = test_doubles(n);
            memcpy(X, p.F, (size_t)n * sizeof *X);
            if (pivoted && p.M > 1) p.c[0] = 0, p.b[0] = 2, p.a[1] = 1;
            grid_solve_dense(&p, expected);
            int64_t info[100];
            EXPECT(tridiagonal_once(context, p.N, p.M, CLSOLVE_F64, p.a, p.c, p.b, X, 1, CLSOLVE_PIVOTING_AUTO, info),
                   CLSOLVE_OK, "");
            for (int64_t i = 0; i < p.N; ++i) assert_int_equal(info[i], 0);
            for (int64_t o = 0; o < n; ++o) assert_true(fabs(X[o] - expected[o]) < 1e-9 * (1 + fabs(expected[o])));
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
TEST(test_strong_couplings) {
    need_double();
    for (int i = 0; i < 6; ++i) {
        scratch_grid p = strongly_coupled(40, i < 4 ? 61 : 300, i % 2 ? 1e4 : 1e6, i / 2 % 2);
        clsolve_block_gs_options options = {.tolerance = 1e-8};
        OWNED(block_gs) *handle = grid_set(context, &p, CLSOLVE_F64, &options);
        SCRATCH double *Y = zeros(p.N * p.M);
        EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK, "");
        clsolve_report result = result_of(handle);
        assert_true(grid_residual(&p, Y) < 1.1e-8);
        if (result.block_gs.pivoted || result.iterations > 12)
            fail_msg("system %d: %d iterations of %s, pivoted %d", i, (int)result.iterations, result.block_gs.method,
                     result.block_gs.pivoted);
    }
}

/* Couplings from 10^-6 to 10^6 at random, with diagonals that dominate and with any: whatever is done about pivots, residuals are
 * LAPACK's. */
TEST(test_random_couplings) {
    enum { N = 21, M = 300, SIZE = N * M };
    need_double();
    for (int any = 0; any < 2; ++any) {
        scratch_grid p = grid_random(N, M, 75);
        test_random random = test_random_start(76);
        double *Y = zeros(SIZE), norm = 0, solution = 0, rest = 0;
        for (int o = 0; o < SIZE; ++o) {
            p.a[o] *= pow(10, 6 * test_random_signed(&random)), p.b[o] *= pow(10, 6 * test_random_signed(&random));
            if (o % M == 0) p.a[o] = 0;
            if (o % M == M - 1) p.b[o] = 0;
            p.c[o] = any ? test_random_signed(&random) : 1.001 * (fabs(p.a[o]) + fabs(p.b[o]));
        }
        memcpy(Y, p.F, SIZE * sizeof *Y);
        int64_t info[N];
        EXPECT(tridiagonal_once(context, N, M, CLSOLVE_F64, p.a, p.c, p.b, Y, 1, CLSOLVE_PIVOTING_AUTO, info),
               CLSOLVE_OK, "");
        for (int i = 0; i < N; ++i) {
            norm = solution = rest = 0;
            for (int o = i * M; o < (i + 1) * M; ++o) {
                double left = o % M > 0 ? p.a[o] * Y[o - 1] : 0, right = o % M + 1 < M ? p.b[o] * Y[o + 1] : 0;
                norm = fmax(norm, fabs(p.a[o]) + fabs(p.c[o]) + fabs(p.b[o]));
                solution = fmax(solution, fabs(Y[o]));
                rest = test_worst(rest, fabs(p.F[o] - left - right - p.c[o] * Y[o]));
            }
            if (!(rest < 30 * M * 0x1p-53 * norm * solution))
                fail_msg("any %d, system %d: %g for %g %g", any, i, rest, norm, solution);
        }
        free(Y);
    }
}

/* The largest residual of a row, to the row's size and the solution's. */
static double row_error(int M, const double *a, const double *c, const double *b, const double *f, const double *x) {
    double most = 0, worst = 0;
    for (int k = 0; k < M; ++k) most = fmax(most, fabs(x[k]));
    for (int k = 0; k < M; ++k) {
        double left = k > 0 ? a[k] * x[k - 1] : 0, right = k + 1 < M ? b[k] * x[k + 1] : 0;
        double error = fabs(f[k] - left - right - c[k] * x[k]) / (fabs(a[k]) + fabs(b[k]) + fabs(c[k])) / most;
        worst = test_worst(worst, error);
    }
    return worst;
}

/* A random line of numbers that are floats: symmetric, its couplings 1 to 2 or, three in ten, `strong` times that, its diagonal their
 * sum and 1 to 2 more. */
static void jumps(test_random *random, int M, double strong, double *a, double *c, double *b, double *f) {
    a[0] = b[M - 1] = 0;
    for (int k = 0; k < M; ++k) {
        double coupling = 1 + test_random_unit(random);
        if (test_random_unit(random) < 0.3) coupling *= strong;
        if (k + 1 < M) b[k] = a[k + 1] = (double)(float)-coupling;
        c[k] = (double)(float)(fabs(a[k]) + fabs(b[k]) + 1 + test_random_unit(random));
        f[k] = (double)(float)test_random_signed(random);
    }
}

/* One such line solved in the type; the error of its worst row, 0 where the matrix is singular. */
static double solve_jumps(clsolve_tridiagonal_batch *handle, clsolve_type type, test_random *random, double strong) {
    enum { M = SEGMENTS };
    double d[5][M];
    float s[4][M];
    clsolve_batch view[4];
    int64_t info;
    jumps(random, M, strong, d[0], d[1], d[2], d[3]);
    memcpy(d[4], d[3], sizeof d[4]);
    for (int q = 0; q < 4; ++q) {
        for (int k = 0; k < M; ++k) s[q][k] = (float)d[q][k];
        view[q] = type == CLSOLVE_F64 ? clsolve_batch_f64(1, M, 1, d[q < 3 ? q : 4]) : clsolve_batch_f32(1, M, 1, s[q]);
    }
    EXPECT(clsolve_tridiagonal_batch_factor(handle, &view[0], &view[1], &view[2], &info), CLSOLVE_OK, "");
    if (info != 0) return 0;
    EXPECT(clsolve_tridiagonal_batch_solve(handle, CLSOLVE_NO_TRANS, &view[3], &info), CLSOLVE_OK, "");
    for (int k = 0; k < M && type == CLSOLVE_F32; ++k) d[4][k] = (double)s[3][k];
    return row_error(M, d[0], d[1], d[2], d[3], d[4]);
}

/*
 * Where segments of a line meet, small pivots beside strong couplings are known to few digits. That may leave an error of one
 * part in 10^12 (10^4 in float) of a row's size, and not of the small pivot's; a pivot estimated as zero makes the line
 * unsafe. One line at a time: rows are exchanged in all lines of a system or in none.
 */
TEST(test_segments_meet) {
    static const struct {
        clsolve_type type;
        double strong, accepted;
        int lines;
    } cases[] = {{CLSOLVE_F64, 1e5, 2e-12, 60}, {CLSOLVE_F64, 1e7, 2e-12, 60}, {CLSOLVE_F64, 1e9, 2e-12, 60},
                 {CLSOLVE_F32, 1e5, 2e-4, 60},  {CLSOLVE_F32, 1e6, 2e-4, 60},  {CLSOLVE_F32, 1e7, 2e-4, 60},
                 {CLSOLVE_F32, 3e7, 2e-4, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_random random = test_random_start(77 + i);
        OWNED(tridiagonal_batch) *handle = NULL;
        if (cases[i].type == CLSOLVE_F64 && usual != CLSOLVE_F64) continue;
        /* A CPU has one segment, and its compiler one more program for each type. */
        if (cases[i].type != usual && kept.type == CLSOLVE_DEVICE_CPU) continue;
        EXPECT(clsolve_tridiagonal_batch_create(context, SEGMENTS, 1, cases[i].type, NULL, &handle), CLSOLVE_OK, "");
        for (int line = 0; line < cases[i].lines; ++line) {
            double error = solve_jumps(handle, cases[i].type, &random, cases[i].strong);
            if (!(error < cases[i].accepted)) fail_msg("case %d, line %d: a row's error is %g", (int)i, line, error);
        }
    }
}

/* ---- kernels ---- */

/* Programs of that file whose options have the word. */
static int programs_with(const clsolve_context *of, const char *name, const char *word) {
    int count = 0;
    for (const cls_program *p = of->device->programs; p; p = p->next)
        count += strcmp(p->name, name) == 0 && strstr(p->options, word) != NULL;
    return count;
}

/* Levels are in float or in double, as the matrix wants, and what they take is compiled in the one type. Short lines
 * are not cut, and CG with levels in float and cycles have no use for the kernels of other methods. */
TEST(test_kernels_come_when_they_are_wanted) {
    enum { N = 1640, M = 20, SIZE = N * M };
    need_double();
    if (!in_gpu_shape()) skip();
    for (int first = 0; first < 2; ++first) { /* definite, or not symmetric */
        clsolve_context *own = NULL;
        clsolve_block_gs *handle = NULL;
        assert_int_equal(clsolve_context_create(test_selector(), &own), CLSOLVE_OK);
        assert_int_equal(clsolve_block_gs_create(own, N, M, CLSOLVE_F64, NULL, &handle), CLSOLVE_OK);
        for (int turn = 0; turn < 2; ++turn) {
            const int drifts = first != turn;
            scratch_grid p = drifts ? grid_drift(N, M, 0.4, 0.3, 7) : grid_drift(N, M, 0, 0, 7);
            SCRATCH double *Y = zeros(SIZE);
            clsolve_grid f = grid_view(&p, p.F), y = grid_view(&p, Y);
            assert_int_equal(grid_set_again(handle, &p), CLSOLVE_OK);
            assert_int_equal(clsolve_block_gs_solve(handle, &f, &y, 1), CLSOLVE_OK);
            assert_true(grid_residual(&p, Y) < 1.2e-10);
            assert_int_equal(programs_with(own, "bt_sweep", "-DREAL=float"), !drifts || turn == 1);
            assert_int_equal(programs_with(own, "bt_sweep", "-DREAL=double"), drifts || turn == 1);
            assert_int_equal(programs_with(own, "bt_sweep", "-DKERNELS=1"), 1 + turn);
            assert_int_equal(programs_with(own, "bt_vector", ""), 1);
        }
        clsolve_block_gs_destroy(handle);
        clsolve_context_destroy(own);
    }
}

/* On a CPU one program has all kernels of a grid, and a second grid has the same one. */
TEST(test_kernels_of_a_cpu_are_one_program) {
    need_double();
    if (context->device->info.type != CLSOLVE_DEVICE_CPU) skip();
    clsolve_context *own = NULL;
    assert_int_equal(clsolve_context_create(test_selector(), &own), CLSOLVE_OK);
    for (int turn = 0; turn < 2; ++turn) {
        enum { M = 7 };
        const int64_t N = 12 + 8 * turn;
        scratch_grid p = grid_drift(N, M, 0.4, 0.3, 8);
        SCRATCH double *Y = zeros(N * M);
        clsolve_block_gs *handle = grid_set(own, &p, CLSOLVE_F64, NULL);
        EXPECT(grid_solve(handle, &p, CLSOLVE_F64, Y), CLSOLVE_OK, "");
        assert_true(grid_residual(&p, Y) < 1.2e-10);
        assert_non_null(own->device->programs);
        assert_null(own->device->programs->next);
        clsolve_block_gs_destroy(handle);
    }
    clsolve_context_destroy(own);
}

TEST_PROGRAM(grid_open, grid_close)
