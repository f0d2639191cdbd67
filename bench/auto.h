/* auto.h: what the table `auto` knows of each family of systems. */
#ifndef CLSOLVE_BENCH_AUTO_H
#define CLSOLVE_BENCH_AUTO_H

#include <stddef.h>

#include "bench.h"

/* Who solves: the library by its own choice; as it is told to; LAPACK, called as a program without the library would. */
typedef enum auto_choice {
    AUTO_AUTO = 0,
    AUTO_FIRST = 1,
    AUTO_SECOND = 2,
    AUTO_THIRD = 3,
    AUTO_LAPACK = 4,
    AUTO_CHOICES
} auto_choice;

typedef struct auto_problem {
    const struct auto_family *family;
    clsolve_context *context;
    int64_t n, k; /* the order; of bands the half-bandwidth, of batches the number of members */
    double *A, *B, *X, *work;
    int32_t *start, *column; /* of sparse matrices */
    int *pivots;
    int64_t *info;
    void *handle[AUTO_CHOICES];
    const char *where;  /* of the last run by AUTO: a static string */
    const char *method; /* likewise, where AUTO chooses it; else NULL */
    double expected[2]; /* seconds on the host and on the device that it compared; 0: none */
} auto_problem;

typedef struct auto_family {
    const char *name, *title;
    const char *choices[AUTO_CHOICES]; /* names; NULL: there is no such choice */
    int64_t sizes[16];                 /* 0: no more */
    int64_t k[8];                      /* for each size; 0: the family has none */
    int (*make)(auto_problem *p);      /* 0: no memory */
    /* One handle for a choice; 1: made. */
    int (*create)(auto_problem *p, auto_choice choice);
    void (*destroy)(void *handle);
    double (*run)(auto_problem *p, auto_choice choice); /* seconds; below 0: failed */
    double (*ratio)(const auto_problem *p);             /* of the answer: good below 30 */
    double (*work)(const auto_problem *p);              /* operations, for a limit on what is timed */
} auto_family;

int auto_allocate(auto_problem *p, int64_t a, int64_t b, int64_t work, int64_t pivots);

/* Where AUTO went, and why. */
void auto_note(auto_problem *p, const clsolve_report *report);

/* auto_dense.c, auto_sparse.c, auto_symmetric.c */
extern const auto_family auto_symmetric, auto_band_cholesky, auto_lu, auto_call, auto_inverse, auto_band, auto_grid,
    auto_batched, auto_lines;

#endif
