/*
 * The triangular solve in one launch of groups that wait for each other (cl/lu_sweep.cl), on groups of emulated work-items in
 * orders drawn from the seed: residuals, nothing stored elsewhere, and no answer when a group comes too late.
 */
#include "kernels/lu_sweep_form.h"

#include "kernels/form_support.h"
#include "lu/ratios.h"

enum { LATE = 2, UNTOUCHED = -77 };
#define PATIENT (FORMS - LATE)
typedef enum { RANDOM, UNSAFE_PIVOT, KINDS } kind;

static test_random numbers;

typedef struct solve {
    const lu_sweep_form *form;
    lu_sweep_solve arguments;
    double complex *W, *B; /* n x n, n x sides, tight, in the order of the substitution */
    int64_t elements;
    int groups, late;
} solve;

static int64_t row_of(const solve *s, int64_t i) {
    return s->arguments.backward ? s->arguments.n - 1 - i : i;
}

static double part(const solve *s, double x) {
    return form_rounded(s->form->is_double, x);
}

/* Numbers below 1 in size, of which none has an imaginary part where the form is real. */
static double complex random_element(const solve *s, double size) {
    const double re = part(s, test_random_signed(&numbers) * size);
    return s->form->is_complex ? CMPLX(re, part(s, test_random_signed(&numbers) * size)) : re;
}

static double complex diagonal(const solve *s) {
    const double complex x = random_element(s, 0.5);
    return CMPLX(part(s, 1.5 + creal(x)), cimag(x));
}

static void put(const solve *s, void *to, int64_t at, double complex value) {
    form_put_element(s->form->is_complex, s->form->is_double, to, at, value);
}

static double complex get(const solve *s, int64_t at) {
    return form_get_element(s->form->is_complex, s->form->is_double, s->arguments.B, at);
}

/* which: backward, op of T, unit. */
static void make(solve *s, const lu_sweep_form *form, kind what, int64_t n, int sides, int which) {
    lu_sweep_solve *a = &s->arguments;
    *s = (solve){.form = form, .groups = (int)test_random_between(&numbers, 1, 4)};
    a->n = n;
    a->sides = sides;
    a->backward = which & 1, a->trans = which >> 1 & 1, a->unit = which >> 2 & 1;
    if (a->trans && form->is_complex) a->trans = (int)test_random_between(&numbers, 1, 2);
    s->W = test_room(n * n, sizeof *s->W);
    s->B = test_room(n * sides, sizeof *s->B);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k; i < n; i++) s->W[i + k * n] = i == k ? diagonal(s) : random_element(s, 1.0 / 8);
    if (what == UNSAFE_PIVOT) {
        const int64_t k = test_random_between(&numbers, 0, n - 1);
        s->W[k + k * n] = form->is_double ? 1e-300 : (double)1e-36f;
    }
    for (int64_t k = 0; k < n * sides; k++) s->B[k] = random_element(s, 1);
    a->T_offset = test_random_between(&numbers, 0, 5);
    a->T_ld = n + test_random_between(&numbers, 0, 3);
    a->B_offset = test_random_between(&numbers, 0, 5);
    a->B_ld = n + test_random_between(&numbers, 0, 3);
    a->T = test_room(a->T_offset + a->T_ld * n, sizeof(double complex));
    s->elements = a->B_offset + a->B_ld * sides + 5;
    a->B = test_room(s->elements, sizeof(double complex));
    a->words = test_room(n * form->sides * form->pairs, sizeof *a->words);
    a->late = &s->late;
    a->sweep = (unsigned)test_random_between(&numbers, 1, 0xffff);
    for (int64_t k = 0; k < a->T_offset + a->T_ld * n; k++) put(s, a->T, k, CMPLX(NAN, NAN));
    for (int64_t k = 0; k < s->elements; k++) put(s, a->B, k, UNTOUCHED);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + a->unit; i < n; i++) {
            const int64_t row = row_of(s, i), column = row_of(s, k);
            put(s, a->T, a->T_offset + (a->trans ? column + row * a->T_ld : row + column * a->T_ld),
                a->trans == 2 ? conj(s->W[i + k * n]) : s->W[i + k * n]);
        }
    for (int64_t k = 0; k < n && a->unit; k++) s->W[k + k * n] = 1;
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < n; i++) put(s, a->B, a->B_offset + row_of(s, i) + j * a->B_ld, s->B[i + j * n]);
}

static void release(solve *s) {
    free(s->W);
    free(s->B);
    free(s->arguments.T);
    free(s->arguments.B);
    free(s->arguments.words);
}

static void say(const solve *s, const char *what) {
    const lu_sweep_solve *a = &s->arguments;
    fail_msg("%s%s, n %d, sides %d, groups %d, backward %d, trans %d, unit %d: %s",
             s->form->is_complex ? "complex " : "", s->form->is_double ? "double" : "float", (int)a->n, a->sides,
             s->groups, a->backward, a->trans, a->unit, what);
}

static void launch(solve *s, int late) {
    emulator_launch it = {.groups = s->groups,
                          .items = s->form->items,
                          .kernel = s->form->kernel,
                          .arguments = &s->arguments,
                          .words = s->arguments.words,
                          .count = s->arguments.n * s->form->sides * s->form->pairs,
                          .seed = test_random_bits(&numbers),
                          .late = late};
    const char *error = emulator_run(&it);
    if (error) say(s, error);
}

/* Each row's residual, as substitution in any order leaves it (Higham, Accuracy and Stability of Numerical Algorithms,
 * theorem 8.5): a few n eps of |W| |x|. */
static void check(const solve *s) {
    const lu_sweep_solve *a = &s->arguments;
    const double eps = test_epsilon(s->form->is_double ? CLSOLVE_F64 : CLSOLVE_F32);
    if (s->late) say(s, "a group came late");
    for (int64_t at = 0; at < s->elements; at++) {
        const int64_t k = at - a->B_offset, j = k / a->B_ld, r = k % a->B_ld;
        if ((k < 0 || j >= a->sides || r >= a->n) && get(s, at) != UNTOUCHED) say(s, "stored outside of B");
    }
    for (int64_t j = 0; j < a->sides; j++)
        for (int64_t i = 0; i < a->n; i++) {
            double complex r = -s->B[i + j * a->n];
            double size = cabs(r);
            for (int64_t k = 0; k <= i; k++) {
                const double complex term = s->W[i + k * a->n] * get(s, a->B_offset + row_of(s, k) + j * a->B_ld);
                r += term;
                size += cabs(term);
            }
            if (!(cabs(r) <= (s->form->is_complex ? 12 : 4) * (double)(i + 3) * eps * size)) say(s, "residual");
        }
}

static void run(const lu_sweep_form *form, kind what, int64_t n, int sides, int which) {
    solve s;
    make(&s, form, what, n, sides, which);
    launch(&s, -1);
    check(&s);
    release(&s);
}

TEST(sizes) {
    static const int64_t all[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 257};
    for (int k = 0; k < PATIENT; k++)
        for (int r = 0; r < (int)(sizeof all / sizeof *all); r++)
            run(FORM_AT(lu_sweep_form, k), RANDOM, all[r],
                (int)test_random_between(&numbers, 1, FORM_AT(lu_sweep_form, k)->sides),
                (int)test_random_between(&numbers, 0, 7));
}

TEST(cases) {
    for (int k = 0; k < PATIENT; k++)
        for (int which = 0; which < 8; which++)
            run(FORM_AT(lu_sweep_form, k), which % 2 ? UNSAFE_PIVOT : RANDOM, test_random_between(&numbers, 100, 210),
                FORM_AT(lu_sweep_form, k)->sides, which);
}

/* By a number that is none in each solution callers see that there is no answer. */
static void check_spoilt(const solve *s) {
    const lu_sweep_solve *a = &s->arguments;
    for (int64_t j = 0; j < a->sides; j++) {
        int64_t spoilt = 0;
        for (int64_t i = 0; i < a->n; i++) spoilt += isnan(creal(get(s, a->B_offset + i + j * a->B_ld))) != 0;
        if (spoilt == 0) say(s, "an answer in spite of a late group");
    }
}

/* A group that begins when all others have given up: no answer, and it is told. So it is after a late sweep. */
TEST(late_group) {
    for (int k = PATIENT; k < FORMS; k++)
        for (int late = 0; late < 2; late++) {
            solve s;
            make(&s, FORM_AT(lu_sweep_form, k), RANDOM, 200, 1, late);
            s.groups = 2;
            launch(&s, late);
            if (s.late != 1) say(&s, "a late group is not told");
            check_spoilt(&s);
            launch(&s, -1);
            if (s.late != 1) say(&s, "an earlier sweep is forgotten");
            check_spoilt(&s);
            release(&s);
        }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x53e9), NULL, emulator_close)
