#include "lu/interop_support.h"

#include "api/context.h"
#include "base/type.h"

enum { IO_BEHIND = 11 };

opencl_caller io;

/* ---- the caller's side ---- */

int io_open(void **state) {
    return opencl_caller_open(&io);
}

int io_close(void **state) {
    return opencl_caller_close(&io);
}

io_matrix io_put_as(cl_mem_flags flags, clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    io_matrix d;
    cl_int code = CL_SUCCESS;
    size_t size = (size_t)cls_type_size(io.type);
    d.host = test_matrix_make(io.type, layout, rows, cols, 3);
    test_matrix_set(&d.host, values);
    d.before = IO_OFFSET * size;
    d.bytes = (size_t)(d.host.lines * d.host.view.ld) * size;
    size_t all = d.before + d.bytes + IO_BEHIND;
    char *copy = malloc(all);
    assert_non_null(copy);
    memset(copy, 0x5a, all);
    memcpy(copy + d.before, d.host.memory, d.bytes);
    const cl_mem_flags access = flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) ? 0 : CL_MEM_READ_WRITE;
    d.memory = clCreateBuffer(io.cl, access | CL_MEM_COPY_HOST_PTR | flags, all, copy, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(copy);
    d.view = clsolve_opencl_matrix(io.type, layout, rows, cols, d.host.view.ld, d.memory, IO_OFFSET);
    return d;
}

io_matrix io_put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    return io_put_as(0, layout, rows, cols, values);
}

void io_get(io_matrix *d, const cl_event *wait, double *values) {
    size_t all = d->before + d->bytes + IO_BEHIND;
    SCRATCH char *copy = malloc(all);
    assert_non_null(copy);
    cl_int code = CL_SUCCESS;
    cl_mem plain = clCreateBuffer(io.cl, CL_MEM_READ_WRITE, all, NULL, &code); /* the host may not see each of ours */
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueCopyBuffer(io.queue, d->memory, plain, 0, 0, all, wait ? 1 : 0, wait, NULL), 0);
    assert_int_equal(clEnqueueReadBuffer(io.queue, plain, CL_TRUE, 0, all, copy, 0, NULL, NULL), 0);
    (void)clReleaseMemObject(plain);
    for (size_t i = 0; i < all; i++)
        if (i < d->before || i >= d->before + d->bytes) assert_int_equal(copy[i], 0x5a);
    memcpy(d->host.memory, copy + d->before, d->bytes);
    test_matrix_spare_intact(&d->host);
    test_matrix_get(&d->host, values);
}

void io_in_each_type(void (*test)(clsolve_type type)) {
    const clsolve_type own = io.type;
    test(own);
    io.type = own == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32;
    test(io.type);
    io.type = own;
}

void io_drop(io_matrix *d) {
    (void)clReleaseMemObject(d->memory);
    test_matrix_free(&d->host);
}

double *io_values(uint64_t use, int64_t count) {
    test_random random = test_random_start(use);
    double *values = test_elements(io.type, count);
    for (int64_t k = 0; k < test_numbers(io.type, count); k++)
        values[k] = test_rounded(io.type, test_random_signed(&random));
    return values;
}

void io_same(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < test_numbers(io.type, count); k++) assert_true(a[k] == b[k]);
}

clsolve_lu *io_make(void) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options options = test_lu_options();
    if (clsolve_lu_create(io.context, IO_N, io.type, &options, &lu) != CLSOLVE_OK)
        fail_msg("%s", clsolve_context_message(io.context));
    return lu;
}
