/* Calls on the caller's own OpenCL that enqueue and don't wait: wait lists in, events out, outcomes asked for later. */
#include "lu/interop_support.h"

#include "api/context.h"
#include "method/async.h"

enum { N = IO_N, NRHS = IO_NRHS };

/* Where the products run on the host, the calls wait for what they wait for. */
static int runs_ahead(void) {
    const char *blas = getenv("CLSOLVE_BLAS");
    return !clsolve_context_device(io.context).host_memory ||
           (blas && (strcmp(blas, "clblast") == 0 || strcmp(blas, "own") == 0));
}

/* Factor and two solves behind an event that is set only when all is enqueued: nothing can have waited. */
static void enqueued(clsolve_layout layout) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    scratch_io a = io_put(layout, N, N, A), b = io_put(layout, N, NRHS, B), c = io_put(layout, N, NRHS, B);
    clsolve_lu *lu = io_make();
    cl_int code = CL_SUCCESS, at = CL_COMPLETE;
    cl_event gate = clCreateUserEvent(io.cl, &code), first = NULL, second = NULL;
    assert_int_equal(code, CL_SUCCESS);
    if (!runs_ahead()) (void)clSetUserEventStatus(gate, CL_COMPLETE);

    if (clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, &gate, NULL)) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    if (clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, EVENTS(0, NULL, &first)) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_CONJ_TRANS, &c.view, EVENTS(1, &first, &second)), CLSOLVE_OK);
    if (runs_ahead()) {
        assert_int_equal(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof at, &at, NULL), CL_SUCCESS);
        assert_true(at > CL_COMPLETE);
        (void)clSetUserEventStatus(gate, CL_COMPLETE);
    }
    io_get(&b, &first, X);
    double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    io_get(&c, &second, X);
    ratio = ratio_solve(io.type, CLSOLVE_CONJ_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g, transposed", ratio);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);

    /* One that waits, after those that don't. */
    io_matrix d = io_put(layout, N, NRHS, B);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &d.view), CLSOLVE_OK);
    io_drop(&d);
    (void)clReleaseEvent(gate);
    (void)clReleaseEvent(first);
    (void)clReleaseEvent(second);
    clsolve_lu_destroy(lu);
}

static void each_layout(clsolve_type type) {
    (void)type; /* io.type */
    enqueued(CLSOLVE_COLUMN_MAJOR);
    enqueued(CLSOLVE_ROW_MAJOR);
}

TEST(enqueued_calls) {
    io_in_each_type(each_layout);
}

static int contains(const char *words) {
    return strstr(clsolve_context_message(io.context), words) != NULL;
}

/* One solve: always OK, always with an event, and B as it was. */
static void solve_in_vain(clsolve_lu *lu, const double *B) {
    SCRATCH double *back = io_values(9, N * NRHS);
    scratch_io b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    cl_event done = NULL;
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, EVENTS(0, NULL, &done)), CLSOLVE_OK);
    assert_non_null(done);
    io_get(&b, &done, back);
    for (int k = 0; k < N * NRHS; k++) assert_true(back[k] == B[k] || B[k] != B[k]);
    (void)clReleaseEvent(done);
}

/* What the host learns only later, or what it knows at once and keeps to itself: told by clsolve_lu_status, and told again
 * after more solves; a call that is refused in between does not hide it. `factor`: it is the factorization's. */
static void one_outcome(const clsolve_lu_options *options, double *A, double *B, clsolve_status expected,
                        const char *words, int factor) {
    io_matrix a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_lu *lu = NULL;
    assert_int_equal(clsolve_lu_create(io.context, N, io.type, options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, NULL), CLSOLVE_OK);
    solve_in_vain(lu, B);
    solve_in_vain(lu, B);
    assert_int_equal(clsolve_lu_status(lu), expected);
    if (!contains(words)) fail_msg("%s", clsolve_context_message(io.context));
    if (factor) solve_in_vain(lu, B); /* now that it has been asked for */
    clsolve_matrix bad = a.view;
    bad.rows = 1;
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_status(lu), expected);
    if (!contains(words)) fail_msg("%s", clsolve_context_message(io.context));
    clsolve_lu_destroy(lu);
    io_drop(&a);
}

TEST(outcomes_are_kept) {
    const clsolve_lu_options handles[] = {{.panel = CLSOLVE_PANEL_AUTO}, {.rcond = 1}, {.equilibrate = 1}};
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS);
    double kept = A[5 + 6 * N];
    for (size_t h = 0; h < sizeof handles / sizeof *handles; h++) {
        B[3 + 2 * N] = (double)NAN;
        one_outcome(&handles[h], A, B, CLSOLVE_ERROR_NONFINITE, "B(4,3)", 0);
        B[3 + 2 * N] = 1;
        A[5 + 6 * N] = (double)NAN;
        one_outcome(&handles[h], A, B, CLSOLVE_ERROR_NONFINITE, "A(6,7)", 1);
        A[5 + 6 * N] = kept;
    }
    for (int i = 0; i < N; i++) A[i + 33 * N] = 0;
    for (size_t h = 0; h < sizeof handles / sizeof *handles; h++)
        one_outcome(&handles[h], A, B, CLSOLVE_SINGULAR, "U(34,34)", 1);
}

TEST(enqueue_arguments) {
    SCRATCH double *A = io_values(1, N * N);
    scratch_io a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_matrix host = clsolve_matrix_f64(N, N, A), bad = a.view;
    const clsolve_events of_no_backend = {.count = 0};
    cl_event none = NULL;
    clsolve_lu *lu = io_make();
    host.type = io.type;
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, &of_no_backend), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_true(contains("give events of clsolve_opencl_events()"));
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS((int64_t)1 << 32, &none, NULL)),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &host, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, NULL, NULL)), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(0, &none, NULL)), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, &none, NULL)), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(io.context), "NULL"));
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &a.view, NULL), CLSOLVE_ERROR_STATE);
    bad.offset = IO_OFFSET + 1000;
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &a.view, NULL), CLSOLVE_ERROR_STATE);
    /* Factors that are there outlive a matrix that is refused. */
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &a.view, NULL), CLSOLVE_OK);
    clsolve_lu_destroy(lu);
}

TEST(a_context_of_the_host) {
    SCRATCH double *A = io_values(1, N * N);
    scratch_io a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_context *host = NULL;
    clsolve_lu *lu = NULL;
    assert_int_equal(clsolve_context_create("host", &host), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_create(host, N, io.type, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(host), "context is on host"));
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(host);
}

/* A tiny matrix is scaled by the call that waits; what is enqueued next must know nothing of it. */
TEST(after_a_tiny_one) {
    SCRATCH double *A = io_values(11, N * N), *B = io_values(12, N * NRHS), *X = io_values(13, N * NRHS);
    for (int64_t k = 0; k < N * N; k++) X[k % N] = A[k] *= io.type == CLSOLVE_F64 ? 0x1p-1000 : 0x1p-110;
    scratch_io tiny = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    for (int64_t k = 0; k < N * N; k++) A[k] *= io.type == CLSOLVE_F64 ? 0x1p1000 : 0x1p110;
    scratch_io a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    clsolve_lu *lu = io_make();
    clsolve_report report;
    assert_int_equal(clsolve_lu_factor(lu, &tiny.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.direct.equilibrated, CLSOLVE_SCALED_UNIFORMLY);
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    io_get(&b, NULL, X);
    io_get(&a, NULL, A);
    double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    clsolve_lu_destroy(lu);
}

/* A singular matrix that was enqueued does not keep later factors from their solves: those of a call that waits, and
 * imported ones, here of 2 I. */
TEST(factors_after_a_singular_matrix) {
    SCRATCH double *zeros = test_elements(io.type, N * N), *two = test_elements(io.type, N * N);
    SCRATCH double *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    int64_t ipiv[N];
    for (int k = 0; k < N; k++) {
        two[test_numbers(io.type, k + k * N)] = 2;
        ipiv[k] = k + 1;
    }
    scratch_io none = io_put(CLSOLVE_COLUMN_MAJOR, N, N, zeros), a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, two);
    for (int imports = 0; imports < 2; imports++) {
        scratch_io b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
        clsolve_lu *lu = io_make();
        assert_int_equal(clsolve_lu_factor_enqueue(lu, &none.view, NULL), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_status(lu), CLSOLVE_SINGULAR);
        assert_int_equal(imports ? clsolve_lu_import(lu, &a.host.view, ipiv) : clsolve_lu_factor(lu, &a.view),
                         CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, NULL), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_status(lu), CLSOLVE_OK);
        io_get(&b, NULL, X);
        for (int k = 0; k < test_numbers(io.type, N * NRHS); k++) assert_true(X[k] == B[k] / 2);
        clsolve_lu_destroy(lu);
    }
}

/* Out of core the handle refuses at once, behind an event that nobody has set. */
TEST(out_of_core_is_refused) {
    SCRATCH double *A = io_values(14, N * N), *B = io_values(15, N * NRHS);
    scratch_io a = io_put(CLSOLVE_ROW_MAJOR, N, N, A), b = io_put(CLSOLVE_ROW_MAJOR, N, NRHS, B);
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    clsolve_lu_options options = {.memory_limit = 1};
    clsolve_lu *lu = NULL;
    cl_int code = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(io.cl, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (; status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY; options.memory_limit += 1024) /* the least that will do */
        status = clsolve_lu_create(io.context, N, io.type, &options, &lu);
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(io.context));
    assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, &gate, NULL)), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(io.context), "give it on the host"));
    assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, &b.view, EVENTS(1, &gate, NULL)),
                     CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_lu_destroy(lu); /* waits for the queue, where nothing may wait for the event */
    (void)clSetUserEventStatus(gate, CL_COMPLETE);
    (void)clReleaseEvent(gate);
}

/* What keeps a copy of A, or needs numbers on the host meanwhile, is done before the call returns. */
TEST(options_of_the_handle) {
    SCRATCH double *A = io_values(14, N * N), *B = io_values(15, N * NRHS), *X = io_values(16, N * NRHS);
    scratch_io a = io_put(CLSOLVE_ROW_MAJOR, N, N, A);
    for (int waits = 0; waits < 4; waits++) {
        clsolve_lu_options options = test_lu_options();
        clsolve_lu *lu = NULL;
        options.rcond = 1;
        options.equilibrate = waits == 1;
        options.refine = waits == 2;
        if (waits == 3 && io.type == CLSOLVE_F64) options.precision = CLSOLVE_PRECISION_MIXED;
        clsolve_report report;
        cl_event done = NULL;
        scratch_io x = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
        assert_int_equal(clsolve_lu_create(io.context, N, io.type, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor_enqueue(lu, &a.view, NULL), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve_enqueue(lu, CLSOLVE_TRANS, &x.view, EVENTS(0, NULL, &done)), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_true(report.direct.rcond > 0 && report.direct.growth > 0 && report.status == CLSOLVE_OK);
        io_get(&x, &done, X);
        double ratio = ratio_solve(io.type, CLSOLVE_TRANS, N, NRHS, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
        (void)clReleaseEvent(done);
        clsolve_lu_destroy(lu);
    }
}

/* What a factorization of few rows has found, on GPUs that have its kernel, becomes the outcome. */
TEST(the_record_of_few_rows) {
    static const int64_t none = INT64_MAX, records[][8] = {{INT64_MAX, 1, 2, 0, INT64_MAX, 3, 4, 5},
                                                           {7, 1, 2, 0, INT64_MAX, 3, 4, 5},
                                                           {INT64_MAX, 1, 2, 9, INT64_MAX, 3, 4, 5},
                                                           {3, 1, 2, 4, 11, 3, 4, 5}};
    cls_device *device = io.context->device;
    const cls_rect rect = {sizeof records[0], 1, 0, sizeof records[0], sizeof records[0]};
    cls_async async = {.words = NULL};
    cls_async_outcome outcome;
    cls_buffer *record = NULL, *info = NULL;

    assert_int_equal(cls_async_setup(device, io.type, &async), CLSOLVE_OK);
    assert_int_equal(device->ops->buffer_create(device, sizeof records[0], &record), CLSOLVE_OK);
    assert_int_equal(device->ops->buffer_create(device, sizeof(int64_t), &info), CLSOLVE_OK);
    for (size_t r = 0; r < sizeof records / sizeof *records; ++r) {
        assert_int_equal(device->ops->fill(device, CLS_COMPUTE, async.words, 0, 4 * sizeof(int64_t), 0), CLSOLVE_OK);
        assert_int_equal(device->ops->write(device, CLS_COMPUTE, record, records[r], &rect, NULL, NULL), CLSOLVE_OK);
        assert_int_equal(cls_async_take(device, &async, record, info), CLSOLVE_OK);
        assert_int_equal(cls_async_wait(device, &async, info, &outcome), CLSOLVE_OK);
        assert_int_equal(outcome.found[CLS_ASYNC_A], records[r][0] == none ? -1 : records[r][0]);
        assert_int_equal(outcome.found[CLS_ASYNC_FACTORS], records[r][4] == none ? -1 : records[r][4]);
        assert_int_equal(outcome.found[CLS_ASYNC_B], -1);
        assert_int_equal(outcome.found[CLS_ASYNC_X], -1);
        assert_int_equal(outcome.info, records[r][3]);
    }
    device->ops->buffer_destroy(device, record);
    device->ops->buffer_destroy(device, info);
    cls_async_release(device, &async);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
