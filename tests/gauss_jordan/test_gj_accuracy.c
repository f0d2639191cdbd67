/*
 * Gauss-Jordan by LAPACK's measures: its matrices and its ratios for solutions (dget02) and inverses (dget03), all
 * variants, both types, layouts and operations; pivoting that cannot be left out, and leaving it out.
 */
#include <clsolve/clsolve.h>

#include "gauss_jordan/fixture.h"
#include "io/matrix_market.h"

static const int64_t sizes[] = {0, 1, 2, 3, 5, 16, 17, 31, 32, 33, 64, 67, 95, 96, 97, 127, 128, 129, 151};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int has_type(clsolve_type type) {
    return type == CLSOLVE_F32 || clsolve_context_device(context).fp64;
}

/* The program again, by other kernels or with fewer sizes. */
static int is_again(void) {
    return test_reduced() || gj_by_kernels();
}

/* The form of the blocked variant's kernels has no other variant, and on the host is what the options leave open. */
static int is_elsewhere(int variant) {
    if (test_on_host()) return variant != CLSOLVE_GAUSS_JORDAN_AUTO;
    return gj_by_kernels() && variant != CLSOLVE_GAUSS_JORDAN_BLOCKED;
}

/* A CPU compiles all kernels anew where it is treated as a GPU: there each variant has one of the types. */
static int compiles_anew(void) {
    return test_reduced() && test_pretends("gpu");
}

/* Double where there is; the blocked variant, whose kernels are others, has float where it is one type alone. */
static clsolve_type type_for(int variant) {
    if (compiles_anew() && variant == CLSOLVE_GAUSS_JORDAN_BLOCKED) return CLSOLVE_F32;
    return has_type(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
}

static int64_t singular_column(int kind, int64_t n) {
    return kind == 5 ? 1 : kind == 6 ? n : n / 2 + 1;
}

static void check_info(const clsolve_gauss_jordan *gj, int64_t info) {
    clsolve_report report;
    assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
    assert_int_equal(report.info, info);
    assert_string_equal(report.method, "gauss-jordan");
}

typedef struct shape {
    clsolve_type type;
    clsolve_layout layout;
    int kind;
    int64_t n, nrhs;
    const clsolve_gauss_jordan_options *options;
} shape;

static void complain(const shape *s, const char *what, double ratio) {
    fail_msg("%s, %s, n %d, %s, type %d, layout %d: ratio %g", gj_variant_names[s->options->variant], what, (int)s->n,
             test_kind_names[s->kind], (int)s->type, (int)s->layout, ratio);
}

static void check_solve(test_random *random, clsolve_gauss_jordan *gj, const shape *s, const double *A,
                        const test_matrix *a) {
    int64_t n = s->n, count = n * s->nrhs;
    double *B = test_doubles(count), *X = test_doubles(count);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        test_matrix b = test_matrix_make(s->type, s->layout, n, s->nrhs, 2);
        int singular = test_kind_singular(s->kind) && n > 0 && s->nrhs > 0;
        for (int64_t k = 0; k < count; ++k) B[k] = test_rounded(s->type, test_random_signed(random));
        test_matrix_set(&b, B);
        clsolve_status status = clsolve_gauss_jordan_solve(gj, (clsolve_op)op, &a->view, &b.view);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        if (status == CLSOLVE_OK && !singular) {
            double ratio = ratio_solve(s->type, (clsolve_op)op, n, s->nrhs, A, X, B);
            if (!(ratio < RATIO_BOUND)) complain(s, "solve", ratio);
        } else { /* right-hand sides of order 1 and a matrix near underflow: X may be too large for the type */
            if (status != (singular ? CLSOLVE_SINGULAR : CLSOLVE_OVERFLOW)) complain(s, clsolve_status_name(status), 0);
            assert_true(singular || s->kind == 10);
            if (singular && op == CLSOLVE_NO_TRANS) check_info(gj, singular_column(s->kind, n));
            for (int64_t k = 0; k < count; ++k) assert_true(X[k] == B[k]);
        }
        test_matrix_free(&b);
    }
    free(B), free(X);
}

static void check_inverse(clsolve_gauss_jordan *gj, const shape *s, const double *A, const test_matrix *a) {
    int64_t n = s->n;
    SCRATCH double *X = test_doubles(n * n);
    clsolve_layout other = s->n % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    scratch_matrix x = test_matrix_make(s->type, other, n, n, 1);
    clsolve_report report;
    clsolve_status status = clsolve_gauss_jordan_invert(gj, &a->view, &x.view);

    test_matrix_get(&x, X);
    test_matrix_spare_intact(&x);
    if (test_kind_singular(s->kind) && n > 0) {
        assert_int_equal(status, CLSOLVE_SINGULAR);
        check_info(gj, singular_column(s->kind, n));
        for (int64_t k = 0; k < n * n; ++k) assert_true(X[k] == -77.25);
    } else if (status == CLSOLVE_OK) {
        double ratio = ratio_inverse(s->type, n, A, X);
        if (!(ratio < RATIO_BOUND)) complain(s, "inverse", ratio);
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_true(n == 0 || (report.direct.rcond > 0 && report.direct.rcond <= 1 + 1e-5));
    } else {
        complain(s, clsolve_status_name(status), 0);
    }
}

static void check_one(test_random *random, const shape *s) {
    int64_t n = s->n;
    SCRATCH double *A = test_doubles(n * n), *same = test_doubles(n * n);
    scratch_matrix a = test_matrix_make(s->type, s->layout, n, n, 3);
    OWNED(gauss_jordan) *gj = gj_make(context, n, s->type, s->options);

    test_kind_make(random, s->type, s->kind, n, A);
    test_matrix_set(&a, A);
    check_solve(random, gj, s, A, &a);
    check_inverse(gj, s, A, &a);
    test_matrix_get(&a, same); /* A is only read */
    for (int64_t k = 0; k < n * n; ++k) assert_true(same[k] == A[k]);
}

/* Of each border one. */
static int is_few(int64_t n, clsolve_gauss_jordan_variant variant) {
    return n == 0 || n == 1 || n == 3 || n == 33 || n == (variant == CLSOLVE_GAUSS_JORDAN_BLOCKED ? 129 : 67);
}

static void kinds_and_sizes(clsolve_gauss_jordan_variant variant) {
    test_random random = test_random_start(100 + (uint64_t)variant);
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        if (!has_type((clsolve_type)type)) continue;
        /* In other shapes each variant's kernels in one of the types; test_gj_range.c has both. */
        if (gj_shaped() && has_type(CLSOLVE_F64) && (type + (int)variant) % 2) continue;
        if (compiles_anew() && (clsolve_type)type != type_for((int)variant)) continue;
        for (int i = 0; i < SIZES; i += gj_shaped() ? 5 : 1)
            for (int kind = gj_shaped() ? 4 : 1; kind <= (gj_shaped() ? 7 : TEST_KINDS); ++kind) {
                /* Half of them by turns of four, which take both layouts and each number of right-hand sides. */
                if (variant != CLSOLVE_GAUSS_JORDAN_AUTO && !gj_shaped() && ((i + kind) / 4 + type) % 2) continue;
                if (is_again() && !gj_shaped() && !is_few(sizes[i], variant)) continue;
                clsolve_gauss_jordan_options options = {.variant = variant, .block = i % 2 ? 32 : 0};
                shape s = {(clsolve_type)type,
                           (i + kind) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                           kind,
                           sizes[i],
                           (i + kind) % 4,
                           &options};
                check_one(&random, &s);
            }
    }
}

static void test_auto(void **state) {
    kinds_and_sizes(CLSOLVE_GAUSS_JORDAN_AUTO);
}

static void test_two_pass(void **state) {
    kinds_and_sizes(CLSOLVE_GAUSS_JORDAN_TWO_PASS);
}

static void test_one_pass(void **state) {
    kinds_and_sizes(CLSOLVE_GAUSS_JORDAN_ONE_PASS);
}

static void test_operations(void **state) {
    kinds_and_sizes(CLSOLVE_GAUSS_JORDAN_OPERATIONS);
}

static void test_blocked(void **state) {
    kinds_and_sizes(CLSOLVE_GAUSS_JORDAN_BLOCKED);
}

/* Blocks that fit nothing, slabs of few columns, more right-hand sides than unknowns. */
static void test_blocks_and_slabs(void **state) {
    test_random random = test_random_start(7);
    for (int variant = CLSOLVE_GAUSS_JORDAN_TWO_PASS; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; ++variant) {
        clsolve_gauss_jordan_variant v = (clsolve_gauss_jordan_variant)variant;
        const clsolve_gauss_jordan_options options[] = {{.variant = v, .block = 1},
                                                        {.variant = v, .block = 1000},
                                                        {.variant = v, .block = 7},
                                                        {.variant = v, .block = 32, .slab_bytes = 150 * 8 * 40},
                                                        {.variant = v, .block = 90, .slab_bytes = 150 * 8 * 95},
                                                        {.variant = v, .slab_bytes = 1}};
        /* Blocks are of the blocked variant, and each width is a kernel; slabs are everybody's. */
        const size_t first = v != CLSOLVE_GAUSS_JORDAN_BLOCKED ? 3 : is_again() ? 2 : 0;
        if (is_elsewhere(variant)) continue;
        for (size_t k = first; k < sizeof options / sizeof *options; ++k) {
            if (is_again() && (k == 4 || (k == 5 && v != CLSOLVE_GAUSS_JORDAN_BLOCKED))) continue;
            shape column = {type_for(variant), CLSOLVE_COLUMN_MAJOR, 4, 139, 150, &options[k]};
            shape row = {type_for(variant), CLSOLVE_ROW_MAJOR, 4, 101, 5, &options[k]};
            check_one(&random, &column);
            check_one(&random, &row);
        }
    }
}

/* A, of which no leading block can be inverted, is solved and inverted by each variant; and refused without pivoting. */
static void check_needs_pivoting(int64_t n, const double *A, const char *what, int refused) {
    SCRATCH double *X = test_doubles(n * n), *mine = test_doubles(n * n);

    for (int variant = CLSOLVE_GAUSS_JORDAN_TWO_PASS; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; ++variant) {
        if (is_elsewhere(variant)) continue;
        const clsolve_type type = type_for(variant);
        scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        scratch_matrix x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        test_matrix_set(&a, A);
        test_matrix_get(&a, mine);
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant, .block = 32};
        clsolve_gauss_jordan *gj = gj_make(context, n, type, &options);
        clsolve_status status = clsolve_gauss_jordan_invert(gj, &a.view, &x.view);
        if (status != CLSOLVE_OK) fail_msg("%s: %s", what, clsolve_context_message(context));
        test_matrix_get(&x, X);
        double ratio = ratio_inverse(type, n, mine, X);
        if (!(ratio < RATIO_BOUND)) fail_msg("%s, %s: ratio %g", what, gj_variant_names[variant], ratio);
        clsolve_gauss_jordan_destroy(gj);

        options.pivoting = CLSOLVE_PIVOTING_NONE;
        gj = gj_make(context, n, type, &options);
        status = clsolve_gauss_jordan_invert(gj, &a.view, &x.view);
        if (refused) {
            assert_int_equal(status, CLSOLVE_SINGULAR);
            check_info(gj, 1);
        }
        clsolve_gauss_jordan_destroy(gj);
    }
}

static void test_needs_pivoting(void **state) {
    static const int64_t orders[] = {2, 3, 33, 67, 128, 130};
    test_random random = test_random_start(8);
    for (size_t o = test_reduced() ? 1 : 0; o < sizeof orders / sizeof *orders; o += test_reduced() ? 2 : 1) {
        int64_t n = orders[o];
        SCRATCH double *A = test_doubles(n * n);
        /* Zero diagonal. */
        test_random_fill(&random, A, n * n);
        for (int64_t i = 0; i < n; ++i) A[i + i * n] = 0;
        check_needs_pivoting(n, A, "zero diagonal", 1);
        /* A permutation that moves every row. */
        for (int64_t k = 0; k < n * n; ++k) A[k] = 0;
        for (int64_t j = 0; j < n; ++j) A[(j + n / 2 + (n == 3)) % n + j * n] = j % 2 ? -1 : 1;
        check_needs_pivoting(n, A, "permutation", 1);
        /* A tiny pivot: without pivoting all digits are lost, but nothing is exactly zero. */
        test_random_fill(&random, A, n * n);
        A[0] = 1e-30;
        check_needs_pivoting(n, A, "tiny pivot", 0);
    }
}

/* Diagonally dominant by columns: no pivoting is needed, and none happens. */
static void test_without_pivoting(void **state) {
    clsolve_type type = has_type(CLSOLVE_F64) ? CLSOLVE_F64 : CLSOLVE_F32;
    test_random random = test_random_start(9);
    for (int variant = CLSOLVE_GAUSS_JORDAN_TWO_PASS; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; ++variant) {
        int64_t n = 131;
        clsolve_gauss_jordan_options options = {
            .variant = (clsolve_gauss_jordan_variant)variant, .pivoting = CLSOLVE_PIVOTING_NONE, .block = 48};
        SCRATCH double *A = test_doubles(n * n), *B = test_doubles(2 * n), *X = test_doubles(n * n);
        scratch_matrix a = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, n, 2),
                       x = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, 2, 0);
        OWNED(gauss_jordan) *gj = gj_make(context, n, type, &options);
        test_random_fill(&random, A, n * n);
        test_random_fill(&random, B, 2 * n);
        for (int64_t i = 0; i < n; ++i) A[i + i * n] = (double)n;
        test_matrix_set(&a, A), test_matrix_get(&a, A);
        test_matrix_set(&b, B), test_matrix_get(&b, B);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        test_matrix_get(&x, X);
        assert_true(ratio_inverse(type, n, A, X) < RATIO_BOUND);
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        assert_true(ratio_solve(type, CLSOLVE_NO_TRANS, n, 2, A, X, B) < RATIO_BOUND);
    }
}

/* Rows that differ by many orders of magnitude. */
static void test_graded(void **state) {
    test_random random = test_random_start(10);
    int64_t n = 97;
    SCRATCH double *A = test_doubles(n * n);
    SCRATCH double *B = test_doubles(n), *X = test_doubles(n);
    if (!has_type(CLSOLVE_F64)) skip();
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] = ldexp(test_random_signed(&random), (int)(-8 * i));
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) B[i] += A[i + j * n];
    }
    for (int variant = CLSOLVE_GAUSS_JORDAN_TWO_PASS; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; ++variant) {
        if (type_for(variant) != CLSOLVE_F64 || is_elsewhere(variant)) continue;
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant, .block = 16};
        OWNED(gauss_jordan) *gj = gj_make(context, n, CLSOLVE_F64, &options);
        for (int64_t i = 0; i < n; ++i) X[i] = B[i];
        clsolve_matrix a = clsolve_matrix_f64(n, n, A), x = clsolve_matrix_f64(n, 1, X);
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a, &x), CLSOLVE_OK);
        double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, n, 1, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("graded, %s: ratio %g", gj_variant_names[variant], ratio);
    }
}

/* A known condition: ones and a 10^k on the diagonal, of more columns than the norm has groups for. */
static void test_rcond(void **state) {
    for (int variant = CLSOLVE_GAUSS_JORDAN_ONE_PASS; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; variant += 2) {
        if (is_elsewhere(variant)) continue;
        const clsolve_type type = type_for(variant);
        const double limit = type == CLSOLVE_F64 ? 12 : 5;
        for (double k = 0; k <= limit; k += limit) {
            clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant};
            int64_t n = 300;
            SCRATCH double *A = test_doubles(n * n);
            scratch_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
            OWNED(gauss_jordan) *gj = gj_make(context, n, type, &options);
            clsolve_report report;
            for (int64_t i = 0; i < n; ++i) A[i + i * n] = i == 7 ? pow(10, k) : 1;
            test_matrix_set(&a, A);
            assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &a.view), CLSOLVE_OK);
            assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
            assert_true(fabs(report.direct.rcond * pow(10, k) - 1) < 1e-5);
        }
    }
}

/* A real matrix, all variants: the answer is ones, and west0479 has zeros on its diagonal. */
static void test_real_matrices(void **state) {
    static const char *const names[] = {"west0479", "gre__115", "e05r0500", "pde900"};
    int found = 0;
    if (!has_type(CLSOLVE_F64)) skip();
    for (size_t m = 0; m < sizeof names / sizeof *names; ++m) {
        const char *path = test_matrix_path(names[m]);
        mm_matrix read = {0};
        if (!path || mm_read(path, &read, NULL) != MM_OK) continue;
        int64_t n = read.rows;
        if (test_reduced() && n > 200) {
            mm_free(&read);
            continue;
        }
        double *A = test_doubles(n * n), *B = test_doubles(n), *X = test_doubles(n * n);
        clsolve_matrix a = clsolve_matrix_f64(n, n, A), x = clsolve_matrix_f64(n, 1, X),
                       inverse = clsolve_matrix_f64(n, n, X);
        mm_to_dense(&read, A, n);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) B[i] += A[i + j * n];
        for (int variant = CLSOLVE_GAUSS_JORDAN_AUTO; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; ++variant) {
            if (n > 500 && variant != CLSOLVE_GAUSS_JORDAN_AUTO) continue;
            if (type_for(variant) != CLSOLVE_F64 || is_elsewhere(variant)) continue;
            clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant};
            OWNED(gauss_jordan) *gj = gj_make(context, n, CLSOLVE_F64, &options);
            for (int64_t i = 0; i < n; ++i) X[i] = B[i];
            assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a, &x), CLSOLVE_OK);
            double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, n, 1, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("%s, %s: ratio %g", names[m], gj_variant_names[variant], ratio);
            assert_int_equal(clsolve_gauss_jordan_invert(gj, &a, &inverse), CLSOLVE_OK);
            ratio = ratio_inverse(CLSOLVE_F64, n, A, X);
            if (!(ratio < RATIO_BOUND)) fail_msg("%s, %s: inverse %g", names[m], gj_variant_names[variant], ratio);
        }
        mm_free(&read);
        free(A);
        free(B);
        free(X);
        found++;
    }
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto),           cmocka_unit_test(test_two_pass),
        cmocka_unit_test(test_one_pass),       cmocka_unit_test(test_operations),
        cmocka_unit_test(test_blocked),        cmocka_unit_test(test_blocks_and_slabs),
        cmocka_unit_test(test_needs_pivoting), cmocka_unit_test(test_without_pivoting),
        cmocka_unit_test(test_graded),         cmocka_unit_test(test_rcond),
        cmocka_unit_test(test_real_matrices),
    };
    /* In other shapes only the kernels of this method; the panel of blocked is dense LU's. */
    const struct CMUnitTest shaped[] = {
        cmocka_unit_test(test_two_pass),
        cmocka_unit_test(test_one_pass),
        cmocka_unit_test(test_operations),
    };
    const struct CMUnitTest blocked[] = {
        cmocka_unit_test(test_blocked),        cmocka_unit_test(test_blocks_and_slabs),
        cmocka_unit_test(test_needs_pivoting), cmocka_unit_test(test_graded),
        cmocka_unit_test(test_rcond),          cmocka_unit_test(test_real_matrices),
    };
    const struct CMUnitTest host[] = {cmocka_unit_test(test_auto), cmocka_unit_test(test_real_matrices)};
    test_require_device();
    if (test_on_host()) return cmocka_run_group_tests(host, open_context, close_context);
    if (gj_by_kernels()) return cmocka_run_group_tests(blocked, open_context, close_context);
    if (gj_shaped()) return cmocka_run_group_tests(shaped, open_context, close_context);
    return cmocka_run_group_tests(tests, open_context, close_context);
}
