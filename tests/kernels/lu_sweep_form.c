/*
 * The text of cl/lu_sweep.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with SIDES,
 * SPINS, CLS_COMPLEX, CLS_DOUBLE.
 */
#include "kernels/lu_sweep_form.h"

#define ITEMS_OF_GROUP 256
#define NO_COPIES_AHEAD
#define NO_LANES
#include "kernels/emulator_dialect.h"

#include "../../cl/lu_sweep.cl"

static void run(void *arguments) {
    const lu_sweep_solve *s = arguments;
    lu_sweep(s->n, s->sides, s->backward, s->trans, s->unit, s->T, s->T_offset, s->T_ld, s->B, s->B_offset, s->B_ld,
             s->words, s->sweep, s->late, SPINS);
}

EMULATOR_FORM(lu_sweep_form, CLS_COMPLEX, CLS_DOUBLE, SIDES, BLOCK, ITEMS, OFFER_PAIRS, run)
