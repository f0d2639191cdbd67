#define _GNU_SOURCE /* sched_getaffinity */

#include "io/parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

int mm_parts(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
    return cores < 1 ? 1 : cores > MM_MOST_PARTS ? MM_MOST_PARTS : (int)cores;
}

typedef struct sharing {
    atomic_int next;
    int parts;
    void (*work)(void *what, int part);
    void *what;
} sharing;

static void *take_parts(void *of) {
    sharing *all = of;
    for (int part; (part = atomic_fetch_add(&all->next, 1)) < all->parts;) all->work(all->what, part);
    return NULL;
}

void mm_run_parts(int parts, void (*work)(void *what, int part), void *what) {
    pthread_t thread[MM_MOST_PARTS];
    sigset_t every, before;
    int started = 0;
    sharing all = {.parts = parts, .work = work, .what = what};
    /* Signals are for the caller's thread. With fewer threads than parts the others take more. */
    if (parts > 1 && sigfillset(&every) == 0 && pthread_sigmask(SIG_SETMASK, &every, &before) == 0) {
        while (started < parts - 1 && pthread_create(&thread[started], NULL, take_parts, &all) == 0) started++;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void)take_parts(&all);
    for (int t = 0; t < started; t++) (void)pthread_join(thread[t], NULL);
}
