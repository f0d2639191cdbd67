/* run.c: new values, and all that a factorization is made of (factorization.c, solution.c). */
#include "method/sparse/engine.h"

#include "base/memory.h"
#include "method/direct/rcond.h"

clsolve_status cls_sparse_check_symmetry(cls_error *error, const char *call, cls_sparse *sparse) {
    int64_t row, column;
    if (!cls_form_is_one_sided(sparse->options.form) || !sparse->whole ||
        cls_sparse_is_symmetric(sparse, &row, &column))
        return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: A is not %s: A(%lld,%lld) has no equal on the other side of the diagonal", call,
                    sparse->A.parts == 2 && cls_form_conjugates(sparse->options.form) ? "hermitian" : "symmetric",
                    (long long)row + 1, (long long)column + 1);
}

clsolve_status cls_sparse_take_values(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse) {
    double *before = sparse->A.value;
    sparse->A.pool = cls_sparse_factor_pool(sparse);
    if (sparse->factored && !sparse->spare)
        sparse->spare = cls_alloc((size_t)sparse->A.entries + 1, (size_t)sparse->A.parts * sizeof *sparse->spare);
    if (sparse->factored && !sparse->spare) return cls_sparse_no_memory(error, call);
    if (sparse->factored) {
        sparse->A.value = sparse->spare;
        sparse->spare = before;
    }
    clsolve_status status = cls_sparse_read_values(error, call, A, sparse);
    if (status == CLSOLVE_OK) status = cls_sparse_check_symmetry(error, call, sparse);
    if (status != CLSOLVE_OK && sparse->factored) {
        sparse->spare = sparse->A.value;
        sparse->A.value = before;
    }
    if (status == CLSOLVE_OK) sparse->values_there = 0;
    return status;
}

static clsolve_status solve_vector(void *self, clsolve_op op, double *x) {
    return cls_sparse_solve_once(self, op, x, 1);
}

clsolve_status cls_sparse_estimate(cls_error *error, const char *call, cls_sparse *sparse) {
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    cls_sparse_find_norm(sparse, CLSOLVE_TRANS);
    return cls_rcond(error, sparse->A.n, sparse->A.parts, sparse->norm_1, solve_vector, sparse, &sparse->rcond);
}

/*
 * The host eliminates what can be eliminated, for the inertia. Zeros of the pattern may become rounding errors, which
 * are pivots then. So the counts stand if as many rows are left without a pivot as the structural rank says.
 */
static clsolve_status fail_rank(cls_error *error, const char *call, cls_sparse *sparse) {
    clsolve_inertia found = {0};
    if (cls_form_is_ldl(sparse->options.form)) {
        sparse->host_alone = 1;
        if (cls_sparse_factor_with(NULL, call, sparse, 0, 0) == CLSOLVE_SINGULAR &&
            sparse->inertia.zero >= sparse->A.n - sparse->analysis.structural_rank)
            found = sparse->inertia;
        cls_sparse_begin_factors(sparse);
    }
    sparse->inertia = found;
    return cls_sparse_fail_rank(error, call, sparse);
}

/* Float factors hide how close to singular A is, if their own condition is not far below 1 / FLT_EPSILON. */
static clsolve_status estimate(cls_error *error, const char *call, cls_sparse *sparse) {
    static const double least_of_float = 1e-5;
    CLS_TRY(cls_sparse_estimate(error, call, sparse));
    if (!cls_sparse_is_rough(sparse) || sparse->rcond >= least_of_float) return CLSOLVE_OK;
    sparse->host_alone = sparse->settled = 1;
    sparse->rcond = -1;
    const clsolve_status status = cls_sparse_factor_with(error, call, sparse, sparse->threshold, 0);
    if (status == CLSOLVE_SINGULAR) sparse->rcond = 0;
    CLS_TRY(status);
    return cls_sparse_estimate(error, call, sparse);
}

clsolve_status cls_sparse_factor_taken(cls_error *error, const char *call, cls_sparse *sparse) {
    const int again = sparse->factored && !sparse->options.rcond; /* no estimate with pivots of other values */
    cls_sparse_begin_factors(sparse);
    if (!sparse->analysed) {
        CLS_TRY(cls_sparse_analyse(error, call, sparse));
        sparse->paired_now = sparse->analysis.matched;
    }
    if (sparse->analysis.structural_rank < sparse->A.n && sparse->options.form != CLSOLVE_SPARSE_POSITIVE_DEFINITE)
        return fail_rank(error, call, sparse);
    clsolve_status status = cls_sparse_factor_or_pair(error, call, sparse, 0, again);
    if (status == CLSOLVE_OK && sparse->made_there && sparse->there->replaced_pivots > 0) {
        /* These pivots hide how close to singular A is. */
        sparse->host_alone = sparse->settled = sparse->options.rcond;
        status = sparse->options.rcond ? cls_sparse_factor_with(error, call, sparse, sparse->threshold, 0)
                                       : cls_sparse_probe(error, call, sparse);
    }
    if (!sparse->options.rcond) return status;
    if (status == CLSOLVE_SINGULAR) sparse->rcond = 0;
    CLS_TRY(status);
    status = estimate(error, call, sparse);
    if (status >= 0) return status;
    sparse->factored = 0; /* a call that fails leaves no factors */
    sparse->ended = CLSOLVE_ERROR_STATE;
    return status;
}

clsolve_status cls_sparse_factor(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse) {
    CLS_TRY(cls_csr_check_same(error, call, A, &sparse->A));
    if (A->type != sparse->type)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A is of type %s and the handle of %s", call,
                        cls_type_name(A->type), cls_type_name(sparse->type));
    CLS_TRY(cls_sparse_take_values(error, call, A, sparse));
    return cls_sparse_factor_taken(error, call, sparse);
}

void cls_sparse_settle(cls_sparse *sparse, int in_double) {
    const int rough = in_double && cls_sparse_is_rough(sparse);
    if (sparse->factored && sparse->made_there && (rough || sparse->there->replaced_pivots > 0))
        sparse->host_alone = sparse->settled = 1;
    if (sparse->factored && (sparse->kept || (sparse->made_there && sparse->host_alone)))
        (void)cls_sparse_factor_with(NULL, "clsolve_sparse_report", sparse, sparse->threshold, 0);
}
