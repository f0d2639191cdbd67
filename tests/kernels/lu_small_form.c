/*
 * The text of cl/lu_small.cl and cl/lu_small_solve.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for
 * each form, with CLS_COMPLEX, CLS_DOUBLE, SPAN, PARTS, ROWS.
 */
#include "kernels/lu_small_form.h"

#define ITEMS_OF_GROUP LS
#define NO_COPIES_AHEAD
#include "kernels/emulator_dialect.h"

#undef LANES /* the kernel compares it in #if */
#define LANES 32
_Static_assert(LANES == EMULATOR_LANES, "lanes of the emulator");

#include "../../cl/lu_small.cl"

static void run_factor(void *arguments) {
    const lu_small_system *s = arguments;
    lu_small(s->A, 0, s->ld, s->S, 0, s->row_step, s->column_step, s->n, s->from, s->to, s->rows, s->ipiv, s->columns,
             s->places, s->record);
}

#undef LS
#define LS 128
#include "../../cl/lu_small_solve.cl"

static void run_solve(void *arguments) {
    const lu_small_system *s = arguments;
    lu_small_solve(s->A, 0, s->ld, s->n, s->rows, s->trans, s->B, 0, s->b_row_step, s->b_column_step, s->X, 0,
                   s->x_row_step, s->x_column_step, s->words, 0);
}

EMULATOR_FORM(lu_small_form, CLS_COMPLEX, CLS_DOUBLE, SPAN, PARTS, ROWS, LS, run_factor, run_solve)
