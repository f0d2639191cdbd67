/* program.c: what OpenCL's compiler does for device/programs.c. */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * PoCL keeps what it compiles itself, and at once: clang's code of a program, and each kernel when it is launched, for
 * the launch's work-group. Asked for a program's binary it would compile every kernel of the program again. So it is
 * not asked, and programs come from its own cache by their source. There PoCL reads the declarations of all built-in
 * functions, 40 ms for each program, so it gets those that kernels use (cl/few_builtins.clh): the guard of opencl-c.h
 * keeps that header out. A PoCL whose headers are others builds with all of them.
 */
static const char few_builtins[] = " -DCLS_FEW_BUILTINS -D_OPENCL_H_";

static void identity(cls_device *device, char *text, size_t size) {
    cls_opencl_platform_text(cls_opencl_of(device)->platform, CL_PLATFORM_VERSION, text, size);
}

static int is_usable(cls_opencl *device, cl_program program, const void *binary, size_t bytes) {
#ifdef CLSOLVE_SHIPPED
    return cls_opencl_shipped_is_usable(device, program, binary, bytes);
#else
    (void)device, (void)program, (void)binary, (void)bytes;
    return 1;
#endif
}

static void *load(cls_device *base, const void *binary, size_t bytes, const char *options) {
    cls_opencl *device = cls_opencl_of(base);
    const unsigned char *binaries[] = {binary};
    cl_int of_device = CL_SUCCESS, code = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, binaries, &of_device, &code);
    if (!program) return NULL;
    if (code == CL_SUCCESS && of_device == CL_SUCCESS &&
        clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS &&
        is_usable(device, program, binary, bytes))
        return program;
    (void)clReleaseProgram(program);
    return NULL;
}

/*
 * Only where it was measured. NVIDIA's driver compiles one program at a time, nearly: two threads and the caller's are
 * as fast as nine, and more of them wait for each other. PoCL compiles one at a time, and a start from full caches took
 * longer with two. Oclgrind crashes.
 */
static int threads(const cls_device *device) {
    return strcmp(device->info.platform, "NVIDIA CUDA") == 0 ? 2 : 0;
}

/* A program has a place for each device of its context, though it is built for one. */
enum { PLACES = 64 };

/* NULL where the driver gives none. PoCL 3.1 writes the binary of every device that has one, asked for or not: so there
 * is room for all of them. */
static void *binary_of(cl_program program, cl_device_id device, size_t *bytes) {
    cl_device_id devices[PLACES];
    size_t sizes[PLACES], given = 0, place = 0, total = 0, at = 0;
    unsigned char *binaries[PLACES] = {NULL};

    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &given) != CL_SUCCESS) return NULL;
    const size_t places = given / sizeof devices[0];
    while (place < places && devices[place] != device) place++;
    if (place == places ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS ||
        sizes[place] == 0)
        return NULL;
    for (size_t k = 0; k < places; k++) total += sizes[k];
    unsigned char *all = cls_alloc(total, 1);
    if (!all) return NULL;
    for (size_t k = 0; k < places; at += sizes[k++])
        if (sizes[k] > 0) binaries[k] = all + at;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, places * sizeof binaries[0], binaries, NULL) == CL_SUCCESS) {
        *bytes = sizes[place];
        memmove(all, binaries[place], sizes[place]);
        return all;
    }
    cls_free(all);
    return NULL;
}

static clsolve_status build_failed(cls_opencl *device, cl_program program, const cls_source *source, cl_int code,
                                   cls_error *error) {
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS)
        log = cls_alloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    const char *advice = device->base.matrix_unit > 0 ? " (CLSOLVE_PRETEND=no-ptx does without inline PTX)" : "";
    clsolve_status status = cls_fail(error, CLSOLVE_ERROR_BUILD,
                                     "%s.cl with \"%s\" did not build on %s%s: clBuildProgram failed: %s (%d)\n%s",
                                     source->name, source->options, device->base.info.name, advice,
                                     cls_opencl_error_name(code), (int)code, log ? log : "");
    cls_free(log);
    return status;
}

/* NVIDIA's OpenCL takes CLS_REGISTERS of dialect.clh as an option; other compilers have none. */
static void bound_registers(const cls_opencl *device, const char *options, char words[64]) {
    static const char word[] = "-DCLS_REGISTERS=";
    const char *at = device->base.matrix_unit > 0 ? strstr(options, word) : NULL;
    words[0] = '\0';
    if (at) (void)snprintf(words, 64, " -cl-nv-maxrregcount=%d", atoi(at + sizeof word - 1));
}

/* *program is built, or NULL, or a program that did not build. */
static cl_int build(const cls_opencl *device, const cls_source *source, const char *more, cl_program *program) {
    const char *texts[] = {source->texts[0], source->texts[1], source->texts[2]};
    char options[704], registers[64];
    cl_int code = CL_SUCCESS;
    bound_registers(device, source->options, registers);
    (void)snprintf(options, sizeof options, "%s%s%s", source->options, more, registers);
    *program = clCreateProgramWithSource(device->context, 3, texts, NULL, &code);
    return *program ? clBuildProgram(*program, 1, &device->id, options, NULL, NULL) : code;
}

static clsolve_status compile(cls_device *base, const cls_source *source, int wanted, cls_error *error,
                              cls_made *made) {
    cls_opencl *device = cls_opencl_of(base);
    cl_program program = NULL;
    cl_int code = CL_BUILD_PROGRAM_FAILURE;
    const int few = cls_opencl_is_pocl(base) && !device->all_builtins;
    if (few) code = build(device, source, few_builtins, &program);
    if (code == CL_BUILD_PROGRAM_FAILURE) {
        if (program) (void)clReleaseProgram(program);
        code = build(device, source, "", &program);
        if (few && code == CL_SUCCESS) device->all_builtins = 1;
    }
    if (!program) return cls_opencl_fail(error, code, "clCreateProgramWithSource");
    if (code != CL_SUCCESS) {
        clsolve_status status = code == CL_OUT_OF_HOST_MEMORY ? cls_opencl_fail(error, code, "clBuildProgram")
                                                              : build_failed(device, program, source, code, error);
        (void)clReleaseProgram(program);
        return status;
    }
    made->handle = program;
    if (wanted && !cls_opencl_is_pocl(base)) made->binary = binary_of(program, device->id, &made->bytes);
    return CLSOLVE_OK;
}

static void release(cls_device *device, void *handle) {
    (void)device;
    (void)clReleaseProgram(handle);
}

const cls_compiler cls_opencl_compiler = {
    .identity = identity,
    .load = load,
#ifdef CLSOLVE_SHIPPED
    .shipped = cls_opencl_shipped,
#endif
    .threads = threads,
    .compile = compile,
    .release = release,
};
