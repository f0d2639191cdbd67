/* engine.c: who factors a matrix in core: panels, one kernel for few rows, plain loops of the host. */
#include "base/clock.h"
#include "base/memory.h"
#include "method/lu/direct.h"
#include "method/lu/host_small.h"
#include "method/lu/small.h"

/* ---- panels (whole.c) ---- */

static clsolve_status factor_by_panels(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, cls_growth *growth,
                                       int *again) {
    CLS_TRY(cls_lu_factor(lu, options, info, again));
    return *again ? CLSOLVE_OK : cls_lu_growth(lu, growth);
}

static clsolve_status move_by_panels(cls_lu *lu, int64_t cols, int reverse) {
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->B, 0, cols, cols, 0, 0, lu->n, reverse);
}

static clsolve_status enqueue_by_panels(cls_lu *lu, cls_async *async, const clsolve_matrix *A) {
    cls_device *device = lu->device;

    CLS_TRY(cls_async_forget(device, async, CLS_ASYNC_A));
    CLS_TRY(cls_upload_square(device, &lu->transfer, A, &lu->A));
    CLS_TRY(cls_async_search(device, async, &lu->check, &lu->A, lu->n, CLS_CHECK_WHOLE, CLS_ASYNC_A));
    CLS_TRY(cls_lu_factor_enqueue(lu));
    return cls_async_search(device, async, &lu->check, &lu->A, lu->n, CLS_CHECK_WHOLE, CLS_ASYNC_FACTORS);
}

const cls_lu_engine cls_lu_panels = {.panels = 1,
                                     .factor = factor_by_panels,
                                     .enqueue = enqueue_by_panels,
                                     .move_rows = move_by_panels,
                                     .solve = cls_sides_solve,
                                     .solve_vectors = cls_lu_solve_host,
                                     .inverts_there = 1};

/* ---- few rows by one kernel (small.h) ---- */

static clsolve_status factor_few(cls_lu *lu, const clsolve_lu_options *options, int64_t *info, cls_growth *growth,
                                 int *again) {
    (void)options;
    *again = 0;
    CLS_TRY(cls_lu_small_factor(lu));
    CLS_TRY(cls_lu_small_read(lu));
    *info = lu->small.info;
    *growth = lu->small.growth;
    return CLSOLVE_OK;
}

static void tell_progress(const cls_direct *direct) {
    const clsolve_lu_options *options = direct->options;
    if (options->progress) options->progress(options->progress_user, "factor", 1);
}

/* A tiny matrix comes again, to be scaled first. */
static clsolve_status factor_few_given(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;
    double upload;

    *again = 0;
    CLS_TRY(cls_lu_small_factor_view(lu, A, &upload));
    direct->costs.factor.upload += upload;
    CLS_TRY(cls_lu_small_read(lu));
    direct->measures = lu->small.measures;
    direct->largest = direct->measures.largest;
    direct->info = lu->small.info;
    direct->growth = lu->small.growth;
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    /* The matrix before may have been tiny, and its scaling is not this one's. */
    if (cls_scaling_unit(direct->type, direct->largest) == 1) {
        CLS_TRY(cls_scaling_uniform(lu->device, &direct->scaling, 0, 1));
        tell_progress(direct);
        return CLSOLVE_OK;
    }
    return cls_lu_factor_anew(direct, A, again);
}

static clsolve_status enqueue_few(cls_lu *lu, cls_async *async, const clsolve_matrix *A) {
    double upload;

    CLS_TRY(cls_lu_small_factor_view(lu, A, &upload));
    return cls_async_take(lu->device, async, lu->small.record, lu->panel.info);
}

/* Row i of P A is row rows[i] of A. */
static clsolve_status import_few(cls_lu *lu, const int64_t *ipiv) {
    const size_t bytes = (size_t)lu->n * sizeof(int32_t);
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    int32_t *rows = cls_alloc((size_t)lu->n, sizeof *rows);

    if (!rows) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    lu->small.host_is_new = 0;
    for (int64_t k = 0; k < lu->n; ++k) rows[k] = (int32_t)k;
    for (int64_t k = 0; k < lu->n; ++k) {
        int32_t other = rows[ipiv[k] - 1];
        rows[ipiv[k] - 1] = rows[k];
        rows[k] = other;
    }
    clsolve_status status = lu->device->ops->write(lu->device, CLS_COMPUTE, lu->small.rows, rows, &rect, NULL, NULL);
    clsolve_status done = lu->device->ops->finish(lu->device, CLS_COMPUTE);
    cls_free(rows);
    return status != CLSOLVE_OK ? status : done;
}

static int is_scaled(const cls_direct *direct) {
    return direct->scaling.rows || direct->scaling.cols;
}

static clsolve_status solve_few(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                cls_place *out) {
    double start = cls_seconds();

    if (is_scaled(direct) || !cls_lu_small_solves(direct->factors, B)) return cls_sides_solve(direct, op, B, in, out);
    clsolve_status status = cls_lu_small_solve(direct->factors, op, B, in, out);
    direct->costs.solve.solve = cls_seconds() - start;
    return status;
}

static clsolve_status solve_few_vectors(void *factors, clsolve_op op, int64_t cols, double *x) {
    const cls_lu *lu = factors;

    if (!lu->small.host || !lu->small.host_is_new) return cls_lu_solve_host(factors, op, cols, x);
    cls_lu_small_host_solve(lu, op, cols, x);
    return CLSOLVE_OK;
}

const cls_lu_engine cls_lu_few = {.factor = factor_few,
                                  .factor_given = factor_few_given,
                                  .enqueue = enqueue_few,
                                  .import = import_few,
                                  .move_rows = cls_lu_small_move,
                                  .solve = solve_few,
                                  .solve_vectors = solve_few_vectors};

/* ---- few rows on the host by plain loops (host_small.h) ---- */

/* A tiny matrix comes again, to be scaled first. So does a matrix whose factors overflow, because LAPACK's factors say
 * where. */
static clsolve_status factor_loops_given(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;

    *again = 0;
    cls_lu_host_small_take(lu, A, direct->wants_rcond, &direct->measures);
    direct->largest = direct->measures.largest;
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    if (cls_scaling_unit(direct->type, direct->largest) == 1) {
        /* The matrix before may have been tiny, and its scaling is not this one's. */
        CLS_TRY(cls_scaling_uniform(lu->device, &direct->scaling, 1, 1));
        if (cls_lu_host_small_factor(lu, &direct->info, &direct->growth)) {
            tell_progress(direct);
            return CLSOLVE_OK;
        }
    }
    CLS_TRY(cls_lu_take_plainly(direct, A));
    return lu->engine->factor(lu, direct->options, &direct->info, &direct->growth, again);
}

static clsolve_status solve_by_loops(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                     cls_place *out) {
    if (is_scaled(direct) || !cls_lu_host_small_solves(direct->factors, B))
        return cls_sides_solve(direct, op, B, in, out);
    cls_lu_host_small_solve(direct->factors, op, B, in, out);
    return CLSOLVE_OK;
}

const cls_lu_engine cls_lu_host_loops = {.factor = factor_by_panels,
                                         .factor_given = factor_loops_given,
                                         .move_rows = move_by_panels,
                                         .solve = solve_by_loops,
                                         .solve_vectors = cls_lu_solve_host};
