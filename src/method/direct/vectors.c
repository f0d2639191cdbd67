#include "method/direct/vectors.h"

#include <limits.h>
#include <math.h>

#include "base/memory.h"

static clsolve_status no_memory(cls_device *device) {
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors in float");
}

clsolve_status cls_vectors_up(cls_device *device, cls_transfer *transfer, int64_t cols, const double *values,
                              const cls_matrix *matrix) {
    int64_t n = matrix->rows;
    /* A view's memory is only read on the way up. */
    clsolve_matrix view = clsolve_matrix_f64(n, cols, (double *)(uintptr_t)values);

    if (matrix->type == CLSOLVE_F64) return cls_upload(device, transfer, &view, 0, cols, matrix, NULL);
    float *singles = cls_alloc((size_t)n * (size_t)cols, sizeof *singles);
    if (!singles) return no_memory(device);
    for (int64_t k = 0; k < n * cols; ++k) singles[k] = (float)values[k];
    view = clsolve_matrix_f32(n, cols, singles);
    clsolve_status status = cls_upload(device, transfer, &view, 0, cols, matrix, NULL);
    cls_free(singles);
    return status;
}

clsolve_status cls_vectors_down(cls_device *device, cls_transfer *transfer, int64_t cols, const cls_matrix *matrix,
                                double *values) {
    int64_t n = matrix->rows;
    clsolve_matrix view = clsolve_matrix_f64(n, cols, values);

    if (matrix->type == CLSOLVE_F64) return cls_download(device, transfer, matrix, cols, &view, 0, NULL);
    float *singles = cls_alloc((size_t)n * (size_t)cols, sizeof *singles);
    if (!singles) return no_memory(device);
    view = clsolve_matrix_f32(n, cols, singles);
    clsolve_status status = cls_download(device, transfer, matrix, cols, &view, 0, NULL);
    for (int64_t k = 0; status == CLSOLVE_OK && k < n * cols; ++k) values[k] = (double)singles[k];
    cls_free(singles);
    return status;
}

static int64_t index_of(const clsolve_matrix *view, int64_t i, int64_t j) {
    return view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j;
}

void cls_vectors_get(const clsolve_matrix *view, int64_t begin, int64_t cols, double *values) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < view->rows; ++i) {
            int64_t from = index_of(view, i, begin + j);
            values[i + j * view->rows] = view->type == CLSOLVE_F64 ? ((const double *)view->data)[from]
                                                                   : (double)((const float *)view->data)[from];
        }
}

void cls_vectors_put(const clsolve_matrix *view, int64_t begin, int64_t cols, const double *values) {
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < view->rows; ++i) {
            int64_t to = index_of(view, i, begin + j);
            if (view->type == CLSOLVE_F64)
                ((double *)view->data)[to] = values[i + j * view->rows];
            else
                ((float *)view->data)[to] = (float)values[i + j * view->rows];
        }
}

double cls_vector_unit(double largest) {
    if (!(largest > 0) || !isfinite(largest)) return 1;
    return ldexp(1, ilogb(largest));
}

static int exponent_of(const double *v, int64_t i) {
    return v ? ilogb(v[i]) : 0;
}

int cls_vector_bring_in(int64_t n, const double *v, double unit, const double *from, double *to) {
    int most = INT_MIN, known = 1;
    for (int64_t i = 0; i < n; ++i) {
        known = known && isfinite(from[i]);
        if (!known || from[i] == 0) continue;
        int e = ilogb(from[i]) + exponent_of(v, i);
        if (e > most) most = e;
    }
    int e = known && most > INT_MIN ? most - ilogb(unit) : 0;
    for (int64_t i = 0; i < n; ++i) to[i] = ldexp(from[i], exponent_of(v, i) - e);
    return e;
}

void cls_vector_bring_out(int64_t n, const double *v, int exponent, double *x) {
    for (int64_t i = 0; i < n; ++i) x[i] = ldexp(x[i], exponent + exponent_of(v, i));
}
