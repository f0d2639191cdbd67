/*
 * few.h: LU of a band of few diagonals on the host, without BLAS, whose calls cost more than the few operations of a
 * column. Results are those of LAPACK's gbtrf and gbtrs but for rounding. few_element.h has the storage.
 */
#ifndef CLS_BAND_FEW_H
#define CLS_BAND_FEW_H

#include <stdint.h>

#include "base/type.h"

/* Columns are eliminated four at a time where from 18 to 256 diagonals lie below the main one. */
enum { CLS_FEW_PANEL = 4, CLS_FEW_PANELS_FROM = 18, CLS_FEW_PANELS_TO = 256 };
/* Columns are fetched ahead from so many diagonals on, where the band is larger than a cache near the CPU, in bytes. */
enum { CLS_FEW_FETCHES_FROM = 24, CLS_FEW_CACHE = 1 << 19 };

typedef struct cls_few {
    /* Pivots as LAPACK's, from 1; *above: how many diagonals U has above its own, at most kv. Returns LAPACK's info: 0,
     * or the number of the first pivot that is zero. */
    int64_t (*factor)(void *ab, int64_t ld, int64_t n, int64_t kl, int64_t ku, int64_t kv, int32_t *pivots,
                      int64_t *above);
    /* The largest |u(i,j)|, of complex ones max(|re|, |im|); not of NaN. */
    double (*largest)(const void *ab, int64_t ld, int64_t n, int64_t kv, int64_t above);
    /* One right-hand side, A x = b or A^T x = b; `most`: the diagonals of U above its own. */
    void (*solve)(const void *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most, const int32_t *pivots,
                  void *x);
    void (*solve_transposed)(const void *ab, int64_t ld, int64_t n, int64_t kl, int64_t kv, int64_t most,
                             const int32_t *pivots, void *x);
} cls_few;

/* The functions for that type, which is known. */
const cls_few *cls_few_of(clsolve_type type);

#endif
