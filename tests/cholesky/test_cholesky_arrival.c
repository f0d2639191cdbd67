/*
 * A matrix that comes to the device while its first columns are factored (src/method/arrival.h), in small: the handle is told
 * how many columns come at a time. The same answers, reports and refusals as of one that is there before; and each
 * allocation and each call of the driver fails in its turn.
 */
#include <clsolve/clsolve.h>

#include "api/cholesky.h"
#include "cholesky/hermitian_support.h"
#include "device/staging.h"
#include "support/fault_run.h"
#include "support/fixture.h"

typedef struct trial {
    clsolve_type type;
    clsolve_layout layout;
    clsolve_uplo uplo;
    int64_t n, block, columns;
    int ahead;
    double complex *A; /* both triangles */
} trial;

/* ---- matrices ---- */

/* Diagonally dominant. */
static double complex *fill(test_random *random, clsolve_type type, int64_t n) {
    double complex *A = test_room(n * n, sizeof *A);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            A[i + j * n] =
                i == j ? test_rounded(type, 2 * (double)n + test_random_unit(random)) : hermitian_drawn(random, type);
            A[j + i * n] = conj(A[i + j * n]);
        }
    return A;
}

static void set(const test_matrix *m, const double complex *values) {
    const int64_t count = m->view.rows * m->view.cols, parts = cls_type_parts(m->view.type);
    SCRATCH double *flat = test_elements(m->view.type, count);
    for (int64_t k = 0; k < count; ++k) {
        flat[parts * k] = creal(values[k]);
        if (parts == 2) flat[2 * k + 1] = cimag(values[k]);
    }
    test_matrix_set(m, flat);
}

static void get(const test_matrix *m, double complex *values) {
    const int64_t count = m->view.rows * m->view.cols, parts = cls_type_parts(m->view.type);
    SCRATCH double *flat = test_elements(m->view.type, count);
    test_matrix_get(m, flat);
    for (int64_t k = 0; k < count; ++k) values[k] = CMPLX(flat[parts * k], parts == 2 ? flat[2 * k + 1] : 0);
}

/* The triangle of A; the other one is NaN, and so are the diagonal's imaginary parts. */
static test_matrix give(const trial *t, int64_t spare) {
    const int64_t n = t->n;
    SCRATCH double complex *all = test_room(n * n, sizeof *all);
    test_matrix a = test_matrix_make(t->type, t->layout, n, n, spare);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const int inside = triangle_has(t->uplo, i, j);
            all[i + j * n] = inside ? t->A[i + j * n] : CMPLX((double)NAN, (double)NAN);
            if (i == j) all[i + j * n] = CMPLX(creal(t->A[i + j * n]), (double)NAN);
        }
    set(&a, all);
    return a;
}

/* ---- handles ---- */

static double told; /* the progress; 2: it went back */

static void tell(void *user, const char *phase, double share) {
    (void)user;
    assert_string_equal(phase, "factor");
    told = share >= told && share <= 1 ? share : 2;
}

/* As if it were large and this a GPU; columns 0: it comes before it is factored. What the device's memory held is NaN. */
static clsolve_status open_handle(const trial *t, int64_t columns, clsolve_cholesky **handle) {
    const clsolve_cholesky_options options = {.panel = CLSOLVE_PANEL_NATIVE,
                                              .precision = CLSOLVE_PRECISION_WORKING,
                                              .block = (int32_t)t->block,
                                              .progress = tell};
    cls_device *device = context->device;

    told = 0;
    CLS_TRY(clsolve_cholesky_create(context, t->n, t->type, &options, handle));
    cls_cholesky *c = &(*handle)->factors;
    c->ahead = t->ahead;
    c->arrival_columns = columns;
    return device->ops->fill(device, CLS_COMPUTE, c->A.slab[0], 0, (size_t)c->A.bytes, 0xff);
}

static int comes(const trial *t) {
    return (t->uplo == CLSOLVE_LOWER) == (t->layout == CLSOLVE_COLUMN_MAJOR);
}

/* ---- answers ---- */

static void check_report(const trial *t, const clsolve_cholesky *handle, const double complex *F) {
    const int64_t n = t->n, size = cls_type_size(t->type);
    clsolve_report report;
    int64_t bytes = 0, groups = 0;
    double log_det = 0;

    test_works(context, clsolve_cholesky_report(handle, &report));
    for (int64_t j = 0; j < n; j += t->columns, ++groups)
        bytes += (n - j) * (n - j < t->columns ? n - j : t->columns) * size;
    if (comes(t)) assert_int_equal(report.bytes_up, bytes);
    if (comes(t)) assert_int_equal(report.transfers_up, groups);
    for (int64_t j = 0; j < n; ++j) log_det += 2 * log(creal(F[j + j * n]));
    assert_true(fabs(report.direct.log_abs_det - log_det) <= 1e-4 * (double)n);
}

/* A late column of the inverse, which comes home in several parts, is a solution. */
static void check_inverse(const trial *t, clsolve_cholesky *handle, test_matrix *f, double complex *F) {
    const int64_t n = t->n, column = n - 50;
    scratch_matrix b = test_matrix_make(t->type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    SCRATCH double complex *x = test_room(n, sizeof *x);

    x[column] = 1;
    set(&b, x);
    test_works(context, clsolve_cholesky_inverse(handle, t->uplo, &f->view));
    test_works(context, clsolve_cholesky_solve(handle, &b.view));
    get(f, F);
    get(&b, x);
    for (int64_t i = column; i < n; ++i) {
        const double complex one = t->uplo == CLSOLVE_LOWER ? F[i + column * n] : conj(F[column + i * n]);
        assert_true(cabs(one - x[i]) <= 1000 * test_epsilon(t->type) * cabs(x[column]));
    }
}

static void one(const trial *t, int64_t spare) {
    const int64_t n = t->n;
    SCRATCH double complex *F = test_room(n * n, sizeof *F), *B = test_room(n, sizeof *B);
    scratch_matrix a = give(t, spare), f = give(t, spare), b = test_matrix_make(t->type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    OWNED(cholesky) *handle = NULL;
    SCRATCH double complex *x = test_room(n, sizeof *x);

    for (int64_t i = 0; i < n; ++i) B[i] = test_rounded(t->type, 1.0 + (double)(i % 7));
    set(&b, B);
    test_works(context, open_handle(t, t->columns, &handle));
    handle->factors.uplo = t->uplo;
    assert_int_equal(cls_cholesky_takes_while_factoring(&handle->it.direct, &a.view), comes(t));
    test_works(context, clsolve_cholesky_factor(handle, t->uplo, &a.view));
    assert_true(told == 1);
    test_works(context, clsolve_cholesky_factors(handle, t->uplo, &f.view));
    get(&f, F);
    check_report(t, handle, F);
    test_works(context, clsolve_cholesky_solve(handle, &b.view));
    get(&b, x);
    const double factor = n <= 150 ? hermitian_factor_ratio(t->type, n, t->A, F, t->uplo) : 0;
    const double solve = hermitian_solve_ratio(t->type, n, 1, t->A, x, B);
    if (!(factor < RATIO_BOUND) || !(solve < RATIO_BOUND))
        fail_msg("%s, layout %d, uplo %d, n %d, block %d, columns %d, ahead %d: ratios %g, %g",
                 test_type_names[t->type], (int)t->layout, (int)t->uplo, (int)n, (int)t->block, (int)t->columns,
                 t->ahead, factor, solve);
    if (n > 512) check_inverse(t, handle, &f, F);
    test_matrix_spare_intact(&a);
}

static clsolve_type type_of(int64_t number) {
    static const clsolve_type types[] = {CLSOLVE_F64, CLSOLVE_C64, CLSOLVE_F32, CLSOLVE_C32};
    return types[clsolve_context_device(context).fp64 ? number % 4 : 2 + number % 2];
}

static void trial_of(test_random *random, int64_t number, int64_t n, int64_t columns, int64_t block) {
    trial t = {.type = type_of(number),
               .layout = number / 4 % 3 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR,
               .n = n,
               .block = block,
               .columns = columns,
               .ahead = number % 3 > 0};
    t.uplo = (t.layout == CLSOLVE_COLUMN_MAJOR) == (number % 7 > 0) ? CLSOLVE_LOWER : CLSOLVE_UPPER;
    t.A = fill(random, t.type, n);
    one(&t, number % 4);
    free(t.A);
}

/* Orders about a group, primes, and any; groups of less and of more than a block. */
TEST(test_answers) {
    static const int64_t orders[] = {1, 2, 19, 20, 21, 39, 41, 101, 149};
    enum { ORDERS = sizeof orders / sizeof *orders };
    test_random random = test_random_start(1);
    static const int64_t blocks[] = {16, 64}; /* each is kernels of its own */
    const int staged = context->device->staged, trials = test_reduced() ? ORDERS + 3 : ORDERS + 15;
    for (int64_t k = 0; k < trials; ++k) {
        const int64_t n = k < ORDERS ? orders[k] : test_random_between(&random, 1, 150);
        const int64_t columns = k < ORDERS ? 20 : test_random_between(&random, 1, n + 5);
        context->device->staged = staged && k % 4 > 0; /* else as from pinned memory */
        trial_of(&random, k, n, columns, blocks[k / 4 % 2]);
    }
    /* Those that have come make a triangle of more columns than a square has, in several blocks. */
    trial_of(&random, 8, 607, 270, 64);
    context->device->staged = staged;
}

/* ---- as of a matrix that is there ---- */

typedef struct ending {
    clsolve_status status;
    char message[4096];
    clsolve_report report;
} ending;

static ending end_of(const trial *t, const test_matrix *a, int64_t columns) {
    ending end = {.status = CLSOLVE_OK};
    clsolve_cholesky *handle = NULL;
    SCRATCH double complex *x = calloc((size_t)t->n, sizeof *x), *ones = calloc((size_t)t->n, sizeof *ones);
    scratch_matrix b = test_matrix_make(t->type, CLSOLVE_COLUMN_MAJOR, t->n, 1, 0);

    assert_true(x && ones);
    test_works(context, open_handle(t, columns, &handle));
    end.status = clsolve_cholesky_factor(handle, t->uplo, &a->view);
    (void)snprintf(end.message, sizeof end.message, "%s", clsolve_context_message(context));
    test_works(context, clsolve_cholesky_report(handle, &end.report));
    if (end.status == CLSOLVE_OK) { /* a solution is in A's own range */
        const double size = creal(t->A[0]);
        for (int64_t i = 0; i < t->n; ++i) ones[i] = test_rounded(t->type, size);
        set(&b, ones);
        test_works(context, clsolve_cholesky_solve(handle, &b.view));
        get(&b, x);
        assert_true(hermitian_solve_ratio(t->type, t->n, 1, t->A, x, ones) < RATIO_BOUND);
    }
    /* The next matrix is nothing of this one's affair. */
    trial next = *t;
    test_random random = test_random_start(99);
    next.A = fill(&random, t->type, t->n);
    scratch_matrix other = give(&next, 0);
    test_works(context, clsolve_cholesky_factor(handle, t->uplo, &other.view));
    for (int64_t i = 0; i < t->n; ++i) ones[i] = 1;
    set(&b, ones);
    test_works(context, clsolve_cholesky_solve(handle, &b.view));
    get(&b, x);
    assert_true(hermitian_solve_ratio(t->type, t->n, 1, next.A, x, ones) < RATIO_BOUND);
    clsolve_cholesky_destroy(handle);
    free(next.A);
    return end;
}

static void same_end(trial *t, const char *what) {
    scratch_matrix a = give(t, 1);
    const ending there = end_of(t, &a, 0), coming = end_of(t, &a, t->columns);

    if (coming.status != there.status || strcmp(coming.message, there.message) != 0)
        fail_msg("%s, %s: %s: %s; of one that is there %s: %s", what, test_type_names[t->type],
                 clsolve_status_name(coming.status), coming.message, clsolve_status_name(there.status), there.message);
    assert_int_equal(coming.report.info, there.report.info);
    assert_true(fabs(coming.report.direct.log_abs_det - there.report.direct.log_abs_det) <=
                1e-4 * (double)t->n + 1e-6 * fabs(there.report.direct.log_abs_det));
    test_matrix_spare_intact(&a);
}

/* Element (i, j) of both triangles. */
static void put(const trial *t, int64_t i, int64_t j, double value) {
    t->A[i + j * t->n] = t->A[j + i * t->n] = value;
}

/* Matrices that are refused: where, and by which of two reasons. */
TEST(test_refused) {
    enum { N = 97 };
    static const struct {
        const char *what;
        int64_t i, j;
        double value;
        int64_t minor; /* or -1 */
    } all[] = {{"NaN first", 0, 0, NAN, -1},           {"Inf last", N - 1, N - 1, INFINITY, -1},
               {"NaN below", N - 2, 3, NAN, -1},       {"-Inf on a late diagonal", 80, 80, -INFINITY, -1},
               {"NaN behind a minor", 90, 89, NAN, 7}, {"a first minor", 5, 4, 0.5, 0},
               {"a middle minor", 5, 4, 0.5, 41},      {"the last minor", 5, 4, 0.5, N - 1}};
    test_random random = test_random_start(2);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (int complex_ones = 0; complex_ones < 2; ++complex_ones) {
            if (test_reduced() && (int)(k % 2) != complex_ones) continue;
            trial t = {.type = type_of(complex_ones), .n = N, .block = 16, .columns = 13, .ahead = k % 2 == 0};
            t.layout = (k + (size_t)complex_ones) % 3 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR;
            t.uplo = t.layout == CLSOLVE_COLUMN_MAJOR ? CLSOLVE_LOWER : CLSOLVE_UPPER;
            t.A = fill(&random, t.type, N);
            put(&t, all[k].i, all[k].j, all[k].value);
            if (all[k].minor >= 0) put(&t, all[k].minor, all[k].minor, -1);
            same_end(&t, all[k].what);
            free(t.A);
        }
}

/* Tiny ones are scaled first, and so are huge complex ones. */
TEST(test_extremes) {
    enum { N = 70 };
    test_random random = test_random_start(3);
    for (int64_t k = 0; k < 8; ++k) {
        trial t = {.type = type_of(k),
                   .layout = CLSOLVE_COLUMN_MAJOR,
                   .uplo = CLSOLVE_LOWER,
                   .n = N,
                   .block = 16,
                   .columns = 13};
        const int wide = cls_is_double(t.type), huge = k > 3;
        const double by = ldexp(1, huge ? (wide ? 1012 : 116) : (wide ? -1000 : -110));
        t.A = fill(&random, t.type, N);
        for (int64_t e = 0; e < N * N; ++e) {
            t.A[e] *= by;
            t.A[e] = CMPLX(test_rounded(t.type, creal(t.A[e])), test_rounded(t.type, cimag(t.A[e])));
        }
        same_end(&t, huge ? "huge" : "tiny");
        put(&t, 50, 50, -by);
        if (!huge) same_end(&t, "tiny, and not positive definite");
        memset(t.A, 0, N * N * sizeof *t.A);
        if (k == 0) same_end(&t, "zeros");
        free(t.A);
    }
}

/* ---- faults ---- */

static trial faulty;
static double complex right[64];

static clsolve_status factor_and_solve(clsolve_cholesky *handle, const test_matrix *a, test_matrix *b) {
    told = 0;
    set(b, right);
    CLS_TRY(clsolve_cholesky_factor(handle, faulty.uplo, &a->view));
    return clsolve_cholesky_solve(handle, &b->view);
}

static int is_right(const test_matrix *b, int solved) {
    double complex x[64];
    get(b, x);
    if (!solved) return memcmp(x, right, (size_t)faulty.n * sizeof *x) == 0;
    return hermitian_solve_ratio(faulty.type, faulty.n, 1, faulty.A, x, right) < RATIO_BOUND;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    scratch_matrix a = give(&faulty, 1), b = test_matrix_make(faulty.type, CLSOLVE_COLUMN_MAJOR, faulty.n, 1, 0);
    const int64_t buffers = test_buffers(context->device);
    clsolve_cholesky *handle = NULL;

    set(&b, right);
    out.status = open_handle(&faulty, faulty.columns, &handle);
    if (out.status == CLSOLVE_OK) out.status = factor_and_solve(handle, &a, &b);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, is_right(&b, 0), is_right(&b, 1));
        if (handle) assert_int_equal(factor_and_solve(handle, &a, &b), CLSOLVE_OK);
    }
    if (handle && !is_right(&b, 1))
        fail_msg("%s failed: wrong, status %d", *failed ? *failed : "nothing", (int)out.status);
    clsolve_cholesky_destroy(handle);
    cls_staging_destroy(context->device); /* which slots there are depends on the time */
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

/* Two forms of a kernel: where the first one fails the other takes its place, and its program stays with the context, as on
 * NVIDIA's GPUs the form of a leaf without tiles. */
static fault_outcome other_form(const char **failed) {
    const cls_device_ops *ops = context->device->ops;
    fault_outcome out = {CLSOLVE_OK, ""};
    cls_kernel *kernel = NULL;
    cls_program *program;

    out.status = ops->program_get(context->device, "symmetric", "-DTILE=4", &program);
    if (out.status == CLSOLVE_OK)
        out.status = ops->kernel_create(context->device, program, "symmetric_mirror", &kernel);
    if (out.status == CLSOLVE_ERROR_BUILD) {
        out.status = ops->program_get(context->device, "symmetric", "-DTILE=2", &program);
        if (out.status == CLSOLVE_OK)
            out.status = ops->kernel_create(context->device, program, "symmetric_mirror", &kernel);
    }
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) fault_failed(context, &out, 1, 1);
    ops->kernel_destroy(context->device, kernel);
    return out;
}

TEST(test_faults) {
    test_random random = test_random_start(4);
    const char *failed = NULL;
    faulty = (trial){.type = CLSOLVE_C32,
                     .layout = CLSOLVE_ROW_MAJOR,
                     .uplo = CLSOLVE_UPPER,
                     .n = 40,
                     .block = 16,
                     .columns = 9,
                     .ahead = 1};
    faulty.A = fill(&random, faulty.type, faulty.n);
    for (int64_t i = 0; i < faulty.n; ++i) right[i] = 1;
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
    if (context->device->matrix_unit == 0) { /* what is announced for NVIDIA's form leaves nothing either */
        context->device->matrix_unit = 75;
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
        context->device->matrix_unit = 0;
    }
    fault_lasting = 1;
    fault_each(FAULT_ALLOCATION, NULL, 5, scenario);
    if (!test_reduced()) fault_each(FAULT_DEVICE, NULL, 10, scenario); /* those of OpenCL's driver */
    free(faulty.A);
}

TEST(test_faults_of_forms) {
    const char *failed = NULL;
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(other_form(&failed).status, CLSOLVE_OK);
    fault_lasting = 1;
    fault_each(FAULT_DEVICE, NULL, 0, other_form);
}

static int open_all(void **state) {
    (void)open_context(state);
    context->device->staging_bytes = 2048; /* many pieces, by several threads, where memory is staged */
    context->device->threads = 3;
    return 0;
}

TEST_PROGRAM(open_all, close_context)
