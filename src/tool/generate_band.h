/* generate_band.h: random band matrices of any order, written as they are made: no matrix is held. */
#ifndef CLS_TOOL_GENERATE_BAND_H
#define CLS_TOOL_GENERATE_BAND_H

#include <stdint.h>

#include "tool/outcome.h"

/* Uniform in [-1, 1) from kl diagonals below to ku above the main one; `dominant`: kl + ku + 1 on it. */
typedef struct generate_band {
    int64_t n, kl, ku; /* kl, ku < n <= 2^31 - 1 */
    int dominant;
    uint64_t seed;
} generate_band;

int64_t generate_band_entries(const generate_band *band);

/* Whole or not at all, as output_matrix. */
exit_code generate_band_matrix(const generate_band *band, const char *path, const char *comment, outcome *out);
/* A * (1, ..., 1), the numbers made once more. */
exit_code generate_band_rhs(const generate_band *band, const char *path, const char *comment, outcome *out);

#endif
