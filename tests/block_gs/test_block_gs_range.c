/*
 * Numbers near the ends of the types' ranges: systems scaled by powers of two have the same solution, scaled, as long as it
 * can be told; where it cannot there is a status and Y is as it was. And lines whose elimination leaves the range though
 * their solution does not.
 */
#include <lapacke.h>

#include "api/context.h"
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"

enum { N = 9, M = 11, SIZE = N * M };

static void shape(int gpu) {
    context->device->info = kept;
    if (!gpu) return;
    context->device->info.type = CLSOLVE_DEVICE_GPU;
    context->device->info.max_work_group = kept.max_work_group < 16 ? kept.max_work_group : 16;
}

static int can(clsolve_type type) {
    return type == CLSOLVE_F32 || kept.fp64;
}

static int most(clsolve_type type) {
    return type == CLSOLVE_F64 ? 1020 : 124;
}

static void scale(double *x, int exponent) {
    for (int o = 0; o < SIZE; ++o) x[o] = ldexp(x[o], exponent);
}

static grid_problem scaled(grid_problem p, int matrix, int rhs) {
    scale(p.up, matrix), scale(p.a, matrix), scale(p.c, matrix), scale(p.b, matrix), scale(p.down, matrix);
    scale(p.F, rhs);
    return p;
}

static double largest(const double *x) {
    double found = 0;
    for (int o = 0; o < SIZE; ++o) found = fmax(found, fabs(x[o]));
    return found;
}

static clsolve_status solve(grid_problem p, clsolve_type type, clsolve_block_gs_options options, double *Y,
                            clsolve_report *result) {
    clsolve_block_gs *handle = grid_set(context, &p, type, &options);
    clsolve_status status = grid_solve(handle, &p, type, Y);
    assert_int_equal(clsolve_block_gs_report(handle, result), CLSOLVE_OK);
    clsolve_block_gs_destroy(handle);
    grid_free(&p);
    return status;
}

/* Both the matrix and F far from 1: Y times the quotient, or OVERFLOW where that is none. */
static void expect_scaled(clsolve_type type, clsolve_block_gs_options options) {
    static const int parts[][2] = {{0, -100}, {0, 100},   {-90, 0}, {90, 0},  {0, -62},
                                   {0, 62},   {-60, -60}, {80, 90}, {-70, 70}};
    double Y[SIZE] = {0};
    clsolve_report plain, result;

    assert_int_equal(solve(grid_random(N, M, 300), type, options, Y, &plain), CLSOLVE_OK);
    for (size_t s = 0; s < sizeof parts / sizeof *parts; ++s) {
        int matrix = most(type) * parts[s][0] / 100, rhs = most(type) * parts[s][1] / 100, by = rhs - matrix;
        double X[SIZE] = {0}, tiny = ldexp(1, type == CLSOLVE_F64 ? -1040 : -130);
        clsolve_status status = solve(scaled(grid_random(N, M, 300), matrix, rhs), type, options, X, &result);
        int over = ilogb(largest(Y)) + by >= (type == CLSOLVE_F64 ? 1024 : 128);
        if (status != (over ? CLSOLVE_OVERFLOW : CLSOLVE_OK))
            fail_msg("method %d, type %d, matrix 2^%d, F 2^%d: %s", (int)options.method, (int)type, matrix, rhs,
                     clsolve_context_message(context));
        for (int o = 0; o < SIZE; ++o) {
            double wanted = over ? 0 : ldexp(Y[o], by), eps = type == CLSOLVE_F64 ? 1e-8 : 1e-3;
            if (!(fabs(X[o] - wanted) <= eps * ldexp(largest(Y), by > 1000 ? 0 : by) + tiny))
                fail_msg("method %d, type %d, matrix 2^%d, F 2^%d: %g at %d, not %g", (int)options.method, (int)type,
                         matrix, rhs, X[o], o, wanted);
        }
        assert_true(result.block_gs.relative_residual < 1 && !(result.block_gs.relative_residual < 0));
        /* At 2^-100 % entries of F are subnormal and have lost bits, so rounding may choose the last iteration. */
        if (parts[s][1] > -100) assert_int_equal(result.iterations, plain.iterations);
    }
}

TEST(test_scaled) {
    for (int type = 0; type < 2; ++type) {
        clsolve_type t = type ? CLSOLVE_F64 : CLSOLVE_F32;
        if (!can(t)) continue;
        for (int method = CLSOLVE_BLOCK_GS_AUTO; method <= CLSOLVE_BLOCK_GS_FGMRES; ++method) {
            clsolve_block_gs_options options = {.method = (clsolve_block_gs_method)method, .sweeps = 30};
            if (method == CLSOLVE_BLOCK_GS_CG) continue; /* the matrix is not symmetric */
            expect_scaled(t, options);
        }
        clsolve_block_gs_options jacobi = {.jacobi = 1},
                                 single = {.method = CLSOLVE_BLOCK_GS_BICGSTAB, .single_precision = 1};
        expect_scaled(t, jacobi);
        if (t == CLSOLVE_F64) expect_scaled(t, single);
    }
}

/* Columns of F as far apart as can be, one of them zero; guesses that are no better than nothing. */
TEST(test_columns) {
    scratch_grid p = grid_random(N, M, 301);
    clsolve_type type = can(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    static const int by[4] = {-95, 0, 95, 0};
    SCRATCH double *F = test_doubles(4 * SIZE), *Y = test_doubles(4 * SIZE);
    double base[SIZE] = {0};
    if (type != CLSOLVE_F64) skip();
    OWNED(block_gs) *handle = grid_set(context, &p, type, NULL);
    assert_int_equal(grid_solve(handle, &p, type, base), CLSOLVE_OK);
    for (int r = 0; r < 4; ++r)
        for (int o = 0; o < SIZE; ++o) {
            F[r * SIZE + o] = r == 3 ? 0 : ldexp(p.F[o], most(type) * by[r] / 100);
            Y[r * SIZE + o] = r == 2 ? -1 : ldexp(1, r == 1 ? 600 : 3);
        }
    clsolve_grid f = clsolve_grid_f64(N, M, F), y = clsolve_grid_f64(N, M, Y);
    clsolve_status status = clsolve_block_gs_solve(handle, &f, &y, 4);
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    for (int r = 0; r < 4; ++r)
        for (int o = 0; o < SIZE; ++o) {
            double unit = ldexp(1, most(type) * by[r] / 100);
            if (r == 3)
                assert_true(Y[3 * SIZE + o] == 0);
            else
                assert_true(fabs(Y[r * SIZE + o] - base[o] * unit) <= 1e-8 * largest(base) * unit);
        }
}

/* ---- tridiagonal systems ---- */

/* Each system scaled by itself, its F too, from one end of the range to the other: right, or its info tells. */
TEST(test_batched) {
    enum { SYSTEMS = 9, LONG = 90, ALL = SYSTEMS * LONG };
    for (int run = 0; run < 8; ++run) {
        clsolve_type type = run % 2 ? CLSOLVE_F64 : CLSOLVE_F32;
        clsolve_pivoting lines = run / 4 ? CLSOLVE_PIVOTING_PARTIAL : CLSOLVE_PIVOTING_AUTO;
        int range = most(type);
        if (!can(type)) continue;
        shape(run / 2 % 2);
        const int systems = run / 2 % 2 ? SYSTEMS - 1 : SYSTEMS, all = systems * LONG;
        for (int end = -range - 20; end <= range; end += range / 5) {
            scratch_grid p = grid_random(systems, LONG, 310);
            double *arrays[4] = {p.a, p.c, p.b, p.F};
            double wanted[ALL], got[ALL];
            for (int i = 0; i < systems; ++i) {
                double l[LONG], d[LONG], u[LONG];
                memcpy(l, p.a + LONG * i + 1, (LONG - 1) * sizeof *l);
                memcpy(d, p.c + LONG * i, sizeof d);
                memcpy(u, p.b + LONG * i, (LONG - 1) * sizeof *u);
                memcpy(wanted + LONG * i, p.F + LONG * i, LONG * sizeof *wanted);
                assert_int_equal(LAPACKE_dgtsv(LAPACK_COL_MAJOR, LONG, 1, l, d, u, wanted + LONG * i, LONG), 0);
            }
            float narrow[4][ALL];
            for (int q = 0; q < 4; ++q)
                for (int o = 0; o < all; ++o) {
                    if (o >= LONG) arrays[q][o] = ldexp(arrays[q][o], end); /* not the first system */
                    narrow[q][o] = (float)arrays[q][o];
                }
            int64_t info[SYSTEMS];
            clsolve_status status = type == CLSOLVE_F64
                                        ? tridiagonal_once(context, systems, LONG, type, arrays[0], arrays[1],
                                                           arrays[2], arrays[3], 1, lines, info)
                                        : tridiagonal_once(context, systems, LONG, type, narrow[0], narrow[1],
                                                           narrow[2], narrow[3], 1, lines, info);
            for (int o = 0; o < all; ++o) got[o] = type == CLSOLVE_F64 ? arrays[3][o] : (double)narrow[3][o];
            int told = 0;
            for (int i = 1; i < systems; ++i) told |= info[i] != 0;
            if (status != CLSOLVE_OK || info[0] != 0) fail_msg("2^%d: %s", end, clsolve_context_message(context));
            if (told && end > -range && end < range - 8) fail_msg("2^%d: info %d", end, told);
            for (int o = 0; o < all; ++o) {
                if ((told || end < -range) && o >= LONG) continue; /* digits are lost in what goes in */
                if (!(fabs(got[o] - wanted[o]) < (type == CLSOLVE_F64 ? 1e-10 : 2e-3) * (1 + fabs(wanted[o]))))
                    fail_msg("run %d, 2^%d: %g at %d, not %g", run, end, got[o], o, wanted[o]);
            }
            for (int o = 0; o < all && !told; ++o) assert_true(isfinite(got[o]));
        }
    }
    shape(0);
}

/* Many systems as far apart as the type allows, in one batch, with several right-hand sides, each from another end: all are
 * solved, for every solution is in the range. */
static void expect_apart(clsolve_type type, clsolve_pivoting lines, int64_t systems, int64_t length) {
    enum { NRHS = 2 };
    static const int at[] = {0, -96, 96, -50, 50, 0, -90, 97};
    int64_t n = systems * length;
    double *wanted = zeros(NRHS * n), *arrays[4] = {zeros(n), zeros(n), zeros(n), zeros(NRHS * n)};
    float *narrow[4];
    void *a[4];
    int64_t *info = test_room(systems, sizeof *info);
    scratch_grid p = grid_random(systems, length, 311);
    for (int64_t i = 0; i < systems; ++i) {
        int matrix = most(type) * at[i % 8] / 100;
        SCRATCH double *l = zeros(length), *d = zeros(length), *u = zeros(length), *x = zeros(NRHS * length);
        memcpy(d, p.c + i * length, (size_t)length * sizeof *d);
        memcpy(u, p.b + i * length, (size_t)(length - 1) * sizeof *u);
        memcpy(l, p.a + i * length + 1, (size_t)(length - 1) * sizeof *l);
        for (int64_t o = 0; o < length; ++o) x[o] = p.F[i * length + o], x[length + o] = (double)o;
        for (int64_t k = 0; k < length; ++k) {
            int64_t o = i * length + k;
            arrays[0][o] = k > 0 ? ldexp(p.a[o], matrix) : NAN;
            arrays[1][o] = ldexp(p.c[o], matrix);
            arrays[2][o] = k + 1 < length ? ldexp(p.b[o], matrix) : NAN;
            for (int r = 0; r < NRHS; ++r) arrays[3][r * n + o] = ldexp(x[r * length + k], matrix);
        }
        assert_int_equal(LAPACKE_dgtsv(LAPACK_COL_MAJOR, (int)length, NRHS, l, d, u, x, (int)length), 0);
        for (int r = 0; r < NRHS; ++r) memcpy(wanted + r * n + i * length, x + r * length, (size_t)length * sizeof *x);
    }
    for (int q = 0; q < 4; ++q) {
        narrow[q] = calloc((size_t)(NRHS * n), sizeof(float));
        assert_non_null(narrow[q]);
        for (int64_t o = 0; o < (q < 3 ? 1 : NRHS) * n; ++o) narrow[q][o] = (float)arrays[q][o];
        a[q] = type == CLSOLVE_F64 ? (void *)arrays[q] : (void *)narrow[q];
    }
    EXPECT(tridiagonal_once(context, systems, length, type, a[0], a[1], a[2], a[3], NRHS, lines, info), CLSOLVE_OK, "");
    for (int64_t i = 0; i < systems; ++i) assert_int_equal(info[i], 0);
    free(info);
    for (int64_t o = 0; o < NRHS * n; ++o) {
        double got = type == CLSOLVE_F64 ? arrays[3][o] : (double)narrow[3][o];
        if (!(fabs(got - wanted[o]) < (type == CLSOLVE_F64 ? 1e-10 : 5e-3) * (1 + fabs(wanted[o]))))
            fail_msg("system %d of %d: %g, not %g", (int)(o % n / length), (int)systems, got, wanted[o]);
    }
    for (int q = 0; q < 4; ++q) free(arrays[q]), free(narrow[q]);
    free(wanted);
}

TEST(test_apart) {
    static const int64_t shapes[][2] = {{9, 2}, {9, 90}, {130, 1}, {130, 33}};
    for (int run = 0; run < 8; ++run)
        for (int s = 0; s < 4; ++s) {
            clsolve_type type = run % 2 ? CLSOLVE_F64 : CLSOLVE_F32;
            const int gpu = run / 2 % 2;
            if (!can(type) || (gpu && s != 1)) continue;
            shape(gpu);
            expect_apart(type, run / 4 ? CLSOLVE_PIVOTING_PARTIAL : CLSOLVE_PIVOTING_AUTO, shapes[s][0] - gpu,
                         shapes[s][1]);
        }
    shape(0);
}

/* Small integers times powers of two from one end of double's range to the other, below the smallest normal number too: no
 * digit is lost, and the solution is of integers. */
TEST(test_ends) {
    enum { SYSTEMS = 10, LONG = 40, ALL = SYSTEMS * LONG };
    static const int at[SYSTEMS] = {-1068, 0, 1019, -1040, 3, 1, 1018, -1067, -1, 2};
    need_double();
    for (int run = 0; run < 4; ++run) {
        double side[ALL], diagonal[ALL], F[ALL];
        shape(run % 2);
        for (int o = 0; o < ALL; ++o) {
            int k = o % LONG, x = k % 5 - 2, before = k > 0 ? (k - 1) % 5 - 2 : 0,
                after = k + 1 < LONG ? (k + 1) % 5 - 2 : 0;
            side[o] = ldexp(-1, at[o / LONG]);
            diagonal[o] = ldexp(4, at[o / LONG]);
            F[o] = ldexp(4 * x - before - after, at[o / LONG]);
        }
        int64_t info[SYSTEMS];
        clsolve_pivoting lines = run / 2 ? CLSOLVE_PIVOTING_PARTIAL : CLSOLVE_PIVOTING_AUTO;
        EXPECT(tridiagonal_once(context, SYSTEMS, LONG, CLSOLVE_F64, side, diagonal, side, F, 1, lines, info),
               CLSOLVE_OK, "");
        for (int i = 0; i < SYSTEMS; ++i) assert_int_equal(info[i], 0);
        for (int o = 0; o < ALL; ++o) {
            double wanted = o % LONG % 5 - 2;
            if (!(fabs(F[o] - wanted) < 1e-12)) fail_msg("run %d, system %d: %g, not %g", run, o / LONG, F[o], wanted);
        }
    }
    shape(0);
}

/* Zeros on the diagonal: each exchange halves the row that waits, down to 2^-200. The numbers are such that nothing is
 * rounded, so the solution is exact. */
TEST(test_zero_diagonal) {
    enum { SYSTEMS = 9, LONG = 400, ALL = SYSTEMS * LONG };
    float a[ALL], c[ALL] = {0}, b[ALL], F[ALL];
    for (int gpu = 0; gpu < 2; ++gpu)
        for (int lines = CLSOLVE_PIVOTING_AUTO; lines <= CLSOLVE_PIVOTING_PARTIAL; ++lines) {
            const int systems = SYSTEMS - gpu;
            shape(gpu);
            for (int o = 0; o < systems * LONG; ++o) {
                a[o] = 2, b[o] = 1;
                F[o] = (float)((o % LONG > 0 ? 2 : 0) + (o % LONG + 1 < LONG ? 1 : 0));
            }
            int64_t info[SYSTEMS];
            EXPECT(tridiagonal_once(context, systems, LONG, CLSOLVE_F32, a, c, b, F, 1, (clsolve_pivoting)lines, info),
                   CLSOLVE_OK, "");
            for (int i = 0; i < systems; ++i) assert_int_equal(info[i], 0);
            for (int o = 0; o < systems * LONG; ++o) assert_true(fabsf(F[o] - 1) < 1e-5f);
        }
    shape(0);
}

/* Of an odd number of unknowns such a line is singular, and called so. */
TEST(test_singular) {
    enum { SYSTEMS = 9, LONG = 5, ALL = SYSTEMS * LONG };
    float a[ALL], c[ALL] = {0}, b[ALL], F[ALL];
    int64_t info[SYSTEMS];
    for (int o = 0; o < ALL; ++o) a[o] = 2, b[o] = 1, F[o] = 7;
    EXPECT(tridiagonal_once(context, SYSTEMS, LONG, CLSOLVE_F32, a, c, b, F, 1, CLSOLVE_PIVOTING_AUTO, info),
           CLSOLVE_OK, "");
    for (int i = 0; i < SYSTEMS; ++i) assert_int_equal(info[i], LONG);
    for (int o = 0; o < ALL; ++o) assert_true(F[o] == 7);
}

TEST_PROGRAM(grid_open, grid_close)
