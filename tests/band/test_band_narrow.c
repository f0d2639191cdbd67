/*
 * One narrow band through clsolve_band: the kernels of their own against LAPACK, in the form of this device and in a GPU's,
 * asked for by telling the library that the device is one; more rows than a launch takes, which here are few.
 */
#include <lapacke.h>

#include "api/band.h"
#include "api/context.h"
#include "band/band_support.h"
#include "cost/band_blocks.h"
#include "method/band/narrow.h"
#include "support/fixture.h"

/* In the place of the model's choice (the linker puts it there): the narrow kernels wherever they can be had, for the model takes
 * blocks for the widest. */
WRAPS(cls_band_choice, cls_band_choose,
      (const cls_band_machine *machine, unsigned modes, int64_t n, int64_t kl, int64_t kv, int64_t size,
       int64_t block)) {
    if (modes & (unsigned)CLS_BAND_MODE_NARROW) modes = CLS_BAND_MODE_NARROW;
    return __real_cls_band_choose(machine, modes, n, kl, kv, size, block);
}

static clsolve_device_info real;

enum { FORMS = 3, LAUNCH = 64 };

static int64_t rows_a_launch; /* 0: as many as there are */

static clsolve_band *create(int64_t n, int64_t kl, int64_t ku, clsolve_type type, const clsolve_band_options *options) {
    clsolve_band *band = NULL;
    BAND_EXPECT(context, clsolve_band_create(context, n, kl, ku, type, options, &band), CLSOLVE_OK);
    if (rows_a_launch > 0) ((cls_narrow *)band->band.own)->rows_a_launch = rows_a_launch;
    return band;
}

/* 0: what the device is; 1 and 2: a GPU with work-groups of 64 and of 32 at most. */
static void set_form(int form) {
    clsolve_device_info *info = &context->device->info;
    *info = real;
    if (form == 0) return;
    info->type = CLSOLVE_DEVICE_GPU;
    info->max_work_group = form == 1 ? 64 : 32;
}

static void check_solve(clsolve_band *band, const test_band *A, clsolve_op op, int64_t nrhs, test_random *random) {
    scratch_matrix b =
        test_matrix_make(A->type, op == CLSOLVE_TRANS ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR, A->n, nrhs, 1);
    SCRATCH double *B = test_doubles(A->n * nrhs), *X = test_doubles(A->n * nrhs);
    for (int64_t k = 0; k < A->n * nrhs; ++k) B[k] = test_rounded(A->type, test_random_signed(random));
    test_matrix_set(&b, B);
    BAND_EXPECT(context, clsolve_band_solve(band, op, &b.view), CLSOLVE_OK);
    test_matrix_get(&b, X);
    double ratio = test_band_ratio(A, op, nrhs, X, B);
    if (!(ratio < RATIO_BOUND)) fail_msg("n %d kl %d ku %d op %d: %g", (int)A->n, (int)A->kl, (int)A->ku, op, ratio);
}

/* Element by element, also where the second launch begins: a ratio need not show a single one that is wrong. */
static void check_seam(clsolve_band *band, const test_band *A) {
    int64_t rows = 2 * A->kl + A->ku + 1;
    scratch_matrix afb = test_matrix_make(A->type, CLSOLVE_COLUMN_MAJOR, rows, A->n, 0);
    SCRATCH double *ours = test_doubles(rows * A->n), *theirs = test_doubles(rows * A->n);
    test_matrix_set(&afb, ours);
    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, NULL), CLSOLVE_OK);
    test_matrix_get(&afb, ours);
    assert_int_equal(test_band_lapack(A, NULL, theirs), 0);
    for (int64_t k = 0; k < A->n * rows; ++k)
        if (!(fabs(ours[k] - theirs[k]) <= 1e6 * test_epsilon(A->type))) fail_msg("%g is %g", theirs[k], ours[k]);
}

static test_listener told = {.phase = "factor"};

/* The same factors, given to a handle that has none. */
static void check_import(const test_band *A, const test_matrix *afb, const int64_t *ipiv, test_random *random) {
    OWNED(band) *band = create(A->n, A->kl, A->ku, A->type, NULL);
    clsolve_report report;
    BAND_EXPECT(context, clsolve_band_import(band, &afb->view, ipiv), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_string_equal(report.band.panel, "narrow");
    check_solve(band, A, CLSOLVE_NO_TRANS, 2, random);
    check_solve(band, A, CLSOLVE_TRANS, 1, random);
}

static void check(test_random *random, clsolve_type type, int64_t n, int64_t kl, int64_t ku, double diagonal) {
    scratch_band A = test_band_regular(random, type, n, kl, ku, diagonal);
    if (rows_a_launch > 0 &&
        kl >= 2) { /* the launch's last swap leaves its first row longer than the band, and that row is the pivot's */
        *test_band_at(&A, LAUNCH + 1, LAUNCH - 1) = 100;
        *test_band_at(&A, LAUNCH, LAUNCH) = 50;
        /* Rounding errors of all rows before do not get beyond these. */
        for (int64_t j = LAUNCH - 36; j < LAUNCH - 1; ++j) *test_band_at(&A, j, j) = 20;
    }
    scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 1, (double)NAN);
    int64_t *ipiv = test_room(n + 1, sizeof *ipiv), rows = 2 * kl + ku + 1;
    SCRATCH double *AFB = test_doubles(rows * n);
    scratch_matrix afb = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, rows, n, 0);
    const clsolve_band_options options = {.progress = test_listen, .progress_user = &told};
    const int64_t launch = rows_a_launch > 0 ? rows_a_launch : 65536;
    clsolve_band *band = create(n, kl, ku, type, &options);
    clsolve_report report;
    for (int again = 0; again < 2; ++again) {
        told = (test_listener){.phase = "factor"};
        BAND_EXPECT(context, clsolve_band_factor(band, &ab.view), CLSOLVE_OK);
        assert_true(told.last == 1 && told.calls == (n + launch - 1) / launch); /* once a launch */
    }
    BAND_EXPECT(context, clsolve_band_report(band, &report), CLSOLVE_OK);
    assert_string_equal(report.band.panel, "narrow");
    test_matrix_set(&afb, AFB); /* zeros: outside of the matrix nothing is written */
    BAND_EXPECT(context, clsolve_band_factors(band, &afb.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&afb, AFB);
    test_band_judge_factors(&A, AFB, ipiv, "narrow");
    if (rows_a_launch > 0 && kl >= 2 && type == CLSOLVE_F64) check_seam(band, &A);
    check_solve(band, &A, CLSOLVE_NO_TRANS, 1, random);
    check_solve(band, &A, CLSOLVE_TRANS, 3, random);
    check_solve(band, &A, CLSOLVE_NO_TRANS, 17, random);
    clsolve_band_destroy(band);
    check_import(&A, &afb, ipiv, random);
    free(ipiv);
}

TEST(test_shapes) {
    static const int64_t shapes[][3] = {{1, 0, 0},  {2, 1, 1},  {3, 2, 0},  {3, 0, 2},   {5, 9, 7},    {67, 1, 1},
                                        {67, 3, 2}, {40, 0, 2}, {40, 2, 0}, {90, 20, 9}, {130, 31, 33}};
    test_random random = test_random_start(1);
    for (int form = 0; form < FORMS; ++form)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
            const int64_t n = shapes[s][0], kl = shapes[s][1], ku = shapes[s][2];
            const int wide = kl + ku > 8, thin = kl + ku < 2 || kl == 0 || ku == 0;
            /* In float the larger groups of wide bands; smaller groups are other ones for wide bands only. */
            if (form == 2 && !wide) continue;
            set_form(form);
            check(&random, real.fp64 && !(form == 1 && wide) ? CLSOLVE_F64 : CLSOLVE_F32, n, kl, ku, thin ? 6 : 0);
        }
    set_form(0);
}

/* The diagonal leads: LAPACK has the same pivots. */
static void check_in_place(int64_t m, int64_t n) {
    enum { KL = 3, KU = 2, ROWS = 2 * KL + KU + 1, MOST = 80 };
    test_random random = test_random_start(9);
    float ab[ROWS * MOST] = {0}, wanted[ROWS * MOST];
    int64_t ipiv[MOST], k = m < n ? m : n;
    lapack_int pivots[MOST];
    clsolve_matrix AB = clsolve_matrix_f32(ROWS, n, ab);
    clsolve_report report;

    for (int64_t j = 0; j < n; ++j)
        for (int64_t r = KL; r < ROWS; ++r) {
            int64_t i = r - KL - KU + j;
            if (i >= 0 && i < m) ab[r + j * ROWS] = (float)test_random_signed(&random) + (i == j ? 8 : 0);
        }
    memcpy(wanted, ab, sizeof ab);
    assert_int_equal(LAPACKE_sgbtrf_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, KL, KU, wanted, ROWS, pivots),
                     0);
    BAND_EXPECT(context, clsolve_band_factor_in_place(context, m, n, KL, KU, &AB, ipiv, NULL, &report), CLSOLVE_OK);
    assert_string_equal(report.band.panel, "narrow");
    for (int64_t t = 0; t < k; ++t) assert_int_equal(ipiv[t], pivots[t]);
    for (int64_t t = 0; t < ROWS * n; ++t) assert_true(fabs((double)(ab[t] - wanted[t])) < 1e-5);
}

TEST(test_in_place) {
    check_in_place(60, 60);
    check_in_place(70, 60);
    check_in_place(60, 70);
}

/* Where one launch ends and the next begins nothing may be lost. */
TEST(test_long) {
    test_random random = test_random_start(2);
    rows_a_launch = LAUNCH;
    for (int form = 0; form < 2; ++form) {
        set_form(form);
        check(&random, real.fp64 ? CLSOLVE_F64 : CLSOLVE_F32, LAUNCH + 3, 3, 2, 0);
        check(&random, real.fp64 ? CLSOLVE_F64 : CLSOLVE_F32, 2 * LAUNCH + 1, 1, 1, 0);
    }
    rows_a_launch = 0;
    set_form(0);
}

/* A zero pivot in the first launch and one in the second: the first is told. */
TEST(test_long_singular) {
    test_random random = test_random_start(4);
    clsolve_type type = real.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    int64_t n = LAUNCH + 9;
    rows_a_launch = LAUNCH;
    for (int form = 0; form < 2; ++form) {
        scratch_band A = test_band_random(&random, type, n, 1, 1, 2);
        clsolve_report report;
        for (int64_t j = 40; j < n; j += LAUNCH)
            for (int64_t i = j - 1; i <= j + 1; ++i)
                if (test_band_at(&A, i, j)) *test_band_at(&A, i, j) = 0;
        for (int64_t i = n - 4; i < n - 1; ++i) *test_band_at(&A, i, n - 3) = 0;
        scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_PLAIN, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
        set_form(form);
        OWNED(band) *band = create(n, 1, 1, type, NULL);
        assert_int_equal(clsolve_band_factor(band, &ab.view), CLSOLVE_SINGULAR);
        BAND_EXPECT(context, clsolve_band_report(band, &report), CLSOLVE_OK);
        assert_int_equal(report.info, 41);
    }
    rows_a_launch = 0;
    set_form(0);
}

/* Singular in a column, and at the last: LAPACK's info, and no solution. */
TEST(test_singular) {
    test_random random = test_random_start(3);
    clsolve_type type = real.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    for (int form = 0; form < FORMS; ++form)
        for (int64_t zero = 0; zero < 30; zero += 29) {
            scratch_band A = test_band_random(&random, type, 30, 3, 2, 0);
            for (int64_t i = 0; i < 30; ++i)
                for (int64_t j = zero; j < 30; j += 7) /* the first of several is told */
                    if (test_band_at(&A, i, j)) *test_band_at(&A, i, j) = 0;
            scratch_matrix ab = test_band_view(&A, CLSOLVE_BAND_GBTRF, CLSOLVE_COLUMN_MAJOR, 0, (double)NAN);
            OWNED(band) *band = NULL;
            clsolve_report report;
            set_form(form);
            BAND_EXPECT(context,
                        clsolve_band_create(context, 30, 3, 2, type,
                                            &(clsolve_band_options){.form = CLSOLVE_BAND_GBTRF}, &band),
                        CLSOLVE_OK);
            assert_int_equal(clsolve_band_factor(band, &ab.view), CLSOLVE_SINGULAR);
            BAND_EXPECT(context, clsolve_band_report(band, &report), CLSOLVE_OK);
            assert_int_equal(report.info, zero + 1);
        }
    set_form(0);
}

int main(void) {
    test_require_device();
    (void)open_context(NULL);
    real = context->device->info;
    return test_run(NULL, close_context);
}
