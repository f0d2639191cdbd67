#define CL_TARGET_OPENCL_VERSION 120
#include "study_scheme.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { GROUP = 16, ARRAYS = 6 };

struct study_scheme {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem array[ARRAYS + 1]; /* and Y */
    int64_t N, M;
};

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void sweep(__global const double *A, __global const double *a, __global const double *c,\n"
    "                    __global const double *b, __global const double *B, __global const double *F,\n"
    "                    __global double *Y, int N, int colour) {\n"
    "    int i = 2 * (int)get_global_id(0) + colour;\n"
    "    double alpha[M + 2], beta[M + 2];\n"
    "    if (i >= N) return;\n"
    "    for (int k = 0; k < M; ++k) {\n"
    "        long o = (long)i * M + k;\n"
    "        double f = F[o], lower = k > 0 ? a[o] : 0, upper = k < M - 1 ? b[o] : 0;\n"
    "        if (i > 0) f -= A[o] * Y[o - M];\n"
    "        if (i < N - 1) f -= B[o] * Y[o + M];\n"
    "        double below = c[o] + (k > 0 ? lower * alpha[k] : 0);\n"
    "        alpha[k + 1] = -upper / below;\n"
    "        beta[k + 1] = (f - (k > 0 ? lower * beta[k] : 0)) / below;\n"
    "    }\n"
    "    double y = 0;\n"
    "    for (int k = M - 1; k >= 0; --k) Y[(long)i * M + k] = y = alpha[k + 1] * y + beta[k + 1];\n"
    "}\n";

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

static int build(study_scheme *s, cl_device_id device) {
    const char *text = source;
    char options[64];
    (void)snprintf(options, sizeof options, "-DM=%lld", (long long)s->M);
    s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, NULL);
    if (!s->program || clBuildProgram(s->program, 1, &device, options, NULL, NULL) != CL_SUCCESS) return 0;
    s->kernel = clCreateKernel(s->program, "sweep", NULL);
    return s->kernel != NULL;
}

static int fill(study_scheme *s, const double *const arrays[6]) {
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

study_scheme *study_create(const char *name, int64_t N, int64_t M, const double *const arrays[6]) {
    study_scheme *s = calloc(1, sizeof *s);
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
    study_destroy(s);
    return NULL;
}

double study_run(study_scheme *s, int64_t sweeps, double *Y) {
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

double study_copy_rate(study_scheme *s, int64_t bytes) {
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

void study_destroy(study_scheme *s) {
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
