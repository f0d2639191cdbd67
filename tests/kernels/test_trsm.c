/*
 * The triangular solves of cl/trsm.cl, with lanes in step and copies beside them, and of cl/trsm_portable.cl, on groups of emulated work-items
 * in orders drawn from the seed: the same bits as the same operations one after the other.
 */
#include "kernels/trsm_form.h"

#include "kernels/form_support.h"

enum { MOST_ROWS = 128 };
typedef enum { RANDOM, ZERO_PIVOT, UNSAFE_PIVOTS, INFINITE_T, NAN_T, NOT_FINITE_B, KINDS } kind;
static const char *const kind_names[] = {"random",        "a zero pivot",   "unsafe pivots",
                                         "infinity in T", "no number in T", "infinity and no number in B"};
enum { UNTOUCHED = -77 };
static test_random numbers;

typedef struct solve {
    const trsm_form *form;
    kind what;
    trsm_solve arguments;
    double W[MOST_ROWS * MOST_ROWS], *X; /* m x m, m x n, tight */
    int64_t elements;                    /* of B's room */
    uint64_t seed;
} solve;

static int64_t between(int64_t low, int64_t high) {
    return low + (int64_t)(test_random_bits(&numbers) % (uint64_t)(high - low + 1));
}

static void say(const solve *s, const char *what) {
    const trsm_solve *a = &s->arguments;
    fail_msg("%s, %d columns a group, pivots of %d rows together; m %d, n %d, backward %d, trans %d, unit %d, %s: %s",
             s->form->is_double ? "double" : "float", s->form->columns, s->form->together, a->m, (int)a->n, a->backward,
             a->trans, a->unit, kind_names[s->what], what);
}

static double get(const solve *s, int64_t at) {
    return form_get(s->form->is_double, s->arguments.B, at);
}

static int64_t row_of(const solve *s, int64_t i) {
    return s->arguments.backward ? s->arguments.m - 1 - i : i;
}

/* ---- the problem ---- */

static double element(const solve *s) {
    return form_rounded(s->form->is_double, (double)between(-1000000, 1000000) / 1000003);
}

static void spoil(solve *s) {
    int64_t m = s->arguments.m, i = between(0, m - 1), k = between(0, i), j = between(0, s->arguments.n - 1);
    double tiny = s->form->is_double ? 1e-300 : 1e-36;
    if (s->what == ZERO_PIVOT) s->W[i + i * m] = 0;
    if (s->what == UNSAFE_PIVOTS) s->W[i + i * m] = form_rounded(s->form->is_double, between(0, 1) ? tiny : 1 / tiny);
    if (s->what == INFINITE_T) s->W[i + k * m] = INFINITY;
    if (s->what == NAN_T) s->W[i + k * m] = NAN;
    if (s->what == NOT_FINITE_B) {
        s->X[i + j * m] = INFINITY;
        s->X[k + between(0, s->arguments.n - 1) * m] = NAN;
    }
}

/* What is not to be read of T holds no numbers, what is not to be written of B a mark. */
static void make_room(solve *s) {
    trsm_solve *a = &s->arguments;
    int64_t m = a->m;
    a->T_offset = between(0, 5);
    a->T_ld = m + between(0, 3);
    a->B_offset = between(0, 5);
    a->B_ld = m + between(0, 3);
    s->elements = a->B_offset + a->B_ld * a->n + 5;
    a->T = test_room(a->T_offset + a->T_ld * m, sizeof(double));
    a->B = test_room(s->elements, sizeof(double));
    for (int64_t k = 0; k < a->T_offset + a->T_ld * m; k++) form_put(s->form->is_double, a->T, k, NAN);
    for (int64_t k = 0; k < s->elements; k++) form_put(s->form->is_double, a->B, k, UNTOUCHED);
    for (int64_t k = 0; k < m; k++)
        for (int64_t i = k + a->unit; i < m; i++) {
            int64_t row = row_of(s, i), column = row_of(s, k);
            form_put(s->form->is_double, a->T,
                     a->T_offset + (a->trans ? column + row * a->T_ld : row + column * a->T_ld), s->W[i + k * m]);
        }
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = 0; i < m; i++)
            form_put(s->form->is_double, a->B, a->B_offset + row_of(s, i) + j * a->B_ld, s->X[i + j * m]);
}

static void make(solve *s, const trsm_form *form, kind what, int m, int64_t n, int which) {
    trsm_solve a = {.m = m, .n = n, .backward = which & 1, .trans = which >> 1 & 1, .unit = which >> 2 & 1};
    s->form = form;
    s->what = what;
    s->arguments = a;
    s->seed = test_random_bits(&numbers);
    s->X = test_room(m * n, sizeof *s->X);
    memset(s->W, 0, sizeof s->W);
    for (int64_t k = 0; k < m; k++)
        for (int64_t i = k; i < m; i++)
            s->W[i + k * m] = form_rounded(s->form->is_double, i == k ? 1.5 + element(s) / 2 : element(s) / 8);
    for (int64_t k = 0; k < m * n; k++) s->X[k] = element(s);
    spoil(s);
    make_room(s);
}

static void launch(solve *s) {
    emulator_words none = {0, 0, 0, 0};
    emulator_launch it = {.groups = (int)((s->arguments.n + s->form->columns - 1) / s->form->columns),
                          .items = s->form->items,
                          .kernel = s->form->kernel,
                          .arguments = &s->arguments,
                          .words = &none,
                          .count = 1,
                          .seed = s->seed,
                          .late = -1};
    const char *error = emulator_run(&it);
    if (error) say(s, error);
}

/* ---- plainly ---- */

/* By the inverses of the pivots, where those of all rows that decide together are safe. */
static int multiplies(const solve *s, int64_t i) {
    int64_t m = s->arguments.m, together = s->form->together, first = i / together * together;
    double safe = s->form->is_double ? 1e-280 : (double)1e-30f;
    for (int64_t k = first; k < first + together && k < m; k++) {
        double size = fabs(s->W[k + k * m]);
        if (!(size > safe && size < form_rounded(s->form->is_double, 1 / safe))) return 0;
    }
    return 1;
}

static void solve_plainly(const solve *s) {
    int64_t m = s->arguments.m;
    for (int64_t j = 0; j < s->arguments.n; j++)
        for (int64_t i = 0; i < m; i++) {
            double y = s->X[i + j * m], d = s->W[i + i * m];
            for (int64_t k = 0; k < i; k++)
                y = form_rounded(s->form->is_double,
                                 y - form_rounded(s->form->is_double, s->W[i + k * m] * s->X[k + j * m]));
            if (!s->arguments.unit)
                y = multiplies(s, i) ? form_rounded(s->form->is_double, y * form_rounded(s->form->is_double, 1 / d))
                                     : form_rounded(s->form->is_double, y / d);
            s->X[i + j * m] = y;
        }
}

static void check(const solve *s) {
    const trsm_solve *a = &s->arguments;
    char text[120];
    for (int64_t at = 0; at < s->elements; at++) {
        int64_t k = at - a->B_offset, j = k / a->B_ld, r = k % a->B_ld;
        double got = get(s, at);
        if (k < 0 || j >= a->n || r >= a->m) {
            if (got != UNTOUCHED) say(s, "stored outside of B");
            continue;
        }
        double expected = s->X[row_of(s, r) + j * a->m];
        if (got == expected || (isnan(got) && isnan(expected))) continue;
        (void)snprintf(text, sizeof text, "element (%d, %d): %.17g, and plainly %.17g", (int)r, (int)j, got, expected);
        say(s, text);
    }
}

static void run(const trsm_form *form, kind what, int m, int64_t n, int which) {
    static solve s;
    make(&s, form, what, m, n, which);
    launch(&s);
    solve_plainly(&s);
    check(&s);
    free(s.X);
    free(s.arguments.T);
    free(s.arguments.B);
}

/* ---- tests ---- */

/* Sizes around a part's and a wave's rows, each with some of the forms and of the cases. */
TEST(sizes) {
    static const int rows[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 97, 127, 128};
    for (int k = 0; k < FORMS; k++)
        for (int r = 0; r < (int)(sizeof rows / sizeof *rows); r++)
            if (rows[r] <= FORM_AT(trsm_form, k)->most_rows)
                run(FORM_AT(trsm_form, k), RANDOM, rows[r], FORM_AT(trsm_form, k)->columns + between(-2, 2),
                    (int)between(0, 7));
}

TEST(cases) {
    for (int k = 0; k < FORMS; k++)
        for (int which = 0; which < 8; which++)
            run(FORM_AT(trsm_form, k), RANDOM,
                (int)between(FORM_AT(trsm_form, k)->most_rows / 2, FORM_AT(trsm_form, k)->most_rows), between(1, 9),
                which);
}

TEST(kinds) {
    for (int k = 0; k < FORMS; k++)
        for (kind what = ZERO_PIVOT; what < KINDS; what++) {
            run(FORM_AT(trsm_form, k), what, (int)between(1, FORM_AT(trsm_form, k)->most_rows), between(1, 9),
                (int)between(0, 3));
            run(FORM_AT(trsm_form, k), what, (int)between(1, FORM_AT(trsm_form, k)->most_rows), between(1, 9),
                (int)between(4, 7));
        }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x7e5), NULL, emulator_close)
