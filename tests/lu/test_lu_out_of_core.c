/* Dense LU under a memory limit: the same answers from less memory. */
#include "lu/out_of_core_support.h"

#include "blas/blas.h"

/* From two panels to the whole: always right, and never above the limit. */
static void sweep(clsolve_type t, clsolve_layout layout, uint64_t use) {
    test_random random = test_random_start(use);
    int64_t n = 300, nrhs = 7, least = ooc_least_limit(t, n, 0), whole = n * n * ooc_size_of(t), in_core = 0;
    int64_t step = test_reduced() ? 4 : 9;
    SCRATCH double *A = ooc_doubles(n * n);
    clsolve_lu *none = NULL;
    clsolve_lu_options below = {.memory_limit = least - 1};

    OOC_EXPECT(clsolve_lu_create(ooc_context, n, t, &below, &none), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "wants");
    test_kind_make(&random, t, 4, n, A);
    for (int64_t limit = least; limit < 3 * whole; limit += limit < whole ? whole / step : whole / 2) {
        clsolve_lu_options options = {.memory_limit = limit};
        /* The first use of a product or a triangular solve tests it, in memory of its own; limits want different forms. */
        if (!cls_in_place(ooc_context->device)) {
            OWNED(lu) *first = ooc_make(t, n, &options);
            ooc_check(first, &random, t, layout, n, in_core ? 2 : nrhs, A, 0);
        }
        ooc_start_watch();
        clsolve_lu *lu = ooc_make(t, n, &options);
        clsolve_report report = ooc_report_of(lu);
        if (limit < whole) assert_true(report.slab_columns > 0 && report.host_bytes == whole);
        if (report.slab_columns == 0) in_core = 1;
        /* Once a limit is enough, more of it is too. */
        if (in_core) assert_true(report.slab_columns == 0 && report.host_bytes == 0);
        ooc_check(lu, &random, t, layout, n, in_core ? 2 : nrhs, A, 0);
        assert_in_range(ooc_peak, 1, limit);
        assert_int_equal(ooc_report_of(lu).device_bytes, ooc_context->device->counters.buffer_bytes - ooc_base);
        clsolve_lu_destroy(lu);
        assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
    }
    assert_true(in_core);
}

TEST(test_limits_f64_column) {
    if (ooc_type != CLSOLVE_F64) skip();
    sweep(CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, 1);
}

TEST(test_limits_f64_row) {
    if (ooc_type != CLSOLVE_F64) skip();
    sweep(CLSOLVE_F64, CLSOLVE_ROW_MAJOR, 2);
}

TEST(test_limits_f32) {
    sweep(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, 3);
    sweep(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, 4);
}

/* Mesa's compiler ends in a crash on complex kernels whose loops stay loops; unrolled ones test_lu_complex_rusticl has. */
static int compiler_crashes(void) {
    return ooc_context->device->rolled && strcmp(ooc_context->device->info.platform, "rusticl") == 0;
}

TEST(test_limits_complex) {
    if (compiler_crashes()) skip();
    sweep(CLSOLVE_C32, CLSOLVE_ROW_MAJOR, 8);
    if (ooc_type == CLSOLVE_F64) sweep(CLSOLVE_C64, CLSOLVE_COLUMN_MAJOR, 9);
}

/* Sizes around the slab and the block, with blocks that fit neither, and more right-hand sides than a slab has columns. */
TEST(test_sizes) {
    static const int64_t sizes[] = {31, 32, 33, 47, 48, 49, 64, 65, 97, 130};
    static const int32_t blocks[] = {0, 7, 24, 32};
    test_random random = test_random_start(5);

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
            if (test_reduced() && (s + b) % 4) continue;
            int64_t n = sizes[s], least = ooc_least_limit(ooc_type, n, blocks[b]);
            SCRATCH double *A = ooc_doubles(n * n);
            test_kind_make(&random, ooc_type, 4, n, A);
            for (int wide = 0; wide < 3; ++wide) {
                clsolve_lu_options options = {.block = blocks[b], .memory_limit = least + wide * least / 3};
                OWNED(lu) *lu = ooc_make(ooc_type, n, &options);
                int64_t slab = ooc_report_of(lu).slab_columns;
                if (wide == 0) assert_in_range(slab, 1, n);
                int layout = (wide + (int)b) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                ooc_check(lu, &random, ooc_type, (clsolve_layout)layout, n, slab ? 2 * slab + 3 : 1, A, 0);
            }
        }
}

/* The same pivots as in core, and LAPACK's form of the factors element by element up to rounding. */
TEST(test_same_as_in_core) {
    test_random random = test_random_start(6);
    int64_t n = 211;
    clsolve_lu_options small = {.block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16) + 40 * 1024};
    double *A = ooc_doubles(n * n), *F[2] = {ooc_doubles(n * n), ooc_doubles(n * n)};
    int64_t *ipiv[2] = {calloc((size_t)n, sizeof(int64_t)), calloc((size_t)n, sizeof(int64_t))};

    test_kind_make(&random, ooc_type, 4, n, A);
    for (int out = 0; out < 2; ++out) {
        scratch_matrix a = test_matrix_make(ooc_type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
        OWNED(lu) *lu = ooc_make(ooc_type, n, out ? &small : NULL);
        test_matrix_set(&a, A);
        assert_int_equal(ooc_report_of(lu).slab_columns > 0, out);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factors(lu, &a.view, ipiv[out]), CLSOLVE_OK);
        test_matrix_get(&a, F[out]);
    }
    for (int64_t k = 0; k < n; ++k) assert_int_equal(ipiv[0][k], ipiv[1][k]);
    for (int64_t k = 0; k < n * n; ++k)
        assert_true(fabs(F[0][k] - F[1][k]) <= 1e4 * test_epsilon(ooc_type) * (1 + fabs(F[0][k])));
    for (int out = 0; out < 2; ++out) {
        free(F[out]);
        free(ipiv[out]);
    }
    free(A);
}

/* A zero column in the first, a middle and the last slab; then the handle takes a good matrix. */
TEST(test_singular_then_not) {
    test_random random = test_random_start(7);
    int64_t n = 150, columns[] = {0, 31, 32, 75, 149};
    clsolve_lu_options options = {.block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16) + n * 8 * 20};
    OWNED(lu) *lu = ooc_make(ooc_type, n, &options);
    SCRATCH double *A = ooc_doubles(n * n);

    assert_in_range(ooc_report_of(lu).slab_columns, 16, 64);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) {
        test_kind_make(&random, ooc_type, 4, n, A);
        for (int64_t i = 0; i < n; ++i) A[i + columns[c] * n] = 0;
        ooc_check(lu, &random, ooc_type, c % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, n, 3, A, columns[c] + 1);
        test_kind_make(&random, ooc_type, 4, n, A);
        int64_t held = ooc_context->device->counters.buffer_bytes;
        ooc_check(lu, &random, ooc_type, CLSOLVE_COLUMN_MAJOR, n, 3, A, 0);
        assert_int_equal(ooc_context->device->counters.buffer_bytes, held);
    }
}

/* In core under a limit: what right-hand sides it leaves room for, and what it says of more. */
TEST(test_in_core_within_limit) {
    test_random random = test_random_start(11);
    int64_t n = 300, limit = 0;
    SCRATCH double *A = ooc_doubles(n * n);
    clsolve_lu_options options = {0};
    clsolve_lu *lu = NULL;

    for (limit = n * n * ooc_size_of(ooc_type);; limit += n * ooc_size_of(ooc_type)) {
        options.memory_limit = limit;
        lu = ooc_make(ooc_type, n, &options);
        if (ooc_report_of(lu).slab_columns == 0) break;
        clsolve_lu_destroy(lu);
    }
    ooc_start_watch();
    ooc_base -= ooc_report_of(lu).device_bytes;
    test_kind_make(&random, ooc_type, 4, n, A);
    ooc_check(lu, &random, ooc_type, CLSOLVE_ROW_MAJOR, n, 40, A, 0);
    scratch_matrix b = test_matrix_make(ooc_type, CLSOLVE_COLUMN_MAJOR, n, 2 * n, 0);
    OOC_EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
               "memory limit leaves");
    ooc_check(lu, &random, ooc_type, CLSOLVE_COLUMN_MAJOR, n, 3, A, 0);
    assert_in_range(ooc_peak, 0, limit);
    clsolve_lu_destroy(lu);
}

TEST_PROGRAM(ooc_open, ooc_close)
