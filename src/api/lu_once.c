/* lu_once.c: dense LU in one call, with a handle that stays with the context (once.h). */
#include "api/door.h"
#include "api/lu_state.h"
#include "api/once.h"

static int is_plain(const clsolve_lu_options *o) {
    return CLS_ONCE_IS_PLAIN(o) && (o->pivoting == CLSOLVE_PIVOTING_AUTO || o->pivoting == CLSOLVE_PIVOTING_PARTIAL);
}

static cls_once once_of(int64_t n, clsolve_type type, const clsolve_lu_options *o) {
    return (cls_once){n, type, o->where, o->precision, o->pivoting, o->rcond};
}

int cls_lu_once(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                const clsolve_lu_options *options, clsolve_report *report, clsolve_status *status) {
    if (A->place != B->place || cls_enter(context) != CLSOLVE_OK) return 0;
    const cls_once wanted = once_of(A->rows, A->type, options);
    cls_handle *it = is_plain(options) ? cls_once_find(context, CLS_ONCE_LU, &wanted, A) : NULL;
    if (it) {
        *status = cls_handle_factor_now(it, "clsolve_lu_factor", CLSOLVE_LOWER, A);
        if (*status == CLSOLVE_OK) *status = cls_handle_solve_now(it, "clsolve_lu_solve", op, B);
        it->head.status = *status;
        cls_handle_write_report(it, report);
    }
    (void)cls_leave(context, CLSOLVE_OK);
    return it != NULL;
}

void cls_lu_keep(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!lu) return;
    const cls_once of = once_of(lu->lu.n, lu->it.direct.type, &lu->options);
    cls_once_keep(&lu->it, CLS_ONCE_LU, &of, A, lu->lu.B.bytes + lu->lu.scratch.bytes,
                  !cls_lu_is_several(lu) && is_plain(&lu->options));
}
