/* ragged.c: see ragged.h. */
#include "cholesky/ragged.h"

#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "support/test_support.h"

enum { AROUND = 77 };

static int64_t index_of(const ragged *r, int64_t m, int64_t i, int64_t j) {
    const int by_column = r->view.layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t cols = r->square ? r->orders[m] : r->view.cols;
    const int64_t ld = r->view.ld > 0 ? r->view.ld : by_column ? r->orders[m] : cols;
    const int64_t begin = r->view.offsets ? r->view.offsets[m] : m * r->view.stride;
    return begin + (by_column ? i + j * ld : i * ld + j);
}

static double complex get(const ragged *r, int64_t at) {
    const int64_t parts = cls_type_parts(r->view.type);
    const double re = cls_type_get(r->view.type, r->view.data, at * parts);
    return parts == 2 ? re + cls_type_get(r->view.type, r->view.data, at * parts + 1) * I : re;
}

static void put(const ragged *r, int64_t at, double complex value) {
    const int64_t parts = cls_type_parts(r->view.type);
    cls_type_put(r->view.type, r->view.data, at * parts, creal(value));
    if (parts == 2) cls_type_put(r->view.type, r->view.data, at * parts + 1, cimag(value));
}

ragged ragged_make(clsolve_type type, const int64_t *orders, int square, int how) {
    ragged r = {.orders = orders, .square = square};
    clsolve_batch *b = &r.view;
    const int padded = (how & 3) == 2;
    *b = (clsolve_batch){.type = type,
                         .layout = how & 4 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                         .count = RAGGED_COUNT,
                         .rows = RAGGED_MOST,
                         .cols = square ? RAGGED_MOST : RAGGED_SIDES,
                         .ld = padded ? RAGGED_MOST + 1 : 0,
                         .stride = padded ? (RAGGED_MOST + 2) * (RAGGED_MOST + 1) : 0};
    r.elements = padded ? RAGGED_COUNT * b->stride : 0;
    for (int64_t k = 0; k < RAGGED_COUNT && !padded; ++k) {
        const int64_t m = (how & 3) == 1 ? RAGGED_COUNT - 1 - k : k;
        r.offsets[m] = r.elements;
        r.elements += orders[m] * (square ? orders[m] : RAGGED_SIDES) + ((how & 3) == 1 ? 3 : 0);
    }
    b->data = malloc((size_t)(r.elements * cls_type_size(type)));
    assert_non_null(b->data);
    for (int64_t k = 0; k < r.elements; ++k) put(&r, k, AROUND);
    return r;
}

void ragged_move(ragged *r, ragged_values values, int uplo, int load) {
    if (!r->view.ld) r->view.offsets = r->offsets;
    for (int64_t m = 0; m < RAGGED_COUNT; ++m) {
        const int64_t n = r->orders[m], cols = r->square ? n : RAGGED_SIDES;
        for (int64_t j = 0; j < cols; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const int64_t at = index_of(r, m, i, j);
                if (uplo != RAGGED_ALL && !triangle_has((clsolve_uplo)uplo, i, j)) continue;
                if (load) values[m][i + j * n] = get(r, at);
                put(r, at, load ? AROUND : values[m][i + j * n]);
            }
    }
    for (int64_t k = 0; load && k < r->elements; ++k) assert_true(get(r, k) == AROUND);
}
