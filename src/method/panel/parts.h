/* parts.h: declarations that the files of this room share; other rooms include panel.h alone. */
#ifndef CLS_PANEL_PARTS_H
#define CLS_PANEL_PARTS_H

#include "method/panel/panel.h"

/* ---- factor.c ---- */

/* The kernels of leaves by steps and of moves, untested. */
clsolve_status cls_panel_build(cls_panel *panel);
/* Begins a factorization with the kernels that are there; other rooms call cls_panel_start. */
clsolve_status cls_panel_begin(cls_panel *panel, cls_panel_repeat repeat);
/* The part of cls_panel_create before it takes memory; `panel` has its device. */
void cls_panel_choose(cls_panel *panel, const cls_panel_shape *shape);

/* ---- the leaves: L\U of rows j .. j+m-1 of the columns j .. j+width-1, rows moved within them. Enqueue. ---- */

void cls_panel_steps_choose(cls_panel *panel, int by_steps); /* the work-groups; by_steps: no leaf in one launch */
clsolve_status cls_panel_steps_take(cls_panel *panel);
clsolve_status cls_panel_steps_build(cls_panel *panel);
void cls_panel_steps_release(cls_panel *panel);
void cls_panel_steps_drop(cls_panel *panel); /* the kernels, which are built anew */
clsolve_status cls_panel_steps_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width);

/* After the rest of the panel; tests the device once. */
clsolve_status cls_panel_resident_setup(cls_panel *panel);
/* `as_test`: for a system that is smaller than these leaves are made for else. */
clsolve_status cls_panel_resident_announce(cls_panel *panel, int as_test);
/* Before _setup: are all leaves of this kind, if the device passes its test? */
int cls_panel_resident_alone(const cls_panel *panel);
void cls_panel_resident_release(cls_panel *panel);
void cls_panel_resident_drop(cls_panel *panel); /* the kernels, which _setup builds anew */
/* `inner`: see below; else 0. */
clsolve_status cls_panel_resident_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width,
                                       int64_t inner);
/* Whether such a leaf brings its columns up to the leaf before, `inner` columns left of it in the same slab: with that
 * one's moves, solve and product. The rows of the leaf before are moved by others. */
int cls_panel_resident_updates(const cls_panel *panel);

/* resident_matrix.c: an m x width matrix, and its L\U, m x width, as it should come out, two doubles an element, of
 * which the second is the imaginary part; whether it did. The first
 * `first` columns keep their rows in the steps behind them. */
void cls_panel_leaf_matrix(clsolve_type type, int64_t m, int64_t width, int64_t first, void *data, double *expected);
int cls_panel_leaf_agrees(clsolve_type type, int64_t elements, const double *expected, const void *got);

clsolve_status cls_panel_unpivoted_setup(cls_panel *panel);
void cls_panel_unpivoted_release(cls_panel *panel);
clsolve_status cls_panel_unpivoted_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width);

/* ---- moves.c ---- */

clsolve_status cls_panel_moves_take(cls_panel *panel, int64_t cols);
clsolve_status cls_panel_moves_build(cls_panel *panel);
void cls_panel_moves_release(cls_panel *panel);
/* Empties the lists of the first `cols` columns: no moves, and pivots beyond the last row. A leaf that gives up
 * leaves its lists empty, and work that has been enqueued behind the leaf still reads them. */
clsolve_status cls_panel_empty_lists(cls_panel *panel, int64_t cols);

/* ---- host.c, unpivoted_host.c ---- */

/* cls_panel_move_rows for a mapped matrix. */
void cls_panel_host_moves(const cls_panel *panel, const cls_matrix *matrix, int64_t first, int64_t last, int64_t begin,
                          int64_t end, int reverse);
void cls_panel_host_release(cls_panel *panel);
/* L\U of an m x n panel, m >= n, without pivoting. Stops at the first pivot that is not larger than `tiny` or is no
 * number, and returns its column, counted from 1; else 0. */
int64_t cls_panel_unpivoted_host(clsolve_type type, int64_t m, int64_t n, void *A, int64_t ld, double tiny);

/* ---- sub_groups.c ---- */

/* The number on disk of kernels with sub-groups, or of those without: as the device has them now. */
int cls_panel_recall(cls_device *device, const char *name);
void cls_panel_remember(cls_device *device, const char *name, int number);
/* The same of how many groups of a resident leaf run together: as cls_groups_recall and cls_groups_remember. */
int cls_panel_recall_groups(cls_device *device, clsolve_type type);
void cls_panel_remember_groups(cls_device *device, clsolve_type type, int found, int best);
/* Kernels with sub-groups are wrong here, and those without are right: all panels do without, and are tested anew. */
void cls_panel_sub_groups_fail(cls_device *device);
/* The names of what selftest.c and resident.c found. */
const char *cls_panel_test_fact(clsolve_type type, int resident);
const char *cls_panel_resident_fact(clsolve_type type);

#endif
