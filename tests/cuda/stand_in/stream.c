/* stream.c: of libcuda.so.1 the streams and events, see stand_in.h. */
#include "driver.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of streams */
static CUstream streams[256];

void stand_in_close(CUstream stream) {
    if (atomic_load(&stream->gate)) return;
    cl_event gate = clCreateUserEvent(stand_in_device_get()->context, NULL);
    (void)clEnqueueBarrierWithWaitList(stream->queue, 1, &gate, NULL);
    atomic_store(&stream->gate, gate);
}

static cl_int finish(CUstream stream) {
    stand_in_open(stream);
    return clFinish(stream->queue);
}

void stand_in_finish_all(void) {
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        (void)pthread_mutex_lock(&lock);
        cl_command_queue queue = streams[s] ? streams[s]->queue : NULL;
        if (queue) (void)clRetainCommandQueue(queue);
        if (queue) stand_in_open(streams[s]);
        (void)pthread_mutex_unlock(&lock);
        if (!queue) continue;
        (void)clFinish(queue);
        (void)clReleaseCommandQueue(queue);
    }
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    NEED_CONTEXT();
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    NEED_CONTEXT();
    (void)flags;
    if (priority > 0 || priority < -5) return CUDA_ERROR_INVALID_VALUE;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const stand_in_device *on = stand_in_device_get();
    CUresult code = CUDA_ERROR_UNKNOWN;
    *stream = calloc(1, sizeof **stream);
    (*stream)->context = stand_in_current();
    (*stream)->queue = clCreateCommandQueueWithProperties(on->context, on->id, properties, NULL);
    (void)pthread_mutex_lock(&lock);
    for (size_t s = 0; s < sizeof streams / sizeof *streams && code != CUDA_SUCCESS; s++) {
        if (streams[s]) continue;
        streams[s] = *stream;
        code = CUDA_SUCCESS;
    }
    (void)pthread_mutex_unlock(&lock);
    return code;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) {
    NEED_STREAM(stream);
    (void)finish(stream);
    (void)pthread_mutex_lock(&lock);
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
        if (streams[s] == stream) streams[s] = NULL;
    (void)pthread_mutex_unlock(&lock);
    (void)clReleaseCommandQueue(stream->queue);
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
    NEED_STREAM(stream);
    return stand_in_outcome(finish(stream));
}

static _Thread_local CUstream per_thread[2]; /* of each device's context */

CUstream stand_in_named(CUstream handle) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    if (handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) return handle;
    CUcontext context = stand_in_current();
    if (!context) return NULL;
    CUstream *stream = handle == CU_STREAM_LEGACY ? &context->legacy : &per_thread[context->ordinal];
    (void)pthread_mutex_lock(&making);
    if (!*stream && cuStreamCreate(stream, 0) != CUDA_SUCCESS) *stream = NULL;
    (void)pthread_mutex_unlock(&making);
    return *stream;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    stream = stand_in_named(stream);
    if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
    *context = stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    NEED_STREAM(stream);
    (void)flags;
    if (!event->marker) return CUDA_SUCCESS;
    stand_in_close(stream);
    if (event->stream != stream) stand_in_open(event->stream);
    return stand_in_outcome(clEnqueueBarrierWithWaitList(stream->queue, 1, &event->marker, NULL));
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    NEED_CONTEXT();
    (void)flags;
    *event = calloc(1, sizeof **event);
    (*event)->context = stand_in_current();
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
    if (event->marker) (void)clReleaseEvent(event->marker);
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    NEED_STREAM(stream);
    if (event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    if (event->marker) (void)clReleaseEvent(event->marker);
    event->marker = NULL;
    event->stream = stream;
    stand_in_close(stream);
    return stand_in_outcome(clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &event->marker));
}

CUresult cuEventQuery(CUevent event) {
    cl_int state = CL_COMPLETE;
    if (!event->marker) return CUDA_SUCCESS;
    stand_in_open(event->stream);
    if (clGetEventInfo(event->marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS)
        return CUDA_ERROR_UNKNOWN;
    return state > CL_COMPLETE ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
    if (!event->marker) return CUDA_SUCCESS;
    stand_in_open(event->stream);
    return stand_in_outcome(clWaitForEvents(1, &event->marker));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
    cl_ulong first = 0, last = 0;
    if (!begin->marker || !end->marker) return CUDA_ERROR_INVALID_HANDLE;
    if (clGetEventProfilingInfo(begin->marker, CL_PROFILING_COMMAND_END, sizeof first, &first, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(end->marker, CL_PROFILING_COMMAND_END, sizeof last, &last, NULL) != CL_SUCCESS)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(1e-6 * ((double)last - (double)first));
    return CUDA_SUCCESS;
}
