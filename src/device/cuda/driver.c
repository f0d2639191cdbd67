/* driver.c: see driver.h. */
#include "device/cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/folder.h"
#include "base/system/library.h"

#define TEXT_(text) #text
#define TEXT(text)  TEXT_(text) /* of what a header's macro makes of it: cuMemAlloc is cuMemAlloc_v2 */

static int find(void *library, const char *name, void *slot) {
    return cls_library_find(library, name, slot);
}

/* The first reason stays. */
static void *open_library(const char *name, char *why, size_t size) {
    char ignored[64];
    return why[0] == '\0' ? cls_library_open(name, why, size) : cls_library_open(name, ignored, sizeof ignored);
}

void cls_cuda_library_close(void *library) {
    cls_library_close(library);
}

/* ---- the driver ---- */

static const char *driver_name(void) {
    return cls_library_name("libcuda.so.1", "nvcuda.dll");
}

static int find_driver(cls_cuda_driver *driver, char *why, size_t size) {
#define FIND(member, function)                                                                                         \
    if (!find(driver->library, TEXT(function), &driver->member)) missing = TEXT(function);
    const char *missing = NULL;
    CLS_CUDA_DRIVER_LIST(FIND)
    /* Newer headers name a second version of this one, which older drivers have not; both take the same arguments. */
    if (!driver->event_elapsed) (void)find(driver->library, "cuEventElapsedTime", &driver->event_elapsed);
    if (driver->event_elapsed && missing && strncmp(missing, "cuEventElapsedTime", 18) == 0) missing = NULL;
    (void)find(driver->library, "cuFuncGetParamInfo", &driver->param_info);
    (void)find(driver->library, "cuThreadExchangeStreamCaptureMode", &driver->capture_mode);
    if (missing) (void)snprintf(why, size, "%s has no %s: the driver is too old", driver_name(), missing);
    return missing == NULL;
#undef FIND
}

static int start_driver(cls_cuda_driver *driver, char *why, size_t size) {
    const char *name = NULL;
    CUresult code = driver->init(0);
    if (code == CUDA_SUCCESS) code = driver->version(&driver->cuda);
    if (code == CUDA_SUCCESS) return 1;
    if (driver->error_name(code, &name) != CUDA_SUCCESS || !name) name = "unknown error";
    (void)snprintf(why, size, "cuInit failed: %s (%d)", name, (int)code);
    return 0;
}

int cls_cuda_driver_load(cls_cuda_driver *driver, char *why, size_t size) {
    why[0] = '\0';
    memset(driver, 0, sizeof *driver);
    driver->library = open_library(driver_name(), why, size);
    if (!driver->library) return 0;
    if (find_driver(driver, why, size) && start_driver(driver, why, size)) return 1;
    cls_cuda_driver_unload(driver);
    return 0;
}

void cls_cuda_driver_unload(cls_cuda_driver *driver) {
    cls_cuda_library_close(driver->library);
    memset(driver, 0, sizeof *driver);
}

/* ---- NVRTC and cuBLAS ---- */

typedef struct version {
    const char *elf, *dll; /* its names (cls_library_name) */
    int major;             /* of CUDA; 0: whichever it is, the library itself says */
} version;

/* The search: for a library that the driver's CUDA (12040; 0: any) can work with. */
typedef struct search {
    const version *versions;
    int cuda;
    int (*major_of)(void *library); /* 0: it does not say */
    char *why;
    size_t size;
} search;

static int too_new(const search *s, int major) {
    return s->cuda > 0 && major > s->cuda / 1000;
}

static void *open_suitable(const search *s, const version *v, const char *path) {
    void *library = open_library(path, s->why, s->size);
    if (!library || v->major > 0 || s->cuda == 0) return library;
    int major = s->major_of(library);
    if (major > 0 && !too_new(s, major)) return library;
    if (major > 0)
        (void)snprintf(s->why, s->size, "%s is of CUDA %d, newer than the driver", path, major);
    else
        (void)snprintf(s->why, s->size, "%s does not tell its version", path);
    cls_cuda_library_close(library);
    return NULL;
}

/* In a folder. */
static void *open_in(const search *s, const version *v, const char *folder, const char *below) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%s/%s", folder, below, cls_library_name(v->elf, v->dll));
    return length > 0 && (size_t)length < sizeof path ? open_suitable(s, v, path) : NULL;
}

static void *open_everywhere(const search *s, const version *v) {
    static const char *const variables[] = {"CUDA_PATH", "CUDA_HOME"};
    void *library = open_suitable(s, v, cls_library_name(v->elf, v->dll)); /* where the loader looks */
    for (size_t i = 0; i < 2 && !library; i++) {
        char folder[4096];
        if (!cls_folder_of_variable(variables[i], folder, sizeof folder)) continue;
        library = open_in(s, v, folder, cls_library_name("/lib64", "/bin"));
        if (!library) library = open_in(s, v, folder, cls_library_name("/lib64", "/bin/x64")); /* CUDA 13's */
    }
#ifdef CLSOLVE_CUDA_LIBRARIES
    if (!library) library = open_in(s, v, CLSOLVE_CUDA_LIBRARIES, "");
#endif
    return library;
}

/* The first of the versions that the driver can work with; NULL: none is here. */
static void *open_version(const search *s) {
    for (const version *v = s->versions; v->elf; v++) {
        if (too_new(s, v->major)) continue;
        void *library = open_everywhere(s, v);
        if (library) return library;
    }
    return NULL;
}

static int major_of_nvrtc(void *library) {
    __typeof__(nvrtcVersion) *ask = NULL;
    int major = 0, minor = 0;
    if (!find(library, "nvrtcVersion", &ask) || ask(&major, &minor) != NVRTC_SUCCESS) return 0;
    return major;
}

static int major_of_cublas(void *library) {
    __typeof__(cublasGetProperty) *ask = NULL;
    int major = 0;
    if (!find(library, "cublasGetProperty", &ask) || ask(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS) return 0;
    return major;
}

static clsolve_status absent(cls_error *error, const char *what, const char *why, int cuda) {
    char of[64] = "";
    if (cuda > 0) (void)snprintf(of, sizeof of, " for the driver's CUDA %d.%d", cuda / 1000, cuda % 1000 / 10);
    return cls_fail(
        error, CLSOLVE_ERROR_UNSUPPORTED,
        "%s could not be loaded (%s): install it%s, or name its folder in %s, or the toolkit's in CUDA_PATH", what, why,
        of, cls_library_name("LD_LIBRARY_PATH", "PATH"));
}

#define FIND(member, function)                                                                                         \
    if (!find(table->library, TEXT(function), &table->member)) {                                                       \
        cls_cuda_library_close(table->library);                                                                        \
        table->library = NULL;                                                                                         \
        return absent(error, what, "it has no " TEXT(function), cuda);                                                 \
    }

clsolve_status cls_cuda_nvrtc_load(cls_cuda_nvrtc *table, int cuda, cls_error *error) {
    static const version versions[] = {{"libnvrtc.so.13", "nvrtc64_130_0.dll", 13},
                                       {"libnvrtc.so.12", "nvrtc64_120_0.dll", 12},
                                       {"libnvrtc.so.11.2", "nvrtc64_112_0.dll", 11},
                                       {"libnvrtc.so.11.1", "nvrtc64_111_0.dll", 11},
                                       {"libnvrtc.so.11.0", "nvrtc64_110_0.dll", 11},
                                       {"libnvrtc.so", "nvrtc64.dll", 0},
                                       {NULL, NULL, 0}};
    static const char what[] = "NVRTC, which compiles kernels for CUDA,";
    char why[512] = "";
    const search wanted = {versions, cuda, major_of_nvrtc, why, sizeof why};
    memset(table, 0, sizeof *table);
    table->library = open_version(&wanted);
    if (!table->library) return absent(error, what, why, cuda);
    CLS_CUDA_NVRTC_LIST(FIND)
    (void)find(table->library, "nvrtcGetCUBINSize", &table->cubin_size);
    (void)find(table->library, "nvrtcGetCUBIN", &table->cubin);
    (void)find(table->library, "nvrtcGetNumSupportedArchs", &table->arch_count);
    (void)find(table->library, "nvrtcGetSupportedArchs", &table->archs);
    return CLSOLVE_OK;
}

clsolve_status cls_cuda_cublas_load(cls_cuda_cublas *table, int cuda, cls_error *error) {
    static const version versions[] = {{"libcublas.so.13", "cublas64_13.dll", 13},
                                       {"libcublas.so.12", "cublas64_12.dll", 12},
                                       {"libcublas.so.11", "cublas64_11.dll", 11},
                                       {"libcublas.so", "cublas64.dll", 0},
                                       {NULL, NULL, 0}};
    static const char what[] = "cuBLAS, which multiplies matrices on CUDA devices,";
    char why[512] = "";
    const search wanted = {versions, cuda, major_of_cublas, why, sizeof why};
    memset(table, 0, sizeof *table);
    table->library = open_version(&wanted);
    if (!table->library) return absent(error, what, why, cuda);
    CLS_CUDA_CUBLAS_LIST(FIND)
    return CLSOLVE_OK;
}
