#include "base/pool.h"

#include <pthread.h>
#include <sched.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/system/thread.h"

enum { FEW = 3 }; /* FEW: with so many threads or fewer, the one that waits works too */

/* Seconds for which a thread looks for work before it sleeps: some times what waking it takes. */
static const double moment = 150e-6;

/* Jobs with parts that nobody has begun. */
typedef struct queue {
    cls_job *first, *last;
} queue;

struct cls_pool {
    pthread_mutex_t lock;
    pthread_cond_t wanted, done; /* there is something to begin, or to stop; a job is done */
    queue jobs, patient;         /* patient: for threads that find no other jobs */
    int stop, threads;
    int looks;                /* threads look for work before they sleep */
    int64_t waiting;          /* parts that nobody has begun */
    int64_t looking;          /* threads that look for work, awake */
    _Atomic uint64_t changes; /* counts posts, and the stop */
    pthread_t thread[CLS_POOL_MOST];
};

/* A thread that drives a device and waits for one part is late for the others when it takes a part itself. */
static int helps(const cls_pool *pool) {
    return pool->threads <= FEW;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Begins one part of the queue's first job and does it; the lock is held before and after. 0: there is none. */
static int do_part(cls_pool *pool, queue *from) {
    cls_job *job = from->first;

    if (!job) return 0;
    int64_t part = job->begun++;
    pool->waiting--;
    if (job->begun == job->parts) {
        from->first = job->next;
        if (!from->first) from->last = NULL;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    job->work(job->what, part);
    (void)pthread_mutex_lock(&pool->lock);
    if (++job->done == job->parts) (void)pthread_cond_broadcast(&pool->done);
    return 1;
}

/* Until there is something new, or a moment is over. The lock is held before and after. */
static void look(cls_pool *pool) {
    uint64_t seen = atomic_load(&pool->changes);
    pool->looking++;
    (void)pthread_mutex_unlock(&pool->lock);
    for (double start = cls_seconds(); atomic_load(&pool->changes) == seen && cls_seconds() - start < moment;) relax();
    (void)pthread_mutex_lock(&pool->lock);
    pool->looking--;
}

static void *serve(void *self) {
    cls_pool *pool = self;
    cls_guard guard;

    cls_guard_begin(&guard); /* a thread inherits the traps of the one that makes it */
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->stop) {
        if (do_part(pool, &pool->jobs) || do_part(pool, &pool->patient)) continue;
        if (pool->looks) look(pool);
        if (!pool->jobs.first && !pool->patient.first && !pool->stop)
            (void)pthread_cond_wait(&pool->wanted, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int cls_pool_spare_cores(int most) {
    int spare = cls_host_cores() - 1;
    return spare < most ? spare : most;
}

static void start_threads(cls_pool *pool, int threads) {
    while (pool->threads < threads && cls_thread_start(&pool->thread[pool->threads], NULL, serve, pool))
        pool->threads++;
}

cls_pool *cls_pool_create(int threads) {
    cls_pool *pool = cls_alloc(1, sizeof *pool);

    if (!pool) return NULL;
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        cls_free(pool);
        return NULL;
    }
    if (pthread_cond_init(&pool->wanted, NULL) != 0) {
        (void)pthread_mutex_destroy(&pool->lock);
        cls_free(pool);
        return NULL;
    }
    if (pthread_cond_init(&pool->done, NULL) != 0) {
        (void)pthread_cond_destroy(&pool->wanted);
        (void)pthread_mutex_destroy(&pool->lock);
        cls_free(pool);
        return NULL;
    }
    pool->looks = threads > FEW;
    start_threads(pool, threads < CLS_POOL_MOST ? threads : CLS_POOL_MOST);
    return pool;
}

void cls_pool_destroy(cls_pool *pool) {
    if (!pool) return;
    (void)pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    atomic_fetch_add(&pool->changes, 1);
    (void)pthread_cond_broadcast(&pool->wanted);
    (void)pthread_mutex_unlock(&pool->lock);
    for (int t = 0; t < pool->threads; ++t) (void)pthread_join(pool->thread[t], NULL);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_cond_destroy(&pool->wanted);
    (void)pthread_mutex_destroy(&pool->lock);
    cls_free(pool);
}

int cls_pool_threads(const cls_pool *pool) {
    return pool ? pool->threads : 0;
}

static void do_all(cls_job *job) {
    for (int64_t part = 0; part < job->parts; ++part) job->work(job->what, part);
    job->begun = job->done = job->parts;
}

static queue *queue_of(cls_pool *pool, const cls_job *job) {
    return job->patient ? &pool->patient : &pool->jobs;
}

void cls_pool_post(cls_pool *pool, cls_job *job) {
    job->begun = job->done = 0;
    job->next = NULL;
    job->posted = 1;
    if (!pool) do_all(job);
    if (!pool || job->parts == 0) return;
    (void)pthread_mutex_lock(&pool->lock);
    queue *to = queue_of(pool, job);
    if (to->last)
        to->last->next = job;
    else
        to->first = job;
    to->last = job;
    pool->waiting += job->parts;
    atomic_fetch_add(&pool->changes, 1);
    if (pool->waiting > pool->looking)
        (void)(job->parts == 1 ? pthread_cond_signal(&pool->wanted) : pthread_cond_broadcast(&pool->wanted));
    (void)pthread_mutex_unlock(&pool->lock);
}

void cls_pool_wait(cls_pool *pool, cls_job *job) {
    if (pool && job->posted) {
        if (pool->looks && !helps(pool))
            for (double start = cls_seconds(); job->done < job->parts && cls_seconds() - start < moment;) relax();
        (void)pthread_mutex_lock(&pool->lock);
        while (job->done < job->parts)
            if (job->begun == job->parts || !helps(pool) || !do_part(pool, queue_of(pool, job)))
                (void)pthread_cond_wait(&pool->done, &pool->lock);
        (void)pthread_mutex_unlock(&pool->lock);
    }
    job->posted = 0;
}

/* The lock is held. */
static void unlink_job(cls_pool *pool, const cls_job *job) {
    queue *from = queue_of(pool, job);
    cls_job *before = NULL;
    for (cls_job *at = from->first; at; before = at, at = at->next) {
        if (at != job) continue;
        *(before ? &before->next : &from->first) = job->next;
        pool->waiting -= job->parts;
        if (from->last == job) from->last = before;
        return;
    }
}

int cls_pool_withdraw(cls_pool *pool, cls_job *job) {
    int withdrawn = 0;
    if (pool && job->posted && job->parts > 0) {
        (void)pthread_mutex_lock(&pool->lock);
        withdrawn = job->begun == 0;
        if (withdrawn) unlink_job(pool, job);
        (void)pthread_mutex_unlock(&pool->lock);
    }
    if (withdrawn)
        job->posted = 0;
    else
        cls_pool_wait(pool, job);
    return withdrawn;
}

int cls_pool_is_over(cls_pool *pool, const cls_job *job) {
    return !pool || !job->posted || job->done == job->parts;
}

void cls_pool_pause(cls_pool *pool) {
    int done = 0;
    if (pool && helps(pool)) {
        (void)pthread_mutex_lock(&pool->lock);
        done = do_part(pool, &pool->jobs);
        (void)pthread_mutex_unlock(&pool->lock);
    }
    if (!done) (void)sched_yield();
}

void cls_pool_run(cls_pool *pool, cls_job *job) {
    cls_pool_post(pool, job);
    cls_pool_wait(pool, job);
}
