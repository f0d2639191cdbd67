/* consumer.c: solves a small system on whatever device is there; 0 solved, 77 no device, 1 anything else. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    double a[] = {0, 2, 4, 1, 0, 1, 3, 1, 4}; /* a zero first pivot: rows must be exchanged */
    double b[] = {11, 5, 18};
    const double x[] = {1, 2, 3};
    clsolve_matrix A = clsolve_matrix_f64(3, 3, a), B = clsolve_matrix_f64(3, 1, b);
    clsolve_context *context = NULL;
    clsolve_solve_report report = {0};

    clsolve_status status = clsolve_context_create(getenv("CLSOLVE_TEST_DEVICE"), &context);
    if (status == CLSOLVE_ERROR_NO_DEVICE) return 77;
    if (status == CLSOLVE_OK) status = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, &report);
    if (status != CLSOLVE_OK) fprintf(stderr, "%s\n", clsolve_status_text(status));
    for (int i = 0; i < 3 && status == CLSOLVE_OK; i++) {
        if (!(fabs(b[i] - x[i]) < 1e-13)) {
            fprintf(stderr, "x[%d] = %.17g, not %g\n", i, b[i], x[i]);
            status = CLSOLVE_ERROR_DEVICE;
        }
    }
    if (status == CLSOLVE_OK) {
        printf("consumer: solved with %s by %s on %s\n", clsolve_version(), report.report.method,
               clsolve_context_device(context).name);
    }
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
