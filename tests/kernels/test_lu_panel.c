/*
 * A leaf by steps (cl/lu_panel.cl) on groups of emulated work-items, one launch a column or all in one: LAPACK's pivots where
 * rounding has no say in them, and with sub-groups of any size the same bits as without.
 */
#include "kernels/lu_panel_form.h"
#include "kernels/lu_resident_matrices.h"

#include <lapacke.h>

enum { MOST = 400, WIDEST = 16, MOST_GROUPS = 16, UNTOUCHED = -77 };
/* 0: one sub-group is the whole group. */
static const int sizes[] = {1, 4, 8, 16, 24, 32, 48, 64, 0};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* What a leaf works on, and what comes out. */
typedef struct memory {
    double A[MOST * WIDEST], values[2 * MOST_GROUPS]; /* room for either type */
    int64_t positions[MOST], rows[2 * MOST_GROUPS], places[2 * MOST_GROUPS], pivots[WIDEST], ipiv[WIDEST], info[2];
} memory;

static void launch(void (*kernel)(void *), lu_panel_leaf *f, const lu_panel_form *form, int64_t groups, int size,
                   int scattered) {
    static emulator_words none;
    const emulator_launch it = {.groups = (int)groups,
                                .items = form->items,
                                .kernel = kernel,
                                .arguments = f,
                                .words = &none,
                                .count = 1,
                                .seed = test_random_bits(&leaf_random),
                                .late = -1,
                                .sub_group = size,
                                .scattered = scattered};
    const char *error = emulator_run(&it);
    if (error) fail_msg("%d work-items, sub-groups %d of %d: %s", form->items, form->sub_groups, size, error);
}

/* `whole`: in one launch of one group; else by steps of several. */
static void factor(const lu_panel_form *form, int64_t m, int64_t width, int whole, int size, int scattered, memory *w) {
    lu_panel_leaf f = {.A = w->A,
                       .ld = m,
                       .m = m,
                       .width = width,
                       .positions = w->positions,
                       .rows = w->rows,
                       .places = w->places,
                       .pivots = w->pivots,
                       .ipiv = w->ipiv,
                       .info = w->info,
                       .values = w->values};
    const int64_t groups = (m + form->items - 1) / form->items;
    f.chunk = ((m + groups - 1) / groups + 7) / 8 * 8;
    assert_true(groups <= MOST_GROUPS);
    if (whole) {
        launch(form->whole, &f, form, 1, size, scattered);
        return;
    }
    launch(form->begin, &f, form, groups, size, scattered);
    for (f.t = 0; f.t < width; f.t++) launch(form->step, &f, form, groups, size, scattered);
}

/* A leaf's matrix in the form's type, of which `original` keeps the doubles. */
static void put(const lu_panel_form *form, kind what, int64_t m, int64_t width, memory *w, double *original) {
    leaf_matrix(what, form->is_double ? CLSOLVE_F64 : CLSOLVE_F32, m, width, original);
    memset(w, 0, sizeof *w);
    for (int64_t k = 0; k < WIDEST; k++) w->pivots[k] = w->ipiv[k] = UNTOUCHED;
    for (int64_t k = 0; k < m * width; k++)
        if (form->is_double)
            w->A[k] = original[k];
        else
            ((float *)w->A)[k] = (float)original[k];
}

TEST(pivots_are_lapacks) {
    static memory w;
    static double A[MOST * WIDEST];
    lapack_int ipiv[WIDEST];
    for (int k = 0; k < FORMS; k++)
        for (int round = 0; round < 12; round++) {
            const int64_t width = leaf_between(1, FORM_AT(lu_panel_form, k)->width), m = leaf_between(width, MOST / 2);
            put(FORM_AT(lu_panel_form, k), COPIES, m, width, &w, A);
            factor(FORM_AT(lu_panel_form, k), m, width, round % 2, sizes[round % SIZES], round % 3 == 0, &w);
            const lapack_int info =
                LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)width, A, (lapack_int)m, ipiv);
            assert_int_equal(w.info[0], info);
            for (int64_t t = 0; t < width; t++) assert_int_equal(w.ipiv[t], ipiv[t]);
            for (int64_t i = 0; i < m; i++) /* a row lies where it was, and stands where the swaps brought it */
                for (int64_t t = 0; t < width; t++) {
                    const double got =
                        FORM_AT(lu_panel_form, k)->is_double ? w.A[i + t * m] : (double)((const float *)w.A)[i + t * m];
                    if (got != A[w.positions[i] + t * m]) fail_msg("row %d, column %d", (int)i, (int)t);
                }
        }
}

TEST(sub_groups_change_no_bit) {
    static memory plain, w;
    static double A[MOST * WIDEST];
    for (int k = 0; k < FORMS; k += 2)
        for (int s = 0; s < 2 * SIZES; s++)
            for (kind what = 0; what < KINDS; what++) {
                const int64_t width = leaf_between(2, FORM_AT(lu_panel_form, k)->width),
                              m = leaf_between(width, MOST / 2);
                put(FORM_AT(lu_panel_form, k), what, m, width, &plain, A);
                w = plain;
                assert_true(FORM_AT(lu_panel_form, k + 1)->sub_groups && !FORM_AT(lu_panel_form, k)->sub_groups);
                factor(FORM_AT(lu_panel_form, k), m, width, what % 2, 0, 0, &plain);
                factor(FORM_AT(lu_panel_form, k + 1), m, width, what % 2, sizes[s / 2], s % 2, &w);
                if (memcmp(w.ipiv, plain.ipiv, sizeof w.ipiv) != 0 || memcmp(w.A, plain.A, sizeof w.A) != 0 ||
                    memcmp(w.positions, plain.positions, sizeof w.positions) != 0 || w.info[0] != plain.info[0])
                    fail_msg("%s, %d x %d, %d work-items in sub-groups of %d", leaf_kind_names[what], (int)m,
                             (int)width, FORM_AT(lu_panel_form, k)->items, sizes[s / 2]);
            }
}

TEST_PROGRAM_BY(leaf_random = test_random_start(0x9a5e), NULL, emulator_close)
