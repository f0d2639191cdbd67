/*
 * fit.h: the sizes of dense LU that are fastest on a device (tuning/fitted.h), by factorizations and solves of real
 * matrices, as any handle makes them.
 *
 *      cls_fit_options options = {.seconds = 10, .keep = store_it, .keeper = it};
 *      CLS_TRY(cls_lu_fit(device, CLSOLVE_F64, &options, &record, &state));
 *
 *      1. the leaf, at the largest order up to 4096 whose trials take a small part of the time
 *      2. for n = 1024, 2048 ... 16384, as far as time and memory go: the block, and whether look-ahead pays
 *      3. the block of the substitution with few right-hand sides, at n up to 4096
 *
 * Each measurement changes one size of those found so far. Blocks begin with the default and go up and down while that
 * helps. A measurement that is in the record already is not made again.
 */
#ifndef CLS_LU_FIT_H
#define CLS_LU_FIT_H

#include <clsolve/report.h>

#include "tuning/fitted.h"

typedef struct cls_fit_options {
    double seconds; /* a measurement that is under way then is finished, and one is always made */
    double limit;   /* the end, where `seconds` only says which orders are worth measuring; 0: `seconds` is both */
    clsolve_progress progress;
    void *progress_user;
    void (*keep)(void *keeper, const cls_fit_record *record); /* after each measurement; NULL: nobody keeps it */
    void *keeper;
} cls_fit_options;

typedef struct cls_fit_state {
    int32_t measured; /* in this call */
    int32_t stopped;  /* 1: time was up before all was measured; the next call goes on */
} cls_fit_state;

/* `record`: what was measured before, or zeros; out: the same with more. Its sizes are not used by this device yet. */
clsolve_status cls_lu_fit(cls_device *device, clsolve_type type, const cls_fit_options *options, cls_fit_record *record,
                          cls_fit_state *state);

/* ---- fit_trial.c: one measurement ---- */

/* Numbers that the matrices are made of. */
typedef struct cls_lu_trials {
    cls_device *device;
    clsolve_type type;
    void *numbers;
} cls_lu_trials;

clsolve_status cls_lu_trials_create(cls_device *device, clsolve_type type, cls_lu_trials *trials);
void cls_lu_trials_destroy(cls_lu_trials *trials);

/* Whether a matrix of that order has room, with some to spare. */
int cls_lu_trial_fits(const cls_lu_trials *trials, int64_t n);

/* Seconds of a factorization of order n with these sizes; with `solve` of a solve with one right-hand side. */
clsolve_status cls_lu_trial(const cls_lu_trials *trials, int64_t n, const cls_fitted *fitted, int solve,
                            double *seconds);

#endif
