/* The checks of support/rects.c, which other programs rely on: each rule that is broken is refused, and what keeps to them all is
 * done. On the caller's own OpenCL, for the library breaks none. */
#include "device_support.h"

#include <CL/cl.h>

enum { BYTES = 1000, PITCH = 100 };

static cl_context context;
static cl_command_queue queue;
static cl_mem memory, other;
static char host[2 * BYTES];

typedef struct rule {
    size_t x, y, width, height, pitch, slice;
    cl_int expected;
} rule;

static const rule rules[] = {
    {0, 0, PITCH, 10, PITCH, 0, CL_SUCCESS},
    {20, 3, 80, 7, PITCH, 7 * PITCH, CL_SUCCESS},
    {0, 0, 0, 10, PITCH, 0, CL_INVALID_VALUE},             /* nothing */
    {0, 0, PITCH, 2, PITCH - 1, 0, CL_INVALID_VALUE},      /* a row longer than its pitch */
    {0, 0, 10, 4, PITCH, 3 * PITCH, CL_INVALID_VALUE},     /* more rows than the slice's */
    {0, 0, 10, 4, PITCH, 4 * PITCH + 1, CL_INVALID_VALUE}, /* a slice of no whole rows */
    {30, 2, 80, 5, PITCH, 0, CL_INVALID_VALUE},            /* rows pass the end of a pitch */
    {0, 2, 10, 9, PITCH, 0, CL_INVALID_VALUE},             /* behind the buffer */
    {0, 0, 10, 8, 150, 0, CL_INVALID_VALUE},               /* the last row's end is behind the buffer */
    {0, 0, 10, 7, 150, 0, CL_INVALID_VALUE},               /* its bytes are not, but its pitch is */
};

static int open_all(void **state) {
    cl_platform_id platforms[16];
    cl_device_id id = NULL;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return -1;
    for (cl_uint p = 0; p < count && p < 16 && !id; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &id, NULL) != CL_SUCCESS) id = NULL;
    context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, id, 0, NULL);
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
    other = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * BYTES, NULL, NULL);
    return memory && other ? 0 : -1;
}

static int close_all(void **state) {
    (void)clFinish(queue);
    (void)clReleaseMemObject(memory);
    (void)clReleaseMemObject(other);
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(context);
    return 0;
}

TEST(rectangles) {
    const size_t zero[3] = {0, 0, 0};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        const rule *r = &rules[k];
        const size_t origin[3] = {r->x, r->y, 0}, region[3] = {r->width, r->height, 1};
        assert_int_equal(clEnqueueWriteBufferRect(queue, memory, CL_TRUE, origin, zero, region, r->pitch, r->slice,
                                                  PITCH, 0, host, 0, NULL, NULL),
                         r->expected);
        assert_int_equal(clEnqueueReadBufferRect(queue, memory, CL_TRUE, origin, zero, region, r->pitch, r->slice,
                                                 PITCH, 0, host, 0, NULL, NULL),
                         r->expected);
        assert_int_equal(clEnqueueCopyBufferRect(queue, memory, other, origin, zero, region, r->pitch, r->slice, PITCH,
                                                 0, 0, NULL, NULL),
                         r->expected);
        assert_int_equal(clEnqueueCopyBufferRect(queue, other, memory, zero, origin, region, PITCH, 0, r->pitch,
                                                 r->slice, 0, NULL, NULL),
                         r->expected);
        assert_int_equal(clFinish(queue), CL_SUCCESS);
    }
}

TEST(ranges) {
    const char zero = 0;
    for (int beyond = 0; beyond < 2; beyond++) {
        cl_int expected = beyond ? CL_INVALID_VALUE : CL_SUCCESS;
        size_t bytes = 10 + (size_t)beyond, at = BYTES - 10;
        assert_int_equal(clEnqueueWriteBuffer(queue, memory, CL_TRUE, at, bytes, host, 0, NULL, NULL), expected);
        assert_int_equal(clEnqueueReadBuffer(queue, memory, CL_TRUE, at, bytes, host, 0, NULL, NULL), expected);
        assert_int_equal(clEnqueueCopyBuffer(queue, memory, other, at, 0, bytes, 0, NULL, NULL), expected);
        assert_int_equal(clEnqueueCopyBuffer(queue, other, memory, 0, at, bytes, 0, NULL, NULL), expected);
        assert_int_equal(clEnqueueFillBuffer(queue, memory, &zero, 1, at, bytes, 0, NULL, NULL), expected);
    }
}

TEST_PROGRAM_OF("opencl", open_all, close_all)
