/*
 * loop.h: the state of the loop (factor.c), and the far columns of a look-ahead by strips (far.c).
 *
 *      begin    c      k    strip_end(k)   near columns        far columns                  end    last
 *        | L\U  | strip | next strip       | to the end of     |                             |      |
 *        |      |       |                  | the near blocks   |                             |      |
 *
 * Far columns are not updated block by block, right-looking. Most of the products would then come with the first
 * blocks, where they take longer than the panels, and few with the last blocks, where little work is concurrent with
 * the panels. Far columns are updated in Crout's order, as in LAPACK's variant SRC/VARIANTS/lu/CR of getrf. When
 * block b, rows and columns p .. q-1, is done:
 *
 *      the columns that are near next      their rows are moved and solved for; block b is multiplied into all below
 *      the far columns behind them         their rows are moved; into the rows p .. q-1 all columns of L before p are
 *                                          multiplied, and these rows are solved for: they are rows of U now
 *      the first block column of those     into its rows from q on, all columns of L before q are multiplied
 *
 * This is the same work for each block in the middle, and less at either end. The last two steps are cut along the
 * columns of L into parts. One part runs concurrently with each strip of the next block but the first, with which the
 * moves run. So COMPUTE never waits for more than one part between two strips, also where a device begins all groups of
 * one kernel before those of the next.
 *
 * If the matrix still comes up (method/arrival.h), the far columns of a block are those columns that have come. The
 * others are brought up to date when they have: their rows are moved as all blocks before did, and solved for with
 * all of L at once. Columns from `end` on, which a wide rectangle has behind its square, stay far columns.
 */
#ifndef CLS_LU_LOOP_H
#define CLS_LU_LOOP_H

#include "method/columns/columns.h"

typedef struct cls_lu_loop {
    const cls_columns *columns;
    cls_device *device; /* the panel's */
    int64_t c;          /* the first of the factored columns that are applied, */
    cls_block_column L; /* which are these */
    cls_event *soon;    /* SOON has done what COMPUTE wants next; NULL: it wants nothing */
    cls_event *told;    /* progress has been told up to here */
    cls_event *next;    /* the other queue has brought up to date what is near next; NULL: nothing was to be */

    /* Look-ahead by a strip. */
    cls_matrix A;        /* all columns, which lie side by side */
    int64_t near_blocks; /* behind the one of the strip */
    int64_t p, q;        /* the far columns' rows that become U's next */
    int64_t from, to;    /* the far columns */
    int64_t come;        /* the columns before this one have what far columns have; those behind it are not there yet */
    int64_t next_far;    /* those before this one get all their rows below brought up to date too */
    int64_t above, below; /* columns of L before this one are multiplied into the rows p .. q-1; into those below */
    int solved;           /* 1: the rows p .. q-1 are solved for */

    /* Look-ahead by a block column. */
    cls_event *applied; /* SOON uses L no more; NULL: it does not use it */
    cls_event *ready;   /* the next block column, which travels, is up to date */
} cls_lu_loop;

/* The first column of block column b. */
static inline int64_t cls_lu_column_at(const cls_lu_loop *f, int64_t b) {
    return cls_lesser(f->columns->begin + b * f->columns->block, f->columns->end);
}

static inline clsolve_status cls_lu_need(const cls_lu_loop *f, cls_queue queue, int64_t to) {
    const cls_columns *columns = f->columns;
    return columns->ops->need ? columns->ops->need(columns->holder, queue, to) : CLSOLVE_OK;
}

/* far.c: the work in `beside` that is concurrent with the strip at k, after the strip c .. k-1 of block b. */
clsolve_status cls_lu_far(cls_lu_loop *f, int64_t b, int64_t c, int64_t k);

#endif
