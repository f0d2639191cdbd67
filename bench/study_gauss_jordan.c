#include "study_gauss_jordan.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "device/kernels.h"

extern const cls_kernel_source bench_kernel_sources[]; /* bench/kernels, embedded by the build */

enum { FORWARD, BACKWARD, BOTH, EXTRACT, UNSTABLE_A, UNSTABLE_B, UNSTABLE_C, KERNELS };
static const char *const names[KERNELS] = {"forward",    "backward",   "both",      "extract",
                                           "unstable_a", "unstable_b", "unstable_c"};

struct gj_study {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel[KERNELS];
    size_t group;
};

static int is_called(const char *found, const char *wanted) {
    while (*found == ' ') ++found;
    return strncmp(found, wanted, strlen(wanted)) == 0;
}

static cl_device_id find(const char *device, const char *platform) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return NULL;
    for (cl_uint p = 0; p < count && p < 16; ++p) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        char text[256] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof text, text, NULL);
        if (!is_called(text, platform)) continue;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; ++d) {
            clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof text, text, NULL);
            if (is_called(text, device)) return ids[d];
        }
    }
    return NULL;
}

static int build(gj_study *s) {
    const cls_kernel_source *source = bench_kernel_sources;
    cl_int code;
    while (source->name && strcmp(source->name, "study_gauss_jordan") != 0) ++source;
    if (!source->name) return 0;
    const char *text = source->text;
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &code);
    if (!s->context) return 0;
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &code);
    s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, &code);
    if (!s->queue || !s->program || clBuildProgram(s->program, 1, &s->device, "", NULL, NULL) != CL_SUCCESS) return 0;
    for (int k = 0; k < KERNELS; ++k)
        if (!(s->kernel[k] = clCreateKernel(s->program, names[k], &code))) return 0;
    /* The study's 1024 where the device has them. */
    if (clGetDeviceInfo(s->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof s->group, &s->group, NULL) != CL_SUCCESS)
        return 0;
    if (s->group > 1024) s->group = 1024;
    return 1;
}

gj_study *gj_study_open(const char *device, const char *platform) {
    gj_study *s = calloc(1, sizeof *s);
    if (s) s->device = find(device, platform);
    if (s && s->device && build(s)) return s;
    printf("# without the studies' schemes on %s\n", device);
    gj_study_close(s);
    return NULL;
}

void gj_study_close(gj_study *s) {
    if (!s) return;
    for (int k = 0; k < KERNELS; ++k)
        if (s->kernel[k]) clReleaseKernel(s->kernel[k]);
    if (s->program) clReleaseProgram(s->program);
    if (s->queue) clReleaseCommandQueue(s->queue);
    if (s->context) clReleaseContext(s->context);
    free(s);
}

static int launch(gj_study *s, int kernel, int64_t items, cl_mem M, int64_t n, const int64_t *p, const cl_mem *extra) {
    cl_kernel k = s->kernel[kernel];
    cl_uint argument = 0;
    cl_long size = n, pivot = p ? *p : 0;
    size_t group = s->group < (size_t)items ? s->group : (size_t)items;
    size_t global = ((size_t)items + group - 1) / group * group;
    cl_int code = clSetKernelArg(k, argument++, sizeof M, &M);
    code |= clSetKernelArg(k, argument++, sizeof size, &size);
    if (p) code |= clSetKernelArg(k, argument++, sizeof pivot, &pivot);
    if (extra) code |= clSetKernelArg(k, argument++, sizeof *extra, extra);
    return code == CL_SUCCESS &&
           clEnqueueNDRangeKernel(s->queue, k, 1, NULL, &global, &group, 0, NULL, NULL) == CL_SUCCESS;
}

static int eliminate(gj_study *s, gj_study_scheme scheme, int64_t n, cl_mem M, cl_mem a) {
    int fine = 1;
    if (scheme == STUDY_MODEL_1) {
        for (int64_t p = 0; p + 1 < n; ++p) fine &= launch(s, FORWARD, n, M, n, &p, NULL);
        for (int64_t p = n - 1; p > 0; --p) fine &= launch(s, BACKWARD, n, M, n, &p, NULL);
    } else if (scheme == STUDY_MODEL_2) {
        for (int64_t p = 0; p < n; ++p) fine &= launch(s, BOTH, n, M, n, &p, NULL);
    } else {
        for (int64_t p = 0; p < n; ++p)
            fine &= launch(s, UNSTABLE_A, n, M, n, &p, &a) && launch(s, UNSTABLE_B, n * (n + 1), M, n, &p, &a) &&
                    launch(s, UNSTABLE_C, n * (n + 1), M, n, &p, NULL);
    }
    return fine;
}

double gj_study_solve(gj_study *s, gj_study_scheme scheme, int64_t n, const double *AB, double *X, double *computed) {
    size_t bytes = (size_t)(n * (n + 1)) * sizeof(double);
    cl_int code;
    double seconds = -1;
    cl_mem M = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cl_mem x = clCreateBuffer(s->context, CL_MEM_READ_WRITE, (size_t)n * sizeof(double), NULL, &code);
    cl_mem a = clCreateBuffer(s->context, CL_MEM_READ_WRITE, (size_t)n * sizeof(double), NULL, &code);
    if (M && x && a && clEnqueueWriteBuffer(s->queue, M, CL_TRUE, 0, bytes, AB, 0, NULL, NULL) == CL_SUCCESS) {
        double start = bench_seconds();
        int fine = eliminate(s, scheme, n, M, a) && launch(s, EXTRACT, n, M, n, NULL, &x);
        fine = clFinish(s->queue) == CL_SUCCESS && fine;
        *computed = bench_seconds() - start;
        fine = fine &&
               clEnqueueReadBuffer(s->queue, x, CL_TRUE, 0, (size_t)n * sizeof(double), X, 0, NULL, NULL) == CL_SUCCESS;
        if (fine) seconds = bench_seconds() - start;
    }
    if (M) clReleaseMemObject(M);
    if (x) clReleaseMemObject(x);
    if (a) clReleaseMemObject(a);
    return seconds;
}
