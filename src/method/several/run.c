/* run.c: the devices' work, a thread each, and what becomes of a failure. */
#include "method/several/several.h"

#include <stdio.h>

#include "base/memory.h"

typedef struct worker {
    cls_several_part *part;
    cls_several_work work;
    void *what;
    pthread_t thread;
    int runs;
} worker;

clsolve_status cls_several_stopped(void) {
    return CLSOLVE_ERROR_DEVICE;
}

static void note_failure(cls_several_part *part) {
    cls_several *several = part->several;

    (void)pthread_mutex_lock(&several->lock);
    if (!several->failed) several->first_failed = part->number;
    several->failed = 1;
    (void)pthread_cond_broadcast(&several->changed);
    (void)pthread_mutex_unlock(&several->lock);
}

/* After a failure too nothing may still run in memory that others give back. */
static clsolve_status finish(cls_device *device, clsolve_status status) {
    const cls_error first = *device->error;
    const int failed = status != CLSOLVE_OK;

    for (int q = 0; q < CLS_QUEUES; ++q) {
        clsolve_status done = device->ops->finish(device, (cls_queue)q);
        if (status == CLSOLVE_OK) status = done;
    }
    if (failed) *device->error = first;
    return status;
}

static void *run_one(void *what) {
    worker *w = what;
    cls_several_part *part = w->part;

    part->status = w->work(part, w->what);
    if (part->status != CLSOLVE_OK) note_failure(part);
    const clsolve_status done = finish(part->lu.device, part->status);
    if (part->status == CLSOLVE_OK && done != CLSOLVE_OK) {
        part->status = done;
        note_failure(part);
    }
    return NULL;
}

clsolve_status cls_several_tell(cls_several *several, const cls_several_part *part, clsolve_status status) {
    const clsolve_device_info *info = &part->lu.device->info;
    char text[sizeof part->lu.device->error->text];

    (void)snprintf(text, sizeof text, "%s", part->lu.device->error->text);
    return cls_fail(several->error, status, "device %s (%s): %s", info->selector, info->name, text);
}

clsolve_status cls_several_fail(cls_several *several, const cls_several_part *part, clsolve_status status) {
    (void)cls_several_tell(several, part, status);
    for (int p = 0; p < several->count; ++p) (void)finish(several->parts[p].lu.device, status);
    return status;
}

static clsolve_status tell(cls_several *several) {
    const cls_several_part *part = &several->parts[several->first_failed];
    return cls_several_tell(several, part, part->status);
}

clsolve_status cls_several_run(cls_several *several, cls_several_work work, void *what) {
    worker *workers = cls_alloc((size_t)several->count, sizeof *workers);
    const char *short_of = NULL;

    if (!workers)
        return cls_fail(several->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the devices' threads");
    several->failed = 0;
    for (int p = 0; p < several->count; ++p) several->parts[p].status = CLSOLVE_OK;
    for (int p = 1; p < several->count; ++p) {
        workers[p] = (worker){.part = &several->parts[p], .work = work, .what = what};
        workers[p].runs = pthread_create(&workers[p].thread, NULL, run_one, &workers[p]) == 0;
        if (workers[p].runs) continue;
        short_of = "the host gives no thread for the device";
        (void)cls_fail(several->parts[p].lu.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s", short_of);
        several->parts[p].status = CLSOLVE_ERROR_OUT_OF_MEMORY;
        note_failure(&several->parts[p]);
        break;
    }
    workers[0] = (worker){.part = &several->parts[0], .work = work, .what = what};
    if (!short_of) (void)run_one(&workers[0]);
    for (int p = 1; p < several->count; ++p)
        if (workers[p].runs) (void)pthread_join(workers[p].thread, NULL);
    cls_free(workers);
    return several->failed ? tell(several) : CLSOLVE_OK;
}
