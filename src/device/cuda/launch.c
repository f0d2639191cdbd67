/* launch.c: kernels, launches, events and waits: the calls that a method makes thousands of times. */
#include "device/cuda/enter.h"

#include <limits.h>
#include <stdio.h>

#include "base/memory.h"

/* ---- kernels ---- */

/* The driver reads as many bytes of each argument as the kernel's parameter has, and never learns how many were given:
 * so they are compared before, where the driver tells what the kernel takes. */
static void learn_parameters(cls_cuda *device, cls_kernel *kernel) {
    size_t offset = 0, size = 0;
    kernel->count = -1;
    if (!device->driver.param_info) return;
    int count = 0;
    while (count < CLS_CUDA_PARAMS &&
           device->driver.param_info(kernel->function, (size_t)count, &offset, &size) == CUDA_SUCCESS)
        kernel->size[count++] = size;
    kernel->count = count;
}

static CUresult find(cls_cuda *device, cls_program *program, const char *name, cls_kernel *kernel) {
    CUcontext popped;
    CUresult code = device->driver.context_push(device->context);
    if (code != CUDA_SUCCESS) return code;
    code = device->driver.module_function(&kernel->function, program->handle, name);
    if (code == CUDA_SUCCESS) learn_parameters(device, kernel);
    (void)device->driver.context_pop(&popped);
    return code;
}

clsolve_status cls_cuda_kernel_create(cls_device *base, cls_program *program, const char *name, cls_kernel **kernel) {
    cls_cuda *device = cls_cuda_of(base);
    *kernel = NULL;
    if (!program) return CLSOLVE_OK; /* announced */
    cls_kernel *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(base->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a kernel's record");
    CUresult code = find(device, program, name, made);
    if (code != CUDA_SUCCESS) {
        const char *text = NULL;
        cls_free(made);
        if (device->driver.error_name(code, &text) != CUDA_SUCCESS || !text) text = "unknown error";
        return cls_fail(base->error, CLSOLVE_ERROR_BUILD,
                        "no kernel \"%s\" in %s.cl: cuModuleGetFunction failed: %s (%d)", name, program->name, text,
                        (int)code);
    }
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    *kernel = made;
    return CLSOLVE_OK;
}

void cls_cuda_kernel_destroy(cls_device *device, cls_kernel *kernel) {
    (void)device;
    cls_free(kernel); /* the function is the module's */
}

/* ---- launches ---- */

/* A launch's arguments as the driver wants them. */
typedef struct arguments {
    void *pointers[CLS_CUDA_PARAMS];
    unsigned offsets[CLS_CUDA_PARAMS]; /* of LOCAL arguments in the launch's dynamic shared memory (dialect.clh) */
    size_t shared;
} arguments;

static clsolve_status wrong(cls_cuda *device, const cls_kernel *kernel, const char *why) {
    return cls_fail(device->base.error, CLSOLVE_ERROR_DEVICE,
                    "cuLaunchKernel of kernel \"%s\" failed: CUDA_ERROR_INVALID_VALUE (1): %s", kernel->name, why);
}

static clsolve_status wrong_size(cls_cuda *device, const cls_kernel *kernel, int32_t i, size_t given) {
    char why[128];
    (void)snprintf(why, sizeof why, "argument %d has %zu bytes where the kernel takes %zu", (int)i, given,
                   kernel->size[i]);
    return wrong(device, kernel, why);
}

static clsolve_status wrong_count(cls_cuda *device, const cls_kernel *kernel, int32_t count) {
    char why[128];
    if (kernel->count < 0)
        (void)snprintf(why, sizeof why, "%d arguments are too many", (int)count);
    else
        (void)snprintf(why, sizeof why, "%d arguments where the kernel takes %d", (int)count, kernel->count);
    return wrong(device, kernel, why);
}

static clsolve_status gather(cls_cuda *device, const cls_kernel *kernel, const cls_arg *args, int32_t count,
                             arguments *all) {
    enum { ALIGNMENT = 16 }; /* of each LOCAL argument */
    all->shared = 0;
    if (count > CLS_CUDA_PARAMS || (kernel->count >= 0 && count > kernel->count))
        return wrong_count(device, kernel, count);
    for (int32_t i = 0; i < count; i++) {
        size_t size = args[i].size;
        if (args[i].kind == CLS_ARG_VALUE) {
            all->pointers[i] = (void *)(uintptr_t)args[i].pointer; /* only read */
        } else if (args[i].kind == CLS_ARG_BUFFER) {
            all->pointers[i] = (void *)(uintptr_t) & ((const cls_buffer *)args[i].pointer)->memory;
            size = sizeof(CUdeviceptr);
        } else {
            all->offsets[i] = (unsigned)all->shared;
            all->pointers[i] = &all->offsets[i];
            all->shared += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            size = sizeof all->offsets[i];
        }
        if (kernel->count >= 0 && kernel->size[i] != size) return wrong_size(device, kernel, i, size);
    }
    if (kernel->count >= 0 && count != kernel->count) return wrong_count(device, kernel, count);
    return CLSOLVE_OK;
}

/* More dynamic shared memory than every device gives has to be asked for. */
static clsolve_status prepare_shared(cls_cuda *device, cls_kernel *kernel, size_t bytes) {
    if (bytes <= 48 * 1024 || bytes <= kernel->shared) return CLSOLVE_OK;
    if (bytes > INT_MAX) return wrong(device, kernel, "too much local memory");
    CLS_TRY_CU(
        device, "cuFuncSetAttribute",
        device->driver.function_set(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
    kernel->shared = bytes;
    return CLSOLVE_OK;
}

static clsolve_status enqueue(cls_cuda *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                              arguments *all, const cls_wait *wait, cls_event **done, bool together) {
    unsigned groups[3], items[3];
    for (int d = 0; d < 3; d++) {
        size_t local = grid->local[d] > 0 ? grid->local[d] : 1, count = grid->global[d] / local;
        if (count > INT_MAX || local > INT_MAX) return wrong(device, kernel, "more groups than CUDA can count");
        groups[d] = (unsigned)count;
        items[d] = (unsigned)local;
    }
    CLS_TRY(prepare_shared(device, kernel, all->shared));
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    CUresult code =
        (together
             ? device->driver.launch_together(kernel->function, groups[0], groups[1], groups[2], items[0], items[1],
                                              items[2], (unsigned)all->shared, device->queues[queue], all->pointers)
             : device->driver.launch(kernel->function, groups[0], groups[1], groups[2], items[0], items[1], items[2],
                                     (unsigned)all->shared, device->queues[queue], all->pointers, NULL));
    if (code != CUDA_SUCCESS) {
        char call[256];
        (void)snprintf(call, sizeof call, "%s of kernel \"%s\", %u x %u x %u groups of %u x %u x %u,",
                       together ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", kernel->name, groups[0], groups[1],
                       groups[2], items[0], items[1], items[2]);
        return cls_cuda_fail(&device->driver, device->base.error, code, call);
    }
    device->base.counters.launches++;
    return cls_cuda_done(device, queue, done);
}

static clsolve_status launch(cls_device *base, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done,
                             bool together) {
    cls_cuda *device = cls_cuda_of(base);
    arguments all;
    if (grid->global[0] == 0 || grid->global[1] == 0 || grid->global[2] == 0)
        return cls_cuda_nothing(device, queue, wait, done);
    CLS_TRY(gather(device, kernel, args, count, &all));
    CLS_CUDA_WITHIN(device, enqueue(device, queue, kernel, grid, &all, wait, done, together));
}

clsolve_status cls_cuda_launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                               const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    return launch(device, queue, kernel, grid, args, count, wait, done, false);
}

/* Cooperative: the driver starts all groups or none, so that groups of two contexts' launches never wait for each
 * other's places. */
clsolve_status cls_cuda_launch_together(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                        const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    return launch(device, queue, kernel, grid, args, count, wait, done, true);
}

/* ---- events ---- */

clsolve_status cls_cuda_wait_for(cls_cuda *device, cls_queue queue, const cls_wait *wait) {
    for (int32_t e = 0; wait && e < wait->count; e++)
        CLS_TRY_CU(device, "cuStreamWaitEvent",
                   device->driver.stream_wait_event(device->queues[queue], (CUevent)wait->events[e], 0));
    return CLSOLVE_OK;
}

static clsolve_status mark(cls_cuda *device, cls_queue queue, cls_event **done) {
    CUevent event = NULL;
    CLS_TRY_CU(device, "cuEventCreate", device->driver.event_create(&event, CU_EVENT_DEFAULT));
    CUresult code = device->driver.event_record(event, device->queues[queue]);
    if (code != CUDA_SUCCESS) (void)device->driver.event_destroy(event);
    CLS_TRY_CU(device, "cuEventRecord", code);
    *done = (cls_event *)event;
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_done(cls_cuda *device, cls_queue queue, cls_event **done) {
    return done ? mark(device, queue, done) : CLSOLVE_OK;
}

static clsolve_status wait_and_mark(cls_cuda *device, cls_queue queue, const cls_wait *wait, cls_event **done) {
    CLS_TRY(cls_cuda_wait_for(device, queue, wait));
    return cls_cuda_done(device, queue, done);
}

clsolve_status cls_cuda_nothing(cls_cuda *device, cls_queue queue, const cls_wait *wait, cls_event **done) {
    CLS_CUDA_WITHIN(device, wait_and_mark(device, queue, wait, done));
}

clsolve_status cls_cuda_mark(cls_device *base, cls_queue queue, cls_event **done) {
    CLS_CUDA_WITHIN(cls_cuda_of(base), mark(cls_cuda_of(base), queue, done));
}

int cls_cuda_event_is_over(cls_device *base, cls_event *event) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext popped;
    if (device->driver.context_push(device->context) != CUDA_SUCCESS) return 1; /* waiting will tell */
    CUresult code = device->driver.event_query((CUevent)event);
    /* Where the driver does not say, it is waited for. */
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_NOT_READY) (void)device->driver.event_wait((CUevent)event);
    (void)device->driver.context_pop(&popped);
    return code != CUDA_ERROR_NOT_READY;
}

clsolve_status cls_cuda_event_wait(cls_device *base, cls_event *event) {
    cls_cuda *device = cls_cuda_of(base);
    CLS_CUDA_WITHIN(device, cls_cuda_check(device, "cuEventSynchronize", device->driver.event_wait((CUevent)event)));
}

clsolve_status cls_cuda_queue_wait(cls_device *base, cls_queue queue, cls_event *event) {
    cls_wait wait = {1, &event};
    CLS_CUDA_WITHIN(cls_cuda_of(base), cls_cuda_wait_for(cls_cuda_of(base), queue, &wait));
}

void cls_cuda_event_release(cls_device *base, cls_event *event) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext popped;
    if (!event || device->driver.context_push(device->context) != CUDA_SUCCESS) return;
    (void)device->driver.event_destroy((CUevent)event); /* what it was recorded behind may still run */
    (void)device->driver.context_pop(&popped);
}

double cls_cuda_elapsed(cls_device *base, cls_event *begin, cls_event *end) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext popped;
    float milliseconds = 0;
    if (device->driver.context_push(device->context) != CUDA_SUCCESS) return 0;
    CUresult code = device->driver.event_elapsed(&milliseconds, (CUevent)begin, (CUevent)end);
    (void)device->driver.context_pop(&popped);
    return code == CUDA_SUCCESS && milliseconds > 0 ? 1e-3 * (double)milliseconds : 0;
}

/* A stream starts by itself. */
clsolve_status cls_cuda_flush(cls_device *device, cls_queue queue) {
    (void)device;
    (void)queue;
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_finish(cls_device *base, cls_queue queue) {
    cls_cuda *device = cls_cuda_of(base);
    CLS_CUDA_WITHIN(device,
                    cls_cuda_check(device, "cuStreamSynchronize", device->driver.stream_wait(device->queues[queue])));
}
