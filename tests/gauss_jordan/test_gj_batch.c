/*
 * Batches of small inverses and systems: orders to 64, counts 1, 2 and 1000, by stride and by offsets, both layouts,
 * against LAPACK's ratios; a singular member and one with NaN among sound ones.
 */
#include <clsolve/clsolve.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gauss_jordan/gj_support.h"

static clsolve_context *context;
static clsolve_type type; /* double where the device has it */

static const double spare = -77.25;

/* Members in memory with room between lines and between members, which must never change. */
typedef struct members {
    clsolve_batch view;
    int64_t *offsets;
    double *values; /* tight column-major doubles, member after member */
    int64_t elements;
} members;

static double get(const members *m, int64_t index) {
    return type == CLSOLVE_F32 ? (double)((float *)m->view.data)[index] : ((double *)m->view.data)[index];
}

static void put(const members *m, int64_t index, double value) {
    if (type == CLSOLVE_F32)
        ((float *)m->view.data)[index] = (float)value;
    else
        ((double *)m->view.data)[index] = value;
}

static int64_t index_of(const members *m, int64_t member, int64_t i, int64_t j) {
    const clsolve_batch *b = &m->view;
    int64_t begin = b->offsets ? b->offsets[member] : member * b->stride;
    return begin + (b->layout == CLSOLVE_COLUMN_MAJOR ? i + j * b->ld : i * b->ld + j);
}

static void store(const members *m) {
    const clsolve_batch *b = &m->view;
    for (int64_t k = 0; k < m->elements; ++k) put(m, k, spare);
    for (int64_t c = 0, v = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i) put(m, index_of(m, c, i, j), m->values[v++]);
}

/* Into tight doubles; everything between must still be `spare`. */
static void load(const members *m, double *values) {
    const clsolve_batch *b = &m->view;
    for (int64_t c = 0, v = 0; c < b->count; ++c)
        for (int64_t j = 0; j < b->cols; ++j)
            for (int64_t i = 0; i < b->rows; ++i) {
                int64_t index = index_of(m, c, i, j);
                values[v++] = get(m, index);
                put(m, index, spare);
            }
    for (int64_t k = 0; k < m->elements; ++k) assert_true(get(m, k) == spare);
}

/* `how`: 0 tight, 1 a longer ld, 2 a longer stride as well, 3 by offsets in falling order. */
static members make(int64_t count, int64_t rows, int64_t cols, clsolve_layout layout, int how) {
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
    m.values = gj_doubles(count * rows * cols);
    assert_non_null(b->data);
    return m;
}

static void discard(members *m) {
    free(m->view.data);
    free(m->offsets);
    free(m->values);
}

/* Well-conditioned members with large elements anywhere but on the diagonal. */
static void fill(test_random *random, members *m) {
    int64_t n = m->view.rows, size = m->view.rows * m->view.cols;
    for (int64_t c = 0; c < m->view.count; ++c) {
        double *A = m->values + c * size;
        for (int64_t k = 0; k < size; ++k) A[k] = test_rounded(type, test_random_signed(random));
        if (m->view.cols != n) continue;
        for (int64_t i = 0; i < n; ++i) A[(i + 1 + c) % n + i * n] += (double)(n < 4 ? 4 : n);
        for (int64_t k = 0; k < size; ++k) A[k] = test_rounded(type, A[k]);
    }
}

static void check_infos(const clsolve_gauss_jordan_batch *gj, int64_t count, int64_t nrhs, const int64_t *info) {
    clsolve_report report;
    for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], 0);
    assert_int_equal(clsolve_gauss_jordan_batch_report(gj, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 0);
    assert_int_equal(report.member, 0);
    assert_int_equal(report.nrhs, nrhs);
    assert_int_equal(report.members, count);
    assert_string_equal(report.method, "gauss-jordan");
    assert_true(report.direct.rcond == -1); /* each member has its own, and none is asked for */
}

static void check_inverses(test_random *random, int64_t n, int64_t count, int how) {
    members a = make(count, n, n, how % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, how);
    members x = make(count, n, n, (how + n) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, (how + 1) % 4);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    int64_t *info = calloc((size_t)count + 1, sizeof *info);
    double *X = gj_doubles(count * n * n);

    fill(random, &a);
    store(&a), store(&x);
    for (int64_t c = 0; c < count; ++c) info[c] = 99;
    clsolve_status status = clsolve_gauss_jordan_batch_invert(gj, &a.view, &x.view, info);
    if (status != CLSOLVE_OK) fail_msg("batch_invert: %s", clsolve_context_message(context));
    check_infos(gj, count, n, info);
    load(&x, X);
    for (int64_t c = 0; c < count; ++c) {
        double ratio = gj_ratio_inverse(type, n, a.values + c * n * n, X + c * n * n);
        if (!(ratio < RATIO_BOUND)) fail_msg("n %d, member %d of %d: ratio %g", (int)n, (int)c, (int)count, ratio);
    }
    /* In place gives the same bits. */
    status = clsolve_gauss_jordan_batch_invert(gj, &a.view, &a.view, info);
    assert_int_equal(status, CLSOLVE_OK);
    load(&a, a.values);
    for (int64_t k = 0; k < count * n * n; ++k) assert_true(a.values[k] == X[k]);
    clsolve_gauss_jordan_batch_destroy(gj);
    discard(&a);
    discard(&x);
    free(info);
    free(X);
}

static void check_systems(test_random *random, clsolve_op op, int64_t n, int64_t count, int64_t nrhs, int how) {
    members a = make(count, n, n, how % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, how);
    members b = make(count, n, nrhs, (how / 2) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, (how + 2) % 4);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    int64_t *info = calloc((size_t)count + 1, sizeof *info);
    double *X = gj_doubles(count * n * nrhs);

    fill(random, &a);
    for (int64_t k = 0; k < count * n * nrhs; ++k) b.values[k] = test_rounded(type, test_random_signed(random));
    store(&a), store(&b);
    clsolve_status status = clsolve_gauss_jordan_batch_solve(gj, op, &a.view, &b.view, info);
    if (status != CLSOLVE_OK) fail_msg("batch_solve: %s", clsolve_context_message(context));
    check_infos(gj, count, nrhs, info);
    load(&b, X);
    for (int64_t c = 0; c < count; ++c) {
        double ratio = ratio_solve(type, op, n, nrhs, a.values + c * n * n, X + c * n * nrhs, b.values + c * n * nrhs);
        if (!(ratio < RATIO_BOUND))
            fail_msg("n %d, %d right-hand sides, member %d: ratio %g", (int)n, (int)nrhs, (int)c, ratio);
    }
    clsolve_gauss_jordan_batch_destroy(gj);
    discard(&a);
    discard(&b);
    free(info);
    free(X);
}

/* Each order is a program of its own: all small ones, and what is next to a multiple of 8. */
static int is_wanted(int64_t n) {
    if (gj_shaped() || test_reduced()) return n == 1 || n == 3 || n == 16 || n == 33;
    return n <= 20 || (n + 1) % 8 <= 2;
}

static void test_orders(void **state) {
    test_random random = test_random_start(200);
    (void)state;
    for (int64_t n = 1; n <= 64; ++n) {
        if (!is_wanted(n)) continue;
        check_inverses(&random, n, 1, (int)n % 4);
        check_inverses(&random, n, 2, (int)(n + 1) % 4);
        if (n % 8 == 1 || n % 16 == 0) check_inverses(&random, n, 1000, (int)(n / 8) % 4);
    }
}

static void test_systems(void **state) {
    static const int64_t orders[] = {3, 1, 2, 7, 16, 17, 32, 33, 64};
    test_random random = test_random_start(201);
    (void)state;
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o += gj_shaped() || test_reduced() ? 4 : 1) {
        check_systems(&random, CLSOLVE_NO_TRANS, orders[o], 1, 1, 0);
        check_systems(&random, CLSOLVE_TRANS, orders[o], 2, 3, 1);
        check_systems(&random, CLSOLVE_NO_TRANS, orders[o], 1000, 1, (int)o % 4);
        check_systems(&random, CLSOLVE_TRANS, orders[o], 5, 37, 3); /* more than a launch takes */
        check_systems(&random, CLSOLVE_TRANS, orders[o], 5, 4, 2);
    }
}

/* A singular member, one with NaN, one with Inf and one whose inverse overflows, between sound ones; every place. */
static void test_bad_members(void **state) {
    static const int64_t orders[] = {1, 2, 5, 16, 31, 32, 33, 64};
    test_random random = test_random_start(202);
    double tiny = type == CLSOLVE_F64 ? DBL_MIN / 16 : (double)FLT_MIN / 16;
    (void)state;
    for (size_t o = 0; o < (gj_shaped() ? 2 : sizeof orders / sizeof *orders); ++o)
        for (int how = 0; how < 4; ++how) {
            int64_t n = orders[o], size = n * n, count = 11, column = n / 2, info[11], expected[11] = {0};
            members a = make(count, n, n, CLSOLVE_COLUMN_MAJOR, how), x = make(count, n, n, CLSOLVE_ROW_MAJOR, how);
            clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
            double *X = gj_doubles(count * size);
            clsolve_report report;
            fill(&random, &a);
            for (int64_t i = 0; i < n; ++i) a.values[3 * size + i + column * n] = 0;
            a.values[0] = NAN;
            a.values[7 * size + size - 1] = -INFINITY;
            for (int64_t k = 0; k < size; ++k) a.values[10 * size + k] = k % (n + 1) == 0 ? tiny : 0;
            expected[3] = column + 1;
            expected[0] = expected[7] = expected[10] = -1;
            store(&a), store(&x);
            assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &a.view, &x.view, info), CLSOLVE_OK);
            for (int64_t c = 0; c < count; ++c) assert_int_equal(info[c], expected[c]);
            assert_int_equal(clsolve_gauss_jordan_batch_report(gj, &report), CLSOLVE_OK);
            assert_int_equal(report.info, -1);
            assert_int_equal(report.member, 1);
            assert_true(report.direct.rcond == -1);
            load(&x, X);
            for (int64_t c = 0; c < count; ++c) {
                if (info[c] == 0)
                    assert_true(gj_ratio_inverse(type, n, a.values + c * size, X + c * size) < RATIO_BOUND);
                for (int64_t k = 0; info[c] != 0 && k < size; ++k) assert_true(X[c * size + k] == 0); /* as it was */
            }
            clsolve_gauss_jordan_batch_destroy(gj);
            discard(&a);
            discard(&x);
            free(X);
        }
}

/* The same for systems; a right-hand side with NaN in one launch and none in the next must not be forgotten. */
static void test_bad_systems(void **state) {
    test_random random = test_random_start(203);
    int64_t n = 6, nrhs = 20, count = 4, info[4];
    members a = make(count, n, n, CLSOLVE_ROW_MAJOR, 0), b = make(count, n, nrhs, CLSOLVE_COLUMN_MAJOR, 2);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, n, count, type);
    double *X = gj_doubles(count * n * nrhs);
    (void)state;
    fill(&random, &a);
    for (int64_t k = 0; k < count * n * nrhs; ++k) b.values[k] = 1;
    b.values[1 * n * nrhs + 3] = NAN;
    for (int64_t j = 0; j < n; ++j) a.values[2 * n * n + 4 + j * n] = 0; /* a zero row: no pivot for the last column */
    store(&a), store(&b);
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view, info), CLSOLVE_OK);
    assert_int_equal(info[0], 0);
    assert_int_equal(info[1], -1);
    assert_int_equal(info[2], n);
    assert_int_equal(info[3], 0);
    load(&b, X);
    for (int64_t k = 0; k < n * nrhs; ++k) assert_true(X[2 * n * nrhs + k] == 1);
    for (int64_t k = 0; k < n * nrhs; ++k) assert_true(k == 3 ? isnan(X[n * nrhs + k]) : X[n * nrhs + k] == 1);
    clsolve_gauss_jordan_batch_destroy(gj);
    discard(&a);
    discard(&b);
    free(X);
}

/* Of equals the first row is the pivot, in every shape: else other bits, where the division shows which it was. */
static void test_ties(void **state) {
    enum { ORDER = 16 };
    double third = test_rounded(type, 1.0 / 3), A[ORDER * ORDER];
    int64_t info;
    (void)state;
    /* Column 0 has equals from row `first` on; the rows' second elements are so that the choice decides the last bits. */
    for (int first = 0; first < 3; ++first) {
        members a = make(1, ORDER, ORDER, CLSOLVE_COLUMN_MAJOR, 0), b = make(1, ORDER, 1, CLSOLVE_COLUMN_MAJOR, 0);
        clsolve_gauss_jordan_batch *gj = gj_batch_make(context, ORDER, 1, type);
        double x[ORDER];
        memset(A, 0, sizeof A);
        for (int i = 0; i < ORDER; ++i) A[i] = i < first ? 1 : i % 2 ? -3 : 3;
        for (int i = 0; i < ORDER; ++i) A[i + (i == first ? 0 : i > first ? i : i + 1) * ORDER] += i == first ? 0 : 1;
        /* Row `first` says x_0 = 0: exactly, if it is the pivot; the others' right-hand sides are rounded. */
        memcpy(a.values, A, sizeof A);
        for (int i = 0; i < ORDER; ++i) b.values[i] = i == first ? 0 : third * (i + 1);
        store(&a), store(&b);
        assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &b.view, &info), CLSOLVE_OK);
        assert_int_equal(info, 0);
        load(&b, x);
        assert_true(x[0] == 0);
        for (int i = 0; i < ORDER; ++i) /* untouched by the pivot's row, for it holds x_0 alone */
            if (i != first) assert_true(x[i > first ? i : i + 1] == test_rounded(type, third * (i + 1)));
        clsolve_gauss_jordan_batch_destroy(gj);
        discard(&a);
        discard(&b);
    }
}

#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), words))                                      \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

static void test_arguments(void **state) {
    members a = make(3, 4, 4, CLSOLVE_COLUMN_MAJOR, 0), b = make(3, 4, 2, CLSOLVE_COLUMN_MAJOR, 3);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, 4, 3, type), *none = gj_batch_make(context, 4, 0, type);
    int64_t info[3] = {7, 7, 7};
    clsolve_batch bad;
    test_random random = test_random_start(204);
    (void)state;
    fill(&random, &a);
    store(&a), store(&b);

    EXPECT(clsolve_gauss_jordan_batch_invert(gj, NULL, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, NULL, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "X is NULL");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "2 columns");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &a.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "info");
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, NULL, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "B is NULL");
    bad = a.view, bad.count = 2;
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "2 members");
    bad = a.view, bad.count = -1;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1 members");
    bad = a.view, bad.ld = 3;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld");
    bad = a.view, bad.stride = 15;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "overlap");
    bad = a.view, bad.data = NULL;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "data");
    bad = a.view, bad.layout = (clsolve_layout)0;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "layout");
    bad = b.view, b.offsets[1] = -1;
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offset 1");
    int64_t offsets[3] = {40, 0, 55};
    bad = a.view, bad.offsets = offsets;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offsets 40 and 55 overlap");
    offsets[1] = 16, offsets[2] = 16;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offsets 16 and 16 overlap");
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, (clsolve_op)2, &a.view, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "op");
    assert_int_equal(clsolve_gauss_jordan_batch_solve(NULL, CLSOLVE_NO_TRANS, &a.view, &b.view, info),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(NULL, &a.view, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    for (int c = 0; c < 3; ++c) assert_int_equal(info[c], 7);

    bad = a.view, bad.count = 0, bad.data = NULL;
    assert_int_equal(clsolve_gauss_jordan_batch_invert(none, &bad, &bad, NULL), CLSOLVE_OK);
    /* A stride of 0: one matrix for all right-hand sides. */
    members c = make(3, 4, 1, CLSOLVE_COLUMN_MAJOR, 0);
    double X[12];
    for (int k = 0; k < 12; ++k) c.values[k] = 1;
    store(&c);
    bad = a.view, bad.stride = 0;
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &c.view, info), CLSOLVE_OK);
    load(&c, X);
    for (int k = 0; k < 4; ++k) assert_true(X[k] == X[4 + k] && X[k] == X[8 + k]);

    /* Offsets that only touch, in any order, are fine; and those that are only read may be the same. */
    offsets[0] = 32, offsets[1] = 0, offsets[2] = 16;
    bad = a.view, bad.offsets = offsets;
    assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &bad, &bad, info), CLSOLVE_OK);
    offsets[0] = offsets[1] = offsets[2] = 16;
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &c.view, info), CLSOLVE_OK);

    clsolve_gauss_jordan_batch_destroy(gj);
    clsolve_gauss_jordan_batch_destroy(none);
    discard(&a);
    discard(&b);
    discard(&c);
}

static void test_create(void **state) {
    clsolve_gauss_jordan_batch_options options = {0};
    clsolve_gauss_jordan_batch *gj = NULL;
    (void)state;
#define CREATE(n, count, type, options, batch)                                                                         \
    clsolve_gauss_jordan_batch_create(context, n, count, type, options, batch)
    EXPECT(CREATE(-1, 1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "n is -1");
    EXPECT(CREATE(1, -1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "count -1");
    EXPECT(CREATE(1, 1, (clsolve_type)9, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    EXPECT(CREATE(1, 1, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "batch is NULL");
    EXPECT(CREATE(65, 1, type, NULL, &gj), CLSOLVE_ERROR_UNSUPPORTED, "64");
    options.reserved[6] = 1;
    EXPECT(CREATE(1, 1, type, &options, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved");
    assert_null(gj);
    options.reserved[6] = 0;
    assert_int_equal(CREATE(1, 1, type, &options, &gj), CLSOLVE_OK);
    clsolve_gauss_jordan_batch_destroy(gj);
    clsolve_gauss_jordan_batch_destroy(NULL);
    assert_int_equal(clsolve_gauss_jordan_batch_create(NULL, 1, 1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT);
#undef CREATE
}

static int open_context(void **state) {
    (void)state;
    context = gj_context();
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static int close_context(void **state) {
    (void)state;
    clsolve_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),      cmocka_unit_test(test_systems), cmocka_unit_test(test_bad_members),
        cmocka_unit_test(test_bad_systems), cmocka_unit_test(test_ties),    cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_create),
    };
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
