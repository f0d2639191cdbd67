/* cholesky_once.c: Cholesky in one call, with a handle that stays with the context (once.h). */
#include "api/cholesky.h"
#include "api/door.h"
#include "api/once.h"

static cls_once once_of(int64_t n, clsolve_type type, const clsolve_cholesky_options *o) {
    return (cls_once){n, type, o->where, o->precision, CLSOLVE_PIVOTING_AUTO, o->rcond};
}

static void destroy_kept(void *kept) {
    clsolve_cholesky_destroy(kept);
}

clsolve_cholesky *cls_cholesky_once(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                                    const clsolve_cholesky_options *options) {
    const cls_once wanted = once_of(A->rows, A->type, options);
    const cls_task task = {.family = CLS_FAMILY_CHOLESKY, .type = A->type, .n = A->rows, .nrhs = 1};
    cls_choice choice;

    if (A->place != B->place || !CLS_ONCE_IS_PLAIN(options)) return NULL;
    if (cls_enter(context) != CLSOLVE_OK) return NULL;
    clsolve_cholesky *cholesky =
        cls_once_find(context, CLS_ONCE_CHOLESKY, "clsolve_cholesky_create", &task, &wanted, A, &choice);
    if (cholesky) {
        cls_once_take(context, CLS_ONCE_CHOLESKY);
        cholesky->it.head.choice = choice;
        cholesky->it.direct.costs.create = cholesky->it.direct.costs.build = 0;
    }
    (void)cls_leave(context, CLSOLVE_OK);
    return cholesky;
}

void cls_cholesky_keep(clsolve_cholesky *cholesky, const clsolve_matrix *A) {
    if (!cholesky) return;
    const cls_device *device = cholesky->it.head.choice.device;
    const cls_once_slot slot = {cholesky, destroy_kept, device,
                                once_of(cholesky->it.direct.n, cholesky->it.direct.type, &cholesky->options)};
    const int64_t sides = cholesky->factors.B.bytes + cholesky->factors.scratch.bytes;
    cls_once_keep(cholesky->it.head.context, CLS_ONCE_CHOLESKY, &slot,
                  cholesky->it.head.status >= 0 && CLS_ONCE_IS_PLAIN(&cholesky->options) &&
                      cls_once_is_small(device, A, sides));
}
