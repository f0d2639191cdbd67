/*
 * out_of_core.c: A = L L^H of a matrix larger than the device, left-looking over slabs of columns, with what
 * method/out_of_core has. Only what lies on the diagonal and below crosses:
 *
 *             c0    c1
 *      | K=0 | K=1 |  J  |      for each slab J: its rows from J on go up; for each block column of an earlier slab K,
 *      |  L  |     |     |      streamed: A = A - L L_J^H, L_J the rows of J; then J is factored in core, and goes down
 *      |  L  |  L  |     |
 *      |  L  |  L  |  L  |
 *
 * The part of each slab's L below goes up again for each slab right of it: about n^3 / (6 slab) elements in all.
 */
#include "method/cholesky/cholesky.h"
#include "method/direct/room.h"

/* ---- memory ---- */

clsolve_status cls_cholesky_out_setup(cls_cholesky *cholesky) {
    cls_cholesky *c = cholesky;
    const int64_t taken = c->base_bytes + c->device->counters.buffer_bytes, size = cls_type_size(c->type);
    const double columns = (double)(c->n + cls_room_sides(c->n, c->memory_limit));
    const cls_out_room room = {.limit = c->memory_limit,
                               .beside = c->beside,
                               .taken = taken,
                               .slab_bytes = c->slab_bytes,
                               .in_core =
                                   (double)(c->beside + taken) + columns * (double)(cls_matrix_ld(c->n, size) * size)};

    c->out = (cls_out){.device = c->device,
                       .what = "a Cholesky factorization",
                       .owner = c,
                       .lower = CLS_LOWER,
                       .type = c->type,
                       .n = c->n,
                       .window = &c->A,
                       .transfer = &c->transfer,
                       .check = &c->check};
    CLS_TRY(cls_out_setup(&c->out, &room, c->block, c->leaf));
    c->block = c->out.block;
    c->ahead = 0;
    c->whole = cls_out_matrix(&c->out);
    return CLSOLVE_OK;
}

/* ---- factor ---- */

/* The slab's rows from its first column on, between the host's memory and the window, which nobody uses. */
static clsolve_status cross(const cls_cholesky *c, int up) {
    const cls_device_ops *ops = c->device->ops;
    const int64_t size = cls_type_size(c->type), n = c->n, begin = c->out.window_begin, end = c->out.window_end;
    const cls_queue queue = up ? CLS_UP : CLS_DOWN;
    clsolve_status status = CLSOLVE_OK;

    for (int64_t j = begin, run; j < end && status == CLSOLVE_OK; j += run) {
        run = cls_matrix_run(&c->A, j, end);
        const cls_ref at = cls_matrix_at(&c->A, begin, j);
        const cls_rect rect = {(size_t)((n - begin) * size), (size_t)run, (size_t)(at.offset * size),
                               (size_t)(at.ld * size), (size_t)(n * size)};
        char *host = (char *)c->out.host + (begin + j * n) * size;
        status = up ? ops->write(c->device, queue, at.buffer, host, &rect, NULL, NULL)
                    : ops->read(c->device, queue, at.buffer, host, &rect, NULL, NULL);
    }
    const clsolve_status done = ops->finish(c->device, queue); /* nothing touches the host's memory any more */
    return status != CLSOLVE_OK ? status : done;
}

clsolve_status cls_cholesky_take_slab(void *holder, int64_t c, int64_t k, cls_block_column *L) {
    cls_cholesky *cholesky = holder;
    *L = (cls_block_column){.j = c, .width = k - c, .end = cholesky->n};
    return cls_out_stream_take(&cholesky->out, &L->at);
}

/* In narrow pieces, because what lies above the diagonal in the squares on it is computed too. */
cls_matrix cls_cholesky_view_slab(void *holder, int64_t lead, int64_t c, int64_t to, int64_t *run) {
    enum { PIECE = 512 };
    const cls_cholesky *cholesky = holder;

    (void)lead;
    *run = cls_matrix_run(&cholesky->A, c, to - c < PIECE ? to : c + PIECE);
    return cholesky->A;
}

clsolve_status cls_cholesky_used_slab(void *holder, int64_t c, int64_t k, cls_queue queue) {
    cls_cholesky *cholesky = holder;
    (void)queue;
    return cls_out_stream_used(&cholesky->out, c, k);
}

clsolve_status cls_cholesky_next_slab(void *holder, int64_t from, int64_t *to) {
    const cls_rect rect = {sizeof(int64_t), 1, 0, sizeof(int64_t), sizeof(int64_t)};
    cls_cholesky *c = holder;
    const cls_device_ops *ops = c->device->ops;

    if (from > 0) CLS_TRY(ops->read(c->device, CLS_COMPUTE, c->info, c->words, &rect, NULL, NULL));
    CLS_TRY(ops->finish(c->device, CLS_COMPUTE)); /* nothing uses the window */
    if (from > 0 && c->words[0] != 0) {
        *to = from;
        return CLSOLVE_OK;
    }
    if (from > 0) {
        CLS_TRY(cross(c, 0));
        cls_out_tell(&c->out, 1);
    }
    if (from == c->n) return CLSOLVE_OK;
    cls_out_turn(&c->out, from);
    *to = c->out.window_end;
    c->A.origin = from;
    CLS_TRY(cross(c, 1));
    return cls_out_stream_read(&c->out, CLS_LOWER, from, 0);
}
