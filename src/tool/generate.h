/* generate.h: test matrices by name, from a seed: the same kind, size and seed give the same bits everywhere. */
#ifndef CLS_GENERATE_H
#define CLS_GENERATE_H

#include <stdint.h>

#include "io/matrix_market.h"

typedef struct generate_kind {
    const char *name;    /* "diagonally-dominant" */
    const char *summary; /* one line for --help */
    mm_result (*make)(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message);
} generate_kind;

/* Ends with a NULL name. */
extern const generate_kind generate_kinds[];

/* NULL when there is no such kind. */
const generate_kind *generate_find(const char *name);

#endif
