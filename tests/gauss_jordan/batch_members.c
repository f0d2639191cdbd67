#include "gauss_jordan/batch_members.h"

#include "gauss_jordan/gj_support.h"

static const double spare = -77.25;

double members_get(const members *m, int64_t index) {
    return m->view.type == CLSOLVE_F32 ? (double)((float *)m->view.data)[index] : ((double *)m->view.data)[index];
}

void members_put(const members *m, int64_t index, double value) {
    if (m->view.type == CLSOLVE_F32)
        ((float *)m->view.data)[index] = (float)value;
    else
        ((double *)m->view.data)[index] = value;
}

int64_t members_index(const members *m, int64_t member, int64_t i, int64_t j) {
    const clsolve_batch *b = &m->view;
    int64_t begin = b->offsets ? b->offsets[member] : member * b->stride;
    return begin + (b->layout == CLSOLVE_COLUMN_MAJOR ? i + j * b->ld : i * b->ld + j);
}

void members_store(const members *m) {
    const clsolve_batch *b = &m->view;
    for (int64_t k = 0; k < m->elements; ++k) members_put(m, k, spare);
    for (int64_t c = 0, v = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i) members_put(m, members_index(m, c, i, j), m->values[v++]);
}

/* Into tight doubles; everything between must still be `spare`. */
void members_load(const members *m, double *values) {
    const clsolve_batch *b = &m->view;
    for (int64_t c = 0, v = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i) {
                int64_t index = members_index(m, c, i, j);
                values[v++] = members_get(m, index);
                members_put(m, index, spare);
            }
    for (int64_t k = 0; k < m->elements; ++k) assert_true(members_get(m, k) == spare);
}

/* `how`: 0 tight, 1 a longer ld, 2 a longer stride as well, 3 by offsets in falling order. */
members members_make(clsolve_type type, int64_t count, int64_t rows, int64_t cols, clsolve_layout layout, int how) {
    members m = {0};
    int64_t line = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols, lines = layout == CLSOLVE_COLUMN_MAJOR ? cols : rows;
    clsolve_batch *b = &m.view;
    *b = (clsolve_batch){.type = type, .layout = layout, .count = count, .rows = rows, .cols = cols};
    b->ld = (line > 0 ? line : 1) + (how > 0 ? 3 : 0);
    b->stride = b->ld * lines + (how > 1 ? 5 : 0);
    m.elements = b->stride * count + 1;
    if (how == 3) {
        m.offsets = calloc((size_t)count + 1, sizeof *m.offsets);
        assert_non_null(m.offsets);
        for (int64_t c = 0; c < count; ++c) m.offsets[c] = (count - 1 - c) * b->stride;
        b->offsets = m.offsets;
    }
    b->data = calloc((size_t)m.elements + 1, sizeof(double));
    m.values = test_doubles(count * rows * cols);
    assert_non_null(b->data);
    return m;
}

void members_discard(members *m) {
    free(m->view.data);
    free(m->offsets);
    free(m->values);
}

/* Well-conditioned members with large elements anywhere but on the diagonal. */
void members_fill(test_random *random, members *m) {
    int64_t n = m->view.rows, size = m->view.rows * m->view.cols;
    for (int64_t c = 0; c < m->view.count; ++c) {
        double *A = m->values + c * size;
        for (int64_t k = 0; k < size; ++k) A[k] = test_rounded(m->view.type, test_random_signed(random));
        if (m->view.cols != n) continue;
        for (int64_t i = 0; i < n; ++i) A[(i + 1 + c) % n + i * n] += (double)(n < 4 ? 4 : n);
        for (int64_t k = 0; k < size; ++k) A[k] = test_rounded(m->view.type, A[k]);
    }
}
