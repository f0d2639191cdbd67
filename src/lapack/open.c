#define _GNU_SOURCE

#include "lapack/open.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lapack/faster.h"
#include "lapack/state.h"

/* Seconds that the end of the process waits for a compilation; the slowest compiler that was seen takes 20. */
static const time_t longest_wait = 60;

/* A failure to open a device is repeated so often; nanoseconds until the second look, each next one twice as late. */
static const int most_looks = 7;
static const int64_t first_pause = 250000000;

/* No GPU is without one of these; to ask them takes microseconds, and to load all drivers takes a tenth of a second. */
static int may_have_gpu(void) {
    static const char *const files[] = {"/dev/nvidiactl", "/dev/kfd",   "/dev/dri",
                                        "/dev/dxg",       "/dev/mali0", "/dev/kgsl-3d0"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (access(files[k], F_OK) == 0) return 1;
    return 0;
}

/* Drivers and LLVM register their ends when they are loaded. A later one runs sooner, so this registers again. */
static void leave_before_others(void) {
    (void)pthread_mutex_lock(&cls_lapack.registers);
    (void)atexit(cls_lapack_leave);
    (void)pthread_mutex_unlock(&cls_lapack.registers);
}

/* To list the devices loads the drivers: a process that ends from then on waits for what is done with them. */
static int load_drivers(char *why, size_t size) {
    int64_t count;
    leave_before_others(); /* and before the drivers are there it waits for them */
    if (!cls_lapack.library_handle && !cls_lapack_load(&cls_lapack.library, &cls_lapack.library_handle, why, size))
        return 0;
    (void)cls_lapack.library.devices(NULL, 0, &count);
    leave_before_others();
    return 1;
}

/* A device that is only taken at the moment fails in other ways. */
static int is_final(clsolve_status status) {
    return status == CLSOLVE_ERROR_NO_DEVICE || status == CLSOLVE_ERROR_INVALID_ARGUMENT ||
           status == CLSOLVE_ERROR_UNSUPPORTED;
}

/* *again: the device is to be looked for once more, later. */
static clsolve_context *make_context(int *again) {
    const lapack_options *options = &cls_lapack.options;
    char why[256] = "";
    clsolve_context_options wanted = {.selector = options->device, .message = why, .message_size = sizeof why};
    clsolve_context *context = NULL;
    clsolve_status status = CLSOLVE_ERROR_NO_DEVICE;
    *again = 0;
    /* A device that shares the host's cores gains nothing over the host: only by order. */
    if (!wanted.selector && options->mode != MODE_ON) {
        wanted.selector = "gpu";
        if (!may_have_gpu()) {
            cls_lapack_say("no device: the system has no GPU");
            return NULL;
        }
    }
    if (load_drivers(why, sizeof why)) status = cls_lapack.library.context_create_with(&wanted, &context);
    if (status != CLSOLVE_OK) {
        *again = !is_final(status) && ++cls_lapack.looks < most_looks;
        (options->device && !*again ? cls_lapack_warn : cls_lapack_say)("no device%s: %s", *again ? " yet" : "", why);
        return NULL;
    }
    clsolve_device_info device = cls_lapack.library.context_device(context);
    cls_lapack_say("device: %s, %s", device.selector, device.name);
    return context;
}

static const struct timespec pause_between_looks = {.tv_nsec = 1000000};

static void take_inside(void) {
    while (atomic_flag_test_and_set(&cls_lapack.inside)) (void)nanosleep(&pause_between_looks, NULL);
}

void cls_lapack_open(void) {
    int waiting = PHASE_WAITING, opening = PHASE_OPENING, again;
    if (!atomic_compare_exchange_strong(&cls_lapack.phase, &waiting, opening)) return;
    take_inside(); /* in this phase a thread has it for no longer than it notes a time */
    cls_lapack_is_inside = 1;
    cls_lapack.context = make_context(&again);
    if (again) {
        atomic_store(&cls_lapack.look_at, cls_lapack_now() + (first_pause << (cls_lapack.looks - 1)));
        (void)atomic_compare_exchange_strong(&cls_lapack.phase, &opening, PHASE_WAITING);
    } else if (cls_lapack.context) {
        leave_before_others(); /* what the context has loaded */
        cls_lapack_tabulate();
        (void)atomic_compare_exchange_strong(&cls_lapack.phase, &opening, PHASE_OPEN); /* or the process has left */
    } else {
        cls_lapack_close();
    }
    cls_lapack_is_inside = 0;
    atomic_flag_clear(&cls_lapack.inside);
}

static void warm(lapack_kind kind, clsolve_type type, const lapack_wanted *wanted) {
    if (atomic_load(&cls_lapack.phase) != PHASE_OPEN) return;
    take_inside();
    cls_lapack_compile(kind, type, wanted);
    atomic_flag_clear(&cls_lapack.inside);
}

/* ---- the thread ---- */

/* 1: there is something to compile. Under `lock`. */
static int find_wanted(lapack_kind *kind, clsolve_type *type) {
    for (int k = 0; k < LAPACK_KINDS; k++)
        for (int t = CLSOLVE_F32; t < LAPACK_TYPES; t++)
            if (cls_lapack.wanted[k][t].is_wanted) {
                *kind = (lapack_kind)k;
                *type = (clsolve_type)t;
                return 1;
            }
    return 0;
}

static void *work(void *unused) {
    (void)unused;
    cls_lapack_is_inside = 1; /* it makes no other calls */
    (void)pthread_mutex_lock(&cls_lapack.lock);
    while (!cls_lapack.leaving) {
        lapack_kind kind;
        clsolve_type type;
        if (!find_wanted(&kind, &type)) {
            (void)pthread_cond_wait(&cls_lapack.changed, &cls_lapack.lock);
            continue;
        }
        const lapack_wanted wanted = cls_lapack.wanted[kind][type];
        cls_lapack.working = 1;
        (void)pthread_cond_broadcast(&cls_lapack.changed);
        (void)pthread_mutex_unlock(&cls_lapack.lock);
        warm(kind, type, &wanted);
        (void)pthread_mutex_lock(&cls_lapack.lock);
        cls_lapack.wanted[kind][type].is_wanted = 0;
        cls_lapack.working = 0;
        (void)pthread_cond_broadcast(&cls_lapack.changed);
    }
    (void)pthread_mutex_unlock(&cls_lapack.lock);
    return NULL;
}

/* A compiler makes objects while it works, and another thread than the first may end the process. So a second thread
 * registers the end again and again meanwhile, as libclsolve's does (base/process.c). */
static void *follow(void *unused) {
    enum { MOST = 4096 };
    const long least = 250000; /* nanoseconds */
    struct timespec pause = {.tv_nsec = least};
    (void)pthread_mutex_lock(&cls_lapack.lock);
    for (int times = 0; times < MOST && !cls_lapack.leaving;) {
        if (!cls_lapack.working) {
            pause.tv_nsec = least;
            (void)pthread_cond_wait(&cls_lapack.changed, &cls_lapack.lock);
            continue;
        }
        (void)pthread_mutex_unlock(&cls_lapack.lock);
        leave_before_others();
        (void)nanosleep(&pause, NULL);
        pause.tv_nsec += pause.tv_nsec / 64; /* so it is a part of the time since the beginning */
        times++;
        (void)pthread_mutex_lock(&cls_lapack.lock);
    }
    (void)pthread_mutex_unlock(&cls_lapack.lock);
    return unused;
}

/* The program's signals are for the program's threads. */
static int start_thread(void *(*what)(void *)) {
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, what, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) (void)pthread_detach(thread);
    return !failed;
}

void cls_lapack_warm(lapack_kind kind, clsolve_type type, const lapack_shape *shape) {
    (void)pthread_mutex_lock(&cls_lapack.lock);
    cls_lapack.wanted[kind][type] = (lapack_wanted){.is_wanted = 1, .n = shape->n, .kl = shape->kl, .ku = shape->ku};
    if (!cls_lapack.has_thread) cls_lapack.has_thread = start_thread(work) && start_thread(follow);
    if (!cls_lapack.has_thread) cls_lapack_close();
    (void)pthread_cond_broadcast(&cls_lapack.changed);
    (void)pthread_mutex_unlock(&cls_lapack.lock);
}

/* Another thread opens the device, or works on it: the driver must not end meanwhile. It keeps what it takes. */
static void leave_inside(const struct timespec *until) {
    struct timespec t = {0};
    if (cls_lapack_is_inside) return; /* this thread does, and ends the process from there */
    while (atomic_flag_test_and_set(&cls_lapack.inside) && t.tv_sec < until->tv_sec) {
        (void)nanosleep(&pause_between_looks, NULL);
        (void)clock_gettime(CLOCK_REALTIME, &t);
    }
}

void cls_lapack_leave(void) {
    if (atomic_load(&cls_lapack.phase) == PHASE_HOST) return; /* no thread, or this is a child without one */
    cls_lapack_close();                                       /* the driver may end before the last call comes */
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += longest_wait;
    (void)pthread_mutex_lock(&cls_lapack.lock);
    cls_lapack.leaving = 1;
    (void)pthread_cond_broadcast(&cls_lapack.changed);
    while (cls_lapack.working && pthread_cond_timedwait(&cls_lapack.changed, &cls_lapack.lock, &until) != ETIMEDOUT) {
    }
    (void)pthread_mutex_unlock(&cls_lapack.lock);
    leave_inside(&until);
}
