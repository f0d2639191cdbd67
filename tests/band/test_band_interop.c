/* Bands and right-hand sides in the caller's own OpenCL buffers: they never cross to the host, and what is beside them stays. */
#include <math.h>
#include <stdlib.h>

#include "band/band_support.h"
#include "lu/interop_support.h"

enum { N = 90, KL = 5, KU = 8, NRHS = 3 };

/* Beyond the buffer; row-major; a handle that keeps its copy on the host. */
static void check_refusals(clsolve_band *band, const io_matrix *ab) {
    clsolve_matrix view = ab->view;
    view.offset += 8 * view.ld;
    BAND_EXPECT(io.context, clsolve_band_factor(band, &view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    view = ab->view;
    view.layout = CLSOLVE_ROW_MAJOR;
    view.ld = N;
    BAND_EXPECT(io.context, clsolve_band_factor(band, &view), CLSOLVE_ERROR_UNSUPPORTED);

    clsolve_band_options options = {.form = ab->view.rows > KL + KU + 1 ? CLSOLVE_BAND_GBTRF : CLSOLVE_BAND_PLAIN,
                                    .refine = 1};
    clsolve_band *refined = NULL;
    BAND_EXPECT(io.context, clsolve_band_create(io.context, N, KL, KU, io.type, &options, &refined), CLSOLVE_OK);
    BAND_EXPECT(io.context, clsolve_band_factor(refined, &ab->view), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_band_destroy(refined);
}

static void both_on_the_device(clsolve_panel panel, clsolve_band_form form, clsolve_layout layout) {
    test_random random = test_random_start(1);
    test_band A = test_band_random(&random, io.type, N, KL, KU, 0);
    test_matrix host = test_band_view(&A, form, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
    double *AB = test_doubles(host.view.rows * N), *B = io_values(2, (int64_t)N * NRHS), *X = test_doubles(N * NRHS);
    clsolve_band_options options = {.form = form, .panel = panel, .block = 16};
    clsolve_band *band = NULL;
    clsolve_report report;

    test_matrix_get(&host, AB);
    io_matrix ab = io_put(CLSOLVE_COLUMN_MAJOR, host.view.rows, N, AB);
    io_matrix b = io_put(layout, N, NRHS, B);
    BAND_EXPECT(io.context, clsolve_band_create(io.context, N, KL, KU, io.type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(io.context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    if (panel == CLSOLVE_PANEL_NATIVE) assert_int_equal(report.bytes_up, 0);
    BAND_EXPECT(io.context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    io_get(&b, NULL, X);
    assert_true(test_band_ratio(&A, CLSOLVE_NO_TRANS, NRHS, X, B) < RATIO_BOUND);
    check_refusals(band, &ab);
    clsolve_band_destroy(band);

    io_drop(&ab);
    io_drop(&b);
    test_matrix_free(&host);
    test_band_free(&A);
    free(AB);
    free(B);
    free(X);
}

static void test_device_views(void **state) {
    (void)state;
    for (int panel = CLSOLVE_PANEL_NATIVE; panel <= CLSOLVE_PANEL_HYBRID; ++panel)
        for (int form = CLSOLVE_BAND_PLAIN; form <= CLSOLVE_BAND_GBTRF; ++form)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout)
                both_on_the_device((clsolve_panel)panel, (clsolve_band_form)form, (clsolve_layout)layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_device_views)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, io_open, io_close);
}
