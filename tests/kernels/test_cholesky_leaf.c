/*
 * The leaf of cl/cholesky_tiles.cl and cl/cholesky.cl and the rows below it, by tiles and by one work-item a row, on groups of
 * emulated work-items in orders drawn from the seed: the residual of A = L L^H, what is above the diagonal and beside
 * the rows stays as it is, and the first minor that is not positive is told.
 */
#include "kernels/cholesky_form.h"

#include <complex.h>
#include <float.h>

#include "kernels/form_support.h"

enum { UNTOUCHED = -77 };
static test_random numbers;

typedef struct leaf {
    const cholesky_form *form;
    int64_t all, elements; /* rows, and elements of A's room */
    double complex *A;     /* as it was: all x m, tight */
    cholesky_leaf_of of;
    int64_t info;
    double unit; /* errors are also counted in roundings of this */
} leaf;

static int64_t between(int64_t low, int64_t high) {
    return test_random_between(&numbers, low, high);
}

static double complex drawn(const cholesky_form *form) {
    const double re = test_random_signed(&numbers), im = form->parts == 2 ? test_random_signed(&numbers) : 0;
    return form_rounded(form->is_double, re) + I * form_rounded(form->is_double, im);
}

static void put(leaf *f, int64_t i, int64_t j, double complex value) {
    const int64_t at = (f->of.offset + i + j * f->of.ld) * f->form->parts;
    form_put(f->form->is_double, f->of.A, at, creal(value));
    if (f->form->parts == 2) form_put(f->form->is_double, f->of.A, at + 1, cimag(value));
}

static double complex get(const leaf *f, int64_t i, int64_t j) {
    const int64_t at = (f->of.offset + i + j * f->of.ld) * f->form->parts;
    const double re = form_get(f->form->is_double, f->of.A, at);
    return re + (f->form->parts == 2 ? I * form_get(f->form->is_double, f->of.A, at + 1) : 0);
}

/* The diagonal dominates; a complex one has an imaginary part, which counts for nothing. `fails`: a column, or -1. */
static leaf make(const cholesky_form *form, int m, int64_t rows, int64_t fails) {
    leaf f = {.form = form, .all = m + rows, .unit = 1};
    f.of = (cholesky_leaf_of){.offset = between(0, 5), .ld = f.all + between(0, 3), .rows = rows, .first = 40, .m = m};
    f.elements = (f.of.offset + f.of.ld * m + 5) * form->parts;
    f.A = test_room(f.all * m, sizeof *f.A);
    f.of.A = test_room(f.elements, sizeof(double));
    for (int64_t k = 0; k < f.elements; ++k) form_put(form->is_double, f.of.A, k, UNTOUCHED);
    for (int64_t j = 0; j < m; ++j)
        for (int64_t i = j; i < f.all; ++i) {
            f.A[i + j * f.all] = i == j ? (i == fails ? -1 : 2.0 * (double)m) : drawn(form);
            put(&f, i, j, f.A[i + j * f.all] + (i == j && form->parts == 2 ? 3 * I : 0));
        }
    return f;
}

/* In one launch, where offers of another one lie. */
static void launch_panel(leaf *f) {
    const int64_t count = (int64_t)f->form->leaf * f->form->leaf * 2; /* complex doubles take two words each */
    SCRATCH emulator_words *words = test_room(count, sizeof *words);
    emulator_launch it = {.groups = 1 + (int)((f->of.rows + f->form->rows - 1) / f->form->rows),
                          .items = f->form->leaf_items,
                          .kernel = f->form->panel_kernel,
                          .arguments = &f->of,
                          .words = words,
                          .count = count,
                          .seed = test_random_bits(&numbers),
                          .late = -1};
    for (int64_t k = 0; k < count; ++k) words[k] = (emulator_words){5, 6 << 16, 5, 6 << 16};
    f->of.info = &f->info;
    f->of.offers = words;
    f->of.mark = 7 << 16;
    const char *error = emulator_run(&it);
    if (error) fail_msg("the panel of %d columns and %d rows: %s", f->of.m, (int)f->of.rows, error);
    assert_int_equal(words[0].w, 7 << 16); /* the element of the first row and column */
}

static void launch(leaf *f) {
    emulator_words none = {0, 0, 0, 0};
    emulator_launch it = {.groups = 1,
                          .items = f->form->leaf_items,
                          .kernel = f->form->leaf_kernel,
                          .arguments = &f->of,
                          .words = &none,
                          .count = 1,
                          .seed = test_random_bits(&numbers),
                          .late = -1};
    f->of.info = &f->info;
    const char *error = emulator_run(&it);
    if (error) fail_msg("the leaf of %d columns: %s", f->of.m, error);
    if (f->of.rows == 0) return;
    it.groups = (int)((f->of.rows + f->form->rows - 1) / f->form->rows);
    it.items = f->form->rows_items;
    it.kernel = f->form->rows_kernel;
    it.seed = test_random_bits(&numbers);
    error = emulator_run(&it);
    if (error) fail_msg("%d rows below %d columns: %s", (int)f->of.rows, f->of.m, error);
}

/* How many of the room's numbers are as they were before: all that are no element of the lower part. */
static int64_t untouched(const leaf *f) {
    int64_t count = 0;
    for (int64_t k = 0; k < f->elements; ++k) count += form_get(f->form->is_double, f->of.A, k) == UNTOUCHED;
    return count;
}

static void check(const leaf *f) {
    const int64_t m = f->of.m, lower = m * f->all - m * (m - 1) / 2;
    const double eps = f->form->is_double ? DBL_EPSILON : FLT_EPSILON;
    assert_int_equal(f->info, 0);
    assert_int_equal(untouched(f), f->elements - lower * f->form->parts);
    for (int64_t j = 0; j < m; ++j)
        for (int64_t i = j; i < f->all; ++i) {
            double complex sum = 0;
            double size = 0;
            for (int64_t k = 0; k <= j; ++k) {
                const double complex product = get(f, i, k) * conj(get(f, j, k));
                sum += product;
                size += cabs(product);
            }
            const double off = cabs(sum - f->A[i + j * f->all]), most = 8 * (double)(m + 2) * eps * (size + f->unit);
            if (!(off <= most))
                fail_msg("%s, %d parts, leaf of %d: m %d, %d rows, element (%d, %d) is off by %g",
                         f->form->is_double ? "double" : "float", f->form->parts, f->form->leaf, (int)m,
                         (int)f->of.rows, (int)i, (int)j, off);
        }
}

static void release(leaf *f) {
    free(f->A);
    free(f->of.A);
}

TEST(test_factors) {
    for (int k = 0; k < FORMS; ++k) {
        const int most = FORM_AT(cholesky_form, k)->leaf, some = (int)between(18, most - 2),
                  sizes[] = {1, 2, 17, most - 1, most, some};
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            leaf f = make(FORM_AT(cholesky_form, k), sizes[s], (int64_t[]){0, 1, 33, 31, 40, 3}[s], -1);
            launch(&f);
            check(&f);
            release(&f);
            if (!FORM_AT(cholesky_form, k)->panel_kernel) continue;
            f = make(FORM_AT(cholesky_form, k), sizes[s], (int64_t[]){0, 1, 33, 31, 140, 65}[s], -1);
            launch_panel(&f);
            check(&f);
            release(&f);
        }
    }
}

/* All pivots are subnormal numbers, whose root is found in another way. */
TEST(test_tiny) {
    for (int k = 0; k < 2 * FORMS; ++k) {
        const cholesky_form *form = FORM_AT(cholesky_form, k % FORMS);
        const int together = k >= FORMS;
        if (together && !form->panel_kernel) continue;
        leaf f = make(form, form->leaf < 33 ? form->leaf : 33, 20, -1);
        const int down = form->is_double ? -1050 : -140;
        f.unit = form->is_double ? DBL_MIN : FLT_MIN;
        for (int64_t j = 0; j < f.of.m; ++j)
            for (int64_t i = j; i < f.all; ++i) {
                put(&f, i, j, get(&f, i, j) * ldexp(1, down));
                f.A[i + j * f.all] = i == j ? creal(get(&f, i, j)) : get(&f, i, j);
            }
        (together ? launch_panel : launch)(&f);
        check(&f);
        release(&f);
    }
}

TEST(test_not_positive) {
    for (int k = 0; k < 2 * FORMS; ++k) {
        const cholesky_form *form = FORM_AT(cholesky_form, k % FORMS);
        const int together = k >= FORMS;
        if (together && !form->panel_kernel) continue;
        const int64_t fails = between(0, form->leaf - 1);
        leaf f = make(form, form->leaf, 5, fails);
        put(&f, form->leaf - 1, form->leaf - 1, -1); /* fails too, and is not told where it is the second one */
        (together ? launch_panel : launch)(&f);
        assert_int_equal(f.info, f.of.first + fails + 1);
        for (int64_t j = 0; j < f.of.m && !together; ++j) /* the rows below wait for a factor, and stay */
            for (int64_t i = f.of.m; i < f.all; ++i) assert_true(get(&f, i, j) == f.A[i + j * f.all]);
        release(&f);
    }
}

static int setup(void **state) {
    numbers = test_random_start(4101);
    return 0;
}

TEST_PROGRAM_ALONE(setup, emulator_close)
