#include "sparse/batch_members.h"

#include "base/type.h"

enum { SPARE = -77 };

static int64_t index_at(const csr *rows, const void *array, int64_t k) {
    const int64_t at = rows->view.index == CLSOLVE_I32 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
    return at - rows->view.base;
}

static int64_t place_of(const triplets *A, int64_t row, int64_t column) {
    for (int64_t k = 0; k < A->count; k++)
        if (A->at[k].row == row && A->at[k].column == column) return k;
    fail_msg("no entry at (%lld,%lld)", (long long)row, (long long)column);
    return -1;
}

static void find_places(members *s) {
    const csr *rows = &s->rows;
    s->part = calloc((size_t)rows->count + 1, sizeof *s->part);
    s->place = calloc((size_t)rows->count + 1, sizeof *s->place);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t e = index_at(rows, rows->start, i); e < index_at(rows, rows->start, i + 1); e++) {
            s->place[e] = place_of(&s->A[0], i, index_at(rows, rows->column, e));
            int64_t same = 0;
            for (int64_t k = index_at(rows, rows->start, i); k < index_at(rows, rows->start, i + 1); k++)
                same += index_at(rows, rows->column, k) == index_at(rows, rows->column, e);
            s->part[e] = 1 / (double)same;
        }
}

static int64_t begin_of(const clsolve_batch *view, int64_t m) {
    return view->offsets ? view->offsets[m] : m * view->stride;
}

static int64_t at_of(const clsolve_batch *view, int64_t m, int64_t i, int64_t j) {
    return begin_of(view, m) + (view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j);
}

static void put(const clsolve_batch *view, int64_t at, double complex value) {
    const int64_t parts = cls_type_parts(view->type);
    cls_type_put(view->type, view->data, at * parts, creal(value));
    if (parts == 2) cls_type_put(view->type, view->data, at * parts + 1, cimag(value));
}

/* `how` 0: tight; 1: gaps; 2: by offsets; 3: rows; 4: members are neighbours, for values. */
static clsolve_batch view_of(members *s, int64_t rows, int64_t cols, int how, int64_t *offsets) {
    clsolve_batch view = {
        .type = s->type, .layout = CLSOLVE_COLUMN_MAJOR, .count = s->count, .rows = rows, .cols = cols};
    view.ld = (rows > 0 ? rows : 1) + (how == 1 ? 3 : 0);
    if (how == 3) {
        view.layout = CLSOLVE_ROW_MAJOR;
        view.ld = cols + 2;
    }
    view.stride = view.ld * (how == 3 ? rows : cols) + (how == 1 ? 5 : 0);
    const int64_t all = view.stride * s->count + 1;
    if (how == 4) {
        view.layout = CLSOLVE_ROW_MAJOR;
        view.ld = s->count > 0 ? s->count : 1;
        view.stride = 1;
    }
    for (int64_t m = 0; m < s->count; m++) offsets[m] = (s->count - 1 - m) * view.stride;
    if (how == 2) view.offsets = offsets;
    view.data = calloc((size_t)all, (size_t)cls_type_size(s->type));
    for (int64_t k = 0; k < all; k++) put(&view, k, SPARE);
    return view;
}

void members_store(members *s, int64_t m) {
    for (int64_t e = 0; e < s->rows.count; e++)
        put(&s->values, at_of(&s->values, m, e, 0), s->part[e] * s->A[m].at[s->place[e]].value);
}

void members_vary(members *s, int64_t m, test_random *random) {
    for (int64_t k = 0; k < s->A[m].count; k++) s->A[m].at[k].value *= 0.7 + 0.6 * test_random_unit(random);
    triplets_round(&s->A[m], s->type);
}

members members_make(const triplets *A, int64_t count, int64_t nrhs, const csr_form *form, int how,
                     test_random *random) {
    members s = {.type = form->type, .count = count, .n = A->n, .nrhs = nrhs};
    s.A = calloc((size_t)count + 1, sizeof *s.A);
    s.info = calloc((size_t)count + 1, sizeof *s.info);
    for (int k = 0; k < 2; k++) s.offsets[k] = calloc((size_t)count + 1, sizeof *s.offsets[k]);
    for (int64_t m = 0; m <= count; m++) {
        s.A[m] = *A;
        s.A[m].at = calloc((size_t)A->count + 1, sizeof *A->at);
        memcpy(s.A[m].at, A->at, (size_t)A->count * sizeof *A->at);
        triplets_round(&s.A[m], s.type);
        if (m > 0) members_vary(&s, m, random);
    }
    s.rows = csr_make(&s.A[0], form, random);
    find_places(&s);
    s.values = view_of(&s, s.rows.count, 1, how == 3 ? 4 : how, s.offsets[0]);
    s.B = view_of(&s, s.n, nrhs, how, s.offsets[1]);
    s.sides = calloc((size_t)(count * s.n * nrhs * 2) + 1, sizeof *s.sides);
    for (int64_t m = 0; m < count; m++) members_store(&s, m);
    return s;
}

void members_drop(members *s) {
    for (int64_t m = 0; m <= s->count; m++) triplets_free(&s->A[m]);
    csr_free(&s->rows);
    free(s->A);
    free(s->part);
    free(s->place);
    free(s->values.data);
    free(s->B.data);
    free(s->sides);
    free(s->info);
    for (int k = 0; k < 2; k++) free(s->offsets[k]);
}

double *members_side(const members *s, int64_t m, int64_t i, int64_t j) {
    return s->sides + ((m * s->nrhs + j) * s->n + i) * cls_type_parts(s->type);
}

void members_draw_sides(members *s, test_random *random) {
    const int64_t parts = cls_type_parts(s->type);
    for (int64_t m = 0; m < s->count; m++)
        for (int64_t j = 0; j < s->nrhs; j++)
            for (int64_t i = 0; i < s->n; i++) {
                double *b = members_side(s, m, i, j);
                for (int64_t p = 0; p < parts; p++)
                    b[p] =
                        cls_is_double(s->type) ? test_random_signed(random) : (double)(float)test_random_signed(random);
                members_put_side(s, m, i, j);
            }
}

void members_check(const members *s, int64_t m, clsolve_op op, const char *about) {
    const int64_t parts = cls_type_parts(s->type), numbers = s->n * s->nrhs * parts;
    SCRATCH double *X = calloc((size_t)numbers + 1, sizeof *X);
    for (int64_t j = 0; j < s->nrhs; j++)
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t p = 0; p < parts; p++)
                X[(i + j * s->n) * parts + p] = cls_type_get(s->type, s->B.data, at_of(&s->B, m, i, j) * parts + p);
    const double error = triplets_backward(&s->A[m], s->type, op, s->nrhs, s->sides + m * numbers, X);
    if (!(error <= triplets_bound(s->n, s->type)))
        fail_msg("%s: member %lld of %lld, n = %lld: backward error %g", about, (long long)m, (long long)s->count,
                 (long long)s->n, error);
}

void members_check_kept(const members *s, int64_t m) {
    const int64_t parts = cls_type_parts(s->type);
    for (int64_t j = 0; j < s->nrhs; j++)
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t p = 0; p < parts; p++) {
                const double now = cls_type_get(s->type, s->B.data, at_of(&s->B, m, i, j) * parts + p);
                const double before = members_side(s, m, i, j)[p];
                assert_true(now == before || (isnan(now) && isnan(before)));
            }
}

void members_check_gaps(const members *s) {
    const clsolve_batch *B = &s->B;
    SCRATCH char *used = calloc((size_t)(B->stride * s->count) + 1, 1);
    for (int64_t m = 0; m < s->count; m++)
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < s->nrhs; j++) used[at_of(B, m, i, j)] = 1;
    for (int64_t k = 0; k < B->stride * s->count; k++)
        if (!used[k]) assert_true(cls_type_get(s->type, B->data, k * cls_type_parts(s->type)) == SPARE);
}

void members_put_side(members *s, int64_t m, int64_t i, int64_t j) {
    const double *b = members_side(s, m, i, j);
    put(&s->B, at_of(&s->B, m, i, j), cls_type_parts(s->type) == 2 ? CMPLX(b[0], b[1]) : b[0]);
}
