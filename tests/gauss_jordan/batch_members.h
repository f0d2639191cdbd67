/* batch_members.h: what the tests of Gauss-Jordan's batches share: members in memory, as batches hold them. */
#ifndef CLSOLVE_TEST_BATCH_MEMBERS_H
#define CLSOLVE_TEST_BATCH_MEMBERS_H

#include <clsolve/batch.h>

#include "support/test_support.h"

/* Members in memory with room between lines and between members, which must never change. */
typedef struct members {
    clsolve_batch view;
    int64_t *offsets;
    double *values; /* tight column-major doubles, member after member */
    int64_t elements;
} members;

/* Elements by their place in the memory, and the place of an element. */
double members_get(const members *m, int64_t index);
void members_put(const members *m, int64_t index, double value);
int64_t members_index(const members *m, int64_t member, int64_t i, int64_t j);
/* The values into the memory, and a mark everywhere else. */
void members_store(const members *m);
/* Into tight doubles; everything between must still be the mark. */
void members_load(const members *m, double *values);
/* `how`: 0 tight, 1 a longer ld, 2 a longer stride as well, 3 by offsets in falling order. */
members members_make(clsolve_type type, int64_t count, int64_t rows, int64_t cols, clsolve_layout layout, int how);
void members_discard(members *m);
/* Well-conditioned members with large elements anywhere but on the diagonal. */
void members_fill(test_random *random, members *m);

#endif
