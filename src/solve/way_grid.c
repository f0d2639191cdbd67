/*
 * way_grid.c: the block-tridiagonal iteration for a grid of N lines of M unknowns. The matrix's five diagonals are
 * the five coefficient arrays. The transpose has the same five diagonals, so transposed solves have a handle of their
 * own.
 */
#include <stdio.h>
#include <string.h>

#include "api/door.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/solver.h"

typedef struct five_arrays {
    clsolve_grid up, a, c, b, down;
} five_arrays;

static int make_array(const clsolve_solver *solver, int64_t nrhs, clsolve_grid *grid) {
    int64_t N = solver->analysis.lines, M = solver->analysis.line_length;
    clsolve_matrix memory = cls_stage_zeros(solver->type, solver->n, nrhs);
    *grid =
        (clsolve_grid){.type = solver->type, .line_stride = M, .stride = 1, .rhs_stride = N * M, .data = memory.data};
    return memory.data != NULL;
}

/* Element `at`, of one or two numbers. */
static void put(const clsolve_grid *grid, int64_t at, const double *value) {
    const int64_t parts = cls_type_parts(grid->type);
    for (int64_t p = 0; p < parts; p++) cls_type_put(grid->type, grid->data, at * parts + p, value[p]);
}

static void conjugate(double *x, int64_t elements) {
    for (int64_t e = 0; e < elements; e++) x[2 * e + 1] = -x[2 * e + 1];
}

/* With one line M = n, and with lines of one unknown +-1 are the neighbouring lines. */
static void put_entry(void *user, int64_t row, int64_t column, const double *value) {
    five_arrays *five = user;
    int64_t offset = column - row;
    int lines_of_one = five->c.line_stride == 1;
    const clsolve_grid *to = offset == 0 ? &five->c : offset < 0 ? &five->up : &five->down;
    if (!lines_of_one && offset == -1) to = &five->a;
    if (!lines_of_one && offset == 1) to = &five->b;
    put(to, row, value);
}

static void arrays_free(five_arrays *five) {
    cls_free(five->up.data);
    cls_free(five->a.data);
    cls_free(five->c.data);
    cls_free(five->b.data);
    cls_free(five->down.data);
}

static clsolve_status no_memory(clsolve_solver *solver) {
    return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for arrays on a grid of %lld",
                            (long long)solver->n);
}

static clsolve_status set(clsolve_solver *solver, int transposed) {
    five_arrays five = {0};
    int fine = make_array(solver, 1, &five.up) && make_array(solver, 1, &five.a) && make_array(solver, 1, &five.c) &&
               make_array(solver, 1, &five.b) && make_array(solver, 1, &five.down);
    clsolve_status status = fine ? CLSOLVE_OK : no_memory(solver);
    if (fine) {
        cls_csr_each(&solver->A, transposed, put_entry, &five);
        status = clsolve_block_gs_factor(solver->grid[transposed], &five.up, &five.a, &five.c, &five.b, &five.down);
    }
    arrays_free(&five);
    solver->grid_set[transposed] = status == CLSOLVE_OK;
    return status;
}

static clsolve_status create(clsolve_solver *solver, int transposed) {
    const clsolve_solver_options *o = &solver->options;
    clsolve_block_gs_options options = {.method = o->iteration,
                                        .tolerance = o->tolerance,
                                        .max_iterations = o->max_iterations,
                                        .zero_guess = 1,
                                        .pivoting = o->pivoting,
                                        .progress = o->progress,
                                        .progress_user = o->progress_user};
    return clsolve_block_gs_create(solver->context, solver->analysis.lines, solver->analysis.line_length, solver->type,
                                   &options, &solver->grid[transposed]);
}

/* Copies the handle's result: its next solve or its end would take the history away. */
static void keep_result(clsolve_solver *solver, int transposed) {
    clsolve_solve_report *report = &solver->report;
    clsolve_report result;
    if (clsolve_block_gs_report(solver->grid[transposed], &result) != CLSOLVE_OK) return;
    report->report = result;
    report->singular = result.block_gs.singular;
    (void)snprintf(report->iteration, sizeof report->iteration, "%s", result.block_gs.method);
    (void)snprintf(report->iteration_reason, sizeof report->iteration_reason, "%s", result.block_gs.reason);
    cls_free(solver->history);
    solver->history = cls_alloc((size_t)result.block_gs.history_count + 1, sizeof *solver->history);
    report->history = solver->history;
    report->history_count = solver->history ? result.block_gs.history_count : 0;
    report->report.block_gs.method = report->iteration; /* the handle may go before the solver */
    report->report.block_gs.reason = report->iteration_reason;
    report->report.block_gs.history = report->history;
    report->report.block_gs.history_count = report->history_count;
    if (report->history_count > 0)
        memcpy(solver->history, result.block_gs.history, (size_t)report->history_count * sizeof *solver->history);
}

static clsolve_status prepare(clsolve_solver *solver, int transposed) {
    clsolve_status status = CLSOLVE_OK;
    if (!solver->grid[transposed]) status = create(solver, transposed);
    if (status == CLSOLVE_OK && !solver->grid_set[transposed]) {
        status = set(solver, transposed);
        keep_result(solver, transposed);
    }
    return status;
}

static clsolve_status factor(clsolve_solver *solver) {
    if (solver->analysis.lines == 0)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s", solver->analysis.no_grid);
    solver->grid_set[0] = solver->grid_set[1] = 0;
    return prepare(solver, 0);
}

/* block_gs.h's. A solver with a tolerance of its own promises nothing, and corrects nothing. */
static double default_tolerance(const clsolve_solver *solver) {
    return cls_is_double(solver->type) ? 1e-10 : 1e-5;
}

static clsolve_status solve(clsolve_solver *solver, clsolve_op op, double *x, int64_t nrhs) {
    const int64_t parts = cls_type_parts(solver->type);
    /* A^H x = b is A^T conj(x) = conj(b). */
    const int transposed = op != CLSOLVE_NO_TRANS, turned = parts == 2 && op == CLSOLVE_CONJ_TRANS;
    clsolve_grid F = {0}, Y = {0};
    clsolve_status status = prepare(solver, transposed);
    if (status != CLSOLVE_OK) return status;
    if (make_array(solver, nrhs, &F) && make_array(solver, nrhs, &Y)) {
        if (turned) conjugate(x, solver->n * nrhs);
        for (int64_t e = 0; e < solver->n * nrhs; e++) put(&F, e, x + e * parts);
        if (solver->aim > 0) cls_block_gs_aim(solver->grid[transposed], solver->aim);
        status = clsolve_block_gs_solve(solver->grid[transposed], &F, &Y, nrhs);
        keep_result(solver, transposed);
        if (solver->aim > 0) cls_block_gs_aim(solver->grid[transposed], default_tolerance(solver));
        for (int64_t e = 0; status == CLSOLVE_OK && e < solver->n * nrhs * parts; e++)
            x[e] = cls_type_get(solver->type, Y.data, e);
        if (turned) conjugate(x, solver->n * nrhs); /* also what is not solved: as it was */
    } else {
        status = no_memory(solver);
    }
    cls_free(F.data);
    cls_free(Y.data);
    return status;
}

/* keep_result has filled it. */
static void report(const clsolve_solver *solver, clsolve_report *report) {
    *report = solver->report.report;
}

static void grid_close(clsolve_solver *solver) {
    for (int t = 0; t < 2; t++) {
        clsolve_block_gs_destroy(solver->grid[t]);
        solver->grid[t] = NULL;
        solver->grid_set[t] = 0;
    }
}

const cls_way cls_way_grid = {CLSOLVE_METHOD_BLOCK_GS, "block-gs", CLS_NOT_KEPT, factor, solve, report, grid_close};
