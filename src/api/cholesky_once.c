/* cholesky_once.c: Cholesky in one call, with a handle that stays with the context (once.h). */
#include "api/cholesky.h"
#include "api/door.h"
#include "api/once.h"

static cls_once once_of(int64_t n, clsolve_type type, const clsolve_cholesky_options *o) {
    return (cls_once){n, type, o->where, o->precision, CLSOLVE_PIVOTING_AUTO, o->rcond};
}

clsolve_cholesky *cls_cholesky_once(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                                    const clsolve_cholesky_options *options) {
    const cls_once wanted = once_of(A->rows, A->type, options);

    if (A->place != B->place || !CLS_ONCE_IS_PLAIN(options)) return NULL;
    if (cls_enter(context) != CLSOLVE_OK) return NULL;
    cls_handle *it = cls_once_find(context, CLS_ONCE_CHOLESKY, &wanted, A);
    if (it) cls_once_take(context, CLS_ONCE_CHOLESKY);
    (void)cls_leave(context, CLSOLVE_OK);
    return (clsolve_cholesky *)it;
}

void cls_cholesky_keep(clsolve_cholesky *cholesky, const clsolve_matrix *A) {
    if (!cholesky) return;
    const cls_once of = once_of(cholesky->it.direct.n, cholesky->it.direct.type, &cholesky->options);
    cls_once_keep(&cholesky->it, CLS_ONCE_CHOLESKY, &of, A, cholesky->factors.B.bytes + cholesky->factors.scratch.bytes,
                  CLS_ONCE_IS_PLAIN(&cholesky->options));
}
