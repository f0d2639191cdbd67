/*
 * few.h: LU of a band of few diagonals on the host, without BLAS, whose calls cost more than the few operations of a
 * column. Results are those of LAPACK's gbtrf and gbtrs but for rounding. few_real.h has the storage.
 */
#ifndef CLS_BAND_FEW_H
#define CLS_BAND_FEW_H

#include <stdint.h>

/* Columns are eliminated four at a time where from 18 to 256 diagonals lie below the main one. */
enum { CLS_FEW_PANEL = 4, CLS_FEW_PANELS_FROM = 18, CLS_FEW_PANELS_TO = 256 };
/* Columns are fetched ahead from so many diagonals on, where the band is larger than a cache near the CPU, in bytes. */
enum { CLS_FEW_FETCHES_FROM = 24, CLS_FEW_CACHE = 1 << 19 };

/* Pivots as LAPACK's, from 1; *above: how many diagonals U has above its own, at most kv. Returns LAPACK's info: 0, or
 * the number of the first pivot that is zero. */
int64_t cls_few_factor_f64(double *ab, int64_t ld, int64_t n, int64_t kl, int64_t ku, int64_t kv, int32_t *pivots,
                           int64_t *above);
int64_t cls_few_factor_f32(float *ab, int64_t ld, int64_t n, int64_t kl, int64_t ku, int64_t kv, int32_t *pivots,
                           int64_t *above);

/* The largest |u(i,j)|; not of NaN. */
double cls_few_largest_f64(const double *ab, int64_t ld, int64_t n, int64_t kv, int64_t above);
float cls_few_largest_f32(const float *ab, int64_t ld, int64_t n, int64_t kv, int64_t above);

/* One right-hand side; `most`: the diagonals of U above its own. */
void cls_few_solve_f64(const double *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                       const int32_t *pivots, double *x);
void cls_few_solve_f32(const float *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                       const int32_t *pivots, float *x);
void cls_few_solve_transposed_f64(const double *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                                  const int32_t *pivots, double *x);
void cls_few_solve_transposed_f32(const float *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                                  const int32_t *pivots, float *x);

#endif
