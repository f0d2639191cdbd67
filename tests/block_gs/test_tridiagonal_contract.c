/* What batches of tridiagonal matrices alone promise beside accuracy (tests/batch): limits, transfers, portions. */
#include "api/context.h"
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"

enum { N = 6, COUNT = 9, ALL = N * COUNT };

TEST(test_create) {
    const clsolve_tridiagonal_batch_options options = {.pivoting = CLSOLVE_PIVOTING_RBT};
    const int64_t large = INT64_C(1) << 40, longest = INT64_C(1) << 31;
    clsolve_tridiagonal_batch *handle = NULL;
    EXPECT(clsolve_tridiagonal_batch_create(context, large, large, CLSOLVE_F32, NULL, &handle),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "memory");
    EXPECT(clsolve_tridiagonal_batch_create(context, longest, 1, CLSOLVE_F32, NULL, &handle), CLSOLVE_ERROR_UNSUPPORTED,
           "unknowns");
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, 1, CLSOLVE_F32, &options, &handle), CLSOLVE_ERROR_UNSUPPORTED,
           "RBT");
    assert_null(handle);
}

/* The batch -1 4 -1, of floats. */
typedef struct small {
    float off[ALL], d[ALL], b[2 * ALL];
    int64_t info[COUNT];
    clsolve_batch DL, D, B;
    clsolve_tridiagonal_batch *handle;
} small;

static small small_make(void) {
    small s;
    for (int o = 0; o < ALL; ++o) s.off[o] = -1, s.d[o] = 4, s.b[o] = s.b[ALL + o] = (float)o;
    for (int m = 0; m < COUNT; ++m) s.info[m] = 99;
    assert_int_equal(clsolve_tridiagonal_batch_create(context, N, COUNT, CLSOLVE_F32, NULL, &s.handle), CLSOLVE_OK);
    return s;
}

static void small_view(small *s) {
    s->DL = clsolve_batch_f32(COUNT, N, 1, s->off);
    s->D = clsolve_batch_f32(COUNT, N, 1, s->d);
    s->B = clsolve_batch_f32(COUNT, N, 2, s->b);
}

/* The coefficients go up at factor, B up and X down at solve; besides these a few words. */
TEST(test_transfers) {
    small s = small_make();
    clsolve_report report;
    small_view(&s);
    EXPECT(clsolve_tridiagonal_batch_factor(s.handle, &s.DL, &s.D, &s.DL, s.info), CLSOLVE_OK, "");
    assert_int_equal(clsolve_tridiagonal_batch_report(s.handle, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 3 * ALL * 4);
    assert_true(report.transfers_down == 2 && report.bytes_down < 4096);
    assert_string_equal(report.method, "tridiagonal");
    assert_string_equal(report.precision, "single");
    assert_string_equal(report.direct.pivoting, "auto");
    assert_string_equal(report.direct.pivoting_used, "none");
    assert_true(report.direct.rcond == -1 && report.refinement.backward_error == -1);
    for (int again = 0; again < 2; ++again) {
        EXPECT(clsolve_tridiagonal_batch_solve(s.handle, CLSOLVE_NO_TRANS, &s.B, s.info), CLSOLVE_OK, "");
        assert_int_equal(clsolve_tridiagonal_batch_report(s.handle, &report), CLSOLVE_OK);
        assert_int_equal(report.bytes_up, 2 * ALL * 4);
        /* And one word for all infos, where the host does not see it without a copy. */
        assert_int_equal(report.bytes_down, 2 * ALL * 4 + (context->device->ops->seen_create ? 0 : 4));
        assert_true(report.nrhs == 2 && report.members == COUNT && report.n == N && report.device_bytes > 0);
    }
    clsolve_tridiagonal_batch_destroy(s.handle);
}

/* Memory for a few right-hand sides at a time: the outcome of the last one still holds for the first. */
TEST(test_portions) {
    enum { NRHS = 400, SPOILT = (3 * NRHS - 1) * N + 1 }; /* in the last right-hand side of member 2 */
    float off[ALL], d[ALL], b[NRHS * ALL];
    int64_t info[COUNT];
    clsolve_batch DL = clsolve_batch_f32(COUNT, N, 1, off), D = clsolve_batch_f32(COUNT, N, 1, d);
    clsolve_batch B = clsolve_batch_f32(COUNT, N, NRHS, b);
    OWNED(tridiagonal_batch) *handle = NULL;
    clsolve_report report;
    for (int o = 0; o < ALL; ++o) off[o] = -1, d[o] = 4;
    for (int o = 0; o < NRHS * ALL; ++o) b[o] = o % N == 0 || o % N == N - 1 ? 3 : 2; /* the solution is of ones */
    b[SPOILT] = (float)NAN;
    assert_int_equal(clsolve_tridiagonal_batch_create(context, N, COUNT, CLSOLVE_F32, NULL, &handle), CLSOLVE_OK);
    context->device->info.global_memory = 8 * context->device->counters.buffer_bytes;
    EXPECT(clsolve_tridiagonal_batch_factor(handle, &DL, &D, &DL, info), CLSOLVE_OK, "");
    EXPECT(clsolve_tridiagonal_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info), CLSOLVE_OK, "");
    for (int m = 0; m < COUNT; ++m) assert_int_equal(info[m], m == 2 ? -1 : 0);
    for (int o = 0; o < NRHS * ALL; ++o) {
        int member = o / (NRHS * N), wanted = o % N == 0 || o % N == N - 1 ? 3 : 2;
        if (o == SPOILT) continue;
        assert_true(fabsf(b[o] - (float)(member == 2 ? wanted : 1)) < 1e-6f);
    }
    assert_int_equal(clsolve_tridiagonal_batch_report(handle, &report), CLSOLVE_OK);
    assert_true(report.bytes_up >= 2 * NRHS * ALL * 4);
    context->device->info = kept;
}

TEST_PROGRAM(grid_open, grid_close)
