#include "base/system/thread.h"

#include <stdint.h>

#include "base/system/windows/wide.h"

/* Windows sends no signals to threads. */
int cls_thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *what), void *what) {
    return pthread_create(thread, attributes, work, what) == 0;
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

int cls_thread_is_first(void) {
    return 0;
}

void cls_thread_give_way(void) {
    (void)SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

/* The lowest page is the guard's; the reserved part above it counts. */
size_t cls_stack_left(void) {
    MEMORY_BASIC_INFORMATION about;
    const char here = 0;
    if (VirtualQuery(&here, &about, sizeof about) == 0) return SIZE_MAX;
    return (size_t)((uintptr_t)&here - (uintptr_t)about.AllocationBase);
}
