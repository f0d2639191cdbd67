/*
 * warm.c: the steps of `clsolve warm`. Kernels depend on the sizes of blocks, which go by the order of the matrix. So a
 * small system of each family is solved, and handles of the other sizes are made and given back.
 */
#include "tool/warm.h"

#include <stdint.h>
#include <stdlib.h>

static void put(clsolve_type type, void *data, int64_t at, double value) {
    if (type == CLSOLVE_F64)
        ((double *)data)[at] = value;
    else
        ((float *)data)[at] = (float)value;
}

static void *reals(clsolve_type type, int64_t count) {
    return calloc((size_t)count, type == CLSOLVE_F64 ? sizeof(double) : sizeof(float));
}

static clsolve_matrix view(clsolve_type type, int64_t rows, int64_t cols, void *data) {
    clsolve_matrix matrix = clsolve_matrix_f64(rows, cols, data);
    matrix.type = type;
    return matrix;
}

/* A dense matrix, which needs few exchanges of rows, and ones. */
static int dense_system(clsolve_type type, int64_t n, void **a, void **b) {
    *a = reals(type, n * n);
    *b = reals(type, n);
    if (!*a || !*b) return 0;
    for (int64_t e = 0; e < n * n; e++) put(type, *a, e, (double)((e * 40503 + e / n * 9176) % 65537) / 65536 - 0.5);
    for (int64_t i = 0; i < n; i++) {
        put(type, *a, i * (n + 1), 8);
        put(type, *b, i, 1);
    }
    return 1;
}

/* ---- dense ---- */

static clsolve_status solve_dense(clsolve_context *context, clsolve_type type, int64_t n, clsolve_precision precision) {
    clsolve_solver_options options = {
        .method = CLSOLVE_METHOD_LU, .rcond = 1, .precision = precision, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_solver *solver = NULL;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    void *a = NULL, *b = NULL;
    if (dense_system(type, n, &a, &b)) {
        clsolve_matrix A = view(type, n, n, a), B = view(type, n, 1, b);
        status = clsolve_solver_create(context, &A, &options, &solver);
        if (status == CLSOLVE_OK) status = clsolve_solver_factor(solver, &A);
        if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B);
        if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_TRANS, &B);
        clsolve_solver_destroy(solver);
    }
    free(a);
    free(b);
    return status;
}

static clsolve_status lu(clsolve_context *context, clsolve_type type, int64_t n) {
    return solve_dense(context, type, n, CLSOLVE_PRECISION_WORKING);
}

/* Doubles by float factors, where AUTO takes these. */
static clsolve_status mixed(clsolve_context *context, clsolve_type type, int64_t n) {
    return type == CLSOLVE_F64 ? solve_dense(context, type, n, CLSOLVE_PRECISION_AUTO) : CLSOLVE_OK;
}

static clsolve_status lu_handle(clsolve_context *context, clsolve_type type, int64_t n) {
    clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_lu *handle = NULL;
    clsolve_status status = clsolve_lu_create(context, n, type, &options, &handle);
    clsolve_lu_destroy(handle);
    return status;
}

static clsolve_status inverse(clsolve_context *context, clsolve_type type, int64_t n) {
    clsolve_gauss_jordan_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_gauss_jordan *handle = NULL;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    void *a = NULL, *b = NULL;
    if (dense_system(type, n, &a, &b)) {
        clsolve_matrix A = view(type, n, n, a), X = A;
        status = clsolve_gauss_jordan_create(context, n, type, &options, &handle);
        if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_invert(handle, &A, &X);
        clsolve_gauss_jordan_destroy(handle);
    }
    free(a);
    free(b);
    return status;
}

/* A X = b by Cholesky or by LDL^T, A the sum of a multiple of I and of a matrix of rank one. */
static clsolve_status definite(clsolve_context *context, clsolve_type type, int64_t n, clsolve_method method) {
    const clsolve_solver_options options = {.method = method, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    void *a = reals(type, n * n), *b = reals(type, n);
    if (a && b) {
        for (int64_t e = 0; e < n * n; e++) put(type, a, e, e / n == e % n ? 3 : 1.0 / (double)n);
        for (int64_t i = 0; i < n; i++) put(type, b, i, 1);
        const clsolve_matrix A = view(type, n, n, a);
        clsolve_matrix B = view(type, n, 1, b);
        status = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, NULL);
    }
    free(a);
    free(b);
    return status;
}

static clsolve_status cholesky(clsolve_context *context, clsolve_type type, int64_t n) {
    return definite(context, type, n, CLSOLVE_METHOD_CHOLESKY);
}

static clsolve_status ldl(clsolve_context *context, clsolve_type type, int64_t n) {
    return definite(context, type, n, CLSOLVE_METHOD_LDL);
}

/* The kernel that looks whether a matrix on the device is symmetric. */
static clsolve_status symmetric(clsolve_context *context, clsolve_type type, int64_t n) {
    (void)n;
    if (clsolve_context_device(context).host_memory) return CLSOLVE_OK; /* the host looks at matrices there */
    return clsolve_context_self_test(context, type, NULL, 0);
}

/* ---- sparse ---- */

typedef struct rows {
    int64_t n, *start, *column;
    void *value, *b;
} rows;

/* Room for `count` entries, and ones. 0: no memory. */
static int rows_make(clsolve_type type, int64_t n, int64_t count, rows *r) {
    *r = (rows){.n = n,
                .start = calloc((size_t)n + 1, sizeof *r->start),
                .column = calloc((size_t)count, sizeof *r->column),
                .value = reals(type, count),
                .b = reals(type, n)};
    for (int64_t i = 0; r->b && i < n; i++) put(type, r->b, i, 1);
    return r->start && r->column && r->value && r->b;
}

static void rows_free(rows *r) {
    free(r->start);
    free(r->column);
    free(r->value);
    free(r->b);
}

/* Behind what row i has already. */
static void rows_add(clsolve_type type, rows *r, int64_t i, int64_t j, double value) {
    int64_t at = r->start[i + 1]++;
    r->column[at] = j;
    put(type, r->value, at, value);
}

static clsolve_status solve_rows(clsolve_context *context, clsolve_type type, const rows *r, clsolve_method method) {
    clsolve_solver_options options = {.method = method, .rcond = 1, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_csr A = clsolve_csr_i64_f64(r->n, r->start, r->column, r->value);
    clsolve_matrix B = view(type, r->n, 1, r->b);
    clsolve_solver *solver = NULL;
    A.type = type;
    clsolve_status status = clsolve_solver_create_csr(context, &A, &options, &solver);
    if (status == CLSOLVE_OK) status = clsolve_solver_factor_csr(solver, &A);
    if (status == CLSOLVE_OK) status = clsolve_solver_solve(solver, CLSOLVE_NO_TRANS, &B);
    clsolve_solver_destroy(solver);
    return status;
}

/* As many diagonals on each side as `wide`; symmetric, so that both methods take it. */
static clsolve_status band_by(clsolve_context *context, clsolve_type type, int64_t wide, clsolve_method method) {
    const int64_t n = 20 * wide;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    rows r;
    if (rows_make(type, n, n * (2 * wide + 1), &r)) {
        for (int64_t i = 0; i < n; i++) {
            r.start[i + 1] = r.start[i];
            for (int64_t j = i > wide ? i - wide : 0; j < n && j <= i + wide; j++)
                rows_add(type, &r, i, j, i == j ? (double)(2 * wide) : 1 / (1.0 + (double)((i + j) % 7)));
        }
        status = solve_rows(context, type, &r, method);
    }
    rows_free(&r);
    return status;
}

static clsolve_status band(clsolve_context *context, clsolve_type type, int64_t wide) {
    return band_by(context, type, wide, CLSOLVE_METHOD_BAND);
}

static clsolve_status band_cholesky(clsolve_context *context, clsolve_type type, int64_t wide) {
    return band_by(context, type, wide, CLSOLVE_METHOD_CHOLESKY);
}

/* AUTO's kernels for such grids, and those that it gets later where its levels in float are of no use. */
static clsolve_status grid_handle(clsolve_context *context, clsolve_type type, int64_t M) {
    const clsolve_block_gs_options options[] = {{0}, {.single_precision = 1}};
    clsolve_status status = CLSOLVE_OK;
    for (int o = 0; o < 2 && status == CLSOLVE_OK; o++) {
        clsolve_block_gs *handle = NULL;
        status = clsolve_block_gs_create(context, M, M, type, &options[o], &handle);
        clsolve_block_gs_destroy(handle);
    }
    return status;
}

/* The five-point matrix on M x M points, with a little more on the diagonal. */
static clsolve_status grid(clsolve_context *context, clsolve_type type, int64_t M) {
    const int64_t n = M * M;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    rows r;
    if (rows_make(type, n, 5 * n, &r)) {
        for (int64_t i = 0; i < n; i++) {
            r.start[i + 1] = r.start[i];
            if (i >= M) rows_add(type, &r, i, i - M, -1);
            if (i % M > 0) rows_add(type, &r, i, i - 1, -1);
            rows_add(type, &r, i, i, 4.25);
            if (i % M < M - 1) rows_add(type, &r, i, i + 1, -1);
            if (i < n - M) rows_add(type, &r, i, i + M, -1);
        }
        status = solve_rows(context, type, &r, CLSOLVE_METHOD_BLOCK_GS);
    }
    rows_free(&r);
    return status;
}

static clsolve_status large_grid(clsolve_context *context, clsolve_type type, int64_t M) {
    const clsolve_status status = grid(context, type, M);
    return status == CLSOLVE_OK ? grid_handle(context, type, M) : status;
}

/* ---- fronts of every kind ---- */

/* Dense blocks of f rows, with entries in the first b rows and columns of block `above`. In this order a block is a
 * front of f pivots and b more rows, and there is one of each kind (src/method/fronts_device/device.h). Fronts of one
 * level that are few join the next kind, so the third one has a level of its own. */
enum { BLOCKS = 9, LAST = BLOCKS - 1, FOURTH = 3 };
static const struct {
    int64_t f, b;
    int above;
} blocks[BLOCKS] = {{8, 8, LAST},     {24, 24, LAST},   {60, 60, FOURTH},  {200, 60, LAST}, {256, 700, LAST},
                    {400, 200, LAST}, {800, 200, LAST}, {1100, 700, LAST}, {1100, 0, LAST}};

/* Block of row i, and its place there. */
static int block_of(int64_t i, int64_t *at) {
    int of = 0;
    while (i >= blocks[of].f) i -= blocks[of++].f;
    *at = i;
    return of;
}

static int is_entry(int64_t i, int64_t j) {
    int64_t row, column;
    const int of_row = block_of(i, &row), of_column = block_of(j, &column);
    if (of_row == of_column) return 1;
    return (of_column == blocks[of_row].above && column < blocks[of_row].b) ||
           (of_row == blocks[of_column].above && row < blocks[of_column].b);
}

/* 0: no memory. */
static int blocks_make(clsolve_type type, rows *r) {
    int64_t n = 0, count = 0;
    for (int k = 0; k < BLOCKS; k++) {
        n += blocks[k].f;
        count += blocks[k].f * (blocks[k].f + 2 * blocks[k].b);
    }
    if (!rows_make(type, n, count, r)) return 0;
    for (int64_t i = 0; i < n; i++) {
        r->start[i + 1] = r->start[i];
        for (int64_t j = 0; j < n; j++)
            if (is_entry(i, j)) rows_add(type, r, i, j, i == j ? (double)n : 1 / (1.0 + (double)((i + j) % 7)));
    }
    return 1;
}

/* A handle factors in double what is in double, or in float where the device is slow in double: floats have kernels of
 * their own, which are left out. */
static clsolve_status sparse(clsolve_context *context, clsolve_type type, int64_t form) {
    const clsolve_sparse_options options = {.form = (clsolve_sparse_form)form,
                                            .order = CLSOLVE_ORDER_NATURAL,
                                            .engine = CLSOLVE_SPARSE_MULTIFRONTAL,
                                            .amalgamation = CLSOLVE_CHOICE_OFF,
                                            .where = CLSOLVE_WHERE_DEVICE};
    clsolve_sparse *handle = NULL;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    rows r;
    if (type != CLSOLVE_F64) return CLSOLVE_OK;
    if (blocks_make(type, &r)) {
        const clsolve_csr A = clsolve_csr_i64_f64(r.n, r.start, r.column, r.value);
        status = clsolve_sparse_create_csr(context, &A, &options, &handle);
        if (status == CLSOLVE_OK) status = clsolve_sparse_factor_csr(handle, &A);
        clsolve_sparse_destroy(handle);
    }
    rows_free(&r);
    return status;
}

/* ---- batches ---- */

static clsolve_status lines(clsolve_context *context, clsolve_type type, int64_t n) {
    enum { COUNT = 64 };
    clsolve_tridiagonal_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_tridiagonal_batch *handle = NULL;
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    int64_t info[COUNT], words = n * COUNT;
    void *diagonal = reals(type, words), *side = reals(type, words), *b = reals(type, words);
    if (diagonal && side && b) {
        for (int64_t e = 0; e < words; e++) {
            put(type, diagonal, e, 4);
            put(type, side, e, -1);
            put(type, b, e, 1);
        }
        clsolve_batch off = clsolve_batch_f64(COUNT, n, 1, side);
        off.type = type;
        clsolve_batch d = off, B = off;
        d.data = diagonal;
        B.data = b;
        status = clsolve_tridiagonal_batch_create(context, n, COUNT, type, &options, &handle);
        if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(handle, &off, &d, &off, info);
        if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info);
        clsolve_tridiagonal_batch_destroy(handle);
    }
    free(diagonal);
    free(side);
    free(b);
    return status;
}

/* Between these orders of lu and of grid the kernels' shapes change (src/method/lu/small_setup.c, panel/sizes.c,
 * block_gs/hierarchy.c). */
const warm_step warm_steps[] = {
    {"lu", lu_handle, 64, 1, 1, 0},
    {"lu", lu_handle, 128, 1, 1, 0},
    {"lu", lu_handle, 256, 1, 1, 0},
    {"lu", lu_handle, 512, 1, 1, 0},
    {"lu", lu, 1000, 0, 1, 0},
    {"lu", lu, 3000, 1, 1, 0},
    {"lu", lu_handle, 6144, 1, 1, 0},
    {"lu", lu_handle, 12288, 1, 1, 0},
    {"lu", lu_handle, 16500, 1, 1, 0},
    {"mixed", mixed, 1000, 0, 1, 0},
    {"mixed", mixed, 3000, 1, 1, 0},
    {"cholesky", cholesky, 1000, 0, 1, 0},
    {"cholesky", cholesky, 3000, 1, 1, 0},
    {"ldl", ldl, 1000, 0, 1, 0},
    {"symmetric", symmetric, 0, 0, 1, 0},
    {"inverse", inverse, 1000, 0, 1, 0},
    {"inverse", inverse, 3000, 1, 1, 0},
    {"band", band, 100, 0, 1, 0},
    {"band", band, 300, 1, 1, 0},
    {"band-cholesky", band_cholesky, 100, 0, 1, 0},
    {"band-cholesky", band_cholesky, 300, 1, 1, 0},
    {"grid", grid, 127, 0, 0, 1},
    {"grid", large_grid, 255, 1, 0, 1},
    {"grid", large_grid, 511, 1, 0, 1},
    {"grid", grid_handle, 1023, 1, 0, 1},
    {"grid", grid_handle, 2047, 1, 0, 1},
    {"grid", grid_handle, 4095, 1, 0, 1},
    {"lines", lines, 1000, 0, 1, 1},
    {"sparse", sparse, CLSOLVE_SPARSE_GENERAL, 1, 1, 1},
    {"sparse", sparse, CLSOLVE_SPARSE_POSITIVE_DEFINITE, 1, 1, 1},
    {"sparse", sparse, CLSOLVE_SPARSE_SYMMETRIC, 1, 1, 1},
};
const int warm_step_count = sizeof warm_steps / sizeof warm_steps[0];
