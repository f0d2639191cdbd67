#include "kernels/lu_resident_matrices.h"

#include "lu/ratios.h"

enum { LANES = 32 };

test_random leaf_random;

const char *const leaf_kind_names[] = {"random",    "copies",    "whole", "zero columns", "graded",
                                       "subnormal", "last rows", "close", "overtaken",    "not finite"};

int64_t leaf_between(int64_t low, int64_t high) {
    return test_random_between(&leaf_random, low, high);
}

/* Rows that are 1 or -1 times one of `width` rows of a triangle, and halves of those above it: in each column some elements
 * are as large, and nothing is ever rounded. */
static void make_copies(int64_t m, int64_t width, double *A) {
    SCRATCH double *U = test_doubles(width * width);
    for (int64_t k = 0; k < width; k++)
        for (int64_t t = 0; t <= k; t++) U[t + k * width] = t == k ? 4.0 : (double)leaf_between(-8, 8);
    for (int64_t i = 0; i < m; i++) {
        int64_t copied = i < width ? i : leaf_between(0, width - 1);
        for (int64_t t = 0; t <= copied; t++) {
            double factor = t == copied ? (double)(2 * leaf_between(0, 1) - 1) : (double)leaf_between(-1, 1) / 2;
            for (int64_t k = 0; k < width; k++) A[i + k * m] = (t ? A[i + k * m] : 0) + factor * U[t + k * width];
        }
    }
    for (int64_t i = m - 1; i > 0; i--) {
        int64_t other = leaf_between(0, i);
        for (int64_t k = 0; k < width; k++) {
            double x = A[i + k * m];
            A[i + k * m] = A[other + k * m];
            A[other + k * m] = x;
        }
    }
}

static double an_element(kind what, clsolve_type type, int64_t i, int64_t k) {
    double x = test_random_signed(&leaf_random);
    int range = type == CLSOLVE_F64 ? 250 : 30;
    switch (what) {
    case WHOLE:
        return (double)leaf_between(-2, 2);
    case GRADED:
        return ldexp(x, (int)((i * 7 + k * 3) % (2 * range)) - range);
    case SUBNORMAL:
        return ldexp(x, type == CLSOLVE_F64 ? -1030 : -130);
    case CLOSE:
        return copysign(1 + (double)leaf_between(0, 1000) * 2 * test_epsilon(type), x);
    default:
        return x;
    }
}

/* The first pivot is the last row, so that row 0 goes down there; in each later column it is as large as some row of its lane's. */
static void make_overtaken(int64_t m, int64_t width, double *A) {
    for (int64_t i = 0; i < m; i++) A[i] = i == m - 1 ? 64 : 0;
    for (int64_t k = 1; k < width; k++) {
        int64_t other = m > LANES + 1 ? LANES * leaf_between(1, (m - 2) / LANES) : m - 1;
        for (int64_t i = 0; i < m; i++) A[i + k * m] = i == 0 || i == other ? 4 : (double)leaf_between(-1, 1);
    }
}

void leaf_matrix(kind what, clsolve_type type, int64_t m, int64_t width, double *A) {
    if (what == COPIES) {
        make_copies(m, width, A);
        return;
    }
    if (what == OVERTAKEN) {
        make_overtaken(m, width, A);
        return;
    }
    for (int64_t k = 0; k < width; k++)
        for (int64_t i = 0; i < m; i++) A[i + k * m] = test_rounded(type, an_element(what, type, i, k));
    for (int64_t k = 0; what == ZERO_COLUMNS && k < width; k++)
        if (leaf_between(0, 3) == 0 || k == width / 2)
            for (int64_t i = 0; i < m; i++) A[i + k * m] = 0;
    for (int64_t k = 0; what == LAST_ROWS && k < width; k++) A[m - 1 - k + k * m] = 64;
    if (what == NOT_FINITE)
        A[leaf_between(0, m - 1) + leaf_between(0, width - 1) * m] =
            leaf_between(0, 1) ? (double)NAN : (double)INFINITY;
}

/* ---- the same operations one after the other ---- */

static double size_of(double x) {
    return x == x ? fabs(x) : INFINITY;
}

static int divides(clsolve_type type, double pivot) {
    double least = type == CLSOLVE_F64 ? 0x1p-1022 : 0x1p-126, large = type == CLSOLVE_F64 ? 0x1p1022 : 0x1p126;
    return fabs(pivot) < least || fabs(pivot) >= large;
}

void leaf_swap_rows(int64_t m, int64_t width, int64_t i, int64_t j, double *A) {
    for (int64_t k = 0; k < width; k++) {
        double x = A[i + k * m];
        A[i + k * m] = A[j + k * m];
        A[j + k * m] = x;
    }
}

int64_t leaf_factor(clsolve_type type, int64_t m, int64_t width, double *A, int64_t *ipiv) {
    int64_t info = 0;
    for (int64_t t = 0; t < width; t++) {
        int64_t p = t;
        for (int64_t i = t; i < m; i++)
            if (size_of(A[i + t * m]) > size_of(A[p + t * m])) p = i;
        ipiv[t] = p + 1;
        leaf_swap_rows(m, width, t, p, A);
        double pivot = A[t + t * m], inverse = test_rounded(type, 1 / pivot);
        if (pivot == 0 && info == 0) info = t + 1;
        for (int64_t i = t + 1; pivot != 0 && i < m; i++) {
            double x = A[i + t * m], l = test_rounded(type, divides(type, pivot) ? x / pivot : x * inverse);
            A[i + t * m] = l;
            for (int64_t k = t + 1; k < width; k++)
                A[i + k * m] = test_rounded(type, A[i + k * m] - test_rounded(type, l * A[t + k * m]));
        }
    }
    return info;
}
