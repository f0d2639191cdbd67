/*
 * test_where.c: on the device or on the host: what the options, the size and the state of the kernels decide; what the report
 * says of it; that a host's answers are right, and its failures those of the device.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "support/test_support.h"

#include <clsolve/band.h>
#include <clsolve/band_cholesky.h>
#include <clsolve/gauss_jordan.h>
#include <clsolve/block_gs.h>
#include <clsolve/gauss_jordan_batch.h>
#include <clsolve/lu.h>
#include <clsolve/solve.h>
#include <clsolve/tune.h>

#include "api/beside.h"
#include "api/built.h"
#include "api/context.h"
#include "api/lu_state.h"
#include "api/trial.h"
#include "api/where.h"

static clsolve_context *context;
static char folder[] = "/tmp/clsolve-where-XXXXXX";

/* What is measured is small here: how long it takes is nobody's concern. Bands keep their diagonals, which are k. */

WRAPS(clsolve_status, cls_trial_open, (cls_trial * t)) {
    const int64_t most = t->family == CLS_FAMILY_BATCH ? 16 : 300;
    if (t->n > most) t->n = most;
    if (!cls_family_is_band(t->family) && t->k > most) t->k = most;
    return __real_cls_trial_open(t);
}

static void choose_freely(void) {
    assert_int_equal(setenv("CLSOLVE_HOST", "", 1), 0);
}

/* The context has, or has not, the kernels of the family for floats, which are the first type, at order n. */
static void set_built(cls_family family, int64_t n, int64_t k, int here) {
    const cls_task task = {.family = family, .type = CLSOLVE_F32, .n = n, .kl = k, .ku = k};
    (void)cls_built_state_of(context, &task);
    for (int s = 0; s < context->where.shape_count; ++s) {
        cls_built *built = &context->where.shapes[s];
        if (built->family == family && built->type == CLSOLVE_F32 && built->shape == cls_task_shape(&task))
            built->here = here;
    }
}

static int setup(void **state) {
    choose_freely();
    return 0;
}

static clsolve_report lu_report(int64_t n, const clsolve_lu_options *options) {
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_lu_create(context, n, CLSOLVE_F32, options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report;
}

static void expect_lu(int64_t n, clsolve_lu_options options, const char *where, const char *reason) {
    clsolve_report report = lu_report(n, &options);
    assert_string_equal(report.where, where);
    assert_non_null(strstr(report.where_reason, reason));
}

/* ---- what decides ---- */

static void test_asked_for(void **state) {
    expect_lu(7, (clsolve_lu_options){.where = CLSOLVE_WHERE_HOST}, "host", "asked for");
    expect_lu(7, (clsolve_lu_options){.where = CLSOLVE_WHERE_DEVICE}, "device", "asked for");
    expect_lu(7, (clsolve_lu_options){.panel = CLSOLVE_PANEL_NATIVE}, "device", "the device alone can do it");
    expect_lu(7, (clsolve_lu_options){.memory_limit = 1 << 24}, "device", "the device alone can do it");
    expect_lu(7, (clsolve_lu_options){.block = 32}, "device", "the device alone can do it");
}

static void test_refused(void **state) {
    clsolve_lu_options wrong[] = {{.where = CLSOLVE_WHERE_HOST, .panel = CLSOLVE_PANEL_NATIVE},
                                  {.where = CLSOLVE_WHERE_HOST, .pivoting = CLSOLVE_PIVOTING_RBT},
                                  {.where = CLSOLVE_WHERE_HOST, .memory_limit = 1000000}};
    clsolve_lu *lu = NULL;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
        assert_int_equal(clsolve_lu_create(context, 5, CLSOLVE_F32, &wrong[w], &lu), CLSOLVE_ERROR_UNSUPPORTED);
        assert_null(lu);
        assert_non_null(strstr(clsolve_context_message(context), "leave `where` 0"));
    }
    clsolve_lu_options unknown = {.where = (clsolve_where)3};
    assert_int_equal(clsolve_lu_create(context, 5, CLSOLVE_F32, &unknown, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_gauss_jordan *jordan = NULL;
    clsolve_gauss_jordan_options rows = {.where = CLSOLVE_WHERE_HOST, .pivoting = CLSOLVE_PIVOTING_NONE};
    assert_int_equal(clsolve_gauss_jordan_create(context, 5, CLSOLVE_F32, &rows, &jordan), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_solver *solver = NULL;
    clsolve_solver_options grid = {.method = CLSOLVE_METHOD_BLOCK_GS, .where = CLSOLVE_WHERE_HOST};
    const int32_t start[] = {0, 1}, column[] = {0};
    const float value[] = {1};
    clsolve_csr A = clsolve_csr_f32(1, start, column, value);
    assert_int_equal(clsolve_solver_create_csr(context, &A, &grid, &solver), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* The environment stands in AUTO's place only. */
static void test_environment(void **state) {
    assert_int_equal(setenv("CLSOLVE_HOST", "never", 1), 0);
    expect_lu(7, (clsolve_lu_options){0}, "device", "asked for");
    expect_lu(7, (clsolve_lu_options){.where = CLSOLVE_WHERE_HOST}, "host", "asked for");
    assert_int_equal(setenv("CLSOLVE_HOST", "always", 1), 0);
    expect_lu(7, (clsolve_lu_options){0}, "host", "asked for");
    expect_lu(7, (clsolve_lu_options){.where = CLSOLVE_WHERE_DEVICE}, "device", "asked for");
    expect_lu(7, (clsolve_lu_options){.panel = CLSOLVE_PANEL_NATIVE}, "device", "the device alone can do it");
    choose_freely();
}

/* Samples by which the host takes `host` seconds at every size, and the device `device`. */
static void pretend_in(clsolve_context *in, double host, double device) {
    cls_times times = {.known = 1};
    for (int s = 0; s < CLS_SAMPLES; ++s) times.host.fixed[s] = host, times.device.fixed[s] = device;
    for (int f = 0; f < CLS_FAMILIES; ++f) in->where.times[f][0] = in->where.times[f][1] = times;
}

static void pretend(double host, double device) {
    pretend_in(context, host, device);
}

/* The report of one call is of that call, also where a handle is there from the call before. */
static void test_one_call(void **state) {
    static const char *const reasons[] = {"asked for", "auto"};
    if (context->device->no_kernels) return;
    for (int turn = 0; turn < 4; ++turn) {
        double a[4] = {2, 0, 0, 4}, b[2] = {2, 4};
        clsolve_matrix A = clsolve_matrix_f64(2, 2, a), B = clsolve_matrix_f64(2, 1, b);
        clsolve_solver_options options = {.where = turn % 2 ? CLSOLVE_WHERE_AUTO : CLSOLVE_WHERE_HOST};
        clsolve_solve_report report;
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, &report), CLSOLVE_OK);
        assert_true(b[0] == 1 && b[1] == 1);
        assert_string_equal(report.report.where, "host");
        if (!strstr(report.report.where_reason, reasons[turn % 2]))
            fail_msg("turn %d: %s", turn, report.report.where_reason);
    }
    for (int turn = 0; turn < 3 && !context->device->info.host_memory; ++turn) {
        double a[4] = {2, 0, 0, 4}, b[2] = {2, 4}, host = 1e-3 * (1 + turn);
        clsolve_matrix A = clsolve_matrix_f64(2, 2, a), B = clsolve_matrix_f64(2, 1, b);
        clsolve_solve_report report;
        pretend(host, 1);
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, &report), CLSOLVE_OK);
        assert_true(fabs(report.report.expected_host - host) < 1e-9);
    }
}

static void test_compared(void **state) {
    if (context->device->info.host_memory) {
        expect_lu(7, (clsolve_lu_options){0}, "host", "the host's own cores");
        return;
    }
    set_built(CLS_FAMILY_LU, 64, 0, 1);
    pretend(1e-3, 2e-3);
    expect_lu(64, (clsolve_lu_options){0}, "host", "expected to be faster");
    pretend(2e-3, 1e-3);
    expect_lu(64, (clsolve_lu_options){0}, "device", "expected to be faster");
    clsolve_report report = lu_report(64, NULL);
    assert_true(fabs(report.expected_host - 2e-3) < 1e-9 && fabs(report.expected_device - 1e-3) < 1e-9);
}

static clsolve_report band_cholesky_report(int64_t n, int64_t k, const clsolve_band_cholesky_options *options) {
    OWNED(band_cholesky) *band = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_band_cholesky_create(context, n, k, CLSOLVE_F32, options, &band), CLSOLVE_OK);
    assert_int_equal(clsolve_band_cholesky_report(band, &report), CLSOLVE_OK);
    return report;
}

/* Cholesky of a band: by what was measured; on the host where the device has no room, unless the device was asked for. */
static void test_band_cholesky(void **state) {
    clsolve_band_cholesky_options options = {.where = CLSOLVE_WHERE_HOST, .memory_limit = 1 << 20};
    clsolve_band_cholesky *band = NULL;
    assert_int_equal(clsolve_band_cholesky_create(context, 9, 2, CLSOLVE_F32, &options, &band),
                     CLSOLVE_ERROR_UNSUPPORTED);
    options.where = CLSOLVE_WHERE_AUTO;
    assert_string_equal(band_cholesky_report(9, 2, &options).where, "device");
    if (context->device->info.host_memory) {
        assert_non_null(strstr(band_cholesky_report(9, 2, NULL).where_reason, "the host's own cores"));
        return;
    }
    options.memory_limit = 1000;
    assert_int_equal(clsolve_band_cholesky_create(context, 99, 2, CLSOLVE_F32, &options, &band),
                     CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "memory_limit leaves"));
    set_built(CLS_FAMILY_BAND_CHOLESKY, 99, 2, 1);
    pretend(2e-3, 1e-3);
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        cls_times *times = &context->where.times[CLS_FAMILY_BAND_CHOLESKY][1];
        times->host.each[s] = times->host.other[s] = 2e-6;
        times->device.each[s] = times->device.other[s] = 1e-6;
    }
    assert_string_equal(band_cholesky_report(99, 2, NULL).where, "device");
    const int64_t memory = context->device->info.global_memory;
    context->device->info.global_memory = context->device->counters.buffer_bytes + 1000;
    clsolve_report report = band_cholesky_report(99, 2, NULL);
    assert_string_equal(report.where, "host");
    assert_non_null(strstr(report.where_reason, "no room for the band"));
    const clsolve_band_cholesky_options there = {.where = CLSOLVE_WHERE_DEVICE};
    assert_int_equal(clsolve_band_cholesky_create(context, 99, 2, CLSOLVE_F32, &there, &band),
                     CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    context->device->info.global_memory = memory;
}

/* Of few rows on the host, with a GPU, AUTO takes the faster of Cholesky and LU, each on its faster side. */
static void test_symmetric(void **state) {
    enum { N = 130 };
    static float a[N * N], b[N];
    static const double expected[][2] = {{0.5e-3, 9}, {2e-3, 9}, {2e-3, 0.9e-3}}; /* of Cholesky: host, device */
    static const char *const methods[] = {"cholesky", "lu", "cholesky"}, *const places[] = {"host", "host", "device"};
    if (context->device->info.host_memory) return;
    for (int k = 0; k < N * N; ++k) a[k] = k % (N + 1) == 0 ? 2 * N : 1;
    for (int c = 0; c < 3; ++c) {
        clsolve_matrix A = clsolve_matrix_f32(N, N, a), B = clsolve_matrix_f32(N, 1, b);
        clsolve_solve_report report;
        for (int i = 0; i < N; ++i) b[i] = 3 * N - 1;
        pretend(1e-3, 9);
        cls_times *times = &context->where.times[CLS_FAMILY_CHOLESKY][1];
        for (int s = 0; s < CLS_SAMPLES; ++s) {
            times->host.fixed[s] = expected[c][0];
            times->device.fixed[s] = expected[c][1];
        }
        set_built(CLS_FAMILY_CHOLESKY, N, 0, 1);
        assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, &report), CLSOLVE_OK);
        assert_string_equal(report.name, methods[c]);
        assert_string_equal(report.report.where, places[c]);
        for (int i = 0; i < N; ++i) assert_true(fabsf(b[i] - 1) < 1e-3f);
    }
    set_built(CLS_FAMILY_CHOLESKY, N, 0, 0);
}

static clsolve_context *context_in(const char *cache_folder) {
    const clsolve_context_options options = {.selector = clsolve_context_device(context).selector,
                                             .cache_folder = cache_folder};
    clsolve_context *made = NULL;
    assert_int_equal(clsolve_context_create_with(&options, &made), CLSOLVE_OK);
    return made;
}

/* Without kernels a call goes to the host where that ends sooner than a compiler, and a later one to the device. */
static void test_not_built(void **state) {
    const cls_task task = {.family = CLS_FAMILY_INVERSE, .type = CLSOLVE_F32, .n = 40};
    cls_choice choice;
    if (context->device->info.host_memory) return;
    for (int with_folder = 0; with_folder < 2; ++with_folder) {
        OWNED(context) *fresh = context_in(with_folder ? NULL : "");
        pretend_in(fresh, 9, 0.1);
        assert_int_equal(cls_where_choose(fresh, "test", &task, CLSOLVE_WHERE_AUTO, 1, &choice), CLSOLVE_OK);
        assert_string_equal(choice.where, "device"); /* the host takes longer than the compiler */
        assert_null(fresh->beside);
        pretend_in(fresh, 0.1, 0.09);
        assert_int_equal(cls_where_choose(fresh, "test", &task, CLSOLVE_WHERE_AUTO, 1, &choice), CLSOLVE_OK);
        assert_string_equal(choice.where, "host");
        assert_non_null(strstr(choice.reason, "while a thread compiles"));
        cls_beside_wait(fresh);
        assert_int_equal(cls_where_choose(fresh, "test", &task, CLSOLVE_WHERE_AUTO, 1, &choice), CLSOLVE_OK);
        assert_string_equal(choice.where, "device");
    }
}

/* Where the guess does not decide, and the kernels are built, both sides are measured when there has been enough work; once. */
static void test_measured(void **state) {
    cls_times *times = &context->where.times[CLS_FAMILY_LU][1];
    if (context->device->info.host_memory) return;
    *times = (cls_times){0};
    int64_t n = 16; /* an order for which the guess is not plain */
    for (; n < 4096; n += 16) {
        cls_task task = {.family = CLS_FAMILY_LU, .type = CLSOLVE_F32, .n = n, .nrhs = 1};
        cls_times guess = cls_times_guess(&context->device->info, 2, CLS_FAMILY_LU, CLSOLVE_F32);
        cls_seconds_pair pair = cls_times_of(&guess, &task);
        if (pair.host < 2 * pair.device && pair.device < 2 * pair.host) break;
    }
    assert_true(n < 4096);
    set_built(CLS_FAMILY_LU, n, 0, 1);
    context->where.unsure[CLS_FAMILY_LU][1] = (cls_sum){0};
    (void)lu_report(n, NULL);
    assert_int_equal(times->known, 0);
    context->where.unsure[CLS_FAMILY_LU][1].here = 10;
    (void)lu_report(n, NULL); /* a thread compiles the samples' programs before */
    cls_beside_wait(context);
    (void)lu_report(n, NULL);
    assert_int_equal(times->known, 1);
    cls_times first = *times;
    for (int s = 0; s < CLS_SAMPLES; ++s) assert_true(first.host.fixed[s] > 0 && first.device.fixed[s] > 0);
    *times = (cls_times){0};
    (void)lu_report(n, NULL); /* from the folder */
    assert_memory_equal(times, &first, sizeof first);
}

/* All families at once; other contexts find it in the folder. */
static void test_calibrate(void **state) {
    clsolve_context_options options = {.selector = clsolve_context_device(context).selector};
    OWNED(context) *other = NULL;
    cls_choice choice;
    memset(context->where.times, 0, sizeof context->where.times);
    assert_int_equal(clsolve_calibrate(context, CLSOLVE_F32), CLSOLVE_OK);
    for (int f = 0; f < CLS_FAMILIES; ++f) {
        const cls_samples *device = &context->where.times[f][1].device;
        assert_int_equal(context->where.times[f][1].known, 1);
        assert_true(device->fixed[0] > 0);
        /* What the measurement has compiled is not counted against the device any more. */
        if (!context->device->info.host_memory) assert_int_equal(context->where.built[f][0], 1);
    }
    assert_int_equal(clsolve_calibrate(context, (clsolve_type)9), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_calibrate(NULL, CLSOLVE_F32), CLSOLVE_ERROR_INVALID_ARGUMENT);
    if (context->device->info.host_memory) return; /* nothing is compared there */
    assert_int_equal(clsolve_context_create_with(&options, &other), CLSOLVE_OK);
    cls_task task = {.family = CLS_FAMILY_LU, .type = CLSOLVE_F32, .n = 100, .nrhs = 1};
    assert_int_equal(cls_where_choose(other, "test", &task, CLSOLVE_WHERE_AUTO, 1, &choice), CLSOLVE_OK);
    assert_memory_equal(&other->where.times[CLS_FAMILY_LU][1], &context->where.times[CLS_FAMILY_LU][1],
                        sizeof(cls_times));
    /* They have only to be loaded. */
    pretend_in(other, 0.2, 0.1);
    task.family = CLS_FAMILY_CHOLESKY;
    assert_int_equal(cls_where_choose(other, "test", &task, CLSOLVE_WHERE_AUTO, 1, &choice), CLSOLVE_OK);
    assert_string_equal(choice.where, "device");
}

/* ---- the model ---- */

static void test_model(void **state) {
    cls_times times = {.known = 1};
    cls_task task = {.family = CLS_FAMILY_LU, .type = CLSOLVE_F64};
    for (int s = 0; s < CLS_SAMPLES; ++s)
        times.host.fixed[s] = times.device.fixed[s] = 1e-9 * pow((double)cls_sample_orders[s], 2.5);
    const int64_t orders[] = {16, 20, 64, 100, 256, 700, 1024, 1500, 9000};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
        task.n = orders[k];
        double wanted = 1e-9 * pow((double)task.n, 2.5);
        assert_true(fabs(cls_times_of(&times, &task).host - wanted) < 1e-9 * wanted);
    }
    double last = 0;
    for (task.n = 0; task.n < 16; ++task.n) { /* positive, and never falling */
        double seconds = cls_times_of(&times, &task).device;
        assert_true(seconds > 0 && seconds >= last);
        last = seconds;
    }
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        double k = (double)cls_sample_diagonals[s];
        times.host.fixed[s] = 1e-6, times.host.each[s] = 1e-9 * k * k, times.host.other[s] = 3e-9 * k * k;
        times.device = times.host;
    }
    task = (cls_task){.family = CLS_FAMILY_BAND, .type = CLSOLVE_F64, .n = 1000, .kl = 64, .ku = 64};
    assert_true(fabs(cls_times_of(&times, &task).host - (1e-6 + 1000 * 1e-9 * 4096)) < 1e-9);
    task.n = 100000; /* caches do not hold it */
    assert_true(fabs(cls_times_of(&times, &task).host - (1e-6 + 100000 * 3e-9 * 4096)) < 1e-9);
    task.kl = task.ku = 0;
    assert_true(cls_times_of(&times, &task).host > 0);
}

/* Cholesky and LU on a large GPU, from host to host: up to n = 1024 the time grows as n, and behind that, where no sample
 * is, ever faster. The seconds at n = 1024 and more are those of an H100, the host's those of 16 cores beside it. */
static void test_model_beyond_the_samples(void **state) {
    static const struct {
        cls_family family;
        double host, device; /* at n = 1024 */
        double behind[3];    /* n = 2048, 4096 and 8192; 0: not measured */
    } cases[] = {{CLS_FAMILY_CHOLESKY, 7.8e-3, 1.46e-3, {3.2e-3, 7.9e-3, 26e-3}},
                 {CLS_FAMILY_LU, 13.5e-3, 3.0e-3, {8.4e-3, 0, 0}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        cls_times times = {.known = 1};
        cls_task task = {.family = cases[c].family, .type = CLSOLVE_F64, .n = 128, .nrhs = 1};
        for (int s = 0; s < CLS_SAMPLES; ++s) {
            const double part = (double)cls_sample_orders[s] / 1024;
            times.host.fixed[s] = cases[c].host * pow(part, 2.5);
            times.device.fixed[s] = cases[c].device * part;
        }
        assert_true(cls_times_of(&times, &task).host < cls_times_of(&times, &task).device);
        for (int k = 0; k < 3; ++k) {
            task.n = INT64_C(2048) << k;
            const cls_seconds_pair pair = cls_times_of(&times, &task);
            const double measured = cases[c].behind[k];
            assert_true(pair.device < pair.host);
            if (measured > 0 && !(pair.device > measured / 1.6 && pair.device < 1.6 * measured))
                fail_msg("n = %d: %g s expected, %g s measured", (int)task.n, pair.device, measured);
        }
    }
}

/* LDL^T on a large GPU searches for pivots for longer than it multiplies, so its time grows more slowly than LU's: the
 * device's 2.71, 5.70 and 13.5 ms at n = 2048 to 8192 are an H200's. */
static void test_model_of_ldl(void **state) {
    static const double measured[] = {2.71e-3, 5.70e-3, 13.5e-3};
    cls_times times = {.known = 1};
    cls_task task = {.family = CLS_FAMILY_LDL, .type = CLSOLVE_F64, .nrhs = 1};
    for (int s = 0; s < CLS_SAMPLES; ++s)
        times.host.fixed[s] = times.device.fixed[s] = 1.3e-3 * (double)cls_sample_orders[s] / 1024;
    for (int k = 0; k < 3; ++k) {
        task.n = INT64_C(2048) << k;
        const double expected = cls_times_of(&times, &task).device;
        assert_true(expected > measured[k] / 1.3 && expected < 1.3 * measured[k]);
    }
}

/* A batch too small to wake threads for takes each member's own time; a larger one what all threads take, where that is less. */
static void test_model_of_batches(void **state) {
    cls_times times = {.known = 1};
    cls_task task = {.family = CLS_FAMILY_BATCH, .type = CLSOLVE_F64, .n = 16};
    times.host.serial = 10 * 16 * 16 * 16;
    for (int s = 0; s < CLS_SAMPLES; ++s)
        times.host.fixed[s] = 5e-6, times.host.each[s] = 1e-7, times.host.other[s] = 1e-6;
    times.device = times.host;
    times.device.serial = 0;
    for (task.count = 1; task.count < 40; ++task.count) {
        cls_seconds_pair pair = cls_times_of(&times, &task);
        double count = (double)task.count, all = fmin(5e-6 + 1e-7 * count, 1e-6 * count);
        assert_true(fabs(pair.host - (task.count < 10 ? 1e-6 * count : all)) < 1e-12);
        assert_true(fabs(pair.device - all) < 1e-12);
    }
}

/* Lines too short together to wake threads for take one thread's time. */
static void test_model_of_lines(void **state) {
    cls_times times = {.known = 1};
    cls_task task = {.family = CLS_FAMILY_LINES, .type = CLSOLVE_F64, .n = 100};
    times.host = (cls_samples){.fixed = {1e-6}, .each = {8e-9, 2e-9}, .serial = 2000};
    times.device = times.host;
    times.device.serial = 0;
    for (task.count = 1; task.count < 40; ++task.count) {
        cls_seconds_pair pair = cls_times_of(&times, &task);
        double all = 100.0 * (double)task.count, shared = 1e-6 + 100 * 8e-9 + all * 2e-9;
        assert_true(fabs(pair.host - (all < 2000 ? 1e-6 + all * 1e-8 : shared)) < 1e-12);
        assert_true(fabs(pair.device - shared) < 1e-12);
    }
}

/* ---- bands on the host with a pivot that has no reciprocal ---- */

enum { N = 40 };

/* Diagonals -1, 0, 1 of (1, 0, 1) but for a(N,N) = 5e-324 after elimination: its pivot is subnormal. */
static void test_subnormal_pivot(void **state) {
    double ab[3 * N], b[N], x[N];
    clsolve_band_options options = {.where = CLSOLVE_WHERE_HOST};
    clsolve_band *band = NULL;
    for (int op = 0; op < 2; ++op) {
        for (int j = 0; j < N; ++j) ab[3 * j] = 0.25, ab[3 * j + 1] = 1, ab[3 * j + 2] = 0.25;
        /* The last unknown stands alone. */
        ab[3 * (N - 1)] = 0, ab[3 * (N - 2) + 2] = 0, ab[3 * (N - 1) + 1] = 0x1p-1070;
        for (int j = 0; j < N; ++j) x[j] = 1 + j % 3;
        for (int i = 0; i < N; ++i) {
            b[i] = ab[3 * i + 1] * x[i];
            if (i > 0) b[i] += (op ? ab[3 * i] : ab[3 * (i - 1) + 2]) * x[i - 1];
            if (i < N - 1) b[i] += (op ? ab[3 * i + 2] : ab[3 * (i + 1)]) * x[i + 1];
        }
        clsolve_matrix AB = clsolve_matrix_f64(3, N, ab), B = clsolve_matrix_f64(N, 1, b);
        assert_int_equal(clsolve_band_create(context, N, 1, 1, CLSOLVE_F64, &options, &band), CLSOLVE_OK);
        assert_int_equal(clsolve_band_factor(band, &AB), CLSOLVE_OK);
        assert_int_equal(clsolve_band_solve(band, op ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, &B), CLSOLVE_OK);
        for (int i = 0; i < N; ++i) assert_true(fabs(b[i] - x[i]) < 1e-13);
        clsolve_report report;
        assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
        assert_string_equal(report.band.panel, "lapack");
        assert_true(report.host_bytes > 0 && report.device_bytes == 0 && report.bytes_up == 0);
        clsolve_band_destroy(band);
    }
}

/* ---- a context of the host alone ---- */

static void test_host_alone(void **state) {
    OWNED(context) *host = NULL;
    double a[] = {4, 1, 1, 3}, b[] = {5, 4}, inverse[4];
    clsolve_matrix A = clsolve_matrix_f64(2, 2, a), B = clsolve_matrix_f64(2, 1, b),
                   X = clsolve_matrix_f64(2, 2, inverse);
    clsolve_solve_report report;
    clsolve_gauss_jordan *jordan = NULL;
    clsolve_block_gs *grid = NULL;
    assert_int_equal(clsolve_context_create("HOST", &host), CLSOLVE_OK);
    assert_string_equal(clsolve_context_device(host).selector, "host");
    assert_int_equal(clsolve_solve(host, CLSOLVE_NO_TRANS, &A, &B, NULL, &report), CLSOLVE_OK);
    assert_true(fabs(b[0] - 1) < 1e-15 && fabs(b[1] - 1) < 1e-15);
    assert_string_equal(report.report.where, "host");
    assert_int_equal(clsolve_gauss_jordan_create(host, 2, CLSOLVE_F64, NULL, &jordan), CLSOLVE_OK);
    assert_int_equal(clsolve_gauss_jordan_invert(jordan, &A, &X), CLSOLVE_OK);
    assert_true(fabs(inverse[0] - 3.0 / 11) < 1e-15);
    clsolve_gauss_jordan_destroy(jordan);
    assert_int_equal(clsolve_block_gs_create(host, 2, 2, CLSOLVE_F64, NULL, &grid), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(host), "choose a device"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_asked_for, setup),
                                       cmocka_unit_test_setup(test_refused, setup),
                                       cmocka_unit_test_setup(test_environment, setup),
                                       cmocka_unit_test_setup(test_compared, setup),
                                       cmocka_unit_test_setup(test_band_cholesky, setup),
                                       cmocka_unit_test_setup(test_not_built, setup),
                                       cmocka_unit_test_setup(test_symmetric, setup),
                                       cmocka_unit_test_setup(test_measured, setup),
                                       cmocka_unit_test_setup(test_calibrate, setup),
                                       cmocka_unit_test(test_one_call),
                                       cmocka_unit_test(test_model),
                                       cmocka_unit_test(test_model_beyond_the_samples),
                                       cmocka_unit_test(test_model_of_ldl),
                                       cmocka_unit_test(test_model_of_batches),
                                       cmocka_unit_test(test_model_of_lines),
                                       cmocka_unit_test_setup(test_subnormal_pivot, setup),
                                       cmocka_unit_test(test_host_alone)};
    test_require_device();
    /* A folder of programs of its own: what is measured is kept there, and nothing is known before. */
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0) return EXIT_FAILURE;
    context = test_context(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsolve_context_destroy(context);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? failed : EXIT_FAILURE;
}
