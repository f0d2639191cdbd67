/*
 * A band larger than the device may take: the window on it is forced small by the memory limit. The same pivots and ratios as
 * ever; and what crosses the bus, to the byte: each element of A goes up once, each factor comes down once.
 */
#include "band/band_support.h"

#include "api/context.h"
#include "blas/blas.h"
#include "support/fixture.h"

static clsolve_type type;

static int64_t size_of_type(void) {
    return type == CLSOLVE_F64 ? 8 : 4;
}

static int64_t least_limit(int64_t n, int64_t kl, int64_t ku, const clsolve_band_options *options) {
    return test_band_least_limit(context, type, n, kl, ku, options);
}

static void check_solves(clsolve_band *band, const test_band *A, int64_t cols) {
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
            test_band_check_solve(context, band, A, (clsolve_op)op, (clsolve_layout)layout, cols);
}

typedef struct shape {
    int64_t n, kl, ku;
    int32_t block;
} shape;

static const shape shapes[] = {{300, 20, 13, 16}, {300, 7, 30, 7},  {300, 60, 40, 16},
                               {299, 16, 16, 16}, {300, 0, 20, 16}, {300, 20, 0, 16},
                               {153, 3, 2, 1},    {500, 0, 0, 16},  {300, 25, 25, 0}};

/* Windows from the narrowest to a wide one. */
TEST(test_windows) {
    test_random random = test_random_start(1);

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const shape *h = &shapes[s];
        clsolve_band_options options = test_band_options();
        options.block = h->block;
        int64_t least = least_limit(h->n, h->kl, h->ku, &options);
        scratch_band A = test_band_random(&random, type, h->n, h->kl, h->ku, h->kl * h->ku == 0 ? 3 : 0);
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 2, (double)NAN);
        for (int more = 0; more < 2; ++more) {
            OWNED(band) *band = NULL;
            options.memory_limit = least + more * 14000;
            BAND_EXPECT(context, clsolve_band_create(context, h->n, h->kl, h->ku, type, &options, &band), CLSOLVE_OK);
            clsolve_report r = test_band_report(band);
            if (more == 0) assert_in_range(r.slab_columns, 1, h->n - 1);
            if (more == 0) assert_true(r.host_bytes > 0);
            assert_true(r.device_bytes <= options.memory_limit);
            for (int round = 0; round < 2; ++round) { /* and once more in the same memory */
                BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
                check_solves(band, &A, 1 + 4 * round);
                test_band_check_factors(context, band, &A);
            }
            assert_true(test_band_report(band).device_bytes <= options.memory_limit);
        }
        test_matrix_spare_intact(&ab);
    }
}

/* What crosses the bus in one factorization and one solve. */
static void check_bytes(int streams) {
    test_random random = test_random_start(2);
    int64_t n = 500, kl = 20, ku = 13, kv = kl + ku, nb = 16, nrhs = 3, size = size_of_type(), record = 64;
    clsolve_band_options options = test_band_options();
    OWNED(band) *band = NULL;
    scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);
    SCRATCH double *B = test_doubles(n * nrhs);

    options.form = CLSOLVE_BAND_GBTRF;
    options.block = (int32_t)nb;
    options.memory_limit = streams ? least_limit(n, kl, ku, &options) + 24 * n * size : 0; /* and room for B twice */
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
    clsolve_report r = test_band_report(band);
    int hybrid = strcmp(r.band.panel, "hybrid") == 0;
    int mapped = hybrid && !streams && cls_in_place(context->device);
    assert_int_equal(r.slab_columns > 0, streams);

    int64_t up = n * (kl + ku + 1) * size, down = streams ? n * (kl + kv + nb) * size : 0;
    if (!mapped) down += 2 * record + (hybrid ? 0 : 16);
    if (streams && !hybrid) down += n * 8; /* the pivots; a solve brings the moves that they make */
    for (int64_t j = 0; j < n && hybrid && !mapped; j += nb) {
        int64_t width = n - j < nb ? n - j : nb, m = n - j < nb + kl ? n - j : nb + kl;
        up += m * width * size + 2 * 2 * width * 8; /* the panel, and where its rows went */
        down += m * width * size;
    }
    for (int round = 0; round < 2; ++round) {
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        r = test_band_report(band);
        assert_int_equal(r.bytes_up, up);
        assert_int_equal(r.bytes_down, down);
        for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
        test_matrix_set(&b, B);
        BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        r = test_band_report(band);
        assert_int_equal(r.bytes_up,
                         up + n * nrhs * size + (streams ? n * (kl + nb - 1 + kv + 1) * size + n * 4 * 8 : 0));
        assert_int_equal(r.bytes_down, down + n * nrhs * size + (mapped ? 0 : 2 * record));
    }
}

TEST(test_bytes) {
    check_bytes(0);
    check_bytes(1);
}

static void check_message(int64_t n, int64_t columns, const clsolve_band_options *options) {
    const char *message = clsolve_context_message(context), *says = strstr(message, "wants ");
    double wanted, window, rest, there;
    long long width, block, rows;

    assert_non_null(says);
    if (sscanf(says,
               "wants %lf bytes of device memory: %lf for the smallest window, %lld columns in blocks of %lld, and %lf "
               "next to it, %lld rows",
               &wanted, &window, &width, &block, &rest, &rows) != 6)
        fail_msg("%s", message);
    says = strstr(message, "has ");
    assert_non_null(says);
    assert_int_equal(sscanf(says, "has %lf for this handle, by its memory_limit: raise it", &there), 1);
    assert_true(wanted == window + rest && rest > (double)(rows * size_of_type()));
    assert_in_range(rows, 1, n);
    assert_true(there == (double)options->memory_limit && wanted > there);
    assert_int_equal(width, columns);
    assert_int_equal(block, options->block);
}

/* The band that a limit just holds, without room for as many right-hand sides as a handle is usually given. */
TEST(test_whole_and_little_else) {
    test_random random = test_random_start(5);
    int64_t n = 40;
    clsolve_band_options options = test_band_options();
    OWNED(band) *band = NULL;

    options.block = 32;
    options.memory_limit = least_limit(n, 30, 30, &options);
    scratch_band A = test_band_random(&random, type, n, 30, 30, 0);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    BAND_EXPECT(context, clsolve_band_create(context, n, 30, 30, type, &options, &band), CLSOLVE_OK);
    assert_int_equal(test_band_report(band).slab_columns, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    check_solves(band, &A, 40);
    assert_true(test_band_report(band).device_bytes <= options.memory_limit);
}

/* A limit is kept whatever the right-hand sides' layout: a few of them transposed on the device would take it all. */
TEST(test_limit_is_kept) {
    test_random random = test_random_start(7);
    int64_t n = 469, kl = 5, ku = 14;
    clsolve_band_options options = test_band_options();
    OWNED(band) *band = NULL;

    options.block = 16;
    options.memory_limit = test_band_least_limit(context, type, n, kl, ku, &options) + 100 * size_of_type() * n / 4;
    scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    for (int64_t cols = 1; cols < 70; cols += 17)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            test_band_check_solve(context, band, &A, CLSOLVE_NO_TRANS, (clsolve_layout)layout, cols);
            assert_true(test_band_report(band).device_bytes <= options.memory_limit);
        }
}

/* NaN at the far end of what is only seen as it passes; too many right-hand sides; too little memory. */
TEST(test_refusals) {
    test_random random = test_random_start(3);
    int64_t n = 400, kl = 10, ku = 5, nrhs = 70;
    clsolve_band_options options = test_band_options();
    clsolve_band *band = NULL;

    options.block = 8;
    options.memory_limit = least_limit(n, kl, ku, &options);
    scratch_band A =
        test_band_random(&random, type, n, kl, ku, 16); /* without it one may be singular to float's digits */
    double saved = *test_band_at(&A, 398, 399);
    SCRATCH double *B = test_doubles(n * nrhs), *X = test_doubles(n * nrhs);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 1);

    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
    *test_band_at(&A, 398, 399) = (double)NAN;
    scratch_matrix bad = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &bad.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "A(399,400)"));
    *test_band_at(&A, 398, 399) = saved;
    for (int64_t i = 0; i < n; ++i)
        if (test_band_at(&A, i, 250)) *test_band_at(&A, i, 250) = 0;
    scratch_matrix singular = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &singular.view), CLSOLVE_SINGULAR);
    assert_int_equal(test_band_report(band).info, test_band_lapack(&A, NULL, NULL));
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_SINGULAR);

    for (int64_t i = 0; i < n; ++i)
        if (test_band_at(&A, i, 250)) *test_band_at(&A, i, 250) = test_rounded(type, 1 + test_random_unit(&random));
    scratch_matrix good = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &good.view), CLSOLVE_OK);
    check_solves(band, &A, nrhs);
    /* A NaN in the last part: B as it was. */
    for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
    B[7 + (nrhs - 1) * n] = (double)INFINITY;
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
    assert_non_null(strstr(clsolve_context_message(context), "B(8,70)"));
    test_matrix_get(&b, X);
    assert_memory_equal(X, B, (size_t)(n * nrhs) * sizeof *X);
    clsolve_band_destroy(band);

    /* Too little: what was wanted, what for, what there is, and what to do. */
    options.memory_limit -= 20000;
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band),
                CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_null(band);
    check_message(n, 24, &options);
    options.memory_limit = 1000;
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band),
                CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    check_message(n, 24, &options);
    options.memory_limit = 0; /* no host has room for so many rows' factors */
    int64_t many = (int64_t)1 << 40;
    BAND_EXPECT(context, clsolve_band_create(context, many, 3, 3, type, &options, &band),
                CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "no room for them, and the host"));
    /* No window is larger than the band. */
    options.block = 32;
    options.memory_limit = (int64_t)1 << 17;
    BAND_EXPECT(context, clsolve_band_create(context, 40, 30, 30, type, &options, &band),
                CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    check_message(40, 40, &options);
}

/* What is hard passes through a window too: a zero diagonal; singular first and last columns; a pivot whose reciprocal
 * overflows, alone in its row and column. */
TEST(test_hard) {
    test_random random = test_random_start(6);
    int64_t n = 300, kl = 6, ku = 4, alone = 233;
    clsolve_band_options options = test_band_options();

    options.block = 16;
    options.memory_limit = test_band_least_limit(context, type, n, kl, ku, &options);
    for (int hard = 0; hard < 4; ++hard) {
        scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
        OWNED(band) *band = NULL;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < n; ++j) {
                double *a = test_band_at(&A, i, j);
                if (a && hard == 0 && i == j) *a = 0;
                if (a && ((hard == 1 && j == 0) || (hard == 2 && j == n - 1))) *a = 0;
                if (a && hard == 3 && (i == alone || j == alone)) *a = 0;
            }
        if (hard == 3) *test_band_at(&A, alone, alone) = type == CLSOLVE_F64 ? 0x1p-1040 : 0x1p-140f;
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_ROW_MAJOR, 0, (double)NAN);
        BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
        clsolve_status status = clsolve_band_factor(band, &ab.view);
        clsolve_report r = test_band_report(band);
        assert_true(r.slab_columns > 0);
        if (hard == 0) {
            BAND_EXPECT(context, status, CLSOLVE_OK);
            check_solves(band, &A, 3);
            test_band_check_factors(context, band, &A);
        } else if (hard < 3) {
            BAND_EXPECT(context, status, CLSOLVE_SINGULAR);
            assert_int_equal(r.info, hard == 1 ? 1 : n);
            assert_int_equal(r.info, test_band_lapack(&A, NULL, NULL));
            assert_int_equal(r.direct.det_sign, 0);
        } else if (status == CLSOLVE_SINGULAR) { /* a device may take such a number for zero */
            assert_int_equal(r.info, alone + 1);
        } else {
            SCRATCH double *B = test_doubles(n), *X = test_doubles(n);
            scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
            BAND_EXPECT(context, status, CLSOLVE_OK);
            for (int64_t i = 0; i < n; ++i) B[i] = i == alone ? 3 * *test_band_at(&A, alone, alone) : 1;
            test_matrix_set(&b, B);
            BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
            test_matrix_get(&b, X);
            assert_true(fabs(X[alone] - 3) < 1e-6);
            assert_true(test_band_ratio(&A, CLSOLVE_NO_TRANS, 1, X, B) < RATIO_BOUND);
        }
    }
}

/* Double answers from float factors, scaled, refined and with their condition, all through a window; and one factor that is
 * exactly singular in float, which has to be mended in the host's memory where there is no double. */
TEST(test_trust) {
    test_random random = test_random_start(4);
    int64_t n = 300, kl = 12, ku = 9, cols = 2;
    clsolve_band_options options = test_band_options();
    clsolve_type own = type;

    type = CLSOLVE_F64;
    options.block = 16;
    options.precision = CLSOLVE_PRECISION_MIXED;
    options.rcond = 1;
    options.memory_limit = least_limit(n, kl, ku, &options);
    for (int hard = 0; hard < 2; ++hard) {
        scratch_band A = test_band_random(&random, type, n, kl, ku, 4);
        SCRATCH double *X = test_doubles(n * cols), *B = test_doubles(n * cols);
        OWNED(band) *band = NULL;
        if (hard) { /* equal in float, not in double */
            *test_band_at(&A, n - 2, n - 1) = *test_band_at(&A, n - 2, n - 2) * (1 + 1e-9);
            *test_band_at(&A, n - 1, n - 1) = *test_band_at(&A, n - 1, n - 2) * (1 - 1e-9);
            for (int64_t j = n - 2; j < n; ++j)
                for (int64_t i = 0; i < n - 2; ++i)
                    if (test_band_at(&A, i, j)) *test_band_at(&A, i, j) = 0;
            for (int64_t j = 0; j < n - 2; ++j)
                for (int64_t i = n - 2; i < n; ++i)
                    if (test_band_at(&A, i, j)) *test_band_at(&A, i, j) = 0;
            if (clsolve_context_device(context).fp64)
                options.memory_limit *= 3; /* double factors beside the float ones */
        }
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, cols, 0);
        for (int64_t k = 0; k < n * cols; ++k) X[k] = test_random_signed(&random);
        test_band_multiply(&A, CLSOLVE_TRANS, cols, X, B);
        test_matrix_set(&b, B);
        BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        double ratio = test_band_ratio(&A, CLSOLVE_TRANS, cols, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("hard %d: ratio %g", hard, ratio);
        clsolve_report r = test_band_report(band);
        assert_true(hard || r.slab_columns > 0);
        assert_true(r.direct.rcond > 0 && r.direct.rcond < 1);
    }
    type = own;
}

int main(void) {
    test_require_device();
    (void)open_context(NULL);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return test_run(NULL, close_context);
}
