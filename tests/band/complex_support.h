/* complex_support.h: complex bands for tests: dense, n x n elements, and in band storage. */
#ifndef CLSOLVE_TEST_COMPLEX_SUPPORT_H
#define CLSOLVE_TEST_COMPLEX_SUPPORT_H

#include <clsolve/clsolve.h>

#include "lu/ratios.h"
#include "support/test_support.h"

extern clsolve_context *zband_context;

typedef struct zband_shape {
    int64_t n, kl, ku;
} zband_shape;

enum { ZBAND_SIDES = 3 };

/* Is a band of such elements tested? Where there is double, kl decides whether in it; a kl of 3 is tested in both, so that
 * fewer kernels are compiled. */
int zband_is_taken(clsolve_type type, const zband_shape *s);
/* In double, where the device has it. */
clsolve_type zband_last_type(void);
int zband_is_in(const zband_shape *s, int64_t i, int64_t j);
double *zband_dense(test_random *random, clsolve_type type, const zband_shape *s);
/* Rows first .. of gbtrf's storage: with `fill` rows above the band. What lies outside the matrix is NaN. */
test_matrix zband_store(clsolve_type type, clsolve_layout layout, const zband_shape *s, int64_t fill, const double *A);
/* ZBAND_SIDES right-hand sides. */
double *zband_sides(test_random *random, clsolve_type type, int64_t n);

#endif
