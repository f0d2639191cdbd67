/*
 * batch.h: a view of many small matrices of one shape in the caller's memory, on the host or on the device.
 *
 *     members by stride:    |   A_0   |    |   A_1   |    |   A_2   |       member m begins at data + m * stride
 *                           <--- stride -->
 *     members by offsets:   |   A_1   ||   A_0   |        |   A_2   |       member m begins at data + offsets[m]
 *
 * A view owns nothing. On the device, `data` and `offset` are as in matrix.h: see clsolve_opencl_batch in opencl.h and
 * clsolve_cuda_batch in cuda.h.
 */
#ifndef CLSOLVE_BATCH_H
#define CLSOLVE_BATCH_H

#include <stdint.h>

#include <clsolve/matrix.h>

/*
 * `count` members of one type, layout and shape (rows x cols). The elements of a member lie as matrix.h describes.
 *
 * Members that a call only reads may overlap. Members that a call writes may not: the range from the first to the last
 * element of a member holds no element of another member. Else the call returns ERROR_INVALID_ARGUMENT. Only
 * tridiagonal_batch.h takes interleaved members.
 */
typedef struct clsolve_batch {
    clsolve_type type;
    clsolve_layout layout;
    int64_t count;
    int64_t rows, cols, ld;
    int64_t stride;         /* elements from one member to the next; not used where offsets are given */
    const int64_t *offsets; /* `count` numbers of elements, each at least 0; NULL: by stride */
    void *data;             /* as clsolve_matrix has it; may be NULL when count, rows or cols is 0 */
    clsolve_place place;
    int64_t offset; /* device: where the data begins in the buffer, in elements; host: 0 */
} clsolve_batch;

/*
 * Column-major members on the host, one after the other without gaps. Change layout, ld and stride for other storage.
 */
static inline clsolve_batch clsolve_batch_f64(int64_t count, int64_t rows, int64_t cols, double *data) {
    clsolve_batch b = {CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       data,        CLSOLVE_ON_HOST,      0};
    return b;
}

static inline clsolve_batch clsolve_batch_f32(int64_t count, int64_t rows, int64_t cols, float *data) {
    clsolve_batch b = {CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       data,        CLSOLVE_ON_HOST,      0};
    return b;
}

/* The same of complex numbers, as of matrices (matrix.h). */
static inline clsolve_batch clsolve_batch_c64(int64_t count, int64_t rows, int64_t cols, void *data) {
    clsolve_batch b = {CLSOLVE_C64, CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       data,        CLSOLVE_ON_HOST,      0};
    return b;
}

static inline clsolve_batch clsolve_batch_c32(int64_t count, int64_t rows, int64_t cols, void *data) {
    clsolve_batch b = {CLSOLVE_C32, CLSOLVE_COLUMN_MAJOR, count, rows, cols, rows > 0 ? rows : 1, rows * cols, NULL,
                       data,        CLSOLVE_ON_HOST,      0};
    return b;
}

#endif
