/* failure.c: factorizations that end without factors. The messages name rows and columns of the caller's matrix. */
#include "method/sparse/engine.h"

clsolve_status cls_sparse_no_memory(cls_error *error, const char *call) {
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for the factors or for right-hand sides",
                    call);
}

clsolve_status cls_sparse_fail_front(cls_error *error, const char *call, cls_sparse *sparse, clsolve_status status) {
    int64_t row = -1, column = -1;
    for (int64_t v = 0; v < sparse->A.n; v++) {
        if (sparse->symbolic.tree.place[v] == sparse->factors.zero_column) column = v;
        const int64_t vertex = sparse->row_of ? sparse->row_of[v] : v;
        if (sparse->symbolic.tree.place[vertex] == sparse->factors.zero_row) row = v;
    }
    sparse->info = column + 1;
    if (status == CLSOLVE_NOT_POSITIVE_DEFINITE)
        return cls_fail(error, status,
                        "%s: the matrix is not positive definite: the pivot of column %lld, counted from 1, is not "
                        "positive",
                        call, (long long)column + 1);
    return cls_fail(error, status,
                    "%s: the matrix is singular: no pivot is left for column %lld, counted from 1; row %lld is the "
                    "nearest",
                    call, (long long)column + 1, (long long)row + 1);
}

clsolve_status cls_sparse_fail_row(cls_error *error, const char *call, cls_sparse *sparse, int64_t row,
                                   int64_t column) {
    sparse->info = column + 1;
    return cls_fail(error, CLSOLVE_SINGULAR,
                    "%s: the matrix is singular: no pivot is left for row %lld, counted from 1; column %lld is the "
                    "nearest",
                    call, (long long)row + 1, (long long)column + 1);
}

clsolve_status cls_sparse_fail_rank(cls_error *error, const char *call, cls_sparse *sparse) {
    int64_t row;
    const int64_t rank = cls_sparse_structural_rank(sparse, &row);
    if (rank < 0)
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for the structural rank", call);
    sparse->info = rank + 1;
    sparse->ended = CLSOLVE_SINGULAR;
    if (sparse->options.rcond) sparse->rcond = 0;
    return cls_fail(
        error, CLSOLVE_SINGULAR,
        "%s: the matrix is singular whatever its values are: its structural rank is %lld of %lld; no column "
        "is left for row %lld, counted from 1",
        call, (long long)rank, (long long)sparse->A.n, (long long)row + 1);
}
