/*
 * Bands and right-hand sides in the caller's own OpenCL buffers, and what is beside them stays. A band that is factored
 * without a copy of A never crosses to the host.
 */
#include "band/band_support.h"
#include "lu/interop_support.h"

enum { N = 90, KL = 20, KU = 9, NRHS = 3 };

#define EXPECT(call, status) BAND_EXPECT(io.context, call, status)

typedef struct shape {
    int64_t n, kl, ku;
} shape;

/* Narrow and wide ones, and some with more diagonals than rows. */
static const shape shapes[] = {{N, KL, KU}, {1, 0, 0},  {2, 1, 1},    {3, 0, 2},
                               {5, 7, 9},   {17, 3, 2}, {67, 31, 33}, {64, 40, 33}};

/* The band as AB in the caller's buffer; what lies outside of the matrix is NaN. */
static io_matrix put_band(const test_band *A, clsolve_band_form form, clsolve_layout layout) {
    scratch_matrix host = test_band_view(A, form, layout, 0, (double)NAN);
    SCRATCH double *AB = test_doubles(host.view.rows * A->n);
    test_matrix_get(&host, AB);
    io_matrix ab = io_put(layout, host.view.rows, A->n, AB);
    return ab;
}

static void check_unchanged(io_matrix *m) {
    int64_t count = m->view.rows * m->view.cols;
    SCRATCH double *before = test_doubles(count), *after = test_doubles(count);
    test_matrix_get(&m->host, before);
    io_get(m, NULL, after);
    for (int64_t k = 0; k < count; k++) assert_true(before[k] == after[k] || (isnan(before[k]) && isnan(after[k])));
}

/* ---- factor and solve ---- */

/* No copy of A, and the handles that keep one. */
enum { PLAIN, REFINED, EQUILIBRATED, MIXED, KINDS };

static clsolve_band_options options_of(int kind, clsolve_band_form form, clsolve_panel panel) {
    return (clsolve_band_options){.form = form,
                                  .panel = panel,
                                  .block = 16,
                                  .refine = kind == REFINED,
                                  .equilibrate = kind == EQUILIBRATED,
                                  .precision = kind == MIXED ? CLSOLVE_PRECISION_MIXED : CLSOLVE_PRECISION_AUTO};
}

static void both_on_the_device(const shape *s, clsolve_band_options options, clsolve_layout layout, clsolve_op op) {
    test_random random = test_random_start(1);
    scratch_band A = test_band_random(&random, io.type, s->n, s->kl, s->ku, 6);
    SCRATCH double *B = io_values(2, s->n * NRHS), *X = test_doubles(s->n * NRHS);
    OWNED(band) *band = NULL;
    clsolve_report report;

    scratch_io ab = put_band(&A, options.form, layout), b = io_put(layout, s->n, NRHS, B);
    EXPECT(clsolve_band_create(io.context, s->n, s->kl, s->ku, io.type, &options, &band), CLSOLVE_OK);
    EXPECT(clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    int copies = options.refine || options.equilibrate || strcmp(report.precision, "mixed") == 0;
    if (options.panel == CLSOLVE_PANEL_NATIVE && !copies) assert_int_equal(report.bytes_up, 0);
    EXPECT(clsolve_band_solve(band, op, &b.view), CLSOLVE_OK);
    io_get(&b, NULL, X);
    double ratio = test_band_ratio(&A, op, NRHS, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d, %d + 1 + %d: ratio %g", (int)s->n, (int)s->kl, (int)s->ku, ratio);
    check_unchanged(&ab);
}

static clsolve_type widest(void) {
    return clsolve_context_device(io.context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
}

/* A test that failed has left another type. */
static int reset(void **state) {
    io.type = widest();
    return 0;
}

static void each_shape(int kind) {
    for (int type = kind == MIXED ? CLSOLVE_F64 : CLSOLVE_F32; type <= CLSOLVE_F64; type++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int panel = CLSOLVE_PANEL_NATIVE; panel <= CLSOLVE_PANEL_HYBRID; panel++)
                for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
                    clsolve_band_form form = (s + (size_t)layout) % 2 ? CLSOLVE_BAND_PLAIN : CLSOLVE_BAND_GBTRF;
                    io.type = (clsolve_type)type;
                    clsolve_op op = s % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
                    both_on_the_device(&shapes[s], options_of(kind, form, (clsolve_panel)panel), (clsolve_layout)layout,
                                       op);
                }
}

TEST(test_device_views) {
    each_shape(PLAIN);
}

TEST(test_refined) {
    each_shape(REFINED);
    each_shape(EQUILIBRATED);
}

TEST(test_mixed) {
    each_shape(MIXED);
}

/* Both forms in both layouts, of one shape. */
TEST(test_forms) {
    for (int form = CLSOLVE_BAND_PLAIN; form <= CLSOLVE_BAND_GBTRF; ++form)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
            both_on_the_device(&shapes[0], options_of(PLAIN, (clsolve_band_form)form, CLSOLVE_PANEL_NATIVE),
                               (clsolve_layout)layout, CLSOLVE_NO_TRANS);
}

/* ---- factors ---- */

/* gbtrf's form in the caller's buffer equals that on the host, elements outside of the matrix too, which stay. */
TEST(test_factors) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            const int64_t n = shapes[s].n, kl = shapes[s].kl, ku = shapes[s].ku, rows = 2 * kl + ku + 1;
            test_random random = test_random_start(1);
            scratch_band A = test_band_random(&random, io.type, n, kl, ku, 6);
            SCRATCH double *before = io_values(5, rows * n), *there = test_doubles(rows * n),
                           *here = test_doubles(rows * n);
            scratch_io ab = put_band(&A, CLSOLVE_BAND_PLAIN, (clsolve_layout)layout);
            scratch_io f = io_put((clsolve_layout)layout, rows, n, before);
            OWNED(band) *band = NULL;
            EXPECT(clsolve_band_create(io.context, n, kl, ku, io.type, NULL, &band), CLSOLVE_OK);
            EXPECT(clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
            EXPECT(clsolve_band_factors(band, &f.view, NULL), CLSOLVE_OK);
            EXPECT(clsolve_band_factors(band, &f.host.view, NULL), CLSOLVE_OK);
            test_matrix_get(&f.host, here);
            io_get(&f, NULL, there);
            io_same(here, there, rows * n);
            clsolve_matrix bad = f.view;
            bad.offset += 1000;
            EXPECT(clsolve_band_factors(band, &bad, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        }
}

/* ---- limits, failures ---- */

/* The least limit with which the whole band is on the device leaves no room for all of B: then B crosses. A smaller one
 * has a window, and such a handle takes no matrix on the device. */
TEST(test_limits) {
    enum { ROWS = 300, SIDES = 200 };
    test_random random = test_random_start(1);
    scratch_band A = test_band_random(&random, io.type, ROWS, KL, KU, 6);
    SCRATCH double *B = io_values(2, (int64_t)ROWS * SIDES), *X = test_doubles((int64_t)ROWS * SIDES);
    clsolve_band_options options = options_of(PLAIN, CLSOLVE_BAND_PLAIN, CLSOLVE_PANEL_NATIVE);
    int windows = 0, whole = 0;

    scratch_io ab = put_band(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR);
    options.memory_limit = test_band_least_limit(io.context, io.type, ROWS, KL, KU, &options);
    for (; whole == 0; options.memory_limit += 4096) {
        clsolve_report report;
        OWNED(band) *band = NULL;
        EXPECT(clsolve_band_create(io.context, ROWS, KL, KU, io.type, &options, &band), CLSOLVE_OK);
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        if (report.slab_columns > 0) {
            EXPECT(clsolve_band_factor(band, &ab.view), CLSOLVE_ERROR_UNSUPPORTED);
            assert_non_null(strstr(clsolve_context_message(io.context), "give it on the host"));
            windows++;
        } else {
            EXPECT(clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                scratch_io b = io_put((clsolve_layout)layout, ROWS, SIDES, B);
                EXPECT(clsolve_band_solve(band, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
                io_get(&b, NULL, X);
                assert_true(test_band_ratio(&A, CLSOLVE_TRANS, SIDES, X, B) < RATIO_BOUND);
            }
            whole++;
        }
    }
    assert_true(windows > 0);
}

/* NaN in A or in B, a singular A, views beyond their buffers: B stays. */
TEST(test_failures) {
    for (int kind = PLAIN; kind < KINDS; kind++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
            test_random random = test_random_start(1);
            clsolve_band_options options = options_of(kind, CLSOLVE_BAND_PLAIN, CLSOLVE_PANEL_NATIVE);
            if (kind == MIXED && io.type == CLSOLVE_F32) continue;
            scratch_band A = test_band_random(&random, io.type, N, KL, KU, 6);
            SCRATCH double *B = io_values(2, (int64_t)N * NRHS);
            scratch_io good = put_band(&A, CLSOLVE_BAND_PLAIN, (clsolve_layout)layout);
            *test_band_at(&A, 40, 37) = (double)NAN;
            scratch_io spoilt = put_band(&A, CLSOLVE_BAND_PLAIN, (clsolve_layout)layout);
            for (int64_t i = 30 - KU; i <= 30 + KL; i++) *test_band_at(&A, i, 30) = 0;
            *test_band_at(&A, 40, 37) = 1;
            scratch_io singular = put_band(&A, CLSOLVE_BAND_PLAIN, (clsolve_layout)layout);
            io_matrix b = io_put((clsolve_layout)layout, N, NRHS, B);
            OWNED(band) *band = NULL;
            EXPECT(clsolve_band_create(io.context, N, KL, KU, io.type, &options, &band), CLSOLVE_OK);
            EXPECT(clsolve_band_factor(band, &spoilt.view), CLSOLVE_ERROR_NONFINITE);
            assert_non_null(strstr(clsolve_context_message(io.context), "(41,38)"));
            EXPECT(clsolve_band_factor(band, &singular.view), CLSOLVE_SINGULAR);
            EXPECT(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_SINGULAR);
            EXPECT(clsolve_band_factor(band, &good.view), CLSOLVE_OK);
            clsolve_matrix bad = good.view;
            bad.offset += 8 * bad.ld;
            EXPECT(clsolve_band_factor(band, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
            bad = b.view, bad.offset += 8 * bad.ld;
            EXPECT(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
            check_unchanged(&b);
            io_drop(&b);
            B[5 + 2 * N] = (double)INFINITY;
            b = io_put((clsolve_layout)layout, N, NRHS, B);
            EXPECT(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
            assert_non_null(strstr(clsolve_context_message(io.context), "B(6,3)"));
            check_unchanged(&b);
            io_drop(&b);
        }
}

int main(void) {
    test_require_device();
    test_require_backend("opencl");
    return test_run_each(io_open, io_close, reset, NULL);
}
