/*
 * slab.h: a slab of whole lines with a ghost line at each end, and the steps of zebra and multigrid on it.
 *
 * The slab is a grid of its own (grid.h), whose line 0 is line `base` of the whole grid. `base` is even, so that
 * colours agree. Lines of the local grid:
 *
 *     base ..            up to two fillers, so that `base` is even and a black line stands before a red ghost line
 *     first - 1          ghost
 *     first ..           own
 *     first + count      ghost
 *     .. stop - 1        a filler, a black line behind a red ghost line
 *
 * A filler's matrix is the identity. The coupling of a filler to its ghost line is that of a symmetric matrix, or of a
 * hermitian one: cl/bt_setup.cl looks whether the matrix is one, and makes a coarse matrix of that kind.
 */
#ifndef CLS_BLOCK_GS_SLAB_H
#define CLS_BLOCK_GS_SLAB_H

#include "method/block_gs/block_gs.h"

enum { CLS_SLAB_VECTORS = 3 };

typedef struct cls_bt_slab {
    cls_bt_grid grid; /* zeros where the slab has no lines */
    int64_t all, first, count, base, stop;
    cls_bt_vector vectors[CLS_SLAB_VECTORS]; /* F, Y, R */
    cls_buffer *staging;
    int64_t staged; /* lines that it has room for */
    cls_kernel *move;
} cls_bt_slab;

/* `slab` is zeroed memory; on failure the caller still releases it. */
clsolve_status cls_bt_slab_setup(cls_device *device, int64_t N, int64_t M, int64_t first, int64_t count,
                                 clsolve_type type, cls_bt_slab *slab);
void cls_bt_slab_release(cls_bt_slab *slab);

/* Lines of the whole grid that are the slab's or ghosts. */
static inline int64_t cls_bt_slab_lowest(const cls_bt_slab *slab) {
    return slab->first > 0 ? slab->first - 1 : 0;
}

static inline int64_t cls_bt_slab_end(const cls_bt_slab *slab) {
    int64_t end = slab->first + slab->count;
    return end < slab->all ? end + 1 : end;
}

/* arrays: a, c, b, up, down. Both wait. */
clsolve_status cls_bt_slab_put_coefficients(cls_bt_slab *slab, int64_t line, int64_t lines,
                                            const void *const arrays[5]);
clsolve_status cls_bt_slab_get_coefficients(cls_bt_slab *slab, int64_t line, int64_t lines, void *const arrays[5]);

/* *symmetry: of cls_bt_symmetry, what the slab's lines are; both bits where both. *unsafe: lines that need row
 * exchanges; *line: the first of them with a zero pivot, in the whole grid, or -1. */
clsolve_status cls_bt_slab_factor(cls_bt_slab *slab, int *symmetry, double *largest, int64_t *unsafe, int64_t *line);

/* The coarse slab is set up; its own lines get their coefficients. */
clsolve_status cls_bt_slab_coarsen(cls_bt_slab *slab, cls_bt_symmetry symmetric, cls_bt_slab *coarse);

/* Both wait. */
clsolve_status cls_bt_slab_put(cls_bt_slab *slab, int vector, int64_t line, int64_t lines, const void *values);
clsolve_status cls_bt_slab_get(cls_bt_slab *slab, int vector, int64_t line, int64_t lines, void *values);

clsolve_status cls_bt_slab_half_sweep(cls_bt_slab *slab, int colour, int fresh);
clsolve_status cls_bt_slab_residual(cls_bt_slab *slab);
clsolve_status cls_bt_slab_restrict(cls_bt_slab *slab, cls_bt_slab *coarse);
clsolve_status cls_bt_slab_prolong(cls_bt_slab *slab, const cls_bt_slab *coarse);

#endif
