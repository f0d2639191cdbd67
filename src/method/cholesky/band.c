/* band.c: see band.h. */
#include "method/cholesky/band.h"

#include <complex.h>
#include <limits.h>
#include <string.h>

#include <lapacke.h>

#include "base/clock.h"
#include "base/clones.h"
#include "base/memory.h"
#include "base/type.h"
#include "method/mapped.h"

/* From so many diagonals on LAPACK's blocks are faster than the loops (docs/cholesky.md). */
enum { FEW = 128 };

/* Where element (j + d, j) of the lower triangle lies: first + j * column + d * down. */
typedef struct triangle {
    void *data;
    int64_t first, column, down;
    int conjugate;
} triangle;

#define EACH_ELEMENT "method/cholesky/band_element.h"
#include "method/elements_each.h"

/* The statement for the type, in which ELEMENT is its type and F(x) its function x. */
#define FOR_TYPE(type, call)                                                                                           \
    do {                                                                                                               \
        switch (type) {                                                                                                \
        case CLSOLVE_F32:                                                                                              \
            call(f32, float);                                                                                          \
            break;                                                                                                     \
        case CLSOLVE_F64:                                                                                              \
            call(f64, double);                                                                                         \
            break;                                                                                                     \
        case CLSOLVE_C32:                                                                                              \
            call(c32, element_c32);                                                                                    \
            break;                                                                                                     \
        case CLSOLVE_C64:                                                                                              \
            call(c64, element_c64);                                                                                    \
            break;                                                                                                     \
        }                                                                                                              \
    } while (0)

static triangle triangle_of(const cls_band_cholesky *b, clsolve_uplo uplo, const clsolve_matrix *m) {
    const int by_column = m->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t row = by_column ? 1 : m->ld, column = by_column ? m->ld : 1;
    /* Upper form: a(j, j + d) is in column j + d at row given - d. */
    if (uplo == CLSOLVE_UPPER) return (triangle){m->data, b->given * row, column, column - row, 1};
    return (triangle){m->data, 0, column, row, 0};
}

/* ---- take, factor ---- */

static void take(cls_direct *direct, const clsolve_matrix *A) {
    cls_band_cholesky *b = direct->factors;
    const triangle from = triangle_of(b, b->uplo, A);
    cls_measures *m = &direct->measures;
    int64_t wild = -1;

    *m = (cls_measures){.row = -1, .column = -1};
#define TAKE(name, element) wild = take_##name(&from, b->n, b->k, b->L, &m->largest)
    FOR_TYPE(b->type, TAKE);
#undef TAKE
    direct->largest = m->largest;
    if (wild < 0) return;
    const int64_t j = wild / (b->k + 1), i = j + wild % (b->k + 1);
    m->row = b->uplo == CLSOLVE_LOWER ? i : j;
    m->column = b->uplo == CLSOLVE_LOWER ? j : i;
}

/* |L(d, j)| times CLS_NORM_SCALE. */
static double modulus(const cls_band_cholesky *b, int64_t at) {
    const int64_t parts = cls_type_parts(b->type);
    const double re = CLS_NORM_SCALE * cls_type_get(b->type, b->L, parts * at);
    return parts == 2 ? hypot(re, CLS_NORM_SCALE * cls_type_get(b->type, b->L, parts * at + 1)) : fabs(re);
}

/* Column j has the elements of row j left of the diagonal too. */
static double norm1(const cls_band_cholesky *b) {
    double norm = 0;
    for (int64_t j = 0; j < b->n; ++j) {
        double sum = 0;
        for (int64_t d = 0; d <= b->k; ++d) sum += modulus(b, d + j * (b->k + 1));
        for (int64_t d = 1; d <= b->k && d <= j; ++d) sum += modulus(b, d + (j - d) * (b->k + 1));
        norm = sum > norm ? sum : norm;
    }
    return norm;
}

static void scale(const cls_band_cholesky *b, double unit) {
    for (int64_t at = 0; unit != 1 && at < b->n * (b->k + 1) * cls_type_parts(b->type); ++at)
        cls_type_put(b->type, b->L, at, unit * cls_type_get(b->type, b->L, at));
}

/* Of both triangles, for residuals. */
static clsolve_status band_copy(cls_direct *direct, const clsolve_matrix *A, int scaled) {
    const cls_band_cholesky *b = direct->factors;
    cls_copy *copy = &direct->copy;
    const int64_t parts = cls_type_parts(b->type), k = b->k;

    take(direct, A);
    memset(copy->values, 0, (size_t)(b->n * copy->length * parts) * sizeof *copy->values);
    for (int64_t j = 0; j < b->n; ++j)
        for (int64_t d = 0; d <= k && j + d < b->n; ++d)
            for (int64_t part = 0; part < parts; ++part) {
                const double value = cls_type_get(b->type, b->L, parts * (d + j * (k + 1)) + part);
                copy->values[parts * (k - d + (j + d) * copy->length) + part] = part ? -value : value;
                copy->values[parts * (k + d + j * copy->length) + part] = value;
            }
    cls_copy_prepare(copy, scaled);
    return CLSOLVE_OK;
}

static int64_t factor_lapack(const cls_band_cholesky *b) {
    const lapack_int n = (lapack_int)b->n, k = (lapack_int)b->k;
    switch (b->type) {
    case CLSOLVE_F32:
        return LAPACKE_spbtrf_work(LAPACK_COL_MAJOR, 'L', n, k, b->L, k + 1);
    case CLSOLVE_C32:
        return LAPACKE_cpbtrf_work(LAPACK_COL_MAJOR, 'L', n, k, b->L, k + 1);
    case CLSOLVE_C64:
        return LAPACKE_zpbtrf_work(LAPACK_COL_MAJOR, 'L', n, k, b->L, k + 1);
    case CLSOLVE_F64:
        break;
    }
    return LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', n, k, b->L, k + 1);
}

static int goes_by_lapack(const cls_band_cholesky *b) {
    return b->k > FEW && b->n < INT_MAX && b->k < INT_MAX - 1;
}

/* The square of the product of the diagonal. */
static void determinant(const cls_band_cholesky *b, cls_growth *growth) {
    double mantissa[2] = {1, 0};
    int64_t exponent = 0;
    *growth = cls_growth_begin();
    for (int64_t j = 0; j < b->n; ++j) {
        const double u[2] = {cls_type_get(b->type, b->L, cls_type_parts(b->type) * j * (b->k + 1)), 0};
        cls_mapped_multiply(0, u, mantissa, &exponent);
    }
    growth->log_abs_det = 2 * (log(fabs(mantissa[0])) + (double)exponent * log(2));
}

static clsolve_status band_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    const cls_band_cholesky *b = direct->factors;
    const clsolve_band_cholesky_options *options = direct->options;

    *again = 0;
    if (direct->copies)
        scale(b, direct->copy.unit);
    else
        take(direct, A);
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    if (direct->wants_rcond && !direct->copies) direct->measures.norm1 = norm1(b);
    if (direct->copies) direct->largest = direct->copy.measures.largest;
    direct->growth = cls_growth_unknown();
    if (goes_by_lapack(b))
        direct->info = factor_lapack(b);
    else {
#define FACTOR(name, element) direct->info = factor_##name(b->n, b->k, b->L)
        FOR_TYPE(b->type, FACTOR);
#undef FACTOR
    }
    if (direct->info == 0) determinant(b, &direct->growth);
    if (options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

static clsolve_status band_import(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv) {
    const cls_band_cholesky *b = direct->factors;
    const int64_t parts = cls_type_parts(b->type);

    (void)ipiv;
    direct->growth = cls_growth_begin();
    direct->info = 0;
    take(direct, F);
    const cls_place wild = {direct->measures.row, direct->measures.column};
    direct->measures = (cls_measures){.row = -1, .column = -1}; /* of A nothing is known */
    if (wild.row >= 0) {
        direct->growth.row = wild.row;
        direct->growth.column = wild.column;
        return CLSOLVE_OK;
    }
    for (int64_t j = b->n - 1; j >= 0; --j)
        if (cls_type_get(b->type, b->L, parts * j * (b->k + 1)) == 0) direct->info = j + 1;
    if (direct->info > 0)
        direct->growth = cls_growth_unknown();
    else
        determinant(b, &direct->growth);
    return CLSOLVE_OK;
}

/* ---- solve ---- */

static void solve_lapack(const cls_band_cholesky *b, void *x, int64_t cols) {
    const lapack_int n = (lapack_int)b->n, k = (lapack_int)b->k, c = (lapack_int)cols;
    switch (b->type) {
    case CLSOLVE_F32:
        (void)LAPACKE_spbtrs_work(LAPACK_COL_MAJOR, 'L', n, k, c, b->L, k + 1, x, n);
        return;
    case CLSOLVE_C32:
        (void)LAPACKE_cpbtrs_work(LAPACK_COL_MAJOR, 'L', n, k, c, b->L, k + 1, x, n);
        return;
    case CLSOLVE_C64:
        (void)LAPACKE_zpbtrs_work(LAPACK_COL_MAJOR, 'L', n, k, c, b->L, k + 1, x, n);
        return;
    case CLSOLVE_F64:
        (void)LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', n, k, c, b->L, k + 1, x, n);
    }
}

/* x: n x cols tight elements of the type. */
static void solve_all(const cls_band_cholesky *b, void *x, int64_t cols) {
    if (goes_by_lapack(b) && cols < INT_MAX) {
        solve_lapack(b, x, cols);
        return;
    }
    for (int64_t c = 0; c < cols; ++c) {
#define SOLVE(name, element) solve_##name(b->n, b->k, b->L, (element *)x + c * b->n)
        FOR_TYPE(b->type, SOLVE);
#undef SOLVE
    }
}

/* Vectors of doubles pass through the factors' type. A^-1 is its own conjugate transpose. */
static clsolve_status solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    const cls_band_cholesky *b = factors;
    const int64_t count = b->n * cols * cls_type_parts(b->type);

    (void)op;
    if (cls_is_double(b->type)) {
        solve_all(b, x, cols);
        return CLSOLVE_OK;
    }
    float *narrow = cls_alloc((size_t)count, sizeof *narrow);
    if (!narrow) return cls_fail(b->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for right-hand sides");
    for (int64_t at = 0; at < count; ++at) narrow[at] = (float)x[at];
    solve_all(b, narrow, cols);
    for (int64_t at = 0; at < count; ++at) x[at] = (double)narrow[at];
    cls_free(narrow);
    return CLSOLVE_OK;
}

/* B to and from tight columns. */
static void move(const cls_band_cholesky *b, const clsolve_matrix *B, char *x, int back) {
    const size_t size = (size_t)cls_type_size(b->type);
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    for (int64_t j = 0; j < B->cols; ++j)
        for (int64_t i = 0; i < b->n; i += by_column ? b->n : 1) {
            char *there = (char *)B->data + (size_t)(by_column ? i + j * B->ld : i * B->ld + j) * size;
            char *here = x + (size_t)(i + j * b->n) * size;
            memcpy(back ? there : here, back ? here : there, by_column ? (size_t)b->n * size : size);
        }
}

static void find_nonfinite(const cls_band_cholesky *b, const void *x, int64_t cols, cls_place *place) {
    const int64_t parts = cls_type_parts(b->type);
    for (int64_t at = 0; place->row < 0 && at < parts * b->n * cols; ++at) {
        if (isfinite(cls_type_get(b->type, x, at))) continue;
        place->row = at / parts % b->n;
        place->column = at / parts / b->n;
    }
}

static clsolve_status solve_unrefined(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B,
                                      cls_place *in, cls_place *out) {
    const cls_band_cholesky *b = direct->factors;
    const double start = cls_seconds();
    char *x = cls_alloc((size_t)(b->n * B->cols), (size_t)cls_type_size(b->type));

    (void)call, (void)op;
    if (!x) return cls_fail(b->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    move(b, B, x, 0);
    find_nonfinite(b, x, B->cols, in);
    if (in->row < 0) {
        solve_all(b, x, B->cols);
        find_nonfinite(b, x, B->cols, out);
        if (out->row < 0) move(b, B, x, 1);
    }
    cls_free(x);
    direct->costs.solve.solve += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* ---- export, report ---- */

void cls_band_cholesky_export(const cls_direct *direct, clsolve_uplo uplo, const clsolve_matrix *F) {
    const cls_band_cholesky *b = direct->factors;
    const triangle to = triangle_of(b, uplo, F);
    const int64_t parts = cls_type_parts(b->type);
    const double root = sqrt(direct->copies ? direct->copy.unit : 1);
    for (int64_t j = 0; j < b->n; ++j)
        for (int64_t d = 0; d <= b->k && j + d < b->n; ++d)
            for (int64_t part = 0; part < parts; ++part) {
                const double value = cls_type_get(b->type, b->L, parts * (d + j * (b->k + 1)) + part) / root;
                cls_type_put(b->type, to.data, parts * (to.first + j * to.column + d * to.down) + part,
                             part && to.conjugate ? -value : value);
            }
}

static void band_release(void *factors) {
    cls_band_cholesky_release(factors);
}

static void band_report(const cls_direct *direct, clsolve_report *report) {
    const cls_band_cholesky *b = direct->factors;
    report->host_bytes = b->n * (b->k + 1) * cls_type_size(b->type);
    report->band.lower = report->band.upper = b->k;
    report->band.block = 1;
    report->band.panel = "lapack";
}

static const cls_direct_ops operations = {.factors_name = "L",
                                          .factors_size = sizeof(cls_band_cholesky),
                                          .plain_first = 1,
                                          .positive_definite = 1,
                                          .copy = band_copy,
                                          .factor = band_factor,
                                          .import = band_import,
                                          .solve = solve_host,
                                          .solve_unrefined = solve_unrefined,
                                          .release = band_release,
                                          .report = band_report};

/* ---- setup ---- */

clsolve_status cls_band_cholesky_setup(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_band_cholesky_options *options, cls_band_cholesky *band,
                                       cls_direct *direct) {
    const double start = cls_seconds();
    const int64_t most = n > 0 ? n - 1 : 0;

    *band = (cls_band_cholesky){.device = device, .type = type, .n = n, .k = k < most ? k : most, .given = k};
    *direct = (cls_direct){.ops = &operations,
                           .device = device,
                           .type = type,
                           .n = n,
                           .factors = band,
                           .options = options,
                           .refines = options->refine,
                           .copies = options->refine,
                           .wants_rcond = options->rcond};
    CLS_TRY(cls_precision_choose(device, n, type, CLSOLVE_PRECISION_WORKING, 0, &direct->precision));
    cls_direct_forget(direct);
    if (n > 0 && band->k + 1 > INT64_MAX / 64 / n)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "a band of order %lld has more bytes than 64 bits "
                        "can count",
                        (long long)n);
    band->L = cls_alloc((size_t)(n * (band->k + 1)), (size_t)cls_type_size(type));
    if (!band->L)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a band of order %lld",
                        (long long)n);
    if (direct->copies) CLS_TRY(cls_copy_setup_band(device, n, band->k, band->k, type, &direct->copy));
    direct->costs.create = cls_seconds() - start;
    return CLSOLVE_OK;
}

void cls_band_cholesky_release(cls_band_cholesky *band) {
    cls_free(band->L);
    *band = (cls_band_cholesky){0};
}
