/*
 * The steps of cl/substitute.cl on groups of emulated work-items in orders drawn from the seed: races, and one triangle at a time, the other
 * half of whose matrix holds no numbers. A right-hand side at a time is compared with plain substitution in double: as many
 * digits as the operations leave, and the same rows without numbers.
 */
#include "kernels/substitute_form.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/form_support.h"

enum { MOST_SIDES = 4, UNTOUCHED = -77 };
static const substitute_form *form_at(int k) {
    return emulator_form_list[k];
}

typedef enum { RANDOM, ZERO_PIVOT, UNSAFE_PIVOTS, INFINITE_T, NAN_T, NOT_FINITE_B, KINDS } kind;
static const char *const kind_names[] = {"random",        "a zero pivot",   "unsafe pivots",
                                         "infinity in T", "no number in T", "infinity and no number in B"};
static test_random numbers;

typedef struct solve {
    const substitute_form *form;
    kind what;
    int64_t n;
    substitute_step step;
    double complex *W, *X; /* n x n lower, in the order of solving; n x cols */
    int64_t T_offset, B_offset, elements;
} solve;

static int64_t between(int64_t low, int64_t high) {
    return test_random_between(&numbers, low, high);
}

static void say(const solve *s, const char *what) {
    const substitute_step *a = &s->step;
    fail_msg("%s%s, block %d; n %d, %d columns, backward %d, trans %d, unit %d, %s: %s",
             s->form->is_complex ? "complex " : "", s->form->is_double ? "double" : "float", s->form->block, (int)s->n,
             a->cols, a->backward, a->trans, a->unit, kind_names[s->what], what);
}

static int64_t row_of(const solve *s, int64_t i) {
    return s->step.backward ? s->n - 1 - i : i;
}

/* Where W(i, k) lies in T. */
static int64_t place(const solve *s, int64_t i, int64_t k) {
    int64_t row = row_of(s, i), column = row_of(s, k);
    return s->T_offset + (s->step.trans ? column + row * s->step.ld : row + column * s->step.ld);
}

/* ---- the problem ---- */

static double part(const solve *s, double x) {
    return form_rounded(s->form->is_double, x);
}

/* Of size 1 or so; real where the form is. */
static double complex element(const solve *s, double by) {
    const double re = part(s, test_random_signed(&numbers) * by);
    return s->form->is_complex ? CMPLX(re, part(s, test_random_signed(&numbers) * by)) : re;
}

static double complex diagonal(const solve *s) {
    const double complex x = element(s, 0.5);
    return CMPLX(part(s, 1.5 + creal(x)), cimag(x));
}

static void put(const solve *s, void *to, int64_t at, double complex value) {
    form_put_element(s->form->is_complex, s->form->is_double, to, at, value);
}

static double complex get(const solve *s, int64_t at) {
    return form_get_element(s->form->is_complex, s->form->is_double, s->step.b, at);
}

static int finite(double complex x) {
    return isfinite(creal(x)) && isfinite(cimag(x));
}

/* A row, one that is not after it, and a column. */
static void spoil(solve *s) {
    int64_t n = s->n, i = between(0, n - 1), k = between(0, i), j = between(0, s->step.cols - 1);
    double tiny = s->form->is_double ? 1e-310 : 1e-40, small = s->form->is_double ? 1e-295 : 1e-28;
    if (s->what == ZERO_PIVOT) s->W[i + i * n] = 0;
    if (s->what == UNSAFE_PIVOTS && between(0, 2) > 0) { /* whose inverse overflows, and the quotient does not */
        s->W[i + i * n] = part(s, tiny);
        for (int64_t c = 0; c < n * s->step.cols; c++)
            s->X[c] = CMPLX(part(s, creal(s->X[c]) * small), part(s, cimag(s->X[c]) * small));
    } else if (s->what == UNSAFE_PIVOTS) {
        s->W[i + i * n] = part(s, 0.01 / tiny);
    }
    /* x / Inf is 0, and of complex numbers no number. */
    if (s->what == INFINITE_T) s->W[i + k * n] = s->form->is_complex && i == k ? (double)NAN : (double)INFINITY;
    if (s->what == NAN_T) s->W[i + k * n] = (double)NAN;
    if (s->what == NOT_FINITE_B) {
        s->X[i + j * n] = (double)INFINITY;
        s->X[k + between(0, s->step.cols - 1) * n] = (double)NAN;
    }
}

/* What is not to be read of T holds no numbers, what is not to be written of B a mark. */
static void make_room(solve *s) {
    substitute_step *a = &s->step;
    int64_t n = s->n, size;
    s->T_offset = between(0, 5);
    s->B_offset = between(0, 5);
    a->ld = n + between(0, 3);
    a->ldb = n + between(0, 3);
    size = s->T_offset + a->ld * n;
    s->elements = s->B_offset + a->ldb * a->cols + 5;
    a->t = a->u = form_room(size, sizeof(double complex));
    a->b = form_room(s->elements, sizeof(double complex));
    for (int64_t k = 0; k < size; k++) put(s, a->t, k, CMPLX((double)NAN, (double)NAN));
    for (int64_t k = 0; k < s->elements; k++) put(s, a->b, k, UNTOUCHED);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + a->unit; i < n; i++)
            put(s, a->t, place(s, i, k), a->trans == 2 ? conj(s->W[i + k * n]) : s->W[i + k * n]);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < n; i++) put(s, a->b, s->B_offset + row_of(s, i) + j * a->ldb, s->X[i + j * n]);
}

static void make(solve *s, const substitute_form *form, kind what, int64_t n, int cols, int which) {
    substitute_step a = {.cols = cols, .backward = which & 1, .trans = which >> 1 & 1, .unit = which >> 2 & 1};
    if (a.trans && form->is_complex) a.trans = (int)between(1, 2);
    memset(s, 0, sizeof *s);
    s->form = form;
    s->what = what;
    s->n = n;
    s->step = a;
    s->W = form_room(n * n, sizeof *s->W);
    s->X = form_room(n * cols, sizeof *s->X);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k; i < n; i++) s->W[i + k * n] = i == k ? diagonal(s) : element(s, 1 / sqrt((double)n));
    for (int64_t k = 0; k < n * cols; k++) s->X[k] = element(s, 1);
    spoil(s);
    make_room(s);
}

/* ---- by the kernel ---- */

static void launch(solve *s, int64_t rows, int triangles) {
    static emulator_words none;
    s->step.rows = rows;
    s->step.triangles = triangles;
    emulator_launch it = {.groups = triangles + (int)((rows + s->form->rows - 1) / s->form->rows),
                          .items = s->form->items,
                          .kernel = s->form->kernel,
                          .arguments = &s->step,
                          .words = &none,
                          .count = 1,
                          .seed = test_random_bits(&numbers),
                          .late = -1};
    const char *error = it.groups > 0 ? emulator_run(&it) : NULL;
    if (error) say(s, error);
}

/* The block of `m` rows at `at` in the order of solving, and `before` rows before it. */
static void run_step(solve *s, int64_t at, int64_t m, int64_t before) {
    substitute_step *a = &s->step;
    int64_t n = s->n, after = n - at - m, back = a->backward;
    int64_t first = back ? n - at - m : at, known = back ? n - at : at - before, open = back ? 0 : at + m;
    a->m = (int)m;
    a->before = (int)before;
    a->t_offset = s->T_offset + first * (1 + a->ld);
    a->beside_offset = s->T_offset + (a->trans ? known + first * a->ld : first + known * a->ld);
    a->open_offset = s->T_offset + (a->trans ? known + open * a->ld : open + known * a->ld);
    a->b_offset = s->B_offset + first;
    a->x_offset = s->B_offset + known;
    a->open_b = s->B_offset + open;
    if (before == 0) after = 0;
    int64_t rest = between(0, 3) == 0 ? 0 : after; /* together, or in a launch of their own */
    launch(s, rest, a->cols);
    if (rest < after) launch(s, after, 0);
}

/* Blocks are shorter where a slab ends. */
static void solve_by_steps(solve *s) {
    int64_t before = 0, m;
    for (int64_t at = 0; at < s->n; at += m) {
        m = between(0, 2) > 0 ? s->form->block : between(1, s->form->block);
        if (m > s->n - at) m = s->n - at;
        run_step(s, at, m, before);
        before = m;
    }
}

/* ---- plainly ---- */

/* x, and below it how far the kernel's may be off: the residual's bound, n eps |W| |x|, carried through the solve. */
static void solve_plainly(const solve *s, double complex *x, double *off) {
    int64_t n = s->n;
    double eps =
        (s->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON) * (double)(n + 4) * (s->form->is_complex ? 4 : 1);
    double least = (s->form->is_double ? 0x1p-1074 : 0x1p-149) * (double)(n + 4);
    for (int64_t i = 0; i < n; i++) {
        double complex d = s->step.unit ? 1 : s->W[i + i * n];
        double size = cabs(x[i]), sum = least;
        for (int64_t k = 0; k < i; k++) {
            x[i] -= s->W[i + k * n] * x[k];
            size += cabs(s->W[i + k * n] * x[k]);
            sum += cabs(s->W[i + k * n]) * off[k];
        }
        x[i] /= d;
        off[i] = (eps * size + sum) / cabs(d) + eps * cabs(x[i]) + least;
    }
}

static void check(const solve *s) {
    const substitute_step *a = &s->step;
    int64_t n = s->n;
    double *off = form_room(n, sizeof *off), most = s->form->is_double ? DBL_MAX : (double)FLT_MAX;
    char text[160];
    for (int64_t at = 0; at < s->elements; at++) {
        int64_t k = at - s->B_offset, j = k / a->ldb, r = k % a->ldb;
        if (k >= 0 && j < a->cols && r < n) continue;
        if (get(s, at) != UNTOUCHED) say(s, "stored outside of B");
    }
    for (int64_t j = 0; j < a->cols; j++) {
        double complex *x = s->X + j * n;
        solve_plainly(s, x, off);
        for (int64_t i = 0; i < n; i++) {
            const double complex got = get(s, s->B_offset + row_of(s, i) + j * a->ldb);
            /* Near the end of its range float may be beyond where double is not; then so are the rows that follow. */
            if (s->what == UNSAFE_PIVOTS && !(cabs(x[i]) + off[i] < most / 1e3)) break;
            if (finite(x[i]) ? cabs(got - x[i]) <= off[i] : !finite(got)) continue;
            (void)snprintf(text, sizeof text, "element (%d, %d): %.17g %+.17g i, and plainly %.17g %+.17g i, +- %g",
                           (int)i, (int)j, creal(got), cimag(got), creal(x[i]), cimag(x[i]), off[i]);
            say(s, text);
        }
    }
    free(off);
}

static void run(const substitute_form *form, kind what, int64_t n, int cols, int which) {
    static solve s;
    make(&s, form, what, n, cols, which);
    solve_by_steps(&s);
    check(&s);
    free(s.W);
    free(s.X);
    free(s.step.t);
    free(s.step.b);
}

/* ---- tests ---- */

/* Around parts, waves, a group's open rows and blocks. */
static void sizes(void **state) {
    static const int orders[] = {1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 193, 257};
    for (int k = 0; k < FORMS; k++)
        for (int r = 0; r < (int)(sizeof orders / sizeof *orders); r++)
            run(form_at(k), RANDOM, orders[r], (int)between(1, MOST_SIDES), (int)between(0, 7));
}

static void cases(void **state) {
    for (int k = 0; k < FORMS; k++)
        for (int which = 0; which < 8; which++)
            run(form_at(k), RANDOM, between(2, 3 * form_at(k)->block), (int)between(1, MOST_SIDES), which);
}

static void kinds(void **state) {
    for (int k = 0; k < FORMS; k++)
        for (kind what = ZERO_PIVOT; what < KINDS; what++)
            for (int unit = 0; unit < 8; unit += 4)
                if (!unit || what > UNSAFE_PIVOTS)
                    run(form_at(k), what, between(1, 2 * form_at(k)->block), (int)between(1, MOST_SIDES),
                        (int)between(0, 3) + unit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(cases), cmocka_unit_test(kinds)};
    numbers = test_random_start(0x5b5);
    return cmocka_run_group_tests(tests, NULL, emulator_close);
}
