#include <clsolve/grid_slab.h>

#include "api/context.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/block_gs/slab.h"

struct clsolve_grid_slab {
    clsolve_context *context;
    cls_bt_slab slab;
    int64_t N, M;
    clsolve_type type;
    int ready;             /* a factorization has succeeded */
    clsolve_status status; /* of the last call */
    int64_t line;          /* the first with a zero pivot in the last factorization, from 1, or 0 */
    int64_t device_bytes;
    double create_seconds, factor_seconds, build_seconds;
    cls_counters moved; /* since it was created */
};

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

/* Each call on a slab: `before` is what the device had counted when it began. */
static clsolve_status slab_enter(clsolve_grid_slab *slab, cls_counters *before) {
    CLS_TRY(cls_enter(slab->context));
    *before = slab->context->device->counters;
    return CLSOLVE_OK;
}

static clsolve_status slab_leave(clsolve_grid_slab *slab, const cls_counters *before, clsolve_status status) {
    const cls_counters moved = cls_counters_since(&slab->context->device->counters, before);
    slab->moved.bytes_up += moved.bytes_up;
    slab->moved.bytes_down += moved.bytes_down;
    slab->moved.transfers_up += moved.transfers_up;
    slab->moved.transfers_down += moved.transfers_down;
    slab->moved.launches += moved.launches;
    slab->status = status;
    return cls_leave(slab->context, status);
}

/* ---- create, destroy ---- */

static clsolve_status validate_create(clsolve_context *context, int64_t N, int64_t M, int64_t first, int64_t count,
                                      clsolve_type type) {
    static const char call[] = "clsolve_grid_slab_create";
    cls_error *error = &context->error;

    if (N < 1 || M < 1) REFUSE("%s: N is %lld and M %lld: both start at 1", call, (long long)N, (long long)M);
    CLS_TRY(cls_validate_extent(error, CLSOLVE_ERROR_INVALID_ARGUMENT, call, N, M));
    if (first < 0 || count < 0 || first > N || count > N - first)
        REFUSE("%s: %lld lines from line %lld on: the grid has lines 0 to %lld", call, (long long)count,
               (long long)first, (long long)N - 1);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    return cls_validate_device(context->device, call, type);
}

static clsolve_grid_slab *slab_alloc(clsolve_context *context, int64_t N, int64_t M, clsolve_type type) {
    clsolve_grid_slab *made = cls_alloc(1, sizeof *made);
    if (!made) {
        (void)cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a handle");
        return NULL;
    }
    made->context = context;
    made->N = N;
    made->M = M;
    made->type = type;
    return made;
}

/* The outcome of setting `made` up, since `start` and `before`. */
static clsolve_status slab_made(clsolve_grid_slab *made, clsolve_status status, double start, double build,
                                const cls_counters *before, clsolve_grid_slab **slab) {
    const cls_device *device = made->context->device;
    if (status != CLSOLVE_OK) {
        cls_error first = made->context->error; /* what release waits for may overwrite it */
        cls_bt_slab_release(&made->slab);
        made->context->error = first;
        cls_free(made);
        return status;
    }
    made->device_bytes = device->counters.buffer_bytes - before->buffer_bytes;
    made->build_seconds = device->build_seconds - build;
    made->create_seconds = cls_seconds() - start;
    *slab = made;
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_create(clsolve_context *context, int64_t N, int64_t M, int64_t first, int64_t count,
                                        clsolve_type type, clsolve_grid_slab **slab) {
    if (slab) *slab = NULL;
    CLS_TRY(cls_enter_create(context, "clsolve_grid_slab_create", "slab", slab));
    const cls_counters before = context->device->counters;
    const double start = cls_seconds(), build = context->device->build_seconds;
    clsolve_status status = validate_create(context, N, M, first, count, type);
    if (status != CLSOLVE_OK) return cls_leave(context, status);
    clsolve_grid_slab *made = slab_alloc(context, N, M, type);
    if (!made) return cls_leave(context, CLSOLVE_ERROR_OUT_OF_MEMORY);
    status = cls_bt_slab_setup(context->device, N, M, first, count, type, &made->slab);
    return cls_leave(context, slab_made(made, status, start, build, &before, slab));
}

void clsolve_grid_slab_destroy(clsolve_grid_slab *slab) {
    if (!slab) return;
    clsolve_context *context = slab->context;
    if (cls_enter(context) != CLSOLVE_OK) return;
    cls_bt_slab_release(&slab->slab);
    cls_free(slab);
    (void)cls_leave(context, CLSOLVE_OK);
}

/* ---- lines ---- */

static clsolve_status check_lines(const clsolve_grid_slab *slab, const char *call, int64_t line, int64_t lines) {
    const cls_bt_slab *s = &slab->slab;
    cls_error *error = &slab->context->error;
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
    cls_error *error = &slab->context->error;
    for (int q = 0; q < 5 && lines > 0; ++q)
        if (!arrays[q]) REFUSE("%s: %s is NULL", call, names[q]);
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_put_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines, const void *up,
                                                  const void *a, const void *c, const void *b, const void *down) {
    static const char call[] = "clsolve_grid_slab_put_coefficients";
    const void *const arrays[5] = {a, c, b, up, down};
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_lines(slab, call, line, lines);
    if (status == CLSOLVE_OK) status = check_arrays(slab, call, lines, arrays);
    if (status == CLSOLVE_OK && lines > 0) {
        slab->ready = 0;
        status = cls_bt_slab_put_coefficients(&slab->slab, line, lines, arrays);
    }
    return slab_leave(slab, &before, status);
}

clsolve_status clsolve_grid_slab_get_coefficients(clsolve_grid_slab *slab, int64_t line, int64_t lines, void *up,
                                                  void *a, void *c, void *b, void *down) {
    static const char call[] = "clsolve_grid_slab_get_coefficients";
    void *const arrays[5] = {a, c, b, up, down};
    const void *const checked[5] = {a, c, b, up, down};
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_lines(slab, call, line, lines);
    if (status == CLSOLVE_OK) status = check_arrays(slab, call, lines, checked);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_get_coefficients(&slab->slab, line, lines, arrays);
    return slab_leave(slab, &before, status);
}

static clsolve_status check_vector(const clsolve_grid_slab *slab, const char *call, clsolve_grid_slab_vector vector,
                                   int64_t line, int64_t lines, const void *values) {
    cls_error *error = &slab->context->error;
    if ((int)vector < 0 || (int)vector >= CLS_SLAB_VECTORS)
        REFUSE("%s: vector is %d: see clsolve_grid_slab_vector", call, (int)vector);
    CLS_TRY(check_lines(slab, call, line, lines));
    if (lines > 0 && !values) REFUSE("%s: values is NULL", call);
    return CLSOLVE_OK;
}

clsolve_status clsolve_grid_slab_put(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                     int64_t lines, const void *values) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_vector(slab, "clsolve_grid_slab_put", vector, line, lines, values);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_put(&slab->slab, (int)vector, line, lines, values);
    return slab_leave(slab, &before, status);
}

clsolve_status clsolve_grid_slab_get(clsolve_grid_slab *slab, clsolve_grid_slab_vector vector, int64_t line,
                                     int64_t lines, void *values) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_vector(slab, "clsolve_grid_slab_get", vector, line, lines, values);
    if (status == CLSOLVE_OK && lines > 0) status = cls_bt_slab_get(&slab->slab, (int)vector, line, lines, values);
    return slab_leave(slab, &before, status);
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
    cls_error *error = &slab->context->error;
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
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    const double start = cls_seconds();
    clsolve_status status = factor(slab, symmetric);
    slab->factor_seconds = cls_seconds() - start;
    return slab_leave(slab, &before, status);
}

static clsolve_status check_ready(const clsolve_grid_slab *slab, const char *call) {
    if (slab->ready || slab->slab.count == 0) return CLSOLVE_OK;
    return cls_fail(&slab->context->error, CLSOLVE_ERROR_STATE,
                    "%s: call clsolve_grid_slab_factor, and let it succeed, first", call);
}

clsolve_status clsolve_grid_slab_coarsen(clsolve_grid_slab *slab, int32_t symmetric, clsolve_grid_slab **coarse) {
    static const char call[] = "clsolve_grid_slab_coarsen";
    if (coarse) *coarse = NULL;
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    const double start = cls_seconds(), build = slab->context->device->build_seconds;
    cls_error *error = &slab->context->error;
    clsolve_status status = check_ready(slab, call);
    if (status == CLSOLVE_OK && !coarse)
        status = cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: coarse is NULL: give a pointer's address", call);
    if (status == CLSOLVE_OK && slab->N < 2)
        status = cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: a grid of one line has no coarser one", call);
    if (status != CLSOLVE_OK) return slab_leave(slab, &before, status);
    clsolve_grid_slab *made = slab_alloc(slab->context, slab->N / 2, slab->M, slab->type);
    if (!made) return slab_leave(slab, &before, CLSOLVE_ERROR_OUT_OF_MEMORY);
    status = cls_bt_slab_coarsen(&slab->slab, symmetry_of(slab->type, symmetric), &made->slab);
    return slab_leave(slab, &before, slab_made(made, status, start, build, &before, coarse));
}

/* ---- the steps ---- */

clsolve_status clsolve_grid_slab_half_sweep(clsolve_grid_slab *slab, int32_t colour, int32_t zero) {
    static const char call[] = "clsolve_grid_slab_half_sweep";
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_ready(slab, call);
    if (status == CLSOLVE_OK && colour != 0 && colour != 1)
        status = cls_fail(&slab->context->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "%s: colour is %d: 0 (even lines) or 1 (odd lines)", call, (int)colour);
    if (status == CLSOLVE_OK) status = cls_bt_slab_half_sweep(&slab->slab, colour, zero != 0);
    return slab_leave(slab, &before, status);
}

clsolve_status clsolve_grid_slab_residual(clsolve_grid_slab *slab) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    return slab_leave(slab, &before, cls_bt_slab_residual(&slab->slab));
}

/* Is `coarse` what coarsen makes of `slab`? */
static clsolve_status check_pair(const clsolve_grid_slab *slab, const char *call, const clsolve_grid_slab *coarse) {
    cls_error *error = &slab->context->error;
    if (!coarse) REFUSE("%s: coarse is NULL", call);
    const cls_bt_slab *f = &slab->slab, *c = &coarse->slab;
    if (coarse->context == slab->context && coarse->type == slab->type && coarse->M == slab->M &&
        coarse->N == slab->N / 2 && c->first == f->first / 2 && c->count == (f->first + f->count) / 2 - f->first / 2 &&
        (c->count == 0 || c->grid.shape.width == f->grid.shape.width))
        return CLSOLVE_OK;
    REFUSE("%s: `coarse` is not the slab that clsolve_grid_slab_coarsen makes of this one", call);
}

clsolve_status clsolve_grid_slab_restrict(clsolve_grid_slab *slab, clsolve_grid_slab *coarse) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_pair(slab, "clsolve_grid_slab_restrict", coarse);
    if (status == CLSOLVE_OK && coarse->slab.count > 0) status = cls_bt_slab_restrict(&slab->slab, &coarse->slab);
    return slab_leave(slab, &before, status);
}

clsolve_status clsolve_grid_slab_prolong(clsolve_grid_slab *slab, const clsolve_grid_slab *coarse) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    cls_counters before;
    CLS_TRY(slab_enter(slab, &before));
    clsolve_status status = check_pair(slab, "clsolve_grid_slab_prolong", coarse);
    if (status == CLSOLVE_OK && coarse->slab.count > 0) status = cls_bt_slab_prolong(&slab->slab, &coarse->slab);
    return slab_leave(slab, &before, status);
}

/* ---- report ---- */

clsolve_status clsolve_grid_slab_report(const clsolve_grid_slab *slab, clsolve_report *report) {
    if (!slab) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    if (!report) return cls_refuse_no_report(slab->context, "clsolve_grid_slab_report");
    CLS_TRY(cls_enter(slab->context));
    *report = (clsolve_report){.status = slab->status,
                               .method = "grid-slab",
                               .n = slab->slab.count * slab->M,
                               .nrhs = 1,
                               .member = slab->line,
                               .bytes_up = slab->moved.bytes_up,
                               .bytes_down = slab->moved.bytes_down,
                               .transfers_up = slab->moved.transfers_up,
                               .transfers_down = slab->moved.transfers_down,
                               .device_bytes = slab->device_bytes,
                               .seconds = {.build = slab->build_seconds,
                                           .factor = slab->factor_seconds,
                                           .total = slab->create_seconds + slab->factor_seconds},
                               .direct.rcond = -1,
                               .refinement.backward_error = -1,
                               .where = "device",
                               .where_reason = "grids work on the device alone",
                               .precision = cls_is_double(slab->type) ? "double" : "single"};
    return cls_leave(slab->context, CLSOLVE_OK);
}
