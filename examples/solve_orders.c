/*
 * solve_orders.c: many small systems whose orders differ, tight one behind the other, in one call each to factor and to
 * solve. One of them is singular: it alone has no solution.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>

enum { COUNT = 5, LARGEST = 4, SINGULAR = 3 };
static const int64_t orders[COUNT] = {2, 4, 0, 3, 1};

/* Column-major members with 4 on the diagonal and 1 elsewhere, and b = A x with x = 1, 2, 3, ... */
static void fill(double *a, double *b, int64_t *a_at, int64_t *b_at) {
    for (int64_t m = 0, next_a = 0, next_b = 0; m < COUNT; next_a += orders[m] * orders[m], next_b += orders[m++]) {
        const int64_t n = orders[m];
        a_at[m] = next_a;
        b_at[m] = next_b;
        for (int64_t i = 0; i < n; i++) {
            b[next_b + i] = 0;
            for (int64_t j = 0; j < n; j++) {
                const double element = m == SINGULAR ? 1 : i == j ? 4 : 1;
                a[next_a + i + j * n] = element;
                b[next_b + i] += element * (double)(j + 1);
            }
        }
    }
}

int main(void) {
    double a[2 * 2 + 4 * 4 + 3 * 3 + 1], b[2 + 4 + 3 + 1];
    int64_t a_at[COUNT], b_at[COUNT], info[COUNT];
    clsolve_context *context = NULL;
    clsolve_lu_batch *batch = NULL;
    fill(a, b, a_at, b_at);

    clsolve_batch A = clsolve_batch_f64(COUNT, LARGEST, LARGEST, a), B = clsolve_batch_f64(COUNT, LARGEST, 1, b);
    A.ld = B.ld = 0; /* each member is tight */
    A.offsets = a_at;
    B.offsets = b_at;
    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK)
        status = clsolve_lu_batch_create_ragged(context, orders, COUNT, CLSOLVE_F64, NULL, &batch);
    if (status == CLSOLVE_OK) status = clsolve_lu_batch_factor(batch, &A, info);
    if (status == CLSOLVE_OK) status = clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info);
    if (status != CLSOLVE_OK)
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    for (int64_t m = 0; status == CLSOLVE_OK && m < COUNT; m++) {
        printf("order %lld, info %lld:", (long long)orders[m], (long long)info[m]);
        for (int64_t i = 0; i < orders[m] && info[m] == 0; i++) printf(" %.3f", b[b_at[m] + i]);
        printf("\n");
    }
    clsolve_lu_batch_destroy(batch);
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
