/*
 * test_lines_host.c: one tridiagonal matrix on the host: scaled residuals of A x = b and A^T x = b for awkward orders in both
 * types, with exchanges; zero pivots; pivots whose reciprocal is no normal number.
 */
#include "support/test_support.h"

#include <float.h>

#include "method/block_gs/lines_host.h"

enum { MOST = 131 };

static double dl[MOST], d[MOST], du[MOST], x[MOST];
static double room[5][MOST];
static float single[5][MOST], x32[MOST];
static int8_t swaps[MOST + 1];

static cls_line line_of(clsolve_type type) {
    if (type == CLSOLVE_F64) return (cls_line){room[0], room[1], room[2], room[3], room[4], swaps};
    return (cls_line){single[0], single[1], single[2], single[3], single[4], swaps};
}

static int64_t factor(clsolve_type type, int64_t n) {
    const cls_line line = line_of(type);
    for (int64_t i = 0; i < n; ++i) {
        room[0][i] = dl[i], room[1][i] = d[i], room[2][i] = du[i];
        single[0][i] = (float)dl[i], single[1][i] = (float)d[i], single[2][i] = (float)du[i];
    }
    return cls_line_factor(type, n, &line);
}

static void solve(clsolve_type type, int transposed, int64_t n) {
    const cls_line line = line_of(type);
    for (int64_t i = 0; i < n; ++i) x32[i] = (float)x[i];
    cls_line_solve(type, transposed, n, &line, type == CLSOLVE_F64 ? (void *)x : (void *)x32);
    for (int64_t i = 0; type == CLSOLVE_F32 && i < n; ++i) x[i] = (double)x32[i];
}

/* dl[i] is element (i + 1, i), du[i] element (i, i + 1). */
static double ratio(clsolve_type type, int transposed, int64_t n, const double *b) {
    const double *below = transposed ? du : dl, *above = transposed ? dl : du;
    double residual = 0, norm = 0, size = 0;
    for (int64_t i = 0; i < n; ++i) {
        double lower = i > 0 ? below[i - 1] : 0, upper = i + 1 < n ? above[i] : 0;
        double r = b[i] - d[i] * x[i] - (i > 0 ? lower * x[i - 1] : 0) - (i + 1 < n ? upper * x[i + 1] : 0);
        residual = fmax(residual, fabs(r));
        norm = fmax(norm, fabs(lower) + fabs(d[i]) + fabs(upper));
        size = fmax(size, fabs(x[i]));
    }
    return residual / ((double)n * (type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON) / 2 * (norm * size + 2));
}

TEST(test_orders) {
    static const int64_t orders[] = {1, 2, 3, 4, 5, 7, 16, 17, 64, 131};
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o)
            for (int kind = 0; kind < 3; ++kind) { /* dominant; exchanges at every fifth column at least; at all */
                const double weight = kind == 0 ? 4 : kind == 1 ? 1 : 0.01;
                int64_t n = orders[o], exchanged = 0;
                if (kind == 2 && n > 17) continue; /* as good as singular */
                double b[MOST];
                test_random random = test_random_start((uint64_t)(n * 3 + kind));
                for (int64_t i = 0; i < n; ++i) {
                    const double more = kind == 2 ? 3 : kind == 1 && i % 5 == 4 ? 8 : 0;
                    dl[i] = (double)(float)(test_random_signed(&random) + more);
                    du[i] = (double)(float)test_random_signed(&random);
                    d[i] = (double)(float)(weight * (1.5 + test_random_signed(&random)));
                    b[i] = (double)(float)test_random_signed(&random);
                }
                assert_int_equal(factor((clsolve_type)type, n), 0);
                for (int64_t i = 0; i + 1 < n; ++i) exchanged += swaps[i];
                /* Pivots are at most 3.5 where 7 or more lies below, and at most 1.1 where 2 or more does. */
                if (kind == 0) assert_int_equal(exchanged, 0);
                if (kind == 1) assert_true(exchanged >= (n - 1) / 5);
                if (kind == 2) assert_int_equal(exchanged, n - 1);
                for (int transposed = 0; transposed < 2; ++transposed) {
                    memcpy(x, b, sizeof x);
                    solve((clsolve_type)type, transposed, n);
                    double got = ratio((clsolve_type)type, transposed, n, b);
                    if (!(got < 30)) fail_msg("n %d, kind %d: ratio %g", (int)n, kind, got);
                }
            }
}

TEST(test_zero_pivots) {
    for (int64_t i = 0; i < MOST; ++i) dl[i] = du[i] = 1, d[i] = 4;
    d[6] = dl[6] = du[5] = 0; /* column 7, and what the row before brings to it */
    d[9] = dl[9] = du[8] = 0;
    assert_int_equal(factor(CLSOLVE_F64, 20), 7);
    assert_int_equal(factor(CLSOLVE_F32, 20), 7);
    memset(d, 0, sizeof d);
    memset(dl, 0, sizeof dl);
    assert_int_equal(factor(CLSOLVE_F64, 1), 1);
}

/* 1 / 2^-1070 overflows, 1 / 2^1023 is not normal; and so in float. */
TEST(test_no_reciprocal) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
        for (int large = 0; large < 2; ++large) {
            const int power = type == CLSOLVE_F64 ? (large ? 1023 : -1070) : large ? 127 : -140;
            enum { N = 9 };
            memset(dl, 0, sizeof dl);
            memset(du, 0, sizeof du);
            for (int64_t i = 0; i < N; ++i) d[i] = i == 4 ? ldexp(1, power) : 2;
            assert_int_equal(factor((clsolve_type)type, N), 0);
            assert_int_equal(swaps[N], large ? 0 : CLS_LINE_TINY);
            for (int transposed = 0; transposed < 2; ++transposed) {
                for (int64_t i = 0; i < N; ++i) x[i] = i == 4 ? d[i] : 6;
                solve((clsolve_type)type, transposed, N);
                for (int64_t i = 0; i < N; ++i) assert_true(x[i] == (i == 4 ? 1 : 3));
            }
        }
}

TEST(test_gather) {
    double from[40], to[40];
    for (int i = 0; i < 40; ++i) from[i] = i;
    for (int64_t stride = 1; stride < 4; ++stride)
        for (int64_t count = 0; count <= 11; ++count)
            for (int64_t bad = -1; bad < count; ++bad) {
                const int64_t at = 2 + bad * stride;
                if (bad >= 0) from[at] = bad % 2 ? (double)NAN : -(double)INFINITY;
                assert_int_equal(cls_line_gather(CLSOLVE_F64, from, 2, stride, count, to), bad < 0);
                for (int64_t i = 0; i < count; ++i) assert_true(i == bad || to[i] == (double)(2 + i * stride));
                if (bad >= 0) from[at] = (double)at;
            }
}

TEST_PROGRAM_ALONE(NULL, NULL)
