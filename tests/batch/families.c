#include "batch/families.h"

/* The calls of a family: `mine` is the handle, `to` where a create call puts it, and NONE a call that there is not. */
#define FAMILY(family, create_call, ragged_call, factor_call, solve_call, inverse_call, factors_call, condition_call)  \
    static clsolve_status family##_create(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,       \
                                          int64_t reserved, cls_batch **batch) {                                       \
        clsolve_##family##_batch_options set = {.reserved = {0}}, *options = reserved ? &set : NULL;                   \
        clsolve_##family##_batch *made = (void *)context, **to = batch ? &made : NULL;                                 \
        set.reserved[sizeof set.reserved / sizeof *set.reserved - 1] = reserved;                                       \
        const clsolve_status status = create_call;                                                                     \
        if (batch) *batch = (cls_batch *)made;                                                                         \
        return status;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_ragged(clsolve_context *context, const int64_t *orders, int64_t count,              \
                                          clsolve_type type, cls_batch **batch) {                                      \
        clsolve_##family##_batch *made = (void *)context, **to = &made;                                                \
        const clsolve_status status = ragged_call;                                                                     \
        *batch = (cls_batch *)*to;                                                                                     \
        return status;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_factor(cls_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,                 \
                                          int64_t *info) {                                                             \
        clsolve_##family##_batch *mine = (void *)batch;                                                                \
        return (void)mine, factor_call;                                                                                \
    }                                                                                                                  \
    static clsolve_status family##_solve(cls_batch *batch, clsolve_op op, const clsolve_batch *A, clsolve_batch *B,    \
                                         int64_t *info) {                                                              \
        clsolve_##family##_batch *mine = (void *)batch;                                                                \
        return solve_call;                                                                                             \
    }                                                                                                                  \
    static clsolve_status family##_inverse(cls_batch *batch, const clsolve_batch *A, clsolve_batch *X,                 \
                                           int64_t *info) {                                                            \
        clsolve_##family##_batch *mine = (void *)batch;                                                                \
        return (void)mine, inverse_call;                                                                               \
    }                                                                                                                  \
    static clsolve_status family##_factors(cls_batch *batch, clsolve_batch *F, int64_t *ipiv) {                        \
        clsolve_##family##_batch *mine = (void *)batch;                                                                \
        return (void)mine, (void)ipiv, factors_call;                                                                   \
    }                                                                                                                  \
    static clsolve_status family##_condition(cls_batch *batch, double *rconds) {                                       \
        clsolve_##family##_batch *mine = (void *)batch;                                                                \
        return (void)mine, condition_call;                                                                             \
    }                                                                                                                  \
    static clsolve_status family##_status(cls_batch *batch) {                                                          \
        return clsolve_##family##_batch_status((void *)batch);                                                         \
    }                                                                                                                  \
    static clsolve_status family##_report(const cls_batch *batch, clsolve_report *report) {                            \
        return clsolve_##family##_batch_report((const void *)batch, report);                                           \
    }                                                                                                                  \
    static void family##_destroy(cls_batch *batch) {                                                                   \
        clsolve_##family##_batch_destroy((void *)batch);                                                               \
    }
#define NONE CLSOLVE_ERROR_UNSUPPORTED

FAMILY(lu, clsolve_lu_batch_create(context, n, count, type, options, to),
       clsolve_lu_batch_create_ragged(context, orders, count, type, NULL, to), clsolve_lu_batch_factor(mine, A, info),
       clsolve_lu_batch_solve(mine, op, B, info), clsolve_lu_batch_inverse(mine, X, info),
       clsolve_lu_batch_factors(mine, F, ipiv), clsolve_lu_batch_condition(mine, rconds))
FAMILY(cholesky, clsolve_cholesky_batch_create(context, n, count, type, options, to),
       clsolve_cholesky_batch_create_ragged(context, orders, count, type, NULL, to),
       clsolve_cholesky_batch_factor(mine, uplo, A, info), clsolve_cholesky_batch_solve(mine, B, info),
       clsolve_cholesky_batch_inverse(mine, CLSOLVE_LOWER, X, info),
       clsolve_cholesky_batch_factors(mine, CLSOLVE_LOWER, F), NONE)
FAMILY(ldl, clsolve_ldl_batch_create(context, n, count, type, options, to),
       clsolve_ldl_batch_create_ragged(context, orders, count, type, NULL, to),
       clsolve_ldl_batch_factor(mine, uplo, A, info), clsolve_ldl_batch_solve(mine, B, info),
       clsolve_ldl_batch_inverse(mine, CLSOLVE_LOWER, X, info), clsolve_ldl_batch_factors(mine, F, ipiv),
       clsolve_ldl_batch_condition(mine, rconds))
FAMILY(gauss_jordan, clsolve_gauss_jordan_batch_create(context, n, count, type, options, to), NONE, NONE,
       clsolve_gauss_jordan_batch_solve(mine, op, A, B, info), clsolve_gauss_jordan_batch_invert(mine, A, X, info),
       NONE, NONE)
FAMILY(band, clsolve_band_batch_create(context, n, 1, 1, count, type, options, to), NONE,
       clsolve_band_batch_factor(mine, A, info), clsolve_band_batch_solve(mine, op, B, info), NONE, NONE, NONE)

/* The diagonals beside the main one are zeros of the same shape. */
static clsolve_status factor_lines(clsolve_tridiagonal_batch *batch, const clsolve_batch *d, int64_t *info) {
    static double zeros[64];
    clsolve_batch off = d ? *d : (clsolve_batch){.count = 0};
    off.data = zeros;
    return clsolve_tridiagonal_batch_factor(batch, d ? &off : NULL, d, d ? &off : NULL, info);
}

FAMILY(tridiagonal, clsolve_tridiagonal_batch_create(context, n, count, type, options, to), NONE,
       factor_lines(mine, A, info), clsolve_tridiagonal_batch_solve(mine, op, B, info), NONE, NONE, NONE)

/* A diagonal pattern of order 2, or less; it brings order and type. */
static clsolve_status create_diagonal(clsolve_context *context, int64_t n, int64_t count, clsolve_type type,
                                      const clsolve_sparse_batch_options *options, clsolve_sparse_batch **batch) {
    static const int32_t start[] = {0, 1, 2}, column[] = {0, 1};
    static const double doubles[] = {4, 4};
    static const float floats[] = {4, 4};
    const clsolve_csr A =
        type == CLSOLVE_F64 ? clsolve_csr_f64(n, start, column, doubles) : clsolve_csr_f32(n, start, column, floats);
    return clsolve_sparse_batch_create_csr(context, &A, count, options, batch);
}

FAMILY(sparse, create_diagonal(context, n, count, type, options, to), NONE, clsolve_sparse_batch_factor(mine, A, info),
       clsolve_sparse_batch_solve(mine, op, B, info), NONE, NONE, clsolve_sparse_batch_condition(mine, rconds))

#define CALLS(family)                                                                                                  \
    .name = "clsolve_" #family "_batch", .create = family##_create, .ragged = family##_ragged,                         \
    .factor = family##_factor, .solve = family##_solve, .inverse = family##_inverse, .factors = family##_factors,      \
    .condition = family##_condition, .status = family##_status, .report = family##_report, .destroy = family##_destroy
#define SQUARE(order, most)                                                                                            \
    .matrix = "A", .n = (order), .largest = (most), .rows = (order), .cols = (order), .step = (order) + 1,             \
    .has_inverse = 1
#define LINES(order, name) .matrix = (name), .n = (order), .rows = (order), .cols = 1, .step = 1, .has_op = 1
#define TYPES(one, other)  .type = CLSOLVE_##one, .without_double = CLSOLVE_##other

/* clang-format off */
const batch_family batch_families[] = {
    {CALLS(lu), SQUARE(9, CLSOLVE_LU_BATCH_LARGEST), TYPES(C32, C32), .has_op = 1, .has_ragged = 1,
     .factor_of_four = 4, .has_ipiv = 1, .has_condition = 2},
    {CALLS(cholesky), SQUARE(9, CLSOLVE_CHOLESKY_BATCH_LARGEST), TYPES(F32, F32), .has_uplo = 1, .has_ragged = 1,
     .factor_of_four = 2},
    {CALLS(ldl), SQUARE(9, CLSOLVE_LDL_BATCH_LARGEST), TYPES(F64, F32), .has_uplo = 1, .has_ragged = 1,
     .factor_of_four = 4, .has_ipiv = 1, .may_exchange = 1, .has_condition = 2},
    {CALLS(gauss_jordan), SQUARE(3, CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST), TYPES(F64, F32), .has_op = 1,
     .has_no_factor = 1},
    {CALLS(band), .matrix = "AB", .n = 4, TYPES(F64, F32), .rows = 3, .cols = 4, .first = 1, .step = 3, .has_op = 1},
    {CALLS(tridiagonal), LINES(6, "dl"), TYPES(F32, F32), .has_no_offsets = 1},
    {CALLS(sparse), LINES(2, "values"), TYPES(F64, F32), .has_no_n = 1, .has_condition = 1},
};
/* clang-format on */
const int batch_family_count = sizeof batch_families / sizeof *batch_families;
