#include "solve/sparse_support.h"

clsolve_context *context;

int sparse_set_up(void **state) {
    context = test_context(1);
    return 0;
}

int sparse_tear_down(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

sparse sparse_begin(int64_t n, int64_t most) {
    sparse A = {n, 0, calloc((size_t)n + 1, sizeof(int64_t)), calloc((size_t)most + 1, sizeof(int64_t)),
                calloc((size_t)most + 1, sizeof(double))};
    assert_non_null(A.start);
    assert_non_null(A.column);
    assert_non_null(A.value);
    return A;
}

void sparse_row(sparse *A, int64_t i) {
    A->start[i] = A->count;
}

void sparse_add(sparse *A, int64_t j, double value) {
    A->column[A->count] = j;
    A->value[A->count++] = value;
}

void sparse_free(sparse *A) {
    free(A->start);
    free(A->column);
    free(A->value);
}

sparse sparse_grid(int64_t N, int64_t M, double c) {
    sparse A = sparse_begin(N * M, 5 * N * M);
    for (int64_t i = 0; i < N * M; i++) {
        sparse_row(&A, i);
        if (i >= M) sparse_add(&A, i - M, -1);
        if (i % M > 0) sparse_add(&A, i - 1, -1);
        sparse_add(&A, i, c);
        if (i % M < M - 1) sparse_add(&A, i + 1, -1);
        if (i + M < N * M) sparse_add(&A, i + M, -1);
    }
    sparse_row(&A, N * M);
    return A;
}

sparse sparse_wild_grid(int64_t N, int64_t M, uint64_t use) {
    test_random random = test_random_start(use);
    sparse A = sparse_grid(N, M, 1);
    test_random_fill(&random, A.value, A.count);
    return A;
}

sparse sparse_band(int64_t n, int64_t kl, int64_t ku, int shuffled, uint64_t use) {
    test_random random = test_random_start(use);
    sparse A = sparse_begin(n, n * (kl + ku + 1));
    SCRATCH int64_t *name = test_room(n + 1, sizeof *name), *inverse = test_room(n + 1, sizeof *inverse);
    for (int64_t i = 0; i < n; i++) name[i] = i;
    for (int64_t i = n - 1; shuffled && i > 0; i--) {
        int64_t other = test_random_between(&random, 0, i), kept = name[i];
        name[i] = name[other];
        name[other] = kept;
    }
    for (int64_t i = 0; i < n; i++) inverse[name[i]] = i;
    for (int64_t row = 0; row < n; row++) {
        int64_t i = inverse[row];
        sparse_row(&A, row);
        for (int64_t j = i - kl; j <= i + ku; j++)
            if (j >= 0 && j < n)
                sparse_add(&A, name[j], test_random_signed(&random) + (i == j ? (double)(kl + ku + 2) : 0));
    }
    sparse_row(&A, n);
    return A;
}

sparse sparse_random(int64_t n, int64_t each, uint64_t use) {
    test_random random = test_random_start(use);
    sparse A = sparse_begin(n, n * (each + 1));
    for (int64_t i = 0; i < n; i++) {
        sparse_row(&A, i);
        sparse_add(&A, i, 3 + test_random_unit(&random));
        for (int64_t e = 0; e < each; e++)
            sparse_add(&A, test_random_between(&random, 0, n - 1), test_random_signed(&random));
    }
    sparse_row(&A, n);
    return A;
}

clsolve_csr sparse_view(const sparse *A) {
    return clsolve_csr_i64_f64(A->n, A->start, A->column, A->value);
}

static double largest(int64_t n, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = test_worst(most, fabs(x[i]));
    return most;
}

double sparse_backward(const sparse *A, int transposed, int64_t nrhs, const double *b, const double *x) {
    double worst = 0;
    SCRATCH double *r = test_doubles(A->n + 1), *sums = test_doubles(A->n + 1);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
            sums[transposed ? A->column[e] : i] += fabs(A->value[e]);
    for (int64_t at = 0; at < A->n * nrhs; at += A->n) {
        for (int64_t i = 0; i < A->n; i++) r[i] = b[at + i];
        for (int64_t i = 0; i < A->n; i++)
            for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
                int64_t j = A->column[e];
                r[transposed ? j : i] -= A->value[e] * x[at + (transposed ? i : j)];
            }
        double bound = largest(A->n, sums) * largest(A->n, x + at) + largest(A->n, b + at);
        worst = test_worst(worst, bound > 0 ? largest(A->n, r) / bound : 0);
    }
    return worst;
}

double sparse_promised(int64_t n, clsolve_type type) {
    return fmax(sqrt((double)n), 10) * (type == CLSOLVE_F32 ? 0x1p-24 : 0x1p-53);
}
