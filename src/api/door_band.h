/*
 * door_band.h: a band of few diagonals on the host without a handle, for src/solve: what a handle of clsolve_band takes
 * to be made, to copy the band and to be asked for its report is more than a small band takes to be solved.
 *
 *     if (cls_door_band_is_on_host(context, &task, most, &report)) ...
 *     cls_door_band band = {.type = CLSOLVE_F64, .n = n, .kl = kl, .ku = ku, .ab = ab, .pivots = pivots};
 *     if (cls_door_band_factor(&band) == 0) cls_door_band_solve(&band, x);
 */
#ifndef CLS_API_DOOR_BAND_H
#define CLS_API_DOOR_BAND_H

#include <clsolve/context.h>
#include <clsolve/report.h>

#include "cost/where.h"

/* Element (i, j) is at kl + ku + i - j + j * (2 kl + ku + 1) of `ab`, with kl more diagonals for exchanges on top,
 * zeros: LAPACK's storage for gbtrf. */
typedef struct cls_door_band {
    clsolve_type type;
    int64_t n, kl, ku;
    void *ab;        /* the band, then its factors */
    int32_t *pivots; /* n */
    int64_t above;   /* diagonals of U above its own; known after factor */
} cls_door_band;

/* kl + ku of the widest band that handles factor this way. */
int64_t cls_door_band_most(void);

/* 1: a handle without options would work on the host, in `most` seconds at most. `report` gets what the handle's report
 * says of that; NULL: not wanted. */
int cls_door_band_is_on_host(clsolve_context *context, const cls_task *task, double most, clsolve_report *report);

/* LAPACK's info. */
int64_t cls_door_band_factor(cls_door_band *band);
/* x: n of the band's type. */
void cls_door_band_solve(const cls_door_band *band, void *x);

/* Growth and determinant of factors without a zero pivot, and what else a handle says of its method. `largest`: that of
 * the band's elements. */
void cls_door_band_report(const cls_door_band *band, double largest, clsolve_report *report);

#endif
