/* copy_bits.c: copies of A in double where the device does not compute in double: cl/double_bits.cl reads their bits.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "method/direct/copy.h"
#include "method/direct/refine.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"
#include "method/mapped.h"

enum { COLUMNS = 4, TO_FLOAT = 32 }; /* of X in a launch; rows in a work-group of scale_bits */
enum { ACROSS = 0, ALONG = 1 };
enum { KEY_BIAS = 2048 }; /* as in cl/double_bits.cl */

/* ---- setup ---- */

clsolve_status cls_copy_build_bits(cls_device *device, cls_bits *bits) {
    const cls_device_ops *ops = device->ops;
    int cpu = device->info.type == CLSOLVE_DEVICE_CPU;
    cls_program *program;
    char options[160];

    bits->lanes = cpu ? 8 : cls_work_group(device, 32);
    bits->sides = cpu ? 1 : cls_work_group(device, 8 * bits->lanes) / bits->lanes;
    (void)snprintf(options, sizeof options, "%s -DLX=%d -DSIDES=%d -DCOLUMNS=%d", cls_type_option(CLSOLVE_F32),
                   (int)bits->lanes, (int)bits->sides, COLUMNS);
    CLS_TRY(ops->program_get(device, "double_bits", options, &program));
    CLS_TRY(ops->kernel_create(device, program, "residual_across", &bits->residual[ACROSS]));
    CLS_TRY(ops->kernel_create(device, program, "residual_along", &bits->residual[ALONG]));
    CLS_TRY(ops->kernel_create(device, program, "measure_across", &bits->measure[ACROSS]));
    CLS_TRY(ops->kernel_create(device, program, "measure_along", &bits->measure[ALONG]));
    return ops->kernel_create(device, program, "scale_bits", &bits->scale);
}

clsolve_status cls_copy_setup_bits(cls_copy *copy, clsolve_type into, int64_t slab_bytes) {
    cls_device *device = copy->device;
    cls_bits *bits = &copy->bits;
    size_t n = (size_t)copy->n;

    copy->form = &cls_copy_of_bits;
    CLS_TRY(cls_copy_setup_matrices(copy, slab_bytes));
    CLS_TRY(cls_copy_setup_numbers(copy));
    CLS_TRY(cls_transfer_create(device, into, &copy->to_factors));
    CLS_TRY(cls_copy_build_bits(device, bits));
    for (int k = 0; k < 2; ++k) CLS_TRY(device->ops->buffer_create(device, n * sizeof(int32_t), &bits->powers[k]));
    CLS_TRY(device->ops->buffer_create(device, n * sizeof(uint64_t), &bits->largest));
    CLS_TRY(device->ops->buffer_create(device, n * sizeof(uint64_t), &bits->sums));
    bits->on = 1;
    return CLSOLVE_OK;
}

void cls_copy_release_bits(cls_copy *copy) {
    const cls_device_ops *ops = copy->device->ops;
    cls_bits *bits = &copy->bits;

    for (int k = 0; k < 2; ++k) {
        ops->kernel_destroy(copy->device, bits->residual[k]);
        ops->kernel_destroy(copy->device, bits->measure[k]);
        ops->buffer_destroy(copy->device, bits->powers[k]);
    }
    ops->kernel_destroy(copy->device, bits->scale);
    ops->buffer_destroy(copy->device, bits->largest);
    ops->buffer_destroy(copy->device, bits->sums);
    *bits = (cls_bits){0};
}

/* A group has so many outputs of a kernel that works across the columns in memory, or along them. */
static cls_grid grid_of(const cls_bits *bits, int along, int64_t outputs) {
    size_t lanes = (size_t)bits->lanes, sides = (size_t)bits->sides, each = along ? sides : lanes;
    cls_grid grid = {{((size_t)outputs + each - 1) / each * lanes, sides, 1}, {lanes, sides, 1}};
    return grid;
}

/* ---- measure ---- */

/* The power of two that v[i] is, times 2^more; v NULL: ones. The host waits. */
static clsolve_status send_powers(cls_copy *copy, const double *v, int more, cls_buffer *powers) {
    cls_device *device = copy->device;
    size_t bytes = (size_t)copy->n * sizeof(int32_t);
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    int32_t *list = cls_alloc((size_t)copy->n, sizeof *list);

    if (!list) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a vector");
    for (int64_t i = 0; i < copy->n; ++i) list[i] = (v ? ilogb(v[i]) : 0) + more;
    clsolve_status status = device->ops->write(device, CLS_COMPUTE, powers, list, &rect, NULL, NULL);
    clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
    cls_free(list);
    return status != CLSOLVE_OK ? status : waited;
}

/* 2^shift times the number, NaN for what is not finite. */
static double value_of(uint64_t key, int shift) {
    double fraction = 0.5 + ldexp((double)(key & 0xfffffffffffff), -53);
    if (key == UINT64_MAX) return (double)NAN;
    return key == 0 ? 0 : ldexp(fraction, (int)(key >> 52) - KEY_BIAS + shift);
}

static clsolve_status fetch_keys(cls_copy *copy, cls_buffer *keys, uint64_t *list) {
    cls_device *device = copy->device;
    size_t bytes = (size_t)copy->n * sizeof *list;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    CLS_TRY(device->ops->read(device, CLS_COMPUTE, keys, list, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

/* Keys of the lines in memory (`along`), or of what lies across them; of A times the powers in powers[0]. */
static clsolve_status measure(cls_copy *copy, int along) {
    cls_device *device = copy->device;
    cls_bits *bits = &copy->bits;
    int64_t n = copy->n;
    size_t bytes = (size_t)n * sizeof(uint64_t);

    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, bits->largest, 0, bytes, 0));
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, bits->sums, 0, bytes, 0));
    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(&copy->A, j, n);
        cls_ref ref = cls_matrix_at(&copy->A, 0, j);
        cls_grid grid = grid_of(bits, along, along ? run : n);
        cls_arg args[] = {CLS_REF(ref),          CLS_VALUE(n),
                          CLS_VALUE(run),        CLS_BUFFER(bits->powers[0]),
                          CLS_VALUE(j),          CLS_BUFFER(bits->largest),
                          CLS_BUFFER(bits->sums)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, bits->measure[along], &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

/* The largest key of each line in memory, or of what lies across them, and the largest sum. */
static clsolve_status measure_to(cls_copy *copy, int along, uint64_t *largest, uint64_t *most) {
    CLS_TRY(measure(copy, along));
    CLS_TRY(fetch_keys(copy, copy->bits.sums, largest));
    *most = 0;
    for (int64_t k = 0; k < copy->n; ++k) *most = largest[k] > *most ? largest[k] : *most;
    return fetch_keys(copy, copy->bits.largest, largest);
}

/* As cls_copy_largest. */
static clsolve_status largest_of(cls_copy *copy, int columns, const double *r, double *largest) {
    uint64_t most, *keys = cls_alloc((size_t)copy->n, sizeof *keys);

    if (!keys) return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a vector");
    clsolve_status status = send_powers(copy, r, ilogb(copy->unit), copy->bits.powers[0]);
    if (status == CLSOLVE_OK) status = measure_to(copy, columns != copy->by_rows ? ALONG : ACROSS, keys, &most);
    for (int64_t k = 0; status == CLSOLVE_OK && k < copy->n; ++k)
        largest[k] = cls_scaled_size(keys[k] > 0, value_of(keys[k], 0));
    cls_free(keys);
    return status;
}

/* The first NaN or Inf of `lines` lines from `begin` on, in column order of the caller's matrix, into *m if it comes
 * before what is there. */
static void find_in_lines(const cls_copy *copy, const double *from, int64_t ld, int64_t begin, int64_t lines,
                          cls_measures *m) {
    for (int64_t l = 0; l < lines; ++l)
        for (int64_t k = 0; k < copy->n; ++k) {
            int64_t row = copy->by_rows ? begin + l : k, column = copy->by_rows ? k : begin + l;
            if (isfinite(from[l * ld + k])) continue;
            if (m->row >= 0 && (column > m->column || (column == m->column && row >= m->row))) continue;
            m->row = row;
            m->column = column;
        }
}

/* Finds the place in the caller's matrix, which has one. From the device some lines at a time come to the host. */
static clsolve_status find_place(const cls_copy *copy, const clsolve_matrix *A, cls_measures *m) {
    int64_t n = copy->n;

    if (A->place == CLSOLVE_ON_HOST) {
        find_in_lines(copy, A->data, A->ld, 0, n, m);
        return CLSOLVE_OK;
    }
    double *lines = cls_alloc((size_t)n, CLS_COPY_LINES * sizeof *lines);
    if (!lines) return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for lines of A");
    clsolve_status status = CLSOLVE_OK;
    for (int64_t l = 0, count; l < n && status == CLSOLVE_OK; l += count) {
        count = n - l < CLS_COPY_LINES ? n - l : CLS_COPY_LINES;
        status = cls_fetch_lines(copy->device, A, l, count, lines);
        if (status == CLSOLVE_OK) find_in_lines(copy, lines, n, l, count, m);
    }
    cls_free(lines);
    return status;
}

/* Norms and the largest element, and by them the unit. `keys`: n of room. */
static clsolve_status measure_all(cls_copy *copy, const clsolve_matrix *A, uint64_t *keys) {
    cls_measures *m = &copy->measures;
    int scale = ilogb(CLS_NORM_SCALE);
    uint64_t sum[2], largest = 0;

    CLS_TRY(send_powers(copy, NULL, 0, copy->bits.powers[0]));
    CLS_TRY(measure_to(copy, ACROSS, keys, &sum[ACROSS]));
    CLS_TRY(measure_to(copy, ALONG, keys, &sum[ALONG]));
    for (int64_t k = 0; k < copy->n; ++k) largest = keys[k] > largest ? keys[k] : largest;
    if (largest == UINT64_MAX) CLS_TRY(find_place(copy, A, m));
    if (m->row >= 0) return CLSOLVE_OK;
    copy->unit = cls_scaling_unit(copy->type, value_of(largest, 0));
    m->largest = value_of(largest, ilogb(copy->unit));
    m->norm1 = value_of(sum[copy->by_rows ? ACROSS : ALONG], scale + ilogb(copy->unit));
    copy->norm_inf = value_of(sum[copy->by_rows ? ALONG : ACROSS], scale + ilogb(copy->unit));
    return CLSOLVE_OK;
}

static clsolve_status take(cls_copy *copy, const clsolve_matrix *A, int scale) {
    cls_device *device = copy->device;
    clsolve_matrix lines = *A;

    copy->by_rows = A->layout == CLSOLVE_ROW_MAJOR;
    copy->unit = 1;
    copy->norm_inf = 0;
    copy->measures = (cls_measures){.row = -1, .column = -1};
    if (copy->n == 0) return CLSOLVE_OK;
    lines.layout = CLSOLVE_COLUMN_MAJOR; /* as they are: a copy of rows is one of A^T's columns */
    CLS_TRY(copy->symmetric ? cls_symmetric_upload(device, NULL, &lines, copy->upper, &copy->A)
                            : cls_upload_square(device, NULL, &lines, &copy->A));
    if (copy->symmetric) CLS_TRY(cls_symmetric_mirror(device, &copy->mirror, &copy->A, copy->upper, 0));
    uint64_t *keys = cls_alloc((size_t)copy->n, sizeof *keys);
    if (!keys) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a vector");
    clsolve_status status = measure_all(copy, A, keys);
    cls_free(keys);
    if (status != CLSOLVE_OK || copy->measures.row >= 0) return status;
    return cls_copy_find_scaling(copy, scale, largest_of);
}

/* ---- write ---- */

static clsolve_status write(cls_copy *copy, const cls_matrix *factors) {
    cls_device *device = copy->device;
    cls_bits *bits = &copy->bits;
    int64_t n = copy->n;

    if (n == 0) return CLSOLVE_OK;
    CLS_TRY(send_powers(copy, copy->by_rows ? copy->c : copy->r, ilogb(copy->unit), bits->powers[0]));
    CLS_TRY(send_powers(copy, copy->by_rows ? copy->r : copy->c, 0, bits->powers[1]));
    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(factors, j, n);
        run = cls_matrix_run(&copy->A, j, j + run);
        cls_ref from = cls_matrix_at(&copy->A, 0, j), to = cls_matrix_at(factors, 0, j);
        cls_grid grid = {{(size_t)((n + TO_FLOAT - 1) / TO_FLOAT * TO_FLOAT), (size_t)(run < 64 ? run : 64), 1},
                         {TO_FLOAT, 1, 1}};
        cls_arg args[] = {CLS_REF(from),
                          CLS_VALUE(n),
                          CLS_VALUE(run),
                          CLS_VALUE(j),
                          CLS_BUFFER(bits->powers[0]),
                          CLS_BUFFER(bits->powers[1]),
                          CLS_REF(to)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, bits->scale, &grid, CLS_ARGS(args)));
    }
    return copy->by_rows && n > 1 ? cls_transpose_square(device, &copy->to_factors, factors, NULL) : CLSOLVE_OK;
}

/* ---- residuals ---- */

/* `count` columns of X and R, from `begin` on, each in one slab; A slab by slab. R is rounded to double after each. */
static clsolve_status multiply(cls_copy *copy, int along, int64_t begin, int32_t count) {
    cls_device *device = copy->device;
    cls_bits *bits = &copy->bits;
    int64_t n = copy->n;
    int32_t exponent = ilogb(copy->unit);

    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(&copy->A, j, n);
        cls_ref A = cls_matrix_at(&copy->A, 0, j);
        cls_ref X = cls_matrix_at(&copy->X, along ? 0 : j, begin), R = cls_matrix_at(&copy->R, along ? j : 0, begin);
        cls_grid grid = grid_of(bits, along, along ? run : n);
        cls_arg args[] = {CLS_REF(A), CLS_VALUE(n), CLS_VALUE(run),  CLS_VALUE(exponent),
                          CLS_REF(X), CLS_REF(R),   CLS_VALUE(count)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, bits->residual[along], &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

/* The kernels take all bits for numbers: of a column of X that is none, the residual is none either. */
static void spoil(int64_t n, const double *x, double *r) {
    int finite = 1;
    for (int64_t i = 0; i < n; ++i) finite = finite && isfinite(x[i]);
    for (int64_t i = 0; i < n && !finite; ++i) r[i] = (double)NAN;
}

static clsolve_status residual(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R) {
    cls_device *device = copy->device;
    int64_t n = copy->n;
    int along = (op != CLSOLVE_NO_TRANS) != copy->by_rows;
    const double *const values[2] = {X, R};
    const cls_matrix *const matrix[2] = {&copy->X, &copy->R};

    if (n == 0) return CLSOLVE_OK;
    clsolve_status status = cls_vectors_up_both(device, NULL, cols, values, matrix);
    for (int64_t c = 0, run; c < cols && status == CLSOLVE_OK; c += run) {
        run = cls_matrix_run(&copy->X, c, cols);
        if (run > COLUMNS) run = COLUMNS;
        status = multiply(copy, along, c, (int32_t)run);
    }
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    CLS_TRY(cls_vectors_down(device, NULL, cols, &copy->R, R));
    for (int64_t c = 0; c < cols; ++c) spoil(n, X + c * n, R + c * n);
    return CLSOLVE_OK;
}

/* Factors of the copy's own type would be in double: there are none. */
const cls_copy_form cls_copy_of_bits = {take, write, NULL, residual};
