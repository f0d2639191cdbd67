/* stage.c: arrays of the caller's type behind the solver's doubles. */
#include "api/door.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/solver.h"

clsolve_matrix cls_stage_zeros(clsolve_type type, int64_t rows, int64_t cols) {
    size_t size = (size_t)cls_type_size(type);
    clsolve_matrix matrix = clsolve_matrix_f64(rows, cols, NULL);
    matrix.type = type;
    if (cols > 0 && rows > (INT64_MAX / 16) / cols) return matrix;
    matrix.data = cls_alloc((size_t)(rows * cols) + 1, size);
    return matrix;
}

void cls_stage_put_element(const clsolve_matrix *matrix, int64_t at, const double *value) {
    const int64_t parts = cls_type_parts(matrix->type);
    for (int64_t p = 0; p < parts; p++) cls_type_put(matrix->type, matrix->data, at * parts + p, value[p]);
}

void cls_stage_get_element(const clsolve_matrix *matrix, int64_t at, double *value) {
    const int64_t parts = cls_type_parts(matrix->type);
    for (int64_t p = 0; p < parts; p++) value[p] = cls_type_get(matrix->type, matrix->data, at * parts + p);
}

clsolve_status cls_stage(clsolve_solver *solver, const int64_t *place, clsolve_op op, double *x, int64_t nrhs,
                         cls_staged solve) {
    int64_t n = solver->n;
    const int64_t parts = cls_type_parts(solver->type);
    clsolve_matrix B = clsolve_matrix_f64(n, nrhs, x);
    B.type = solver->type;
    if (cls_is_double(solver->type) && !place) return solve(solver, op, &B);
    B = cls_stage_zeros(solver->type, n, nrhs);
    if (!B.data)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                "no host memory for a copy of B: %lld x %lld", (long long)n, (long long)nrhs);
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < n; i++)
            cls_stage_put_element(&B, (place ? place[i] : i) + j * n, x + (i + j * n) * parts);
    clsolve_status status = solve(solver, op, &B);
    for (int64_t j = 0; status == CLSOLVE_OK && j < nrhs; j++)
        for (int64_t i = 0; i < n; i++)
            cls_stage_get_element(&B, (place ? place[i] : i) + j * n, x + (i + j * n) * parts);
    cls_free(B.data);
    return status;
}

clsolve_csr cls_solver_view(const clsolve_solver *solver) {
    const cls_csr *A = &solver->A;
    return (clsolve_csr){cls_double_type(solver->type), CLSOLVE_I64, 0, A->n, A->n, A->start, A->column, A->value};
}
