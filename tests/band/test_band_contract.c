/* What a band handle promises beside accuracy: refusals, unchanged arguments, order of calls, numerical outcomes, its report. */
#include "band/band_support.h"

#include "api/context.h"
#include "blas/blas.h"
#include "support/fixture.h"

static clsolve_type type;

static clsolve_band *make(int64_t n, int64_t kl, int64_t ku, const clsolve_band_options *options) {
    clsolve_band *band = NULL;
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, options, &band), CLSOLVE_OK);
    return band;
}

static void said(const char *words) {
    if (!strstr(clsolve_context_message(context), words))
        fail_msg("\"%s\" is not in: %s", words, clsolve_context_message(context));
}

#define REFUSED(call, words)                                                                                           \
    do {                                                                                                               \
        BAND_EXPECT(context, (call), CLSOLVE_ERROR_INVALID_ARGUMENT);                                                  \
        said(words);                                                                                                   \
    } while (0)

TEST(test_arguments) {
    double values[64] = {0};
    float singles[64] = {0};
    OWNED(band) *band = (clsolve_band *)values;
    clsolve_band_options options = {0};

    assert_int_equal(clsolve_band_create(NULL, 1, 0, 0, type, NULL, &band), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(band);
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, NULL, NULL), "band is NULL");
    REFUSED(clsolve_band_create(context, -1, 0, 0, type, NULL, &band), "n is -1");
    REFUSED(clsolve_band_create(context, 1, -2, 0, type, NULL, &band), "-2 diagonals below");
    REFUSED(clsolve_band_create(context, 1, 0, -3, type, NULL, &band), "-3 above");
    REFUSED(clsolve_band_create(context, 1, INT64_MAX, INT64_MAX, type, NULL, &band), "diagonals");
    REFUSED(clsolve_band_create(context, 1, 0, 0, (clsolve_type)7, NULL, &band), "type is 7");
    options.form = (clsolve_band_form)5;
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "form is 5");
    options = (clsolve_band_options){.panel = (clsolve_panel)9};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "panel is 9");
    options = (clsolve_band_options){.block = -1};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "block is -1");
    options = (clsolve_band_options){.rcond = -1};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "rcond is -1");
    options = (clsolve_band_options){.equilibrate = 3};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "equilibrate is 3");
    options = (clsolve_band_options){.refine = 2};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "refine is 2");
    options = (clsolve_band_options){.precision = (clsolve_precision)3};
    REFUSED(clsolve_band_create(context, 1, 0, 0, type, &options, &band), "precision is 3");
    options = (clsolve_band_options){.precision = CLSOLVE_PRECISION_MIXED};
    REFUSED(clsolve_band_create(context, 1, 0, 0, CLSOLVE_F32, &options, &band), "CLSOLVE_F64");

    options = test_band_options();
    BAND_EXPECT(context, clsolve_band_create(context, 5, 1, 2, CLSOLVE_F32, &options, &band), CLSOLVE_OK);
    clsolve_matrix m = clsolve_matrix_f32(4, 5, singles), wide = clsolve_matrix_f64(4, 5, values);
    REFUSED(clsolve_band_factor(band, NULL), "AB is NULL");
    REFUSED(clsolve_band_factor(band, &wide), "f64");
    m.rows = 5;
    REFUSED(clsolve_band_factor(band, &m), "5 rows where 4 are needed");
    m.rows = 4;
    m.cols = 4;
    REFUSED(clsolve_band_factor(band, &m), "4 columns where 5 are needed");
    m.cols = 5;
    m.ld = 3;
    REFUSED(clsolve_band_factor(band, &m), "ld");
    m.ld = 4;
    m.data = NULL;
    REFUSED(clsolve_band_factor(band, &m), "NULL");
    clsolve_matrix b = clsolve_matrix_f32(5, 1, singles);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b), CLSOLVE_ERROR_STATE);
    said("clsolve_band_factor");
    BAND_EXPECT(context, clsolve_band_factors(band, NULL, (int64_t[5]){0}), CLSOLVE_ERROR_STATE);
    REFUSED(clsolve_band_solve(band, (clsolve_op)4, &b), "op is 4");
    b.rows = 4;
    REFUSED(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b), "4 rows");
    REFUSED(clsolve_band_factors(band, &b, NULL), "AFB");
    assert_int_equal(clsolve_band_factor(NULL, &m), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_solve(NULL, CLSOLVE_TRANS, &b), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_report(band, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_band_destroy(NULL);
}

/* Nothing to do, and little. */
TEST(test_smallest) {
    clsolve_band_options options = test_band_options();
    double none = 0;

    options.rcond = 1;
    clsolve_band *band = make(0, 3, 2, &options);
    clsolve_matrix nothing = {type, CLSOLVE_COLUMN_MAJOR, 6, 0, 6, &none, CLSOLVE_ON_HOST, 0};
    BAND_EXPECT(context, clsolve_band_factor(band, &nothing), CLSOLVE_OK);
    nothing.rows = 0;
    nothing.cols = 4;
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &nothing), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factors(band, NULL, NULL), CLSOLVE_OK);
    clsolve_report r = test_band_report(band);
    assert_int_equal(r.direct.det_sign, 1);
    assert_true(r.direct.rcond == 1 && r.direct.log_abs_det == 0);
    clsolve_band_destroy(band);

    band = make(1, 0, 0, &options);
    test_band A = {type, 1, 0, 0, (double[]){-4}};
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_ROW_MAJOR, 0, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 1, 2, 0), empty = b;
    double x[2] = {8, -2};
    test_matrix_set(&b, x);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    empty.view.cols = 0;
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &empty.view), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, x);
    assert_true(x[0] == -2 && x[1] == 0.5);
    r = test_band_report(band);
    assert_int_equal(r.direct.det_sign, -1);
    assert_true(fabs(r.direct.log_abs_det - log(4)) < 1e-6 && r.direct.rcond > 0.99);
    clsolve_band_destroy(band);
    test_matrix_free(&b);
}

/* NaN and Inf anywhere in the band; in B; in what comes out. */
TEST(test_nonfinite) {
    test_random random = test_random_start(1);
    int64_t n = 50, kl = 4, ku = 6, places[3][2] = {{0, 0}, {20, 26}, {49, 45}};
    clsolve_band_options options = test_band_options();
    SCRATCH double *B = test_doubles(n * 3), *X = test_doubles(n * 3);

    options.block = 8;
    OWNED(band) *band = make(n, kl, ku, &options);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 3, 1);
    for (int p = 0; p < 3; ++p) {
        scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
        char words[64];
        *test_band_at(&A, places[p][0], places[p][1]) = p == 1 ? -(double)INFINITY : (double)NAN;
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_ERROR_NONFINITE);
        (void)snprintf(words, sizeof words, "A(%d,%d)", (int)places[p][0] + 1, (int)places[p][1] + 1);
        said(words);
        BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE);
    }

    scratch_band A = test_band_random(&random, type, n, 0, 0, 0);
    for (int64_t j = 0; j < n; ++j) *test_band_at(&A, j, j) = 0.125;
    OWNED(band) *diagonal = make(n, 0, 0, &options);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
    BAND_EXPECT(context, clsolve_band_factor(diagonal, &ab.view), CLSOLVE_OK);
    for (int wrong = 0; wrong < 2; ++wrong) {
        for (int64_t k = 0; k < n * 3; ++k) B[k] = 1;
        B[11 + 2 * n] = wrong ? (type == CLSOLVE_F64 ? 1e308 : (double)3e38f) : (double)NAN;
        test_matrix_set(&b, B);
        BAND_EXPECT(context, clsolve_band_solve(diagonal, CLSOLVE_TRANS, &b.view),
                    wrong ? CLSOLVE_OVERFLOW : CLSOLVE_ERROR_NONFINITE);
        said(wrong ? ",3)" : "B(12,3)"); /* Inf spreads over its block */
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        for (int64_t k = 0; k < n * 3; ++k) assert_true(isnan(B[k]) ? isnan(X[k]) : X[k] == B[k]);
    }
}

/* Singular at the first, a middle and the last column: finished as LAPACK's, with its column; the handle goes on. */
TEST(test_singular) {
    test_random random = test_random_start(2);
    int64_t n = 70, kl = 5, ku = 3, columns[] = {0, 31, 69};
    clsolve_band_options options = test_band_options();

    for (int32_t block = 1; block < 40; block += 15) {
        options.block = block;
        OWNED(band) *band = make(n, kl, ku, &options);
        for (int c = 0; c < 3; ++c) {
            scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
            SCRATCH double *B = test_doubles(n), *X = test_doubles(n);
            scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
            for (int64_t i = 0; i < n; ++i) {
                B[i] = 1;
                for (int64_t j = columns[c]; j < n; j += 17) /* the first of several is told */
                    if (test_band_at(&A, i, j)) *test_band_at(&A, i, j) = 0;
            }
            scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR, 0, 1);
            ab.view.rows -= kl;
            ab.view.data = (char *)ab.memory + kl * (type == CLSOLVE_F64 ? 8 : 4); /* the same array, plain */
            test_matrix_set(&b, B);
            BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_SINGULAR);
            clsolve_report r = test_band_report(band);
            assert_int_equal(r.info, test_band_lapack(&A, NULL, NULL));
            assert_int_equal(r.direct.det_sign, 0);
            assert_true(isinf(r.direct.log_abs_det) && r.direct.log_abs_det < 0);
            BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_SINGULAR);
            test_matrix_get(&b, X);
            assert_memory_equal(X, B, (size_t)n * sizeof *B);
            BAND_EXPECT(context, clsolve_band_factors(band, NULL, (int64_t[70]){0}), CLSOLVE_OK);

            for (int64_t j = columns[c]; j < n; j += 17) *test_band_at(&A, j, j) = 8; /* no longer singular */
            scratch_matrix good = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
            BAND_EXPECT(context, clsolve_band_factor(band, &good.view), CLSOLVE_OK);
            BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
            test_matrix_get(&b, X);
            assert_true(test_band_ratio(&A, CLSOLVE_NO_TRANS, 1, X, B) < RATIO_BOUND);
            assert_int_equal(test_band_report(band).info, 0);
        }
    }
}

/* Sound factors, and their growth and determinant; the shape; nothing is allocated for a second factorization. */
TEST(test_report) {
    test_random random = test_random_start(3);
    int64_t n = 90, kl = 6, ku = 9, rows = 2 * kl + ku + 1;
    clsolve_band_options options = test_band_options();
    scratch_band A = test_band_random(&random, type, n, kl, ku, 0);
    double *AFB = test_doubles(rows * n), most = 0, largest = 0, logarithm = 0;
    SCRATCH int64_t *ipiv = test_room(n, sizeof *ipiv);
    int sign = 1;

    options.block = 16;
    options.rcond = 1;
    OWNED(band) *band = make(n, kl, ku, &options);
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
    scratch_matrix afb = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, rows, n, 0);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&afb, AFB);
    test_band_judge_factors(&A, AFB, ipiv, "report");
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j > kl + ku ? j - kl - ku : 0; i <= j; ++i)
            most = fmax(most, fabs(AFB[kl + ku + i - j + j * rows]));
        for (int64_t i = 0; i < n; ++i)
            if (test_band_at(&A, i, j)) largest = fmax(largest, fabs(*test_band_at(&A, i, j)));
        double u = AFB[kl + ku + j * rows];
        if ((u < 0) != (ipiv[j] != j + 1)) sign = -sign;
        logarithm += log(fabs(u));
    }
    clsolve_report r = test_band_report(band);
    assert_true(fabs(r.direct.growth - most / largest) < 1e-6 * most / largest);
    assert_true(fabs(r.direct.log_abs_det - logarithm) < (type == CLSOLVE_F64 ? 1e-9 : 1e-5) * (1 + fabs(logarithm)));
    assert_int_equal(r.direct.det_sign, sign);
    assert_true(r.direct.rcond > 0 && r.direct.rcond < 1);
    assert_string_equal(r.method, "band-lu");
    assert_int_equal(r.band.lower, kl);
    assert_int_equal(r.band.upper, ku);
    assert_int_equal(r.band.block, 16);
    assert_true(strcmp(r.band.panel, "native") == 0 || strcmp(r.band.panel, "hybrid") == 0);
    assert_int_equal(r.slab_columns, 0);
    assert_int_equal(r.host_bytes, 0);

    int64_t bytes = context->device->counters.buffer_bytes;
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_int_equal(context->device->counters.buffer_bytes, bytes);
    free(AFB);
}

static test_listener told = {.phase = "factor"};

TEST(test_progress) {
    test_random random = test_random_start(4);
    clsolve_band_options options = test_band_options();
    scratch_band A = test_band_random(&random, type, 100, 3, 3, 0);

    options.block = 16;
    options.progress = test_listen;
    options.progress_user = &told;
    OWNED(band) *band = make(100, 3, 3, &options);
    test_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_true(told.last == 1 && told.calls == 7);
    clsolve_report before = test_band_report(band);
    test_matrix_free(&ab);

    /* A pivot whose reciprocal overflows, in the third block: only that panel is done once more. */
    double tiny = type == CLSOLVE_F64 ? 0x1p-1040 : 0x1p-140f;
    for (int64_t i = 0; i < 100; ++i)
        if (test_band_at(&A, i, 40)) *test_band_at(&A, i, 40) = i == 40 ? tiny : 0;
    for (int64_t j = 0; j < 100; ++j)
        if (j != 40 && test_band_at(&A, 40, j)) *test_band_at(&A, 40, j) = 0;
    ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 1);
    told = (test_listener){.phase = "factor"};
    clsolve_status status = clsolve_band_factor(band, &ab.view);
    clsolve_report after = test_band_report(band);
    if (status == CLSOLVE_SINGULAR) { /* a device may take such a number for zero */
        assert_int_equal(after.info, 41);
        assert_string_equal(after.band.panel, "native");
    } else {
        BAND_EXPECT(context, status, CLSOLVE_OK);
    }
    assert_true(told.last == 1 && told.calls == 7);
    assert_int_equal(after.bytes_up, before.bytes_up);
    int64_t panel = (16 + 3) * 16 * (type == CLSOLVE_F64 ? 8 : 4), more = after.bytes_down - before.bytes_down;
    if (cls_in_place(context->device) || strcmp(after.band.panel, "hybrid") != 0) panel = 0;
    assert_true(more == 0 || more == panel); /* a LAPACK that divides needs none */
    test_matrix_free(&ab);
}

int main(void) {
    test_require_device();
    (void)open_context(NULL);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return test_run(NULL, close_context);
}
