/* vendor_many.c: see vendor_many.h. */
#include "vendor_many.h"

#include <stddef.h>
#include <stdio.h>

static char said[256];

#ifdef BENCH_VENDOR_MANY

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#define DISABLE_CUSOLVERMG_DEPRECATED
#include <cusolverMg.h>

#include "bench.h"

enum { TILE = 256 }; /* columns of a block, NVIDIA's own example's */

#define FUNCTIONS(X)                                                                                                   \
    X(DRIVER, cuInit)                                                                                                  \
    X(DRIVER, cuDeviceGet)                                                                                             \
    X(DRIVER, cuDevicePrimaryCtxRetain)                                                                                \
    X(DRIVER, cuDevicePrimaryCtxRelease)                                                                               \
    X(DRIVER, cuCtxPushCurrent)                                                                                        \
    X(DRIVER, cuCtxPopCurrent)                                                                                         \
    X(DRIVER, cuCtxSynchronize)                                                                                        \
    X(DRIVER, cuCtxEnablePeerAccess)                                                                                   \
    X(DRIVER, cuMemAlloc)                                                                                              \
    X(DRIVER, cuMemFree)                                                                                               \
    X(DRIVER, cuMemcpyHtoD)                                                                                            \
    X(DRIVER, cuMemcpyDtoH)                                                                                            \
    X(SOLVER, cusolverMgCreate)                                                                                        \
    X(SOLVER, cusolverMgDestroy)                                                                                       \
    X(SOLVER, cusolverMgDeviceSelect)                                                                                  \
    X(SOLVER, cusolverMgCreateDeviceGrid)                                                                              \
    X(SOLVER, cusolverMgDestroyGrid)                                                                                   \
    X(SOLVER, cusolverMgCreateMatrixDesc)                                                                              \
    X(SOLVER, cusolverMgDestroyMatrixDesc)                                                                             \
    X(SOLVER, cusolverMgGetrf_bufferSize)                                                                              \
    X(SOLVER, cusolverMgGetrf)                                                                                         \
    X(SOLVER, cusolverMgGetrs_bufferSize)                                                                              \
    X(SOLVER, cusolverMgGetrs)

enum { DRIVER, SOLVER, LIBRARIES };

#define MEMBER(library, function) __typeof__(function) *p_##function;

typedef struct machine {
    FUNCTIONS(MEMBER)
    void *libraries[LIBRARIES];
    int count, numbers[VENDOR_MANY_DEVICES];
    CUdevice ids[VENDOR_MANY_DEVICES];
    CUcontext contexts[VENDOR_MANY_DEVICES];
    cusolverMgHandle_t handle;
    cudaLibMgGrid_t grid;
    cudaLibMgMatrixDesc_t A, B;
    void *a[VENDOR_MANY_DEVICES], *b[VENDOR_MANY_DEVICES], *work[VENDOR_MANY_DEVICES];
    int *pivots[VENDOR_MANY_DEVICES];
} machine;

#define TEXT_(text) #text
#define TEXT(text)  TEXT_(text)

static int ok(int code, const char *call) {
    if (code != 0) (void)snprintf(said, sizeof said, "%s gives %d", call, code);
    return code == 0;
}
#define OK(m, function, ...) ok((int)(m)->p_##function(__VA_ARGS__), #function)

static int find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    if (!address) (void)snprintf(said, sizeof said, "no %s", name);
    return address != NULL;
}

static void *open_solver(void) {
    static const char *const names[] = {"libcusolverMg.so.12", "libcusolverMg.so.11", "libcusolverMg.so.10"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        (void)snprintf(path, sizeof path, "%s/%s", BENCH_VENDOR_MANY, names[i]);
        if (!library) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

#define FIND(library, function)                                                                                        \
    if (!find(m->libraries[library], TEXT(function), &m->p_##function)) return 0;

static int load(machine *m) {
    m->libraries[DRIVER] = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    m->libraries[SOLVER] = m->libraries[DRIVER] ? open_solver() : NULL;
    if (!m->libraries[SOLVER]) {
        (void)snprintf(said, sizeof said, "%s could not be loaded",
                       m->libraries[DRIVER] ? "libcusolverMg" : "libcuda.so.1");
        return 0;
    }
    FUNCTIONS(FIND)
    return OK(m, cuInit, 0);
}

/* ---- a device ---- */

static int enter(machine *m, int d) {
    return OK(m, cuCtxPushCurrent, m->contexts[d]);
}

static void leave(machine *m) {
    CUcontext popped;
    (void)m->p_cuCtxPopCurrent(&popped);
}

static int take(machine *m, int d, size_t bytes, void **memory) {
    CUdeviceptr address = 0;
    if (!enter(m, d)) return 0;
    const int fine = OK(m, cuMemAlloc, &address, bytes > 0 ? bytes : 1);
    leave(m);
    *memory = (void *)(uintptr_t)address;
    return fine;
}

static void give_back(machine *m, int d, void *memory) {
    if (!memory || !enter(m, d)) return;
    (void)m->p_cuMemFree((CUdeviceptr)(uintptr_t)memory);
    leave(m);
}

static int copy(machine *m, int d, void *device, double *host, size_t bytes, int up) {
    if (!enter(m, d)) return 0;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)device;
    const int fine = up ? OK(m, cuMemcpyHtoD, address, host, bytes) : OK(m, cuMemcpyDtoH, host, address, bytes);
    leave(m);
    return fine;
}

static int wait_all(machine *m) {
    int fine = 1;
    for (int d = 0; d < m->count; d++) {
        if (!enter(m, d)) return 0;
        fine = ok((int)m->p_cuCtxSynchronize(), "cuCtxSynchronize") && fine;
        leave(m);
    }
    return fine;
}

/* ---- all of them ---- */

static int start(machine *m) {
    for (int d = 0; d < m->count; d++)
        if (!OK(m, cuDeviceGet, &m->ids[d], m->numbers[d]) ||
            !OK(m, cuDevicePrimaryCtxRetain, &m->contexts[d], m->ids[d]))
            return 0;
    for (int d = 0; d < m->count; d++)
        for (int other = 0; other < m->count; other++) {
            if (other == d || !enter(m, d)) continue;
            (void)m->p_cuCtxEnablePeerAccess(m->contexts[other], 0); /* it may be enabled already */
            leave(m);
        }
    return OK(m, cusolverMgCreate, &m->handle) && OK(m, cusolverMgDeviceSelect, m->handle, m->count, m->numbers) &&
           OK(m, cusolverMgCreateDeviceGrid, &m->grid, 1, m->count, m->numbers, CUDALIBMG_GRID_MAPPING_COL_MAJOR);
}

static int64_t columns_of(const machine *m, int d, int64_t n) {
    int64_t columns = 0;
    for (int64_t b = d; b * TILE < n; b += m->count) columns += n - b * TILE < TILE ? n - b * TILE : TILE;
    return columns;
}

/* A and b go up; work space is taken. */
static int prepare(machine *m, int64_t n, double *A, double *b, int64_t *words) {
    const size_t size = sizeof(double), column = (size_t)n * size;
    int64_t more = 0;
    if (!OK(m, cusolverMgCreateMatrixDesc, &m->A, n, n, n, TILE, CUDA_R_64F, m->grid) ||
        !OK(m, cusolverMgCreateMatrixDesc, &m->B, n, 1, n, TILE, CUDA_R_64F, m->grid))
        return 0;
    for (int d = 0; d < m->count; d++) {
        void *pivots;
        if (!take(m, d, column * (size_t)columns_of(m, d, n), &m->a[d]) || !take(m, d, column, &m->b[d]) ||
            !take(m, d, (size_t)n * sizeof(int), &pivots))
            return 0;
        m->pivots[d] = pivots;
        for (int64_t k = d, at = 0; k * TILE < n; k += m->count, at += TILE) {
            const int64_t j = k * TILE, width = n - j < TILE ? n - j : TILE;
            if (!copy(m, d, (char *)m->a[d] + (size_t)at * column, A + j * n, (size_t)width * column, 1)) return 0;
        }
    }
    if (!copy(m, 0, m->b[0], b, column, 1)) return 0;
    if (!OK(m, cusolverMgGetrf_bufferSize, m->handle, (int)n, (int)n, m->a, 1, 1, m->A, m->pivots, CUDA_R_64F, words) ||
        !OK(m, cusolverMgGetrs_bufferSize, m->handle, CUBLAS_OP_N, (int)n, 1, m->a, 1, 1, m->A, m->pivots, m->b, 1, 1,
            m->B, CUDA_R_64F, &more))
        return 0;
    if (more > *words) *words = more;
    for (int d = 0; d < m->count; d++)
        if (!take(m, d, (size_t)*words * size, &m->work[d])) return 0;
    return wait_all(m);
}

static int run(machine *m, int64_t n, double *A, double *b, double seconds[2]) {
    int64_t words = 0;
    int info = 0;
    if (!load(m) || !start(m) || !prepare(m, n, A, b, &words)) return 0;
    double at = bench_seconds();
    if (!OK(m, cusolverMgGetrf, m->handle, (int)n, (int)n, m->a, 1, 1, m->A, m->pivots, CUDA_R_64F, m->work, words,
            &info) ||
        !wait_all(m))
        return 0;
    seconds[0] = bench_seconds() - at;
    at = bench_seconds();
    if (!OK(m, cusolverMgGetrs, m->handle, CUBLAS_OP_N, (int)n, 1, m->a, 1, 1, m->A, m->pivots, m->b, 1, 1, m->B,
            CUDA_R_64F, m->work, words, &info) ||
        !wait_all(m))
        return 0;
    seconds[1] = bench_seconds() - at;
    return copy(m, 0, m->b[0], b, (size_t)n * sizeof(double), 0);
}

int vendor_many_lu(const int *devices, int count, int64_t n, const double *A, double *b, double seconds[2],
                   const char **why) {
    machine m = {.count = count};
    memcpy(m.numbers, devices, (size_t)count * sizeof *devices);
    said[0] = '\0';
    *why = said;
    const int fine = run(&m, n, (double *)(uintptr_t)A, b, seconds); /* A is only read */
    for (int d = 0; d < count; d++) {
        void *const memory[] = {m.a[d], m.b[d], m.work[d], m.pivots[d]};
        for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) give_back(&m, d, memory[k]);
    }
    if (m.A) (void)m.p_cusolverMgDestroyMatrixDesc(m.A);
    if (m.B) (void)m.p_cusolverMgDestroyMatrixDesc(m.B);
    if (m.grid) (void)m.p_cusolverMgDestroyGrid(m.grid);
    if (m.handle) (void)m.p_cusolverMgDestroy(m.handle);
    for (int d = 0; d < count; d++)
        if (m.contexts[d]) (void)m.p_cuDevicePrimaryCtxRelease(m.ids[d]);
    return fine;
}

#else /* built without a toolkit */

int vendor_many_lu(const int *devices, int count, int64_t n, const double *A, double *b, double seconds[2],
                   const char **why) {
    (void)devices, (void)count, (void)n, (void)A, (void)b, (void)seconds;
    (void)snprintf(said, sizeof said, "built without a CUDA toolkit");
    *why = said;
    return 0;
}

#endif
