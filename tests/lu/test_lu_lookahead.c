/*
 * The order that factor.c and far.c give their work (lookahead_world.h): in all shapes, of a matrix that comes while it
 * is factored, of a wide one, and where calls fail; without look-ahead too.
 */
#include "lu/lookahead_world.h"
#include "method/lu/whole.h"

static int plainly;    /* without look-ahead */
static int64_t behind; /* columns behind the last that is factored */

static void prepare(int64_t n, int64_t begin_at, int64_t end, int64_t leaf, int64_t block, int beside, int fails_at,
                    int64_t group) {
    static cls_buffer *memory;
    static int64_t something;
    cls_lu *lu = &ahead.lu;

    memset(&ahead, 0, sizeof ahead);
    ahead.fails_at = fails_at;
    (void)snprintf(ahead.shape, sizeof ahead.shape, "n = %ld, columns %ld..%ld, leaf %ld, block %ld, beside %d",
                   (long)n, (long)begin_at, (long)end, (long)leaf, (long)block, beside);
    ahead.device = (cls_device){.ops = &ahead_ops, .error = &ahead.error, .beside = beside};
    ahead.end = end;
    ahead.group = group;
    ahead.random = test_random_start((uint64_t)(n + 7 * leaf + 11 * block));
    *lu = (cls_lu){
        .device = &ahead.device, .n = n, .rows = n, .behind = end == n ? behind : 0, .block = block, .ahead = !plainly};
    lu->A = (cls_matrix){.rows = n, .cols = AHEAD_MOST, .ld = n, .slab_cols = AHEAD_MOST, .slabs = 1, .slab = &memory};
    if (group > 0) lu->arrival = (cls_arrival *)&something; /* nobody looks inside */
    lu->panel = (cls_panel){.device = &ahead.device, .leaf = leaf, .block = block, .moves.done = begin_at};
    for (int64_t c = 0; c < end + lu->behind; ++c) ahead.moved[c] = ahead.solved[c] = ahead.multiplied[c] = begin_at;
}

/* A matrix of n rows whose columns begin .. end-1 are factored; the leaf's and the block's columns. */
static clsolve_status factor_coming(int64_t n, int64_t begin_at, int64_t end, int64_t leaf, int64_t block, int beside,
                                    int fails_at, int64_t group) {
    int64_t info = 0;

    prepare(n, begin_at, end, leaf, block, beside, fails_at, group);
    return cls_lu_factor_columns(&ahead.lu, begin_at, end, NULL, &info);
}

static clsolve_status factor(int64_t n, int64_t begin_at, int64_t end, int64_t leaf, int64_t block, int beside,
                             int fails_at) {
    return factor_coming(n, begin_at, end, leaf, block, beside, fails_at, 0);
}

static void followed(int64_t begin_at, int64_t end);

static void follow(int64_t n, int64_t begin_at, int64_t end, int64_t leaf, int64_t block, int beside) {
    assert_int_equal(factor(n, begin_at, end, leaf, block, beside, 0), CLSOLVE_OK);
    followed(begin_at, end);
}

static void followed(int64_t begin_at, int64_t end) {
    for (int64_t c = begin_at; c < end; ++c)
        ahead_expect(ahead.factored[c] && ahead.moved[c] == end, "the end", c, begin_at, end);
    for (int64_t c = end; c < end + ahead.lu.behind; ++c)
        ahead_expect(ahead.solved[c] == end && ahead.moved[c] == end, "the end behind", c, begin_at, end);
    assert_int_equal(ahead.events, 0);
    /* COMPUTE is done when all are. */
    for (int e = 0; e < ahead.count; ++e)
        if (ahead.pieces[e].at > ahead.clock[CLS_COMPUTE][ahead.pieces[e].queue])
            fail_msg("%s: COMPUTE may be done before %s of queue %d", ahead.shape, ahead.pieces[e].name,
                     (int)ahead.pieces[e].queue);
}

/* All of that in one queue, a block at a time. */
TEST(test_plainly) {
    plainly = 1;
    for (int64_t strips = 1; strips <= 4; ++strips)
        for (int64_t n = 1; n <= 2600; n += 1 + n / 3) follow(n, 0, n, 128, 128 * strips, 0);
    follow(1100, 256, 512, 128, 128, 0);
    plainly = 0;
}

/* A wide matrix: the columns behind its square get what those in it do, and none of them is factored. */
TEST(test_wide) {
    test_random random = test_random_start(3);
    for (plainly = 0; plainly < 2; ++plainly)
        for (int trial = 0; trial < 100; ++trial) {
            const int64_t leaf = test_random_between(&random, 1, 130), n = test_random_between(&random, 1, 1500);
            behind = test_random_between(&random, 1, 1000);
            follow(n, 0, n, leaf, leaf * test_random_between(&random, 1, 1 + 600 / leaf), trial & 1);
        }
    plainly = 0, behind = 0;
}

TEST(test_shapes) {
    test_random random = test_random_start(1);
    /* Blocks of one strip to four, the last block whole, cut, and of a strip alone. */
    for (int beside = 0; beside < 2; ++beside)
        for (int64_t strips = 1; strips <= 4; ++strips)
            for (int64_t n = 1; n <= 2600; n += 1 + n / 3) follow(n, 0, n, 128, 128 * strips, beside);
    for (int trial = 0; trial < 200; ++trial) {
        int64_t leaf = test_random_between(&random, 1, 130),
                block = leaf * test_random_between(&random, 1, 1 + 600 / leaf);
        int64_t n = test_random_between(&random, 1, AHEAD_MOST);
        /* A window out of core begins and ends at a block, or at the matrix's end. */
        int64_t from = test_random_between(&random, 0, (n - 1) / block) * block;
        int64_t to = from + test_random_between(&random, 1, (n - from + block - 1) / block) * block;
        follow(n, from, to < n ? to : n, leaf, block, trial & 1);
    }
}

/* The matrix comes while it is factored, as fast as chance has it. */
TEST(test_arrival) {
    test_random random = test_random_start(2);
    for (int64_t strips = 1; strips <= 4; ++strips)
        for (int64_t n = 1; n <= 2600; n += 1 + n / 3) {
            assert_int_equal(factor_coming(n, 0, n, 128, 128 * strips, 1, 0, 256), CLSOLVE_OK);
            followed(0, n);
            assert_true(ahead.sent >= n);
        }
    for (int trial = 0; trial < 300; ++trial) {
        int64_t leaf = test_random_between(&random, 1, 130), n = test_random_between(&random, 1, AHEAD_MOST);
        int64_t block = leaf * test_random_between(&random, 1, 1 + 600 / leaf);
        assert_int_equal(factor_coming(n, 0, n, leaf, block, trial & 1, 0, test_random_between(&random, 1, 700)),
                         CLSOLVE_OK);
        followed(0, n);
    }
    assert_int_equal(factor_coming(1100, 0, 1100, 128, 256, 1, 0, 100), CLSOLVE_OK);
    for (int at = 1, calls = ahead.calls; at <= calls; ++at) {
        assert_int_equal(factor_coming(1100, 0, 1100, 128, 256, 1, at, 100), CLSOLVE_ERROR_DEVICE);
        assert_true(ahead.finished[CLS_SOON] == 1 && ahead.finished[CLS_BESIDE] == 1);
        assert_int_equal(ahead.events, 0);
    }
}

/* Each call fails in turn: none comes after it, no event stays, and nothing still runs when the caller knows. */
TEST(test_failures) {
    static const int64_t blocks[] = {128, 256, 384};
    for (int b = 0; b < 3; ++b) {
        const int64_t n = 1100;
        assert_int_equal(factor(n, 0, n, 128, blocks[b], b % 2, 0), CLSOLVE_OK);
        const int calls = ahead.calls;
        assert_true(calls > 50);
        for (int at = 1; at <= calls; ++at) {
            assert_int_equal(factor(n, 0, n, 128, blocks[b], b % 2, at), CLSOLVE_ERROR_DEVICE);
            assert_true(ahead.finished[CLS_SOON] == 1 && ahead.finished[CLS_BESIDE] == 1);
            assert_int_equal(ahead.events, 0);
        }
    }
}

/* ---- ahead by a block column ---- */

/* A panel's own strips. */
static const cls_columns *inside(void *holder, int64_t c, int64_t k) {
    static cls_columns columns;
    columns = cls_lu_whole_columns(holder, c, k);
    columns.last = k;
    columns.ahead = CLS_AHEAD_STRIP;
    columns.beside = CLS_SOON;
    columns.strip = ahead.lu.panel.leaf;
    columns.is_inside = 1;
    return &columns;
}

/* All block columns of a matrix of order n; with `beside` by strips of `leaf` columns, else by panels that travel. */
static clsolve_status by_block_columns(int64_t n, int64_t leaf, int64_t block, int beside, int fails_at) {
    prepare(n, 0, n, leaf, block, beside, fails_at, 0);
    ahead.by_blocks = block;
    cls_lu_whole whole = {.lu = &ahead.lu, .A = &ahead.lu.A};
    cls_columns columns = cls_lu_whole_columns(&whole, 0, n);
    cls_columns_ops ops = *columns.ops;
    ops.inside = inside;
    columns.ops = &ops;
    columns.ahead = CLS_AHEAD_BLOCK;
    columns.beside = beside ? CLS_BESIDE : CLS_COMPUTE;
    columns.strip = beside ? leaf : block;
    columns.rows_stay = 1;
    columns.travels = !beside;
    return cls_lu_factor_loop(&columns);
}

/* Rows of L stay as their block column left them, and BESIDE ends last. */
static void followed_by_block_columns(int64_t n, int64_t block) {
    for (int64_t c = 0; c < n; ++c) {
        const int64_t end = (c / block + 1) * block < n ? (c / block + 1) * block : n;
        ahead_expect(ahead.factored[c] && ahead.moved[c] == end, "the end", c, end - block, end);
    }
    assert_int_equal(ahead.events, 0);
    for (int e = 0; e < ahead.count; ++e)
        if (ahead.pieces[e].queue == CLS_SOON)
            assert_true(ahead.pieces[e].at <= ahead.clock[CLS_BESIDE][CLS_SOON] ||
                        ahead.pieces[e].at <= ahead.clock[CLS_COMPUTE][CLS_SOON]);
}

TEST(test_block_columns) {
    test_random random = test_random_start(4);
    for (int trial = 0; trial < 400; ++trial) {
        const int64_t leaf = test_random_between(&random, 1, 130), n = test_random_between(&random, 1, AHEAD_MOST);
        const int64_t block = leaf * test_random_between(&random, 1, 1 + 600 / leaf);
        assert_int_equal(by_block_columns(n, leaf, block, trial & 1, 0), CLSOLVE_OK);
        followed_by_block_columns(n, block);
    }
    for (int beside = 0; beside < 2; ++beside) {
        assert_int_equal(by_block_columns(1100, 128, 384, beside, 0), CLSOLVE_OK);
        for (int at = 1, calls = ahead.calls; at <= calls; ++at) {
            assert_int_equal(by_block_columns(1100, 128, 384, beside, at), CLSOLVE_ERROR_DEVICE);
            assert_true(ahead.finished[CLS_SOON] > 0 && ahead.finished[CLS_BESIDE] > 0);
            assert_int_equal(ahead.events, 0);
        }
    }
}

/* Columns of leaf and block on a GPU without leaves of one launch, and from which order on panels go ahead. */
TEST(test_sizes) {
    static const int64_t blocks[][2] = {{512, 128},  {2047, 128},  {2048, 384},  {6143, 384},
                                        {6144, 512}, {12288, 768}, {16384, 768}, {16385, 1024}};
    cls_device gpu = {.error = &ahead.error};
    cls_panel panel = {.device = &gpu, .type = CLSOLVE_F64, .leaf = 32};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        const cls_panel_sizes s = cls_panel_sizes_of(&gpu, CLSOLVE_F64, blocks[k][0], 0, 1, 0);
        assert_int_equal(s.leaf, 32);
        assert_int_equal(s.block, blocks[k][1]);
    }
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 4096, 0, 1, 256).block, 256);
    assert_int_equal(cls_panel_leaf_of(&gpu, CLSOLVE_F64, 4096, 256, 0), 32);
    assert_int_equal(cls_panel_worth_ahead(&panel, 4096), 0);
    gpu.beside = 1;
    assert_int_equal(cls_panel_worth_ahead(&panel, 2047), 0);
    assert_int_equal(cls_panel_worth_ahead(&panel, 2048), 1);
    panel.hybrid = 1;
    assert_int_equal(cls_panel_worth_ahead(&panel, 2048), 0);
}

TEST_PROGRAM_ALONE(NULL, NULL)
