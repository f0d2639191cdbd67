#define _GNU_SOURCE /* pthread_getattr_np, syscall */

#include "base/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#ifdef __linux__
/* Bytes left of the thread's stack; SIZE_MAX: not known. For the first thread the limit is taken, because the C library
 * would read a long file of the system. */
static size_t stack_left(void) {
    struct rlimit limit;
    pthread_attr_t attributes;
    void *lowest;
    size_t size, left = SIZE_MAX;
    const char here = 0;

    if (syscall(SYS_gettid) == getpid()) {
        if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
        return (size_t)limit.rlim_cur;
    }
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return SIZE_MAX;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) left = (size_t)((uintptr_t)&here - (uintptr_t)lowest);
    (void)pthread_attr_destroy(&attributes);
    return left;
}
#else
static size_t stack_left(void) {
    return SIZE_MAX;
}
#endif

typedef struct stack_job {
    void (*work)(void *what);
    void *what;
} stack_job;

static void *do_job(void *job) {
    const stack_job *given = job;
    given->work(given->what);
    return NULL;
}

/* Signals are for the caller's own threads. 0: no thread could be made. */
static int run_apart(size_t bytes, stack_job *job) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    int made = 0;

    if (pthread_attr_init(&attributes) != 0) return 0;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0 && sigfillset(&all) == 0 &&
        pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        made = pthread_create(&thread, &attributes, do_job, job) == 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void)pthread_attr_destroy(&attributes);
    if (made) (void)pthread_join(thread, NULL);
    return made;
}

void cls_stack_run(size_t bytes, void (*work)(void *what), void *what) {
    stack_job job = {work, what};
    /* A stack that is nominally of `bytes` has a little less left. */
    if (stack_left() >= bytes - bytes / 4 || !run_apart(bytes, &job)) work(what);
}
