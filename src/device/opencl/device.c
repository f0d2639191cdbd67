/* device.c: an OpenCL device is opened and given back; the table of its operations. */
#define _POSIX_C_SOURCE 200809L

#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "device/backend.h"
#include "device/program_cache.h"
#include "device/recall.h"

/* Also the way out of a creation that failed half-way, so every member may still be NULL. */
static void destroy(cls_device *base) {
    cls_opencl *device = cls_opencl_of(base);
    /* All queues first: work may still use what goes below, and some drivers abort a process that exits with work
     * in a queue. */
    for (int q = 0; q < CLS_QUEUES; q++)
        if (device->queues[q]) (void)clFinish(device->queues[q]);
    cls_opencl_peers_release(device);
    cls_staging_destroy(base);
    if (base->blas_release) base->blas_release(base);
    cls_facts_destroy(base);
    cls_programs_destroy(base);
    for (int q = 0; q < CLS_QUEUES; q++)
        if (device->queues[q]) (void)clReleaseCommandQueue(device->queues[q]);
    if (device->context) (void)clReleaseContext(device->context);
#ifdef CLSOLVE_SHIPPED
    cls_shipped_close(device->shipped);
#endif
    cls_free(base->cache_folder);
    cls_free(device);
}

int cls_opencl_options(const char *options, bool plain, int rolled, int lanes, const char *standard, char *all,
                       size_t size) {
    char width[80] = "";
    if (!options) options = "";
    if (lanes > 0)
        (void)snprintf(width, sizeof width, " -DCLS_SUB_GROUP=%d%s", lanes,
                       strstr(options, "-DREAL=double") ? " -cl-intel-256-GRF-per-thread" : "");
    if (!strstr(options, "-DCLS_BY_SUB_GROUPS")) standard = "";
    return snprintf(all, size, "%s%s%s%s%s", options, plain ? " -DCLS_PLAIN" : "", rolled ? " -DCLS_ROLLED" : "",
                    standard, width) < (int)size;
}

static clsolve_status program_get(cls_device *base, const char *name, const char *options, cls_program **program) {
    const cls_opencl *device = cls_opencl_of(base);
    char all[512];
    if (!cls_opencl_options(options, device->plain, base->rolled, device->lanes, device->standard, all, sizeof all))
        return cls_fail(base->error, CLSOLVE_ERROR_BUILD, "the options of %s.cl are too long", name);
    return cls_program_get(base, name, all, program);
}

static const cls_device_ops operations = {CLS_DRIVER_OPS(CLS_TABLE_OP, opencl).destroy = destroy,
                                          .program_get = program_get, .recall = cls_recall, .remember = cls_remember};

static clsolve_status take_context(cls_opencl *device, cl_context context, cls_error *error) {
    cl_int code = CL_SUCCESS;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform, 0};
    if (context) {
        code = clRetainContext(context);
        if (code != CL_SUCCESS) return cls_opencl_fail(error, code, "clRetainContext");
        device->context = context;
        return CLSOLVE_OK;
    }
    device->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    return device->context ? CLSOLVE_OK : cls_opencl_fail(error, code, "clCreateContext");
}

/*
 * On Mesa's rusticl of 22.3.6 what is streamed through several queues comes out wrong, each time otherwise, as if a
 * command began before an event of another queue that it waits for; through one queue it is right. Newer ones have not
 * been seen.
 */
static int wants_one_queue(const clsolve_device_info *info) {
    int major;
    return strcmp(info->platform, "rusticl") == 0 && sscanf(info->driver, "%d", &major) == 1 && major < 23;
}

/*
 * PoCL 6.0 compiled a transposed solve of earlier versions wrong, so that its results differ from run to run and a
 * self-test may miss it; 3.1 is right. Newer ones have not been seen.
 */
static int has_weak_barriers(const clsolve_device_info *info) {
    int major;
    return strcmp(info->platform, "Portable Computing Language") == 0 && sscanf(info->driver, "%d", &major) == 1 &&
           major > 3;
}

static clsolve_status create_queues(cls_opencl *device, cl_command_queue compute, cls_error *error) {
    cl_int code = CL_SUCCESS;
    if (compute) {
        code = clRetainCommandQueue(compute);
        if (code != CL_SUCCESS) return cls_opencl_fail(error, code, "clRetainCommandQueue");
        device->queues[CLS_COMPUTE] = compute;
    }
    for (int q = 0; q < CLS_QUEUES; q++) {
        if (device->queues[q]) continue;
        if (q != CLS_COMPUTE && wants_one_queue(&device->base.info)) {
            code = clRetainCommandQueue(device->queues[CLS_COMPUTE]);
            if (code != CL_SUCCESS) return cls_opencl_fail(error, code, "clRetainCommandQueue");
            device->queues[q] = device->queues[CLS_COMPUTE];
            continue;
        }
        device->queues[q] = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
        /* A driver need not keep times; then `elapsed` gives 0. */
        if (!device->queues[q]) device->queues[q] = clCreateCommandQueue(device->context, device->id, 0, &code);
        if (!device->queues[q]) return cls_opencl_fail(error, code, "clCreateCommandQueue");
    }
    return CLSOLVE_OK;
}

/* The real type, whatever the device is treated as. */
static bool is_cpu(cl_device_id id) {
    cl_device_type type = 0;
    return clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS && (type & CL_DEVICE_TYPE_CPU);
}

static bool has_extension(cl_device_id id, const char *name) {
    size_t bytes = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) != CL_SUCCESS || bytes == 0) return false;
    char *all = cls_alloc(bytes + 1, 1);
    const bool has = all && clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, bytes, all, NULL) == CL_SUCCESS &&
                     strstr(all, name); /* no other one contains the name */
    cls_free(all);
    return has;
}

/*
 * Groups that wait for each other. A GPU keeps a group on its unit until it ends, so as many as have room run together;
 * whether that is one a unit, a test finds out. A CPU that is treated as a GPU may run groups one after the other.
 */
static void set_together(cls_opencl *device) {
    cls_device *base = &device->base;
    const int forced = cls_environment_pretends("groups-together");
    base->whole_words = has_extension(device->id, "cl_khr_int64_base_atomics");
    if (base->info.type != CLSOLVE_DEVICE_GPU) return;
    base->groups_together = forced > 0 ? forced : is_cpu(device->id) ? 0 : base->info.compute_units;
}

int cls_opencl_has_matrix_core(const clsolve_device_info *info) {
    static const char *const names[] = {"gfx90a", "gfx942"};
    if (info->type != CLSOLVE_DEVICE_GPU || !strstr(info->vendor, "Advanced Micro Devices")) return 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *rest = info->name + strlen(names[k]);
        if (strncmp(info->name, names[k], strlen(names[k])) == 0 && (*rest == '\0' || *rest == ':')) return 1;
    }
    return 0;
}

/* By the throughput of multiply and add in NVIDIA's CUDA C++ Programming Guide, table of arithmetic instructions. */
int cls_opencl_double_ratio(int capability) {
    static const int ratios[][2] = {{50, 32}, {52, 32}, {60, 2},  {61, 32}, {70, 2},  {75, 32},
                                    {80, 2},  {86, 64}, {89, 64}, {90, 2},  {100, 2}, {120, 64}};
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
        if (ratios[k][0] == capability) return ratios[k][1];
    return 0;
}

/* NVIDIA's GPUs: a group stays on its unit until it ends, and its compiler takes PTX. */
static void set_vendor(cls_opencl *device) {
    enum { MAJOR = 0x4000, MINOR = 0x4001 }; /* CL_DEVICE_COMPUTE_CAPABILITY_{MAJOR,MINOR}_NV */
    const clsolve_device_info *info = &device->base.info;
    cl_uint major = 0, minor = 0;
    device->base.matrix_core = cls_opencl_has_matrix_core(info);
    if (info->type != CLSOLVE_DEVICE_GPU || !strstr(info->vendor, "NVIDIA")) return;
    if (clGetDeviceInfo(device->id, MAJOR, sizeof major, &major, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(device->id, MINOR, sizeof minor, &minor, NULL) != CL_SUCCESS)
        return; /* its kernels would be built for a unit that is none */
    device->plain = cls_environment_pretends("no-ptx");
    if (device->plain) return;
    device->base.promised_together = 1;
    device->base.matrix_unit = (int)(10 * major + minor);
    device->base.double_ratio = cls_opencl_double_ratio(device->base.matrix_unit);
}

/*
 * Intel's compiler takes sub-groups of 32 work-items on GPUs that have none of 8 (Data Center GPU Max), and then
 * kernels with many sums spill. So half of the work-items share a thread's registers there, and in double a thread has
 * 256 of them, not 128. On Intel's other GPUs the compiler chooses well.
 */
static int lanes_of(const cls_opencl *device) {
    enum { SIZES = 0x4108, MOST = 16, WIDE = 16 }; /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */
    const clsolve_device_info *info = &device->base.info;
    size_t sizes[MOST], bytes = 0, least = 0;
    if (info->type != CLSOLVE_DEVICE_GPU || !strstr(info->platform, "Intel") ||
        clGetDeviceInfo(device->id, SIZES, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
        return 0;
    for (size_t s = 0; s < bytes / sizeof sizes[0]; s++)
        if (least == 0 || sizes[s] < least) least = sizes[s];
    return least == WIDE ? WIDE : 0;
}

clsolve_status cls_opencl_create(const cls_opencl_found *found, const char *cache_folder, cl_context context,
                                 cl_command_queue compute, cls_error *error, cls_device **result) {
    if (cls_device_too_old(&found->info))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s (%s) has %s, and clsolve needs OpenCL 1.2: choose another device, or a newer driver for it",
                        found->info.name, found->info.platform, found->info.version);
    if (found->failed) return cls_opencl_fail(error, found->code, found->failed);
    cls_opencl *device = cls_alloc(1, sizeof *device);
    if (!device) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a device");
    device->base.ops = &operations;
    device->base.info = found->info;
    device->base.error = error;
    device->platform = found->platform;
    device->id = found->id;
    device->base.staged = !found->info.host_memory;
    device->base.shares_memory = found->shares_memory;
    set_together(device);
    device->base.weak_barriers = has_weak_barriers(&found->info);
    set_vendor(device);
#ifdef CLSOLVE_SHIPPED
    cls_opencl_shipped_open(device);
#endif
    device->lanes = lanes_of(device);
    cls_opencl_find_sub_groups(device);
    device->base.compiler = &cls_opencl_compiler;
    device->base.cache_folder = cls_cache_folder(cache_folder, error->text, sizeof error->text);
    cls_sub_groups_recall(&device->base);
    clsolve_status status = CLSOLVE_OK;
    /* Not a CPU that works so by itself: what it is to run fast may compile longer. */
    device->base.rolled = is_cpu(found->id) && found->info.type == CLSOLVE_DEVICE_GPU;
    CLS_TRY_GOTO(status, take_context(device, context, error), failed);
    CLS_TRY_GOTO(status, create_queues(device, compute, error), failed);
    cls_staging_configure(&device->base);
    *result = &device->base;
    return CLSOLVE_OK;
failed:
    destroy(&device->base);
    return status;
}

clsolve_status cls_opencl_twin(cls_device *base, cls_error *error, cls_device **twin) {
    const cls_opencl *device = cls_opencl_of(base);
    const cls_opencl_found found = {
        .platform = device->platform, .id = device->id, .info = base->info, .shares_memory = base->shares_memory};
    return cls_opencl_create(&found, base->cache_folder ? base->cache_folder : "", device->context, NULL, error, twin);
}

static clsolve_status open(int64_t index, const clsolve_device_info *wanted, const cls_among *among,
                           const char *cache_folder, cls_error *error, cls_device **device) {
    cls_opencl_found *found = NULL;
    int64_t count = 0, at;
    *device = NULL;
    CLS_TRY(cls_opencl_discover(among ? CLS_ALL_DEVICES : index + 1, &found, &count, error));
    at = cls_backend_place(found, sizeof *found, count, index, wanted);
    if (at >= count && !among) {
        cls_free(found);
        CLS_TRY(cls_opencl_discover(CLS_ALL_DEVICES, &found, &count, error));
        at = cls_backend_place(found, sizeof *found, count, index, wanted);
    }
    cl_context common = at < count && among ? cls_opencl_common_context(found, count, at, among) : NULL;
    clsolve_status status =
        at < count ? cls_opencl_create(&found[at], cache_folder, common, NULL, error, device)
                   : cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no device opencl:%lld any more", (long long)index);
    if (common) (void)clReleaseContext(common); /* the device has taken it */
    cls_free(found);
    return status;
}

static clsolve_status list(int64_t wanted, clsolve_device_info **devices, int64_t *count, cls_error *error) {
    cls_opencl_found *found = NULL;
    *devices = NULL;
    CLS_TRY(cls_opencl_discover(wanted, &found, count, error));
    const clsolve_status status = cls_backend_infos(found, sizeof *found, *count, error, devices);
    cls_free(found);
    return status;
}

static void absent(char *text, size_t size) {
    (void)snprintf(text, size, "no OpenCL device found: no driver is installed, or none could be loaded");
}

const cls_backend cls_backend_opencl = {"opencl", list, open, absent};
