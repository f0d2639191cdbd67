/* open.c: what a sparse handle takes, and gives back. */
#include "base/memory.h"
#include "method/sparse/engine.h"

static clsolve_status no_memory(cls_error *error, const char *call) {
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for the matrix", call);
}

static int take_given(cls_sparse *sparse, const int64_t *permutation, int64_t n, int64_t *wrong) {
    char *seen = cls_alloc((size_t)n + 1, 1);
    sparse->given = cls_alloc((size_t)n + 1, sizeof *sparse->given);
    *wrong = -1;
    for (int64_t k = 0; seen && sparse->given && k < n && *wrong < 0; k++) {
        const int64_t column = permutation[k];
        if (column < 0 || column >= n || seen[column]) {
            *wrong = k;
            break;
        }
        seen[column] = 1;
        sparse->given[k] = column;
    }
    cls_free(seen);
    return seen && sparse->given;
}

static clsolve_status take_matrix(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse) {
    CLS_TRY(cls_csr_take_pattern(error, call, A, &sparse->A));
    if (A->rows >= INT32_MAX)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: A has %lld rows; the most are 2^31 - 2", call,
                        (long long)A->rows);
    sparse->work = cls_alloc((size_t)A->rows + 1, 2 * sizeof *sparse->work);
    if (!sparse->work) return no_memory(error, call);
    if (sparse->options.order == CLSOLVE_ORDER_GIVEN) {
        int64_t wrong;
        if (!take_given(sparse, sparse->options.permutation, A->rows, &wrong)) return no_memory(error, call);
        if (wrong >= 0)
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: permutation[%lld] is %lld, out of range or there before: give each of 0 .. %lld once",
                            call, (long long)wrong, (long long)sparse->options.permutation[wrong],
                            (long long)(A->rows - 1));
    }
    return A->values ? cls_sparse_read_values(error, call, A, sparse) : CLSOLVE_OK;
}

clsolve_status cls_sparse_open(cls_error *error, const char *call, const cls_sparse_company *company,
                               const clsolve_csr *A, const clsolve_sparse_options *options, cls_sparse *sparse) {
    static const cls_sparse_company none = {0};
    cls_device *device = company ? company->devices[0] : NULL;
    *sparse = (cls_sparse){.type = A->type,
                           .company = company ? *company : none,
                           .arrays = device,
                           .device = device,
                           .ahead_steps = 1,
                           .options = *options,
                           .rcond = -1,
                           .ended = CLSOLVE_ERROR_STATE,
                           .norm_1 = -1,
                           .norm_inf = -1};
    sparse->whole = options->part == CLSOLVE_SPARSE_WHOLE;
    if (cls_form_is_one_sided(options->form) && sparse->whole) sparse->options.part = CLSOLVE_SPARSE_LOWER;
    sparse->threads = 1 + cls_pool_spare_cores(CLS_POOL_MOST);
    if (options->threads > 0 && options->threads < sparse->threads) sparse->threads = options->threads;
    sparse->outcome.backward_error = -1;
    clsolve_status status = take_matrix(error, call, A, sparse);
    if (status == CLSOLVE_OK && (A->values || options->form == CLSOLVE_SPARSE_POSITIVE_DEFINITE))
        status = cls_sparse_analyse(error, call, sparse);
    if (status != CLSOLVE_OK) cls_sparse_close(sparse);
    return status;
}

void cls_sparse_close(cls_sparse *sparse) {
    cls_pool_destroy(sparse->pool);
    cls_factors_free(&sparse->factors);
    cls_sparse_ahead_close(sparse);
    cls_sparse_values_close(sparse);
    cls_sparse_vectors_close(sparse);
    cls_sparse_device_close(sparse->there);
    cls_symbolic_free(&sparse->symbolic);
    cls_klu_free(sparse->klu);
    cls_csr_free(&sparse->A);
    cls_free(sparse->given);
    cls_free(sparse->spare);
    cls_free(sparse->twin);
    cls_free(sparse->row_of);
    cls_free(sparse->partner);
    cls_free(sparse->row_scale);
    cls_free(sparse->col_scale);
    cls_free(sparse->scaled);
    cls_free(sparse->work);
    *sparse = (cls_sparse){0};
}
