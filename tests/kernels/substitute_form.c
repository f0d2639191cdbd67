/*
 * The text of cl/substitute.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with
 * CLS_COMPLEX, CLS_DOUBLE, BLOCK.
 */
#include "kernels/substitute_form.h"

#define ITEMS_OF_GROUP (4 * BLOCK)
#define NO_LANES
#define NO_COPIES_AHEAD
#include "kernels/emulator_dialect.h"
#include "../../cl/substitute.cl"

static void run(void *arguments) {
    const substitute_step *s = arguments;
    substitute(s->m, s->before, s->cols, s->triangles, s->rows, s->backward, s->trans, s->unit, s->t, s->t_offset, s->u,
               s->beside_offset, s->open_offset, s->ld, s->b, s->b_offset, s->x_offset, s->open_b, s->ldb);
}

EMULATOR_FORM(substitute_form, CLS_COMPLEX, CLS_DOUBLE, BLOCK, ITEMS, ROWS, run)
