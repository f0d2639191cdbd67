#include "method/arrival.h"

#include "base/clock.h"
#include "base/memory.h"
#include "method/transfer.h"

enum { GROUP = 256, LEAST = 2048 }; /* columns that cross as one; the order from which on it is worth it */

/* The queue that receives, which is the first to touch what comes but for the first columns of all, when nothing else
 * is in it: so nothing waits for another queue's turn on the device. */
static const cls_queue receiving = CLS_BESIDE;

int64_t cls_arrival_columns(const cls_device *device, int64_t n) {
    return device->beside && n >= LEAST ? GROUP : 0;
}

/* One buffer, so that a group is one rectangle; and as the matrix lies there, without a transposition. */
int cls_arrival_suits(const clsolve_matrix *from, const cls_matrix *to) {
    return to->rows > 0 && to->slabs == 1 && !to->mapped && from->place == CLSOLVE_ON_HOST &&
           from->layout == CLSOLVE_COLUMN_MAJOR;
}

static int64_t first_of(const cls_arrival *a, int64_t group) {
    return group * a->plan.columns;
}

static int64_t width_of(const cls_arrival *a, int64_t group) {
    const int64_t left = a->n - first_of(a, group);
    return left < a->plan.columns ? left : a->plan.columns;
}

static clsolve_status post(cls_arrival *a, int64_t g) {
    const cls_arrival_plan *p = &a->plan;
    const int64_t j = first_of(a, g);

    a->list[g].move = cls_transfer_part(p->to, p->from, p->lower ? j : 0, p->to->rows, j, width_of(a, g), 1);
    return cls_staging_post(p->device, &a->list[g].move);
}

clsolve_status cls_arrival_begin(const cls_arrival_plan *plan, cls_arrival **arrival) {
    cls_device *device = plan->device;
    const int64_t n = plan->to->cols, groups = (n + plan->columns - 1) / plan->columns;

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* what is there may still be in use */
    cls_arrival *a = cls_alloc(1, sizeof *a);
    if (a) a->list = cls_alloc((size_t)groups, sizeof *a->list);
    if (!a || !a->list) {
        cls_free(a);
        return cls_no_memory(device->error, "the list of %lld copies", (long long)groups);
    }
    a->plan = *plan;
    a->n = n;
    a->groups = groups;
    *arrival = a;
    for (int64_t g = 0; g < groups; ++g) CLS_TRY(post(a, g));
    return cls_staging_poll(device);
}

void cls_arrival_end(cls_arrival **arrival) {
    cls_arrival *a = *arrival;

    if (!a) return;
    cls_device *device = a->plan.device;
    const cls_error first = *device->error;
    cls_staging_drop(device, CLS_WAY_UP, CLS_UP);
    (void)device->ops->finish(device, receiving);
    for (int64_t g = 0; g < a->groups; ++g) {
        device->ops->event_release(device, a->list[g].move.done);
        device->ops->event_release(device, a->list[g].ready);
    }
    cls_free(a->list);
    cls_free(a);
    *arrival = NULL;
    *device->error = first;
}

/* The next group's crossing is enqueued: its receiving is too. */
static clsolve_status receive(cls_arrival *a) {
    cls_device *device = a->plan.device;
    const cls_device_ops *ops = device->ops;
    const int64_t g = a->ready;

    CLS_TRY(ops->queue_wait(device, receiving, a->list[g].move.done));
    CLS_TRY(a->plan.receive(a->plan.owner, receiving, first_of(a, g), width_of(a, g)));
    CLS_TRY(ops->mark(device, receiving, &a->list[g].ready));
    a->ready++;
    return ops->flush(device, receiving);
}

clsolve_status cls_arrival_poll(cls_arrival *arrival) {
    if (!arrival || arrival->ready == arrival->groups) return CLSOLVE_OK;
    return cls_staging_poll(arrival->plan.device);
}

/* As long as columns that a queue waits for have not come, the wait is for them. */
static clsolve_status wait_and_poll(cls_arrival *a, cls_event *event) {
    cls_device *device = a->plan.device;
    cls_event *ready = a->ready > 0 ? a->list[a->ready - 1].ready : NULL;
    const double start = cls_seconds();

    while (!device->ops->event_is_over(device, event)) {
        if (ready && device->ops->event_is_over(device, ready)) {
            a->seconds += cls_seconds() - start;
            ready = NULL;
        }
        CLS_TRY(cls_arrival_poll(a));
        cls_staging_pause(device);
    }
    if (ready) a->seconds += cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_arrival_wait(cls_arrival *arrival, cls_device *device, cls_event *event) {
    if (arrival && arrival->ready < arrival->groups) CLS_TRY(wait_and_poll(arrival, event));
    return device->ops->event_wait(device, event);
}

clsolve_status cls_arrival_await(cls_arrival *arrival, cls_queue queue, int64_t end) {
    cls_arrival *a = arrival;

    if (!a) return CLSOLVE_OK;
    cls_device *device = a->plan.device;
    const int64_t groups = ((end < a->n ? end : a->n) + a->plan.columns - 1) / a->plan.columns;
    if (groups <= a->waited[queue]) return CLSOLVE_OK;
    const double start = cls_seconds();
    while (a->ready < groups) {
        CLS_TRY(cls_staging_reach(device, &a->list[a->ready].move));
        CLS_TRY(receive(a));
    }
    a->seconds += cls_seconds() - start;
    a->waited[queue] = groups;
    if (queue == receiving) return CLSOLVE_OK;
    return device->ops->queue_wait(device, queue, a->list[groups - 1].ready);
}

int64_t cls_arrival_arrived(cls_arrival *arrival) {
    cls_arrival *a = arrival;
    int64_t g = a ? a->ready : 0;

    if (!a) return INT64_MAX;
    cls_device *device = a->plan.device;
    while (g < a->groups && a->list[g].move.done && device->ops->event_is_over(device, a->list[g].move.done)) ++g;
    return g < a->groups ? first_of(a, g) : INT64_MAX;
}
