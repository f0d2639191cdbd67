/* batch_support.h: batches of narrow bands in the caller's arrays, factored and solved in every form of the kernels, and checked. */
#ifndef CLSOLVE_TEST_BATCH_SUPPORT_H
#define CLSOLVE_TEST_BATCH_SUPPORT_H

#include "band/narrow_support.h"

enum { FORM_OWN, FORM_GROUP, FORM_ITEM, FORMS };
extern const char *const form_names[FORMS];

/* Of the program. */
extern clsolve_context *context;
extern clsolve_type type;        /* double where the device has it */
extern clsolve_device_info real; /* what the device is, whatever a test that failed has left */

typedef struct members {
    clsolve_batch view;
    int64_t *offsets;
    int64_t elements;
} members;

double get(const members *m, int64_t index);
void put(const members *m, int64_t index, double value);
int64_t index_of(const members *m, int64_t member, int64_t r, int64_t c);

/* `how`: 0 tight; 1 with room between lines and members; 2 by offsets in falling order. */
typedef struct shape {
    int64_t n, kl, ku, count, nrhs;
    clsolve_layout layout;
    int how;
} shape;

typedef struct batch {
    shape s;
    narrow_band *band; /* count of them */
    members AB, B, X;
    double *b; /* n x nrhs a member, as rounded */
    int64_t *info;
    int *exact; /* that member's elimination makes no rounding error (narrow_band_exact) */
    clsolve_band_batch *handle;
} batch;

/* Random, and not stored yet; drop_batch destroys the handle, too. */
batch make_batch(test_random *random, shape s);
void drop_batch(batch *t);
/* The caller's arrays from the bands; what lies outside the matrix is NaN, for nobody may read it. */
void store(const batch *t);

void must(clsolve_status status);

/* Stores and factors, with a handle that is made where there is none. */
void run_factor(batch *t);
/* Every sound member solves its system; the others are left alone. */
void check_solutions(batch *t, clsolve_op op);
/*
 * Judges the factors' backward error, valid pivots, multipliers of at most 1. info names the first zero on U's
 * diagonal, and is 0 where LAPACK's condition says that no rounding error makes the matrix singular. Exact members
 * have LAPACK's info, pivots and factors. In other members rounding decides between close candidates for a pivot,
 * so these are not compared.
 */
void check_factors(batch *t);
/* All of these of a batch of random members and exact ones, some of them singular. */
void check_shape(test_random *random, shape s);

/* In each form: the device is what it is, or a GPU. */
void each_form(void (*check)(int form));

#endif
