/* thread.h: threads of the library, and what it asks of the thread that it runs on. The threads themselves are
 * POSIX's; on Windows winpthreads has them. */
#ifndef CLS_SYSTEM_THREAD_H
#define CLS_SYSTEM_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread that gets no signals, because signals are for the caller's own threads. `attributes` may be NULL. 1:
 * it runs. */
int cls_thread_start(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *what), void *what);

/* The same for a thread that nobody waits for. */
int cls_thread_start_alone(void *(*work)(void *what), void *what);

/* 1: this is the thread that the process began with, as far as the system tells. */
int cls_thread_is_first(void);

/* Gives this thread, and threads that it starts, a somewhat lower priority than the process has. */
void cls_thread_give_way(void);

/* Bytes left of this thread's stack; SIZE_MAX: not known, or no limit. */
size_t cls_stack_left(void);

#endif
