/*
 * Two leaves one behind the other (cl/lu_together.cl), the second of which brings its columns up to the first: the same bits
 * as a leaf as wide as both by the same operations one after the other, in orders of work-items drawn from the seed. Without
 * EVERY: half of the leaves of each form.
 */
#include "kernels/lu_resident_form.h"
#include "kernels/lu_resident_matrices.h"

enum { LATE = 2 };
#define PATIENT (FORMS - LATE)
/* m x (left + right), tight, in the kernel's type; and as plain operations leave it. */
typedef struct pair {
    const lu_form *form;
    kind what;
    int64_t m, left, right;
    void *A;
    double *expected;
    int64_t *ipiv; /* of the plain operations */
    lu_leaf arguments;
    int64_t info[2];
} pair;

static void say(const pair *p, const char *what) {
    fail_msg("%s, height %d, width up to %d, sub-groups %d; m %d, %d + %d columns, %s: %s",
             p->form->is_double ? "double" : "float", p->form->height, p->form->width, p->form->sub_groups, (int)p->m,
             (int)p->left, (int)p->right, leaf_kind_names[p->what], what);
}

static double get(const pair *p, int64_t at) {
    return p->form->is_double ? ((double *)p->A)[at] : (double)((float *)p->A)[at];
}

static pair make_pair(const lu_form *form, kind what, int64_t m, int64_t left, int64_t right) {
    pair p = {.form = form, .what = what, .m = m, .left = left, .right = right};
    const clsolve_type type = form->is_double ? CLSOLVE_F64 : CLSOLVE_F32;
    const int64_t columns = left + right, elements = m * columns, groups = (m + form->height - 1) / form->height;

    p.A = test_room(elements, sizeof(double));
    p.expected = test_room(elements, sizeof(double));
    p.ipiv = test_room(columns, sizeof *p.ipiv);
    leaf_matrix(what, type, m, columns, p.expected);
    for (int64_t k = 0; k < elements; k++)
        if (form->is_double)
            ((double *)p.A)[k] = p.expected[k];
        else
            ((float *)p.A)[k] = (float)p.expected[k];
    leaf_factor(type, m, columns, p.expected, p.ipiv);
    p.arguments = (lu_leaf){.A = p.A,
                            .ld = m,
                            .before = 1,
                            .most = (int)groups,
                            .offers = test_room(2 * groups * (form->width + 1), sizeof(emulator_words)),
                            .sources = test_room(2 * columns, sizeof(int64_t)),
                            .targets = test_room(2 * columns, sizeof(int64_t)),
                            .ipiv = test_room(columns, sizeof(int64_t)),
                            .upper = test_room((int64_t)form->width * form->width, sizeof(double))};
    return p;
}

static void free_pair(pair *p) {
    free(p->A);
    free(p->expected);
    free(p->ipiv);
    free(p->arguments.offers);
    free(p->arguments.sources);
    free(p->arguments.targets);
    free(p->arguments.ipiv);
    free(p->arguments.upper);
}

static void launch(pair *p, int64_t top, int64_t width, int64_t inner) {
    p->arguments.info = p->info;
    p->arguments.offset = top + top * p->m;
    p->arguments.m = p->m - top;
    p->arguments.width = width;
    p->arguments.top = top;
    p->arguments.inner = (int)inner;
    emulator_launch it = {.groups = (int)((p->m - top + p->form->height - 1) / p->form->height),
                          .items = p->form->items,
                          .kernel = p->form->kernel,
                          .arguments = &p->arguments,
                          .words = p->arguments.offers,
                          .count = 2 * (int64_t)p->arguments.most * (p->form->width + 1),
                          .seed = test_random_bits(&leaf_random),
                          .late = -1,
                          .sub_group = 16};
    const char *error = emulator_run(&it);
    if (error) say(p, error);
    p->arguments.before += (unsigned)width;
}

/* The columns of the first leaf keep their rows in the second: they are moved here. */
static void move_left(pair *p) {
    for (int64_t t = p->left; t < p->left + p->right; t++) {
        const int64_t other = p->arguments.ipiv[t] - 1;
        for (int64_t k = 0; k < p->left; k++) {
            const int64_t a = t + k * p->m, b = other + k * p->m;
            const double x = get(p, a), y = get(p, b);
            if (p->form->is_double)
                ((double *)p->A)[a] = y, ((double *)p->A)[b] = x;
            else
                ((float *)p->A)[a] = (float)y, ((float *)p->A)[b] = (float)x;
        }
    }
}

static void check(pair *p) {
    int finite = 1;
    if (p->info[1] != 0) say(p, "a group came late");
    for (int64_t t = 0; t < p->left + p->right; t++) {
        const int64_t got = p->arguments.ipiv[t];
        if (got < t + 1 || got > p->m) say(p, "a pivot's row is none");
        if (p->what != NOT_FINITE && got != p->ipiv[t]) say(p, "not the plain pivots");
    }
    move_left(p);
    for (int64_t k = 0; k < p->m * (p->left + p->right); k++) {
        finite = finite && isfinite(get(p, k));
        if (p->what != NOT_FINITE && get(p, k) != p->expected[k]) say(p, "not the plain elements");
    }
    if (p->what == NOT_FINITE && finite) say(p, "all numbers");
}

static void run_pair(const lu_form *form, kind what, int64_t m, int64_t left, int64_t right) {
    pair p = make_pair(form, what, m, left, right);
    launch(&p, 0, left, 0);
    launch(&p, left, right, left);
    check(&p);
    free_pair(&p);
}

/* Rows for one group up to three, some more or less, and for all columns. */
static int64_t rows_for(const lu_form *form, int64_t columns) {
    const int64_t m = leaf_between(1, 3) * form->height + leaf_between(-3, 3);
    return m > columns ? m : columns + leaf_between(0, 5);
}

/* Parts of U are 16 rows. */
TEST(widths) {
    static const int64_t all[] = {1, 2, 3, 5, 15, 16, 17, 31, 32, 47, 63, 64};
    for (int k = 0; k < PATIENT; k++)
        for (int w = 0; w < (int)(sizeof all / sizeof *all) && all[w] <= FORM_AT(lu_form, k)->width; w++) {
            if (!EVERY && (w + k) % 2) continue;
            const int64_t right = leaf_between(1, w % 3 == 0 ? FORM_AT(lu_form, k)->width : 9);
            run_pair(FORM_AT(lu_form, k), (kind)leaf_between(0, KINDS - 1),
                     rows_for(FORM_AT(lu_form, k), all[w] + right), all[w], right);
        }
}

TEST(kinds) {
    for (int k = 0; k < PATIENT; k++)
        for (kind what = 0; what < KINDS; what++) {
            if (!EVERY && ((int)what + k) % 2) continue;
            const int64_t left = leaf_between(3, 16), right = leaf_between(2, 9);
            run_pair(FORM_AT(lu_form, k), what,
                     rows_for(FORM_AT(lu_form, k), left + right) + FORM_AT(lu_form, k)->height, left, right);
        }
}

/* A list of a leaf that failed may name any rows: a leaf behind one that failed touches nothing. */
TEST(behind_a_failure) {
    for (int k = 0; k < PATIENT; k++) {
        pair p = make_pair(FORM_AT(lu_form, k), RANDOM, FORM_AT(lu_form, k)->height * 2 + 5, 4, 4);
        const int64_t elements = p.m * (p.left + p.right);
        double *before = test_room(elements, sizeof *before);
        p.info[1] = 1;
        for (int64_t i = 0; i < elements; i++) before[i] = get(&p, i);
        for (int64_t i = 0; i < 2 * p.left; i++) p.arguments.sources[i] = p.arguments.targets[i] = INT64_MAX / 2;
        launch(&p, p.left, p.right, p.left);
        for (int64_t i = 0; i < elements; i++)
            if (get(&p, i) != before[i]) say(&p, "stored behind a failure");
        free(before);
        free_pair(&p);
    }
}

TEST_PROGRAM_BY(leaf_random = test_random_start(0x2e5d), NULL, emulator_close)
