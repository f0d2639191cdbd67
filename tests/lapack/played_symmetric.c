/* played_symmetric.c: potrf, posv, potrs, potri, pocon, and those of sytrf and sytrf_rook, with a device whose calls fail as the test decides. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lapack/played_tests.h"

void dpotrf_(const char *uplo, const integer *n, double *a, const integer *lda, integer *info, size_t length);
void dpotri_(const char *uplo, const integer *n, double *a, const integer *lda, integer *info, size_t length);
void dpotrs_(const char *uplo, const integer *n, const integer *nrhs, const double *a, const integer *lda, double *b,
             const integer *ldb, integer *info, size_t length);
void dposv_(const char *uplo, const integer *n, const integer *nrhs, double *a, const integer *lda, double *b,
            const integer *ldb, integer *info, size_t length);
void dpocon_(const char *uplo, const integer *n, const double *a, const integer *lda, const double *anorm,
             double *rcond, double *work, integer *iwork, integer *info, size_t length);

/* Of LDL^T, with the suffix of their names. */
#define DECLARE(suffix)                                                                                                \
    void dsytrf##suffix(const char *uplo, const integer *n, double *a, const integer *lda, integer *ipiv,              \
                        double *work, const integer *lwork, integer *info, size_t length);                             \
    void dsytri##suffix(const char *uplo, const integer *n, double *a, const integer *lda, const integer *ipiv,        \
                        double *work, integer *info, size_t length);                                                   \
    void dsytrs##suffix(const char *uplo, const integer *n, const integer *nrhs, const double *a, const integer *lda,  \
                        const integer *ipiv, double *b, const integer *ldb, integer *info, size_t length);             \
    void dsysv##suffix(const char *uplo, const integer *n, const integer *nrhs, double *a, const integer *lda,         \
                       integer *ipiv, double *b, const integer *ldb, double *work, const integer *lwork,               \
                       integer *info, size_t length);                                                                  \
    void dsycon##suffix(const char *uplo, const integer *n, const double *a, const integer *lda, const integer *ipiv,  \
                        const double *anorm, double *rcond, double *work, integer *iwork, integer *info,               \
                        size_t length);
DECLARE(_)
DECLARE(_rook_)

typedef struct data {
    double a[LD * N], factor[LD * N], inverse[LD * N], x[LD * NRHS], other[LD * NRHS], rcond;
    integer infos[5], ipiv[N];
} data;

typedef void runner(data *d, char uplo);

/* The triangle that is not to be read, and what is between columns, have numbers that would spoil all. */
static void fill(data *d, char uplo, double diagonal, double last) {
    memset(d, 0, sizeof *d);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++) {
            const int inside = i < N && (uplo == 'L' ? i >= j : i <= j);
            d->a[i + j * LD] = !inside ? 1e6 : i == j ? (i == N - 1 ? last : diagonal) : sin((i + 1) * (j + 1)) / 2;
        }
    for (int k = 0; k < LD * NRHS; k++) d->x[k] = d->other[k] = (double)(k % 7);
}

static void run_all(data *d, char uplo) {
    const integer n = N, nrhs = NRHS, ld = LD;
    const double norm = 100;
    double work[3 * N], right[LD * N];
    integer iwork[N];
    memcpy(d->factor, d->a, sizeof d->factor);
    dpotrf_(&uplo, &n, d->factor, &ld, &d->infos[0], 1);
    dpotrs_(&uplo, &n, &nrhs, d->factor, &ld, d->x, &ld, &d->infos[1], 1);
    dpocon_(&uplo, &n, d->factor, &ld, &norm, &d->rcond, work, iwork, &d->infos[2], 1);
    memcpy(d->inverse, d->factor, sizeof d->inverse);
    dpotri_(&uplo, &n, d->inverse, &ld, &d->infos[3], 1);
    memcpy(right, d->a, sizeof right);
    dposv_(&uplo, &n, &nrhs, right, &ld, d->other, &ld, &d->infos[4], 1);
    close_to(right, d->factor, LD * N);
}

#define RUN_INDEFINITE(name, suffix)                                                                                   \
    static void name(data *d, char uplo) {                                                                             \
        const integer n = N, nrhs = NRHS, ld = LD, size = 64 * N;                                                      \
        const double norm = 100;                                                                                       \
        static double work[64 * N], right[LD * N];                                                                     \
        integer iwork[N], ipiv[N], two = 0;                                                                            \
        memcpy(d->factor, d->a, sizeof d->factor);                                                                     \
        dsytrf##suffix(&uplo, &n, d->factor, &ld, d->ipiv, work, &size, &d->infos[0], 1);                              \
        for (int k = 0; k < N; k++) two += d->ipiv[k] < 0;                                                             \
        assert_true(two > 0 && two < N);                                                                               \
        dsytrs##suffix(&uplo, &n, &nrhs, d->factor, &ld, d->ipiv, d->x, &ld, &d->infos[1], 1);                         \
        dsycon##suffix(&uplo, &n, d->factor, &ld, d->ipiv, &norm, &d->rcond, work, iwork, &d->infos[2], 1);            \
        memcpy(d->inverse, d->factor, sizeof d->inverse);                                                              \
        dsytri##suffix(&uplo, &n, d->inverse, &ld, d->ipiv, work, &d->infos[3], 1);                                    \
        memcpy(right, d->a, sizeof right);                                                                             \
        dsysv##suffix(&uplo, &n, &nrhs, right, &ld, ipiv, d->other, &ld, work, &size, &d->infos[4], 1);                \
        close_to(right, d->factor, LD *N);                                                                             \
        assert_memory_equal(ipiv, d->ipiv, sizeof ipiv);                                                               \
    }
RUN_INDEFINITE(run_partial, _)
RUN_INDEFINITE(run_rook, _rook_)

static void same(const data *x, const data *y) {
    assert_memory_equal(x->infos, y->infos, sizeof x->infos);
    assert_memory_equal(x->ipiv, y->ipiv, sizeof x->ipiv);
    close_to(x->factor, y->factor, LD * N);
    close_to(x->inverse, y->inverse, LD * N);
    close_to(x->x, y->x, LD * NRHS);
    close_to(x->other, y->other, LD * NRHS);
    close_to(&x->rcond, &y->rcond, 1);
}

/* Whichever call fails, the host's answer comes, with arrays as the caller gave them. */
static void check_all(runner *run, double diagonal, const char *const *steps, size_t count) {
    static data host, device;
    for (int upper = 0; upper < 2; upper++) {
        const char uplo = upper ? 'U' : 'L';
        fill(&host, uplo, diagonal, diagonal);
        played->failing = steps[0];
        played->status = CLSOLVE_ERROR_DEVICE;
        run(&host, uplo);
        for (size_t k = 0; k <= count; k++) {
            fill(&device, uplo, diagonal, diagonal);
            played->failing = k < count ? steps[k] : NULL;
            int before = atomic_load(&played->calls);
            run(&device, uplo);
            assert_true(atomic_load(&played->calls) >= before + 5);
            same(&device, &host);
            assert_int_equal(atomic_load(&played->handles), 0);
        }
    }
    played->failing = NULL;
}

void test_symmetric(void **unused) {
    static const char *const steps[] = {"cholesky_create", "cholesky_factor",    "cholesky_solve",  "cholesky_factors",
                                        "cholesky_import", "cholesky_condition", "cholesky_inverse"};
    (void)unused;
    check_all(run_all, 30, steps, sizeof steps / sizeof *steps);
}

/* With pivots of order 1 and 2. */
void test_indefinite(void **unused) {
    static const char *const steps[] = {"ldl_create", "ldl_factor",    "ldl_solve",   "ldl_factors",
                                        "ldl_import", "ldl_condition", "ldl_inverse", "ldl_report"};
    (void)unused;
    check_all(run_partial, 0.1, steps, sizeof steps / sizeof *steps);
    check_all(run_rook, 0.1, steps, sizeof steps / sizeof *steps);
}

/* A minor that is not positive: info is LAPACK's, and so are the columns before. */
void test_not_definite(void **unused) {
    const integer n = N, ld = LD;
    static data d, good;
    integer info = -1;
    (void)unused;
    fill(&good, 'L', 30, 30);
    fill(&d, 'L', 30, -30);
    dpotrf_("L", &n, good.a, &ld, &info, 1);
    assert_int_equal(info, 0);
    dpotrf_("L", &n, d.a, &ld, &info, 1);
    assert_int_equal(info, N);
    for (int j = 0; j < N - 1; j++) close_to(d.a + j * (LD + 1), good.a + j * (LD + 1), (size_t)(N - j));
}
