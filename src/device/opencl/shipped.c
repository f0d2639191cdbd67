/*
 * shipped.c: machine code that NVRTC has compiled with the library (device/shipped.h), for NVIDIA's GPUs by OpenCL.
 * NVIDIA's driver takes it as the binary of a program. A kernel gets a buffer's address in the place of its handle only
 * if the code says which parameters are pointers (src/pack/pointers.h) and the driver reads that. A launch without it
 * would end the caller's context, so the driver is asked first.
 */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>

void cls_opencl_shipped_open(cls_opencl *device) {
    if (strcmp(device->base.info.platform, "NVIDIA CUDA") != 0 || device->base.matrix_unit == 0) return;
    device->shipped = cls_shipped_for(device->base.matrix_unit, 0);
    device->base.splits = device->shipped != NULL; /* as the programs in the archive are */
}

void *cls_opencl_shipped(cls_device *base, const cls_source *source, size_t *bytes) {
    static const char whole[] = " -DCLS_WHOLE_WORDS"; /* nothing on a GPU of NVIDIA's, and not an option of CUDA's */
    const cls_opencl *device = cls_opencl_of(base);
    char options[512];
    if (!device->shipped || device->knows_buffers < 0) return NULL;
    const char *at = strstr(source->options, whole);
    const int used = snprintf(options, sizeof options, "%.*s%s", at ? (int)(at - source->options) : 0, source->options,
                              at ? at + sizeof whole - 1 : source->options);
    if (used < 0 || (size_t)used >= sizeof options) return NULL;
    const cls_cache_key key = cls_shipped_key_on(cls_shipped_capability(device->shipped), base->matrix_unit,
                                                 source->texts[0], source->texts[2], options);
    return cls_shipped_load(device->shipped, &key, bytes);
}

/* Each kernel has a buffer among its parameters. A driver that knows it refuses what is none. */
static int refuses_what_is_none(cl_program program) {
    static const unsigned char nothing[256];
    const void *none = nothing;
    char names[1024] = "";
    cl_uint count = 0;
    int refused = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL) != CL_SUCCESS) return 0;
    names[strcspn(names, ";")] = '\0';
    cl_kernel kernel = clCreateKernel(program, names, NULL);
    if (!kernel) return 0;
    if (clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && !refused; i++)
            refused = clSetKernelArg(kernel, i, sizeof none, &none) == CL_INVALID_MEM_OBJECT;
    (void)clReleaseKernel(kernel);
    return refused;
}

int cls_opencl_shipped_is_usable(cls_opencl *device, cl_program program, const void *binary, size_t bytes) {
    if (!device->shipped || bytes < 4 || memcmp(binary, "\177ELF", 4) != 0) return 1;
    if (device->knows_buffers == 0) device->knows_buffers = refuses_what_is_none(program) ? 1 : -1;
    if (device->knows_buffers < 0) device->base.splits = 0;
    return device->knows_buffers > 0;
}
