/*
 * program.c: programs by name and options: from the device's list, from the cache on disk, or compiled.
 *
 * The source is cl/dialect.clh and then cl/<name>.cl. A binary from the cache that the driver refuses counts as no
 * binary: the program is compiled and stored anew.
 */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/kernels.h"

static char *copy_text(const char *text) {
    char *copy = cls_alloc(strlen(text) + 1, 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static const cls_kernel_source *source_of(const char *name) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

/* All that decides what the compiler makes of a source. */
static cls_cache_key key_of(const cls_opencl *device, const char *dialect, const char *source, const char *options) {
    char platform[256], version[256];
    cls_opencl_platform_text(device->platform, CL_PLATFORM_NAME, platform, sizeof platform);
    cls_opencl_platform_text(device->platform, CL_PLATFORM_VERSION, version, sizeof version);
    const clsolve_device_info *info = &device->base.info;
    const char *fields[] = {dialect,      source,        options,  info->name, info->vendor,
                            info->driver, info->version, platform, version};
    return cls_cache_key_of(fields, sizeof fields / sizeof fields[0]);
}

/* ---- numbers by name ---- */

/* Of all kernels together: whichever changes, what was known of them is known no more. */
static cls_cache_key key_of_number(const cls_opencl *device, const char *name) {
    enum { MOST = 64 };
    const char *texts[MOST];
    char kernels[33];
    size_t count = 0;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name && count < MOST; s++) texts[count++] = s->text;
    cls_cache_key all = cls_cache_key_of(texts, count);
    for (int i = 0; i < 16; i++) (void)snprintf(kernels + 2 * i, 3, "%02x", all.bytes[i]);
    return key_of(device, "number", kernels, name);
}

int cls_opencl_recall(cls_device *base, const char *name) {
    const cls_opencl *device = cls_opencl_of(base);
    size_t bytes = 0;
    int number = 0;
    if (!device->cache_folder) return 0;
    cls_cache_key key = key_of_number(device, name);
    int *stored = cls_cache_load(device->cache_folder, &key, &bytes);
    if (stored && bytes == sizeof number) number = *stored;
    cls_free(stored);
    return number;
}

void cls_opencl_remember(cls_device *base, const char *name, int number) {
    const cls_opencl *device = cls_opencl_of(base);
    if (!device->cache_folder) return;
    cls_cache_key key = key_of_number(device, name);
    cls_cache_store(device->cache_folder, &key, &number, sizeof number);
}

/* ---- from the cache and back ---- */

static cl_program from_cache(cls_opencl *device, const cls_cache_key *key, const char *options) {
    if (!device->cache_folder) return NULL;
    size_t bytes = 0;
    unsigned char *binary = cls_cache_load(device->cache_folder, key, &bytes);
    if (!binary) return NULL;
    const unsigned char *binaries[] = {binary};
    cl_int of_device = CL_SUCCESS, code = CL_SUCCESS;
    cl_program program =
        clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, binaries, &of_device, &code);
    cls_free(binary);
    if (!program) return NULL;
    if (code == CL_SUCCESS && of_device == CL_SUCCESS &&
        clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS) {
        device->cache_hits++;
        return program;
    }
    (void)clReleaseProgram(program);
    return NULL;
}

static void to_cache(const cls_opencl *device, const cls_cache_key *key, cl_program program) {
    if (!device->cache_folder) return;
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
        return;
    unsigned char *binary = cls_alloc(bytes, 1);
    unsigned char *binaries[] = {binary};
    if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
        cls_cache_store(device->cache_folder, key, binary, bytes);
    cls_free(binary);
}

/* ---- from the compiler ---- */

static clsolve_status build_failed(cls_opencl *device, cl_program program, const char *name, const char *options,
                                   cl_int code) {
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS)
        log = cls_alloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    clsolve_status status =
        cls_fail(device->base.error, CLSOLVE_ERROR_BUILD,
                 "%s.cl with \"%s\" did not build on %s: clBuildProgram failed: %s (%d)\n%s", name, options,
                 device->base.info.name, cls_opencl_error_name(code), (int)code, log ? log : "");
    cls_free(log);
    return status;
}

static clsolve_status from_source(cls_opencl *device, const char *name, const char *dialect, const char *source,
                                  const char *options, cl_program *program) {
    /* So that the compiler's log names the file and its own lines. */
    char line[128];
    (void)snprintf(line, sizeof line, "\n#line 1 \"%s.cl\"\n", name);
    const char *texts[] = {dialect, line, source};
    cl_int code = CL_SUCCESS;
    *program = clCreateProgramWithSource(device->context, 3, texts, NULL, &code);
    if (!*program) return cls_opencl_fail(device->base.error, code, "clCreateProgramWithSource");
    code = clBuildProgram(*program, 1, &device->id, options, NULL, NULL);
    if (code == CL_SUCCESS) return CLSOLVE_OK;
    clsolve_status status = code == CL_OUT_OF_HOST_MEMORY ? cls_opencl_fail(device->base.error, code, "clBuildProgram")
                                                          : build_failed(device, *program, name, options, code);
    (void)clReleaseProgram(*program);
    *program = NULL;
    return status;
}

static clsolve_status make(cls_opencl *device, const char *name, const char *options, cl_program *program) {
    const cls_kernel_source *dialect = source_of("dialect"), *source = source_of(name);
    *program = NULL;
    if (!dialect || !source)
        return cls_fail(device->base.error, CLSOLVE_ERROR_BUILD, "no kernel file %s.cl in this build", name);
    cls_cache_key key = key_of(device, dialect->text, source->text, options);
    *program = from_cache(device, &key, options);
    if (*program) return CLSOLVE_OK;
    CLS_TRY(from_source(device, name, dialect->text, source->text, options, program));
    to_cache(device, &key, *program);
    return CLSOLVE_OK;
}

/* ---- the device's list ---- */

static void release(cls_program *entry) {
    if (!entry) return;
    if (entry->program) (void)clReleaseProgram(entry->program);
    cls_free(entry->name);
    cls_free(entry->options);
    cls_free(entry);
}

static clsolve_status add(cls_opencl *device, const char *name, const char *options, cls_program **program) {
    clsolve_status status = CLSOLVE_OK;
    cls_program *entry = cls_alloc(1, sizeof *entry);
    if (entry) {
        entry->name = copy_text(name);
        entry->options = copy_text(options);
    }
    if (!entry || !entry->name || !entry->options) {
        status = cls_fail(device->base.error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a program's record");
        goto failed;
    }
    CLS_TRY_GOTO(status, make(device, name, options, &entry->program), failed);
    entry->next = device->programs;
    device->programs = entry;
    *program = entry;
    return CLSOLVE_OK;
failed:
    release(entry);
    return status;
}

clsolve_status cls_opencl_program_get(cls_device *base, const char *name, const char *options, cls_program **program) {
    cls_opencl *device = cls_opencl_of(base);
    *program = NULL;
    if (!options) options = "";
    for (cls_program *p = device->programs; p; p = p->next) {
        if (strcmp(p->name, name) == 0 && strcmp(p->options, options) == 0) {
            *program = p;
            return CLSOLVE_OK;
        }
    }
    double start = cls_seconds();
    clsolve_status status = add(device, name, options, program);
    base->build_seconds += cls_seconds() - start;
    return status;
}

void cls_opencl_programs_destroy(cls_opencl *device) {
    while (device->programs) {
        cls_program *next = device->programs->next;
        release(device->programs);
        device->programs = next;
    }
}
