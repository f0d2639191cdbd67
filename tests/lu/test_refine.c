/* Refinement and the condition estimate by themselves, with operators of the test's own: no device. */
#include <float.h>
#include <limits.h>

#include "lu/ratios.h"
#include "method/direct/direct.h"
#include "method/direct/rcond.h"
#include "method/direct/refine.h"
#include "method/direct/vectors.h"
#include "support/test_support.h"

/* A preconditioner that helps nothing: the refinement ends, says so, and hands back its best. */
typedef struct hopeless {
    int64_t n;
    const double *A;
    int answers; /* of the preconditioner: 0: zeros, 1: NaN, 2: the same vector, 3: a good one after all */
} hopeless;

static clsolve_status hopeless_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B,
                                        double *R) {
    const hopeless *h = self;
    (void)op;
    for (int64_t c = 0; c < cols; ++c)
        for (int64_t i = 0; i < h->n; ++i) {
            double sum = B ? B[i + c * h->n] : 0;
            for (int64_t k = 0; k < h->n; ++k) sum -= h->A[i + k * h->n] * X[k + c * h->n];
            R[i + c * h->n] = sum;
        }
    return CLSOLVE_OK;
}

static clsolve_status hopeless_precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    const hopeless *h = self;
    (void)op;
    for (int64_t k = 0; k < h->n * cols; ++k)
        D[k] = h->answers == 0 ? 0 : h->answers == 1 ? (double)NAN : h->answers == 2 ? 1 : R[k];
    return CLSOLVE_OK;
}

TEST(test_hopeless) {
    enum { N = 30, COLUMNS = 3 };
    test_random random = test_random_start(40);
    double A[N * N], B[N * COLUMNS], X[N * COLUMNS], norm = 0, norm_inf = 0;
    test_with_condition(&random, N, 3, 10, A);
    test_random_fill(&random, B, N * COLUMNS);
    for (int64_t j = 0; j < N; ++j) {
        double sum = 0, across = 0;
        for (int64_t i = 0; i < N; ++i) sum += fabs(A[i + j * N]), across += fabs(A[j + i * N]);
        norm = fmax(norm, sum);
        norm_inf = fmax(norm_inf, across);
    }
    for (int answers = 0; answers < 4; ++answers) {
        hopeless h = {N, A, answers};
        cls_refine problem = {.n = N,
                              .op = CLSOLVE_NO_TRANS,
                              .norm = norm * CLS_NORM_SCALE,
                              .norm_inf = norm_inf * CLS_NORM_SCALE,
                              .epsilon = DBL_EPSILON / 2,
                              .gmres = 1,
                              .basis = N,
                              .cycles = 4,
                              .self = &h,
                              .residual = hopeless_residual,
                              .precondition = hopeless_precondition};
        cls_refined result = {.converged = 1, .backward_error = -1};
        assert_int_equal(cls_refine_solve(&problem, COLUMNS, B, X, &result), CLSOLVE_OK);
        assert_in_range(result.history_length, 1, CLSOLVE_REPORT_HISTORY);
        if (answers == 3) { /* no preconditioner at all, but a whole basis */
            assert_true(result.converged && result.backward_error < N * DBL_EPSILON);
            double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, COLUMNS, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
            assert_true(result.gmres > 0);
        } else {
            assert_false(result.converged);
            assert_false(result.backward_error < 0.01);
        }
    }
}

/* A is the unit matrix. The first answer is off by `off` in one element, and a correction misses the part `miss` of what
 * it should be. ||r||_1 is then so small beside ||A||_1 ||x||_1 that only the infinity norms tell. */
typedef struct spiky {
    int64_t n;
    double off, miss;
    int applied;
    int everywhere; /* the first answer is off so in every element */
} spiky;

static clsolve_status spiky_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B,
                                     double *R) {
    const spiky *s = self;
    (void)op;
    for (int64_t k = 0; k < s->n * cols; ++k) R[k] = (B ? B[k] : 0) - X[k];
    return CLSOLVE_OK;
}

static clsolve_status spiky_precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    spiky *s = self;
    (void)op;
    for (int64_t k = 0; k < s->n * cols; ++k) D[k] = s->applied ? (1 - s->miss) * R[k] : R[k];
    const int first = !s->applied++;
    for (int64_t i = s->everywhere ? 0 : 3; first && i < (s->everywhere ? s->n : 4); ++i) D[i] += s->off;
    return CLSOLVE_OK;
}

static cls_refine spiky_problem(spiky *s) {
    return (cls_refine){.n = s->n,
                        .op = CLSOLVE_NO_TRANS,
                        .norm = CLS_NORM_SCALE,
                        .norm_inf = CLS_NORM_SCALE,
                        .epsilon = DBL_EPSILON / 2,
                        .self = s,
                        .residual = spiky_residual,
                        .precondition = spiky_precondition};
}

/* dsgesv's stop at each of three levels: what is aimed at, what rounding may leave, and what is only acceptable. */
TEST(test_stop) {
    enum { N = 400, ROOT = 20 };
    static const struct {
        double off, miss; /* in epsilon */
        int strict, steps, converged, unsettled;
    } cases[] = {
        {0, 0, 0, 0, 1, 0},        {ROOT / 2 - 2, 0, 0, 0, 1, 0}, {ROOT / 2 + 4, 0, 0, 1, 1, 0},
        {8 * ROOT, 0, 0, 1, 1, 0}, {8 * ROOT, 0.25, 0, 2, 1, 0},  {8 * ROOT, 0.75, 0, 1, 1, 1},
        {8 * ROOT, 1, 0, 1, 1, 1}, {8 * ROOT, 1, 1, 1, 0, 1},     {8 * ROOT, 0, 1, 1, 1, 0},
        {4 * ROOT, 1, 0, 1, 1, 1}, {ROOT / 2 - 2, 1, 1, 0, 1, 0},
    };
    double B[N], X[N], epsilon = DBL_EPSILON / 2;
    for (int64_t i = 0; i < N; ++i) B[i] = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        spiky s = {N, cases[k].off * epsilon, cases[k].miss, 0, 0};
        cls_refine problem = spiky_problem(&s);
        problem.strict = cases[k].strict;
        cls_refined result = {.converged = 1};
        assert_int_equal(cls_refine_solve(&problem, 1, B, X, &result), CLSOLVE_OK);
        if (result.iterations != cases[k].steps || result.converged != cases[k].converged ||
            result.unsettled != cases[k].unsettled)
            fail_msg("case %d: %d steps, converged %d, unsettled %d", (int)k, (int)result.iterations, result.converged,
                     result.unsettled);
        assert_true(result.backward_error < epsilon); /* from the first answer on */
    }
    /* And GMRES takes over where plain steps do not do. */
    spiky s = {N, 8 * ROOT * epsilon, 0.75, 0, 0};
    cls_refine problem = spiky_problem(&s);
    problem.op = CLSOLVE_TRANS;
    problem.gmres = 1;
    problem.basis = 10;
    problem.cycles = 2;
    cls_refined result = {.converged = 1};
    assert_int_equal(cls_refine_solve(&problem, 1, B, X, &result), CLSOLVE_OK);
    assert_true(result.gmres == 1 && result.converged && !result.unsettled);
}

/* B is the first unit vector, so the 1-norm of a residual is N times its largest element, beside ||x||_1 = ||x||_inf: only the
 * 1-norm tells. Its target is sqrt(N) epsilon, for ||A||_1 ||x||_1 + ||b||_1 = 2. */
TEST(test_stop_by_the_1_norm) {
    enum { N = 400, ROOT = 20 };
    static const double error[] = {0.8 * ROOT, 1.2 * ROOT}; /* of the first answer, in epsilon */
    double B[N] = {1}, X[N], epsilon = DBL_EPSILON / 2;
    for (int steps = 0; steps < 2; ++steps) {
        spiky s = {N, 2 * error[steps] * epsilon / N, 0, 0, 1};
        const cls_refine problem = spiky_problem(&s);
        cls_refined result = {.converged = 1};
        assert_int_equal(cls_refine_solve(&problem, 1, B, X, &result), CLSOLVE_OK);
        if (result.iterations != steps) fail_msg("%d steps, not %d", (int)result.iterations, steps);
    }
}

/* A step that makes the answer worse is taken back, to the bit. */
TEST(test_worse_step) {
    enum { N = 400 };
    double B[N], X[N], epsilon = DBL_EPSILON / 2, off = 1024 * epsilon;
    for (int64_t i = 0; i < N; ++i) B[i] = 1;
    spiky s = {N, off, 3, 0, 0};
    const cls_refine problem = spiky_problem(&s);
    cls_refined result = {.converged = 1};
    assert_int_equal(cls_refine_solve(&problem, 1, B, X, &result), CLSOLVE_OK);
    assert_int_equal(result.iterations, 1);
    for (int64_t i = 0; i < N; ++i) assert_true(X[i] == (i == 3 ? 1 + off : 1));
}

/* ---- the solve of a handle: an acceptable answer stands where there is no room for better factors ---- */

/* What stands in the place of cls_direct_refine and cls_direct_fall_back (tests/lu/CMakeLists.txt). */
static struct {
    int acceptable; /* how many solves are, before one is not */
    int fallbacks;
    clsolve_status fall_back; /* how it goes */
} poor;

clsolve_status __wrap_cls_direct_refine(cls_direct *direct, clsolve_op op, int64_t cols, const double *B, double *X);
clsolve_status __wrap_cls_direct_refine(cls_direct *direct, clsolve_op op, int64_t cols, const double *B, double *X) {
    (void)op;
    for (int64_t k = 0; k < cols; ++k) X[k] = 2 * B[k];
    if (poor.acceptable-- <= 0) direct->steps.converged = 0;
    direct->steps.unsettled = 1;
    return CLSOLVE_OK;
}

clsolve_status __wrap_cls_direct_fall_back(cls_direct *direct, const char *call);
clsolve_status __wrap_cls_direct_fall_back(cls_direct *direct, const char *call) {
    (void)direct;
    (void)call;
    poor.fallbacks++;
    return poor.fall_back;
}

TEST(test_no_room) {
    enum { COLUMNS = CLS_REFINE_COLUMNS + 1 };
    static const struct {
        int acceptable;
        clsolve_status fall_back, status;
        int fallbacks;
    } cases[] = {{100, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, CLSOLVE_OK, 1},
                 {0, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, 1},
                 {2, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, 2}, /* the last column */
                 {100, CLSOLVE_ERROR_DEVICE, CLSOLVE_ERROR_DEVICE, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        cls_error error = {{0}};
        cls_device device = {.error = &error};
        cls_direct_ops ops = {.factors_name = "U"};
        cls_direct direct = {
            .ops = &ops, .device = &device, .type = CLSOLVE_F64, .n = 1, .mixed = 1, .copies = 1, .refines = 1};
        poor.acceptable = cases[k].acceptable;
        poor.fall_back = cases[k].fall_back;
        poor.fallbacks = 0;
        double B[COLUMNS];
        clsolve_matrix b = clsolve_matrix_f64(1, COLUMNS, B);
        for (int c = 0; c < COLUMNS; ++c) B[c] = c;
        assert_int_equal(cls_direct_solve(&direct, "test", CLSOLVE_NO_TRANS, &b), cases[k].status);
        assert_int_equal(poor.fallbacks, cases[k].fallbacks);
        for (int c = 0; c < COLUMNS; ++c) assert_true(B[c] == (cases[k].status == CLSOLVE_OK ? 2 * c : c));
    }
}

/* An operator that fails: its status comes back, from the first step and from within GMRES. */
static clsolve_status failing_precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    hopeless *h = self;
    if (h->answers-- == 0) return CLSOLVE_ERROR_DEVICE;
    (void)op;
    for (int64_t k = 0; k < h->n * cols; ++k) D[k] = R[k];
    return CLSOLVE_OK;
}

TEST(test_failing) {
    enum { N = 12 };
    test_random random = test_random_start(51);
    double A[N * N], B[N], X[N];
    test_with_condition(&random, N, 3, 10, A);
    test_random_fill(&random, B, N);
    for (int after = 0; after < 6; ++after) {
        hopeless h = {N, A, after};
        cls_refine problem = {.n = N,
                              .op = CLSOLVE_NO_TRANS,
                              .norm = N * CLS_NORM_SCALE,
                              .norm_inf = N * CLS_NORM_SCALE,
                              .epsilon = DBL_EPSILON / 2,
                              .gmres = 1,
                              .basis = N,
                              .cycles = 4,
                              .self = &h,
                              .residual = hopeless_residual,
                              .precondition = failing_precondition};
        cls_refined result = {.converged = 1, .backward_error = -1};
        assert_int_equal(cls_refine_solve(&problem, 1, B, X, &result), CLSOLVE_ERROR_DEVICE);
    }
}

/* x = D^-1 x for a diagonal D whose inverse leaves the range. */
static clsolve_status divide(void *self, clsolve_op op, double *x) {
    const double *d = self;
    (void)op;
    for (int i = 0; i < 4; ++i) x[i] /= d[i];
    return CLSOLVE_OK;
}

TEST(test_rcond) {
    double d[4] = {1, 2, -4, 0.5}, rcond = -1;
    assert_int_equal(cls_rcond(NULL, 4, 1, 4, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0.125);
    d[2] = 0; /* Inf comes back: no number is made of it */
    assert_int_equal(cls_rcond(NULL, 4, 1, 4, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0);
    assert_int_equal(cls_rcond(NULL, 0, 1, 0, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 1);
    assert_int_equal(cls_rcond(NULL, 4, 1, 0, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0);
}

/* X = M X for a dense M. */
typedef struct dense {
    int64_t n, parts, products;
    const double *M; /* real */
} dense;

static clsolve_status multiply(void *self, clsolve_op op, double *x) {
    dense *d = self;
    const int64_t n = d->n, p = d->parts;
    SCRATCH double *y = test_doubles(n * p);
    assert_int_equal(op, CLSOLVE_NO_TRANS);
    d->products++;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t q = 0; q < p; ++q) y[i * p + q] += d->M[i + j * n] * x[j * p + q];
    memcpy(x, y, (size_t)(n * p) * sizeof *x);
    return CLSOLVE_OK;
}

/* From above, and not by much more than the factor of so many vectors: for each place of a matrix of one element, and
 * for an inverse with one large column. */
TEST(test_norm_bound) {
    enum { N = 90 };
    static double M[N * N];
    for (int which = 0; which < 4; ++which) {
        dense d = {N, which % 2 + 1, 0, M};
        const int vectors = which / 2 + 1;
        const double factor = vectors == 1 ? 0x1p30 : 0x1p15, enough = vectors == 1 ? (double)INFINITY : 0;
        double bound = -1, norm = 0;
        for (int64_t j = 0; j < N; ++j) {
            memset(M, 0, sizeof M);
            M[(j * 7 + 3) % N + j * N] = -3;
            assert_int_equal(cls_norm_bound(NULL, N, d.parts, enough, multiply, &d, &bound), CLSOLVE_OK);
            if (!(bound >= 3 && bound <= 5 * factor)) fail_msg("column %d: %g", (int)j, bound);
        }
        memset(M, 0, sizeof M); /* of the inverse of the unit triangle with -1 above: powers of two */
        for (int64_t j = 0; j < N; ++j)
            for (int64_t i = 0; i <= j; ++i) M[i + j * N] = i == j ? 1 : ldexp(1, (int)(j - i - 1));
        for (int64_t i = 0; i < N; ++i) norm += M[i + (N - 1) * N];
        assert_int_equal(cls_norm_bound(NULL, N, d.parts, enough, multiply, &d, &bound), CLSOLVE_OK);
        assert_true(bound >= norm && bound <= 4 * factor * norm);
        assert_true(d.products == vectors * (N + 1));
        M[0] = (double)INFINITY;
        assert_int_equal(cls_norm_bound(NULL, N, d.parts, enough, multiply, &d, &bound), CLSOLVE_OK);
        assert_true(!isfinite(bound));
        M[0] = (double)NAN;
        assert_int_equal(cls_norm_bound(NULL, N, d.parts, enough, multiply, &d, &bound), CLSOLVE_OK);
        assert_true(isnan(bound));
        assert_int_equal(cls_norm_bound(NULL, 0, d.parts, enough, multiply, &d, &bound), CLSOLVE_OK);
        assert_true(bound == 0);
    }
}

/* Vectors brought to a size and back by powers of two at both ends of double's range: to the bit what ldexp gives. */
TEST(test_vectors_by_powers) {
    enum { N = 7 };
    static const double from[][N] = {{1, -3, 0, 0x1.8p-40, 5, 7, -0.1},
                                     {DBL_MAX, -1, 0x1p-1060, 0, 3, DBL_MIN, 2},
                                     {0x1.3p-1040, 0x1.7p-1050, 0, 0x1p-1074, 0x1p-1022, 0, 0},
                                     {0, 0, 0, 0, 0, 0, 0},
                                     {1, (double)NAN, 2, 3, 4, 5, 6},
                                     {1, 2, (double)INFINITY, 3, 4, 5, 6}};
    static const int powers[][N] = {
        {0}, {1, -1, 30, 7, 0, 2, -9}, {1000, -1000, 1022, 3, -1022, 40, 0}, {-1022, -1022, -1022, 0, 0, -60, 9}};
    static const int units[] = {0, 900, -900};
    for (int f = 0; f < 6; ++f)
        for (int p = -1; p < 4; ++p)
            for (int u = 0; u < 3; ++u) {
                double v[N], to[N], want[N];
                int most = INT_MIN, known = 1;
                for (int i = 0; i < N; ++i) {
                    v[i] = ldexp(1, p < 0 ? 0 : powers[p][i]);
                    known = known && isfinite(from[f][i]);
                    if (known && from[f][i] != 0)
                        most = most > ilogb(from[f][i]) + ilogb(v[i]) ? most : ilogb(from[f][i]) + ilogb(v[i]);
                }
                const int e = known && most > INT_MIN ? most - units[u] : 0;
                assert_int_equal(cls_vector_bring_in(N, 1, p < 0 ? NULL : v, ldexp(1, units[u]), from[f], to), e);
                for (int i = 0; i < N; ++i) want[i] = ldexp(from[f][i], ilogb(v[i]) - e);
                assert_memory_equal(to, want, sizeof to);
                for (int i = 0; i < N; ++i) to[i] = from[f][i], want[i] = ldexp(from[f][i], 3 * units[u] + ilogb(v[i]));
                cls_vector_bring_out(N, 1, p < 0 ? NULL : v, 3 * units[u], to);
                assert_memory_equal(to, want, sizeof to);
            }
}

TEST_PROGRAM_ALONE(NULL, NULL)
