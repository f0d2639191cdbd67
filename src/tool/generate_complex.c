/* generate_complex.c: kinds of complex elements. The rules of generate.c hold: single operations, the same bits
 * everywhere. */
#include "tool/generate_complex.h"

#include "io/message.h"
#include "tool/random.h"

static mm_result create(int64_t n, mm_matrix *A, mm_message *message) {
    mm_result result = mm_dense_create(n, n, A, message);
    if (result == MM_OK) result = mm_make_complex(A, message);
    if (result != MM_OK) mm_free(A);
    return result;
}

mm_result generate_random_complex(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    const mm_result result = create(n, A, message);
    if (result != MM_OK) return result;
    random_state random = random_start(seed);
    for (int64_t k = 0; k < 2 * n * n; k++) A->value[k] = random_signed(&random);
    return MM_OK;
}

/* 2 n on the diagonal is more than the n - 1 others in its row, each at most sqrt 2, can sum to: positive definite. */
mm_result generate_hermitian(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    const mm_result result = create(n, A, message);
    if (result != MM_OK) return result;
    random_state random = random_start(seed);
    for (int64_t j = 0; j < n; j++) {
        A->value[2 * (j + j * n)] = 2 * (double)n;
        for (int64_t i = j + 1; i < n; i++) {
            double *below = A->value + 2 * (i + j * n), *above = A->value + 2 * (j + i * n);
            above[0] = below[0] = random_signed(&random);
            below[1] = random_signed(&random);
            above[1] = -below[1];
        }
    }
    return MM_OK;
}

/*
 * -div grad u - k^2 (1 + i / 8) u by the five-point star, k h = 1/2: twelve points in a wave's length. Losses make it
 * regular; it is complex symmetric, neither hermitian nor definite.
 */
mm_result generate_helmholtz_of(mm_matrix *A, mm_message *message) {
    static const double kh2 = 0.25, loss = 0.125;
    const mm_result result = mm_make_complex(A, message);
    if (result != MM_OK) {
        mm_free(A);
        return result;
    }
    for (int64_t j = 0; j < A->cols; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            if (A->row[k] == j) {
                A->value[2 * k] -= kh2;
                A->value[2 * k + 1] = -kh2 * loss;
            }
    return MM_OK;
}
