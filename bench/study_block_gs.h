/*
 * study_block_gs.h: the scheme of the study that libclsolve's block-tridiagonal family starts from, written afresh as a
 * baseline: one work-item a line, row-major arrays, alpha and beta of the Thomas algorithm in private arrays, computed anew in
 * each sweep, work-groups of 16. And what the device copies in a second, measured in the same run.
 */
#ifndef CLSOLVE_BENCH_STUDY_BLOCK_GS_H
#define CLSOLVE_BENCH_STUDY_BLOCK_GS_H

#include <stdint.h>

typedef struct bt_study bt_study;

/* up, a, c, b, down, F: row-major, N lines of M, double. `name`: the device's. NULL where it cannot be set up. */
bt_study *bt_study_create(const char *name, int64_t N, int64_t M, const double *const arrays[6]);
/* `sweeps` red-black sweeps from Y = 0; seconds, or below 0. Y (may be NULL) gets the result. */
double bt_study_run(bt_study *s, int64_t sweeps, double *Y);
/* Bytes a second of a copy of `bytes`, counted both ways; 0 where it fails. */
double bt_study_copy_rate(bt_study *s, int64_t bytes);
void bt_study_destroy(bt_study *s);

#endif
