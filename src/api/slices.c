/* slices.c: see slices.h. */
#include "api/slices.h"

#include <math.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "blas/blas.h"

/* Bytes of members that the lead keeps for itself: to wake a thread takes as long as to copy a megabyte
 * (base/pool.h). */
static const double few_bytes = 1 << 20;

clsolve_status cls_slices_setup(cls_slices *s, clsolve_context *context, const char *call, const cls_task *task,
                                double bytes, int needs_kernels) {
    double shares[CLS_DEVICES_MOST];
    int64_t devices;
    cls_device *const *list = cls_context_devices(context, &devices);
    s->context = context;
    if (devices == 1 || task->count < 2) return CLSOLVE_OK;
    if (bytes < few_bytes && !cls_environment_word("CLSOLVE_SHARES")) return CLSOLVE_OK;
    CLS_TRY(cls_context_check_type(context, call, task->type));
    s->infos = cls_alloc((size_t)task->count, sizeof *s->infos);
    if (!s->infos) return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    cls_context_shares(context, task, shares);
    for (int64_t d = 0; d < devices; d++)
        if (needs_kernels && list[d]->no_kernels) shares[d] = 0;
    cls_context_note_shares(context, shares);
    cls_deal(task->count, devices, shares, s->firsts);
    s->devices = devices;
    return CLSOLVE_OK;
}

void cls_slices_release(cls_slices *s, void (*destroy)(struct cls_batch *batch)) {
    for (int64_t d = 0; d < s->devices; d++) destroy(s->handles[d]);
    cls_free(s->infos);
}

clsolve_where cls_slices_where(const cls_slices *s, int64_t d, clsolve_where asked) {
    const cls_device *device = cls_context_of(s->context, d)->device;
    return asked == CLSOLVE_WHERE_AUTO && !cls_in_place(device) ? CLSOLVE_WHERE_DEVICE : asked;
}

/* ---- calls ---- */

typedef struct call_of_all {
    cls_slices *s;
    clsolve_status (*one)(void *what, int64_t d);
    void *what;
} call_of_all;

static void do_one(call_of_all *c, int64_t d) {
    cls_slices *s = c->s;
    s->status[d] = s->firsts[d] < s->firsts[d + 1] ? c->one(c->what, d) : CLSOLVE_OK;
}

static void do_peer(void *what, int64_t part) {
    do_one(what, part + 1);
}

clsolve_status cls_slices_each(cls_slices *s, const char *call, clsolve_status (*one)(void *what, int64_t d),
                               void *what) {
    call_of_all c = {s, one, what};
    cls_pool *drivers = cls_context_drivers(s->context);
    cls_job peers = {.work = do_peer, .what = &c, .parts = s->devices - 1};
    cls_pool_post(drivers, &peers);
    do_one(&c, 0); /* in this thread, which has the lock of the lead */
    cls_pool_wait(drivers, &peers);
    for (int64_t d = 0; d < s->devices; d++)
        if (s->status[d] != CLSOLVE_OK) return cls_context_failed_on(s->context, call, d, s->status[d]);
    return CLSOLVE_OK;
}

clsolve_batch cls_slices_of(const cls_slices *s, int64_t d, const clsolve_batch *all) {
    clsolve_batch part = *all;
    const int64_t first = s->firsts[d];
    part.count = s->firsts[d + 1] - first;
    if (all->offsets)
        part.offsets = all->offsets + first;
    else if (all->data)
        part.data = (char *)all->data + first * all->stride * cls_type_size(all->type);
    return part;
}

clsolve_status cls_slices_check_host(const cls_slices *s, const char *call, int enqueues,
                                     const clsolve_batch *const *views, int count) {
    for (int i = 0; i < count && s->devices > 0; i++)
        if (enqueues || (views[i] && views[i]->place == CLSOLVE_ON_DEVICE))
            return cls_fail(&s->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: a context over several devices takes arrays on the host alone", call);
    return CLSOLVE_OK;
}

void cls_slices_report(const cls_slices *s, clsolve_status (*of)(const struct cls_batch *batch, clsolve_report *report),
                       clsolve_report *report) {
    clsolve_seconds *seconds = &report->seconds;
    *seconds = (clsolve_seconds){.total = seconds->total};
    report->bytes_up = report->bytes_down = report->transfers_up = report->transfers_down = 0;
    report->device_bytes = report->host_bytes = 0;
    for (int64_t d = 0; d < s->devices; d++) {
        clsolve_report one;
        if (!s->handles[d]) continue;
        (void)of(s->handles[d], &one);
        seconds->build = fmax(seconds->build, one.seconds.build);
        seconds->upload = fmax(seconds->upload, one.seconds.upload);
        seconds->factor = fmax(seconds->factor, one.seconds.factor);
        seconds->solve = fmax(seconds->solve, one.seconds.solve);
        seconds->download = fmax(seconds->download, one.seconds.download);
        report->bytes_up += one.bytes_up;
        report->bytes_down += one.bytes_down;
        report->transfers_up += one.transfers_up;
        report->transfers_down += one.transfers_down;
        report->device_bytes += one.device_bytes;
        report->host_bytes += one.host_bytes;
        const char *used = one.direct.pivoting_used;
        if (used && (!report->direct.pivoting_used || strcmp(used, "partial") == 0))
            report->direct.pivoting_used = used;
    }
    report->where = "device";
    report->where_reason = "the members are dealt out over the devices of the context";
}
