/*
 * view.h: a caller's matrix in the host's memory, element by element, and vectors of doubles as one.
 */
#ifndef CLS_VIEW_H
#define CLS_VIEW_H

#include <clsolve/matrix.h>

#include "base/error.h"
#include "base/type.h"
#include "method/check.h"

/* The index of element (i, j), of a complex one of its real part, among the view's real numbers. */
static inline int64_t cls_view_at(const clsolve_matrix *view, int64_t i, int64_t j) {
    return cls_type_parts(view->type) * (view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j);
}

/* Tight columns in the host's memory. */
static inline clsolve_matrix cls_view_of(clsolve_type type, int64_t rows, int64_t cols, void *data) {
    return (clsolve_matrix){type, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
}

/* The columns begin .. begin + cols - 1. */
clsolve_matrix cls_view_columns(const clsolve_matrix *view, int64_t begin, int64_t cols);

/* `to` becomes `from`, a matrix of the same shape, both real or both complex; layouts and precisions may differ. */
void cls_view_copy(const clsolve_matrix *from, const clsolve_matrix *to);

/* The first element, column by column, that is NaN or Inf; row -1: there is none. */
cls_place cls_view_find_nonfinite(const clsolve_matrix *view);

/* Solves in place, as cls_direct_ops.solve_unrefined. */
typedef clsolve_status (*cls_view_solve)(void *owner, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                         cls_place *out);
/* The same of n x cols tight doubles, which `solve` takes in that type. If there is a NaN or Inf in B or X, all of x
 * becomes NaN. */
clsolve_status cls_view_solve_doubles(cls_error *error, clsolve_type type, int64_t n, int64_t cols, double *x,
                                      clsolve_op op, cls_view_solve solve, void *owner);

#endif
