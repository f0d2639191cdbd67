#define _GNU_SOURCE /* PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP */

#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/system/host.h"
#include "base/system/life.h"
#include "base/system/thread.h"

/* A fork that waits comes before calls that begin later: otherwise threads that solve again and again would keep it
 * out. */
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define GATE_INITIALIZER PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define GATE_INITIALIZER PTHREAD_RWLOCK_INITIALIZER
#endif

static struct {
    pthread_once_t once;
    atomic_uint generation;
    atomic_int registered; /* the handlers below will be called */
    pthread_mutex_t drivers;
    int used;                  /* under `drivers`: a driver was used */
    unsigned used_by;          /* the generation that used it first */
    pthread_rwlock_t gate;     /* shared: calls of BLAS; alone: a fork */
    pthread_mutex_t registers; /* a handler of the end is being registered, under glibc's own lock; or a fork */
    pthread_mutex_t works_lock;
    pthread_cond_t works_over;
    int works;   /* under `works_lock`: threads that work for themselves */
    int follows; /* likewise: a thread registers the handler of the end again and again */
    pthread_cond_t compiled;
    int compilers; /* likewise: those between the two of cls_process_compile_begin */
    atomic_int ends, handlers, first_thread;
} process = {.once = PTHREAD_ONCE_INIT,
             .drivers = PTHREAD_MUTEX_INITIALIZER,
             .gate = GATE_INITIALIZER,
             .registers = PTHREAD_MUTEX_INITIALIZER,
             .works_lock = PTHREAD_MUTEX_INITIALIZER,
             .works_over = PTHREAD_COND_INITIALIZER,
             .compiled = PTHREAD_COND_INITIALIZER};

/* A signal's handler that forks within a call of BLAS must not wait for its own thread. */
static _Thread_local int calls_inside;
static _Thread_local int gate_is_closed, registers_here, nobody_registers;

static void before_fork(void) {
    gate_is_closed = calls_inside == 0 && pthread_rwlock_wrlock(&process.gate) == 0;
    nobody_registers = !registers_here && pthread_mutex_lock(&process.registers) == 0;
}

static void after_fork_in_parent(void) {
    if (nobody_registers) (void)pthread_mutex_unlock(&process.registers);
    if (gate_is_closed) (void)pthread_rwlock_unlock(&process.gate);
}

/* Other threads are gone, and locks that they held stay locked: so all is made anew. */
static void after_fork_in_child(void) {
    static const pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_rwlock_t open_gate = GATE_INITIALIZER;
    static const pthread_cond_t open_cond = PTHREAD_COND_INITIALIZER;
    process.drivers = process.works_lock = process.registers = open_mutex;
    process.gate = open_gate;
    process.works_over = process.compiled = open_cond;
    process.works = process.follows = process.compilers = 0;
    calls_inside = 0;
    atomic_fetch_add(&process.generation, 1);
}

static void begin(void) {
    atomic_store(&process.registered, cls_life_at_fork(before_fork, after_fork_in_parent, after_fork_in_child));
}

unsigned cls_process_generation(void) {
    if (!atomic_load_explicit(&process.registered, memory_order_relaxed)) (void)pthread_once(&process.once, begin);
    return atomic_load_explicit(&process.generation, memory_order_relaxed);
}

/* ---- the end of the process ---- */

static double seconds_of(clockid_t clock) {
    struct timespec at = {0};
    (void)clock_gettime(clock, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static struct timespec moment_after(double seconds) {
    struct timespec at = {0};
    (void)clock_gettime(CLOCK_REALTIME, &at);
    const double end = (double)at.tv_nsec * 1e-9 + seconds;
    at.tv_sec += (time_t)end;
    at.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    return at;
}

/* Waits once, however many handlers there are. A compiler that works is waited for; one that uses no time of a core is
 * not expected to end. */
static void at_end(void) {
    enum { PATIENCE = 5, MOST = 30 }; /* seconds */
    const double still = 0.02;        /* CPU seconds in a second */
    double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    int idle = 0;

    if (atomic_exchange(&process.ends, 1)) return;
    (void)pthread_mutex_lock(&process.works_lock);
    (void)pthread_cond_broadcast(&process.works_over); /* the thread that follows compilers looks up */
    for (int second = 0; process.works + process.follows > 0 && second < MOST && idle < PATIENCE; ++second) {
        const struct timespec until = moment_after(1);
        while (process.works + process.follows > 0 &&
               pthread_cond_timedwait(&process.works_over, &process.works_lock, &until) == 0)
            continue;
        const double now = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        idle = now - used < still ? idle + 1 : 0;
        used = now;
    }
    (void)pthread_mutex_unlock(&process.works_lock);
}

/* The end destroys the variables of the thread that asks for it, usually the first one, before it calls any handler. So
 * this wait comes first. A compiler makes objects when it first needs them, and registers them later than any handler
 * of the library: a handler would wait when those objects are destroyed already. */
#ifdef __GLIBC__
extern int __cxa_thread_atexit_impl(void (*handler)(void *), void *object, void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void before_handlers(void *unused) {
    (void)unused;
    at_end();
}

static void expect_end_of_first_thread(void) {
    if (!__cxa_thread_atexit_impl || !cls_thread_is_first()) return;
    if (atomic_exchange(&process.first_thread, 1)) return;
    (void)__cxa_thread_atexit_impl(before_handlers, NULL, &__dso_handle);
}

/* The first thread loads the library, as a rule, and then may leave all calls to others. */
__attribute__((constructor)) static void loaded(void) {
    expect_end_of_first_thread();
}
#else
static void expect_end_of_first_thread(void) {}
#endif

/* ---- drivers, BLAS ---- */

static clsolve_status forked(cls_error *error) {
    return cls_fail(error, CLSOLVE_ERROR_FORKED,
                    "this process was forked from one that had used a context or listed devices, and drivers do not "
                    "survive a fork: fork before, or start another program (fork and exec, posix_spawn)");
}

clsolve_status cls_process_is_own(unsigned generation, cls_error *error) {
    return generation == cls_process_generation() ? CLSOLVE_OK : forked(error);
}

clsolve_status cls_process_enter_drivers(cls_error *error) {
    const unsigned generation = cls_process_generation();
    expect_end_of_first_thread();
    (void)pthread_mutex_lock(&process.drivers);
    if (!process.used) process.used_by = generation;
    process.used = 1;
    if (process.used_by == generation) return CLSOLVE_OK;
    (void)pthread_mutex_unlock(&process.drivers);
    return forked(error);
}

void cls_process_leave_drivers(void) {
    (void)pthread_mutex_unlock(&process.drivers);
}

void cls_host_blas_begin(void) {
    if (calls_inside == 0) (void)pthread_rwlock_rdlock(&process.gate);
    calls_inside++;
}

void cls_host_blas_end(void) {
    if (--calls_inside == 0) (void)pthread_rwlock_unlock(&process.gate);
}

/* ---- threads that work for themselves ---- */

/* Handlers run in the opposite order of their registration, and a library registers its own when it is loaded. Where
 * another thread than the first asks for the end, these handlers are all that there is. 0: there are no more. */
static int register_handler(void) {
    enum { MOST = 4096 };
    if (atomic_load(&process.handlers) >= MOST || atomic_fetch_add(&process.handlers, 1) >= MOST) return 0;
    (void)pthread_mutex_lock(&process.registers);
    registers_here = 1;
    const int registered = cls_life_at_end(at_end);
    registers_here = 0;
    (void)pthread_mutex_unlock(&process.registers);
    return registered;
}

void cls_process_expect_end(void) {
    expect_end_of_first_thread();
    (void)register_handler();
}

/* A compiler makes objects while it works, and registers them to be destroyed. So a thread registers the handler behind
 * them, again and again while others work: an end within a pause behind a new object would still destroy that one
 * first. Most objects come soon, so the pauses grow with the time. */
static void *follow_compilers(void *unused) {
    const double least = 0.00025, part = 1.0 / 64, start = seconds_of(CLOCK_MONOTONIC);
    (void)pthread_mutex_lock(&process.works_lock);
    while (process.works > 0 && !cls_process_ends() && register_handler()) {
        const double growing = part * (seconds_of(CLOCK_MONOTONIC) - start);
        const struct timespec until = moment_after(growing > least ? growing : least);
        (void)pthread_cond_timedwait(&process.works_over, &process.works_lock, &until);
    }
    process.follows = 0;
    (void)pthread_cond_broadcast(&process.works_over);
    (void)pthread_mutex_unlock(&process.works_lock);
    return unused;
}

int cls_process_ends(void) {
    return atomic_load(&process.ends);
}

int cls_process_work_begin(void) {
    cls_process_expect_end();
    (void)pthread_mutex_lock(&process.works_lock);
    const int begins = !cls_process_ends();
    process.works += begins;
    if (begins && !process.follows) process.follows = cls_thread_start_alone(follow_compilers, NULL);
    (void)pthread_mutex_unlock(&process.works_lock);
    return begins;
}

void cls_process_work_end(void) {
    (void)pthread_mutex_lock(&process.works_lock);
    if (--process.works == 0) (void)pthread_cond_broadcast(&process.works_over);
    (void)pthread_mutex_unlock(&process.works_lock);
}

/* Nobody wakes a thread for the stop of its context. */
static void wait_a_moment(void) {
    const struct timespec until = moment_after(0.05);
    (void)pthread_cond_timedwait(&process.compiled, &process.works_lock, &until);
}

int cls_process_compile_begin(const atomic_int *stop) {
    enum { LEAST = 2 }; /* a compiler that hangs is not to hold up all */
    const int cores = cls_host_cores(), most = cores > LEAST ? cores : LEAST;
    int begins;
    (void)pthread_mutex_lock(&process.works_lock);
    while ((begins = !cls_process_ends() && !(stop && atomic_load(stop))) && process.compilers >= most) wait_a_moment();
    process.compilers += begins;
    (void)pthread_mutex_unlock(&process.works_lock);
    return begins;
}

void cls_process_compile_end(void) {
    (void)pthread_mutex_lock(&process.works_lock);
    process.compilers--;
    (void)pthread_cond_signal(&process.compiled);
    (void)pthread_mutex_unlock(&process.works_lock);
}

int cls_process_compiles(void) {
    (void)pthread_mutex_lock(&process.works_lock);
    const int compiles = process.compilers > 0;
    (void)pthread_mutex_unlock(&process.works_lock);
    return compiles;
}
