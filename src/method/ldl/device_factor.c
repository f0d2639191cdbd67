/* device_factor.c: the loop over panels; device.h has the picture. */
#include "base/memory.h"
#include "method/ldl/device.h"
#include "method/trailing.h"

enum { WATCHED = 2048 };      /* from so many columns on it is worth asking whether a window has failed */
enum { MOST_EXACT = 1 << 6 }; /* launches of the exact way before the fast one is tried again */

typedef struct loop {
    cls_ldl *ldl;
    cls_ldl_device *own;
    const clsolve_ldl_options *options;
    cls_event *seen[CLS_LDL_WATCHED]; /* the state has come that says how that panel went */
    cls_event *panel;                 /* the panel is done */
    cls_event *others[2];             /* the others' queues have taken the panel before out of all columns */
    int enqueues;                     /* the host neither waits nor looks */
    int turn;                         /* of `seen` */
    int failed;
} loop;

static void forget(loop *l, cls_event **event) {
    l->ldl->device->ops->event_release(l->ldl->device, *event);
    *event = NULL;
}

/* ---- the state ---- */

static clsolve_status read_state(loop *l, cls_queue queue, int64_t *words, cls_event **done) {
    enum { BYTES = CLS_LDL_WORDS * sizeof(int64_t) };
    const cls_rect rect = {BYTES, 1, 0, BYTES, BYTES};
    cls_device *device = l->ldl->device;
    return device->ops->read(device, queue, l->own->state, words, &rect, NULL, done);
}

static clsolve_status clear_state(loop *l) {
    cls_device *device = l->ldl->device;
    return device->ops->fill(device, CLS_COMPUTE, l->own->state, 0, CLS_LDL_WORDS * sizeof(int64_t), 0);
}

/* It comes in a queue of its own where queues overlap, so that no panel waits for the bus. */
static clsolve_status ask(loop *l) {
    const cls_device_ops *ops = l->ldl->device->ops;
    const cls_queue queue = l->own->ahead ? CLS_DOWN : CLS_COMPUTE;

    if (l->own->ahead) CLS_TRY(ops->queue_wait(l->ldl->device, CLS_DOWN, l->panel));
    CLS_TRY(read_state(l, queue, l->own->words + l->turn * CLS_LDL_WORDS, &l->seen[l->turn]));
    return ops->flush(l->ldl->device, queue);
}

/* The host runs ahead of the device. It waits for the panel a few panels before, to say how far the device is, and to
 * end where a window has failed. */
static clsolve_status watch(loop *l, int64_t done) {
    cls_device *device = l->ldl->device;
    const clsolve_ldl_options *o = l->options;
    const int told = o && o->progress;
    const double left = (double)(l->ldl->n - done) / (double)l->ldl->n;

    if (l->enqueues || (!told && l->ldl->n < WATCHED)) return CLSOLVE_OK;
    CLS_TRY(ask(l));
    l->turn = (l->turn + 1) % CLS_LDL_WATCHED;
    if (l->seen[l->turn]) {
        CLS_TRY(device->ops->event_wait(device, l->seen[l->turn]));
        forget(l, &l->seen[l->turn]);
        l->failed = l->own->words[l->turn * CLS_LDL_WORDS] != 0;
    }
    if (told && !l->failed) o->progress(o->progress_user, "factor", 1.0 - left * left * left);
    return CLSOLVE_OK;
}

/* ---- the fast way ---- */

static cls_trailing trailing_of(const cls_ldl *ldl, const cls_matrix *W) {
    return (cls_trailing){ldl->device, {CLS_COMPUTE}, ldl->type, cls_ldl_adjoint(ldl), &ldl->A, &ldl->A, W};
}

/* The columns from `from` on less those of the panel k .. end-1; the next panel brings the columns before `next` up to
 * date. */
static clsolve_status update_ahead(loop *l, const cls_trailing *t, int64_t k, int64_t end, int64_t from, int64_t next) {
    /* SOON would be as urgent as the panel; UP is not, and has no other work during a factorization. */
    static const cls_queue queues[2] = {CLS_BESIDE, CLS_UP};
    cls_device *device = l->ldl->device;
    const cls_device_ops *ops = device->ops;
    const int64_t n = l->ldl->n;

    for (int q = 0; q < 2; ++q)
        if (l->others[q]) CLS_TRY(ops->queue_wait(device, CLS_COMPUTE, l->others[q]));
    CLS_TRY(cls_trailing_rectangle(t, CLS_COMPUTE, from, n, from, next, k, end));
    CLS_TRY(ops->flush(device, CLS_COMPUTE));
    for (int q = 0; q < 2 && next < n; ++q) {
        CLS_TRY(ops->queue_wait(device, queues[q], l->panel));
        /* Squares of the panel before may lie in the other queue. */
        if (l->others[1 - q]) CLS_TRY(ops->queue_wait(device, queues[q], l->others[1 - q]));
    }
    if (next >= n) return CLSOLVE_OK;
    CLS_TRY(cls_trailing_triangle(t, queues, next, n, k, end));
    for (int q = 0; q < 2; ++q) {
        forget(l, &l->others[q]);
        CLS_TRY(ops->mark(device, queues[q], &l->others[q]));
        CLS_TRY(ops->flush(device, queues[q]));
    }
    return CLSOLVE_OK;
}

static clsolve_status update_now(const cls_trailing *t, int64_t k, int64_t end, int64_t from, int64_t n) {
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};
    return from < n ? cls_trailing_triangle(t, alone, from, n, k, end) : CLSOLVE_OK;
}

static clsolve_status factor_panels(loop *l, int64_t begin) {
    cls_ldl *ldl = l->ldl;
    cls_device *device = ldl->device;
    const int64_t n = ldl->n, block = l->own->block;

    for (int64_t k = begin, end, p = 0; k < n && !l->failed; k = end, ++p) {
        end = n - k > block ? k + block : n;
        const cls_matrix W = cls_matrix_from(&l->own->W[p % 2], k);
        const int64_t from = cls_ldl_reach(ldl, end), next = cls_ldl_reach(ldl, end + block);
        const cls_trailing t = trailing_of(ldl, &W);
        CLS_TRY(cls_ldl_panel(ldl, &W, k, end));
        if (l->own->ahead) {
            forget(l, &l->panel);
            CLS_TRY(device->ops->mark(device, CLS_COMPUTE, &l->panel));
        }
        CLS_TRY(watch(l, end));
        if (end < n && l->own->ahead)
            CLS_TRY(update_ahead(l, &t, k, end, from, next));
        else if (end < n)
            CLS_TRY(update_now(&t, k, end, from, n));
    }
    return CLSOLVE_OK;
}

/* Nothing is under way when it returns. The first failure is the one to tell. */
static clsolve_status finish(loop *l, clsolve_status status) {
    static const cls_queue queues[] = {CLS_COMPUTE, CLS_DOWN, CLS_BESIDE, CLS_UP};
    cls_device *device = l->ldl->device;

    for (size_t q = 0; q < sizeof queues / sizeof *queues; ++q) {
        const clsolve_status one = l->own->ahead || q == 0 ? device->ops->finish(device, queues[q]) : CLSOLVE_OK;
        if (status == CLSOLVE_OK) status = one;
    }
    for (int turn = 0; turn < CLS_LDL_WATCHED; ++turn) forget(l, &l->seen[turn]);
    forget(l, &l->panel);
    forget(l, &l->others[0]);
    forget(l, &l->others[1]);
    return status;
}

/* From column `begin` on, up to *end: all columns, or those before the first window that failed. */
static clsolve_status fast_way(loop *l, int64_t begin, int64_t *end) {
    l->failed = 0;
    CLS_TRY(clear_state(l));
    clsolve_status status = factor_panels(l, begin);
    if (status == CLSOLVE_OK) status = read_state(l, CLS_COMPUTE, l->own->words, NULL);
    CLS_TRY(finish(l, status));
    *end = l->own->words[0] != 0 ? l->own->words[0] - 1 : l->ldl->n;
    l->own->fast_blocks += (*end - begin + l->own->taken - 1) / l->own->taken;
    return CLSOLVE_OK;
}

/* ---- the exact way ---- */

/* Up to `launches` times as many columns as a window has pivots, from column `begin` up to *end. */
static clsolve_status exact_way(loop *l, int64_t begin, int64_t launches, int64_t *end) {
    cls_ldl *ldl = l->ldl;

    *end = begin;
    for (int64_t i = 0; i < launches && *end < ldl->n; ++i) {
        const int64_t k = *end;
        const cls_matrix W = cls_matrix_from(&l->own->W[0], k);
        const cls_trailing t = trailing_of(ldl, &W);
        clsolve_status status = cls_ldl_exact(ldl, &W, k);
        if (status == CLSOLVE_OK) status = read_state(l, CLS_COMPUTE, l->own->words, NULL);
        CLS_TRY(finish(l, status));
        if (l->own->words[1] < 1)
            return cls_fail(ldl->device->error, CLSOLVE_ERROR_DEVICE, "LDL^T finds no pivot for column %lld",
                            (long long)k + 1);
        *end += l->own->words[1];
        l->own->exact_blocks++;
        CLS_TRY(update_now(&t, k, *end, *end, ldl->n));
    }
    return CLSOLVE_OK;
}

/* ---- both ---- */

/* From column j on, where the fast way has `failed` already or not. No word of a failure is left behind. */
static clsolve_status factor_all(loop *l, int64_t j, int failed) {
    const int64_t n = l->ldl->n;
    int64_t launches = 1;

    while (j < n) {
        const int64_t begin = j;
        if (!failed) CLS_TRY(fast_way(l, begin, &j));
        failed = 0;
        if (j == n) break;
        /* Where no window has come off since, this part of A is one for the exact way. */
        launches = j > begin || j == 0 ? 1 : launches < MOST_EXACT ? 2 * launches : MOST_EXACT;
        CLS_TRY(exact_way(l, j, launches, &j));
    }
    return clear_state(l);
}

/* ---- in and out ---- */

static clsolve_status start_permutation(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    return ldl->device->ops->copy(ldl->device, CLS_COMPUTE, own->identity, 0, own->permutation, 0,
                                  (size_t)ldl->n * sizeof(int64_t));
}

static clsolve_status read_results(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const cls_device_ops *ops = ldl->device->ops;
    const size_t bytes = (size_t)(ldl->n * cls_type_size(ldl->type)), of_numbers = (size_t)ldl->n * sizeof(int64_t);
    const cls_rect elements = {bytes, 1, 0, bytes, bytes}, numbers = {of_numbers, 1, 0, of_numbers, of_numbers};

    CLS_TRY(ops->read(ldl->device, CLS_COMPUTE, own->d, ldl->d, &elements, NULL, NULL));
    CLS_TRY(ops->read(ldl->device, CLS_COMPUTE, own->e, ldl->e, &elements, NULL, NULL));
    CLS_TRY(ops->read(ldl->device, CLS_COMPUTE, own->permutation, own->host_permutation, &numbers, NULL, NULL));
    return ops->finish(ldl->device, CLS_COMPUTE);
}

/* D and the exchanges come to the host when `status`, of the work before, is OK and nothing is under way. */
static clsolve_status take_results(loop *l, clsolve_status status, int64_t *info) {
    cls_ldl *ldl = l->ldl;
    const clsolve_ldl_options *options = l->options;
    int found = 0;

    status = finish(l, status);
    if (status == CLSOLVE_OK) status = read_results(ldl);
    if (status == CLSOLVE_OK) status = cls_ldl_find_exchanges(ldl, cls_ldl_own(ldl)->host_permutation, &found);
    if (status == CLSOLVE_OK && !found)
        status =
            cls_fail(ldl->device->error, CLSOLVE_ERROR_DEVICE, "the device returns no permutation of LDL^T's rows");
    if (status != CLSOLVE_OK) return status;
    *info = cls_ldl_first_zero(ldl);
    if (options && options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

static loop begin(cls_ldl *ldl, const clsolve_ldl_options *options, int enqueues) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    own->fast_blocks = own->exact_blocks = 0;
    return (loop){.ldl = ldl, .own = own, .options = options, .enqueues = enqueues};
}

clsolve_status cls_ldl_device_factor(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info) {
    loop l = begin(ldl, options, 0);
    clsolve_status status = start_permutation(ldl);
    if (status == CLSOLVE_OK) status = factor_all(&l, 0, 0);
    return take_results(&l, status, info);
}

/* CLS_COMPUTE goes on behind the other queues; their events are let go, also after a failure. */
static clsolve_status join(loop *l, clsolve_status status) {
    const cls_device_ops *ops = l->ldl->device->ops;
    for (int q = 0; q < 2; ++q) {
        if (l->others[q] && status == CLSOLVE_OK) status = ops->queue_wait(l->ldl->device, CLS_COMPUTE, l->others[q]);
        forget(l, &l->others[q]);
    }
    forget(l, &l->panel);
    return status;
}

clsolve_status cls_ldl_device_enqueue(cls_ldl *ldl) {
    loop l = begin(ldl, NULL, 1);
    if (ldl->n == 0) return CLSOLVE_OK;
    CLS_TRY(start_permutation(ldl));
    CLS_TRY(clear_state(&l));
    const clsolve_status status = join(&l, factor_panels(&l, 0));
    return status == CLSOLVE_OK ? status : finish(&l, status);
}

clsolve_status cls_ldl_device_finish(cls_ldl *ldl, int64_t word, int64_t *info) {
    loop l = begin(ldl, NULL, 0);
    *info = 0;
    if (ldl->n == 0) return CLSOLVE_OK;
    return take_results(&l, word == 0 ? CLSOLVE_OK : factor_all(&l, word - 1, 1), info);
}
