/*
 * test_solve_short.c: the short way of clsolve_solve_csr. What it solves is accurate and reported as by a solver; what
 * it does not take or cannot solve ends as a solver ends it: status, message, B unchanged.
 */
#include <float.h>

#include "solve/sparse_support.h"

static const char short_reason[] = "auto: a narrow band, solved on the host without a solver";

static int is_short(const clsolve_solve_report *report) {
    return strcmp(report->reason, short_reason) == 0;
}

/* CLSOLVE_TEST_DEVICE and CLSOLVE_HOST may send all work to the device; a context of the host alone cannot. */
static clsolve_context *host;

static int set_up(void **state) {
    return clsolve_context_create("host", &host) == CLSOLVE_OK ? 0 : -1;
}

static int tear_down(void **state) {
    clsolve_context_destroy(host);
    return 0;
}

static clsolve_matrix sides(clsolve_type type, int row_major, int64_t n, int64_t nrhs, void *data) {
    clsolve_matrix B = clsolve_matrix_f64(n, nrhs, data);
    B.type = type;
    B.layout = row_major ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    B.ld = row_major ? nrhs : n;
    return B;
}

/* Values that float has too. */
static void round_values(sparse *A) {
    for (int64_t e = 0; e < A->count; e++) A->value[e] = (double)(float)A->value[e];
}

typedef struct solved {
    clsolve_status status;
    clsolve_solve_report report;
    double x[6000]; /* column by column */
    int unchanged;  /* B is as it was */
} solved;

static double right_side(int64_t i, int64_t c) {
    return 1 + (double)((i + 3 * c) % 5) / 4;
}

/* Through a solver where `by_solver`: an option that asks for nothing more. */
static solved run_form(const sparse *A, clsolve_op op, clsolve_type type, int row_major, int64_t nrhs, int by_solver) {
    static float values[30000], single[6000], before[6000];
    static double wide[6000], wide_before[6000];
    solved s = {0};
    for (int64_t e = 0; e < A->count; e++) values[e] = (float)A->value[e];
    clsolve_csr view = type == CLSOLVE_F64 ? clsolve_csr_i64_f64(A->n, A->start, A->column, A->value)
                                           : clsolve_csr_i64_f32(A->n, A->start, A->column, values);
    clsolve_matrix B = sides(type, row_major, A->n, nrhs, type == CLSOLVE_F64 ? (void *)wide : (void *)single);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t c = 0; c < nrhs; c++) {
            const int64_t at = row_major ? i * nrhs + c : i + c * A->n;
            wide[at] = wide_before[at] = right_side(i, c);
            single[at] = before[at] = (float)right_side(i, c);
        }
    clsolve_solver_options options = {.seed = by_solver ? 1 : 0};
    s.status = clsolve_solve_csr(host, op, &view, &B, &options, &s.report);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t c = 0; c < nrhs; c++) {
            const int64_t at = row_major ? i * nrhs + c : i + c * A->n;
            s.x[i + c * A->n] = type == CLSOLVE_F64 ? wide[at] : (double)single[at];
        }
    const size_t count = (size_t)(A->n * nrhs);
    s.unchanged =
        memcmp(wide, wide_before, count * sizeof *wide) == 0 && memcmp(single, before, count * sizeof *single) == 0;
    return s;
}

static void check_accuracy(const sparse *A, clsolve_op op, clsolve_type type, int64_t nrhs, const solved *s) {
    static double b[6000];
    assert_int_equal(s->status, CLSOLVE_OK);
    for (int64_t c = 0; c < nrhs; c++)
        for (int64_t i = 0; i < A->n; i++) b[i + c * A->n] = right_side(i, c);
    const double backward = sparse_backward(A, op == CLSOLVE_TRANS, nrhs, b, s->x);
    if (!(backward <= 2 * sparse_promised(A->n, type))) fail_msg("n = %d: backward error %g", (int)A->n, backward);
    assert_true(s->report.backward_error >= 0 && s->report.backward_error <= sparse_promised(A->n, type));
}

static void check_near(double a, double b, double epsilon) {
    if (!(fabs(a - b) <= epsilon * (1 + fabs(b)))) fail_msg("%g is not near %g", a, b);
}

/* What a report says of the matrix and of the factors. */
static void check_same_report(const clsolve_solve_report *a, const clsolve_solve_report *b, clsolve_type type) {
    const double epsilon = type == CLSOLVE_F64 ? 1e-9 : 1e-2;
    assert_int_equal(a->entries, b->entries);
    assert_int_equal(a->lower_before, b->lower_before);
    assert_int_equal(a->upper_before, b->upper_before);
    assert_int_equal(a->symmetric_pattern, b->symmetric_pattern);
    assert_int_equal(a->symmetric, b->symmetric);
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->line_length, b->line_length);
    assert_int_equal(a->singular, b->singular);
    assert_int_equal(a->attempts_count, b->attempts_count);
    assert_int_equal(a->report.n, b->report.n);
    assert_int_equal(a->report.nrhs, b->report.nrhs);
    assert_int_equal(a->report.info, b->report.info);
    assert_int_equal(a->report.status, b->report.status);
    assert_string_equal(a->report.precision, b->report.precision);
    if (a->method != b->method) return; /* the solver may expect sparse LU to be quicker than a band */
    assert_string_equal(a->report.where, b->report.where);
    assert_string_equal(a->report.where_reason, b->report.where_reason);
    assert_int_equal(a->report.direct.equilibrated, b->report.direct.equilibrated);
    assert_true(a->report.direct.rcond == b->report.direct.rcond);
    assert_int_equal(a->report.direct.det_sign, b->report.direct.det_sign);
    check_near(a->report.direct.log_abs_det, b->report.direct.log_abs_det, epsilon);
    check_near(a->report.direct.growth, b->report.direct.growth, epsilon);
}

/* Every form of one matrix, by the short way and by a solver. */
static void check_matrix(const sparse *A, int same_reports) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++)
        for (int row_major = 0; row_major < 2; row_major++)
            for (int64_t nrhs = 1; nrhs <= 3; nrhs += 2) {
                solved here = run_form(A, CLSOLVE_NO_TRANS, (clsolve_type)type, row_major, nrhs, 0);
                check_accuracy(A, CLSOLVE_NO_TRANS, (clsolve_type)type, nrhs, &here);
                assert_true(is_short(&here.report));
                assert_string_equal(here.report.name, "band-lu");
                solved there = run_form(A, CLSOLVE_NO_TRANS, (clsolve_type)type, row_major, nrhs, 1);
                check_accuracy(A, CLSOLVE_NO_TRANS, (clsolve_type)type, nrhs, &there);
                assert_false(is_short(&there.report));
                if (same_reports) check_same_report(&here.report, &there.report, (clsolve_type)type);
                solved turned = run_form(A, CLSOLVE_TRANS, (clsolve_type)type, row_major, nrhs, 0);
                check_accuracy(A, CLSOLVE_TRANS, (clsolve_type)type, nrhs, &turned);
            }
}

TEST(test_bands) {
    static const int64_t sizes[] = {1, 2, 3, 5, 17, 31, 97};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int64_t kl = 0; kl < sizes[s] && kl < 4; kl++)
            for (int64_t ku = 0; ku < sizes[s] && ku < 6; ku += 1 + (ku > 2)) {
                scratch_sparse A = sparse_band(sizes[s], kl, ku, 0, (uint64_t)(100 * sizes[s] + 10 * kl + ku));
                round_values(&A);
                check_matrix(&A, 1);
            }
}

/* Rows of sizes that differ by 2^40, the least of them last or first: the error is measured by the largest row. */
TEST(test_unequal_rows) {
    for (int turned = 0; turned < 2; turned++) {
        scratch_sparse A = sparse_band(31, 2, 3, 0, 77 + (uint64_t)turned);
        round_values(&A);
        for (int64_t i = 0; i < A.n; i++)
            for (int64_t e = A.start[i]; e < A.start[i + 1]; e++)
                A.value[e] = ldexp(A.value[e], -(int)(40 * (turned ? A.n - 1 - i : i) / (A.n - 1)));
        solved here = run_form(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 1, 0);
        check_accuracy(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 1, &here);
        assert_true(is_short(&here.report));
    }
}

TEST(test_grids) {
    static const int64_t lines[] = {1, 2, 3, 5, 7, 13, 20, 31}, lengths[] = {1, 2, 3, 5, 7, 13, 19};
    for (size_t N = 0; N < sizeof lines / sizeof *lines; N++)
        for (size_t M = 0; M < sizeof lengths / sizeof *lengths; M++) {
            scratch_sparse A = sparse_grid(lines[N], lengths[M], 4.5);
            if (lengths[M] <= lines[N]) check_matrix(&A, 1);
            solved s = run_form(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 1, 1);
            check_accuracy(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 1, &s);
            assert_true(s.report.lower <= (lengths[M] < lines[N] ? lengths[M] : lines[N]));
            if (lengths[M] <= lines[N]) assert_int_equal(s.report.reordered, 0);
        }
}

/* Rows turned round in pairs: each second column exchanges its rows, and nothing else is decided by size. */
TEST(test_exchanges) {
    for (int64_t n = 2; n < 60; n += n < 12 ? 2 : 14) {
        scratch_sparse A = sparse_begin(n, 4 * n);
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = i ^ 1;
            sparse_row(&A, i);
            for (int64_t j = from - 1; j <= from + 1; j++)
                if (j >= 0 && j < n) sparse_add(&A, j, j == from ? 8 : (double)(1 + (i + j) % 3) / 4);
        }
        sparse_row(&A, n);
        check_matrix(&A, 1);
        solved s = run_form(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 1, 0);
        assert_int_equal(s.report.report.direct.det_sign, n / 2 % 2 ? -1 : 1);
    }
}

/* An entry with the value zero is one, and a pattern or values may lack symmetry in one place alone. */
TEST(test_symmetry) {
    for (int what = 0; what < 4; what++) {
        scratch_sparse A = sparse_grid(6, 5, 5);
        if (what == 1) A.value[A.start[9]] = 0;      /* left of the diagonal */
        if (what == 2) A.value[A.start[10] - 1] = 0; /* right of it */
        if (what == 3) A.column[A.start[29]] = 23;   /* (29, 24) becomes (29, 23) */
        solved s = run_form(&A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 1, 0);
        assert_int_equal(s.status, CLSOLVE_OK);
        assert_int_equal(s.report.symmetric_pattern, what != 3);
        assert_int_equal(s.report.symmetric, what == 0);
        assert_int_equal(s.report.lines, what == 3 ? 0 : 6);
    }
}

static void check_refused(const sparse *A, clsolve_status status) {
    static char said[1024];
    solved here = run_form(A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 2, 0);
    (void)snprintf(said, sizeof said, "%s", clsolve_context_message(host));
    solved there = run_form(A, CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 2, 1);
    assert_int_equal(here.status, status);
    assert_int_equal(there.status, status);
    assert_true(here.unchanged && there.unchanged);
    assert_string_equal(said, clsolve_context_message(host));
    assert_int_equal(here.report.report.info, there.report.report.info);
    assert_false(is_short(&here.report));
}

TEST(test_failures) {
    for (int what = 0; what < 7; what++) {
        scratch_sparse A = sparse_band(23, 2, 3, 0, 5);
        clsolve_status status = CLSOLVE_ERROR_INVALID_ARGUMENT;
        if (what == 0) A.value[40] = (double)NAN;
        if (what == 1) A.value[A.count - 1] = -(double)INFINITY;
        if (what < 2) status = CLSOLVE_ERROR_NONFINITE;
        if (what == 2) A.column[A.count - 1] = 23;
        if (what == 3) A.column[0] = -1;
        if (what == 4) A.start[7] = A.start[8] + 1;
        if (what == 5) A.start[0] = 1;
        if (what == 6) {
            for (int64_t e = A.start[11]; e < A.start[12]; e++) A.value[e] = 0;
            status = CLSOLVE_SINGULAR;
        }
        check_refused(&A, status);
    }
}

TEST(test_bad_sides) {
    scratch_sparse A = sparse_band(11, 1, 1, 0, 6);
    clsolve_csr view = sparse_view(&A);
    for (int64_t at = 0; at < 22; at += 7) {
        double x[22];
        for (int64_t i = 0; i < 22; i++) x[i] = 1;
        x[at] = at == 7 ? (double)INFINITY : (double)NAN;
        clsolve_matrix B = clsolve_matrix_f64(11, 2, x);
        assert_int_equal(clsolve_solve_csr(host, CLSOLVE_NO_TRANS, &view, &B, NULL, NULL), CLSOLVE_ERROR_NONFINITE);
        for (int64_t i = 0; i < 22; i++) assert_true(i == at || x[i] == 1);
    }
}

/* A solution beyond the range of doubles, and a zero right-hand side. */
TEST(test_extremes) {
    scratch_sparse A = sparse_grid(3, 3, 4.5);
    clsolve_csr view = sparse_view(&A);
    double x[9] = {0};
    clsolve_matrix B = clsolve_matrix_f64(9, 1, x);
    clsolve_solve_report report;
    assert_int_equal(clsolve_solve_csr(host, CLSOLVE_NO_TRANS, &view, &B, NULL, &report), CLSOLVE_OK);
    assert_true(is_short(&report) && report.backward_error == 0);
    for (int i = 0; i < 9; i++) assert_true(x[i] == 0);
    for (int64_t e = 0; e < A.count; e++) A.value[e] *= 0x1p-1000;
    for (int i = 0; i < 9; i++) x[i] = 0x1p100;
    assert_int_equal(clsolve_solve_csr(host, CLSOLVE_NO_TRANS, &view, &B, NULL, &report), CLSOLVE_OVERFLOW);
    for (int i = 0; i < 9; i++) assert_true(x[i] == 0x1p100);
}

/* What is better done by a solver goes there: columns out of order, a band that an order makes narrower, options. */
TEST(test_not_short) {
    scratch_sparse shuffled = sparse_band(300, 1, 1, 1, 7);
    scratch_sparse turned = sparse_grid(4, 4, 5), flat = sparse_grid(5, 40, 5);
    for (int64_t i = 0; i < turned.n; i++) {
        const int64_t e = turned.start[i], column = turned.column[e];
        const double value = turned.value[e];
        turned.column[e] = turned.column[e + 1];
        turned.value[e] = turned.value[e + 1];
        turned.column[e + 1] = column;
        turned.value[e + 1] = value;
    }
    const sparse *all[] = {&shuffled, &turned, &flat};
    for (int k = 0; k < 3; k++) {
        solved s = run_form(all[k], CLSOLVE_NO_TRANS, CLSOLVE_F64, 0, 1, 0);
        check_accuracy(all[k], CLSOLVE_NO_TRANS, CLSOLVE_F64, 1, &s);
        assert_false(is_short(&s.report));
        assert_int_equal(s.report.reordered, k != 1);
    }
}

TEST_PROGRAM_ALONE(set_up, tear_down)
