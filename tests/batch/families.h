/* families.h: the families of batches, for tests of what all promise. Each member is 4 times the identity. */
#ifndef CLSOLVE_TEST_BATCH_FAMILIES_H
#define CLSOLVE_TEST_BATCH_FAMILIES_H

#include <clsolve/clsolve.h>

#include "api/batch.h"

typedef struct batch_family {
    const char *name, *matrix; /* "clsolve_lu_batch"; the argument with the members */
    int64_t n, largest;        /* an order of which tests of the family have kernels; 0: no largest */
    clsolve_type type, without_double;
    /* A member of that order: rows and columns, the first of its fours, and the distance to the next. */
    int64_t rows, cols, first, step;
    int has_op, has_uplo, has_ragged, has_inverse, has_no_factor, has_no_offsets, has_no_n;
    double factor_of_four;      /* the diagonal of exported factors; 0: none are exported */
    int has_ipiv, may_exchange; /* its pivots of 4 I may be in any order */
    int has_condition;          /* 1; 2: by an option that these handles lack */

    clsolve_status (*create)(clsolve_context *context, int64_t n, int64_t count, clsolve_type type, int64_t reserved,
                             cls_batch **batch);
    clsolve_status (*ragged)(clsolve_context *context, const int64_t *orders, int64_t count, clsolve_type type,
                             cls_batch **batch);
    clsolve_status (*factor)(cls_batch *batch, clsolve_uplo uplo, const clsolve_batch *A, int64_t *info);
    clsolve_status (*solve)(cls_batch *batch, clsolve_op op, const clsolve_batch *A, clsolve_batch *B, int64_t *info);
    clsolve_status (*inverse)(cls_batch *batch, const clsolve_batch *A, clsolve_batch *X, int64_t *info);
    clsolve_status (*factors)(cls_batch *batch, clsolve_batch *F, int64_t *ipiv);
    clsolve_status (*condition)(cls_batch *batch, double *rconds);
    clsolve_status (*status)(cls_batch *batch);
    clsolve_status (*report)(const cls_batch *batch, clsolve_report *report);
    void (*destroy)(cls_batch *batch);
} batch_family;

extern const batch_family batch_families[];
extern const int batch_family_count;

#endif
