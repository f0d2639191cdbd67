/* solve_direct.c: solves with the factors of a handle: of vectors on the host, and of the caller's right-hand sides. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/direct/vectors.h"
#include "method/lu/direct.h"
#include "method/lu/sweep.h"

/* ---- vectors on the host ---- */

static int all_finite(int64_t count, const double *x) {
    double sum = 0; /* no number where one of them is none, or infinite */
    for (int64_t k = 0; k < count; ++k) sum += 0 * x[k];
    return sum == 0;
}

static clsolve_status solve_in_core_host(cls_lu *lu, clsolve_op op, int64_t cols, const double *b, double *x) {
    CLS_TRY(cls_vectors_up(lu->device, &lu->transfer, cols, b, &lu->B));
    const clsolve_status status = cls_lu_apply(lu, op, cols);
    if (status != CLSOLVE_OK) return cls_vectors_stop(lu->device, status);
    return cls_vectors_down(lu->device, &lu->transfer, cols, &lu->B, x);
}

/* With sweeps, which may have to be done without: then from a copy of x. */
static clsolve_status solve_by_sweeps(cls_lu *lu, clsolve_op op, int64_t cols, double *x) {
    const size_t count = (size_t)(lu->n * cols * cls_type_parts(lu->type));
    double *b = cls_alloc(count, sizeof *b);
    int again = 0;

    if (!b) return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors");
    memcpy(b, x, count * sizeof *b);
    clsolve_status status = solve_in_core_host(lu, op, cols, b, x);
    cls_lu_sweep_end(lu);
    if (status == CLSOLVE_OK && !all_finite((int64_t)count, x)) status = cls_lu_sweep_failed(lu, &again);
    if (status == CLSOLVE_OK && again) status = solve_in_core_host(lu, op, cols, b, x);
    cls_free(b);
    return status;
}

clsolve_status cls_lu_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_lu *lu = factors;

    CLS_TRY(cls_lu_reserve(lu, cols, 0));
    cls_lu_sweep_begin(lu);
    if (cls_lu_sweeps(lu, cols)) return solve_by_sweeps(lu, op, cols, x);
    cls_lu_sweep_end(lu);
    return solve_in_core_host(lu, op, cols, x, x);
}

/* ---- the caller's right-hand sides ---- */

static clsolve_status apply_scaled(cls_direct *direct, clsolve_op op, int64_t cols, int first) {
    cls_lu *lu = direct->factors;

    CLS_TRY(cls_scaling_rows(lu->device, &direct->scaling, &lu->B, cols, first));
    CLS_TRY(cls_lu_apply(lu, op, cols));
    return cls_scaling_rows(lu->device, &direct->scaling, &lu->B, cols, !first);
}

clsolve_status cls_lu_apply_scaled(cls_direct *direct, clsolve_op op, int64_t cols, int first, cls_place *out) {
    cls_lu *lu = direct->factors;

    CLS_TRY(apply_scaled(direct, op, cols, first));
    return cls_check_finite(lu->device, &lu->check, &lu->B, cols, &out->row, &out->column);
}

/* lu->B becomes the solution, and both are examined. On the device the host waits once: a B with NaN or Inf is solved
 * for in vain. */
static clsolve_status apply_examined(cls_direct *direct, clsolve_op op, int64_t cols, int first, cls_place *in,
                                     cls_place *out) {
    cls_lu *lu = direct->factors;
    cls_measures before, now;

    if (lu->B.mapped) {
        CLS_TRY(cls_check_finite(lu->device, &lu->check, &lu->B, cols, &in->row, &in->column));
        return in->row >= 0 ? CLSOLVE_OK : cls_lu_apply_scaled(direct, op, cols, first, out);
    }
    CLS_TRY(cls_check_enqueue(lu->device, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE));
    cls_check_turn(&lu->check);
    CLS_TRY(apply_scaled(direct, op, cols, first));
    CLS_TRY(cls_check_enqueue(lu->device, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read_both(lu->device, &lu->check, lu->B.rows, &before, &now));
    *in = (cls_place){before.row, before.column};
    *out = (cls_place){now.row, now.column};
    return CLSOLVE_OK;
}

clsolve_status cls_lu_solve_in_core(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    cls_lu *lu = direct->factors;
    cls_device *device = lu->device;
    clsolve_seconds *seconds = &direct->costs.solve;
    int64_t cols = B->cols;
    double start = cls_seconds();

    CLS_TRY(cls_lu_reserve(lu, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    /* One number for all of A may as well go into B for its transpose: a small B then has its digits in the solve. */
    int first = op == CLSOLVE_NO_TRANS || cls_direct_uniform(direct) != 1;
    cls_lu_sweep_begin(lu);
    clsolve_status status = apply_examined(direct, op, cols, first, in, out);
    cls_lu_sweep_end(lu);
    CLS_TRY(status);
    if (in->row < 0 && out->row >= 0) {
        int again;
        CLS_TRY(cls_lu_sweep_failed(lu, &again));
        if (again) {
            CLS_TRY(cls_upload(device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
            CLS_TRY(cls_lu_apply_scaled(direct, op, cols, first, out));
        }
    }
    seconds->solve = cls_seconds() - start;
    if (in->row >= 0 || out->row >= 0) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(cls_download(device, &lu->transfer, &lu->B, cols, B, 0, &lu->scratch));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                      cls_place *out) {
    const cls_lu *lu = direct->factors;

    /* Tiny columns were scaled: the vectors of the host keep the digits of a small B. */
    if (direct->scaling.cols && !direct->equilibrate) return cls_direct_solve_staged(direct, op, B, in, out);
    /* With a transpose the factors of rows come after the solve, and numbers they multiply must keep their digits. */
    if (direct->equilibrate && op != CLSOLVE_NO_TRANS && cls_scaling_rows_tiny(&direct->scaling))
        return cls_direct_solve_staged(direct, op, B, in, out);
    return lu->engine->solve(direct, op, B, in, out);
}
