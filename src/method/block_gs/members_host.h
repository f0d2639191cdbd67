/*
 * members_host.h: many tridiagonal systems on the host, members shared out among its threads. Outcomes are those of
 * members.h; rows are always exchanged where LAPACK does (lines_host.h).
 */
#ifndef CLS_BLOCK_GS_MEMBERS_HOST_H
#define CLS_BLOCK_GS_MEMBERS_HOST_H

#include <clsolve/block_gs.h>

#include "device/device.h"

/* For fewer unknowns in all, times the right-hand sides, no thread is woken: it would take longer. */
enum { CLS_HOST_LINES_SERIAL = 16384 };

typedef struct cls_host_lines {
    cls_device *device;
    clsolve_type type;
    int64_t n, count;
    void *values;  /* of each member: below, on, above, two above the diagonal, and reciprocals, n each */
    int8_t *swaps; /* n + 1 each */
    int *powers;   /* a number each: the member was multiplied by two to that */
} cls_host_lines;

/* `lines` is zeroed memory; on failure the caller still releases it. n and count are at least 1. */
clsolve_status cls_host_lines_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                    cls_host_lines *lines);
void cls_host_lines_release(cls_host_lines *lines);

/* As cls_bt_members_factor and cls_bt_members_solve; the caller reads the clock. */
void cls_host_lines_factor(cls_host_lines *lines, const clsolve_grid *const arrays[3], int32_t *infos);
clsolve_status cls_host_lines_solve(cls_host_lines *lines, clsolve_op op, const clsolve_grid *B, int64_t nrhs,
                                    int32_t *infos);

#endif
