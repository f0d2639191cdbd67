/* trailing.c: see trailing.h. */
#include "method/trailing.h"

enum { BASE = 256 }; /* columns of a triangle that is multiplied as a square */

static cls_blas_options how(const cls_trailing *t, cls_queue queue) {
    return (cls_blas_options){queue, t->how.whole_range, t->how.steady};
}

clsolve_status cls_trailing_rectangle(const cls_trailing *t, cls_queue queue, int64_t top, int64_t bottom, int64_t from,
                                      int64_t to, int64_t p, int64_t q) {
    if (top >= bottom) return CLSOLVE_OK;
    for (int64_t j = from, run; j < to; j += run) { /* slab by slab */
        run = cls_matrix_run(t->C, j, to);
        for (int64_t k = p, inner; k < q; k += inner) {
            inner = cls_matrix_run(t->L, k, q);
            CLS_TRY(cls_gemm(t->device, how(t, queue), t->type, CLSOLVE_NO_TRANS, t->adjoint, bottom - top, run, inner,
                             -1.0, cls_matrix_at(t->L, top, k), cls_matrix_at(t->W, j, k), 1.0,
                             cls_matrix_at(t->C, top, j)));
        }
    }
    return CLSOLVE_OK;
}

/* ---- the triangle ---- */

/* Where squares of BASE columns would be too many small products one behind the other, they are larger: TRIANGLE_PARTS
 * of them. */
int64_t cls_trailing_square(int64_t columns) {
    enum { TRIANGLE_PARTS = 16 };
    const int64_t wanted = (columns / TRIANGLE_PARTS + BASE - 1) / BASE * BASE;
    return wanted > BASE ? wanted : BASE;
}

/* The same of the lower triangle of the rows and columns from .. to - 1. Elements above the diagonal in squares of
 * `base` columns are computed too, and nobody reads them. */
static clsolve_status multiply_halves(const cls_trailing *t, cls_queue queue, int64_t base, int64_t from, int64_t to,
                                      int64_t p, int64_t q) {
    if (to - from <= base) return cls_trailing_rectangle(t, queue, from, to, from, to, p, q);
    const int64_t middle = from + (to - from + 2 * base - 1) / (2 * base) * base;
    CLS_TRY(multiply_halves(t, queue, base, from, middle, p, q));
    CLS_TRY(cls_trailing_rectangle(t, queue, middle, to, from, middle, p, q));
    return multiply_halves(t, queue, base, middle, to, p, q);
}

/* `count` squares of `size` columns, the first at (row, column), each 2 * size or on the diagonal size behind the
 * other. */
static clsolve_status multiply_squares(const cls_trailing *t, cls_queue queue, int64_t size, int64_t row,
                                       int64_t column, int64_t count, int64_t p, int64_t q) {
    const int64_t apart = row == column ? size : 2 * size, ld = t->C->ld;
    const cls_steps steps = {apart, apart, apart * (ld + 1)};
    return cls_gemm_steps(t->device, how(t, queue), t->type, CLSOLVE_NO_TRANS, t->adjoint, size, size, q - p, -1.0,
                          cls_matrix_at(t->L, row, p), cls_matrix_at(t->W, column, p), 1.0,
                          cls_matrix_at(t->C, row, column), steps, count);
}

/*
 * All squares of one size at once, in a matrix of one piece:
 *
 *      D               D: on the diagonal, BASE columns      then the sizes BASE, 2 BASE, 4 BASE ...; at each the
 *      1 D             1: of BASE columns                    remainder at the lower end is a product of its own
 *      2 2 D           2: of 2 BASE columns
 *      2 2 1 D
 *
 * Sizes take turns in two queues, so that the last groups of one product overlap the first ones of the next.
 */
static clsolve_status multiply_levels(const cls_trailing *t, const cls_queue queues[2], int64_t from, int64_t to,
                                      int64_t p, int64_t q) {
    const int64_t n = to - from, whole = n / BASE;
    int turn = 0;

    if (whole > 0) CLS_TRY(multiply_squares(t, queues[0], BASE, from, from, whole, p, q));
    if (whole * BASE < n)
        CLS_TRY(cls_trailing_rectangle(t, queues[1], from + whole * BASE, to, from + whole * BASE, to, p, q));
    for (int64_t size = BASE; size < n; size *= 2) {
        const int64_t pairs = n / (2 * size), rest = from + 2 * size * pairs;
        const cls_queue queue = queues[turn = !turn];
        if (pairs > 0) CLS_TRY(multiply_squares(t, queue, size, from + size, from, pairs, p, q));
        if (to - rest > size) CLS_TRY(cls_trailing_rectangle(t, queue, rest + size, to, rest, rest + size, p, q));
    }
    return CLSOLVE_OK;
}

/* One launch, which leaves out what is above the diagonal: also where cuBLAS's squares take less time on the device, as
 * long as the host's time for as many calls counts. */
enum { ONE_LAUNCH = 4096 };

static clsolve_status multiply_lower(const cls_trailing *t, cls_queue queue, int64_t from, int64_t to, int64_t p,
                                     int64_t q, int *done) {
    return cls_gemm_triangle(t->device, how(t, queue), t->type, CLSOLVE_NO_TRANS, t->adjoint, to - from, q - p, -1.0,
                             cls_matrix_at(t->L, from, p), cls_matrix_at(t->W, from, p), 1.0,
                             cls_matrix_at(t->C, from, from), done);
}

clsolve_status cls_trailing_triangle(const cls_trailing *t, const cls_queue queues[2], int64_t from, int64_t to,
                                     int64_t p, int64_t q) {
    const int in_one_piece = t->C->slabs == 1, squares = in_one_piece && cls_gemm_steps_at_once(t->device, t->type);

    if (in_one_piece && cls_gemm_triangle_at_once(t->device, t->type) && (!squares || to - from <= ONE_LAUNCH)) {
        int done = 0;
        CLS_TRY(multiply_lower(t, queues[0], from, to, p, q, &done));
        if (done) return CLSOLVE_OK;
    }
    if (squares) return multiply_levels(t, queues, from, to, p, q);
    return multiply_halves(t, queues[0], cls_trailing_square(to - from), from, to, p, q);
}
