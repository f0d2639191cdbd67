/* start.c: how the state begins, from the environment, and how it ends: with a fork, and with the process. */
#define _GNU_SOURCE

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lapack/gate.h"
#include "lapack/faster.h"
#include "lapack/open.h"
#include "lapack/state.h"
#include "lapack/stats.h"

/* ---- the environment ---- */

/* Digits, and K, M or G where `units`; -1: it is no such number. */
static int64_t number_of(const char *text, int units) {
    char *end = NULL;
    if (*text < '0' || *text > '9') return -1; /* strtoll alone would take "-0" and " 7" */
    long long value = strtoll(text, &end, 10);
    const char *at = units && *end ? strchr("kKmMgG", *end) : NULL;
    int shift = at ? 10 * (int)((at - "kKmMgG") / 2 + 1) : 0;
    if (at) end++;
    return *end || value > (INT64_MAX >> shift) ? -1 : (int64_t)value << shift;
}

static const char *text_of(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* A word, or several with commas between. */
static void read_mode(lapack_options *options) {
    const char *text = text_of("CLSOLVE_LAPACK");
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length == 3 && strncmp(text, "off", 3) == 0)
            options->mode = MODE_OFF;
        else if (length == 2 && strncmp(text, "on", 2) == 0)
            options->mode = MODE_ON;
        else if (length == 7 && strncmp(text, "verbose", 7) == 0)
            options->verbose = 1;
        else { /* what somebody meant by it nobody knows: the host is right in any case */
            options->mode = MODE_OFF;
            cls_lapack_warn("CLSOLVE_LAPACK=%s: give off, on or verbose; all goes to the host", text);
            return;
        }
        text += length + (text[length] == ',');
    }
}

static void read_number(const char *name, int units, int64_t *value) {
    const char *text = text_of(name);
    int64_t number = text ? number_of(text, units) : -1;
    if (number >= 0) *value = number;
    if (text && number < 0) cls_lapack_warn("%s=%s: give a whole number from 0 on; it is ignored", name, text);
}

/*
 * In the child of a fork the driver's threads do not exist, and the locks of the parent may be held for ever. So the
 * child is without a device, and it counts from zero.
 */
static void close_child(void) {
    static const pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;
    cls_lapack.registers = open_mutex;
    cls_lapack_close();
    memset(cls_lapack.counts, 0, sizeof cls_lapack.counts);
    cls_lapack.working = 0;
}

/* glibc's lock on the handlers of the end would stay locked in a child. */
static void before_fork(void) {
    (void)pthread_mutex_lock(&cls_lapack.registers);
}

static void after_fork(void) {
    (void)pthread_mutex_unlock(&cls_lapack.registers);
}

static void start(void) {
    lapack_options *options = &cls_lapack.options;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options->cores = cores < 1 ? 1 : cores > 16 ? 16 : (double)cores;
    options->least = -1;
    read_mode(options);
    options->device = text_of("CLSOLVE_LAPACK_DEVICE");
    options->host = text_of("CLSOLVE_LAPACK_HOST");
    if (options->host && strchr(options->host, '/') && access(options->host, R_OK) != 0)
        cls_lapack_warn("CLSOLVE_LAPACK_HOST=%s: %s; the program's own LAPACK is used", options->host, strerror(errno));
    options->stats = text_of("CLSOLVE_LAPACK_STATS");
    read_number("CLSOLVE_LAPACK_MIN", 0, &options->least);
    read_number("CLSOLVE_LAPACK_MEMORY", 1, &options->memory);
    atomic_store(&cls_lapack.counting, options->stats != NULL);
    cls_lapack_set_least(options->least >= 0 ? options->least : LAPACK_LOOK_ORDER);
    atomic_store(&cls_lapack.phase, PHASE_WAITING);
    if (options->mode == MODE_OFF) cls_lapack_close();
    (void)pthread_atfork(before_fork, after_fork, close_child);
}

void cls_lapack_start(void) {
    (void)pthread_once(&cls_lapack.once, start);
}

/* ---- the end ---- */

/*
 * The end destroys the variables of the first thread before it calls any handler. LLVM and drivers register their
 * handlers when a compiler first runs, later than the library does, and handlers run in the opposite order. So the wait
 * for the library's thread belongs to the variables. The first thread loads the library, as a rule.
 */
#ifdef __GLIBC__
extern int __cxa_thread_atexit_impl(void (*handler)(void *), void *object, void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void leave_first(void *unused) {
    (void)unused;
    if (atomic_load(&cls_lapack.phase) != PHASE_NEW) cls_lapack_leave();
}

__attribute__((constructor)) static void loaded(void) {
    if (__cxa_thread_atexit_impl && (pid_t)syscall(SYS_gettid) == getpid())
        (void)__cxa_thread_atexit_impl(leave_first, NULL, &__dso_handle);
}
#endif

/* Nothing is released: other threads may still be inside, and the system takes it all back. */
__attribute__((destructor)) static void finish(void) {
    if (atomic_load(&cls_lapack.phase) == PHASE_NEW) return; /* no call of LAPACK came */
    cls_lapack_leave();
    cls_lapack_print_stats();
}
