#include "method/lu/out_of_core.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/clock.h"
#include "base/memory.h"

/* ---- memory ---- */

void cls_lu_out_release(cls_lu *lu) {
    cls_device *device = lu->device;

    if (lu->out.stream[0]) (void)device->ops->finish(device, CLS_UP);
    for (int s = 0; s < 2; ++s) {
        device->ops->event_release(device, lu->out.up[s]);
        device->ops->event_release(device, lu->out.used[s]);
        device->ops->buffer_destroy(device, lu->out.stream[s]);
    }
    cls_free(lu->out.host);
    memset(&lu->out, 0, sizeof lu->out);
}

cls_matrix cls_lu_out_matrix(cls_lu *lu) {
    cls_matrix m = {.type = lu->type, .rows = lu->n, .cols = lu->n, .ld = lu->n, .slab_cols = lu->n, .slabs = 1};
    m.mapped = &lu->out.host;
    return m;
}

void cls_lu_out_stage(cls_lu *lu, const clsolve_matrix *A) {
    int64_t n = lu->n, size = cls_type_size(lu->type);
    blasint order = (blasint)n, ld = (blasint)A->ld;

    if (A->layout == CLSOLVE_COLUMN_MAJOR)
        for (int64_t j = 0; j < n; ++j)
            memcpy((char *)lu->out.host + j * n * size, (const char *)A->data + j * A->ld * size, (size_t)(n * size));
    else if (lu->type == CLSOLVE_F64)
        cblas_domatcopy(CblasColMajor, CblasTrans, order, order, 1.0, A->data, ld, lu->out.host, order);
    else
        cblas_somatcopy(CblasColMajor, CblasTrans, order, order, 1.0f, A->data, ld, lu->out.host, order);
}

/* ---- between the caller's layout and the window ---- */

/* A row-major view goes through a stream's buffer, a block column at a time; a column-major one needs none. */
static int64_t part_of(const cls_lu *lu, const clsolve_matrix *view, int64_t left) {
    return view->layout == CLSOLVE_COLUMN_MAJOR || left < lu->block ? left : lu->block;
}

clsolve_status cls_lu_out_fetch(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(lu, view, cols - q);
        cls_matrix part = cls_matrix_from(&lu->A, -q);
        cls_matrix scratch = cls_matrix_in(&lu->out.stream[0], lu->type, width, lu->n);
        CLS_TRY(cls_upload(lu->device, &lu->transfer, view, begin + q, width, &part, &scratch));
    }
    /* The stream's buffer is free again, and so is the window for a copy from the host. */
    return lu->device->ops->finish(lu->device, CLS_COMPUTE);
}

clsolve_status cls_lu_out_store(cls_lu *lu, const clsolve_matrix *view, int64_t begin, int64_t cols) {
    for (int64_t q = 0, width; q < cols; q += width) {
        width = part_of(lu, view, cols - q);
        cls_matrix part = cls_matrix_from(&lu->A, -q);
        cls_matrix scratch = cls_matrix_in(&lu->out.stream[0], lu->type, width, lu->n);
        CLS_TRY(cls_download(lu->device, &lu->transfer, &part, width, view, begin + q, &scratch));
    }
    return CLSOLVE_OK;
}

static clsolve_matrix host_view(const cls_lu *lu) {
    clsolve_matrix view = {lu->type, CLSOLVE_COLUMN_MAJOR, lu->n, lu->n, lu->n, lu->out.host, CLSOLVE_ON_HOST, 0};
    return view;
}

/* ---- factor ---- */

typedef struct slab {
    int64_t begin, end;
    const clsolve_lu_options *options;
} slab;

/* The work up to column c, as a fraction of all. */
static double work_to(const cls_lu *lu, double c) {
    double x = c / (double)lu->n;
    return x * x * (3 - x) / 2;
}

static void tell(const cls_lu *lu, const slab *s, double done) {
    if (!s->options || !s->options->progress) return;
    double before = work_to(lu, (double)s->begin), after = work_to(lu, (double)s->end);
    s->options->progress(s->options->progress_user, "factor", before + (after - before) * done);
}

/* The block column at j of an earlier slab is applied to the window. */
static clsolve_status update_slab(cls_lu *lu, int64_t j, int64_t width, cls_ref at, void *user) {
    cls_device *device = lu->device;
    const slab *s = user;
    int64_t k = j + width;
    cls_ref L21 = cls_ref_at(at, width, 0);

    if (j % lu->out.slab == 0)
        CLS_TRY(cls_lu_move_rows(lu, &lu->A, s->begin, s->end, s->end, 0, j, j + lu->out.slab, 0));
    for (int64_t c = s->begin, run; c < s->end; c += run) {
        run = cls_matrix_run(&lu->A, c, s->end);
        if (run > CLS_LU_OUT_COLUMNS) run = CLS_LU_OUT_COLUMNS;
        cls_ref A12 = cls_matrix_at(&lu->A, j, c), A22 = cls_ref_at(A12, width, 0);
        CLS_TRY(device->blas->trsm(device, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, width, run, at, A12));
        CLS_TRY(device->blas->gemm(device, lu->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, lu->n - k, run, width, -1.0,
                                   L21, A12, 1.0, A22));
    }
    tell(lu, s, (double)k / (double)s->end);
    return CLSOLVE_OK;
}

/* What the pass over the window's first columns says, which are A's from `begin` on, joined to what is known of those
 * before. */
static clsolve_status measure(cls_lu *lu, int64_t begin, int64_t cols, cls_measures *all) {
    cls_matrix window = cls_matrix_from(&lu->A, begin);
    cls_measures m;

    CLS_TRY(cls_check_enqueue_columns(lu->device, &lu->check, &window, begin, begin + cols, 0));
    CLS_TRY(cls_check_read(lu->device, &lu->check, lu->n, &m, NULL));
    all->row = m.row;
    all->column = m.column;
    all->largest = fmax(all->largest, m.largest);
    all->norm1 = fmax(all->norm1, m.norm1);
    return CLSOLVE_OK;
}

static clsolve_status factor_slab(cls_lu *lu, const clsolve_matrix *A, const slab *s, double *upload, cls_measures *in,
                                  cls_lu_verdict *out, int64_t *info) {
    clsolve_matrix host = host_view(lu);
    int64_t cols = s->end - s->begin;
    double start = cls_seconds();

    CLS_TRY(cls_lu_out_fetch(lu, A ? A : &host, s->begin, cols));
    CLS_TRY(measure(lu, s->begin, cols, in));
    *upload += cls_seconds() - start;
    if (in->row >= 0) return CLSOLVE_OK;

    slab mine = *s;
    lu->A.origin = s->begin;
    clsolve_status status = cls_lu_stream(lu, CLS_LOWER_UNIT, s->begin, 0, update_slab, &mine);
    if (status == CLSOLVE_OK) status = cls_lu_factor_columns(lu, s->begin, s->end, NULL, info);
    if (status == CLSOLVE_OK) status = cls_lu_judge_columns(lu, s->begin, s->end, out);
    lu->A.origin = 0;
    CLS_TRY(status);
    CLS_TRY(cls_lu_out_store(lu, &host, s->begin, cols));
    tell(lu, s, 1);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_out_factor(cls_lu *lu, const clsolve_matrix *A, const clsolve_lu_options *options, double *upload,
                                 cls_measures *in, cls_lu_verdict *out, int64_t *info, int *again) {
    *again = 0;
    *in = (cls_measures){.row = -1, .column = -1};
    *out = cls_lu_verdict_begin();
    CLS_TRY(cls_lu_factor_begin(lu, info));
    for (int64_t begin = 0; begin < lu->n && in->row < 0; begin += lu->out.slab) {
        int64_t end = lu->n - begin < lu->out.slab ? lu->n : begin + lu->out.slab;
        slab s = {begin, end, options};
        CLS_TRY(factor_slab(lu, A, &s, upload, in, out, info));
    }
    return cls_lu_factor_end(lu, info, again);
}

/* ---- export ---- */

clsolve_status cls_lu_out_export(cls_lu *lu, const clsolve_matrix *LU) {
    clsolve_matrix host = host_view(lu);

    for (int64_t begin = 0; begin < lu->n; begin += lu->out.slab) {
        int64_t end = lu->n - begin < lu->out.slab ? lu->n : begin + lu->out.slab, cols = end - begin;
        CLS_TRY(cls_lu_out_fetch(lu, &host, begin, cols));
        /* What later slabs' pivots do to these rows of L. */
        if (end < lu->n) CLS_TRY(cls_lu_move_rows(lu, &lu->A, 0, cols, cols, 0, end, lu->n, 0));
        CLS_TRY(cls_lu_out_store(lu, LU, begin, cols));
    }
    return CLSOLVE_OK;
}
