/*
 * The text of cl/lu_panel.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with LS, WIDTH,
 * SUBS (1: it searches by sub-groups), CLS_DOUBLE.
 */
#include "kernels/lu_panel_form.h"

#define ITEMS_OF_GROUP LS
#define NO_COPIES_AHEAD
#define NO_LANES
#if SUBS
#define SUB_GROUPS
#endif
#include "kernels/emulator_dialect.h"

#include "../../cl/lu_panel.cl"

static void begin(void *arguments) {
    const lu_panel_leaf *f = arguments;
    lu_leaf_begin(f->A, f->offset, f->m, f->chunk, f->positions, f->values, f->rows, f->places);
}

static void step(void *arguments) {
    const lu_panel_leaf *f = arguments;
    lu_leaf_step(f->A, f->offset, f->ld, f->m, f->width, f->t, f->chunk, f->top, f->positions, f->values, f->rows,
                 f->places, f->pivots, f->ipiv, f->info);
}

static void whole(void *arguments) {
    const lu_panel_leaf *f = arguments;
    lu_leaf_whole(f->A, f->offset, f->ld, f->m, f->width, f->top, f->positions, f->pivots, f->ipiv, f->info);
}

EMULATOR_FORM(lu_panel_form, CLS_DOUBLE, LS, WIDTH, SUBS, begin, step, whole)
