/*
 * Every call that takes a matrix, a grid or a batch, by the kind of its handle: with arrays in the caller's buffers it
 * does what it does with arrays on the host. The table in docs/interface.md is this list. What is beside the arrays stays.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "lu/interop_support.h"

enum { NRHS = 3, MEMBERS = 6, LOWER = 2, UPPER = 3, BAND_ROWS = LOWER + UPPER + 1, MOST = 7 };

/* The arrays of a call: what it reads, and last what it writes. */
typedef struct arrays {
    int count;
    int64_t rows[MOST], cols[MOST];
    double *values[MOST];
} arrays;

typedef struct job {
    const char *name;
    /* What the call reads and writes for order n. */
    void (*make)(arrays *a, int64_t n);
    /* Makes the handle and the calls with these views. */
    clsolve_status (*run)(int kind, int64_t n, clsolve_matrix *views);
    int kind;
    int64_t largest; /* order; 0: any */
    int by_rows;     /* row-major arrays too */
    int as_double;   /* needs no double of the device where a matrix is of doubles */
} job;

static double *add(arrays *a, int64_t rows, int64_t cols) {
    int q = a->count++;
    a->rows[q] = rows;
    a->cols[q] = cols;
    return a->values[q] = io_values((uint64_t)q + 1, rows * cols);
}

/* The first failure of several calls. */
#define FIRST(status, call)                                                                                            \
    do {                                                                                                               \
        if ((status) == CLSOLVE_OK) (status) = (call);                                                                 \
    } while (0)

/* ---- dense LU ---- */

enum { PLAIN, RCOND, EQUILIBRATED, REFINED, MIXED, RBT, LU_KINDS };

static void dense(arrays *a, int64_t n) {
    double *A = add(a, n, n);
    for (int64_t i = 0; i < n; i++) A[i + i * n] = test_rounded(io.type, A[i + i * n] + 4 * sqrt((double)n));
}

static void dense_system(arrays *a, int64_t n) {
    dense(a, n);
    (void)add(a, n, NRHS);
}

static void dense_pair(arrays *a, int64_t n) {
    dense(a, n);
    (void)add(a, n, n);
}

static clsolve_lu_options lu_options(int kind) {
    return (clsolve_lu_options){.rcond = kind == RCOND,
                                .equilibrate = kind == EQUILIBRATED,
                                .pivoting = kind == RBT ? CLSOLVE_PIVOTING_RBT : CLSOLVE_PIVOTING_AUTO,
                                .refine = kind == REFINED,
                                .precision = kind == MIXED ? CLSOLVE_PRECISION_MIXED : CLSOLVE_PRECISION_AUTO};
}

static clsolve_status lu_solve(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_lu_options options = lu_options(kind);
    clsolve_lu *lu = NULL;
    clsolve_status status = clsolve_lu_create(io.context, n, io.type, &options, &lu);
    FIRST(status, clsolve_lu_factor(lu, &v[0]));
    FIRST(status, clsolve_lu_solve(lu, CLSOLVE_TRANS, &v[1]));
    clsolve_lu_destroy(lu);
    return status;
}

static clsolve_status lu_factors(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_lu_options options = lu_options(kind);
    clsolve_lu *lu = NULL;
    clsolve_status status = clsolve_lu_create(io.context, n, io.type, &options, &lu);
    FIRST(status, clsolve_lu_factor(lu, &v[0]));
    FIRST(status, clsolve_lu_factors(lu, &v[1], NULL));
    clsolve_lu_destroy(lu);
    return status;
}

/* ---- Gauss-Jordan ---- */

static clsolve_status gj_solve(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)kind};
    clsolve_gauss_jordan *gj = NULL;
    clsolve_status status = clsolve_gauss_jordan_create(io.context, n, io.type, &options, &gj);
    FIRST(status, clsolve_gauss_jordan_solve(gj, CLSOLVE_TRANS, &v[0], &v[1]));
    clsolve_gauss_jordan_destroy(gj);
    return status;
}

static clsolve_status gj_invert(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)kind};
    clsolve_gauss_jordan *gj = NULL;
    clsolve_status status = clsolve_gauss_jordan_create(io.context, n, io.type, &options, &gj);
    FIRST(status, clsolve_gauss_jordan_invert(gj, &v[0], &v[1]));
    clsolve_gauss_jordan_destroy(gj);
    return status;
}

/* ---- bands ---- */

enum { BAND_PLAIN, BAND_REFINED, BAND_EQUILIBRATED, BAND_MIXED, BAND_GBTRF };

static void band(arrays *a, int64_t n, int64_t above) {
    double *AB = add(a, BAND_ROWS + above, n);
    for (int64_t j = 0; j < n; j++) AB[above + UPPER + j * (BAND_ROWS + above)] += 6;
    for (int64_t j = 0; j < n; j++)
        AB[above + UPPER + j * (BAND_ROWS + above)] =
            test_rounded(io.type, AB[above + UPPER + j * (BAND_ROWS + above)]);
}

static void band_system(arrays *a, int64_t n) {
    band(a, n, 0);
    (void)add(a, n, NRHS);
}

static void gbtrf_system(arrays *a, int64_t n) {
    band(a, n, LOWER);
    (void)add(a, n, NRHS);
}

static void band_pair(arrays *a, int64_t n) {
    band(a, n, 0);
    (void)add(a, BAND_ROWS + LOWER, n);
}

static clsolve_status make_band(int kind, int64_t n, clsolve_band **made) {
    clsolve_band_options options = {.form = kind == BAND_GBTRF ? CLSOLVE_BAND_GBTRF : CLSOLVE_BAND_PLAIN,
                                    .refine = kind == BAND_REFINED,
                                    .equilibrate = kind == BAND_EQUILIBRATED,
                                    .precision = kind == BAND_MIXED ? CLSOLVE_PRECISION_MIXED : CLSOLVE_PRECISION_AUTO};
    return clsolve_band_create(io.context, n, LOWER, UPPER, io.type, &options, made);
}

static clsolve_status band_solve(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_band *handle = NULL;
    clsolve_status status = make_band(kind, n, &handle);
    FIRST(status, clsolve_band_factor(handle, &v[0]));
    FIRST(status, clsolve_band_solve(handle, CLSOLVE_TRANS, &v[1]));
    clsolve_band_destroy(handle);
    return status;
}

static clsolve_status band_factors(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_band *handle = NULL;
    clsolve_status status = make_band(kind, n, &handle);
    FIRST(status, clsolve_band_factor(handle, &v[0]));
    FIRST(status, clsolve_band_factors(handle, &v[1], NULL));
    clsolve_band_destroy(handle);
    return status;
}

/* The upper form: AB has the diagonal in its last row. */
static void definite_band(arrays *a, int64_t n) {
    double *AB = add(a, UPPER + 1, n);
    for (int64_t j = 0; j < n; j++)
        AB[UPPER + j * (UPPER + 1)] = test_rounded(io.type, 6 + fabs(AB[UPPER + j * (UPPER + 1)]));
    (void)add(a, n, NRHS);
}

static clsolve_status band_cholesky(int kind, int64_t n, clsolve_matrix *v) {
    const clsolve_band_cholesky_options options = {.refine = kind == BAND_REFINED,
                                                   .equilibrate = kind == BAND_EQUILIBRATED,
                                                   .precision = kind == BAND_MIXED ? CLSOLVE_PRECISION_MIXED
                                                                                   : CLSOLVE_PRECISION_AUTO};
    clsolve_band_cholesky *handle = NULL;
    clsolve_status status = clsolve_band_cholesky_create(io.context, n, UPPER, io.type, &options, &handle);
    FIRST(status, clsolve_band_cholesky_factor(handle, CLSOLVE_UPPER, &v[0]));
    FIRST(status, clsolve_band_cholesky_solve(handle, &v[1]));
    clsolve_band_cholesky_destroy(handle);
    return status;
}

/* ---- the front door ---- */

enum { ONE_CALL, ONE_CALL_JORDAN, SOLVER, SOLVER_REFINED, SOLVER_JORDAN };

static clsolve_status solver_solve(int kind, int64_t n, clsolve_matrix *v) {
    int jordan = kind == ONE_CALL_JORDAN || kind == SOLVER_JORDAN;
    clsolve_solver_options options = {.method = jordan ? CLSOLVE_METHOD_GAUSS_JORDAN : CLSOLVE_METHOD_LU,
                                      .refine = kind == SOLVER_REFINED};
    clsolve_solver *solver = NULL;
    (void)n;
    if (kind <= ONE_CALL_JORDAN) return clsolve_solve(io.context, CLSOLVE_NO_TRANS, &v[0], &v[1], &options, NULL);
    clsolve_status status = clsolve_solver_create(io.context, &v[0], &options, &solver);
    FIRST(status, clsolve_solver_factor(solver, &v[0]));
    FIRST(status, clsolve_solver_solve(solver, CLSOLVE_TRANS, &v[1]));
    clsolve_solver_destroy(solver);
    return status;
}

/* ---- batches: members beside each other ---- */

static clsolve_batch batch_of(const clsolve_matrix *m) {
    int64_t cols = m->cols / MEMBERS;
    return (clsolve_batch){.type = m->type,
                           .layout = CLSOLVE_COLUMN_MAJOR,
                           .count = MEMBERS,
                           .rows = m->rows,
                           .cols = cols,
                           .ld = m->ld,
                           .stride = m->ld * cols,
                           .data = m->data,
                           .place = m->place,
                           .offset = m->offset};
}

static void dense_members(arrays *a, int64_t n) {
    double *A = add(a, n, n * MEMBERS);
    for (int64_t i = 0; i < n * MEMBERS; i++)
        A[i % n + i * n] = test_rounded(io.type, A[i % n + i * n] + 4 * sqrt((double)n));
    (void)add(a, n, n * MEMBERS);
}

/* Symmetric members, and so much on their diagonals that they are positive definite. */
static void definite_members(arrays *a, int64_t n) {
    double *A = add(a, n, n * MEMBERS);
    for (int64_t m = 0; m < MEMBERS; m++)
        for (int64_t j = 0; j < n; j++) {
            double *member = A + m * n * n;
            for (int64_t i = 0; i < j; i++) member[i + j * n] = member[j + i * n];
            member[j + j * n] = test_rounded(io.type, member[j + j * n] + 2 * (double)n);
        }
    (void)add(a, n, n * MEMBERS);
}

static void band_members(arrays *a, int64_t n) {
    band(a, n * MEMBERS, 0);
    (void)add(a, n, NRHS * MEMBERS);
}

static void band_members_pair(arrays *a, int64_t n) {
    band(a, n * MEMBERS, 0);
    (void)add(a, BAND_ROWS + LOWER, n * MEMBERS);
}

static void tridiagonal_members(arrays *a, int64_t n) {
    for (int q = 0; q < 3; q++) {
        double *d = add(a, n, MEMBERS);
        for (int64_t k = 0; q == 1 && k < n * MEMBERS; k++) d[k] = test_rounded(io.type, d[k] + 4);
    }
    (void)add(a, n, NRHS * MEMBERS);
}

static clsolve_status gj_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch A = batch_of(&v[0]), X = batch_of(&v[1]);
    clsolve_gauss_jordan_batch *handle = NULL;
    int64_t info[MEMBERS];
    clsolve_status status = clsolve_gauss_jordan_batch_create(io.context, n, MEMBERS, io.type, NULL, &handle);
    if (kind) FIRST(status, clsolve_gauss_jordan_batch_solve(handle, CLSOLVE_TRANS, &A, &X, info));
    if (!kind) FIRST(status, clsolve_gauss_jordan_batch_invert(handle, &A, &X, info));
    clsolve_gauss_jordan_batch_destroy(handle);
    return status;
}

enum { LU_FACTORS, LU_INVERSE, LU_SOLVE };

static clsolve_status lu_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch A = batch_of(&v[0]), X = batch_of(&v[1]);
    clsolve_lu_batch *handle = NULL;
    int64_t info[MEMBERS];
    clsolve_status status = clsolve_lu_batch_create(io.context, n, MEMBERS, io.type, NULL, &handle);
    FIRST(status, clsolve_lu_batch_factor(handle, &A, info));
    if (kind == LU_FACTORS) FIRST(status, clsolve_lu_batch_factors(handle, &X, NULL));
    if (kind == LU_INVERSE) FIRST(status, clsolve_lu_batch_inverse(handle, &X, info));
    if (kind == LU_SOLVE) FIRST(status, clsolve_lu_batch_solve(handle, CLSOLVE_TRANS, &X, info));
    clsolve_lu_batch_destroy(handle);
    return status;
}

enum { CHOLESKY_FACTORS, CHOLESKY_INVERSE, CHOLESKY_SOLVE };

static clsolve_status cholesky_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch A = batch_of(&v[0]), X = batch_of(&v[1]);
    clsolve_cholesky_batch *handle = NULL;
    int64_t info[MEMBERS];
    clsolve_status status = clsolve_cholesky_batch_create(io.context, n, MEMBERS, io.type, NULL, &handle);
    FIRST(status, clsolve_cholesky_batch_factor(handle, CLSOLVE_UPPER, &A, info));
    if (kind == CHOLESKY_FACTORS) FIRST(status, clsolve_cholesky_batch_factors(handle, CLSOLVE_LOWER, &X));
    if (kind == CHOLESKY_INVERSE) FIRST(status, clsolve_cholesky_batch_inverse(handle, CLSOLVE_UPPER, &X, info));
    if (kind == CHOLESKY_SOLVE) FIRST(status, clsolve_cholesky_batch_solve(handle, &X, info));
    clsolve_cholesky_batch_destroy(handle);
    return status;
}

/* Its solves and inverses go the way of Cholesky's, its factors their own. */
static clsolve_status ldl_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch A = batch_of(&v[0]), X = batch_of(&v[1]);
    clsolve_ldl_batch *handle = NULL;
    int64_t info[MEMBERS];
    const int64_t orders[MEMBERS] = {n, n, n, n, n, n};
    clsolve_status status = kind ? clsolve_ldl_batch_create_ragged(io.context, orders, MEMBERS, io.type, NULL, &handle)
                                 : clsolve_ldl_batch_create(io.context, n, MEMBERS, io.type, NULL, &handle);
    FIRST(status, clsolve_ldl_batch_factor(handle, CLSOLVE_LOWER, &A, info));
    FIRST(status, clsolve_ldl_batch_factors(handle, &X, NULL));
    clsolve_ldl_batch_destroy(handle);
    return status;
}

static clsolve_status band_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch AB = batch_of(&v[0]), X = batch_of(&v[1]);
    clsolve_band_batch *handle = NULL;
    int64_t info[MEMBERS];
    clsolve_status status = clsolve_band_batch_create(io.context, n, LOWER, UPPER, MEMBERS, io.type, NULL, &handle);
    FIRST(status, clsolve_band_batch_factor(handle, &AB, info));
    if (kind) FIRST(status, clsolve_band_batch_solve(handle, CLSOLVE_TRANS, &X, info));
    if (!kind) FIRST(status, clsolve_band_batch_factors(handle, &X, NULL));
    clsolve_band_batch_destroy(handle);
    return status;
}

static clsolve_status tridiagonal_batch(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_batch d[4] = {batch_of(&v[0]), batch_of(&v[1]), batch_of(&v[2]), batch_of(&v[3])};
    clsolve_tridiagonal_batch_options options = {.pivoting = (clsolve_pivoting)kind};
    clsolve_tridiagonal_batch *handle = NULL;
    int64_t info[MEMBERS];
    clsolve_status status = clsolve_tridiagonal_batch_create(io.context, n, MEMBERS, io.type, &options, &handle);
    FIRST(status, clsolve_tridiagonal_batch_factor(handle, &d[0], &d[1], &d[2], info));
    FIRST(status, clsolve_tridiagonal_batch_solve(handle, CLSOLVE_TRANS, &d[3], info));
    clsolve_tridiagonal_batch_destroy(handle);
    return status;
}

/* ---- grids: columns are lines; up, a, c, b, down, F, Y ---- */

static void grid(arrays *a, int64_t n) {
    for (int q = 0; q < 7; q++) {
        double *values = add(a, n, n + 2);
        for (int64_t k = 0; q == 2 && k < n * (n + 2); k++) values[k] = test_rounded(io.type, values[k] + 8);
    }
}

static clsolve_status grid_solve(int kind, int64_t n, clsolve_matrix *v) {
    clsolve_block_gs_options options = {.method = (clsolve_block_gs_method)kind, .tolerance = 1e-5};
    clsolve_block_gs *handle = NULL;
    clsolve_grid g[7];
    for (int q = 0; q < 7; q++)
        g[q] = (clsolve_grid){.type = v[q].type,
                              .line_stride = v[q].ld,
                              .stride = 1,
                              .rhs_stride = v[q].ld * (n + 2),
                              .data = v[q].data,
                              .place = v[q].place,
                              .offset = v[q].offset};
    clsolve_status status = clsolve_block_gs_create(io.context, n + 2, n, io.type, &options, &handle);
    FIRST(status, clsolve_block_gs_factor(handle, &g[0], &g[1], &g[2], &g[3], &g[4]));
    FIRST(status, clsolve_block_gs_solve(handle, &g[5], &g[6], 1));
    clsolve_block_gs_destroy(handle);
    return status;
}

/* ---- all of them ---- */

static const job jobs[] = {
    {"lu", dense_system, lu_solve, PLAIN, 0, 1, 1},
    {"lu, rcond", dense_system, lu_solve, RCOND, 0, 1, 1},
    {"lu, equilibrate", dense_system, lu_solve, EQUILIBRATED, 0, 1, 1},
    {"lu, refine", dense_system, lu_solve, REFINED, 0, 1, 1},
    {"lu, mixed", dense_system, lu_solve, MIXED, 0, 1, 1},
    {"lu, rbt", dense_system, lu_solve, RBT, 0, 1, 1},
    {"lu factors", dense_pair, lu_factors, PLAIN, 0, 1, 0},
    {"lu factors, refine", dense_pair, lu_factors, REFINED, 0, 1, 0},
    {"gauss-jordan solve", dense_system, gj_solve, CLSOLVE_GAUSS_JORDAN_AUTO, 0, 1, 0},
    {"gauss-jordan solve, two passes", dense_system, gj_solve, CLSOLVE_GAUSS_JORDAN_TWO_PASS, 0, 1, 0},
    {"gauss-jordan solve, operations", dense_system, gj_solve, CLSOLVE_GAUSS_JORDAN_OPERATIONS, 0, 1, 0},
    {"gauss-jordan solve, blocked", dense_system, gj_solve, CLSOLVE_GAUSS_JORDAN_BLOCKED, 0, 1, 0},
    {"gauss-jordan invert", dense_pair, gj_invert, CLSOLVE_GAUSS_JORDAN_AUTO, 0, 1, 0},
    {"gauss-jordan invert, blocked", dense_pair, gj_invert, CLSOLVE_GAUSS_JORDAN_BLOCKED, 0, 1, 0},
    {"band", band_system, band_solve, BAND_PLAIN, 0, 1, 1},
    {"band, gbtrf's form", gbtrf_system, band_solve, BAND_GBTRF, 0, 1, 1},
    {"band, refine", band_system, band_solve, BAND_REFINED, 0, 1, 1},
    {"band, equilibrate", band_system, band_solve, BAND_EQUILIBRATED, 0, 1, 1},
    {"band, mixed", band_system, band_solve, BAND_MIXED, 0, 1, 1},
    {"band factors", band_pair, band_factors, BAND_PLAIN, 0, 1, 0},
    {"band factors, refine", band_pair, band_factors, BAND_REFINED, 0, 1, 0},
    {"band cholesky", definite_band, band_cholesky, BAND_PLAIN, 0, 1, 1},
    {"band cholesky, refine", definite_band, band_cholesky, BAND_REFINED, 0, 1, 1},
    {"band cholesky, equilibrate", definite_band, band_cholesky, BAND_EQUILIBRATED, 0, 1, 1},
    {"band cholesky, mixed", definite_band, band_cholesky, BAND_MIXED, 0, 1, 1},
    {"solve", dense_system, solver_solve, ONE_CALL, 0, 1, 1},
    {"solve, gauss-jordan", dense_system, solver_solve, ONE_CALL_JORDAN, 0, 1, 0},
    {"solver", dense_system, solver_solve, SOLVER, 0, 1, 1},
    {"solver, refine", dense_system, solver_solve, SOLVER_REFINED, 0, 1, 1},
    {"solver, gauss-jordan", dense_system, solver_solve, SOLVER_JORDAN, 0, 1, 0},
    {"gauss-jordan batch invert", dense_members, gj_batch, 0, 3, 0, 0},
    {"gauss-jordan batch solve", dense_members, gj_batch, 1, 3, 0, 0},
    {"lu batch factors", dense_members, lu_batch, LU_FACTORS, 3, 0, 0},
    {"lu batch inverse", dense_members, lu_batch, LU_INVERSE, 3, 0, 0},
    {"lu batch solve", dense_members, lu_batch, LU_SOLVE, 3, 0, 0},
    {"cholesky batch factors", definite_members, cholesky_batch, CHOLESKY_FACTORS, 3, 0, 0},
    {"cholesky batch inverse", definite_members, cholesky_batch, CHOLESKY_INVERSE, 3, 0, 0},
    {"cholesky batch solve", definite_members, cholesky_batch, CHOLESKY_SOLVE, 3, 0, 0},
    {"ldl batch factors", definite_members, ldl_batch, 0, 3, 0, 0},
    {"ldl batch factors, ragged", definite_members, ldl_batch, 1, 3, 0, 0},
    {"band batch factors", band_members_pair, band_batch, 0, 0, 0, 0},
    {"band batch solve", band_members, band_batch, 1, 0, 0, 0},
    {"tridiagonal batch", tridiagonal_members, tridiagonal_batch, CLSOLVE_PIVOTING_AUTO, 0, 0, 0},
    {"tridiagonal batch, partial", tridiagonal_members, tridiagonal_batch, CLSOLVE_PIVOTING_PARTIAL, 0, 0, 0},
    {"tridiagonal batch, none", tridiagonal_members, tridiagonal_batch, CLSOLVE_PIVOTING_NONE, 0, 0, 0},
    {"block-gs", grid, grid_solve, CLSOLVE_BLOCK_GS_AUTO, 64, 0, 0},
    {"block-gs, gauss-seidel", grid, grid_solve, CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, 64, 0, 0},
    {"block-gs, multigrid", grid, grid_solve, CLSOLVE_BLOCK_GS_MULTIGRID, 64, 0, 0},
    {"block-gs, bicgstab", grid, grid_solve, CLSOLVE_BLOCK_GS_BICGSTAB, 64, 0, 0},
};

/* The arrays on the device, then the same on the host: the result of both, to what rounding may differ. */
static void in_both_places(const job *j, int64_t n, clsolve_layout layout) {
    arrays a = {.count = 0};
    io_matrix m[MOST];
    clsolve_matrix on_device[MOST], on_host[MOST];
    j->make(&a, n);
    for (int q = 0; q < a.count; q++) {
        m[q] = io_put(layout, a.rows[q], a.cols[q], a.values[q]);
        on_device[q] = m[q].view;
        on_host[q] = m[q].host.view;
    }
    int last = a.count - 1;
    int64_t count = a.rows[last] * a.cols[last];
    double *there = io_values(0, count), *here = io_values(0, count), most = 0, off = 0;
    clsolve_status status = j->run(j->kind, n, on_device);
    if (status != CLSOLVE_OK)
        fail_msg("%s, n %d, on the device: %s: %s", j->name, (int)n, clsolve_status_name(status),
                 clsolve_context_message(io.context));
    for (int q = 0; q < last; q++) {
        SCRATCH double *back = io_values(0, a.rows[q] * a.cols[q]);
        io_get(&m[q], NULL, back);
        io_same(back, a.values[q], a.rows[q] * a.cols[q]);
    }
    io_get(&m[last], NULL, there);
    test_matrix_set(&m[last].host, a.values[last]);
    status = j->run(j->kind, n, on_host);
    if (status != CLSOLVE_OK)
        fail_msg("%s, n %d, on the host: %s", j->name, (int)n, clsolve_context_message(io.context));
    test_matrix_get(&m[last].host, here);
    for (int64_t k = 0; k < count; k++) {
        most = test_worst(most, fabs(here[k]));
        off = test_worst(off, fabs(here[k] - there[k]));
    }
    if (!(off <= 1e-3 * most)) fail_msg("%s, n %d, layout %d: %g of %g off", j->name, (int)n, (int)layout, off, most);
    for (int q = 0; q < a.count; q++) {
        io_drop(&m[q]);
        free(a.values[q]);
    }
    free(there), free(here);
}

/* Each call in either type, by turns of the orders; as a GPU a CPU compiles all kernels anew: each family in one. */
static int type_of(const job *j, int turn) {
    if (test_reduced() && test_pretends("gpu")) return j->as_double ? CLSOLVE_F64 : CLSOLVE_F32;
    return turn % 2 ? CLSOLVE_F64 : CLSOLVE_F32;
}

TEST(every_call) {
    static const int64_t orders[] = {3, 40, 131};
    const clsolve_type widest = io.type;
    const size_t first = test_reduced() ? 1 : 0; /* each order is a program of its own */
    for (size_t w = 0; w < sizeof jobs / sizeof *jobs; w++)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++)
            for (size_t o = first; o < sizeof orders / sizeof *orders; o++)
                for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
                    const job *j = &jobs[w];
                    if (type > (int)widest && !j->as_double) continue;
                    if (strstr(j->name, "mixed") && type == CLSOLVE_F32) continue;
                    if (layout == CLSOLVE_ROW_MAJOR && !j->by_rows) continue;
                    if (j->largest > 0 && orders[o] > j->largest) continue;
                    if (widest == CLSOLVE_F64 && !strstr(j->name, "mixed") && type != type_of(j, (int)(w + o)))
                        continue;
                    io.type = (clsolve_type)type;
                    in_both_places(j, orders[o], (clsolve_layout)layout);
                    io.type = widest;
                }
}

TEST_PROGRAM_OF("opencl", io_open, io_close)
