/* choose.c: the provider of a device. */
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "blas/blas.h"
#include "blas/builtin.h"
#include "blas/provider.h"

void cls_blas_use(cls_device *device, const cls_blas_provider *provider) {
    cls_blas *blas = device->blas;
    blas->name = provider->name;
    blas->trsm_block = provider->trsm_block;
    blas->in_place = provider->in_place;
    blas->narrow = provider->narrow;
    blas->provider = provider;
}

#ifdef CLSOLVE_CUDA
static clsolve_status choose_cuda(cls_device *device, const char *forced) {
    cls_blas_use(device, &cls_blas_cublas);
    if (!forced) return CLSOLVE_OK;
    if (strcmp(forced, "cublas") == 0) {
        cls_blas_use(device, &cls_blas_cublas_alone);
        return CLSOLVE_OK;
    }
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED, "CLSOLVE_BLAS=%s: CUDA devices have cublas alone",
                    forced);
}
#endif

/* The provider for a device's own memory through OpenCL, and the one that tuning compares with. */
#ifdef CLSOLVE_CLBLAST
static const cls_blas_provider *const through_opencl = &cls_blas_clblast, *const rival = &cls_blas_clblast_alone;
enum { HAS_CLBLAST = 1 };
#else
static const cls_blas_provider *const through_opencl = &cls_blas_builtin, *const rival = &cls_blas_builtin;
enum { HAS_CLBLAST = 0 };
#endif

/* On a CPU CLBlast's kernels, made for GPUs, reach a fraction of what OpenBLAS does in the same memory. */
static clsolve_status choose_opencl(cls_device *device, const char *forced) {
    const int host_memory = device->info.host_memory;
    cls_blas_use(device, host_memory ? &cls_blas_openblas : through_opencl);
    device->blas->rival = rival;
    if (!HAS_CLBLAST) device->blas->tiled = CLS_TILED_ALWAYS;
    if (!forced) return CLSOLVE_OK;
    if (strcmp(forced, "clblast") == 0 && !HAS_CLBLAST)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED, "CLSOLVE_BLAS=clblast: this build has no CLBlast");
    if (strcmp(forced, "clblast") == 0 || strcmp(forced, "own") == 0) {
        cls_blas_use(device, through_opencl);
        device->blas->tiled = strcmp(forced, "own") == 0 ? CLS_TILED_ALWAYS : CLS_TILED_NEVER;
    } else if (strcmp(forced, "openblas") == 0) {
        if (!host_memory)
            return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                            "CLSOLVE_BLAS=openblas: %s does not work in the host's memory", device->info.name);
        cls_blas_use(device, &cls_blas_openblas);
    } else {
        return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "CLSOLVE_BLAS is \"%s\": give clblast, own or openblas for %s", forced, device->info.selector);
    }
    return CLSOLVE_OK;
}

static clsolve_status choose(cls_device *device) {
    const char *forced = cls_environment_word("CLSOLVE_BLAS");
    if (strcmp(device->info.backend, "host") == 0) {
        cls_blas_use(device, &cls_blas_openblas);
        return CLSOLVE_OK;
    }
#ifdef CLSOLVE_CUDA
    if (strcmp(device->info.backend, "cuda") == 0) return choose_cuda(device, forced);
#endif
    return choose_opencl(device, forced);
}

static void release(cls_device *device) {
    cls_blas *blas = device->blas;
    cls_builtin_release(device);
    if (blas->provider && blas->provider->release) blas->provider->release(device);
    if (blas->rival && blas->rival->release) blas->rival->release(device);
    cls_free(blas);
    device->blas = NULL;
}

clsolve_status cls_blas_create(cls_device *device) {
    device->blas = cls_alloc(1, sizeof *device->blas);
    if (!device->blas)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a device's BLAS");
    device->blas_release = release;
    device->blas->no_matrix_unit = cls_environment_pretends("no-matrix-unit"); /* of any maker */
    CLS_TRY(choose(device));
    /* A CPU that runs kernels made for GPUs: they are to compile soon, for nobody chooses it for its speed. */
    if (device->info.type == CLSOLVE_DEVICE_CPU && device->info.host_memory && !device->blas->in_place)
        device->rolled = 1;
    return CLSOLVE_OK;
}
