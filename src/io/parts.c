#include "io/parts.h"

#include <stdatomic.h>

#include "base/system/host.h"
#include "base/system/thread.h"

int mm_parts(void) {
    const int cores = cls_host_cores();
    return cores > MM_MOST_PARTS ? MM_MOST_PARTS : cores;
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
    int started = 0;
    sharing all = {.parts = parts, .work = work, .what = what};
    /* With fewer threads than parts the others take more. */
    while (started < parts - 1 && cls_thread_start(&thread[started], NULL, take_parts, &all)) started++;
    (void)take_parts(&all);
    for (int t = 0; t < started; t++) (void)pthread_join(thread[t], NULL);
}
