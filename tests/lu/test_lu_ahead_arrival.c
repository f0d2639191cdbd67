/*
 * A matrix that comes to the device while its first columns are factored (src/method/arrival.h), in small: the handle is told
 * to look ahead and how many columns come at a time. The same answers, reports and refusals as of one that is there
 * before; and each allocation and each call of the driver fails in its turn.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "api/lu_state.h"
#include "device/staging.h"
#include "lu/ratios.h"
#include "method/arrival.h"
#include "method/lu/direct.h"
#include "support/fault_run.h"
#include "support/fixture.h"

enum { N = 150, SMALL = 40 };

static double A[N * N], B[N];

static void fill(int n, uint64_t draw) {
    test_random random = test_random_start(draw);
    for (int k = 0; k < n * n; k++) A[k] = test_random_signed(&random);
    for (int k = 0; k < n; k++) B[k] = test_random_signed(&random);
}

/* As if it were large and this a GPU. */
static clsolve_status open_handle(int64_t n, clsolve_type type, int64_t block, int64_t columns, clsolve_lu **lu) {
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = (int32_t)block};
    CLS_TRY(clsolve_lu_create(context, n, type, &options, lu));
    (*lu)->lu.ahead = 1;
    (*lu)->lu.arrival_columns = columns;
    return CLSOLVE_OK;
}

static int solved(const double *a, int64_t n, const double *x, double epsilon) {
    for (int64_t i = 0; i < n; i++) {
        double sum = -B[i], size = fabs(B[i]);
        for (int64_t j = 0; j < n; j++) {
            sum += a[i + j * n] * x[j];
            size += fabs(a[i + j * n] * x[j]);
        }
        if (!(fabs(sum) <= 100 * (double)n * epsilon * size)) return 0;
    }
    return 1;
}

static void one(int64_t n, clsolve_type type, clsolve_layout layout, int64_t block, int64_t columns, int64_t spare) {
    scratch_matrix a = test_matrix_make(type, layout, n, n, spare);
    scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
    double held[N * N], x[N];
    clsolve_report report;
    OWNED(lu) *lu = NULL;

    test_matrix_set(&a, A);
    test_matrix_set(&b, B);
    test_matrix_get(&a, held); /* in float A is rounded */
    assert_int_equal(open_handle(n, type, block, columns, &lu), CLSOLVE_OK);
    assert_int_equal(cls_lu_takes_while_factoring(&lu->it.direct, &a.view), layout == CLSOLVE_COLUMN_MAJOR);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, n * n * (type == CLSOLVE_F64 ? 8 : 4));
    assert_int_equal(report.transfers_up, 1);
    assert_true(report.direct.growth > 0);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, x);
    if (!solved(held, n, x, test_epsilon(type)))
        fail_msg("n = %d, block %d, columns %d: wrong", (int)n, (int)block, (int)columns);
    test_matrix_spare_intact(&a);
}

/* Blocks are of few widths, because each has kernels of its own. */
TEST(test_answers) {
    static const int64_t blocks[] = {1, 11, 32};
    test_random random = test_random_start(1);
    const int fp64 = clsolve_context_device(context).fp64, staged = context->device->staged;
    for (int trial = 0; trial < 30; trial++) {
        int64_t n = test_random_between(&random, 1, N), block = blocks[test_random_between(&random, 0, 2)];
        clsolve_type type = fp64 && trial % 3 ? CLSOLVE_F64 : CLSOLVE_F32;
        fill((int)n, (uint64_t)trial + 2);
        context->device->staged = staged && trial % 4 > 0; /* else as from pinned memory */
        one(n, type, trial % 7 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR, block,
            test_random_between(&random, 1, n + 5), test_random_between(&random, 0, 3));
    }
    context->device->staged = staged;
}

/* NaN or Inf in a late column is told by its place; the next matrix is solved. */
TEST(test_refused) {
    static const struct {
        int row, column;
        double value;
    } bad[] = {{0, 0, NAN}, {N - 1, N - 1, INFINITY}, {3, N - 2, NAN}, {70, 70, -INFINITY}, {N - 1, 1, NAN}};
    clsolve_matrix a = clsolve_matrix_f64(N, N, A);
    OWNED(lu) *lu = NULL;
    if (!clsolve_context_device(context).fp64) return;
    assert_int_equal(open_handle(N, CLSOLVE_F64, 24, 20, &lu), CLSOLVE_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char place[64];
        double x[N];
        clsolve_matrix y = clsolve_matrix_f64(N, 1, x);
        fill(N, 100 + k);
        double *at = &A[bad[k].row + bad[k].column * N], before = *at;
        *at = bad[k].value;
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_ERROR_NONFINITE);
        (void)snprintf(place, sizeof place, "A(%d,%d)", bad[k].row + 1, bad[k].column + 1);
        assert_non_null(strstr(clsolve_context_message(context), place));
        *at = before;
        memcpy(x, B, sizeof x);
        assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y), CLSOLVE_OK);
        assert_true(solved(A, N, x, test_epsilon(CLSOLVE_F64)));
    }
}

/* One that is to be scaled first comes twice; a singular one and one of zeros once. */
TEST(test_extremes) {
    clsolve_matrix a = clsolve_matrix_f64(N, N, A);
    clsolve_report report;
    OWNED(lu) *lu = NULL;
    double x[N];
    clsolve_matrix y = clsolve_matrix_f64(N, 1, x);
    if (!clsolve_context_device(context).fp64) return;
    assert_int_equal(open_handle(N, CLSOLVE_F64, 24, 20, &lu), CLSOLVE_OK);
    fill(N, 200);
    for (int k = 0; k < N * N; k++) A[k] *= 0x1p-1000;
    for (int k = 0; k < N; k++) B[k] *= 0x1p-1000;
    memcpy(x, B, sizeof x);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y), CLSOLVE_OK);
    assert_true(solved(A, N, x, test_epsilon(CLSOLVE_F64)));
    /* The next one is not scaled. */
    fill(N, 202);
    memcpy(x, B, sizeof x);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y), CLSOLVE_OK);
    assert_true(solved(A, N, x, test_epsilon(CLSOLVE_F64)));
    fill(N, 201);
    for (int i = 0; i < N; i++) A[i + 77 * N] = 0;
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 78);
    memset(A, 0, sizeof A);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    assert_int_equal(report.info, 1);
}

/* ---- faults ---- */

static clsolve_type wanted;

static clsolve_status factor_and_solve(clsolve_lu *lu, const test_matrix *a, const test_matrix *b) {
    test_matrix_set(b, B);
    CLS_TRY(clsolve_lu_factor(lu, &a->view));
    clsolve_matrix y = b->view;
    return clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y);
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    scratch_matrix a = test_matrix_make(wanted, CLSOLVE_COLUMN_MAJOR, SMALL, SMALL, 1);
    scratch_matrix b = test_matrix_make(wanted, CLSOLVE_COLUMN_MAJOR, SMALL, 1, 0);
    int64_t buffers = context->device->counters.buffers;
    double x[SMALL], held[SMALL * SMALL];
    clsolve_lu *lu = NULL;

    test_matrix_set(&a, A);
    test_matrix_get(&a, held);
    test_matrix_set(&b, B);
    out.status = open_handle(SMALL, wanted, 8, 5, &lu);
    if (out.status == CLSOLVE_OK) out.status = factor_and_solve(lu, &a, &b);
    *failed = faults_disarm();
    test_matrix_get(&b, x);
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(x, B, sizeof x) == 0 || wanted == CLSOLVE_F32,
                     solved(held, SMALL, x, test_epsilon(wanted)));
        if (lu) assert_int_equal(factor_and_solve(lu, &a, &b), CLSOLVE_OK);
        test_matrix_get(&b, x);
    }
    if (lu && !solved(held, SMALL, x, test_epsilon(wanted)))
        fail_msg("%s failed: wrong, status %d", *failed ? *failed : "nothing", (int)out.status);
    clsolve_lu_destroy(lu);
    cls_staging_destroy(context->device); /* which slots there are depends on the time */
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

TEST(test_faults) {
    const char *failed = NULL;
    wanted = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    fill(SMALL, 300);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK); /* warms the driver's own caches */
    fault_each(FAULT_ALLOCATION, NULL, 5, scenario);
    fault_each(FAULT_DEVICE, NULL, 10, scenario);
}

static int open_all(void **state) {
    (void)open_context(state);
    context->device->staging_bytes = 2048; /* many pieces, by several threads, where memory is staged */
    context->device->threads = 3;
    return 0;
}

TEST_PROGRAM_ALONE(open_all, close_context)
