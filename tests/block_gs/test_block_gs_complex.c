/*
 * Complex coefficients: hermitian, complex symmetric and general systems through every method, waves with losses, singular
 * lines and systems, pivoting, the ends of the range, NaN and Inf, strides. Residuals are computed here, in double.
 */
#include <complex.h>

#include "base/type.h"
#include "block_gs/complex_problem.h"
#include "block_gs/grid_test.h"

static clsolve_type types[2];
static int type_count;

static int open_types(void **state) {
    (void)grid_open(state);
    type_count = 0;
    if (usual == CLSOLVE_F64) types[type_count++] = CLSOLVE_C64;
    types[type_count++] = CLSOLVE_C32;
    return 0;
}

/* -div grad u - k^2 (1 + i loss) u. */
static complex_problem waves(int64_t N, int64_t M, double kh2, double loss, uint64_t use) {
    test_random random = test_random_start(use);
    complex_problem p = complex_problem_make(N, M, &random);
    for (int64_t e = 0; e < N * M; ++e) {
        for (int q = 0; q < 5; ++q) p.q[q][e] = -1;
        p.q[C][e] = 4 - kh2 - I * kh2 * loss;
    }
    complex_problem_mark_edges(&p);
    return p;
}

/* An array in the type, to be freed; and back. */
static void *typed(const element *from, int64_t n, clsolve_type type) {
    void *made = calloc((size_t)n + 1, (size_t)cls_type_size(type));
    assert_non_null(made);
    for (int64_t e = 0; e < n; ++e) {
        cls_type_put(type, made, 2 * e, creal(from[e]));
        cls_type_put(type, made, 2 * e + 1, cimag(from[e]));
    }
    return made;
}

static void take(clsolve_type type, const void *from, int64_t n, element *to) {
    for (int64_t e = 0; e < n; ++e) to[e] = cls_type_get(type, from, 2 * e) + I * cls_type_get(type, from, 2 * e + 1);
}

static clsolve_grid view(const complex_problem *p, clsolve_type type, void *data) {
    return type == CLSOLVE_C64 ? clsolve_grid_c64(p->N, p->M, data) : clsolve_grid_c32(p->N, p->M, data);
}

static clsolve_status factor(clsolve_block_gs *handle, const complex_problem *p, clsolve_type type) {
    clsolve_grid g[5];
    for (int q = 0; q < 5; ++q) g[q] = view(p, type, typed(p->q[q], p->N * p->M, type));
    const clsolve_status status = clsolve_block_gs_factor(handle, &g[UP], &g[A], &g[C], &g[B], &g[DOWN]);
    for (int q = 0; q < 5; ++q) free(g[q].data);
    return status;
}

static clsolve_status solve(clsolve_block_gs *handle, complex_problem *p, clsolve_type type) {
    const int64_t n = p->N * p->M;
    clsolve_grid F = view(p, type, typed(p->F, n, type)), Y = view(p, type, typed(p->Y, n, type));
    const clsolve_status status = clsolve_block_gs_solve(handle, &F, &Y, 1);
    take(type, Y.data, n, p->Y);
    free(F.data);
    free(Y.data);
    return status;
}

static clsolve_block_gs *create(const complex_problem *p, clsolve_type type, const clsolve_block_gs_options *options) {
    clsolve_block_gs *handle = NULL;
    if (clsolve_block_gs_create(context, p->N, p->M, type, options, &handle) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    return handle;
}

/* Solves from zero; the residual is as small as the tolerance, with what rounding leaves of it. `ran`: words of the method's name. */
static void expect_solved(clsolve_block_gs *handle, complex_problem *p, clsolve_type type, const char *ran) {
    const double tolerance = type == CLSOLVE_C64 ? 1.1e-10 : 2e-5;
    memset(p->Y, 0, (size_t)(p->N * p->M) * sizeof *p->Y);
    EXPECT(factor(handle, p, type), CLSOLVE_OK, "");
    EXPECT(solve(handle, p, type), CLSOLVE_OK, "");
    const clsolve_report report = result_of(handle);
    const double rest = complex_problem_residual(p, p->F, p->Y);
    if (!(rest <= tolerance))
        fail_msg("%s on %d x %d, %s: residual %g", report.block_gs.method, (int)p->N, (int)p->M, cls_type_name(type),
                 rest);
    if (!strstr(report.block_gs.method, ran))
        fail_msg("%s ran in the place of %s: %s", report.block_gs.method, ran, report.block_gs.reason);
}

static void expect_way(complex_problem p, const clsolve_block_gs_options *options, const char *ran) {
    for (int t = 0; t < (p.N > 8 ? type_count : 1); ++t) {
        OWNED(block_gs) *handle = create(&p, types[t], options);
        expect_solved(handle, &p, types[t], ran);
    }
    complex_problem_free(&p);
}

/* What AUTO takes for each kind; sizes around a panel's lanes and a work-item's rows, small ones in one type. */
TEST(test_kinds) {
    static const char *const ran[KINDS] = {"multigrid", "cg + multigrid", "cocg + multigrid"};
    static const int64_t sizes[][2] = {{1, 1}, {5, 1}, {9, 1}, {2, 3}, {7, 5}, {9, 33}, {17, 57}};
    for (int k = 0; k < KINDS; ++k)
        for (int s = in_gpu_shape() ? 6 : 0; s < (int)(sizeof sizes / sizeof *sizes); ++s) {
            /* One real number is hermitian too, and so are systems without couplings. */
            const int small = s < 3;
            expect_way(complex_problem_dominant(sizes[s][0], sizes[s][1], (complex_kind)k, (uint64_t)(10 * s + k)),
                       NULL, small ? "" : ran[k]);
        }
}

TEST(test_methods) {
    static const struct {
        clsolve_block_gs_method method;
        complex_kind what;
        const char *name;
    } methods[] = {{CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, GENERAL, "Gauss-Seidel"},
                   {CLSOLVE_BLOCK_GS_SOR, SYMMETRIC, "SOR"},
                   {CLSOLVE_BLOCK_GS_MULTIGRID, SYMMETRIC, "multigrid"},
                   {CLSOLVE_BLOCK_GS_CG, HERMITIAN, "cg + zebra"},
                   {CLSOLVE_BLOCK_GS_COCG, SYMMETRIC, "cocg + zebra"},
                   {CLSOLVE_BLOCK_GS_BICGSTAB, GENERAL, "bicgstab"},
                   {CLSOLVE_BLOCK_GS_FGMRES, GENERAL, "fgmres"}};
    for (int m = 0; m < (int)(sizeof methods / sizeof *methods); ++m) {
        const clsolve_block_gs_options options = {.method = methods[m].method,
                                                  .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA};
        expect_way(complex_problem_dominant(9, 33, methods[m].what, (uint64_t)(100 + m)), &options, methods[m].name);
    }
}

/* Losses large and small, and none; the levels in float where the system is in double. */
TEST(test_waves) {
    expect_way(waves(17, 57, 0.25, 1, 200), NULL, "cocg + multigrid V(1,1) with losses");
    if (in_gpu_shape()) return;
    expect_way(waves(33, 33, 0.25, 0.125, 201), NULL, "cocg");
    if (usual != CLSOLVE_F64) return;
    const clsolve_block_gs_options single = {.method = CLSOLVE_BLOCK_GS_COCG, .single_precision = 1};
    SCRATCH_BY(complex_problem_free) complex_problem p = waves(33, 33, 0.25, 0.5, 202);
    OWNED(block_gs) *handle = create(&p, CLSOLVE_C64, &single);
    expect_solved(handle, &p, CLSOLVE_C64, "cocg + multigrid V(1,1) in float with losses");
    /* Another matrix through the same handle, whose diagonal dominates. */
    SCRATCH_BY(complex_problem_free) complex_problem other = complex_problem_dominant(33, 33, SYMMETRIC, 203);
    expect_solved(handle, &other, CLSOLVE_C64, "cocg + multigrid V(1,1) in float");
}

/* What levels with losses are for: 168 steps, 642 without losses, 428 with gains in their place. */
TEST(test_losses) {
    scratch_complex p = waves(65, 65, 0.25, 0.125, 205);
    if (!in_gpu_shape() && usual == CLSOLVE_F64) {
        OWNED(block_gs) *handle = create(&p, CLSOLVE_C64, NULL);
        expect_solved(handle, &p, CLSOLVE_C64, "cocg + multigrid V(1,1) with losses");
        assert_in_range(result_of(handle).iterations, 1, 300);
    }
}

/* Levels in float: products of a double vector with one in float are conjugated where the matrix is hermitian. */
TEST(test_hermitian_in_float) {
    const clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_CG, .single_precision = 1};
    scratch_complex p = complex_problem_dominant(33, 33, HERMITIAN, 204);
    if (!in_gpu_shape() && usual == CLSOLVE_F64) {
        OWNED(block_gs) *handle = create(&p, CLSOLVE_C64, &options);
        expect_solved(handle, &p, CLSOLVE_C64, "cg + multigrid V(1,1) in float");
    }
}

/* A line with zeros on its diagonal wants pivoting; one that is zero is singular. */
TEST(test_lines) {
    for (int t = 0; t < type_count; ++t) {
        enum { M = 40 };
        SCRATCH_BY(complex_problem_free) complex_problem p = complex_problem_dominant(9, M, SYMMETRIC, 300);
        for (int64_t e = 2 * M; e < 3 * M; ++e) {
            p.q[C][e] = 0;
            p.q[A][e] = p.q[B][e] = I * 2;
            p.q[UP][e] *= 0.01;
            p.q[DOWN][e] *= 0.01;
        }
        complex_problem_mark_edges(&p);
        OWNED(block_gs) *handle = create(&p, types[t], NULL);
        expect_solved(handle, &p, types[t], "zebra");
        assert_int_equal(result_of(handle).block_gs.pivoted, 1);
        for (int64_t e = 2 * M; e < 3 * M; ++e) p.q[A][e] = p.q[B][e] = 0;
        complex_problem_mark_edges(&p);
        EXPECT(factor(handle, &p, types[t]), CLSOLVE_SINGULAR, "line 3");
        assert_int_equal(result_of(handle).member, 3);
    }
}

/* All row sums are zero, F is in the range: the solution has mean 0. */
TEST(test_singular) {
    enum { M = 40 };
    for (int t = 0; t < type_count; ++t) {
        SCRATCH_BY(complex_problem_free) complex_problem p = complex_problem_dominant(9, M, SYMMETRIC, 400);
        element mean = 0;
        for (int q = 0; q < 5; ++q)
            for (int64_t e = 0; e < 9 * M; ++e) p.q[q][e] = q == C ? 0 : -(1 + 0.5 * I);
        for (int64_t e = 0; e < 9 * M; ++e) {
            const int64_t i = e / M, k = e % M, beside = (i > 0) + (i < 8) + (k > 0) + (k < M - 1);
            p.q[C][e] = (1 + 0.5 * I) * (double)beside;
            mean += p.F[e] / (9 * M);
        }
        for (int64_t e = 0; e < 9 * M; ++e) p.F[e] -= mean;
        complex_problem_mark_edges(&p);
        OWNED(block_gs) *handle = create(&p, types[t], NULL);
        expect_solved(handle, &p, types[t], "");
        assert_int_equal(result_of(handle).block_gs.singular, 1);
        mean = 0;
        for (int64_t e = 0; e < 9 * M; ++e) mean += p.Y[e] / (9 * M);
        assert_true(cabs(mean) < (types[t] == CLSOLVE_C64 ? 1e-9 : 1e-3));
    }
}

/* Near the ends of the type's range, and beyond; NaN and Inf in either part. */
TEST(test_range) {
    if (in_gpu_shape()) skip();
    for (int t = 0; t < type_count; ++t) {
        const int far = types[t] == CLSOLVE_C64 ? 1000 : 115;
        for (int way = 0; way < 2; ++way) {
            SCRATCH_BY(complex_problem_free) complex_problem p = complex_problem_dominant(9, 5, SYMMETRIC, 500);
            OWNED(block_gs) *handle = create(&p, types[t], NULL);
            for (int64_t e = 0; e < 45; ++e) {
                for (int q = 0; q < 5; ++q) p.q[q][e] *= ldexp(1, way ? far : -far);
                p.F[e] *= ldexp(1, way ? far : -far);
            }
            EXPECT(factor(handle, &p, types[t]), CLSOLVE_OK, "");
            EXPECT(solve(handle, &p, types[t]), CLSOLVE_OK, "");
            for (int64_t e = 0; e < 45; ++e) {
                for (int q = 0; q < 5; ++q) p.q[q][e] *= ldexp(1, way ? -far : far);
                p.F[e] *= ldexp(1, way ? -far : far);
            }
            assert_true(complex_problem_residual(&p, p.F, p.Y) <= (types[t] == CLSOLVE_C64 ? 1.1e-10 : 2e-5));
            p.q[C][7] = way ? NAN + 0 * I : CMPLX(1, INFINITY);
            EXPECT(factor(handle, &p, types[t]), CLSOLVE_ERROR_NONFINITE, "NaN or Inf");
            EXPECT(solve(handle, &p, types[t]), CLSOLVE_ERROR_STATE, "first");
            p.q[C][7] = 9;
            EXPECT(factor(handle, &p, types[t]), CLSOLVE_OK, "");
            p.F[3] = way ? CMPLX(0, NAN) : CMPLX(-INFINITY, 0);
            EXPECT(solve(handle, &p, types[t]), CLSOLVE_ERROR_NONFINITE, "NaN or Inf");
        }
    }
}

/* Three right-hand sides through strides, and a limit that is too low: each column's outcome. */
TEST(test_columns) {
    enum { N = 7, M = 5, NRHS = 3, ROOM = NRHS * N * 4 * M };
    if (in_gpu_shape()) skip();
    const clsolve_type type = types[0];
    SCRATCH_BY(complex_problem_free) complex_problem p = complex_problem_dominant(N, M, GENERAL, 600);
    const clsolve_block_gs_options few = {.method = CLSOLVE_BLOCK_GS_FGMRES,
                                          .preconditioner = CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE,
                                          .max_iterations = 1,
                                          .zero_guess = 1};
    clsolve_block_gs *handle = create(&p, type, NULL);
    clsolve_grid F = {.type = type, .line_stride = 3 * M, .stride = 2, .rhs_stride = 3 * M * N}, Y = F;
    SCRATCH element *values = complex_elements(ROOM), *found = complex_elements(N * M), *side = complex_elements(N * M);
    for (int64_t r = 0; r < NRHS; ++r)
        for (int64_t e = 0; e < N * M; ++e)
            values[r * F.rhs_stride + e / M * F.line_stride + e % M * F.stride] = p.F[e] * ((double)r + I);
    F.data = typed(values, ROOM, type);
    Y.data = calloc(ROOM, (size_t)cls_type_size(type));
    assert_non_null(Y.data);
    EXPECT(factor(handle, &p, type), CLSOLVE_OK, "");
    EXPECT(clsolve_block_gs_solve(handle, &F, &Y, NRHS), CLSOLVE_OK, "");
    take(type, Y.data, ROOM, values);
    for (int64_t r = 0; r < NRHS; ++r) {
        for (int64_t e = 0; e < N * M; ++e) {
            found[e] = values[r * Y.rhs_stride + e / M * Y.line_stride + e % M * Y.stride];
            side[e] = p.F[e] * ((double)r + I);
        }
        assert_true(complex_problem_residual(&p, side, found) <= (type == CLSOLVE_C64 ? 1.1e-10 : 2e-5));
    }
    clsolve_block_gs_destroy(handle);
    handle = create(&p, type, &few);
    EXPECT(factor(handle, &p, type), CLSOLVE_OK, "");
    EXPECT(clsolve_block_gs_solve(handle, &F, &Y, NRHS), CLSOLVE_NOT_CONVERGED, "fgmres");
    assert_int_equal(result_of(handle).block_gs.failed, NRHS);
    clsolve_block_gs_destroy(handle);
    free(F.data);
    free(Y.data);
}

TEST_PROGRAM(open_types, grid_close)
