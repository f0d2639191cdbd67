/* A band's kernels, compiled ahead. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "api/where.h"
#include "blas/blas.h"
#include "support/test_support.h"

static int is_gpu(void) {
    return test_pretends("gpu");
}

/* Tall, flat and tiny bands, narrow and wide, with more diagonals than the matrix has; all leave the memory as it was. */
TEST(test_shapes) {
    static const int64_t shapes[][3] = {{1, 0, 0},    {2, 1, 1},       {5, 7, 9},       {5, 0, 2},
                                        {127, 2, 0},  {511, 3, 2},     {512, 20, 9},    {513, 31, 33},
                                        {2000, 1, 1}, {513, 600, 700}, {1, 1000, 1000}, {700, 80, 90}};
    OWNED(context) *context = test_context(0);
    const int has_double = clsolve_context_device(context).fp64;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int f = 0; f < 1 + has_double; f++) {
            if (has_double && (k + (size_t)f) % 2 && shapes[k][2] != 2) continue; /* each in one type, some in both */
            int64_t memory = context->device->counters.buffer_bytes;
            clsolve_status status =
                clsolve_band_warm(context, shapes[k][0], shapes[k][1], shapes[k][2], f ? CLSOLVE_F64 : CLSOLVE_F32);
            if (status != CLSOLVE_OK) print_message("%s\n", clsolve_context_message(context));
            assert_int_equal(status, CLSOLVE_OK);
            assert_int_equal(context->device->counters.buffer_bytes, memory);
        }
}

/* Each type and family for itself; no size, no kernels. */
TEST(test_is_warm) {
    OWNED(context) *context = test_context(0);
    const int always = context->device->no_kernels;
    assert_int_equal(clsolve_band_is_warm(context, CLSOLVE_F32), always);
    assert_int_equal(clsolve_band_warm(context, 0, 3, 4, CLSOLVE_F32), CLSOLVE_OK);
    assert_int_equal(clsolve_band_is_warm(context, CLSOLVE_F32), always);
    assert_int_equal(clsolve_band_warm(context, 600, 30, 40, CLSOLVE_F32), CLSOLVE_OK);
    assert_int_equal(clsolve_band_is_warm(context, CLSOLVE_F32), 1);
    assert_int_equal(clsolve_band_is_warm(context, CLSOLVE_F64), always);
    assert_int_equal(clsolve_lu_is_warm(context, CLSOLVE_F32), always);
}

/* After it a handle for these diagonals builds nothing, and the times that are predicted were measured. */
TEST(test_nothing_left) {
    OWNED(context) *context = test_context(0);
    const clsolve_band_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_band *band = NULL;
    double device = 0, host = 0;
    assert_int_equal(clsolve_band_warm(context, 900, 70, 70, CLSOLVE_F32), CLSOLVE_OK);
    const double built = context->device->build_seconds;
    assert_int_equal(clsolve_band_create(context, 900, 70, 70, CLSOLVE_F32, &options, &band), CLSOLVE_OK);
    clsolve_band_destroy(band);
    assert_true(context->device->build_seconds == built);
    if (is_gpu() && !context->device->no_kernels) {
        assert_true(built > 0);
        assert_true(context->where.times[CLS_FAMILY_BAND][1].known);
        assert_int_equal(clsolve_band_predict(context, 900, 900, 70, 70, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
        const cls_task task = {.family = CLS_FAMILY_BAND, .type = CLSOLVE_F32, .n = 900, .kl = 70, .ku = 70, .nrhs = 1};
        assert_true(device == cls_times_of(&context->where.times[CLS_FAMILY_BAND][1], &task).device); /* no start */
    }
}

TEST(test_refused) {
    OWNED(context) *context = test_context(0);
    assert_int_equal(clsolve_band_warm(NULL, 1, 0, 0, CLSOLVE_F32), CLSOLVE_ERROR_INVALID_ARGUMENT);
    static const int64_t wrong[][3] = {{-1, 0, 0}, {1, -1, 0}, {1, 0, -1}, {1, INT64_MAX, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(clsolve_band_warm(context, wrong[k][0], wrong[k][1], wrong[k][2], CLSOLVE_F32),
                         CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(clsolve_context_message(context), "clsolve_band_warm"));
    }
    assert_int_equal(clsolve_band_warm(context, 1, 0, 0, (clsolve_type)7), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_band_is_warm(NULL, CLSOLVE_F32), 0);
    assert_int_equal(clsolve_band_is_warm(context, (clsolve_type)7), 0);
}

static int setup(void **state) {
    return setenv("CLSOLVE_HOST", "", 1);
}

TEST_PROGRAM(setup, NULL)
