/* batch.h: many small matrices in the caller's memory, as gauss_jordan.h and band_batch.h take them. */
#ifndef CLSOLVE_BATCH_H
#define CLSOLVE_BATCH_H

#include <stdint.h>

#include <clsolve/matrix.h>

/*
 * `count` matrices of one shape, type and layout. Member m begins at data + offsets[m], or, where offsets is NULL, at
 * data + m * stride; both count elements. Elements of a member lie as in matrix.h. Members that are only read may overlap.
 * Those that are written may not, nor lie between each other's lines: INVALID_ARGUMENT where, from its first element to
 * its last, one reaches into another.
 */
typedef struct clsolve_batch {
    clsolve_type type;
    clsolve_layout layout;
    int64_t count;
    int64_t rows, cols, ld;
    int64_t stride;
    const int64_t *offsets; /* count of them, from 0 on; NULL: by stride */
    void *data;             /* may be NULL when count, rows or cols is 0 */
} clsolve_batch;

#endif
