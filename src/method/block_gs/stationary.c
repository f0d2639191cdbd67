/* stationary.c: the methods that only sweep or cycle, and the same as preconditioners. */
#include "method/block_gs/block_gs.h"

#include <math.h>
#include <stdint.h>

enum { TEST_EACH = 8, ESTIMATE_EACH = 8, LONG = 16 };
#define SETTLED 0.3
#define CLEARLY 0.8
#define GROWN   1e3

clsolve_status cls_bt_test(cls_bt *bt, int64_t groups) {
    int mode = groups == 0 ? 0 : CLS_BT_JUDGE_KEEPS | (bt->keep ? 0 : CLS_BT_JUDGE_IF_SLOW);
    CLS_TRY(cls_bt_judge(&bt->run, groups, bt->tolerance, bt->patience, mode));
    bt->keep = 0;
    return mode ? cls_bt_keep(&bt->run, bt->Y, bt->best) : CLSOLVE_OK;
}

/* ---- sweeps ---- */

static clsolve_status step_sweep(cls_bt *bt, int64_t number, int64_t each) {
    int64_t groups;
    CLS_TRY(cls_bt_sweep(&bt->grid, bt->F, bt->Y, bt->run.rhs, bt->options.sequential, bt->omega, bt->run.control));
    if (number % each != each - 1) return CLSOLVE_OK;
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, NULL, CLS_BT_REST, bt->run.control, &groups));
    return cls_bt_test(bt, groups);
}

static clsolve_status step_usual(cls_bt *bt, int64_t number) {
    return step_sweep(bt, number, TEST_EACH);
}

static clsolve_status step_estimated(cls_bt *bt, int64_t number) {
    return step_sweep(bt, number, ESTIMATE_EACH);
}

/* The last COUNT residuals of `tests`, as doubles: waits. */
enum { COUNT = 4 };
static clsolve_status read_residuals(cls_bt *bt, int64_t tests, double residuals[COUNT]) {
    cls_device *device = bt->device;
    int f64 = cls_is_double(bt->grid.type);
    size_t size = cls_bt_real_size(bt->grid.type);
    float floats[COUNT];
    cls_rect rect = {COUNT * size, 1, (size_t)(tests - COUNT) * size, COUNT * size, COUNT * size};
    void *to = f64 ? (void *)residuals : (void *)floats;

    CLS_TRY(device->ops->read(device, CLS_COMPUTE, bt->run.history, to, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    for (int i = 0; !f64 && i < COUNT; ++i) residuals[i] = (double)floats[i];
    return CLSOLVE_OK;
}

/* The raised omega is too large: the residual has grown by far, or not halved in as long as all took before. */
static int raised_too_far(cls_bt *bt, int64_t tests, double residual) {
    int64_t since = tests - bt->omega_marked;
    if (bt->omega == 1) return 0;
    if (residual <= 0.5 * bt->omega_mark) {
        bt->omega_mark = residual;
        bt->omega_marked = tests;
        return 0;
    }
    return residual > GROWN * bt->omega_mark || (since >= bt->omega_marked && since >= LONG);
}

/*
 * Plain sweeps, for good. Where the residual has grown, from the best iterates of all; where rounding holds it the
 * present ones may be nearer, which a few sweeps show.
 */
static clsolve_status give_omega_up(cls_bt *bt, double residual) {
    size_t bytes = (size_t)(bt->grid.level[0].size * bt->run.rhs * cls_type_size(bt->grid.type));
    bt->omega = 1;
    bt->omega_changed = INT64_MAX;
    if (residual <= 0.1 * GROWN * bt->omega_mark) return CLSOLVE_OK;
    return bt->device->ops->copy(bt->device, CLS_COMPUTE, bt->best, 0, bt->Y, 0, bytes);
}

/*
 * The residual shrinks by the largest eigenvalue lambda of the iteration with the omega of now, which tells that of
 * the Jacobi iteration, mu^2 = (lambda + omega - 1)^2 / (omega^2 lambda), as long as lambda > omega - 1; the best
 * omega is 2 / (1 + sqrt(1 - mu^2)) (Hageman and Young, sections 9.3 and 9.5). Too large an omega is never found out,
 * so a rate counts only once it has settled: three ratios after the last change that agree, and clearly above omega -
 * 1. All this holds for real mu. For complex ones, which nonsymmetric matrices may have, omega may be too large:
 * then plain sweeps, for good.
 */
static clsolve_status look_estimate(cls_bt *bt, int64_t tests) {
    double r[COUNT], omega = bt->omega, rate[COUNT - 1];

    if (bt->omega_changed == INT64_MAX || tests < COUNT || tests > bt->run.capacity) return CLSOLVE_OK;
    CLS_TRY(read_residuals(bt, tests, r));
    if (raised_too_far(bt, tests, r[COUNT - 1])) return give_omega_up(bt, r[COUNT - 1]);
    if (tests < COUNT + bt->omega_changed) return CLSOLVE_OK;
    for (int i = 0; i + 1 < COUNT; ++i) rate[i] = log(r[i + 1] / r[i]) / ESTIMATE_EACH;
    double last = rate[COUNT - 2], lambda = exp(last);
    for (int i = 0; i + 2 < COUNT; ++i)
        if (!(fabs(rate[i] - last) <= SETTLED * fabs(last))) return CLSOLVE_OK;
    if (!(lambda < 1) || !(last > CLEARLY * log(omega - 1 > 0 ? omega - 1 : 1e-30))) return CLSOLVE_OK;
    double mu = (lambda + omega - 1) / omega;
    mu = mu * mu / lambda;
    if (!(mu < 1)) return CLSOLVE_OK;
    double better = 2 / (1 + sqrt(1 - mu));
    if (better > omega) {
        bt->omega = better;
        bt->omega_changed = bt->omega_marked = tests;
        bt->omega_mark = r[COUNT - 1];
    }
    return CLSOLVE_OK;
}

const cls_bt_method cls_bt_gauss_seidel = {
    .name = "red-black block Gauss-Seidel", .step = step_usual, .ahead = 4 * TEST_EACH, .each = TEST_EACH};
const cls_bt_method cls_bt_sor = {.name = "SOR", .step = step_usual, .ahead = 4 * TEST_EACH, .each = TEST_EACH};
const cls_bt_method cls_bt_estimated_sor = {.name = "SOR, omega estimated",
                                            .step = step_estimated,
                                            .look = look_estimate,
                                            .ahead = ESTIMATE_EACH,
                                            .each = ESTIMATE_EACH};

/* ---- multigrid ---- */

static cls_bt_cycle cycle_of(const cls_bt *bt) {
    cls_bt_cycle cycle = {bt->options.cycle, bt->options.smooth_before, bt->options.smooth_after};
    return cycle;
}

/*
 * The stop test stands in the middle: after smoothing the residual is zero on red lines, and on black ones it is
 * computed for the coarse level anyway. Once it is small enough the second half is not done.
 */
static clsolve_status step_cycle(cls_bt *bt, int64_t number) {
    cls_bt_cycle cycle = cycle_of(bt);
    cls_bt_state state = number > 0 ? CLS_BT_CYCLED : CLS_BT_ANY;
    int64_t groups;
    CLS_TRY(cls_bt_cycle_down(&bt->grid, &cycle, bt->F, bt->Y, bt->run.rhs, state, bt->run.control, &groups));
    CLS_TRY(cls_bt_test(bt, groups));
    return cls_bt_cycle_up(&bt->grid, &cycle, bt->F, bt->Y, bt->run.rhs, bt->run.control);
}

const cls_bt_method cls_bt_multigrid = {.name = "multigrid", .step = step_cycle, .ahead = 2, .each = 1};

/* ---- preconditioners ---- */

static clsolve_status apply(cls_bt *bt, cls_bt_grid *g, cls_bt_vector r, cls_bt_vector z) {
    cls_buffer *control = bt->run.control;
    int64_t rhs = bt->run.rhs, groups;

    if (bt->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID) {
        cls_bt_cycle cycle = cycle_of(bt);
        CLS_TRY(cls_bt_cycle_down(g, &cycle, r, z, rhs, CLS_BT_ZERO, control, &groups));
        return cls_bt_cycle_up(g, &cycle, r, z, rhs, control);
    }
    CLS_TRY(cls_bt_half_sweep(g, r, z, rhs, 0, 1, -1, 1, control));
    if (g->N == 1) return CLSOLVE_OK;
    CLS_TRY(cls_bt_half_sweep(g, r, z, rhs, 1, 0, -1, 1, control));
    return cls_bt_half_sweep(g, r, z, rhs, 0, 0, -1, 1, control);
}

clsolve_status cls_bt_precondition_float(cls_bt *bt) {
    return apply(bt, &bt->single, bt->narrow, bt->wide);
}

clsolve_status cls_bt_precondition(cls_bt *bt, cls_bt_vector r, cls_bt_vector z) {
    int64_t words = bt->grid.level[0].size * bt->run.rhs;

    if (bt->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE) {
        cls_bt_term term = {r, -1, 1};
        return cls_bt_combine(&bt->run, z, &term, 1, bt->run.control);
    }
    if (!bt->use_single || bt->preconditioner != CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID)
        return apply(bt, &bt->grid, r, z);
    if (!bt->has_single) return apply(bt, &bt->single, r, z);
    CLS_TRY(cls_bt_convert(bt, bt->to_float, r, bt->narrow, words));
    CLS_TRY(cls_bt_precondition_float(bt));
    return cls_bt_convert(bt, bt->to_double, bt->wide, z, words);
}
