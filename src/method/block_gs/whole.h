/*
 * whole.h: a whole factorization and a whole solve of a block-tridiagonal system: take the arrays, inspect and scale
 * them, factor; right-hand sides in portions, what became of each. src/api checks the arguments before, and reports
 * after.
 */
#ifndef CLS_BLOCK_GS_WHOLE_H
#define CLS_BLOCK_GS_WHOLE_H

#include <clsolve/report.h>

#include "method/block_gs/block_gs.h"

/* The outcome of a factorization, also where it failed. */
typedef struct cls_bt_factored {
    int64_t line;            /* the first singular line, from 1, or 0 */
    clsolve_seconds seconds; /* upload, factor */
} cls_bt_factored;

/* The outcome of a solve, of all its portions, also where it failed. */
typedef struct cls_bt_solved {
    /* columns that did not converge or left the type's range, and the first of each from 1 */
    int64_t failed, first_failed, overflowed, first_overflowed;
    int64_t iterations;
    double residual;         /* the largest */
    clsolve_seconds seconds; /* upload, solve, download */
} cls_bt_solved;

/* Right-hand sides, and their solutions. */
typedef struct cls_bt_sides {
    const clsolve_grid *F, *guess, *Y; /* guess NULL: from zero; the solution goes to Y */
    int64_t nrhs;
} cls_bt_sides;

/* `call` begins the messages. Both set *outcome from the beginning. arrays: a, c, b, up, down; NULL where all is 0. */
clsolve_status cls_bt_factor_system(cls_bt *bt, const char *call, const clsolve_grid *const arrays[5],
                                    cls_bt_factored *outcome);
clsolve_status cls_bt_solve_system(cls_bt *bt, const char *call, const cls_bt_sides *sides, cls_bt_solved *outcome);

#endif
