#include "study_block_gs.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "device/kernels.h"

enum { GROUP = 16, ARRAYS = 6 };

struct bt_study {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem array[ARRAYS + 1]; /* and Y */
    int64_t N, M;
};

extern const cls_kernel_source bench_kernel_sources[]; /* bench/kernels, embedded by the build */

/* The device of that name; the context is made on it. */
static cl_device_id find_device(const char *name) {
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint count = 0, found = 0;
    char text[256];
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return NULL;
    for (cl_uint p = 0; p < count && p < 16; ++p) {
        found = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &found) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < found && d < 16; ++d)
            if (clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof text, text, NULL) == CL_SUCCESS &&
                strstr(text, name))
                return devices[d];
    }
    return NULL;
}

static int build(bt_study *s, cl_device_id device) {
    const cls_kernel_source *source = bench_kernel_sources;
    char options[64];
    while (source->name && strcmp(source->name, "study_block_gs") != 0) ++source;
    if (!source->name) return 0;
    const char *text = source->text;
    (void)snprintf(options, sizeof options, "-DM=%lld", (long long)s->M);
    s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, NULL);
    if (!s->program || clBuildProgram(s->program, 1, &device, options, NULL, NULL) != CL_SUCCESS) return 0;
    s->kernel = clCreateKernel(s->program, "sweep", NULL);
    return s->kernel != NULL;
}

static int fill(bt_study *s, const double *const arrays[6]) {
    size_t bytes = (size_t)(s->N * s->M) * sizeof(double);
    cl_int N = (cl_int)s->N;
    for (int q = 0; q <= ARRAYS; ++q) {
        s->array[q] = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
        if (!s->array[q]) return 0;
        if (q < ARRAYS &&
            clEnqueueWriteBuffer(s->queue, s->array[q], CL_TRUE, 0, bytes, arrays[q], 0, NULL, NULL) != CL_SUCCESS)
            return 0;
        if (clSetKernelArg(s->kernel, (cl_uint)q, sizeof s->array[q], &s->array[q]) != CL_SUCCESS) return 0;
    }
    return clSetKernelArg(s->kernel, ARRAYS + 1, sizeof N, &N) == CL_SUCCESS;
}

bt_study *bt_study_create(const char *name, int64_t N, int64_t M, const double *const arrays[6]) {
    bt_study *s = calloc(1, sizeof *s);
    cl_device_id device = find_device(name);
    if (!s || !device) {
        free(s);
        return NULL;
    }
    s->N = N;
    s->M = M;
    s->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (s->context) s->queue = clCreateCommandQueue(s->context, device, 0, NULL);
    if (s->queue && build(s, device) && fill(s, arrays)) return s;
    bt_study_destroy(s);
    return NULL;
}

double bt_study_run(bt_study *s, int64_t sweeps, double *Y) {
    size_t bytes = (size_t)(s->N * s->M) * sizeof(double), local = GROUP;
    double zero = 0;
    if (clEnqueueFillBuffer(s->queue, s->array[ARRAYS], &zero, sizeof zero, 0, bytes, 0, NULL, NULL) != CL_SUCCESS)
        return -1;
    (void)clFinish(s->queue);
    double start = bench_seconds();
    for (int64_t l = 0; l < 2 * sweeps; ++l) {
        cl_int colour = (cl_int)(l % 2);
        size_t lines = (size_t)((s->N + 1 - colour) / 2), global = (lines + local - 1) / local * local;
        if (clSetKernelArg(s->kernel, ARRAYS + 2, sizeof colour, &colour) != CL_SUCCESS) return -1;
        if (lines > 0 &&
            clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &global, &local, 0, NULL, NULL) != CL_SUCCESS)
            return -1;
        if (l % 1024 == 1023) (void)clFinish(s->queue);
    }
    if (clFinish(s->queue) != CL_SUCCESS) return -1;
    double seconds = bench_seconds() - start;
    if (Y && clEnqueueReadBuffer(s->queue, s->array[ARRAYS], CL_TRUE, 0, bytes, Y, 0, NULL, NULL) != CL_SUCCESS)
        return -1;
    return seconds;
}

double bt_study_copy_rate(bt_study *s, int64_t bytes) {
    enum { TIMES = 20 };
    cl_mem from = clCreateBuffer(s->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, NULL);
    cl_mem to = clCreateBuffer(s->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, NULL);
    double rate = 0, start = 0;
    if (from && to) {
        for (int t = 0; t <= TIMES; ++t) {
            if (clEnqueueCopyBuffer(s->queue, from, to, 0, 0, (size_t)bytes, 0, NULL, NULL) != CL_SUCCESS) break;
            if (t > 0) continue;
            (void)clFinish(s->queue); /* the first touches the memory */
            start = bench_seconds();
        }
        if (clFinish(s->queue) == CL_SUCCESS) rate = 2.0 * TIMES * (double)bytes / (bench_seconds() - start);
    }
    if (from) (void)clReleaseMemObject(from);
    if (to) (void)clReleaseMemObject(to);
    return rate;
}

void bt_study_destroy(bt_study *s) {
    if (!s) return;
    if (s->queue) (void)clFinish(s->queue);
    for (int q = 0; q <= ARRAYS; ++q)
        if (s->array[q]) (void)clReleaseMemObject(s->array[q]);
    if (s->kernel) (void)clReleaseKernel(s->kernel);
    if (s->program) (void)clReleaseProgram(s->program);
    if (s->queue) (void)clReleaseCommandQueue(s->queue);
    if (s->context) (void)clReleaseContext(s->context);
    free(s);
}
