/*
 * Calls without _enqueue on arrays that another queue of the caller's still writes: clsolve_context_follow_opencl puts
 * the calls behind it. tests/cuda has the same through CUDA.
 */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/cuda.h>
#include <clsolve/opencl.h>

#include <pthread.h>
#include <time.h>

#include "lu/interop_support.h"

enum { N = IO_N, NRHS = IO_NRHS };

#define EXPECT(call, status) TEST_EXPECT(io.context, call, status, "")

/* ---- the caller's other queue, whose work begins late ---- */

typedef struct late {
    cl_command_queue queue;
    cl_event gate;
    pthread_t thread;
} late;

/* Without an order the call would be over by then, with the zeros that were there. */
static void *open_gate(void *data) {
    late *l = data;
    struct timespec a_while = {0, 50000000};
    (void)nanosleep(&a_while, NULL);
    (void)clSetUserEventStatus(l->gate, CL_COMPLETE);
    return NULL;
}

static late late_begin(cl_command_queue_properties properties) {
    late l = {NULL, NULL, pthread_self()};
    cl_int code = CL_SUCCESS;
    l.queue = clCreateCommandQueue(io.cl, io.id, properties, &code);
    if (!l.queue) return l; /* some devices have none that runs out of order */
    l.gate = clCreateUserEvent(io.cl, &code);
    assert_int_equal(code, CL_SUCCESS);
    return l;
}

/* Zeros, until the gate opens and `values` are written in the other queue. */
static io_matrix late_put(late *l, clsolve_layout layout, int64_t cols, const double *values) {
    SCRATCH double *zeros = test_doubles(N * cols);
    io_matrix m = io_put(layout, N, cols, zeros);
    test_matrix_set(&m.host, values);
    assert_int_equal(
        clEnqueueWriteBuffer(l->queue, m.memory, CL_FALSE, m.before, m.bytes, m.host.memory, 1, &l->gate, NULL),
        CL_SUCCESS);
    return m;
}

static void late_open(late *l) {
    assert_int_equal(pthread_create(&l->thread, NULL, open_gate, l), 0);
}

static void late_end(late *l) {
    (void)pthread_join(l->thread, NULL);
    (void)clReleaseCommandQueue(l->queue);
    (void)clReleaseEvent(l->gate);
}

/* ---- what follows ---- */

/* One call, a handle that works at once, one that keeps a copy, and an enqueueing call. */
enum { ONE_CALL, HANDLE, REFINED, ENQUEUED, WAYS };

static void solve(int way, const clsolve_matrix *A, clsolve_matrix *B) {
    clsolve_lu_options options = {.refine = way == REFINED};
    clsolve_lu *lu = NULL;
    if (way == ONE_CALL) {
        EXPECT(clsolve_solve(io.context, CLSOLVE_NO_TRANS, A, B, NULL, NULL), CLSOLVE_OK);
        return;
    }
    EXPECT(clsolve_lu_create(io.context, N, io.type, &options, &lu), CLSOLVE_OK);
    if (way == ENQUEUED) {
        EXPECT(clsolve_lu_factor_enqueue(lu, A, NULL), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve_enqueue(lu, CLSOLVE_NO_TRANS, B, NULL), CLSOLVE_OK);
        EXPECT(clsolve_lu_status(lu), CLSOLVE_OK);
    } else {
        EXPECT(clsolve_lu_factor(lu, A), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, B), CLSOLVE_OK);
    }
    clsolve_lu_destroy(lu);
}

static void after_another_queue(cl_command_queue_properties properties) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    for (int way = 0; way < WAYS; way++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            late l = late_begin(properties);
            if (!l.queue) continue;
            scratch_io a = late_put(&l, (clsolve_layout)layout, N, A);
            scratch_io b = late_put(&l, (clsolve_layout)layout, NRHS, B);
            EXPECT(clsolve_context_follow_opencl(io.context, l.queue), CLSOLVE_OK);
            late_open(&l);
            solve(way, &a.view, &b.view);
            late_end(&l);
            io_get(&b, NULL, X);
            double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("way %d, layout %d: ratio %g", way, layout, ratio);
        }
}

TEST(in_order) {
    after_another_queue(0);
}

TEST(out_of_order) {
    after_another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* The context's own queue: nothing has to be followed, and it does no harm. */
TEST(the_same_queue) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * NRHS), *X = io_values(3, N * NRHS);
    for (int follows = 0; follows < 2; follows++) {
        late l = late_begin(0);
        assert_int_equal(clReleaseCommandQueue(l.queue), CL_SUCCESS);
        l.queue = io.queue;
        (void)clRetainCommandQueue(io.queue);
        scratch_io a = late_put(&l, CLSOLVE_ROW_MAJOR, N, A), b = late_put(&l, CLSOLVE_ROW_MAJOR, NRHS, B);
        if (follows) EXPECT(clsolve_context_follow_opencl(io.context, io.queue), CLSOLVE_OK);
        late_open(&l);
        solve(ONE_CALL, &a.view, &b.view);
        late_end(&l);
        io_get(&b, NULL, X);
        double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, N, NRHS, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    }
}

/* ---- what is refused ---- */

#define REFUSED(context, call, word) TEST_EXPECT(context, call, CLSOLVE_ERROR_INVALID_ARGUMENT, word)

TEST(refusals) {
    clsolve_context *plain = test_context(1);
    cl_int code = CL_SUCCESS;
    cl_context another = clCreateContext(NULL, 1, &io.id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue theirs = clCreateCommandQueue(another, io.id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clsolve_context_follow_opencl(NULL, io.queue), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_follow_cuda(NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    REFUSED(io.context, clsolve_context_follow_opencl(io.context, NULL), "queue is NULL");
    REFUSED(io.context, clsolve_context_follow_opencl(io.context, theirs), "another cl_context");
    REFUSED(io.context, clsolve_context_follow_cuda(io.context, NULL), "the context is on opencl");
    REFUSED(plain, clsolve_context_follow_opencl(plain, io.queue), "clsolve_context_create_opencl");
    (void)clReleaseCommandQueue(theirs);
    (void)clReleaseContext(another);
    clsolve_context_destroy(plain);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
