#include "method/lu/host_small.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "method/mapped.h"

/* Columns of a block, and of what is taken out of it at a time (host_block_element.h). */
enum { BLOCK = 32, DEEP = 8 };

#define EACH_ELEMENT "method/lu/host_small_element.h"
#include "method/elements_each.h"

int cls_lu_host_small_suits(const cls_lu *lu) {
    return lu->device->no_kernels && lu->A.mapped && lu->n > 0 && lu->n <= CLS_LU_HOST_SMALL_MOST && !lu->rbt.offered &&
           lu->A.ld == lu->n && lu->A.slabs == 1;
}

/* A is n x n. */
static void gather(clsolve_type type, const void *A, int64_t row, int64_t column, int64_t n, void *to) {
    CLS_FOR_TYPE(type, gather, A, row, column, n, n, to);
}

void cls_lu_host_small_take(cls_lu *lu, const clsolve_matrix *A, int wants_norm, cls_measures *measures) {
    const int by_column = A->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = lu->n, row = by_column ? 1 : A->ld, column = by_column ? A->ld : 1;
    void *to = cls_matrix_host(&lu->A, 0, 0);
    double sum;

    if (by_column && A->ld == n)
        memcpy(to, A->data, (size_t)(n * n * cls_type_size(lu->type)));
    else
        gather(lu->type, A->data, row, column, n, to);
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

    cls_mapped_diagonal(&lu->A, mantissa, &exponent, &growth->least);
    for (int64_t k = 0; k < lu->n; ++k)
        if (lu->panel.host_pivots[k] != k + 1) mantissa[0] = -mantissa[0], mantissa[1] = -mantissa[1];
    cls_growth_multiply(growth, cls_is_complex(lu->type), mantissa[0], mantissa[1], (double)exponent);
}

int64_t cls_lu_host_one_factor(clsolve_type type, void *A, int64_t n, int *pivots, double *largest) {
    return n > CLS_LU_HOST_SMALL_MOST ? CLS_FOR_TYPE(type, factor_blocks, A, n, pivots, largest)
                                      : CLS_FOR_TYPE(type, factor, A, n, pivots, largest);
}

int cls_lu_host_small_factor(cls_lu *lu, int64_t *info, cls_growth *growth) {
    void *A = cls_matrix_host(&lu->A, 0, 0);
    double sum, unused;

    *growth = cls_growth_begin();
    *info = cls_lu_host_one_factor(lu->type, A, lu->n, lu->panel.host_pivots, &growth->largest);
    cls_mapped_column(lu->type, A, lu->n * lu->n, &sum, &unused);
    multiply_pivots(lu, growth);
    return isfinite(sum);
}

int cls_lu_host_small_solves(const cls_lu *lu, const clsolve_matrix *B) {
    return B->place == CLSOLVE_ON_HOST && B->cols <= CLS_LU_HOST_SMALL_SIDES &&
           B->cols * lu->n <= CLS_LU_HOST_SMALL_ROOM;
}

void cls_lu_host_small_solve(const cls_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out) {
    double numbers[2 * CLS_LU_HOST_SMALL_ROOM]; /* for each type */
    void *room = numbers;
    CLS_FOR_TYPE(lu->type, sides, lu, op, B, room, in, out);
}

void cls_lu_host_one_solve(clsolve_type type, clsolve_op op, const void *A, int64_t n, const int *pivots, void *x,
                           int64_t cols) {
    CLS_FOR_TYPE(type, columns, op, A, n, pivots, x, cols);
}
