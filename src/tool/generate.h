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

/* Kinds on a grid of lines: --lines N --line-length M; generate_grid.c. */
typedef struct generate_grid_kind {
    const char *name, *summary;
    const char *option; /* "--ratio": the parameter's; NULL: none */
    double usual;       /* the parameter, where it is not given */
} generate_grid_kind;

/* By number from 0 on, and by name; NULL when there is none. */
const generate_grid_kind *generate_grid_list(int index);
const generate_grid_kind *generate_grid_find(const char *name);
mm_result generate_grid(const generate_grid_kind *kind, int64_t N, int64_t M, double parameter, mm_matrix *A,
                        mm_message *message);

#endif
