/*
 * discover.c: the OpenCL devices of this machine.
 *
 * Drivers err here more than anywhere: a platform without devices answers CL_DEVICE_NOT_FOUND and leaves the count
 * unwritten, and a machine without any driver answers -1001 from the loader. Both mean "none", not failure.
 */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"

/* Copies without the spaces at either end. */
static void trimmed(char *to, size_t size, const char *from) {
    while (*from == ' ' || *from == '\t') from++;
    size_t length = strlen(from);
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t')) length--;
    if (length > size - 1) length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Records which query of a device failed first. An answer that an old driver does not know is no failure, if it is not
 * `wanted`. */
static cl_int asked(cls_opencl_found *found, const char *call, cl_int code, bool wanted) {
    if (code != CL_SUCCESS && (wanted || code != CL_INVALID_VALUE) && !found->failed) {
        found->failed = call;
        found->code = code;
    }
    return code;
}

static bool ask(cls_opencl_found *found, cl_device_info what, size_t size, void *value, bool wanted) {
    return asked(found, "clGetDeviceInfo", clGetDeviceInfo(found->id, what, size, value, NULL), wanted) == CL_SUCCESS;
}

/* A driver refuses to give any of a text that is longer than the room for it, so the room is larger than any text; and
 * it is on the stack, so that a device never loses its name to a failed allocation. */
enum { LONGEST_TEXT = 4096 };

/* A device's text, spaces trimmed, cut to fit. */
static void device_text(cls_opencl_found *found, cl_device_info what, char *text, size_t size) {
    char whole[LONGEST_TEXT] = "";
    if (!ask(found, what, sizeof whole - 1, whole, false)) whole[0] = '\0';
    trimmed(text, size, whole);
}

cl_int cls_opencl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t size) {
    char whole[LONGEST_TEXT] = "";
    cl_int code = clGetPlatformInfo(platform, what, sizeof whole - 1, whole, NULL);
    if (code != CL_SUCCESS) whole[0] = '\0';
    trimmed(text, size, whole);
    return code;
}

static int32_t device_uint(cls_opencl_found *found, cl_device_info what, bool wanted) {
    cl_uint value = 0;
    if (!ask(found, what, sizeof value, &value, wanted)) return 0;
    return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static int64_t device_ulong(cls_opencl_found *found, cl_device_info what) {
    cl_ulong value = 0;
    if (!ask(found, what, sizeof value, &value, true)) return 0;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* The flags of double arithmetic are 0, or unknown to the driver, on a device without it. */
static int has_fp64(cls_opencl_found *found) {
    cl_device_fp_config flags = 0;
    bool told = ask(found, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof flags, &flags, false);
    return told && flags != 0 && !cls_environment_pretends("no-fp64");
}

static int has_host_memory(cls_opencl_found *found) {
    cl_bool unified = CL_FALSE;
    return ask(found, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, false) && unified == CL_TRUE;
}

void cls_opencl_describe(cl_platform_id platform, cl_device_id id, cls_opencl_found *found) {
    clsolve_device_info *info = &found->info;
    cl_device_type type = 0;
    size_t group = 0;
    memset(found, 0, sizeof *found);
    found->platform = platform;
    found->id = id;
    (void)ask(found, CL_DEVICE_TYPE, sizeof type, &type, true);
    (void)ask(found, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, true);
    (void)snprintf(info->backend, sizeof info->backend, "opencl");
    device_text(found, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(found, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(found, CL_DEVICE_VERSION, info->version, sizeof info->version);
    device_text(found, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    cl_int code = cls_opencl_platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    (void)asked(found, "clGetPlatformInfo", code, false);
    info->type = (type & CL_DEVICE_TYPE_GPU)   ? CLSOLVE_DEVICE_GPU
                 : (type & CL_DEVICE_TYPE_CPU) ? CLSOLVE_DEVICE_CPU
                                               : CLSOLVE_DEVICE_OTHER;
    info->compute_units = device_uint(found, CL_DEVICE_MAX_COMPUTE_UNITS, true);
    info->clock_mhz = device_uint(found, CL_DEVICE_MAX_CLOCK_FREQUENCY, false);
    info->max_work_group = (int64_t)group;
    info->local_memory = device_ulong(found, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_memory = device_ulong(found, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_allocation = device_ulong(found, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->fp64 = has_fp64(found);
    const int unified = has_host_memory(found);
    info->host_memory = info->type == CLSOLVE_DEVICE_CPU && unified;
    found->shares_memory = info->type == CLSOLVE_DEVICE_GPU && unified;
    /* Nothing is divided by, or has the size of, a number that a driver did not tell. */
    if (info->compute_units < 1) info->compute_units = 1;
    if (info->max_work_group < 1) info->max_work_group = 1;
    /* All that is chosen for a discrete GPU (staging, CLBlast, work-groups of many items) then runs on a CPU, for
     * tests. */
    if (cls_environment_pretends("gpu")) {
        info->type = CLSOLVE_DEVICE_GPU;
        info->host_memory = 0;
    }
}

static bool device_flag(cl_device_id id, cl_device_info what) {
    cl_bool value = CL_FALSE;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS && value == CL_TRUE;
}

static bool usable(cl_device_id id) {
    return device_flag(id, CL_DEVICE_AVAILABLE) && device_flag(id, CL_DEVICE_COMPILER_AVAILABLE);
}

/* The platforms, from cls_alloc; *count is 0 for a machine without drivers. */
static clsolve_status platforms_of(cl_platform_id **platforms, cl_uint *count, cls_error *error) {
    *platforms = NULL;
    *count = 0;
    cl_uint there = 0;
    if (clGetPlatformIDs(0, NULL, &there) != CL_SUCCESS || there == 0) return CLSOLVE_OK;
    *platforms = cls_alloc(there, sizeof **platforms);
    if (!*platforms) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of platforms");
    if (clGetPlatformIDs(there, *platforms, NULL) == CL_SUCCESS) *count = there;
    return CLSOLVE_OK;
}

static cl_uint device_count(cl_platform_id platform) {
    cl_uint count = 0;
    return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) == CL_SUCCESS ? count : 0;
}

/* Appends the usable devices of one platform. */
static clsolve_status append(cl_platform_id platform, cls_opencl_found **list, int64_t *count, cls_error *error) {
    const cl_uint there = device_count(platform);
    if (there == 0) return CLSOLVE_OK;
    cl_device_id *ids = cls_alloc(there, sizeof *ids);
    cls_opencl_found *longer = cls_alloc((size_t)*count + there, sizeof *longer);
    if (!ids || !longer) {
        cls_free(ids);
        cls_free(longer);
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    }
    if (*count > 0) memcpy(longer, *list, (size_t)*count * sizeof *longer);
    cls_free(*list);
    *list = longer;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, there, ids, NULL) == CL_SUCCESS) {
        for (cl_uint i = 0; i < there; i++) {
            if (!usable(ids[i])) continue;
            clsolve_device_info *info = &longer[*count].info;
            cls_opencl_describe(platform, ids[i], &longer[*count]);
            (void)snprintf(info->selector, sizeof info->selector, "opencl:%lld", (long long)*count);
            *count += 1;
        }
    }
    cls_free(ids);
    return CLSOLVE_OK;
}

/* A driver that is asked for its devices starts, which takes up to half a second. */
clsolve_status cls_opencl_discover(int64_t wanted, cls_opencl_found **found, int64_t *count, cls_error *error) {
    cl_platform_id *platforms = NULL;
    cl_uint platform_count = 0;
    *found = NULL;
    *count = 0;
    CLS_TRY(platforms_of(&platforms, &platform_count, error));
    clsolve_status status = CLSOLVE_OK;
    for (cl_uint p = 0; p < platform_count && *count < wanted && status == CLSOLVE_OK; p++)
        status = append(platforms[p], found, count, error);
    cls_free(platforms);
    if (status == CLSOLVE_OK && *count > 0) return CLSOLVE_OK;
    cls_free(*found);
    *found = NULL;
    *count = 0;
    return status;
}
