/* The enqueueing calls of Gauss-Jordan, bands and grids on the caller's own OpenCL queue, buffers and events. */
#define _POSIX_C_SOURCE 200809L

#include <clsolve/cuda.h>
#include <clsolve/opencl.h>

#include <pthread.h>
#include <time.h>

#include "lu/interop_support.h"

typedef cl_event event;
typedef io_matrix array;

#define OTHER_EVENTS   ((const clsolve_events[]){clsolve_cuda_events(0, NULL, NULL)})
#define GRID           clsolve_opencl_grid
#define caller_context io.context
#define caller_type    io.type

static array array_put(int64_t rows, int64_t cols, const double *values) {
    return io_put(CLSOLVE_COLUMN_MAJOR, rows, cols, values);
}

static void array_get(array *a, double *values) {
    io_get(a, NULL, values);
}

static void array_drop(array *a) {
    io_drop(a);
}

static void event_finish(event e) {
    assert_int_equal(clWaitForEvents(1, &e), CL_SUCCESS);
    (void)clReleaseEvent(e);
}

/* What a thread of the caller's writes after a while: then the event is done. */
typedef struct late {
    cl_mem memory;
    cl_event there;
    char *bytes;
    size_t before, count;
} late;

static void *write_late(void *data) {
    SCRATCH late *l = data;
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(io.cl, io.id, 0, &code);
    struct timespec a_while = {0, 50000000};
    (void)nanosleep(&a_while, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(queue, l->memory, CL_TRUE, l->before, l->count, l->bytes, 0, NULL, NULL);
    (void)clSetUserEventStatus(l->there, code == CL_SUCCESS ? CL_COMPLETE : -1);
    if (queue) (void)clReleaseCommandQueue(queue);
    (void)clReleaseEvent(l->there);
    (void)clReleaseMemObject(l->memory);
    free(l->bytes);
    return NULL;
}

static array array_put_late(int64_t rows, int64_t cols, const double *values, event *there) {
    SCRATCH double *zeros = test_room(rows * cols, sizeof *zeros);
    late *l = test_room(1, sizeof *l);
    cl_int code = CL_SUCCESS;
    pthread_t thread;
    array a = array_put(rows, cols, zeros);
    test_matrix_set(&a.host, values);
    *there = clCreateUserEvent(io.cl, &code);
    assert_int_equal(code, CL_SUCCESS);
    *l = (late){a.memory, *there, malloc(a.bytes), a.before, a.bytes};
    assert_non_null(l->bytes);
    memcpy(l->bytes, a.host.memory, a.bytes);
    (void)clRetainEvent(*there);
    (void)clRetainMemObject(a.memory);
    assert_int_equal(pthread_create(&thread, NULL, write_late, l), 0);
    (void)pthread_detach(thread);
    return a;
}

#include "enqueue/family_tests.h"

TEST_PROGRAM_OF("opencl", io_open, io_close)
