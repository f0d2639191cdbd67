#include "lu/interop_support.h"

#include <stdlib.h>
#include <string.h>

#include "api/context.h"

enum { IO_BEHIND = 11 };

cl_context io_cl;
cl_device_id io_id;
cl_command_queue io_queue;
clsolve_context *io_context;
clsolve_type io_type;

/* ---- the caller's side ---- */

/* The device that the tests are to run on, found by the name that the library gives it. */
static int find_device(void) {
    clsolve_context *any = test_context(1);
    clsolve_device_info info = clsolve_context_device(any);
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clsolve_context_destroy(any);
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; d++) {
            char name[256] = "";
            (void)clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            if (strstr(name, info.name)) {
                io_id = ids[d];
                return 1;
            }
        }
    }
    return 0;
}

int io_open(void **state) {
    cl_int code = CL_SUCCESS;
    (void)state;
    if (!find_device()) return -1;
    io_cl = clCreateContext(NULL, 1, &io_id, NULL, NULL, &code);
    if (io_cl) io_queue = clCreateCommandQueue(io_cl, io_id, 0, &code);
    if (code != CL_SUCCESS) return -1;
    if (clsolve_context_create_opencl(io_cl, io_id, io_queue, NULL, &io_context) != CLSOLVE_OK) return -1;
    io_type = clsolve_context_device(io_context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

int io_close(void **state) {
    (void)state;
    int64_t left = io_context->device->counters.buffers;
    clsolve_context_destroy(io_context);
    (void)clReleaseCommandQueue(io_queue);
    (void)clReleaseContext(io_cl);
    return left == 0 ? 0 : -1;
}

io_matrix io_put_as(cl_mem_flags flags, clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    io_matrix d;
    cl_int code = CL_SUCCESS;
    size_t size = io_type == CLSOLVE_F64 ? 8 : 4;
    d.host = test_matrix_make(io_type, layout, rows, cols, 3);
    test_matrix_set(&d.host, values);
    d.before = IO_OFFSET * size;
    d.bytes = (size_t)(d.host.lines * d.host.view.ld) * size;
    size_t all = d.before + d.bytes + IO_BEHIND;
    char *copy = malloc(all);
    assert_non_null(copy);
    memset(copy, 0x5a, all);
    memcpy(copy + d.before, d.host.memory, d.bytes);
    d.memory = clCreateBuffer(io_cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR | flags, all, copy, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(copy);
    d.view = clsolve_opencl_matrix(io_type, layout, rows, cols, d.host.view.ld, d.memory, IO_OFFSET);
    return d;
}

io_matrix io_put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    return io_put_as(0, layout, rows, cols, values);
}

void io_get(io_matrix *d, const cl_event *wait, double *values) {
    size_t all = d->before + d->bytes + IO_BEHIND;
    char *copy = malloc(all);
    assert_non_null(copy);
    cl_int code = CL_SUCCESS;
    cl_mem plain = clCreateBuffer(io_cl, CL_MEM_READ_WRITE, all, NULL, &code); /* the host may not see each of ours */
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueCopyBuffer(io_queue, d->memory, plain, 0, 0, all, wait ? 1 : 0, wait, NULL), 0);
    assert_int_equal(clEnqueueReadBuffer(io_queue, plain, CL_TRUE, 0, all, copy, 0, NULL, NULL), 0);
    (void)clReleaseMemObject(plain);
    for (size_t i = 0; i < all; i++)
        if (i < d->before || i >= d->before + d->bytes) assert_int_equal(copy[i], 0x5a);
    memcpy(d->host.memory, copy + d->before, d->bytes);
    test_matrix_spare_intact(&d->host);
    test_matrix_get(&d->host, values);
    free(copy);
}

void io_drop(io_matrix *d) {
    (void)clReleaseMemObject(d->memory);
    test_matrix_free(&d->host);
}

double *io_values(uint64_t use, int64_t count) {
    test_random random = test_random_start(use);
    double *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < count; k++) values[k] = test_rounded(io_type, test_random_signed(&random));
    return values;
}

void io_same(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_true(a[k] == b[k]);
}

clsolve_lu *io_make(void) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options options = test_lu_options();
    if (clsolve_lu_create(io_context, IO_N, io_type, &options, &lu) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io_context));
    return lu;
}
