/*
 * again.c: members that static pivots do not suffice for: a pivot was zero, or a solution misses the promised
 * backward error. The solver of one matrix factors each anew, in double, with pivots of its own. Few members are such.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/fetch.h"
#include "method/sparse_batch/batch.h"

static const char call[] = "clsolve_sparse_batch";

static clsolve_status no_memory(const cls_sparse_batch *batch) {
    return cls_no_memory(batch->device->error, "a member of a sparse batch");
}

/* A of the member, in double, for the engine. */
static clsolve_csr matrix_of(const cls_sparse_batch *batch, const double *value) {
    const cls_csr *A = &batch->plan->A;
    return (clsolve_csr){cls_double_type(batch->type), CLSOLVE_I64, 0, A->n, A->n, A->start, A->column, value};
}

/* Values of member m of the portion, in double: with an exponent taken out where they are extreme. There is room for
 * twice as many. */
static clsolve_status take_values(cls_sparse_batch *batch, int64_t m, double *value, int32_t *exponent) {
    const int64_t numbers = batch->plan->A.entries * cls_type_parts(batch->type);
    void *raw = cls_is_double(batch->type) ? value : value + numbers;
    if (batch->device->no_kernels)
        cls_batch_host_values(batch, m, raw, exponent);
    else
        CLS_TRY(cls_batch_there_values(batch, m, raw, exponent));
    for (int64_t k = 0; k < numbers && raw != value; k++) value[k] = cls_type_get(batch->type, raw, k);
    return CLSOLVE_OK;
}

/* Factors member m / 2^*exponent, and counts it. *status: the outcome for its numbers. A failure is one of memory or
 * the device. */
static clsolve_status factor(cls_sparse_batch *batch, int64_t m, int32_t *exponent, clsolve_status *status) {
    cls_error *error = batch->device->error, said = *error;
    batch->again++;
    double *value = cls_alloc((size_t)batch->plan->A.entries + 1, 2 * sizeof *value * (size_t)batch->plan->A.parts);
    if (!value) return no_memory(batch);
    const clsolve_csr A = matrix_of(batch, value);
    clsolve_status done = take_values(batch, m, value, exponent);
    if (done == CLSOLVE_OK && !batch->engine_open) {
        const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_HOST};
        const cls_sparse_company alone = {.devices = &batch->device, .count = 1};
        done = cls_sparse_open(error, call, batch->device ? &alone : NULL, &A, &options, &batch->engine);
        batch->engine_open = done == CLSOLVE_OK;
    }
    if (done == CLSOLVE_OK) {
        *status = cls_sparse_factor(error, call, &A, &batch->engine);
        if (*status == CLSOLVE_ERROR_OUT_OF_MEMORY)
            done = *status;
        else
            *error = said; /* the member's info says it */
    }
    cls_free(value);
    return done;
}

/* The infos of the statuses of one matrix. */
static int32_t info_of(const cls_sparse_batch *batch, clsolve_status status) {
    if (status == CLSOLVE_OK) return 0;
    if (status == CLSOLVE_SINGULAR) return (int32_t)batch->engine.info;
    return status == CLSOLVE_NOT_CONVERGED ? CLS_BATCH_NOT_ACCURATE : -1;
}

clsolve_status cls_batch_again_factor(cls_sparse_batch *batch, int64_t m, int32_t *info) {
    clsolve_status status = CLSOLVE_OK;
    int32_t exponent;
    CLS_TRY(factor(batch, m, &exponent, &status));
    *info = info_of(batch, status);
    return CLSOLVE_OK;
}

clsolve_status cls_batch_again_determinant(cls_sparse_batch *batch, int64_t m, cls_member_det *det) {
    clsolve_status status = CLSOLVE_OK;
    int32_t exponent;
    CLS_TRY(factor(batch, m, &exponent, &status));
    cls_sparse_settle(&batch->engine, 0);
    cls_sparse_measure(&batch->engine);
    *det = (cls_member_det){.log = batch->engine.log_abs_det + log(2) * exponent * (double)batch->plan->A.n,
                            .phase = batch->engine.det_phase,
                            .sign = status == CLSOLVE_OK ? batch->engine.det_sign : 0};
    return CLSOLVE_OK;
}

clsolve_status cls_batch_again_condition(cls_sparse_batch *batch, int64_t m, double *rcond) {
    clsolve_status status = CLSOLVE_OK;
    int32_t exponent;
    CLS_TRY(factor(batch, m, &exponent, &status));
    *rcond = 0;
    if (status != CLSOLVE_OK) return CLSOLVE_OK;
    CLS_TRY(cls_sparse_estimate(batch->device->error, call, &batch->engine));
    *rcond = batch->engine.rcond;
    return CLSOLVE_OK;
}

/* ---- solve ---- */

/* Member m of B. */
static clsolve_matrix member_of(const clsolve_batch *B, int64_t m) {
    const int64_t at = B->offsets ? B->offsets[m] : m * B->stride;
    clsolve_matrix view = {.type = B->type,
                           .layout = B->layout,
                           .rows = B->rows,
                           .cols = B->cols,
                           .ld = B->ld,
                           .data = B->data,
                           .place = B->place};
    if (B->place == CLSOLVE_ON_DEVICE)
        view.offset = B->offset + at;
    else
        view.data = (char *)B->data + at * cls_type_size(B->type);
    return view;
}

/* Between a matrix on the host and x, columns one behind the other. */
static void copy_elements(const clsolve_matrix *view, double *x, int back) {
    const int64_t parts = cls_type_parts(view->type);
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    for (int64_t j = 0; j < view->cols; j++)
        for (int64_t i = 0; i < view->rows; i++)
            for (int64_t p = 0; p < parts; p++) {
                const int64_t at = (by_column ? i + j * view->ld : i * view->ld + j) * parts + p;
                double *here = x + (i + j * view->rows) * parts + p;
                if (back)
                    cls_type_put(view->type, view->data, at, *here);
                else
                    *here = cls_type_get(view->type, view->data, at);
            }
}

/* NaN stays. */
static double largest_part(const double *x, int64_t count) {
    double most = 0;
    for (int64_t k = 0; k < count; k++) most = isnan(most) || fabs(x[k]) <= most ? most : fabs(x[k]);
    return most;
}

/* Column j times 2^exponent. 0: it leaves the range of normal numbers at its lower end. */
static int scale_column(const clsolve_matrix *view, double *x, int64_t j, int exponent) {
    const int64_t count = view->rows * cls_type_parts(view->type);
    double *column = x + j * count;
    const double before = largest_part(column, count);
    for (int64_t k = 0; k < count && exponent != 0; k++) column[k] = ldexp(column[k], exponent);
    return before == 0 || largest_part(column, count) >= cls_type_least(view->type);
}

/* X of A / 2^exponent and of B, each column of which was divided by a power of two, becomes X of A and B, in `view`
 * where its info is 0. The info -1: a number is beyond the range of the type. -2: a column is below it. */
static int32_t scale_back(const clsolve_matrix *view, const int *of_B, int32_t exponent, double *x) {
    int fits = 1;
    for (int64_t j = 0; j < view->cols; j++) fits &= scale_column(view, x, j, of_B[j] - exponent);
    const double most = largest_part(x, view->rows * view->cols * cls_type_parts(view->type));
    if (!(most <= cls_type_most(view->type))) return -1;
    if (fits) copy_elements(view, x, 1);
    return fits ? 0 : CLS_BATCH_NOT_ACCURATE;
}

/* The engine has A / 2^exponent. of_B: an exponent of each column. */
static clsolve_status solve(cls_sparse_batch *batch, clsolve_op op, int32_t exponent, const clsolve_matrix *view,
                            double *x, int *of_B, int32_t *info) {
    cls_error *error = batch->device->error, said = *error;
    const int64_t numbers = view->rows * cls_type_parts(view->type);
    copy_elements(view, x, 0);
    if (!(largest_part(x, numbers * view->cols) <= DBL_MAX)) {
        *info = -1;
        return CLSOLVE_OK;
    }
    for (int64_t j = 0; j < view->cols; j++) {
        (void)frexp(largest_part(x + j * numbers, numbers), &of_B[j]);
        (void)scale_column(view, x, j, -of_B[j]);
    }
    const clsolve_status status = cls_sparse_solve(error, call, &batch->engine, op, x, view->cols);
    if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return status;
    *error = said;
    *info = info_of(batch, status);
    if (*info == 0) *info = scale_back(view, of_B, exponent, x);
    return CLSOLVE_OK;
}

clsolve_status cls_batch_again_solve(cls_sparse_batch *batch, clsolve_op op, int64_t m, const clsolve_batch *B,
                                     int32_t *info) {
    const clsolve_matrix view = member_of(B, m);
    cls_fetched fetched;
    clsolve_status status = CLSOLVE_OK;
    int32_t exponent;
    CLS_TRY(factor(batch, m, &exponent, &status));
    *info = info_of(batch, status);
    if (*info != 0) return CLSOLVE_OK;
    CLS_TRY(cls_fetch(batch->device, &view, &fetched));
    double *x = cls_alloc((size_t)(B->rows * B->cols) + 1, 2 * sizeof *x);
    int *of_B = cls_alloc((size_t)B->cols + 1, sizeof *of_B);
    status = x && of_B ? solve(batch, op, exponent, &fetched.view, x, of_B, info) : no_memory(batch);
    if (status == CLSOLVE_OK && *info == 0) status = cls_store(batch->device, &fetched, &view);
    cls_fetched_free(&fetched);
    cls_free(of_B);
    cls_free(x);
    return status;
}
