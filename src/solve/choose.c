/* choose.c: which method a sparse matrix goes to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/door.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/solver.h"
#include "solve/symmetric.h"

/* By name a band is small where so many times its diagonals are no more than the rows. */
enum { SMALL_BAND = 8 };

/* ---- what the caller's options leave ---- */

static int want_lu(const clsolve_solver_options *o) {
    return o->pivoting == CLSOLVE_PIVOTING_RBT;
}

int cls_options_want_direct(const clsolve_solver_options *o) {
    return o->where == CLSOLVE_WHERE_HOST || o->equilibrate || o->refine || o->memory_limit > 0 || o->block > 0 ||
           o->panel != CLSOLVE_PANEL_AUTO || o->precision == CLSOLVE_PRECISION_MIXED || want_lu(o);
}

int cls_options_let_sparse(const clsolve_solver_options *o) {
    return (o->where != CLSOLVE_WHERE_DEVICE || cls_is_sparse_method(o->method)) && !o->equilibrate && !o->refine &&
           o->block == 0 && o->panel == CLSOLVE_PANEL_AUTO && o->precision != CLSOLVE_PRECISION_MIXED && !want_lu(o);
}

int cls_options_set_iteration(const clsolve_solver_options *o) {
    return o->iteration != CLSOLVE_BLOCK_GS_AUTO || o->tolerance > 0 || o->max_iterations > 0;
}

const cls_way *cls_way_of(clsolve_method method) {
    switch (method) {
    case CLSOLVE_METHOD_LU:
        return &cls_way_lu;
    case CLSOLVE_METHOD_GAUSS_JORDAN:
        return &cls_way_gauss_jordan;
    case CLSOLVE_METHOD_BAND:
        return &cls_way_band;
    case CLSOLVE_METHOD_BLOCK_GS:
        return &cls_way_grid;
    case CLSOLVE_METHOD_CHOLESKY:
        return &cls_way_cholesky;
    case CLSOLVE_METHOD_LDL:
        return &cls_way_ldl;
    case CLSOLVE_METHOD_SPARSE_LU:
        return &cls_way_sparse_lu;
    case CLSOLVE_METHOD_SPARSE_CHOLESKY:
        return &cls_way_sparse_cholesky;
    case CLSOLVE_METHOD_SPARSE_LDL:
        return &cls_way_sparse_ldl;
    case CLSOLVE_METHOD_AUTO:
        break;
    }
    return NULL;
}

/* ---- memory of the host ---- */

static cls_cost_system system_of(const clsolve_solver *solver) {
    const cls_analysis *a = &solver->analysis;
    return (cls_cost_system){.n = a->n,
                             .kl = a->after.kl,
                             .ku = a->after.ku,
                             .lines = a->lines,
                             .dominant = a->dominant,
                             .nrhs = solver->options.nrhs,
                             .type = solver->type};
}

static double host_memory(void) {
    int64_t bytes = cls_host_memory();
    return bytes > 0 ? (double)bytes : HUGE_VAL;
}

static double host_bytes(const clsolve_solver *solver, const cls_way *way) {
    cls_cost_system system = system_of(solver);
    if (way == &cls_way_band || way == &cls_way_band_cholesky) return cls_host_bytes_band(&system);
    return way == &cls_way_grid || cls_is_sparse_method(way->method) ? 0 : cls_host_bytes_lu(&system);
}

/* OUT_OF_MEMORY where the host cannot hold what the method takes; OK else. */
static clsolve_status check_host_memory(clsolve_solver *solver, const cls_way *way, const char *call) {
    double bytes = host_bytes(solver, way), have = host_memory();
    cls_order_band band = solver->analysis.after;
    if (bytes <= have && bytes < (double)PTRDIFF_MAX) return CLSOLVE_OK;
    if (way == &cls_way_band || way == &cls_way_band_cholesky)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                "%s: out of host memory: n = %lld with %lld diagonals below and %lld above the main "
                                "one takes %.1f GB and this host has %.1f GB; use a larger host",
                                call, (long long)solver->n, (long long)band.kl, (long long)band.ku, bytes / 1e9,
                                have / 1e9);
    return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                            "%s: out of host memory: a dense matrix of %lld x %lld takes %.1f GB and this host has "
                            "%.1f GB; use a smaller matrix or a larger host",
                            call, (long long)solver->n, (long long)solver->n, bytes / 1e9, have / 1e9);
}

static int host_holds(const clsolve_solver *solver, const cls_way *way) {
    return host_bytes(solver, way) <= host_memory();
}

/* ---- the state of a method's kernels ---- */

static const char *kernels_of(const clsolve_solver *solver, const cls_way *way) {
    int narrow = solver->analysis.after.kl + solver->analysis.after.ku <= CLS_NARROW_BAND;
    if (cls_is_sparse_method(way->method)) return ""; /* none */
    if (way == &cls_way_grid) return "bt_setup";
    if (way == &cls_way_cholesky) return "cholesky";
    if (way == &cls_way_ldl) return "ldl";
    if (way == &cls_way_band_cholesky) return "band_triangle";
    return way == &cls_way_band && narrow ? "band_narrow" : "lu_panel";
}

/* A number that is kept between runs: 1 once a handle of the method was made. */
static void name_of_state(const clsolve_solver *solver, const cls_way *way, char name[64]) {
    (void)snprintf(name, 64, "solve.%s.%s", kernels_of(solver, way), cls_type_name(solver->type));
}

/* The context has no device but the host: nothing is ever built. */
static int is_host_alone(const clsolve_solver *solver) {
    return strcmp(clsolve_context_device(solver->context).backend, "host") == 0;
}

static cls_build_state state_of(const clsolve_solver *solver, const cls_way *way) {
    char name[64];
    if (is_host_alone(solver)) return CLS_BUILD_HERE;
    if (cls_context_has_program(solver->context, kernels_of(solver, way))) return CLS_BUILD_HERE;
    name_of_state(solver, way, name);
    return cls_context_recall(solver->context, name) == 1 ? CLS_BUILD_CACHED : CLS_BUILD_UNKNOWN;
}

void cls_remember_build(const clsolve_solver *solver, const cls_way *way) {
    char name[64];
    if (!cls_context_has_program(solver->context, kernels_of(solver, way))) return; /* none was needed */
    name_of_state(solver, way, name);
    if (cls_context_recall(solver->context, name) != 1) cls_context_remember(solver->context, name, 1);
}

/* ---- the choice ---- */

/* The handles of LU, Cholesky and bands may go to the host by themselves. */
static double host_seconds(const clsolve_solver *solver, const cls_way *way) {
    const clsolve_solver_options *o = &solver->options;
    cls_order_band band = solver->analysis.after;
    cls_task task = {.family = way == &cls_way_band       ? CLS_FAMILY_BAND
                               : way == &cls_way_cholesky ? CLS_FAMILY_CHOLESKY
                                                          : CLS_FAMILY_LU,
                     .type = solver->type,
                     .n = solver->n,
                     .kl = band.kl,
                     .ku = band.ku,
                     .nrhs = o->nrhs};
    if (o->where == CLSOLVE_WHERE_DEVICE || o->panel != CLSOLVE_PANEL_AUTO || want_lu(o)) return HUGE_VAL;
    return cls_context_host_seconds(solver->context, &task);
}

/* Measured where the kernels are built; a matrix that is not dominant takes as many times longer as the model has
 * it. */
static double grid_seconds(const clsolve_solver *solver, const cls_rates *machine, const cls_cost_system *system,
                           cls_build_state built) {
    double model = cls_cost_grid(machine, system, built);
    if (built == CLS_BUILD_UNKNOWN) return model;
    double measured = cls_context_grid_seconds(solver->context, solver->type, solver->n);
    double harder = solver->analysis.dominant ? 1 : 4;
    return measured < 0 ? model : measured * harder * (double)(solver->options.nrhs > 0 ? solver->options.nrhs : 1);
}

static double seconds_built(const clsolve_solver *solver, const cls_way *way, cls_build_state built) {
    clsolve_device_info info = clsolve_context_device(solver->context);
    cls_rates machine = cls_rates_of(&info, solver->type);
    cls_cost_system system = system_of(solver);
    const clsolve_solver_options *o = &solver->options;
    if (way == &cls_way_band_cholesky && is_host_alone(solver))
        return cls_cost_band_cholesky_by_host(&machine, &system);
    if (way == &cls_way_band_cholesky)
        return fmin(CLS_CHOLESKY_OF_BAND * host_seconds(solver, &cls_way_band),
                    o->where == CLSOLVE_WHERE_HOST ? HUGE_VAL : cls_cost_band_cholesky(&machine, &system, built));
    if (cls_is_sparse_method(way->method)) return solver->sparse_seconds;
    if (way == &cls_way_grid) return grid_seconds(solver, &machine, &system, built);
    double device = way == &cls_way_band       ? cls_cost_band(&machine, &system, built)
                    : way == &cls_way_cholesky ? cls_cost_cholesky(&machine, &system, built)
                                               : cls_cost_lu(&machine, &system, built);
    double host = host_seconds(solver, way);
    return info.host_memory && isfinite(host) ? host : fmin(device, host); /* the host's cores are the device's */
}

static double seconds_of(const clsolve_solver *solver, const cls_way *way) {
    return seconds_built(solver, way, state_of(solver, way));
}

static int lets_band_cholesky(const clsolve_solver *solver) {
    const clsolve_solver_options *o = &solver->options;
    return o->panel == CLSOLVE_PANEL_AUTO && o->pivoting == CLSOLVE_PIVOTING_AUTO;
}

/* Whether the matrix and the caller's options leave a direct method. */
static int is_possible(const clsolve_solver *solver, const cls_way *way) {
    if (!host_holds(solver, way)) return 0;
    if (way == &cls_way_band) return !want_lu(&solver->options);
    if (way == &cls_way_band_cholesky)
        return solver->analysis.hermitian && solver->analysis.positive_diagonal && lets_band_cholesky(solver) &&
               isfinite(seconds_of(solver, way));
    if (way == &cls_way_lu) return 1;
    return solver->analysis.hermitian && solver->analysis.positive_diagonal &&
           cls_lets_cholesky(&solver->options, solver->n);
}

/* One line is a tridiagonal matrix, which LU solves sooner, unless it is singular as such grids are. The host has no
 * kernels for grids. */
static int grid_is_allowed(const clsolve_solver *solver) {
    clsolve_device_info info = clsolve_context_device(solver->context);
    const int is_grid = solver->analysis.lines > 1 || cls_analysis_singular_grid(&solver->analysis);
    return is_grid && !is_host_alone(solver) && !cls_options_want_direct(&solver->options) &&
           (!cls_is_double(solver->type) || info.fp64);
}

/* A grid that the iteration solves in less time than an analysis takes. */
static int sparse_may_beat_grid(const clsolve_solver *solver, const cls_way *sparse) {
    return solver->tried != 0 || !grid_is_allowed(solver) ||
           cls_sparse_pays(solver, sparse, seconds_of(solver, &cls_way_grid));
}

static int was_tried(const clsolve_solver *solver, const cls_way *way) {
    return (solver->tried & 1u << way->method) != 0;
}

/*
 * A graph with at most so many entries in a row, on the average, is almost a tree: networks of power and of water. Its
 * fronts hold a few numbers, and KLU, which knows LU alone, has no fronts.
 */
enum { ENTRIES_OF_TREE = 4 };

static int tried_cholesky(const clsolve_solver *solver) {
    return was_tried(solver, &cls_way_sparse_cholesky) || was_tried(solver, &cls_way_cholesky);
}

/* Sparse Cholesky or L D L^T where the matrix lets it, else sparse LU; NULL: none. */
static const cls_way *sparse_way(const clsolve_solver *solver) {
    const cls_analysis *a = &solver->analysis;
    const int is_tree = a->entries <= ENTRIES_OF_TREE * a->n && !was_tried(solver, &cls_way_sparse_lu);
    const int one_triangle =
        !is_tree && solver->options.pivoting == CLSOLVE_PIVOTING_AUTO && (a->hermitian || a->symmetric);
    if (!cls_options_let_sparse(&solver->options) || solver->n == 0) return NULL;
    if (one_triangle && a->hermitian && a->positive_diagonal && !tried_cholesky(solver))
        return &cls_way_sparse_cholesky;
    if (one_triangle && !was_tried(solver, &cls_way_sparse_ldl)) return &cls_way_sparse_ldl;
    return was_tried(solver, &cls_way_sparse_lu) ? NULL : &cls_way_sparse_lu;
}

const cls_way *cls_choose_direct(clsolve_solver *solver) {
    const cls_way *ways[] = {&cls_way_lu, &cls_way_cholesky, &cls_way_band, &cls_way_band_cholesky}, *best = NULL;
    const cls_way *sparse = sparse_way(solver);
    double least = HUGE_VAL;
    for (int w = 0; w < 4; w++) {
        if (was_tried(solver, ways[w]) || !is_possible(solver, ways[w])) continue;
        double seconds = seconds_of(solver, ways[w]);
        if (best && !(seconds < least)) continue;
        best = ways[w];
        least = seconds;
    }
    if (!sparse || !cls_sparse_pays(solver, sparse, least) || !sparse_may_beat_grid(solver, sparse)) return best;
    solver->sparse_seconds = cls_sparse_seconds(solver, sparse);
    if (solver->sparse_seconds < least) return sparse;
    cls_sparse_forget(solver);
    return best;
}

#define SAY(...) (void)snprintf(solver->report.reason, sizeof solver->report.reason, __VA_ARGS__)

/* A choice by seconds: what they are, and what they are compared with. */
static void say_seconds(clsolve_solver *solver, const cls_way *chosen) {
    static const cls_way *const ways[] = {&cls_way_lu, &cls_way_cholesky, &cls_way_band, &cls_way_band_cholesky,
                                          &cls_way_grid};
    char others[160] = "";
    size_t used = 0;
    for (int w = 0; w < 5 && used < sizeof others; w++) {
        int possible = ways[w] == &cls_way_grid ? grid_is_allowed(solver) : is_possible(solver, ways[w]);
        if (ways[w] == chosen || !possible) continue;
        used += (size_t)snprintf(others + used, sizeof others - used, ", %s %.2g s", ways[w]->name,
                                 seconds_of(solver, ways[w]));
    }
    SAY("auto: the model expects %.2g s%s", seconds_of(solver, chosen), others);
}

/*
 * A direct method is safer: so the iteration is to take half as long, for its answer may want corrections. Kernels are
 * built once: so their build does not count against work of a moment.
 */
static int iteration_is_better(const clsolve_solver *solver, const cls_way *direct) {
    double least = seconds_built(solver, direct, CLS_BUILD_HERE);
    if (state_of(solver, &cls_way_grid) != CLS_BUILD_UNKNOWN)
        return least >= CLS_SHORT_MOMENT && 2 * seconds_of(solver, &cls_way_grid) < seconds_of(solver, direct);
    if (least >= CLS_MOMENT && seconds_of(solver, &cls_way_grid) < seconds_of(solver, direct)) return 1;
    /* Else the direct method works while a thread compiles the kernels, for later matrices. */
    const cls_task task = {.family = CLS_FAMILY_GRID, .type = solver->type, .n = solver->n};
    return least >= CLS_SHORT_MOMENT &&
           2 * seconds_built(solver, &cls_way_grid, CLS_BUILD_HERE) < seconds_of(solver, direct) &&
           cls_context_wants(solver->context, &task);
}

/* The host holds no method: what sparse LU wants is less than a dense matrix. */
static clsolve_status refuse_all(clsolve_solver *solver, const char *call) {
    const cls_way *sparse = sparse_way(solver);
    const clsolve_status status = sparse ? cls_sparse_prepare(solver, sparse) : CLSOLVE_OK;
    return status != CLSOLVE_OK ? status : check_host_memory(solver, &cls_way_lu, call);
}

static clsolve_status choose_auto(clsolve_solver *solver, const char *call) {
    const cls_way *direct = cls_choose_direct(solver);
    if (grid_is_allowed(solver) &&
        (cls_options_set_iteration(&solver->options) || cls_analysis_singular_grid(&solver->analysis))) {
        solver->way = &cls_way_grid;
        if (cls_analysis_singular_grid(&solver->analysis))
            SAY("auto: a grid all row sums of which are zero has no LU");
        else
            SAY("auto: the options are those of an iteration for grids");
        return CLSOLVE_OK;
    }
    if (!direct && !grid_is_allowed(solver)) return refuse_all(solver, call);
    solver->way = direct;
    if (grid_is_allowed(solver) && (!direct || iteration_is_better(solver, direct))) solver->way = &cls_way_grid;
    say_seconds(solver, solver->way);
    return CLSOLVE_OK;
}

clsolve_status cls_choose(clsolve_solver *solver, const char *call) {
    const cls_way *asked = cls_way_of(solver->options.method);
    if (!asked) return choose_auto(solver, call);
    /* One that is not hermitian is left to dense Cholesky, which says where. */
    if (asked == &cls_way_cholesky && solver->analysis.hermitian &&
        SMALL_BAND * solver->analysis.after.kl <= solver->n && lets_band_cholesky(solver))
        asked = &cls_way_band_cholesky;
    solver->way = asked;
    SAY("asked for");
    return check_host_memory(solver, asked, call);
}
