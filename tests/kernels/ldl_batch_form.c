/*
 * The texts of cl/ldl_batch.cl and of cl/direct_batch_solve.cl behind the words of cl/dialect.clh as the emulator has them;
 * compiled once for each form, with CLS_COMPLEX, CLS_DOUBLE, HERMITIAN, N, LX, PER, SIDES.
 */
#include "kernels/ldl_batch_form.h"

#define ITEMS_OF_GROUP (ITEMS * LY)
#define LY             (LX * PER < 32 ? 32 / (LX * PER) : 1)
#define RAGGED
#define LDL_BATCH
#include "kernels/emulator_dialect.h"
#undef LANES
#define LANES 32 /* a number: the kernels compare it before C does */
#undef LOCAL_ID
#define LOCAL_ID(d) ((d) == 0 ? emulator_item() % ITEMS : emulator_item() / ITEMS)
#define UNROLL_SOME

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int turn; /* a group of columns at a time */

#include "../../cl/ldl_batch.cl"

static void factor(void *arguments) {
    const ldl_batch_launch *l = arguments;
    ldl_batch((const idx_t *)l->table, l->list, 0, l->count, N, l->A, 0, 1, 0, 0, (const idx_t *)l->places, l->F,
              l->rows, l->scales, l->info, 0);
}

enum { FACTOR_ITEMS = LX * PER * LY, FACTOR_MEMBERS = LY };

#undef HELD
#undef ITEMS
#define ITEMS LX
#if N > 32
#undef LX
#define LX 64
#endif
#undef LY
#define LY   (LX < 32 ? 32 / LX : 1)
#define HELD 1
#undef GROUP_ID
#define GROUP_ID(d) ((d) == 0 ? emulator_group() : turn)
#include "../../cl/direct_batch_solve.cl"

_Static_assert(LANES == EMULATOR_LANES, "a wave of the emulator");

static void solve(void *arguments) {
    const ldl_batch_launch *l = arguments;
    turn = l->column;
    direct_batch_solve((const idx_t *)l->table, l->list, 0, l->count, N, l->F, l->rows, l->scales, l->info, l->B, 0, 1,
                       0, 0, (const idx_t *)l->places_of_sides, l->rhs, 0, 0, l->outcome);
}

EMULATOR_FORM(ldl_batch_form, CLS_COMPLEX, CLS_DOUBLE, HERMITIAN, N, FACTOR_ITEMS, FACTOR_MEMBERS, LX *LY, LY, SIDES,
              factor, solve)
