/*
 * batch_members.h: members of a batch of sparse matrices for tests: values and right-hand sides in any layout, and checks of the
 * solutions by their entries.
 */
#ifndef CLSOLVE_TEST_BATCH_MEMBERS_H
#define CLSOLVE_TEST_BATCH_MEMBERS_H

#include "sparse/patterns.h"

/* `count` members of A's pattern; entry k of member m is A's times a factor between 0.7 and 1.3. */
typedef struct members {
    clsolve_type type;
    int64_t count, n, nrhs;
    triplets *A;  /* of each member */
    csr rows;     /* the typical member's */
    double *part; /* of each given entry: the part of its place's value */
    int64_t *place;
    clsolve_batch values, B;
    double *sides; /* B before, tight */
    int64_t *info, *offsets[2];
} members;

/* `how` 0: tight; 1: gaps; 2: by offsets; 3: right-hand sides by rows, and values of neighbouring members side by side. */
members members_make(const triplets *A, int64_t count, int64_t nrhs, const csr_form *form, int how,
                     test_random *random);
void members_drop(members *s);
#define scratch_members SCRATCH_BY(members_drop) members

/* The values of a member into its place, from its entries; these get other values. */
void members_store(members *s, int64_t m);
void members_vary(members *s, int64_t m, test_random *random);

void members_draw_sides(members *s, test_random *random);
/* The first part of element (i, j) of member m as it was drawn, and its change there and in B. */
double *members_side(const members *s, int64_t m, int64_t i, int64_t j);
void members_put_side(members *s, int64_t m, int64_t i, int64_t j);

/* The member is solved; its B is as it was; nothing was written between the members. */
void members_check(const members *s, int64_t m, clsolve_op op, const char *about);
void members_check_kept(const members *s, int64_t m);
void members_check_gaps(const members *s);

#endif
