/* peers.h: what the table of bench_peers knows of each family of systems. */
#ifndef CLSOLVE_BENCH_PEERS_H
#define CLSOLVE_BENCH_PEERS_H

#include <stddef.h>

#include "bench.h"

/* One size of one family: the data, and a handle for each candidate of ours. */
typedef struct problem {
    const struct family *family;
    const bench_field *field;
    clsolve_type type;
    int64_t n, members;
    void *A, *B, *X; /* what is given, and the answer */
    int64_t *info;
    int64_t half; /* of band: the half-bandwidth */
    int count;    /* of the field's candidates, ours first: those that have the family */
    void *handle[BENCH_CANDIDATES];
} problem;

/* Sets of types: bit t for the clsolve_type t. */
enum {
    PEERS_REAL = 1 << CLSOLVE_F64 | 1 << CLSOLVE_F32,
    PEERS_WIDE = 1 << CLSOLVE_F64 | 1 << CLSOLVE_C64,
    PEERS_ALL = PEERS_REAL | PEERS_WIDE | 1 << CLSOLVE_C32
};

/* What a family is to the table: each function is for one candidate, seconds below 0 or 0 for a failure. */
typedef struct family {
    const char *name, *vendor; /* the vendor's routines; NULL: there are none */
    const char *title, *unit;  /* of 10^9 of `work` in a second */
    int64_t sizes[8];          /* where the options name none; 0: no more */
    int (*make)(problem *p);   /* the data */
    int (*create)(problem *p, int c);
    void (*destroy)(void *handle);
    double (*run)(problem *p, int c, double *device);
    double (*ratio)(const problem *p); /* of the answer: good below 30 */
    double (*work)(const problem *p);  /* on the device: floating-point operations, or unknowns */
    int types;                         /* that it has: PEERS_ALL and so on */
} family;

/* The context of candidate c; NULL: the vendor. */
clsolve_context *peers_context(const problem *p, int c);

/* A, B, X of so many elements, and p->members of info; 0: no memory. */
int peers_allocate(problem *p, int64_t a, int64_t b, int64_t x);
void peers_free_array(problem *p, void *array);

/* peers_dense.c and peers_sparse.c */
extern const family peers_lu, peers_mixed, peers_rbt, peers_inverse, peers_batched, peers_lines, peers_band,
    peers_block_gs;

#endif
