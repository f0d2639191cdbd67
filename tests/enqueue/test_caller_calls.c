/*
 * How often calls on a caller's own queue and buffers call OpenCL's driver: which calls wait, send off or make something,
 * when the same call was made before. Each wait and each enqueued command takes a GPU's driver some microseconds, which is
 * all the time of a small system.
 */
#include "lu/interop_support.h"

#include "base/type.h"
#include "cholesky/cholesky_support.h"

enum { N = 60 };

typedef enum {
    WAITS,    /* of the host for the device */
    BY_EVENT, /* waited for or asked after one by one */
    SENT,     /* flushes, markers and barriers */
    READS,
    COPIES, /* on the device, fills too */
    LAUNCHES,
    MADE, /* buffers, kernels, queues */
    KINDS
} kind;
static int made[KINDS];

#define COUNTED(result, name, of, parameters, arguments)                                                               \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters {                                                                                  \
        made[of]++;                                                                                                    \
        return __real_##name arguments;                                                                                \
    }
COUNTED(cl_int, clFinish, WAITS, (cl_command_queue q), (q))
COUNTED(cl_int, clWaitForEvents, BY_EVENT, (cl_uint n, const cl_event *e), (n, e))
COUNTED(cl_int, clFlush, SENT, (cl_command_queue q), (q))
COUNTED(cl_int, clEnqueueMarkerWithWaitList, SENT, (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e),
        (q, n, w, e))
COUNTED(cl_int, clEnqueueBarrierWithWaitList, SENT, (cl_command_queue q, cl_uint n, const cl_event *w, cl_event *e),
        (q, n, w, e))
COUNTED(cl_int, clEnqueueReadBuffer, READS,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t s, void *to, cl_uint n, const cl_event *w,
         cl_event *e),
        (q, m, b, at, s, to, n, w, e))
COUNTED(cl_int, clEnqueueCopyBuffer, COPIES,
        (cl_command_queue q, cl_mem a, cl_mem b, size_t x, size_t y, size_t s, cl_uint n, const cl_event *w,
         cl_event *e),
        (q, a, b, x, y, s, n, w, e))
COUNTED(cl_int, clEnqueueCopyBufferRect, COPIES,
        (cl_command_queue q, cl_mem a, cl_mem b, const size_t *x, const size_t *y, const size_t *r, size_t ap,
         size_t as, size_t bp, size_t bs, cl_uint n, const cl_event *w, cl_event *e),
        (q, a, b, x, y, r, ap, as, bp, bs, n, w, e))
COUNTED(cl_int, clEnqueueFillBuffer, COPIES,
        (cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t at, size_t s, cl_uint n, const cl_event *w,
         cl_event *e),
        (q, m, p, ps, at, s, n, w, e))
COUNTED(cl_int, clEnqueueNDRangeKernel, LAUNCHES,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l, cl_uint n,
         const cl_event *w, cl_event *e),
        (q, k, d, o, g, l, n, w, e))
COUNTED(cl_mem, clCreateBuffer, MADE, (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *e), (c, f, s, h, e))
COUNTED(cl_kernel, clCreateKernel, MADE, (cl_program p, const char *n, cl_int *e), (p, n, e))

typedef struct system_ {
    clsolve_cholesky *cholesky;
    clsolve_lu *lu;
    clsolve_lu_batch *batch;
    cl_mem a_memory, b_memory;
    clsolve_matrix a, b;
} system_;

typedef clsolve_status call_on(system_ *s);

static clsolve_status factor_cholesky(system_ *s) {
    return clsolve_cholesky_factor(s->cholesky, CLSOLVE_LOWER, &s->a);
}

static clsolve_status solve_cholesky(system_ *s) {
    return clsolve_cholesky_solve(s->cholesky, &s->b);
}

static clsolve_status enqueue_cholesky(system_ *s) {
    const clsolve_status status = clsolve_cholesky_factor_enqueue(s->cholesky, CLSOLVE_LOWER, &s->a, NULL);
    return status == CLSOLVE_OK ? clsolve_cholesky_status(s->cholesky) : status;
}

static clsolve_status solve_lu(system_ *s) {
    return clsolve_lu_solve(s->lu, CLSOLVE_NO_TRANS, &s->b);
}

/* A batch of one member: the infos stay on the device. */
static clsolve_status enqueue_batch(system_ *s) {
    const clsolve_batch a = {s->a.type, s->a.layout, 1, N, N, N, N * N, NULL, s->a.data, s->a.place, 0};
    clsolve_batch b = {s->b.type, s->b.layout, 1, N, 1, N, N, NULL, s->b.data, s->b.place, 0};
    const clsolve_status status = clsolve_lu_batch_factor_enqueue(s->batch, &a, NULL, NULL);
    if (status != CLSOLVE_OK) return status;
    return clsolve_lu_batch_solve_enqueue(s->batch, CLSOLVE_NO_TRANS, &b, NULL, NULL);
}

static clsolve_status infos_of_batch(system_ *s) {
    int64_t info;
    const clsolve_status status = enqueue_batch(s);
    return status == CLSOLVE_OK ? clsolve_lu_batch_infos(s->batch, &info) : status;
}

/* A buffer of the matrix alone, column after column. */
static clsolve_matrix put(int64_t cols, const double *values, cl_mem *memory) {
    scratch_matrix host = test_matrix_make(io.type, CLSOLVE_COLUMN_MAJOR, N, cols, 0);
    cl_int code = CL_SUCCESS;
    test_matrix_set(&host, values);
    *memory = clCreateBuffer(io.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                             (size_t)(N * cols * cls_type_size(io.type)), host.view.data, &code);
    assert_int_equal(code, CL_SUCCESS);
    return clsolve_opencl_matrix(io.type, CLSOLVE_COLUMN_MAJOR, N, cols, N, *memory, 0);
}

/* The third time, when all is made that stays. */
static void counts(system_ *s, const char *name, call_on *call, const int wanted[KINDS]) {
    for (int round = 0; round < 3; round++) {
        memset(made, 0, sizeof made);
        if (call(s) != CLSOLVE_OK) fail_msg("%s: %s", name, clsolve_context_message(io.context));
    }
    for (int k = 0; k < KINDS; k++)
        if (made[k] != wanted[k]) fail_msg("%s: %d calls of kind %d, not %d", name, made[k], k, wanted[k]);
}

/* By columns, for one right-hand side: what more of them or rows want is a kernel's work. */
TEST(calls_are_counted) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N);
    test_random random = test_random_start(5);
    const clsolve_cholesky_options options = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_lu_options lu_options = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    system_ s = {.lu = NULL};

    /* OpenBLAS on mapped buffers has other calls. */
    if (clsolve_context_device(io.context).host_memory) skip();
    spd_make(&random, io.type, SPD_WELL, N, A);
    s.a = put(N, A, &s.a_memory);
    s.b = put(1, B, &s.b_memory);
    assert_int_equal(clsolve_cholesky_create(io.context, N, io.type, &options, &s.cholesky), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_create(io.context, N, io.type, &lu_options, &s.lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(s.lu, &s.a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_create(io.context, N, 1, io.type, NULL, &s.batch), CLSOLVE_OK);

    /* A is copied and measured (2 launches), the word of the outcome cleared, one leaf, the determinant; three records. */
    counts(&s, "cholesky_factor", factor_cholesky,
           (const int[KINDS]){[WAITS] = 1, [COPIES] = 2, [LAUNCHES] = 4, [READS] = 3});
    /* B is copied, examined (2), solved for by L and L^T (2), examined (2), and copied back, which is waited for too. */
    counts(&s, "cholesky_solve", solve_cholesky,
           (const int[KINDS]){[WAITS] = 2, [COPIES] = 2, [LAUNCHES] = 6, [READS] = 2});
    /* Two words are cleared; A is copied and searched (2), and a leaf. Nothing is waited for before the outcome. */
    counts(&s, "cholesky_factor_enqueue, cholesky_status", enqueue_cholesky,
           (const int[KINDS]){[WAITS] = 1, [SENT] = 1, [COPIES] = 3, [LAUNCHES] = 3, [READS] = 2});
    counts(&s, "lu_solve", solve_lu, (const int[KINDS]){[WAITS] = 2, [COPIES] = 2, [LAUNCHES] = 7, [READS] = 2});

    /* A is taken and scaled, five launches for its panels, their rows sorted; and a solve. Infos of both calls come down. */
    counts(&s, "lu_batch_factor_enqueue, lu_batch_solve_enqueue", enqueue_batch,
           (const int[KINDS]){[SENT] = 2, [LAUNCHES] = 9});
    counts(&s, "and lu_batch_infos", infos_of_batch,
           (const int[KINDS]){[WAITS] = 2, [SENT] = 2, [LAUNCHES] = 9, [READS] = 2});

    clsolve_lu_batch_destroy(s.batch);
    clsolve_lu_destroy(s.lu);
    clsolve_cholesky_destroy(s.cholesky);
    (void)clReleaseMemObject(s.a_memory);
    (void)clReleaseMemObject(s.b_memory);
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
