/*
 * device.h: the engine of LDL^T by kernels: P^T A P = L D L^T by blocks of columns, right-looking.
 *
 *          j   j+t        end  end+t
 *      j  |win|                             a panel's columns, t at a time (cl/ldl_panel.cl): pivots from a window on
 *         |dow|--|                          the diagonal, the rows below, and the columns up to end + t
 *         |rows  |           |    |
 *         |      |           |    | rest    when the panel is done: the rest less L W^T, where W = L D
 *
 * The panel's columns reach t columns further than its pivots, because its last window has as many more candidates.
 * A window's permutation moves rows and columns of that window alone.
 *
 * Two ways. The fast one looks for pivots within windows, and checks afterwards, on the device, that no element of L is
 * large. The host reads the outcome some panels later; work behind a failure has changed nothing by then. The exact way
 * looks for pivots in whole columns (cl/ldl_exact.cl), for as many columns as a window has pivots, and more where the
 * fast way fails again at once. Then the fast way goes on.
 *
 * The fast way is the loop of Cholesky (method/cholesky/factor.c), whose trailing update has L W^T for L L^T.
 *
 * An engine for fronts of sparse matrices (method/fronts_device/large.c) is enqueued alone; there a failure means that
 * the fronts are made in another way.
 */
#ifndef CLS_LDL_DEVICE_H
#define CLS_LDL_DEVICE_H

#include "device/use.h"
#include "method/ldl/ldl.h"

enum { CLS_LDL_WORDS = 2 }; /* of the state, as the kernels have it */

typedef struct cls_ldl_device {
    int64_t window, taken; /* candidates and pivots of a window */
    int64_t block;         /* columns of a panel, a multiple of `taken` */
    int ahead;             /* panels overlap products */
    int64_t exact_items;   /* of the exact way's work-group */

    cls_kernel *step, *rows, *exact, *gather, *divide, *scatter;
    cls_matrix W[2];           /* L D of a panel; panels take turns */
    cls_buffer *T, *R;         /* columns of a window, `window` / 2 each of strip_ld rows */
    int64_t strip_ld;          /* their leading dimension */
    cls_buffer *record;        /* two windows' pivots, in elements; they take turns */
    cls_buffer *numbers;       /* and in 32-bit integers */
    cls_buffer *d, *e;         /* D's diagonal and the elements below it, n each */
    cls_buffer *permutation;   /* n int64_t: the row of A that row i of L is */
    cls_buffer *identity;      /* what it begins as */
    cls_buffer *state;         /* CLS_LDL_WORDS int64_t */
    cls_pinned *watched;       /* where the host reads the state */
    int64_t *words;            /* CLS_WATCHED + 1 of them */
    int64_t *host_permutation; /* n */
    cls_matrix X;              /* right-hand sides in the order of the pivots */

    int64_t fast_blocks, exact_blocks; /* of the last factorization: windows, and launches of the exact way */
} cls_ldl_device;

static inline cls_ldl_device *cls_ldl_own(const cls_ldl *ldl) {
    return ldl->own;
}

/* ---- device_panel.c: enqueues in CLS_COMPUTE ---- */

/* The pivots of the columns k .. end-1, which all columns before have been taken out of, and the columns up to
 * cls_ldl_reach(end). The panel's W is `W`. */
clsolve_status cls_ldl_panel(cls_ldl *ldl, const cls_matrix *W, int64_t k, int64_t end);
/* The exact way from column k on: up to `taken` columns. state[1] becomes their number. */
clsolve_status cls_ldl_exact(cls_ldl *ldl, const cls_matrix *W, int64_t k);
/* The end of the columns that a panel with that end brings up to date. */
static inline int64_t cls_ldl_reach(const cls_ldl *ldl, int64_t end) {
    const int64_t reach = end + cls_ldl_own(ldl)->taken;
    return reach < ldl->n ? reach : ldl->n;
}

/* ---- device_buffers.c: all but the kernels; what is there is released after a failure too ---- */

clsolve_status cls_ldl_take_buffers(cls_ldl *ldl);
void cls_ldl_release_buffers(cls_ldl *ldl);

/* ---- device_selftest.c ---- */

/* UNSUPPORTED where the kernels are wrong on the device. The outcome is kept with the compiled programs, under the
 * options that they were built with. */
clsolve_status cls_ldl_self_test(cls_ldl *ldl, const char *options);

/* ---- device_factor.c, device_solve.c: of the engine ---- */

clsolve_status cls_ldl_device_factor(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info);
clsolve_status cls_ldl_device_apply(cls_ldl *ldl, int64_t cols);
clsolve_status cls_ldl_device_put(cls_ldl *ldl);
clsolve_status cls_ldl_device_enqueue(cls_ldl *ldl);
clsolve_status cls_ldl_device_finish(cls_ldl *ldl, int64_t word, int64_t *info);

#endif
