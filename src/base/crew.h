/*
 * crew.h: a few threads of the host that move memory for the one that drives the device: one core copies far less in a second than
 * a bus. A job is a number of parts; jobs are begun in the order in which they were posted, each part by whoever is free, the
 * thread that waits among them. Work allocates nothing, fails never, and touches no device.
 *
 *      post(crew, job) ... the caller does something else ... wait(crew, job)
 *
 * One thread posts and waits.
 */
#ifndef CLS_CREW_H
#define CLS_CREW_H

#include <stdint.h>

typedef struct cls_crew cls_crew;

typedef struct cls_job {
    void (*work)(void *what, int64_t part); /* of 0 .. parts - 1, each once, from any thread */
    void *what;
    int64_t parts;
    /* The crew's own; zeros before the first post. */
    int64_t begun, done;
    struct cls_job *next;
    int posted;
} cls_job;

/* As many threads as this machine has cores beside the caller's, at most `most`: none is fine, and the work is then done
 * by the one that waits. NULL: no memory. */
cls_crew *cls_crew_create(int most);
void cls_crew_destroy(cls_crew *crew); /* all jobs have been waited for; NULL is fine */

/* `job` stays where it is until it has been waited for. */
void cls_crew_post(cls_crew *crew, cls_job *job);
/* Returns when all parts are done; at once for a job that is not posted. `crew` NULL: the job is not. */
void cls_crew_wait(cls_crew *crew, cls_job *job);
/* Both. `crew` NULL: does all of it. */
void cls_crew_run(cls_crew *crew, cls_job *job);

#endif
