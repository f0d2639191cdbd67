/*
 * The text of cl/trsm.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with EACH, SETS,
 * CLS_DOUBLE, DEVICE.
 */
#include "kernels/trsm_form.h"

#define ITEMS_OF_GROUP (128 * SETS)
#if DEVICE < 2
#define NO_COPIES_AHEAD
#endif
#include "kernels/emulator_dialect.h"
#include "../../cl/trsm.cl"

static void run(void *arguments) {
    const trsm_solve *s = arguments;
    trsm(s->m, s->n, s->backward, s->trans, s->unit, s->T, s->T_offset, s->T_ld, s->B, s->B_offset, s->B_ld);
}

EMULATOR_FORM(trsm_form, CLS_DOUBLE, COLUMNS, ITEMS, WAVE, MOST_ROWS, run)
