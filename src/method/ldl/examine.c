/*
 * examine.c: what D says: growth, determinant, inertia. A block of order 2 has the determinant
 *
 *      a c - |b|^2 = |b|^2 ((a / |b|) (c / |b|) - 1)      a, c: its diagonal; b: below it; of A = A^T b^2 for |b|^2
 *
 * whose factors are far from the ends of the range, unlike the squares.
 */
#include <math.h>

#include "base/system/complex.h"
#include "method/ldl/ldl.h"
#include "method/mapped.h"

static double complex element(const cls_ldl *ldl, const void *array, int64_t k) {
    const int64_t parts = cls_type_parts(ldl->type);
    const double re = cls_type_get(ldl->type, array, k * parts);
    return parts == 2 ? CMPLX(re, cls_type_get(ldl->type, array, k * parts + 1)) : CMPLX(re, 0);
}

/* The block's factor that is left of its determinant when b was taken out twice. */
static double complex rest_of(const cls_ldl *ldl, int64_t k) {
    const double complex a = element(ldl, ldl->d, k), b = element(ldl, ldl->e, k), c = element(ldl, ldl->d, k + 1);
    const double size = cabs(b);
    if (cls_is_complex(ldl->type) && !ldl->hermitian) return (a / b) * (c / b) - 1;
    return creal(a) / size * (creal(c) / size) - 1;
}

static int is_zero(double complex z) {
    return creal(z) == 0 && cimag(z) == 0;
}

int64_t cls_ldl_zero_pivot(const cls_ldl *ldl) {
    for (int64_t k = 0; k < ldl->n; ++k) {
        if (!cls_ldl_is_pair(ldl, k) && is_zero(element(ldl, ldl->d, k))) return k + 1;
        if (!cls_ldl_is_pair(ldl, k)) continue;
        const double complex b = element(ldl, ldl->e, k);
        const int none = is_zero(b) && (is_zero(element(ldl, ldl->d, k)) || is_zero(element(ldl, ldl->d, k + 1)));
        if (none || (!is_zero(b) && is_zero(rest_of(ldl, k)))) return k + 1;
        ++k;
    }
    return 0;
}

/* ---- inertia ---- */

static void count_one(double value, clsolve_inertia *count) {
    count->positive += value > 0;
    count->negative += value < 0;
    count->zero += value == 0;
}

clsolve_inertia cls_ldl_count(const cls_ldl *ldl) {
    clsolve_inertia count = {0, 0, 0};

    for (int64_t k = 0; k < ldl->n; ++k) {
        const double a = creal(element(ldl, ldl->d, k));
        if (!cls_ldl_is_pair(ldl, k)) {
            count_one(a, &count);
            continue;
        }
        const double c = creal(element(ldl, ldl->d, k + 1));
        const int no_link = is_zero(element(ldl, ldl->e, k));
        const double larger = fabs(a) > fabs(c) ? a : c, sign = larger < 0 ? -1 : 1;
        /* Two signs where the determinant is below zero; else both are that of the diagonal. */
        count_one(no_link ? a : sign, &count);
        count_one(no_link ? c : sign * creal(rest_of(ldl, k)), &count);
        ++k;
    }
    return count;
}

/* ---- growth and determinant ---- */

typedef struct product {
    double mantissa[2];
    int64_t exponent;
    double least;
} product;

static double larger_part(double complex z) {
    return fmax(fabs(creal(z)), fabs(cimag(z)));
}

static void multiply(const cls_ldl *ldl, product *p, double complex z) {
    const double parts[2] = {creal(z), cimag(z)};
    cls_mapped_multiply(cls_is_complex(ldl->type), parts, p->mantissa, &p->exponent);
}

static void take_pivot(const cls_ldl *ldl, product *p, double complex z) {
    multiply(ldl, p, z);
    if (larger_part(z) > 0) p->least = fmin(p->least, larger_part(z));
}

static void take_pair(const cls_ldl *ldl, product *p, int64_t k) {
    const double complex b = element(ldl, ldl->e, k);
    const int squares = cls_is_complex(ldl->type) && !ldl->hermitian;

    if (is_zero(b)) {
        take_pivot(ldl, p, element(ldl, ldl->d, k));
        take_pivot(ldl, p, element(ldl, ldl->d, k + 1));
        return;
    }
    take_pivot(ldl, p, squares ? b : cabs(b));
    multiply(ldl, p, squares ? b : cabs(b));
    multiply(ldl, p, rest_of(ldl, k));
}

/* The first NaN or Inf of L and D. */
static clsolve_status find_nonfinite(cls_ldl *ldl, cls_growth *growth) {
    cls_measures m = {.row = -1, .column = -1};
    double sum, largest;

    for (int64_t j = 0; j < ldl->n && ldl->A.mapped; ++j) {
        cls_mapped_column(ldl->type, cls_matrix_host(&ldl->A, j, j), ldl->n - j, &sum, &largest);
        if (isfinite(sum)) continue;
        growth->row = growth->column = j;
        return CLSOLVE_OK;
    }
    for (int64_t k = 0; k < ldl->n; ++k) {
        if (isfinite(larger_part(element(ldl, ldl->e, k)))) continue;
        growth->row = k + 1;
        growth->column = k;
        return CLSOLVE_OK;
    }
    if (ldl->A.mapped) return CLSOLVE_OK;
    CLS_TRY(cls_check_enqueue(ldl->device, &ldl->check, &ldl->A, ldl->n, CLS_CHECK_LOWER));
    CLS_TRY(cls_check_read(ldl->device, &ldl->check, ldl->n, &m, NULL));
    growth->row = m.row;
    growth->column = m.column;
    return CLSOLVE_OK;
}

clsolve_status cls_ldl_examine(cls_ldl *ldl, cls_growth *growth) {
    product p = {{1, 0}, 0, (double)INFINITY};

    *growth = cls_growth_begin();
    if (ldl->n == 0) return CLSOLVE_OK;
    CLS_TRY(find_nonfinite(ldl, growth));
    if (growth->row >= 0) return CLSOLVE_OK;
    for (int64_t k = 0; k < ldl->n; ++k) {
        growth->largest = fmax(growth->largest, larger_part(element(ldl, ldl->d, k)));
        growth->largest = fmax(growth->largest, larger_part(element(ldl, ldl->e, k)));
    }
    for (int64_t k = 0; k < ldl->n; ++k) {
        if (cls_ldl_is_pair(ldl, k))
            take_pair(ldl, &p, k++);
        else
            take_pivot(ldl, &p, element(ldl, ldl->d, k));
    }
    growth->least = p.least;
    cls_growth_multiply(growth, cls_is_complex(ldl->type), p.mantissa[0], p.mantissa[1], (double)p.exponent);
    return CLSOLVE_OK;
}
