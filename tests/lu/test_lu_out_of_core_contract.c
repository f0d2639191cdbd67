/* What out-of-core LU promises beside accuracy: unchanged arguments, transfers to the byte, progress, refusals. */
#include "lu/out_of_core_support.h"

/* NaN in any slab of A and in any part of B; an X that overflows in its last columns. B stays as it was. */
TEST(test_nonfinite) {
    test_random random = test_random_start(8);
    int64_t n = 100, nrhs = 90, columns[] = {0, 50, 99};
    clsolve_lu_options options = {.block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16)};
    OWNED(lu) *lu = ooc_make(ooc_type, n, &options);
    SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs), *X = ooc_doubles(n * nrhs);

    for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
        scratch_matrix a = test_matrix_make(ooc_type, (clsolve_layout)layout, n, n, 1);
        scratch_matrix b = test_matrix_make(ooc_type, (clsolve_layout)layout, n, nrhs, 1);
        char words[64];
        for (int c = 0; c < 3; ++c) {
            memset(A, 0, (size_t)(n * n) * sizeof *A); /* the generator refuses what the last round left */
            test_kind_make(&random, ooc_type, 4, n, A);
            A[60 + columns[c] * n] = c == 1 ? (double)INFINITY : (double)NAN;
            test_matrix_set(&a, A);
            (void)snprintf(words, sizeof words, "A(61,%d)", (int)columns[c] + 1);
            OOC_EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_NONFINITE, words);
            OOC_EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor");
        }
        for (int64_t k = 0; k < n * n; ++k) A[k] = k % (n + 1) == 0 ? 0.125 : 0;
        test_matrix_set(&a, A);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        for (int wrong = 0; wrong < 2; ++wrong) {
            for (int64_t k = 0; k < n * nrhs; ++k) B[k] = 1;
            B[7 + (nrhs - 1) * n] = wrong ? (ooc_type == CLSOLVE_F64 ? 1e308 : 3e38) : (double)NAN;
            test_matrix_set(&b, B);
            OOC_EXPECT(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), wrong ? CLSOLVE_OVERFLOW : CLSOLVE_ERROR_NONFINITE,
                       wrong ? ",90)" : "B(8,90)");
            test_matrix_get(&b, X);
            test_matrix_spare_intact(&b);
            for (int64_t k = 0; k < n * nrhs; ++k)
                assert_true(isnan(X[k]) ? isnan(B[k]) : X[k] == test_rounded(ooc_type, B[k]));
        }
    }
}

/* What crosses the bus, to the byte: A, for each slab the L left of it, the factors down; for a solve both halves. */
TEST(test_transfers) {
    test_random random = test_random_start(9);
    int64_t n = 203, nrhs = 5, size = ooc_size_of(ooc_type), block = 16;
    clsolve_lu_options options = {.block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16) + 30 * 1024};
    OWNED(lu) *lu = ooc_make(ooc_type, n, &options);
    int64_t slab = ooc_report_of(lu).slab_columns, up = n * n, down = n * n, lower = 0, upper = 0;
    SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs);
    scratch_matrix a = test_matrix_make(ooc_type, CLSOLVE_COLUMN_MAJOR, n, n, 0);
    scratch_matrix b = test_matrix_make(ooc_type, CLSOLVE_COLUMN_MAJOR, n, nrhs, 0);

    assert_in_range(slab, block, n / 2);
    for (int64_t j = 0; j < n; j += block) {
        int64_t width = n - j < block ? n - j : block;
        int64_t slabs_after = (n - 1) / slab - j / slab;
        lower += (n - j) * width;
        upper += (j + width) * width;
        up += slabs_after * (n - j) * width;
    }
    int64_t slabs = (n + slab - 1) / slab, words = slabs * 2 * 256 * 8 + 8;
    test_kind_make(&random, ooc_type, 4, n, A);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    clsolve_report factor = ooc_report_of(lu);
    assert_int_equal(factor.bytes_up, up * size);
    assert_in_range(factor.bytes_down, down * size, down * size + words);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    clsolve_report solve = ooc_report_of(lu);
    assert_int_equal(solve.bytes_up - factor.bytes_up, (n * nrhs + lower + upper) * size);
    assert_in_range(solve.bytes_down - factor.bytes_down, n * nrhs * size, n * nrhs * size + 2 * 256 * 8);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
    assert_int_equal(ooc_report_of(lu).bytes_up, solve.bytes_up);
}

TEST(test_progress) {
    test_listener t = {.phase = "factor"};
    int64_t n = 200;
    clsolve_lu_options options = {
        .block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16), .progress = test_listen, .progress_user = &t};
    test_random random = test_random_start(10);
    SCRATCH double *A = ooc_doubles(n * n);
    OWNED(lu) *lu = ooc_make(ooc_type, n, &options);
    test_kind_make(&random, ooc_type, 4, n, A);
    ooc_check(lu, &random, ooc_type, CLSOLVE_COLUMN_MAJOR, n, 1, A, 0);
    assert_true(t.calls > 13 && t.last == 1);
}

/* Each device call fails once, in create, factor, solve and export: the status says so, B is as it was, nothing leaks,
 * and where there is a handle it then does what it failed to do. */
TEST(test_failures) {
    test_random random = test_random_start(12);
    int64_t n = 60, nrhs = 40, k = 0;
    clsolve_lu_options options = {.block = 16, .memory_limit = ooc_least_limit(ooc_type, n, 16) + 8 * 1024};
    SCRATCH double *A = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs), *X = ooc_doubles(n * nrhs);
    scratch_matrix a = test_matrix_make(ooc_type, CLSOLVE_ROW_MAJOR, n, n, 0);
    scratch_matrix b = test_matrix_make(ooc_type, CLSOLVE_ROW_MAJOR, n, nrhs, 0);
    clsolve_status failed = CLSOLVE_ERROR_DEVICE;
    clsolve_lu *lu = NULL;

    options.panel = test_lu_options().panel;
    for (int64_t e = 0; e < n * nrhs; ++e) B[e] = 1;
    test_kind_make(&random, ooc_type, 4, n, A);
    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    ooc_start_watch();
    for (k = 1; failed == CLSOLVE_ERROR_DEVICE; ++k) {
        ooc_fail_at = k;
        failed = clsolve_lu_create(ooc_context, n, ooc_type, &options, &lu);
        if (failed == CLSOLVE_OK) break;
        assert_null(lu);
        assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
    }
    assert_true(failed == CLSOLVE_OK && k > 10);
    for (k = 1, failed = CLSOLVE_ERROR_DEVICE; failed == CLSOLVE_ERROR_DEVICE; ++k) {
        ooc_fail_at = k;
        failed = clsolve_lu_factor(lu, &a.view);
        int64_t left = ooc_fail_at;
        ooc_fail_at = 0;
        if (left == 0) OOC_EXPECT(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_ERROR_STATE, "factor");
    }
    assert_true(failed == CLSOLVE_OK && k > 20);
    for (k = 1, failed = CLSOLVE_ERROR_DEVICE; failed == CLSOLVE_ERROR_DEVICE; ++k) {
        ooc_fail_at = k;
        failed = clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view);
        ooc_fail_at = 0;
        if (failed == CLSOLVE_OK) break;
        test_matrix_get(&b, X);
        for (int64_t e = 0; e < n * nrhs; ++e) assert_true(X[e] == 1);
    }
    assert_true(failed == CLSOLVE_OK && k > 20);
    for (k = 1, failed = CLSOLVE_ERROR_DEVICE; failed == CLSOLVE_ERROR_DEVICE; ++k) {
        ooc_fail_at = k;
        failed = clsolve_lu_factors(lu, &a.view, NULL);
        ooc_fail_at = 0;
    }
    test_matrix_set(&a, A);
    ooc_check(lu, &random, ooc_type, CLSOLVE_COLUMN_MAJOR, n, 3, A, 0);
    clsolve_lu_destroy(lu);
    assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
}

TEST(test_arguments) {
    clsolve_lu_options options = {.memory_limit = -1};
    clsolve_lu *lu = NULL;
    OOC_EXPECT(clsolve_lu_create(ooc_context, 4, ooc_type, &options, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT,
               "memory_limit");
    assert_null(lu);
    options.memory_limit = 1024 * 1024 * 1024; /* enough for panels; the host cannot hold the factors */
    ooc_start_watch();
    OOC_EXPECT(clsolve_lu_create(ooc_context, 1000000, ooc_type, &options, &lu), CLSOLVE_ERROR_OUT_OF_MEMORY,
               "the host");
    assert_int_equal(ooc_context->device->counters.buffer_bytes, ooc_base);
    OOC_EXPECT(clsolve_lu_create(ooc_context, -4, ooc_type, &options, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT, "-4");
}

/* What the refusal calls enough in core is: the factors, and as many right-hand sides as are promised room. */
TEST(enough_in_core) {
    static const int64_t orders[] = {3, 65, 300};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; ++o) {
        int64_t n = orders[o], cols = n < 64 ? n : 64;
        OWNED(context) *context = test_context(1);
        clsolve_lu_options options = test_lu_options();
        OWNED(lu) *lu = NULL;
        clsolve_report report;
        options.memory_limit = 1;
        assert_int_equal(clsolve_lu_create(context, n, CLSOLVE_F32, &options, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
        const char *at = strstr(clsolve_context_message(context), "columns) and ");
        if (!at) fail_msg("%s", clsolve_context_message(context));
        options.memory_limit = strtoll(at + strlen("columns) and "), NULL, 10);
        assert_int_equal(clsolve_lu_create(context, n, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
        scratch_matrix a = test_matrix_make(CLSOLVE_F32, CLSOLVE_COLUMN_MAJOR, n, n, 0),
                       b = test_matrix_make(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, n, cols, 0);
        SCRATCH double *eye = test_doubles(n * n);
        for (int64_t i = 0; i < n; ++i) eye[i + i * n] = 1;
        test_matrix_set(&a, eye);
        test_matrix_set(&b, eye);
        assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        if (clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view) != CLSOLVE_OK)
            fail_msg("%s", clsolve_context_message(context));
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_int_equal(report.slab_columns, 0);
        assert_true(report.device_bytes <= options.memory_limit);
    }
}

TEST_PROGRAM(ooc_open, ooc_close)
