/* device.c: CUDA devices are listed, opened and given back; the table of their operations. */
#define _POSIX_C_SOURCE 200809L

#include "device/cuda/enter.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "device/backend.h"
#include "device/program_cache.h"
#include "device/recall.h"

/* Also the way out of a creation that failed half-way, so every member may still be zero. */
static void destroy(cls_device *base) {
    cls_cuda *device = cls_cuda_of(base);
    if (device->context && device->driver.context_push(device->context) == CUDA_SUCCESS) {
        CUcontext popped;
        /* All queues first: work may still use what goes below. */
        for (int q = 0; q < CLS_QUEUES; q++)
            if (device->queues[q]) (void)device->driver.stream_wait(device->queues[q]);
        cls_staging_destroy(base);
        if (base->blas_release) base->blas_release(base);
        cls_programs_destroy(base);
        for (int q = 0; q < CLS_QUEUES; q++)
            if (device->owned[q]) (void)device->driver.stream_destroy(device->queues[q]);
        (void)device->driver.context_pop(&popped);
    }
    cls_facts_destroy(base);
#ifdef CLSOLVE_SHIPPED
    cls_shipped_close(device->shipped);
#endif
    if (device->primary) (void)device->driver.primary_release(device->id);
    cls_cuda_library_close(device->nvrtc.library);
    cls_cuda_driver_unload(&device->driver);
    cls_free(base->cache_folder);
    cls_free(device);
}

static const cls_device_ops operations = {CLS_DRIVER_OPS(CLS_TABLE_OP, cuda).destroy = destroy,
                                          .seen_create = cls_cuda_seen_create, .program_get = cls_program_get,
                                          .recall = cls_recall, .remember = cls_remember};

/* ---- opened ---- */

static clsolve_status create_queues(cls_cuda *device, CUstream compute) {
    int least = 0, greatest = 0; /* of 0 and less, the least number first served */
    device->queues[CLS_COMPUTE] = compute;
    CLS_TRY_CU(device, "cuCtxGetStreamPriorityRange", device->driver.priorities(&least, &greatest));
    for (int q = 0; q < CLS_QUEUES; q++) {
        if (device->queues[q]) continue;
        /* In order with its own work alone, not with what the process does in its default stream. Kernels in COMPUTE
         * and SOON are not to wait until those in BESIDE have begun to the last of their groups. */
        int priority = q == CLS_COMPUTE || q == CLS_SOON ? greatest : least;
        CLS_TRY_CU(device, "cuStreamCreateWithPriority",
                   device->driver.stream_create(&device->queues[q], CU_STREAM_NON_BLOCKING, priority));
        device->owned[q] = true;
    }
    return CLSOLVE_OK;
}

/* One that can be done without: 0 where the driver does not tell. */
static int attribute(const cls_cuda_driver *driver, CUdevice id, CUdevice_attribute what) {
    int value = 0;
    return driver->device_attribute(&value, what, id) == CUDA_SUCCESS ? value : 0;
}

clsolve_status cls_cuda_create(cls_cuda_driver *driver, const cls_cuda_found *found, const char *cache_folder,
                               CUcontext context, CUstream compute, cls_error *error, cls_device **result) {
    cls_cuda *device = cls_alloc(1, sizeof *device);
    clsolve_status status = CLSOLVE_OK;
    if (!device || found->failed) {
        status = device ? cls_cuda_fail(driver, error, found->code, found->failed)
                        : cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a device");
        cls_cuda_driver_unload(driver);
        cls_free(device);
        return status;
    }
    device->driver = *driver;
    device->base.ops = &operations;
    device->base.info = found->info;
    device->base.error = error;
    device->base.compiler = &cls_cuda_compiler;
    device->base.staged = 1;
    device->base.cache_folder = cls_cache_folder(cache_folder, error->text, sizeof error->text);
    device->id = found->id;
    device->capability = device->base.matrix_unit = found->capability;
    device->base.double_ratio = attribute(driver, found->id, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
    device->base.beside = 1;
    device->base.splits = 1;
    device->base.promised_together = attribute(driver, found->id, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
    device->base.groups_together = device->base.promised_together ? device->base.info.compute_units : 0;
    if (device->capability < 10) { /* there is nothing to compile for */
        status = cls_fail(error, CLSOLVE_ERROR_DEVICE, "cuDeviceGetAttribute failed: %s tells no compute capability",
                          found->info.name);
        goto failed;
    }
    if (context) {
        device->context = context;
    } else {
        CUresult code = driver->primary_retain(&device->context, found->id);
        if (code != CUDA_SUCCESS) {
            device->context = NULL;
            status = cls_cuda_fail(driver, error, code, "cuDevicePrimaryCtxRetain");
            goto failed;
        }
        device->primary = true;
    }
    CLS_TRY_GOTO(status, cls_cuda_enter(device), failed);
    CLS_TRY_GOTO(status, cls_cuda_leave(device, create_queues(device, compute)), failed);
    cls_staging_configure(&device->base);
    *result = &device->base;
    return CLSOLVE_OK;
failed:
    destroy(&device->base);
    return status;
}

/* Each device has its own handle of the driver's library. */
clsolve_status cls_cuda_twin(cls_device *base, cls_error *error, cls_device **twin) {
    const cls_cuda *device = cls_cuda_of(base);
    const cls_cuda_found found = {.id = device->id, .capability = device->capability, .info = base->info};
    cls_cuda_driver driver;
    char why[256];
    if (!cls_cuda_driver_load(&driver, why, sizeof why)) return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "%s", why);
    CLS_TRY(cls_cuda_create(&driver, &found, base->cache_folder ? base->cache_folder : "", NULL, NULL, error, twin));
    /* Programs belong to a context. One of the caller's other than the primary one may end while a thread uses it. */
    if (cls_cuda_of(*twin)->context == device->context) return CLSOLVE_OK;
    destroy(*twin);
    *twin = NULL;
    return CLSOLVE_ERROR_UNSUPPORTED;
}

/* ---- listed ---- */

/*
 * CUDA's driver does not tell its own version, only CUDA's; its kernel module does, in the line
 *     NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 ...
 */
static void driver_text(const cls_cuda_driver *driver, char *text, size_t size) {
    char line[512] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file) {
        if (!fgets(line, sizeof line, file)) line[0] = '\0';
        (void)fclose(file);
    }
    for (char *rest = NULL, *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        int major = 0, minor = 0;
        if (sscanf(word, "%d.%d", &major, &minor) == 2 && major >= 100) {
            (void)snprintf(text, size, "%s", word);
            return;
        }
    }
    (void)snprintf(text, size, "CUDA %d.%d", driver->cuda / 1000, driver->cuda % 1000 / 10);
}

/* Keeps which query of a device failed first. */
static bool asked(cls_cuda_found *found, const char *call, CUresult code) {
    if (code != CUDA_SUCCESS && !found->failed) {
        found->failed = call;
        found->code = code;
    }
    return code == CUDA_SUCCESS;
}

static int wanted(const cls_cuda_driver *driver, cls_cuda_found *found, CUdevice_attribute what) {
    int value = 0;
    CUresult code = driver->device_attribute(&value, what, found->id);
    return asked(found, "cuDeviceGetAttribute", code) ? value : 0;
}

static void describe(const cls_cuda_driver *driver, CUdevice id, cls_cuda_found *found) {
    clsolve_device_info *info = &found->info;
    size_t memory = 0;
    memset(found, 0, sizeof *found);
    found->id = id;
    int major = wanted(driver, found, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    int minor = wanted(driver, found, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    found->capability = 10 * major + minor;
    (void)snprintf(info->backend, sizeof info->backend, "cuda");
    if (!asked(found, "cuDeviceGetName", driver->device_name(info->name, (int)sizeof info->name, id)))
        info->name[0] = '\0';
    info->name[sizeof info->name - 1] = '\0';
    (void)snprintf(info->vendor, sizeof info->vendor, "NVIDIA Corporation");
    (void)snprintf(info->platform, sizeof info->platform, "CUDA");
    (void)snprintf(info->version, sizeof info->version, "CUDA %d.%d, compute capability %d.%d", driver->cuda / 1000,
                   driver->cuda % 1000 / 10, major, minor);
    driver_text(driver, info->driver, sizeof info->driver);
    info->type = CLSOLVE_DEVICE_GPU;
    info->compute_units = wanted(driver, found, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->clock_mhz = attribute(driver, id, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    info->max_work_group = wanted(driver, found, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->local_memory = wanted(driver, found, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    /* Nothing is divided by, or has the size of, a number that a driver did not tell. */
    if (info->compute_units < 1) info->compute_units = 1;
    if (info->max_work_group < 1) info->max_work_group = 1;
    if (asked(found, "cuDeviceTotalMem", driver->device_memory(&memory, id))) info->global_memory = (int64_t)memory;
    info->max_allocation = info->global_memory;
    info->fp64 = !cls_environment_pretends("no-fp64");
}

/* The device may be kept from computing by its administrator. */
static bool usable(const cls_cuda_driver *driver, CUdevice id) {
    return attribute(driver, id, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) != CU_COMPUTEMODE_PROHIBITED;
}

clsolve_status cls_cuda_discover(const cls_cuda_driver *driver, cls_cuda_found **found, int64_t *count,
                                 cls_error *error) {
    int there = 0;
    *found = NULL;
    *count = 0;
    if (driver->device_count(&there) != CUDA_SUCCESS || there <= 0) return CLSOLVE_OK;
    *found = cls_alloc((size_t)there, sizeof **found);
    if (!*found) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    for (int i = 0; i < there; i++) {
        CUdevice id;
        if (driver->device_get(&id, i) != CUDA_SUCCESS || !usable(driver, id)) continue;
        describe(driver, id, &(*found)[*count]);
        clsolve_device_info *info = &(*found)[*count].info;
        (void)snprintf(info->selector, sizeof info->selector, "cuda:%lld", (long long)*count);
        *count += 1;
    }
    return CLSOLVE_OK;
}

/* One driver has them all. */
static clsolve_status list(int64_t wanted, clsolve_device_info **devices, int64_t *count, cls_error *error) {
    cls_cuda_driver driver;
    cls_cuda_found *found = NULL;
    char why[256];
    (void)wanted;
    *devices = NULL;
    *count = 0;
    if (!cls_cuda_driver_load(&driver, why, sizeof why)) return CLSOLVE_OK;
    clsolve_status status = cls_cuda_discover(&driver, &found, count, error);
    cls_cuda_driver_unload(&driver);
    if (status == CLSOLVE_OK) status = cls_backend_infos(found, sizeof *found, *count, error, devices);
    cls_free(found);
    return status;
}

/* CUDA's devices reach each other however they are opened. */
static clsolve_status open(int64_t index, const clsolve_device_info *wanted, const cls_among *among,
                           const char *cache_folder, cls_error *error, cls_device **device) {
    cls_cuda_driver driver;
    cls_cuda_found *found = NULL;
    int64_t count = 0, at = 0;
    char why[256];
    (void)among;
    *device = NULL;
    if (!cls_cuda_driver_load(&driver, why, sizeof why))
        return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no CUDA device: %s", why);
    clsolve_status status = cls_cuda_discover(&driver, &found, &count, error);
    if (status == CLSOLVE_OK) at = cls_backend_place(found, sizeof *found, count, index, wanted);
    if (status == CLSOLVE_OK && at >= count)
        status = cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no CUDA device %lld any more", (long long)index);
    if (status == CLSOLVE_OK)
        status = cls_cuda_create(&driver, &found[at], cache_folder, NULL, NULL, error, device);
    else
        cls_cuda_driver_unload(&driver);
    cls_free(found);
    return status;
}

static void absent(char *text, size_t size) {
    cls_cuda_driver driver;
    char why[256];
    if (cls_cuda_driver_load(&driver, why, sizeof why)) {
        (void)snprintf(text, size, "no CUDA device found");
        cls_cuda_driver_unload(&driver);
    } else {
        (void)snprintf(text, size, "no CUDA device found: %s", why);
    }
}

const cls_backend cls_backend_cuda = {"cuda", list, open, absent};
