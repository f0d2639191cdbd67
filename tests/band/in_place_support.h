/* in_place_support.h: bands of any shape, factored in the caller's memory, and LAPACK's ratio of the factors. */
#ifndef CLSOLVE_TEST_IN_PLACE_SUPPORT_H
#define CLSOLVE_TEST_IN_PLACE_SUPPORT_H

#include "band/band_support.h"

extern clsolve_context *any_context;

typedef struct any_shape {
    int64_t m, n, kl, ku;
} any_shape;

typedef struct any_outcome {
    clsolve_status status;
    clsolve_report report;
    int64_t *ipiv;
    double *AFB;
} any_outcome;

int64_t any_least(int64_t a, int64_t b);
int64_t any_rows(const any_shape *s);
/* Element (i, j) of gbtrf's array. */
double *any_at(const any_shape *s, double *AB, int64_t i, int64_t j);
/* Whether row r of column j of the array is a row of the matrix. */
int any_inside(const any_shape *s, int64_t r, int64_t j);
/* gbtrf's array; outside of the matrix and where swaps fill in are numbers that tell whether they are read or written. */
double *any_random(const any_shape *s, clsolve_type type, uint64_t use);
clsolve_band_options any_options(clsolve_where where);

/* dgbt01's. */
double any_ratio(const any_shape *s, clsolve_type type, const double *A, const double *AFB, const int64_t *ipiv);

/* The call; that it writes inside of the matrix alone, and pivots that can be. */
any_outcome any_factor(const any_shape *s, clsolve_type type, clsolve_layout layout, const double *A,
                       const clsolve_band_options *options);
void any_expect(const any_shape *s, const any_outcome *o, clsolve_status status);
void any_release(any_outcome *o);

#endif
