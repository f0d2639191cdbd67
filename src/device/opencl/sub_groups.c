/*
 * sub_groups.c: whether kernels may use sub-groups on a device, by what its driver says to the host. A macro of the
 * compiler says less: Oclgrind defines one of an extension whose functions it does not have.
 *
 *      cl_intel_subgroups      the functions are there in any OpenCL C
 *      cl_khr_subgroups        only in OpenCL C 2.0 or newer, which a program has to ask for: rusticl has the functions
 *                              with -cl-std=CL3.0 alone, and PoCL 6.0 refuses -cl-std=CL2.0
 *      __opencl_c_subgroups    a feature of OpenCL C 3.0; the extension need not be there. Drivers say 1.0 and 3.0 as
 *                              its version
 */
#include "device/opencl/opencl.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"

/* Not all headers have these of OpenCL 3.0. A driver of an older version refuses the query. */
enum { ALL_VERSIONS = 0x1066, FEATURES = 0x106F }; /* CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES */
typedef struct name_version {
    cl_uint version; /* its upper 10 bits are the major one */
    char name[64];
} name_version;

/* A whole word of the list: cl_intel_subgroups_short is another one. */
static int has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    const char *at = list;
    while (at && (at = strstr(at, word)) != NULL) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
        at += length;
    }
    return 0;
}

static int major_of(const char *version) {
    int major = 0;
    return version && sscanf(version, "OpenCL C %d", &major) == 1 ? major : 0;
}

cls_sub_groups cls_opencl_sub_groups_of(const cls_opencl_words *words, const char **standard) {
    const int major = words->has_c_3 ? 3 : major_of(words->version);
    *standard = "";
    if (has_word(words->extensions, "cl_intel_subgroups")) return CLS_SUB_GROUPS_INTEL;
    if (major < 2) return CLS_SUB_GROUPS_NONE;
    *standard = major == 2 ? " -cl-std=CL2.0" : " -cl-std=CL3.0";
    if (has_word(words->extensions, "cl_khr_subgroups")) return CLS_SUB_GROUPS_KHR;
    if (major > 2 && words->has_feature) return CLS_SUB_GROUPS_CORE;
    *standard = "";
    return CLS_SUB_GROUPS_NONE;
}

/* The driver's answer, from cls_alloc and ended by a 0; NULL: nothing. */
static void *answer(cl_device_id id, cl_device_info what, size_t *bytes) {
    if (clGetDeviceInfo(id, what, 0, NULL, bytes) != CL_SUCCESS || *bytes == 0) return NULL;
    char *all = cls_alloc(*bytes + 1, 1);
    if (all && clGetDeviceInfo(id, what, *bytes, all, NULL) == CL_SUCCESS) return all;
    cls_free(all);
    return NULL;
}

/* Whether the list has the name, in that major version or a newer one. */
static int is_listed(cl_device_id id, cl_device_info what, const char *name, unsigned major) {
    size_t bytes = 0;
    int listed = 0;
    const name_version *list = answer(id, what, &bytes);
    for (size_t k = 0; list && k < bytes / sizeof *list; k++)
        if (list[k].version >> 22 >= major && strncmp(list[k].name, name, sizeof list[k].name) == 0) listed = 1;
    cls_free((void *)(uintptr_t)list);
    return listed;
}

/* NVIDIA's GPUs exchange values by inline PTX (LANES of cl/dialect.clh), which their kernels prefer. */
void cls_opencl_find_sub_groups(cls_opencl *device) {
    size_t bytes;
    char *extensions = answer(device->id, CL_DEVICE_EXTENSIONS, &bytes);
    char *version = answer(device->id, CL_DEVICE_OPENCL_C_VERSION, &bytes);
    const cls_opencl_words words = {.extensions = extensions,
                                    .version = version,
                                    .has_c_3 = is_listed(device->id, ALL_VERSIONS, "OpenCL C", 3),
                                    .has_feature = is_listed(device->id, FEATURES, "__opencl_c_subgroups", 0)};
    device->base.sub_groups = cls_opencl_sub_groups_of(&words, &device->standard);
    if (device->base.matrix_unit > 0 || cls_environment_pretends("no-subgroups"))
        device->base.sub_groups = CLS_SUB_GROUPS_NONE;
    cls_free(extensions);
    cls_free(version);
}
