/* tridiagonal_batch.h: the handle of a batch of tridiagonal matrices, which two files work on. */
#ifndef CLS_API_TRIDIAGONAL_BATCH_H
#define CLS_API_TRIDIAGONAL_BATCH_H

#include <clsolve/tridiagonal_batch.h>

#include "api/context.h"
#include "api/slices.h"
#include "api/where.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"

struct clsolve_tridiagonal_batch {
    clsolve_context *context;
    cls_choice choice;   /* on the device, or on the host */
    cls_bt_members work; /* of an empty batch, or on the host, all zeros */
    cls_host_lines host; /* of an empty batch, or on the device, all zeros */
    int64_t n, count;
    clsolve_type type;
    clsolve_pivoting pivoting;
    clsolve_where where;
    int32_t *infos, *now; /* count each: of the last factorization, and of the call */
    int factored;
    clsolve_status status;                    /* of the last call */
    cls_error message;                        /* see enqueue.h */
    int64_t info, member, nrhs, device_bytes; /* of the last call: the first member without a solution, from 1 */
    double build_seconds;
    clsolve_seconds seconds;
    cls_counters before, moved;
    double start;
    double *whole;     /* on the host: the phase that is all of the call; else NULL */
    cls_slices slices; /* over several devices; then `work` and `host` are all zeros */
};

static inline int cls_lines_are_empty(const clsolve_tridiagonal_batch *batch) {
    return batch->n == 0 || batch->count == 0;
}

static inline int cls_lines_on_host(const clsolve_tridiagonal_batch *batch) {
    return batch->choice.device->no_kernels;
}

#endif
