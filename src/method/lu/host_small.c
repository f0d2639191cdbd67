#include "method/lu/host_small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "method/mapped.h"

#define REAL        double
#define BITS        int64_t
#define LEAST       DBL_MIN
#define ABSOLUTE(x) fabs(x)
#define NAME(x)     x##_f64
#include "method/lu/host_small_real.h"
#undef REAL
#undef BITS
#undef LEAST
#undef ABSOLUTE
#undef NAME

#define REAL        float
#define BITS        int32_t
#define LEAST       FLT_MIN
#define ABSOLUTE(x) fabsf(x)
#define NAME(x)     x##_f32
#include "method/lu/host_small_real.h"

int cls_lu_host_small_suits(const cls_lu *lu) {
    return lu->device->no_kernels && !cls_is_complex(lu->type) && lu->A.mapped && lu->n > 0 &&
           lu->n <= CLS_LU_HOST_SMALL_MOST && !lu->rbt.on && lu->A.ld == lu->n && lu->A.slabs == 1;
}

void cls_lu_host_small_take(cls_lu *lu, const clsolve_matrix *A, int wants_norm, cls_measures *measures) {
    const int by_column = A->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = lu->n, row = by_column ? 1 : A->ld, column = by_column ? A->ld : 1;
    void *to = cls_matrix_host(&lu->A, 0, 0);
    double sum;

    if (by_column && A->ld == n)
        memcpy(to, A->data, (size_t)(n * n * cls_type_size(lu->type)));
    else if (lu->type == CLSOLVE_F64)
        gather_f64(A->data, row, column, n, n, to);
    else
        gather_f32(A->data, row, column, n, n, to);
    /* Its columns lie one behind the other: all of it is one column. */
    *measures = (cls_measures){.row = -1, .column = -1};
    cls_mapped_column(lu->type, to, n * n, &sum, &measures->largest);
    if (wants_norm || !isfinite(sum))
        cls_mapped_measure(&lu->A, 0, n, 0, &measures->row, &measures->column, &measures->largest, &measures->norm1);
}

/* The determinant. */
static void multiply_pivots(const cls_lu *lu, cls_growth *growth) {
    int64_t exponent;
    double mantissa[2];

    cls_mapped_diagonal(&lu->A, mantissa, &exponent);
    for (int64_t k = 0; k < lu->n; ++k)
        if (lu->panel.host_pivots[k] != k + 1) mantissa[0] = -mantissa[0];
    cls_growth_multiply(growth, 0, mantissa[0], 0, (double)exponent);
}

int cls_lu_host_small_factor(cls_lu *lu, int64_t *info, cls_growth *growth) {
    void *A = cls_matrix_host(&lu->A, 0, 0);
    double sum, unused;

    *growth = cls_growth_begin();
    *info = lu->type == CLSOLVE_F64 ? factor_f64(A, lu->n, lu->panel.host_pivots, &growth->largest)
                                    : factor_f32(A, lu->n, lu->panel.host_pivots, &growth->largest);
    cls_mapped_column(lu->type, A, lu->n * lu->n, &sum, &unused);
    multiply_pivots(lu, growth);
    return isfinite(sum);
}

int cls_lu_host_small_solves(const cls_lu *lu, const clsolve_matrix *B) {
    return cls_lu_host_small_suits(lu) && B->place == CLSOLVE_ON_HOST && B->cols <= CLS_LU_HOST_SMALL_SIDES &&
           B->cols * lu->n <= CLS_LU_HOST_SMALL_ROOM;
}

void cls_lu_host_small_solve(const cls_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out) {
    double room[CLS_LU_HOST_SMALL_ROOM];
    if (lu->type == CLSOLVE_F64)
        sides_f64(lu, op, B, room, in, out);
    else
        sides_f32(lu, op, B, (float *)(void *)room, in, out);
}
