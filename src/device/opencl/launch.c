/* launch.c: kernels, launches, events and waits: the calls that a method makes thousands of times. */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

clsolve_status cls_opencl_kernel_create(cls_device *device, cls_program *program, const char *name,
                                        cls_kernel **kernel) {
    cl_int code = CL_SUCCESS;
    cl_uint count = 0;
    *kernel = NULL;
    if (!program) return CLSOLVE_OK; /* announced */
    cls_kernel *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a kernel's record");
    made->handle = clCreateKernel(program->handle, name, &code);
    if (!made->handle) {
        cls_free(made);
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "no kernel \"%s\" in %s.cl: clCreateKernel failed: %s (%d)",
                        name, program->name, cls_opencl_error_name(code), (int)code);
    }
    code = clGetKernelInfo(made->handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    made->count = code == CL_SUCCESS ? (int32_t)count : -1;
    if (cls_opencl_is_pocl(device) && device->cache_folder && !device->callers) made->late = program;
    if (made->count > 0) made->set = cls_alloc((size_t)made->count, sizeof *made->set); /* without it all is set */
    *kernel = made;
    return CLSOLVE_OK;
}

void cls_opencl_kernel_destroy(cls_device *device, cls_kernel *kernel) {
    (void)device;
    if (!kernel) return;
    (void)clReleaseKernel(kernel->handle);
    cls_free(kernel->set);
    cls_free(kernel);
}

/* Asked only when something failed, so that a launch carries no name. */
static clsolve_status launch_failed(cls_device *device, cl_kernel kernel, cl_int code, const char *call,
                                    int32_t argument) {
    char name[128] = "?", text[256];
    (void)clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    name[sizeof name - 1] = '\0';
    if (argument >= 0)
        (void)snprintf(text, sizeof text, "%s of argument %d of kernel \"%s\"", call, (int)argument, name);
    else
        (void)snprintf(text, sizeof text, "%s of kernel \"%s\"", call, name);
    return cls_opencl_fail(device->error, code, text);
}

/* The driver sees no missing argument where an earlier launch has set it. */
static clsolve_status wrong_count(cls_device *device, const cls_kernel *kernel, int32_t count) {
    char name[128] = "?";
    (void)clGetKernelInfo(kernel->handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    name[sizeof name - 1] = '\0';
    return cls_fail(device->error, CLSOLVE_ERROR_DEVICE, "a launch gives kernel \"%s\" %d arguments where it takes %d",
                    name, (int)count, (int)kernel->count);
}

static cl_int set_argument(cl_kernel kernel, cl_uint at, const cls_arg *arg) {
    if (arg->kind == CLS_ARG_BUFFER)
        return clSetKernelArg(kernel, at, sizeof(cl_mem), &((const cls_buffer *)arg->pointer)->memory);
    return clSetKernelArg(kernel, at, arg->size, arg->kind == CLS_ARG_VALUE ? arg->pointer : NULL);
}

/* A kernel keeps its arguments from launch to launch, and a sweep of few lines takes no longer than to set them again.
 * A buffer is known by its serial number, because a driver gives the handle of a released one to a new one. */
static cls_set_argument as_set(const cls_arg *arg) {
    cls_set_argument now = {.size = arg->size};
    if (arg->kind == CLS_ARG_BUFFER) {
        now.serial = ((const cls_buffer *)arg->pointer)->serial;
        now.size = now.serial > 0 ? sizeof(cl_mem) : 0;
    } else if (arg->kind == CLS_ARG_VALUE && arg->size <= sizeof now.value) {
        memcpy(now.value, arg->pointer, arg->size);
    } else if (arg->kind == CLS_ARG_VALUE) {
        now.size = 0;
    }
    return now;
}

static int is_set(const cls_set_argument *before, const cls_set_argument *now) {
    return now->size > 0 && before->size == now->size && before->serial == now->serial &&
           memcmp(before->value, now->value, sizeof now->value) == 0;
}

static clsolve_status set_arguments(cls_device *device, cls_kernel *kernel, const cls_arg *args, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        cls_set_argument *before = kernel->set ? &kernel->set[i] : NULL;
        const cls_set_argument now = as_set(&args[i]);
        if (before && is_set(before, &now)) continue;
        const cl_int code = set_argument(kernel->handle, (cl_uint)i, &args[i]);
        if (before) *before = code == CL_SUCCESS ? now : (cls_set_argument){0};
        if (code != CL_SUCCESS) return launch_failed(device, kernel->handle, code, "clSetKernelArg", i);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_opencl_launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                 const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    cl_kernel k = kernel->handle;
    if (grid->global[0] == 0 || grid->global[1] == 0 || grid->global[2] == 0)
        return cls_opencl_nothing(device, queue, wait, done);
    if (kernel->count >= 0 && count != kernel->count) return wrong_count(device, kernel, count);
    CLS_TRY(set_arguments(device, kernel, args, count));
    cls_wait_list list = cls_opencl_wait_list(wait);
    cl_event own = NULL, *event = (cl_event *)done;
    const cls_late late = kernel->late ? cls_opencl_late_begin(device, kernel, grid) : (cls_late){.claim = -1};
    if (late.claim >= 0 && !event) event = &own;
    cl_int code = clEnqueueNDRangeKernel(cls_opencl_of(device)->queues[queue], k, 3, NULL, grid->global, grid->local,
                                         list.count, list.events, event);
    if (late.claim >= 0) cls_opencl_late_end(device, &late, code == CL_SUCCESS ? *event : NULL);
    if (own) (void)clReleaseEvent(own);
    if (code != CL_SUCCESS) return launch_failed(device, k, code, "clEnqueueNDRangeKernel", -1);
    device->counters.launches++;
    return CLSOLVE_OK;
}

clsolve_status cls_opencl_launch_together(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                          const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    return cls_opencl_launch(device, queue, kernel, grid, args, count, wait, done);
}

/* ---- events ---- */

static void flush_queue_of(cl_event event) {
    cl_command_queue queue = NULL;
    if (clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) == CL_SUCCESS && queue)
        (void)clFlush(queue);
}

cls_wait_list cls_opencl_wait_list(const cls_wait *wait) {
    cls_wait_list list = {0, NULL};
    if (!wait || wait->count <= 0) return list;
    list.count = (cl_uint)wait->count;
    list.events = (const cl_event *)wait->events;
    for (cl_uint i = 0; i < list.count; i++) flush_queue_of((cl_event)wait->events[i]);
    return list;
}

clsolve_status cls_opencl_nothing(cls_device *device, cls_queue queue, const cls_wait *wait, cls_event **done) {
    if (!done) return CLSOLVE_OK;
    cls_wait_list list = cls_opencl_wait_list(wait);
    /* A marker with a list waits for that list alone; without one for all before it in the queue. In this in-order
     * queue both are kept by waiting for the list first. */
    if (list.count > 0)
        CLS_TRY_CL(device, "clEnqueueBarrierWithWaitList",
                   clEnqueueBarrierWithWaitList(cls_opencl_of(device)->queues[queue], list.count, list.events, NULL));
    return cls_opencl_mark(device, queue, done);
}

clsolve_status cls_opencl_mark(cls_device *device, cls_queue queue, cls_event **done) {
    return cls_opencl_check(
        device, "clEnqueueMarkerWithWaitList",
        clEnqueueMarkerWithWaitList(cls_opencl_of(device)->queues[queue], 0, NULL, (cl_event *)done));
}

int cls_opencl_event_is_over(cls_device *device, cls_event *event) {
    cl_int state = CL_COMPLETE;
    cl_event e = (cl_event)event;
    (void)device;
    /* Where the driver does not say, it is waited for: what it stands for is then there, or has failed. */
    if (clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS)
        (void)clWaitForEvents(1, &e);
    return state <= CL_COMPLETE; /* below it are errors */
}

clsolve_status cls_opencl_event_wait(cls_device *device, cls_event *event) {
    cl_event e = (cl_event)event;
    return cls_opencl_check(device, "clWaitForEvents", clWaitForEvents(1, &e));
}

clsolve_status cls_opencl_queue_wait(cls_device *device, cls_queue queue, cls_event *event) {
    cl_event e = (cl_event)event;
    flush_queue_of(e);
    return cls_opencl_check(device, "clEnqueueBarrierWithWaitList",
                            clEnqueueBarrierWithWaitList(cls_opencl_of(device)->queues[queue], 1, &e, NULL));
}

void cls_opencl_event_release(cls_device *device, cls_event *event) {
    (void)device;
    if (event) (void)clReleaseEvent((cl_event)event);
}

double cls_opencl_elapsed(cls_device *device, cls_event *begin, cls_event *end) {
    cl_ulong first = 0, last = 0;
    (void)device;
    if (clGetEventProfilingInfo((cl_event)begin, CL_PROFILING_COMMAND_END, sizeof first, &first, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo((cl_event)end, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL) != CL_SUCCESS)
        return 0;
    return last > first ? 1e-9 * (double)(last - first) : 0;
}

clsolve_status cls_opencl_flush(cls_device *device, cls_queue queue) {
    return cls_opencl_check(device, "clFlush", clFlush(cls_opencl_of(device)->queues[queue]));
}

clsolve_status cls_opencl_finish(cls_device *device, cls_queue queue) {
    return cls_opencl_check(device, "clFinish", clFinish(cls_opencl_of(device)->queues[queue]));
}
