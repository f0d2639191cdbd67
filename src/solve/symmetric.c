#include "solve/symmetric.h"

#include <stdatomic.h>

#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"

enum { BLOCK = 32 }; /* both halves of a pair of blocks stay in the cache */
/* Columns of a part of the search: one that is not symmetric usually shows it in the first. From MANY columns on threads share the
 * others. */
enum { PART = 128, MANY = 1024 };

int cls_lets_cholesky(const clsolve_solver_options *o, int64_t n) {
    return n >= CLS_CHOLESKY_LEAST && o->pivoting == CLSOLVE_PIVOTING_AUTO && o->panel != CLSOLVE_PANEL_HYBRID;
}

#define REAL    double
#define NAME(x) x##_f64
#include "solve/symmetric_real.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f32
#include "solve/symmetric_real.h"

static int has_positive_diagonal(const clsolve_matrix *A) {
    for (int64_t j = 0; j < A->rows; ++j)
        if (!(cls_type_get(A->type, A->data, 2 * j * (A->ld + 1)) > 0)) return 0;
    return 1;
}

static int is_symmetric_in(const clsolve_matrix *A, int64_t part, int64_t *row, int64_t *column) {
    const int64_t n = A->rows, from = part * PART, to = n - from < PART ? n : from + PART;
    if (cls_is_complex(A->type))
        return A->type == CLSOLVE_C64 ? is_hermitian_f64(n, from, to, A->data, A->ld, row, column)
                                      : is_hermitian_f32(n, from, to, A->data, A->ld, row, column);
    return A->type == CLSOLVE_F64 ? is_symmetric_f64(n, from, to, A->data, A->ld, row, column)
                                  : is_symmetric_f32(n, from, to, A->data, A->ld, row, column);
}

/* Parts of A, the first of which has been searched. */
typedef struct search {
    const clsolve_matrix *A;
    _Atomic int64_t first; /* the first part that has a pair of elements that differ; INT64_MAX: none has */
} search;

static void search_part(void *what, int64_t number) {
    search *s = what;
    const int64_t part = number + 1;
    int64_t row, column, first = atomic_load(&s->first);
    if (part >= first || is_symmetric_in(s->A, part, &row, &column)) return;
    while (part < first && !atomic_compare_exchange_weak(&s->first, &first, part)) continue;
}

int cls_dense_is_symmetric(clsolve_context *context, const clsolve_matrix *A, int64_t *row, int64_t *column) {
    const int64_t parts = (A->rows + PART - 1) / PART;
    search s = {.A = A, .first = INT64_MAX};
    cls_job job = {.work = search_part, .what = &s, .parts = parts - 1};

    *row = *column = -1;
    if (parts == 0) return 1;
    if (!is_symmetric_in(A, 0, row, column)) return 0;
    if (parts == 1) return 1;
    if (A->rows >= MANY)
        cls_context_run(context, &job);
    else
        for (int64_t part = 0; part < job.parts; ++part) search_part(&s, part);
    const int64_t first = atomic_load(&s.first);
    return first == INT64_MAX || is_symmetric_in(A, first, row, column);
}

int cls_dense_suits_cholesky(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A) {
    int64_t row, column;
    if (!cls_lets_cholesky(options, A->rows) || A->place != CLSOLVE_ON_HOST) return 0;
    if (!clsolve_context_device(context).host_memory) return 0;
    const int positive = cls_is_complex(A->type)  ? has_positive_diagonal(A)
                         : A->type == CLSOLVE_F64 ? has_positive_diagonal_f64(A->rows, A->data, A->ld)
                                                  : has_positive_diagonal_f32(A->rows, A->data, A->ld);
    return positive && cls_dense_is_symmetric(context, A, &row, &column);
}

const char *cls_cholesky_reason(clsolve_type type) {
    return cls_is_complex(type) ? "auto: the matrix is hermitian, and its diagonal is positive"
                                : "auto: the matrix is symmetric, and its diagonal is positive";
}

clsolve_status cls_dense_check_symmetric(clsolve_context *context, const char *call, const clsolve_matrix *A) {
    const char *kind = cls_is_complex(A->type) ? "hermitian" : "symmetric";
    int64_t row, column;
    if (A->place != CLSOLVE_ON_HOST || cls_dense_is_symmetric(context, A, &row, &column)) return CLSOLVE_OK;
    if (row == column)
        return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "%s: the matrix is not hermitian: A(%lld,%lld), counted from 1, is not real; "
                                "CLSOLVE_METHOD_CHOLESKY takes hermitian ones",
                                call, (long long)row + 1, (long long)row + 1);
    return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: the matrix is not %s: A(%lld,%lld) and A(%lld,%lld), counted from 1, differ; "
                            "CLSOLVE_METHOD_CHOLESKY takes %s ones",
                            call, kind, (long long)row + 1, (long long)column + 1, (long long)column + 1,
                            (long long)row + 1, kind);
}

/* ---- solve ---- */

static void conjugate(const clsolve_matrix *B) {
    const int64_t lines = B->layout == CLSOLVE_COLUMN_MAJOR ? B->cols : B->rows;
    const int64_t length = B->layout == CLSOLVE_COLUMN_MAJOR ? B->rows : B->cols;
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t k = line * B->ld; k < line * B->ld + length; ++k)
            cls_type_put(B->type, B->data, 2 * k + 1, -cls_type_get(B->type, B->data, 2 * k + 1));
}

/* The conjugates of B's elements, on any failure again B as it was: a sign that is changed twice. */
static clsolve_status solve_conjugates(clsolve_cholesky *cholesky, clsolve_matrix *B) {
    conjugate(B);
    clsolve_status status = clsolve_cholesky_solve(cholesky, B);
    conjugate(B);
    return status;
}

clsolve_status cls_cholesky_solve_op(clsolve_context *context, clsolve_cholesky *cholesky, clsolve_op op,
                                     clsolve_matrix *B) {
    clsolve_matrix there;
    if (!cls_is_complex(B->type) || op != CLSOLVE_TRANS) return clsolve_cholesky_solve(cholesky, B);
    if (B->place == CLSOLVE_ON_HOST) return solve_conjugates(cholesky, B);
    CLS_TRY(cls_context_fetch(context, B, &there));
    clsolve_status status = solve_conjugates(cholesky, &there);
    if (status == CLSOLVE_OK) status = cls_context_store(context, &there, B);
    cls_free(there.data);
    return status;
}

int cls_cholesky_gave_up(clsolve_status status) {
    return status == CLSOLVE_NOT_POSITIVE_DEFINITE || status == CLSOLVE_NOT_CONVERGED ||
           status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || status == CLSOLVE_ERROR_OUT_OF_MEMORY ||
           status == CLSOLVE_ERROR_UNSUPPORTED;
}
