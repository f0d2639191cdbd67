/*
 * Batches of sparse matrices of one pattern: backward errors of all members, for every kind of pattern, in all types, indices and
 * storages, with one right-hand side and many, in all operations; values in any layout; members that are singular, hold NaN, have
 * other magnitudes than the typical one, or differ from it so much that they are done anew; portions; very many members; arguments.
 */
#include <clsolve/clsolve.h>

#include <float.h>

#include "api/context.h"
#include "base/type.h"
#include "sparse/batch_members.h"
#include "support/fixture.h"
#include "support/test_support.h"

static int on_device; /* 0: the handles work on the host */
static clsolve_sparse_batch *create(const members *s, int64_t memory_limit) {
    const clsolve_sparse_batch_options options = {.memory_limit = memory_limit};
    clsolve_sparse_batch *batch = NULL;
    if (clsolve_sparse_batch_create_csr(context, &s->rows.view, s->count, &options, &batch) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(context));
    return batch;
}

static void factor(members *s, clsolve_sparse_batch *batch) {
    if (clsolve_sparse_batch_factor(batch, &s->values, s->info) != CLSOLVE_OK)
        fail_msg("factor: %s", clsolve_context_message(context));
}

static void solve(members *s, clsolve_sparse_batch *batch, clsolve_op op) {
    if (clsolve_sparse_batch_solve(batch, op, &s->B, s->info) != CLSOLVE_OK)
        fail_msg("solve: %s", clsolve_context_message(context));
}

static int64_t again_of(const clsolve_sparse_batch *batch) {
    clsolve_sparse_batch_analysis analysis;
    assert_int_equal(clsolve_sparse_batch_get_analysis(batch, &analysis), CLSOLVE_OK);
    return analysis.again;
}

/* The determinant of a member, by LAPACK's LU of the dense matrix. */
static void check_determinants(members *s, clsolve_sparse_batch *batch) {
    const int64_t parts = cls_type_parts(s->type);
    SCRATCH double *det = calloc((size_t)(s->count * parts) + 1, sizeof *det),
                   *sign = calloc((size_t)(s->count * parts) + 1, 8);
    SCRATCH double *log_abs = calloc((size_t)s->count + 1, sizeof *log_abs);
    assert_true(det && sign && log_abs);
    EXPECT(context, clsolve_sparse_batch_determinant(batch, det, sign, log_abs), CLSOLVE_OK, "");
    for (int64_t m = 0; m < s->count; m++) {
        if (s->info[m] < 0) assert_true(isnan(log_abs[m]) && isnan(det[m * parts]) && isnan(sign[m * parts]));
        if (s->info[m] > 0) assert_true(isinf(log_abs[m]) && det[m * parts] == 0 && sign[m * parts] == 0);
        if (s->info[m] != 0) continue;
        const dense_facts facts = dense_measure(&s->A[m]);
        const double lost = 100 * (double)s->n * cls_type_epsilon(s->type) / facts.rcond;
        if (facts.singular || !(lost < 0.1)) continue;
        if (!(fabs(log_abs[m] - facts.log_abs) <= lost)) fail_msg("log |det| %g, not %g", log_abs[m], facts.log_abs);
        const double complex unit = parts == 2 ? CMPLX(sign[2 * m], sign[2 * m + 1]) : sign[m];
        if (!(cabs(unit - cexp(facts.phase * I)) <= lost)) fail_msg("phase %g, not %g", carg(unit), facts.phase);
        assert_true(fabs(creal(unit) * exp(log_abs[m]) - det[m * parts]) <= 1e-9 * exp(log_abs[m]));
    }
}

/* Each member's condition number against the one by LAPACK's inverse. The estimate is never above the norm but for
 * rounding. */
static void check_conditions(members *s, clsolve_sparse_batch *batch) {
    SCRATCH double *rcond = test_doubles(s->count + 1);
    EXPECT(context, clsolve_sparse_batch_condition(batch, rcond), CLSOLVE_OK, "");
    for (int64_t m = 0; m < s->count; m++) {
        if (s->info[m] < 0) assert_true(isnan(rcond[m]));
        if (s->info[m] > 0) assert_true(rcond[m] == 0);
        if (s->info[m] != 0) continue;
        const dense_facts facts = dense_measure(&s->A[m]);
        if (facts.singular || !(facts.rcond > 1e3 * (double)s->n * cls_type_epsilon(s->type))) continue;
        if (!(rcond[m] > 0.9 * facts.rcond && rcond[m] < RATIO_BOUND * facts.rcond))
            fail_msg("member %d: rcond is %g, not %g", (int)m, rcond[m], facts.rcond);
    }
}

/* ---- all kinds ---- */

static void run_kind(pattern kind, int64_t n, int64_t turn) {
    static const int64_t counts[] = {1, 2, 7, 8, 9, 17}, sides[] = {1, 1, 3};
    static const clsolve_type types[] = {CLSOLVE_F64, CLSOLVE_C64, CLSOLVE_F32, CLSOLVE_C32, CLSOLVE_F64};
    test_random random = test_random_start((uint64_t)turn);
    scratch_triplets A = pattern_make(kind, n, &random);
    const csr_form form = {.type = types[turn % 5],
                           .index = turn % 2 ? CLSOLVE_I32 : CLSOLVE_I64,
                           .base = (int)(turn / 2 % 2),
                           .unsorted = turn % 3 == 1,
                           .duplicates = turn % 3 == 1};
    scratch_members s = members_make(&A, counts[turn % 6], sides[turn / 6 % 3], &form, (int)(turn % 4), &random);
    OWNED(sparse_batch) *batch = create(&s, 0);
    for (int again = 0; again < 2; again++) {
        const clsolve_op op = (clsolve_op)(CLSOLVE_NO_TRANS + (turn + again) % 3);
        factor(&s, batch);
        members_draw_sides(&s, &random);
        solve(&s, batch, op);
        for (int64_t m = 0; m < s.count; m++) {
            assert_true(s.info[m] >= 0);
            if (s.info[m] == 0)
                members_check(&s, m, op, pattern_names[kind]);
            else
                members_check_kept(&s, m);
        }
        members_check_gaps(&s);
        factor(&s, batch); /* its infos */
        check_determinants(&s, batch);
        check_conditions(&s, batch);
        for (int64_t m = 0; m < s.count; m++) {
            members_vary(&s, m, &random);
            members_store(&s, m);
        }
    }
    clsolve_report report;
    assert_int_equal(clsolve_sparse_batch_report(batch, &report), CLSOLVE_OK);
    assert_int_equal(report.members, s.count);
    assert_string_equal(report.method, "sparse-lu");
}

TEST(test_kinds) {
    static const int64_t orders[] = {1, 2, 3, 5, 8, 17, 40, 61};
    int64_t turn = 0;
    for (int kind = 0; kind < PATTERNS; kind += test_reduced() ? 5 : 1)
        for (int k = test_reduced() ? 4 : 0; k < (test_reduced() ? 5 : 8); k++)
            run_kind((pattern)kind, orders[k], turn++);
}

/* ---- members apart from the others ---- */

static members usual(clsolve_type type, int64_t n, int64_t count, int64_t nrhs, test_random *random) {
    const csr_form form = {.type = type, .index = CLSOLVE_I32};
    scratch_triplets A = pattern_make(PATTERN_RANDOM, n, random);
    members s = members_make(&A, count, nrhs, &form, 0, random);
    return s;
}

/* Member 1 has NaN, 2 is all zeros, 3 has a NaN in B, 4 an Inf among its values, 5 a column of zeros. */
static void spoil(members *s) {
    s->A[1].at[s->A[1].count / 2].value = NAN;
    for (int64_t k = 0; k < s->A[2].count; k++) s->A[2].at[k].value = 0;
    s->A[4].at[0].value = INFINITY;
    for (int64_t k = 0; k < s->A[5].count; k++)
        if (s->A[5].at[k].column == s->n / 2) s->A[5].at[k].value = 0;
    for (int64_t m = 0; m < s->count; m++) members_store(s, m);
}

TEST(test_bad_members) {
    for (int t = 0; t < 4; t += test_reduced() ? 3 : 1) {
        test_random random = test_random_start((uint64_t)(900 + t));
        scratch_members s = usual((clsolve_type)(CLSOLVE_F32 + t), 23, 11, 2, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        clsolve_report report;
        spoil(&s);
        factor(&s, batch);
        assert_int_equal(clsolve_sparse_batch_report(batch, &report), CLSOLVE_OK);
        assert_int_equal(report.member, 2);
        assert_int_equal(report.info, -1);
        for (int64_t m = 0; m < s.count; m++)
            assert_true(m == 1 || m == 4 ? s.info[m] == -1 : m == 2 || m == 5 ? s.info[m] > 0 : s.info[m] == 0);
        members_draw_sides(&s, &random);
        members_side(&s, 3, 4, 1)[0] = NAN;
        members_put_side(&s, 3, 4, 1);
        solve(&s, batch, CLSOLVE_NO_TRANS);
        for (int64_t m = 0; m < s.count; m++) {
            if (m == 3) assert_int_equal(s.info[m], -1);
            if (s.info[m] == 0)
                members_check(&s, m, CLSOLVE_NO_TRANS, "beside bad members");
            else
                members_check_kept(&s, m);
        }
        assert_int_equal(s.info[0] + s.info[6] + s.info[10], 0);
    }
}

/* Member m + 4 has about 2^(m most / 4 n) times the determinant of the one in the middle. */
static void check_magnitudes(members *s, clsolve_sparse_batch *batch) {
    const int most = cls_is_double(s->type) ? 1000 : 110;
    double log_abs[9];
    EXPECT(context, clsolve_sparse_batch_determinant(batch, NULL, NULL, log_abs), CLSOLVE_OK, "");
    for (int m = 0; m < 9; m++) {
        const double expected = log(2) * (double)s->n * ((m - 4) * most / 4);
        assert_true(fabs(log_abs[m] - log_abs[4] - expected) < 50);
    }
    double rcond[9]; /* members differ by factors up to 2, and by their magnitudes, which do not count */
    EXPECT(context, clsolve_sparse_batch_condition(batch, rcond), CLSOLVE_OK, "");
    for (int m = 0; m < 9; m++) assert_true(rcond[m] > rcond[4] / RATIO_BOUND && rcond[m] < rcond[4] * RATIO_BOUND);
}

/* Values times powers of two up to the ends of the range, right-hand sides too. */
TEST(test_magnitudes) {
    for (int t = 0; t < 4; t += test_reduced() ? 3 : 1) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        const int most = cls_is_double(type) ? 1000 : 110;
        test_random random = test_random_start((uint64_t)(950 + t));
        scratch_members s = usual(type, 19, 9, 1, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        for (int64_t m = 0; m < s.count; m++) {
            for (int64_t k = 0; k < s.A[m].count; k++) s.A[m].at[k].value *= ldexp(1, (int)(m - 4) * most / 4);
            members_store(&s, m);
        }
        factor(&s, batch);
        check_magnitudes(&s, batch);
        members_draw_sides(&s, &random);
        for (int64_t m = 0; m < s.count; m++) /* as large as A, so that X is of size 1 */
            for (int64_t i = 0; i < s.n; i++) {
                double *b = members_side(&s, m, i, 0);
                for (int64_t p = 0; p < cls_type_parts(type); p++) b[p] = ldexp(b[p], (int)(m - 4) * most / 4);
                members_put_side(&s, m, i, 0);
            }
        solve(&s, batch, CLSOLVE_TRANS);
        for (int64_t m = 0; m < s.count; m++) {
            assert_int_equal(s.info[m], 0);
            const double scale = ldexp(1, -(int)(m - 4) * most / 4);
            for (int64_t k = 0; k < s.A[m].count; k++) s.A[m].at[k].value *= scale;
            for (int64_t i = 0; i < s.n * cls_type_parts(type); i++) members_side(&s, m, 0, 0)[i] *= scale;
            members_check(&s, m, CLSOLVE_TRANS, "magnitudes");
        }
        assert_int_equal(again_of(batch), 0);
    }
}

/* A solution below the type's range is told, whoever made it; one that is zero is right. */
TEST(test_below) {
    for (int t = 0; t < 4; t += test_reduced() ? 3 : 1) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        const int large = cls_is_double(type) ? 900 : 100, small = cls_is_double(type) ? -800 : -90;
        test_random random = test_random_start((uint64_t)(960 + t));
        scratch_members s = usual(type, 11, 9, 2, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        for (int64_t m = 3; m < 5; m++) {
            for (int64_t k = 0; k < s.A[m].count; k++) s.A[m].at[k].value *= ldexp(1, large);
            members_store(&s, m);
        }
        factor(&s, batch);
        members_draw_sides(&s, &random);
        for (int64_t m = 3; m < 6; m++)
            for (int64_t j = 0; j < 2; j++)
                for (int64_t i = 0; i < s.n; i++) {
                    double *b = members_side(&s, m, i, j);
                    for (int64_t p = 0; p < cls_type_parts(type); p++) b[p] = j == 0 ? 0 : ldexp(b[p], small);
                    members_put_side(&s, m, i, j);
                }
        solve(&s, batch, CLSOLVE_NO_TRANS);
        for (int64_t m = 0; m < s.count; m++) {
            assert_int_equal(s.info[m], m == 3 || m == 4 ? -2 : 0);
            if (s.info[m] != 0)
                members_check_kept(&s, m);
            else
                members_check(&s, m, CLSOLVE_NO_TRANS, "below");
        }
        assert_true(again_of(batch) > 0);
    }
}

/* The typical member has a large diagonal; others have zeros or tiny numbers there, and need exchanges. */
TEST(test_again) {
    for (int t = 0; t < 4; t += test_reduced() ? 3 : 1) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        test_random random = test_random_start((uint64_t)(970 + t));
        scratch_members s = usual(type, 37, 10, 3, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        for (int64_t m = 2; m < 5; m++) {
            for (int64_t k = 0; k < s.A[m].count; k++)
                if (s.A[m].at[k].row == s.A[m].at[k].column)
                    s.A[m].at[k].value = m == 4 ? (double complex)0 : s.A[m].at[k].value * (m == 2 ? 1e-18 : 1e-9);
            for (int64_t k = 0; k < s.A[m].count && m != 2; k++) /* extreme magnitudes on the way to the host */
                s.A[m].at[k].value *= ldexp(1, (m == 3 ? 1 : -1) * (cls_is_double(type) ? 600 : 60));
            triplets_round(&s.A[m], type);
            members_store(&s, m);
        }
        factor(&s, batch);
        const int told = again_of(batch) > 0;
        check_determinants(&s, batch);
        assert_true(again_of(batch) > 0);
        check_conditions(&s, batch);
        assert_true(again_of(batch) > 0);
        members_draw_sides(&s, &random);
        solve(&s, batch, CLSOLVE_CONJ_TRANS);
        for (int64_t m = 0; m < s.count; m++) {
            if (m < 2 || m > 4) assert_int_equal(s.info[m], 0);
            if (s.info[m] == 0)
                members_check(&s, m, CLSOLVE_CONJ_TRANS, "again");
            else
                members_check_kept(&s, m);
        }
        assert_true(told || again_of(batch) > 0);
    }
}

/* Full matrices; the typical member has a large diagonal, and the one in the middle a tiny one. Its static pivots grow so far that
 * the other elements are lost: only pivots of its own give the determinant. */
TEST(test_growth) {
    enum { N = 6, COUNT = 9 };
    for (int t = 0; t < 4; t += test_reduced() ? 3 : 1) {
        const clsolve_type type = (clsolve_type)(CLSOLVE_F32 + t);
        const csr_form form = {.type = type, .index = CLSOLVE_I32};
        test_random random = test_random_start((uint64_t)(975 + t));
        scratch_triplets A = {.n = N};
        for (int64_t k = 0; k < N * N; k++)
            triplets_add(&A, k / N, k % N, test_random_signed(&random) + (k / N == k % N ? 10 : 0));
        scratch_members s = members_make(&A, COUNT, 1, &form, 0, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        for (int64_t k = 0; k < N * N; k++)
            if (s.A[COUNT / 2].at[k].row == s.A[COUNT / 2].at[k].column) s.A[COUNT / 2].at[k].value *= 1e-18;
        triplets_round(&s.A[COUNT / 2], type);
        members_store(&s, COUNT / 2);
        assert_true(dense_measure(&s.A[COUNT / 2]).rcond > 1e-3); /* or nothing is checked */
        factor(&s, batch);
        assert_int_equal(again_of(batch), 0);
        check_determinants(&s, batch);
        check_determinants(&s, batch);
        assert_int_equal(again_of(batch), 1); /* of the last call */
    }
}

/* More right-hand sides than the device takes at once; a NaN is in the last one. */
TEST(test_many_sides) {
    test_random random = test_random_start(985);
    const csr_form form = {.type = CLSOLVE_F64, .index = CLSOLVE_I32};
    scratch_triplets A = pattern_make(PATTERN_RANDOM, 6, &random);
    for (int how = 0; how < 4; how++) {
        scratch_members s = members_make(&A, 9, 53, &form, how, &random);
        OWNED(sparse_batch) *batch = create(&s, 0);
        factor(&s, batch);
        members_draw_sides(&s, &random);
        members_side(&s, 5, 2, 52)[0] = NAN;
        members_put_side(&s, 5, 2, 52);
        solve(&s, batch, CLSOLVE_TRANS);
        for (int64_t m = 0; m < s.count; m++) {
            assert_int_equal(s.info[m], m == 5 ? -1 : 0);
            if (m == 5)
                members_check_kept(&s, m);
            else
                members_check(&s, m, CLSOLVE_TRANS, "many sides");
        }
        members_check_gaps(&s);
    }
}

/* ---- portions, and many members ---- */

TEST(test_portions) {
    test_random random = test_random_start(990);
    members s = usual(CLSOLVE_F64, 31, 45, 2, &random);
    clsolve_sparse_batch_analysis analysis;
    clsolve_sparse_batch *batch = create(&s, 0);
    assert_int_equal(clsolve_sparse_batch_get_analysis(batch, &analysis), CLSOLVE_OK);
    assert_int_equal(analysis.portion, 45);
    clsolve_report report;
    assert_int_equal(clsolve_sparse_batch_report(batch, &report), CLSOLVE_OK);
    clsolve_sparse_batch_destroy(batch);
    assert_string_equal(report.where, on_device ? "device" : "host");
    if (!on_device) { /* there portions have no meaning */
        members_drop(&s);
        skip();
    }
    batch = create(&s, report.device_bytes * 2 / 3);
    assert_int_equal(clsolve_sparse_batch_get_analysis(batch, &analysis), CLSOLVE_OK);
    assert_true(analysis.portion < 45 && analysis.portion % 8 == 0);
    spoil(&s);
    factor(&s, batch);
    memset(s.values.data, 0xff, (size_t)(s.values.stride * s.count * 8)); /* no longer read */
    check_determinants(&s, batch);
    check_conditions(&s, batch);
    for (int op = 0; op < 3; op++) {
        members_draw_sides(&s, &random);
        solve(&s, batch, (clsolve_op)(CLSOLVE_NO_TRANS + op));
        for (int64_t m = 0; m < s.count; m++) {
            assert_int_equal(s.info[m] == 0, m == 0 || m == 3 || m > 5);
            if (s.info[m] == 0)
                members_check(&s, m, (clsolve_op)(CLSOLVE_NO_TRANS + op), "portions");
            else
                members_check_kept(&s, m);
        }
    }
    clsolve_sparse_batch_destroy(batch);
    members_drop(&s);
}

/* [2 1; 1 2] times 1 + m % 7, b = (1 + m % 7) (4, 5): x = (1, 2). */
TEST(test_many) {
    static const int32_t start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    static const double typical[] = {2, 1, 1, 2};
    static const int64_t counts[] = {65537, (1 << 20) + 3};
    if (test_reduced()) skip();
    for (int k = 0; k < 2; k++) {
        const int64_t count = counts[k];
        SCRATCH double *values = malloc((size_t)count * 4 * sizeof *values), *x = malloc((size_t)count * 2 * sizeof *x);
        SCRATCH int64_t *info = malloc((size_t)count * sizeof *info);
        OWNED(sparse_batch) *batch = NULL;
        assert_true(values && x && info);
        for (int64_t m = 0; m < count; m++) {
            for (int e = 0; e < 4; e++) values[4 * m + e] = typical[e] * (double)(1 + m % 7);
            for (int i = 0; i < 2; i++) x[2 * m + i] = (4 + i) * (double)(1 + m % 7);
        }
        const clsolve_csr A = clsolve_csr_f64(2, start, column, typical);
        const clsolve_batch V = clsolve_batch_f64(count, 4, 1, values);
        clsolve_batch B = clsolve_batch_f64(count, 2, 1, x);
        EXPECT(context, clsolve_sparse_batch_create_csr(context, &A, count, NULL, &batch), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_batch_factor(batch, &V, info), CLSOLVE_OK, "");
        EXPECT(context, clsolve_sparse_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info), CLSOLVE_OK, "");
        for (int64_t m = 0; m < count; m++) {
            if (info[m] != 0 || fabs(x[2 * m] - 1) > 1e-14 || fabs(x[2 * m + 1] - 2) > 1e-14)
                fail_msg("member %lld: info %lld, x = %g, %g", (long long)m, (long long)info[m], x[2 * m],
                         x[2 * m + 1]);
        }
    }
}

/* ---- arguments ---- */

TEST(test_structure) {
    static const int32_t start[] = {0, 1, 2, 2}, column[] = {0, 1};
    static double values[] = {1, 2, 3, 4}, b[6] = {1, 2, 3, 4, 5, 6};
    int64_t info[2] = {0, 0};
    OWNED(sparse_batch) *batch = NULL;
    clsolve_sparse_batch_analysis analysis;
    const clsolve_csr A = clsolve_csr_f64(3, start, column, values);
    const clsolve_batch V = clsolve_batch_f64(2, 2, 1, values);
    clsolve_batch B = clsolve_batch_f64(2, 3, 1, b);
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &A, 2, NULL, &batch), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_batch_factor(batch, &V, info), CLSOLVE_OK, "");
    assert_true(info[0] == 3 && info[1] == 3);
    EXPECT(context, clsolve_sparse_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info), CLSOLVE_OK, "");
    assert_true(info[0] == 3 && info[1] == 3 && b[0] == 1 && b[5] == 6);
    assert_int_equal(clsolve_sparse_batch_get_analysis(batch, &analysis), CLSOLVE_OK);
    assert_int_equal(analysis.structural_rank, 2);
}

TEST(test_arguments) {
    static const int32_t start[] = {0, 1, 2}, column[] = {0, 1}, outside[] = {0, 2};
    static double values[] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4}, bad[] = {1, NAN};
    int64_t info[2];
    clsolve_sparse_batch_options options = {0};
    clsolve_sparse_batch *batch = NULL, *none = NULL;
    clsolve_sparse_batch_analysis analysis;
    clsolve_csr A = clsolve_csr_f64(2, start, column, values), pattern_alone = A, wrong = A, spoilt = A;
    clsolve_batch V = clsolve_batch_f64(2, 2, 1, values), B = clsolve_batch_f64(2, 2, 1, b);
    pattern_alone.values = NULL;
    wrong.column = outside;
    spoilt.values = bad;
    EXPECT(context, clsolve_sparse_batch_create_csr(context, NULL, 2, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "A is NULL");
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &pattern_alone, 2, NULL, &none),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "typical member");
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &wrong, 2, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "column 2");
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &spoilt, 2, NULL, &none), CLSOLVE_ERROR_NONFINITE,
           "A(2,2)");
    options.memory_limit = -1;
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &A, 2, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "memory_limit");
    if (on_device) {
        options.memory_limit = 1;
        EXPECT(context, clsolve_sparse_batch_create_csr(context, &A, 2, &options, &none),
               CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "memory_limit has 1");
    }
    assert_null(none);
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &A, 2, NULL, &batch), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_batch_determinant(batch, NULL, NULL, b), CLSOLVE_ERROR_STATE, "factor first");
    EXPECT(context, clsolve_sparse_batch_condition(batch, b), CLSOLVE_ERROR_STATE, "factor first");
    EXPECT(context, clsolve_sparse_batch_get_analysis(batch, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "analysis");
    EXPECT(context, clsolve_sparse_batch_factor(batch, &V, info), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_batch_condition(batch, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "rconds");
    EXPECT(context, clsolve_sparse_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info), CLSOLVE_OK, "");
    assert_true(b[0] == 1 && b[1] == 1 && b[2] == 1 && b[3] == 1);
    assert_int_equal(clsolve_sparse_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_batch_get_analysis(NULL, &analysis), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_sparse_batch_destroy(batch);
}

static int open_all(void **state) {
    const char *host = getenv("CLSOLVE_HOST");
    (void)open_context(state);
    on_device = !context->device->no_kernels && host && strcmp(host, "never") == 0;
    return 0;
}

/* A row and a column of thousands of entries a. A plain sum above 1 rounds each a to a multiple of 2^-52, always down by 0.45
 * of that: it is wrong by fifty times the bound, whatever the machine. With x = 1 all terms are a. */
TEST(test_long_rows) {
    enum { N = 5000, ENTRIES = 3 * N - 2, COUNT = 2 };
    if (test_reduced()) return;
    scratch_triplets A = {.n = N};
    const double a = ldexp(1, -12) + 0.9 * ldexp(1, -53);
    triplets_add(&A, 0, 0, 1);
    for (int64_t j = 1; j < N; j++) {
        triplets_add(&A, 0, j, a);
        triplets_add(&A, j, 0, a);
        triplets_add(&A, j, j, 1.7);
    }
    triplets_sort(&A);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, NULL);
    SCRATCH double *V = test_elements(CLSOLVE_F64, COUNT * ENTRIES), *B = test_elements(CLSOLVE_F64, N),
                   *X = test_elements(CLSOLVE_F64, COUNT * N);
    int64_t info[COUNT];
    for (int64_t k = 0; k < COUNT * ENTRIES; k++) V[k] = ((const double *)rows.values)[k % ENTRIES];
    for (int64_t k = 0; k < COUNT * N; k++) X[k] = B[k % N] = k % N == 0 ? 1 + (N - 1) * a : a + 1.7;
    const clsolve_batch values = clsolve_batch_f64(COUNT, ENTRIES, 1, V);
    clsolve_batch x = clsolve_batch_f64(COUNT, N, 1, X);
    const clsolve_sparse_batch_options options = {.where = on_device ? CLSOLVE_WHERE_DEVICE : CLSOLVE_WHERE_HOST};
    OWNED(sparse_batch) *batch = NULL;
    EXPECT(context, clsolve_sparse_batch_create_csr(context, &rows.view, COUNT, &options, &batch), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_batch_factor(batch, &values, info), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_batch_solve(batch, CLSOLVE_TRANS, &x, info), CLSOLVE_OK, "");
    const double error = triplets_backward(&A, CLSOLVE_F64, CLSOLVE_TRANS, 1, B, X + N);
    if (info[1] != 0 || !(error <= triplets_bound(N, CLSOLVE_F64))) fail_msg("backward error %.2g", error);
}

TEST_PROGRAM(open_all, close_context)
