/*
 * Batches of narrow bands against LAPACK's gbtrf: pivots, factors, residuals of both systems; singular members and such with
 * NaN among sound ones; both layouts, by stride and by offsets. Every form of the kernels runs on whatever device there is: a
 * GPU's are asked for by telling the library that the device is one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "band/narrow_support.h"

enum { FORM_OWN, FORM_GROUP, FORM_ITEM, FORMS };

static const char *const form_names[FORMS] = {"own", "group", "item"};
static clsolve_context *context;
static clsolve_type type; /* double where the device has it */
static const double spare = -77.25;
static int reduced; /* small shapes only: for a simulator, which looks for races */

/* The device is what it is, or a GPU with so many work-items in a group and so few units that batches count as large. */
static void set_form(int form, const clsolve_device_info *real) {
    clsolve_device_info *info = &context->device->info;
    *info = *real;
    if (form == FORM_OWN) return;
    info->type = CLSOLVE_DEVICE_GPU;
    if (info->max_work_group > 64) info->max_work_group = 64;
    info->compute_units = form == FORM_ITEM ? 1 : 1 << 20;
}

typedef struct members {
    clsolve_batch view;
    int64_t *offsets;
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

static int64_t index_of(const members *m, int64_t member, int64_t r, int64_t c) {
    const clsolve_batch *b = &m->view;
    int64_t begin = b->offsets ? b->offsets[member] : member * b->stride;
    return begin + (b->layout == CLSOLVE_COLUMN_MAJOR ? r + c * b->ld : r * b->ld + c);
}

/* `how`: 0 tight; 1 with room between lines and members; 2 by offsets in falling order. All `spare`. */
static members make(int64_t count, int64_t rows, int64_t cols, clsolve_layout layout, int how) {
    members m = {0};
    int64_t line = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols, lines = layout == CLSOLVE_COLUMN_MAJOR ? cols : rows;
    clsolve_batch *b = &m.view;
    *b = (clsolve_batch){.type = type, .layout = layout, .count = count, .rows = rows, .cols = cols};
    b->ld = (line > 0 ? line : 1) + (how > 0 ? 2 : 0);
    b->stride = b->ld * lines + (how > 0 ? 3 : 0);
    m.elements = b->stride * count + 1;
    b->data = calloc((size_t)m.elements, sizeof(double));
    assert_non_null(b->data);
    if (how == 2) {
        m.offsets = calloc((size_t)count + 1, sizeof *m.offsets);
        assert_non_null(m.offsets);
        for (int64_t c = 0; c < count; ++c) m.offsets[c] = (count - 1 - c) * b->stride;
        b->offsets = m.offsets;
    }
    for (int64_t k = 0; k < m.elements; ++k) put(&m, k, spare);
    return m;
}

static void drop(members *m) {
    free(m->view.data);
    free(m->offsets);
}

typedef struct shape {
    int64_t n, kl, ku, count, nrhs;
    clsolve_layout layout;
    int how;
} shape;

typedef struct batch {
    shape s;
    narrow_band *band; /* count of them */
    members AB, B, X;
    double *b; /* n x nrhs a member, as rounded */
    int64_t *info;
    clsolve_band_batch *handle;
} batch;

static batch make_batch(test_random *random, shape s) {
    batch t = {.s = s};
    t.band = calloc((size_t)s.count + 1, sizeof *t.band);
    t.info = calloc((size_t)s.count + 1, sizeof *t.info);
    t.b = calloc((size_t)(s.count * s.n * s.nrhs) + 1, sizeof *t.b);
    assert_true(t.band != NULL && t.info != NULL && t.b != NULL);
    t.AB = make(s.count, s.kl + s.ku + 1, s.n, s.layout, s.how);
    t.B = make(s.count, s.n, s.nrhs, s.layout, s.how);
    for (int64_t m = 0; m < s.count; ++m) {
        t.band[m] = narrow_band_random(random, s.n, s.kl, s.ku, 0);
        narrow_band_round(&t.band[m], type);
        for (int64_t k = 0; k < s.n * s.nrhs; ++k) {
            double value = test_random_signed(random);
            t.b[m * s.n * s.nrhs + k] = type == CLSOLVE_F32 ? (double)(float)value : value;
        }
    }
    return t;
}

/* The caller's arrays from the bands; what lies outside the matrix is NaN, for nobody may read it. */
static void store(const batch *t) {
    const shape *s = &t->s;
    for (int64_t m = 0; m < s->count; ++m) {
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t r = 0; r < s->kl + s->ku + 1; ++r) {
                int64_t i = r - s->ku + j;
                put(&t->AB, index_of(&t->AB, m, r, j),
                    i >= 0 && i < s->n ? *narrow_band_at(&t->band[m], i, j) : (double)NAN);
            }
        for (int64_t c = 0; c < s->nrhs; ++c)
            for (int64_t i = 0; i < s->n; ++i) put(&t->B, index_of(&t->B, m, i, c), t->b[(m * s->nrhs + c) * s->n + i]);
    }
}

static void drop_batch(batch *t) {
    for (int64_t m = 0; m < t->s.count; ++m) narrow_band_free(&t->band[m]);
    drop(&t->AB);
    drop(&t->B);
    free(t->band);
    free(t->info);
    free(t->b);
    clsolve_band_batch_destroy(t->handle);
}

static void must(clsolve_status status) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
}

static void run_factor(batch *t) {
    const shape *s = &t->s;
    if (!t->handle) must(clsolve_band_batch_create(context, s->n, s->kl, s->ku, s->count, type, &t->handle));
    store(t);
    must(clsolve_band_batch_factor(t->handle, &t->AB.view, t->info));
}

/* Member m of B, into x; what lies between must be as it was. */
static void load(const batch *t, int64_t m, double *x) {
    for (int64_t c = 0; c < t->s.nrhs; ++c)
        for (int64_t i = 0; i < t->s.n; ++i) x[c * t->s.n + i] = get(&t->B, index_of(&t->B, m, i, c));
}

/* Every sound member solves its system; the others are left alone. */
static void check_solutions(batch *t, clsolve_op op) {
    const shape *s = &t->s;
    double *x = calloc((size_t)(s->n * s->nrhs) + 1, sizeof *x);
    assert_non_null(x);
    store(t);
    must(clsolve_band_batch_solve(t->handle, op, &t->B.view, t->info));
    for (int64_t m = 0; m < s->count; ++m) {
        const double *b = t->b + m * s->n * s->nrhs;
        load(t, m, x);
        if (t->info[m] != 0) {
            assert_memory_equal(x, b, (size_t)(s->n * s->nrhs) * sizeof *x);
            continue;
        }
        double ratio = narrow_band_ratio(&t->band[m], type, op, s->nrhs, b, x) / (double)(s->n > 0 ? s->n : 1);
        if (!(ratio < 30)) fail_msg("member %lld: ratio %g", (long long)m, ratio);
    }
    free(x);
}

/* LAPACK's pivots, and its factors up to rounding; in float rounding may turn a pivot. */
static void check_factors(batch *t) {
    const shape *s = &t->s;
    int64_t rows = 2 * s->kl + s->ku + 1, *ours = calloc((size_t)(s->n * s->count) + 1, sizeof *ours);
    int64_t *theirs = calloc((size_t)s->n + 1, sizeof *theirs);
    double *factors = calloc((size_t)(rows * s->n) + 1, sizeof *factors);
    members AFB = make(s->count, rows, s->n, s->layout, s->how);
    assert_true(ours != NULL && theirs != NULL && factors != NULL);
    must(clsolve_band_batch_factors(t->handle, &AFB.view, ours));
    for (int64_t m = 0; m < s->count && type == CLSOLVE_F64; ++m) {
        double worst = 0, largest = 1, least = INFINITY;
        if (t->info[m] < 0) continue;
        assert_int_equal(t->info[m], narrow_band_gbtrf(&t->band[m], factors, theirs));
        for (int64_t j = 0; j < s->n; ++j) assert_int_equal(ours[m * s->n + j], theirs[j]);
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t r = 0; r < rows; ++r) {
                int64_t i = r - s->kl - s->ku + j;
                if (i < 0 || i >= s->n) continue;
                double difference = fabs(get(&AFB, index_of(&AFB, m, r, j)) - factors[r + j * rows]);
                largest = fmax(largest, fabs(factors[r + j * rows]));
                if (!(difference <= worst)) worst = difference;
            }
        /* Rounding differs, for LAPACK multiplies by the pivot's reciprocal, and ill-conditioned members enlarge that: a triangle of
         * random numbers, which a band with ku = 0 is, has a condition of about 2^n. Those are for check_solutions to judge. */
        for (int64_t j = 0; j < s->n; ++j) least = fmin(least, fabs(factors[s->kl + s->ku + j * rows]));
        if (least > 1e-6 * largest && !(worst < 1e-3 * largest))
            fail_msg("n %lld, kl %lld, ku %lld, member %lld: factors differ by %g", (long long)s->n, (long long)s->kl,
                     (long long)s->ku, (long long)m, worst);
    }
    drop(&AFB);
    free(ours);
    free(theirs);
    free(factors);
}

static clsolve_device_info real; /* what the device is, whatever a test that failed has left */

static void each_form(void (*check)(int form)) {
    for (int form = 0; form < FORMS; ++form) {
        set_form(form, &real);
        print_message("form %s\n", form_names[form]);
        check(form);
    }
    set_form(FORM_OWN, &real);
}

/* ---- the tests ---- */

static void check_shape(test_random *random, shape s) {
    batch t = make_batch(random, s);
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m) assert_int_equal(t.info[m], 0);
    check_factors(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    check_solutions(&t, CLSOLVE_TRANS);
    drop_batch(&t);
}

/* More diagonals than the matrix has, also more of them than a batch takes. */
static void check_too_many(int form) {
    test_random random = test_random_start((uint64_t)(500 + form));
    static const int64_t bands[][2] = {{40, 40}, {2, 70}, {70, 1}};
    for (int b = 0; b < 3; ++b)
        for (int64_t n = 1; n <= 4; n += 3)
            check_shape(&random, (shape){.n = n,
                                         .kl = bands[b][0],
                                         .ku = bands[b][1],
                                         .count = form == FORM_ITEM ? 67 : 3,
                                         .nrhs = 2,
                                         .layout = b == 1 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                         .how = b});
}

static void check_shapes(int form) {
    static const int64_t bands[][2] = {{1, 1}, {0, 0}, {0, 3}, {3, 0},   {2, 2}, {1, 4},
                                       {4, 1}, {3, 3}, {9, 7}, {33, 31}, {64, 0}};
    static const int64_t orders[] = {1, 2, 3, 5, 31, 32, 33, 67};
    test_random random = test_random_start((uint64_t)(100 + form));
    int turn = 0;
    for (size_t b = 0; b < sizeof bands / sizeof *bands; ++b)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o, ++turn) {
            if (reduced && (bands[b][0] + bands[b][1] > 5 || orders[o] > 5 || orders[o] % 3 != 2)) continue;
            shape s = {.n = orders[o],
                       .kl = bands[b][0],
                       .ku = bands[b][1],
                       .count = form == FORM_ITEM ? 67 : turn % 4 + 1,
                       .nrhs = turn % 3 + 1,
                       .layout = turn % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                       .how = turn % 3};
            if (s.kl > 20 && orders[o] < 33 && o % 2) continue;
            check_shape(&random, s);
        }
}

static void test_too_many(void **state) {
    (void)state;
    each_form(check_too_many);
}

static void test_shapes(void **state) {
    (void)state;
    each_form(check_shapes);
}

/* A zero column, NaN, Inf, a NaN in B: each spoils its own member only; new values then factor as if nothing had been. */
static void check_spoilt(int form) {
    test_random random = test_random_start((uint64_t)(200 + form));
    shape s = {.n = 20, .kl = 2, .ku = 1, .count = 70, .nrhs = 2, .layout = CLSOLVE_COLUMN_MAJOR};
    batch t = make_batch(&random, s);
    for (int64_t i = 6; i <= 9; ++i) *narrow_band_at(&t.band[3], i, 7) = 0; /* column 8 from 1 */
    *narrow_band_at(&t.band[5], 4, 4) = (double)NAN;
    *narrow_band_at(&t.band[6], 0, 0) = (double)INFINITY;
    *narrow_band_at(&t.band[69], 19, 19) = *narrow_band_at(&t.band[69], 19, 18) = 0; /* a last row of zeros */
    *narrow_band_at(&t.band[69], 19, 17) = 0;
    double kept = t.b[11 * s.n * s.nrhs + 5];
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m)
        assert_int_equal(t.info[m], m == 3 ? 8 : m == 5 || m == 6 ? -1 : m == 69 ? 20 : 0);
    clsolve_report report;
    must(clsolve_band_batch_report(t.handle, &report));
    assert_int_equal(report.info, 4);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    t.b[11 * s.n * s.nrhs + 5] = (double)INFINITY;
    check_solutions(&t, CLSOLVE_TRANS);
    assert_int_equal(t.info[11], -1);
    assert_int_equal(t.info[3], 8);
    assert_int_equal(t.info[10], 0);
    t.b[11 * s.n * s.nrhs + 5] = kept;

    *narrow_band_at(&t.band[3], 7, 7) = *narrow_band_at(&t.band[5], 4, 4) = *narrow_band_at(&t.band[6], 0, 0) = 2;
    *narrow_band_at(&t.band[69], 19, 19) = 2;
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m) assert_int_equal(t.info[m], 0);
    check_factors(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    drop_batch(&t);
}

static void test_spoilt(void **state) {
    (void)state;
    each_form(check_spoilt);
}

/* A pivot whose reciprocal overflows is divided by; a zero diagonal wants a swap at every second step. */
static void check_pivots(int form) {
    test_random random = test_random_start((uint64_t)(300 + form));
    shape s = {.n = 30, .kl = 1, .ku = 1, .count = 66, .nrhs = 1, .layout = CLSOLVE_COLUMN_MAJOR};
    double tiny = type == CLSOLVE_F64 ? 0x1p-1070 : 0x1p-146;
    batch t = make_batch(&random, s);
    for (int64_t m = 0; m < s.count; ++m)
        for (int64_t i = 0; i < s.n; ++i) *narrow_band_at(&t.band[m], i, i) = 0;
    /* Member 1 is tiny all over, its right-hand side too. */
    for (int64_t j = 0; j < s.n; ++j)
        for (int64_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < s.n; ++i)
            *narrow_band_at(&t.band[1], i, j) = i == j ? 4 * tiny : i < j ? tiny : -tiny;
    for (int64_t i = 0; i < s.n; ++i) t.b[1 * s.n + i] = 2 * tiny;
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m) assert_int_equal(t.info[m], 0);
    store(&t);
    must(clsolve_band_batch_solve(t.handle, CLSOLVE_NO_TRANS, &t.B.view, t.info));
    int64_t subnormal = tiny > 0 && get(&t.AB, index_of(&t.AB, 1, 1, 0)) > 0;
    assert_true(subnormal);
    for (int64_t i = 0; i < s.n; ++i) {
        double x = get(&t.B, index_of(&t.B, 1, i, 0));
        if (t.info[1] == 0) assert_true(x > 0.2 && x < 1); /* rounding is coarse down there, nothing overflows */
    }
    drop_batch(&t);
}

static void test_pivots(void **state) {
    (void)state;
    each_form(check_pivots);
}

/* Wrong arguments change nothing and say what is wrong. */
static void test_contract(void **state) {
    (void)state;
    test_random random = test_random_start(400);
    shape s = {.n = 4, .kl = 1, .ku = 1, .count = 3, .nrhs = 1, .layout = CLSOLVE_COLUMN_MAJOR};
    batch t = make_batch(&random, s);
    clsolve_band_batch *handle = NULL;
    assert_int_equal(clsolve_band_batch_create(context, -1, 1, 1, 1, type, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_batch_create(context, 4, 1, 1, 1, (clsolve_type)9, &handle),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_batch_create(context, 400, 33, 32, 1, type, &handle), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_band_batch_create(context, 34, 40, 40, 1, type, &handle), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_band_batch_create(NULL, 4, 1, 1, 1, type, &handle), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(handle);
    must(clsolve_band_batch_create(context, s.n, s.kl, s.ku, s.count, type, &t.handle));
    store(&t);
    t.info[0] = 5;
    assert_int_equal(clsolve_band_batch_solve(t.handle, CLSOLVE_NO_TRANS, &t.B.view, t.info), CLSOLVE_ERROR_STATE);
    clsolve_batch wrong = t.AB.view;
    wrong.rows = 4;
    assert_int_equal(clsolve_band_batch_factor(t.handle, &wrong, t.info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    wrong = t.AB.view;
    wrong.count = 2;
    assert_int_equal(clsolve_band_batch_factor(t.handle, &wrong, t.info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_batch_factor(t.handle, &t.AB.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(t.info[0], 5);
    must(clsolve_band_batch_factor(t.handle, &t.AB.view, t.info));
    assert_int_equal(clsolve_band_batch_solve(t.handle, (clsolve_op)7, &t.B.view, t.info),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    drop_batch(&t);
    clsolve_band_batch_destroy(NULL);

    /* Nothing to do. */
    shape empty = {.n = 0, .kl = 1, .ku = 1, .count = 3, .nrhs = 1, .layout = CLSOLVE_COLUMN_MAJOR};
    t = make_batch(&random, empty);
    run_factor(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    drop_batch(&t);
    empty = (shape){.n = 4, .kl = 1, .ku = 1, .count = 0, .nrhs = 1, .layout = CLSOLVE_ROW_MAJOR};
    t = make_batch(&random, empty);
    run_factor(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    drop_batch(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_too_many), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_spoilt), cmocka_unit_test(test_pivots),
                                       cmocka_unit_test(test_contract)};
    const char *few = getenv("CLSOLVE_TEST_REDUCED");
    test_require_device();
    reduced = few && *few == '1';
    context = test_context(1);
    real = context->device->info;
    type = context->device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    printf("%s; forms: %s, %s, %s\n", context->device->info.name, form_names[0], form_names[1], form_names[2]);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
