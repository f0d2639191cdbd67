/* solve_sparse.c: A x = b with a sparse A in compressed rows, by the method that suits it. */
#include <clsolve/clsolve.h>
#include <stdio.h>

int main(void) {
    int32_t row_start[] = {0, 2, 5, 8, 10}, column[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    double values[] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2}, b[] = {0, 0, 0, 5}; /* b becomes x */
    clsolve_csr A = clsolve_csr_f64(4, row_start, column, values);
    clsolve_matrix B = clsolve_matrix_f64(4, 1, b);
    clsolve_context *context = NULL;
    clsolve_solve_report report;
    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &A, &B, NULL, &report);
    if (status == CLSOLVE_OK)
        printf("x = %.3f %.3f %.3f %.3f by %s (%s)\n", b[0], b[1], b[2], b[3], report.name, report.reason);
    else
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
