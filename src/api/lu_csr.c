/*
 * lu_csr.c: the factorization of a dense matrix that comes as a sparse one. Its entries go to their places where the
 * matrix is factored. Where a handle wants the matrix otherwise, it is spelled out on the host, and goes the way of
 * clsolve_lu_factor.
 */
#include "api/lu_state.h"
#include "base/memory.h"

static const char call[] = "clsolve_lu_factor_csr";

static clsolve_status factor_scattered(clsolve_lu *lu, const cls_entries *entries) {
    lu->lu.entries = lu->several.entries = entries;
    clsolve_status status = cls_direct_factor(&lu->it.direct, call, NULL);
    lu->lu.entries = lu->several.entries = NULL;
    return status;
}

static clsolve_status factor_spelled(clsolve_lu *lu, const cls_entries *entries) {
    const int64_t n = entries->n, size = cls_type_size(lu->it.direct.type);
    void *data = n <= INT64_MAX / size / (n + 1) ? cls_alloc((size_t)(n * n), (size_t)size) : NULL;
    clsolve_matrix A = clsolve_matrix_f64(n, n, data);

    if (!data)
        return cls_fail(&lu->it.head.context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: no host memory for a dense matrix of %lld x %lld", call, (long long)n, (long long)n);
    A.type = lu->it.direct.type;
    cls_entries_spell(entries, A.type, data);
    clsolve_status status = cls_direct_factor(&lu->it.direct, call, &A);
    cls_free(data);
    return status;
}

static clsolve_status factor(clsolve_lu *lu, const cls_entries *entries) {
    const cls_direct *direct = &lu->it.direct;
    lu->it.pending_factor = lu->it.pending_solve = 0;
    return direct->ops->scatters && direct->ops->scatters(direct, entries) ? factor_scattered(lu, entries)
                                                                           : factor_spelled(lu, entries);
}

clsolve_status clsolve_lu_factor_csr(clsolve_lu *lu, const clsolve_csr *A, const int64_t *rows,
                                     const int64_t *columns) {
    CLS_TRY(cls_head_enter((cls_head *)lu));
    clsolve_context *context = lu->it.head.context;
    const cls_entries_shape shape = {lu->lu.n, lu->lu.n, lu->lu.n, lu->it.direct.type};
    cls_entries entries = {0};

    clsolve_status status = cls_entries_check(&context->error, call, &shape, A, rows, columns);
    if (status == CLSOLVE_OK) status = cls_entries_take(&context->error, A, rows, columns, &entries);
    if (status == CLSOLVE_OK) status = factor(lu, &entries);
    cls_entries_free(&entries);
    return cls_head_end(&lu->it.head, NULL, status);
}
