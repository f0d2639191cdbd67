/*
 * load.c: OpenCL's loader, loaded when it is first needed, where the library is not linked with it. On Windows it comes
 * with a driver, and a machine without one has none: the host's device is there all the same.
 *
 * Each function of OpenCL that the library calls stands here under its name, looks for the loader's once, and calls it.
 * Without a loader it gives what a loader without drivers gives. The last ones are for the tests alone.
 */
#include <pthread.h>
#include <stdatomic.h>

#include <CL/cl.h>

#include "base/system/library.h"

enum { NO_PLATFORM = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *loader;

static void load(void) {
    char why[256];
    loader = cls_library_open(cls_library_name("libOpenCL.so.1", "OpenCL.dll"), why, sizeof why);
}

/* 1: *call is the loader's function. */
static int find(_Atomic(void *) *known, const char *name, void *call) {
    void *address = atomic_load_explicit(known, memory_order_acquire);
    if (!address) {
        (void)pthread_once(&once, load);
        if (!loader || !cls_library_find(loader, name, &address)) return 0;
        atomic_store_explicit(known, address, memory_order_release);
    }
    *(void **)call = address;
    return 1;
}

#define BEGIN(type, name, parameters)                                                                                  \
    type CL_API_CALL name parameters {                                                                                 \
        static _Atomic(void *) known;                                                                                  \
        union {                                                                                                        \
            void *address;                                                                                             \
            type(CL_API_CALL *call) parameters;                                                                        \
        } loaded;                                                                                                      \
        if (!find(&known, #name, &loaded.address))

#define FORWARD(name, parameters, arguments)                                                                           \
    BEGIN(cl_int, name, parameters) return NO_PLATFORM;                                                                \
    return loaded.call arguments;                                                                                      \
    }

/* Calls that make an object. */
#define CREATE(type, name, parameters, arguments)                                                                      \
    BEGIN(type, name, parameters) {                                                                                    \
        if (errcode_ret) *errcode_ret = NO_PLATFORM;                                                                   \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    return loaded.call arguments;                                                                                      \
    }

/* clang-format off */
FORWARD(clBuildProgram, (cl_program program, cl_uint num_devices, const cl_device_id *device_list, const char
        *options, void (CL_CALLBACK *pfn_notify)(cl_program program, void *user_data), void *user_data),
        (program, num_devices, device_list, options, pfn_notify, user_data))
CREATE(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int
        *errcode_ret), (context, flags, size, host_ptr, errcode_ret))
CREATE(cl_command_queue, clCreateCommandQueue, (cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *errcode_ret), (context, device, properties,
        errcode_ret))
CREATE(cl_context, clCreateContext, (const cl_context_properties *properties, cl_uint num_devices, const
        cl_device_id *devices, void (CL_CALLBACK *pfn_notify)(const char *errinfo, const void *private_info,
        size_t cb, void *user_data), void *user_data, cl_int *errcode_ret), (properties, num_devices, devices,
        pfn_notify, user_data, errcode_ret))
CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *kernel_name, cl_int *errcode_ret), (program,
        kernel_name, errcode_ret))
CREATE(cl_program, clCreateProgramWithBinary, (cl_context context, cl_uint num_devices, const cl_device_id
        *device_list, const size_t *lengths, const unsigned char ** binaries, cl_int *binary_status, cl_int
        *errcode_ret), (context, num_devices, device_list, lengths, binaries, binary_status, errcode_ret))
CREATE(cl_program, clCreateProgramWithSource, (cl_context context, cl_uint count, const char ** strings, const
        size_t *lengths, cl_int *errcode_ret), (context, count, strings, lengths, errcode_ret))
FORWARD(clEnqueueBarrierWithWaitList, (cl_command_queue command_queue, cl_uint num_events_in_wait_list, const
        cl_event *event_wait_list, cl_event *event), (command_queue, num_events_in_wait_list, event_wait_list,
        event))
FORWARD(clEnqueueCopyBuffer, (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, size_t
        src_offset, size_t dst_offset, size_t size, cl_uint num_events_in_wait_list, const cl_event
        *event_wait_list, cl_event *event), (command_queue, src_buffer, dst_buffer, src_offset, dst_offset,
        size, num_events_in_wait_list, event_wait_list, event))
FORWARD(clEnqueueCopyBufferRect, (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer, const
        size_t *src_origin, const size_t *dst_origin, const size_t *region, size_t src_row_pitch, size_t
        src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch, cl_uint num_events_in_wait_list, const
        cl_event *event_wait_list, cl_event *event), (command_queue, src_buffer, dst_buffer, src_origin,
        dst_origin, region, src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch,
        num_events_in_wait_list, event_wait_list, event))
FORWARD(clEnqueueFillBuffer, (cl_command_queue command_queue, cl_mem buffer, const void *pattern, size_t
        pattern_size, size_t offset, size_t size, cl_uint num_events_in_wait_list, const cl_event
        *event_wait_list, cl_event *event), (command_queue, buffer, pattern, pattern_size, offset, size,
        num_events_in_wait_list, event_wait_list, event))
CREATE(void *, clEnqueueMapBuffer, (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
        cl_map_flags map_flags, size_t offset, size_t size, cl_uint num_events_in_wait_list, const cl_event
        *event_wait_list, cl_event *event, cl_int *errcode_ret), (command_queue, buffer, blocking_map,
        map_flags, offset, size, num_events_in_wait_list, event_wait_list, event, errcode_ret))
FORWARD(clEnqueueMarkerWithWaitList, (cl_command_queue command_queue, cl_uint num_events_in_wait_list, const
        cl_event *event_wait_list, cl_event *event), (command_queue, num_events_in_wait_list, event_wait_list,
        event))
FORWARD(clEnqueueNDRangeKernel, (cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim, const
        size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size, cl_uint
        num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event), (command_queue, kernel,
        work_dim, global_work_offset, global_work_size, local_work_size, num_events_in_wait_list,
        event_wait_list, event))
FORWARD(clEnqueueReadBuffer, (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t
        offset, size_t size, void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event), (command_queue, buffer, blocking_read, offset, size, ptr, num_events_in_wait_list,
        event_wait_list, event))
FORWARD(clEnqueueReadBufferRect, (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, const
        size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row_pitch, size_t
        buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr, cl_uint
        num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event), (command_queue, buffer,
        blocking_read, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
        host_slice_pitch, ptr, num_events_in_wait_list, event_wait_list, event))
FORWARD(clEnqueueUnmapMemObject, (cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr, cl_uint
        num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event), (command_queue, memobj,
        mapped_ptr, num_events_in_wait_list, event_wait_list, event))
FORWARD(clEnqueueWriteBuffer, (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t
        offset, size_t size, const void *ptr, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
        cl_event *event), (command_queue, buffer, blocking_write, offset, size, ptr, num_events_in_wait_list,
        event_wait_list, event))
FORWARD(clEnqueueWriteBufferRect, (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, const
        size_t *buffer_origin, const size_t *host_origin, const size_t *region, size_t buffer_row_pitch, size_t
        buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, const void *ptr, cl_uint
        num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event), (command_queue, buffer,
        blocking_write, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch,
        host_row_pitch, host_slice_pitch, ptr, num_events_in_wait_list, event_wait_list, event))
FORWARD(clFinish, (cl_command_queue command_queue), (command_queue))
FORWARD(clFlush, (cl_command_queue command_queue), (command_queue))
FORWARD(clGetCommandQueueInfo, (cl_command_queue command_queue, cl_command_queue_info param_name, size_t
        param_value_size, void *param_value, size_t *param_value_size_ret), (command_queue, param_name,
        param_value_size, param_value, param_value_size_ret))
FORWARD(clGetContextInfo, (cl_context context, cl_context_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (context, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetDeviceIDs, (cl_platform_id platform, cl_device_type device_type, cl_uint num_entries, cl_device_id
        *devices, cl_uint *num_devices), (platform, device_type, num_entries, devices, num_devices))
FORWARD(clGetDeviceInfo, (cl_device_id device, cl_device_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (device, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetEventInfo, (cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret), (event, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(clGetEventProfilingInfo, (cl_event event, cl_profiling_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (event, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (kernel, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetMemObjectInfo, (cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void *param_value,
        size_t *param_value_size_ret), (memobj, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetPlatformIDs, (cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms),
        (num_entries, platforms, num_platforms))
FORWARD(clGetPlatformInfo, (cl_platform_id platform, cl_platform_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (platform, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clGetProgramBuildInfo, (cl_program program, cl_device_id device, cl_program_build_info param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret), (program, device, param_name,
        param_value_size, param_value, param_value_size_ret))
FORWARD(clGetProgramInfo, (cl_program program, cl_program_info param_name, size_t param_value_size, void
        *param_value, size_t *param_value_size_ret), (program, param_name, param_value_size, param_value,
        param_value_size_ret))
FORWARD(clReleaseCommandQueue, (cl_command_queue command_queue), (command_queue))
FORWARD(clReleaseContext, (cl_context context), (context))
FORWARD(clReleaseEvent, (cl_event event), (event))
FORWARD(clReleaseKernel, (cl_kernel kernel), (kernel))
FORWARD(clReleaseMemObject, (cl_mem memobj), (memobj))
FORWARD(clReleaseProgram, (cl_program program), (program))
FORWARD(clRetainCommandQueue, (cl_command_queue command_queue), (command_queue))
FORWARD(clRetainContext, (cl_context context), (context))
FORWARD(clRetainMemObject, (cl_mem memobj), (memobj))
FORWARD(clSetKernelArg, (cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value), (kernel,
        arg_index, arg_size, arg_value))
FORWARD(clWaitForEvents, (cl_uint num_events, const cl_event *event_list), (num_events, event_list))

/* for the tests */
CREATE(cl_mem, clCreateSubBuffer, (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
        const void *buffer_create_info, cl_int *errcode_ret), (buffer, flags, buffer_create_type,
        buffer_create_info, errcode_ret))
CREATE(cl_event, clCreateUserEvent, (cl_context context, cl_int *errcode_ret), (context, errcode_ret))
FORWARD(clRetainEvent, (cl_event event), (event))
FORWARD(clSetEventCallback, (cl_event event, cl_int command_exec_callback_type, void (CL_CALLBACK
        *pfn_notify)(cl_event event, cl_int event_command_status, void *user_data), void *user_data), (event,
        command_exec_callback_type, pfn_notify, user_data))
FORWARD(clSetUserEventStatus, (cl_event event, cl_int execution_status), (event, execution_status))
/* clang-format on */
