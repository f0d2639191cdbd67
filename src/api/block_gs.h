/* block_gs.h (private): the handle of block-tridiagonal systems, and what its files share. */
#ifndef CLS_API_BLOCK_GS_H
#define CLS_API_BLOCK_GS_H

#include <clsolve/block_gs.h>

#include "api/context.h"
#include "method/block_gs/whole.h"

struct clsolve_block_gs {
    clsolve_context *context;
    cls_bt bt;
    int ready;                    /* a factorization has succeeded */
    clsolve_status status;        /* of the last call */
    clsolve_status factor_status; /* of the last factorization */
    cls_error message;            /* see enqueue.h */
    int64_t nrhs;                 /* columns of the last solve */
    cls_bt_factored factored;     /* the last factorization */
    cls_bt_solved solved;         /* the last solve */
    int64_t before_bytes, device_bytes;
    double create_seconds, build_seconds;
    cls_counters factor_counts, solve_counts;
};

/* Between cls_enter and cls_leave; `call` begins the message. Is the array one that the handle takes? */
clsolve_status cls_block_gs_check_grid(clsolve_block_gs *h, const char *call, const char *name,
                                       const clsolve_grid *grid, int64_t nrhs);
clsolve_status cls_block_gs_check_factor(clsolve_block_gs *h, const char *call, const clsolve_grid *arrays[5]);
clsolve_status cls_block_gs_check_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs);
/* The arguments alone; check_solve also asks whether a factorization has succeeded. */
clsolve_status cls_block_gs_check_sides(clsolve_block_gs *h, const char *call, const clsolve_grid *F,
                                        const clsolve_grid *Y, int64_t nrhs);
/* arrays: a, c, b, up, down; NULL where all is 0. */
clsolve_status cls_block_gs_factor(clsolve_block_gs *h, const char *call, const clsolve_grid *arrays[5]);
/* Y: the guess, or NULL: from zero; the solution goes to `to`. */
clsolve_status cls_block_gs_solve(clsolve_block_gs *h, const char *call, const clsolve_grid *F, const clsolve_grid *Y,
                                  const clsolve_grid *to, int64_t nrhs);

#endif
