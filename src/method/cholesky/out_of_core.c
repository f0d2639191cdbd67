/*
 * out_of_core.c: A = L L^H of a matrix larger than the device, left-looking over slabs of columns, with what
 * method/out_of_core has. Only what lies on the diagonal and below crosses:
 *
 *             c0    c1
 *      | K=0 | K=1 |  J  |      for each slab J: its rows from J on go up; for each block column of an earlier slab K,
 *      |  L  |     |     |      streamed: A = A - L L_J^H, L_J the rows of J; then J is factored in core, and goes down
 *      |  L  |  L  |     |
 *      |  L  |  L  |  L  |
 *
 * The part of each slab's L below goes up again for each slab right of it: about n^3 / (6 slab) elements in all.
 */
#include "method/cholesky/cholesky.h"

#include "blas/blas.h"

/* ---- memory ---- */

static clsolve_status too_small(const cls_cholesky *c, int64_t taken, int64_t had) {
    return cls_fail(
        c->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
        "a Cholesky factorization of order %lld wants %lld bytes of device memory out of core at least (two "
        "panels of %lld columns); %s leaves %lld, with what the handle has taken",
        (long long)c->n, (long long)(taken + cls_out_least(&c->out, c->leaf)), (long long)c->leaf,
        c->memory_limit > 0 ? "memory_limit" : c->device->info.name, (long long)(had > 0 ? had + taken : 0));
}

clsolve_status cls_cholesky_out_setup(cls_cholesky *cholesky) {
    cls_cholesky *c = cholesky;
    const int64_t taken = c->base_bytes + c->device->counters.buffer_bytes;
    int64_t had = cls_out_left(c->device, c->memory_limit, c->beside + taken);

    c->out = (cls_out){.device = c->device,
                       .what = "a Cholesky factorization",
                       .owner = c,
                       .lower = CLS_LOWER,
                       .type = c->type,
                       .n = c->n,
                       .window = &c->A,
                       .transfer = &c->transfer,
                       .check = &c->check};
    /* Without a limit of the caller's, something is left for the driver and for what a BLAS provider takes itself. */
    if (c->memory_limit == 0) had -= had / 8;
    if (!cls_out_choose(&c->out, had, c->block, c->leaf)) return too_small(c, taken, had);
    c->block = c->out.block;
    c->ahead = 0;
    CLS_TRY(cls_out_take(&c->out, c->slab_bytes, c->memory_limit));
    c->whole = cls_out_matrix(&c->out);
    return CLSOLVE_OK;
}

/* ---- factor ---- */

typedef struct slab {
    int64_t begin, end;
    const clsolve_cholesky_options *options;
} slab;

static void tell(const cls_cholesky *c, const slab *s, double done) {
    const clsolve_cholesky_options *o = s->options;
    const double before = cls_cholesky_work_to(c, s->begin), after = cls_cholesky_work_to(c, s->end);
    if (o && o->progress) o->progress(o->progress_user, "factor", before + (after - before) * done);
}

/* The slab's rows from its first column on, between the host's memory and the window. */
static clsolve_status cross(cls_cholesky *c, const slab *s, int up) {
    const cls_device_ops *ops = c->device->ops;
    const int64_t size = cls_type_size(c->type), n = c->n;
    const cls_queue queue = up ? CLS_UP : CLS_DOWN;
    clsolve_status status = ops->finish(c->device, CLS_COMPUTE);

    for (int64_t j = s->begin, run; j < s->end && status == CLSOLVE_OK; j += run) {
        run = cls_matrix_run(&c->A, j, s->end);
        const cls_ref at = cls_matrix_at(&c->A, s->begin, j);
        const cls_rect rect = {(size_t)((n - s->begin) * size), (size_t)run, (size_t)(at.offset * size),
                               (size_t)(at.ld * size), (size_t)(n * size)};
        char *host = (char *)c->out.host + (s->begin + j * n) * size;
        status = up ? ops->write(c->device, queue, at.buffer, host, &rect, NULL, NULL)
                    : ops->read(c->device, queue, at.buffer, host, &rect, NULL, NULL);
    }
    const clsolve_status done = ops->finish(c->device, queue); /* nothing touches the host's memory any more */
    return status != CLSOLVE_OK ? status : done;
}

/* The block column at j of an earlier slab is subtracted from the window. */
static clsolve_status update_slab(void *owner, int64_t j, int64_t width, cls_ref at, void *user) {
    enum { PIECE = 512 }; /* columns; what lies above the diagonal in the squares on it is computed too */
    cls_cholesky *c = owner;
    const slab *s = user;

    for (int64_t k = s->begin, run; k < s->end; k += run) {
        run = cls_matrix_run(&c->A, k, s->end - k < PIECE ? s->end : k + PIECE);
        const cls_ref L = cls_ref_at(at, k - j, 0);
        CLS_TRY(cls_gemm(c->device, CLS_BLAS_DEFAULT, c->type, CLSOLVE_NO_TRANS, cls_adjoint(c->type), c->n - k, run,
                         width, -1.0, L, L, 1.0, cls_matrix_at(&c->A, k, k)));
    }
    tell(c, s, (double)(j + width) / (double)s->end);
    return CLSOLVE_OK;
}

static clsolve_status factor_slab(cls_cholesky *c, slab *s, int64_t *info) {
    const cls_rect rect = {sizeof *info, 1, 0, sizeof *info, sizeof *info};

    CLS_TRY(cross(c, s, 1));
    CLS_TRY(cls_out_stream(&c->out, s->begin, update_slab, s));
    CLS_TRY(cls_cholesky_factor_columns(c, NULL, s->begin, s->end));
    CLS_TRY(c->device->ops->read(c->device, CLS_COMPUTE, c->info, info, &rect, NULL, NULL));
    CLS_TRY(c->device->ops->finish(c->device, CLS_COMPUTE));
    return *info > 0 ? CLSOLVE_OK : cross(c, s, 0);
}

clsolve_status cls_cholesky_factor_slabs(cls_cholesky *cholesky, const clsolve_cholesky_options *options,
                                         int64_t *info) {
    cls_cholesky *c = cholesky;

    *info = 0;
    clsolve_status status = c->device->ops->fill(c->device, CLS_COMPUTE, c->info, 0, sizeof(int64_t), 0);
    for (int64_t j = 0; j < c->n && status == CLSOLVE_OK && *info == 0; j += c->out.slab) {
        slab s = {j, c->n - j < c->out.slab ? c->n : j + c->out.slab, options};
        c->A.origin = j;
        status = factor_slab(c, &s, info);
        c->A.origin = 0;
        if (status == CLSOLVE_OK) tell(c, &s, 1);
    }
    return status;
}
