/*
 * arrival.h: the caller's matrix comes up while its first columns are factored. Groups of columns cross one behind the
 * other. Behind each crossing the method enqueues what the columns need before they are used, such as their measures. A
 * queue waits for the columns alone that it comes to next:
 *
 *      cls_arrival_begin(&plan, &arrival)
 *      cls_arrival_await(arrival, CLS_COMPUTE, 256)    ... the columns 0 .. 255 in COMPUTE ...
 *      cls_arrival_await(arrival, CLS_COMPUTE, 512)    ... the columns 0 .. 511 ...
 *      cls_arrival_end(&arrival)
 *
 * The measures are there when all is factored. So a matrix that they refuse is refused after the work, and the caller
 * has lost nothing by it.
 */
#ifndef CLS_METHOD_ARRIVAL_H
#define CLS_METHOD_ARRIVAL_H

#include <clsolve/matrix.h>

#include "device/matrix.h"
#include "device/staging.h"

/* Enqueues in `queue` what follows the crossing of the columns begin .. begin + cols - 1. Groups come in their
 * order. */
typedef clsolve_status cls_arrival_receive(void *owner, cls_queue queue, int64_t begin, int64_t cols);

typedef struct cls_arrival_plan {
    cls_device *device;
    const clsolve_matrix *from; /* on the host, column-major; not touched until the end */
    const cls_matrix *to;
    int64_t columns; /* of each group but the last */
    int lower;       /* of each group only the rows from its first column on cross */
    cls_arrival_receive *receive;
    void *owner;
} cls_arrival_plan;

typedef struct cls_arrival_group {
    cls_move move;
    cls_event *ready; /* it has crossed and is received; NULL: that is not enqueued yet */
} cls_arrival_group;

typedef struct cls_arrival {
    cls_arrival_plan plan; /* but for `from` and `to`, which are its caller's */
    int64_t n;             /* columns in all */
    cls_arrival_group *list;
    int64_t groups;
    int64_t ready;              /* groups whose receiving is enqueued */
    int64_t waited[CLS_QUEUES]; /* so many of them that queue waits for */
    double seconds;             /* that the host waited for columns */
} cls_arrival;

/* Columns of a group for a matrix of order n, 0: it is not worth it. Only where queues give way to each other: through
 * OpenCL, measured on an H200 with dense LU, it was no faster and less even. */
int64_t cls_arrival_columns(const cls_device *device, int64_t n);
/* Can this view come so to this matrix? */
int cls_arrival_suits(const clsolve_matrix *from, const cls_matrix *to);

/* Begins, behind what the compute queue has. *arrival is there until cls_arrival_end, also after a failure. */
clsolve_status cls_arrival_begin(const cls_arrival_plan *plan, cls_arrival **arrival);
/* Waits for what still crosses. NULL in *arrival is fine. */
void cls_arrival_end(cls_arrival **arrival);

/* The calls below take NULL where there is no arrival. */

/* Between other work: what can cross does. */
clsolve_status cls_arrival_poll(cls_arrival *arrival);
/* The host waits for an event while columns go on to cross. */
clsolve_status cls_arrival_wait(cls_arrival *arrival, cls_device *device, cls_event *event);
/* Work that is enqueued in that queue from now on finds the columns before `end`. */
clsolve_status cls_arrival_await(cls_arrival *arrival, cls_queue queue, int64_t end);
/* The columns before this one have arrived; INT64_MAX: all of them. */
int64_t cls_arrival_arrived(cls_arrival *arrival);

#endif
