/*
 * pool.h: a few threads of the host that move memory for the one that drives the device: one core copies far less in a
 * second than a bus. A job is a number of parts; jobs are begun in the order in which they were posted, each part by
 * whoever is free. Work keeps its own failures, and touches no device. Another pool compiles (programs.c).
 *
 *      post(pool, job) ... the caller does something else ... wait(pool, job)
 *
 * Threads that have nothing to do look for work a moment longer before they sleep, and so does the one that waits: to
 * wake a thread takes as long as to copy a megabyte. With few cores nobody does.
 *
 * A job that is `patient` may last while others come: each of its parts is begun when no other job has one to begin. So
 * its parts are to be short.
 *
 * One thread posts and waits. Everywhere a pool that is NULL has no threads: what is posted to it is done at once.
 */
#ifndef CLS_POOL_H
#define CLS_POOL_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct cls_pool cls_pool;

enum { CLS_POOL_MOST = 32 }; /* threads of a pool, at most */

typedef struct cls_job {
    void (*work)(void *what, int64_t part); /* of 0 .. parts - 1, each once, from any thread */
    void *what;
    int64_t parts;
    int patient; /* 1: other jobs go before it */
    /* The pool's own; zeros before the first post. */
    int64_t begun;
    _Atomic int64_t done;
    struct cls_job *next;
    int posted;
} cls_job;

/* The cores that this process may use apart from the caller's, at most `most`. */
int cls_pool_spare_cores(int most);
/* So many threads, or fewer where the system gives no more; none is fine, and the work is then done by the one that
 * waits. NULL: no memory. */
cls_pool *cls_pool_create(int threads);
void cls_pool_destroy(cls_pool *pool); /* all jobs have been waited for; NULL is fine */
int cls_pool_threads(const cls_pool *pool);

/* `job` stays where it is until it has been waited for. */
void cls_pool_post(cls_pool *pool, cls_job *job);
/* Returns when all parts are done; at once for a job that is not posted. If there are few threads, the caller's is
 * one of them. */
void cls_pool_wait(cls_pool *pool, cls_job *job);
/* Takes a job back, unless a part of it has begun: then it waits. 1: no part was done. */
int cls_pool_withdraw(cls_pool *pool, cls_job *job);
/* Would cls_pool_wait return at once? */
int cls_pool_is_over(cls_pool *pool, const cls_job *job);
/* For one who looks again and again whether something is over: lets others run, and does a part where cls_pool_wait
 * would. NULL is fine. */
void cls_pool_pause(cls_pool *pool);
/* Post and wait. */
void cls_pool_run(cls_pool *pool, cls_job *job);

#endif
