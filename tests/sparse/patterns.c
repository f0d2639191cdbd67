#include "sparse/patterns.h"

#include <lapacke.h>

#include "api/context.h"
#include "base/type.h"
#include "method/fronts_device/device.h"

const char *const pattern_names[PATTERNS] = {"power",        "band",     "arrow",  "dense lines", "blocks",
                                             "2-D grid",     "3-D grid", "saddle", "symmetric",   "random",
                                             "disconnected", "permuted", "cycles", "scaled"};

/* ---- triplets ---- */

void triplets_add(triplets *A, int64_t row, int64_t column, double complex value) {
    if (A->count == A->room) {
        A->room = 2 * A->room + 64;
        A->at = realloc(A->at, (size_t)A->room * sizeof *A->at);
        assert_non_null(A->at);
    }
    A->at[A->count++] = (entry){row, column, value};
}

static int by_place(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* qsort keeps no order of equal entries, so a matrix with duplicates depends on the C library, which is allowed. */
void triplets_sort(triplets *A) {
    int64_t kept = 0;
    if (A->count > 0) qsort(A->at, (size_t)A->count, sizeof *A->at, by_place);
    for (int64_t e = 0; e < A->count; e++)
        if (kept == 0 || by_place(&A->at[kept - 1], &A->at[e]) != 0) A->at[kept++] = A->at[e];
    A->count = kept;
}

void triplets_free(triplets *A) {
    free(A->at);
    *A = (triplets){0};
}

void triplets_round(triplets *A, clsolve_type type) {
    for (int64_t e = 0; e < A->count; e++) {
        const double complex value = A->at[e].value;
        A->at[e].value =
            CMPLX(test_rounded(type, creal(value)), cls_is_complex(type) ? test_rounded(type, cimag(value)) : 0);
    }
}

int64_t *permutation_make(int64_t n, test_random *random) {
    int64_t *made = test_room(n + 1, sizeof *made);
    for (int64_t k = 0; k < n; k++) made[k] = k;
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t other = test_random_between(random, 0, k), kept = made[k];
        made[k] = made[other];
        made[other] = kept;
    }
    return made;
}

int is_permutation(const int64_t *permutation, int64_t n) {
    SCRATCH char *seen = calloc((size_t)n + 1, 1);
    int fine = seen != NULL;
    for (int64_t k = 0; k < n && fine; k++) {
        fine = permutation[k] >= 0 && permutation[k] < n && !seen[permutation[k]];
        if (fine) seen[permutation[k]] = 1;
    }
    return fine;
}

/* ---- patterns ---- */

static double complex any(test_random *random) {
    const double re = test_random_signed(random);
    return CMPLX(re, test_random_signed(random));
}

/* Not near zero, so that no matrix is singular by chance. */
static double complex large(test_random *random) {
    const double re = 1 + test_random_unit(random), sign = test_random_unit(random) < 0.5 ? -1 : 1;
    return CMPLX(sign * re, test_random_signed(random));
}

static void add_diagonal(triplets *A, int64_t from, int64_t to, test_random *random) {
    for (int64_t i = from; i < to; i++) triplets_add(A, i, i, large(random));
}

static void add_power(triplets *A, test_random *random) {
    add_diagonal(A, 0, A->n, random);
    for (int64_t k = 0; k < 3 * A->n; k++) {
        const double u = test_random_unit(random), v = test_random_unit(random);
        const int64_t i = (int64_t)(u * u * u * u * (double)A->n), j = (int64_t)(v * v * v * (double)A->n);
        triplets_add(A, i, j, any(random));
    }
}

static void add_band(triplets *A, test_random *random) {
    const int64_t lower = test_random_between(random, 0, 4), upper = test_random_between(random, 0, 4);
    add_diagonal(A, 0, A->n, random);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t j = i > lower ? i - lower : 0; j < A->n && j <= i + upper; j++) triplets_add(A, i, j, any(random));
}

static void add_arrow(triplets *A, test_random *random) {
    add_diagonal(A, 0, A->n, random);
    for (int64_t i = 1; i < A->n; i++) {
        triplets_add(A, 0, i, any(random));
        triplets_add(A, i, 0, any(random));
    }
}

static void add_random(triplets *A, int64_t from, int64_t to, int64_t each, test_random *random) {
    add_diagonal(A, from, to, random);
    for (int64_t k = 0; k < each * (to - from); k++)
        triplets_add(A, test_random_between(random, from, to - 1), test_random_between(random, from, to - 1),
                     any(random));
}

static void add_dense_lines(triplets *A, test_random *random) {
    if (A->n > 0) add_random(A, 0, A->n, 1, random);
    for (int line = 0; line < 2 && A->n > 0; line++) {
        const int64_t i = test_random_between(random, 0, A->n - 1), j = test_random_between(random, 0, A->n - 1);
        for (int64_t k = 0; k < A->n; k++) {
            triplets_add(A, i, k, any(random));
            triplets_add(A, k, j, any(random));
        }
    }
}

static void add_blocks(triplets *A, int triangular, test_random *random) {
    for (int64_t from = 0, to; from < A->n; from = to) {
        to = from + test_random_between(random, 1, 9);
        if (to > A->n) to = A->n;
        add_random(A, from, to, 3, random);
        for (int k = 0; k < 4 && triangular && to < A->n; k++)
            triplets_add(A, test_random_between(random, from, to - 1), test_random_between(random, to, A->n - 1),
                         any(random));
    }
}

/* A grid of `width` points in each of the dimensions. */
static void add_grid(triplets *A, int64_t width, int dimensions, test_random *random) {
    add_diagonal(A, 0, A->n, random);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t d = 0, step = 1; d < dimensions; d++, step *= width) {
            if (i / step % width + 1 >= width) continue;
            triplets_add(A, i, i + step, any(random));
            triplets_add(A, i + step, i, any(random));
        }
}

static void add_saddle(triplets *A, test_random *random) {
    const int64_t m = A->n / 3, k = A->n - m;
    add_random(A, 0, k, 1, random);
    for (int64_t i = 0; i < m; i++) {
        triplets_add(A, k + i, i, large(random));
        triplets_add(A, i, k + i, large(random));
        const int64_t other = test_random_between(random, 0, k - 1);
        triplets_add(A, k + i, other, any(random));
        triplets_add(A, other, k + i, any(random));
    }
}

static void add_symmetric(triplets *A, test_random *random) {
    add_diagonal(A, 0, A->n, random);
    for (int64_t k = 0; k < 2 * A->n; k++) {
        const int64_t i = test_random_between(random, 0, A->n - 1), j = test_random_between(random, 0, A->n - 1);
        triplets_add(A, i, j, any(random));
        triplets_add(A, j, i, any(random));
    }
}

static void permute(triplets *A, test_random *random) {
    SCRATCH int64_t *row = permutation_make(A->n, random), *column = permutation_make(A->n, random);
    for (int64_t e = 0; e < A->count; e++) {
        A->at[e].row = row[A->at[e].row];
        A->at[e].column = column[A->at[e].column];
    }
}

static void add_scaled(triplets *A, test_random *random) {
    SCRATCH double *scale = test_doubles((2 * A->n) + 1);
    for (int64_t k = 0; k < 2 * A->n; k++) scale[k] = pow(10, 4 * test_random_signed(random));
    if (A->n > 0) add_random(A, 0, A->n, 3, random);
    permute(A, random);
    for (int64_t e = 0; e < A->count; e++) A->at[e].value *= scale[A->at[e].row] * scale[A->n + A->at[e].column];
}

static int64_t width_of(int64_t n, int dimensions) {
    int64_t width = 0;
    while ((width + 1) * (width + 1) * (dimensions == 3 ? width + 1 : 1) <= n) width++;
    return width;
}

static void fill(triplets *A, pattern kind, int64_t n, test_random *random) {
    const int dimensions = kind == PATTERN_GRID3 ? 3 : 2;
    const int64_t width = width_of(n, dimensions);
    A->n = kind == PATTERN_GRID2 ? width * width : kind == PATTERN_GRID3 ? width * width * width : n;
    switch (kind) {
    case PATTERN_POWER:
        add_power(A, random);
        break;
    case PATTERN_BAND:
    case PATTERN_PERMUTED:
        add_band(A, random);
        break;
    case PATTERN_ARROW:
        add_arrow(A, random);
        break;
    case PATTERN_DENSE_LINES:
        add_dense_lines(A, random);
        break;
    case PATTERN_BLOCKS:
        add_blocks(A, 1, random);
        break;
    case PATTERN_DISCONNECTED:
        add_blocks(A, 0, random);
        break;
    case PATTERN_GRID2:
    case PATTERN_GRID3:
        add_grid(A, width, dimensions, random);
        break;
    case PATTERN_SADDLE:
        add_saddle(A, random);
        break;
    case PATTERN_SYMMETRIC:
        add_symmetric(A, random);
        break;
    case PATTERN_CYCLES:
        add_diagonal(A, 0, n, random);
        for (int64_t k = 0; k < n / 4; k++) triplets_add(A, k, n - 1 - k, any(random));
        break;
    case PATTERN_SCALED:
        add_scaled(A, random);
        break;
    default:
        add_random(A, 0, n, 3, random);
    }
    if (kind == PATTERN_BLOCKS || kind == PATTERN_PERMUTED || kind == PATTERN_CYCLES) permute(A, random);
}

triplets pattern_make(pattern kind, int64_t n, test_random *random) {
    triplets A = {0};
    fill(&A, kind, n, random);
    triplets_sort(&A);
    return A;
}

void triplets_add_both(triplets *A, clsolve_sparse_form form, int64_t row, int64_t column, double complex value) {
    const int conjugated = form != CLSOLVE_SPARSE_SYMMETRIC;
    triplets_add(A, row, column, row == column && conjugated ? creal(value) : value);
    if (row != column) triplets_add(A, column, row, conjugated ? conj(value) : value);
}

triplets pattern_make_symmetric(pattern kind, int64_t n, clsolve_sparse_form form, int is_complex,
                                test_random *random) {
    triplets from = pattern_make(kind, n, random), A = {.n = from.n};
    for (int64_t e = 0; e < from.count; e++) { /* an entry above the diagonal stays if there is none below */
        entry *x = &from.at[e];
        const int64_t row = x->row > x->column ? x->row : x->column;
        x->value = CMPLX(creal(x->value), !is_complex ? 0 : x->row < x->column ? -cimag(x->value) : cimag(x->value));
        x->column = x->row + x->column - row;
        x->row = row;
    }
    triplets_sort(&from);
    for (int64_t e = 0; e < from.count; e++)
        triplets_add_both(&A, form, from.at[e].row, from.at[e].column, from.at[e].value);
    triplets_free(&from);
    triplets_sort(&A);
    return A;
}

triplets pattern_make_definite(pattern kind, int64_t n, int is_complex, test_random *random) {
    triplets from = pattern_make(kind, n, random), A = {.n = from.n};
    double *sum = test_doubles(A.n + 1);
    for (int64_t e = 0; e < from.count; e++) {
        const entry *x = &from.at[e];
        const double complex value = is_complex ? x->value : creal(x->value);
        if (x->row <= x->column) continue;
        triplets_add(&A, x->row, x->column, value);
        triplets_add(&A, x->column, x->row, conj(value));
        sum[x->row] += cabs(value);
        sum[x->column] += cabs(value);
    }
    for (int64_t i = 0; i < A.n; i++) triplets_add(&A, i, i, 1.01 * sum[i] + 0.125);
    free(sum);
    triplets_free(&from);
    triplets_sort(&A);
    return A;
}

void require_fronts(void) {
    clsolve_context *context = test_context(1);
    const int may = cls_sparse_device_may(context->device);
    clsolve_context_destroy(context);
    if (may) return;
    fprintf(stderr,
            "skipped: the device has no kernels of sparse systems: its compiler loses values (docs/quirks.md), or "
            "it has too little local memory\n");
    exit(TEST_SKIPPED);
}

void five_points(int32_t side, int32_t *start, int32_t *column, double *value) {
    const int32_t step[] = {-side, -1, 0, 1, side};
    int32_t count = 0;
    start[0] = 0;
    for (int32_t i = 0; i < side * side; i++) {
        for (int k = 0; k < 5; k++) {
            const int32_t j = i + step[k];
            if (j < 0 || j >= side * side || ((k == 1 || k == 3) && j / side != i / side)) continue;
            column[count] = j;
            value[count++] = j == i ? 5 : -1;
        }
        start[i + 1] = count;
    }
}

clsolve_sparse *sparse_create(clsolve_context *context, const clsolve_csr *A, const clsolve_sparse_options *options) {
    clsolve_sparse *sparse = NULL;
    EXPECT(context, clsolve_sparse_create_csr(context, A, options, &sparse), CLSOLVE_OK, "");
    return sparse;
}

clsolve_report sparse_report(clsolve_context *context, const clsolve_sparse *sparse) {
    clsolve_report report;
    EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
    return report;
}
