/* families.c: see families.h. Matrices are of zeros but for ones on the diagonal, where the host looks at them. */
#include "vendors/families.h"

#include <clsolve/opencl.h>
#include <clsolve/sparse.h>

#include <stdlib.h>

static void *zeros(clsolve_type type, int64_t count) {
    return calloc((size_t)count, type == CLSOLVE_F64 ? sizeof(double) : sizeof(float));
}

static void put(clsolve_type type, void *data, int64_t at, double value) {
    if (type == CLSOLVE_F64)
        ((double *)data)[at] = value;
    else
        ((float *)data)[at] = (float)value;
}

static clsolve_matrix view(clsolve_type type, int64_t rows, int64_t cols, void *data) {
    clsolve_matrix matrix = clsolve_matrix_f64(rows, cols, data);
    matrix.type = type;
    return matrix;
}

static clsolve_batch members(clsolve_type type, int64_t count, int64_t rows, int64_t cols, void *data) {
    clsolve_batch batch = clsolve_batch_f64(count, rows, cols, data);
    batch.type = type;
    return batch;
}

/* ---- dense ---- */

/* A and B are large enough for each call of these. */
enum { FACTORED = 1500, SIDES = 1100 };
typedef struct dense {
    clsolve_context *context;
    clsolve_type type;
    void *a, *b;
} dense;

static void lu(const dense *d, int64_t n, const clsolve_lu_options *wanted) {
    static const int64_t sides[] = {1, 5, 64, SIDES};
    clsolve_lu_options options = *wanted;
    clsolve_lu *handle = NULL;
    options.where = CLSOLVE_WHERE_DEVICE;
    if (clsolve_lu_create(d->context, n, d->type, &options, &handle) == CLSOLVE_OK && n <= FACTORED) {
        for (clsolve_layout layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; layout++) {
            clsolve_matrix A = view(d->type, n, n, d->a);
            A.layout = layout;
            (void)clsolve_lu_factor(handle, &A);
            for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
                clsolve_matrix B = view(d->type, n, sides[s], d->b);
                (void)clsolve_lu_solve(handle, CLSOLVE_NO_TRANS, &B);
                (void)clsolve_lu_solve(handle, CLSOLVE_TRANS, &B);
            }
        }
    }
    clsolve_lu_destroy(handle);
}

/* Calls that enqueue find out how they went by a kernel of their own. */
static void enqueued_lu(const dense *d, int64_t n) {
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_lu *handle = NULL;
    clsolve_matrix A = view(d->type, n, n, d->a), B = view(d->type, n, 1, d->b);
    A.place = B.place = CLSOLVE_ON_DEVICE;
    if (clsolve_lu_create(d->context, n, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_lu_factor_enqueue(handle, &A, NULL);
        (void)clsolve_lu_solve_enqueue(handle, CLSOLVE_NO_TRANS, &B, NULL);
        (void)clsolve_lu_status(handle);
    }
    clsolve_lu_destroy(handle);
}

static void each_lu(const dense *d) {
    /* Between these the shapes change (src/tool/warm.c). */
    static const int64_t orders[] = {8, 40, 64, 128, 256, 512, 1000, FACTORED, 3000, 6144, 12288, 16500};
    const clsolve_lu_options trusted = {.equilibrate = 1, .refine = 1, .rcond = 1},
                             mixed = {.precision = CLSOLVE_PRECISION_MIXED};
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        for (clsolve_pivoting p = CLSOLVE_PIVOTING_PARTIAL; p <= CLSOLVE_PIVOTING_RBT; p++) {
            const clsolve_lu_options pivoted = {.pivoting = p};
            lu(d, orders[o], &pivoted);
        }
        lu(d, orders[o], &trusted);
        lu(d, orders[o], &mixed);
    }
    enqueued_lu(d, 300);
}

/* In one block and in several. */
static void each_cholesky(const dense *d) {
    static const int64_t orders[] = {40, 300, FACTORED, 3000};
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
        for (int trusted = 0; trusted < 2; trusted++) {
            const int64_t n = orders[o];
            clsolve_cholesky_options options = {
                .equilibrate = trusted, .refine = trusted, .where = CLSOLVE_WHERE_DEVICE};
            clsolve_cholesky *handle = NULL;
            clsolve_matrix A = view(d->type, n, n, d->a), B = view(d->type, n, 3, d->b);
            if (clsolve_cholesky_create(d->context, n, d->type, &options, &handle) == CLSOLVE_OK && n <= FACTORED) {
                (void)clsolve_cholesky_factor(handle, CLSOLVE_UPPER, &A);
                (void)clsolve_cholesky_solve(handle, &B);
                (void)clsolve_cholesky_inverse(handle, CLSOLVE_UPPER, &A);
            }
            clsolve_cholesky_destroy(handle);
        }
}

static void each_ldl(const dense *d) {
    static const int64_t orders[] = {40, 300, FACTORED};
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        const int64_t n = orders[o];
        const clsolve_ldl_options options = {.where = CLSOLVE_WHERE_DEVICE};
        clsolve_ldl *handle = NULL;
        clsolve_matrix A = view(d->type, n, n, d->a), B = view(d->type, n, 3, d->b);
        if (clsolve_ldl_create(d->context, n, d->type, &options, &handle) == CLSOLVE_OK) {
            (void)clsolve_ldl_factor(handle, CLSOLVE_LOWER, &A);
            (void)clsolve_ldl_solve(handle, &B);
        }
        clsolve_ldl_destroy(handle);
    }
}

static void band_cholesky(const dense *d, int64_t n, int64_t k) {
    const clsolve_band_cholesky_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_band_cholesky *handle = NULL;
    clsolve_matrix A = view(d->type, k + 1, n, d->a), B = view(d->type, n, 3, d->b);
    if (clsolve_band_cholesky_create(d->context, n, k, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_band_cholesky_factor(handle, CLSOLVE_UPPER, &A);
        (void)clsolve_band_cholesky_solve(handle, &B);
    }
    clsolve_band_cholesky_destroy(handle);
}

static void each_gauss_jordan(const dense *d) {
    static const int64_t orders[] = {8, 90, 300, FACTORED, 3000, 6000};
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
        for (int variant = CLSOLVE_GAUSS_JORDAN_AUTO; variant <= CLSOLVE_GAUSS_JORDAN_BLOCKED; variant++) {
            const int64_t n = orders[o];
            clsolve_gauss_jordan_options options = {.variant = (clsolve_gauss_jordan_variant)variant,
                                                    .where = CLSOLVE_WHERE_DEVICE};
            clsolve_gauss_jordan *handle = NULL;
            clsolve_matrix A = view(d->type, n, n, d->a), B = view(d->type, n, 3, d->b);
            if (clsolve_gauss_jordan_create(d->context, n, d->type, &options, &handle) == CLSOLVE_OK && n <= FACTORED) {
                (void)clsolve_gauss_jordan_solve(handle, CLSOLVE_NO_TRANS, &A, &B);
                (void)clsolve_gauss_jordan_invert(handle, &A, &A);
            }
            clsolve_gauss_jordan_destroy(handle);
        }
}

/* ---- bands ---- */

/* The identity, as a sparse matrix. */
static void band_of_entries(clsolve_band *handle, int64_t n) {
    int64_t *start = calloc((size_t)n + 1, sizeof *start);
    double *ones = calloc((size_t)n + 1, sizeof *ones);
    for (int64_t i = 0; start && ones && i <= n; i++) start[i] = i, ones[i] = 1;
    const clsolve_csr A = clsolve_csr_i64_f64(n, start, start, ones);
    if (start && ones) (void)clsolve_band_factor_csr(handle, &A, NULL, NULL);
    free(start);
    free(ones);
}

static void band(const dense *d, int64_t wide, clsolve_precision precision) {
    const int64_t n = 10 * wide + 200;
    clsolve_band_options options = {
        .precision = precision, .rcond = 1, .equilibrate = 1, .refine = 1, .where = CLSOLVE_WHERE_DEVICE};
    for (int plain = 0; plain < 2; plain++) {
        clsolve_band *handle = NULL;
        void *ab = zeros(d->type, n * (2 * wide + 1));
        if (ab && clsolve_band_create(d->context, n, wide, wide, d->type, &options, &handle) == CLSOLVE_OK) {
            clsolve_matrix AB = view(d->type, 2 * wide + 1, n, ab), B = view(d->type, n, 7, d->b);
            for (int64_t j = 0; j < n; j++) put(d->type, ab, j * (2 * wide + 1) + wide, 1);
            band_of_entries(handle, n);
            (void)clsolve_band_factor(handle, &AB);
            (void)clsolve_band_solve(handle, CLSOLVE_NO_TRANS, &B);
            (void)clsolve_band_solve(handle, CLSOLVE_TRANS, &B);
        }
        clsolve_band_destroy(handle);
        free(ab);
        options = (clsolve_band_options){.where = CLSOLVE_WHERE_DEVICE};
    }
}

static void each_band(const dense *d) {
    static const int64_t widths[] = {1, 3, 8, 16, 31, 40, 100, 300, 600};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) band(d, widths[w], CLSOLVE_PRECISION_WORKING);
    if (d->type == CLSOLVE_F64) band(d, 100, CLSOLVE_PRECISION_MIXED);
}

/* ---- lines ---- */

static void grid(clsolve_context *context, clsolve_type type, int64_t N, int64_t M,
                 const clsolve_block_gs_options *options) {
    clsolve_block_gs *handle = NULL;
    void *centre = zeros(type, N * M), *side = zeros(type, N * M);
    if (centre && side && clsolve_block_gs_create(context, N, M, type, options, &handle) == CLSOLVE_OK && M <= 256) {
        clsolve_grid off = clsolve_grid_f64(N, M, side);
        off.type = type;
        clsolve_grid on = off, Y = off;
        on.data = centre;
        for (int64_t e = 0; e < N * M; e++) put(type, centre, e, 1);
        (void)clsolve_block_gs_factor(handle, &off, &off, &on, &off, &off);
        (void)clsolve_block_gs_solve(handle, &on, &Y, 1);
    }
    clsolve_block_gs_destroy(handle);
    clsolve_grid_slab *slab = NULL;
    (void)clsolve_grid_slab_create(context, N, M, 1, N - 2, type, &slab);
    clsolve_grid_slab_destroy(slab);
    free(centre);
    free(side);
}

static void each_grid(clsolve_context *context, clsolve_type type) {
    static const int64_t points[] = {20, 60, 127, 255, 511, 1023, 2047, 4095};
    for (size_t p = 0; p < sizeof points / sizeof points[0]; p++) {
        clsolve_block_gs_options options = {.max_iterations = 2};
        grid(context, type, points[p], points[p], &options);
        if (points[p] != 60 && points[p] != 255) continue;
        for (int m = CLSOLVE_BLOCK_GS_SWEEPS; m <= CLSOLVE_BLOCK_GS_FGMRES; m++)
            for (int single = 0; single < 2; single++) {
                options =
                    (clsolve_block_gs_options){.method = (clsolve_block_gs_method)m,
                                               .max_iterations = 2,
                                               .pivoting = single ? CLSOLVE_PIVOTING_PARTIAL : CLSOLVE_PIVOTING_AUTO,
                                               .jacobi = single,
                                               .single_precision = single && m >= CLSOLVE_BLOCK_GS_CG};
                grid(context, type, points[p], points[p], &options);
            }
    }
}

/* ---- batches ---- */

static void tridiagonal_batch(const dense *d, int64_t n, clsolve_pivoting pivoting) {
    enum { COUNT = 64 };
    int64_t info[COUNT];
    const clsolve_tridiagonal_batch_options options = {.pivoting = pivoting, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_tridiagonal_batch *handle = NULL;
    clsolve_batch B = members(d->type, COUNT, n, 1, d->b), A = B;
    A.data = d->a;
    if (clsolve_tridiagonal_batch_create(d->context, n, COUNT, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_tridiagonal_batch_factor(handle, &A, &A, &A, info);
        (void)clsolve_tridiagonal_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info);
    }
    clsolve_tridiagonal_batch_destroy(handle);
}

static void band_batch(const dense *d, int64_t kl, int64_t ku, int64_t count) {
    enum { N = 40, MOST = 20000 };
    static int64_t info[MOST];
    clsolve_band_batch *handle = NULL;
    clsolve_batch A = members(d->type, count, kl + ku + 1, N, d->a), B = members(d->type, count, N, 1, d->b);
    if (clsolve_band_batch_create(d->context, N, kl, ku, count, d->type, NULL, &handle) == CLSOLVE_OK) {
        (void)clsolve_band_batch_factor(handle, &A, info);
        (void)clsolve_band_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info);
    }
    clsolve_band_batch_destroy(handle);
}

static void inverse_batch(const dense *d, int64_t n) {
    enum { COUNT = 500 };
    int64_t info[COUNT];
    const clsolve_gauss_jordan_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_gauss_jordan_batch *handle = NULL;
    clsolve_batch A = members(d->type, COUNT, n, n, d->a), B = members(d->type, COUNT, n, 2, d->b);
    if (clsolve_gauss_jordan_batch_create(d->context, n, COUNT, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_gauss_jordan_batch_invert(handle, &A, &A, info);
        (void)clsolve_gauss_jordan_batch_solve(handle, CLSOLVE_NO_TRANS, &A, &B, info);
    }
    clsolve_gauss_jordan_batch_destroy(handle);
}

static void cholesky_batch(const dense *d, int64_t n) {
    enum { COUNT = 500 };
    int64_t info[COUNT];
    const int64_t count = n < 128 ? COUNT : 4;
    const clsolve_cholesky_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_cholesky_batch *handle = NULL;
    clsolve_batch A = members(d->type, count, n, n, d->a);
    if (clsolve_cholesky_batch_create(d->context, n, count, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_cholesky_batch_factor(handle, CLSOLVE_LOWER, &A, info);
        for (int64_t sides = 1; sides <= 16; sides *= 4) {
            clsolve_batch B = members(d->type, count, n, sides, d->b);
            (void)clsolve_cholesky_batch_solve(handle, &B, info);
        }
    }
    clsolve_cholesky_batch_destroy(handle);
}

static void ldl_batch(const dense *d, int64_t n) {
    enum { COUNT = 500 };
    int64_t info[COUNT];
    const clsolve_ldl_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_ldl_batch *handle = NULL;
    clsolve_batch A = members(d->type, COUNT, n, n, d->a), B = members(d->type, COUNT, n, 1, d->b);
    if (clsolve_ldl_batch_create(d->context, n, COUNT, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_ldl_batch_factor(handle, CLSOLVE_LOWER, &A, info);
        (void)clsolve_ldl_batch_determinant(handle, NULL, NULL, NULL);
        (void)clsolve_ldl_batch_solve(handle, &B, info);
    }
    clsolve_ldl_batch_destroy(handle);
}

static void lu_batch(const dense *d, int64_t n) {
    enum { COUNT = 500 };
    int64_t info[COUNT];
    const int64_t count = n < 32 ? COUNT : 4;
    const clsolve_lu_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_lu_batch *handle = NULL;
    clsolve_batch A = members(d->type, count, n, n, d->a);
    if (clsolve_lu_batch_create(d->context, n, count, d->type, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_lu_batch_factor(handle, &A, info);
        (void)clsolve_lu_batch_determinant(handle, NULL, NULL, NULL);
        for (int64_t sides = 1; sides <= 16; sides *= 4) {
            clsolve_batch B = members(d->type, count, n, sides, d->b);
            (void)clsolve_lu_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info);
        }
    }
    clsolve_lu_batch_destroy(handle);
}

static void each_batch(const dense *d) {
    static const int64_t lines[] = {5, 100, 1000, 5000};
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
        for (int p = CLSOLVE_PIVOTING_AUTO; p <= CLSOLVE_PIVOTING_NONE; p++)
            tridiagonal_batch(d, lines[l], (clsolve_pivoting)p);
    for (int64_t k = 1; k <= 16; k *= 2) {
        band_batch(d, k, k, 40);
        band_batch(d, k, k, 20000);
    }
    for (int64_t n = 1; n <= CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST; n += n < 32 ? 1 : 8) inverse_batch(d, n);
    for (int64_t n = 8; n <= 512; n *= 2) cholesky_batch(d, n);
    for (int64_t n = 4; n <= 512; n *= 2) lu_batch(d, n);
    for (int64_t n = 8; n <= CLSOLVE_LDL_BATCH_LARGEST; n *= 2) ldl_batch(d, n);
}

/* ---- sparse ---- */

/* Full blocks on the diagonal, of a size for each kind of front (src/method/fronts_device/device.h); else the identity. */
static void sparse(clsolve_context *context, clsolve_type type, clsolve_sparse_form form) {
    static const int32_t blocks[] = {20, 60, 100, 400, 700};
    enum { ROWS = 1280, ENTRIES = 700000 };
    const clsolve_sparse_options options = {
        .form = form, .order = CLSOLVE_ORDER_NATURAL, .matching = CLSOLVE_CHOICE_OFF, .where = CLSOLVE_WHERE_DEVICE};
    int32_t *start = calloc(ROWS + 1, sizeof *start), *column = calloc(ENTRIES, sizeof *column), rows = 0, entries = 0;
    void *values = zeros(type, ENTRIES), *b = zeros(type, 3 * ROWS);
    clsolve_sparse *handle = NULL;
    for (size_t k = 0; start && column && values && k < sizeof blocks / sizeof blocks[0]; k++) {
        const int32_t first = rows, end = rows + blocks[k];
        for (; rows < end; rows++) {
            for (int32_t j = first; j < end; j++) {
                put(type, values, entries, j == rows);
                column[entries++] = j;
            }
            start[rows + 1] = entries;
        }
    }
    const clsolve_csr A = {type, CLSOLVE_I32, 0, ROWS, ROWS, start, column, values};
    clsolve_matrix B = view(type, ROWS, 3, b);
    if (b && entries > 0 && clsolve_sparse_create_csr(context, &A, &options, &handle) == CLSOLVE_OK) {
        (void)clsolve_sparse_factor_csr(handle, &A);
        (void)clsolve_sparse_solve(handle, CLSOLVE_NO_TRANS, &B);
        (void)clsolve_sparse_solve(handle, CLSOLVE_TRANS, &B);
    }
    clsolve_sparse_destroy(handle);
    free(start);
    free(column);
    free(values);
    free(b);
}

/* Units: so many members and rows that 128, 32 and 8 work-items share a member (src/method/sparse_batch/device.c). */
static void sparse_batch(clsolve_context *context, clsolve_type type, int64_t n, int64_t count) {
    const clsolve_sparse_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    int32_t *start = calloc((size_t)n + 1, sizeof *start), *column = calloc((size_t)n, sizeof *column);
    int64_t *info = calloc((size_t)count, sizeof *info);
    void *values = zeros(type, n * count), *b = zeros(type, n * count);
    clsolve_sparse_batch *handle = NULL;
    if (start && column && info && values && b) {
        for (int64_t k = 0; k < n * count; k++) put(type, values, k, 1);
        for (int32_t i = 0; i < n; i++) start[i + 1] = i + 1, column[i] = i;
        const clsolve_csr A = {type, CLSOLVE_I32, 0, n, n, start, column, values};
        clsolve_batch V = members(type, count, n, 1, values), B = members(type, count, n, 1, b);
        if (clsolve_sparse_batch_create_csr(context, &A, count, &options, &handle) == CLSOLVE_OK) {
            (void)clsolve_sparse_batch_factor(handle, &V, info);
            (void)clsolve_sparse_batch_solve(handle, CLSOLVE_NO_TRANS, &B, info);
        }
    }
    clsolve_sparse_batch_destroy(handle);
    free(start);
    free(column);
    free(info);
    free(values);
    free(b);
}

/* ---- all ---- */

void families_ask(clsolve_context *context, clsolve_type type) {
    enum { ROOM = 4000000 };
    dense d = {context, type, zeros(type, ROOM), zeros(type, ROOM)};
    char said[512];
    (void)clsolve_context_self_test(context, type, said, sizeof said);
    if (d.a && d.b) {
        each_lu(&d);
        each_cholesky(&d);
        each_ldl(&d);
        band_cholesky(&d, 300, 40);
        band_cholesky(&d, 2000, 600);
        each_gauss_jordan(&d);
        each_band(&d);
        each_batch(&d);
    }
    each_grid(context, type);
    sparse(context, type, CLSOLVE_SPARSE_GENERAL);
    sparse(context, type, CLSOLVE_SPARSE_POSITIVE_DEFINITE);
    sparse(context, type, CLSOLVE_SPARSE_SYMMETRIC);
    const int64_t units = clsolve_context_device(context).compute_units;
    sparse_batch(context, type, 40, 8);
    sparse_batch(context, type, 10, units * 32);
    sparse_batch(context, type, 2, units * 1024);
    free(d.a);
    free(d.b);
}
