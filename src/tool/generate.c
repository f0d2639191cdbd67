/*
 * generate.c: the test matrices. "The same bits everywhere" rules out functions of the mathematics library that differ
 * from machine to machine, and any a * b + c, which some compilers fuse: each element here is made of exact operations,
 * or of single ones that IEEE 754 rounds.
 *
 * Sources: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, sections 9.4 (growth) and
 * 28 (a gallery of test matrices); L. V. Foster, Gaussian Elimination with Partial Pivoting Can Fail in Practice, SIAM
 * J. Matrix Anal. Appl. 15 (1994); S. J. Wright, A Collection of Problems for Which Gaussian Elimination with Partial
 * Pivoting Is Unstable, SIAM J. Sci. Comput. 14 (1993).
 */
#include "tool/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/message.h"
#include "tool/generate_complex.h"
#include "tool/generate_entries.h"
#include "tool/generate_sparse.h"
#include "tool/random.h"

/* Element (i, j) of the dense matrix of order n, i and j from 0. Elements are asked for column by column. */
typedef double (*element)(int64_t n, int64_t i, int64_t j, random_state *random);

static mm_result fill(int64_t n, uint64_t seed, element value, mm_matrix *A, mm_message *message) {
    const mm_result result = mm_dense_create(n, n, A, message);
    if (result != MM_OK) return result;
    random_state random = random_start(seed);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) A->value[i + j * n] = value(n, i, j, &random);
    return MM_OK;
}

/* ---- dense ---- */

static double random_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)n, (void)i, (void)j;
    return random_signed(random);
}

/* n on the diagonal is more than the n - 1 others in its row, each at most 1, can sum to. */
static double dominant_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    const double off_diagonal = random_signed(random);
    return i == j ? (double)n : off_diagonal;
}

/* Row i times a power of two, from 2^40 in the first row down to 2^-40 in the last: 24 orders of magnitude. */
static double graded_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)j;
    const int64_t power = n > 1 ? 40 - 80 * i / (n - 1) : 0;
    return ldexp(random_signed(random), (int)power);
}

/*
 * A column of zeros stays one through every step of the elimination, 0 - l * 0 being 0 without rounding, so the pivot
 * of column n / 2 is exactly zero on any device. A matrix with two equal rows would be as singular, but rounding would
 * leave a pivot near to zero.
 */
static double singular_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)i;
    const double value = random_signed(random);
    return j == n / 2 ? 0.0 : value;
}

static double needs_pivots_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)n;
    const double value = random_signed(random);
    return i == j ? 0.0 : value;
}

static double hilbert_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)n, (void)random;
    return 1.0 / (double)(i + j + 1);
}

/* The last column doubles with each step: it grows by 2^(n-1), the most that partial pivoting allows. */
static double wilkinson_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)random;
    if (i == j || j == n - 1) return 1.0;
    return i > j ? -1.0 : 0.0;
}

/*
 * A Volterra integral equation by the trapezoidal rule: step times kernel kh = 1/2, and y(0) = C y(L) - ... with C = 6
 * in the last column. Each step multiplies that column by 1 + kh / (1 - kh/2) = 5/3; no rows are swapped.
 */
static double foster_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)random;
    const double kh = 0.5, last = -1.0 / 6.0;
    if (n == 1) return 1.0;
    if (j == n - 1) return i == n - 1 ? 1.0 - 1.0 / 6.0 - kh / 2 : last;
    if (j == 0) return i == 0 ? 1.0 : -kh / 2;
    if (i == j) return 1.0 - kh / 2;
    return i > j ? -kh : 0.0;
}

/* U^T U of the upper triangle of ones on and -1 above the diagonal: positive definite, with one tiny eigenvalue. */
static double moler_element(int64_t n, int64_t i, int64_t j, random_state *random) {
    (void)n, (void)random;
    if (i == j) return (double)(i + 1);
    return (double)((i < j ? i : j) - 1);
}

/* Upper triangle, row i is s^i (1, -c, -c, ...) with c^2 + s^2 = 1: nearly singular, though no pivot says so. */
static mm_result make_kahan(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    const double c = 0.28, s = 0.96;
    const mm_result result = mm_dense_create(n, n, A, message);
    if (result != MM_OK) return result;
    double scale = 1.0;
    for (int64_t i = 0; i < n; i++, scale *= s) {
        A->value[i + i * n] = scale;
        for (int64_t j = i + 1; j < n; j++) A->value[i + j * n] = -c * scale;
    }
    return MM_OK;
}

/* ---- sparse ---- */

/* -1, 2, -1: the second difference. */
static mm_result make_tridiagonal(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    entries list;
    const mm_result result = entries_reserve(n, 3, &list, A, message);
    if (result != MM_OK) return result;
    for (int64_t j = 0; j < n; j++) {
        if (j > 0) entries_add(&list, j - 1, j, -1.0);
        entries_add(&list, j, j, 2.0);
        if (j + 1 < n) entries_add(&list, j + 1, j, -1.0);
    }
    return entries_finish(n, &list, A, message);
}

/* The Laplacian's five-point star on a square grid, points numbered along its lines. */
static mm_result make_poisson(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    entries list;
    const mm_result result = entries_reserve(n, 5, &list, A, message);
    if (result != MM_OK) return result;
    int64_t side = 0;
    while ((side + 1) * (side + 1) <= n) side++;
    if (side * side != n) {
        entries_drop(&list);
        return mm_fail(message, MM_MALFORMED,
                       "n = %" PRId64 " is no square, and the grid has sqrt(n) x sqrt(n) points; take %" PRId64
                       " or %" PRId64,
                       n, side * side, (side + 1) * (side + 1));
    }
    for (int64_t j = 0; j < n; j++) {
        const int64_t x = j % side, y = j / side;
        if (y > 0) entries_add(&list, j - side, j, -1.0);
        if (x > 0) entries_add(&list, j - 1, j, -1.0);
        entries_add(&list, j, j, 4.0);
        if (x + 1 < side) entries_add(&list, j + 1, j, -1.0);
        if (y + 1 < side) entries_add(&list, j + side, j, -1.0);
    }
    return entries_finish(n, &list, A, message);
}

static mm_result make_helmholtz(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    const mm_result result = make_poisson(n, seed, A, message);
    return result == MM_OK ? generate_helmholtz_of(A, message) : result;
}

static mm_result make_identity(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    entries list;
    const mm_result result = entries_reserve(n, 1, &list, A, message);
    if (result != MM_OK) return result;
    for (int64_t j = 0; j < n; j++) entries_add(&list, j, j, 1.0);
    return entries_finish(n, &list, A, message);
}

/* All n! permutations are equally likely (R. Durstenfeld, Algorithm 235, Comm. ACM 7, 1964). */
static mm_result make_permutation(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    entries list;
    const mm_result result = entries_reserve(n, 1, &list, A, message);
    if (result != MM_OK) return result;
    for (int64_t j = 0; j < n; j++) entries_add(&list, j, j, 1.0);
    random_state random = random_start(seed);
    for (int64_t j = n - 1; j > 0; j--) {
        const int64_t other = (int64_t)random_below(&random, (uint64_t)j + 1);
        const int64_t row = list.row[j];
        list.row[j] = list.row[other];
        list.row[other] = row;
    }
    return entries_finish(n, &list, A, message);
}

/*
 * Multiple shooting for y' = M y, M = [-1/6 1; 1 -1/6], y(0) + y(L) given, step h = 0.3, in 2 x 2 blocks, E = exp(M h):
 *
 *     [  I           I ]
 *     [ -E   I         ]     E = exp(-0.05) [cosh 0.3  sinh 0.3; sinh 0.3  cosh 0.3]
 *     [     -E   I     ]
 *     [         -E   I ]     No rows are swapped; the last block column grows as exp((1 - 1/6) 0.3 n / 2).
 */
static mm_result make_wright(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    static const double E[2][2] = {{0.9943567532032275, 0.28966866348451403},
                                   {0.28966866348451403, 0.9943567532032275}};
    entries list;
    const mm_result result = entries_reserve(n, 4, &list, A, message);
    if (result != MM_OK) return result;
    if (n % 2 != 0) {
        entries_drop(&list);
        return mm_fail(message, MM_MALFORMED,
                       "n = %" PRId64 " is odd, and wright is made of 2 x 2 blocks; take %" PRId64, n, n + 1);
    }
    for (int64_t j = 0; j < n; j++) {
        const int64_t below = j - j % 2 + 2;
        entries_add(&list, j, j, 1.0);
        for (int64_t i = 0; i < 2 && below < n; i++) entries_add(&list, below + i, j, -E[i][j % 2]);
        if (below == n && n > 2) entries_add(&list, j % 2, j, 1.0);
    }
    return entries_finish(n, &list, A, message);
}

/* ---- the table ---- */

#define DENSE_KIND(name)                                                                                               \
    static mm_result make_##name(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {                        \
        return fill(n, seed, name##_element, A, message);                                                              \
    }
DENSE_KIND(random)
DENSE_KIND(dominant)
DENSE_KIND(graded)
DENSE_KIND(hilbert)
DENSE_KIND(wilkinson)
DENSE_KIND(foster)
DENSE_KIND(moler)
DENSE_KIND(singular)

static mm_result make_needs_pivots(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    memset(A, 0, sizeof *A);
    if (n == 1)
        return mm_fail(message, MM_MALFORMED, "needs-pivots of order 1 would be a single zero; take n = 2 or more");
    return fill(n, seed, needs_pivots_element, A, message);
}

const generate_kind generate_kinds[] = {
    {"random", "dense, uniform in [-1, 1)", make_random},
    {"diagonally-dominant", "dense random, n on the diagonal: well conditioned", make_dominant},
    {"graded", "dense random, rows scaled from 2^40 down to 2^-40", make_graded},
    {"singular", "dense random with a zero column in the middle: an exact zero pivot", make_singular},
    {"needs-pivots", "dense random with a zero diagonal", make_needs_pivots},
    {"hilbert", "1/(i+j-1): ill-conditioned from n = 12 on", make_hilbert},
    {"wilkinson", "the largest pivot growth there is, 2^(n-1)", make_wilkinson},
    {"foster", "pivot growth in practice: an integral equation", make_foster},
    {"wright", "sparse, pivot growth in practice: multiple shooting (n even)", make_wright},
    {"moler", "positive definite, ill-conditioned, integers", make_moler},
    {"kahan", "upper triangle, nearly singular without a small pivot", make_kahan},
    {"poisson", "sparse, five-point Laplacian on a square grid (n a square)", make_poisson},
    {"poisson-3d", "sparse, seven-point Laplacian on a cube, cut off after n points", generate_poisson_3d},
    {"circuit", "sparse, nodal analysis of a random circuit: resistors, amplifiers, sources", generate_circuit},
    {"tridiagonal", "sparse, -1 2 -1", make_tridiagonal},
    {"identity", "sparse", make_identity},
    {"permutation", "sparse, a random permutation of the identity", make_permutation},
    {"random-complex", "dense, complex, both parts uniform in [-1, 1)", generate_random_complex},
    {"hermitian", "dense, complex, hermitian, 2n on the diagonal: positive definite", generate_hermitian},
    {"helmholtz", "sparse, complex, waves with losses on a square grid (n a square)", make_helmholtz},
    {NULL, NULL, NULL},
};

const generate_kind *generate_find(const char *name) {
    for (const generate_kind *kind = generate_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0) return kind;
    return NULL;
}
