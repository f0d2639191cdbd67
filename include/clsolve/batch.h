/*
 * batch.h: a view of many small matrices of one shape in the caller's host memory, for gauss_jordan.h and band_batch.h.
 *
 *     members by stride:    |   A_0   |    |   A_1   |    |   A_2   |       member m begins at data + m * stride
 *                           <--- stride -->
 *     members by offsets:   |   A_1   ||   A_0   |        |   A_2   |       member m begins at data + offsets[m]
 */
#ifndef CLSOLVE_BATCH_H
#define CLSOLVE_BATCH_H

#include <stdint.h>

#include <clsolve/matrix.h>

/*
 * `count` members of one type, layout and shape (rows x cols). The elements of a member lie as matrix.h describes.
 *
 * Members that a call only reads may overlap. Members that a call writes may not: the range from the first to the last
 * element of a member holds no element of another member. Else the call returns ERROR_INVALID_ARGUMENT.
 */
typedef struct clsolve_batch {
    clsolve_type type;
    clsolve_layout layout;
    int64_t count;
    int64_t rows, cols, ld;
    int64_t stride;         /* elements from one member to the next; not used where offsets are given */
    const int64_t *offsets; /* `count` numbers of elements, each at least 0; NULL: by stride */
    void *data;             /* may be NULL when count, rows or cols is 0 */
} clsolve_batch;

#endif
