#include "lapack/norms.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Adds the magnitudes of column j to the sums of the rows, if wanted; returns their sum. */
#define DEFINE(type, suffix, magnitude)                                                                                \
    static double add_column_##suffix(const clsolve_matrix *A, int64_t j, double *rows) {                              \
        const type *a = (const type *)A->data + j * A->ld;                                                             \
        double sum = 0;                                                                                                \
        for (int64_t i = 0; i < A->rows; i++) sum += (double)magnitude(a[i]);                                          \
        for (int64_t i = 0; i < A->rows && rows; i++) rows[i] += (double)magnitude(a[i]);                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static double largest_##suffix(const clsolve_matrix *A, int64_t j, int64_t count) {                                \
        const type *a = (const type *)A->data + j * A->ld;                                                             \
        double largest = 0;                                                                                            \
        for (int64_t i = 0; i < count; i++) largest = fmax(largest, (double)magnitude(a[i]));                          \
        return largest;                                                                                                \
    }
DEFINE(float, f32, fabsf)
DEFINE(double, f64, fabs)
DEFINE(float _Complex, c32, cabsf)
DEFINE(double _Complex, c64, cabs)

static const struct {
    double (*add_column)(const clsolve_matrix *A, int64_t j, double *rows);
    double (*largest)(const clsolve_matrix *A, int64_t j, int64_t count);
} of_type[] = {[CLSOLVE_F32] = {add_column_f32, largest_f32},
               [CLSOLVE_F64] = {add_column_f64, largest_f64},
               [CLSOLVE_C32] = {add_column_c32, largest_c32},
               [CLSOLVE_C64] = {add_column_c64, largest_c64}};

clsolve_status cls_norm_of(const clsolve_matrix *A, clsolve_norm norm, double *value) {
    double *rows = norm == CLSOLVE_NORM_INF ? calloc((size_t)A->rows + 1, sizeof *rows) : NULL;
    if (norm == CLSOLVE_NORM_INF && !rows) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    *value = 0;
    for (int64_t j = 0; j < A->cols; j++) {
        double sum = of_type[A->type].add_column(A, j, rows);
        if (!rows && !(sum <= *value)) *value = sum; /* NaN stays */
    }
    for (int64_t i = 0; i < A->rows && rows; i++)
        if (!(rows[i] <= *value)) *value = rows[i];
    free(rows);
    return CLSOLVE_OK;
}

double cls_norm_largest(const clsolve_matrix *A, int64_t cols, int upper) {
    double largest = 0;
    for (int64_t j = 0; j < cols; j++) {
        int64_t count = upper && j + 1 < A->rows ? j + 1 : A->rows;
        largest = fmax(largest, of_type[A->type].largest(A, j, count));
    }
    return largest;
}
