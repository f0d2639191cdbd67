/* programs.c: see programs.h. */
#include "device/programs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
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

/* The key of all kernels together: whichever changes, the stored number counts no more. */
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

/* Whether this build's binary is to be had. A late one costs more than a start without it, so a context asks for one
 * only. */
static int binary_wanted(cls_device *device, int64_t times) {
    const cls_compiler *compiler = device->compiler;
    if (!device->cache_folder) return 0;
    int64_t builds = compiler->builds_before_binary ? compiler->builds_before_binary(device) : 1;
    if (builds <= 1) return 1;
    if (times + 1 < builds || device->late_binary) return 0;
    return device->late_binary = 1;
}

/* ---- one build ---- */

/* All that a thread needs to compile a program, and what came of it. */
typedef struct cls_build {
    cls_job job;
    cls_device *device;
    cls_source source;
    char line[128];
    cls_cache_key key;
    int64_t times; /* of builds before this one, as from_cache says */
    int wanted;    /* the binary is for the cache */
    cls_made made;
    clsolve_status status;
    cls_error error;
} cls_build;

static void compile_part(void *what, int64_t part) {
    cls_build *build = what;
    (void)part;
    build->status =
        build->device->compiler->compile(build->device, &build->source, build->wanted, &build->error, &build->made);
}

static void store(cls_device *device, const cls_build *build) {
    built counted = {"", build->times + 1};
    memcpy(counted.mark, built_mark, sizeof built_mark);
    if (!device->cache_folder) return;
    if (build->wanted && build->made.binary)
        cls_cache_store(device->cache_folder, &build->key, build->made.binary, build->made.bytes);
    else if (!build->wanted)
        cls_cache_store(device->cache_folder, &build->key, &counted, sizeof counted);
}

/* Waits for it. The program has a handle then, or the status says why not. */
static clsolve_status end_build(cls_device *device, cls_program *entry) {
    cls_build *build = entry->build;
    if (!build) return CLSOLVE_OK;
    entry->build = NULL;
    cls_pool_wait(device->builders, &build->job);
    clsolve_status status = build->status;
    if (status != CLSOLVE_OK)
        status = cls_fail(device->error, status, "%s", build->error.text);
    else if (device->compiler->finish)
        status = device->compiler->finish(device, &build->made);
    entry->handle = build->made.handle;
    if (status == CLSOLVE_OK) store(device, build);
    cls_free(build->made.binary);
    cls_free(build);
    return status;
}

/* Drops a build that nobody has asked for: it is not compiled if that has not begun, and kept for others if done. */
static void drop_build(cls_device *device, cls_program *entry) {
    cls_build *build = entry->build;
    if (!build) return;
    entry->build = NULL;
    int compiled = !cls_pool_withdraw(device->builders, &build->job) && build->status == CLSOLVE_OK;
    if (compiled) store(device, build);
    entry->handle = build->made.handle;
    cls_free(build->made.binary);
    cls_free(build);
}

/* From the cache at once, or compiled: by a thread of `pool`, or without one now. */
static clsolve_status begin_build(cls_device *device, cls_program *entry, cls_pool *pool) {
    const cls_kernel_source *dialect = source_of("dialect"), *text = source_of(entry->name);
    int64_t times = 0;
    if (!dialect || !text)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "no kernel file %s.cl in this build", entry->name);
    cls_cache_key key = key_of(device, dialect->text, text->text, entry->options);
    entry->handle = from_cache(device, &key, entry->options, &times);
    if (entry->handle) return CLSOLVE_OK;
    if (device->compiler->prepare) CLS_TRY(device->compiler->prepare(device));
    cls_build *build = cls_alloc(1, sizeof *build);
    if (!build) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory to compile a program");
    *build = (cls_build){.job = {.work = compile_part, .what = build, .parts = 1},
                         .device = device,
                         .key = key,
                         .times = times,
                         .wanted = binary_wanted(device, times)};
    (void)snprintf(build->line, sizeof build->line, "\n#line 1 \"%s.cl\"\n", entry->name);
    build->source = (cls_source){entry->name, entry->options, {dialect->text, build->line, text->text}};
    cls_pool_post(pool, &build->job);
    if (!pool) build->job.posted = 0;
    entry->build = build;
    return CLSOLVE_OK;
}

/* ---- the device's list ---- */

static void release(cls_device *device, cls_program *entry) {
    if (!entry) return;
    drop_build(device, entry);
    if (entry->handle) device->compiler->release(device, entry->handle);
    cls_free(entry->name);
    cls_free(entry->options);
    cls_free(entry);
}

static void forget(cls_device *device, cls_program *entry) {
    cls_program **at = &device->programs;
    while (*at != entry) at = &(*at)->next;
    *at = entry->next;
    release(device, entry);
}

static cls_program *find(const cls_device *device, const char *name, const char *options) {
    cls_program *p = device->programs;
    while (p && (strcmp(p->name, name) != 0 || strcmp(p->options, options) != 0)) p = p->next;
    return p;
}

/* Begins a program that is not in the list, and puts it there. */
static clsolve_status add(cls_device *device, const char *name, const char *options, cls_pool *pool,
                          cls_program **program) {
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
    CLS_TRY_GOTO(status, begin_build(device, entry, pool), failed);
    entry->next = device->programs;
    device->programs = entry;
    *program = entry;
    return CLSOLVE_OK;
failed:
    release(device, entry);
    return status;
}

/* Threads that compile what is announced, at most; 0: nothing is announced here. */
static int most_threads(const cls_device *device) {
    enum { MOST = 16 }; /* a compiler takes some hundred MB */
    return device->compiler->threads ? device->compiler->threads(device) : MOST;
}

/* Announces a program that is not in the list. */
static clsolve_status announce(cls_device *device, const char *name, const char *options) {
    cls_program *entry = NULL;
    if (!device->builders) device->builders = cls_pool_create(cls_pool_spare_cores(most_threads(device)));
    if (!device->builders) return CLSOLVE_OK; /* compiled when it is asked for */
    clsolve_status status = add(device, name, options, device->builders, &entry);
    /* Any other failure is told to the one who asks. */
    return status == CLSOLVE_ERROR_OUT_OF_MEMORY ? status : CLSOLVE_OK;
}

static clsolve_status get(cls_device *device, const char *name, const char *options, cls_program **program) {
    cls_program *entry = find(device, name, options);
    if (!entry) CLS_TRY(add(device, name, options, NULL, &entry));
    clsolve_status status = end_build(device, entry);
    if (status == CLSOLVE_OK)
        *program = entry;
    else
        forget(device, entry);
    return status;
}

clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
    *program = NULL;
    if (!options) options = "";
    cls_program *there = find(device, name, options);
    /* Nothing begins here, so no time is counted: a program may be announced by each handle, and asked for by none. */
    if (device->announcing && (there || most_threads(device) == 0)) return CLSOLVE_OK;
    if (there && !there->build) {
        *program = there;
        return CLSOLVE_OK;
    }
    double start = cls_seconds();
    clsolve_status status = device->announcing ? announce(device, name, options) : get(device, name, options, program);
    device->build_seconds += cls_seconds() - start;
    return status;
}

void cls_programs_destroy(cls_device *device) {
    while (device->programs) {
        cls_program *next = device->programs->next;
        release(device, device->programs);
        device->programs = next;
    }
    cls_pool_destroy(device->builders);
    device->builders = NULL;
}
