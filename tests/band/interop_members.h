/* interop_members.h: members of batches in the caller's own OpenCL buffers, with something before, between and behind. */
#ifndef CLSOLVE_TEST_INTEROP_MEMBERS_H
#define CLSOLVE_TEST_INTEROP_MEMBERS_H

#include "lu/interop_support.h"

enum { COUNT = 9, N = 6, NRHS = 2, KL = 1, KU = 2, ROWS = KL + KU + 1, SINGULAR = 3, NONFINITE = 7 };
/* How members lie: one after the other, with gaps in each and between, or by offsets. */
enum { TIGHT, GAPS, STRIDE, OFFSETS, HOWS };

#define EXPECT(call, wanted) TEST_EXPECT(io.context, call, wanted, "")

/* A matrix of all members beside each other: its gaps are those of the members. TIGHT has none. */
typedef struct members {
    clsolve_batch view;
    io_matrix memory;
    double *tight;  /* the members, column-major, one after the other */
    double *values; /* the matrix: what lies between the members too */
    int64_t apart;  /* columns from one member to the next */
    int64_t cols;   /* of the matrix */
    int64_t *offsets;
} members;

/* Numbers of an element. */
int64_t parts(void);
/* So many elements. */
double *zeros(int64_t count);

/* `tight` is the members', who free it. */
members put(int how, int64_t rows, int64_t cols, double *tight);
/* The members that are there now; all else is as it was. */
void get(members *m, double *tight);
void drop(members *m);

/* Systems with large diagonals; SINGULAR has a zero column. */
double *matrices(void);

#endif
