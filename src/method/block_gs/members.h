/*
 * members.h: many tridiagonal systems: the lines of a grid that nothing couples, each with an outcome of its own. One
 * sweep solves them. A member is a line.
 */
#ifndef CLS_BLOCK_GS_MEMBERS_H
#define CLS_BLOCK_GS_MEMBERS_H

#include <clsolve/report.h>

#include "method/block_gs/block_gs.h"

typedef struct cls_bt_members {
    cls_bt bt;
    cls_kernel *lift, *lift_right;  /* cl/bt_lift.cl */
    cls_kernel *outcome, *put_back; /* cl/bt_members.cl */
    cls_kernel *conjugate;          /* of complex elements */
    cls_buffer *lifts;              /* for each lane the power that its line was divided by */
    cls_buffer *flags;              /* one for all, then one for each lane: its line has no solution */
    int32_t *seen;                  /* `flags` as the host sees it; NULL: it is the device's own */
    int is_clear;                   /* no flag is set */
    int lifted;                     /* some line's power is not 1 */
    int32_t *lanes;                 /* the host's room for `lifts` or `flags` */
} cls_bt_members;

/* `members` is zeroed memory; on failure the caller still releases it. n and count are at least 1. */
clsolve_status cls_bt_members_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                    clsolve_pivoting pivoting, cls_bt_members *members);
void cls_bt_members_release(cls_bt_members *members);

/* arrays: below, on and above the diagonal. infos, one for each member: 0, the first zero pivot from 1, or -1 for NaN
 * or Inf. */
clsolve_status cls_bt_members_factor(cls_bt_members *members, const clsolve_grid *const arrays[3], int32_t *infos,
                                     clsolve_seconds *seconds);

/*
 * B becomes the solutions. infos: of the factorization; becomes -1 also where a member's B or solution is not finite. A
 * member whose info is not 0 is as it was in B.
 */
clsolve_status cls_bt_members_solve(cls_bt_members *members, clsolve_op op, const clsolve_grid *B, int64_t nrhs,
                                    int32_t *infos, clsolve_seconds *seconds);

#endif
