/* stage.c: arrays of the caller's type behind the solver's doubles. */
#include "api/door.h"
#include "base/memory.h"
#include "solve/solver.h"

clsolve_matrix cls_stage_zeros(clsolve_type type, int64_t rows, int64_t cols) {
    size_t size = type == CLSOLVE_F64 ? sizeof(double) : sizeof(float);
    clsolve_matrix matrix = clsolve_matrix_f64(rows, cols, NULL);
    matrix.type = type;
    if (cols > 0 && rows > (INT64_MAX / 16) / cols) return matrix;
    matrix.data = cls_alloc((size_t)(rows * cols) + 1, size);
    return matrix;
}

void cls_stage_put(const clsolve_matrix *matrix, int64_t at, double value) {
    if (matrix->type == CLSOLVE_F64)
        ((double *)matrix->data)[at] = value;
    else
        ((float *)matrix->data)[at] = (float)value;
}

double cls_stage_get(const clsolve_matrix *matrix, int64_t at) {
    return matrix->type == CLSOLVE_F64 ? ((const double *)matrix->data)[at] : (double)((const float *)matrix->data)[at];
}

clsolve_status cls_stage(clsolve_solver *solver, const int64_t *place, clsolve_op op, double *x, int64_t nrhs,
                         cls_staged solve) {
    int64_t n = solver->n;
    clsolve_matrix B = clsolve_matrix_f64(n, nrhs, x);
    if (solver->type == CLSOLVE_F64 && !place) return solve(solver, op, &B);
    B = cls_stage_zeros(solver->type, n, nrhs);
    if (!B.data)
        return cls_context_fail(solver->context, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                "no host memory for a copy of B: %lld x %lld", (long long)n, (long long)nrhs);
    for (int64_t j = 0; j < nrhs; j++)
        for (int64_t i = 0; i < n; i++) cls_stage_put(&B, (place ? place[i] : i) + j * n, x[i + j * n]);
    clsolve_status status = solve(solver, op, &B);
    for (int64_t j = 0; status == CLSOLVE_OK && j < nrhs; j++)
        for (int64_t i = 0; i < n; i++) x[i + j * n] = cls_stage_get(&B, (place ? place[i] : i) + j * n);
    cls_free(B.data);
    return status;
}
