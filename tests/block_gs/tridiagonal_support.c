#include "block_gs/tridiagonal_support.h"

#include "lu/ratios.h"

clsolve_batch tridiagonal_view(clsolve_type type, int64_t count, int64_t n, int64_t cols, void *data) {
    clsolve_batch view =
        type == CLSOLVE_F64 ? clsolve_batch_f64(count, n, cols, data) : clsolve_batch_f32(count, n, cols, data);
    view.stride = n;
    view.ld = count * n > 0 ? count * n : 1;
    return view;
}

clsolve_status tridiagonal_create(clsolve_context *on, int64_t n, int64_t count, clsolve_type type,
                                  clsolve_pivoting pivoting, clsolve_tridiagonal_batch **batch) {
    const clsolve_tridiagonal_batch_options options = {.pivoting = pivoting};
    return clsolve_tridiagonal_batch_create(on, n, count, type, &options, batch);
}

clsolve_status tridiagonal_once(clsolve_context *on, int64_t count, int64_t n, clsolve_type type, void *dl, void *d,
                                void *du, void *b, int64_t nrhs, clsolve_pivoting pivoting, int64_t *info) {
    clsolve_tridiagonal_batch *batch;
    clsolve_batch DL = tridiagonal_view(type, count, n, 1, dl), D = tridiagonal_view(type, count, n, 1, d);
    clsolve_batch DU = tridiagonal_view(type, count, n, 1, du), B = tridiagonal_view(type, count, n, nrhs, b);
    clsolve_status status = tridiagonal_create(on, n, count, type, pivoting, &batch);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &DL, &D, &DU, info);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
    clsolve_tridiagonal_batch_destroy(batch);
    return status;
}

static int64_t index_of(const clsolve_batch *v, int64_t m, int64_t i, int64_t j) {
    return m * v->stride + (v->layout == CLSOLVE_COLUMN_MAJOR ? i + j * v->ld : i * v->ld + j);
}

static double word_of(const clsolve_batch *v, int64_t at) {
    return v->type == CLSOLVE_F64 ? ((const double *)v->data)[at] : (double)((const float *)v->data)[at];
}

static void put_word(const clsolve_batch *v, int64_t at, double value) {
    if (v->type == CLSOLVE_F64)
        ((double *)v->data)[at] = value;
    else
        ((float *)v->data)[at] = (float)value;
}

stored stored_make(clsolve_type type, storage how, int64_t count, int64_t rows, int64_t cols) {
    const int64_t members = count > 0 ? count : 1;
    stored s = {.view = {.type = type, .count = count, .rows = rows, .cols = cols}};
    clsolve_batch *v = &s.view;
    v->layout = how == BY_ROW || how == INTERLEAVED ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    if (how == BY_COLUMN) v->ld = rows + 2, v->stride = v->ld * cols + 3;
    if (how == BY_ROW) v->ld = cols + 1, v->stride = v->ld * rows + 2;
    if (how == INTERLEAVED) v->ld = members * cols + 1, v->stride = cols;
    if (how == BY_SIDE) v->ld = members * rows + 1, v->stride = rows;
    s.words = count * rows * cols == 0 ? 1 : index_of(v, count - 1, rows - 1, cols - 1) + 1;
    if (how == INTERLEAVED) s.words = rows * v->ld + 1;
    if (how == BY_SIDE) s.words = cols * v->ld + 1;
    v->data = calloc((size_t)s.words, sizeof(double));
    assert_non_null(v->data);
    for (int64_t w = 0; w < s.words; ++w) put_word(v, w, 77);
    return s;
}

void stored_free(stored *s) {
    free(s->view.data);
    s->view.data = NULL;
}

double stored_get(const stored *s, int64_t m, int64_t i, int64_t j) {
    return word_of(&s->view, index_of(&s->view, m, i, j));
}

void stored_set(const stored *s, int64_t m, int64_t i, int64_t j, double value) {
    put_word(&s->view, index_of(&s->view, m, i, j), value);
}

void stored_expect_gaps(const stored *s) {
    const clsolve_batch *v = &s->view;
    SCRATCH char *taken = calloc((size_t)s->words, 1);
    assert_non_null(taken);
    for (int64_t m = 0; m < v->count; ++m)
        for (int64_t i = 0; i < v->rows; ++i)
            for (int64_t j = 0; j < v->cols; ++j) taken[index_of(v, m, i, j)] = 1;
    for (int64_t w = 0; w < s->words; ++w)
        if (!taken[w] && !(word_of(v, w) == 77)) fail_msg("word %d became %g", (int)w, word_of(v, w));
}

double stored_ratio(const stored a[3], const stored *b, const stored *x, clsolve_op op, int64_t m, int64_t j) {
    const int64_t n = x->view.rows;
    double residual = 0, size = 0, norm = 0;
    for (int64_t k = 0; k < n; ++k) {
        /* Element (k, k-1) and (k, k+1) of op(A), and of its transpose, whose rows are columns. */
        double row[2] = {0, 0}, column[2] = {0, 0}, d = stored_get(&a[1], m, k, 0);
        if (k > 0) row[0] = stored_get(&a[0], m, k, 0), column[0] = stored_get(&a[2], m, k - 1, 0);
        if (k + 1 < n) row[1] = stored_get(&a[2], m, k, 0), column[1] = stored_get(&a[0], m, k + 1, 0);
        const double *r = op == CLSOLVE_TRANS ? column : row, *c = op == CLSOLVE_TRANS ? row : column;
        long double rest = (long double)stored_get(b, m, k, j) - (long double)d * stored_get(x, m, k, j);
        if (k > 0) rest -= (long double)r[0] * stored_get(x, m, k - 1, j);
        if (k + 1 < n) rest -= (long double)r[1] * stored_get(x, m, k + 1, j);
        residual += (double)fabsl(rest);
        size += fabs(stored_get(x, m, k, j));
        norm = test_worst(norm, fabs(d) + fabs(c[0]) + fabs(c[1]));
    }
    return residual == 0 ? 0 : residual / norm / size / ((double)n * test_epsilon(x->view.type));
}
