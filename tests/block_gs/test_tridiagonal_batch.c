/*
 * Batches of tridiagonal matrices: LAPACK's ratios of both systems, in every storage and pivoting; singular members and such with
 * NaN among sound ones, each with its own info.
 */
#include <float.h>

#include "block_gs/grid_test.h"
#include "block_gs/tridiagonal_support.h"
#include "lu/ratios.h"

typedef struct batch {
    clsolve_type type;
    int64_t n, count, nrhs;
    storage how;
    stored a[3], b, x;
    int64_t *info;
    clsolve_tridiagonal_batch *handle;
} batch;

/* Dominant or of any kind; what lies outside the matrix is NaN. */
static batch make(test_random *random, batch t, int dominant) {
    for (int q = 0; q < 3; ++q) t.a[q] = stored_make(t.type, t.how, t.count, t.n, 1);
    t.b = stored_make(t.type, t.how, t.count, t.n, t.nrhs);
    t.x = stored_make(t.type, t.how, t.count, t.n, t.nrhs);
    t.info = calloc((size_t)t.count + 1, sizeof *t.info);
    assert_non_null(t.info);
    for (int64_t m = 0; m < t.count; ++m)
        for (int64_t k = 0; k < t.n; ++k) {
            for (int q = 0; q < 3; ++q) stored_set(&t.a[q], m, k, 0, test_random_signed(random));
            if (dominant) stored_set(&t.a[1], m, k, 0, 3 + test_random_unit(random));
            if (k == 0) stored_set(&t.a[0], m, k, 0, (double)NAN);
            if (k + 1 == t.n) stored_set(&t.a[2], m, k, 0, (double)NAN);
            for (int64_t j = 0; j < t.nrhs; ++j) stored_set(&t.b, m, k, j, test_random_signed(random));
        }
    return t;
}

static void drop(batch *t) {
    for (int q = 0; q < 3; ++q) stored_free(&t->a[q]);
    stored_free(&t->b);
    stored_free(&t->x);
    free(t->info);
    clsolve_tridiagonal_batch_destroy(t->handle);
}

static void must(clsolve_status status) {
    if (status != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
}

static void factor(batch *t) {
    must(clsolve_tridiagonal_batch_factor(t->handle, &t->a[0].view, &t->a[1].view, &t->a[2].view, t->info));
}

/* Solves; members whose info is 0 have LAPACK's ratio, the others are in B as they were. */
static void solve(batch *t, clsolve_op op) {
    memcpy(t->x.view.data, t->b.view.data, (size_t)t->x.words * (size_t)(t->type == CLSOLVE_F64 ? 8 : 4));
    must(clsolve_tridiagonal_batch_solve(t->handle, op, &t->x.view, t->info));
    stored_expect_gaps(&t->x);
    for (int64_t m = 0; m < t->count; ++m)
        for (int64_t j = 0; j < t->nrhs; ++j) {
            for (int64_t k = 0; k < t->n && t->info[m] != 0; ++k) {
                double was = stored_get(&t->b, m, k, j), is = stored_get(&t->x, m, k, j);
                if (!(was == is || (isnan(was) && isnan(is))))
                    fail_msg("member %d, info %d: %g became %g", (int)m, (int)t->info[m], was, is);
            }
            double ratio = t->info[m] != 0 ? 0 : stored_ratio(t->a, &t->b, &t->x, op, m, j);
            if (!(ratio < RATIO_BOUND))
                fail_msg("n %d, count %d, storage %d, op %d, member %d, column %d: ratio %g", (int)t->n, (int)t->count,
                         (int)t->how, (int)op, (int)m, (int)j, ratio);
        }
}

static void check(test_random *random, batch shape, clsolve_pivoting pivoting) {
    batch t = make(random, shape, pivoting == CLSOLVE_PIVOTING_NONE || shape.n % 2);
    must(tridiagonal_create(context, t.n, t.count, t.type, pivoting, &t.handle));
    for (int64_t m = 0; m < t.count; ++m) t.info[m] = 99;
    factor(&t);
    for (int64_t m = 0; m < t.count; ++m) assert_int_equal(t.info[m], 0);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        solve(&t, (clsolve_op)op);
        for (int64_t m = 0; m < t.count; ++m) assert_int_equal(t.info[m], 0);
    }
    drop(&t);
}

TEST(test_shapes) {
    static const int64_t orders[] = {0, 1, 2, 3, 5, 31, 32, 33, 101, 1009}, counts[] = {0, 1, 2, 17, 67};
    test_random random = test_random_start(900);
    int turn = 0;
    for (int o = 0; o < 10; ++o)
        for (int c = 0; c < 5; ++c, ++turn) {
            batch t = {.type = turn % 3 || counts[c] < 9 ? usual : CLSOLVE_F32,
                       .n = orders[o],
                       .count = counts[c],
                       .nrhs = turn % 3 + 1,
                       .how = (storage)(turn % STORAGES)};
            if (in_gpu_shape() && (counts[c] != 67 || orders[o] > 32 || orders[o] == 0 || t.type != usual)) continue;
            check(&random, t, (clsolve_pivoting)(turn % 3));
            if (orders[o] * counts[c] > 0 && !in_gpu_shape()) check(&random, t, CLSOLVE_PIVOTING_PARTIAL);
        }
}

/* Long members, of which a GPU gives each tile to a group of its own; and an Inf in one, which another tile finds. */
TEST(test_long) {
    enum { N = 3001, COUNT = 2, SPOILT = 1 };
    test_random random = test_random_start(901);
    for (int pivoting = CLSOLVE_PIVOTING_AUTO; pivoting <= CLSOLVE_PIVOTING_NONE; ++pivoting)
        check(&random, (batch){.type = usual, .n = N, .count = COUNT, .nrhs = 2}, (clsolve_pivoting)pivoting);

    batch t = make(&random, (batch){.type = usual, .n = N, .count = COUNT, .nrhs = 2}, 1);
    stored_set(&t.b, SPOILT, N - 1, 1, (double)INFINITY);
    must(tridiagonal_create(context, N, COUNT, usual, CLSOLVE_PIVOTING_AUTO, &t.handle));
    factor(&t);
    solve(&t, CLSOLVE_NO_TRANS);
    for (int64_t m = 0; m < COUNT; ++m) assert_int_equal(t.info[m], m == SPOILT ? -1 : 0);
    drop(&t);
}

enum { LONG = 20, MANY = 70, ZERO_COLUMN = 3, HAS_NAN = 5, HAS_INF = 6, ZERO_ROW = 40, LAST_ROW = 69 };

static void spoil(const batch *t) {
    stored_set(&t->a[1], ZERO_COLUMN, 7, 0, 0); /* column 8 from 1 */
    stored_set(&t->a[0], ZERO_COLUMN, 8, 0, 0);
    stored_set(&t->a[2], ZERO_COLUMN, 6, 0, 0);
    stored_set(&t->a[1], HAS_NAN, 4, 0, (double)NAN);
    stored_set(&t->a[0], HAS_INF, LONG - 1, 0, (double)-INFINITY);
    for (int q = 0; q < 3; ++q) {
        stored_set(&t->a[q], ZERO_ROW, 9, 0, 0);
        stored_set(&t->a[q], LAST_ROW, LONG - 1, 0, 0);
    }
}

/* Each spoils its own member only; with exchanges, a row of zeros waits for its pivot to the end, as in LAPACK's gttrf. */
static void expect_spoilt(const batch *t, clsolve_pivoting pivoting) {
    int64_t row = pivoting == CLSOLVE_PIVOTING_NONE ? 10 : LONG;
    for (int64_t m = 0; m < MANY; ++m) {
        int64_t due = m == ZERO_COLUMN ? 8 : m == HAS_NAN || m == HAS_INF ? -1 : m == ZERO_ROW ? row : 0;
        if (m == LAST_ROW) due = LONG;
        if (t->info[m] != due) fail_msg("pivoting %d: member %d has %d", (int)pivoting, (int)m, (int)t->info[m]);
    }
}

/* Member m times 2^e, e of its own: the library scales such members, and must give back what it was given. */
static void scale(const batch *t) {
    static const int at[] = {0, 90, -90, 40};
    for (int64_t m = 0; m < MANY; ++m)
        for (int64_t k = 0; k < LONG; ++k) {
            int e = at[m % 4] * (t->type == CLSOLVE_F64 ? 8 : 1);
            for (int q = 0; q < 3; ++q) stored_set(&t->a[q], m, k, 0, ldexp(stored_get(&t->a[q], m, k, 0), e));
            for (int64_t j = 0; j < t->nrhs; ++j) stored_set(&t->b, m, k, j, ldexp(stored_get(&t->b, m, k, j), e));
        }
}

static void check_spoilt(storage how, clsolve_pivoting pivoting, int scaled) {
    test_random random = test_random_start(902);
    clsolve_report report;
    batch t = make(&random, (batch){.type = usual, .n = LONG, .count = MANY, .nrhs = 2, .how = how}, 1);
    if (scaled) scale(&t);
    spoil(&t);
    must(tridiagonal_create(context, t.n, t.count, t.type, pivoting, &t.handle));
    factor(&t);
    expect_spoilt(&t, pivoting);
    must(clsolve_tridiagonal_batch_report(t.handle, &report));
    assert_true(report.info == 8 && report.member == ZERO_COLUMN + 1 && report.members == MANY);
    assert_string_equal(report.direct.pivoting_used, pivoting == CLSOLVE_PIVOTING_NONE ? "none" : "partial");
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        solve(&t, (clsolve_op)op);
        expect_spoilt(&t, pivoting);
    }

    /* What is wrong with B alone holds for this solve. */
    double was = stored_get(&t.b, 11, 0, 1), huge = t.type == CLSOLVE_F64 ? 0x1p1000 : 0x1p120;
    stored_set(&t.b, 11, 0, 1, (double)INFINITY);
    solve(&t, CLSOLVE_NO_TRANS);
    assert_true(t.info[11] == -1 && t.info[10] == 0 && t.info[12] == 0 && t.info[ZERO_COLUMN] == 8);
    stored_set(&t.b, 11, 0, 1, was);
    solve(&t, CLSOLVE_TRANS);
    expect_spoilt(&t, pivoting);

    /* Sound again, all but one whose solution is out of the range. */
    for (int q = 0; q < 3; ++q)
        for (int64_t m = 0; m < MANY; ++m)
            for (int64_t k = 0; k < LONG; ++k) stored_set(&t.a[q], m, k, 0, q == 1 ? 4 : m == 12 ? 0 : -1);
    stored_set(&t.a[1], 12, LONG - 1, 0, 1 / huge);
    for (int64_t k = 0; k < LONG; ++k) stored_set(&t.b, 12, k, 0, huge);
    factor(&t);
    for (int64_t m = 0; m < MANY; ++m) assert_int_equal(t.info[m], 0);
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        solve(&t, (clsolve_op)op);
        for (int64_t m = 0; m < MANY; ++m) assert_int_equal(t.info[m], m == 12 ? -1 : 0);
    }
    must(clsolve_tridiagonal_batch_report(t.handle, &report));
    assert_true(report.info == -1 && report.member == 13 && report.nrhs == 2 && report.n == LONG);
    /* The host's rows are always exchanged. */
    int partial = pivoting == CLSOLVE_PIVOTING_PARTIAL || strcmp(report.where, "host") == 0;
    assert_string_equal(report.direct.pivoting_used, partial ? "partial" : "none");
    drop(&t);
}

TEST(test_spoilt) {
    for (int scaled = 0; scaled < 2; ++scaled)
        for (int pivoting = CLSOLVE_PIVOTING_AUTO; pivoting <= CLSOLVE_PIVOTING_NONE; ++pivoting) {
            check_spoilt(INTERLEAVED, (clsolve_pivoting)pivoting, scaled);
            if (!in_gpu_shape()) check_spoilt(BY_COLUMN, (clsolve_pivoting)pivoting, scaled);
        }
}

/* 1 / pivot overflows in the last row of one member: the transposed solve of another panel passes it by. */
TEST(test_tiny_last_pivot) {
    enum { N = 6, MOST = 300 };
    const int COUNT = in_gpu_shape() ? MANY : MOST;
    test_random random = test_random_start(903);
    for (int64_t spoilt = 0; spoilt < COUNT; spoilt += 37) {
        batch t = make(&random, (batch){.type = usual, .n = N, .count = COUNT, .nrhs = 1, .how = INTERLEAVED}, 1);
        stored_set(&t.a[0], spoilt, N - 1, 0, 0);
        stored_set(&t.a[1], spoilt, N - 1, 0, usual == CLSOLVE_F64 ? 0x1p-1070 : 0x1p-146);
        must(tridiagonal_create(context, N, COUNT, usual, CLSOLVE_PIVOTING_NONE, &t.handle));
        factor(&t);
        solve(&t, CLSOLVE_TRANS);
        for (int64_t m = 0; m < COUNT; ++m)
            if (m != spoilt) assert_int_equal(t.info[m], 0);
        drop(&t);
    }
}

/* All members but one are of tiny numbers, and so are their right-hand sides: no digit of x is
 * lost. */
TEST(test_tiny_members) {
    enum { N = LONG, COUNT = MANY };
    for (int pivoting = CLSOLVE_PIVOTING_AUTO; pivoting <= CLSOLVE_PIVOTING_NONE; ++pivoting) {
        const double least = usual == CLSOLVE_F64 ? 0x1p-1060 : 0x1p-143;
        const double epsilon = usual == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
        batch t = {.type = usual, .n = N, .count = COUNT, .nrhs = 2};
        for (int q = 0; q < 3; ++q) t.a[q] = stored_make(usual, BY_COLUMN, COUNT, N, 1);
        SCRATCH_BY(stored_free) stored b = stored_make(usual, BY_COLUMN, COUNT, N, 2);
        int64_t info[COUNT];
        for (int64_t m = 0; m < COUNT; ++m)
            for (int64_t i = 0; i < N; ++i) {
                const double s = m == 1 ? 1 : least, row[3] = {i > 0 ? 1 : 0, 7, i + 1 < N ? -2 : 0};
                for (int q = 0; q < 3; ++q) stored_set(&t.a[q], m, i, 0, s * row[q]);
                for (int c = 0; c < 2; ++c) { /* x(i) = i + c */
                    const double x = (double)(i + c);
                    stored_set(&b, m, i, c, s * (row[0] * (x - 1) + row[1] * x + row[2] * (x + 1)));
                }
            }
        must(tridiagonal_create(context, N, COUNT, usual, (clsolve_pivoting)pivoting, &t.handle));
        must(clsolve_tridiagonal_batch_factor(t.handle, &t.a[0].view, &t.a[1].view, &t.a[2].view, info));
        must(clsolve_tridiagonal_batch_solve(t.handle, CLSOLVE_NO_TRANS, &b.view, info));
        for (int64_t m = 0; m < COUNT; ++m) {
            assert_int_equal(info[m], 0);
            for (int64_t i = 0; i < N; ++i)
                for (int c = 0; c < 2; ++c)
                    if (!(fabs(stored_get(&b, m, i, c) - (double)(i + c)) <= 64 * epsilon))
                        fail_msg("pivoting %d, member %d: x(%d,%d) is %.17g", pivoting, (int)m, (int)i, c,
                                 stored_get(&b, m, i, c));
        }
        clsolve_tridiagonal_batch_destroy(t.handle);
        for (int q = 0; q < 3; ++q) stored_free(&t.a[q]);
    }
}

/* All members one matrix, by stride 0. */
TEST(test_shared) {
    enum { N = LONG, COUNT = 67 };
    test_random random = test_random_start(904);
    batch t = make(&random, (batch){.type = usual, .n = N, .count = COUNT, .nrhs = 2}, 1);
    for (int q = 0; q < 3; ++q) t.a[q].view.stride = 0;
    must(tridiagonal_create(context, N, COUNT, usual, CLSOLVE_PIVOTING_AUTO, &t.handle));
    factor(&t);
    solve(&t, CLSOLVE_NO_TRANS);
    solve(&t, CLSOLVE_TRANS);
    for (int64_t m = 0; m < COUNT; ++m) assert_int_equal(t.info[m], 0);
    drop(&t);
}

TEST_PROGRAM(grid_open, grid_close)
