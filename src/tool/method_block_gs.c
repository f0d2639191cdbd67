/* method_block_gs.c: --method block-gs: the grid behind a matrix file found, and its system solved as block-tridiagonal. */
#include "tool/solve_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    clsolve_block_tridiag_method method;
} solvers[] = {
    {"auto", CLSOLVE_BLOCK_TRIDIAG_AUTO},     {"gauss-seidel", CLSOLVE_BLOCK_TRIDIAG_GAUSS_SEIDEL},
    {"sor", CLSOLVE_BLOCK_TRIDIAG_SOR},       {"multigrid", CLSOLVE_BLOCK_TRIDIAG_MULTIGRID},
    {"cg", CLSOLVE_BLOCK_TRIDIAG_CG},         {"bicgstab", CLSOLVE_BLOCK_TRIDIAG_BICGSTAB},
    {"fgmres", CLSOLVE_BLOCK_TRIDIAG_FGMRES},
};

exit_code method_block_gs_solver(const char *name, clsolve_block_tridiag_method *solver, outcome *out) {
    for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; s++)
        if (strcmp(name, solvers[s].name) == 0) {
            *solver = solvers[s].method;
            return EXIT_CODE_OK;
        }
    return outcome_fail(
        out, EXIT_CODE_USAGE,
        "solve: --solver '%s' is unknown; use auto, gauss-seidel, sor, multigrid, cg, bicgstab or fgmres", name);
}

/* ---- the grid ---- */

/* Calls `see` for every entry that is not zero, until it says stop. */
typedef int (*entry_seen)(void *user, int64_t row, int64_t column, double value);

static void each_entry(const mm_matrix *A, entry_seen see, void *user) {
    for (int64_t j = 0; j < A->cols; j++) {
        int64_t first = A->sparse ? A->start[j] : j * A->rows, last = A->sparse ? A->start[j + 1] : first + A->rows;
        for (int64_t e = first; e < last; e++)
            if (A->value[e] != 0 && !see(user, A->sparse ? A->row[e] : e - first, j, A->value[e])) return;
    }
}

typedef struct shape {
    int64_t lines, length;       /* length 0: no diagonal beyond +-1 yet */
    int64_t bad_row, bad_column; /* -1: none */
    clsolve_grid array[5];       /* up, a, c, b, down */
} shape;

static int find_length(void *user, int64_t row, int64_t column, double value) {
    shape *s = user;
    int64_t offset = llabs(row - column);
    (void)value;
    if (offset > 1 && (s->length == 0 || offset < s->length)) s->length = offset;
    return 1;
}

static int check_entry(void *user, int64_t row, int64_t column, double value) {
    shape *s = user;
    int64_t offset = column - row, M = s->length;
    int fits = offset == 0 || llabs(offset) == M;
    (void)value;
    if (offset == 1) fits = column % M != 0 || M == 1;
    if (offset == -1) fits = row % M != 0 || M == 1;
    if (fits) return 1;
    s->bad_row = row;
    s->bad_column = column;
    return 0;
}

/* N and M, or why not. */
static exit_code recognise(const solve_job *job, shape *s, outcome *out) {
    int64_t n = job->A.rows;
    *s = (shape){.bad_row = -1, .bad_column = -1};
    if (n == 0) return outcome_fail(out, EXIT_CODE_USAGE, "%s: the matrix is empty: no grid", job->matrix_path);
    each_entry(&job->A, find_length, s);
    if (s->length == 0) s->length = n; /* tridiagonal: one line */
    if (n % s->length != 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "%s: not block-tridiagonal of lines: the diagonal nearest to +-1 is +-%" PRId64
                            ", which does not divide n = %" PRId64 "; use --method lu",
                            job->matrix_path, s->length, n);
    s->lines = n / s->length;
    each_entry(&job->A, check_entry, s);
    if (s->bad_row < 0) return EXIT_CODE_OK;
    int64_t offset = s->bad_column - s->bad_row;
    if (llabs(offset) == 1)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "%s: not block-tridiagonal of lines of %" PRId64 ": entry (%" PRId64 ", %" PRId64
                            ") couples the end of a line with the beginning of the next; use --method lu",
                            job->matrix_path, s->length, s->bad_row + 1, s->bad_column + 1);
    return outcome_fail(out, EXIT_CODE_USAGE,
                        "%s: not block-tridiagonal of lines of %" PRId64 ": entry (%" PRId64 ", %" PRId64
                        ") is on diagonal %" PRId64 ", not 0, +-1 or +-%" PRId64 "; use --method lu",
                        job->matrix_path, s->length, s->bad_row + 1, s->bad_column + 1, offset, s->length);
}

int method_block_gs_lacks(const solve_job *job) {
    return job->equilibrate || job->refine || job->memory_limit > 0 || job->block > 0 ||
           job->panel != CLSOLVE_PANEL_AUTO || job->precision->factor == CLSOLVE_PRECISION_MIXED;
}

int method_block_gs_is_grid(const solve_job *job, outcome *why) {
    shape s;
    return job->A.sparse && recognise(job, &s, why) == EXIT_CODE_OK && s.lines > 1;
}

exit_code method_block_gs_check(solve_job *job, outcome *out) {
    shape s;
    return recognise(job, &s, out);
}

/* ---- its arrays ---- */

static void put(clsolve_grid *grid, int64_t at, double value) {
    if (grid->type == CLSOLVE_F64)
        ((double *)grid->data)[at] = value;
    else
        ((float *)grid->data)[at] = (float)value;
}

static int store_entry(void *user, int64_t row, int64_t column, double value) {
    shape *s = user;
    int64_t offset = column - row;
    int which = offset == 0 ? 2 : offset == -1 ? 1 : offset == 1 ? 3 : offset < 0 ? 0 : 4;
    put(&s->array[which], row, value);
    return 1;
}

static int make_grid(clsolve_type type, const shape *s, int64_t columns, clsolve_grid *grid) {
    size_t count = (size_t)(s->lines * s->length) * (size_t)columns;
    void *memory = calloc(count, type == CLSOLVE_F64 ? sizeof(double) : sizeof(float));
    *grid = type == CLSOLVE_F64 ? clsolve_grid_f64(s->lines, s->length, memory)
                                : clsolve_grid_f32(s->lines, s->length, memory);
    return memory != NULL;
}

/* What the library tells is kept before its handle goes. */
static void keep_result(const clsolve_block_tridiag *handle, const shape *s, solve_job *job) {
    clsolve_block_tridiag_result result;
    if (clsolve_block_tridiag_result_get(handle, &result) != CLSOLVE_OK) return;
    job->report = result.report;
    job->has_report = 1;
    job->lines = s->lines;
    job->line_length = s->length;
    job->singular = result.singular;
    snprintf(job->solver_text, sizeof job->solver_text, "%s", result.method);
    snprintf(job->reason, sizeof job->reason, "%s", result.reason);
    job->history = calloc((size_t)result.history_count + 1, sizeof *job->history);
    if (job->history == NULL) return;
    job->history_count = result.history_count;
    if (result.history_count > 0)
        memcpy(job->history, result.history, (size_t)result.history_count * sizeof *job->history);
}

static exit_code explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    if (status == CLSOLVE_ERROR_UNSUPPORTED && job->precision->type == CLSOLVE_F64 && !job->device.fp64)
        return outcome_fail_status(out, status,
                                   "%s: %s does not compute in double; use --precision single, or another --device",
                                   job->device.selector, job->device.name);
    return outcome_fail_status(out, status, "%s: %s", job->matrix_path, said);
}

static exit_code solve_grid(clsolve_context *context, solve_job *job, const shape *s, clsolve_grid *F, clsolve_grid *Y,
                            outcome *out) {
    const clsolve_grid *g = s->array;
    clsolve_block_tridiag_options options = {.method = job->solver,
                                             .tolerance = job->tolerance,
                                             .max_iterations = job->max_iterations,
                                             .zero_guess = 1,
                                             .progress = progress_draw,
                                             .progress_user = &job->bar};
    clsolve_block_tridiag *handle = NULL;
    clsolve_status status =
        clsolve_block_tridiag_create(context, s->lines, s->length, job->precision->type, &options, &handle);
    if (status == CLSOLVE_OK) status = clsolve_block_tridiag_set(handle, &g[0], &g[1], &g[2], &g[3], &g[4]);
    if (status == CLSOLVE_OK && job->B.cols > 0) status = clsolve_block_tridiag_solve(handle, F, Y, job->B.cols);
    progress_erase(&job->bar);
    if (handle != NULL) keep_result(handle, s, job);
    exit_code code = status == CLSOLVE_OK ? EXIT_CODE_OK : explain(context, job, status, out);
    clsolve_block_tridiag_destroy(handle);
    return code;
}

exit_code method_block_gs_run(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_type type = job->precision->type;
    clsolve_grid F = {0}, Y = {0};
    shape s;
    int64_t columns = job->B.cols > 0 ? job->B.cols : 1;
    exit_code code = recognise(job, &s, out);
    if (code != EXIT_CODE_OK) return code;

    int made = make_grid(type, &s, columns, &F) && make_grid(type, &s, columns, &Y);
    for (int q = 0; q < 5 && made; q++) made = make_grid(type, &s, 1, &s.array[q]);
    if (made) {
        each_entry(&job->A, store_entry, &s);
        for (int64_t e = 0; e < job->B.entries; e++) put(&F, e, job->B.value[e]);
        code = solve_grid(context, job, &s, &F, &Y, out);
        for (int64_t e = 0; code == EXIT_CODE_OK && e < job->X.entries; e++)
            job->X.value[e] = type == CLSOLVE_F64 ? ((double *)Y.data)[e] : (double)((float *)Y.data)[e];
    } else {
        code = outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", job->matrix_path);
    }
    for (int q = 0; q < 5; q++) free(s.array[q].data);
    free(F.data);
    free(Y.data);
    return code;
}
