/* vendor.c: see vendor.h. */
#include "vendor.h"

#include <stddef.h>
#include <stdio.h>

static char said[256];

const char *vendor_message(void) {
    return said;
}

#ifdef BENCH_VENDOR

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include "bench.h"

/* A routine of each type: its name begins with `prefix` and the type's letter. */
#define TYPES(X, library, prefix, routine)                                                                             \
    X(library, prefix##S##routine)                                                                                     \
    X(library, prefix##D##routine)                                                                                     \
    X(library, prefix##C##routine)                                                                                     \
    X(library, prefix##Z##routine)

#define FUNCTIONS(X)                                                                                                   \
    X(DRIVER, cuInit)                                                                                                  \
    X(DRIVER, cuDeviceGet)                                                                                             \
    X(DRIVER, cuDevicePrimaryCtxRetain)                                                                                \
    X(DRIVER, cuDevicePrimaryCtxRelease)                                                                               \
    X(DRIVER, cuCtxPushCurrent)                                                                                        \
    X(DRIVER, cuCtxPopCurrent)                                                                                         \
    X(DRIVER, cuMemAlloc)                                                                                              \
    X(DRIVER, cuMemFree)                                                                                               \
    X(DRIVER, cuMemcpyHtoDAsync)                                                                                       \
    X(DRIVER, cuMemcpyDtoHAsync)                                                                                       \
    X(DRIVER, cuStreamCreate)                                                                                          \
    X(DRIVER, cuStreamDestroy)                                                                                         \
    X(DRIVER, cuStreamSynchronize)                                                                                     \
    X(BLAS, cublasCreate)                                                                                              \
    X(BLAS, cublasDestroy)                                                                                             \
    X(BLAS, cublasSetStream)                                                                                           \
    TYPES(X, BLAS, cublas, matinvBatched)                                                                              \
    TYPES(X, BLAS, cublas, getrfBatched)                                                                               \
    TYPES(X, BLAS, cublas, getrsBatched)                                                                               \
    TYPES(X, BLAS, cublas, getriBatched)                                                                               \
    X(SOLVER, cusolverDnCreate)                                                                                        \
    X(SOLVER, cusolverDnDestroy)                                                                                       \
    X(SOLVER, cusolverDnSetStream)                                                                                     \
    TYPES(X, SOLVER, cusolverDn, getrf_bufferSize)                                                                     \
    TYPES(X, SOLVER, cusolverDn, getrf)                                                                                \
    TYPES(X, SOLVER, cusolverDn, getrs)                                                                                \
    TYPES(X, SOLVER, cusolverDn, potrf_bufferSize)                                                                     \
    TYPES(X, SOLVER, cusolverDn, potrf)                                                                                \
    TYPES(X, SOLVER, cusolverDn, potrs)                                                                                \
    TYPES(X, SOLVER, cusolverDn, sytrf_bufferSize)                                                                     \
    TYPES(X, SOLVER, cusolverDn, sytrf)                                                                                \
    TYPES(X, SOLVER, cusolverDn, potrfBatched)                                                                         \
    TYPES(X, SOLVER, cusolverDn, potrsBatched)                                                                         \
    X(SPARSE, cusparseCreate)                                                                                          \
    X(SPARSE, cusparseDestroy)                                                                                         \
    X(SPARSE, cusparseSetStream)                                                                                       \
    TYPES(X, SPARSE, cusparse, gtsv2StridedBatch_bufferSizeExt)                                                        \
    TYPES(X, SPARSE, cusparse, gtsv2StridedBatch)

enum { DRIVER, BLAS, SOLVER, SPARSE, LIBRARIES, BUFFERS = 8 };

/* The newest first, each with the least major of CUDA that it is taken for: no driver works with a newer one than its own. */
static const struct {
    const char *name;
    int cuda;
} names[LIBRARIES][4] = {[DRIVER] = {{"libcuda.so.1", 0}},
                         [BLAS] = {{"libcublas.so.13", 13}, {"libcublas.so.12", 12}, {"libcublas.so.11", 11}},
                         [SOLVER] = {{"libcusolver.so.12", 13}, {"libcusolver.so.11", 11}, {"libcusolver.so.10", 11}},
                         [SPARSE] = {{"libcusparse.so.12", 12}, {"libcusparse.so.11", 11}}};

#define MEMBER(library, function) __typeof__(function) *p_##function;

struct vendor {
    FUNCTIONS(MEMBER)
    void *libraries[LIBRARIES];
    CUdevice id;
    CUcontext context;
    CUstream stream;
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusparseHandle_t sparse;
    CUdeviceptr buffers[BUFFERS]; /* of the call that runs */
    int count;
};

/* ---- opened ---- */

/* `cuda`: the driver's major. */
static void *open_library(int l, int cuda) {
    const char *first = NULL;
    for (int i = 0; i < 4 && names[l][i].name; i++) {
        const char *name = names[l][i].name;
        char path[1024];
        if (names[l][i].cuda > cuda) continue;
        if (!first) first = name;
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        (void)snprintf(path, sizeof path, "%s/%s", BENCH_VENDOR, name);
        if (!library) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    (void)snprintf(said, sizeof said, "%s could not be loaded", first ? first : "a library for CUDA before 11");
    return NULL;
}

#define TEXT_(text) #text
#define TEXT(text)  TEXT_(text)

/* The bytes of an object's address are a function's: POSIX. */
static int find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    if (!address) (void)snprintf(said, sizeof said, "no %s", name);
    return address != NULL;
}

#define FIND(library, function)                                                                                        \
    if (!find(v->libraries[library], TEXT(function), &v->p_##function)) return 0;

static int load(vendor *v) {
    __typeof__(cuDriverGetVersion) *version = NULL;
    int cuda = 0;
    for (int l = 0; l < LIBRARIES; l++) {
        if (!(v->libraries[l] = open_library(l, cuda / 1000))) return 0;
        if (l != DRIVER) continue;
        if (!find(v->libraries[l], TEXT(cuDriverGetVersion), &version)) return 0;
        if (version(&cuda) != CUDA_SUCCESS) {
            (void)snprintf(said, sizeof said, "NVIDIA's driver does not tell its version");
            return 0;
        }
    }
    FUNCTIONS(FIND)
    return 1;
}

/* For all of NVIDIA's status types, 0 is success. */
static int ok(int code, const char *call) {
    if (code != 0) (void)snprintf(said, sizeof said, "%s gives %d", call, code);
    return code == 0;
}
#define OK(v, function, ...) ok((int)(v)->p_##function(__VA_ARGS__), #function)

/* The routine of the type. */
#define OK_OF(v, type, prefix, routine, ...)                                                                           \
    ok((type) == CLSOLVE_F32   ? (int)(v)->p_##prefix##S##routine(__VA_ARGS__)                                         \
       : (type) == CLSOLVE_C32 ? (int)(v)->p_##prefix##C##routine(__VA_ARGS__)                                         \
       : (type) == CLSOLVE_C64 ? (int)(v)->p_##prefix##Z##routine(__VA_ARGS__)                                         \
                               : (int)(v)->p_##prefix##D##routine(__VA_ARGS__),                                        \
       #prefix "?" #routine)

static int start(vendor *v, int device) {
    if (!OK(v, cuInit, 0) || !OK(v, cuDeviceGet, &v->id, device)) return 0;
    if (!OK(v, cuDevicePrimaryCtxRetain, &v->context, v->id) || !OK(v, cuCtxPushCurrent, v->context)) return 0;
    return OK(v, cuStreamCreate, &v->stream, CU_STREAM_NON_BLOCKING) && OK(v, cublasCreate, &v->blas) &&
           OK(v, cublasSetStream, v->blas, v->stream) && OK(v, cusolverDnCreate, &v->solver) &&
           OK(v, cusolverDnSetStream, v->solver, v->stream) && OK(v, cusparseCreate, &v->sparse) &&
           OK(v, cusparseSetStream, v->sparse, v->stream);
}

vendor *vendor_open(int device) {
    vendor *v = calloc(1, sizeof *v);
    CUcontext popped;
    if (!v) return NULL;
    int fine = load(v) && start(v, device);
    if (v->context) (void)v->p_cuCtxPopCurrent(&popped);
    if (fine) return v;
    vendor_close(v);
    return NULL;
}

/* The libraries stay: they have threads of their own. */
void vendor_close(vendor *v) {
    CUcontext popped;
    if (!v) return;
    if (v->context && v->p_cuCtxPushCurrent(v->context) == CUDA_SUCCESS) {
        if (v->sparse) (void)v->p_cusparseDestroy(v->sparse);
        if (v->solver) (void)v->p_cusolverDnDestroy(v->solver);
        if (v->blas) (void)v->p_cublasDestroy(v->blas);
        if (v->stream) (void)v->p_cuStreamDestroy(v->stream);
        (void)v->p_cuCtxPopCurrent(&popped);
        (void)v->p_cuDevicePrimaryCtxRelease(v->id);
    }
    free(v);
}

/* ---- what the calls share ---- */

static int begin(vendor *v) {
    v->count = 0;
    return OK(v, cuCtxPushCurrent, v->context);
}

/* Gives the buffers back; `seconds` where all went well. */
static double end(vendor *v, int fine, double seconds) {
    CUcontext popped;
    (void)v->p_cuStreamSynchronize(v->stream);
    for (int b = 0; b < v->count; b++) (void)v->p_cuMemFree(v->buffers[b]);
    v->count = 0;
    (void)v->p_cuCtxPopCurrent(&popped);
    return fine ? seconds : -1;
}

static int take(vendor *v, size_t bytes, void **memory) {
    CUdeviceptr address = 0;
    if (v->count == BUFFERS || !OK(v, cuMemAlloc, &address, bytes > 0 ? bytes : 1)) return 0;
    v->buffers[v->count++] = address;
    *memory = (void *)(uintptr_t)address;
    return 1;
}

static int up(vendor *v, void *to, const void *from, size_t bytes) {
    return OK(v, cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to, from, bytes, v->stream);
}

static int down(vendor *v, void *to, const void *from, size_t bytes) {
    return OK(v, cuMemcpyDtoHAsync, to, (CUdeviceptr)(uintptr_t)from, bytes, v->stream);
}

static int wait(vendor *v) {
    return OK(v, cuStreamSynchronize, v->stream);
}

/* ---- dense ---- */

/* The factors of A in *a, and what is needed to solve with them; memory is taken before the clock runs. */
typedef struct factors {
    clsolve_type type;
    void *a, *b, *work;
    int *pivots, *info, n;
} factors;

static int prepare(vendor *v, clsolve_type type, int64_t n, int64_t nrhs, factors *f) {
    int words = 0;
    size_t size = (size_t)cls_type_size(type), order = (size_t)n;
    f->type = type;
    f->n = (int)n;
    return take(v, order * order * size, &f->a) && take(v, order * (size_t)nrhs * size, &f->b) &&
           take(v, order * sizeof(int), (void **)&f->pivots) && take(v, sizeof(int), (void **)&f->info) &&
           OK_OF(v, type, cusolverDn, getrf_bufferSize, v->solver, f->n, f->n, f->a, f->n, &words) &&
           take(v, (size_t)words * size, &f->work);
}

static int factor(vendor *v, const factors *f) {
    return OK_OF(v, f->type, cusolverDn, getrf, v->solver, f->n, f->n, f->a, f->n, f->work, f->pivots, f->info);
}

static int solve(vendor *v, const factors *f, int64_t nrhs) {
    return OK_OF(v, f->type, cusolverDn, getrs, v->solver, CUBLAS_OP_N, f->n, (int)nrhs, f->a, f->n, f->pivots, f->b,
                 f->n, f->info);
}

double vendor_lu(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, int both, double *device) {
    factors f;
    double from = 0, to = 0, at = 0;
    size_t size = (size_t)cls_type_size(type), order = (size_t)n;
    int fine = begin(v) && prepare(v, type, n, 1, &f);
    if (fine) {
        from = bench_seconds();
        fine = up(v, f.a, A, order * order * size) && wait(v);
        at = bench_seconds();
        fine = fine && factor(v, &f) && wait(v);
        *device = bench_seconds() - at;
        fine = fine && up(v, f.b, b, order * size) && wait(v);
        at = bench_seconds();
        fine = fine && solve(v, &f, 1) && wait(v);
        if (both) *device += bench_seconds() - at;
        fine = fine && down(v, b, f.b, order * size) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

double vendor_cholesky(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device) {
    factors f = {.n = (int)n};
    double from = 0, to = 0, at = 0;
    int words = 0;
    const size_t size = (size_t)cls_type_size(type), order = (size_t)n;
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    int fine = begin(v) && take(v, order * order * size, &f.a) && take(v, order * size, &f.b) &&
               take(v, sizeof(int), (void **)&f.info) &&
               OK_OF(v, type, cusolverDn, potrf_bufferSize, v->solver, lower, f.n, f.a, f.n, &words) &&
               take(v, (size_t)words * size, &f.work);
    if (fine) {
        from = bench_seconds();
        fine = up(v, f.a, A, order * order * size) && wait(v);
        at = bench_seconds();
        fine = fine && OK_OF(v, type, cusolverDn, potrf, v->solver, lower, f.n, f.a, f.n, f.work, words, f.info) &&
               wait(v);
        *device = bench_seconds() - at;
        fine = fine && up(v, f.b, b, order * size) && wait(v);
        fine =
            fine && OK_OF(v, type, cusolverDn, potrs, v->solver, lower, f.n, 1, f.a, f.n, f.b, f.n, f.info) && wait(v);
        fine = fine && down(v, b, f.b, order * size) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

/* x by LAPACK, with the factors on the device. */
static int solve_on_host(vendor *v, const factors *f, void *b) {
    const size_t bytes = (size_t)f->n * (size_t)f->n * (size_t)cls_type_size(f->type);
    void *F = malloc(bytes);
    lapack_int *pivots = calloc((size_t)f->n, sizeof *pivots);
    const int fine = F && pivots && down(v, F, f->a, bytes) && down(v, pivots, f->pivots, (size_t)f->n * sizeof(int)) &&
                     wait(v) &&
                     BENCH_LAPACK(f->type, sytrs, LAPACK_COL_MAJOR, 'L', f->n, 1, F, f->n, pivots, b, f->n) == 0;
    free(F);
    free(pivots);
    return fine;
}

double vendor_ldl(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device) {
    factors f = {.type = type, .n = (int)n};
    double from = 0, to = 0, at = 0;
    int words = 0;
    const size_t size = (size_t)cls_type_size(type), order = (size_t)n;
    int fine = begin(v) && take(v, order * order * size, &f.a) && take(v, order * sizeof(int), (void **)&f.pivots) &&
               take(v, sizeof(int), (void **)&f.info) &&
               OK_OF(v, type, cusolverDn, sytrf_bufferSize, v->solver, f.n, f.a, f.n, &words) &&
               take(v, (size_t)words * size, &f.work);
    if (fine) {
        from = bench_seconds();
        fine = up(v, f.a, A, order * order * size) && wait(v);
        at = bench_seconds();
        fine = fine &&
               OK_OF(v, type, cusolverDn, sytrf, v->solver, CUBLAS_FILL_MODE_LOWER, f.n, f.a, f.n, f.pivots, f.work,
                     words, f.info) &&
               wait(v);
        to = bench_seconds();
        *device = to - at;
        fine = fine && solve_on_host(v, &f, b);
    }
    return end(v, fine, to - from);
}

double vendor_inverse(vendor *v, clsolve_type type, int64_t n, const void *A, void *X, double *device) {
    factors f;
    double from = 0, to = 0, at = 0;
    size_t bytes = (size_t)(n * n * cls_type_size(type));
    int fine = begin(v) && prepare(v, type, n, n, &f);
    if (fine) {
        /* The unit matrix is made on the host and is there before the clock runs. */
        memset(X, 0, bytes);
        for (int64_t i = 0; i < n; i++) bench_put(type, X, i + i * n, 1);
        fine = up(v, f.b, X, bytes) && wait(v);
        from = bench_seconds();
        fine = fine && up(v, f.a, A, bytes) && wait(v);
        at = bench_seconds();
        fine = fine && factor(v, &f) && solve(v, &f, n) && wait(v);
        *device = bench_seconds() - at;
        fine = fine && down(v, X, f.b, bytes) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

/* ---- many small ones ---- */

typedef struct batch {
    clsolve_type type;
    void *a, *x, *pa, *px;
    int *pivots, *info, n, count;
} batch;

/* The lists of addresses are there before the clock runs; x_member: elements of a member of x. */
static int prepare_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, int64_t x_member, batch *b) {
    const int64_t each = n * n;
    const size_t all = (size_t)(each * count * cls_type_size(type)), list = (size_t)count * sizeof(void *);
    *b = (batch){.type = type, .n = (int)n, .count = (int)count};
    void **addresses = malloc(2 * list);
    int fine = addresses && take(v, all, &b->a) && take(v, all, &b->x) && take(v, list, &b->pa) &&
               take(v, list, &b->px) && take(v, (size_t)(n * count) * sizeof(int), (void **)&b->pivots) &&
               take(v, (size_t)count * sizeof(int), (void **)&b->info);
    for (int64_t m = 0; m < count && fine; m++) {
        addresses[m] = bench_at(type, b->a, m * each);
        addresses[count + m] = bench_at(type, b->x, m * x_member);
    }
    fine = fine && up(v, b->pa, addresses, list) && up(v, b->px, addresses + count, list) && wait(v);
    free(addresses);
    return fine;
}

/* The infos on the host, as ours are when a call returns: are all of them 0? */
static int all_fine(vendor *v, const batch *b) {
    int *told = calloc((size_t)b->count, sizeof *told), any = 0;
    const int fine = told && down(v, told, b->info, (size_t)b->count * sizeof *told) && wait(v);
    for (int m = 0; fine && m < b->count; m++) any |= told[m];
    free(told);
    return fine && any == 0;
}

static int invert_batch(vendor *v, const batch *b) {
    if (b->n <= 32)
        return OK_OF(v, b->type, cublas, matinvBatched, v->blas, b->n, b->pa, b->n, b->px, b->n, b->info, b->count);
    return OK_OF(v, b->type, cublas, getrfBatched, v->blas, b->n, b->pa, b->n, b->pivots, b->info, b->count) &&
           OK_OF(v, b->type, cublas, getriBatched, v->blas, b->n, b->pa, b->n, b->pivots, b->px, b->n, b->info,
                 b->count);
}

double vendor_batched(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *X, double *device) {
    batch b;
    double from = 0, to = 0, at = 0;
    size_t bytes = (size_t)(n * n * count * cls_type_size(type));
    int fine = begin(v) && prepare_batch(v, type, n, count, n * n, &b);
    if (fine) {
        from = bench_seconds();
        fine = up(v, b.a, A, bytes) && wait(v);
        at = bench_seconds();
        fine = fine && invert_batch(v, &b) && all_fine(v, &b);
        *device = bench_seconds() - at;
        fine = fine && down(v, X, b.x, bytes) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

double vendor_cholesky_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b,
                             double *device) {
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    const size_t bytes = (size_t)(n * count * cls_type_size(type));
    double from = 0, to = 0, at = 0;
    batch all;
    int fine = begin(v) && prepare_batch(v, type, n, count, n, &all);
    if (fine) {
        from = bench_seconds();
        fine = up(v, all.a, A, (size_t)n * bytes) && wait(v);
        at = bench_seconds();
        fine = fine &&
               OK_OF(v, type, cusolverDn, potrfBatched, v->solver, lower, all.n, all.pa, all.n, all.info, all.count) &&
               all_fine(v, &all);
        *device = bench_seconds() - at;
        fine = fine && up(v, all.x, b, bytes) && wait(v);
        fine = fine &&
               OK_OF(v, type, cusolverDn, potrsBatched, v->solver, lower, all.n, 1, all.pa, all.n, all.px, all.n,
                     all.info, all.count) &&
               wait(v);
        fine = fine && down(v, b, all.x, bytes) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

double vendor_lu_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b, int solves,
                       double *device) {
    const size_t bytes = (size_t)(n * count * cls_type_size(type));
    double from = 0, to = 0, at = 0, solve = 0;
    int info = 0;
    batch all;
    int fine = begin(v) && prepare_batch(v, type, n, count, n, &all);
    if (fine) {
        from = bench_seconds();
        fine = up(v, all.a, A, (size_t)n * bytes) && up(v, all.x, b, bytes) && wait(v);
        at = bench_seconds();
        fine = fine &&
               OK_OF(v, type, cublas, getrfBatched, v->blas, all.n, all.pa, all.n, all.pivots, all.info, all.count) &&
               all_fine(v, &all);
        solve = bench_seconds();
        fine = fine &&
               OK_OF(v, type, cublas, getrsBatched, v->blas, CUBLAS_OP_N, all.n, 1, all.pa, all.n, all.pivots, all.px,
                     all.n, &info, all.count) &&
               wait(v);
        *device = (solves ? bench_seconds() : solve) - at;
        fine = fine && down(v, b, all.x, bytes) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine && info == 0, to - from);
}

/* A call has `count` members of its own. */
static int enqueue_there(vendor *v, int is_cholesky, const batch *all, int count, int call, int solves) {
    const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    const clsolve_type type = all->type;
    const int n = all->n;
    void **const a = (void **)all->pa + (int64_t)call * count, **const x = (void **)all->px + (int64_t)call * count;
    int *const pivots = all->pivots + (int64_t)call * count * n, *const infos = all->info + (int64_t)call * count;
    int info = 0;
    if (is_cholesky)
        return OK_OF(v, type, cusolverDn, potrfBatched, v->solver, lower, n, (void *)a, n, infos, count) &&
               (!solves || OK_OF(v, type, cusolverDn, potrsBatched, v->solver, lower, n, 1, (void *)a, n, (void *)x, n,
                                 infos, count));
    return OK_OF(v, type, cublas, getrfBatched, v->blas, n, (void *)a, n, pivots, infos, count) &&
           (!solves || OK_OF(v, type, cublas, getrsBatched, v->blas, CUBLAS_OP_N, n, 1, (void *)a, n, pivots, (void *)x,
                             n, &info, count)) &&
           info == 0;
}

double vendor_batch_there(vendor *v, int is_cholesky, clsolve_type type, int64_t n, int64_t count, int calls,
                          const void *A, void *b, double *both) {
    const size_t bytes = (size_t)(n * count * cls_type_size(type));
    double seconds[2] = {0};
    batch all;
    int fine = begin(v) && prepare_batch(v, type, n, count * calls, n, &all);
    for (int solves = 0; solves < 2 && fine; solves++) {
        for (int k = 0; k < calls && fine; k++)
            fine = up(v, bench_at(type, all.a, k * n * n * count), A, (size_t)n * bytes) &&
                   up(v, bench_at(type, all.x, k * n * count), b, bytes);
        fine = fine && wait(v);
        const double from = bench_seconds();
        for (int k = 0; k < calls && fine; k++) fine = enqueue_there(v, is_cholesky, &all, (int)count, k, solves);
        batch last = all;
        last.count = (int)count;
        last.info += (int64_t)(calls - 1) * count;
        fine = fine && all_fine(v, &last);
        seconds[solves] = (bench_seconds() - from) / calls;
    }
    fine = fine && down(v, b, bench_at(type, all.x, (calls - 1) * n * count), bytes) && wait(v);
    *both = seconds[1];
    return end(v, fine, seconds[0]);
}

/* ---- lines ---- */

double vendor_lines(vendor *v, clsolve_type type, int64_t m, int64_t count, const void *a, const void *c, const void *b,
                    void *f, double *device) {
    void *da, *dc, *db, *df, *work;
    double from = 0, to = 0, at = 0;
    size_t bytes = (size_t)(m * count * cls_type_size(type)), more = 0;
    int length = (int)m, lines = (int)count;
    int fine = begin(v) && take(v, bytes, &da) && take(v, bytes, &dc) && take(v, bytes, &db) && take(v, bytes, &df) &&
               OK_OF(v, type, cusparse, gtsv2StridedBatch_bufferSizeExt, v->sparse, length, da, dc, db, df, lines,
                     length, &more) &&
               take(v, more, &work) && up(v, da, a, bytes) && up(v, dc, c, bytes) && up(v, db, b, bytes) && wait(v);
    if (fine) {
        from = bench_seconds();
        fine = up(v, df, f, bytes) && wait(v);
        at = bench_seconds();
        fine = fine &&
               OK_OF(v, type, cusparse, gtsv2StridedBatch, v->sparse, length, da, dc, db, df, lines, length, work) &&
               wait(v);
        *device = bench_seconds() - at;
        fine = fine && down(v, f, df, bytes) && wait(v);
        to = bench_seconds();
    }
    return end(v, fine, to - from);
}

#else /* built without a toolkit */

vendor *vendor_open(int device) {
    (void)device;
    (void)snprintf(said, sizeof said, "built without a CUDA toolkit");
    return NULL;
}

void vendor_close(vendor *v) {
    (void)v;
}

double vendor_lu(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, int both, double *device) {
    (void)v, (void)type, (void)n, (void)A, (void)b, (void)both, (void)device;
    return -1;
}

double vendor_cholesky(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device) {
    (void)v, (void)type, (void)n, (void)A, (void)b, (void)device;
    return -1;
}

double vendor_ldl(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device) {
    (void)v, (void)type, (void)n, (void)A, (void)b, (void)device;
    return -1;
}

double vendor_inverse(vendor *v, clsolve_type type, int64_t n, const void *A, void *X, double *device) {
    (void)v, (void)type, (void)n, (void)A, (void)X, (void)device;
    return -1;
}

double vendor_batched(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *X, double *device) {
    (void)v, (void)type, (void)n, (void)count, (void)A, (void)X, (void)device;
    return -1;
}

double vendor_cholesky_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b,
                             double *device) {
    (void)v, (void)type, (void)n, (void)count, (void)A, (void)b, (void)device;
    return -1;
}

double vendor_lu_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b, int solves,
                       double *device) {
    (void)v, (void)type, (void)n, (void)count, (void)A, (void)b, (void)solves, (void)device;
    return -1;
}

double vendor_batch_there(vendor *v, int is_cholesky, clsolve_type type, int64_t n, int64_t count, int calls,
                          const void *A, void *b, double *both) {
    (void)v, (void)is_cholesky, (void)type, (void)n, (void)count, (void)calls, (void)A, (void)b, (void)both;
    return -1;
}

double vendor_lines(vendor *v, clsolve_type type, int64_t m, int64_t count, const void *a, const void *c, const void *b,
                    void *f, double *device) {
    (void)v, (void)type, (void)m, (void)count, (void)a, (void)c, (void)b, (void)f, (void)device;
    return -1;
}

#endif
