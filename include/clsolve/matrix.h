/*
 * matrix.h: a view of a matrix that lies in the caller's memory, on the host or on the device.
 *
 *   CLSOLVE_COLUMN_MAJOR: element (i, j) at data[i + j * ld], ld >= max(1, rows)
 *   CLSOLVE_ROW_MAJOR:    element (i, j) at data[i * ld + j], ld >= max(1, cols)
 *
 * Indices start at 0. Sizes and ld count elements, never bytes. A view owns nothing: the caller keeps the
 * memory alive while a call uses it. Elements between rows (or cols) and ld are never read nor written.
 */
#ifndef CLSOLVE_MATRIX_H
#define CLSOLVE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <clsolve/export.h>

typedef enum clsolve_type {
    CLSOLVE_F32 = 1, /* IEEE binary32, float */
    CLSOLVE_F64 = 2  /* IEEE binary64, double */
} clsolve_type;

typedef enum clsolve_layout { CLSOLVE_COLUMN_MAJOR = 1, CLSOLVE_ROW_MAJOR = 2 } clsolve_layout;

/* op(A) in A x = b: A itself or its transpose. */
typedef enum clsolve_op { CLSOLVE_NO_TRANS = 1, CLSOLVE_TRANS = 2 } clsolve_op;

/* On the device: the caller's own buffer in a context made of the caller's own, see clsolve/opencl.h and clsolve/cuda.h. */
typedef enum clsolve_place { CLSOLVE_ON_HOST = 0, CLSOLVE_ON_DEVICE = 1 } clsolve_place;

typedef struct clsolve_matrix {
    clsolve_type type;
    clsolve_layout layout;
    int64_t rows, cols;
    int64_t ld;
    void
        *data; /* host: element (0, 0); device: the buffer, or its address (CUDA). May be NULL when rows or cols is 0 */
    clsolve_place place;
    int64_t offset; /* device: of element (0, 0) in the buffer, in elements; host: 0 */
} clsolve_matrix;

/* Dense column-major views, ld = rows. Change layout and ld afterwards for anything else. */
static inline clsolve_matrix clsolve_host_f64(int64_t rows, int64_t cols, double *data) {
    clsolve_matrix m = {CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

static inline clsolve_matrix clsolve_host_f32(int64_t rows, int64_t cols, float *data) {
    clsolve_matrix m = {CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, rows, cols, rows > 0 ? rows : 1, data, CLSOLVE_ON_HOST, 0};
    return m;
}

#endif
