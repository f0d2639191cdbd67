/*
 * The text of cl/lu_resident.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with ROWS,
 * COLUMNS, BATCHES, SPINS, CLS_DOUBLE.
 */
#include "kernels/lu_resident_form.h"

#define ITEMS_OF_GROUP LS
#define NO_COPIES_AHEAD
#include "kernels/emulator_dialect.h"

#include "../../cl/lu_resident.cl"

static void run(void *arguments) {
    const lu_leaf *leaf = arguments;
    lu_leaf_resident(leaf->A, leaf->offset, leaf->ld, leaf->m, leaf->width, leaf->top, leaf->before, leaf->offers,
                     leaf->most, leaf->sources, leaf->targets, leaf->ipiv, leaf->info);
}

EMULATOR_FORM(lu_form, CLS_DOUBLE, HEIGHT, WIDTH, LS, BATCHES, 0, run)
