/*
 * job_device.c: the device of a job. A driver takes some tenths of a second to open, so a thread opens it while the
 * files are read. Nothing is said of a device before the files are known to be right.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/thread.h"
#include "tool/solve_job.h"

struct job_opening {
    pthread_t thread;
    const char *selector;
    clsolve_context *context;
    clsolve_status status;
    char said[SAID_SIZE];
};

static void *open_context(void *what) {
    job_opening *opening = what;
    clsolve_context_options options = {
        .selector = opening->selector, .message = opening->said, .message_size = sizeof opening->said};
    opening->status = clsolve_context_create_with(&options, &opening->context);
    return NULL;
}

void job_begin_device(solve_job *job) {
    job_opening *opening = calloc(1, sizeof *opening);
    if (opening == NULL) return; /* it is opened when it is needed */
    opening->selector = job->selector;
    if (cls_thread_start(&opening->thread, NULL, open_context, opening))
        job->opening = opening;
    else
        free(opening);
}

void job_drop_device(solve_job *job) {
    if (job->opening == NULL) return;
    (void)pthread_join(job->opening->thread, NULL);
    clsolve_context_destroy(job->opening->context);
    free(job->opening);
    job->opening = NULL;
}

exit_code job_open_device(solve_job *job, clsolve_context **context, outcome *out) {
    job_opening here = {.selector = job->selector}, *opening = job->opening ? job->opening : &here;
    char text[SAID_SIZE];
    if (opening == &here)
        (void)open_context(&here);
    else
        (void)pthread_join(opening->thread, NULL);
    clsolve_status status = opening->status;
    *context = opening->context;
    said_in_own_words(opening->said, status, text);
    free(job->opening);
    job->opening = NULL;
    if (status != CLSOLVE_OK) return outcome_fail_status(out, status, "%s%s", text, said_of_devices(status));
    job->device = clsolve_context_device(*context);
    return EXIT_CODE_OK;
}

/* The place of the host in the list; -1: it is not one of the context's devices. */
static int64_t host_of(clsolve_context *context, int64_t count) {
    for (int64_t d = 0; d < count; d++)
        if (strcmp(clsolve_context_device_at(context, d).backend, "host") == 0) return d;
    return -1;
}

/* Work that was not dealt out was one device's: the lead's, or the host's, which need not be in the list. */
static void note_shares(solve_job *job, clsolve_context *context) {
    const clsolve_report *r = &job->report;
    const int on_host = r->where != NULL && strcmp(r->where, "host") == 0 && r->direct.devices <= 1;
    const int64_t one = on_host ? host_of(context, job->device_count) : 0;
    double dealt = 0;
    for (int64_t d = 0; d < job->device_count && job->has_report && !on_host && r->direct.devices != 1; d++)
        dealt += job->devices[d].share = clsolve_context_share_at(context, d);
    if (dealt == 0 && job->has_report && one >= 0) job->devices[one].share = 1;
    job->devices_used = r->direct.devices > 1 ? r->direct.devices : 0;
    for (int64_t d = 0; d < job->device_count && r->direct.devices <= 1; d++)
        job->devices_used += job->devices[d].share > 0;
}

/* After the work: into job->devices, which job_free_devices frees. */
static void note_devices(solve_job *job, clsolve_context *context) {
    const int64_t count = clsolve_context_device_count(context);
    job_free_devices(job);
    job->devices = calloc((size_t)count, sizeof *job->devices);
    if (job->devices == NULL) return; /* the report is without */
    job->device_count = count;
    for (int64_t d = 0; d < count; d++) {
        const clsolve_device_info info = clsolve_context_device_at(context, d);
        job_device *to = &job->devices[d];
        (void)snprintf(to->selector, sizeof to->selector, "%s", info.selector);
        (void)snprintf(to->name, sizeof to->name, "%s", info.name);
    }
    note_shares(job, context);
}

exit_code job_on_device(solve_job *job, exit_code (*work)(clsolve_context *, solve_job *, outcome *), outcome *out) {
    clsolve_context *context = NULL;
    exit_code code = job_open_device(job, &context, out);
    if (code != EXIT_CODE_OK) return code;
    code = work(context, job, out);
    note_devices(job, context);
    clsolve_context_destroy(context);
    return code;
}

void job_free_devices(solve_job *job) {
    free(job->devices);
    job->devices = NULL;
    job->device_count = 0;
}
