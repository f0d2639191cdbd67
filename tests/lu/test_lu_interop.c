/* The caller's own OpenCL: context, device and queue, matrices in the caller's buffers with offset and ld, calls that wait.
 * What lies between the lines of a matrix, before and behind it, must not change. */
#include "lu/interop_support.h"

enum { N = IO_N, NRHS = IO_NRHS };

/* ---- calls that wait ---- */

static void factor_and_solve(clsolve_layout layout, clsolve_op op) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    SCRATCH double *back = io_values(4, N * N);
    scratch_io a = io_put(layout, N, N, A), b = io_put(layout, N, NRHS, B);
    clsolve_report report;
    OWNED(lu) *lu = io_make();

    if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(io.context));
    if (clsolve_lu_solve(lu, op, &b.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(io.context));
    io_get(&a, NULL, back);
    io_same(back, A, N * N);
    io_get(&b, NULL, X);
    double ratio = ratio_solve(io.type, op, N, NRHS, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    /* No matrix has crossed: only what the searches for NaN and the pivots leave. */
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 0);
    assert_int_equal(report.transfers_up, 0);
    assert_in_range(report.bytes_down, 0, 4 * 256 * 8 + 64);
}

static void each_layout(clsolve_type type) {
    (void)type; /* io.type */
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) {
        factor_and_solve(CLSOLVE_COLUMN_MAJOR, (clsolve_op)op);
        factor_and_solve(CLSOLVE_ROW_MAJOR, (clsolve_op)op);
    }
}

TEST(matrices_on_the_device) {
    io_in_each_type(each_layout);
}

/* Buffers that their owner keeps from the host: read, written, and put where factors go. */
TEST(forbidden_to_the_host) {
    static const cl_mem_flags flags[] = {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
    SCRATCH double *A = io_values(1, N * N);
    SCRATCH double *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    SCRATCH double *back = io_values(4, N * N);
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            scratch_io a = io_put_as(flags[f], (clsolve_layout)layout, N, N, A);
            scratch_io b = io_put_as(flags[f], (clsolve_layout)layout, N, NRHS, B);
            OWNED(lu) *lu = io_make();
            if (clsolve_lu_factor(lu, &a.view) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(io.context));
            io_get(&a, NULL, back);
            io_same(back, A, N * N);
            if (clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view) != CLSOLVE_OK)
                fail_msg("%s", clsolve_context_message(io.context));
            io_get(&b, NULL, X);
            double ratio = ratio_solve(io.type, CLSOLVE_TRANS, N, NRHS, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
            if (clsolve_lu_factors(lu, &a.view, NULL) != CLSOLVE_OK)
                fail_msg("%s", clsolve_context_message(io.context));
            io_get(&a, NULL, back);
            assert_true(memcmp(back, A, N * N * sizeof *A) != 0);
        }
}

/* L\U into the caller's buffer, in both layouts, equals what comes to the host. */
TEST(factors_to_the_device) {
    SCRATCH double *A = io_values(1, N * N), *on_host = io_values(2, N * N), *on_device = io_values(3, N * N);
    OWNED(lu) *lu = io_make();
    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
        scratch_io a = io_put((clsolve_layout)layout, N, N, A);
        scratch_matrix f = test_matrix_make(io.type, (clsolve_layout)layout, N, N, 0);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &f.view, NULL), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_OK);
        test_matrix_get(&f, on_host);
        io_get(&a, NULL, on_device);
        io_same(on_host, on_device, N * N);
    }
}

TEST(failures_change_nothing) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *back = io_values(3, N * NRHS);
    clsolve_lu *lu = io_make();
    io_matrix b = io_put(CLSOLVE_COLUMN_MAJOR, N, NRHS, B);
    for (int k = 0; k < N; k++) A[k + 7 * N] = 0;
    io_matrix a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_SINGULAR);
    io_get(&b, NULL, back);
    io_same(back, B, N * NRHS);

    /* Beyond the buffer, a negative offset, a buffer of another context. */
    clsolve_matrix bad = a.view;
    bad.offset = IO_OFFSET + 2;
    assert_int_equal(clsolve_lu_factor(lu, &bad),
                     CLSOLVE_OK + CLSOLVE_SINGULAR); /* the spare room behind is the buffer's */
    bad.offset = IO_OFFSET + 200;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(io.context), "elements"));
    bad.offset = -1;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad.offset = INT64_MAX;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad.offset = 0, bad.ld = INT64_MAX / 16 / N;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = a.view, bad.place = (clsolve_place)7;
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_context *other = test_context(1);
    clsolve_lu *of_other = NULL;
    assert_int_equal(clsolve_lu_create(other, N, io.type, NULL, &of_other), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(of_other, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(other), "cl_context"));
    clsolve_lu_destroy(of_other);
    clsolve_context_destroy(other);
    clsolve_lu_destroy(lu);
    io_drop(&a);
    io_drop(&b);
}

/* ---- making the context ---- */

TEST(contexts) {
    cl_int code = CL_SUCCESS;
    char message[512];
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    OWNED(context) *made = (clsolve_context *)message;
    assert_int_equal(clsolve_context_create_opencl(NULL, io.id, io.queue, &options, &made),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(made);
    assert_non_null(strstr(message, "NULL"));
    assert_int_equal(clsolve_context_create_opencl(io.cl, io.id, io.queue, &options, NULL),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);

    cl_command_queue wild = clCreateCommandQueue(io.cl, io.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (wild) { /* some devices have none */
        assert_int_equal(clsolve_context_create_opencl(io.cl, io.id, wild, &options, &made),
                         CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(message, "out of order"));
        (void)clReleaseCommandQueue(wild);
    }
    cl_context another = clCreateContext(NULL, 1, &io.id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clsolve_context_create_opencl(another, io.id, io.queue, &options, &made),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "another context"));

    /* Without a queue, and outliving what it was made of. */
    assert_int_equal(clsolve_context_create_opencl(another, io.id, NULL, &options, &made), CLSOLVE_OK);
    assert_string_equal(message, "");
    (void)clReleaseContext(another);
    double a[] = {2}, b[] = {6};
    float fa[] = {2}, fb[] = {6};
    clsolve_matrix A = clsolve_matrix_f64(1, 1, a), B = clsolve_matrix_f64(1, 1, b);
    if (io.type == CLSOLVE_F32) A = clsolve_matrix_f32(1, 1, fa), B = clsolve_matrix_f32(1, 1, fb);
    assert_int_equal(clsolve_solve(made, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL), CLSOLVE_OK);
    assert_true((io.type == CLSOLVE_F32 ? (double)fb[0] : b[0]) == 3);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
