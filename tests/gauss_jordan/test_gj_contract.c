/* What the Gauss-Jordan handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include <float.h>

#include "api/context.h"
#include "blas/blas.h"
#include "gauss_jordan/fixture.h"

enum { FIRST = CLSOLVE_GAUSS_JORDAN_TWO_PASS, LAST = CLSOLVE_GAUSS_JORDAN_BLOCKED };

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

static clsolve_gauss_jordan *make(int variant, int64_t n) {
    clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant, .block = 32};
    return gj_make(context, n, type, &options);
}

/* Random with `diagonal` added on the diagonal, or `value` everywhere for diagonal < 0. */
static test_matrix filled(int64_t rows, int64_t cols, double diagonal, double value, uint64_t use) {
    test_random random = test_random_start(use);
    test_matrix m = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, rows, cols, 0);
    SCRATCH double *values = test_doubles(rows * cols);
    for (int64_t k = 0; k < rows * cols; ++k) values[k] = diagonal < 0 ? value : test_random_signed(&random);
    for (int64_t i = 0; diagonal >= 0 && i < rows && i < cols; ++i) values[i + i * rows] += diagonal;
    test_matrix_set(&m, values);
    return m;
}

static void set(const test_matrix *m, int64_t i, int64_t j, double value) {
    int64_t index = i + j * m->view.ld;
    if (type == CLSOLVE_F32)
        ((float *)m->memory)[index] = (float)value;
    else
        ((double *)m->memory)[index] = value;
}

static void all_are(const test_matrix *m, double value) {
    int64_t count = m->view.rows * m->view.cols;
    SCRATCH double *values = test_doubles(count);
    test_matrix_get(m, values);
    for (int64_t k = 0; k < count; ++k) assert_true(values[k] == value);
}

static double rcond_of(const clsolve_gauss_jordan *gj) {
    clsolve_report report;
    assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
    return report.direct.rcond;
}

TEST(test_arguments) {
    scratch_matrix a = filled(4, 4, 4, 0, 1), b = filled(4, 2, -1, 1, 2), x = filled(4, 4, -1, 1, 3);
    clsolve_gauss_jordan *gj = make(0, 4), *none = (clsolve_gauss_jordan *)&a;
    clsolve_gauss_jordan_options options = {.block = -1};
    clsolve_solve_report whole;
    clsolve_report report;
    clsolve_matrix bad;

    assert_int_equal(clsolve_gauss_jordan_create(NULL, 4, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    EXPECT(clsolve_gauss_jordan_create(context, 4, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_gauss_jordan_create(context, -1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1");
    EXPECT(clsolve_gauss_jordan_create(context, 4, (clsolve_type)9, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "9");
    EXPECT(clsolve_gauss_jordan_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "block");
    options.block = 0, options.variant = (clsolve_gauss_jordan_variant)77;
    EXPECT(clsolve_gauss_jordan_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "77");
    assert_null(none);

    EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, NULL, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "A is NULL");
    EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "B is NULL");
    EXPECT(clsolve_gauss_jordan_solve(gj, (clsolve_op)7, &a.view, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "op");
    bad = b.view, bad.rows = 3;
    EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 rows");
    bad = x.view, bad.cols = 3;
    EXPECT(clsolve_gauss_jordan_invert(gj, &a.view, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 columns");
    EXPECT(clsolve_gauss_jordan_invert(gj, NULL, &x.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    bad = a.view, bad.type = type == CLSOLVE_F64 ? CLSOLVE_F32 : CLSOLVE_F64;
    EXPECT(clsolve_gauss_jordan_invert(gj, &bad, &x.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is of");
    assert_int_equal(clsolve_gauss_jordan_invert(NULL, &a.view, &x.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_gauss_jordan_solve(NULL, CLSOLVE_NO_TRANS, &a.view, &b.view),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_gauss_jordan_report(NULL, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_gauss_jordan_report(gj, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "_report: report is NULL");
    clsolve_gauss_jordan *fresh = gj_make(context, 3, type, NULL);
    assert_true(rcond_of(fresh) == -1);
    clsolve_gauss_jordan_destroy(fresh);
    all_are(&b, 1);
    all_are(&x, 1);
    clsolve_gauss_jordan_destroy(gj);
    clsolve_gauss_jordan_destroy(NULL);

    clsolve_solver_options one_call = {.method = CLSOLVE_METHOD_GAUSS_JORDAN};
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &one_call, &whole), CLSOLVE_OK);
    report = whole.report;
    assert_string_equal(report.method, "gauss-jordan");
    assert_int_equal(report.nrhs, 2);
}

/* In forms with fewer sizes a test takes the blocked variant and one of the others; test_failures takes all. */
static int is_tried(int variant, int turn) {
    return !test_reduced() || variant == LAST || variant == FIRST + turn;
}

/* A zero in a later block is told by its column in the matrix, with pivoting and without. */
TEST(test_zero_pivot) {
    for (int variant = FIRST; variant <= LAST; ++variant)
        for (int plain = 0; plain <= 1; ++plain) {
            if (!is_tried(variant, 0)) continue;
            int64_t n = test_reduced() ? 140 : 200, zero = plain ? 45 : 100;
            clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                                    .pivoting =
                                                        plain ? CLSOLVE_PIVOTING_NONE : CLSOLVE_PIVOTING_PARTIAL,
                                                    .block = plain ? 32 : 128};
            scratch_matrix a = filled(n, n, -1, 0, 19), x = filled(n, n, -1, 1, 20);
            OWNED(gauss_jordan) *gj = gj_make(context, n, type, &options);
            clsolve_report report;
            for (int64_t i = 0; i < n; ++i) set(&a, i, i, i == zero ? 0 : 2);
            assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_SINGULAR);
            assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
            assert_int_equal(report.info, zero + 1);
            all_are(&x, 1);
        }
}

/* Of two zero columns the first is told, also where they are in different halves of one panel. */
TEST(test_two_zero_pivots) {
    for (int variant = FIRST; variant <= LAST; ++variant) {
        if (!is_tried(variant, 1)) continue;
        int64_t n = test_reduced() ? 140 : 200;
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant, .block = 128};
        scratch_matrix a = filled(n, n, (double)n, 0, 21), x = filled(n, n, -1, 1, 22);
        OWNED(gauss_jordan) *gj = gj_make(context, n, type, &options);
        clsolve_report report;
        for (int64_t i = 0; i < n; ++i) set(&a, i, 40, 0), set(&a, i, 110, 0);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_SINGULAR);
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 41);
        all_are(&x, 1);
    }
}

/* What the report says of the condition: known of an inverse, of nothing, and of what is known to be singular. */
TEST(test_rcond) {
    for (int variant = FIRST; variant <= LAST; ++variant) {
        if (!is_tried(variant, 2)) continue;
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                                .pivoting = CLSOLVE_PIVOTING_NONE};
        scratch_matrix a = filled(3, 3, 3, 0, 16), x = filled(3, 3, -1, 1, 17), empty = filled(0, 0, 0, 0, 18);
        OWNED(gauss_jordan) *gj = gj_make(context, 3, type, &options), *none = make(variant, 0);
        set(&a, 0, 0, 0); /* no pivot there, but the matrix has an inverse */
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_SINGULAR);
        assert_true(rcond_of(gj) == -1);
        set(&a, 0, 0, NAN);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_ERROR_NONFINITE);
        assert_true(rcond_of(gj) == -1);
        assert_int_equal(clsolve_gauss_jordan_invert(none, &empty.view, &empty.view), CLSOLVE_OK);
        assert_true(rcond_of(none) == 1);
    }
}

/* Whatever goes wrong, B and X stay, and the handle takes the next matrix. */
TEST(test_failures) {
    double big = type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX,
           tiny = type == CLSOLVE_F32 ? (double)FLT_MIN : DBL_MIN;
    for (int variant = FIRST; variant <= LAST; ++variant) {
        int64_t n = 67;
        scratch_matrix a = filled(n, n, (double)n, 0, 4), b = filled(n, 3, -1, 1, 5), x = filled(n, n, -1, 1, 6);
        OWNED(gauss_jordan) *gj = make(variant, n);
        clsolve_report report;
        set(&a, 40, 33, NAN);
        EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_ERROR_NONFINITE, "A(41,34)");
        EXPECT(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_ERROR_NONFINITE, "A(41,34)");
        set(&a, 40, 33, 1);
        set(&b, 5, 2, INFINITY);
        EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_ERROR_NONFINITE, "B(6,3)");
        set(&b, 5, 2, 1);
        for (int64_t i = 0; i < n; ++i) set(&a, i, 37, 0);
        EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_SINGULAR, "column 38");
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 38);
        assert_int_equal(report.status, CLSOLVE_SINGULAR);
        assert_true(report.direct.rcond == 0);
        EXPECT(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_SINGULAR, "column 38");
        assert_true(rcond_of(gj) == 0);
        for (int64_t i = 0; i < n; ++i) set(&a, i, 37, i == 37 ? tiny : 0);
        set(&b, 37, 0, big);
        EXPECT(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_OVERFLOW, "scale");
        set(&b, 37, 0, 1);
        all_are(&b, 1);
        all_are(&x, 1);
        set(&a, 37, 37, 5);
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_TRANS, &a.view, &b.view), CLSOLVE_OK);
        assert_true(rcond_of(gj) == -1);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        assert_in_range((uint64_t)(1 / rcond_of(gj)), 1, 1000);
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 0);
    }
}

/* Does this variant work in the host's memory? Then only matrices cross, no words. */
static int in_place(int variant) {
    return variant == CLSOLVE_GAUSS_JORDAN_BLOCKED && cls_in_place(context->device);
}

/* A and B up once, X down once, beside them a few words; nothing inside the loop over pivots. */
TEST(test_transfers) {
    for (int variant = FIRST; variant <= LAST; ++variant) {
        if (!is_tried(variant, 1)) continue;
        int64_t n = 133, nrhs = 5, size = type == CLSOLVE_F64 ? 8 : 4;
        int panels = variant == CLSOLVE_GAUSS_JORDAN_BLOCKED; /* and whether these held NaN */
        scratch_matrix a = filled(n, n, 1, 0, 7), b = filled(n, nrhs, -1, 1, 8), x = filled(n, n, -1, 1, 9);
        OWNED(gauss_jordan) *gj = make(variant, n);
        clsolve_report report;
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_OK);
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.bytes_up, (n * n + n * nrhs) * size);
        assert_int_equal(report.transfers_up, 2);
        assert_in_range(report.bytes_down, n * nrhs * size, n * nrhs * size + 3 * 256 * 8 + 8);
        assert_int_equal(report.transfers_down,
                         in_place(variant) ? 1 : 5 + panels); /* three searches for NaN, the zero pivot, X */
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.bytes_up, n * n * size);
        assert_int_equal(report.transfers_up, 1);
        assert_in_range(report.bytes_down, n * n * size, n * n * size + 2 * 256 * 8 + 8);
        assert_int_equal(report.transfers_down,
                         in_place(variant) ? 1 : 4 + panels); /* two searches with the norms, the zero pivot, X */
    }
}

/* The blocked inverse takes no second n^2; new values take no memory at all; nothing is left behind. */
TEST(test_memory) {
    cls_counters *counters = &context->device->counters;
    for (int variant = FIRST; variant <= LAST; ++variant) {
        if (!is_tried(variant, 2)) continue;
        int64_t bytes = counters->buffer_bytes, buffers = counters->buffers, n = test_reduced() ? 140 : 400,
                size = type == CLSOLVE_F64 ? 8 : 4;
        scratch_matrix a = filled(n, n, 1, 0, 10), x = filled(n, n, -1, 1, 11);
        clsolve_gauss_jordan *gj = make(variant, n);
        clsolve_report report;
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        int64_t held = counters->buffer_bytes;
        if (variant == CLSOLVE_GAUSS_JORDAN_BLOCKED)
            assert_true(held - bytes < (n + 32) * (n + 32) * size + (in_place(variant) ? 2 : 4) * (n + 32) * 32 * size +
                                           64 * n + (1 << 16));
        assert_int_equal(clsolve_gauss_jordan_report(gj, &report), CLSOLVE_OK);
        assert_int_equal(report.device_bytes, held - bytes);
        assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &a.view), CLSOLVE_OK);
        assert_int_equal(counters->buffer_bytes, held);
        clsolve_gauss_jordan_destroy(gj);
        assert_int_equal(counters->buffer_bytes, bytes);
        assert_int_equal(counters->buffers, buffers);
    }
}

TEST(test_progress) {
    for (int variant = FIRST; variant <= LAST; ++variant) {
        if (!is_tried(variant, 0)) continue;
        test_listener t = {.phase = "eliminate"};
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                                .block = 32,
                                                .progress = test_listen,
                                                .progress_user = &t};
        scratch_matrix a = filled(200, 200, 1, 0, 12), b = filled(200, 1, -1, 1, 13);
        OWNED(gauss_jordan) *gj = gj_make(context, 200, type, &options);
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view), CLSOLVE_OK);
        assert_true(t.calls >= 4 && t.last == 1);
    }
}

/* In the host's memory the blocked variant launches nothing; elsewhere kernels do all but the products. */
TEST(test_launches) {
    cls_counters *counters = &context->device->counters;
    scratch_matrix a = filled(200, 200, 1, 0, 14), x = filled(200, 200, -1, 1, 15);
    OWNED(gauss_jordan) *gj = make(CLSOLVE_GAUSS_JORDAN_BLOCKED, 200);
    int64_t launches = counters->launches;
    assert_int_equal(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
    if (in_place(CLSOLVE_GAUSS_JORDAN_BLOCKED))
        assert_int_equal(counters->launches, launches);
    else
        assert_true(counters->launches > launches);
}

/* What the device cannot hold is refused, with where to go instead; nothing is left behind. */
TEST(test_too_large) {
    clsolve_device_info *info = &context->device->info;
    int64_t memory = info->global_memory, buffers = context->device->counters.buffers;
    for (int variant = FIRST; variant <= LAST; ++variant) {
        clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant};
        clsolve_gauss_jordan *gj = NULL;
        info->global_memory = 1 << 20;
        clsolve_status status = clsolve_gauss_jordan_create(context, 512, CLSOLVE_F32, &options, &gj);
        info->global_memory = memory;
        assert_int_equal(status, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
        assert_non_null(strstr(clsolve_context_message(context), "dense LU"));
        assert_null(gj);
        assert_int_equal(context->device->counters.buffers, buffers);
    }
}

/* Double where there is none is refused with what to do; single works. */
TEST(test_without_fp64) {
    clsolve_device_info *info = &context->device->info;
    clsolve_gauss_jordan *gj = NULL;
    int fp64 = info->fp64;
    info->fp64 = 0;
    EXPECT(clsolve_gauss_jordan_create(context, 5, CLSOLVE_F64, NULL, &gj), CLSOLVE_ERROR_UNSUPPORTED, "CLSOLVE_F32");
    assert_null(gj);
    assert_int_equal(clsolve_gauss_jordan_create(context, 5, CLSOLVE_F32, NULL, &gj), CLSOLVE_OK);
    clsolve_gauss_jordan_destroy(gj);
    info->fp64 = fp64;
}

TEST_PROGRAM(open_context, close_context)
