/*
 * LU of few rows by cl/lu_small.cl and solves by cl/lu_small_solve.cl, on groups of emulated work-items in orders drawn from the
 * seed: LAPACK's ratios with each op, pivots, info, what is measured, the determinant; NaN and zero columns.
 */
#include "kernels/lu_small_form.h"

#include "kernels/form_support.h"
#include "lu/ratios.h"

enum { WIDTH = 16, SIDES = 2 };
typedef enum { RANDOM, TINY, LARGE, ZERO_COLUMN, NOT_A_NUMBER, KINDS } kind;

static test_random numbers;

typedef struct problem {
    const lu_small_form *form;
    kind what;
    int64_t n;
    lu_small_system system;
    double *A; /* tight; of complex forms two an element */
} problem;

static int64_t between(int64_t low, int64_t high) {
    return test_random_between(&numbers, low, high);
}

static clsolve_type type_of(const problem *p) {
    const int is_double = p->form->is_double;
    return p->form->is_complex ? is_double ? CLSOLVE_C64 : CLSOLVE_C32 : is_double ? CLSOLVE_F64 : CLSOLVE_F32;
}

static int64_t parts_of(const problem *p) {
    return p->form->is_complex ? 2 : 1;
}

static void say(const problem *p, const char *what, double value) {
    fail_msg("complex %d, double %d, span %d; n %d, kind %d, trans %d: %s %g", p->form->is_complex, p->form->is_double,
             p->form->span, (int)p->n, (int)p->what, p->system.trans, what, value);
}

/* Numbers are 2 to that power times ones below 1. */
static int exponent_of(const problem *p) {
    const int is_double = p->form->is_double;
    return p->what == TINY ? (is_double ? -1015 : -119) : p->what == LARGE ? (is_double ? 1010 : 115) : 0;
}

static problem make(const lu_small_form *form, kind what, int64_t n) {
    problem p = {.form = form, .what = what, .n = n};
    lu_small_system *s = &p.system;
    const int64_t parts = parts_of(&p), by_column = between(0, 1), line = n + between(0, 2);
    const size_t size = 2 * sizeof(double);

    *s = (lu_small_system){.n = (int)n, .ld = n + between(0, 3)};
    s->row_step = by_column ? 1 : line;
    s->column_step = by_column ? line : 1;
    s->A = test_room(s->ld * n, size);
    s->S = test_room(line * n, size);
    s->rows = test_room(3 * n, sizeof *s->rows);
    s->ipiv = test_room(n, sizeof *s->ipiv);
    s->places = test_room(2 * n, sizeof *s->places);
    s->record = test_room(9, sizeof *s->record);
    s->words = test_room(2 * SIDES, sizeof *s->words);
    s->columns = test_room(3 * n, size);
    s->B = test_room(n * SIDES, size);
    s->X = test_room(n * SIDES, size);
    p.A = test_room(n * n, size);
    for (int64_t k = 0; k < parts * n * n; k++)
        p.A[k] = form_rounded(form->is_double, ldexp(test_random_signed(&numbers), exponent_of(&p)));
    for (int64_t k = 0; what == ZERO_COLUMN && k < parts * n; k++) p.A[parts * n * (n / 2) + k] = 0;
    if (what == NOT_A_NUMBER) p.A[parts * (n / 2 + n * (n / 3)) + between(0, parts - 1)] = (double)NAN;
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < parts * n; k++)
            form_put(form->is_double, s->S, parts * (k / parts * s->row_step + j * s->column_step) + k % parts,
                     p.A[k + parts * n * j]);
    return p;
}

static void drop(problem *p) {
    lu_small_system *s = &p->system;
    void *all[] = {s->A, s->S, s->B, s->X, s->rows, s->ipiv, s->places, s->record, s->words, s->columns, p->A};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void launch(problem *p, void (*kernel)(void *), int64_t groups, int items) {
    static emulator_words none;
    const emulator_launch it = {.groups = (int)groups,
                                .items = items,
                                .kernel = kernel,
                                .arguments = &p->system,
                                .words = &none,
                                .count = 1,
                                .seed = test_random_bits(&numbers),
                                .late = -1};
    const char *error = emulator_run(&it);
    if (error) fail_msg("%s", error);
}

/* In one launch, or in a launch a step (lu/small.c). */
static void factor(problem *p) {
    const int chunks = (int)((p->n + WIDTH - 1) / WIDTH), items = p->form->span * p->form->parts;
    if (p->form->parts > 1) {
        p->system.from = 0, p->system.to = chunks + 2;
        launch(p, p->form->factor, 1, items);
        return;
    }
    for (int k = 0; k <= chunks + 1; k++) {
        p->system.from = k, p->system.to = k + 1;
        launch(p, p->form->factor, k <= chunks ? chunks : 1, items);
    }
}

static double real_of(const problem *p, int word, int part) {
    return form_get(p->form->is_double, p->system.record + word, part);
}

static double complex element(const problem *p, const double *a, int64_t k) {
    return p->form->is_complex ? CMPLX(a[2 * k], a[2 * k + 1]) : CMPLX(a[k], 0);
}

static void check_record(const problem *p, const double *LU) {
    const int64_t n = p->n;
    const double eps = test_epsilon(type_of(p)) * 16 * (double)n;
    const double least = p->form->is_double ? 0x1p-1074 : 0x1p-149; /* each term of a norm may round to it */
    double largest = 0, norm = 0, upper = 0, log_det = 0, phase = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const double complex a = element(p, p->A, i + j * n), u = element(p, LU, i + j * n);
            sum += cabs(a) * 0x1p-16;
            largest = fmax(largest, fmax(fabs(creal(a)), fabs(cimag(a))));
            if (i <= j) upper = fmax(upper, fmax(fabs(creal(u)), fabs(cimag(u))));
        }
        norm = fmax(norm, sum);
        log_det += log(cabs(element(p, LU, j + j * n)));
        phase += carg(element(p, LU, j + j * n)) + (p->system.ipiv[j] != j + 1 ? acos(-1) : 0);
    }
    if (p->system.record[0] != INT64_MAX || p->system.record[4] != INT64_MAX) say(p, "no finite number at", 0);
    if (real_of(p, 1, 0) != largest) say(p, "largest", real_of(p, 1, 0));
    if (!(fabs(real_of(p, 2, 0) - norm) <= eps * norm + 2 * (double)n * least)) say(p, "norm", real_of(p, 2, 0));
    if (real_of(p, 5, 0) != upper) say(p, "largest of U", real_of(p, 5, 0));
    const double complex mantissa = CMPLX(real_of(p, 7, 0), p->form->is_complex ? real_of(p, 7, 1) : 0);
    if (p->what == ZERO_COLUMN) {
        if (mantissa != 0) say(p, "mantissa", creal(mantissa));
        return;
    }
    const double told = log(cabs(mantissa)) + (double)p->system.record[6] * log(2);
    if (!(fabs(told - log_det) <= eps * (1 + fabs(log_det)))) say(p, "log |det|", told);
    if (!(fabs(remainder(carg(mantissa) - phase, 2 * acos(-1))) <= eps + 1e-9)) say(p, "phase", carg(mantissa));
}

static void check_factors(const problem *p, double *LU) {
    const int64_t n = p->n, parts = parts_of(p);
    SCRATCH double *A = test_room(parts * n * n, sizeof *A), *scaled = test_room(parts * n * n, sizeof *scaled);
    const double grain = p->what == TINY ? 0x1p3 : 1; /* of numbers with few bits */
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < parts * n; k++)
            LU[k + parts * n * j] = form_get(p->form->is_double, p->system.A, k + parts * p->system.ld * j);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t part = 0; part < parts; part++) {
                const int64_t at = parts * (i + j * n) + part;
                A[at] = ldexp(p->A[at], -exponent_of(p));
                scaled[at] = i > j ? LU[at] : ldexp(LU[at], -exponent_of(p));
                if (i > j && !(fabs(LU[at]) <= 1.01 * sqrt((double)parts))) say(p, "multiplier", LU[at]);
            }
    const double ratio = ratio_factors(type_of(p), n, A, scaled, p->system.ipiv);
    if (!(ratio < RATIO_BOUND * grain)) say(p, "ratio", ratio);
    if (p->system.record[3] != (p->what == ZERO_COLUMN ? n / 2 + 1 : 0)) say(p, "info", (double)p->system.record[3]);
}

static void check_solve(problem *p, clsolve_op op) {
    const int64_t n = p->n, parts = parts_of(p), by_column = between(0, 1);
    lu_small_system *s = &p->system;
    SCRATCH double *B = test_room(parts * n * SIDES, sizeof *B), *X = test_room(parts * n * SIDES, sizeof *X);
    s->trans = (int)op;
    s->b_row_step = s->x_row_step = by_column ? 1 : SIDES;
    s->b_column_step = s->x_column_step = by_column ? n : 1;
    for (int64_t k = 0; k < parts * n * SIDES; k++)
        B[k] = form_rounded(p->form->is_double, ldexp(test_random_signed(&numbers), exponent_of(p) / 2));
    for (int64_t k = 0; k < parts * n * SIDES; k++) {
        const int64_t i = k / parts % n, c = k / parts / n;
        form_put(p->form->is_double, s->B, parts * (i * s->b_row_step + c * s->b_column_step) + k % parts, B[k]);
    }
    launch(p, p->form->solve, SIDES, p->form->solve_items);
    for (int64_t k = 0; k < parts * n * SIDES; k++) {
        const int64_t i = k / parts % n, c = k / parts / n;
        const int64_t at = parts * (i * s->x_row_step + c * s->x_column_step) + k % parts;
        X[k] = ldexp(form_get(p->form->is_double, s->X, at), exponent_of(p) - exponent_of(p) / 2);
        B[k] = ldexp(B[k], -(exponent_of(p) / 2));
    }
    for (int w = 0; w < 2 * SIDES; w++)
        if (s->words[w] != -1) say(p, "no finite number in row", (double)s->words[w]);
    SCRATCH double *A = test_room(parts * n * n, sizeof *A);
    for (int64_t k = 0; k < parts * n * n; k++) A[k] = ldexp(p->A[k], -exponent_of(p));
    const double ratio = ratio_solve(type_of(p), op, n, SIDES, A, X, B);
    if (!(ratio < RATIO_BOUND * (p->what == TINY ? 8 : 1))) say(p, "ratio of a solve", ratio);
}

/* A zero pivot gives no finite X: the words tell, and nothing is written over the array of X, which may be the caller's B. One
 * row: of more, several work-items write the same word at a time, which the emulator refuses. */
static void check_kept(problem *p, clsolve_op op) {
    const int64_t n = p->n, all = parts_of(p) * n * SIDES;
    lu_small_system *s = &p->system;
    s->trans = (int)op;
    s->b_row_step = s->x_row_step = 1;
    s->b_column_step = s->x_column_step = n;
    for (int64_t k = 0; k < all; k++) {
        form_put(p->form->is_double, s->B, k, 1 + (double)(k % 7));
        form_put(p->form->is_double, s->X, k, 11);
    }
    launch(p, p->form->solve, SIDES, p->form->solve_items);
    for (int c = 0; c < SIDES; c++)
        if (s->words[2 * c] != -1 || s->words[2 * c + 1] < 0) say(p, "a word of X", (double)s->words[2 * c + 1]);
    for (int64_t k = 0; k < all; k++)
        if (form_get(p->form->is_double, s->X, k) != 11) say(p, "written over X at", (double)k);
}

static void run(const lu_small_form *form, kind what, int64_t n) {
    problem p = make(form, what, n);
    double *LU = test_room(parts_of(&p) * n * n, sizeof *LU);
    factor(&p);
    if (what == NOT_A_NUMBER) {
        if (p.system.record[0] != n / 2 + n * (n / 3)) say(&p, "NaN at", (double)p.system.record[0]);
    } else {
        check_factors(&p, LU);
        check_record(&p, LU);
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS && n <= form->solve_items; op++)
            if (what != ZERO_COLUMN) check_solve(&p, (clsolve_op)op);
    }
    free(LU);
    drop(&p);
}

TEST(kept) {
    for (int f = 0; f < FORMS; f++) {
        problem p = make(FORM_AT(lu_small_form, f), ZERO_COLUMN, 1);
        factor(&p);
        for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) check_kept(&p, (clsolve_op)op);
        drop(&p);
    }
}

TEST(sizes) {
    static const int64_t all[] = {1, 2, 3, 5, 15, 16, 17, 33, 47, 61, 64, 127, 128};
    for (int f = 0; f < FORMS; f++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (all[k] <= FORM_AT(lu_small_form, f)->span * FORM_AT(lu_small_form, f)->each &&
                (all[k] < 65 || k % 2 == (size_t)f % 2))
                run(FORM_AT(lu_small_form, f), RANDOM, all[k]);
}

TEST(kinds) {
    for (int f = 0; f < FORMS; f++)
        for (kind what = TINY; what < KINDS; what++) run(FORM_AT(lu_small_form, f), what, between(3, 50));
}

TEST_PROGRAM_BY(numbers = test_random_start(0x5a11), NULL, emulator_close)
