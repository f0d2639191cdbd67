#include "method/mapped.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clones.h"

static const double small = 0x1p-16;

typedef struct column_measures {
    double sum, largest;
} column_measures;

#define REAL    double
#define BITS    int64_t
#define HIGHEST INT64_MIN
#define NAME(x) x##_f64
#include "method/mapped_real.h"
#undef REAL
#undef BITS
#undef HIGHEST
#undef NAME

#define REAL    float
#define BITS    int32_t
#define HIGHEST INT32_MIN
#define NAME(x) x##_f32
#include "method/mapped_real.h"

/* Real number k of a column. */
static double get(const cls_matrix *A, const void *column, int64_t k) {
    return cls_type_get(A->type, column, k);
}

static void put(const cls_matrix *A, void *column, int64_t k, double value) {
    cls_type_put(A->type, column, k, value);
}

static double modulus(const cls_matrix *A, const void *column, int64_t i) {
    if (!cls_is_complex(A->type)) return fabs(get(A, column, i));
    return hypot(get(A, column, 2 * i), get(A, column, 2 * i + 1));
}

/* The larger of the parts' magnitudes. */
static double larger_part(const cls_matrix *A, const void *column, int64_t i) {
    if (!cls_is_complex(A->type)) return fabs(get(A, column, i));
    return fmax(fabs(get(A, column, 2 * i)), fabs(get(A, column, 2 * i + 1)));
}

static void find(const cls_matrix *A, int64_t j, int64_t *row, int64_t *column) {
    const int64_t parts = cls_type_parts(A->type);
    const void *a = cls_matrix_host(A, 0, j);
    for (int64_t k = 0; k < parts * A->rows && *row < 0; ++k)
        if (!isfinite(get(A, a, k))) {
            *row = k / parts;
            *column = j;
        }
}

/* Measures `numbers` real numbers; the largest is of the first `end`. */
static column_measures measure_numbers(clsolve_type type, const void *a, int64_t numbers, int64_t end) {
    return cls_is_double(type) ? measure_f64(a, numbers, end) : measure_f32(a, numbers, end);
}

/* The sum of a complex column's moduli times 2^-16: squares of what is huge or tiny are avoided. */
double cls_mapped_moduli(clsolve_type type, const void *a, int64_t rows, double largest) {
    double sum = 0;
    if (!cls_is_double(type)) return sum_moduli_f32(a, rows) * small;
    if (largest < 0x1p500 && largest > 0x1p-400) return sum_moduli_f64(a, rows) * small;
    for (int64_t k = 0; k < 2 * rows; k += 2)
        sum += hypot(cls_type_get(type, a, k) * small, cls_type_get(type, a, k + 1) * small);
    return sum;
}

void cls_mapped_measure(const cls_matrix *A, int64_t begin, int64_t end, int upper, int64_t *row, int64_t *column,
                        double *largest, double *norm) {
    const int64_t parts = cls_type_parts(A->type);
    *row = *column = -1;
    *largest = *norm = 0;
    for (int64_t j = begin; j < end; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        int64_t last = upper && j + 1 < A->rows ? j + 1 : A->rows;
        column_measures m = measure_numbers(A->type, a, parts * A->rows, parts * last);
        if (m.largest > *largest) *largest = m.largest;
        if (!isfinite(m.sum)) {
            find(A, j, row, column);
        } else {
            /* with `upper` nobody asks for the norm of what is no matrix of the caller's */
            if (parts == 2 && !upper) m.sum = cls_mapped_moduli(A->type, a, A->rows, m.largest);
            if (m.sum > *norm) *norm = m.sum;
        }
        if (*row >= 0) return;
    }
}

void cls_mapped_column(clsolve_type type, const void *a, int64_t rows, double *sum, double *largest) {
    const int64_t numbers = cls_type_parts(type) * rows;
    column_measures m = measure_numbers(type, a, numbers, numbers);
    *sum = m.sum;
    *largest = m.largest;
}

void cls_mapped_block(clsolve_type type, const void *a, int64_t ld, int64_t rows, int64_t cols, double *norm,
                      double *largest) {
    const int64_t parts = cls_type_parts(type);
    column_measures m = cls_is_double(type) ? measure_block_f64(a, parts * ld, parts * rows, cols)
                                            : measure_block_f32(a, parts * ld, parts * rows, cols);
    *norm = m.sum;
    *largest = m.largest;
}

double cls_mapped_norm(const cls_matrix *A) {
    double most = 0;
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        double sum = 0;
        for (int64_t i = 0; i < A->rows; ++i) sum += modulus(A, a, i);
        if (!(sum <= most)) most = sum;
    }
    return most;
}

void cls_mapped_rows(const cls_matrix *A, double *largest, double *sums) {
    memset(largest, 0, (size_t)A->rows * sizeof *largest);
    memset(sums, 0, (size_t)A->rows * sizeof *sums);
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        for (int64_t i = 0; i < A->rows; ++i) {
            double x = larger_part(A, a, i);
            sums[i] +=
                cls_is_complex(A->type) ? hypot(get(A, a, 2 * i) * small, get(A, a, 2 * i + 1) * small) : x * small;
            if (x > largest[i]) largest[i] = x;
        }
    }
}

void cls_mapped_columns(const cls_matrix *A, const double *r, double *largest) {
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        largest[j] = 0;
        for (int64_t i = 0; i < A->rows; ++i)
            largest[j] = fmax(largest[j], cls_scaled_size(larger_part(A, a, i), r[i]));
    }
}

void cls_mapped_scale(const cls_matrix *A, const double *r, const double *c, const cls_matrix *T) {
    const int64_t parts = cls_type_parts(A->type);
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        void *t = cls_matrix_host(T, 0, j);
        for (int64_t k = 0; k < parts * A->rows; ++k) put(T, t, k, get(A, a, k) * c[j] * r[k / parts]);
    }
}

void cls_mapped_scale_rows(const cls_matrix *B, int64_t cols, const double *v) {
    const int64_t parts = cls_type_parts(B->type);
    for (int64_t j = 0; j < cols; ++j) {
        void *b = cls_matrix_host(B, 0, j);
        for (int64_t k = 0; k < parts * B->rows; ++k) put(B, b, k, get(B, b, k) * v[k / parts]);
    }
}

void cls_mapped_copy(const cls_matrix *A, const cls_matrix *T) {
    for (int64_t j = 0; j < A->cols; ++j)
        memcpy(cls_matrix_host(T, 0, j), cls_matrix_host(A, 0, j), (size_t)(A->rows * cls_type_size(A->type)));
}

static double larger(const double z[2]) {
    return fmax(fabs(z[0]), fabs(z[1]));
}

/* z becomes of size 1; its exponent is added to *exponent. */
static void split(double z[2], int64_t *exponent) {
    int e = 0;
    if (isfinite(larger(z))) (void)frexp(larger(z), &e);
    z[0] = ldexp(z[0], -e);
    z[1] = ldexp(z[1], -e);
    *exponent += e;
}

static int in_the_middle(const double z[2]) {
    return larger(z) > 0x1p-500 && larger(z) < 0x1p500;
}

/* The product is brought to a mantissa and an exponent only where it would leave the range of doubles. */
void cls_mapped_multiply(int is_complex, const double u[2], double m[2], int64_t *exponent) {
    double v[2] = {u[0], u[1]};
    if (!in_the_middle(v) || !in_the_middle(m)) {
        split(v, exponent);
        split(m, exponent);
    }
    const double re = is_complex ? m[0] * v[0] - m[1] * v[1] : m[0] * v[0];
    m[1] = is_complex ? m[0] * v[1] + m[1] * v[0] : 0;
    m[0] = re;
    if (!in_the_middle(m)) split(m, exponent);
}

void cls_mapped_diagonal(const cls_matrix *A, double mantissa[2], int64_t *exponent, double *least) {
    const int is_complex = cls_is_complex(A->type);
    mantissa[0] = 1;
    mantissa[1] = 0;
    *exponent = 0;
    *least = (double)INFINITY;
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *at = cls_matrix_host(A, j, j);
        const double u[2] = {get(A, at, 0), is_complex ? get(A, at, 1) : 0};
        if (larger(u) < *least && larger(u) > 0) *least = larger(u);
        cls_mapped_multiply(is_complex, u, mantissa, exponent);
    }
}

void cls_mapped_perturb(const cls_matrix *A, double value) {
    for (int64_t j = 0; j < A->cols; ++j) {
        void *u = cls_matrix_host(A, j, j);
        if (larger_part(A, u, 0) == 0) put(A, u, 0, value);
    }
}
