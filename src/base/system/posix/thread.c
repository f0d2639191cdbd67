#define _GNU_SOURCE /* pthread_getattr_np, syscall */

#include "base/system/thread.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

int cls_thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *what), void *what) {
    sigset_t all, before;
    if (sigfillset(&all) != 0 || pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return 0;
    const int started = pthread_create(thread, attributes, work, what) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

int cls_thread_start_alone(void *(*work)(void *what), void *what) {
    pthread_attr_t detached;
    pthread_t thread;
    if (pthread_attr_init(&detached) != 0) return 0;
    const int started = pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED) == 0 &&
                        cls_thread_start(&thread, &detached, work, what);
    (void)pthread_attr_destroy(&detached);
    return started;
}

#ifdef __linux__
int cls_thread_is_first(void) {
    return syscall(SYS_gettid) == getpid();
}

void cls_thread_give_way(void) {
    enum { BELOW = 3 }; /* by 10 compilers got nothing while BLAS has all cores (docs/findings/compilation.md) */
    const int of_process = getpriority(PRIO_PROCESS, (id_t)getpid());
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), of_process + BELOW);
}

/* For the first thread the limit is taken, because the C library would read a long file of the system. */
size_t cls_stack_left(void) {
    struct rlimit limit;
    pthread_attr_t attributes;
    void *lowest;
    size_t size, left = SIZE_MAX;
    const char here = 0;

    if (cls_thread_is_first()) {
        if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
        return (size_t)limit.rlim_cur;
    }
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return SIZE_MAX;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) left = (size_t)((uintptr_t)&here - (uintptr_t)lowest);
    (void)pthread_attr_destroy(&attributes);
    return left;
}
#else
int cls_thread_is_first(void) {
    return 0;
}

void cls_thread_give_way(void) {}

size_t cls_stack_left(void) {
    return SIZE_MAX;
}
#endif
