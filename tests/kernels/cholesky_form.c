/*
 * The text of cl/cholesky.cl behind the words of cl/dialect.clh as the emulator has them; compiled once for each form, with
 * CLS_COMPLEX, CLS_DOUBLE, LEAF, LANED (1: BY_LANES), and the NAME of what comes out.
 */
#include "kernels/cholesky_form.h"

static int items_of_group;
#define ITEMS_OF_GROUP items_of_group
#if LANED
#define BY_LANES
#endif
#define ROWS 32
#include "kernels/emulator_dialect.h"
#if CLS_DOUBLE
#define rsqrt(x) (1 / sqrt(x))
#else
#define rsqrt(x) (1 / sqrtf(x))
#endif
#include "../../cl/cholesky.cl"

static void leaf(void *arguments) {
    const cholesky_leaf_of *of = arguments;
    items_of_group = SIDE * SIDE;
    cholesky_leaf(of->A, of->offset, of->ld, of->m, of->first, of->info);
}

static void rows(void *arguments) {
    const cholesky_leaf_of *of = arguments;
    items_of_group = ITEMS;
    cholesky_rows(of->A, of->offset, of->ld, of->m, of->rows, of->info);
}

extern const cholesky_form NAME;
const cholesky_form NAME = {CLS_DOUBLE, 1 + CLS_COMPLEX, LEAF, SIDE *SIDE, ITEMS, ROWS, leaf, rows};
