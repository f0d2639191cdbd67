/*
 * test_calls.c: calls of LAPACK as a program makes them, with the library linked in front: answers, what must not change,
 * and LAPACK's own complaints about wrong arguments, which come to the program's xerbla_.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lapack/lapack_names.h"

enum { PADDING = 3, MOST = 200 };

/* ---- the program's own xerbla_ ---- */

static char complained[8];
static int64_t complaint;

void xerbla_(const char *name, const int32_t *info, size_t length);
__attribute__((visibility("default"))) void xerbla_(const char *name, const int32_t *info, size_t length) {
    size_t used = length < 7 ? length : 7;
    while (used > 0 && name[used - 1] == ' ')
        used--; /* LAPACK's names have six letters, OpenBLAS's as many as they need */
    memcpy(complained, name, used);
    complained[used] = 0;
    complaint = *info;
}

/* ---- systems ---- */

static double next_random(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

typedef struct dense {
    integer n, nrhs, lda, ldb, info;
    double *a, *b, *a0, *b0;
    integer *ipiv;
} dense;

static double *filled(size_t count, uint64_t *state) {
    double *x = malloc((count ? count : 1) * sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < count; k++) x[k] = next_random(state);
    return x;
}

static double *copied(const double *x, size_t count) {
    double *copy = malloc((count ? count : 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, x, count * sizeof *copy);
    return copy;
}

static dense make(integer n, integer nrhs) {
    uint64_t state = 88172645463325252u + (uint64_t)n;
    dense s = {.n = n, .nrhs = nrhs, .lda = n + PADDING, .ldb = n + PADDING, .info = -7};
    size_t count = (size_t)(s.lda * n), sides = (size_t)(s.ldb * nrhs);
    s.a = filled(count, &state);
    s.b = filled(sides, &state);
    for (integer j = 0; j < n; j++) s.a[j + j * s.lda] += 2;
    s.a0 = copied(s.a, count);
    s.b0 = copied(s.b, sides);
    s.ipiv = calloc((size_t)n + 1, sizeof *s.ipiv);
    assert_non_null(s.ipiv);
    s.ipiv[n] = 4711;
    return s;
}

static void drop(dense *s) {
    free(s->a), free(s->b), free(s->a0), free(s->b0), free(s->ipiv);
}

/* ||B - A X|| / (||A|| ||X|| n eps), the worst of the right-hand sides. */
static double ratio(const dense *s) {
    double worst = 0, norm = 0;
    for (integer j = 0; j < s->n; j++) {
        double sum = 0;
        for (integer i = 0; i < s->n; i++) sum += fabs(s->a0[i + j * s->lda]);
        norm = fmax(norm, sum);
    }
    for (integer c = 0; c < s->nrhs; c++) {
        double left = 0, size = 0;
        for (integer i = 0; i < s->n; i++) {
            double r = s->b0[i + c * s->ldb];
            for (integer j = 0; j < s->n; j++) r -= s->a0[i + j * s->lda] * s->b[j + c * s->ldb];
            left += fabs(r);
            size += fabs(s->b[i + c * s->ldb]);
        }
        double one = left / (norm * size * (double)s->n * DBL_EPSILON);
        if (!(one <= worst)) worst = one;
    }
    return worst;
}

static void check_padding(const dense *s) {
    for (integer j = 0; j < s->n; j++)
        for (integer i = s->n; i < s->lda; i++) assert_true(s->a[i + j * s->lda] == s->a0[i + j * s->lda]);
    for (integer j = 0; j < s->nrhs; j++)
        for (integer i = s->n; i < s->ldb; i++) assert_true(s->b[i + j * s->ldb] == s->b0[i + j * s->ldb]);
    assert_int_equal(s->ipiv[s->n], 4711);
}

static void test_gesv(void **unused) {
    static const integer orders[] = {0, 1, 2, 3, 5, 31, 32, 33, 64, 97, 131};
    (void)unused;
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        for (integer nrhs = 0; nrhs < 4; nrhs += 3) {
            dense s = make(orders[k], nrhs);
            LAPACK(dgesv)(&s.n, &s.nrhs, s.a, &s.lda, s.ipiv, s.b, &s.ldb, &s.info);
            assert_int_equal(s.info, 0);
            if (s.n > 0 && nrhs > 0) assert_true(ratio(&s) < 30);
            check_padding(&s);
            /* OpenBLAS does nothing without right-hand sides */
            for (integer i = 0; i < s.n && nrhs > 0; i++) assert_true(s.ipiv[i] > i && s.ipiv[i] <= s.n);
            drop(&s);
        }
}

/* A column of zeros: LAPACK finishes the factors, says which column it was, and leaves B. */
static void test_singular(void **unused) {
    (void)unused;
    dense s = make(67, 2);
    for (integer i = 0; i < s.n; i++) s.a[i + 40 * s.lda] = 0;
    LAPACK(dgesv)(&s.n, &s.nrhs, s.a, &s.lda, s.ipiv, s.b, &s.ldb, &s.info);
    assert_int_equal(s.info, 41);
    assert_memory_equal(s.b, s.b0, (size_t)(s.ldb * s.nrhs) * sizeof(double));
    assert_true(s.a[40 + 40 * s.lda] == 0);
    check_padding(&s);
    drop(&s);
}

/* LAPACK computes with NaN as with any other number: the host does that, from what the caller gave. */
static void test_nan(void **unused) {
    (void)unused;
    dense s = make(50, 1);
    s.b[7] = NAN;
    LAPACK(dgesv)(&s.n, &s.nrhs, s.a, &s.lda, s.ipiv, s.b, &s.ldb, &s.info);
    assert_int_equal(s.info, 0);
    assert_true(s.b[49] != s.b[49]);
    for (integer j = 0; j < s.n; j++)
        for (integer i = 0; i < s.n; i++) assert_true(s.a[i + j * s.lda] == s.a[i + j * s.lda]);
    drop(&s);
}

static void test_gesv_bad(void **unused) {
    static const struct {
        integer n, nrhs, lda, ldb;
        int64_t wanted;
    } cases[] = {{-1, 1, 9, 9, 1}, {5, -1, 9, 9, 2}, {5, 1, 4, 9, 4},
                 {5, 1, 9, 4, 7},  {0, 0, 0, 1, 4},  {-1, -1, -1, -1, 1}};
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double a[81], b[81];
        integer ipiv[9], info = 4;
        memset(a, 0, sizeof a), memset(b, 0, sizeof b);
        complaint = 0, complained[0] = 0;
        LAPACK(dgesv)(&cases[k].n, &cases[k].nrhs, a, &cases[k].lda, ipiv, b, &cases[k].ldb, &info);
        assert_int_equal(info, -cases[k].wanted);
        assert_int_equal(complaint, cases[k].wanted);
        assert_string_equal(complained, "DGESV");
    }
}

#if !defined(WIDE) && !defined(PLAIN_NAMES)
/* |P A - L U| of an m x n matrix, in units of eps ||A||. */
static double factor_ratio(integer m, integer n, integer ld, const double *a, const double *lu, const integer *ipiv) {
    const integer k = m < n ? m : n;
    double worst = 0, norm = 0, *p = copied(a, (size_t)(ld * n));
    for (integer i = 0; i < k; i++)
        for (integer j = 0; j < n; j++) {
            double x = p[i + j * ld];
            p[i + j * ld] = p[ipiv[i] - 1 + j * ld];
            p[ipiv[i] - 1 + j * ld] = x;
        }
    for (integer i = 0; i < m; i++)
        for (integer j = 0; j < n; j++) {
            double r = p[i + j * ld];
            norm = fmax(norm, fabs(r));
            for (integer l = 0; l <= i && l <= j && l < k; l++) r -= (l == i ? 1 : lu[i + l * ld]) * lu[l + j * ld];
            worst = fmax(worst, fabs(r));
        }
    free(p);
    return worst / (norm * (double)(m > n ? m : n) * DBL_EPSILON);
}

static void test_getrf(void **unused) {
    static const integer shapes[][2] = {{1, 7}, {7, 1}, {2, 3}, {33, 20}, {20, 33}, {90, 64}, {64, 64}, {65, 131}};
    (void)unused;
    for (size_t k = 0; k < 2 * sizeof shapes / sizeof *shapes; k++) {
        const integer m = shapes[k / 2][0], n = shapes[k / 2][1], ld = m + PADDING;
        uint64_t state = 77 + k;
        double *a = filled((size_t)(ld * n), &state), *lu = copied(a, (size_t)(ld * n));
        integer ipiv[MOST] = {0}, info = -7;
        (k % 2 ? LAPACK(dgetrf2) : LAPACK(dgetrf))(&m, &n, lu, &ld, ipiv, &info);
        assert_int_equal(info, 0);
        assert_true(factor_ratio(m, n, ld, a, lu, ipiv) < 30);
        assert_int_equal(ipiv[m < n ? m : n], 0);
        for (integer j = 0; j < n; j++)
            for (integer i = m; i < ld; i++) assert_true(lu[i + j * ld] == a[i + j * ld]);
        free(a), free(lu);
    }
}

/* U(2,2) is too large for a double. The device says so when it has factors in A's place, and LAPACK has to find A there. */
static void test_getrf_overflow(void **unused) {
    (void)unused;
    for (integer n = 2; n <= 3; n++) {
        double a[2 * 3] = {2, 1, 1e308, -1.5e308, 2, 3};
        const integer m = 2;
        integer ipiv[2] = {0}, info = -7;
        LAPACK(dgetrf)(&m, &n, a, &m, ipiv, &info);
        assert_int_equal(info, 0);
        assert_true(a[0] == 2 && a[1] == 0.5 && a[2] == 1e308 && isinf(a[3]) && ipiv[0] == 1 && ipiv[1] == 2);
        if (n == 3) assert_true(a[4] == 2 && a[5] == 2);
    }
}

/* The second pivot is 2^-40: zero in float. ITER is then -3, and A's place has the factors of double. */
static void test_dsgesv(void **unused) {
    double a[4] = {1, 1, 1, 1 + 0x1p-40}, kept[4], work[2], x[2];
    const double b[2] = {2, 2 + 0x1p-40};
    float swork[6];
    const integer n = 2, nrhs = 1;
    integer ipiv[2] = {0}, iter = 99, info = -7;
    (void)unused;
    memcpy(kept, a, sizeof a);
    LAPACK(dsgesv)(&n, &nrhs, a, &n, ipiv, b, &n, x, &n, work, swork, &iter, &info);
    assert_int_equal(info, 0);
    assert_int_equal(iter, -3);
    assert_true(a[3] == 0x1p-40 && x[0] == 1 && x[1] == 1);
    kept[3] = 3; /* float does it */
    memcpy(a, kept, sizeof a);
    LAPACK(dsgesv)(&n, &nrhs, a, &n, ipiv, b, &n, x, &n, work, swork, &iter, &info);
    assert_int_equal(info, 0);
    assert_true(iter >= 0);
    assert_memory_equal(a, kept, sizeof a);
}

/* The library would solve these two: by scaling, and within a memory limit by float factors. The answers are LAPACK's. */
static void test_dsgesv_is_lapacks(void **unused) {
    enum { ORDER = 200 };
    const integer n = ORDER, nrhs = 1;
    double *a = calloc(ORDER * ORDER, sizeof *a), *b = calloc(ORDER, sizeof *b), *x = calloc(ORDER, sizeof *x);
    double *work = calloc(ORDER, sizeof *work);
    float *swork = calloc(ORDER * (ORDER + 1), sizeof *swork);
    integer *ipiv = calloc(ORDER, sizeof *ipiv), iter = 99, info = -7;
    (void)unused;
    assert_true(a && b && x && work && swork && ipiv);
    for (integer k = 0; k < n; k++) a[k + k * n] = 0x1p130, b[k] = (double)(k % 7) - 3.1;
    LAPACK(dsgesv)(&n, &nrhs, a, &n, ipiv, b, &n, x, &n, work, swork, &iter, &info);
    assert_int_equal(info, 0);
    assert_int_equal(iter, -2);
    assert_true(x[0] * 0x1p130 == b[0] && x[n - 1] * 0x1p130 == b[n - 1]);
    for (integer k = 0; k < n * n; k++) a[k] = 1;
    LAPACK(dsgesv)(&n, &nrhs, a, &n, ipiv, b, &n, x, &n, work, swork, &iter, &info);
    assert_int_equal(info, 2);
    free(a), free(b), free(x), free(work), free(swork), free(ipiv);
}

static void test_gbsv_bad(void **unused) {
    static const struct {
        integer n, kl, ku, nrhs, ldab, ldb;
        int64_t wanted;
    } cases[] = {{-1, 1, 1, 1, 9, 9, 1}, {5, -1, 1, 1, 9, 9, 2}, {5, 1, -1, 1, 9, 9, 3},
                 {5, 1, 1, -1, 9, 9, 4}, {5, 1, 1, 1, 3, 9, 6},  {5, 1, 1, 1, 9, 4, 9}};
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double a[81], b[81];
        integer ipiv[9], info = 4;
        memset(a, 0, sizeof a), memset(b, 0, sizeof b);
        complaint = 0, complained[0] = 0;
        LAPACK(dgbsv)
        (&cases[k].n, &cases[k].kl, &cases[k].ku, &cases[k].nrhs, a, &cases[k].ldab, ipiv, b, &cases[k].ldb, &info);
        assert_int_equal(info, -cases[k].wanted);
        assert_int_equal(complaint, cases[k].wanted);
        assert_string_equal(complained, "DGBSV");
    }
}
/* A wide band, and elements around it; then one whose second pivot grows beyond double, which is the host's as it was. */
static void test_gbtrf(void **unused) {
    const integer m = 3, n = 5, one = 1, ldab = 4;
    (void)unused;
    for (int overflows = 0; overflows < 2; overflows++) {
        double ab[20];
        integer ipiv[3], info = -1;
        for (int k = 0; k < 20; k++) ab[k] = 100 + k;
        for (int j = 0; j < 4; j++) /* diagonals above, in, and below the main one */
            ab[1 + 4 * j] = 1, ab[2 + 4 * j] = 4, ab[3 + 4 * j] = -8;
        if (overflows) ab[2] = 1, ab[3] = -1, ab[5] = ab[6] = 1.7e308;
        LAPACK(dgbtrf)(&m, &n, &one, &one, ab, &ldab, ipiv, &info);
        assert_int_equal(info, 0);
        assert_true(ipiv[0] == (overflows ? 1 : 2) && ipiv[2] == 3);
        assert_true(ab[3] == (overflows ? -1 : -0.5));
        assert_true(overflows ? isinf(ab[6]) : ab[2] == -8 && ab[6] == -8 && ipiv[1] == 3);
        assert_true(ab[11] == -8 && ab[15] == -8 && ab[17] == 117 && ab[18] == 118 && ab[19] == 119);
    }
}

static void test_gbtrs_bad(void **unused) {
    static const struct {
        char trans;
        integer n, kl, ku, nrhs, ldab, ldb;
        int64_t wanted;
    } cases[] = {{'X', 5, 1, 1, 1, 9, 9, 1},  {'N', -1, 1, 1, 1, 9, 9, 2}, {'T', 5, -1, 1, 1, 9, 9, 3},
                 {'C', 5, 1, -1, 1, 9, 9, 4}, {'n', 5, 1, 1, -1, 9, 9, 5}, {'N', 5, 1, 1, 1, 3, 9, 7},
                 {'N', 5, 1, 1, 1, 9, 4, 10}};
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double a[81], b[81];
        integer ipiv[9], info = 4;
        memset(a, 0, sizeof a), memset(b, 0, sizeof b);
        complaint = 0, complained[0] = 0;
        LAPACK(dgbtrs)
        (&cases[k].trans, &cases[k].n, &cases[k].kl, &cases[k].ku, &cases[k].nrhs, a, &cases[k].ldab, ipiv, b,
         &cases[k].ldb, &info, 1);
        assert_int_equal(info, -cases[k].wanted);
        assert_int_equal(complaint, cases[k].wanted);
        assert_string_equal(complained, "DGBTRS");
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gesv),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_gesv_bad),
#if !defined(WIDE) && !defined(PLAIN_NAMES)
        cmocka_unit_test(test_getrf),
        cmocka_unit_test(test_getrf_overflow),
        cmocka_unit_test(test_dsgesv),
        cmocka_unit_test(test_dsgesv_is_lapacks),
        cmocka_unit_test(test_gbsv_bad),
        cmocka_unit_test(test_gbtrf),
        cmocka_unit_test(test_gbtrs_bad),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
