/* programs.c: see programs.h. */
#include "device/programs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/kernels.h"
#include "device/program_cache.h"

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
static cls_cache_key key_of(cls_device *device, const char *dialect, const char *source, const char *options) {
    char identity[256] = "";
    const clsolve_device_info *info = &device->info;
    device->compiler->identity(device, identity, sizeof identity);
    const char *fields[] = {dialect,      source,        options,        info->name, info->vendor,
                            info->driver, info->version, info->platform, identity};
    return cls_cache_key_of(fields, sizeof fields / sizeof fields[0]);
}

/* ---- numbers by name ---- */

/* Of all kernels together: whichever changes, what was known of them is known no more. */
static cls_cache_key key_of_number(cls_device *device, const char *name) {
    enum { MOST = 64 };
    const char *texts[MOST];
    char kernels[33];
    size_t count = 0;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name && count < MOST; s++) texts[count++] = s->text;
    cls_cache_key all = cls_cache_key_of(texts, count);
    for (int i = 0; i < 16; i++) (void)snprintf(kernels + 2 * i, 3, "%02x", all.bytes[i]);
    return key_of(device, "number", kernels, name);
}

int cls_recall_bytes(cls_device *device, const char *name, void *to, size_t size) {
    size_t bytes = 0;
    if (!device->cache_folder) return 0;
    cls_cache_key key = key_of_number(device, name);
    void *stored = cls_cache_load(device->cache_folder, &key, &bytes);
    int fits = stored && bytes == size;
    if (fits) memcpy(to, stored, size);
    cls_free(stored);
    return fits;
}

void cls_remember_bytes(cls_device *device, const char *name, const void *from, size_t size) {
    if (!device->cache_folder) return;
    cls_cache_key key = key_of_number(device, name);
    cls_cache_store(device->cache_folder, &key, from, size);
}

int cls_recall(cls_device *device, const char *name) {
    int number = 0;
    (void)cls_recall_bytes(device, name, &number, sizeof number);
    return number;
}

void cls_remember(cls_device *device, const char *name, int number) {
    cls_remember_bytes(device, name, &number, sizeof number);
}

/* ---- from the cache, or from the compiler ---- */

/* The place of a binary that is not wanted yet: how often the program was built. */
typedef struct built {
    char mark[8];
    int64_t times;
} built;

static const char built_mark[8] = "built";

/* `times`: of builds so far, where the cache has no binary yet. */
static void *from_cache(cls_device *device, const cls_cache_key *key, const char *options, int64_t *times) {
    *times = 0;
    if (!device->cache_folder) return NULL;
    size_t bytes = 0;
    built *binary = cls_cache_load(device->cache_folder, key, &bytes);
    if (!binary) return NULL;
    void *handle = NULL;
    if (bytes == sizeof *binary && memcmp(binary->mark, built_mark, sizeof built_mark) == 0)
        *times = binary->times;
    else
        handle = device->compiler->load(device, binary, bytes, options);
    cls_free(binary);
    if (handle) device->cache_hits++;
    return handle;
}

/* Whether this build's binary is to be had. A late one costs more than a start without it, so a context asks for one only. */
static int binary_wanted(cls_device *device, int64_t times) {
    const cls_compiler *compiler = device->compiler;
    if (!device->cache_folder) return 0;
    int64_t builds = compiler->builds_before_binary ? compiler->builds_before_binary(device) : 1;
    if (builds <= 1) return 1;
    if (times + 1 < builds || device->late_binary) return 0;
    return device->late_binary = 1;
}

static clsolve_status make(cls_device *device, const char *name, const char *options, void **handle) {
    const cls_kernel_source *dialect = source_of("dialect"), *text = source_of(name);
    char line[128];
    void *binary = NULL;
    size_t bytes = 0;
    *handle = NULL;
    if (!dialect || !text)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "no kernel file %s.cl in this build", name);
    cls_cache_key key = key_of(device, dialect->text, text->text, options);
    int64_t times = 0;
    *handle = from_cache(device, &key, options, &times);
    if (*handle) return CLSOLVE_OK;
    (void)snprintf(line, sizeof line, "\n#line 1 \"%s.cl\"\n", name);
    cls_source source = {name, options, {dialect->text, line, text->text}};
    int wanted = binary_wanted(device, times);
    clsolve_status status = device->compiler->compile(device, &source, handle, wanted ? &binary : NULL, &bytes);
    built counted = {"", times + 1};
    memcpy(counted.mark, built_mark, sizeof built_mark);
    if (status == CLSOLVE_OK && binary)
        cls_cache_store(device->cache_folder, &key, binary, bytes);
    else if (status == CLSOLVE_OK && !wanted && device->cache_folder)
        cls_cache_store(device->cache_folder, &key, &counted, sizeof counted);
    cls_free(binary);
    return status;
}

/* ---- the device's list ---- */

static void release(cls_device *device, cls_program *entry) {
    if (!entry) return;
    if (entry->handle) device->compiler->release(device, entry->handle);
    cls_free(entry->name);
    cls_free(entry->options);
    cls_free(entry);
}

static clsolve_status add(cls_device *device, const char *name, const char *options, cls_program **program) {
    clsolve_status status = CLSOLVE_OK;
    cls_program *entry = cls_alloc(1, sizeof *entry);
    if (entry) {
        entry->name = copy_text(name);
        entry->options = copy_text(options);
    }
    if (!entry || !entry->name || !entry->options) {
        status = cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a program's record");
        goto failed;
    }
    CLS_TRY_GOTO(status, make(device, name, options, &entry->handle), failed);
    entry->next = device->programs;
    device->programs = entry;
    *program = entry;
    return CLSOLVE_OK;
failed:
    release(device, entry);
    return status;
}

clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
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
    device->build_seconds += cls_seconds() - start;
    return status;
}

void cls_programs_destroy(cls_device *device) {
    while (device->programs) {
        cls_program *next = device->programs->next;
        release(device, device->programs);
        device->programs = next;
    }
}
