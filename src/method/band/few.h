/*
 * few.h: LU of a band of few diagonals on the host, without BLAS, whose calls cost more than the few operations of a
 * column. Results are those of LAPACK's gbtrf and gbtrs but for rounding. few_real.h has the storage.
 */
#ifndef CLS_BAND_FEW_H
#define CLS_BAND_FEW_H

#include <stdint.h>

/* Pivots as LAPACK's, from 1. Returns LAPACK's info: 0, or the number of the first pivot that is zero. */
int64_t cls_few_factor_f64(double *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int32_t *pivots);
int64_t cls_few_factor_f32(float *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int32_t *pivots);

void cls_few_solve_f64(const double *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, const int32_t *pivots,
                       double *x);
void cls_few_solve_f32(const float *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, const int32_t *pivots, float *x);
void cls_few_solve_transposed_f64(const double *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv,
                                  const int32_t *pivots, double *x);
void cls_few_solve_transposed_f32(const float *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, const int32_t *pivots,
                                  float *x);

#endif
