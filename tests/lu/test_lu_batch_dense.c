/*
 * Few large members of a batch of LU, which the engine of dense LU factors on a GPU, among small ones: LAPACK's pivots, the ratio of
 * P A - L U, solves, and beside good members one that is singular, one that holds NaN and one that is tiny.
 */
#include <clsolve/clsolve.h>

#include <float.h>

#include "support/fixture.h"

enum { COUNT = 5, LARGE = 530, OTHER = 525, SMALL = 9 };
static const int64_t orders[COUNT] = {SMALL, LARGE, 0, OTHER, SMALL};

static int64_t first_of(int m, int square) {
    int64_t first = 0;
    for (int k = 0; k < m; ++k) first += square ? orders[k] * orders[k] : orders[k];
    return first;
}

/* With so few digits that a tiny multiple has them all. */
static float drawn(test_random *random) {
    return (float)round(test_random_signed(random) * 256) / 256;
}

/* Is row k of L U the row of A that the exchanges say? */
static void check_factors(const float *A, const float *F, const int64_t *ipiv, int64_t n) {
    SCRATCH int64_t *row = test_room(n, sizeof *row);
    double worst = 0;
    for (int64_t i = 0; i < n; ++i) row[i] = i;
    for (int64_t k = 0; k < n; ++k) {
        const int64_t other = ipiv[k] - 1, here = row[k];
        assert_true(other >= k && other < n);
        row[k] = row[other];
        row[other] = here;
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double sum = A[row[i] + j * n];
            for (int64_t k = 0; k <= (i < j ? i : j); ++k)
                sum -= (k == i ? 1 : (double)F[i + k * n]) * (double)F[k + j * n];
            if (!(fabs(sum) <= worst)) worst = fabs(sum);
        }
    assert_true(worst < 30 * (double)n * FLT_EPSILON);
}

static void check_solution(const float *A, const float *x, const float *b, int64_t n) {
    double worst = 0, most = 0, norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        double sum = b[i], size = 0;
        for (int64_t j = 0; j < n; ++j) {
            sum -= (double)A[i + j * n] * (double)x[j];
            size += fabs((double)A[i + j * n]);
        }
        norm = fmax(norm, size);
        worst = fmax(worst, fabs(sum));
        most = fmax(most, fabs((double)x[i]));
    }
    assert_true(worst < 30 * (double)n * FLT_EPSILON * norm * most);
}

/* unit: of the member of LARGE rows, which is OTHER's too where `other` is 0; else the latter is singular (1) or holds NaN (-1). */
static void check(test_random *random, float unit, int other) {
    const int64_t elements = first_of(COUNT, 1), rows = first_of(COUNT, 0);
    SCRATCH float *A = test_room(elements, sizeof *A), *F = test_room(elements, sizeof *F),
                  *b = test_room(rows, sizeof *b), *x = test_room(rows, sizeof *x);
    int64_t *ipiv = test_room(rows, sizeof *ipiv), offsets[COUNT], sides[COUNT], info[COUNT];
    OWNED(lu_batch) *batch = NULL;
    for (int64_t k = 0; k < elements; ++k) A[k] = drawn(random);
    for (int64_t k = 0; k < rows; ++k) x[k] = b[k] = drawn(random);
    float *const third = A + first_of(3, 1);
    for (int64_t i = 0; i < OTHER && other == 1; ++i) third[i + 7 * OTHER] = 0;
    if (other == -1) third[OTHER * OTHER - 2] = NAN;
    for (int m = 0; m < COUNT; ++m) {
        offsets[m] = first_of(m, 1);
        sides[m] = first_of(m, 0);
    }
    memcpy(F, A, (size_t)elements * sizeof *F);
    for (int64_t k = 0; k < LARGE * LARGE; ++k) F[offsets[1] + k] *= unit;
    for (int64_t k = 0; k < LARGE; ++k) x[sides[1] + k] *= unit;
    clsolve_batch of_F = clsolve_batch_f32(COUNT, LARGE, LARGE, F), of_x = clsolve_batch_f32(COUNT, LARGE, 1, x);
    of_F.offsets = offsets;
    of_x.offsets = sides;
    of_F.ld = of_x.ld = 0;
    test_works(context, clsolve_lu_batch_create_ragged(context, orders, COUNT, CLSOLVE_F32, NULL, &batch));
    test_works(context, clsolve_lu_batch_factor(batch, &of_F, info));
    for (int m = 0; m < COUNT; ++m) assert_int_equal(info[m], m != 3 || other == 0 ? 0 : other == 1 ? 8 : -1);
    test_works(context, clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &of_x, info));
    test_works(context, clsolve_lu_batch_factors(batch, &of_F, ipiv));
    for (int m = 0; m < COUNT; ++m) {
        if (orders[m] == 0 || (m == 3 && other != 0)) continue;
        check_solution(A + offsets[m], x + sides[m], b + sides[m], orders[m]);
        if (m != 1 || unit == 1) check_factors(A + offsets[m], F + offsets[m], ipiv + sides[m], orders[m]);
    }
    free(ipiv);
}

TEST(test_few_large_members) {
    test_random random = test_random_start(1024);
    (void)state;
    check(&random, 1, 0);
    check(&random, 0x1p-135f, 1);
    check(&random, 1, -1);
}

TEST_PROGRAM(open_context, close_context)
