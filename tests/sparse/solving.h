/*
 * solving.h: sparse systems of every kind, through each engine and order, in every type and storage: what the tests on the
 * host and on a device have in common. The backward error is computed from the entries.
 *
 * The combinations change with the number of the case, its turn, in cycles: 13 setups, 5 numbers of right-hand sides, 4
 * types, 3 operations. Random bits choose the rest.
 */
#ifndef CLSOLVE_TEST_SPARSE_SOLVING_H
#define CLSOLVE_TEST_SPARSE_SOLVING_H

#include "sparse/patterns.h"

enum { SETUPS = 13 };
#define ON     CLSOLVE_CHOICE_ON
#define OFF    CLSOLVE_CHOICE_OFF
#define FRONTS CLSOLVE_SPARSE_MULTIFRONTAL

extern clsolve_context *context;
extern int on_device; /* 1: the numbers are the device's, but where the engine is KLU. Types then have fewer values */
extern int64_t there, alone; /* solves with the device's factors; with the host's after them */

/* All that one case has; `about` is for messages. */
typedef struct trial {
    const triplets *A;
    const csr *rows;
    clsolve_sparse_options options;
    clsolve_type type;
    clsolve_op op;
    clsolve_layout layout;
    int64_t nrhs, spare;
    const char *about;
} trial;

/* The call succeeded; else the test fails, with the context's message. */
void check(const trial *t, clsolve_status status, const char *call);

/* Creates, factors twice, and solves and checks each time. */
void run(const trial *t, test_random *random);

/* The turn's type, operation, columns and storage. A device has kernels for each type, and for LU and Cholesky: LU in double has
 * both of its types here, Cholesky one of each precision. */
void take_turn(int64_t turn, int definite, trial *t, csr_form *form, test_random *random);

/* A system of the pattern by the turn's setup; one of another form from a triangle or all of A. */
void run_general(pattern kind, int64_t n, int64_t turn, test_random *random);
void run_one_sided(clsolve_sparse_form of, pattern kind, int64_t n, int64_t turn, test_random *random);

#endif
