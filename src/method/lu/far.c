/* far.c: the far columns of a look-ahead, in Crout's order: loop.h has the picture. */
#include "method/lu/loop.h"

enum { EVEN = 64 }; /* parts have multiples of so many columns of L */
enum { SOLVE = 8 }; /* a solve takes so many times a product's time, operation by operation */

static clsolve_status move(cls_lu_loop *f, int64_t p, int64_t q, int64_t from, int64_t to) {
    const cls_columns *columns = f->columns;
    if (from >= to) return CLSOLVE_OK;
    return cls_panel_move_rows(columns->panel, columns->beside, &f->A, from, to, to, 0, p, q, 0);
}

/* The columns p .. q-1 of L, which lie in one slab. */
static cls_block_column columns_of_L(const cls_lu_loop *f, int64_t p, int64_t q) {
    return (cls_block_column){cls_matrix_at(&f->A, p, p), p, q - p, f->L.end};
}

static clsolve_status solve(cls_lu_loop *f, int64_t p, int64_t q, int64_t from, int64_t to) {
    const cls_block_column L = columns_of_L(f, p, q);
    return cls_panel_solve(f->columns->panel, f->columns->beside, &L, &f->A, from, to);
}

static clsolve_status multiply(cls_lu_loop *f, int64_t top, int64_t bottom, int64_t p, int64_t q, int64_t to) {
    return cls_panel_multiply(f->columns->panel, f->columns->beside, &f->A, top, bottom, p, q, f->from, to);
}

/* ---- parts ---- */

/* So many of `most` columns of L as take `share`, `each` column's operations. */
static int64_t part_of(double share, double each, int64_t most) {
    if (share >= each * (double)most) return most;
    return cls_lesser(((int64_t)(share / each) + EVEN - 1) / EVEN * EVEN, most);
}

/* One of `parts` parts of what is left of the products and the solve. */
static clsolve_status do_part(cls_lu_loop *f, int64_t parts) {
    const double across = (double)(f->q - f->p) * (double)(f->to - f->from);
    const double down = (double)(f->L.end - f->q) * (double)(f->next_far - f->from);
    const double solves = f->solved ? 0 : across * (double)(SOLVE * (f->q - f->p));
    double share = across * (double)(f->p - f->above) + solves + down * (double)(f->q - f->below);

    if (parts > 1) share /= (double)parts;
    if (f->above < f->p && share > 0) {
        const int64_t columns = part_of(share, across, f->p - f->above);
        CLS_TRY(multiply(f, f->p, f->q, f->above, f->above + columns, f->to));
        f->above += columns;
        share -= across * (double)columns;
    }
    if (f->above == f->p && !f->solved && (share > 0 || parts == 1)) {
        CLS_TRY(solve(f, f->p, f->q, f->from, f->to));
        f->solved = 1;
        share -= solves;
    }
    if (f->solved && f->below < f->q && (share > 0 || parts == 1)) {
        const int64_t columns = parts == 1 ? f->q - f->below : part_of(share, down, f->q - f->below);
        CLS_TRY(multiply(f, f->q, f->L.end, f->below, f->below + columns, f->next_far));
        f->below += columns;
    }
    return CLSOLVE_OK;
}

/* The part concurrent with the strip that begins at k. The first of several strips has the moves instead. */
static clsolve_status next_part(cls_lu_loop *f, int64_t k, int first) {
    const cls_columns *columns = f->columns;
    const int64_t block_end = cls_lu_column_at(f, (k - columns->begin) / columns->block + 1);
    const int64_t parts = (block_end - k + columns->strip - 1) / columns->strip;

    if (f->from >= f->to || (first && parts > 1)) return CLSOLVE_OK;
    return do_part(f, parts > 1 ? parts : 1);
}

/* ---- blocks ---- */

/* The columns up to `come` become far columns as block b - 1 left those that were there. */
static clsolve_status receive(cls_lu_loop *f, int64_t b, int64_t come) {
    const int64_t from = f->come;

    if (come <= from) return CLSOLVE_OK;
    CLS_TRY(cls_lu_need(f, f->columns->beside, come));
    for (int64_t p = 0; p < b; p++) CLS_TRY(move(f, cls_lu_column_at(f, p), cls_lu_column_at(f, p + 1), from, come));
    if (b > 0) CLS_TRY(solve(f, f->columns->begin, cls_lu_column_at(f, b), from, come));
    f->come = come;
    return CLSOLVE_OK;
}

/* Block b has just been done. */
static clsolve_status begin(cls_lu_loop *f, int64_t b) {
    const cls_columns *columns = f->columns;
    const int64_t j = cls_lu_column_at(f, b), end = cls_lu_column_at(f, b + 1), near = b + 1 + f->near_blocks;
    const int64_t first = cls_lu_column_at(f, near), rest = cls_lu_column_at(f, near + 1);
    const int64_t wanted = cls_lu_column_at(f, near + 2); /* the products of this block go so far */

    CLS_TRY(receive(f, b, wanted));
    CLS_TRY(cls_panel_merge_moves(columns->panel, columns->beside, j, end - j));
    if (first < columns->end) {
        const cls_block_column L = columns_of_L(f, j, end);
        CLS_TRY(move(f, j, end, first, wanted));
        CLS_TRY(cls_panel_update(columns->panel, columns->beside, &L, &f->A, first, rest));
        CLS_TRY(f->device->ops->mark(f->device, columns->beside, &f->next));
    }
    /* Further columns that have come, after the work that COMPUTE waits for. */
    if (f->come < columns->end)
        CLS_TRY(receive(f, b, cls_lesser(columns->ops->arrived(columns->holder), columns->end)));
    CLS_TRY(move(f, j, end, wanted, f->come));
    CLS_TRY(move(f, j, end, columns->begin, j));
    f->p = j, f->q = end;
    f->from = rest, f->next_far = wanted, f->to = f->come;
    f->above = f->below = columns->begin;
    f->solved = 0;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_far(cls_lu_loop *f, int64_t b, int64_t c, int64_t k) {
    const int64_t j = cls_lu_column_at(f, b), end = cls_lu_column_at(f, b + 1);

    CLS_TRY(move(f, c, k, j, c));
    if (k == end && !f->columns->is_inside) CLS_TRY(begin(f, b));
    CLS_TRY(next_part(f, k, k == end));
    return f->device->ops->flush(f->device, f->columns->beside);
}
