/* Dense LU under a memory limit: the same answers from less memory, how much less, and what it costs in transfers. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "lu/ratios.h"
#include "support/test_support.h"

static clsolve_context *context;
static clsolve_type type; /* double where the device has it */

/* ---- the most device memory that was taken at any moment ---- */

static cls_device_ops watched;
static const cls_device_ops *plain;
static int64_t base, peak;

static clsolve_status watch(cls_device *device, size_t bytes, cls_buffer **buffer) {
    clsolve_status status = plain->buffer_create(device, bytes, buffer);
    if (device->counters.buffer_bytes - base > peak) peak = device->counters.buffer_bytes - base;
    return status;
}

static void start_watch(void) {
    base = context->device->counters.buffer_bytes;
    peak = 0;
}

/* ---- helpers ---- */

static double *doubles(int64_t count) {
    double *memory = calloc((size_t)count + 1, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static int64_t size_of(clsolve_type t) {
    return t == CLSOLVE_F64 ? 8 : 4;
}

#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), words))                                      \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

/* The least that the refusal asks for; `block` 0: the library's choice. */
static int64_t least_limit(clsolve_type t, int64_t n, int32_t block) {
    clsolve_lu_options options = test_lu_options();
    clsolve_lu *lu = NULL;
    options.block = block;
    options.memory_limit = 1;
    long long wants = 0;
    EXPECT(clsolve_lu_create(context, n, t, &options, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "wants");
    assert_null(lu);
    assert_int_equal(sscanf(strstr(clsolve_context_message(context), "wants"), "wants %lld", &wants), 1);
    return wants;
}

static clsolve_lu *make(clsolve_type t, int64_t n, const clsolve_lu_options *options) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options mine = {0};
    if (options) mine = *options;
    mine.panel = test_lu_options().panel;
    if (clsolve_lu_create(context, n, t, &mine, &lu) != CLSOLVE_OK)
        fail_msg("create, limit %lld: %s", (long long)mine.memory_limit, clsolve_context_message(context));
    return lu;
}

static clsolve_report report_of(const clsolve_lu *lu) {
    clsolve_report report;
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report;
}

/* Factors, exports and solves both ways; everything within the limit. `singular`: info expected, 0: none. */
static void check_handle(clsolve_lu *lu, test_random *random, clsolve_type t, clsolve_layout layout, int64_t n,
                         int64_t nrhs, const double *A, int64_t singular) {
    double *LU = doubles(n * n), *B = doubles(n * nrhs), *X = doubles(n * nrhs);
    int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    test_matrix a = test_matrix_make(t, layout, n, n, 3), f = test_matrix_make(t, layout, n, n, 1);

    assert_non_null(ipiv);
    test_matrix_set(&a, A);
    clsolve_status status = clsolve_lu_factor(lu, &a.view);
    if (status != (singular ? CLSOLVE_SINGULAR : CLSOLVE_OK)) fail_msg("%s", clsolve_context_message(context));
    assert_int_equal(report_of(lu).info, singular);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    test_matrix_spare_intact(&f);
    double ratio = ratio_factors(t, n, A, LU, ipiv);
    if (!(ratio < RATIO_BOUND)) fail_msg("factors' ratio %g", ratio);

    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        test_matrix b = test_matrix_make(t, layout, n, nrhs, 2);
        for (int64_t k = 0; k < n * nrhs; ++k) B[k] = test_rounded(t, test_random_signed(random));
        test_matrix_set(&b, B);
        status = clsolve_lu_solve(lu, (clsolve_op)op, &b.view);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        assert_int_equal(status, singular ? CLSOLVE_SINGULAR : CLSOLVE_OK);
        ratio = singular ? 0 : ratio_solve(t, (clsolve_op)op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("op %d, type %d, layout %d: ratio %g", op, (int)t, (int)layout, ratio);
        for (int64_t k = 0; singular && k < n * nrhs; ++k) assert_true(X[k] == B[k]);
        test_matrix_free(&b);
    }
    test_matrix_free(&a);
    test_matrix_free(&f);
    free(LU);
    free(B);
    free(X);
    free(ipiv);
}

/* ---- tests ---- */

/* From two panels to the whole: always right, and never above the limit. */
static void sweep(clsolve_type t, clsolve_layout layout, uint64_t use) {
    test_random random = test_random_start(use);
    int64_t n = 300, nrhs = 7, least = least_limit(t, n, 0), whole = n * n * size_of(t), in_core = 0;
    double *A = doubles(n * n);
    clsolve_lu *none = NULL;
    clsolve_lu_options below = {.memory_limit = least - 1};

    EXPECT(clsolve_lu_create(context, n, t, &below, &none), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "wants");
    test_kind_make(&random, t, 4, n, A);
    for (int64_t limit = least; limit < 3 * whole; limit += limit < whole ? whole / 9 : whole / 2) {
        clsolve_lu_options options = {.memory_limit = limit};
        start_watch();
        clsolve_lu *lu = make(t, n, &options);
        clsolve_report report = report_of(lu);
        if (limit < whole) assert_true(report.slab_columns > 0 && report.host_bytes == whole);
        if (report.slab_columns == 0) in_core = 1;
        /* Once a limit is enough, more of it is too. */
        if (in_core) assert_true(report.slab_columns == 0 && report.host_bytes == 0);
        check_handle(lu, &random, t, layout, n, in_core ? 2 : nrhs, A, 0);
        assert_in_range(peak, 1, limit);
        assert_int_equal(report_of(lu).device_bytes, context->device->counters.buffer_bytes - base);
        clsolve_lu_destroy(lu);
        assert_int_equal(context->device->counters.buffer_bytes, base);
    }
    assert_true(in_core);
    free(A);
}

static void test_limits_f64_column(void **state) {
    (void)state;
    if (type != CLSOLVE_F64) skip();
    sweep(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, 1);
}

static void test_limits_f64_row(void **state) {
    (void)state;
    if (type != CLSOLVE_F64) skip();
    sweep(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, 2);
}

static void test_limits_f32(void **state) {
    (void)state;
    sweep(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, 3);
    sweep(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, 4);
}

/* Sizes around the slab and the block, with blocks that fit neither, and more right-hand sides than a slab has columns. */
static void test_sizes(void **state) {
    static const int64_t sizes[] = {31, 32, 33, 47, 48, 49, 64, 65, 97, 130};
    static const int32_t blocks[] = {0, 7, 24, 32};
    test_random random = test_random_start(5);
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
            int64_t n = sizes[s], least = least_limit(type, n, blocks[b]);
            double *A = doubles(n * n);
            test_kind_make(&random, type, 4, n, A);
            for (int wide = 0; wide < 3; ++wide) {
                clsolve_lu_options options = {.block = blocks[b], .memory_limit = least + wide * least / 3};
                clsolve_lu *lu = make(type, n, &options);
                int64_t slab = report_of(lu).slab_columns;
                if (wide == 0) assert_in_range(slab, 1, n);
                int layout = (wide + (int)b) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                check_handle(lu, &random, type, (clsolve_layout)layout, n, slab ? 2 * slab + 3 : 1, A, 0);
                clsolve_lu_destroy(lu);
            }
            free(A);
        }
}

/* The same pivots as in core, and LAPACK's form of the factors element by element up to rounding. */
static void test_same_as_in_core(void **state) {
    test_random random = test_random_start(6);
    int64_t n = 211;
    clsolve_lu_options small = {.block = 16, .memory_limit = least_limit(type, n, 16) + 40 * 1024};
    double *A = doubles(n * n), *F[2] = {doubles(n * n), doubles(n * n)};
    int64_t *ipiv[2] = {calloc((size_t)n, sizeof(int64_t)), calloc((size_t)n, sizeof(int64_t))};
    (void)state;

    test_kind_make(&random, type, 4, n, A);
    for (int out = 0; out < 2; ++out) {
        test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        clsolve_lu *lu = make(type, n, out ? &small : NULL);
        test_matrix_set(&a, A);
        assert_int_equal(report_of(lu).slab_columns > 0, out);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &a.view, ipiv[out]), CLSOLVE_OK);
        test_matrix_get(&a, F[out]);
        clsolve_lu_destroy(lu);
        test_matrix_free(&a);
    }
    for (int64_t k = 0; k < n; ++k) assert_int_equal(ipiv[0][k], ipiv[1][k]);
    for (int64_t k = 0; k < n * n; ++k)
        assert_true(fabs(F[0][k] - F[1][k]) <= 1e4 * test_epsilon(type) * (1 + fabs(F[0][k])));
    for (int out = 0; out < 2; ++out) {
        free(F[out]);
        free(ipiv[out]);
    }
    free(A);
}

/* A zero column in the first, a middle and the last slab; then the handle takes a good matrix. */
static void test_singular_then_not(void **state) {
    test_random random = test_random_start(7);
    int64_t n = 150, columns[] = {0, 31, 32, 75, 149};
    clsolve_lu_options options = {.block = 16, .memory_limit = least_limit(type, n, 16) + n * 8 * 20};
    clsolve_lu *lu = make(type, n, &options);
    double *A = doubles(n * n);
    (void)state;

    assert_in_range(report_of(lu).slab_columns, 16, 64);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) {
        test_kind_make(&random, type, 4, n, A);
        for (int64_t i = 0; i < n; ++i) A[i + columns[c] * n] = 0;
        check_handle(lu, &random, type, c % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, 3, A, columns[c] + 1);
        test_kind_make(&random, type, 4, n, A);
        int64_t held = context->device->counters.buffer_bytes;
        check_handle(lu, &random, type, CLSOLVE_COLUMN_MAJOR, n, 3, A, 0);
        assert_int_equal(context->device->counters.buffer_bytes, held);
    }
    clsolve_lu_destroy(lu);
    free(A);
}

/* NaN in any slab of A and in any part of B; an X that overflows in its last columns. B stays as it was. */
static void test_nonfinite(void **state) {
    test_random random = test_random_start(8);
    int64_t n = 100, nrhs = 90, columns[] = {0, 50, 99};
    clsolve_lu_options options = {.block = 16, .memory_limit = least_limit(type, n, 16)};
    clsolve_lu *lu = make(type, n, &options);
    double *A = doubles(n * n), *B = doubles(n * nrhs), *X = doubles(n * nrhs);
    (void)state;

    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
        test_matrix a = test_matrix_make(type, (clsolve_layout)layout, n, n, 1);
        test_matrix b = test_matrix_make(type, (clsolve_layout)layout, n, nrhs, 1);
        char words[64];
        for (int c = 0; c < 3; ++c) {
            memset(A, 0, (size_t)(n * n) * sizeof *A); /* the generator refuses what the last round left */
            test_kind_make(&random, type, 4, n, A);
            A[60 + columns[c] * n] = c == 1 ? (double)INFINITY : (double)NAN;
            test_matrix_set(&a, A);
            (void)snprintf(words, sizeof words, "A(61,%d)", (int)columns[c] + 1);
            EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_NONFINITE, words);
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor");
        }
        for (int64_t k = 0; k < n * n; ++k) A[k] = k % (n + 1) == 0 ? 0.125 : 0;
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        for (int wrong = 0; wrong < 2; ++wrong) {
            for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
            B[7 + (nrhs - 1) * n] = wrong ? (type == CLSOLVE_F64 ? 1e308 : 3e38) : (double)NAN;
            test_matrix_set(&b, B);
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), wrong ? CLSOLVE_OVERFLOW : CLSOLVE_ERROR_NONFINITE,
                   wrong ? ",90)" : "B(8,90)");
            test_matrix_get(&b, X);
            test_matrix_spare_intact(&b);
            for (int64_t k = 0; k < n * nrhs; ++k)
                assert_true(isnan(X[k]) ? isnan(B[k]) : X[k] == test_rounded(type, B[k]));
        }
        test_matrix_free(&a);
        test_matrix_free(&b);
    }
    clsolve_lu_destroy(lu);
    free(A);
    free(B);
    free(X);
}

/* What crosses the bus, to the byte: A, for each slab the L left of it, the factors down; for a solve both halves. */
static void test_transfers(void **state) {
    test_random random = test_random_start(9);
    int64_t n = 203, nrhs = 5, size = size_of(type), block = 16;
    clsolve_lu_options options = {.block = 16, .memory_limit = least_limit(type, n, 16) + 30 * 1024};
    clsolve_lu *lu = make(type, n, &options);
    int64_t slab = report_of(lu).slab_columns, up = n * n, down = n * n, lower = 0, upper = 0, lists = 0;
    double *A = doubles(n * n), *B = doubles(n * nrhs);
    test_matrix a = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);
    int travels = test_lu_options().panel == CLSOLVE_PANEL_HYBRID && !clsolve_context_device(context).host_memory;
    (void)state;

    assert_in_range(slab, block, n / 2);
    for (int64_t j = 0; j < n; j += block) {
        int64_t width = n - j < block ? n - j : block;
        int64_t slabs_after = (n - 1) / slab - j / slab;
        lower += (n - j) * width;
        upper += (j + width) * width;
        up += slabs_after * (n - j) * width;
        if (!travels) continue;
        up += (n - j) * width; /* the panel, and where its rows went */
        down += (n - j) * width;
        lists += 2 * 2 * width * 8;
    }
    int64_t slabs = (n + slab - 1) / slab, words = slabs * 2 * 256 * 8 + 8;
    test_kind_make(&random, type, 4, n, A);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    clsolve_report factor = report_of(lu);
    assert_int_equal(factor.bytes_up, up * size + lists);
    assert_in_range(factor.bytes_down, down * size, down * size + words);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    clsolve_report solve = report_of(lu);
    assert_int_equal(solve.bytes_up - factor.bytes_up, (n * nrhs + lower + upper) * size);
    assert_in_range(solve.bytes_down - factor.bytes_down, n * nrhs * size, n * nrhs * size + 2 * 256 * 8);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    assert_int_equal(report_of(lu).bytes_up, solve.bytes_up);
    clsolve_lu_destroy(lu);
    test_matrix_free(&a);
    test_matrix_free(&b);
    free(A);
    free(B);
}

typedef struct told {
    int calls, monotone;
    double last;
} told;

static void listen(void *user, const char *phase, double fraction) {
    told *t = user;
    assert_string_equal(phase, "factor");
    t->calls++;
    t->monotone = t->monotone && fraction >= t->last && fraction <= 1;
    t->last = fraction;
}

static void test_progress(void **state) {
    told t = {.monotone = 1};
    int64_t n = 200;
    clsolve_lu_options options = {
        .block = 16, .memory_limit = least_limit(type, n, 16), .progress = listen, .progress_user = &t};
    test_random random = test_random_start(10);
    double *A = doubles(n * n);
    clsolve_lu *lu = make(type, n, &options);
    (void)state;
    test_kind_make(&random, type, 4, n, A);
    check_handle(lu, &random, type, CLSOLVE_COLUMN_MAJOR, n, 1, A, 0);
    assert_true(t.calls > 13 && t.monotone && t.last == 1);
    clsolve_lu_destroy(lu);
    free(A);
}

/* In core under a limit: what right-hand sides it leaves room for, and what it says of more. */
static void test_in_core_within_limit(void **state) {
    test_random random = test_random_start(11);
    int64_t n = 300, limit = 0;
    double *A = doubles(n * n);
    clsolve_lu_options options = {0};
    clsolve_lu *lu = NULL;
    (void)state;

    for (limit = n * n * size_of(type);; limit += n * size_of(type)) {
        options.memory_limit = limit;
        lu = make(type, n, &options);
        if (report_of(lu).slab_columns == 0) break;
        clsolve_lu_destroy(lu);
    }
    start_watch();
    base -= report_of(lu).device_bytes;
    test_kind_make(&random, type, 4, n, A);
    check_handle(lu, &random, type, CLSOLVE_ROW_MAJOR, n, 40, A, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 2 * n, 0);
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "memory limit leaves");
    check_handle(lu, &random, type, CLSOLVE_COLUMN_MAJOR, n, 3, A, 0);
    assert_in_range(peak, 0, limit);
    clsolve_lu_destroy(lu);
    test_matrix_free(&b);
    free(A);
}

static void test_arguments(void **state) {
    clsolve_lu_options options = {.memory_limit = -1};
    clsolve_lu *lu = NULL;
    (void)state;
    EXPECT(clsolve_lu_create(context, 4, type, &options, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT, "memory_limit");
    assert_null(lu);
    options.memory_limit = 1024 * 1024 * 1024; /* enough for panels; the host cannot hold the factors */
    start_watch();
    EXPECT(clsolve_lu_create(context, 1000000, type, &options, &lu), CLSOLVE_ERROR_OUT_OF_MEMORY, "the host");
    assert_int_equal(context->device->counters.buffer_bytes, base);
    EXPECT(clsolve_lu_create(context, -4, type, &options, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT, "-4");
}

static int open_context(void **state) {
    (void)state;
    context = test_context(1);
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    plain = context->device->ops;
    watched = *plain;
    watched.buffer_create = watch;
    context->device->ops = &watched;
    return 0;
}

static int close_context(void **state) {
    (void)state;
    context->device->ops = plain;
    clsolve_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_f64_column), cmocka_unit_test(test_limits_f64_row),
        cmocka_unit_test(test_limits_f32),        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_same_as_in_core),   cmocka_unit_test(test_singular_then_not),
        cmocka_unit_test(test_nonfinite),         cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_progress),          cmocka_unit_test(test_in_core_within_limit),
        cmocka_unit_test(test_arguments),
    };
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
