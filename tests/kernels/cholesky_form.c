/*
 * The text of cl/cholesky.cl or, with TILED, of cl/cholesky_tiles.cl behind the words of cl/dialect.clh as the emulator has
 * them; compiled once for each form, with CLS_COMPLEX, CLS_DOUBLE, LEAF, TILED.
 */
#include "kernels/cholesky_form.h"

static int items_of_group;
#define ITEMS_OF_GROUP items_of_group
#include "kernels/emulator_dialect.h"
#if CLS_DOUBLE
#define rsqrt(x) (1 / sqrt(x))
#else
#define rsqrt(x) (1 / sqrtf(x))
#endif
#if TILED
#include "../../cl/cholesky_tiles.cl"
#define LEAF_ITEMS ((FACTORS + TILES) * LANES)
#define ROWS_ITEMS LEAF
#else
#define ROWS 32
#include "../../cl/cholesky.cl"
#define LEAF_ITEMS (SIDE * SIDE)
#define ROWS_ITEMS ROWS
#endif

static void leaf(void *arguments) {
    const cholesky_leaf_of *of = arguments;
    items_of_group = LEAF_ITEMS;
    cholesky_leaf(of->A, of->offset, of->ld, of->m, of->first, of->info);
}

static void rows(void *arguments) {
    const cholesky_leaf_of *of = arguments;
    items_of_group = ROWS_ITEMS;
    cholesky_rows(of->A, of->offset, of->ld, of->m, of->rows, of->info);
}

#if TILED
static void panel(void *arguments) {
    const cholesky_leaf_of *of = arguments;
    items_of_group = LEAF_ITEMS;
    cholesky_panel(of->A, of->offset, of->ld, of->m, of->first, of->rows, of->info, of->offers, of->mark);
}
#else
#define panel NULL
#endif

EMULATOR_FORM(cholesky_form, CLS_DOUBLE, 1 + CLS_COMPLEX, LEAF, LEAF_ITEMS, ROWS_ITEMS, ROWS, leaf, rows, panel)
