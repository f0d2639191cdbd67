/*
 * host.c: the host itself as a device: its memory, its BLAS and LAPACK, no driver and no kernels. All is done when an
 * operation returns, so its queues are always empty, and all its events are one. Methods that work in place on mapped
 * matrices run here as they are (blas.h: cls_in_place); others are told that there are no kernels.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "device/backend.h"
#include "device/buffer.h"
#include "device/rect.h"
#include "device/staging.h"

struct cls_pinned {
    void *memory;
};

/* Nobody looks inside an event, so any address that is not NULL is one. */
static void give_event(cls_device *device, cls_event **done) {
    if (done) *done = (cls_event *)device;
}

/* ---- device ---- */

static void destroy(cls_device *device) {
    cls_staging_destroy(device);
    if (device->blas_release) device->blas_release(device);
    cls_facts_destroy(device);
    cls_free(device);
}

/* ---- memory ---- */

static clsolve_status buffer_create(cls_device *device, size_t bytes, cls_buffer **buffer) {
    cls_buffer *made = cls_alloc(1, sizeof *made);

    *buffer = NULL;
    if (made) made->memory = cls_alloc(bytes, 1);
    if (!made || !made->memory) {
        cls_free(made);
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "the host has no room for %zu bytes", bytes);
    }
    made->bytes = bytes;
    device->counters.buffers++;
    device->counters.buffer_bytes += (int64_t)bytes;
    *buffer = made;
    return CLSOLVE_OK;
}

static void buffer_destroy(cls_device *device, cls_buffer *buffer) {
    if (!buffer) return;
    device->counters.buffers--;
    device->counters.buffer_bytes -= (int64_t)buffer->bytes;
    cls_free(buffer->memory);
    cls_free(buffer);
}

static int64_t memory_left(cls_device *device) {
    int64_t left = device->info.global_memory - device->counters.buffer_bytes;
    return left > 0 ? left : 0;
}

static clsolve_status adopt(cls_device *device, void *memory, cls_buffer **buffer, size_t *bytes) {
    (void)memory;
    *buffer = NULL;
    *bytes = 0;
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "the matrix is on the device, but this context has no handles of the caller's: make it by "
                    "clsolve_context_create_opencl or clsolve_context_create_cuda, or give the matrix on the host");
}

static clsolve_status pinned_create(cls_device *device, size_t bytes, cls_pinned **pinned, void **memory) {
    cls_pinned *made = cls_alloc(1, sizeof *made);

    *pinned = NULL;
    *memory = NULL;
    if (made) made->memory = cls_alloc(bytes, 1);
    if (!made || !made->memory) {
        cls_free(made);
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "the host has no room for %zu bytes", bytes);
    }
    *pinned = made;
    *memory = made->memory;
    return CLSOLVE_OK;
}

static void pinned_destroy(cls_device *device, cls_pinned *pinned) {
    (void)device;
    if (pinned) cls_free(pinned->memory);
    cls_free(pinned);
}

/* ---- copies: nothing crosses a bus, so nothing is counted ---- */

static void copy_columns(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t columns) {
    if (bytes == 0) return;
    for (size_t c = 0; c < columns; c++) memcpy(to + c * to_pitch, from + c * from_pitch, bytes);
}

static clsolve_status host_write(cls_device *device, cls_queue queue, cls_buffer *to, const void *host,
                                 const cls_rect *rect, const cls_wait *wait, cls_event **done) {
    (void)queue, (void)wait;
    copy_columns((char *)to->memory + rect->device_offset, rect->device_pitch, host, rect->host_pitch, rect->bytes,
                 rect->columns);
    give_event(device, done);
    return CLSOLVE_OK;
}

static clsolve_status host_read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                                const cls_wait *wait, cls_event **done) {
    (void)queue, (void)wait;
    copy_columns(host, rect->host_pitch, (const char *)from->memory + rect->device_offset, rect->device_pitch,
                 rect->bytes, rect->columns);
    give_event(device, done);
    return CLSOLVE_OK;
}

static int reaches(cls_device *device, const void *host, size_t bytes) {
    (void)device, (void)host, (void)bytes;
    return 1;
}

static clsolve_status copy_rect(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                const cls_span *span) {
    (void)device, (void)queue;
    copy_columns((char *)to->memory + span->to_offset, span->to_pitch, (const char *)from->memory + span->from_offset,
                 span->from_pitch, span->bytes, span->columns);
    return CLSOLVE_OK;
}

static clsolve_status copy(cls_device *device, cls_queue queue, cls_buffer *from, size_t from_offset, cls_buffer *to,
                           size_t to_offset, size_t bytes) {
    cls_span span = {bytes, 1, from_offset, bytes, to_offset, bytes};
    return copy_rect(device, queue, from, to, &span);
}

static clsolve_status fill(cls_device *device, cls_queue queue, cls_buffer *buffer, size_t offset, size_t bytes,
                           unsigned char value) {
    (void)device, (void)queue;
    if (bytes > 0) memset((char *)buffer->memory + offset, value, bytes);
    return CLSOLVE_OK;
}

static clsolve_status map(cls_device *device, cls_buffer *buffer, void **memory) {
    (void)device;
    *memory = buffer->memory;
    return CLSOLVE_OK;
}

static clsolve_status unmap(cls_device *device, cls_buffer *buffer, void *memory) {
    (void)device, (void)buffer, (void)memory;
    return CLSOLVE_OK;
}

/* ---- no kernels ---- */

static clsolve_status no_kernels(cls_device *device, const char *name) {
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "the host runs what LAPACK and BLAS do, and no kernels (%s): choose a device for this", name);
}

static clsolve_status program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
    (void)options;
    *program = NULL;
    return no_kernels(device, name);
}

static int recall(cls_device *device, const char *name) {
    (void)device, (void)name;
    return 0;
}

static void remember(cls_device *device, const char *name, int number) {
    (void)device, (void)name, (void)number;
}

static clsolve_status kernel_create(cls_device *device, cls_program *program, const char *name, cls_kernel **kernel) {
    (void)program;
    *kernel = NULL;
    return no_kernels(device, name);
}

static void kernel_destroy(cls_device *device, cls_kernel *kernel) {
    (void)device, (void)kernel;
}

static clsolve_status launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    (void)queue, (void)kernel, (void)grid, (void)args, (void)count, (void)wait, (void)done;
    return no_kernels(device, "a launch");
}

/* ---- queues ---- */

static clsolve_status mark(cls_device *device, cls_queue queue, cls_event **done) {
    (void)queue;
    give_event(device, done);
    return CLSOLVE_OK;
}

static int event_is_over(cls_device *device, cls_event *event) {
    (void)device, (void)event;
    return 1;
}

static clsolve_status event_wait(cls_device *device, cls_event *event) {
    (void)device, (void)event;
    return CLSOLVE_OK;
}

static clsolve_status queue_wait(cls_device *device, cls_queue queue, cls_event *event) {
    (void)device, (void)queue, (void)event;
    return CLSOLVE_OK;
}

static void event_release(cls_device *device, cls_event *event) {
    (void)device, (void)event;
}

static double elapsed(cls_device *device, cls_event *begin, cls_event *end) {
    (void)device, (void)begin, (void)end;
    return 0;
}

static clsolve_status nothing_left(cls_device *device, cls_queue queue) {
    (void)device, (void)queue;
    return CLSOLVE_OK;
}

static const cls_device_ops operations = {
    .destroy = destroy,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .memory_left = memory_left,
    .adopt = adopt,
    .pinned_create = pinned_create,
    .pinned_destroy = pinned_destroy,
    .write = host_write,
    .read = host_read,
    .reaches = reaches,
    .copy = copy,
    .copy_rect = copy_rect,
    .fill = fill,
    .program_get = program_get,
    .recall = recall,
    .remember = remember,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .launch = launch,
    .launch_together = launch,
    .mark = mark,
    .event_is_over = event_is_over,
    .event_wait = event_wait,
    .queue_wait = queue_wait,
    .event_release = event_release,
    .elapsed = elapsed,
    .flush = nothing_left,
    .finish = nothing_left,
    .map = map,
    .unmap = unmap,
};

static clsolve_device_info describe(void) {
    clsolve_device_info info = {.type = CLSOLVE_DEVICE_CPU, .fp64 = 1, .host_memory = 1, .max_work_group = 1};

    (void)snprintf(info.selector, sizeof info.selector, "%s", CLS_HOST);
    (void)snprintf(info.backend, sizeof info.backend, "%s", CLS_HOST);
    (void)snprintf(info.name, sizeof info.name, "the host");
    (void)snprintf(info.platform, sizeof info.platform, "LAPACK and OpenBLAS");
    info.compute_units = 1 + cls_pool_spare_cores(1 << 16);
    info.global_memory = info.max_allocation = cls_host_memory();
    return info;
}

clsolve_status cls_host_open(cls_error *error, cls_device **device) {
    *device = cls_alloc(1, sizeof **device);
    if (!*device) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a device's record");
    (*device)->ops = &operations;
    (*device)->info = describe();
    (*device)->error = error;
    (*device)->no_kernels = 1;
    (*device)->threads = cls_staging_threads();
    return CLSOLVE_OK;
}
