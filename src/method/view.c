#include "method/view.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

clsolve_matrix cls_view_columns(const clsolve_matrix *view, int64_t begin, int64_t cols) {
    const int64_t size = cls_type_size(view->type) / cls_type_parts(view->type);
    clsolve_matrix columns = *view;

    columns.cols = cols;
    columns.data = (char *)view->data + cls_view_at(view, 0, begin) * size;
    return columns;
}

static void copy_element(const clsolve_matrix *from, const clsolve_matrix *to, int64_t i, int64_t j) {
    const int64_t k = cls_view_at(from, i, j), l = cls_view_at(to, i, j), parts = cls_type_parts(to->type);
    const int64_t size = cls_type_size(to->type);

    if (from->type == to->type)
        memcpy((char *)to->data + l / parts * size, (const char *)from->data + k / parts * size, (size_t)size);
    else
        for (int64_t p = 0; p < parts; ++p)
            cls_type_put(to->type, to->data, l + p, cls_type_get(from->type, from->data, k + p));
}

void cls_view_copy(const clsolve_matrix *from, const clsolve_matrix *to) {
    const int by_column = from->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t size = cls_type_size(from->type), lines = by_column ? from->cols : from->rows;
    const size_t bytes = (size_t)((by_column ? from->rows : from->cols) * size);

    if (from->type == to->type && from->layout == to->layout) {
        for (int64_t l = 0; l < lines && bytes > 0; ++l)
            memcpy((char *)to->data + l * to->ld * size, (const char *)from->data + l * from->ld * size, bytes);
        return;
    }
    for (int64_t j = 0; j < from->cols; ++j)
        for (int64_t i = 0; i < from->rows; ++i) copy_element(from, to, i, j);
}

cls_place cls_view_find_nonfinite(const clsolve_matrix *view) {
    for (int64_t j = 0; j < view->cols; ++j)
        for (int64_t i = 0; i < view->rows; ++i)
            for (int64_t p = 0; p < cls_type_parts(view->type); ++p)
                if (!isfinite(cls_type_get(view->type, view->data, cls_view_at(view, i, j) + p)))
                    return (cls_place){i, j};
    return (cls_place){-1, -1};
}

clsolve_status cls_view_solve_doubles(cls_error *error, clsolve_type type, int64_t n, int64_t cols, double *x,
                                      clsolve_op op, cls_view_solve solve, void *owner) {
    const clsolve_matrix X = cls_view_of(cls_double_type(type), n, cols, x);
    const int64_t count = n * cols * cls_type_parts(type);
    cls_place in = {-1, -1}, out = {-1, -1};
    clsolve_status status;

    if (cls_is_double(type)) {
        status = solve(owner, op, &X, &in, &out);
    } else {
        const clsolve_matrix singles = cls_view_of(type, n, cols, cls_alloc((size_t)count, sizeof(float)));
        if (!singles.data) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors");
        cls_view_copy(&X, &singles);
        status = solve(owner, op, &singles, &in, &out);
        cls_view_copy(&singles, &X);
        cls_free(singles.data);
    }
    for (int64_t k = 0; status == CLSOLVE_OK && (in.row >= 0 || out.row >= 0) && k < count; ++k) x[k] = (double)NAN;
    return status;
}
