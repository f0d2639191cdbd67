/*
 * The text of cl/front_window.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form,
 * with CLS_COMPLEX, CLS_DOUBLE, LDL, LS, PER, W.
 */
#include "kernels/front_window_form.h"

#define ITEMS_OF_GROUP LS
#include "kernels/emulator_dialect.h"
#undef LANES
#define LANES 32 /* a number: the kernels compare it before C does */
#define UNROLL_SOME
#undef GROUP_ID
#define GROUP_ID(d) ((d) == 0 ? emulator_group() : 0)

#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "../../cl/front_window.cl"

_Static_assert(LANES == EMULATOR_LANES, "a wave of the emulator");

static void make_window(void *arguments) {
    const front_window_launch *l = arguments;
    front_window((const idx_t *)l->front, &l->list, 0, l->t, l->A, l->starts, l->order, (REAL)l->tiny, (REAL)l->zero,
                 l->replaced, l->blocks, l->pivots, 1);
}

EMULATOR_FORM(front_window_form, CLS_COMPLEX, CLS_DOUBLE, LDL, LS, PER, W, make_window)
