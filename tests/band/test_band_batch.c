/*
 * Batches of narrow bands: LAPACK's ratios of the factors and of both systems' solutions; LAPACK's own pivots,
 * factors and info where the elimination is exact; singular members and such with NaN among sound ones; both
 * layouts, by stride and by offsets. Every form of the kernels runs on whatever device there is: a GPU's are asked
 * for by telling the library that the device is one.
 */
#include <float.h>

#include "api/context.h"
#include "band/batch_support.h"
#include "base/type.h"

static int reduced; /* small shapes and few members only: for a simulator, which looks for races */

/* So many members make batches of few diagonals large ones (batch_support.c), which take a work-item a member. */
enum { LARGE = 67 };

/* More diagonals than the matrix has, also more of them than a batch takes. */
static void check_too_many(int form) {
    test_random random = test_random_start((uint64_t)(500 + form));
    static const int64_t many[][3] = {{1, 40, 40}, {5, 40, 40}, {3, 0, 70}, {3, 70, 0}};
    for (int b = 0; b < 4; ++b)
        check_shape(&random, (shape){.n = many[b][0],
                                     .kl = many[b][1],
                                     .ku = many[b][2],
                                     .count = form == FORM_ITEM ? LARGE : 3,
                                     .nrhs = 2,
                                     .layout = b == 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                     .how = b % 3});
}

/* Those of band_support.h, and for a GPU two more: of one the window just has room in registers, the other is all below. */
static const int64_t bands[][2] = {{1, 1}, {0, 0}, {0, 2}, {2, 0}, {3, 2}, {4, 4}, {20, 9}, {31, 33}, {4, 1}, {64, 0}};
enum { BANDS = sizeof bands / sizeof *bands };

/* A matrix that is too small for its band has a narrower one, and each is another program: only those that are tested anyway. */
static int is_wanted(int64_t kl, int64_t ku, int64_t n) {
    int64_t lower = kl < n ? kl : n - 1, upper = ku < n ? ku : n - 1;
    for (int b = 0; b < BANDS; ++b)
        if (bands[b][0] == lower && bands[b][1] == upper) return 1;
    return 0;
}

static void check_shapes(int form) {
    static const int64_t orders[] = {1, 2, 3, 5, 31, 32, 33, 67};
    test_random random = test_random_start((uint64_t)(100 + form));
    int turn = 0;
    for (int b = 0; b < (form == FORM_OWN ? BANDS - 2 : BANDS); ++b)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o, ++turn) {
            if (reduced && (bands[b][0] + bands[b][1] > 5 || orders[o] > 5 || orders[o] % 3 != 2)) continue;
            shape s = {.n = orders[o],
                       .kl = bands[b][0],
                       .ku = bands[b][1],
                       .count = form == FORM_ITEM ? LARGE : turn % 4 + 1,
                       .nrhs = turn % 3 + 1,
                       .layout = turn % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                       .how = turn % 3};
            if (!is_wanted(s.kl, s.ku, s.n)) continue;
            check_shape(&random, s);
        }
}

TEST(test_too_many) {
    each_form(check_too_many);
}

TEST(test_shapes) {
    each_form(check_shapes);
}

/* A zero column, NaN, Inf, a NaN in B: each spoils its own member only; new values then factor as if nothing had been. */
static void check_spoilt(int form) {
    test_random random = test_random_start((uint64_t)(200 + form));
    shape s = {.n = 20, .kl = 3, .ku = 2, .count = reduced ? 12 : 70, .nrhs = 2, .layout = CLSOLVE_COLUMN_MAJOR};
    const int64_t last = s.count - 1;
    batch t = make_batch(&random, s);
    for (int64_t i = 5; i <= 10; ++i) *narrow_band_at(&t.band[3], i, 7) = 0; /* column 8 from 1 */
    *narrow_band_at(&t.band[5], 4, 4) = (double)NAN;
    *narrow_band_at(&t.band[6], 0, 0) = (double)INFINITY;
    *narrow_band_at(&t.band[last], 19, 19) = *narrow_band_at(&t.band[last], 19, 18) = 0; /* a last row of zeros */
    *narrow_band_at(&t.band[last], 19, 17) = *narrow_band_at(&t.band[last], 19, 16) = 0;
    double kept = t.b[10 * s.n * s.nrhs + 5];
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m)
        assert_int_equal(t.info[m], m == 3 ? 8 : m == 5 || m == 6 ? -1 : m == last ? 20 : 0);
    clsolve_report report;
    must(clsolve_band_batch_report(t.handle, &report));
    assert_int_equal(report.info, 8);
    assert_int_equal(report.member, 4);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    t.b[10 * s.n * s.nrhs + 5] = (double)INFINITY;
    check_solutions(&t, CLSOLVE_TRANS);
    assert_int_equal(t.info[10], -1);
    assert_int_equal(t.info[3], 8);
    assert_int_equal(t.info[9], 0);
    t.b[10 * s.n * s.nrhs + 5] = kept;

    *narrow_band_at(&t.band[3], 7, 7) = *narrow_band_at(&t.band[5], 4, 4) = *narrow_band_at(&t.band[6], 0, 0) = 2;
    *narrow_band_at(&t.band[last], 19, 19) = 2;
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m) assert_int_equal(t.info[m], 0);
    check_factors(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    drop_batch(&t);
}

TEST(test_spoilt) {
    each_form(check_spoilt);
}

/* A pivot whose reciprocal overflows is divided by; a zero diagonal wants a swap at every second step. */
static void check_pivots(int form) {
    test_random random = test_random_start((uint64_t)(300 + form));
    shape s = {.n = 30, .kl = 1, .ku = 1, .count = reduced ? 3 : 66, .nrhs = 1, .layout = CLSOLVE_COLUMN_MAJOR};
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
    assert_int_equal(t.info[1], 0);
    for (int64_t i = 0; i < s.n; ++i) { /* it is scaled, and the rows 4 x(i) + x(i+1) - x(i-1) = 2 have all digits */
        double x[3] = {0};
        for (int64_t k = -1; k <= 1; ++k)
            if (i + k >= 0 && i + k < s.n) x[k + 1] = get(&t.B, index_of(&t.B, 1, i + k, 0));
        if (!(fabs(4 * x[1] + x[2] - x[0] - 2) <= 16 * (type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON)))
            fail_msg("form %d, row %d: %.17g is left", form, (int)i, 4 * x[1] + x[2] - x[0] - 2);
    }
    /* U is that of the member: its first pivot is the diagonal's. */
    const int64_t rows = 2 * s.kl + s.ku + 1;
    double *F = test_doubles(rows * s.n * s.count); /* doubles, or floats in half of it */
    clsolve_batch AFB = {.type = type,
                         .count = s.count,
                         .rows = rows,
                         .cols = s.n,
                         .ld = rows,
                         .stride = rows * s.n,
                         .layout = CLSOLVE_COLUMN_MAJOR,
                         .data = F};
    must(clsolve_band_batch_factors(t.handle, &AFB, NULL));
    assert_true(cls_type_get(type, F, rows * s.n + s.kl + s.ku) == 4 * tiny);
    free(F);
    drop_batch(&t);
}

TEST(test_pivots) {
    each_form(check_pivots);
}

/* Bands with too many diagonals; a matrix has no more of them than its order. */
TEST(test_limits) {
    clsolve_band_batch *handle = NULL;
    assert_int_equal(clsolve_band_batch_create(context, 400, 33, 32, 1, type, NULL, &handle),
                     CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_band_batch_create(context, 34, 40, 40, 1, type, NULL, &handle), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(clsolve_band_batch_create(context, 4, -1, 1, 1, type, NULL, &handle),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(handle);
}

int main(void) {
    test_require_device();
    reduced = test_reduced();
    context = test_context(1);
    real = context->device->info;
    type = context->device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    printf("%s; forms: %s, %s, %s\n", context->device->info.name, form_names[0], form_names[1], form_names[2]);
    int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
