/* block_gs.h (private): the handle of block-tridiagonal systems. */
#ifndef CLS_API_BLOCK_GS_H
#define CLS_API_BLOCK_GS_H

#include <clsolve/block_gs.h>

#include "api/head.h"
#include "method/block_gs/whole.h"

#define CLS_GRIDS_ALONE "grids work on the device alone" /* in reports */

struct clsolve_block_gs {
    cls_head head;
    cls_bt bt;
    int ready;                /* a factorization has succeeded */
    int64_t nrhs;             /* columns of the last solve */
    cls_bt_factored factored; /* the last factorization, and the last solve */
    cls_bt_solved solved;
    cls_counters factor_counts, solve_counts;
};

#endif
