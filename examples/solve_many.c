/*
 * solve_many.c: factor once, solve again and again, also with the transposed matrix, and read the report.
 *
 * A is the n x n matrix with 4 on the diagonal, -1 above it and -2 below: every solution here is known in advance, and
 * the program fails when one is not met.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, COLUMNS = 3, ROUNDS = 4 };

/* B = op(A) X, column by column. */
static void product(clsolve_op op, const double *x, double *b) {
    double below = op == CLSOLVE_NO_TRANS ? -2 : -1, above = op == CLSOLVE_NO_TRANS ? -1 : -2;
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < N; i++) {
            const double *at = x + c * N + i;
            b[c * N + i] = 4 * at[0] + (i > 0 ? below * at[-1] : 0) + (i < N - 1 ? above * at[1] : 0);
        }
    }
}

/* Solves op(A) X = B for a B made from a known X; the greatest error in `worst`. */
static clsolve_status solve(clsolve_lu *lu, clsolve_op op, int round, double *worst) {
    double x[N * COLUMNS], b[N * COLUMNS];
    for (int i = 0; i < N * COLUMNS; i++) x[i] = (i * (round + 3)) % 17 - 8;
    product(op, x, b);

    clsolve_matrix B = clsolve_matrix_f64(N, COLUMNS, b);
    clsolve_status status = clsolve_lu_solve(lu, op, &B); /* B becomes X */
    for (int i = 0; status == CLSOLVE_OK && i < N * COLUMNS; i++) *worst = fmax(*worst, fabs(b[i] - x[i]));
    return status;
}

static clsolve_status run(clsolve_context *context, clsolve_matrix *A, clsolve_lu **lu) {
    double worst = 0;
    clsolve_status status = clsolve_lu_create(context, N, CLSOLVE_F64, NULL, lu); /* takes all device memory */
    if (status == CLSOLVE_OK) status = clsolve_lu_factor(*lu, A);                 /* A goes up, once */
    for (int round = 0; round < ROUNDS && status == CLSOLVE_OK; round++) {
        status = solve(*lu, CLSOLVE_NO_TRANS, round, &worst);
        if (status == CLSOLVE_OK) status = solve(*lu, CLSOLVE_TRANS, round, &worst);
    }

    clsolve_report report;
    if (status == CLSOLVE_OK) status = clsolve_lu_report(*lu, &report);
    if (status != CLSOLVE_OK) return status;
    printf("device: %s\n", clsolve_context_device(context).name);
    printf("solved: %d systems of order %d, all within 1e-12: %s\n", 2 * ROUNDS * COLUMNS, N,
           worst < 1e-12 ? "yes" : "no");
    printf("last factor and solve: %.6f s, of which factor %.6f s and solve %.6f s; %lld bytes up, %lld down\n",
           report.seconds.total, report.seconds.factor, report.seconds.solve, (long long)report.bytes_up,
           (long long)report.bytes_down);
    return worst < 1e-12 ? CLSOLVE_OK : CLSOLVE_ERROR_DEVICE;
}

int main(void) {
    clsolve_context *context = NULL;
    clsolve_lu *lu = NULL;
    double *a = calloc((size_t)N * N, sizeof *a);
    if (!a) return 1;
    for (int i = 0; i < N; i++) {
        a[i + i * N] = 4;
        if (i > 0) a[i - 1 + i * N] = -1; /* column i, the row above the diagonal */
        if (i < N - 1) a[i + 1 + i * N] = -2;
    }
    clsolve_matrix A = clsolve_matrix_f64(N, N, a);

    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = run(context, &A, &lu);
    if (status != CLSOLVE_OK) {
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    }
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(context);
    free(a);
    return status == CLSOLVE_OK ? 0 : 1;
}
