#include "link.h"

#include <CL/cl.h>
#include <string.h>

#include "bench.h"
#include "study.h"

enum { ROUNDS = 5 };
static const size_t bytes = (size_t)64 << 20;

/* Seconds of one copy; below 0: failed. */
static double copy_once(cl_command_queue queue, cl_mem buffer, void *host, int up) {
    double start = bench_seconds();
    cl_int code = up ? clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, NULL)
                     : clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, NULL);
    if (code == CL_SUCCESS) code = clFinish(queue);
    return code == CL_SUCCESS ? bench_seconds() - start : -1;
}

/* The first copy may take the memory and is not counted. */
static double rate(cl_command_queue queue, cl_mem buffer, void *host, int up) {
    double best = 0;
    for (int r = 0; r <= ROUNDS; ++r) {
        double seconds = copy_once(queue, buffer, host, up);
        if (seconds < 0) return 0;
        if (r > 0 && (best == 0 || seconds < best)) best = seconds;
    }
    return best > 0 ? (double)bytes / best : 0;
}

bench_link bench_measure_link(const clsolve_device_info *device) {
    bench_link link = {0, 0};
    cl_device_id id = study_find_device(device);
    cl_context context = id ? clCreateContext(NULL, 1, &id, NULL, NULL, NULL) : NULL;
    cl_command_queue queue = context ? clCreateCommandQueue(context, id, 0, NULL) : NULL;
    cl_mem buffer = queue ? clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL) : NULL;
    cl_mem pinned = buffer ? clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, bytes, NULL, NULL) : NULL;
    void *host =
        pinned ? clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, NULL)
               : NULL;
    if (host) {
        memset(host, 1, bytes);
        link.up = rate(queue, buffer, host, 1);
        link.down = rate(queue, buffer, host, 0);
        (void)clEnqueueUnmapMemObject(queue, pinned, host, 0, NULL, NULL);
        (void)clFinish(queue);
    }
    if (pinned) (void)clReleaseMemObject(pinned);
    if (buffer) (void)clReleaseMemObject(buffer);
    if (queue) (void)clReleaseCommandQueue(queue);
    if (context) (void)clReleaseContext(context);
    return link;
}
