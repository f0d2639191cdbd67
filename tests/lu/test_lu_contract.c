/* What the LU handle promises beside accuracy: statuses, messages, unchanged arguments, transfers, memory. */
#include <clsolve/clsolve.h>

#include <float.h>

#include "api/context.h"
#include "blas/blas.h"
#include "lu/ratios.h"
#include "support/fixture.h"

static clsolve_type type; /* double where the device has it */

static clsolve_lu *make(int64_t n, const clsolve_lu_options *options) {
    clsolve_lu_options mine = options ? *options : (clsolve_lu_options){0};
    clsolve_lu *lu = NULL;
    mine.panel = test_lu_options().panel;
    clsolve_status status = clsolve_lu_create(context, n, type, &mine, &lu);
    if (status != CLSOLVE_OK) fail_msg("create: %s", clsolve_context_message(context));
    return lu;
}

/* A well-conditioned matrix: random plus n on the diagonal. */
static test_matrix easy(int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    SCRATCH double *A = test_room(n * n, sizeof *A);
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    test_random_fill(&random, A, n * n);
    for (int64_t i = 0; i < n; ++i) A[i + i * n] += (double)n;
    test_matrix_set(&a, A);
    return a;
}

static void set(const test_matrix *m, int64_t i, int64_t j, double value) {
    int64_t index = i + j * m->view.ld;
    if (type == CLSOLVE_F32)
        ((float *)m->memory)[index] = (float)value;
    else
        ((double *)m->memory)[index] = value;
}

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

TEST(test_arguments) {
    scratch_matrix a = easy(4, 1), b = test_ones(type, 4, 2);
    clsolve_lu *lu = make(4, NULL), *none = (clsolve_lu *)&a;
    clsolve_matrix bad;
    clsolve_lu_options options = {.block = -1};

    assert_int_equal(clsolve_lu_create(NULL, 4, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    EXPECT(clsolve_lu_create(context, 4, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_lu_create(context, -1, type, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1");
    EXPECT(clsolve_lu_create(context, 4, (clsolve_type)9, NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "block");
    options = (clsolve_lu_options){.panel = (clsolve_panel)9};
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "panel is 9");
    options = (clsolve_lu_options){.rcond = 3};
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "rcond is 3");
    options = (clsolve_lu_options){.equilibrate = -1};
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "equilibrate is -1");
    options = (clsolve_lu_options){.refine = 3};
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_INVALID_ARGUMENT, "refine is 3");
    options = (clsolve_lu_options){.pivoting = CLSOLVE_PIVOTING_TOURNAMENT, .panel = CLSOLVE_PANEL_HYBRID};
    EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_UNSUPPORTED,
           "clsolve_lu_create: CLSOLVE_PIVOTING_TOURNAMENT was removed: use CLSOLVE_PIVOTING_PARTIAL or "
           "CLSOLVE_PIVOTING_RBT");
    options = (clsolve_lu_options){.panel = CLSOLVE_PANEL_HYBRID, .where = CLSOLVE_WHERE_DEVICE};
    if (!cls_in_place(context->device))
        EXPECT(clsolve_lu_create(context, 4, type, &options, &none), CLSOLVE_ERROR_UNSUPPORTED,
               "use CLSOLVE_PANEL_NATIVE");
    assert_null(none);

    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE, "clsolve_lu_factor");
    EXPECT(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_ERROR_STATE, "clsolve_lu_factor");
    EXPECT(clsolve_lu_factor(lu, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    assert_int_equal(clsolve_lu_factor(NULL, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = a.view, bad.rows = 3;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "3 rows where 4");
    bad = a.view, bad.ld = 3;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld");
    bad = a.view, bad.type = type == CLSOLVE_F32 ? CLSOLVE_F64 : CLSOLVE_F32;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "handle");
    bad = a.view, bad.layout = (clsolve_layout)0;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "layout");
    bad = a.view, bad.data = NULL;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "data");
    bad = a.view, bad.ld = INT64_MAX;
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld");

    bad = a.view, bad.place = CLSOLVE_ON_DEVICE; /* host memory, and no context of our own: refused untouched */
    EXPECT(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_context_create_");

    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    EXPECT(clsolve_lu_solve(lu, (clsolve_op)7, &b.view), CLSOLVE_ERROR_INVALID_ARGUMENT, "op is 7");
    bad = b.view, bad.rows = 5, bad.ld = 5;
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "5 rows where 4");
    bad = b.view, bad.cols = -1;
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1");
    test_all_ones(&b);
    bad = b.view, bad.cols = 0, bad.data = NULL;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &bad), CLSOLVE_OK);

    clsolve_lu_destroy(lu);
    clsolve_lu_destroy(NULL);
}

/* The one-call form refuses a bad B before it spends the factorization. */
TEST(test_one_call) {
    scratch_matrix a = easy(40, 2), b = test_ones(type, 40, 3);
    clsolve_matrix bad = b.view;
    clsolve_solver_options options = {.method = (clsolve_method)77};
    clsolve_solve_report whole;
    clsolve_report report;

    bad.rows = 39;
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &bad, NULL, &whole), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "39 rows");
    report = whole.report;
    assert_int_equal(report.status, CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, &options, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "method");
    bad = a.view;
    bad.type = (clsolve_type)9;
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &bad, &b.view, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "the type of A is 9");
    bad = b.view;
    bad.type = (clsolve_type)9;
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &bad, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "the type of B is 9");
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, NULL, &b.view, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    assert_int_equal(clsolve_solve(NULL, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, NULL),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    test_all_ones(&b);
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, &whole), CLSOLVE_OK);
    report = whole.report;
    assert_int_equal(report.n, 40);
    assert_int_equal(report.nrhs, 3);
    assert_string_equal(report.method, "lu");
    assert_true(report.seconds.total > 0 && report.seconds.factor > 0 &&
                report.device_bytes + report.host_bytes >= 40 * 40 * 4);
}

TEST(test_nonfinite) {
    static const int64_t places[][2] = {{0, 0}, {66, 66}, {66, 0}, {0, 66}, {40, 33}, {33, 40}};
    static const double values[] = {NAN, INFINITY, -INFINITY};

    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
        for (size_t v = 0; v < 3; ++v)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                scratch_matrix a = easy(67, 3), b = test_ones(type, 67, 1);
                clsolve_lu *lu = make(67, NULL);
                char words[64];
                int64_t i = places[p][0], j = places[p][1];
                set(&a, i, j, values[v]);
                a.view.layout = (clsolve_layout)layout;
                if (layout == CLSOLVE_ROW_MAJOR) i = places[p][1], j = places[p][0];
                (void)snprintf(words, sizeof words, "A(%d,%d)", (int)i + 1, (int)j + 1);
                EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_NONFINITE, words);
                EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor");
                test_all_ones(&b);
                clsolve_lu_destroy(lu);
            }

    scratch_matrix a = easy(67, 3), b = test_ones(type, 67, 3);
    clsolve_lu *lu = make(67, NULL);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    set(&b, 5, 2, NAN);
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE, "B(6,3)");
    set(&b, 5, 2, 1);
    test_all_ones(&b);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK); /* the handle has not suffered */
    clsolve_lu_destroy(lu);
}

/* Finite input whose factors, or whose solution, is not. */
TEST(test_overflow) {
    double big = type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX,
           tiny = type == CLSOLVE_F32 ? (double)FLT_MIN : DBL_MIN;
    scratch_matrix a = test_ones(type, 2, 2), b = test_ones(type, 2, 1);

    set(&a, 0, 0, big), set(&a, 1, 0, -big), set(&a, 0, 1, big), set(&a, 1, 1, big);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, NULL), CLSOLVE_OVERFLOW, "scale");
    test_all_ones(&b);

    set(&a, 0, 0, tiny), set(&a, 1, 0, 0), set(&a, 0, 1, 0), set(&a, 1, 1, tiny);
    set(&b, 0, 0, big), set(&b, 1, 0, 1);
    EXPECT(clsolve_solve(context, CLSOLVE_NO_TRANS, &a.view, &b.view, NULL, NULL), CLSOLVE_OVERFLOW, "X(1,1)");
    set(&b, 0, 0, 1);
    test_all_ones(&b);
}

/* Singular matrices finish as LAPACK's do, and the handle takes the next matrix. */
TEST(test_singular_then_not) {
    scratch_matrix a = easy(90, 4), b = test_ones(type, 90, 1);
    OWNED(lu) *lu = make(90, NULL);
    clsolve_report report;

    for (int64_t i = 0; i < 90; ++i) set(&a, i, 37, 0);
    EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_SINGULAR, "U(38,38)");
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_SINGULAR, "U(38,38)");
    test_all_ones(&b);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 38);
    set(&a, 37, 37, 5);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 0);

    /* A zero row in a row-major matrix is not a zero column: the column with the zero pivot is the last. */
    for (int64_t i = 0; i < 90; ++i) set(&a, i, 12, 0);
    a.view.layout = CLSOLVE_ROW_MAJOR;
    EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_SINGULAR, "U(90,90)");
}

/* A goes up once, B up and X down, and beside them O(n) bytes; nothing else inside the loop over columns. */
TEST(test_transfers) {
    static const int64_t sizes[] = {64, 200, 333};
    clsolve_lu_options options = {.block = 64};

    for (size_t s = 0; s < 3; ++s)
        for (int64_t nrhs = 1; nrhs <= 7; nrhs += 3) {
            int64_t n = sizes[s], size = type == CLSOLVE_F64 ? 8 : 4;
            clsolve_report report;
            scratch_matrix a = easy(n, 5), b = test_ones(type, n, nrhs);
            OWNED(lu) *lu = make(n, &options);
            assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_int_equal(report.bytes_up, n * n * size);
            assert_int_equal(report.transfers_up, 1);
            /* two searches for NaN and the number of the zero pivot */
            assert_in_range(report.bytes_down, 0, 2 * 256 * 8 + 16);
            assert_in_range(report.transfers_down, 0, 3);
            assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_int_equal(report.bytes_up, (n * n + n * nrhs) * size);
            assert_int_equal(report.transfers_up, 2);
            assert_in_range(report.bytes_down, n * nrhs * size, n * nrhs * size + 4 * 256 * 8 + 16);
            assert_in_range(report.transfers_down, 1, 6);
        }
}

/* New values take no device memory, and a destroyed handle leaves none behind. */
TEST(test_memory) {
    cls_counters *counters = &context->device->counters;
    int64_t bytes = counters->buffer_bytes, buffers = counters->buffers;
    scratch_matrix a = easy(130, 6), b = test_ones(type, 130, 4);
    clsolve_lu *lu = make(130, NULL);

    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    int64_t held = counters->buffer_bytes, count = counters->buffers;
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
        assert_int_equal(counters->buffer_bytes, held);
        assert_int_equal(counters->buffers, count);
    }
    clsolve_lu_destroy(lu);
    assert_int_equal(counters->buffer_bytes, bytes);
    assert_int_equal(counters->buffers, buffers);
}

/* A matrix that no device holds is refused with a status and a message, and nothing is left behind. */
TEST(test_too_large) {
    clsolve_lu *lu = NULL;
    int64_t buffers = context->device->counters.buffers;
    EXPECT(clsolve_lu_create(context, INT64_C(1) << 40, type, NULL, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "");
    assert_null(lu);
    EXPECT(clsolve_lu_create(context, INT64_MAX, type, NULL, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "");
    EXPECT(clsolve_lu_create(context, 3000000, type, NULL, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "");
    assert_int_equal(context->device->counters.buffers, buffers);
}

TEST(test_empty) {
    clsolve_matrix a = clsolve_matrix_f64(0, 0, NULL), b = clsolve_matrix_f64(0, 3, NULL);
    clsolve_solve_report whole;
    clsolve_report report;
    a.type = b.type = type;
    b.layout = CLSOLVE_ROW_MAJOR, b.ld = 3;
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &a, &b, NULL, &whole), CLSOLVE_OK);
    report = whole.report;
    assert_int_equal(report.bytes_up, 0);
}

TEST(test_progress) {
    test_listener t = {.phase = "factor"};
    clsolve_lu_options options = {.block = 32, .progress = test_listen, .progress_user = &t};
    test_matrix a = easy(300, 7);
    clsolve_lu *lu = make(300, &options);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(t.calls, 10);
    assert_true(t.last == 1);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);

    t = (test_listener){.phase = "factor"}; /* few rows too end with 1 */
    options.block = 0, options.where = CLSOLVE_WHERE_DEVICE;
    a = easy(40, 7);
    lu = make(40, &options);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_true(t.calls >= 1 && t.last == 1);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
}

TEST(test_status_texts) {
    assert_string_equal(clsolve_status_text(CLSOLVE_OK), "success");
    assert_string_equal(clsolve_status_name(CLSOLVE_SINGULAR), "SINGULAR");
    assert_string_equal(clsolve_status_name((clsolve_status)1234), "UNKNOWN");
    assert_non_null(strstr(clsolve_status_text((clsolve_status)-1234), "not a status"));
    assert_string_equal(clsolve_context_message(NULL), "");
    clsolve_context_destroy(NULL);
}

static int open_all(void **state) {
    (void)open_context(state);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
