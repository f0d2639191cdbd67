/*
 * Complex leaves of cl/lu_resident.cl and cl/lu_together.cl, on groups of emulated work-items: LAPACK's residual of
 * P A = L U, multipliers no larger than partial pivoting by |re| + |im| allows, also of pivots whose square leaves the
 * range of the type, and moves that are the swaps.
 */
#include "kernels/form_support.h"
#include "kernels/lu_resident_form.h"

#include <complex.h>

#include "lu/ratios.h"

typedef enum { RANDOM, TINY, HUGE_ONES, SUBNORMAL, ZERO_COLUMN, NOT_A_NUMBER, KINDS } kind;

static test_random numbers;

typedef struct leaf {
    const lu_form *form;
    int64_t m, width;
    double complex *A; /* as it was, tight */
    lu_leaf arguments;
    int64_t info[2];
} leaf;

static int64_t between(int64_t low, int64_t high) {
    return test_random_between(&numbers, low, high);
}

static double complex element(const leaf *f, int64_t i, int64_t k) {
    const int64_t at = 2 * (f->arguments.offset + i + k * f->arguments.ld);
    return form_get(f->form->is_double, f->arguments.A, at) + I * form_get(f->form->is_double, f->arguments.A, at + 1);
}

/* The numbers are 2 to that power times ones below 1. */
static int exponent_of(const leaf *f, kind what) {
    const int is_double = f->form->is_double;
    switch (what) {
    case TINY:
        return is_double ? -600 : -80;
    case HUGE_ONES:
        return is_double ? 1010 : 115;
    case SUBNORMAL:
        return is_double ? -1030 : -133;
    default:
        return 0;
    }
}

static double complex scaled(double complex x, int exponent) {
    return ldexp(creal(x), exponent) + I * ldexp(cimag(x), exponent);
}

static void make(leaf *f, kind what) {
    const int exponent = exponent_of(f, what);
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t i = 0; i < f->m; i++) {
            const int64_t at = 2 * (f->arguments.offset + i + k * f->arguments.ld);
            const int gone = what == ZERO_COLUMN && k == f->width / 2;
            form_put(f->form->is_double, f->arguments.A, at, gone ? 0 : ldexp(test_random_signed(&numbers), exponent));
            form_put(f->form->is_double, f->arguments.A, at + 1,
                     gone ? 0 : ldexp(test_random_signed(&numbers), exponent));
        }
    if (what == NOT_A_NUMBER) {
        const int64_t at = f->arguments.offset + between(0, f->m - 1) + between(0, f->width - 1) * f->arguments.ld;
        form_put(f->form->is_double, f->arguments.A, 2 * at + between(0, 1), (double)NAN);
    }
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t i = 0; i < f->m; i++) f->A[i + k * f->m] = element(f, i, k);
}

static leaf make_leaf(const lu_form *form, kind what, int64_t m, int64_t width) {
    leaf f = {.form = form, .m = m, .width = width};
    const int64_t top = between(0, 20), groups = (m + form->height - 1) / form->height;
    f.A = test_room(m * width, sizeof *f.A);
    f.arguments = (lu_leaf){.offset = between(0, 5),
                            .ld = m + between(0, 3),
                            .m = m,
                            .width = width,
                            .top = top,
                            .before = (unsigned)between(1, 70000),
                            .most = (int)(groups + between(0, 2)),
                            .sources = test_room(2 * (top + width), sizeof(int64_t)),
                            .targets = test_room(2 * (top + width), sizeof(int64_t)),
                            .ipiv = test_room(top + width, sizeof(int64_t)),
                            .upper = test_room(form->width * form->width, sizeof *f.A)};
    f.arguments.A = test_room(f.arguments.offset + f.arguments.ld * width, sizeof *f.A);
    f.arguments.offers = test_room(6 * f.arguments.most * (form->width + 1), sizeof(emulator_words));
    make(&f, what);
    return f;
}

static void free_leaf(leaf *f) {
    void *all[] = {f->A,
                   f->arguments.A,
                   f->arguments.offers,
                   f->arguments.sources,
                   f->arguments.targets,
                   f->arguments.ipiv,
                   f->arguments.upper};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void launch(leaf *f) {
    static const int sizes[] = {1, 16, 24, 32, 0};
    f->arguments.info = f->info;
    const emulator_launch it = {.groups = (int)((f->m + f->form->height - 1) / f->form->height),
                                .items = f->form->items,
                                .kernel = f->form->kernel,
                                .arguments = &f->arguments,
                                .words = f->arguments.offers,
                                .count = 6 * (int64_t)f->arguments.most * (f->form->width + 1),
                                .seed = test_random_bits(&numbers),
                                .late = -1,
                                .sub_group = sizes[between(0, 4)],
                                .scattered = (int)between(0, 1)};
    const char *error = emulator_run(&it);
    if (error) fail_msg("%s", error);
}

/* A's rows where the swaps bring them; the lists of moves bring them there too. */
static void swap_rows(const leaf *f, double complex *PA) {
    const int64_t top = f->arguments.top, rows = top + f->m;
    SCRATCH int64_t *swapped = test_room(rows, sizeof *swapped), *moved = test_room(rows, sizeof *moved);
    for (int64_t i = 0; i < rows; i++) swapped[i] = moved[i] = i;
    for (int64_t t = 0; t < f->width; t++) {
        const int64_t p = f->arguments.ipiv[top + t] - 1, row = swapped[top + t];
        assert_true(p >= top + t && p < rows);
        swapped[top + t] = swapped[p];
        swapped[p] = row;
    }
    for (int64_t k = 2 * top; k < 2 * (top + f->width); k++)
        if (f->arguments.sources[k] >= 0) moved[f->arguments.targets[k]] = f->arguments.sources[k];
    assert_memory_equal(swapped, moved, (size_t)rows * sizeof *moved);
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t i = 0; i < f->m; i++) PA[i + k * f->m] = f->A[swapped[top + i] - top + k * f->m];
}

/* ||P A - L U||_1 / (m ||A||_1 eps), and the largest |l|. Numbers are brought to size 1 by powers of two. */
static void check(const leaf *f, kind what) {
    SCRATCH double complex *PA = test_room(f->m * f->width, sizeof *PA);
    const clsolve_type type = f->form->is_double ? CLSOLVE_F64 : CLSOLVE_F32;
    const int back = -exponent_of(f, what);
    const double grain = what == SUBNORMAL ? (f->form->is_double ? 0x1p-40 : 0x1p-12) : 0;
    double most = 0, norm = 0, largest = 0;
    swap_rows(f, PA);
    for (int64_t k = 0; k < f->width; k++) {
        double sum = 0, of_a = 0;
        for (int64_t i = 0; i < f->m; i++) {
            double complex r = scaled(PA[i + k * f->m], back);
            of_a += cabs(r);
            for (int64_t t = 0; t <= (i < k ? i : k); t++)
                r -= (t == i ? 1 : element(f, i, t)) * scaled(element(f, t, k), back);
            sum += cabs(r);
            if (i > k) largest = test_worst(largest, cabs(element(f, i, k)));
        }
        most = test_worst(most, sum);
        norm = fmax(norm, of_a);
    }
    assert_true(most <= RATIO_BOUND * (double)f->m * norm * (test_epsilon(type) + grain)); /* a column may be 0 */
    assert_true(largest <= sqrt(2) * (1 + 100 * (test_epsilon(type) + grain)));
}

TEST(each_kind) {
    for (int k = 0; k < FORMS; k++)
        for (kind what = 0; what < KINDS; what++) {
            const int64_t width = between(1, 14), m = width + between(0, 2 * FORM_AT(lu_form, k)->height);
            leaf f = make_leaf(FORM_AT(lu_form, k), what, m, width);
            launch(&f);
            assert_int_equal(f.info[1], 0);
            if (what == NOT_A_NUMBER) {
                int finite = 1;
                for (int64_t e = 0; e < m * width; e++) finite = finite && isfinite(cabs(element(&f, e % m, e / m)));
                assert_false(finite);
            } else {
                const int64_t zero = what == ZERO_COLUMN ? f.arguments.top + width / 2 + 1 : 0;
                assert_int_equal(f.info[0], zero);
                check(&f, what);
            }
            free_leaf(&f);
        }
}

TEST(wide_ones) {
    for (int k = 0; k < FORMS; k++) {
        leaf f = make_leaf(FORM_AT(lu_form, k), RANDOM, FORM_AT(lu_form, k)->width + FORM_AT(lu_form, k)->height + 3,
                           FORM_AT(lu_form, k)->width - between(0, 1));
        launch(&f);
        assert_int_equal(f.info[0], 0);
        check(&f, RANDOM);
        free_leaf(&f);
    }
}

TEST_PROGRAM_BY(numbers = test_random_start(0xc1ea), NULL, emulator_close)
