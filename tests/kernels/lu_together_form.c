/*
 * The text of cl/lu_together.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with ROWS,
 * SETS, WIDTH, SPINS, SUBS (1: it searches by sub-groups), CLS_DOUBLE.
 */
#include "kernels/lu_resident_form.h"

#define ITEMS_OF_GROUP (ROWS * SETS)
#define NO_COPIES_AHEAD
#define NO_LANES
#if SUBS /* and step 0 unrolled */
#define ROOMY
#define SUB_GROUPS
#endif
#include "kernels/emulator_dialect.h"

#include "../../cl/lu_together.cl"

static void run(void *arguments) {
    const lu_leaf *leaf = arguments;
    lu_leaf_together(leaf->A, leaf->offset, leaf->ld, leaf->m, leaf->width, leaf->top, leaf->before, leaf->offers,
                     leaf->most, leaf->sources, leaf->targets, leaf->ipiv, leaf->info, SPINS, leaf->inner, leaf->upper);
}

EMULATOR_FORM(lu_form, CLS_DOUBLE, ROWS, WIDTH, LS, 0, SUBS, run)
