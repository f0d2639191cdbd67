#include "method/direct/scaling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/staging.h"
#include "method/mapped.h"

enum { ACROSS = 32 }; /* rows in a work-group of scale_to and scale_rows */

static double smallest_of(clsolve_type type) {
    return cls_type_least(type);
}

/* ---- the arithmetic of dgeequb and dlaqge, on the host: n numbers ---- */

/* radix^int(log_radix(x)), int cutting towards zero, as dgeequb rounds; x > 0. */
static double round_to_power(double x) {
    int exponent;
    double mantissa = frexp(x, &exponent); /* x = mantissa 2^exponent, 0.5 <= mantissa < 1 */
    if (x >= 1 || mantissa == 0.5) exponent -= 1;
    return ldexp(1, exponent);
}

double cls_scaling_factors(clsolve_type type, int64_t n, const double *largest, double *factor) {
    double small = smallest_of(type), big = 1 / small, least = big, most = 0;

    for (int64_t i = 0; i < n; ++i) {
        double size = largest[i]; /* `factor` may be the same array */
        factor[i] = 1;
        if (!(size > 0)) continue; /* of zeros: singular, which the factorization finds */
        double power = round_to_power(size);
        if (power < least) least = power;
        if (power > most) most = power;
        factor[i] = 1 / fmin(fmax(power, small), big);
    }
    return most > 0 ? fmax(least, small) / fmin(most, big) : 1;
}

int cls_scaling_worth(clsolve_type type, double ratio, double largest, int rows) {
    double precision = cls_type_epsilon(type);
    double small = smallest_of(type) / precision;
    return ratio < 0.1 || (rows && (largest < small || largest > 1 / small));
}

int cls_scaling_rows_tiny(const cls_scaling *scaling) {
    const double most = cls_type_epsilon(scaling->type) / smallest_of(scaling->type);
    for (int64_t i = 0; scaling->rows && i < scaling->n; i++)
        if (scaling->host_r[i] > most) return 1;
    return 0;
}

/* LAPACK divides by complex pivots through their reciprocals, whose denominators overflow: the reciprocal is 0 then. */
static int is_huge(clsolve_type type, double largest) {
    const double most = cls_type_most(type);
    return cls_is_complex(type) && largest > ldexp(most, -8) && largest <= most;
}

double cls_scaling_unit(clsolve_type type, double largest) {
    double precision = cls_type_epsilon(type), small = smallest_of(type);
    if (is_huge(type, largest)) return ldexp(1, -16);
    if (!(largest > 0) || largest >= small / precision) return 1;
    return ldexp(1, (ilogb(small) / 2 - ilogb(largest)) & ~1);
}

double cls_scaling_tiny(clsolve_type type, double largest) {
    return fmax(cls_scaling_unit(type, largest), 1);
}

/* ---- on the device ---- */

/* The work-groups and the kernels. */
clsolve_status cls_scaling_build(cls_device *device, clsolve_type type, clsolve_type into, cls_scaling *scaling) {
    int cpu = device->info.type == CLSOLVE_DEVICE_CPU;
    cls_program *program;
    char options[192];

    scaling->lanes = cpu ? 1 : cls_work_group(device, 64);
    scaling->sides = cpu ? 1 : cls_work_group(device, 8 * scaling->lanes) / scaling->lanes;
    scaling->rows_at_once = cpu ? 256 : 1;
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DSIDES=%d -DROWS=%d -DOUT=%s", cls_type_option(type),
                   (int)scaling->lanes, (int)scaling->sides, (int)scaling->rows_at_once,
                   cls_is_double(into) ? "double" : "float");
    CLS_TRY(device->ops->program_get(device, "equilibrate", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "row_measures", &scaling->row_measures));
    CLS_TRY(device->ops->kernel_create(device, program, "column_largest", &scaling->column_largest));
    CLS_TRY(device->ops->kernel_create(device, program, "scale_to", &scaling->scale_to));
    CLS_TRY(device->ops->kernel_create(device, program, "row_residual", &scaling->row_residual));
    return device->ops->kernel_create(device, program, "scale_rows", &scaling->scale_rows);
}

clsolve_status cls_scaling_create(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                                  cls_scaling *scaling) {
    scaling->type = type;
    scaling->n = n;
    scaling->uniform = 1;
    scaling->host_r = cls_alloc((size_t)n, sizeof *scaling->host_r);
    scaling->host_c = cls_alloc((size_t)n, sizeof *scaling->host_c);
    if (!scaling->host_r || !scaling->host_c)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the scaling of %lld rows",
                        (long long)n);
    if (mapped) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_build(device, type, into, scaling));
    size_t bytes = (size_t)(n * cls_type_size(cls_real_type(type)));
    CLS_TRY(device->ops->buffer_create(device, bytes, &scaling->r));
    return device->ops->buffer_create(device, bytes, &scaling->c);
}

void cls_scaling_destroy(cls_device *device, cls_scaling *scaling) {
    device->ops->kernel_destroy(device, scaling->row_measures);
    device->ops->kernel_destroy(device, scaling->column_largest);
    device->ops->kernel_destroy(device, scaling->scale_to);
    device->ops->kernel_destroy(device, scaling->row_residual);
    device->ops->kernel_destroy(device, scaling->scale_rows);
    device->ops->buffer_destroy(device, scaling->r);
    device->ops->buffer_destroy(device, scaling->c);
    cls_free(scaling->host_r);
    cls_free(scaling->host_c);
    *scaling = (cls_scaling){0};
}

static size_t vector_bytes(const cls_scaling *scaling) {
    return (size_t)(scaling->n * cls_type_size(cls_real_type(scaling->type)));
}

/* In the scaling's type on the host: the doubles themselves, or floats that *singles owns. */
static clsolve_status numbers_of(cls_device *device, const cls_scaling *scaling, double *values, int count,
                                 float **singles, void **numbers) {
    *singles = NULL;
    *numbers = values;
    if (cls_is_double(scaling->type)) return CLSOLVE_OK;
    *numbers = *singles = cls_alloc((size_t)scaling->n, (size_t)count * sizeof **singles);
    return *singles ? CLSOLVE_OK : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a vector");
}

/* Enqueues where it is staged, because the numbers then are in memory of the device's own. */
static clsolve_status send(cls_device *device, const cls_scaling *scaling, cls_buffer *buffer, double *values) {
    const size_t bytes = vector_bytes(scaling);
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    float *singles;
    void *numbers;

    CLS_TRY(numbers_of(device, scaling, values, 1, &singles, &numbers));
    for (int64_t i = 0; singles && i < scaling->n; ++i) singles[i] = (float)values[i];
    const clsolve_status status = device->ops->write(device, CLS_COMPUTE, buffer, numbers, &rect, NULL, NULL);
    const clsolve_status waited = device->staged ? CLSOLVE_OK : device->ops->finish(device, CLS_COMPUTE);
    cls_free(singles);
    return status != CLSOLVE_OK ? status : waited;
}

/* With one wait for both; `second` may be NULL. */
static clsolve_status fetch(cls_device *device, const cls_scaling *scaling, cls_buffer *first, double *first_values,
                            cls_buffer *second, double *second_values) {
    const int64_t n = scaling->n;
    const size_t bytes = vector_bytes(scaling);
    float *singles;
    void *numbers;

    CLS_TRY(numbers_of(device, scaling, first_values, 2, &singles, &numbers));
    const cls_fetch_part parts[] = {{first, numbers, bytes, 0},
                                    {second, singles ? (void *)(singles + n) : second_values, bytes, 0}};
    const clsolve_status status = cls_staging_fetch(device, parts, second ? 2 : 1);
    for (int64_t i = 0; singles && status == CLSOLVE_OK && i < n; ++i) {
        first_values[i] = (double)singles[i];
        if (second) second_values[i] = (double)singles[n + i];
    }
    cls_free(singles);
    return status;
}

static clsolve_status measure_rows(cls_device *device, cls_scaling *scaling, const cls_matrix *A) {
    int64_t n = scaling->n, cols = A->cols, pass = scaling->lanes * scaling->rows_at_once;
    size_t lanes = (size_t)scaling->lanes, sides = (size_t)scaling->sides;
    cls_grid grid = {{(size_t)((n + pass - 1) / pass) * lanes, sides, 1}, {lanes, sides, 1}};

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(A, j, cols);
        cls_ref ref = cls_matrix_at(A, 0, j);
        int32_t more = j > 0;
        cls_arg args[] = {CLS_REF(ref),    CLS_VALUE(n),           CLS_VALUE(run),
                          CLS_VALUE(more), CLS_BUFFER(scaling->r), CLS_BUFFER(scaling->c)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, scaling->row_measures, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_scaling_residual(cls_device *device, const cls_scaling *scaling, cls_ref A, int64_t cols, cls_ref x,
                                    cls_ref r) {
    const int64_t n = scaling->n;
    const size_t lanes = (size_t)scaling->lanes, sides = (size_t)scaling->sides;
    const cls_grid grid = {{((size_t)n + lanes - 1) / lanes * lanes, sides, 1}, {lanes, sides, 1}};
    const cls_arg args[] = {CLS_REF(A),          CLS_VALUE(n),         CLS_VALUE(cols),    CLS_BUFFER(x.buffer),
                            CLS_VALUE(x.offset), CLS_BUFFER(r.buffer), CLS_VALUE(r.offset)};
    return cls_launch(device, CLS_COMPUTE, scaling->row_residual, &grid, CLS_ARGS(args));
}

static clsolve_status measure_columns(cls_device *device, cls_scaling *scaling, const cls_matrix *A) {
    int64_t n = scaling->n, cols = A->cols;
    size_t lanes = (size_t)scaling->lanes;

    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(A, j, cols);
        cls_ref ref = cls_matrix_at(A, 0, j);
        cls_grid grid = {{(size_t)(run < 1024 ? run : 1024) * lanes, 1, 1}, {lanes, 1, 1}};
        cls_arg args[] = {CLS_REF(ref), CLS_VALUE(n),           CLS_VALUE(run),
                          CLS_VALUE(j), CLS_BUFFER(scaling->r), CLS_BUFFER(scaling->c)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, scaling->column_largest, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

static void set_ones(int64_t n, double *v) {
    for (int64_t i = 0; i < n; ++i) v[i] = 1;
}

clsolve_status cls_scaling_uniform(cls_device *device, cls_scaling *scaling, int mapped, double factor) {
    scaling->rows = factor != 1;
    scaling->cols = 0;
    scaling->uniform = factor;
    for (int64_t i = 0; scaling->host_r && i < scaling->n; ++i) {
        scaling->host_r[i] = factor;
        scaling->host_c[i] = 1;
    }
    return scaling->rows && !mapped ? send(device, scaling, scaling->r, scaling->host_r) : CLSOLVE_OK;
}

clsolve_status cls_scaling_find_rows(cls_device *device, cls_scaling *scaling, const cls_matrix *A) {
    if (A->mapped) {
        cls_mapped_rows(A, scaling->host_r, scaling->host_c);
        return CLSOLVE_OK;
    }
    CLS_TRY(measure_rows(device, scaling, A));
    return fetch(device, scaling, scaling->r, scaling->host_r, scaling->c, scaling->host_c);
}

clsolve_status cls_scaling_find_columns(cls_device *device, cls_scaling *scaling, const cls_matrix *A) {
    if (A->mapped) {
        cls_mapped_columns(A, scaling->host_r, scaling->host_c);
        return CLSOLVE_OK;
    }
    CLS_TRY(send(device, scaling, scaling->r, scaling->host_r));
    CLS_TRY(measure_columns(device, scaling, A));
    return fetch(device, scaling, scaling->c, scaling->host_c, NULL, NULL);
}

clsolve_status cls_scaling_send(cls_device *device, cls_scaling *scaling) {
    if (!scaling->r) return CLSOLVE_OK;
    CLS_TRY(send(device, scaling, scaling->r, scaling->host_r));
    return send(device, scaling, scaling->c, scaling->host_c);
}

clsolve_status cls_scaling_find(cls_device *device, cls_scaling *scaling, const cls_matrix *A, double largest,
                                int scale) {
    int64_t n = scaling->n;
    double *r = scaling->host_r, *c = scaling->host_c;

    scaling->rows = scaling->cols = 0;
    scaling->uniform = 1;
    scaling->norm_inf = 0;
    if (n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_find_rows(device, scaling, A));
    for (int64_t i = 0; i < n; ++i) scaling->norm_inf = fmax(scaling->norm_inf, c[i]);
    if (scale) { /* as dgeequb: the columns' factors are those of the matrix with scaled rows, whether it is or not */
        double ratio = cls_scaling_factors(scaling->type, n, r, r);
        scaling->rows = scale == 2 || cls_scaling_worth(scaling->type, ratio, largest, 1);
        CLS_TRY(cls_scaling_find_columns(device, scaling, A));
        ratio = cls_scaling_factors(scaling->type, n, c, c);
        scaling->cols = scale == 2 || cls_scaling_worth(scaling->type, ratio, largest, 0);
    }
    if (!scaling->rows) set_ones(n, r);
    if (!scaling->cols) set_ones(n, c);
    if (A->mapped) return CLSOLVE_OK;
    if (!scaling->rows) CLS_TRY(send(device, scaling, scaling->r, r)); /* else they are there already */
    return send(device, scaling, scaling->c, c);
}

/* host_r becomes s; the ratio of the smallest of the roots of the diagonal to the largest, or 1 where all stay 1. */
static double symmetric_factors(int64_t n, double *r) {
    double least = (double)INFINITY, most = 0;

    for (int64_t i = 0; i < n; ++i) {
        least = fmin(least, r[i]);
        most = fmax(most, r[i]);
    }
    if (!(least > 0)) {
        set_ones(n, r);
        return 1;
    }
    for (int64_t i = 0; i < n; ++i) {
        const int exponent = ilogb(r[i]), half = (exponent - (exponent & 1)) / 2; /* rounded down */
        r[i] = ldexp(1, -half);
    }
    return sqrt(least) / sqrt(most);
}

/* The factors that are in host_r, or ones where `ratio` and `largest` say that they are not worth it. */
static clsolve_status use_symmetric(cls_device *device, cls_scaling *scaling, double ratio, double largest, int scale) {
    const int64_t n = scaling->n;

    scaling->uniform = 1;
    scaling->norm_inf = 0;
    scaling->rows = scaling->cols = scale == 2 || (scale == 1 && cls_scaling_worth(scaling->type, ratio, largest, 1));
    if (!scaling->rows) set_ones(n, scaling->host_r);
    memcpy(scaling->host_c, scaling->host_r, (size_t)n * sizeof *scaling->host_c);
    return cls_scaling_send(device, scaling);
}

clsolve_status cls_scaling_symmetric(cls_device *device, cls_scaling *scaling, double largest, int scale) {
    const double ratio = symmetric_factors(scaling->n, scaling->host_r);
    return use_symmetric(device, scaling, ratio, largest, scale);
}

/* Each row's factor times 2^-(e/2), e the exponent of its largest element so far. Returns the ratio of the smallest
 * such element to the largest. */
static double shrink(int64_t n, double *r, const double *columns) {
    double least = (double)INFINITY, most = 0;

    for (int64_t i = 0; i < n; ++i) {
        const double size = cls_scaled_size(columns[i], r[i]);
        if (!(size > 0)) continue; /* a row of zeros */
        least = fmin(least, size);
        most = fmax(most, size);
        const int exponent = ilogb(size), half = (exponent - (exponent & 1)) / 2; /* rounded down */
        r[i] = ldexp(r[i], -half);
    }
    return most > 0 ? sqrt(least) / sqrt(most) : 1;
}

clsolve_status cls_scaling_indefinite(cls_device *device, cls_scaling *scaling, double largest, int scale,
                                      clsolve_status (*largest_of)(void *self), void *self) {
    enum { TIMES = 3 };
    double first = 1;

    set_ones(scaling->n, scaling->host_r);
    for (int time = 0; time < TIMES && scale; ++time) {
        CLS_TRY(largest_of(self));
        const double ratio = shrink(scaling->n, scaling->host_r, scaling->host_c);
        if (time == 0) first = ratio;
    }
    return use_symmetric(device, scaling, first, largest, scale);
}

/* Groups of ACROSS rows, and as many columns at once as fill a device. */
static cls_grid across(int64_t rows, int64_t cols) {
    cls_grid grid = {{(size_t)((rows + ACROSS - 1) / ACROSS * ACROSS), (size_t)(cols < 64 ? cols : 64), 1},
                     {ACROSS, 1, 1}};
    return grid;
}

/* Both matrices' slabs may end at different columns. */
clsolve_status cls_scaling_to(cls_device *device, cls_scaling *scaling, const cls_matrix *A, const cls_matrix *T) {
    int64_t n = scaling->n, cols = A->cols;

    if (A->mapped) {
        cls_mapped_scale(A, scaling->host_r, scaling->host_c, T);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(T, j, cols);
        run = cls_matrix_run(A, j, j + run);
        cls_ref from = cls_matrix_at(A, 0, j), to = cls_matrix_at(T, 0, j);
        cls_grid grid = across(n, run);
        cls_arg args[] = {CLS_REF(from),          CLS_VALUE(n),           CLS_VALUE(run), CLS_VALUE(j),
                          CLS_BUFFER(scaling->r), CLS_BUFFER(scaling->c), CLS_REF(to)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, scaling->scale_to, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_scaling_rows(cls_device *device, cls_scaling *scaling, const cls_matrix *B, int64_t cols, int rows) {
    if (!(rows ? scaling->rows : scaling->cols)) return CLSOLVE_OK;
    if (B->mapped) {
        cls_mapped_scale_rows(B, cols, rows ? scaling->host_r : scaling->host_c);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(B, j, cols);
        cls_ref ref = cls_matrix_at(B, 0, j);
        cls_grid grid = across(B->rows, run);
        cls_arg args[] = {CLS_REF(ref), CLS_VALUE(B->rows), CLS_VALUE(run), CLS_BUFFER(rows ? scaling->r : scaling->c)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, scaling->scale_rows, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

int64_t cls_scaling_exponent(const cls_scaling *scaling) {
    int64_t sum = 0;
    for (int64_t i = 0; i < scaling->n; ++i) {
        if (scaling->rows) sum -= ilogb(scaling->host_r[i]);
        if (scaling->cols) sum -= ilogb(scaling->host_c[i]);
    }
    return sum;
}
