/*
 * The leaves of many groups that meet in every step (cl/lu_resident.cl, cl/lu_together.cl), which run on GPUs alone, here on groups of
 * emulated work-items, in orders drawn from the seed: the same bits as the same operations one after the other, LAPACK's pivots where
 * rounding has no say in them, and nothing stored when a group comes too late. Without EVERY: half of
 * the leaves of each form.
 */
#include "kernels/lu_resident_form.h"
#include "kernels/lu_resident_matrices.h"

#include <lapacke.h>

#include "lu/ratios.h"

enum { LATE = 2 }; /* so many of the last forms don't wait long */
#define PATIENT (FORMS - LATE)
/* ---- the kernel's side ---- */

typedef struct leaf {
    const lu_form *form;
    kind what;
    clsolve_type type;
    int64_t m, width;
    double *A, *LU; /* tight */
    lu_leaf arguments;
    int64_t elements, info[2];
    int sub_group, scattered;
    uint64_t seed;
} leaf;

static void say(const leaf *f, const char *what) {
    fail_msg("%s, height %d, width up to %d, batches %d, sub-groups %d of %d, scattered %d; m %d, width %d, top %d, "
             "before %u, %s: %s",
             f->form->is_double ? "double" : "float", f->form->height, f->form->width, f->form->batches,
             f->form->sub_groups, f->sub_group, f->scattered, (int)f->m, (int)f->width, (int)f->arguments.top,
             f->arguments.before, leaf_kind_names[f->what], what);
}

static int64_t groups_for(const lu_form *form, int64_t m) {
    return (m + form->height - 1) / form->height;
}

static void put(const leaf *f, int64_t at, double value) {
    if (f->form->is_double)
        ((double *)f->arguments.A)[at] = value;
    else
        ((float *)f->arguments.A)[at] = (float)value;
}

static double get(const leaf *f, int64_t at) {
    return f->form->is_double ? ((double *)f->arguments.A)[at] : (double)((float *)f->arguments.A)[at];
}

/* Between columns and around the lists. */
enum { UNTOUCHED = -77 };

/* What a place keeps of offers long past: any words with marks that the next steps don't have. */
static void fill_offers(leaf *f, unsigned before) {
    for (int64_t k = 0; k < 3 * (int64_t)f->arguments.most * (f->form->width + 1); k++) {
        emulator_words *words = &f->arguments.offers[k];
        words->x = (unsigned)test_random_bits(&leaf_random);
        words->z = (unsigned)test_random_bits(&leaf_random);
        words->y = (before - (unsigned)leaf_between(1, 3)) << 16 | (unsigned)leaf_between(0, f->m);
        words->w = (before - (unsigned)leaf_between(1, 3)) << 16 | (unsigned)leaf_between(0, f->m);
    }
    f->arguments.before = before;
}

/* Also sizes of no power of two, which leave the last one with fewer. 0: one sub-group is the whole group. */
static const int sub_group_sizes[] = {1, 4, 8, 16, 24, 32, 48, 64, 0};
enum { SUB_GROUP_SIZES = sizeof sub_group_sizes / sizeof *sub_group_sizes };

static leaf make_leaf(const lu_form *form, kind what, int64_t m, int64_t width) {
    leaf f = {.form = form, .what = what, .m = m, .width = width};
    int64_t top = leaf_between(0, 40), length = 2 * (top + width) + 1;
    f.type = form->is_double ? CLSOLVE_F64 : CLSOLVE_F32;
    f.seed = test_random_bits(&leaf_random);
    f.sub_group = sub_group_sizes[leaf_between(0, SUB_GROUP_SIZES - 1)];
    f.scattered = (int)leaf_between(0, 1);
    f.A = test_room(m * width, sizeof *f.A);
    f.LU = test_room(m * width, sizeof *f.LU);
    leaf_matrix(what, f.type, m, width, f.A);
    memcpy(f.LU, f.A, (size_t)(m * width) * sizeof *f.A);
    f.arguments.offset = leaf_between(0, 5);
    f.arguments.ld = m + leaf_between(0, 3);
    f.arguments.m = m;
    f.arguments.width = width;
    f.arguments.top = top;
    f.arguments.before = 1;
    f.arguments.most = (int)(groups_for(form, m) + leaf_between(0, 2));
    f.elements = f.arguments.offset + f.arguments.ld * width + 5;
    f.arguments.A = test_room(f.elements, sizeof(double));
    f.arguments.offers = test_room(3 * f.arguments.most * (form->width + 1), sizeof(emulator_words));
    f.arguments.sources = test_room(length, sizeof(int64_t));
    f.arguments.targets = test_room(length, sizeof(int64_t));
    f.arguments.ipiv = test_room(length, sizeof(int64_t));
    for (int64_t k = 0; k < length; k++)
        f.arguments.sources[k] = f.arguments.targets[k] = f.arguments.ipiv[k] = UNTOUCHED;
    for (int64_t k = 0; k < f.elements; k++) put(&f, k, UNTOUCHED);
    for (int64_t k = 0; k < width; k++)
        for (int64_t i = 0; i < m; i++) put(&f, f.arguments.offset + i + k * f.arguments.ld, f.A[i + k * m]);
    if (leaf_between(0, 1)) fill_offers(&f, (unsigned)leaf_between(2, 0xffff));
    return f;
}

static void free_leaf(leaf *f) {
    free(f->A);
    free(f->LU);
    free(f->arguments.A);
    free(f->arguments.offers);
    free(f->arguments.sources);
    free(f->arguments.targets);
    free(f->arguments.ipiv);
}

static void launch(leaf *f, int late) {
    f->arguments.info = f->info;
    emulator_launch it = {.groups = (int)groups_for(f->form, f->m),
                          .items = f->form->items,
                          .kernel = f->form->kernel,
                          .arguments = &f->arguments,
                          .words = f->arguments.offers,
                          .count = 3 * (int64_t)f->arguments.most * (f->form->width + 1),
                          .seed = f->seed,
                          .late = late,
                          .sub_group = f->sub_group,
                          .scattered = f->scattered};
    const char *error = emulator_run(&it);
    if (error) say(f, error);
}

/* ---- what came out ---- */

static void check_untouched(const leaf *f) {
    for (int64_t k = 0; k < f->elements; k++) {
        int64_t at = k - f->arguments.offset, ld = f->arguments.ld;
        int inside = at >= 0 && at / ld < f->width && at % ld < f->m;
        if (!inside && get(f, k) != UNTOUCHED) say(f, "stored outside of the leaf");
    }
}

static void check_elements(const leaf *f) {
    char text[120];
    int finite = 1;
    for (int64_t k = 0; k < f->width; k++)
        for (int64_t i = 0; i < f->m; i++) {
            double got = get(f, f->arguments.offset + i + k * f->arguments.ld), expected = f->LU[i + k * f->m];
            finite = finite && isfinite(got);
            if (f->what == NOT_FINITE || got == expected) continue;
            (void)snprintf(text, sizeof text, "element (%d, %d): %.17g, and plainly %.17g", (int)i, (int)k, got,
                           expected);
            say(f, text);
        }
    if (f->what == NOT_FINITE && finite) say(f, "all numbers");
}

/* ||P A - L U||_1 / (m ||A||_1 eps), LAPACK's dget01. */
static void check_residual(const leaf *f) {
    double *R = test_room(f->m * f->width, sizeof *R), norm = 0, most = 0;
    memcpy(R, f->A, (size_t)(f->m * f->width) * sizeof *R);
    for (int64_t t = 0; t < f->width; t++)
        leaf_swap_rows(f->m, f->width, t, f->arguments.ipiv[f->arguments.top + t] - f->arguments.top - 1, R);
    for (int64_t k = 0; k < f->width; k++) {
        double sum = 0, of_A = 0;
        for (int64_t i = 0; i < f->m; i++) {
            double r = R[i + k * f->m];
            for (int64_t t = 0; t <= (i < k ? i : k); t++) {
                double l = t == i ? 1 : get(f, f->arguments.offset + i + t * f->arguments.ld);
                r -= l * get(f, f->arguments.offset + t + k * f->arguments.ld);
            }
            sum += fabs(r);
            of_A += fabs(R[i + k * f->m]);
        }
        most = test_worst(most, sum);
        norm = fmax(norm, of_A);
    }
    free(R);
    if (norm > 0 && !(most / ((double)f->m * norm * test_epsilon(f->type)) < RATIO_BOUND)) say(f, "residual");
}

static void check_pivots(const leaf *f, const int64_t *expected) {
    char text[120];
    for (int64_t t = 0; t < f->width; t++) {
        int64_t got = f->arguments.ipiv[f->arguments.top + t] - f->arguments.top;
        if (got < t + 1 || got > f->m) say(f, "a pivot's row is none");
        if (f->what == NOT_FINITE || got == expected[t]) continue;
        (void)snprintf(text, sizeof text, "step %d: pivot %d, and plainly %d", (int)t, (int)got, (int)expected[t]);
        say(f, text);
    }
}

/* The lists of moves bring each row where the swaps do. */
static void check_moves(const leaf *f) {
    int64_t top = f->arguments.top, rows = top + f->m;
    SCRATCH int64_t *swapped = test_room(rows, sizeof *swapped), *moved = test_room(rows, sizeof *moved);
    for (int64_t i = 0; i < rows; i++) swapped[i] = moved[i] = i;
    for (int64_t t = 0; t < f->width; t++) {
        int64_t p = f->arguments.ipiv[top + t] - 1, row = swapped[p];
        swapped[p] = swapped[top + t];
        swapped[top + t] = row;
    }
    for (int64_t k = 2 * top; k < 2 * (top + f->width); k++) {
        int64_t from = f->arguments.sources[k], to = f->arguments.targets[k];
        if (from == -1 && to == -1) continue;
        if (from < top || from >= rows || to < top || to >= rows) say(f, "a move from or to no row");
        moved[to] = from;
    }
    for (int64_t i = 0; i < rows; i++)
        if (swapped[i] != moved[i]) say(f, "moves are not the swaps");
    for (int64_t k = 0; k < 2 * top; k++)
        if (f->arguments.sources[k] != UNTOUCHED || f->arguments.targets[k] != UNTOUCHED)
            say(f, "another leaf's moves");
}

/* Rounding says nothing in the pivots of these. */
static int as_lapack(const leaf *f) {
    return f->what == COPIES || (f->what == RANDOM && f->form->is_double);
}

static void check_lapack(const leaf *f) {
    SCRATCH lapack_int *ipiv = test_room(f->width, sizeof *ipiv);
    SCRATCH double *A = test_room(f->m * f->width, sizeof *A);
    memcpy(A, f->A, (size_t)(f->m * f->width) * sizeof *A);
    lapack_int info =
        LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)f->m, (lapack_int)f->width, A, (lapack_int)f->m, ipiv);
    if (info < 0) say(f, "LAPACK");
    for (int64_t t = 0; t < f->width; t++)
        if (ipiv[t] != f->arguments.ipiv[f->arguments.top + t] - f->arguments.top) say(f, "not LAPACK's pivots");
}

static void check(leaf *f) {
    SCRATCH int64_t *ipiv = test_room(f->width, sizeof *ipiv);
    int64_t zero = leaf_factor(f->type, f->m, f->width, f->LU, ipiv);
    if (f->info[1] != 0) say(f, "a group came late");
    if (f->what != NOT_FINITE && f->info[0] != (zero ? f->arguments.top + zero : 0)) say(f, "the first zero pivot");
    check_pivots(f, ipiv);
    check_elements(f);
    check_untouched(f);
    check_moves(f);
    if (f->what == RANDOM || f->what == ZERO_COLUMNS || f->what == LAST_ROWS) check_residual(f);
    if (as_lapack(f)) check_lapack(f);
}

static void run_leaf(const lu_form *form, kind what, int64_t m, int64_t width) {
    leaf f = make_leaf(form, what, m, width);
    launch(&f, -1);
    check(&f);
    free_leaf(&f);
}

/* ---- tests ---- */

/* Without EVERY: half of what there is for each form, the other half for the next one. */
static int left_out(int64_t form, int64_t turn) {
    return !EVERY && (form + turn) % 2 != 0;
}

/* More groups than one for narrow leaves, some rows short of the last group's, or over. */
static int64_t rows_for(const lu_form *form, int64_t width) {
    int64_t m = leaf_between(0, 3) * form->height + leaf_between(-3, 3);
    return m >= width ? m : width + leaf_between(0, 5);
}

TEST(widths) {
    static const int64_t all[] = {1, 3, 4, 5, 31, 32, 33, 127, 128};
    for (int k = 0; k < PATIENT; k++)
        for (int w = 0; w < (int)(sizeof all / sizeof *all) && all[w] <= FORM_AT(lu_form, k)->width; w++)
            if (all[w] < 30 ? !left_out(k, w) : (w + k) % 2 == 0) /* half of the wide ones a form */
                run_leaf(FORM_AT(lu_form, k), (kind)leaf_between(0, KINDS - 1), rows_for(FORM_AT(lu_form, k), all[w]),
                         all[w]);
}

TEST(kinds) {
    for (int k = 0; k < PATIENT; k++)
        for (kind what = 0; what < KINDS; what++) {
            if (left_out(k, (int64_t)what)) continue;
            int64_t width = leaf_between(2, 14);
            run_leaf(FORM_AT(lu_form, k), what, rows_for(FORM_AT(lu_form, k), width) + FORM_AT(lu_form, k)->height,
                     width);
        }
}

/* Some lanes of the deciding wave read several groups' offers, and the last of these are the pivots. */
TEST(many_groups) {
    enum { MANY = 36 };
    for (int k = 0; k < PATIENT; k++)
        if (FORM_AT(lu_form, k)->batches != 1 && FORM_AT(lu_form, k)->height == EMULATOR_LANES &&
            FORM_AT(lu_form, k)->items > MANY)
            run_leaf(FORM_AT(lu_form, k), LAST_ROWS,
                     (int64_t)FORM_AT(lu_form, k)->height * leaf_between(33, MANY) - leaf_between(0, 9),
                     leaf_between(2, 4));
}

/* Leaves one after the other, as a factorisation has them: the places keep the last one's offers, and marks count on past 2^16. */
TEST(marks_count_on) {
    for (int k = 0; k < PATIENT; k++) {
        int64_t m = FORM_AT(lu_form, k)->height * 2 + leaf_between(-5, 5);
        unsigned before = (unsigned)leaf_between(65520, 65537);
        leaf first = make_leaf(FORM_AT(lu_form, k), COPIES, m, leaf_between(3, 9));
        leaf second = make_leaf(FORM_AT(lu_form, k), RANDOM, m - first.width, leaf_between(3, 9));
        fill_offers(&first, before);
        launch(&first, -1);
        check(&first);
        free(second.arguments.offers);
        second.arguments.offers = first.arguments.offers;
        second.arguments.most = first.arguments.most;
        second.arguments.before = before + (unsigned)first.width;
        launch(&second, -1);
        check(&second);
        second.arguments.offers = NULL;
        free_leaf(&first);
        free_leaf(&second);
    }
}

/* Once by a group that begins when all others have given up, once by an earlier leaf. */
TEST(late_group) {
    for (int k = PATIENT; k < FORMS; k++)
        for (int late = -1; late < 3; late++) {
            leaf f = make_leaf(FORM_AT(lu_form, k), RANDOM, FORM_AT(lu_form, k)->height * 3 - 5, leaf_between(1, 9));
            f.info[1] = late < 0;
            launch(&f, late);
            if (f.info[1] != 1 || f.info[0] != 0) say(&f, "a late group is not told");
            f.what = WHOLE; /* that A is compared */
            memcpy(f.LU, f.A, (size_t)(f.m * f.width) * sizeof *f.A);
            check_elements(&f);
            check_untouched(&f);
            for (int64_t i = 0; i < 2 * (f.arguments.top + f.width); i++)
                if (f.arguments.ipiv[i] != UNTOUCHED || f.arguments.sources[i] != UNTOUCHED ||
                    f.arguments.targets[i] != UNTOUCHED)
                    say(&f, "stored although a group was late");
            free_leaf(&f);
        }
}

static const lu_form *twin_of(const lu_form *form) {
    for (int k = 0; k < PATIENT; k++)
        if (!FORM_AT(lu_form, k)->sub_groups && FORM_AT(lu_form, k)->is_double == form->is_double &&
            FORM_AT(lu_form, k)->height == form->height && FORM_AT(lu_form, k)->width == form->width &&
            FORM_AT(lu_form, k)->items == form->items)
            return FORM_AT(lu_form, k);
    return NULL;
}

/* The same leaf with sub-groups and without: the same bits, also of what is no number. */
static int twins(const lu_form *form, kind what, int size) {
    const lu_form *other = twin_of(form);
    const test_random before = leaf_random;
    if (!form->sub_groups || !other) return 0;
    leaf f = make_leaf(form, what, 3 * form->height - 2, 9);
    leaf_random = before;
    leaf g = make_leaf(other, what, 3 * form->height - 2, 9);
    f.sub_group = size;
    launch(&f, -1);
    launch(&g, -1);
    const size_t bytes = (size_t)(f.arguments.top + f.width) * sizeof(int64_t);
    if (memcmp(f.arguments.ipiv, g.arguments.ipiv, bytes) != 0) say(&f, "pivots are not those without sub-groups");
    if (memcmp(f.arguments.A, g.arguments.A, (size_t)f.elements * (f.form->is_double ? 8 : 4)) != 0)
        say(&f, "elements are not those without sub-groups");
    free_leaf(&f);
    free_leaf(&g);
    return 1;
}

/* In sub-groups of each size, neighbours or not: equals, and what is no number. */
TEST(sub_groups) {
    int count = 0;
    for (int k = 0; k < PATIENT; k++)
        for (int s = 0; FORM_AT(lu_form, k)->sub_groups && s < 2 * SUB_GROUP_SIZES; s++, count++)
            for (int what = 0; what < 3; what++) {
                if (left_out(s, what)) continue;
                const int64_t width = leaf_between(2, 9);
                leaf f = make_leaf(FORM_AT(lu_form, k),
                                   what == 0   ? COPIES
                                   : what == 1 ? NOT_FINITE
                                               : (kind)leaf_between(0, KINDS - 1),
                                   rows_for(FORM_AT(lu_form, k), width), width);
                f.sub_group = sub_group_sizes[s / 2];
                f.scattered = s % 2;
                launch(&f, -1);
                check(&f);
                free_leaf(&f);
            }
    if (count == 0) skip(); /* forms of another kernel */
    int compared = 0;
    for (int k = 0; k < PATIENT; k++)
        for (int s = 0; s < SUB_GROUP_SIZES; s++)
            for (kind what = 0; what < KINDS; what++)
                if (EVERY || (k + s + (int)what) % 4 == 0) /* two launches each: a quarter */
                    compared += twins(FORM_AT(lu_form, k), what, sub_group_sizes[s]);
    assert_true(compared > 0);
}

TEST_PROGRAM_BY(leaf_random = test_random_start(0x1e5d), NULL, emulator_close)
