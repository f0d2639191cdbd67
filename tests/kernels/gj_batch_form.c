/*
 * The text of cl/gj_batch.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with
 * CLS_COMPLEX, CLS_DOUBLE, N, RHS. A member has as many lanes of a wave as
 * src/method/gauss_jordan/batch_launch.c gives it.
 */
#include "kernels/gj_batch_form.h"

#define LX             (N > 16 ? 32 : N > 8 ? 16 : N > 4 ? 8 : 4)
#define LY             (32 / LX)
#define ITEMS_OF_GROUP EMULATOR_LANES
#include "kernels/emulator_dialect.h"
#undef LANES
#define LANES 32 /* a number: the kernel compares it before C does */
#undef LOCAL_ID
#define LOCAL_ID(d) ((d) == 0 ? emulator_item() % LX : emulator_item() / LX)
#include "../../cl/gj_batch.cl"

_Static_assert(LANES == EMULATOR_LANES, "a wave of the emulator");
#ifndef IN_STEP
#error "the kernel's rows are to be in the lanes of a wave"
#endif

static void run(void *arguments) {
    const gj_batch_launch *l = arguments;
    gj_batch(l->A, l->a_offset, l->a_row, l->a_column, l->a_member, l->B, l->b_offset, l->b_row, l->b_column,
             l->b_member, l->rhs, l->first, l->end, l->keep, l->info);
}

EMULATOR_FORM(gj_batch_form, CLS_COMPLEX, CLS_DOUBLE, N, RHS, LY, run)
