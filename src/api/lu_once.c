/*
 * lu_once.c: dense LU in one call, with a handle that the context keeps from one call to the next. A handle takes and
 * gives back some ten pieces of memory: longer than the work where few rows are factored. So one handle stays with the
 * context, under its lock, for calls of the same order, type, place and options: at most 50 KB on the host, or 512 KB of
 * matrix on the device for a matrix that lies there.
 */
#include "api/door.h"
#include "api/lu.h"
#include "method/lu/host_small.h"

enum { DEVICE_BYTES = 512 << 10 };

static int is_plain(const clsolve_lu_options *o) {
    return o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && !o->progress &&
           o->precision != CLSOLVE_PRECISION_MIXED && !o->equilibrate && !o->refine && o->memory_limit == 0 &&
           (o->pivoting == CLSOLVE_PIVOTING_AUTO || o->pivoting == CLSOLVE_PIVOTING_PARTIAL);
}

/* Options that are plain, and the same in what they leave. */
static int are_those_of(const clsolve_lu *lu, const clsolve_lu_options *o) {
    return is_plain(o) && lu->options.where == o->where && lu->options.rcond == o->rcond &&
           lu->options.precision == o->precision && lu->options.pivoting == o->pivoting;
}

static int is_small_on_device(const clsolve_lu *lu) {
    const int64_t n = lu->lu.n, size = cls_type_size(lu->direct.type);
    return !lu->choice.device->no_kernels && n < DEVICE_BYTES && n * n * size <= DEVICE_BYTES;
}

static void destroy_kept(void *kept) {
    clsolve_lu_destroy(kept);
}

/* NULL: there is none for this call. The choice between device and host is made as for a new handle. */
static clsolve_lu *kept_for(clsolve_context *context, const clsolve_matrix *A, const clsolve_lu_options *options) {
    clsolve_lu *lu = context->kept;
    cls_task task = {.family = CLS_FAMILY_LU, .type = A->type, .n = A->rows, .nrhs = 1};
    cls_choice choice;

    if (!lu || lu->lu.n != A->rows || lu->direct.type != A->type || !are_those_of(lu, options)) return NULL;
    if (A->place == CLSOLVE_ON_DEVICE && !is_small_on_device(lu)) return NULL;
    if (cls_where_choose(context, "clsolve_lu_create", &task, options->where, 1, &choice) != CLSOLVE_OK ||
        choice.device != lu->choice.device)
        return NULL;
    lu->choice = choice;
    lu->direct.costs.create = lu->direct.costs.build = 0;
    return lu;
}

int cls_lu_once(clsolve_context *context, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                const clsolve_lu_options *options, clsolve_report *report, clsolve_status *status) {
    if (A->place != B->place) return 0;
    cls_enter(context);
    clsolve_lu *lu = kept_for(context, A, options);
    if (lu) {
        *status = cls_lu_factor_now(lu, A);
        if (*status == CLSOLVE_OK) *status = cls_lu_solve_now(lu, op, B);
        lu->status = *status;
        cls_lu_write_report(lu, report);
    }
    (void)cls_leave(context, CLSOLVE_OK);
    return lu != NULL;
}

void cls_lu_keep(clsolve_lu *lu, const clsolve_matrix *A) {
    clsolve_lu *other = lu;

    if (lu && lu->status >= 0 && !cls_lu_is_many(lu) && is_plain(&lu->options) &&
        (cls_lu_host_small_suits(&lu->lu) || (A->place == CLSOLVE_ON_DEVICE && is_small_on_device(lu)))) {
        clsolve_context *context = lu->context;
        cls_enter(context);
        other = context->kept;
        context->kept = lu;
        context->destroy_kept = destroy_kept;
        (void)cls_leave(context, CLSOLVE_OK);
    }
    clsolve_lu_destroy(other);
}
