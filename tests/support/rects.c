/*
 * rects.c: every copy that the library enqueues is held against the strictest reading of OpenCL's rules that a driver is known
 * to have, and against its buffers' sizes. The linker puts these functions in the place of the driver's (clsolve_link_rects in
 * CMakeLists.txt; the list is in rects.wrap). A call that breaks a rule is not made: it says which on stderr and gives
 * CL_INVALID_VALUE, as such a driver would, so that the test that made it fails.
 */
#include <stdio.h>

#include <CL/cl.h>

static size_t size_of(cl_mem memory) {
    size_t bytes = 0;
    return clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS ? bytes : 0;
}

/* `memory` NULL: the host's, whose size nobody knows. */
static const char *broken(const size_t *origin, const size_t *region, size_t row, size_t slice, cl_mem memory) {
    if (region[0] == 0 || region[1] == 0 || region[2] != 1) return "the region is empty or deep";
    if (row < region[0]) return "the row pitch is less than a row";
    if (slice != 0 && (slice < region[1] * row || slice % row != 0)) return "the slice pitch does not hold the rows";
    /* What follows is more than the specification asks, which looks at the last byte alone. */
    if (origin[0] + region[0] > row) return "rows pass the end of the row pitch";
    if (memory && (origin[2] != 0 || (origin[1] + region[1]) * row > size_of(memory)))
        return "the last row pitch ends behind the buffer";
    return NULL;
}

static int refuse(const char *call, const char *why, const size_t *origin, const size_t *region, size_t row,
                  cl_mem memory) {
    if (!why) return 0;
    fprintf(stderr, "%s: %s: origin %zu + %zu rows, region %zu x %zu, row pitch %zu, buffer %zu\n", call, why,
            origin[0], origin[1], region[0], region[1], row, memory ? size_of(memory) : 0);
    return 1;
}

static int refuse_rect(const char *call, const size_t *a, const size_t *b, const size_t *region, size_t ra, size_t sa,
                       size_t rb, size_t sb, cl_mem first, cl_mem second) {
    return refuse(call, broken(a, region, ra, sa, first), a, region, ra, first) ||
           refuse(call, broken(b, region, rb, sb, second), b, region, rb, second);
}

static int refuse_range(const char *call, cl_mem memory, size_t at, size_t bytes) {
    const size_t origin[3] = {at, 0, 0}, region[3] = {bytes, 1, 1};
    size_t all = size_of(memory);
    return refuse(call, bytes == 0 || at > all || bytes > all - at ? "the range leaves the buffer" : NULL, origin,
                  region, bytes, memory);
}

#define CALL(name, params, args, refused)                                                                              \
    cl_int __real_##name params;                                                                                       \
    cl_int __wrap_##name params;                                                                                       \
    cl_int __wrap_##name params {                                                                                      \
        return (refused) ? CL_INVALID_VALUE : __real_##name args;                                                      \
    }

#define QUEUE cl_command_queue q
#define LIST  cl_uint n, const cl_event *wait, cl_event *done
#define RECT  const size_t *a, const size_t *b, const size_t *region, size_t ra, size_t sa, size_t rb, size_t sb
CALL(clEnqueueReadBufferRect, (QUEUE, cl_mem m, cl_bool blocking, RECT, void *host, LIST),
     (q, m, blocking, a, b, region, ra, sa, rb, sb, host, n, wait, done),
     refuse_rect("clEnqueueReadBufferRect", a, b, region, ra, sa, rb, sb, m, NULL))
CALL(clEnqueueWriteBufferRect, (QUEUE, cl_mem m, cl_bool blocking, RECT, const void *host, LIST),
     (q, m, blocking, a, b, region, ra, sa, rb, sb, host, n, wait, done),
     refuse_rect("clEnqueueWriteBufferRect", a, b, region, ra, sa, rb, sb, m, NULL))
CALL(clEnqueueCopyBufferRect, (QUEUE, cl_mem from, cl_mem to, RECT, LIST),
     (q, from, to, a, b, region, ra, sa, rb, sb, n, wait, done),
     refuse_rect("clEnqueueCopyBufferRect", a, b, region, ra, sa, rb, sb, from, to))
CALL(clEnqueueReadBuffer, (QUEUE, cl_mem m, cl_bool blocking, size_t at, size_t bytes, void *host, LIST),
     (q, m, blocking, at, bytes, host, n, wait, done), refuse_range("clEnqueueReadBuffer", m, at, bytes))
CALL(clEnqueueWriteBuffer, (QUEUE, cl_mem m, cl_bool blocking, size_t at, size_t bytes, const void *host, LIST),
     (q, m, blocking, at, bytes, host, n, wait, done), refuse_range("clEnqueueWriteBuffer", m, at, bytes))
CALL(clEnqueueCopyBuffer, (QUEUE, cl_mem from, cl_mem to, size_t a, size_t b, size_t bytes, LIST),
     (q, from, to, a, b, bytes, n, wait, done),
     refuse_range("clEnqueueCopyBuffer", from, a, bytes) || refuse_range("clEnqueueCopyBuffer", to, b, bytes))
CALL(clEnqueueFillBuffer, (QUEUE, cl_mem m, const void *pattern, size_t width, size_t at, size_t bytes, LIST),
     (q, m, pattern, width, at, bytes, n, wait, done), refuse_range("clEnqueueFillBuffer", m, at, bytes))
