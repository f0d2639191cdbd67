/*
 * arrival.h: the caller's matrix comes up while its first columns are factored: groups of columns cross one behind the
 * other, each is measured as it arrives, and the look-ahead (lookahead.c) waits for those alone that it comes to next.
 * The measures are there when all is factored; what they refuse then is refused after the work, and the caller has
 * lost nothing by it.
 */
#ifndef CLS_LU_ARRIVAL_H
#define CLS_LU_ARRIVAL_H

#include "device/staging.h"
#include "method/lu/lu.h"

typedef struct cls_lu_group {
    cls_move move;
    cls_event *ready; /* it has crossed and is measured; NULL: that is not enqueued yet */
} cls_lu_group;

struct cls_lu_arrival {
    cls_lu_group *list;
    int64_t groups, columns;    /* how many, and the columns of each but the last */
    int64_t ready;              /* groups whose measuring is enqueued */
    int64_t waited[CLS_QUEUES]; /* so many of them that queue waits for */
    double seconds;             /* that the host waited */
};

/* lu->arrival_columns for a matrix of this order, where look-ahead factors it. Only where queues give way to each other:
 * through OpenCL, measured on an H200, it was no faster and less even. */
int64_t cls_lu_arrival_columns(const cls_device *device, int64_t n);
/* Can this view come so? */
int cls_lu_can_arrive(const cls_lu *lu, const clsolve_matrix *view);
/* Begins; lu->arrival is there until cls_lu_arrival_end, which waits for what still crosses. Between them the view is
 * not touched. */
clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view);
void cls_lu_arrival_end(cls_lu *lu);

/* Between other work: what can cross does. */
clsolve_status cls_lu_arrival_poll(cls_lu *lu);
/* What is enqueued in that queue from now on finds the columns before `end`. */
clsolve_status cls_lu_arrival_await(cls_lu *lu, cls_queue queue, int64_t end);
/* The columns before this one have arrived; all of them, where there is no arrival. */
int64_t cls_lu_arrived(cls_lu *lu);

#endif
