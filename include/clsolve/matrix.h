/*
 * matrix.h: a view of a dense matrix in the caller's memory, on the host or on the device.
 *
 *   layout                  element (i, j), counted from 0    ld
 *   CLSOLVE_COLUMN_MAJOR    data[i + j * ld]                  at least max(1, rows)
 *   CLSOLVE_ROW_MAJOR       data[i * ld + j]                  at least max(1, cols)
 *
 * Sizes, ld and offset count elements, never bytes. A view owns nothing: the caller keeps the memory alive while a
 * call uses the view. The library neither reads nor writes the elements between the end of a column (row-major: of a
 * row) and ld. ld times the number of columns (row-major: of rows), and offset, are at most 2^53.
 */
#ifndef CLSOLVE_MATRIX_H
#define CLSOLVE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <clsolve/export.h>

/* The complex types are for the calls whose headers say that they take them. Others return ERROR_UNSUPPORTED. */
typedef enum clsolve_type {
    CLSOLVE_F32 = 1, /* IEEE binary32, float */
    CLSOLVE_F64 = 2, /* IEEE binary64, double */
    CLSOLVE_C32 = 3, /* complex: two floats, the real part first, as C's float _Complex */
    CLSOLVE_C64 = 4  /* complex: two doubles, as C's double _Complex */
} clsolve_type;

typedef enum clsolve_layout { CLSOLVE_COLUMN_MAJOR = 1, CLSOLVE_ROW_MAJOR = 2 } clsolve_layout;

/* op(A) in op(A) x = b: A itself, its transpose, or its conjugate transpose; of a real A the last two are the same. */
typedef enum clsolve_op { CLSOLVE_NO_TRANS = 0, CLSOLVE_TRANS = 1, CLSOLVE_CONJ_TRANS = 2 } clsolve_op;

/* The triangle of a symmetric matrix that a call reads or writes, its diagonal included. */
typedef enum clsolve_uplo { CLSOLVE_LOWER = 0, CLSOLVE_UPPER = 1 } clsolve_uplo;

/* A norm of matrices: the largest sum of a column's magnitudes, or of a row's. */
typedef enum clsolve_norm { CLSOLVE_NORM_ONE = 0, CLSOLVE_NORM_INF = 1 } clsolve_norm;

/*
 * The memory in which the elements lie. A matrix on the device lies in the caller's own buffer or at the caller's own
 * address. It needs a context that was made from the caller's own OpenCL or CUDA objects: see clsolve/opencl.h and
 * clsolve/cuda.h.
 */
typedef enum clsolve_place { CLSOLVE_ON_HOST = 0, CLSOLVE_ON_DEVICE = 1 } clsolve_place;

typedef struct clsolve_matrix {
    clsolve_type type;
    clsolve_layout layout;
    int64_t rows, cols;
    int64_t ld;
    /* Host: element (0, 0); device: the cl_mem (OpenCL) or the address (CUDA). May be NULL when rows or cols is 0. */
    void *data;
    clsolve_place place;
    int64_t offset; /* device: where element (0, 0) lies in the buffer, in elements; host: 0 */
} clsolve_matrix;

/* Column-major views on the host with ld = max(1, rows). Change layout and ld afterwards for any other storage. */
static inline clsolve_matrix clsolve_matrix_f64(int64_t rows, int64_t cols, double *data) {
    clsolve_matrix m = {CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

static inline clsolve_matrix clsolve_matrix_f32(int64_t rows, int64_t cols, float *data) {
    clsolve_matrix m = {CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

/* The same of complex numbers: arrays of C's double _Complex and float _Complex, or of C++'s std::complex. */
static inline clsolve_matrix clsolve_matrix_c64(int64_t rows, int64_t cols, void *data) {
    clsolve_matrix m = {CLSOLVE_C64, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

static inline clsolve_matrix clsolve_matrix_c32(int64_t rows, int64_t cols, void *data) {
    clsolve_matrix m = {CLSOLVE_C32, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

#endif
