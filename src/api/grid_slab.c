#include <clsolve/grid_slab.h>

#include "api/block_gs.h"
#include "api/validate.h"
#include "base/clock.h"
#include "method/block_gs/slab.h"

struct clsolve_grid_slab {
    cls_head head;
    cls_bt_slab slab;
    int64_t N, M;
    clsolve_type type;
    int ready;    /* a factorization has succeeded */
    int64_t line; /* the first with a zero pivot in the last factorization, from 1, or 0 */
    double factor_seconds;
    cls_counters moved; /* since it was created */
};

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* Each call on a slab. */
static clsolve_status slab_enter(clsolve_grid_slab *slab) {
    CLS_TRY(cls_head_enter((cls_head *)slab));
    return cls_head_begin(&slab->head, NULL);
}

static clsolve_status slab_leave(clsolve_grid_slab *slab, clsolve_status status) {
    const cls_counters moved = cls_counters_since(&slab->head.choice.device->counters, &slab->head.before);
    slab->moved.bytes_up += moved.bytes_up;
    slab->moved.bytes_down += moved.bytes_down;
    slab->moved.transfers_up += moved.transfers_up;
    slab->moved.transfers_down += moved.transfers_down;
    return cls_head_end(&slab->head, NULL, status);
}

/* ---- create, destroy ---- */

/* A slab of a grid, or what `fine` becomes on the next coarser one. */
typedef struct slab_asked {
    int64_t N, M, first, count;
    clsolve_type type;
    clsolve_grid_slab *fine;
    cls_bt_symmetry symmetry;
} slab_asked;

static clsolve_status check_create(clsolve_context *context, const void *asked) {
    static const char call[] = "clsolve_grid_slab_create";
    const slab_asked *a = asked;
    cls_error *error = &context->error;

    if (a->fine) return CLSOLVE_OK;
    if (a->N < 1 || a->M < 1)
        REFUSE("%s: N is %lld and M %lld: both start at 1", call, (long long)a->N, (long long)a->M);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, a->N, a->M));
    if (a->first < 0 || a->count < 0 || a->first > a->N || a->count > a->N - a->first)
        REFUSE("%s: %lld lines from line %lld on: the grid has lines 0 to %lld", call, (long long)a->count,
               (long long)a->first, (long long)a->N - 1);
    CLS_TRY(cls_validate_type(error, call, "type", a->type, CLS_ALL_TYPES));
    return cls_validate_device(context->device, call, a->type);
}

static clsolve_status setup(cls_head *head, const void *asked) {
    const slab_asked *a = asked;
    clsolve_grid_slab *made = (clsolve_grid_slab *)head;

    made->N = a->N;
    made->M = a->M;
    made->type = a->type;
    return a->fine ? cls_bt_slab_coarsen(&a->fine->slab, a->symmetry, &made->slab)
                   : cls_bt_slab_setup(head->choice.device, a->N, a->M, a->first, a->count, a->type, &made->slab);
}

static void release(cls_head *head) {
    cls_bt_slab_release(&((clsolve_grid_slab *)head)->slab);
}

static const cls_head_kind kind = {
    CLS_HEAD_KIND(grid_slab),        .argument = "slab",    .handle = "a handle", .method = "grid-slab",
    .device_alone = CLS_GRIDS_ALONE, .check = check_create, .setup = setup,       .release = release};

clsolve_status clsolve_grid_slab_create(clsolve_context *context, int64_t N, int64_t M, int64_t first, int64_t count,
                                        clsolve_type type, clsolve_grid_slab **slab) {
    return cls_head_create(&kind, context, &(slab_asked){.N = N, .M = M, .first = first, .count = count, .type = type},
                           slab);
}

void clsolve_grid_slab_destroy(clsolve_grid_slab *slab) {
    cls_head_destroy((cls_head *)slab);
}

/* ---- lines ---- */

static clsolve_status check_lines(const clsolve_grid_slab *slab, const char *call, int64_t line, int64_t lines) {
    const cls_bt_slab *s = &slab->slab;
    cls_error *error = &slab->head.context->error;
    const int64_t lowest = s->count ? cls_bt_slab_lowest(s) : s->first, end = s->count ? cls_bt_slab_end(s) : s->first;
    if (lines == 0) return CLSOLVE_OK;
    if (lines < 0 || line < lowest || line >= end || lines > end - line)
        REFUSE("%s: %lld lines from line %lld on: the slab has lines %lld to %lld, ghost lines included", call,
               (long long)lines, (long long)line, (long long)lowest, (long long)end - 1);
    return CLSOLVE_OK;
}

static clsolve_status check_arrays(const clsolve_grid_slab *slab, const char *call, int64_t lines,
                                   const void *const arrays[5]) {
    static const char *const names[5] = {"a", "c", "b", "up", "down"};
    cls_error *error = &slab->head.context->error;
    for (int q = 0; q < 5 && lines > 0; ++q)
        if (!arrays[q]) REFUSE("%s: %s is NULL", call, names[q]);
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_put_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines, const void *up,
                                                  const void *a, const void *c, const void *b, const void *down) {
    static const char call[] = "clsolve_grid_slab_put_coefficients";
    const void *const arrays[5] = {a, c, b, up, down};
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_lines(slab, call, line, lines);
    if (status == CLSOLVE_OK) status = check_arrays(slab, call, lines, arrays);
    if (status == CLSOLVE_OK && lines > 0) {
        slab->ready = 0;
        status = cls_bt_slab_put_coefficients(&slab->slab, line, lines, arrays);
    }
    return slab_leave(slab, status);
}

clsolve_status clsolve_grid_slab_get_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines, void *up,
                                                  void *a, void *c, void *b, void *down) {
    static const char call[] = "clsolve_grid_slab_get_coefficients";
    void *const arrays[5] = {a, c, b, up, down};
    const void *const checked[5] = {a, c, b, up, down};
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_lines(slab, call, line, lines);
    if (status == CLSOLVE_OK) status = check_arrays(slab, call, lines, checked);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_get_coefficients(&slab->slab, line, lines, arrays);
    return slab_leave(slab, status);
}

static clsolve_status check_vector(const clsolve_grid_slab *slab, const char *call, clsolve_grid_slab_vector vector,
                                   int64_t line, int64_t lines, const void *values) {
    cls_error *error = &slab->head.context->error;
    if ((int)vector < 0 || (int)vector >= CLS_SLAB_VECTORS)
        REFUSE("%s: vector is %d: see clsolve_grid_slab_vector", call, (int)vector);
    CLS_TRY(check_lines(slab, call, line, lines));
    if (lines > 0 && !values) REFUSE("%s: values is NULL", call);
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_put(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                     int64_t lines, const void *values) {
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_vector(slab, "clsolve_grid_slab_put", vector, line, lines, values);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_put(&slab->slab, (int)vector, line, lines, values);
    return slab_leave(slab, status);
}

clsolve_status clsolve_grid_slab_get(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                     int64_t lines, void *values) {
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_vector(slab, "clsolve_grid_slab_get", vector, line, lines, values);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_get(&slab->slab, (int)vector, line, lines, values);
    return slab_leave(slab, status);
}

/* ---- factor, coarsen ---- */

/* The symmetry by the bits that factor gives; a real matrix is symmetric whichever is set. */
static cls_bt_symmetry symmetry_of(clsolve_type type, int32_t bits) {
    if (cls_is_complex(type) && bits & CLS_BT_HERMITIAN) return CLS_BT_HERMITIAN;
    if (cls_is_complex(type)) bits &= CLS_BT_SYMMETRIC;
    return bits ? CLS_BT_SYMMETRIC : CLS_BT_GENERAL;
}

static clsolve_status factor(clsolve_grid_slab *slab, int32_t *symmetric) {
    static const char call[] = "clsolve_grid_slab_factor";
    cls_error *error = &slab->head.context->error;
    int64_t unsafe, line;
    double largest;
    int symmetry;

    slab->ready = 0;
    slab->line = 0;
    CLS_TRY(cls_bt_slab_factor(&slab->slab, &symmetry, &largest, &unsafe, &line));
    if (largest < 0) return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: a coefficient is NaN or Inf", call);
    slab->line = line + 1;
    if (unsafe > 0)
        return cls_fail(
            error, CLSOLVE_ERROR_UNSUPPORTED,
            "%s: %lld lines need row exchanges, which slabs do not have, or are singular by themselves: see "
            "tridiagonal_batch.h",
            call, (long long)unsafe);
    if (symmetric) *symmetric = cls_is_complex(slab->type) ? symmetry : symmetry & CLS_BT_SYMMETRIC;
    slab->ready = 1;
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_factor(clsolve_grid_slab *slab, int32_t *symmetric) {
    CLS_TRY(slab_enter(slab));
    const clsolve_status status = factor(slab, symmetric);
    slab->factor_seconds = cls_seconds() - slab->head.start;
    return slab_leave(slab, status);
}

static clsolve_status check_ready(const clsolve_grid_slab *slab, const char *call) {
    if (slab->ready || slab->slab.count == 0) return CLSOLVE_OK;
    return cls_fail(&slab->head.context->error, CLSOLVE_ERROR_STATE,
                    "%s: call clsolve_grid_slab_factor, and let it succeed, first", call);
}

clsolve_status clsolve_grid_slab_coarsen(clsolve_grid_slab *slab, int32_t symmetric, clsolve_grid_slab **coarse) {
    static const char call[] = "clsolve_grid_slab_coarsen";
    if (coarse) *coarse = NULL;
    CLS_TRY(slab_enter(slab));
    cls_error *error = &slab->head.context->error;
    clsolve_status status = check_ready(slab, call);
    if (status == CLSOLVE_OK && !coarse)
        status = cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: coarse is NULL: give a pointer's address", call);
    if (status == CLSOLVE_OK && slab->N < 2)
        status = cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: a grid of one line has no coarser one", call);
    if (status != CLSOLVE_OK) return slab_leave(slab, status);
    const slab_asked asked = {.N = slab->N / 2,
                              .M = slab->M,
                              .type = slab->type,
                              .fine = slab,
                              .symmetry = symmetry_of(slab->type, symmetric)};
    cls_head *made = NULL;
    status = cls_head_make(&kind, slab->head.context, &asked, &made);
    if (made) slab->head.before.buffer_bytes += made->device_bytes; /* the coarse slab's own */
    *coarse = (clsolve_grid_slab *)made;
    return slab_leave(slab, status);
}

/* ---- the steps ---- */

clsolve_status clsolve_grid_slab_half_sweep(clsolve_grid_slab *slab, int32_t colour, int32_t zero) {
    static const char call[] = "clsolve_grid_slab_half_sweep";
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_ready(slab, call);
    if (status == CLSOLVE_OK && colour != 0 && colour != 1)
        status = cls_fail(&slab->head.context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "%s: colour is %d: 0 (even lines) or 1 (odd lines)", call, (int)colour);
    if (status == CLSOLVE_OK) status = cls_bt_slab_half_sweep(&slab->slab, colour, zero != 0);
    return slab_leave(slab, status);
}

clsolve_status clsolve_grid_slab_residual(clsolve_grid_slab *slab) {
    CLS_TRY(slab_enter(slab));
    return slab_leave(slab, cls_bt_slab_residual(&slab->slab));
}

/* Is `coarse` what coarsen makes of `slab`? */
static clsolve_status check_pair(const clsolve_grid_slab *slab, const char *call, const clsolve_grid_slab *coarse) {
    cls_error *error = &slab->head.context->error;
    if (!coarse) REFUSE("%s: coarse is NULL", call);
    const cls_bt_slab *f = &slab->slab, *c = &coarse->slab;
    if (coarse->head.context == slab->head.context && coarse->type == slab->type && coarse->M == slab->M &&
        coarse->N == slab->N / 2 && c->first == f->first / 2 && c->count == (f->first + f->count) / 2 - f->first / 2 &&
        (c->count == 0 || c->grid.shape.width == f->grid.shape.width))
        return CLSOLVE_OK;
    REFUSE("%s: `coarse` is not the slab that clsolve_grid_slab_coarsen makes of this one", call);
}

clsolve_status clsolve_grid_slab_restrict(clsolve_grid_slab *slab, clsolve_grid_slab *coarse) {
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_pair(slab, "clsolve_grid_slab_restrict", coarse);
    if (status == CLSOLVE_OK && coarse->slab.count > 0) status = cls_bt_slab_restrict(&slab->slab, &coarse->slab);
    return slab_leave(slab, status);
}

clsolve_status clsolve_grid_slab_prolong(clsolve_grid_slab *slab, const clsolve_grid_slab *coarse) {
    CLS_TRY(slab_enter(slab));
    clsolve_status status = check_pair(slab, "clsolve_grid_slab_prolong", coarse);
    if (status == CLSOLVE_OK && coarse->slab.count > 0) status = cls_bt_slab_prolong(&slab->slab, &coarse->slab);
    return slab_leave(slab, status);
}

/* ---- report ---- */

clsolve_status clsolve_grid_slab_report(const clsolve_grid_slab *slab, clsolve_report *report) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    const cls_head *head = &slab->head;
    CLS_TRY(cls_head_report_begin(head, slab->type, slab->slab.count * slab->M, report));
    report->nrhs = 1;
    report->member = slab->line;
    report->bytes_up = slab->moved.bytes_up;
    report->bytes_down = slab->moved.bytes_down;
    report->transfers_up = slab->moved.transfers_up;
    report->transfers_down = slab->moved.transfers_down;
    report->seconds.factor = slab->factor_seconds;
    report->seconds.total = head->create_seconds + slab->factor_seconds;
    return cls_head_report_end(head, report);
}
