#include "method/lu/arrival.h"

#include "base/clock.h"
#include "base/memory.h"

enum { GROUP = 256, LEAST = 2048 }; /* columns that cross as one; the order from which on it is worth it */

/* The queue that measures, which is the first to touch what comes but for the first columns of all, when nothing else is
 * in it: so nothing waits for another queue's turn on the device. */
static const cls_queue measuring = CLS_BESIDE;

int64_t cls_lu_arrival_columns(const cls_device *device, int64_t n) {
    return device->beside && n >= LEAST ? GROUP : 0;
}

/* One buffer, so that a group is one rectangle; and as the matrix lies there, without a transposition. */
int cls_lu_can_arrive(const cls_lu *lu, const clsolve_matrix *view) {
    return lu->ahead && !lu->rbt.on && lu->arrival_columns > 0 && lu->n > 0 && lu->A.slabs == 1 && !lu->A.mapped &&
           view->place == CLSOLVE_ON_HOST && view->layout == CLSOLVE_COLUMN_MAJOR;
}

static int64_t first_of(const cls_lu_arrival *a, int64_t group) {
    return group * a->columns;
}

static int64_t width_of(const cls_lu *lu, const cls_lu_arrival *a, int64_t group) {
    int64_t left = lu->n - first_of(a, group);
    return left < a->columns ? left : a->columns;
}

static clsolve_status post(cls_lu *lu, const clsolve_matrix *view, int64_t g) {
    cls_lu_arrival *a = lu->arrival;
    const int64_t size = cls_type_size(lu->type), j = first_of(a, g);
    const cls_ref ref = cls_matrix_at(&lu->A, 0, j);

    a->list[g].move =
        (cls_move){.queue = CLS_UP,
                   .buffer = ref.buffer,
                   .host = (char *)view->data + j * view->ld * size,
                   .rect = {(size_t)(lu->n * size), (size_t)width_of(lu, a, g), (size_t)(ref.offset * size),
                            (size_t)(ref.ld * size), (size_t)(view->ld * size)}};
    return cls_staging_post(lu->device, &a->list[g].move);
}

clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view) {
    cls_counters *counters = &lu->device->counters;
    const int64_t groups = (lu->n + lu->arrival_columns - 1) / lu->arrival_columns;
    cls_lu_arrival *a = cls_alloc(1, sizeof *a);

    CLS_TRY(lu->device->ops->finish(lu->device, CLS_COMPUTE)); /* what is there may still be in use */
    if (a) a->list = cls_alloc((size_t)groups, sizeof *a->list);
    if (!a || !a->list) {
        cls_free(a);
        return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the list of %lld copies",
                        (long long)groups);
    }
    a->groups = groups;
    a->columns = lu->arrival_columns;
    lu->arrival = a;
    for (int64_t g = 0; g < groups; ++g) CLS_TRY(post(lu, view, g));
    counters->transfers_up -= groups - 1; /* it is one matrix */
    return cls_staging_poll(lu->device);
}

void cls_lu_arrival_end(cls_lu *lu) {
    cls_lu_arrival *a = lu->arrival;
    cls_device *device = lu->device;
    cls_error first = *device->error;

    if (!a) return;
    cls_staging_drop(device, CLS_WAY_UP, CLS_UP);
    (void)device->ops->finish(device, measuring);
    for (int64_t g = 0; g < a->groups; ++g) {
        device->ops->event_release(device, a->list[g].move.done);
        device->ops->event_release(device, a->list[g].ready);
    }
    cls_free(a->list);
    cls_free(a);
    lu->arrival = NULL;
    *device->error = first;
}

/* The next group's crossing is enqueued: its measuring is too. */
static clsolve_status measure(cls_lu *lu) {
    cls_lu_arrival *a = lu->arrival;
    const cls_device_ops *ops = lu->device->ops;
    const int64_t g = a->ready;

    CLS_TRY(ops->queue_wait(lu->device, measuring, a->list[g].move.done));
    CLS_TRY(cls_check_accumulate(lu->device, &lu->check, measuring, &lu->A, first_of(a, g), width_of(lu, a, g), g > 0));
    CLS_TRY(ops->mark(lu->device, measuring, &a->list[g].ready));
    a->ready++;
    return ops->flush(lu->device, measuring);
}

clsolve_status cls_lu_arrival_poll(cls_lu *lu) {
    cls_lu_arrival *a = lu->arrival;

    if (!a || a->ready == a->groups) return CLSOLVE_OK;
    return cls_staging_poll(lu->device);
}

clsolve_status cls_lu_arrival_await(cls_lu *lu, cls_queue queue, int64_t end) {
    cls_lu_arrival *a = lu->arrival;

    if (!a) return CLSOLVE_OK;
    const int64_t groups = ((end < lu->n ? end : lu->n) + a->columns - 1) / a->columns;
    if (groups <= a->waited[queue]) return CLSOLVE_OK;
    const double start = cls_seconds();
    while (a->ready < groups) {
        CLS_TRY(cls_staging_reach(lu->device, &a->list[a->ready].move));
        CLS_TRY(measure(lu));
    }
    a->seconds += cls_seconds() - start;
    a->waited[queue] = groups;
    if (queue == measuring) return CLSOLVE_OK;
    return lu->device->ops->queue_wait(lu->device, queue, a->list[groups - 1].ready);
}

int64_t cls_lu_arrived(cls_lu *lu) {
    cls_lu_arrival *a = lu->arrival;
    int64_t g = a ? a->ready : 0;

    if (!a) return lu->n;
    while (g < a->groups && a->list[g].move.done && lu->device->ops->event_is_over(lu->device, a->list[g].move.done))
        ++g;
    return g < a->groups ? first_of(a, g) : lu->n;
}
