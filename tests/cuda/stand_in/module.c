/* module.c: of libcuda.so.1 the modules and launches, see stand_in.h. */
#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS = 48 };

struct CUmod_st {
    cl_program program;
};

struct CUfunc_st {
    cl_kernel kernel;
    cl_uint count;
    size_t size[PARAMS];
    cl_kernel_arg_address_qualifier place[PARAMS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one build at a time */

/* Functions live as long as their module; here, as long as the process, which a test's is not. */
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    NEED_CONTEXT();
    const char *text = image, *end;
    char options[512], *log;
    if (strncmp(text, STAND_IN_IMAGE, strlen(STAND_IN_IMAGE)) != 0) return CUDA_ERROR_INVALID_IMAGE;
    text += strlen(STAND_IN_IMAGE);
    end = strchr(text, '\n');
    (void)snprintf(options, sizeof options, "%.*s", (int)(end - text), text);
    (void)pthread_mutex_lock(&lock);
    cl_program program = stand_in_build(options, end + 1, &log);
    (void)pthread_mutex_unlock(&lock);
    free(log);
    if (!program) return CUDA_ERROR_INVALID_IMAGE;
    *module = calloc(1, sizeof **module);
    (*module)->program = program;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    NEED_CONTEXT();
    (void)clReleaseProgram(module->program);
    free(module);
    return CUDA_SUCCESS;
}

/* Of a parameter that is no pointer; 0: of a type that no kernel has. */
static size_t size_of(const char *type) {
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"idx_t", 8}, {"long", 8}, {"ulong", 8},        {"double", 8},
                 {"int", 4},   {"uint", 4}, {"unsigned int", 4}, {"float", 4}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strcmp(type, types[t].name) == 0) return types[t].size;
    return 0;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    NEED_CONTEXT();
    cl_kernel kernel = clCreateKernel(module->program, name, NULL);
    if (!kernel) return CUDA_ERROR_NOT_FOUND;
    CUfunction made = calloc(1, sizeof *made);
    made->kernel = kernel;
    (void)clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof made->count, &made->count, NULL);
    for (cl_uint i = 0; i < made->count && i < PARAMS; i++) {
        char type[64] = "";
        (void)clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof made->place[i], &made->place[i],
                                 NULL);
        (void)clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        made->size[i] = made->place[i] == CL_KERNEL_ARG_ADDRESS_PRIVATE ? size_of(type)
                        : made->place[i] == CL_KERNEL_ARG_ADDRESS_LOCAL ? sizeof(unsigned)
                                                                        : sizeof(CUdeviceptr);
        if (made->size[i] == 0) fprintf(stderr, "stand-in: %s has a parameter of type \"%s\"\n", name, type);
    }
    *function = made;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
    if (index >= function->count) return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    *size = function->size[index];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute what, int value) {
    (void)function, (void)what, (void)value;
    return CUDA_SUCCESS;
}

/* The LOCAL argument goes from its offset to the next one's, or to the end; doubles may lie in each. */
static cl_int set_local(CUfunction function, cl_uint i, unsigned shared, void **params) {
    unsigned begin = *(unsigned *)params[i], end = shared;
    for (cl_uint j = i + 1; j < function->count; j++) {
        if (function->place[j] != CL_KERNEL_ARG_ADDRESS_LOCAL) continue;
        end = *(unsigned *)params[j];
        break;
    }
    if (begin % 16 != 0 || begin >= end || end > shared) return CL_INVALID_ARG_VALUE;
    return clSetKernelArg(function->kernel, i, end - begin, NULL);
}

static CUresult set_arguments(CUfunction function, unsigned shared, void **params) {
    for (cl_uint i = 0; i < function->count; i++) {
        cl_int code;
        if (function->place[i] == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            code = clSetKernelArg(function->kernel, i, function->size[i], params[i]);
        } else if (function->place[i] == CL_KERNEL_ARG_ADDRESS_LOCAL) {
            code = set_local(function, i, shared, params);
        } else {
            char *address = *(char **)params[i];
            if (!stand_in_is_memory(address, 1, CU_MEMORYTYPE_DEVICE) &&
                !stand_in_is_memory(address, 1, CU_MEMORYTYPE_HOST))
                return CUDA_ERROR_INVALID_VALUE;
            code = clSetKernelArgSVMPointer(function->kernel, i, address);
        }
        if (code != CL_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void **params, void **extra) {
    NEED_STREAM(stream);
    (void)extra;
    if (gx < 1 || gy < 1 || gz < 1 || gy > 65535 || gz > 65535 || bx * by * bz > 1024) return CUDA_ERROR_INVALID_VALUE;
    const size_t global[] = {(size_t)gx * bx, (size_t)gy * by, (size_t)gz * bz}, local[] = {bx, by, bz};
    CUresult code = set_arguments(function, shared, params);
    if (code != CUDA_SUCCESS) return code;
    stand_in_close(stream);
    return stand_in_outcome(
        clEnqueueNDRangeKernel(stream->queue, function->kernel, 3, NULL, global, local, 0, NULL, NULL));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream stream, void **params) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream,
        (void)params;
    return CUDA_ERROR_NOT_SUPPORTED;
}
