/* Predicted times, kernels compiled ahead, and the lock that does not wait. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <clsolve/clsolve.h>

#include <pthread.h>

#include "api/context.h"
#include "api/where.h"
#include "blas/blas.h"
#include "lu/ratios.h"
#include "support/test_support.h"

static clsolve_context *context;

static int setup(void **state) {
    assert_int_equal(setenv("CLSOLVE_HOST", "", 1), 0);
    context = test_context(0);
    return 0;
}

static int teardown(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

/* ---- predict ---- */

static int auto_compares(void) {
    return !context->device->no_kernels && !cls_in_place(context->device);
}

TEST(test_predict) {
    double device = -1, host = -1, before = 0;
    for (int64_t n = 1; n <= 1 << 13; n *= 2) {
        assert_int_equal(clsolve_lu_predict(context, n, n, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
        assert_true(host >= before && host > 0 && isfinite(host));
        assert_true(auto_compares() ? device > 0 && isfinite(device) : isinf(device));
        before = host;
    }
    /* As a handle's report has it, but for the start. */
    if (auto_compares()) {
        clsolve_lu *lu;
        clsolve_report report;
        assert_int_equal(clsolve_lu_create(context, 300, CLSOLVE_F32, NULL, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        clsolve_lu_destroy(lu);
        assert_int_equal(clsolve_lu_predict(context, 300, 300, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
        assert_true(host == report.expected_host);
        assert_true(device >= report.expected_device);
    }
    /* More work takes longer; a thin matrix takes less than the square around it, and its transpose as long. */
    double thin, wide, square;
    assert_int_equal(clsolve_lu_predict(context, 4000, 200, 1, CLSOLVE_F32, &device, &thin), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_predict(context, 200, 4000, 1, CLSOLVE_F32, &device, &wide), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_predict(context, 4000, 4000, 1, CLSOLVE_F32, &device, &square), CLSOLVE_OK);
    assert_true(thin == wide && thin * 10 < square);
    assert_int_equal(clsolve_lu_predict(context, 4000, 4000, 4000, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
    assert_true(host > square);
    assert_int_equal(clsolve_lu_predict(context, 0, 0, 0, CLSOLVE_F64, &device, &host), CLSOLVE_OK);
}

TEST(test_predict_forced) {
    double device, host;
    assert_int_equal(setenv("CLSOLVE_HOST", "never", 1), 0);
    assert_int_equal(clsolve_lu_predict(context, 9, 9, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
    assert_true(context->device->no_kernels || isinf(host));
    assert_int_equal(setenv("CLSOLVE_HOST", "always", 1), 0);
    assert_int_equal(clsolve_lu_predict(context, 9, 9, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
    assert_true(isfinite(host) && isinf(device));
    assert_int_equal(setenv("CLSOLVE_HOST", "", 1), 0);
}

TEST(test_refused) {
    double device = 3, host = 4;
    assert_int_equal(clsolve_lu_predict(NULL, 1, 1, 1, CLSOLVE_F32, &device, &host), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_predict(context, -1, 1, 1, CLSOLVE_F32, &device, &host),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_predict(context, 1, 1, -1, CLSOLVE_F32, &device, &host),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_predict(context, 1, 1, 1, (clsolve_type)7, &device, &host),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_predict(context, 1, 1, 1, CLSOLVE_F32, NULL, &host), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_true(device == 3 && host == 4);
    assert_int_equal(clsolve_lu_warm(NULL, 1, 1, CLSOLVE_F32), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_warm(context, 1, -1, CLSOLVE_F32), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_lu_is_warm(NULL, CLSOLVE_F32), 0);
    assert_int_equal(clsolve_lu_is_warm(context, (clsolve_type)7), 0);
}

/* ---- warm ---- */

TEST(test_warm) {
    OWNED(context) *fresh = test_context(0);
    assert_int_equal(clsolve_lu_is_warm(fresh, CLSOLVE_F32), fresh->device->no_kernels ? 1 : 0);
    int64_t memory = fresh->device->counters.buffer_bytes;
    assert_int_equal(clsolve_lu_warm(fresh, 0, 0, CLSOLVE_F32), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_warm(fresh, 600, 70, CLSOLVE_F32), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_is_warm(fresh, CLSOLVE_F32), 1);
    assert_int_equal(fresh->device->counters.buffer_bytes, memory);
}

/* ---- the lock ---- */

static void *try_it(void *result) {
    clsolve_status *status = result;
    *status = clsolve_context_try_lock(context);
    if (*status == CLSOLVE_OK) clsolve_context_unlock(context);
    return NULL;
}

static clsolve_status from_another_thread(void) {
    pthread_t thread;
    clsolve_status status = CLSOLVE_ERROR_STATE;
    assert_int_equal(pthread_create(&thread, NULL, try_it, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return status;
}

TEST(test_lock) {
    double device, host;
    assert_int_equal(clsolve_context_try_lock(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_context_unlock(NULL);
    assert_int_equal(from_another_thread(), CLSOLVE_OK);
    assert_int_equal(clsolve_context_try_lock(context), CLSOLVE_OK);
    assert_int_equal(clsolve_context_try_lock(context), CLSOLVE_OK);
    assert_int_equal(from_another_thread(), CLSOLVE_ERROR_BUSY);
    assert_int_equal(clsolve_lu_predict(context, 9, 9, 1, CLSOLVE_F32, &device, &host), CLSOLVE_OK);
    clsolve_context_unlock(context);
    assert_int_equal(from_another_thread(), CLSOLVE_ERROR_BUSY);
    clsolve_context_unlock(context);
    assert_int_equal(from_another_thread(), CLSOLVE_OK);
    assert_string_equal(clsolve_status_name(CLSOLVE_ERROR_BUSY), "ERROR_BUSY");
}

TEST_PROGRAM(setup, teardown)
