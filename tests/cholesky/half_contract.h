/*
 * half_contract.h: what handles of Cholesky and of LDL^T promise alike beside accuracy. The program defines these before it
 * includes it:
 *
 *   HANDLE, OPTIONS        clsolve_ldl, clsolve_ldl_options; CALL(verb): the call of that verb, clsolve_ldl_<verb>
 *   FACTOR                 the name of one of them: "clsolve_ldl_factor"
 *   GET, PUT               CALL(factors) and CALL(import) of a handle and a view, which is LOWER where the call asks
 *   context, type          of the group
 *   panel_asked()          the panel that the test is to have
 *   simple(n, layout, uplo, i, j, value)
 *                          a matrix with a triangle of few values, so that A X = B has an exact solution, and NaN in the other;
 *                          element (i, j) of the triangle is `value`, unless i is -1
 */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)
#define INVALID                     CLSOLVE_ERROR_INVALID_ARGUMENT

static HANDLE *make(int64_t n, const OPTIONS *options) {
    OPTIONS mine = options ? *options : (OPTIONS){0};
    HANDLE *handle = NULL;
    mine.panel = panel_asked();
    test_works(context, CALL(create)(context, n, type, &mine, &handle));
    return handle;
}

static void refused(const OPTIONS *options, const char *words) {
    HANDLE *none = NULL;
    EXPECT(CALL(create)(context, 4, type, options, &none), INVALID, words);
    assert_null(none);
}

TEST(test_options) {
    HANDLE *none = (HANDLE *)&none;
    assert_int_equal(CALL(create)(NULL, 4, type, NULL, &none), INVALID);
    assert_null(none);
    EXPECT(CALL(create)(context, 4, type, NULL, NULL), INVALID, "NULL");
    EXPECT(CALL(create)(context, -1, type, NULL, &none), INVALID, "-1");
    EXPECT(CALL(create)(context, 4, (clsolve_type)9, NULL, &none), INVALID, "type is 9");
    refused(&(OPTIONS){.block = -1}, "block");
    refused(&(OPTIONS){.panel = (clsolve_panel)9}, "panel is 9");
    refused(&(OPTIONS){.reserved = {1}}, "reserved[0]");
    refused(&(OPTIONS){.rcond = -1}, "rcond is -1");
    refused(&(OPTIONS){.equilibrate = 2}, "equilibrate is 2: give 0 or 1");
    refused(&(OPTIONS){.refine = 3}, "refine is 3");
    CALL(destroy)(NULL);
}

TEST(test_arguments) {
    scratch_matrix a = simple(4, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0), b = test_ones(type, 4, 2);
    HANDLE *handle = make(4, NULL);
    clsolve_report report;
    double rcond;
    clsolve_matrix bad;

    EXPECT(CALL(solve)(handle, &b.view), CLSOLVE_ERROR_STATE, FACTOR);
    EXPECT(GET(handle, &a.view), CLSOLVE_ERROR_STATE, FACTOR);
    EXPECT(CALL(inverse)(handle, CLSOLVE_LOWER, &a.view), CLSOLVE_ERROR_STATE, FACTOR);
    EXPECT(CALL(condition)(handle, 1, &rcond), CLSOLVE_ERROR_STATE, FACTOR);
    EXPECT(CALL(factor)(handle, CLSOLVE_LOWER, NULL), INVALID, "A is NULL");
    EXPECT(CALL(factor)(handle, (clsolve_uplo)7, &a.view), INVALID, "uplo is 7");
    assert_int_equal(CALL(factor)(NULL, CLSOLVE_LOWER, &a.view), INVALID);
    assert_int_equal(CALL(solve)(NULL, &b.view), INVALID);
    assert_int_equal(GET(NULL, &a.view), INVALID);
    assert_int_equal(PUT(NULL, &a.view), INVALID);
    assert_int_equal(CALL(inverse)(NULL, CLSOLVE_LOWER, &a.view), INVALID);
    assert_int_equal(CALL(condition)(NULL, 1, &rcond), INVALID);
    assert_int_equal(CALL(report)(NULL, &report), INVALID);
    assert_int_equal(CALL(status)(NULL), INVALID);
    EXPECT(CALL(report)(handle, NULL), INVALID, "report");
    bad = a.view, bad.rows = 3;
    EXPECT(CALL(factor)(handle, CLSOLVE_LOWER, &bad), INVALID, "3 rows where 4");
    bad = a.view, bad.ld = 3;
    EXPECT(CALL(factor)(handle, CLSOLVE_LOWER, &bad), INVALID, "ld");
    bad = a.view, bad.place = CLSOLVE_ON_DEVICE; /* host memory, and no context of our own */
    EXPECT(CALL(factor)(handle, CLSOLVE_LOWER, &bad), INVALID, "clsolve_context_create_");

    assert_int_equal(CALL(factor)(handle, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    bad = b.view, bad.rows = 5, bad.ld = 5;
    EXPECT(CALL(solve)(handle, &bad), INVALID, "5 rows where 4");
    EXPECT(CALL(condition)(handle, -1, &rcond), INVALID, "norm_A");
    EXPECT(CALL(inverse)(handle, (clsolve_uplo)2, &a.view), INVALID, "uplo is 2");
    test_all_ones(&b);
    bad = b.view, bad.cols = 0, bad.data = NULL;
    assert_int_equal(CALL(solve)(handle, &bad), CLSOLVE_OK);
    CALL(destroy)(handle);
}

/* NaN and Inf in the triangle are told where the caller has them; in the other one nobody looks. */
TEST(test_nonfinite) {
    enum { N = 70 };
    static const int64_t places[][2] = {{0, 0}, {5, 2}, {69, 64}, {69, 69}};
    HANDLE *handle = make(N, NULL);

    for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
        for (int shape = 0; shape < 4; ++shape) {
            const clsolve_uplo uplo = shape / 2 ? CLSOLVE_UPPER : CLSOLVE_LOWER;
            const int64_t i = places[p][uplo], j = places[p][1 - uplo];
            scratch_matrix a = simple(N, shape % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, uplo, i, j,
                                      p % 2 ? (double)NAN : -(double)INFINITY);
            scratch_matrix b = test_ones(type, N, 1);
            char place[64];
            (void)snprintf(place, sizeof place, "A(%d,%d)", (int)i + 1, (int)j + 1);
            EXPECT(CALL(factor)(handle, uplo, &a.view), CLSOLVE_ERROR_NONFINITE, place);
            EXPECT(CALL(solve)(handle, &b.view), CLSOLVE_ERROR_STATE, "no factors");
            test_all_ones(&b);
        }
    CALL(destroy)(handle);
}

TEST(test_bad_right_sides) {
    HANDLE *handle = make(9, NULL);
    test_matrix a = simple(9, CLSOLVE_COLUMN_MAJOR, CLSOLVE_UPPER, -1, -1, 0);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, 9, 2, 0);
    double B[18] = {0}, Y[18];
    B[9 + 4] = (double)NAN;
    test_matrix_set(&b, B);
    assert_int_equal(CALL(factor)(handle, CLSOLVE_UPPER, &a.view), CLSOLVE_OK);
    EXPECT(CALL(solve)(handle, &b.view), CLSOLVE_ERROR_NONFINITE, "B(5,2)");
    test_matrix_get(&b, Y);
    assert_true(isnan(Y[13]) && Y[0] == 0);
    test_matrix_free(&a);
    test_matrix_free(&b);
    CALL(destroy)(handle);
}

/* No room is told, and what would do. */
TEST(test_memory) {
    OPTIONS options = {.panel = panel_asked(), .memory_limit = 1};
    HANDLE *handle = NULL;
    EXPECT(CALL(create)(context, 200, type, &options, &handle), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "memory_limit leaves");
    assert_null(handle);
    if (context->device->no_kernels) return; /* the host's memory is not counted in advance */
    if (GOES_OUT_OF_CORE) assert_non_null(strstr(clsolve_context_message(context), "out of core at least"));
    options.memory_limit = 0;
    options.where = GOES_OUT_OF_CORE ? CLSOLVE_WHERE_AUTO : CLSOLVE_WHERE_DEVICE;
    EXPECT(CALL(create)(context, 3000000, type, &options, &handle), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "order 3000000");
    assert_null(handle);
}

/* Ahead of a matrix: progress, predicted times, compiled kernels. */
TEST(test_ahead) {
    test_listener told = {.phase = "factor"};
    const OPTIONS options = {.progress = test_listen, .progress_user = &told, .block = 64};
    HANDLE *handle = make(300, &options);
    scratch_matrix a = simple(300, CLSOLVE_COLUMN_MAJOR, CLSOLVE_LOWER, -1, -1, 0);
    double device, host;
    assert_int_equal(CALL(factor)(handle, CLSOLVE_LOWER, &a.view), CLSOLVE_OK);
    assert_true(told.last == 1);
    assert_int_equal(CALL(predict)(context, 500, 1, type, &device, &host), CLSOLVE_OK);
    assert_true(device > 0 && host > 0);
    EXPECT(CALL(predict)(context, -1, 1, type, &device, &host), INVALID, "n is -1");
    assert_int_equal(CALL(warm)(context, 20, type), CLSOLVE_OK);
    assert_in_range(CALL(is_warm)(context, type), 0, 1);
    assert_int_equal(CALL(is_warm)(NULL, type), 0);
    CALL(destroy)(handle);
}
