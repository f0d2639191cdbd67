#include "lu/lookahead_world.h"

struct cls_event {
    int64_t clock[CLS_QUEUES];
    cls_queue queue;
    int64_t at; /* of the queue's own pieces */
};

ahead_world ahead;

/* 1: this call is the one that fails. None may come after it. */
static int fails(void) {
    if (ahead.fails_at > 0 && ahead.calls >= ahead.fails_at) fail_msg("%s: a call after a failure", ahead.shape);
    return ++ahead.calls == ahead.fails_at;
}

/* ---- queues ---- */

static clsolve_status mark(cls_device *device, cls_queue queue, cls_event **done) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    *done = malloc(sizeof **done);
    assert_non_null(*done);
    memcpy((*done)->clock, ahead.clock[queue], sizeof(*done)->clock);
    (*done)->queue = queue;
    (*done)->at = ahead.clock[queue][queue];
    ahead.events++;
    return CLSOLVE_OK;
}

static clsolve_status queue_wait(cls_device *device, cls_queue queue, cls_event *event) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    assert_non_null(event);
    if (queue != event->queue && ahead.flushed[event->queue] < event->at)
        fail_msg("%s: queue %d waits for what queue %d has not been told to begin", ahead.shape, (int)queue,
                 (int)event->queue);
    for (int q = 0; q < CLS_QUEUES; ++q)
        if (event->clock[q] > ahead.clock[queue][q]) ahead.clock[queue][q] = event->clock[q];
    return CLSOLVE_OK;
}

static void event_release(cls_device *device, cls_event *event) {
    (void)device;
    if (event) ahead.events--;
    free(event);
}

static clsolve_status finish(cls_device *device, cls_queue queue) {
    (void)device;
    ahead.finished[queue]++;
    return CLSOLVE_OK;
}

static clsolve_status flush(cls_device *device, cls_queue queue) {
    (void)device;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead.flushed[queue] = ahead.clock[queue][queue];
    return CLSOLVE_OK;
}

const cls_device_ops ahead_ops = {
    .mark = mark, .queue_wait = queue_wait, .event_release = event_release, .flush = flush, .finish = finish};

/* ---- pieces ---- */

static int meet(const ahead_area *a, const ahead_area *b) {
    return a->of == b->of && (a->writes || b->writes) && a->r0 < b->r1 && b->r0 < a->r1 && a->c0 < b->c1 &&
           b->c0 < a->c1;
}

/* What the queue's next piece waits for in COMPUTE is no panel, but the last one, or the last of a block column by
 * strips: panels run beside the rest. */
static void runs_beside(const char *name, cls_queue queue) {
    const int64_t known = ahead.clock[queue][CLS_COMPUTE];
    for (const ahead_piece *e = ahead.pieces; e < ahead.pieces + ahead.count && queue != CLS_COMPUTE; ++e)
        if (e->queue == CLS_COMPUTE && e->at == known && strcmp(e->name, "panel") == 0 && e->areas[0].c1 < ahead.end &&
            (ahead.by_blocks == 0 || e->areas[0].c1 % ahead.by_blocks != 0))
            fail_msg("%s: %s in queue %d waits for the panel at %ld", ahead.shape, name, (int)queue,
                     (long)e->areas[0].c0);
}

static ahead_piece *begin(const char *name, cls_queue queue) {
    assert_true(ahead.count < AHEAD_PIECES);
    runs_beside(name, queue);
    ahead_piece *p = &ahead.pieces[ahead.count++];
    *p = (ahead_piece){.name = name, .queue = queue, .at = ++ahead.clock[queue][queue]};
    return p;
}

/* Adds an area and looks for an earlier piece of another queue that meets it without being before it. */
static void touch(ahead_piece *p, ahead_area what) {
    assert_true(p->count < AHEAD_AREAS);
    p->areas[p->count++] = what;
    for (const ahead_piece *e = ahead.pieces; e < p; ++e) {
        if (e->at <= ahead.clock[p->queue][e->queue]) continue;
        for (int k = 0; k < e->count; ++k)
            if (meet(&e->areas[k], &what))
                fail_msg(
                    "%s: %s (queue %d) and %s (queue %d) meet at rows %ld.., columns %ld.. and nothing orders them",
                    ahead.shape, e->name, (int)e->queue, p->name, (int)p->queue,
                    (long)(what.r0 > e->areas[k].r0 ? what.r0 : e->areas[k].r0),
                    (long)(what.c0 > e->areas[k].c0 ? what.c0 : e->areas[k].c0));
    }
}

void ahead_expect(int right, const char *what, int64_t column, int64_t p, int64_t q) {
    if (!right)
        fail_msg("%s: %s, column %ld by %ld..%ld: moved %ld, solved %ld, multiplied %ld", ahead.shape, what,
                 (long)column, (long)p, (long)q, (long)ahead.moved[column], (long)ahead.solved[column],
                 (long)ahead.multiplied[column]);
}

clsolve_status __wrap_cls_panel_factor(cls_panel *panel, const cls_matrix *A, int64_t k, int64_t rows, int64_t width);
clsolve_status __wrap_cls_panel_factor(cls_panel *panel, const cls_matrix *A, int64_t k, int64_t rows, int64_t width) {
    assert_true(panel == &ahead.lu.panel && A->slab == ahead.lu.A.slab && k + rows == ahead.lu.n && width > 0);
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead_piece *p = begin("panel", CLS_COMPUTE);
    touch(p, (ahead_area){OF_A, k, k + rows, k, k + width, 1});
    touch(p, (ahead_area){OF_LISTS, 0, 1, k, k + width, 1});
    for (int64_t c = k; c < k + width; ++c) {
        ahead_expect(!ahead.factored[c] && ahead.moved[c] == k && ahead.multiplied[c] == k, "panel", c, k, k + width);
        ahead.factored[c] = 1;
        ahead.solved[c] = k + width;
        ahead.moved[c] = k + width;
    }
    return CLSOLVE_OK;
}

clsolve_status __wrap_cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width);
clsolve_status __wrap_cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width) {
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead_piece *p = begin("merge", queue);
    touch(p, (ahead_area){OF_LISTS, 0, 1, j, j + width, 0});
    touch(p, (ahead_area){OF_MERGED, 0, 1, j, j + width, 1});
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
    assert_ptr_equal(matrix->slab, ahead.lu.A.slab);
    assert_true(first <= hole && hole + hole_width <= last && !reverse);
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead_piece *p = begin("moves", queue);
    touch(p, (ahead_area){OF_A, from, ahead.lu.n, first, hole, 1});
    touch(p, (ahead_area){OF_A, from, ahead.lu.n, hole + hole_width, last, 1});
    touch(p, (ahead_area){by_merged(panel, from, to) ? OF_MERGED : OF_LISTS, 0, 1, from, to, 0});
    for (int64_t c = first; c < last; ++c) {
        if (c >= hole && c < hole + hole_width) continue;
        /* Columns that come late have all their rows moved before they are solved for. */
        const int late = ahead.group > 0 && ahead.solved[c] == 0 && ahead.multiplied[c] == 0;
        ahead_expect(ahead.moved[c] == from && (ahead.factored[c] || ahead.solved[c] == from || late), "moves", c, from,
                     to);
        ahead.moved[c] = to;
    }
    return CLSOLVE_OK;
}

/* L's columns p .. q-1 lie as columns do that have been moved up to q. */
static void expect_rows_of(int64_t p, int64_t q) {
    for (int64_t l = p; l < q; ++l) ahead_expect(ahead.factored[l] && ahead.moved[l] == q, "rows of L", l, p, q);
}

clsolve_status __wrap_cls_panel_solve(const cls_panel *panel, cls_queue queue, const cls_block_column *L,
                                      const cls_matrix *A, int64_t from, int64_t to);
clsolve_status __wrap_cls_panel_solve(const cls_panel *panel, cls_queue queue, const cls_block_column *L,
                                      const cls_matrix *A, int64_t from, int64_t to) {
    const int64_t j = L->j, width = L->width;
    assert_true(panel == &ahead.lu.panel && A->slab == ahead.lu.A.slab && L->at.offset == j * (A->ld + 1) &&
                L->end == ahead.lu.n);
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead_piece *p = begin("solve", queue);
    touch(p, (ahead_area){OF_A, j, j + width, j, j + width, 0});
    touch(p, (ahead_area){OF_A, j, j + width, from, to, 1});
    expect_rows_of(j, j + width);
    for (int64_t c = from; c < to; ++c) {
        const int ready = ahead.multiplied[c] == j || (ahead.rows[c] == j + width && ahead.above[c] == j);
        ahead_expect(ahead.moved[c] == j + width && ahead.solved[c] == j && ready, "solve", c, j, j + width);
        ahead.solved[c] = j + width;
    }
    return CLSOLVE_OK;
}

/* Either into all rows below those that are U's, or into the next of those alone. */
clsolve_status __wrap_cls_panel_multiply(const cls_panel *panel, cls_queue queue, const cls_matrix *A, int64_t top,
                                         int64_t bottom, int64_t p, int64_t q, int64_t from, int64_t to);
clsolve_status __wrap_cls_panel_multiply(const cls_panel *panel, cls_queue queue, const cls_matrix *A, int64_t top,
                                         int64_t bottom, int64_t p, int64_t q, int64_t from, int64_t to) {
    assert_true(panel == &ahead.lu.panel && A->slab == ahead.lu.A.slab);
    if (top >= bottom) { /* nothing is left, but of the books */
        for (int64_t c = from; c < to; ++c) ahead.multiplied[c] = q;
        return CLSOLVE_OK;
    }
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    ahead_piece *it = begin("product", queue);
    touch(it, (ahead_area){OF_A, top, bottom, p, q, 0});
    touch(it, (ahead_area){OF_A, p, q, from, to, 0});
    touch(it, (ahead_area){OF_A, top, bottom, from, to, 1});
    for (int64_t c = from; c < to; ++c) {
        const int all = bottom == ahead.lu.n && ahead.moved[c] == top;
        for (int64_t l = p; l < q; ++l)
            ahead_expect(ahead.factored[l] && ahead.moved[l] == ahead.moved[c], "rows of L", l, p, q);
        ahead_expect(ahead.solved[c] >= q && (all || ahead.moved[c] == bottom), "product", c, p, q);
        if (all) {
            ahead_expect(ahead.multiplied[c] == p && ahead.solved[c] == top, "product", c, p, q);
            ahead.multiplied[c] = q;
        } else {
            if (ahead.rows[c] != bottom) ahead.rows[c] = bottom, ahead.above[c] = ahead.multiplied[c];
            ahead_expect(ahead.solved[c] == top && ahead.above[c] == p, "product above", c, p, q);
            ahead.above[c] = q;
        }
    }
    return CLSOLVE_OK;
}

clsolve_status __wrap_cls_panel_update(const cls_panel *panel, cls_queue queue, const cls_block_column *L,
                                       const cls_matrix *A, int64_t from, int64_t to);
clsolve_status __wrap_cls_panel_update(const cls_panel *panel, cls_queue queue, const cls_block_column *L,
                                       const cls_matrix *A, int64_t from, int64_t to) {
    const int64_t k = L->j + L->width;
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(__wrap_cls_panel_solve(panel, queue, L, A, from, to));
    return __wrap_cls_panel_multiply(panel, queue, A, k, L->end, L->j, k, from, to);
}

clsolve_status __wrap_cls_panel_step(cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                                     int64_t from, int64_t to);
clsolve_status __wrap_cls_panel_step(cls_panel *panel, cls_queue queue, const cls_block_column *L, const cls_matrix *A,
                                     int64_t from, int64_t to) {
    if (from >= to) return CLSOLVE_OK;
    CLS_TRY(__wrap_cls_panel_move_rows(panel, queue, A, from, to, to, 0, L->j, L->j + L->width, 0));
    return __wrap_cls_panel_update(panel, queue, L, A, from, to);
}

/* ---- arrival: a piece of DOWN, the last that touches a group before it is used ---- */

static void send(int64_t end) {
    for (; ahead.sent < end && ahead.sent < ahead.lu.n; ahead.sent += ahead.group) {
        int64_t to = ahead.sent + ahead.group < ahead.lu.n ? ahead.sent + ahead.group : ahead.lu.n;
        touch(begin("arrival", CLS_DOWN), (ahead_area){OF_A, 0, ahead.lu.n, ahead.sent, to, 1});
        ahead.flushed[CLS_DOWN] = ahead.clock[CLS_DOWN][CLS_DOWN];
    }
}

clsolve_status __wrap_cls_arrival_poll(cls_arrival *arrival);
clsolve_status __wrap_cls_arrival_poll(cls_arrival *arrival) {
    (void)arrival;
    return fails() ? CLSOLVE_ERROR_DEVICE : CLSOLVE_OK;
}

clsolve_status __wrap_cls_arrival_await(cls_arrival *arrival, cls_queue queue, int64_t end);
clsolve_status __wrap_cls_arrival_await(cls_arrival *arrival, cls_queue queue, int64_t end) {
    (void)arrival;
    if (ahead.group == 0) return CLSOLVE_OK;
    if (fails()) return CLSOLVE_ERROR_DEVICE;
    send(end);
    int64_t groups = ((end < ahead.lu.n ? end : ahead.lu.n) + ahead.group - 1) / ahead.group;
    if (ahead.clock[queue][CLS_DOWN] < groups) ahead.clock[queue][CLS_DOWN] = groups;
    return CLSOLVE_OK;
}

int64_t __wrap_cls_arrival_arrived(cls_arrival *arrival);
int64_t __wrap_cls_arrival_arrived(cls_arrival *arrival) {
    (void)arrival;
    if (ahead.group == 0) return INT64_MAX;
    int64_t come = test_random_between(&ahead.random, 0, ahead.lu.n / ahead.group) * ahead.group;
    send(come);
    return come;
}
