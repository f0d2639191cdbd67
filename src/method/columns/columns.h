/*
 * columns.h: where the columns of a matrix lie that is factored by block columns, and when they are there. The loops of
 * LU (method/lu/factor.c) and of Cholesky (method/cholesky/factor.c) ask their holder, and know no more:
 *
 *      holder                          where                        there            a step acts on
 *      method/lu/whole.c               a matrix of the device       all              all columns
 *        the same                      a view of a larger array     all              all columns
 *        the same, arrival.h           a matrix of the device       as they arrive   those that have arrived
 *        the same, out_of_core.c       a window on a larger matrix  group by group   the group
 *      method/band/factor.c            a ring of block columns      as they stream   kl + ku columns, or fewer
 *      method/several/factor.c         dealt out to several devices all              the device's own
 *
 *      method/cholesky/whole.c         a matrix, a view of an array all              all columns
 *        the same                      a band's storage             all              its diagonals
 *        the same, arrival.h           a matrix of the device       group by group   the group
 *        the same, out_of_core.c       a window on a larger matrix  group by group   the group
 *      method/ldl/device_factor.c      a matrix of the device       all              all columns
 *
 *      block     0     1     2     3     4        columns begin .. end-1, by block columns of `block` columns;
 *             | | | | | | | | | | | | | | |       with look-ahead of a strip, by strips of `strip` columns
 *
 * The calls for a block column, or a strip, come in this order, LU's in the first; `next` begins a group, and those of
 * the last line follow it for each block column of the groups before:
 *
 *      need  factor  factored  take  need  view ... view  used
 *      factor  wait  reach
 *      take  view ... view  used
 */
#ifndef CLS_COLUMNS_H
#define CLS_COLUMNS_H

#include <clsolve/report.h>

#include "method/panel/panel.h"
#include "method/trailing.h"

enum { CLS_WATCHED = 4 }; /* the host is so many blocks, less one, ahead of the device */

/* A function may be NULL where its comment has brackets, which say what holds then. All enqueue; host panels work. */
typedef struct cls_columns_ops {
    /* Work enqueued in that queue from now on has the columns before `to`. [All are there.] */
    clsolve_status (*need)(void *holder, cls_queue queue, int64_t to);
    /* The columns before this one have come. [All have.] */
    int64_t (*arrived)(void *holder);
    /* The columns c, c+1, ... before `to` that lie side by side, *run of them, as a matrix whose columns have their
     * numbers less `lead`. */
    cls_matrix (*view)(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run);
    /* Factors the columns c .. k-1, which are up to date; on the host after `ready`, unless that is NULL. */
    clsolve_status (*factor)(void *holder, int64_t c, int64_t k, cls_event *ready);
    /* The columns c .. k-1 are factored and final. [Nobody waits for it.] */
    clsolve_status (*factored)(void *holder, int64_t c, int64_t k);
    /* Work enqueued in COMPUTE from now on has the factored columns c .. k-1. Rows have their numbers less c - L->j.
     * [Cholesky's columns of groups before lie where they were factored.] */
    clsolve_status (*take)(void *holder, int64_t c, int64_t k, cls_block_column *L);
    /* They have been applied, at last in that queue. [Nobody waits for it.] */
    clsolve_status (*used)(void *holder, int64_t c, int64_t k, cls_queue queue);
    /* The end of the columns that the factored columns c .. k-1 are applied to. [`last`] */
    int64_t (*reach)(void *holder, int64_t c, int64_t k);

    /* Columns that are dealt out. Own columns have numbers of their own, by which view, need and reach go. */
    /* Is the block column at c the holder's own? [Yes.] */
    int (*owns)(void *holder, int64_t c);
    /* The first own column behind the column k - 1 of all. [k] */
    int64_t (*behind)(void *holder, int64_t k);
    /* The own block column c .. k-1 as columns that are factored strip by strip. [It is factored by `factor`.] */
    const struct cls_columns *(*inside)(void *holder, int64_t c, int64_t k);

    /* Columns that come in groups. */
    /* The columns before `from` are final. The columns from .. *to-1 are there next, and have taken none of those
     * before them, which begin to pass by. *to is `end` at first, and becomes `from` if nobody wants more. [All are
     * there.] */
    clsolve_status (*next)(void *holder, int64_t from, int64_t *to);
    /* The host waits for the event, and columns go on to come. [They do by themselves.] */
    clsolve_status (*wait)(void *holder, cls_event *event);
} cls_columns_ops;

/* How far panels run ahead of the updates: not at all; by a strip; by a block column. */
typedef enum cls_ahead { CLS_AHEAD_NOT, CLS_AHEAD_STRIP, CLS_AHEAD_BLOCK } cls_ahead;

typedef struct cls_columns {
    const cls_columns_ops *ops;
    void *holder;
    cls_ahead ahead;
    cls_queue beside;   /* the queue of products that panels are concurrent with; COMPUTE: there is none */
    int64_t begin, end; /* the columns that are factored */
    int64_t last;       /* the columns before this one are brought up to date with them */
    int64_t block, strip;
    int64_t group;             /* columns in each group but the last, if each begins with moves of its rows */
    clsolve_progress progress; /* the caller's; NULL: none */
    void *progress_user;
    int power; /* a part x of the columns is left: so is x^power of the work */

    /* LU. */
    cls_panel *panel;    /* it factors them, and has their pivots and moves */
    int rows_stay;       /* later pivots do not move rows of L, and solves take moves and triangles by turns */
    int is_inside;       /* one block column; whoever applies it merges its moves */
    int travels;         /* the host waits for each panel, which comes when all else is enqueued */
    const int64_t *stop; /* NULL, or not 0: nobody wants the other columns any more */

    /* Cholesky. */
    const cls_trailing *trailing; /* the block column that was factored last is applied so */
    int64_t over;                 /* so many columns behind a block column are up to date with it when it is factored */
    cls_buffer *word;             /* an int64_t: 0 as long as no column has failed */
    int64_t *words;               /* CLS_WATCHED + 1 of them, where the host reads it */
    int watched;                  /* the host asks for it block by block, and ends where it is not 0 */
} cls_columns;

/* The next group, from column *end on: begin .. end-1, which are equal behind the last one. */
static inline clsolve_status cls_columns_next(const cls_columns *columns, int64_t *begin, int64_t *end) {
    *begin = *end;
    *end = columns->end;
    return columns->ops->next ? columns->ops->next(columns->holder, *begin, end) : CLSOLVE_OK;
}

/* The end of the columns that the factored columns c .. k-1 are applied to. */
static inline int64_t cls_columns_reach(const cls_columns *columns, int64_t c, int64_t k) {
    return columns->ops->reach ? columns->ops->reach(columns->holder, c, k) : columns->last;
}

/* The part of the work that is done, right-looking, when the columns before `done` are factored. */
static inline double cls_columns_share(const cls_columns *columns, int64_t done) {
    double left = 1;
    for (int k = 0; k < columns->power; ++k) left *= (double)(columns->end - done) / (double)columns->end;
    return 1 - left;
}

#endif
