/* rectangle_device.c: a rectangle that goes up to the device, is factored there as a square is (factor.c), and comes
 * down. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/failure.h"
#include "method/lu/rectangle_device.h"

/* ---- memory and kernels ---- */

/* A, and with `row_major` its transpose on the way. */
static clsolve_status check_room(const cls_lu *lu, const char *call, int64_t cols, int row_major) {
    const double size = (double)cls_type_size(lu->type);
    double wanted = (double)cls_matrix_ld(lu->rows, cls_type_size(lu->type)) * (double)cols * size;
    double had = (double)lu->device->ops->memory_left(lu->device);

    if (row_major) wanted += (double)cls_matrix_ld(cols, cls_type_size(lu->type)) * (double)lu->rows * size;
    if (lu->memory_limit > 0 && (double)lu->memory_limit < had) had = (double)lu->memory_limit;
    if (wanted <= had) return CLSOLVE_OK;
    return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "%s: %lld x %lld wants %.0f bytes of device memory, and %.0f are left: only square matrices are "
                    "factored out of core; set `where` to CLSOLVE_WHERE_HOST",
                    call, (long long)lu->rows, (long long)cols, wanted, had);
}

static clsolve_status build(void *what) {
    cls_lu *lu = what;

    CLS_TRY(cls_panel_open(&lu->panel));
    CLS_TRY(cls_check_create(lu->device, lu->type, &lu->check));
    return cls_transfer_create(lu->device, lu->type, &lu->transfer);
}

static clsolve_status setup(cls_lu *lu, cls_rectangle *job, const clsolve_matrix *A) {
    const clsolve_lu_options *options = job->options;
    const int row_major = A->layout == CLSOLVE_ROW_MAJOR;

    lu->device = job->device;
    lu->type = A->type;
    lu->rows = A->rows;
    lu->n = cls_lesser(A->rows, A->cols);
    lu->behind = A->cols - lu->n;
    lu->slab_bytes = options->slab_bytes;
    lu->memory_limit = options->memory_limit;
    CLS_TRY(cls_lu_take_panel(lu, options, options->panel));
    CLS_TRY(check_room(lu, job->call, A->cols, row_major && !lu->panel.mapped));
    CLS_TRY(cls_matrix_create(lu->device, lu->type, A->rows, A->cols, lu->block, lu->slab_bytes, &lu->A));
    if (!lu->panel.mapped) {
        if (row_major)
            CLS_TRY(cls_matrix_create(lu->device, lu->type, A->cols, A->rows, 1, lu->slab_bytes, &lu->scratch));
        CLS_TRY(cls_announce(lu->device, build, lu));
        CLS_TRY(build(lu));
    }
    return lu->panel.mapped ? cls_lu_map(lu) : CLSOLVE_OK;
}

/* ---- the factorization ---- */

static clsolve_status factor(cls_rectangle *job, cls_lu *lu, int *again) {
    *again = 0;
    job->info = 0;
    CLS_TRY(cls_panel_start(&lu->panel, CLS_PANEL_REPEATABLE));
    CLS_TRY(cls_lu_factor_columns(lu, 0, lu->n, job->options, &job->info));
    return cls_panel_end(&lu->panel, &job->info, again);
}

/* The pivots last: while the factors come down, the device may still fail. */
static clsolve_status bring_down(cls_lu *lu, const clsolve_matrix *A, int64_t *ipiv) {
    const size_t count = (size_t)lu->n;
    int64_t *pivots = cls_alloc(count, sizeof *pivots);

    if (!pivots) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    clsolve_status status = cls_lu_pivots(lu, pivots);
    if (status == CLSOLVE_OK) status = cls_download(lu->device, &lu->transfer, &lu->A, A->cols, A, 0, &lu->scratch);
    if (status == CLSOLVE_OK) memcpy(ipiv, pivots, count * sizeof *ipiv);
    cls_free(pivots);
    return status;
}

/* A tiny matrix is left to the caller, who scales it. */
static clsolve_status run(cls_rectangle *job, cls_lu *lu, const clsolve_matrix *A, int64_t *ipiv,
                          cls_measures *measures) {
    cls_device *device = job->device;
    double start = cls_seconds();
    int again;

    do {
        CLS_TRY(cls_upload(device, &lu->transfer, A, 0, A->cols, &lu->A, &lu->scratch));
        CLS_TRY(cls_check_enqueue(device, &lu->check, &lu->A, A->cols, CLS_CHECK_WHOLE));
        CLS_TRY(cls_check_read(device, &lu->check, A->rows, measures, NULL));
        job->seconds.upload += cls_seconds() - start;
        if (measures->row >= 0)
            return cls_nonfinite(device->error, CLSOLVE_ERROR_NONFINITE, job->call, "A", measures->row,
                                 measures->column);
        if (cls_scaling_unit(A->type, measures->largest) != 1) return CLSOLVE_OK;
        start = cls_seconds();
        CLS_TRY(factor(job, lu, &again));
        job->seconds.factor += cls_seconds() - start;
        start = cls_seconds();
    } while (again);
    CLS_TRY(bring_down(lu, A, ipiv));
    job->seconds.download += cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_rectangle_on_device(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv,
                                       cls_measures *measures) {
    cls_lu lu = {0};

    clsolve_status status = setup(&lu, job, A);
    if (status == CLSOLVE_OK) status = run(job, &lu, A, ipiv, measures);
    job->panel = lu.panel.hybrid ? "hybrid" : "native";
    job->device_bytes = lu.A.bytes + lu.scratch.bytes;
    cls_lu_release(&lu);
    return status;
}
