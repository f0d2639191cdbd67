/* out_of_core.c: the factorization slab by slab, and its export: out_of_core.h has the picture. */
#include "method/lu/out_of_core.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "method/lu/direct.h"

/* ---- the matrix ---- */

void cls_lu_out_stage(cls_lu *lu, const clsolve_matrix *A) {
    int64_t n = lu->n, size = cls_type_size(lu->type);

    if (A->layout == CLSOLVE_COLUMN_MAJOR)
        for (int64_t j = 0; j < n; ++j)
            memcpy((char *)lu->out.host + j * n * size, (const char *)A->data + j * A->ld * size, (size_t)(n * size));
    else
        cls_transpose_host(lu->type, n, n, A->data, A->ld, lu->out.host, n);
}

/* ---- the moves of a slab ---- */

clsolve_status cls_lu_out_move(void *owner, int64_t j, const cls_matrix *B, int64_t cols, int reverse) {
    cls_lu *lu = owner;
    const int64_t end = lu->n - j < lu->out.slab ? lu->n : j + lu->out.slab;
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, B, 0, cols, cols, 0, j, end, reverse);
}

/* ---- factor ---- */

/* The measures of the window's first columns, which are A's from `begin` on, joined to those of the columns before. */
static clsolve_status measure(cls_lu *lu, int64_t begin, int64_t cols, cls_measures *all) {
    cls_matrix window = cls_matrix_from(&lu->A, begin);
    cls_measures m;

    CLS_TRY(cls_check_enqueue_columns(lu->device, &lu->check, &window, begin, begin + cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(lu->device, &lu->check, lu->n, &m, NULL));
    all->row = m.row;
    all->column = m.column;
    all->largest = fmax(all->largest, m.largest);
    all->norm1 = fmax(all->norm1, m.norm1);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_out_next(cls_lu *lu, int64_t from, int64_t *to) {
    cls_lu_slabs *work = lu->slabs;
    cls_out *out = &lu->out;
    clsolve_matrix host = cls_out_view(out);

    if (from > 0) {
        CLS_TRY(cls_lu_growth_columns(lu, out->window_begin, from, &work->out));
        CLS_TRY(cls_out_store(out, &host, out->window_begin, from - out->window_begin));
        cls_out_tell(out, 1);
    }
    if (from == lu->n) return CLSOLVE_OK;
    const double start = cls_seconds();
    cls_out_turn(out, from);
    *to = out->window_end;
    CLS_TRY(cls_out_fetch(out, work->A ? work->A : &host, from, *to - from));
    CLS_TRY(measure(lu, from, *to - from, &work->in));
    work->upload += cls_seconds() - start;
    lu->A.origin = from;
    if (work->in.row < 0) return cls_out_stream_read(out, CLS_LOWER, from, 0);
    *to = from;
    return CLSOLVE_OK;
}

/* ---- export ---- */

clsolve_status cls_lu_out_export(cls_lu *lu, const clsolve_matrix *LU) {
    clsolve_matrix host = cls_out_view(&lu->out);

    for (int64_t begin = 0; begin < lu->n; begin += lu->out.slab) {
        int64_t end = lu->n - begin < lu->out.slab ? lu->n : begin + lu->out.slab, cols = end - begin;
        CLS_TRY(cls_out_fetch(&lu->out, &host, begin, cols));
        /* The pivots of later slabs move these rows of L too. */
        if (end < lu->n) CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, 0, cols, cols, 0, end, lu->n, 0));
        CLS_TRY(cls_out_store(&lu->out, LU, begin, cols));
    }
    return CLSOLVE_OK;
}
