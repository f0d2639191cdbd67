/* state.c: the one object of the state. */
#define _GNU_SOURCE

#include "lapack/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

lapack_state cls_lapack = {.inside = ATOMIC_FLAG_INIT,
                           .once = PTHREAD_ONCE_INIT,
                           .registers = PTHREAD_MUTEX_INITIALIZER,
                           .lock = PTHREAD_MUTEX_INITIALIZER,
                           .changed = PTHREAD_COND_INITIALIZER};

_Thread_local int cls_lapack_is_inside;

int64_t cls_lapack_now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000 * (int64_t)t.tv_sec + t.tv_nsec;
}

static void print(const char *format, va_list arguments) {
    char line[512];
    (void)vsnprintf(line, sizeof line, format, arguments);
    (void)fprintf(stderr, "clsolve: %s\n", line);
}

void cls_lapack_say(const char *format, ...) {
    va_list arguments;
    if (!cls_lapack.options.verbose) return;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void cls_lapack_warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void cls_lapack_set_least(int64_t least) {
    for (int kind = 0; kind < LAPACK_KINDS; kind++)
        for (int type = CLSOLVE_F32; type < LAPACK_TYPES; type++) atomic_store(&cls_lapack.least[kind][type], least);
}

void cls_lapack_close(void) {
    atomic_store(&cls_lapack.phase, PHASE_HOST);
    cls_lapack_set_least(INT64_MAX);
}
