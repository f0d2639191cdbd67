/*
 * Handles that keep a copy of A (refinement, mixed precision, RBT) with matrices in the caller's own OpenCL buffers, with
 * offset and ld. A stays on the device, and right-hand sides alone cross to the host. What lies between the lines, before
 * and behind them does not change.
 */
#include "lu/interop_support.h"

#include "api/context.h"
#include "blas/blas.h"
#include "method/fetch.h"

enum { LEAST_TILE = 16 };

static const int64_t sizes[] = {1, 2, 3, 5, LEAST_TILE - 1, LEAST_TILE, LEAST_TILE + 1, 67};

#define EXPECT(call, status) TEST_EXPECT(io.context, call, status, "")

static clsolve_type widest(void) {
    return clsolve_context_device(io.context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
}

/* Handles that keep a copy: of both types, where the device or the option has them. */
typedef struct kind {
    const char *name;
    clsolve_type type;
    clsolve_lu_options options;
} kind;

static int kinds(kind *list) {
    clsolve_lu_options plain = test_lu_options();
    int count = 0;
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
        /* Without double on the device a matrix of doubles is factored in float, and its copy is one of bits. */
        clsolve_lu_options refined = plain, both = plain, rbt = plain, mixed = plain;
        refined.refine = 1;
        both.refine = both.equilibrate = both.rcond = 1;
        rbt.pivoting = CLSOLVE_PIVOTING_RBT;
        mixed.precision = CLSOLVE_PRECISION_MIXED;
        mixed.rcond = 1;
        list[count++] = (kind){"refine", (clsolve_type)type, refined};
        list[count++] = (kind){"refine, equilibrate, rcond", (clsolve_type)type, both};
        list[count++] = (kind){"rbt", (clsolve_type)type, rbt};
        if (type == CLSOLVE_F64) list[count++] = (kind){"mixed", (clsolve_type)type, mixed};
    }
    return count;
}

static clsolve_lu *create(const kind *k, int64_t n) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options options = k->options;
    EXPECT(clsolve_lu_create(io.context, n, k->type, &options, &lu), CLSOLVE_OK);
    return lu;
}

/* Random, with a diagonal that makes the condition small. */
static double *matrix_of(uint64_t use, int64_t n) {
    double *A = io_values(use, n * n);
    for (int64_t i = 0; i < n; i++) A[i + i * n] = test_rounded(io.type, A[i + i * n] + 3);
    return A;
}

static void check_unchanged(io_matrix *a, const double *values) {
    SCRATCH double *back = io_values(0, a->view.rows * a->view.cols);
    io_get(a, NULL, back);
    io_same(back, values, a->view.rows * a->view.cols);
}

/* ---- factor and solve ---- */

static void factor_and_solve(const kind *k, int64_t n, int64_t nrhs, clsolve_layout layout, clsolve_op op) {
    SCRATCH double *A = matrix_of(1, n), *B = io_values(2, n * nrhs), *X = io_values(3, n * nrhs);
    scratch_io a = io_put(layout, n, n, A), b = io_put(layout, n, nrhs, B);
    clsolve_report report;
    OWNED(lu) *lu = create(k, n);
    int64_t size = io.type == CLSOLVE_F64 ? 8 : 4;

    EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    EXPECT(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    /* A stays there: what crosses are vectors of the scaling and numbers of the report. Where the host works on the
     * factors, and alone computes in double, a copy in double is the host's. */
    int of_host = cls_in_place(io.context->device) && io.type == CLSOLVE_F64 && widest() == CLSOLVE_F32;
    if (n > 60 && !k->options.rcond && !of_host) assert_true(report.bytes_up + report.bytes_down < n * n * size);
    EXPECT(clsolve_lu_solve(lu, op, &b.view), CLSOLVE_OK);
    io_get(&b, NULL, X);
    double ratio = ratio_solve(io.type, op, n, nrhs, A, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("%s, n %d: ratio %g", k->name, (int)n, ratio);
    check_unchanged(&a, A);
}

/* A test that failed has left another type. */
static int reset(void **state) {
    io.type = widest();
    return 0;
}

TEST(each_kind) {
    kind list[8];
    int count = kinds(list);
    for (int k = 0; k < count; k++)
        for (size_t s = test_reduced() ? 5 : 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++)
                for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; op++) {
                    io.type = list[k].type;
                    factor_and_solve(&list[k], sizes[s], 1 + (int64_t)s, (clsolve_layout)layout, (clsolve_op)op);
                }
}

/* No rows, no right-hand sides. */
TEST(nothing) {
    kind list[8];
    int count = kinds(list);
    for (int k = 0; k < count; k++) {
        io.type = list[k].type;
        double one = 2;
        scratch_io a = io_put(CLSOLVE_ROW_MAJOR, 1, 1, &one);
        clsolve_matrix none = a.view, empty = a.view;
        clsolve_lu *lu = create(&list[k], 0);
        none.rows = none.cols = 0;
        empty.rows = 0;
        EXPECT(clsolve_lu_factor(lu, &none), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &empty), CLSOLVE_OK);
        clsolve_lu_destroy(lu);
        lu = create(&list[k], 1);
        empty = a.view, empty.cols = 0;
        EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &empty), CLSOLVE_OK);
        clsolve_lu_destroy(lu);
        check_unchanged(&a, &one);
    }
}

/* More columns than a refinement takes at once, from buffers that their owner keeps from the host. */
TEST(forbidden_to_the_host) {
    static const cl_mem_flags flags[] = {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
    enum { SIDES = 70 };
    kind list[8];
    (void)kinds(list);
    io.type = list[0].type;
    SCRATCH double *A = matrix_of(1, IO_N), *B = io_values(2, IO_N * SIDES), *X = io_values(3, IO_N * SIDES);
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        scratch_io a = io_put_as(flags[f], CLSOLVE_ROW_MAJOR, IO_N, IO_N, A);
        scratch_io b = io_put_as(flags[f], CLSOLVE_ROW_MAJOR, IO_N, SIDES, B);
        OWNED(lu) *lu = create(&list[0], IO_N);
        EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        io_get(&b, NULL, X);
        double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, IO_N, SIDES, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
        check_unchanged(&a, A);
    }
}

/* The inverse of each layout into each, where kernels transpose, and where the owners of the buffers keep kernels from it. */
TEST(forbidden_to_kernels) {
    static const cl_mem_flags flags[] = {0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
    SCRATCH double *A = matrix_of(1, IO_N), *X = io_values(2, IO_N * IO_N), *one = io_values(3, IO_N * IO_N);
    for (int k = 0; k < IO_N * IO_N; k++) one[k] = k % (IO_N + 1) == 0;
    for (int which = 0; which < 3 * 3 * 4; which++) {
        const clsolve_layout layouts[] = {CLSOLVE_COLUMN_MAJOR, CLSOLVE_ROW_MAJOR};
        scratch_io a = io_put_as(flags[which % 3], layouts[which / 9 % 2], IO_N, IO_N, A);
        scratch_io x = io_put_as(flags[which / 3 % 3], layouts[which / 18], IO_N, IO_N, one);
        OWNED(gauss_jordan) *gj = NULL;
        EXPECT(clsolve_gauss_jordan_create(io.context, IO_N, io.type, NULL, &gj), CLSOLVE_OK);
        EXPECT(clsolve_gauss_jordan_invert(gj, &a.view, &x.view), CLSOLVE_OK);
        io_get(&x, NULL, X);
        double ratio = ratio_solve(io.type, CLSOLVE_NO_TRANS, IO_N, IO_N, A, X, one);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
        check_unchanged(&a, A);
    }
}

/* ---- a limit that leaves room for the factors, and none for a copy of A beside them ---- */

TEST(copy_on_the_host) {
    enum { N = 330 }; /* right-hand sides, for which a limit leaves room too, are fewer */
    kind list[8];
    int count = kinds(list);
    for (int k = 0; k < count; k++) {
        io.type = list[k].type;
        int64_t size = io.type == CLSOLVE_F64 ? 8 : 4, before = 0;
        clsolve_report report = {.slabs = 0};
        clsolve_lu *lu = NULL;
        /* More and more, until the handle is no more out of core. */
        for (list[k].options.memory_limit = 1 << 16;; list[k].options.memory_limit += 1 << 14) {
            clsolve_status status = clsolve_lu_create(io.context, N, io.type, &list[k].options, &lu);
            /* Out of core nothing is factored without pivots. */
            if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || status == CLSOLVE_ERROR_UNSUPPORTED) continue;
            EXPECT(status, CLSOLVE_OK);
            EXPECT(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            if (report.host_bytes == 0) break;
            before = report.host_bytes;
            clsolve_lu_destroy(lu);
        }
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            SCRATCH double *A = matrix_of(1, N), *B = io_values(2, N), *X = io_values(3, N);
            scratch_io a = io_put((clsolve_layout)layout, N, N, A);
            scratch_io b = io_put((clsolve_layout)layout, N, 1, B);
            EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
            EXPECT(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            if (before > 0 && report.bytes_down < N * N * size) /* that is why it is here */
                fail_msg("%s: %d bytes came down", list[k].name, (int)report.bytes_down);
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_TRANS, &b.view), CLSOLVE_OK);
            io_get(&b, NULL, X);
            double ratio = ratio_solve(io.type, CLSOLVE_TRANS, N, 1, A, X, B);
            if (!(ratio < RATIO_BOUND)) fail_msg("%s: ratio %g", list[k].name, ratio);
            check_unchanged(&a, A);
        }
        clsolve_lu_destroy(lu);
    }
}

/* ---- what crosses ---- */

/* Long lines in parts, short ones many at a time, and a run of them: there and back. */
TEST(pieces) {
    static const int64_t shapes[][2] = {{3, 1400001}, {700001, 5}};
    cls_device *device = io.context->device;
    io.type = CLSOLVE_F32;
    for (int s = 0; s < 2; s++) {
        const int64_t lines = shapes[s][0], length = shapes[s][1], count = lines * length;
        SCRATCH double *values = io_values(1, count), *back = io_values(2, count);
        SCRATCH float *host = test_room(count, sizeof *host);
        scratch_io m = io_put(CLSOLVE_ROW_MAJOR, lines, length, values);
        cls_counters before = device->counters;
        EXPECT(cls_fetch_lines(device, &m.view, 0, lines, host), CLSOLVE_OK);
        cls_counters moved = cls_counters_since(&device->counters, &before);
        assert_int_equal(moved.bytes_down, count * 4);
        assert_int_equal(moved.transfers_down, 1);
        for (int64_t k = 0; k < count; k++) assert_true((double)host[k] == values[k / length + k % length * lines]);
        for (int64_t k = 0; k < count; k++) host[k] = -host[k];
        EXPECT(cls_store_lines(device, &m.view, 1, lines - 1, host + length), CLSOLVE_OK); /* all but the first */
        io_get(&m, NULL, back);
        for (int64_t k = 0; k < count; k++) assert_true(back[k] == (k % lines == 0 ? values[k] : -values[k]));
    }
}

/* ---- other factors of the copy ---- */

/* Float factors that are no use become double ones, factors without pivots such with pivots. */
TEST(fall_back) {
    enum { N = 120 };
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N), *X = io_values(3, N);
    test_random random = test_random_start(4);
    clsolve_lu_options options = test_lu_options();
    clsolve_report report;
    if (widest() != CLSOLVE_F64) skip();
    for (int rbt = 0; rbt < 2; rbt++) {
        options.precision = rbt ? CLSOLVE_PRECISION_AUTO : CLSOLVE_PRECISION_MIXED;
        options.pivoting = rbt ? CLSOLVE_PIVOTING_RBT : CLSOLVE_PIVOTING_AUTO;
        test_with_condition(&random, N, 3, 1e18, A);
        for (int k = 0; rbt && k < N * N; k++) A[k] = k / N == (k % N + 1) % N; /* a permutation */
        scratch_io a = io_put(CLSOLVE_ROW_MAJOR, N, N, A), b = io_put(CLSOLVE_ROW_MAJOR, N, 1, B);
        OWNED(lu) *lu = NULL;
        EXPECT(clsolve_lu_create(io.context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
        EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
        EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
        EXPECT(clsolve_lu_report(lu, &report), CLSOLVE_OK);
        assert_non_null(rbt ? report.direct.pivoting_fallback : report.direct.fallback);
        io_get(&b, NULL, X);
        double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, N, 1, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("ratio %g", ratio);
    }
}

/* ---- factors ---- */

/* L\U into the caller's buffer, in both layouts, equals what comes to the host; of a tiny A, which was scaled as a whole,
 * too. */
TEST(factors_to_the_device) {
    enum { N = 67 };
    SCRATCH double *on_host = io_values(2, N * N), *on_device = io_values(3, N * N);
    for (int type = CLSOLVE_F32; type <= (int)widest(); type++)
        for (int refine = 0; refine < 2; refine++)
            for (int tiny = 0; tiny < 2; tiny++)
                for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
                    io.type = (clsolve_type)type;
                    double *A = matrix_of(1, N), scale = io.type == CLSOLVE_F64 ? 0x1p-1015 : 0x1p-120;
                    for (int k = 0; tiny && k < N * N; k++) A[k] = test_rounded(io.type, A[k] * scale);
                    clsolve_lu_options options = test_lu_options();
                    clsolve_report report;
                    OWNED(lu) *lu = NULL;
                    options.refine = refine;
                    scratch_io a = io_put((clsolve_layout)layout, N, N, A);
                    scratch_matrix f = test_matrix_make(io.type, (clsolve_layout)layout, N, N, 0);
                    EXPECT(clsolve_lu_create(io.context, N, io.type, &options, &lu), CLSOLVE_OK);
                    EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
                    EXPECT(clsolve_lu_report(lu, &report), CLSOLVE_OK);
                    if (tiny && !refine) assert_int_equal(report.direct.equilibrated, CLSOLVE_SCALED_UNIFORMLY);
                    EXPECT(clsolve_lu_factors(lu, &f.view, NULL), CLSOLVE_OK);
                    EXPECT(clsolve_lu_factors(lu, &a.view, NULL), CLSOLVE_OK);
                    test_matrix_get(&f, on_host);
                    io_get(&a, NULL, on_device);
                    io_same(on_host, on_device, N * N);
                    free(A);
                }
}

/* ---- failures ---- */

/* A that holds NaN, a singular one, B that holds Inf, a view beyond its buffer: B stays, and the message names the place. */
TEST(failures_change_nothing) {
    enum { N = 67, SIDES = 3 };
    kind list[8];
    int count = kinds(list);
    for (int k = 0; k < count; k++)
        for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            io.type = list[k].type;
            SCRATCH double *A = matrix_of(1, N), *B = io_values(2, N * SIDES);
            OWNED(lu) *lu = create(&list[k], N);
            io_matrix good = io_put((clsolve_layout)layout, N, N, A), b = io_put((clsolve_layout)layout, N, SIDES, B);
            double kept = A[40 + 12 * N], later = A[3 + 60 * N];
            A[40 + 12 * N] = A[3 + 60 * N] = (double)NAN; /* in rows the second comes first */
            io_matrix a = io_put((clsolve_layout)layout, N, N, A);
            A[40 + 12 * N] = kept, A[3 + 60 * N] = later;
            EXPECT(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_NONFINITE);
            assert_non_null(strstr(clsolve_context_message(io.context), "A(41,13)"));
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE);
            io_drop(&a);

            for (int i = 0; i < N; i++) A[i + 7 * N] = 0;
            a = io_put((clsolve_layout)layout, N, N, A);
            /* Factors without pivots and float ones that nothing can replace find out later: as from the host. */
            clsolve_status factored = clsolve_lu_factor(lu, &a.host.view);
            clsolve_status solved = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.host.view);
            assert_true(solved == CLSOLVE_SINGULAR || solved == CLSOLVE_NOT_CONVERGED);
            EXPECT(clsolve_lu_factor(lu, &a.view), factored);
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), solved);
            io_drop(&a);

            EXPECT(clsolve_lu_factor(lu, &good.view), CLSOLVE_OK);
            check_unchanged(&b, B);
            clsolve_matrix bad = b.view;
            bad.offset += 200;
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(clsolve_context_message(io.context), "elements"));
            io_drop(&b);
            B[5 + 2 * N] = (double)INFINITY;
            b = io_put((clsolve_layout)layout, N, SIDES, B);
            EXPECT(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_NONFINITE);
            assert_non_null(strstr(clsolve_context_message(io.context), "B(6,3)"));
            check_unchanged(&b, B);
            io_drop(&good);
            io_drop(&b);
        }
}

int main(void) {
    test_require_device();
    test_require_backend("opencl");
    return test_run_each(io_open, io_close, reset, NULL);
}
