/*
 * panel.c: a block column by halves, down to leaves of one launch or two. So most of it is in products too.
 */
#include "method/cholesky/cholesky.h"

enum { ROWS = 64, LEAF_ITEMS = 256 }; /* work-items of cholesky_rows, a row each, and of cholesky_leaf */

/* By tiles a leaf of 16 t columns has t + 3 waves. */
static size_t leaf_items_of(const cls_cholesky *c) {
    return c->tiles ? (size_t)(2 * c->leaf + 96) : LEAF_ITEMS;
}

/* The leaf and the rows below it in one launch. */
static clsolve_status leaf_with_rows(cls_cholesky *c, int64_t j, int32_t m, int64_t rows) {
    const cls_ref at = cls_matrix_at(&c->A, j, j);
    const size_t items = leaf_items_of(c), of_group = (size_t)c->leaf / 2;
    const cls_grid grid = {{(1 + ((size_t)rows + of_group - 1) / of_group) * items, 1, 1}, {items, 1, 1}};
    uint32_t mark;
    CLS_TRY(cls_offers_mark(c->device, &c->offers, 1, &mark));
    mark <<= 16;
    const cls_arg args[] = {CLS_REF(at),     CLS_VALUE(m),        CLS_VALUE(j),
                            CLS_VALUE(rows), CLS_BUFFER(c->info), CLS_BUFFER(c->offers.words),
                            CLS_VALUE(mark)};
    return cls_launch(c->device, CLS_COMPUTE, c->panel_kernel, &grid, CLS_ARGS(args));
}

clsolve_status cls_cholesky_leaf(cls_cholesky *cholesky, int64_t j, int64_t width) {
    cls_cholesky *c = cholesky;
    const cls_ref at = cls_matrix_at(&c->A, j, j);
    const int64_t rows = cls_cholesky_bottom(c, j + width) - j - width;
    const int32_t m = (int32_t)width;
    if (rows > 0 && rows <= c->together) return leaf_with_rows(c, j, m, rows);
    /* By tiles a group of rows has a work-item for each column, for half as many rows. */
    const size_t leaf_items = leaf_items_of(c);
    const int64_t items = c->tiles ? c->leaf : ROWS, of_group = c->tiles ? c->leaf / 2 : ROWS;
    cls_grid one = {{leaf_items, 1, 1}, {leaf_items, 1, 1}};
    cls_grid all = {{(size_t)((rows + of_group - 1) / of_group * items), 1, 1}, {(size_t)items, 1, 1}};
    cls_arg diagonal[] = {CLS_REF(at), CLS_VALUE(m), CLS_VALUE(j), CLS_BUFFER(c->info)};
    cls_arg below[] = {CLS_REF(at), CLS_VALUE(m), CLS_VALUE(rows), CLS_BUFFER(c->info)};

    CLS_TRY(cls_launch(c->device, CLS_COMPUTE, c->leaf_kernel, &one, CLS_ARGS(diagonal)));
    return rows > 0 ? cls_launch(c->device, CLS_COMPUTE, c->rows_kernel, &all, CLS_ARGS(below)) : CLSOLVE_OK;
}

clsolve_status cls_cholesky_panel(cls_cholesky *cholesky, int64_t j, int64_t width) {
    cls_cholesky *c = cholesky;

    CLS_TRY(cls_arrival_poll(c->arrival));
    if (width <= c->leaf) return cls_cholesky_leaf(c, j, width);
    const int64_t left = (width / 2 + c->leaf - 1) / c->leaf * c->leaf, middle = j + left;
    const int64_t bottom = cls_cholesky_bottom(c, middle), to = j + width < bottom ? j + width : bottom;
    const cls_trailing trailing = cls_cholesky_trailing(c);
    CLS_TRY(cls_cholesky_panel(c, j, left));
    CLS_TRY(cls_trailing_rectangle(&trailing, CLS_COMPUTE, middle, bottom, middle, to, j, middle));
    return cls_cholesky_panel(c, middle, width - left);
}
