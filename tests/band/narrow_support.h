/* narrow_support.h: bands in the host's memory for the tests, as doubles in gbtrf's storage, and LAPACK's answers. */
#ifndef CLSOLVE_TEST_NARROW_SUPPORT_H
#define CLSOLVE_TEST_NARROW_SUPPORT_H

#include <clsolve/clsolve.h>

#include "support/test_support.h"

/* Element (i, j) of a band in gbtrf's storage, ldab = 2 kl + ku + 1. */
typedef struct narrow_band {
    int64_t n, kl, ku, ld;
    double *a; /* ld x n */
} narrow_band;

/* Uniform in [-1, 1) within the diagonals and the matrix; `spare` elsewhere, which nobody may read. */
narrow_band narrow_band_random(test_random *random, int64_t n, int64_t kl, int64_t ku, double spare);
void narrow_band_free(narrow_band *band);

static inline double *narrow_band_at(const narrow_band *band, int64_t i, int64_t j) {
    return &band->a[band->kl + band->ku + i - j + j * band->ld];
}

/* Rounds the values to float where the type is. */
void narrow_band_round(const narrow_band *band, clsolve_type type);

/*
 * A band whose elimination is exact in float and in double, whatever the order of its operations: pivots are powers
 * of two, multipliers 0 or +-1/2, all other numbers small multiples of 2^-8. Its pivots are unique. `singular`
 * makes the column of one step, drawn at random, zero from the diagonal downwards.
 */
narrow_band narrow_band_exact(test_random *random, int64_t n, int64_t kl, int64_t ku, int singular);

/* LAPACK's gbtrf on a copy: its info; factors into `factors` (ld x n) and pivots from 1. */
int64_t narrow_band_gbtrf(const narrow_band *band, double *factors, int64_t *pivots);

/* LAPACK's estimate (gbcon) of 1 / (||A||_1 ||A^-1||_1) from its factors, whose info is 0. */
double narrow_band_rcond(const narrow_band *band, const double *factors, const int64_t *pivots);

/*
 * LAPACK's ratio of factors (dgbt01): ||A - P L U||_1 / (n ||A||_1 eps), from factors (ld x n, as of gbtrf) and
 * pivots from 1. It is NaN where factors are NaN. The caller has checked that pivots are rows of the matrix.
 */
double narrow_band_factor_ratio(const narrow_band *band, clsolve_type type, const double *factors,
                                const int64_t *pivots);

/* ||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 eps), the largest of all columns, with eps of the type. Written so that NaN is large. */
double narrow_band_ratio(const narrow_band *band, clsolve_type type, clsolve_op op, int64_t columns, const double *B,
                         const double *X);

#endif
