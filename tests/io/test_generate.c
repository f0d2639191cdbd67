/* Each kind of test matrix has the property that it is named for, and the same bits from the same seed. */
#include <inttypes.h>

#include "io/io_support.h"
#include "support/test_support.h"
#include "tool/generate.h"

static mm_matrix make(const char *name, int64_t n, uint64_t seed) {
    const generate_kind *kind = generate_find(name);
    mm_matrix A;
    mm_message message;
    assert_non_null(kind);
    if (kind->make(n, seed, &A, &message) != MM_OK) fail_msg("%s: %s", name, message.error);
    assert_int_equal(A.rows, n);
    assert_int_equal(A.cols, n);
    return A;
}

/* Column-major, for free(). */
static double *make_dense(const char *name, int64_t n, uint64_t seed) {
    SCRATCH_BY(mm_free) mm_matrix A = make(name, n, seed);
    double *dense = test_doubles(n * n + 1);
    mm_to_dense(&A, dense, n);
    return dense;
}

typedef struct elimination {
    int64_t zero_pivot; /* the first, from 1; 0: none */
    int64_t swaps;
    double growth; /* largest element of U by the largest of A */
} elimination;

/* Gaussian elimination with partial pivoting, in place; the first of equal pivots is taken. */
static elimination eliminate(double *a, int64_t n) {
    elimination result = {0, 0, 0};
    double before = 0, after = 0;
    for (int64_t k = 0; k < n * n; k++) before = fmax(before, fabs(a[k]));
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[pivot + k * n])) pivot = i;
        result.swaps += pivot != k;
        for (int64_t j = 0; j < n; j++) {
            const double swapped = a[k + j * n];
            a[k + j * n] = a[pivot + j * n];
            a[pivot + j * n] = swapped;
            if (j >= k) after = fmax(after, fabs(a[k + j * n]));
        }
        if (a[k + k * n] == 0) {
            if (result.zero_pivot == 0) result.zero_pivot = k + 1;
            continue;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const double factor = a[i + k * n] / a[k + k * n];
            for (int64_t j = k; j < n; j++) a[i + j * n] -= factor * a[k + j * n];
        }
    }
    result.growth = after / before;
    return result;
}

static elimination eliminate_kind(const char *name, int64_t n, uint64_t seed) {
    SCRATCH double *dense = make_dense(name, n, seed);
    const elimination result = eliminate(dense, n);
    return result;
}

TEST(test_every_kind_at_small_sizes) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 16, 36};
    for (const generate_kind *kind = generate_kinds; kind->name; kind++) {
        assert_ptr_equal(generate_find(kind->name), kind);
        assert_non_null(kind->summary);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            mm_matrix A, again;
            mm_message message = {"", ""};
            const mm_result result = kind->make(sizes[s], test_seed(), &A, &message);
            assert_int_equal(result, kind->make(sizes[s], test_seed(), &again, &message));
            if (result == MM_OK) {
                assert_int_equal(A.rows, sizes[s]);
                io_assert_same(&A, &again);
                for (int64_t k = 0; k < A.entries; k++) assert_true(isfinite(A.value[k]));
            } else {
                assert_int_equal(result, MM_MALFORMED);
                assert_non_null(strstr(message.error, "take "));
            }
            mm_free(&A);
            mm_free(&again);
        }
    }
    assert_null(generate_find("no-such-kind"));
    assert_null(generate_find(""));
}

TEST(test_all_but_the_singular_are_regular) {
    for (const generate_kind *kind = generate_kinds; kind->name; kind++) {
        mm_matrix four = make(kind->name, 4, test_seed());
        const int is_complex = four.is_complex;
        mm_free(&four);
        if (is_complex) continue; /* tests/tool solves these */
        const elimination result = eliminate_kind(kind->name, 16, test_seed());
        assert_int_equal(result.zero_pivot, strcmp(kind->name, "singular") == 0 ? 9 : 0);
    }
    for (int64_t n = 1; n < 40; n++)
        assert_int_equal(eliminate_kind("singular", n, test_seed() + (uint64_t)n).zero_pivot, n / 2 + 1);
}

TEST(test_complex_kinds) {
    enum { N = 25 };
    mm_matrix A = make("hermitian", N, test_seed());
    assert_true(A.is_complex && !A.sparse);
    for (int64_t j = 0; j < N; j++) {
        double others = 0;
        for (int64_t i = 0; i < N; i++) {
            const double *a = A.value + 2 * (i + j * N), *mirrored = A.value + 2 * (j + i * N);
            assert_true(a[0] == mirrored[0] && a[1] == -mirrored[1]);
            if (i != j) others += hypot(a[0], a[1]);
        }
        assert_true(A.value[2 * (j + j * N)] > others);
    }
    mm_free(&A);

    A = make("helmholtz", N, test_seed());
    mm_matrix laplacian = make("poisson", N, test_seed());
    assert_true(A.is_complex && A.sparse && A.entries == laplacian.entries);
    for (int64_t j = 0; j < N; j++)
        for (int64_t k = A.start[j]; k < A.start[j + 1]; k++) {
            const int on_diagonal = A.row[k] == j;
            assert_true(A.value[2 * k] == laplacian.value[k] - (on_diagonal ? 0.25 : 0));
            assert_true(A.value[2 * k + 1] == (on_diagonal ? -0.03125 : 0));
        }
    mm_free(&laplacian);
    mm_free(&A);

    A = make("random-complex", 1, 1);
    SCRATCH_BY(mm_free) mm_matrix real = make("random", 2, 1); /* the real and the imaginary part take a number each */
    assert_true(A.value[0] == real.value[0] && A.value[1] == real.value[1]);
    mm_free(&A);
}

TEST(test_random_bits_are_fixed) {
    mm_matrix A = make("random", 2, 1), B = make("random", 2, 2);
    /* xoshiro256** seeded with splitmix64(1), worked out apart from this code */
    static const double expected[] = {0x1.9f957b687e388p-2, 0x1.4ed56591cd920p-5, 0x1.2f89756082a40p-3,
                                      -0x1.bd1e3843d9960p-3};
    for (int k = 0; k < 4; k++)
        if (A.value[k] != expected[k]) fail_msg("%d: %a, not %a", k, A.value[k], expected[k]);
    assert_memory_not_equal(A.value, B.value, 4 * sizeof *A.value);
    mm_free(&A);
    mm_free(&B);

    A = make("random", 200, test_seed());
    double sum = 0, lowest = 1, highest = -1;
    for (int64_t k = 0; k < A.entries; k++) {
        sum += A.value[k];
        lowest = fmin(lowest, A.value[k]);
        highest = fmax(highest, A.value[k]);
    }
    assert_true(lowest >= -1 && lowest < -0.99 && highest < 1 && highest > 0.99);
    assert_true(fabs(sum / (double)A.entries) < 0.02); /* 7 standard deviations */
    mm_free(&A);
}

TEST(test_pivot_growth) {
    elimination result = eliminate_kind("wilkinson", 30, 0);
    assert_true(result.growth == ldexp(1, 29));
    assert_int_equal(result.swaps, 0);
    result = eliminate_kind("foster", 60, 0);
    assert_true(result.growth > 1e11);
    assert_int_equal(result.swaps, 0);
    result = eliminate_kind("wright", 100, 0);
    assert_true(result.growth > 1e4);
    assert_int_equal(result.swaps, 0);
    assert_int_equal(eliminate_kind("diagonally-dominant", 50, test_seed()).swaps, 0);
    assert_true(eliminate_kind("needs-pivots", 50, test_seed()).swaps > 0);
}

TEST(test_structure) {
    enum { N = 25 };
    double *graded = make_dense("graded", N, test_seed());
    double *zero_diagonal = make_dense("needs-pivots", N, test_seed());
    double *dominant = make_dense("diagonally-dominant", N, test_seed());
    for (int64_t i = 0; i < N; i++) {
        double row = 0;
        assert_true(zero_diagonal[i + i * N] == 0);
        for (int64_t j = 0; j < N; j++) {
            row += i == j ? 0 : fabs(dominant[i + j * N]);
            assert_true(fabs(graded[i + j * N]) <= ldexp(1, (int)(40 - 80 * i / (N - 1))));
        }
        assert_true(dominant[i + i * N] > row);
    }
    free(graded);
    free(zero_diagonal);
    free(dominant);

    mm_matrix P = make("permutation", N, test_seed());
    int seen[N] = {0};
    assert_int_equal(P.entries, N);
    for (int64_t j = 0; j < N; j++) {
        assert_int_equal(P.start[j + 1], j + 1);
        assert_true(P.value[j] == 1 && !seen[P.row[j]]++);
    }
    mm_free(&P);
}

TEST(test_grids) {
    mm_matrix A = make("poisson", 25, 0), T = make("tridiagonal", 25, 0);
    double x[25], y[25];
    assert_int_equal(A.entries, 5 * 25 - 4 * 5);
    assert_int_equal(T.entries, 3 * 25 - 2);
    for (int k = 0; k < 25; k++) x[k] = 1;
    mm_product(&A, 1, x, y); /* what is missing at the border: 2 in corners, 1 at sides, 0 inside */
    for (int k = 0; k < 25; k++) {
        const int sides = (k % 5 == 0) + (k % 5 == 4) + (k / 5 == 0) + (k / 5 == 4);
        assert_true(y[k] == sides);
    }
    mm_product(&T, 1, x, y);
    for (int k = 0; k < 25; k++) assert_true(y[k] == (k == 0 || k == 24));
    mm_free(&A);
    mm_free(&T);

    mm_message message;
    assert_int_equal(generate_find("poisson")->make(26, 0, &A, &message), MM_MALFORMED);
    assert_non_null(strstr(message.error, "take 25 or 36"));
}

/* moler = U^T U exactly; hilbert is symmetric; each row of kahan has norm s^i sqrt(1 + c^2 (n - i - 1)). */
TEST(test_known_elements) {
    enum { N = 12 };
    SCRATCH double *moler = make_dense("moler", N, 0), *hilbert = make_dense("hilbert", N, 0);
    SCRATCH double *kahan = make_dense("kahan", N, 0);
    for (int64_t j = 0; j < N; j++) {
        for (int64_t i = 0; i < N; i++) {
            double sum = 0;
            for (int64_t k = 0; k <= i && k <= j; k++) sum += (k == i ? 1 : -1) * (k == j ? 1 : -1);
            assert_true(moler[i + j * N] == sum);
            assert_true(hilbert[i + j * N] == 1.0 / (double)(i + j + 1));
            const double expected = i > j ? 0 : pow(0.96, (double)i) * (i == j ? 1 : -0.28);
            assert_true(fabs(kahan[i + j * N] - expected) <= 1e-14);
        }
    }
}

TEST_PROGRAM_ALONE(NULL, NULL)
