/*
 * The order that lookahead.c gives its work, without any of the work: what it would enqueue is written down, each piece with what it
 * reads and writes and with a vector clock of the queues. Two pieces that meet, one of them writing, must be ordered by the queues'
 * order and by events: then they run as they are enqueued, on every device. And in that order each column must get what the
 * factorization gives it, once each, with rows of L that lie as its own do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/lu/lu.h"
#include "support/test_support.h"

enum { MOST = 2600, PIECES = 100000, AREAS = 3 };

struct cls_event {
    int64_t clock[CLS_QUEUES];
    cls_queue queue;
    int64_t at; /* of the queue's own pieces */
};

/* What a piece touches: rows and columns of A, or entries of the leaves' lists of moves or of the merged ones. */
typedef struct area {
    enum { OF_A, OF_LISTS, OF_MERGED } of;
    int64_t r0, r1, c0, c1;
    int writes;
} area;

typedef struct piece {
    const char *name;
    cls_queue queue;
    int64_t at; /* its number in the queue, from 1 */
    area areas[AREAS];
    int count;
} piece;

static struct {
    cls_lu lu;
    cls_device device;
    cls_error error;
    piece pieces[PIECES];
    int count, events;
    int64_t end;                           /* of the columns */
    int64_t clock[CLS_QUEUES][CLS_QUEUES]; /* of a queue: how much of each other is before its next piece */
    int64_t flushed[CLS_QUEUES];
    /* Of each column, the columns of L before this one: have moved its rows, been solved for, been multiplied into it. */
    int64_t moved[MOST], solved[MOST], multiplied[MOST];
    /* And into its rows before `rows` alone, those of `above`. */
    int64_t rows[MOST], above[MOST];
    int factored[MOST];
    /* A matrix that comes while it is factored: columns at a time, 0: it is there; those before this one are on their way or there. */
    int64_t group, sent;
    test_random random; /* how many have come */
    char shape[160];
    int calls, fails_at; /* what may fail; the one that does, or 0 */
    int finished[CLS_QUEUES];
} world;

/* 1: this call is the one that fails. None may come after it. */
static int fails(void) {
    if (world.fails_at > 0 && world.calls >= world.fails_at) fail_msg("%s: a call after a failure", world.shape);
    return ++world.calls == world.fails_at;
}

/* ---- queues ---- */

static clsolve_status mark(cls_device *device, cls_queue queue, cls_event **done) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    *done = malloc(sizeof **done);
    assert_non_null(*done);
    memcpy((*done)->clock, world.clock[queue], sizeof(*done)->clock);
    (*done)->queue = queue;
    (*done)->at = world.clock[queue][queue];
    world.events++;
    return CLSOLVE_OK;
}

static clsolve_status queue_wait(cls_device *device, cls_queue queue, cls_event *event) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    assert_non_null(event);
    if (queue != event->queue && world.flushed[event->queue] < event->at)
        fail_msg("%s: queue %d waits for what queue %d has not been told to begin", world.shape, (int)queue,
                 (int)event->queue);
    for (int q = 0; q < CLS_QUEUES; ++q)
        if (event->clock[q] > world.clock[queue][q]) world.clock[queue][q] = event->clock[q];
    return CLSOLVE_OK;
}

static void event_release(cls_device *device, cls_event *event) {
    (void)device;
    if (event) world.events--;
    free(event);
}

static clsolve_status finish(cls_device *device, cls_queue queue) {
    (void)device;
    world.finished[queue]++;
    return CLSOLVE_OK;
}

static clsolve_status flush(cls_device *device, cls_queue queue) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    world.flushed[queue] = world.clock[queue][queue];
    return CLSOLVE_OK;
}

/* ---- pieces ---- */

static int meet(const area *a, const area *b) {
    return a->of == b->of && (a->writes || b->writes) && a->r0 < b->r1 && b->r0 < a->r1 && a->c0 < b->c1 &&
           b->c0 < a->c1;
}

/* What the queue's next piece waits for in COMPUTE is no panel, but the last one: panels run beside the rest. */
static void runs_beside(const char *name, cls_queue queue) {
    const int64_t known = world.clock[queue][CLS_COMPUTE];
    for (const piece *e = world.pieces; e < world.pieces + world.count && queue != CLS_COMPUTE; ++e)
        if (e->queue == CLS_COMPUTE && e->at == known && strcmp(e->name, "panel") == 0 && e->areas[0].c1 < world.end)
            fail_msg("%s: %s in queue %d waits for the panel at %ld", world.shape, name, (int)queue,
                     (long)e->areas[0].c0);
}

static piece *begin(const char *name, cls_queue queue) {
    assert_true(world.count < PIECES);
    runs_beside(name, queue);
    piece *p = &world.pieces[world.count++];
    *p = (piece){.name = name, .queue = queue, .at = ++world.clock[queue][queue]};
    return p;
}

/* Adds an area and looks for an earlier piece of another queue that meets it without being before it. */
static void touch(piece *p, area what) {
    assert_true(p->count < AREAS);
    p->areas[p->count++] = what;
    for (const piece *e = world.pieces; e < p; ++e) {
        if (e->at <= world.clock[p->queue][e->queue]) continue;
        for (int k = 0; k < e->count; ++k)
            if (meet(&e->areas[k], &what))
                fail_msg(
                    "%s: %s (queue %d) and %s (queue %d) meet at rows %ld.., columns %ld.. and nothing orders them",
                    world.shape, e->name, (int)e->queue, p->name, (int)p->queue,
                    (long)(what.r0 > e->areas[k].r0 ? what.r0 : e->areas[k].r0),
                    (long)(what.c0 > e->areas[k].c0 ? what.c0 : e->areas[k].c0));
    }
}

static void expect(int right, const char *what, int64_t column, int64_t p, int64_t q) {
    if (!right)
        fail_msg("%s: %s, column %ld by %ld..%ld: moved %ld, solved %ld, multiplied %ld", world.shape, what,
                 (long)column, (long)p, (long)q, (long)world.moved[column], (long)world.solved[column],
                 (long)world.multiplied[column]);
}

clsolve_status __wrap_cls_lu_panel(cls_lu *lu, int64_t k, int64_t width);
clsolve_status __wrap_cls_lu_panel(cls_lu *lu, int64_t k, int64_t width) {
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    piece *p = begin("panel", CLS_COMPUTE);
    touch(p, (area){OF_A, k, lu->n, k, k + width, 1});
    touch(p, (area){OF_LISTS, 0, 1, k, k + width, 1});
    for (int64_t c = k; c < k + width; ++c) {
        expect(!world.factored[c] && world.moved[c] == k && world.multiplied[c] == k, "panel", c, k, k + width);
        world.factored[c] = 1;
        world.solved[c] = k + width;
        world.moved[c] = k + width;
    }
    return CLSOLVE_OK;
}

clsolve_status __wrap_cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width);
clsolve_status __wrap_cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width) {
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    piece *p = begin("merge", queue);
    touch(p, (area){OF_LISTS, 0, 1, j, j + width, 0});
    touch(p, (area){OF_MERGED, 0, 1, j, j + width, 1});
    panel->moves.done = j + width;
    return CLSOLVE_OK;
}

/* As moves.c chooses its lists. */
static int by_merged(const cls_panel *panel, int64_t begin, int64_t end) {
    return begin % panel->block == 0 && (end % panel->block == 0 || end == panel->moves.done) &&
           end <= panel->moves.done;
}

clsolve_status __wrap_cls_panel_move_rows(cls_panel *panel, cls_queue queue, const cls_matrix *matrix, int64_t first,
                                          int64_t last, int64_t hole, int64_t hole_width, int64_t from, int64_t to,
                                          int reverse);
clsolve_status __wrap_cls_panel_move_rows(cls_panel *panel, cls_queue queue, const cls_matrix *matrix, int64_t first,
                                          int64_t last, int64_t hole, int64_t hole_width, int64_t from, int64_t to,
                                          int reverse) {
    assert_ptr_equal(matrix, &world.lu.A);
    assert_true(hole == last && hole_width == 0 && !reverse);
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    piece *p = begin("moves", queue);
    touch(p, (area){OF_A, from, world.lu.n, first, last, 1});
    touch(p, (area){by_merged(panel, from, to) ? OF_MERGED : OF_LISTS, 0, 1, from, to, 0});
    for (int64_t c = first; c < last; ++c) {
        /* Columns that come late have all their rows moved before they are solved for. */
        const int late = world.group > 0 && world.solved[c] == 0 && world.multiplied[c] == 0;
        expect(world.moved[c] == from && (world.factored[c] || world.solved[c] == from || late), "moves", c, from, to);
        world.moved[c] = to;
    }
    return CLSOLVE_OK;
}

/* L's columns p .. q-1 lie as columns do that have been moved up to q. */
static void expect_rows_of(int64_t p, int64_t q) {
    for (int64_t l = p; l < q; ++l) expect(world.factored[l] && world.moved[l] == q, "rows of L", l, p, q);
}

clsolve_status __wrap_cls_lu_update_rows(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from,
                                         int64_t to);
clsolve_status __wrap_cls_lu_update_rows(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from,
                                         int64_t to) {
    (void)lu;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    piece *p = begin("solve", queue);
    touch(p, (area){OF_A, j, j + width, j, j + width, 0});
    touch(p, (area){OF_A, j, j + width, from, to, 1});
    expect_rows_of(j, j + width);
    for (int64_t c = from; c < to; ++c) {
        const int ready = world.multiplied[c] == j || (world.rows[c] == j + width && world.above[c] == j);
        expect(world.moved[c] == j + width && world.solved[c] == j && ready, "solve", c, j, j + width);
        world.solved[c] = j + width;
    }
    return CLSOLVE_OK;
}

/* Either into all rows below those that are U's, or into the next of those alone. */
clsolve_status __wrap_cls_lu_multiply(cls_lu *lu, cls_queue queue, int64_t top, int64_t bottom, int64_t p, int64_t q,
                                      int64_t from, int64_t to);
clsolve_status __wrap_cls_lu_multiply(cls_lu *lu, cls_queue queue, int64_t top, int64_t bottom, int64_t p, int64_t q,
                                      int64_t from, int64_t to) {
    if (top >= bottom) { /* nothing is left, but of the books */
        for (int64_t c = from; c < to; ++c) world.multiplied[c] = q;
        return CLSOLVE_OK;
    }
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    piece *it = begin("product", queue);
    touch(it, (area){OF_A, top, bottom, p, q, 0});
    touch(it, (area){OF_A, p, q, from, to, 0});
    touch(it, (area){OF_A, top, bottom, from, to, 1});
    for (int64_t c = from; c < to; ++c) {
        const int all = bottom == lu->n && world.solved[c] == top;
        for (int64_t l = p; l < q; ++l)
            expect(world.factored[l] && world.moved[l] == world.moved[c], "rows of L", l, p, q);
        expect(world.solved[c] >= q && world.moved[c] == (all ? top : bottom), "product", c, p, q);
        if (all) {
            expect(world.multiplied[c] == p, "product", c, p, q);
            world.multiplied[c] = q;
        } else {
            if (world.rows[c] != bottom) world.rows[c] = bottom, world.above[c] = world.multiplied[c];
            expect(world.solved[c] == top && world.above[c] == p, "product above", c, p, q);
            world.above[c] = q;
        }
    }
    return CLSOLVE_OK;
}

clsolve_status __wrap_cls_lu_update(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from, int64_t to);
clsolve_status __wrap_cls_lu_update(cls_lu *lu, cls_queue queue, int64_t j, int64_t width, int64_t from, int64_t to) {
    CLS_TRY(__wrap_cls_lu_update_rows(lu, queue, j, width, from, to));
    return __wrap_cls_lu_multiply(lu, queue, j + width, lu->n, j, j + width, from, to);
}

/* ---- arrival: a piece of DOWN, the last that touches a group before it is used ---- */

static void send(int64_t end) {
    for (; world.sent < end && world.sent < world.lu.n; world.sent += world.group) {
        int64_t to = world.sent + world.group < world.lu.n ? world.sent + world.group : world.lu.n;
        touch(begin("arrival", CLS_DOWN), (area){OF_A, 0, world.lu.n, world.sent, to, 1});
        world.flushed[CLS_DOWN] = world.clock[CLS_DOWN][CLS_DOWN];
    }
}

clsolve_status __wrap_cls_lu_arrival_poll(cls_lu *lu);
clsolve_status __wrap_cls_lu_arrival_poll(cls_lu *lu) {
    (void)lu;
    return fails() ? CLSOLVE_ERROR_DEVICE : CLSOLVE_OK;
}

clsolve_status __wrap_cls_lu_arrival_await(cls_lu *lu, cls_queue queue, int64_t end);
clsolve_status __wrap_cls_lu_arrival_await(cls_lu *lu, cls_queue queue, int64_t end) {
    (void)lu;
    if (world.group == 0) return CLSOLVE_OK;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    send(end);
    int64_t groups = ((end < world.lu.n ? end : world.lu.n) + world.group - 1) / world.group;
    if (world.clock[queue][CLS_DOWN] < groups) world.clock[queue][CLS_DOWN] = groups;
    return CLSOLVE_OK;
}

int64_t __wrap_cls_lu_arrived(cls_lu *lu);
int64_t __wrap_cls_lu_arrived(cls_lu *lu) {
    if (world.group == 0) return lu->n;
    int64_t come = test_random_between(&world.random, 0, lu->n / world.group) * world.group;
    send(come);
    return come;
}

/* ---- the test ---- */

/* A matrix of n rows whose columns begin .. end-1 are factored; the leaf's and the block's columns. */
static clsolve_status factor_coming(int64_t n, int64_t begin_at, int64_t end, int64_t leaf, int64_t block, int beside,
                                    int fails_at, int64_t group) {
    static int64_t something;
    static const cls_device_ops ops = {
        .mark = mark, .queue_wait = queue_wait, .event_release = event_release, .flush = flush, .finish = finish};
    int64_t info = 0;
    cls_lu *lu = &world.lu;

    memset(&world, 0, sizeof world);
    world.fails_at = fails_at;
    (void)snprintf(world.shape, sizeof world.shape, "n = %ld, columns %ld..%ld, leaf %ld, block %ld, beside %d",
                   (long)n, (long)begin_at, (long)end, (long)leaf, (long)block, beside);
    world.device = (cls_device){.ops = &ops, .error = &world.error, .beside = beside};
    world.end = end;
    world.group = group;
    world.random = test_random_start((uint64_t)(n + 7 * leaf + 11 * block));
    *lu = (cls_lu){.device = &world.device, .n = n, .rows = n, .block = block};
    if (group > 0) lu->arrival = (cls_lu_arrival *)&something; /* nobody looks inside */
    lu->panel = (cls_panel){.device = &world.device, .leaf = leaf, .block = block, .moves.done = begin_at};
    for (int64_t c = 0; c < end; ++c) world.moved[c] = world.solved[c] = world.multiplied[c] = begin_at;
    return cls_lu_factor_ahead(lu, begin_at, end, NULL, &info);
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
        expect(world.factored[c] && world.moved[c] == end, "the end", c, begin_at, end);
    assert_int_equal(world.events, 0);
    /* COMPUTE is done when all are. */
    for (int e = 0; e < world.count; ++e)
        if (world.pieces[e].at > world.clock[CLS_COMPUTE][world.pieces[e].queue])
            fail_msg("%s: COMPUTE may be done before %s of queue %d", world.shape, world.pieces[e].name,
                     (int)world.pieces[e].queue);
}

static void test_shapes(void **state) {
    test_random random = test_random_start(1);
    (void)state;
    /* Blocks of one strip to four, the last block whole, cut, and of a strip alone. */
    for (int beside = 0; beside < 2; ++beside)
        for (int64_t strips = 1; strips <= 4; ++strips)
            for (int64_t n = 1; n <= 2600; n += 1 + n / 3) follow(n, 0, n, 128, 128 * strips, beside);
    for (int trial = 0; trial < 200; ++trial) {
        int64_t leaf = test_random_between(&random, 1, 130),
                block = leaf * test_random_between(&random, 1, 1 + 600 / leaf);
        int64_t n = test_random_between(&random, 1, MOST);
        /* A window out of core begins and ends at a block, or at the matrix's end. */
        int64_t from = test_random_between(&random, 0, (n - 1) / block) * block;
        int64_t to = from + test_random_between(&random, 1, (n - from + block - 1) / block) * block;
        follow(n, from, to < n ? to : n, leaf, block, trial & 1);
    }
}

/* The matrix comes while it is factored, as fast as chance has it. */
static void test_arrival(void **state) {
    test_random random = test_random_start(2);
    (void)state;
    for (int64_t strips = 1; strips <= 4; ++strips)
        for (int64_t n = 1; n <= 2600; n += 1 + n / 3) {
            assert_int_equal(factor_coming(n, 0, n, 128, 128 * strips, 1, 0, 256), CLSOLVE_OK);
            followed(0, n);
            assert_true(world.sent >= n);
        }
    for (int trial = 0; trial < 300; ++trial) {
        int64_t leaf = test_random_between(&random, 1, 130), n = test_random_between(&random, 1, MOST);
        int64_t block = leaf * test_random_between(&random, 1, 1 + 600 / leaf);
        assert_int_equal(factor_coming(n, 0, n, leaf, block, trial & 1, 0, test_random_between(&random, 1, 700)),
                         CLSOLVE_OK);
        followed(0, n);
    }
    assert_int_equal(factor_coming(1100, 0, 1100, 128, 256, 1, 0, 100), CLSOLVE_OK);
    for (int at = 1, calls = world.calls; at <= calls; ++at) {
        assert_int_equal(factor_coming(1100, 0, 1100, 128, 256, 1, at, 100), CLSOLVE_ERROR_DEVICE);
        assert_true(world.finished[CLS_SOON] == 1 && world.finished[CLS_BESIDE] == 1);
        assert_int_equal(world.events, 0);
    }
}

/* Each call fails in turn: none comes after it, no event stays, and nothing still runs when the caller knows. */
static void test_failures(void **state) {
    static const int64_t blocks[] = {128, 256, 384};
    (void)state;
    for (int b = 0; b < 3; ++b) {
        const int64_t n = 1100;
        assert_int_equal(factor(n, 0, n, 128, blocks[b], b % 2, 0), CLSOLVE_OK);
        const int calls = world.calls;
        assert_true(calls > 50);
        for (int at = 1; at <= calls; ++at) {
            assert_int_equal(factor(n, 0, n, 128, blocks[b], b % 2, at), CLSOLVE_ERROR_DEVICE);
            assert_true(world.finished[CLS_SOON] == 1 && world.finished[CLS_BESIDE] == 1);
            assert_int_equal(world.events, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_arrival),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
