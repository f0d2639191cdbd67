#include "cholesky/members.h"

#include "base/type.h"
#include "cholesky/hermitian_support.h"
#include "support/test_support.h"

static const double complex spare = -77.25;

static double complex get(const members *m, int64_t at) {
    const int64_t parts = cls_type_parts(m->view.type);
    const double re = cls_type_get(m->view.type, m->view.data, at * parts);
    return parts == 2 ? re + cls_type_get(m->view.type, m->view.data, at * parts + 1) * I : re;
}

static void put(const members *m, int64_t at, double complex value) {
    const int64_t parts = cls_type_parts(m->view.type);
    cls_type_put(m->view.type, m->view.data, at * parts, creal(value));
    if (parts == 2) cls_type_put(m->view.type, m->view.data, at * parts + 1, cimag(value));
}

static int64_t index_of(const members *m, int64_t member, int64_t i, int64_t j) {
    const clsolve_batch *b = &m->view;
    const int64_t begin = b->offsets ? b->offsets[member] : member * b->stride;
    return begin + (b->layout == CLSOLVE_COLUMN_MAJOR ? i + j * b->ld : i * b->ld + j);
}

members members_make(clsolve_type type, int64_t count, int64_t rows, int64_t cols, int how) {
    members m = {.view = {.type = type, .count = count, .rows = rows, .cols = cols}};
    clsolve_batch *b = &m.view;
    b->layout = how & 4 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    how &= 3;
    const int64_t line = b->layout == CLSOLVE_COLUMN_MAJOR ? rows : cols, lines = rows + cols - line;
    b->ld = (line > 0 ? line : 1) + (how > 0 ? 3 : 0);
    b->stride = b->ld * lines + (how > 1 ? 5 : 0);
    m.elements = b->stride * count + 1;
    m.offsets = calloc((size_t)count + 1, sizeof *m.offsets);
    m.values = calloc((size_t)(count * rows * cols) + 1, sizeof *m.values);
    b->data = calloc((size_t)m.elements, (size_t)cls_type_size(type));
    assert_true(m.offsets && m.values && b->data);
    for (int64_t c = 0; c < count; ++c) m.offsets[c] = (count - 1 - c) * b->stride;
    if (how == 3) b->offsets = m.offsets;
    for (int64_t k = 0; k < m.elements; ++k) put(&m, k, spare);
    return m;
}

void members_drop(members *m) {
    free(m->view.data);
    free(m->offsets);
    free(m->values);
}

void members_store(const members *m, int uplo) {
    const clsolve_batch *b = &m->view;
    int64_t v = 0;
    for (int64_t c = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i, ++v)
                put(m, index_of(m, c, i, j),
                    uplo == MEMBERS_ALL || triangle_has((clsolve_uplo)uplo, i, j) ? m->values[v] : (double complex)NAN);
}

void members_load(const members *m, int uplo) {
    const clsolve_batch *b = &m->view;
    int64_t v = 0;
    for (int64_t c = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i, ++v) {
                const int64_t at = index_of(m, c, i, j);
                m->values[v] = get(m, at);
                if (uplo != MEMBERS_ALL && !triangle_has((clsolve_uplo)uplo, i, j))
                    assert_true(isnan(creal(m->values[v])));
                put(m, at, spare);
            }
    for (int64_t k = 0; k < m->elements; ++k) assert_true(creal(get(m, k)) == creal(spare));
}
