/* members.h: members of a batch in the host's memory, in any layout, with numbers around them that must stay. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <complex.h>

#include <clsolve/batch.h>

typedef struct members {
    clsolve_batch view;
    int64_t elements, *offsets;
    double complex *values; /* tight, column-major */
} members;

/* `how`: 0 tight, 1 a longer ld, 2 a longer stride as well, 3 by offsets in falling order; 4 more: by rows. */
members members_make(clsolve_type type, int64_t count, int64_t rows, int64_t cols, int how);
void members_drop(members *m);
#define scratch_members SCRATCH_BY(members_drop) members

enum { MEMBERS_ALL = -1 };

/* The values into the triangle, or MEMBERS_ALL of the members; what is not `uplo` is NaN for a call that may not read
 * it. */
void members_store(const members *m, int uplo);
/* Back into `values`; what is outside, and what lies between members, is as it was. */
void members_load(const members *m, int uplo);

#endif
