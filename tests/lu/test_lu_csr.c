#define _POSIX_C_SOURCE 200809L
/*
 * Dense LU of matrices that come as sparse ones: renumbered, of all types, bases and indices, entries in any order and some
 * twice; in core, in several buffers, scaled, with a copy, out of core, on the host, over several devices. In a GPU's
 * shape the entries alone cross.
 */
#include <clsolve/clsolve.h>

#include "lu/ratios.h"

static clsolve_context *context, *many;
static test_random numbers;

/* The device under test and the host are several devices. */
static int open_contexts(void **state) {
    numbers = test_random_start(2304);
    context = test_context(1);
    const clsolve_device_info device = clsolve_context_device(context);
    const char *selectors[] = {device.selector, "host"};
    assert_int_equal(setenv("CLSOLVE_SHARES", "2,1", 1), 0);
    assert_int_equal(clsolve_context_create_many(NULL, 2, selectors, &many), CLSOLVE_OK);
    return 0;
}

static int close_contexts(void **state) {
    clsolve_context_destroy(many);
    clsolve_context_destroy(context);
    return 0;
}

/* ---- a sparse matrix, and the dense one that it is to be ---- */

enum { EACH = 6 }; /* entries of a row */

typedef struct sparse {
    clsolve_csr view;
    int64_t *rows, *columns; /* NULL: none */
    double *dense;           /* column-major, as the handle is to have it */
    void *start, *column, *value;
} sparse;

static int64_t *permutation(int64_t n) {
    int64_t *p = test_room(n, sizeof *p);
    for (int64_t i = 0; i < n; ++i) p[i] = i;
    for (int64_t i = n - 1; i > 0; --i) {
        const int64_t j = test_random_between(&numbers, 0, i), swap = p[i];
        p[i] = p[j];
        p[j] = swap;
    }
    return p;
}

static void put_index(const sparse *s, void *array, int64_t k, int64_t value) {
    if (s->view.index == CLSOLVE_I64)
        ((int64_t *)array)[k] = value + s->view.base;
    else
        ((int32_t *)array)[k] = (int32_t)(value + s->view.base);
}

static void put_number(const sparse *s, int64_t k, double value) {
    if (s->view.type == CLSOLVE_F64 || s->view.type == CLSOLVE_C64)
        ((double *)s->value)[k] = value;
    else
        ((float *)s->value)[k] = (float)value;
}

/* Strictly dominant by rows in its new order, so that each type solves it well: the diagonal comes in two entries, and other
 * places may come twice. `dense` has as many parts as elements of `type`. Numbers are floats' in any type. */
static sparse make(int64_t n, int permuted, clsolve_type type, clsolve_csr view) {
    sparse s = {.view = view};
    const int64_t parts = test_numbers(view.type, 1), wide = test_numbers(type, 1);
    int64_t *column_at = test_room(n, sizeof *column_at), e = 0;
    s.rows = permuted ? permutation(n) : NULL;
    s.columns = permuted ? permutation(n) : NULL;
    s.start = test_room(n + 1, sizeof(int64_t));
    s.column = test_room(EACH * n, sizeof(int64_t));
    s.value = test_room(EACH * n, 2 * sizeof(double));
    s.dense = test_room(n * n, 2 * sizeof(double));
    for (int64_t j = 0; j < n; ++j) column_at[s.columns ? s.columns[j] : j] = j;
    put_index(&s, s.start, 0, 0);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t row = s.rows ? s.rows[i] : i;
        for (int k = 0; k < EACH; ++k, ++e) {
            const int64_t j = k % 3 == 1 ? row : test_random_between(&numbers, 0, n - 1);
            put_index(&s, s.column, e, column_at[j]);
            for (int64_t p = 0; p < parts; ++p) {
                const double value = k % 3 == 1 && p == 0 ? 4 * EACH : (double)(float)test_random_signed(&numbers);
                put_number(&s, e * parts + p, value);
                s.dense[(row + j * n) * wide + p] += value;
            }
        }
        put_index(&s, s.start, i + 1, e);
    }
    free(column_at);
    s.view.rows = s.view.cols = n;
    s.view.row_start = s.start;
    s.view.column = s.column;
    s.view.values = s.value;
    return s;
}

static void drop(sparse *s) {
    free(s->rows), free(s->columns), free(s->dense), free(s->start), free(s->column), free(s->value);
}

/* ---- solves ---- */

static void fail_here(clsolve_context *c, const char *what, int64_t n, clsolve_type type, clsolve_status status) {
    fail_msg("%s, n = %d, %s: %s: %s", what, (int)n, test_type_names[type], clsolve_status_name(status),
             clsolve_context_message(c));
}

static clsolve_report check(clsolve_context *c, const char *what, int64_t n, clsolve_type type, int kind,
                            const clsolve_lu_options *options) {
    enum { NRHS = 2 };
    const int complex_values = test_numbers(type, 1) == 2 && kind / 8 % 2 == 0, wide = kind / 4 % 2;
    const clsolve_csr view = {.type = complex_values ? (wide ? CLSOLVE_C64 : CLSOLVE_C32)
                                                     : (wide ? CLSOLVE_F64 : CLSOLVE_F32),
                              .index = kind / 2 % 2 ? CLSOLVE_I64 : CLSOLVE_I32,
                              .base = kind % 2};
    SCRATCH double *b = test_elements(type, n * NRHS), *x = test_elements(type, n * NRHS);
    clsolve_report report = {0};
    clsolve_lu *lu = NULL;
    clsolve_status status = clsolve_lu_create(c, n, type, options, &lu);
    if (status != CLSOLVE_OK) fail_here(c, what, n, type, status);
    for (int again = 0; again < 2; ++again) { /* other values and another order in the same handle */
        sparse s = make(n, again ^ (kind & 1), type, view);
        test_matrix B = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, NRHS, 1);
        test_random_fill(&numbers, b, test_numbers(type, n * NRHS));
        for (int64_t k = 0; k < test_numbers(type, n * NRHS); ++k) b[k] = test_rounded(type, b[k]);
        for (int64_t k = 0; k < test_numbers(type, n * n); ++k) s.dense[k] = test_rounded(type, s.dense[k]);
        test_matrix_set(&B, b);
        status = clsolve_lu_factor_csr(lu, &s.view, s.rows, s.columns);
        if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B.view);
        if (status != CLSOLVE_OK) fail_here(c, what, n, type, status);
        test_matrix_get(&B, x);
        const double ratio = ratio_solve(type, CLSOLVE_NO_TRANS, n, NRHS, s.dense, x, b);
        if (!(ratio < RATIO_BOUND))
            fail_msg("%s, n = %d, %s, kind %d, %s: ratio %g", what, (int)n, test_type_names[type], kind,
                     s.rows ? "renumbered" : "as it is", ratio);
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        test_matrix_free(&B);
        drop(&s);
    }
    clsolve_lu_destroy(lu);
    return report;
}

TEST(test_sizes) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 31, 33, 32, 67, 127, 129};
    const size_t as_gpu = test_pretends("gpu") ? 1 : 0; /* each type costs PoCL a build there */
    int kind = 0;
    for (int t = CLSOLVE_F32; t <= CLSOLVE_C64; t += as_gpu ? 3 : 1)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && test_has_type(context, (clsolve_type)t);
             s += 1 + as_gpu) {
            clsolve_lu_options options = test_lu_options();
            options.where = CLSOLVE_WHERE_DEVICE;
            (void)check(context, "device", sizes[s], (clsolve_type)t, kind++, &options);
            (void)check(context, "by itself", sizes[s], (clsolve_type)t, kind++, NULL);
        }
}

/* The first limit under which a handle is made: out of core. */
static int64_t limit_for(int64_t n, clsolve_lu_options options) {
    OWNED(lu) *lu = NULL;
    for (options.memory_limit = 8192; !lu; options.memory_limit += options.memory_limit / 8)
        if (clsolve_lu_create(context, n, CLSOLVE_F32, &options, &lu) == CLSOLVE_OK) break;
    return options.memory_limit;
}

/* Each place in which a handle may have its factors, and each reason for which it wants A otherwise. */
TEST(test_handles) {
    enum { N = 83 };
    const clsolve_lu_options device = {.panel = test_lu_options().panel, .where = CLSOLVE_WHERE_DEVICE, .block = 8};
    clsolve_lu_options options = device;
    options.slab_bytes = 1; /* a buffer for each block */
    assert_true(check(context, "buffers", N, CLSOLVE_F32, 5, &options).slabs > 1);
    options = device, options.equilibrate = 1;
    (void)check(context, "equilibrate", N, CLSOLVE_F32, 2, &options);
    options = device, options.refine = 1;
    (void)check(context, "refine", N, CLSOLVE_F32, 3, &options);
    options = (clsolve_lu_options){.pivoting = CLSOLVE_PIVOTING_RBT, .where = CLSOLVE_WHERE_DEVICE};
    (void)check(context, "rbt", N, CLSOLVE_F32, 4, &options);
    if (test_has_type(context, CLSOLVE_F64)) {
        options = device, options.precision = CLSOLVE_PRECISION_MIXED;
        (void)check(context, "mixed", N, CLSOLVE_F64, 7, &options);
    }
    options = (clsolve_lu_options){.where = CLSOLVE_WHERE_HOST};
    (void)check(context, "host", N, CLSOLVE_C32, 1, &options);
    options = (clsolve_lu_options){.where = CLSOLVE_WHERE_DEVICE, .block = 8};
    options.memory_limit = limit_for(2 * N, options);
    assert_true(check(context, "out of core", 2 * N, CLSOLVE_F32, 6, &options).host_bytes > 0);
    for (int64_t n = 0; n < 2 * N; n += N)
        assert_int_equal(check(many, "many", n, CLSOLVE_F32, 1, &device).direct.devices, n ? 2 : 1);
    (void)check(many, "many, complex", N, CLSOLVE_C32, 8, &device);
    if (test_has_type(context, CLSOLVE_F64)) {
        options = device, options.precision = CLSOLVE_PRECISION_MIXED;
        (void)check(many, "many, mixed", N, CLSOLVE_F64, 7, &options);
    }
    options = device, options.refine = 1;
    (void)check(many, "many, refined", N, CLSOLVE_F32, 2, &options);
}

/* Of a matrix of zeros, for the most part, the entries alone cross; of a full one the matrix does. */
TEST(test_bytes) {
    enum { N = 700 }; /* a GPU takes smaller ones in one launch, as a dense matrix */
    const clsolve_device_info info = clsolve_context_device(context);
    if (info.host_memory && !test_pretends("gpu")) skip();
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE, .panel = CLSOLVE_PANEL_NATIVE};
    const clsolve_report report = check(context, "bytes", N, CLSOLVE_F32, 0, &options);
    if (report.bytes_up > 16 * EACH * N + 8 * 1024) fail_msg("%lld bytes went up", (long long)report.bytes_up);
}

/* ---- what is refused, and what is told ---- */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

TEST(test_refused) {
    int32_t start[] = {0, 2, 4, 6}, column[] = {0, 1, 1, 2, 0, 2};
    float value[] = {4, 1, 4, 1, 1, 4}, x[] = {5, 5, 5};
    const int64_t no_permutation[] = {0, 0, 2};
    clsolve_matrix B = clsolve_matrix_f32(3, 1, x);
    clsolve_csr A = clsolve_csr_f32(3, start, column, value);
    clsolve_report report;
    OWNED(lu) *lu = NULL;
    assert_int_equal(clsolve_lu_create(context, 3, CLSOLVE_F32, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor_csr(NULL, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_OK, "");
    EXPECT(clsolve_lu_factor_csr(lu, NULL, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_lu_factor_csr(lu, &A, no_permutation, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "no permutation");
    column[4] = 3;
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "column 3");
    column[4] = 0;
    A.type = CLSOLVE_C32;
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "complex");
    A.type = CLSOLVE_F32;
    value[3] = NAN;
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_ERROR_NONFINITE, "(1, 2)");
    value[3] = 1;
    EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B), CLSOLVE_OK, ""); /* a refused call has changed nothing */
    for (int i = 0; i < 3; ++i) assert_float_equal(x[i], 1, 1e-5F);
    start[2] = start[3] = 4, start[1] = 2; /* the last row is empty */
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_SINGULAR, "clsolve_lu_factor_csr");
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 3);
    start[1] = start[2] = start[3] = 0; /* and no row has any */
    EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_SINGULAR, "");
}

/* Rows without entries, where entries cross too. */
TEST(test_empty) {
    enum { N = 40 };
    int32_t start[N + 1] = {0}, column[1] = {0};
    double value[1] = {3};
    const clsolve_csr A = clsolve_csr_f64(N, start, column, value);
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE, .panel = CLSOLVE_PANEL_NATIVE};
    OWNED(lu) *lu = NULL;
    clsolve_report report;
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
    for (int one = 0; one < 2; ++one) {
        for (int i = 1; i <= N; ++i) start[i] = one;
        EXPECT(clsolve_lu_factor_csr(lu, &A, NULL, NULL), CLSOLVE_SINGULAR, "");
        assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_int_equal(report.info, one + 1);
    }
}

TEST_PROGRAM(open_contexts, close_contexts)
