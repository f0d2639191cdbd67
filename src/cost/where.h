/*
 * where.h: the time of a call on the device and on the host, for the choice between them. It computes and knows nothing
 * else: no device, no handle.
 *
 * Times come from samples, measured once on the machine (api/calibrate.c); before that, from the clock of rates.h. Each
 * family has samples at a few sizes. Between samples the logarithm of the time is linear in that of the size.
 *
 *      family              sizes             a sample has the seconds of
 *      dense LU, Cholesky, orders n          a call
 *      LDL^T
 *      inverse             orders n          a call
 *      band LU, Cholesky   k = kl = ku       a call however short, a column, a column where caches do not hold the band
 *      batch of inverses   orders n          a call however small, a member, a member of a batch that wakes no threads
 *
 * Tridiagonal lines of n unknowns take a + n b + n count c: a call, a step from one unknown to the next, and an unknown
 * of many. A grid takes a + n b, for a dominant matrix.
 */
#ifndef CLS_COST_WHERE_H
#define CLS_COST_WHERE_H

#include "cost/rates.h"

typedef enum cls_family {
    CLS_FAMILY_LU = 0,
    CLS_FAMILY_INVERSE = 1,
    CLS_FAMILY_CHOLESKY = 2,
    CLS_FAMILY_BAND = 3,
    CLS_FAMILY_BAND_CHOLESKY = 4,
    CLS_FAMILY_BATCH = 5, /* many small inverses */
    CLS_FAMILY_LINES = 6, /* many tridiagonal systems */
    CLS_FAMILY_GRID = 7,  /* the iteration for grids, of n unknowns in all; on the device alone */
    CLS_FAMILY_LDL = 8,
    CLS_FAMILIES = 9
} cls_family;

/* The work of a batch on each member. */
typedef enum cls_members_kind {
    CLS_MEMBERS_INVERSES = 0,
    CLS_MEMBERS_CHOLESKY = 1,
    CLS_MEMBERS_SPARSE = 2, /* LU of one pattern */
    CLS_MEMBERS_LU = 3,
    CLS_MEMBERS_LDL = 4
} cls_members_kind;
/* By the batches of LU, Cholesky and LDL^T. */
static inline int cls_members_are_factored(cls_members_kind kind) {
    return kind == CLS_MEMBERS_CHOLESKY || kind == CLS_MEMBERS_LU || kind == CLS_MEMBERS_LDL;
}

/* From host to host: LU, Cholesky, LDL^T, bands and lines factor A and solve for nrhs right-hand sides; inverses are
 * inverted. */
typedef struct cls_task {
    cls_family family;
    clsolve_type type;
    int64_t n, kl, ku, nrhs;
    int64_t count; /* members of a batch */
    cls_members_kind kind;
    int64_t order;   /* of the members, where they take the time of inverses of order n */
    int64_t classes; /* members of orders of their own: a bit for each class that has members; 0: all have one order */
} cls_task;

/* Tasks of one family and type that have the same shape use the same kernels. */
int64_t cls_task_shape(const cls_task *task);

enum { CLS_SAMPLES = 5 };
extern const int64_t cls_sample_orders[CLS_SAMPLES];    /* n of dense matrices */
extern const int64_t cls_sample_diagonals[CLS_SAMPLES]; /* k = kl = ku of bands */
extern const int64_t cls_sample_members[CLS_SAMPLES];   /* n of the members of a batch */

/* Bytes of a band's factors from which on caches do not hold them: two megabytes are a usual second level for a
 * core. */
enum { CLS_BAND_CACHED = 2 << 20 };

/* Seconds. `each`: of a column or a member, else 0. `other`: the third of the table's figures. For lines and
 * grids fixed[0] is a, each[0] b and each[1] c. */
typedef struct cls_samples {
    double fixed[CLS_SAMPLES], each[CLS_SAMPLES], other[CLS_SAMPLES];
    double serial; /* a batch of fewer operations, n^3 for a member, wakes no threads; lines of fewer unknowns in all */
} cls_samples;

/* One family and type, on both sides. */
typedef struct cls_times {
    int32_t known; /* 1: measured; 0: guessed */
    int32_t reserved;
    cls_samples host, device;
} cls_times;

cls_times cls_times_guess(const clsolve_device_info *device, int32_t cores, cls_family family, clsolve_type type);

typedef struct cls_seconds_pair {
    double host, device;
} cls_seconds_pair;

static inline int cls_family_is_band(cls_family family) {
    return family == CLS_FAMILY_BAND || family == CLS_FAMILY_BAND_CHOLESKY;
}

/* The times of the task, with kernels that are built. */
cls_seconds_pair cls_times_of(const cls_times *times, const cls_task *task);

#endif
