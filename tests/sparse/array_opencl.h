/* array_opencl.h: array_tests.h for arrays in the caller's own OpenCL buffers, and the calls that enqueue. */
#include <clsolve/cuda.h>
#include <clsolve/opencl.h>

#include "lu/interop_support.h"

typedef cl_event event;
typedef io_matrix array;

#define OTHER_EVENTS   ((const clsolve_events[]){clsolve_cuda_events(0, NULL, NULL)})
#define caller_context io.context
#define caller_type    io.type
#define array_put      io_put
#define array_drop     io_drop

static void array_get(array *a, double *values) {
    io_get(a, NULL, values);
}

static void event_finish(event e) {
    assert_int_equal(clWaitForEvents(1, &e), 0);
    (void)clReleaseEvent(e);
}

/* The values come in another queue of the caller's. */
static array array_put_late(int64_t rows, int64_t cols, const double *values, event *there) {
    cl_int code = 0;
    cl_command_queue queue = clCreateCommandQueue(io.cl, io.id, 0, &code);
    const unsigned char zero = 0;
    array a = io_put(CLSOLVE_COLUMN_MAJOR, rows, cols, values);
    assert_int_equal(code, 0);
    assert_int_equal(clEnqueueFillBuffer(io.queue, a.memory, &zero, 1, a.before, a.bytes, 0, NULL, NULL), 0);
    assert_int_equal(clFinish(io.queue), 0);
    assert_int_equal(clEnqueueWriteBuffer(queue, a.memory, CL_FALSE, a.before, a.bytes, a.host.memory, 0, NULL, there),
                     0);
    assert_int_equal(clFlush(queue), 0);
    (void)clReleaseCommandQueue(queue);
    return a;
}

#include "sparse/array_tests.h"

/* Values that kernels may not read, and B that they may not write, cross. */
TEST(without_kernels) {
    const kind *kind = has_double() ? &kinds[0] : &kinds[KINDS - 2];
    system_of s = open_system(kind, NULL);
    SCRATCH double *values = doubles_of(&s), *B = sides_of(&s, 1), *X = sides_of(&s, 1);
    io_matrix a = io_put_as(CL_MEM_WRITE_ONLY, CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
    io_matrix b = io_put_as(CL_MEM_READ_ONLY, CLSOLVE_COLUMN_MAJOR, s.A.n, 1, B);
    OK(clsolve_sparse_factor_values(s.sparse, &a.view));
    OK(clsolve_sparse_solve(s.sparse, CLSOLVE_NO_TRANS, &b.view));
    io_get(&b, NULL, X);
    assert_true(triplets_backward(&s.A, kind->type, CLSOLVE_NO_TRANS, 1, B, X) <= triplets_bound(s.A.n, kind->type));
    io_drop(&a);
    io_drop(&b);
    close_system(&s);
}
