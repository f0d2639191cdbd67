/* trust.h: what handles of LU and of bands have in common: how they say what is wrong with a matrix, and the solve of one that
 * refines. */
#ifndef CLS_API_TRUST_H
#define CLS_API_TRUST_H

#include <clsolve/matrix.h>
#include <clsolve/report.h>

#include "api/context.h"
#include "method/refine.h"

/* NaN or Inf in a matrix as a failure: names the element, given from 0. */
clsolve_status cls_nonfinite(clsolve_context *context, clsolve_status status, const char *what, int64_t row,
                             int64_t column);
/* The pivot of column `info`, counted from 1, is zero: a failure of `call`. */
clsolve_status cls_singular(clsolve_context *context, const char *call, int64_t info);

/* What the device has moved since `before`. */
void cls_count_moved(const cls_device *device, const cls_counters *before, cls_counters *moved);

/* What one handle's calls took: of its create, its last factorization and its last solve. */
typedef struct cls_costs {
    double create, build;
    clsolve_seconds factor, solve;
    cls_counters factor_moved, solve_moved;
} cls_costs;

/* Their sums into the report's seconds, bytes and transfers. */
void cls_report_costs(const cls_costs *costs, clsolve_report *report);

/* A solve of right-hand sides on the host by factors that are refined, or not. */
typedef struct cls_trusted {
    clsolve_context *context;
    clsolve_type type; /* of the caller's matrices */
    const char *X, *B; /* "clsolve_lu_solve: X", as cls_nonfinite's `what` */
    cls_refined *steps;
    void *handle;
    /* At most CLS_REFINE_COLUMNS columns, tight doubles; what it takes joins *steps. */
    clsolve_status (*solve)(void *handle, clsolve_op op, int64_t cols, const double *B, double *X);
    /* Does the answer in *steps do, or is there nothing to fall back to? */
    int (*done)(const void *handle);
    /* Takes better factors in the place of those that did not do. Where it has no device memory for them, those that
     * there are stay, and an acceptable answer of theirs stands. */
    clsolve_status (*fall_back)(void *handle);
    /* Are the factors in use float's, and the answer is to be double's? */
    int (*in_float)(const void *handle);
} cls_trusted;

/* B becomes X, or on any status but OK stays as it was. */
clsolve_status cls_trusted_solve(const cls_trusted *how, clsolve_op op, const clsolve_matrix *B);

/* Of the steps of the last solve and the factors: the report's backward errors, history and precision. */
void cls_report_steps(const cls_refined *steps, const char *fallback, int mixed, clsolve_type type,
                      clsolve_report *report);

#endif
