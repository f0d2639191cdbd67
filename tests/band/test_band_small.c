/* A small band with panels on the device, as a whole and through a window: small enough for a simulated device. */
#include "band/band_support.h"

static clsolve_context *context;

/* The smallest limit of these that such a band is taken with. */
static int64_t some_limit(const test_band *A, clsolve_band_options options) {
    for (options.memory_limit = 250000;; options.memory_limit += 2000) {
        clsolve_band *band = NULL;
        clsolve_status status = clsolve_band_create(context, A->n, A->kl, A->ku, A->type, &options, &band);
        clsolve_band_destroy(band);
        if (status == CLSOLVE_OK) return options.memory_limit;
        assert_true(options.memory_limit < 400000);
    }
}

static void solve_small(clsolve_type type, int window) {
    test_random random = test_random_start(1);
    scratch_band A = test_band_random(&random, type, 26, 4, 3, 0);
    clsolve_band_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 4};
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
    double B[52], X[52];
    OWNED(band) *band = NULL;
    clsolve_report report;

    if (window) options.memory_limit = some_limit(&A, options);
    BAND_EXPECT(context, clsolve_band_create(context, A.n, A.kl, A.ku, type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, A.n, 2, 0);
        for (int k = 0; k < 52; ++k) B[k] = 1 + k % 3;
        test_matrix_set(&b, B);
        BAND_EXPECT(context, clsolve_band_solve(band, (clsolve_op)op, &b.view), CLSOLVE_OK);
        test_matrix_get(&b, X);
        assert_true(test_band_ratio(&A, (clsolve_op)op, 2, X, B) < RATIO_BOUND);
    }
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_int_equal(report.slab_columns > 0, window);
}

TEST(test_small) {
    const clsolve_type type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    if (!test_reduced()) solve_small(CLSOLVE_F32, 0); /* a window has the same kernels */
    solve_small(type, 1);
}

int main(void) {
    test_require_device();
    context = test_context(0);
    int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
