/*
 * Right-hand sides that are too long for the device: a window slides over them as the factors pass by, and nothing on the
 * device is of n numbers. The same ratios as ever, a memory limit that does not grow with n, and what crosses the bus.
 */
#include "band/band_support.h"

#include "api/band.h"
#include "method/band/sides.h"
#include "support/fixture.h"

static clsolve_type type;
static int reduced;

static clsolve_band *make(const test_band *A, const clsolve_band_options *options, int64_t sides) {
    clsolve_band *band = NULL;
    scratch_matrix ab = test_band_view(A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    BAND_EXPECT(context, clsolve_band_create(context, A->n, A->kl, A->ku, A->type, options, &band), CLSOLVE_OK);
    assert_true(test_band_report(band).slab_columns > 0);
    if (sides > 0) assert_int_equal(cls_band_slides(&band->band), 1);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    return band;
}

typedef struct shape {
    int64_t n, kl, ku;
    int32_t block;
} shape;

static const shape shapes[] = {{997, 3, 2, 4}, {701, 0, 5, 8}, {307, 9, 0, 1}, {797, 6, 7, 16}};

/* From the smallest window on the rows to one of nearly all. */
TEST(test_windows) {
    test_random random = test_random_start(1);

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += reduced ? 3 : 1) {
        const shape *h = &shapes[s];
        clsolve_band_options options = test_band_options();
        options.block = h->block;
        int64_t least = test_band_least_limit(context, type, h->n, h->kl, h->ku, &options);
        scratch_band A = test_band_random(&random, type, h->n, h->kl, h->ku, h->kl * h->ku == 0 ? 3 : 0);
        for (int more = 0; more < (reduced ? 1 : 2); ++more) {
            options.memory_limit = least + more * 6000;
            OWNED(band) *band = make(&A, &options, 1);
            for (int round = 0; round < 2; ++round)
                for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
                    test_band_check_solve(context, band, &A, (clsolve_op)op,
                                          (op + round) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, 1 + 18 * round);
            assert_true(test_band_report(band).device_bytes <= options.memory_limit);
        }
    }
}

/* A limit that holds a thousand rows holds any number of them. */
TEST(test_limit_for_any_order) {
    clsolve_band_options options = test_band_options();
    OWNED(band) *band = NULL;

    options.block = 16;
    options.memory_limit = test_band_least_limit(context, type, 1000, 4, 4, &options) + 512;
    BAND_EXPECT(context, clsolve_band_create(context, 1000000, 4, 4, type, &options, &band), CLSOLVE_OK);
    assert_true(test_band_report(band).device_bytes <= options.memory_limit);
}

/* B crosses once each way, and once more but for the rows of the window in which the first sweep ends; a panel's worth of
 * pivots and moves crosses with the factors. */
TEST(test_bytes) {
    test_random random = test_random_start(2);
    int64_t n = 997, kl = 3, ku = 2, kv = kl + ku, nb = 4, cols = 2, size = cls_type_size(type);
    clsolve_band_options options = test_band_options();

    options.block = (int32_t)nb;
    options.memory_limit = test_band_least_limit(context, type, n, kl, ku, &options) + 2000;
    scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
    clsolve_band *band = make(&A, &options, 1);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        clsolve_report before = test_band_report(band);
        if (op > 0) { /* as after the factorization */
            clsolve_band_destroy(band);
            band = make(&A, &options, 1);
            before = test_band_report(band);
        }
        int64_t rows = band->band.side_rows;
        test_band_check_solve(context, band, &A, (clsolve_op)op, CLSOLVE_COLUMN_MAJOR, cols);
        clsolve_report after = test_band_report(band);
        int64_t factors = n * (kl + nb - 1 + kv + 1) * size + n * 4 * 8;
        int64_t up = after.bytes_up - before.bytes_up - factors, down = after.bytes_down - before.bytes_down;
        assert_int_equal(up, down);
        assert_in_range(up, (2 * n - rows) * cols * size, 2 * n * cols * size - 1);
    }
    clsolve_band_destroy(band);
}

/* NaN in the last row of the last right-hand side, and a solution that overflows: B as it was. */
TEST(test_refusals) {
    test_random random = test_random_start(3);
    int64_t n = 1000, cols = 3;
    clsolve_band_options options = test_band_options();
    SCRATCH double *B = test_doubles(n * cols), *X = test_doubles(n * cols);

    options.block = 4;
    options.memory_limit = test_band_least_limit(context, type, n, 1, 1, &options);
    scratch_band A = test_band_random(&random, type, n, 1, 1, 0);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_ROW_MAJOR, n, cols, 2);
    clsolve_band *band = make(&A, &options, 1);
    for (int64_t k = 0; k < n * cols; ++k) B[k] = 1;
    B[n * cols - 1] = (double)INFINITY;
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "B(1000,3)"));
    test_matrix_get(&b, X);
    assert_memory_equal(X, B, (size_t)(n * cols) * sizeof *X);
    clsolve_band_destroy(band);

    for (int64_t j = 0; j < n; ++j) { /* the last unknown is out of range; others may be NaN by it */
        if (j > 0) *test_band_at(&A, j - 1, j) = *test_band_at(&A, j, j - 1) = 0;
        *test_band_at(&A, j, j) = j == n - 1 ? ldexp(1, type == CLSOLVE_F64 ? -900 : -100) : 1;
    }
    band = make(&A, &options, 1);
    B[n * cols - 1] = ldexp(1, type == CLSOLVE_F64 ? 900 : 100);
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_TRANS, &b.view), CLSOLVE_OVERFLOW);
    assert_non_null(strstr(clsolve_context_message(context), ",3)"));
    test_matrix_get(&b, X);
    assert_memory_equal(X, B, (size_t)(n * cols) * sizeof *X);
    clsolve_band_destroy(band);
}

/* Answers in double from factors in float, and the condition number: vectors of the host through the window. */
TEST(test_trust) {
    test_random random = test_random_start(4);
    clsolve_band_options options = test_band_options();
    double rcond[2];

    options.block = 8;
    options.precision = CLSOLVE_PRECISION_MIXED;
    options.rcond = 1;
    scratch_band A = test_band_random(&random, CLSOLVE_F64, 1501, 4, 3, 6);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    int64_t least = test_band_least_limit(context, CLSOLVE_F64, A.n, A.kl, A.ku, &options);
    for (int slides = 0; slides < 2; ++slides) {
        OWNED(band) *band = NULL;
        options.memory_limit = slides ? least : 0;
        BAND_EXPECT(context, clsolve_band_create(context, A.n, A.kl, A.ku, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
        assert_int_equal(cls_band_slides(&band->band), slides);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        test_band_check_solve(context, band, &A, CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 3);
        test_band_check_solve(context, band, &A, CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
        rcond[slides] = test_band_report(band).direct.rcond;
    }
    assert_true(fabs(rcond[0] - rcond[1]) <= 1e-3 * rcond[0]);
}

/* A band that fits, which threads pack, few columns at a time, while those before cross: as large ones are. */
TEST(test_packed_by_threads) {
    test_random random = test_random_start(5);
    clsolve_band_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 16};

    context->device->threads = context->device->pool ? context->device->threads : 3;
    for (int round = 0; round < 3; ++round) {
        scratch_band A = test_band_random(&random, type, 2001, 150, 90, 0);
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        OWNED(band) *band = NULL;
        BAND_EXPECT(context, clsolve_band_create(context, A.n, A.kl, A.ku, type, &options, &band), CLSOLVE_OK);
        assert_false(cls_band_slides(&band->band));
        band->band.pool = cls_device_pool(context->device);
        if (!band->band.window.mapped && band->band.chunk > 48) band->band.chunk = 48;
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        test_band_check_solve(context, band, &A, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    }
}

int main(void) {
    test_require_device();
    reduced = test_reduced();
    (void)open_context(NULL);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return test_run(NULL, close_context);
}
