/* What batches of tridiagonal matrices promise beside accuracy: statuses, messages, views, empty batches, transfers. */
#include <math.h>
#include <stdlib.h>

#include "api/context.h"
#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"

enum { N = 6, COUNT = 9, ALL = N * COUNT };

static void test_create(void **state) {
    clsolve_tridiagonal_batch_options options = {.pivoting = CLSOLVE_PIVOTING_RBT};
    clsolve_tridiagonal_batch *handle = (void *)context;
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    assert_int_equal(clsolve_tridiagonal_batch_create(NULL, 1, 1, CLSOLVE_F32, NULL, &handle), invalid);
    assert_null(handle);
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, 1, CLSOLVE_F32, NULL, NULL), invalid, "address");
    EXPECT(clsolve_tridiagonal_batch_create(context, -1, 1, CLSOLVE_F32, NULL, &handle), invalid, "n is -1");
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, -1, CLSOLVE_F32, NULL, &handle), invalid, "count -1");
    EXPECT(clsolve_tridiagonal_batch_create(context, INT64_C(1) << 40, INT64_C(1) << 40, CLSOLVE_F32, NULL, &handle),
           invalid, "memory");
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, 1, (clsolve_type)9, NULL, &handle), invalid, "type");
    EXPECT(clsolve_tridiagonal_batch_create(context, INT64_C(1) << 31, 1, CLSOLVE_F32, NULL, &handle),
           CLSOLVE_ERROR_UNSUPPORTED, "unknowns");
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, 1, CLSOLVE_F32, &options, &handle), CLSOLVE_ERROR_UNSUPPORTED,
           "RBT");
    options = (clsolve_tridiagonal_batch_options){.reserved = {0, 1}};
    EXPECT(clsolve_tridiagonal_batch_create(context, 1, 1, CLSOLVE_F32, &options, &handle), invalid, "reserved");
    assert_null(handle);
    clsolve_tridiagonal_batch_destroy(NULL);
    assert_int_equal(clsolve_tridiagonal_batch_factor(NULL, NULL, NULL, NULL, NULL), invalid);
    assert_int_equal(clsolve_tridiagonal_batch_solve(NULL, CLSOLVE_NO_TRANS, NULL, NULL), invalid);
    assert_int_equal(clsolve_tridiagonal_batch_report(NULL, NULL), invalid);
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

#define REFUSED_FACTOR(view, status, words)                                                                            \
    EXPECT(clsolve_tridiagonal_batch_factor(s.handle, &s.DL, view, &s.DL, s.info), status, words)
#define REFUSED_SOLVE(view, status, words)                                                                             \
    EXPECT(clsolve_tridiagonal_batch_solve(s.handle, CLSOLVE_NO_TRANS, view, s.info), status, words)

static void test_arguments(void **state) {
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    int64_t offsets[COUNT];
    small s = small_make();
    small_view(&s);
    for (int m = 0; m < COUNT; ++m) offsets[m] = m * N;
    clsolve_batch bad = s.D;
    REFUSED_SOLVE(&s.B, CLSOLVE_ERROR_STATE, "clsolve_tridiagonal_batch_factor first");
    REFUSED_FACTOR(NULL, invalid, "d is NULL");
    bad.type = CLSOLVE_F64;
    REFUSED_FACTOR(&bad, invalid, "type");
    bad = s.D, bad.count = COUNT - 1;
    REFUSED_FACTOR(&bad, invalid, "members");
    bad = s.D, bad.cols = 2;
    REFUSED_FACTOR(&bad, invalid, "2 columns");
    bad = s.D, bad.ld = N - 1;
    REFUSED_FACTOR(&bad, invalid, "ld");
    bad = s.D, bad.data = NULL;
    REFUSED_FACTOR(&bad, invalid, "data");
    bad = s.D, bad.offsets = offsets;
    REFUSED_FACTOR(&bad, CLSOLVE_ERROR_UNSUPPORTED, "offsets");
    bad = s.D, bad.offset = 1;
    REFUSED_FACTOR(&bad, invalid, "offset");
    EXPECT(clsolve_tridiagonal_batch_factor(s.handle, &s.DL, &s.D, &s.DL, NULL), invalid, "info");
    for (int m = 0; m < COUNT; ++m) assert_int_equal(s.info[m], 99);
    REFUSED_FACTOR(&s.D, CLSOLVE_OK, "");
    for (int m = 0; m < COUNT; ++m) assert_int_equal(s.info[m], 0), s.info[m] = 99;

    EXPECT(clsolve_tridiagonal_batch_solve(s.handle, (clsolve_op)3, &s.B, s.info), invalid, "op");
    EXPECT(clsolve_tridiagonal_batch_solve(s.handle, CLSOLVE_TRANS, &s.B, NULL), invalid, "info");
    REFUSED_SOLVE(NULL, invalid, "B is NULL");
    bad = s.B, bad.stride = 2 * N - 1; /* the last row of a member is the first of the next */
    REFUSED_SOLVE(&bad, invalid, "overlap");
    bad = s.B, bad.stride = 0;
    REFUSED_SOLVE(&bad, invalid, "overlap");
    bad = s.B, bad.offsets = offsets;
    REFUSED_SOLVE(&bad, CLSOLVE_ERROR_UNSUPPORTED, "offsets");
    bad = s.B, bad.rows = N + 1, bad.ld = N + 1;
    REFUSED_SOLVE(&bad, invalid, "7 rows");
    for (int m = 0; m < COUNT; ++m) assert_int_equal(s.info[m], 99);
    for (int o = 0; o < 2 * ALL; ++o) assert_true(s.b[o] == (float)(o % ALL));
    REFUSED_SOLVE(&s.B, CLSOLVE_OK, "");
    clsolve_tridiagonal_batch_destroy(s.handle);
}

/* No unknowns, no members, no right-hand sides: all is well, and the infos are there. */
static void test_empty(void **state) {
    for (int64_t n = 0; n <= 2; n += 2)
        for (int64_t count = 0; count <= COUNT; count += COUNT)
            for (int64_t nrhs = 0; nrhs <= 2; nrhs += 2) {
                float off[2 * COUNT] = {0}, d[2 * COUNT], b[4 * COUNT];
                int64_t info[COUNT];
                clsolve_report report;
                clsolve_tridiagonal_batch *handle;
                for (int o = 0; o < 4 * COUNT; ++o) d[o / 2] = 2, b[o] = 4, info[o / 4] = 99;
                clsolve_batch A = clsolve_batch_f32(count, n, 1, n * count > 0 ? off : NULL);
                clsolve_batch D = clsolve_batch_f32(count, n, 1, n * count > 0 ? d : NULL);
                clsolve_batch B = clsolve_batch_f32(count, n, nrhs, n * count * nrhs > 0 ? b : NULL);
                assert_int_equal(clsolve_tridiagonal_batch_create(context, n, count, CLSOLVE_F32, NULL, &handle), 0);
                EXPECT(clsolve_tridiagonal_batch_factor(handle, &A, &D, &A, count > 0 ? info : NULL), CLSOLVE_OK, "");
                for (int64_t m = 0; m < count; ++m) assert_int_equal(info[m], 0), info[m] = 99;
                for (int op = 0; op < 2; ++op)
                    EXPECT(clsolve_tridiagonal_batch_solve(handle, (clsolve_op)op, &B, count > 0 ? info : NULL),
                           CLSOLVE_OK, "");
                for (int64_t m = 0; m < count; ++m) assert_int_equal(info[m], 0);
                for (int o = 0; o < 4 * COUNT; ++o) assert_true(b[o] == (o < n * count * nrhs ? 1 : 4));
                assert_int_equal(clsolve_tridiagonal_batch_report(handle, &report), CLSOLVE_OK);
                assert_true(report.n == n && report.members == count && report.nrhs == nrhs && report.info == 0);
                clsolve_tridiagonal_batch_destroy(handle);
            }
}

/* The coefficients go up at factor, B up and X down at solve; besides these a few words. */
static void test_transfers(void **state) {
    small s = small_make();
    clsolve_report report;
    small_view(&s);
    REFUSED_FACTOR(&s.D, CLSOLVE_OK, "");
    assert_int_equal(clsolve_tridiagonal_batch_report(s.handle, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 3 * ALL * 4);
    assert_true(report.transfers_down == 2 && report.bytes_down < 4096);
    assert_string_equal(report.method, "tridiagonal");
    assert_string_equal(report.precision, "single");
    assert_string_equal(report.direct.pivoting, "auto");
    assert_string_equal(report.direct.pivoting_used, "none");
    assert_true(report.direct.rcond == -1 && report.refinement.backward_error == -1);
    for (int again = 0; again < 2; ++again) {
        REFUSED_SOLVE(&s.B, CLSOLVE_OK, "");
        assert_int_equal(clsolve_tridiagonal_batch_report(s.handle, &report), CLSOLVE_OK);
        assert_int_equal(report.bytes_up, 2 * ALL * 4);
        /* And one word for all infos, where the host does not see it without a copy. */
        assert_int_equal(report.bytes_down, 2 * ALL * 4 + (context->device->ops->seen_create ? 0 : 4));
        assert_true(report.nrhs == 2 && report.members == COUNT && report.n == N && report.device_bytes > 0);
    }
    clsolve_tridiagonal_batch_destroy(s.handle);
}

/* Memory for a few right-hand sides at a time: the outcome of the last one still holds for the first. */
static void test_portions(void **state) {
    enum { NRHS = 400, SPOILT = (3 * NRHS - 1) * N + 1 }; /* in the last right-hand side of member 2 */
    float off[ALL], d[ALL], b[NRHS * ALL];
    int64_t info[COUNT];
    clsolve_batch DL = clsolve_batch_f32(COUNT, N, 1, off), D = clsolve_batch_f32(COUNT, N, 1, d);
    clsolve_batch B = clsolve_batch_f32(COUNT, N, NRHS, b);
    clsolve_tridiagonal_batch *handle;
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
    clsolve_tridiagonal_batch_destroy(handle);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_create), cmocka_unit_test(test_arguments),
                                       cmocka_unit_test(test_empty), cmocka_unit_test(test_transfers),
                                       cmocka_unit_test(test_portions)};
    test_require_device();
    return GRID_RUN(tests);
}
