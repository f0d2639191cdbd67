/*
 * The text of cl/trsm_portable.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with
 * EACH, MOST_ROWS, CLS_DOUBLE.
 */
#include "kernels/trsm_form.h"

#define ITEMS_OF_GROUP (2 * MOST_ROWS)
#define NO_COPIES_AHEAD
#define NO_LANES
#include "kernels/emulator_dialect.h"
#include "../../cl/trsm_portable.cl"

static void run(void *arguments) {
    const trsm_solve *s = arguments;
    trsm_portable(s->m, s->n, s->backward, s->trans, s->unit, s->T, s->T_offset, s->T_ld, s->B, s->B_offset, s->B_ld);
}

EMULATOR_FORM(trsm_form, CLS_DOUBLE, COLUMNS, ITEMS, MOST_ROWS, MOST_ROWS, run)
