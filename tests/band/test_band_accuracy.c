/*
 * Band LU by LAPACK's ratios of residuals and factors; LAPACK's own gbtrs solves with the factors, too. In every form
 * and layout, for blocks of all widths, and for bands of all shapes. LAPACK's own pivots where elimination is exact.
 */
#include "band/band_support.h"
#include "support/fixture.h"

static int reduced;

typedef struct shape {
    int64_t n, kl, ku;
} shape;

/* One right-hand side more than a tile of many kernels would tell little; a few are enough. */
enum { NRHS = 3 };

/* The export: sound factors, of which LAPACK makes a solution; nothing written outside of the matrix. */
static void check_factors(clsolve_band *band, const test_band *A, clsolve_layout layout, const char *what) {
    int64_t n = A->n, rows = 2 * A->kl + A->ku + 1;
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);
    SCRATCH double *AFB = test_doubles(rows * n), *B = test_doubles(n), *X = test_doubles(n);
    scratch_matrix afb = test_matrix_make(A->type, layout, rows, n, 3);
    double untouched;

    test_matrix_get(&afb, AFB);
    untouched = n > 0 ? AFB[0] : 0;
    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, ipiv), CLSOLVE_OK);
    test_matrix_spare_intact(&afb);
    test_matrix_get(&afb, AFB);
    test_band_judge_factors(A, AFB, ipiv, what);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = 0; r < rows; ++r) {
            int64_t i = j + r - A->kl - A->ku;
            if ((i < 0 || i >= n) && AFB[r + j * rows] != untouched)
                fail_msg("%s: row %d of column %d was written", what, (int)r, (int)j);
            if (i < 0 || i >= n) AFB[r + j * rows] = 0;
        }
    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
        for (int64_t i = 0; i < n; ++i) B[i] = X[i] = 1 + (double)(i % 3);
        test_band_lapack_solve(A, ipiv, AFB, (clsolve_op)op, 1, X);
        double ratio = test_band_ratio(A, (clsolve_op)op, 1, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("%s: gbtrs with the export, op %d: ratio %g", what, op, ratio);
    }
}

static void check(const test_band *A, const clsolve_band_options *given, clsolve_band_form form,
                  clsolve_layout layout) {
    clsolve_band_options options = *given;
    clsolve_band *band = NULL;
    char what[160];
    scratch_matrix ab = test_band_view(A, form, layout, 1, (double)NAN);

    options.form = form;
    (void)snprintf(what, sizeof what, "n %d kl %d ku %d block %d type %d form %d layout %d", (int)A->n, (int)A->kl,
                   (int)A->ku, (int)options.block, (int)A->type, (int)form, (int)layout);
    BAND_EXPECT(context, clsolve_band_create(context, A->n, A->kl, A->ku, A->type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
    test_matrix_spare_intact(&ab);
    test_band_check_solve(context, band, A, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, NRHS);
    test_band_check_solve(context, band, A, CLSOLVE_TRANS, CLSOLVE_ROW_MAJOR, NRHS);
    test_band_check_solve(context, band, A, CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 1);
    test_band_check_solve(context, band, A, CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 17);
    check_factors(band, A, layout, what);
    clsolve_band_destroy(band);
}

static clsolve_type types_there(int k) {
    return k == 0 ? CLSOLVE_F32 : CLSOLVE_F64;
}

static int types(void) {
    return clsolve_context_device(context).fp64 ? 2 : 1;
}

static test_band regular(test_random *random, clsolve_type type, const shape *s) {
    /* One diagonal alone may come near zero. */
    return test_band_regular(random, type, s->n, s->kl, s->ku, s->kl + s->ku < 2 ? 2.5 : 0);
}

/* Every shape with blocks that do and don't divide it. */
TEST(test_shapes) {
    static const shape shapes[] = {{1, 0, 0},    {1, 3, 2},    {2, 1, 1},    {5, 9, 7},   {3, 0, 2},
                                   {3, 2, 0},    {17, 0, 0},   {5, 4, 4},    {17, 0, 2},  {40, 20, 9},
                                   {17, 2, 0},   {31, 1, 1},   {65, 31, 33}, {40, 3, 2},  {113, 40, 40},
                                   {50, 49, 49}, {50, 60, 20}, {50, 20, 60}, {97, 40, 30}};
    static const int32_t blocks[] = {0, 1, 2, 7, 16, 33, 200};
    test_random random = test_random_start(1);

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += reduced ? 3 : 1)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b += reduced ? 3 : 1)
            for (int t = 0; t < types(); ++t) {
                if (reduced && types() == 2 && (s / 3 + b / 3 + (size_t)t) % 2) continue;
                clsolve_band_options options = test_band_options();
                scratch_band A = regular(&random, types_there(t), &shapes[s]);
                options.block = blocks[b];
                check(&A, &options, (s + b) % 2 ? CLSOLVE_BAND_GBTRF : CLSOLVE_BAND_PLAIN,
                      (s + b) % 3 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR);
            }
}

/* Where nothing is rounded: LAPACK's pivots, and in double its factors and info, singular matrices among them. */
static void check_exact(const test_band *A, const clsolve_band_options *options, int singular) {
    int64_t n = A->n, rows = 2 * A->kl + A->ku + 1;
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv), *expected = calloc((size_t)n + 1, sizeof *expected);
    SCRATCH double *ours = test_doubles(rows * n), *theirs = test_doubles(rows * n);
    scratch_matrix ab = test_band_view(A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 1, (double)NAN);
    scratch_matrix afb = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, rows, n, 0);
    OWNED(band) *band = NULL;
    clsolve_report report;
    assert_true(ipiv != NULL && expected != NULL);
    int64_t info = test_band_lapack(A, expected, theirs);
    assert_true((info != 0) == singular);
    BAND_EXPECT(context, clsolve_band_create(context, n, A->kl, A->ku, A->type, options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), singular ? CLSOLVE_SINGULAR : CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_int_equal(report.info, info);
    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&afb, ours);
    for (int64_t j = 0; j < n; ++j) {
        if (ipiv[j] != expected[j])
            fail_msg("n %d kl %d ku %d block %d type %d: pivot %d is %d, LAPACK's %d", (int)n, (int)A->kl, (int)A->ku,
                     (int)options->block, (int)A->type, (int)j, (int)ipiv[j], (int)expected[j]);
        for (int64_t r = 0; r < rows; ++r) {
            int64_t i = j + r - A->kl - A->ku;
            if (A->type == CLSOLVE_F64 && i >= 0 && i < n && !(ours[r + j * rows] == theirs[r + j * rows]))
                fail_msg("n %d kl %d ku %d block %d: row %d of column %d is %g, LAPACK's %g", (int)n, (int)A->kl,
                         (int)A->ku, (int)options->block, (int)i, (int)j, ours[r + j * rows], theirs[r + j * rows]);
        }
    }
}

/* In float a triangular solve by inverted blocks may round: pivots stay the same, but a zero one becomes nonzero. */
TEST(test_exact) {
    static const shape shapes[] = {{3, 1, 1},   {17, 0, 2}, {17, 2, 0},    {65, 3, 2},
                                   {40, 20, 9}, {5, 9, 7},  {113, 40, 40}, {130, 31, 33}};
    static const int32_t blocks[] = {0, 1, 7, 16, 33};
    test_random random = test_random_start(7);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += reduced ? 3 : 1)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b += reduced ? 3 : 1)
            for (int t = 0; t < types(); ++t)
                for (int singular = 0; singular <= (types_there(t) == CLSOLVE_F64); ++singular) {
                    clsolve_band_options options = test_band_options();
                    const shape *z = &shapes[s];
                    scratch_band A = test_band_exact(&random, types_there(t), z->n, z->kl, z->ku, singular);
                    options.block = blocks[b];
                    check_exact(&A, &options, test_band_lapack(&A, NULL, NULL) != 0);
                }
}

/* Larger ones, with the library's own block and several slabs. */
TEST(test_larger) {
    static const shape shapes[] = {{700, 60, 35}, {503, 101, 97}, {401, 17, 211}};
    test_random random = test_random_start(2);

    for (int s = 0; s < (reduced ? 1 : 3); ++s)
        for (int t = 0; t < types(); ++t) {
            clsolve_band_options options = test_band_options();
            scratch_band A = regular(&random, types_there(t), &shapes[s]);
            check(&A, &options, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR);
            options.block = 32;
            options.slab_bytes = 150 * 1000;
            check(&A, &options, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR);
        }
}

static const int32_t three_blocks[] = {1, 7, 16};

/* Zeros on the whole diagonal: every step needs a swap. */
TEST(test_zero_diagonal) {
    test_random random = test_random_start(3);

    for (int t = 0; t < types(); ++t) {
        scratch_band A = test_band_random(&random, types_there(t), 120, 4, 3, 0);
        clsolve_band_options options = test_band_options();
        for (int64_t j = 0; j < A.n; ++j) *test_band_at(&A, j, j) = 0;
        for (int b = 0; b < 3; ++b) {
            options.block = three_blocks[b];
            check(&A, &options, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR);
        }
    }
}

/* Tiny matrices, down to subnormal pivots whose reciprocals overflow: where LAPACK gives Inf and info 0. */
TEST(test_tiny) {
    test_random random = test_random_start(4);
    int64_t n = 60, kl = 5, ku = 4;

    for (int t = 0; t < types(); ++t) {
        clsolve_type type = types_there(t);
        double scale = type == CLSOLVE_F64 ? 0x1p-1040 : 0x1p-136f;
        for (int b = 0; b < 3; ++b) {
            const int32_t block = three_blocks[b];
            clsolve_band_options options = test_band_options();
            scratch_band A = test_band_random(&random, type, n, kl, ku, 4);
            SCRATCH double *X = test_doubles(n), *B = test_doubles(n), *Y = test_doubles(n);
            clsolve_band *band = NULL;

            options.block = block;
            for (int64_t k = 0; k < n * (kl + ku + 1); ++k) A.values[k] = test_rounded(type, A.values[k] * scale);
            for (int64_t i = 0; i < n; ++i) X[i] = 1 + (double)(i % 5);
            for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_TRANS; ++op) {
                scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, 0);
                scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, n, 1, 0);
                test_band_multiply(&A, (clsolve_op)op, 1, X, B);
                test_matrix_set(&b, B);
                BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, &options, &band), CLSOLVE_OK);
                BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
                BAND_EXPECT(context, clsolve_band_solve(band, (clsolve_op)op, &b.view), CLSOLVE_OK);
                test_matrix_get(&b, Y);
                /* Numbers of some ten bits: so many are right. */
                for (int64_t i = 0; i < n; ++i)
                    if (!(fabs(Y[i] - X[i]) < 0.2 * X[i]))
                        fail_msg("type %d block %d: x(%d) is %g, not %g", (int)type, (int)block, (int)i, Y[i], X[i]);
                clsolve_band_destroy(band);
            }
        }
    }
}

int main(void) {
    test_require_device();
    reduced = test_reduced();
    return test_run(open_context, close_context);
}
