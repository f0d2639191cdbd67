/*
 * program.c: what NVRTC does for device/programs.c. Kernels are compiled to machine code for the device's own
 * capability, so a driver has nothing left to compile and what the cache holds is loaded as it is.
 */
#include "device/cuda/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static clsolve_status need_nvrtc(cls_cuda *device) {
    if (device->nvrtc.library) return CLSOLVE_OK;
    return cls_cuda_nvrtc_load(&device->nvrtc, device->driver.cuda, device->base.error);
}

static void identity(cls_device *base, char *text, size_t size) {
    cls_cuda *device = cls_cuda_of(base);
    int major = 0, minor = 0;
    if (need_nvrtc(device) == CLSOLVE_OK) (void)device->nvrtc.version(&major, &minor);
    (void)snprintf(text, size, "sm_%d NVRTC %d.%d", device->capability, major, minor);
}

/* ---- one compilation ---- */

/* The target for NVRTC: code for that very capability, or PTX for the newest that it knows. */
typedef struct target {
    int capability;
    bool ptx;
} target;

static target target_of(const cls_cuda_nvrtc *nvrtc, int capability) {
    target wanted = {capability, !nvrtc->cubin_size || !nvrtc->cubin};
    int archs[128], count = 0, best = 0;
    if (!nvrtc->arch_count || !nvrtc->archs || nvrtc->arch_count(&count) != NVRTC_SUCCESS || count < 1 || count > 128 ||
        nvrtc->archs(archs) != NVRTC_SUCCESS)
        return wanted;
    for (int i = 0; i < count; i++)
        if (archs[i] <= capability && archs[i] > best) best = archs[i];
    if (best > 0 && best < capability) wanted = (target){best, true};
    return wanted;
}

enum { MOST_OPTIONS = 32 };

/* Cuts `text` at its spaces, in place. */
static int split(char *text, const char **words, int count) {
    char *at = text;
    while (*at && count < MOST_OPTIONS) {
        while (*at == ' ') *at++ = '\0';
        if (*at) words[count++] = at;
        while (*at && *at != ' ') at++;
    }
    return count;
}

static clsolve_status compile_failed(const cls_cuda_nvrtc *nvrtc, nvrtcProgram program, const cls_source *source,
                                     int capability, nvrtcResult code, cls_error *error) {
    size_t bytes = 0;
    char *log = NULL;
    if (nvrtc->log_size(program, &bytes) == NVRTC_SUCCESS) log = cls_alloc(bytes + 1, 1);
    if (log && nvrtc->log(program, log) != NVRTC_SUCCESS) log[0] = '\0';
    clsolve_status status =
        cls_fail(error, CLSOLVE_ERROR_BUILD,
                 "%s.cl with \"%s\" did not build for sm_%d: nvrtcCompileProgram failed: %s "
                 "(%d)\n%s",
                 source->name, source->options, capability, nvrtc->error_text(code), (int)code, log ? log : "");
    cls_free(log);
    return status;
}

static clsolve_status nvrtc_failed(const cls_cuda_nvrtc *nvrtc, nvrtcResult code, const char *call, cls_error *error) {
    return cls_fail(error, code == NVRTC_ERROR_OUT_OF_MEMORY ? CLSOLVE_ERROR_OUT_OF_MEMORY : CLSOLVE_ERROR_DEVICE,
                    "%s failed: %s (%d)", call, nvrtc->error_text(code), (int)code);
}

/* Takes the compiled code, in memory of cls_alloc. */
static clsolve_status take(const cls_cuda_nvrtc *nvrtc, nvrtcProgram program, bool ptx, cls_error *error, void **binary,
                           size_t *bytes) {
    nvrtcResult code = ptx ? nvrtc->ptx_size(program, bytes) : nvrtc->cubin_size(program, bytes);
    if (code != NVRTC_SUCCESS || *bytes == 0)
        return nvrtc_failed(nvrtc, code, ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", error);
    *binary = cls_alloc(*bytes, 1);
    if (!*binary) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a compiled program");
    code = ptx ? nvrtc->ptx(program, *binary) : nvrtc->cubin(program, *binary);
    if (code == NVRTC_SUCCESS) return CLSOLVE_OK;
    cls_free(*binary);
    *binary = NULL;
    return nvrtc_failed(nvrtc, code, ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", error);
}

/* The three texts as one, for NVRTC takes one. */
static char *joined(const cls_source *source) {
    size_t bytes = 1;
    for (int t = 0; t < 3; t++) bytes += strlen(source->texts[t]);
    char *text = cls_alloc(bytes, 1);
    if (text) (void)snprintf(text, bytes, "%s%s%s", source->texts[0], source->texts[1], source->texts[2]);
    return text;
}

static clsolve_status build(const cls_cuda_nvrtc *nvrtc, nvrtcProgram program, const cls_source *source, target to,
                            cls_error *error) {
    char architecture[64], words[512];
    const char *options[MOST_OPTIONS] = {architecture};
    if (strlen(source->options) >= sizeof words)
        return cls_fail(error, CLSOLVE_ERROR_BUILD, "%s.cl: the options are too long", source->name);
    (void)snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d", to.ptx ? "compute" : "sm",
                   to.capability);
    (void)snprintf(words, sizeof words, "%s", source->options);
    nvrtcResult code = nvrtc->compile(program, split(words, options, 1), options);
    if (code == NVRTC_SUCCESS) return CLSOLVE_OK;
    return compile_failed(nvrtc, program, source, to.capability, code, error);
}

clsolve_status cls_cuda_compile(const cls_cuda_nvrtc *nvrtc, int capability, const cls_source *source, cls_error *error,
                                void **binary, size_t *bytes, char **ptx) {
    nvrtcProgram program = NULL;
    target to = target_of(nvrtc, capability);
    size_t ptx_bytes = 0;
    *binary = NULL;
    char *text = joined(source);
    if (!text) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a program's source");
    nvrtcResult code = nvrtc->create(&program, text, source->name, 0, NULL, NULL);
    clsolve_status status = CLSOLVE_OK;
    if (code != NVRTC_SUCCESS) {
        cls_free(text);
        return nvrtc_failed(nvrtc, code, "nvrtcCreateProgram", error);
    }
    CLS_TRY_GOTO(status, build(nvrtc, program, source, to, error), end);
    CLS_TRY_GOTO(status, take(nvrtc, program, to.ptx, error, binary, bytes), end);
    if (ptx) status = take(nvrtc, program, true, error, (void **)ptx, &ptx_bytes);
end:
    (void)nvrtc->destroy(&program);
    cls_free(text);
    return status;
}

/* ---- for device/programs.c ---- */

static CUresult load_module(cls_cuda *device, const void *binary, CUmodule *module) {
    CUcontext popped;
    CUresult code = device->driver.context_push(device->context);
    if (code != CUDA_SUCCESS) return code;
    code = device->driver.module_load(module, binary);
    (void)device->driver.context_pop(&popped);
    return code;
}

static void *load(cls_device *base, const void *binary, size_t bytes, const char *options) {
    CUmodule module = NULL;
    (void)bytes;
    (void)options;
    return load_module(cls_cuda_of(base), binary, &module) == CUDA_SUCCESS ? module : NULL;
}

static clsolve_status prepare(cls_device *base) {
    return need_nvrtc(cls_cuda_of(base));
}

/* NVRTC alone, which compiles for several threads at once; the driver is called by `finish`. */
static clsolve_status compile(cls_device *base, const cls_source *source, int wanted, cls_error *error,
                              cls_made *made) {
    const cls_cuda *device = cls_cuda_of(base);
    (void)wanted;
    return cls_cuda_compile(&device->nvrtc, device->capability, source, error, &made->binary, &made->bytes, NULL);
}

static clsolve_status finish(cls_device *base, cls_made *made) {
    cls_cuda *device = cls_cuda_of(base);
    CUmodule module = NULL;
    CUresult code = load_module(device, made->binary, &module);
    if (code != CUDA_SUCCESS) return cls_cuda_fail(&device->driver, base->error, code, "cuModuleLoadData");
    made->handle = module;
    return CLSOLVE_OK;
}

static void release(cls_device *base, void *handle) {
    cls_cuda *device = cls_cuda_of(base);
    CUcontext popped;
    if (device->driver.context_push(device->context) != CUDA_SUCCESS) return;
    (void)device->driver.module_unload(handle);
    (void)device->driver.context_pop(&popped);
}

const cls_compiler cls_cuda_compiler = {
    .identity = identity,
    .load = load,
#ifdef CLSOLVE_SHIPPED
    .shipped = cls_cuda_shipped,
#endif
    .prepare = prepare,
    .compile = compile,
    .finish = finish,
    .release = release,
};
