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

static void destroy_kept(void *kept) {
    clsolve_lu_destroy(kept);
}

static clsolve_lu *kept_for(clsolve_context *context, const clsolve_matrix *A, const clsolve_lu_options *options) {
    const cls_once wanted = once_of(A->rows, A->type, options);
    const cls_task task = {.family = CLS_FAMILY_LU, .type = A->type, .n = A->rows, .nrhs = 1};
    cls_choice choice;

    if (!is_plain(options)) return NULL;
    clsolve_lu *lu = cls_once_find(context, CLS_ONCE_LU, "clsolve_lu_create", &task, &wanted, A, &choice);
    if (!lu) return NULL;
    lu->it.head.choice = choice;
    lu->it.direct.costs.create = lu->it.direct.costs.build = 0;
    return lu;
}

int cls_lu_once(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                const clsolve_lu_options *options, clsolve_report *report, clsolve_status *status) {
    if (A->place != B->place || cls_enter(context) != CLSOLVE_OK) return 0;
    clsolve_lu *lu = kept_for(context, A, options);
    if (lu) {
        *status = cls_handle_factor_now(&lu->it, "clsolve_lu_factor", CLSOLVE_LOWER, A);
        if (*status == CLSOLVE_OK) *status = cls_handle_solve_now(&lu->it, "clsolve_lu_solve", op, B);
        lu->it.head.status = *status;
        cls_handle_write_report(&lu->it, report);
    }
    (void)cls_leave(context, CLSOLVE_OK);
    return lu != NULL;
}

static int may_stay(const clsolve_lu *lu, const clsolve_matrix *A) {
    const cls_device *device = lu->it.head.choice.device;
    return lu->it.head.status >= 0 && !cls_lu_is_several(lu) && is_plain(&lu->options) &&
           cls_once_is_small(device, A, lu->lu.B.bytes + lu->lu.scratch.bytes);
}

void cls_lu_keep(clsolve_lu *lu, const clsolve_matrix *A) {
    if (!lu) return;
    const cls_once_slot slot = {lu, destroy_kept, lu->it.head.choice.device,
                                once_of(lu->lu.n, lu->it.direct.type, &lu->options)};
    cls_once_keep(lu->it.head.context, CLS_ONCE_LU, &slot, may_stay(lu, A));
}
