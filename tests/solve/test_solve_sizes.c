/*
 * Sizes beyond 32 bits, and beyond 64. Matrices of 2 x 2 whose rows lie gigabytes apart take no memory but for the pages
 * that hold their elements. Sizes that no memory holds are refused by every create, in one line.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <clsolve/clsolve.h>

#include <sys/mman.h>

#include "base/blas_int.h"
#include "support/fixture.h"

#define DO(call) test_works(context, call)

/* ---- lines far apart ---- */

static int64_t parts_of(clsolve_type type) {
    return type == CLSOLVE_C32 || type == CLSOLVE_C64 ? 2 : 1;
}

static int64_t size_of(clsolve_type type) {
    return parts_of(type) * (type == CLSOLVE_F64 || type == CLSOLVE_C64 ? 8 : 4);
}

/* Two lines, `ld` elements apart. */
typedef struct far {
    clsolve_matrix view;
    size_t bytes;
} far;

static far make_far(clsolve_type type, clsolve_layout layout, int64_t rows, int64_t cols, int64_t ld) {
    const size_t bytes = (size_t)(ld + 16) * (size_t)size_of(type);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) skip(); /* not that much address space */
    return (far){{type, layout, rows, cols, ld, memory, CLSOLVE_ON_HOST, 0}, bytes};
}

static void free_far(far *m) {
    (void)munmap(m->view.data, m->bytes);
}

static int64_t index_of(const far *m, int64_t i, int64_t j) {
    const clsolve_matrix *v = &m->view;
    return (v->layout == CLSOLVE_COLUMN_MAJOR ? i + j * v->ld : i * v->ld + j) * parts_of(v->type);
}

static void put(far *m, int64_t i, int64_t j, double value) {
    if (m->view.type == CLSOLVE_F64 || m->view.type == CLSOLVE_C64)
        ((double *)m->view.data)[index_of(m, i, j)] = value;
    else
        ((float *)m->view.data)[index_of(m, i, j)] = (float)value;
}

static double get(const far *m, int64_t i, int64_t j) {
    if (m->view.type == CLSOLVE_F64 || m->view.type == CLSOLVE_C64)
        return ((const double *)m->view.data)[index_of(m, i, j)];
    return (double)((const float *)m->view.data)[index_of(m, i, j)];
}

static void put_all(far *m, const double values[4]) {
    for (int64_t i = 0; i < m->view.rows; i++)
        for (int64_t j = 0; j < m->view.cols; j++) put(m, i, j, values[2 * i + j]);
}

static void check(const far *m, const double values[4], const char *what) {
    for (int64_t i = 0; i < m->view.rows; i++)
        for (int64_t j = 0; j < m->view.cols; j++)
            if (!(fabs(get(m, i, j) - values[2 * i + j]) < 1e-5))
                fail_msg("%s, type %d, layout %d, ld %lld: (%d, %d) is %g and not %g", what, (int)m->view.type,
                         (int)m->view.layout, (long long)m->view.ld, (int)i, (int)j, get(m, i, j), values[2 * i + j]);
}

/* A = (4 1; 1 3), B = (1 9; 2 5), X = A^-1 B. */
static const double A_is[4] = {4, 1, 1, 3}, B_is[4] = {1, 9, 2, 5}, X_is[4] = {1 / 11.0, 2, 7 / 11.0, 1},
                    inverse_is[4] = {3 / 11.0, -1 / 11.0, -1 / 11.0, 4 / 11.0};

static void by_lu(far *A, far *B, const clsolve_lu_options *options) {
    OWNED(lu) *lu = NULL;
    int64_t ipiv[2];
    DO(clsolve_lu_create(context, 2, A->view.type, options, &lu));
    DO(clsolve_lu_factor(lu, &A->view));
    put_all(B, B_is);
    DO(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B->view));
    check(B, X_is, "LU");
    DO(clsolve_lu_inverse(lu, &A->view));
    check(A, inverse_is, "LU's inverse");
    DO(clsolve_lu_factors(lu, &A->view, ipiv));
    check(A, (const double[4]){4, 1, 0.25, 2.75}, "LU's factors");
    put_all(A, A_is);
}

static void in_place(far *A, clsolve_where where) {
    const clsolve_lu_options options = {.where = where};
    int64_t ipiv[2];
    DO(clsolve_lu_factor_in_place(context, &A->view, ipiv, &options, NULL));
    check(A, (const double[4]){4, 1, 0.25, 2.75}, "LU in place");
    put_all(A, A_is);
}

static void by_cholesky(far *A, far *B, clsolve_where where) {
    const clsolve_cholesky_options options = {.where = where};
    OWNED(cholesky) *cholesky = NULL;
    DO(clsolve_cholesky_create(context, 2, A->view.type, &options, &cholesky));
    DO(clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &A->view));
    put_all(B, B_is);
    DO(clsolve_cholesky_solve(cholesky, &B->view));
    check(B, X_is, "Cholesky");
    DO(clsolve_cholesky_factors(cholesky, CLSOLVE_LOWER, &A->view));
    check(A, (const double[4]){2, 1, 0.5, sqrt(2.75)}, "Cholesky's factor"); /* the upper triangle stays */
    put_all(A, A_is);
}

static void by_gauss_jordan(far *A, far *B, clsolve_where where) {
    const clsolve_gauss_jordan_options options = {.where = where};
    OWNED(gauss_jordan) *gj = NULL;
    DO(clsolve_gauss_jordan_create(context, 2, A->view.type, &options, &gj));
    put_all(B, B_is);
    DO(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &A->view, &B->view));
    check(B, X_is, "Gauss-Jordan");
    DO(clsolve_gauss_jordan_invert(gj, &A->view, &A->view));
    check(A, inverse_is, "Gauss-Jordan's inverse");
    put_all(A, A_is);
}

/* One member. */
static clsolve_batch batch_of(const far *m) {
    const clsolve_matrix *v = &m->view;
    return (clsolve_batch){v->type, v->layout, 1, v->rows, v->cols, v->ld, 1, NULL, v->data, v->place, 0};
}

static void by_batch(far *A, far *B, clsolve_where where) {
    const clsolve_gauss_jordan_batch_options options = {.where = where};
    OWNED(gauss_jordan_batch) *batch = NULL;
    const clsolve_batch a = batch_of(A);
    clsolve_batch b = batch_of(B);
    int64_t info = -1;
    DO(clsolve_gauss_jordan_batch_create(context, 2, 1, A->view.type, &options, &batch));
    put_all(B, B_is);
    DO(clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, &a, &b, &info));
    assert_int_equal(info, 0);
    check(B, X_is, "the batch");
}

/* LAPACK's upper band of A with one diagonal above the main one, and B: U = (4 1; 0 3). */
static void by_band(far *A, far *B, clsolve_where where, int refine) {
    const clsolve_band_options options = {.where = where, .refine = refine};
    const double band_is[4] = {0, 1, 4, 3}, Y_is[4] = {1 / 12.0, 22 / 12.0, 2 / 3.0, 5 / 3.0};
    OWNED(band) *band = NULL;
    DO(clsolve_band_create(context, 2, 0, 1, A->view.type, &options, &band));
    put_all(A, band_is);
    put_all(B, B_is);
    DO(clsolve_band_factor(band, &A->view));
    DO(clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B->view));
    check(B, Y_is, "the band");
    put_all(A, A_is);
}

static void by_one_call(far *A, far *B, clsolve_where where) {
    static const clsolve_method methods[] = {CLSOLVE_METHOD_AUTO, CLSOLVE_METHOD_LU, CLSOLVE_METHOD_CHOLESKY};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const clsolve_solver_options options = {.method = methods[m], .where = where, .rcond = 1};
        put_all(B, B_is);
        DO(clsolve_solve(context, CLSOLVE_NO_TRANS, &A->view, &B->view, &options, NULL));
        check(B, X_is, "clsolve_solve");
    }
}

static void check_far(clsolve_type type, clsolve_layout layout, int64_t ld, clsolve_where where) {
    const clsolve_lu_options plain = {.where = where}, copies = {.where = where, .refine = 1, .equilibrate = 1};
    far A = make_far(type, layout, 2, 2, ld), B = make_far(type, layout, 2, 2, ld);
    put_all(&A, A_is);
    by_lu(&A, &B, &plain);
    by_lu(&A, &B, &copies);
    in_place(&A, where);
    by_cholesky(&A, &B, where);
    by_gauss_jordan(&A, &B, where);
    by_batch(&A, &B, where);
    by_band(&A, &B, where, 0);
    by_band(&A, &B, where, 1);
    by_one_call(&A, &B, where);
    free_far(&A);
    free_far(&B);
}

/* ld is one of 32 bits with a sign, without one, and one that 32 bits cut to 8. */
TEST(test_far_lines) {
    static const int64_t lds[] = {INT32_MAX, (INT64_C(1) << 31) + 8, (INT64_C(1) << 32) + 8};
    if (sizeof(void *) < 8) skip();
    for (size_t l = 0; l < sizeof lds / sizeof *lds; l++)
        for (int row_major = 0; row_major < 2; row_major++) {
            const clsolve_layout layout = row_major ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
                check_far(type, layout, lds[l], CLSOLVE_WHERE_HOST);
            check_far(CLSOLVE_F32, layout, lds[l], CLSOLVE_WHERE_DEVICE);
        }
}

/* ---- the integers of BLAS ---- */

TEST(test_blas_int) {
    const int64_t most = INT32_MAX;
    assert_true(CLS_BLAS_FITS(0, 1, most));
    assert_false(CLS_BLAS_FITS(most + 1));
    assert_false(CLS_BLAS_FITS(1, (INT64_C(1) << 32) + 8, 1));
    assert_false(CLS_BLAS_FITS(2, -1));
    assert_int_equal(cls_blas_int(most), most);
    assert_int_equal(cls_blas_int(most + 1), -1);
    assert_int_equal(cls_blas_int((INT64_C(1) << 32) + 8), -1);
    int64_t runs = 0, columns = 0;
    for (int64_t c = 0, run; c < 3 * most; c += run, runs++) {
        run = cls_blas_run(3 * most - c);
        assert_true(run > 0 && CLS_BLAS_FITS(run));
        columns += run;
    }
    assert_true(columns == 3 * most && runs == 6);
}

/* ---- sizes that no memory holds ---- */

static void assert_too_large(clsolve_status status, const void *handle, const char *family) {
    const char *said = clsolve_context_message(context);
    assert_null(handle);
    if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && status != CLSOLVE_ERROR_INVALID_ARGUMENT)
        fail_msg("%s: %s, '%s'", family, clsolve_status_name(status), said);
    int overflowed = 0;
    for (const char *p = said; *p; p++) overflowed = overflowed || (p[0] == '-' && p[1] >= '0' && p[1] <= '9');
    if (overflowed || !strstr(said, "_create: ")) fail_msg("%s says '%s'", family, said);
}

#define TOO_LARGE(family, ...)                                                                                         \
    do {                                                                                                               \
        clsolve_##family *handle = NULL;                                                                               \
        const clsolve_status status = clsolve_##family##_create(context, __VA_ARGS__, type, NULL, &handle);            \
        assert_too_large(status, handle, #family);                                                                     \
    } while (0)

TEST(test_too_large) {
    static const int64_t sizes[] = {INT64_C(1) << 28, INT64_C(1) << 31, INT64_C(1) << 33, INT64_C(1) << 45,
                                    INT64_C(1) << 58, INT64_C(1) << 62, INT64_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s], diagonals = (INT64_C(1) << 54) / n + 1;
        for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type += 3) { /* of 4 bytes and of 16 */
            TOO_LARGE(lu, n);
            TOO_LARGE(cholesky, n);
            TOO_LARGE(gauss_jordan, n);
            TOO_LARGE(band, n, diagonals, 0);
            TOO_LARGE(band, n, 0, diagonals);
            TOO_LARGE(band_cholesky, n, diagonals);
            TOO_LARGE(block_gs, n, diagonals);
            TOO_LARGE(block_gs, diagonals, n);
            if (n >= INT64_C(1) << 45) {
                TOO_LARGE(gauss_jordan_batch, 60, n);
                TOO_LARGE(cholesky_batch, 60, n);
                TOO_LARGE(band_batch, 1000, 1, 1, n);
                TOO_LARGE(tridiagonal_batch, 1000, n);
            }
        }
    }
}

/* On the host by order: the reason is the memory and no option. */
TEST(test_too_large_for_the_host) {
    const int64_t n = INT64_C(1) << 26;
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_HOST};
    const clsolve_band_cholesky_options band_options = {.where = CLSOLVE_WHERE_HOST};
    clsolve_lu *lu;
    clsolve_band_cholesky *band;
    assert_int_equal(clsolve_lu_create(context, n, CLSOLVE_F32, &options, &lu), CLSOLVE_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "the host has no room"));
    assert_int_equal(clsolve_band_cholesky_create(context, INT64_C(1) << 50, 1, CLSOLVE_F32, &band_options, &band),
                     CLSOLVE_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(clsolve_context_message(context), "the host has no room"));
}

/* A view's lines reach as far as memory can: what is beyond is refused before a byte is counted. */
TEST(test_views_too_large) {
    double a[4] = {4, 1, 1, 3}, b[2] = {1, 2};
    const int64_t lds[] = {INT64_MAX, INT64_MAX / 8, INT64_MAX / 16, INT64_MAX / 32 + 1, (INT64_C(1) << 53) + 1};
    for (size_t l = 0; l < sizeof lds / sizeof *lds; l++)
        for (int row_major = 0; row_major < 2; row_major++) {
            const clsolve_layout layout = row_major ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
            clsolve_matrix A = {CLSOLVE_C64, layout, 2, 2, lds[l], a, CLSOLVE_ON_HOST, 0};
            clsolve_matrix B = {CLSOLVE_C64, layout, 2, 1, 2, b, CLSOLVE_ON_HOST, 0};
            assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL),
                             CLSOLVE_ERROR_INVALID_ARGUMENT);
            assert_non_null(strstr(clsolve_context_message(context), "more than memory can hold"));
            const clsolve_lu_options options = {.where = CLSOLVE_WHERE_HOST};
            OWNED(lu) *lu = NULL;
            DO(clsolve_lu_create(context, 2, CLSOLVE_C64, &options, &lu));
            assert_int_equal(clsolve_lu_factor(lu, &A), CLSOLVE_ERROR_INVALID_ARGUMENT);
            A.ld = 2, A.rows = A.cols = 0; /* and where there is nothing */
        }
}

TEST_PROGRAM(open_context, close_context)
