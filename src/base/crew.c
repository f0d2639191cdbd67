#define _POSIX_C_SOURCE 200809L

#include "base/crew.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/memory.h"

enum { MOST = 16 };

struct cls_crew {
    pthread_mutex_t lock;
    pthread_cond_t wanted, done; /* there is something to begin, or to stop; a job is done */
    cls_job *first, *last;       /* jobs with parts that nobody has begun */
    int stop, threads;
    pthread_t thread[MOST];
};

/* Begins one part of the first job and does it; the lock is held before and after. 0: there is none. */
static int do_part(cls_crew *crew) {
    cls_job *job = crew->first;

    if (!job) return 0;
    int64_t part = job->begun++;
    if (job->begun == job->parts) {
        crew->first = job->next;
        if (!crew->first) crew->last = NULL;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    job->work(job->what, part);
    (void)pthread_mutex_lock(&crew->lock);
    if (++job->done == job->parts) (void)pthread_cond_broadcast(&crew->done);
    return 1;
}

static void *serve(void *self) {
    cls_crew *crew = self;

    (void)pthread_mutex_lock(&crew->lock);
    while (!crew->stop)
        if (!do_part(crew)) (void)pthread_cond_wait(&crew->wanted, &crew->lock);
    (void)pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static int cores(void) {
#ifdef _SC_NPROCESSORS_ONLN
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count > 0) return count < MOST ? (int)count : MOST;
#endif
    return 1;
}

/* Signals are for the caller's own threads. */
static void start_threads(cls_crew *crew, int most) {
    sigset_t all, before;

    if (sigfillset(&all) != 0 || pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
    while (crew->threads < most && crew->threads < cores() - 1 &&
           pthread_create(&crew->thread[crew->threads], NULL, serve, crew) == 0)
        crew->threads++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

cls_crew *cls_crew_create(int most) {
    cls_crew *crew = cls_alloc(1, sizeof *crew);

    if (!crew) return NULL;
    if (pthread_mutex_init(&crew->lock, NULL) != 0) {
        cls_free(crew);
        return NULL;
    }
    if (pthread_cond_init(&crew->wanted, NULL) != 0) {
        (void)pthread_mutex_destroy(&crew->lock);
        cls_free(crew);
        return NULL;
    }
    if (pthread_cond_init(&crew->done, NULL) != 0) {
        (void)pthread_cond_destroy(&crew->wanted);
        (void)pthread_mutex_destroy(&crew->lock);
        cls_free(crew);
        return NULL;
    }
    start_threads(crew, most < MOST ? most : MOST);
    return crew;
}

void cls_crew_destroy(cls_crew *crew) {
    if (!crew) return;
    (void)pthread_mutex_lock(&crew->lock);
    crew->stop = 1;
    (void)pthread_cond_broadcast(&crew->wanted);
    (void)pthread_mutex_unlock(&crew->lock);
    for (int t = 0; t < crew->threads; ++t) (void)pthread_join(crew->thread[t], NULL);
    (void)pthread_cond_destroy(&crew->done);
    (void)pthread_cond_destroy(&crew->wanted);
    (void)pthread_mutex_destroy(&crew->lock);
    cls_free(crew);
}

void cls_crew_post(cls_crew *crew, cls_job *job) {
    job->begun = job->done = 0;
    job->next = NULL;
    job->posted = 1;
    if (job->parts == 0) return;
    (void)pthread_mutex_lock(&crew->lock);
    if (crew->last)
        crew->last->next = job;
    else
        crew->first = job;
    crew->last = job;
    (void)pthread_cond_broadcast(&crew->wanted);
    (void)pthread_mutex_unlock(&crew->lock);
}

void cls_crew_wait(cls_crew *crew, cls_job *job) {
    if (!job->posted) return;
    (void)pthread_mutex_lock(&crew->lock);
    while (job->done < job->parts)
        if (job->begun == job->parts || !do_part(crew)) (void)pthread_cond_wait(&crew->done, &crew->lock);
    (void)pthread_mutex_unlock(&crew->lock);
    job->posted = 0;
}

void cls_crew_run(cls_crew *crew, cls_job *job) {
    if (crew) {
        cls_crew_post(crew, job);
        cls_crew_wait(crew, job);
        return;
    }
    for (int64_t part = 0; part < job->parts; ++part) job->work(job->what, part);
}
