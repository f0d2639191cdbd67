/* played_symmetric.c: potrf, posv, potrs, potri and pocon with a device whose calls fail as the test decides. */
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

typedef struct data {
    double a[LD * N], factor[LD * N], inverse[LD * N], x[LD * NRHS], other[LD * NRHS], rcond;
    integer infos[5];
} data;

/* The triangle that is not to be read, and what is between columns, have numbers that would spoil all. */
static void fill(data *d, char uplo, double last) {
    memset(d, 0, sizeof *d);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < LD; i++) {
            const int inside = i < N && (uplo == 'L' ? i >= j : i <= j);
            d->a[i + j * LD] = !inside ? 1e6 : i == j ? (i == N - 1 ? last : 30) : (double)((i * j) % 13) / 19;
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

static void same(const data *x, const data *y) {
    assert_memory_equal(x->infos, y->infos, sizeof x->infos);
    close_to(x->factor, y->factor, LD * N);
    close_to(x->inverse, y->inverse, LD * N);
    close_to(x->x, y->x, LD * NRHS);
    close_to(x->other, y->other, LD * NRHS);
    close_to(&x->rcond, &y->rcond, 1);
}

/* Whichever call fails, the host's answer comes, with arrays as the caller gave them. */
void test_symmetric(void **unused) {
    static const char *const steps[] = {NULL,
                                        "cholesky_create",
                                        "cholesky_factor",
                                        "cholesky_solve",
                                        "cholesky_factors",
                                        "cholesky_import",
                                        "cholesky_condition",
                                        "cholesky_inverse"};
    static data host, device;
    (void)unused;
    for (int upper = 0; upper < 2; upper++) {
        const char uplo = upper ? 'U' : 'L';
        fill(&host, uplo, 30);
        played->failing = "cholesky_create";
        played->status = CLSOLVE_ERROR_DEVICE;
        run_all(&host, uplo);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            fill(&device, uplo, 30);
            played->failing = steps[k];
            int before = atomic_load(&played->calls);
            run_all(&device, uplo);
            assert_true(atomic_load(&played->calls) >= before + 5);
            same(&device, &host);
            assert_int_equal(atomic_load(&played->handles), 0);
        }
    }
    played->failing = NULL;
}

/* A minor that is not positive: info is LAPACK's, and so are the columns before. */
void test_not_definite(void **unused) {
    const integer n = N, ld = LD;
    static data d, good;
    integer info = -1;
    (void)unused;
    fill(&good, 'L', 30);
    fill(&d, 'L', -30);
    dpotrf_("L", &n, good.a, &ld, &info, 1);
    assert_int_equal(info, 0);
    dpotrf_("L", &n, d.a, &ld, &info, 1);
    assert_int_equal(info, N);
    for (int j = 0; j < N - 1; j++) close_to(d.a + j * (LD + 1), good.a + j * (LD + 1), (size_t)(N - j));
}
