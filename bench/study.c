#include "study.h"

#include <CL/cl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernels.h"

extern const cls_kernel_source bench_kernel_sources[]; /* bench/kernels, embedded by the build */

struct study {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel plain_factors, plain_update, reduced_factors, reduced_update;
    size_t max_group;

    /* Of the size solved last. */
    int64_t n;
    cl_mem a, l, u; /* n^2 each; the reduced scheme uses l and u as its two vectors */
    double *L, *U, *vector;
};

static const char *failed_call = "";

const char *study_message(void) {
    return failed_call;
}

/* Notes a call that failed; 1 when all is well. */
static int ok(cl_int code, const char *call) {
    if (code != CL_SUCCESS) failed_call = call;
    return code == CL_SUCCESS;
}

/* ---- opening ---- */

static int is_device(cl_device_id id, const clsolve_device_info *device) {
    char name[256] = "", driver[256] = "";
    (void)clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL);
    (void)clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    return strstr(name, device->name) != NULL && strstr(driver, device->driver) != NULL;
}

/* The first device of that name and driver; of several equal ones any will do. */
void *study_find_device(const clsolve_device_info *device) {
    cl_platform_id platforms[32];
    cl_device_id ids[64];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(32, platforms, &platform_count) != CL_SUCCESS) return NULL;
    for (cl_uint p = 0; p < platform_count && p < 32; ++p) {
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, ids, &count) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < count && d < 64; ++d)
            if (is_device(ids[d], device)) return ids[d];
    }
    return NULL;
}

static int build(study *s, cl_device_id id) {
    cl_int code;
    const cls_kernel_source *source = bench_kernel_sources;
    while (source->name && strcmp(source->name, "study_lu") != 0) ++source;
    if (!source->name) return ok(CL_INVALID_PROGRAM, "the study's kernels are not in this program");
    s->program = clCreateProgramWithSource(s->context, 1, (const char *[]){source->text}, &source->length, &code);
    if (!ok(code, "clCreateProgramWithSource") ||
        !ok(clBuildProgram(s->program, 1, &id, "", NULL, NULL), "clBuildProgram"))
        return 0;
    s->plain_factors = clCreateKernel(s->program, "plain_factors", &code);
    if (ok(code, "clCreateKernel")) s->plain_update = clCreateKernel(s->program, "plain_update", &code);
    if (ok(code, "clCreateKernel")) s->reduced_factors = clCreateKernel(s->program, "reduced_factors", &code);
    if (ok(code, "clCreateKernel")) s->reduced_update = clCreateKernel(s->program, "reduced_update", &code);
    return ok(code, "clCreateKernel");
}

study *study_open(const clsolve_device_info *device) {
    study *s = calloc(1, sizeof *s);
    cl_device_id id = study_find_device(device);
    cl_int code = CL_SUCCESS;
    int opened = 0;

    if (!s || !id) {
        failed_call = s ? "clGetDeviceIDs gives no such device" : "out of host memory";
        free(s);
        return NULL;
    }
    (void)clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof s->max_group, &s->max_group, NULL);
    s->context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    if (ok(code, "clCreateContext")) s->queue = clCreateCommandQueue(s->context, id, 0, &code);
    if (s->queue && ok(code, "clCreateCommandQueue")) opened = build(s, id);
    if (opened) return s;
    study_close(s);
    return NULL;
}

static void drop_size(study *s) {
    cl_mem *buffers[] = {&s->a, &s->l, &s->u};
    for (int b = 0; b < 3; ++b) {
        if (*buffers[b]) (void)clReleaseMemObject(*buffers[b]);
        *buffers[b] = NULL;
    }
    free(s->L);
    free(s->U);
    free(s->vector);
    s->L = s->U = s->vector = NULL;
    s->n = 0;
}

void study_close(study *s) {
    if (!s) return;
    if (s->queue) (void)clFinish(s->queue);
    drop_size(s);
    cl_kernel kernels[] = {s->plain_factors, s->plain_update, s->reduced_factors, s->reduced_update};
    for (int k = 0; k < 4; ++k)
        if (kernels[k]) (void)clReleaseKernel(kernels[k]);
    if (s->program) (void)clReleaseProgram(s->program);
    if (s->queue) (void)clReleaseCommandQueue(s->queue);
    if (s->context) (void)clReleaseContext(s->context);
    free(s);
}

static int take_size(study *s, int64_t n) {
    size_t bytes = (size_t)(n * n) * sizeof(double);
    cl_mem *buffers[] = {&s->a, &s->l, &s->u};
    cl_int code = CL_SUCCESS;

    if (s->n == n) return 1;
    drop_size(s);
    for (int b = 0; b < 3 && code == CL_SUCCESS; ++b)
        *buffers[b] = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!ok(code, "clCreateBuffer")) return 0;
    s->L = malloc(bytes);
    s->U = malloc(bytes);
    s->vector = malloc((size_t)n * sizeof *s->vector);
    if (!s->L || !s->U || !s->vector) return ok(CL_OUT_OF_HOST_MEMORY, "out of host memory");
    s->n = n;
    return 1;
}

/* ---- what both schemes do in a step ---- */

static int up(study *s, cl_mem to, const double *from, int64_t count) {
    return ok(clEnqueueWriteBuffer(s->queue, to, CL_TRUE, 0, (size_t)count * sizeof *from, from, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
}

static int down(study *s, cl_mem from, double *to, int64_t count) {
    return ok(clEnqueueReadBuffer(s->queue, from, CL_TRUE, 0, (size_t)count * sizeof *to, to, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

/* The largest power of two that divides n and that a work-group may have in this dimension. */
static size_t group(int64_t n, size_t most) {
    size_t size = 1;
    while (2 * size <= most && (size_t)n % (2 * size) == 0) size *= 2;
    return size;
}

static int launch(study *s, cl_kernel kernel, int64_t n, cl_uint dimensions) {
    size_t most = s->max_group < 256 ? s->max_group : 256;
    size_t global[] = {(size_t)n, (size_t)n}, local[] = {group(n, 64 < most ? 64 : most), 1};
    if (dimensions == 2) local[1] = group(n, most / local[0]);
    return ok(clEnqueueNDRangeKernel(s->queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
}

static int argument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    return ok(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void swap_rows(int64_t n, double *M, int64_t r, int64_t s, int64_t columns) {
    for (int64_t c = 0; c < columns; ++c) {
        double t = M[r + c * n];
        M[r + c * n] = M[s + c * n];
        M[s + c * n] = t;
    }
}

/* The host's pivoting: of A's rows from i on, of L's finished columns, of b. */
static void pivot(study *s, int64_t i, double *A, double *b) {
    int64_t n = s->n, p = i;
    for (int64_t r = i + 1; r < n; ++r)
        if (fabs(A[r + i * n]) > fabs(A[p + i * n])) p = r;
    if (p == i) return;
    swap_rows(n, A, i, p, n);
    swap_rows(n, s->L, i, p, i);
    swap_rows(n, b, i, p, 1);
}

/* ---- the plain scheme ---- */

static int plain_kernel(study *s, cl_kernel kernel, cl_uint dimensions, double *A, cl_int i) {
    int64_t all = s->n * s->n;
    cl_int m = (cl_int)s->n;
    return up(s, s->a, A, all) && up(s, s->l, s->L, all) && up(s, s->u, s->U, all) &&
           argument(kernel, 0, sizeof s->a, &s->a) && argument(kernel, 1, sizeof s->l, &s->l) &&
           argument(kernel, 2, sizeof s->u, &s->u) && argument(kernel, 3, sizeof i, &i) &&
           argument(kernel, 4, sizeof m, &m) && launch(s, kernel, s->n, dimensions) && down(s, s->a, A, all) &&
           down(s, s->l, s->L, all) && down(s, s->u, s->U, all);
}

static int plain_step(study *s, int64_t i, double *A) {
    return plain_kernel(s, s->plain_factors, 1, A, (cl_int)i) && plain_kernel(s, s->plain_update, 2, A, (cl_int)i);
}

/* ---- the reduced scheme ---- */

/* L and U are the host's: it takes the factors below the pivot and the row from the pivot on. */
static int reduced_step(study *s, int64_t i, double *A) {
    int64_t n = s->n;
    cl_int m = (cl_int)n;
    cl_kernel one = s->reduced_factors, two = s->reduced_update;
    double *factors = s->L + i * n;
    double value = A[i + i * n];

    for (int64_t c = 0; c < n; ++c) s->vector[c] = A[i + c * n];
    for (int64_t c = i; c < n; ++c) s->U[i + c * n] = s->vector[c];
    if (!(up(s, s->l, A + i * n, n) && argument(one, 0, sizeof s->l, &s->l) && argument(one, 1, sizeof value, &value) &&
          launch(s, one, n, 1) && down(s, s->l, factors, n)))
        return 0;
    if (!(up(s, s->a, A, n * n) && up(s, s->l, factors, n) && up(s, s->u, s->vector, n) &&
          argument(two, 0, sizeof s->a, &s->a) && argument(two, 1, sizeof s->l, &s->l) &&
          argument(two, 2, sizeof s->u, &s->u) && argument(two, 3, sizeof m, &m) && launch(s, two, n, 2)))
        return 0;
    memset(factors, 0, (size_t)i * sizeof *factors);
    factors[i] = 1;
    return down(s, s->a, A, n * n);
}

/* ---- the solution ---- */

static void substitute(const study *s, double *b) {
    int64_t n = s->n;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = j + 1; r < n; ++r) b[r] -= s->L[r + j * n] * b[j];
    for (int64_t j = n - 1; j >= 0; --j) {
        b[j] /= s->U[j + j * n];
        for (int64_t r = 0; r < j; ++r) b[r] -= s->U[r + j * n] * b[j];
    }
}

int study_solve(study *s, study_scheme scheme, int64_t n, double *A, double *b) {
    if (!take_size(s, n)) return -1;
    memset(s->L, 0, (size_t)(n * n) * sizeof *s->L);
    memset(s->U, 0, (size_t)(n * n) * sizeof *s->U);
    for (int64_t i = 0; i < n; ++i) {
        pivot(s, i, A, b);
        if (!(scheme == STUDY_PLAIN ? plain_step(s, i, A) : reduced_step(s, i, A))) return -1;
    }
    substitute(s, b);
    return 0;
}

const study_row *study_published(int64_t n) {
    static const study_row rows[] = {
        {16, 0.0013, 0.0003, 0.0128, 0.0051},       {32, 0.0045, 0.0006, 0.0219, 0.0065},
        {64, 0.0224, 0.0016, 0.0441, 0.0101},       {128, 0.1432, 0.0068, 0.2173, 0.0240},
        {256, 1.0372, 0.0461, 1.1353, 0.0619},      {512, 8.5192, 0.2892, 5.6870, 0.2967},
        {1024, 126.2631, 2.6914, 38.6920, 1.4710},  {2048, 1070.97, 21.5841, 298.3024, 9.9661},
        {4096, 10373.39, 207.466, 2530.406, 80.973}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
        if (rows[r].n == n) return &rows[r];
    return NULL;
}
