/*
 * Windows of L D L^T where lanes of a wave have a front's rows, on emulated ones in orders drawn from the seed: residuals,
 * bounded multipliers and the inertia, at awkward orders; columns that are put off, and pivots that are replaced.
 */
#include "kernels/front_window_form.h"

#include <float.h>

#include "kernels/form_support.h"

enum { MOST = 128, FIELDS = 11, BLOCK = 4, POSITION = 3 };
/* Kinds of matrices. FAR: each column's only large element is far outside of its window. */
typedef enum kind { RANDOM, NO_DIAGONAL, KNOWN_INERTIA, FAR, ZERO, KINDS } kind;

static test_random numbers;

typedef struct factors {
    const front_window_form *form;
    int f, negative; /* negative: known of the matrix; -1: not known */
    double complex A[MOST * MOST];
    int starts[4], order[MOST], replaced[2], pivots[MOST * POSITION];
    int64_t front[FIELDS];
    void *a, *blocks;
} factors;

static double complex drawn(const front_window_form *form) {
    const double re = test_random_signed(&numbers), im = form->is_complex ? test_random_signed(&numbers) : 0;
    return form_rounded(form->is_double, re) + I * form_rounded(form->is_double, im);
}

static double complex mirrored(const front_window_form *form, double complex value) {
    return form->ldl == 2 ? conj(value) : value;
}

static void set(factors *of, int i, int j, double complex value) {
    if (i == j && of->form->ldl == 2) value = creal(value);
    of->A[i + j * of->f] = value;
    of->A[j + i * of->f] = mirrored(of->form, value);
}

/* X S X^H for signs S and X = I + a small matrix. */
static void fill_known(factors *of) {
    static double complex X[MOST * MOST];
    const int f = of->f;
    int sign[MOST];
    of->negative = 0;
    for (int k = 0; k < f; k++) {
        sign[k] = test_random_signed(&numbers) < 0 ? -1 : 1;
        of->negative += sign[k] < 0;
        for (int i = 0; i < f; i++) X[i + k * f] = drawn(of->form) / (2.0 * f) + (i == k);
    }
    for (int j = 0; j < f; j++)
        for (int i = j; i < f; i++) {
            double complex sum = 0;
            for (int k = 0; k < f; k++) sum += X[i + k * f] * sign[k] * conj(X[j + k * f]);
            set(of, i, j, sum);
        }
}

static void fill(factors *of, kind kind) {
    const int f = of->f;
    of->negative = -1;
    if (kind == KNOWN_INERTIA && of->form->ldl == 2) {
        fill_known(of);
        return;
    }
    for (int j = 0; j < f; j++)
        for (int i = j; i < f; i++) {
            double complex value = drawn(of->form);
            if (kind == NO_DIAGONAL && i == j) value = 0;
            if (kind == FAR) value = i + j == f - 1 ? 1 : 0;
            if (kind == ZERO) value = 0;
            set(of, i, j, value);
        }
}

static void make(factors *of, const front_window_form *form, int f, kind kind) {
    memset(of, 0, sizeof *of);
    of->form = form;
    of->f = f;
    fill(of, kind);
    of->a = test_room((int64_t)f * f, sizeof(double complex));
    of->blocks = test_room((int64_t)f * BLOCK, sizeof(double complex));
    for (int j = 0; j < f; j++) /* the upper triangle is not read */
        for (int i = 0; i < f; i++)
            form_put_element(form->is_complex, form->is_double, of->a, i + j * f, i < j ? 0 : of->A[i + j * f]);
    of->front[0] = of->front[10] = f;
}

static void drop(factors *of) {
    free(of->a);
    free(of->blocks);
}

/* As device_factor.c. */
static void run(factors *of) {
    static emulator_words none;
    const int w = of->form->width, more = of->f - w;
    const int launches = more <= 0 ? 1 : 2 + (more + w - w / 4 - 1) / (w - w / 4);
    for (int t = 0; t < launches; t++) {
        front_window_launch launch = {.front = of->front,
                                      .t = t,
                                      .A = of->a,
                                      .blocks = of->blocks,
                                      .starts = of->starts,
                                      .order = of->order,
                                      .replaced = of->replaced,
                                      .pivots = of->pivots,
                                      .tiny = of->form->is_double ? 1e-8 : 3e-4,
                                      .zero = of->form->is_double ? 1e-16 : 1e-7};
        const emulator_launch it = {.groups = t == 0 ? 1 : 2 + (of->f + w - 1) / w,
                                    .items = of->form->items,
                                    .kernel = of->form->kernel,
                                    .arguments = &launch,
                                    .words = &none,
                                    .count = 1,
                                    .seed = test_random_bits(&numbers),
                                    .late = -1};
        const char *error = emulator_run(&it);
        if (error) fail_msg("f %d, complex %d, launch %d: %s", of->f, of->form->is_complex, t, error);
    }
    assert_int_equal(of->starts[launches % 3], of->f);
}

static double complex get(const factors *of, const void *from, int at) {
    return form_get_element(of->form->is_complex, of->form->is_double, from, at);
}

/* Row i of D at column k, or of its inverse. */
static double complex element_of_d(const factors *of, int i, int k, int inverse) {
    const int pair = of->pivots[i * POSITION + 2];
    if (k == i) return get(of, of->blocks, i * BLOCK + 2 * inverse);
    return pair != 0 && k == i + pair ? get(of, of->blocks, i * BLOCK + 2 * inverse + 1) : 0;
}

static double complex element_of_l(const factors *of, int i, int k) {
    return i == k ? 1 : i < k ? 0 : get(of, of->a, i + k * of->f);
}

static void check_order(const factors *of) {
    char seen[MOST] = {0};
    for (int i = 0; i < of->f; i++) {
        assert_in_range(of->order[i], 0, of->f - 1);
        assert_false(seen[of->order[i]]);
        seen[of->order[i]] = 1;
    }
}

/* P A P^T - L D L^H, and D times its inverse. */
static void check_factors(const factors *of) {
    const int f = of->f;
    const double eps = of->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int j = 0; j < f; j++)
        for (int i = j; i < f; i++) {
            double complex sum = of->A[of->order[i] + of->order[j] * f];
            double size = cabs(sum);
            for (int k = 0; k <= i; k++)
                for (int m = k > 0 ? k - 1 : 0; m <= k + 1 && m <= j; m++) {
                    const double complex term =
                        element_of_l(of, i, k) * element_of_d(of, k, m, 0) * mirrored(of->form, element_of_l(of, j, m));
                    sum -= term;
                    size += cabs(term);
                }
            if (i > j) assert_true(cabs(element_of_l(of, i, j)) < 150); /* 1 / LEAST, by another measure */
            if (!(cabs(sum) <= 16 * f * eps * (size + 1)))
                fail_msg("f %d, complex %d, ldl %d: (%d,%d) of P A P^T - L D L^H is %g", f, of->form->is_complex,
                         of->form->ldl, i, j, cabs(sum));
        }
    for (int i = 0; i < f; i++) {
        const int with = i + of->pivots[i * POSITION + 2];
        double complex one = element_of_d(of, i, i, 0) * element_of_d(of, i, i, 1);
        if (with != i) one += element_of_d(of, i, with, 0) * element_of_d(of, with, i, 1);
        assert_true(cabs(one - 1) < 1e4 * eps);
    }
}

/* Negative eigenvalues of D, by its blocks. */
static int count_negative(const factors *of) {
    int count = 0;
    for (int i = 0; i < of->f; i++) {
        const double a = creal(element_of_d(of, i, i, 0));
        if (of->pivots[i * POSITION + 2] == 0) {
            count += a < 0;
        } else if (of->pivots[i * POSITION + 2] > 0) {
            const double d = creal(element_of_d(of, i + 1, i + 1, 0)), both = cabs(element_of_d(of, i, i + 1, 0));
            count += a * d < both * both ? 1 : a < 0 ? 2 : 0;
        }
    }
    return count;
}

static void check(const front_window_form *form, int f, kind kind) {
    static factors of;
    make(&of, form, f, kind);
    run(&of);
    check_order(&of);
    if (kind <= KNOWN_INERTIA) {
        assert_int_equal(of.replaced[0], 0);
        check_factors(&of);
        if (form->ldl == 2) assert_int_equal(of.replaced[1], count_negative(&of));
    }
    if (of.negative >= 0) assert_int_equal(of.replaced[1], of.negative);
    if (kind == ZERO) assert_int_equal(of.replaced[0], (1 << 30) + f);
    if (kind == FAR && f >= 2 * form->width) assert_true(of.replaced[0] > 0);
    drop(&of);
}

TEST(in_lanes) {
    (void)state;
    for (int k = 0; k < FORMS; k++) {
        const int most = FORM_AT(front_window_form, k)->items * FORM_AT(front_window_form, k)->per < MOST
                             ? FORM_AT(front_window_form, k)->items * FORM_AT(front_window_form, k)->per
                             : MOST;
        const int orders[] = {1, 2, FORM_AT(front_window_form, k)->width, FORM_AT(front_window_form, k)->width + 1,
                              most - 1};
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++)
                if (o == 4 || (size_t)kind == o % 3) check(FORM_AT(front_window_form, k), orders[o], kind);
    }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x6c), NULL, emulator_close)
