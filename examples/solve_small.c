/* solve_small.c: A x = b for three unknowns, on the best device there is. */
#include <clsolve/clsolve.h>
#include <stdio.h>

int main(void) {
    double a[] = {2, 4, -2, 1, -6, 7, 1, 0, 2}; /* column by column: 2 1 1 | 4 -6 0 | -2 7 2 */
    double b[] = {7, -8, 18};                   /* becomes x */
    clsolve_matrix A = clsolve_matrix_f64(3, 3, a), B = clsolve_matrix_f64(3, 1, b);
    clsolve_context *context = NULL;

    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL);
    if (status == CLSOLVE_OK) {
        printf("x = %.3f %.3f %.3f\n", b[0], b[1], b[2]);
    } else {
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    }
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
