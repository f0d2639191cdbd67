/* programs.c: see programs.h. */
#define _POSIX_C_SOURCE 200809L

#include "device/programs.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/process.h"
#include "base/system/thread.h"
#include "device/kernels.h"
#include "device/program_cache.h"
#include "device/recall.h"
#include "device/shelf.h"

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

/* ---- one build ---- */

/* All that a thread needs to compile a program, and what came of it. */
typedef struct cls_build {
    cls_job job;
    cls_device *device;
    cls_source source;
    char line[128];
    cls_cache_key key;
    cls_made made;
    int announced;  /* and compiled by a pool */
    int from_cache; /* another process has compiled it meanwhile */
    clsolve_status status;
    cls_error error;
} cls_build;

/* Takes the binary, from cls_alloc or NULL: the program as `compile` would have made it. 0: there is none, or the
 * driver refuses it. */
static int take_binary(cls_device *device, void *binary, size_t bytes, const char *options, cls_made *made) {
    if (!binary) return 0;
    made->handle = device->compiler->load(device, binary, bytes, options);
    cls_free(binary);
    return made->handle != NULL;
}

/* The program that is in the folder. */
static int take_stored(cls_device *device, const cls_cache_key *key, const char *options, cls_made *made) {
    size_t bytes = 0;
    void *binary = device->cache_folder ? cls_cache_load(device->cache_folder, key, &bytes) : NULL;
    return take_binary(device, binary, bytes, options, made);
}

/* The program that was compiled with the library. */
static int take_shipped(cls_device *device, const cls_source *source, cls_made *made) {
    size_t bytes = 0;
    void *binary = device->compiler->shipped ? device->compiler->shipped(device, source, &bytes) : NULL;
    return take_binary(device, binary, bytes, source->options, made);
}

/* From where nothing is compiled: 1, and the entry has its program. */
static int take_ready(cls_device *device, cls_program *entry, const cls_source *source, const cls_cache_key *key) {
    cls_made ready = {0};
    if (take_shipped(device, source, &ready))
        device->shipped++;
    else if (take_stored(device, key, entry->options, &ready))
        device->cache_hits++;
    else
        return 0;
    entry->handle = ready.handle;
    entry->is_shared = cls_shelf_put(device, key, entry->handle);
    return 1;
}

static int is_stopped(const cls_device *device) {
    return device->stop && (atomic_load(device->stop) || cls_process_ends());
}

static void not_wanted(cls_build *build) {
    build->status = cls_fail(&build->error, CLSOLVE_ERROR_BUILD, "%s.cl: nobody wants it any more", build->source.name);
}

static clsolve_status run_compiler(cls_build *build) {
    cls_device *device = build->device;
    if (build->announced && !cls_process_compile_begin(device->stop)) {
        not_wanted(build);
        return build->status;
    }
    const clsolve_status status =
        device->compiler->compile(device, &build->source, device->cache_folder != NULL, &build->error, &build->made);
    if (build->announced) cls_process_compile_end();
    return status;
}

/* For a thread that nobody waits for: calls go first, and the compiler's own threads inherit the priority. A thread
 * cannot take its priority back, so one that only loads programs keeps it. */
static void give_way(const cls_device *device) {
    const struct timespec moment = {.tv_nsec = 1000000};
    if (!device->stop) return;
    cls_thread_give_way();
    while (cls_seconds() < device->compiles_from && !is_stopped(device)) (void)nanosleep(&moment, NULL);
}

/* A program is stored as soon as it is compiled, so that a process that is killed leaves it to the next. If several
 * processes want the same program, one compiles it, and the others wait for its file. */
static void compile(cls_build *build) {
    cls_device *device = build->device;
    int claim = -1;
    give_way(device);
    if (device->cache_folder && !is_stopped(device))
        claim = cls_cache_claim(device->cache_folder, &build->key, &device->waiting, device->stop);
    if (is_stopped(device)) {
        not_wanted(build);
        if (claim >= 0) cls_cache_unclaim(device->cache_folder, &build->key, claim);
        return;
    }
    build->from_cache = claim >= 0 && take_stored(device, &build->key, build->source.options, &build->made);
    if (!build->from_cache) build->status = run_compiler(build);
    if (build->status == CLSOLVE_OK && build->made.binary && device->cache_folder)
        cls_cache_store(device->cache_folder, &build->key, build->made.binary, build->made.bytes);
    if (claim >= 0) cls_cache_unclaim(device->cache_folder, &build->key, claim);
}

/* The process may end while a thread of the pool compiles what nobody has asked for yet: its end waits for that. */
static void compile_part(void *what, int64_t part) {
    cls_build *build = what;
    const int of_pool = !cls_thread_is_first();
    (void)part;
    if (of_pool && !cls_process_work_begin()) {
        not_wanted(build);
        return;
    }
    compile(build);
    if (!of_pool) return;
    cls_process_expect_end(); /* the compiler has its objects now */
    cls_process_work_end();
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
    else if (!build->made.handle && device->compiler->finish)
        status = device->compiler->finish(device, &build->made);
    entry->handle = build->made.handle;
    if (build->from_cache)
        device->cache_hits++;
    else if (status == CLSOLVE_OK)
        device->compiled++;
    if (status == CLSOLVE_OK) entry->is_shared = cls_shelf_put(device, &build->key, entry->handle);
    cls_free(build->made.binary);
    cls_free(build);
    return status;
}

/* Drops a build that nobody has asked for: it is not compiled if that has not begun. */
static void drop_build(cls_device *device, cls_program *entry) {
    cls_build *build = entry->build;
    if (!build) return;
    entry->build = NULL;
    (void)cls_pool_withdraw(device->builders, &build->job);
    entry->handle = build->made.handle;
    cls_free(build->made.binary);
    cls_free(build);
}

/* From a twin, the library or the cache at once, or compiled: by a thread of `pool`, or without one now. */
static clsolve_status begin_build(cls_device *device, cls_program *entry, cls_pool *pool) {
    const cls_kernel_source *dialect = source_of("dialect"), *text = source_of(entry->name);
    char line[128];
    if (!dialect || !text)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "no kernel file %s.cl in this build", entry->name);
    cls_cache_key key = cls_device_key(device, dialect->text, text->text, entry->options);
    entry->handle = cls_shelf_find(device, &key);
    entry->is_shared = entry->handle != NULL;
    if (entry->handle) return CLSOLVE_OK;
    (void)snprintf(line, sizeof line, "\n#line 1 \"%s.cl\"\n", entry->name);
    const cls_source source = {entry->name, entry->options, {dialect->text, line, text->text}};
    if (take_ready(device, entry, &source, &key)) return CLSOLVE_OK;
    if (device->compiler->prepare) CLS_TRY(device->compiler->prepare(device));
    if (device->stop) cls_process_expect_end();
    cls_build *build = cls_alloc(1, sizeof *build);
    if (!build) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory to compile a program");
    *build = (cls_build){.job = {.work = compile_part, .what = build, .parts = 1},
                         .device = device,
                         .announced = pool != NULL,
                         .key = key};
    memcpy(build->line, line, sizeof line);
    build->source = source;
    build->source.texts[1] = build->line;
    cls_pool_post(pool, &build->job);
    if (!pool) build->job.posted = 0;
    entry->build = build;
    return CLSOLVE_OK;
}

/* ---- the device's list ---- */

static void release(cls_device *device, cls_program *entry) {
    if (!entry) return;
    drop_build(device, entry);
    if (entry->handle && !entry->is_shared) device->compiler->release(device, entry->handle);
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
    int threads = cls_pool_spare_cores(most_threads(device));
    if (device->stop && threads > cls_host_cores() / 2) threads = cls_host_cores() / 2; /* the rest is for calls */
    if (!device->builders) device->builders = cls_pool_create(threads);
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

/* A twin, the library or the cache has it. */
static int is_known(cls_device *device, const char *name, const char *options) {
    const cls_kernel_source *dialect = source_of("dialect"), *text = source_of(name);
    size_t bytes = 0;
    if (!dialect || !text) return 0;
    const cls_cache_key key = cls_device_key(device, dialect->text, text->text, options);
    const cls_source source = {name, options, {dialect->text, "", text->text}};
    if (cls_shelf_find(device, &key)) return 1;
    void *binary = device->compiler->shipped ? device->compiler->shipped(device, &source, &bytes) : NULL;
    if (!binary && device->cache_folder) binary = cls_cache_load(device->cache_folder, &key, &bytes);
    const int known = binary != NULL;
    cls_free(binary);
    return known;
}

clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
    *program = NULL;
    if (!options) options = "";
    cls_program *there = find(device, name, options);
    if (device->announcing && device->ahead == 2)
        return there || is_known(device, name, options) ? CLSOLVE_OK : CLSOLVE_ERROR_BUILD;
    const int announces = device->announcing && !device->ahead;
    /* Nothing begins here, so no time is counted: a program may be announced by each handle, and asked for by none. */
    if (announces && (there || most_threads(device) == 0)) return CLSOLVE_OK;
    if (there && !there->build) {
        if (!device->announcing) *program = there;
        return CLSOLVE_OK;
    }
    if (is_stopped(device))
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "%s.cl: nobody wants it any more", name);
    double start = cls_seconds();
    clsolve_status status = announces ? announce(device, name, options) : get(device, name, options, program);
    if (device->announcing) *program = NULL;
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
    cls_shelf_leave(device);
}
