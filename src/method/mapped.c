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

static double get(const cls_matrix *A, const void *column, int64_t i) {
    return A->type == CLSOLVE_F64 ? ((const double *)column)[i] : (double)((const float *)column)[i];
}

static void put(const cls_matrix *A, void *column, int64_t i, double value) {
    if (A->type == CLSOLVE_F64)
        ((double *)column)[i] = value;
    else
        ((float *)column)[i] = (float)value;
}

static void find(const cls_matrix *A, int64_t j, int64_t *row, int64_t *column) {
    const void *a = cls_matrix_host(A, 0, j);
    for (int64_t i = 0; i < A->rows && *row < 0; ++i)
        if (!isfinite(get(A, a, i))) {
            *row = i;
            *column = j;
        }
}

void cls_mapped_measure(const cls_matrix *A, int64_t cols, int upper, int64_t *row, int64_t *column, double *largest,
                        double *norm) {
    *row = *column = -1;
    *largest = *norm = 0;
    for (int64_t j = 0; j < cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        int64_t end = upper && j + 1 < A->rows ? j + 1 : A->rows;
        column_measures m = A->type == CLSOLVE_F64 ? measure_f64(a, A->rows, end) : measure_f32(a, A->rows, end);
        if (m.largest > *largest) *largest = m.largest;
        if (!isfinite(m.sum))
            find(A, j, row, column);
        else if (m.sum > *norm)
            *norm = m.sum;
        if (*row >= 0) return;
    }
}

void cls_mapped_column(clsolve_type type, const void *a, int64_t rows, double *sum, double *largest) {
    column_measures m = type == CLSOLVE_F64 ? measure_f64(a, rows, rows) : measure_f32(a, rows, rows);
    *sum = m.sum;
    *largest = m.largest;
}

void cls_mapped_block(clsolve_type type, const void *a, int64_t ld, int64_t rows, int64_t cols, double *norm,
                      double *largest) {
    column_measures m =
        type == CLSOLVE_F64 ? measure_block_f64(a, ld, rows, cols) : measure_block_f32(a, ld, rows, cols);
    *norm = m.sum;
    *largest = m.largest;
}

double cls_mapped_norm(const cls_matrix *A) {
    double most = 0;
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        double sum = 0;
        for (int64_t i = 0; i < A->rows; ++i) sum += fabs(get(A, a, i));
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
            double x = fabs(get(A, a, i));
            sums[i] += x * small;
            if (x > largest[i]) largest[i] = x;
        }
    }
}

void cls_mapped_columns(const cls_matrix *A, const double *r, double *largest) {
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        largest[j] = 0;
        for (int64_t i = 0; i < A->rows; ++i) largest[j] = fmax(largest[j], fabs(get(A, a, i)) * r[i]);
    }
}

void cls_mapped_scale(const cls_matrix *A, const double *r, const double *c, const cls_matrix *T) {
    for (int64_t j = 0; j < A->cols; ++j) {
        const void *a = cls_matrix_host(A, 0, j);
        void *t = cls_matrix_host(T, 0, j);
        for (int64_t i = 0; i < A->rows; ++i) put(T, t, i, get(A, a, i) * r[i] * c[j]);
    }
}

void cls_mapped_scale_rows(const cls_matrix *B, int64_t cols, const double *v) {
    for (int64_t j = 0; j < cols; ++j) {
        void *b = cls_matrix_host(B, 0, j);
        for (int64_t i = 0; i < B->rows; ++i) put(B, b, i, get(B, b, i) * v[i]);
    }
}

void cls_mapped_copy(const cls_matrix *A, const cls_matrix *T) {
    for (int64_t j = 0; j < A->cols; ++j)
        memcpy(cls_matrix_host(T, 0, j), cls_matrix_host(A, 0, j), (size_t)(A->rows * cls_type_size(A->type)));
}

/* The product is brought to a mantissa and an exponent only where it would leave the range of doubles. */
double cls_mapped_diagonal(const cls_matrix *A, int64_t *exponent) {
    const double least = 0x1p-500, most = 0x1p500;
    double mantissa = 1;
    *exponent = 0;
    for (int64_t j = 0; j < A->cols; ++j) {
        int own, more;
        double u = get(A, cls_matrix_host(A, j, j), 0), product = mantissa * u;
        if (fabs(u) > least && fabs(u) < most && fabs(product) > least && fabs(product) < most) {
            mantissa = product;
            continue;
        }
        u = frexp(u, &own);
        mantissa = frexp(mantissa, &more);
        *exponent += own + more;
        mantissa = frexp(mantissa * u, &more);
        *exponent += more;
    }
    return mantissa;
}

void cls_mapped_perturb(const cls_matrix *A, double value) {
    for (int64_t j = 0; j < A->cols; ++j) {
        void *u = cls_matrix_host(A, j, j);
        if (get(A, u, 0) == 0) put(A, u, 0, value);
    }
}
