/* played_tests.h: what the files of test_played share. */
#ifndef CLS_TEST_PLAYED_TESTS_H
#define CLS_TEST_PLAYED_TESTS_H

#include <stddef.h>

#include "lapack/lapack_names.h"
#include "lapack/played.h"

enum { N = 97, LD = 101, NRHS = 3 };

/* Hidden: the played library has the object itself under this name. */
extern __attribute__((visibility("hidden"))) played_state *played;

/* Factors the identity. 1: the device did. */
int factors_there(integer n);

void close_to(const double *x, const double *y, size_t count);

/* ---- played_bands.c: tests, in this order ---- */

void test_band_kernels(void **unused);
void test_no_band_kernels(void **unused);
void test_band_threshold(void **unused);
void test_bands(void **unused);

/* ---- played_times.c: a clock that the test moves ---- */

void test_slow_device(void **unused);
void test_change(void **unused);
void test_far_host(void **unused);
void test_trials(void **unused);
void test_known_host(void **unused);

/* ---- played_symmetric.c ---- */

void test_symmetric(void **unused);
void test_not_definite(void **unused);
void test_indefinite(void **unused);

#endif
