/*
 * What all families of batches promise (clsolve/batch.h): refused arguments change nothing, and the message says what is
 * wrong; what strides and offsets may be; nothing to do is done; very many members; orders of their own.
 */
#include "base/type.h"
#include "batch/families.h"
#include "lu/ratios.h"
#include "support/fixture.h"

enum { COUNT = 3, SIDES = 2, UNTOUCHED = 99 };

static const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;

#define EXPECT(call, wanted, words) expect(f, #call, call, wanted, words)

static void expect(const batch_family *f, const char *call, clsolve_status got, clsolve_status wanted,
                   const char *words) {
    if (got != wanted || (wanted != CLSOLVE_OK && !strstr(clsolve_context_message(context), words)))
        fail_msg("%s: %s gave %s, not %s with \"%s\": %s", f->name, call, clsolve_status_name(got),
                 clsolve_status_name(wanted), words, clsolve_context_message(context));
}

static clsolve_type type_of(const batch_family *f) {
    return test_has_type(context, f->type) ? f->type : f->without_double;
}

/* ---- members ---- */

/* Right-hand sides of 8, and room for an inverse. */
typedef struct problem {
    cls_batch *batch;
    clsolve_batch A, B, X;
    int64_t info[COUNT];
} problem;

/* Numbers first, first + step ... of each member are `value`. */
static clsolve_batch make(clsolve_type type, int64_t count, int64_t rows, int64_t cols, int64_t first, int64_t step,
                          double value) {
    const int64_t parts = cls_type_parts(type), ld = rows > 0 ? rows : 1;
    clsolve_batch b = {type, CLSOLVE_COLUMN_MAJOR, count, rows, cols, ld, ld * cols, NULL, NULL, CLSOLVE_ON_HOST, 0};
    b.data = calloc((size_t)(count * rows * cols) + 1, (size_t)cls_type_size(type));
    assert_non_null(b.data);
    for (int64_t m = 0; m < count; ++m)
        for (int64_t k = first; k < rows * cols; k += step)
            cls_type_put(type, b.data, (m * b.stride + k) * parts, value);
    return b;
}

static problem problem_make(const batch_family *f, int64_t n, int64_t count, int64_t nrhs) {
    const clsolve_type type = type_of(f);
    const int64_t rows = f->rows == f->n ? n : f->rows, cols = f->cols == f->n ? n : f->cols;
    problem p = {.A = make(type, count, rows, cols, f->first, f->step, 4),
                 .B = make(type, count, n, nrhs, 0, 1, 8),
                 .X = make(type, count, n, n, n * n, 1, 0)};
    for (int64_t m = 0; m < COUNT; ++m) p.info[m] = UNTOUCHED;
    EXPECT(f->create(context, n, count, type, 0, &p.batch), CLSOLVE_OK, "");
    return p;
}

static void problem_drop(const batch_family *f, problem *p) {
    f->destroy(p->batch);
    free(p->A.data);
    free(p->B.data);
    free(p->X.data);
}

/* All numbers of the members are `rest`, but for those of a diagonal. */
static void check_values(const clsolve_batch *b, double diagonal, double rest) {
    for (int64_t k = 0; k < b->count * b->rows * b->cols; ++k) {
        const double value = cls_type_get(b->type, b->data, k * cls_type_parts(b->type));
        assert_true(value == (k % (b->rows * b->cols) % (b->rows + 1) == 0 ? diagonal : rest));
    }
}

static void check_infos(problem *p, int64_t expected) {
    for (int64_t m = 0; m < COUNT; ++m) {
        assert_int_equal(p->info[m], expected);
        p->info[m] = UNTOUCHED;
    }
}

static void check_report(const batch_family *f, const problem *p) {
    clsolve_report report;
    EXPECT(f->report(p->batch, &report), CLSOLVE_OK, "");
    assert_true(report.n == p->B.rows && report.members == p->B.count && report.nrhs == p->B.cols && report.info == 0);
}

/* ---- create ---- */

static void check_create(const batch_family *f) {
    const clsolve_type type = type_of(f);
    clsolve_report report;
    cls_batch *none;

#define CREATE(n, count, type, reserved, status, words)                                                                \
    do {                                                                                                               \
        EXPECT(f->create(context, n, count, type, reserved, &none), status, words);                                    \
        assert_null(none);                                                                                             \
    } while (0)
    if (!f->has_no_n) CREATE(-1, 1, type, 0, invalid, "n is -1");
    if (!f->has_no_n) CREATE(1, 1, (clsolve_type)9, 0, invalid, "type is 9");
    CREATE(1, -1, type, 0, invalid, "-1");
    CREATE(1, 1, type, 1, invalid, "reserved");
    if (f->largest > 0) CREATE(f->largest + 1, 1, type, 0, CLSOLVE_ERROR_UNSUPPORTED, "for each");
    EXPECT(f->create(context, 1, 1, type, 0, NULL), invalid, "batch is NULL");
#undef CREATE
    assert_int_equal(f->create(NULL, 1, 1, type, 0, &none), invalid);
    assert_int_equal(f->status(NULL), invalid);
    assert_int_equal(f->report(NULL, &report), invalid);
    if (!f->has_no_factor) assert_int_equal(f->factor(NULL, CLSOLVE_LOWER, NULL, NULL), invalid);
    if (f->has_inverse) assert_int_equal(f->inverse(NULL, NULL, NULL, NULL), invalid);
    assert_int_equal(f->solve(NULL, CLSOLVE_NO_TRANS, NULL, NULL, NULL), invalid);
    f->destroy(NULL);
}

/* ---- views ---- */

/* The call that reads members, and those that write right-hand sides and inverses. */
typedef clsolve_status call(const batch_family *f, problem *p, clsolve_batch *view, int64_t *info);

static clsolve_status reads(const batch_family *f, problem *p, clsolve_batch *A, int64_t *info) {
    return f->has_no_factor ? f->solve(p->batch, CLSOLVE_NO_TRANS, A, &p->B, info)
                            : f->factor(p->batch, CLSOLVE_LOWER, A, info);
}

static clsolve_status solves(const batch_family *f, problem *p, clsolve_batch *B, int64_t *info) {
    return f->solve(p->batch, CLSOLVE_NO_TRANS, &p->A, B, info);
}

static clsolve_status inverts(const batch_family *f, problem *p, clsolve_batch *X, int64_t *info) {
    return f->inverse(p->batch, &p->A, X, info);
}

#define REFUSED(status, words, change)                                                                                 \
    do {                                                                                                               \
        clsolve_batch bad = *view;                                                                                     \
        bad.change;                                                                                                    \
        EXPECT(its(f, p, &bad, p->info), status, words);                                                               \
    } while (0)

/* A view that is wrong in each way. */
static void check_view(const batch_family *f, problem *p, call *its, const clsolve_batch *view, const char *name) {
    const clsolve_status offsets_are = f->has_no_offsets ? CLSOLVE_ERROR_UNSUPPORTED : invalid;
    int64_t offsets[COUNT] = {0, f->has_no_offsets ? 0 : -1, 0};
    char words[80];
    (void)snprintf(words, sizeof words, "%s is NULL", name);
    EXPECT(its(f, p, NULL, p->info), invalid, words);
    EXPECT(its(f, p, (clsolve_batch *)view, NULL), invalid, "info is NULL");
    REFUSED(invalid, "type", type = view->type == CLSOLVE_C32 ? CLSOLVE_F32 : CLSOLVE_C32);
    REFUSED(invalid, "2 members", count = COUNT - 1);
    REFUSED(invalid, "-1 members", count = -1);
    REFUSED(invalid, "rows", rows += 1);
    REFUSED(invalid, "columns", cols = -1);
    REFUSED(invalid, "ld", ld = view->rows - 1);
    REFUSED(invalid, "data", data = NULL);
    REFUSED(invalid, "layout", layout = (clsolve_layout)0);
    REFUSED(invalid, "place", place = (clsolve_place)7);
    REFUSED(invalid, "offset", offset = 1);
    REFUSED(invalid, "stride", stride = -1);
    REFUSED(offsets_are, "offset", offsets = offsets);
    if (its == reads) return;
    REFUSED(invalid, "overlap", stride = view->stride - 1);
    REFUSED(invalid, "overlap", stride = 0);
    if (f->has_no_offsets) return;
    offsets[0] = 100 * view->stride, offsets[1] = 0, offsets[2] = 101 * view->stride - 1;
    (void)snprintf(words, sizeof words, "offsets %lld and %lld overlap", (long long)offsets[0], (long long)offsets[2]);
    REFUSED(invalid, words, offsets = offsets);
    offsets[1] = offsets[2];
    REFUSED(invalid, "overlap", offsets = offsets);
}

static void check_arguments(const batch_family *f) {
    problem p = problem_make(f, f->n, COUNT, SIDES);
    clsolve_batch wide = p.A;

    if (!f->has_no_factor) EXPECT(solves(f, &p, &p.B, p.info), CLSOLVE_ERROR_STATE, "_factor first");
    wide.cols += 1;
    EXPECT(reads(f, &p, &wide, p.info), invalid, "columns");
    if (f->has_uplo) EXPECT(f->factor(p.batch, (clsolve_uplo)7, &p.A, p.info), invalid, "uplo");
    check_view(f, &p, reads, &p.A, f->matrix);
    check_infos(&p, UNTOUCHED);
    if (!f->has_no_factor) {
        EXPECT(reads(f, &p, &p.A, p.info), CLSOLVE_OK, "");
        check_infos(&p, 0);
    }
    if (f->has_op) EXPECT(f->solve(p.batch, (clsolve_op)3, &p.A, &p.B, p.info), invalid, "op");
    check_view(f, &p, solves, &p.B, "B");
    if (f->has_inverse) check_view(f, &p, inverts, &p.X, "X");
    check_infos(&p, UNTOUCHED);
    check_values(&p.B, 8, 8);
    check_values(&p.X, 0, 0);

    EXPECT(solves(f, &p, &p.B, p.info), CLSOLVE_OK, "");
    check_infos(&p, 0);
    check_values(&p.B, 2, 2);
    EXPECT(f->status(p.batch), CLSOLVE_OK, "");
    check_report(f, &p);
    if (f->has_inverse) {
        EXPECT(inverts(f, &p, &p.X, p.info), CLSOLVE_OK, "");
        check_infos(&p, 0);
        check_values(&p.X, 0.25, 0);
    }
    problem_drop(f, &p);
}

/* Factors of 4 I, and condition numbers of 1. */
static void check_exports(const batch_family *f) {
    problem p = problem_make(f, f->n, COUNT, SIDES);
    int64_t ipiv[COUNT * 9] = {0};
    double rconds[COUNT] = {0};
    if (f->factor_of_four > 0) EXPECT(f->factors(p.batch, &p.X, ipiv), CLSOLVE_ERROR_STATE, "_factor first");
    if (f->has_condition) EXPECT(f->condition(p.batch, rconds), CLSOLVE_ERROR_STATE, "_factor first");
    if (!f->has_no_factor) EXPECT(reads(f, &p, &p.A, p.info), CLSOLVE_OK, "");
    if (f->factor_of_four > 0) {
        clsolve_batch bad = p.X;
        bad.rows += 1;
        EXPECT(f->factors(p.batch, &bad, ipiv), invalid, "rows");
        bad = p.X;
        bad.stride = 0;
        EXPECT(f->factors(p.batch, &bad, ipiv), invalid, "overlap");
        assert_int_equal(f->factors(NULL, &p.X, ipiv), invalid);
        check_values(&p.X, 0, 0);
        EXPECT(f->factors(p.batch, &p.X, ipiv), CLSOLVE_OK, "");
        check_values(&p.X, f->factor_of_four, 0);
        for (int64_t k = 0; k < COUNT * f->n; ++k) {
            const int64_t least = f->has_ipiv ? k % f->n + 1 : 0, most = f->may_exchange ? f->n : least;
            assert_in_range(ipiv[k], least, most);
        }
        if (f->has_ipiv) EXPECT(f->factors(p.batch, NULL, NULL), CLSOLVE_OK, "");
    }
    if (f->has_condition == 2) EXPECT(f->condition(p.batch, rconds), CLSOLVE_ERROR_STATE, "option");
    if (f->has_condition == 1) EXPECT(f->condition(p.batch, rconds), CLSOLVE_OK, "");
    if (f->has_condition) assert_int_equal(f->condition(NULL, rconds), invalid);
    for (int64_t m = 0; m < COUNT; ++m) assert_true(rconds[m] == (f->has_condition == 1 ? 1 : 0));
    problem_drop(f, &p);
}

/* Members that are only read may be one and the same; those that are written may touch, in any order. */
static void check_places(const batch_family *f) {
    problem p = problem_make(f, f->n, COUNT, SIDES);
    const int64_t each = p.B.stride, offsets[COUNT] = {2 * each, 0, each};
    p.A.stride = 0;
    if (!f->has_no_offsets) p.B.offsets = offsets;
    if (!f->has_no_factor) EXPECT(reads(f, &p, &p.A, p.info), CLSOLVE_OK, "");
    EXPECT(solves(f, &p, &p.B, p.info), CLSOLVE_OK, "");
    check_infos(&p, 0);
    check_values(&p.B, 2, 2);
    problem_drop(f, &p);
}

/* No unknowns, no members, no right-hand sides: all is well, and the infos are there. */
static void check_empty(const batch_family *f) {
    for (int which = 1; which < 8; ++which) {
        const int64_t count = which & 2 ? 0 : COUNT, expected = count > 0 ? 0 : UNTOUCHED;
        problem p = problem_make(f, which & 1 ? 0 : f->n, count, which & 4 ? 0 : SIDES);
        int64_t *info = count > 0 ? p.info : NULL;
        if (!f->has_no_factor) EXPECT(reads(f, &p, &p.A, info), CLSOLVE_OK, "");
        if (!f->has_no_factor) check_infos(&p, expected);
        EXPECT(solves(f, &p, &p.B, info), CLSOLVE_OK, "");
        check_infos(&p, expected);
        check_report(f, &p);
        if (f->has_inverse) EXPECT(inverts(f, &p, &p.X, info), CLSOLVE_OK, "");
        problem_drop(f, &p);
    }
}

/* More members than a grid has groups across, and than 2^20. */
static void check_many(const batch_family *f) {
    const int64_t count = (1 << 20) + 3;
    problem p = problem_make(f, f->largest > 0 ? 1 : f->n, count, 1);
    SCRATCH int64_t *info = test_room(count, sizeof *info);
    for (int64_t m = 0; m < count; ++m) info[m] = UNTOUCHED;
    if (f->has_no_offsets) p.A.stride = 0; /* families.c has no zeros beside more diagonals */
    if (!f->has_no_factor) EXPECT(reads(f, &p, &p.A, info), CLSOLVE_OK, "");
    EXPECT(solves(f, &p, &p.B, info), CLSOLVE_OK, "");
    for (int64_t m = 0; m < count; ++m)
        if (info[m] != 0) fail_msg("%s: info of member %d is %d", f->name, (int)m, (int)info[m]);
    check_values(&p.B, 2, 2);
    problem_drop(f, &p);
}

/* ---- orders of their own ---- */

static void check_ragged(const batch_family *f) {
    const clsolve_type type = type_of(f);
    const int64_t n = f->n, negative[] = {3, -1}, large[] = {f->largest + 1}, orders[COUNT] = {n, 0, n};
    const int64_t offsets[COUNT] = {0, 0, n * n - 1}; /* the last begins in the first */
    char words[80];
    if (!f->has_ragged) return;
    problem p = problem_make(f, n, COUNT, 1);
    clsolve_batch bad = p.A, crossed = p.X;
    f->destroy(p.batch);
    (void)snprintf(words, sizeof words, "%s_create_ragged: orders", f->name);
    EXPECT(f->ragged(context, negative, 2, type, &p.batch), invalid, words);
    EXPECT(f->ragged(context, NULL, 2, type, &p.batch), invalid, words);
    (void)snprintf(words, sizeof words, "%s_create_ragged: an order is", f->name);
    EXPECT(f->ragged(context, large, 1, type, &p.batch), CLSOLVE_ERROR_UNSUPPORTED, words);
    assert_null(p.batch);
    EXPECT(f->ragged(context, NULL, 0, type, &p.batch), CLSOLVE_OK, "");
    f->destroy(p.batch);
    EXPECT(f->ragged(context, orders, COUNT, type, &p.batch), CLSOLVE_OK, "");
    bad.rows = n - 1;
    EXPECT(reads(f, &p, &bad, p.info), invalid, "rows");
    EXPECT(reads(f, &p, &p.A, p.info), CLSOLVE_OK, "");
    crossed.offsets = offsets;
    EXPECT(inverts(f, &p, &crossed, p.info), invalid, "overlap");
    problem_drop(f, &p);
}

/* ---- all families ---- */

typedef void check(const batch_family *f);
static check *const checks[] = {check_create, check_arguments, check_exports, check_places,
                                check_empty,  check_many,      check_ragged};

static void test_family(void **state) {
    for (size_t k = 0; k < sizeof checks / sizeof *checks; ++k) checks[k](*state);
}

int main(void) {
    struct CMUnitTest tests[16];
    for (int k = 0; k < batch_family_count; ++k)
        tests[k] = (struct CMUnitTest){batch_families[k].name, test_family, NULL, NULL, (void *)&batch_families[k]};
    test_require_device();
    return _cmocka_run_group_tests("batches", tests, (size_t)batch_family_count, open_context, close_context);
}
