/*
 * chain.c: op(A) X = B for few right-hand sides: the factors stay where they are, and B, which is little, goes from the
 * owner of one block column to that of the next. No two devices work at once: a solve reads each half of the factors
 * once, as one device does. So the calling thread alone drives all of them.
 */
#include "base/memory.h"
#include "method/several/several.h"

typedef struct chain {
    cls_several *several;
    clsolve_op op;
    const clsolve_matrix *B;
    cls_several_part *holder; /* of B; a failure's device */
    void *host;               /* n elements x cols, for devices that do not fetch; NULL until then */
} chain;

/* ---- from one device to another ---- */

/* The columns of B lie in slabs alike only where both devices' limits are; so column by column of the smaller run. */
static clsolve_status fetch(chain *s, cls_several_part *from, cls_several_part *to) {
    cls_device *source = from->lu.device, *device = to->lu.device;
    const size_t size = (size_t)cls_type_size(s->several->type), bytes = (size_t)s->several->n * size;
    cls_event *ready = NULL;

    CLS_TRY(source->ops->mark(source, CLS_COMPUTE, &ready));
    const cls_wait wait = {1, &ready};
    clsolve_status status = source->ops->flush(source, CLS_COMPUTE);
    if (status == CLSOLVE_OK) s->holder = to;
    for (int64_t c = 0, run; c < s->B->cols && status == CLSOLVE_OK; c += run) {
        run = cls_matrix_run(&to->lu.B, c, s->B->cols);
        run = cls_matrix_run(&from->lu.B, c, c + run);
        const cls_ref a = cls_matrix_at(&from->lu.B, 0, c), b = cls_matrix_at(&to->lu.B, 0, c);
        const cls_span span = {bytes,
                               (size_t)run,
                               (size_t)a.offset * size,
                               (size_t)a.ld * size,
                               (size_t)b.offset * size,
                               (size_t)b.ld * size};
        status = device->ops->fetch(device, CLS_COMPUTE, source, a.buffer, b.buffer, &span, &wait, NULL);
    }
    source->ops->event_release(source, ready);
    return status;
}

static clsolve_status across_host(cls_several_part *part, const chain *s, int up) {
    cls_device *device = part->lu.device;
    const size_t size = (size_t)cls_type_size(s->several->type), bytes = (size_t)s->several->n * size;

    for (int64_t c = 0, run; c < s->B->cols; c += run) {
        run = cls_matrix_run(&part->lu.B, c, s->B->cols);
        const cls_ref at = cls_matrix_at(&part->lu.B, 0, c);
        const cls_rect rect = {bytes, (size_t)run, (size_t)at.offset * size, (size_t)at.ld * size, bytes};
        char *host = (char *)s->host + (size_t)c * bytes;
        if (up)
            CLS_TRY(device->ops->write(device, CLS_COMPUTE, at.buffer, host, &rect, NULL, NULL));
        else
            CLS_TRY(device->ops->read(device, CLS_COMPUTE, at.buffer, host, &rect, NULL, NULL));
    }
    return device->ops->finish(device, CLS_COMPUTE);
}

static clsolve_status hand_over(chain *s, cls_several_part *to) {
    cls_several *several = s->several;
    cls_several_part *from = s->holder;

    if (from == to) return CLSOLVE_OK;
    if (several->peer[to->number * several->count + from->number]) return fetch(s, from, to);
    if (!s->host) s->host = cls_alloc((size_t)several->n * (size_t)s->B->cols, (size_t)cls_type_size(several->type));
    if (!s->host) return cls_fail(from->lu.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors");
    CLS_TRY(across_host(from, s, 0));
    s->holder = to;
    return across_host(to, s, 1);
}

/* ---- the solve ---- */

static clsolve_status reserve(chain *s) {
    for (int p = 0; p < s->several->count; ++p) {
        cls_several_part *part = &s->several->parts[p];
        if (part->cols == 0) continue;
        s->holder = part;
        part->sides = s->B->cols;
        CLS_TRY(cls_lu_reserve(&part->lu, s->B->cols, s->B->layout == CLSOLVE_ROW_MAJOR));
    }
    return CLSOLVE_OK;
}

static clsolve_status begin(cls_pass *pass) {
    const chain *s = pass->holder;
    return cls_several_pass_begin(s->several, pass->half, pass->backward, 0);
}

static clsolve_status take(cls_pass *pass, cls_pass_column *F) {
    chain *s = pass->holder;
    const int64_t b = F->j / s->several->width;
    cls_several_part *part = &s->several->parts[s->several->owner[b]];
    const cls_matrix window = cls_several_window(part, b);

    CLS_TRY(hand_over(s, part));
    pass->device = part->lu.device;
    pass->B = part->lu.B;
    F->at = cls_matrix_at(&window, F->begin, F->j);
    return CLSOLVE_OK;
}

clsolve_status cls_several_move(cls_several_part *part, const cls_pass *pass, const cls_pass_column *F) {
    cls_lu *lu = &part->lu;
    if (part->sides == 0) return CLSOLVE_OK;
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->B, 0, part->sides, part->sides, 0, F->j, F->j + F->width,
                               pass->op != CLSOLVE_NO_TRANS);
}

static clsolve_status move(cls_pass *pass, const cls_pass_column *F) {
    chain *s = pass->holder;
    return cls_several_move(s->holder, pass, F);
}

static clsolve_status solve(chain *s, cls_place *in, cls_place *out) {
    cls_several *several = s->several;
    const int64_t cols = s->B->cols;
    static const cls_pass_ops ops = {.begin = begin, .take = take, .move = move};
    cls_pass pass = cls_pass_of(&ops, s, NULL, CLS_LOWER_UNIT, several->n, several->width);

    CLS_TRY(reserve(s));
    s->holder = &several->parts[several->owner[0]]; /* both orders begin with the first block column */
    cls_lu *lu = &s->holder->lu;
    CLS_TRY(cls_upload(lu->device, &lu->transfer, s->B, 0, cols, &lu->B, &lu->scratch));
    CLS_TRY(cls_check_finite(lu->device, &lu->check, &lu->B, cols, &in->row, &in->column));
    if (in->row >= 0) return CLSOLVE_OK;
    if (several->uniform != 1) CLS_TRY(cls_scaling_rows(lu->device, &s->holder->copy.scaling, &lu->B, cols, 1));
    CLS_TRY(cls_pass_both(&pass, s->op, &lu->B, 0, cols));
    lu = &s->holder->lu;
    CLS_TRY(cls_check_finite(lu->device, &lu->check, &lu->B, cols, &out->row, &out->column));
    if (out->row >= 0) return CLSOLVE_OK;
    return cls_download(lu->device, &lu->transfer, &lu->B, cols, s->B, 0, &lu->scratch);
}

clsolve_status cls_several_chain(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                 cls_place *out) {
    chain s = {.several = several, .op = op, .B = B};

    *in = *out = (cls_place){-1, -1};
    if (several->n == 0 || B->cols == 0) return CLSOLVE_OK;
    ++several->home.chains;
    clsolve_status status = solve(&s, in, out);
    if (status != CLSOLVE_OK) status = cls_several_fail(several, s.holder, status);
    cls_free(s.host);
    return status;
}
