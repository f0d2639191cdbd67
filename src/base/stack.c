#include "base/stack.h"

#include "base/system/thread.h"

typedef struct stack_job {
    void (*work)(void *what);
    void *what;
} stack_job;

static void *do_job(void *job) {
    const stack_job *given = job;
    given->work(given->what);
    return NULL;
}

/* 0: no thread could be made. */
static int run_apart(size_t bytes, stack_job *job) {
    pthread_attr_t attributes;
    pthread_t thread;
    int made = 0;

    if (pthread_attr_init(&attributes) != 0) return 0;
    if (pthread_attr_setstacksize(&attributes, bytes) == 0) made = cls_thread_start(&thread, &attributes, do_job, job);
    (void)pthread_attr_destroy(&attributes);
    if (made) (void)pthread_join(thread, NULL);
    return made;
}

void cls_stack_run(size_t bytes, void (*work)(void *what), void *what) {
    stack_job job = {work, what};
    /* A stack that is nominally of `bytes` has a little less left. */
    if (cls_stack_left() >= bytes - bytes / 4 || !run_apart(bytes, &job)) work(what);
}
