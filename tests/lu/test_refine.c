/* Refinement and the condition estimate by themselves, with operators of the test's own: no device. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lu/ratios.h"
#include "method/rcond.h"
#include "method/refine.h"
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

static void test_hopeless(void **state) {
    enum { N = 30, COLUMNS = 3 };
    test_random random = test_random_start(40);
    double A[N * N], B[N * COLUMNS], X[N * COLUMNS], norm = 0;
    (void)state;
    test_with_condition(&random, N, 3, 10, A);
    test_random_fill(&random, B, N * COLUMNS);
    for (int64_t j = 0; j < N; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < N; ++i) sum += fabs(A[i + j * N]);
        norm = fmax(norm, sum);
    }
    for (int answers = 0; answers < 4; ++answers) {
        hopeless h = {N, A, answers};
        cls_refine problem = {.n = N,
                              .op = CLSOLVE_NO_TRANS,
                              .norm = norm * CLS_NORM_SCALE,
                              .epsilon = DBL_EPSILON / 2,
                              .gmres = 1,
                              .basis = N,
                              .cycles = 4,
                              .self = &h,
                              .residual = hopeless_residual,
                              .precondition = hopeless_precondition};
        cls_refined result = {.converged = 1, .backward_error = -1};
        assert_int_equal(cls_refine_solve(&problem, COLUMNS, B, X, &result), CLSOLVE_OK);
        assert_in_range(result.history_length, 1, CLSOLVE_HISTORY);
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

/* An operator that fails: its status comes back, from the first step and from within GMRES. */
static clsolve_status failing_precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    hopeless *h = self;
    if (h->answers-- == 0) return CLSOLVE_ERROR_DEVICE;
    (void)op;
    for (int64_t k = 0; k < h->n * cols; ++k) D[k] = R[k];
    return CLSOLVE_OK;
}

static void test_failing(void **state) {
    enum { N = 12 };
    test_random random = test_random_start(51);
    double A[N * N], B[N], X[N];
    (void)state;
    test_with_condition(&random, N, 3, 10, A);
    test_random_fill(&random, B, N);
    for (int after = 0; after < 6; ++after) {
        hopeless h = {N, A, after};
        cls_refine problem = {.n = N,
                              .op = CLSOLVE_NO_TRANS,
                              .norm = N * CLS_NORM_SCALE,
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

static void test_rcond(void **state) {
    double d[4] = {1, 2, -4, 0.5}, rcond = -1;
    (void)state;
    assert_int_equal(cls_rcond(NULL, 4, 4, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0.125);
    d[2] = 0; /* Inf comes back: no number is made of it */
    assert_int_equal(cls_rcond(NULL, 4, 4, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0);
    assert_int_equal(cls_rcond(NULL, 0, 0, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 1);
    assert_int_equal(cls_rcond(NULL, 4, 0, divide, d, &rcond), CLSOLVE_OK);
    assert_true(rcond == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_failing),
        cmocka_unit_test(test_rcond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
