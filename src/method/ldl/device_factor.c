/* device_factor.c: the fast way, which is the loop of Cholesky, and the exact one; device.h has the picture. */
#include "base/memory.h"
#include "method/cholesky/factor.h"
#include "method/ldl/device.h"

enum { WATCHED = 2048 };      /* from so many columns on it is worth asking whether a window has failed */
enum { MOST_EXACT = 1 << 6 }; /* launches of the exact way before the fast one is tried again */

typedef struct loop {
    cls_ldl *ldl;
    cls_ldl_device *own;
    const clsolve_ldl_options *options;
    cls_trailing trailing;
    cls_matrix W; /* of the panel that was factored last */
    int turn;     /* of own->W */
} loop;

static clsolve_status clear_state(loop *l) {
    cls_device *device = l->ldl->device;
    return device->ops->fill(device, CLS_COMPUTE, l->own->state, 0, CLS_LDL_WORDS * sizeof(int64_t), 0);
}

/* W of the panel that begins with column k; panels take turns. */
static const cls_matrix *next_W(loop *l, int64_t k) {
    l->turn = !l->turn;
    l->W = cls_matrix_from(&l->own->W[l->turn], k);
    return &l->W;
}

/* ---- the fast way: the loop of Cholesky, with these panels ---- */

static clsolve_status factor_panel(void *holder, int64_t k, int64_t end, cls_event *ready) {
    loop *l = holder;
    (void)ready;
    return cls_ldl_panel(l->ldl, next_W(l, k), k, end);
}

static const cls_columns_ops ops = {.factor = factor_panel};

static cls_columns columns_from(loop *l, int64_t begin) {
    return (cls_columns){.ops = &ops,
                         .holder = l,
                         .ahead = l->own->ahead ? CLS_AHEAD_BLOCK : CLS_AHEAD_NOT,
                         .begin = begin,
                         .end = l->ldl->n,
                         .last = l->ldl->n,
                         .block = l->own->block,
                         .over = l->own->taken,
                         .progress = l->options ? l->options->progress : NULL,
                         .progress_user = l->options ? l->options->progress_user : NULL,
                         .power = 3,
                         .trailing = &l->trailing,
                         .word = l->own->state,
                         .words = l->own->words,
                         .watched = l->ldl->n >= WATCHED};
}

/* From column `begin` on, up to *end: all columns, or those before the first window that failed. */
static clsolve_status fast_way(loop *l, int64_t begin, int64_t *end) {
    const cls_columns columns = columns_from(l, begin);
    int64_t failed;

    CLS_TRY(clear_state(l));
    CLS_TRY(cls_cholesky_factor_loop(&columns, &failed));
    *end = failed != 0 ? failed - 1 : l->ldl->n;
    l->own->fast_blocks += (*end - begin + l->own->taken - 1) / l->own->taken;
    return CLSOLVE_OK;
}

/* ---- the exact way ---- */

/* Up to `launches` times as many columns as a window has pivots, from column `begin` up to *end. */
static clsolve_status exact_way(loop *l, int64_t begin, int64_t launches, int64_t *end) {
    static const cls_queue alone[2] = {CLS_COMPUTE, CLS_COMPUTE};
    cls_ldl *ldl = l->ldl;
    cls_device *device = ldl->device;

    *end = begin;
    for (int64_t i = 0; i < launches && *end < ldl->n; ++i) {
        const int64_t k = *end;
        CLS_TRY(cls_ldl_exact(ldl, next_W(l, k), k));
        CLS_TRY(cls_bytes_get(device, l->own->state, 0, l->own->words, CLS_LDL_WORDS * sizeof *l->own->words));
        if (l->own->words[1] < 1)
            return cls_fail(device->error, CLSOLVE_ERROR_DEVICE, "LDL^T finds no pivot for column %lld",
                            (long long)k + 1);
        *end += l->own->words[1];
        l->own->exact_blocks++;
        if (*end < ldl->n) CLS_TRY(cls_trailing_triangle(&l->trailing, alone, *end, ldl->n, k, *end));
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
    const size_t n = (size_t)ldl->n, bytes = n * (size_t)cls_type_size(ldl->type);

    CLS_TRY(cls_bytes_read(ldl->device, CLS_COMPUTE, own->d, 0, ldl->d, bytes));
    CLS_TRY(cls_bytes_read(ldl->device, CLS_COMPUTE, own->e, 0, ldl->e, bytes));
    return cls_bytes_get(ldl->device, own->permutation, 0, own->host_permutation, n * sizeof(int64_t));
}

/* D and the exchanges come to the host when `status`, of the work before, is OK. Nothing is under way then. */
static clsolve_status take_results(loop *l, clsolve_status status, int64_t *info) {
    cls_ldl *ldl = l->ldl;
    const clsolve_ldl_options *options = l->options;
    int found = 0;

    if (status == CLSOLVE_OK) status = read_results(ldl);
    if (status != CLSOLVE_OK) (void)ldl->device->ops->finish(ldl->device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = cls_ldl_find_exchanges(ldl, cls_ldl_own(ldl)->host_permutation, &found);
    if (status == CLSOLVE_OK && !found)
        status =
            cls_fail(ldl->device->error, CLSOLVE_ERROR_DEVICE, "the device returns no permutation of LDL^T's rows");
    if (status != CLSOLVE_OK) return status;
    *info = cls_ldl_first_zero(ldl);
    if (options && options->progress) options->progress(options->progress_user, "factor", 1);
    return CLSOLVE_OK;
}

static void begin(loop *l, cls_ldl *ldl, const clsolve_ldl_options *options) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    own->fast_blocks = own->exact_blocks = 0;
    *l = (loop){.ldl = ldl, .own = own, .options = options, .turn = 1};
    const cls_blas_options how = {.queue = CLS_COMPUTE, .steady = ldl->steady};
    l->trailing = (cls_trailing){ldl->device, how, ldl->type, cls_ldl_adjoint(ldl), &ldl->A, &ldl->A, &l->W};
}

clsolve_status cls_ldl_device_factor(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info) {
    loop l;
    begin(&l, ldl, options);
    clsolve_status status = start_permutation(ldl);
    if (status == CLSOLVE_OK) status = factor_all(&l, 0, 0);
    return take_results(&l, status, info);
}

clsolve_status cls_ldl_device_enqueue(cls_ldl *ldl) {
    loop l;
    begin(&l, ldl, NULL);
    if (ldl->n == 0) return CLSOLVE_OK;
    const cls_columns columns = columns_from(&l, 0);
    CLS_TRY(start_permutation(ldl));
    CLS_TRY(clear_state(&l));
    return cls_cholesky_factor_loop(&columns, NULL);
}

clsolve_status cls_ldl_device_finish(cls_ldl *ldl, int64_t word, int64_t *info) {
    loop l;
    begin(&l, ldl, NULL);
    *info = 0;
    if (ldl->n == 0) return CLSOLVE_OK;
    return take_results(&l, word == 0 ? CLSOLVE_OK : factor_all(&l, word - 1, 1), info);
}
