/*
 * LU with a tournament's pivots: partial pivoting's where one group has all rows; elsewhere good factors with growth of the same
 * size, on the matrices too that make pivots grow.
 */
#include "lu/refine_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE_GROUP = 128 }; /* no group has fewer rows */

typedef struct factored {
    clsolve_status status;
    clsolve_report report;
    double *LU;
    int64_t *ipiv;
} factored;

static factored factor(clsolve_type type, clsolve_pivoting pivoting, int64_t n, const double *A) {
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .pivoting = pivoting};
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    factored f = {.LU = test_elements(type, n * n), .ipiv = calloc((size_t)n + 1, sizeof *f.ipiv)};
    clsolve_lu *lu = NULL;

    test_matrix_set(&a, A);
    if (clsolve_lu_create(rs_context, n, type, &options, &lu) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(rs_context));
    f.status = clsolve_lu_factor(lu, &a.view);
    assert_int_equal(clsolve_lu_report(lu, &f.report), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factors(lu, &a.view, f.ipiv), CLSOLVE_OK);
    test_matrix_get(&a, f.LU);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
    return f;
}

static void drop(factored *f) {
    free(f->LU);
    free(f->ipiv);
}

/* Rows of a directed graph's edges: 1 and -1 in two columns, or one of them. Every element of every LU of it is 0 or +-1,
 * so that it is exact, and pivots are ties. */
static void incidence(test_random *random, int64_t n, double *A) {
    for (int64_t k = 0; k < n * n; ++k) A[k] = 0;
    for (int64_t i = 0; i < n; ++i) {
        double at[2];
        test_random_fill(random, at, 2);
        int64_t from = (int64_t)(fabs(at[0]) * (double)n) % n, to = (int64_t)(fabs(at[1]) * (double)n) % n;
        A[i + from * n] = 1;
        if (to != from) A[i + to * n] = -1;
    }
}

static void permutation(int64_t n, double *A) {
    for (int64_t k = 0; k < n * n; ++k) A[k] = 0;
    for (int64_t i = 0; i < n; ++i) A[i + (i * 7 + 3) % n * n] = i % 2 ? 1 : -2; /* n is no multiple of 7 */
}

static void graded(test_random *random, int64_t n, double *A) {
    test_random_fill(random, A, n * n);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = ldexp(A[i + j * n], (int)((i * 13 + j * 5) % 40) - 20);
}

enum { RANDOM, GRADED, INCIDENCE, PERMUTATION, ZERO_COLUMNS, KINDS };

static double *make_real(test_random *random, int kind, int64_t n) {
    double *A = rs_doubles(n * n);
    test_random_fill(random, A, n * n);
    if (kind == GRADED) graded(random, n, A);
    if (kind == INCIDENCE) incidence(random, n, A);
    if (kind == PERMUTATION) permutation(n, A);
    for (int64_t j = 2; kind == ZERO_COLUMNS && j < n; j += 5)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = 0;
    return A;
}

/* Of complex types random parts are two such matrices, and exact kinds have rows of real and of imaginary numbers. */
static double *make(test_random *random, clsolve_type type, int kind, int64_t n) {
    const int64_t parts = test_numbers(type, 1);
    double *A = make_real(random, kind, n), *made = rs_turned(type, n, A);
    for (int64_t part = 0; part < parts && kind != INCIDENCE && kind != PERMUTATION; ++part) {
        double *values = make_real(random, kind, n);
        for (int64_t k = 0; k < n * n; ++k) made[parts * k + part] = test_rounded(type, values[k]);
        free(values);
    }
    free(A);
    return made;
}

static int reaches(clsolve_type type) {
    return type == CLSOLVE_F32 || type == CLSOLVE_C32 || rs_fp64;
}

/* In float rounding chooses between close random candidates; double has none, and the other kinds are exact. */
static int has_close_candidates(clsolve_type type, int kind) {
    return test_epsilon(type) > 1e-10 && kind != INCIDENCE && kind != PERMUTATION;
}

/* |l| of element k. */
static double modulus(clsolve_type type, const double *LU, int64_t k) {
    return test_numbers(type, 1) == 2 ? hypot(LU[2 * k], LU[2 * k + 1]) : fabs(LU[k]);
}

/* What partial pivoting has, whichever of two close candidates it took. Complex ones are compared by |re| + |im|. */
static void check_multipliers(clsolve_type type, int64_t n, const double *LU) {
    const double most = test_numbers(type, 1) == 2 ? sqrt(2) : 1;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i)
            if (!(modulus(type, LU, i + j * n) <= most * (1 + 1000 * test_epsilon(type))))
                fail_msg("n %d: multiplier %d, %d is %g", (int)n, (int)i, (int)j, modulus(type, LU, i + j * n));
}

/* One group has all rows: the same pivots, and P A = L U. */
static void test_one_group(void **state) {
    static const int64_t sizes[] = {1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 64, 97, ONE_GROUP};
    test_random random = test_random_start(1);
    (void)state;
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
        for (size_t s = 0; reaches(type) && s < sizeof sizes / sizeof *sizes; ++s)
            for (int kind = 0; kind < KINDS; ++kind) {
                int64_t n = sizes[s];
                double *A = make(&random, type, kind, n);
                factored p = factor(type, CLSOLVE_PIVOTING_PARTIAL, n, A);
                factored t = factor(type, CLSOLVE_PIVOTING_TOURNAMENT, n, A);
                assert_string_equal(t.report.direct.pivoting, "tournament");
                assert_int_equal(t.status, p.status);
                assert_int_equal(t.report.info, p.report.info);
                check_multipliers(type, n, t.LU);
                for (int64_t k = 0; k < n && !has_close_candidates(type, kind); ++k)
                    if (t.ipiv[k] != p.ipiv[k])
                        fail_msg("type %d, kind %d, n %d: pivot %d is %d, not %d", type, kind, (int)n, (int)k,
                                 (int)t.ipiv[k], (int)p.ipiv[k]);
                double ratio = ratio_factors(type, n, A, t.LU, t.ipiv);
                if (!(ratio < RATIO_BOUND)) fail_msg("type %d, kind %d, n %d: ratio %g", type, kind, (int)n, ratio);
                drop(&p);
                drop(&t);
                free(A);
            }
}

/* Two rounds and three: P A = L U, pivots that LAPACK can apply, zeros told, the same on every run. */
static void test_rounds(void **state) {
    static const int64_t sizes[] = {129, 150, 300, 523}; /* three rounds by groups of 128 rows from 513 on */
    test_random random = test_random_start(2);
    (void)state;
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
        for (size_t s = 0; reaches(type) && s < sizeof sizes / sizeof *sizes; ++s)
            for (int kind = 0; kind < KINDS; ++kind) {
                int64_t n = sizes[s], zero = 0;
                double *A = make(&random, type, kind, n);
                factored t = factor(type, CLSOLVE_PIVOTING_TOURNAMENT, n, A);
                factored again = factor(type, CLSOLVE_PIVOTING_TOURNAMENT, n, A);
                for (int64_t k = n - 1; k >= 0; --k) {
                    assert_in_range(t.ipiv[k], k + 1, n);
                    if (modulus(type, t.LU, k + k * n) == 0) zero = k + 1;
                }
                assert_int_equal(t.report.info, zero);
                assert_int_equal(t.status, zero ? CLSOLVE_SINGULAR : CLSOLVE_OK);
                assert_true(kind != ZERO_COLUMNS || zero == 3);
                assert_true(kind != PERMUTATION || zero == 0);
                double ratio = ratio_factors(type, n, A, t.LU, t.ipiv);
                if (!(ratio < RATIO_BOUND)) fail_msg("type %d, kind %d, n %d: ratio %g", type, kind, (int)n, ratio);
                assert_memory_equal(t.ipiv, again.ipiv, (size_t)n * sizeof *t.ipiv);
                assert_memory_equal(t.LU, again.LU, (size_t)test_numbers(type, n * n) * sizeof *t.LU);
                for (int64_t j = 0; kind == PERMUTATION && j < n; ++j)
                    for (int64_t i = 0; i < n; ++i) assert_true(i == j || modulus(type, t.LU, i + j * n) == 0);
                drop(&t);
                drop(&again);
                free(A);
            }
}

/* ---- growth ---- */

/* -1 below the diagonal, 1 on it and in the last column: 2^(n-1). */
static void wilkinson(int64_t n, double *A) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = j == n - 1 || i == j ? 1 : i > j ? -1 : 0;
}

/* L. V. Foster, SIAM J. Matrix Anal. Appl. 15 (1994): a Volterra equation by the trapezoidal rule. */
static void foster(int64_t n, double *A) {
    const double kh = 0.5, last = -1.0 / 6;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double x = i == j ? 1 - kh / 2 : i > j ? -kh : 0;
            A[i + j * n] = j > 0 ? x : i > 0 ? -kh / 2 : 1;
        }
    for (int64_t i = 0; i < n; ++i) A[i + (n - 1) * n] = last;
    A[n * n - 1] = 1 + last - kh / 2;
}

/* S. J. Wright, SIAM J. Sci. Comput. 14 (1993): multiple shooting of a boundary value problem, blocks of two. */
static void wright(int64_t n, double *A) {
    const double M[4] = {-0.95, -0.4, -0.4, -0.95}; /* minus the step from one point to the next */
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int64_t i = 0; i < n; ++i) A[i + i * n] = 1;
    for (int64_t i = 0; i < 2; ++i) A[i + (n - 2 + i) * n] = 1;
    for (int64_t b = 2; b < n; b += 2)
        for (int64_t k = 0; k < 4; ++k) A[b + k % 2 + (b - 2 + k / 2) * n] = M[k];
}

static double largest(int64_t n, const double *A, int upper) {
    double most = 0;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < (upper ? j + 1 : n); ++i) most = fmax(most, fabs(A[i + j * n]));
    return most;
}

/* The report tells the growth as it is, and it is not much more than partial pivoting's. */
static void test_growth(void **state) {
    static const struct {
        const char *name;
        void (*make)(int64_t n, double *A);
        double base; /* growth is beyond base^n with partial pivoting */
    } kinds[] = {{"Wilkinson", wilkinson, 1.9}, {"Foster", foster, 1.4}, {"Wright", wright, 1.1}};
    static const int64_t sizes[] = {24, 60, 160, 300};
    (void)state;
    if (!rs_fp64) skip();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            int64_t n = sizes[s];
            double *A = rs_doubles(n * n);
            kinds[k].make(n, A);
            factored p = factor(CLSOLVE_F64, CLSOLVE_PIVOTING_PARTIAL, n, A);
            factored t = factor(CLSOLVE_F64, CLSOLVE_PIVOTING_TOURNAMENT, n, A);
            double told = t.report.direct.growth, is = largest(n, t.LU, 1) / largest(n, A, 0);
            print_message("%s, n %d: growth %g by partial pivoting, %g by a tournament\n", kinds[k].name, (int)n,
                          p.report.direct.growth, told);
            assert_true(fabs(told - is) <= 1e-12 * is);
            assert_true(p.report.direct.growth > pow(kinds[k].base, (double)n));
            assert_true(told <= 4 * p.report.direct.growth);
            assert_true(ratio_factors(CLSOLVE_F64, n, A, t.LU, t.ipiv) < RATIO_BOUND * told);
            drop(&p);
            drop(&t);
            free(A);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_group),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, rs_open, rs_close);
}
