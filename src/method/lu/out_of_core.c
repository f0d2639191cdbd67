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

/* The block column at j of an earlier slab is applied to the window. */
static clsolve_status update_slab(void *owner, int64_t j, int64_t width, cls_ref at, void *user) {
    cls_lu *lu = owner;
    const int64_t begin = lu->out.window_begin, end = lu->out.window_end;
    const cls_block_column L = {at, j, width, lu->n};

    (void)user;
    if (j % lu->out.slab == 0)
        CLS_TRY(cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->A, begin, end, end, 0, j, j + lu->out.slab, 0));
    for (int64_t c = begin; c < end; c += CLS_OUT_COLUMNS)
        CLS_TRY(cls_panel_update(&lu->panel, CLS_COMPUTE, &L, &lu->A, c,
                                 end - c < CLS_OUT_COLUMNS ? end : c + CLS_OUT_COLUMNS));
    cls_out_tell(&lu->out, (double)(j + width) / (double)end);
    return CLSOLVE_OK;
}

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

static clsolve_status factor_slab(cls_lu *lu, cls_lu_slabs *work, int64_t *info) {
    clsolve_matrix host = cls_out_view(&lu->out);
    const int64_t begin = lu->out.window_begin, end = lu->out.window_end;
    double start = cls_seconds();

    CLS_TRY(cls_out_fetch(&lu->out, work->A ? work->A : &host, begin, end - begin));
    CLS_TRY(measure(lu, begin, end - begin, &work->in));
    work->upload += cls_seconds() - start;
    if (work->in.row >= 0) return CLSOLVE_OK;

    lu->A.origin = begin;
    clsolve_status status = cls_out_stream(&lu->out, begin, update_slab, NULL);
    if (status == CLSOLVE_OK) status = cls_lu_factor_columns(lu, begin, end, NULL, info);
    if (status == CLSOLVE_OK) status = cls_lu_growth_columns(lu, begin, end, &work->out);
    lu->A.origin = 0;
    CLS_TRY(status);
    CLS_TRY(cls_out_store(&lu->out, &host, begin, end - begin));
    cls_out_tell(&lu->out, 1);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_out_factor(cls_lu *lu, const clsolve_matrix *A, const clsolve_lu_options *options,
                                 cls_lu_slabs *work, int64_t *info, int *again) {
    *info = *again = 0;
    *work = (cls_lu_slabs){.A = A, .in = {.row = -1, .column = -1}, .out = cls_growth_begin()};
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    lu->out.progress = options ? options->progress : NULL;
    lu->out.progress_user = options ? options->progress_user : NULL;
    for (int64_t j = 0; j < lu->n && work->in.row < 0; j = lu->out.window_end) {
        cls_out_turn(&lu->out, j);
        CLS_TRY(factor_slab(lu, work, info));
    }
    return cls_panel_end(&lu->panel, info, again);
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
