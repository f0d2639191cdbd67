#include "band/interop_members.h"

int64_t parts(void) {
    return test_numbers(io.type, 1);
}

double *zeros(int64_t count) {
    double *values = test_doubles(count * parts());
    return values;
}

static int64_t place_of(const members *m, int64_t member) {
    return m->view.offsets ? (COUNT - 1 - member) * m->apart : member * m->apart;
}

members put(int how, int64_t rows, int64_t cols, double *tight) {
    members m = {.tight = tight, .apart = cols + (how == STRIDE || how == OFFSETS)};
    m.cols = m.apart * COUNT;
    m.values = io_values(77, rows * m.cols);
    m.offsets = calloc(COUNT, sizeof *m.offsets);
    assert_non_null(m.offsets);
    m.view.offsets = how == OFFSETS ? m.offsets : NULL; /* place_of asks for it */
    for (int64_t c = 0; c < COUNT; c++)
        memcpy(m.values + place_of(&m, c) * rows * parts(), tight + c * rows * cols * parts(),
               (size_t)(rows * cols * parts()) * sizeof *tight);
    /* A column of all is a matrix without gaps. */
    m.memory = how == TIGHT || how == STRIDE ? io_put(CLSOLVE_COLUMN_MAJOR, rows * m.cols, 1, m.values)
                                             : io_put(CLSOLVE_COLUMN_MAJOR, rows, m.cols, m.values);
    m.view = clsolve_opencl_batch(io.type, COUNT, rows, cols, m.memory.memory, m.memory.view.offset);
    if (how == GAPS || how == OFFSETS) m.view.ld = m.memory.view.ld;
    m.view.stride = m.view.ld * m.apart;
    for (int64_t c = 0; c < COUNT; c++) m.offsets[c] = (COUNT - 1 - c) * m.view.stride;
    if (how == OFFSETS) m.view.offsets = m.offsets;
    return m;
}

void get(members *m, double *tight) {
    int64_t rows = m->view.rows, size = rows * m->view.cols;
    SCRATCH double *now = zeros(rows * m->cols);
    io_get(&m->memory, NULL, now);
    for (int64_t c = 0; c < COUNT; c++) {
        const int64_t place = place_of(m, c) * rows * parts();
        const size_t bytes = (size_t)(size * parts()) * sizeof *now;
        memcpy(tight + c * size * parts(), now + place, bytes);
        memcpy(now + place, m->values + place, bytes);
    }
    io_same(now, m->values, rows * m->cols);
}

void drop(members *m) {
    io_drop(&m->memory);
    free(m->values);
    free(m->tight);
    free(m->offsets);
}

double *matrices(void) {
    const int64_t p = parts();
    double *A = io_values(1, COUNT * N * N);
    for (int64_t k = 0; k < COUNT * N * N; k++) {
        if (k % (N * N) % (N + 1) == 0) A[k * p] = test_rounded(io.type, A[k * p] + 4);
        if (k / (N * N) == SINGULAR && k / N % N == 2) A[k * p] = A[k * p + p - 1] = 0;
    }
    return A;
}
