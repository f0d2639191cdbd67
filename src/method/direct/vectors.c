#include "method/direct/vectors.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "device/staging.h"
#include "method/view.h"

static clsolve_status no_memory(cls_device *device) {
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors in float");
}

/* ---- few numbers: by the device's pinned memory, in the order of the compute queue ---- */

enum { LITTLE = 256 << 10 }; /* bytes; to pack them takes less time than two more waits */

static size_t bytes_of(const cls_matrix *matrix, int64_t cols) {
    return (size_t)(matrix->rows * cols * cls_type_size(matrix->type));
}

static int is_little(const cls_device *device, const cls_matrix *matrix, int64_t cols) {
    const size_t bytes = bytes_of(matrix, cols);
    return device->staged && !matrix->mapped && bytes > 0 && bytes <= LITTLE && cls_matrix_run(matrix, 0, cols) == cols;
}

/* The columns of the matrix, and tight ones in the pinned memory. */
static cls_rect rect_of(const cls_matrix *matrix, int64_t cols) {
    const size_t size = (size_t)cls_type_size(matrix->type), column = (size_t)matrix->rows * size;
    const cls_ref first = cls_matrix_at(matrix, 0, 0);
    return (cls_rect){column, (size_t)cols, (size_t)first.offset * size, (size_t)first.ld * size, column};
}

/* From byte `at` of the `all` that are packed until the next wait. Enqueues. */
static clsolve_status up_little(cls_device *device, int64_t cols, const double *values, const cls_matrix *matrix,
                                size_t at, size_t all) {
    const int64_t numbers = cls_type_parts(matrix->type) * matrix->rows * cols;
    const cls_rect rect = rect_of(matrix, cols);
    void *room;

    CLS_TRY(cls_staging_scratch(device, all, &room));
    char *to = (char *)room + at;
    float *singles = (float *)(void *)to;
    if (cls_is_double(matrix->type)) memcpy(to, values, (size_t)numbers * sizeof *values);
    for (int64_t k = 0; k < numbers && !cls_is_double(matrix->type); ++k) singles[k] = (float)values[k];
    return device->ops->write(device, CLS_COMPUTE, cls_matrix_at(matrix, 0, 0).buffer, to, &rect, NULL, NULL);
}

static clsolve_status down_little(cls_device *device, int64_t cols, const cls_matrix *matrix, double *values) {
    const int64_t numbers = cls_type_parts(matrix->type) * matrix->rows * cols;
    const cls_rect rect = rect_of(matrix, cols);
    void *room;

    CLS_TRY(cls_staging_scratch(device, bytes_of(matrix, cols), &room));
    const clsolve_status status =
        device->ops->read(device, CLS_COMPUTE, cls_matrix_at(matrix, 0, 0).buffer, room, &rect, NULL, NULL);
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    const float *singles = room;
    if (cls_is_double(matrix->type)) memcpy(values, room, (size_t)numbers * sizeof *values);
    for (int64_t k = 0; k < numbers && !cls_is_double(matrix->type); ++k) values[k] = (double)singles[k];
    return CLSOLVE_OK;
}

clsolve_status cls_vectors_stop(cls_device *device, clsolve_status status) {
    const cls_error first = *device->error;
    (void)device->ops->finish(device, CLS_COMPUTE);
    *device->error = first;
    return status;
}

/* ---- both ways ---- */

clsolve_status cls_vectors_up(cls_device *device, cls_transfer *transfer, int64_t cols, const double *values,
                              const cls_matrix *matrix) {
    const int64_t n = matrix->rows, numbers = cls_type_parts(matrix->type) * n * cols;
    /* A view's memory is only read on the way up. */
    clsolve_matrix view = cls_view_of(cls_double_type(matrix->type), n, cols, (double *)(uintptr_t)values);

    if (is_little(device, matrix, cols)) return up_little(device, cols, values, matrix, 0, bytes_of(matrix, cols));
    if (cls_is_double(matrix->type)) return cls_upload(device, transfer, &view, 0, cols, matrix, NULL);
    float *singles = cls_alloc((size_t)numbers, sizeof *singles);
    if (!singles) return no_memory(device);
    for (int64_t k = 0; k < numbers; ++k) singles[k] = (float)values[k];
    view = cls_view_of(matrix->type, n, cols, singles);
    clsolve_status status = cls_upload(device, transfer, &view, 0, cols, matrix, NULL);
    cls_free(singles);
    return status;
}

clsolve_status cls_vectors_up_both(cls_device *device, cls_transfer *transfer, int64_t cols,
                                   const double *const values[2], const cls_matrix *const matrix[2]) {
    const size_t first = bytes_of(matrix[0], cols), all = first + bytes_of(matrix[1], cols);
    if (!is_little(device, matrix[0], cols) || !is_little(device, matrix[1], cols)) {
        CLS_TRY(cls_vectors_up(device, transfer, cols, values[0], matrix[0]));
        return cls_vectors_up(device, transfer, cols, values[1], matrix[1]);
    }
    CLS_TRY(up_little(device, cols, values[0], matrix[0], 0, all));
    const clsolve_status status = up_little(device, cols, values[1], matrix[1], first, all);
    return status == CLSOLVE_OK ? status : cls_vectors_stop(device, status);
}

clsolve_status cls_vectors_down(cls_device *device, cls_transfer *transfer, int64_t cols, const cls_matrix *matrix,
                                double *values) {
    const int64_t n = matrix->rows, numbers = cls_type_parts(matrix->type) * n * cols;
    clsolve_matrix view = cls_view_of(cls_double_type(matrix->type), n, cols, values);

    if (is_little(device, matrix, cols)) return down_little(device, cols, matrix, values);
    if (cls_is_double(matrix->type)) return cls_download(device, transfer, matrix, cols, &view, 0, NULL);
    float *singles = cls_alloc((size_t)numbers, sizeof *singles);
    if (!singles) return no_memory(device);
    view = cls_view_of(matrix->type, n, cols, singles);
    clsolve_status status = cls_download(device, transfer, matrix, cols, &view, 0, NULL);
    for (int64_t k = 0; status == CLSOLVE_OK && k < numbers; ++k) values[k] = (double)singles[k];
    cls_free(singles);
    return status;
}

void cls_vectors_get(const clsolve_matrix *view, int64_t begin, int64_t cols, double *values) {
    const clsolve_matrix from = cls_view_columns(view, begin, cols);
    const clsolve_matrix to = cls_view_of(cls_double_type(view->type), view->rows, cols, values);
    cls_view_copy(&from, &to);
}

void cls_vectors_put(const clsolve_matrix *view, int64_t begin, int64_t cols, const double *values) {
    /* A view's memory is only read on the way from it. */
    const clsolve_matrix from = cls_view_of(cls_double_type(view->type), view->rows, cols, (double *)(uintptr_t)values);
    const clsolve_matrix to = cls_view_columns(view, begin, cols);
    cls_view_copy(&from, &to);
}

double cls_vector_unit(double largest) {
    if (!(largest > 0) || !isfinite(largest)) return 1;
    return ldexp(1, ilogb(largest));
}

static int exponent_of(const double *v, int64_t i) {
    return v ? ilogb(v[i]) : 0;
}

/* The largest exponent of the elements of v .* from, which are too large or too small for a double, or no numbers; then
 * *known is 0. INT_MIN: all are zero. */
static int largest_exponent_apart(int64_t n, int64_t parts, const double *v, const double *from, int *known) {
    int most = INT_MIN;
    for (int64_t k = 0; k < n * parts; ++k) {
        *known = *known && isfinite(from[k]);
        if (!*known || from[k] == 0) continue;
        const int e = ilogb(from[k]) + exponent_of(v, k / parts);
        if (e > most) most = e;
    }
    return most;
}

/* The same of any elements: v has powers of two, so products that are normal numbers are exact. */
static int largest_exponent(int64_t n, int64_t parts, const double *v, const double *from, int *known) {
    double most = 0, all = 0;
    for (int64_t k = 0; k < n * parts; ++k) {
        const double size = fabs(v ? from[k] * v[k / parts] : from[k]);
        most = size > most ? size : most;
        all += 0 * from[k];
    }
    *known = 1;
    if (all == 0 && most >= DBL_MIN && most <= DBL_MAX) return ilogb(most);
    return largest_exponent_apart(n, parts, v, from, known);
}

/* to = from .* v 2^exponent: by ldexp, which takes ten times as long, only where the factor is no normal number. */
static void scale(int64_t n, int64_t parts, const double *v, int exponent, const double *from, double *to) {
    const double power = ldexp(1, exponent);
    for (int64_t k = 0; k < n * parts; ++k) {
        const double factor = v ? v[k / parts] * power : power;
        const int is_normal = factor >= DBL_MIN && factor <= DBL_MAX;
        to[k] = is_normal ? from[k] * factor : ldexp(from[k], exponent + exponent_of(v, k / parts));
    }
}

int cls_vector_bring_in(int64_t n, int64_t parts, const double *v, double unit, const double *from, double *to) {
    int known;
    const int most = largest_exponent(n, parts, v, from, &known);
    const int e = known && most > INT_MIN ? most - ilogb(unit) : 0;
    scale(n, parts, v, -e, from, to);
    return e;
}

void cls_vector_bring_out(int64_t n, int64_t parts, const double *v, int exponent, double *x) {
    scale(n, parts, v, exponent, x, x);
}
