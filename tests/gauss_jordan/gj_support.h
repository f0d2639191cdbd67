/* gj_support.h: what the tests of Gauss-Jordan share. */
#ifndef CLSOLVE_TEST_GJ_SUPPORT_H
#define CLSOLVE_TEST_GJ_SUPPORT_H

#include <clsolve/clsolve.h>

#include "lu/ratios.h"

extern const char *const gj_variant_names[CLSOLVE_GAUSS_JORDAN_BLOCKED + 1];

/*
 * test_context, and with CLSOLVE_TEST_SHAPE=gpu the kernels' shapes for a GPU on whatever device there is: groups of many
 * work-items, 64 at most, where a CPU would get loops; with =32 the same with work-groups of 32 at most. With these, and
 * with =kernels, the blocked variant works by kernels also where it would work in the host's memory.
 */
clsolve_context *gj_context(void);
int gj_by_kernels(void);
/* Is one of the first two asked for? A CPU runs them slowly, and takes long to compile them. */
int gj_shaped(void);

/* LAPACK's getrf and getri on a copy: the inverse, or 0 when A is singular. */
int gj_lapack_inverse(int64_t n, const double *A, double *X);

/* As clsolve_gauss_jordan_create, failing the test with the library's message. */
clsolve_gauss_jordan *gj_make(clsolve_context *context, int64_t n, clsolve_type type,
                              const clsolve_gauss_jordan_options *options);
/* The same for a batch. */
clsolve_gauss_jordan_batch *gj_batch_make(clsolve_context *context, int64_t n, int64_t count, clsolve_type type);

#endif
