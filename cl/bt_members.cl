/*
 * bt_members.cl: the outcome of each of many tridiagonal systems, and the systems without a solution put back.
 *
 * flags[0]: 1 where some system has no solution. flags[1 + panel * W + lane]: 1 where that system has none. Work-items
 * that find the same write the same, so no order matters.
 *
 * Layout: bt_layout.clh. Work-groups: LS work-items, LS a multiple of W or 1 (on a CPU). Group (panel of both colours,
 * h, r) takes the pieces h, h + GROUPS(1), ... of ROWS_EACH rows of right-hand side r. Neighbours read neighbouring
 * words.
 */
#include "bt_layout.clh"

#ifndef LS
#define LS 64
#endif
#define ROWS_EACH 256

/* On a CPU a work-item takes the lanes of a row side by side. */
#if LS == 1
#define V W
#else
#define V 1
#endif
#define MEMBER_LANES(lane) for (idx_t lane = V == 1 ? LOCAL_ID(0) % W : 0; lane < W; lane += V == 1 ? LS : W)
#define PIECES(h)          for (idx_t h = GROUP_ID(1) * ROWS_EACH; h < M; h += GROUPS(1) * ROWS_EACH)
#define ROWS(k, h)         for (idx_t k = (h) + LOCAL_ID(0) / W; k < M && k<(h) + ROWS_EACH; k += LS> W ? LS / W : 1)

/* flags becomes 1 for each line whose solution holds NaN or Inf. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_outcome(GLOBAL const ELEMENT *RESTRICT Y, idx_t size, idx_t lines, idx_t panels,
                                            idx_t M, GLOBAL int *flags) {
    const idx_t rows = M * W, panel = GROUP_ID(0), colour = panel / panels;
    GLOBAL const ELEMENT *base = Y + GROUP_ID(2) * size + colour_at(panels, rows, (int)colour) + panel % panels * rows;
    MEMBER_LANES(lane) {
        ELEMENT off[V]; /* 0 as long as all numbers are finite */
        for (int v = 0; v < V; ++v) off[v] = ZERO;
        PIECES(h) ROWS(k, h) for (int v = 0; v < V; ++v) {
            const ELEMENT x = base[k * W + lane + v];
            off[v] += x - x;
        }
        for (int v = 0; v < V; ++v) {
            const idx_t line = 2 * ((lane + v) * panels + panel % panels) + colour;
            if (IS_ZERO_ELEMENT(off[v]) || line >= lines) continue;
            flags[1 + panel * W + lane + v] = 1;
            flags[0] = 1;
        }
    }
}

/* The lines with a flag: Y = F. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_put_back(GLOBAL const ELEMENT *RESTRICT F, GLOBAL ELEMENT *RESTRICT Y, idx_t size,
                                             idx_t panels, idx_t M, GLOBAL const int *RESTRICT flags) {
    const idx_t rows = M * W, panel = GROUP_ID(0);
    const idx_t at = GROUP_ID(2) * size + colour_at(panels, rows, (int)(panel / panels)) + panel % panels * rows;
    MEMBER_LANES(lane) for (int v = 0; v < V; ++v) {
        if (flags[1 + panel * W + lane + v] == 0) continue;
        PIECES(h) ROWS(k, h) Y[at + k * W + lane + v] = F[at + k * W + lane + v];
    }
}

/* All lines become their conjugates: a system with C^H is one with C^T. Only complex elements need it. */
KERNEL WORK_GROUP(LS, 1, 1) void bt_conjugate(GLOBAL ELEMENT *X, idx_t size, idx_t panels, idx_t M) {
    const idx_t rows = M * W, panel = GROUP_ID(0);
    GLOBAL ELEMENT *base =
        X + GROUP_ID(2) * size + colour_at(panels, rows, (int)(panel / panels)) + panel % panels * rows;
    MEMBER_LANES(lane) PIECES(h) ROWS(k, h) for (int v = 0; v < V; ++v) {
        base[k * W + lane + v] = CONJUGATE_IF(1, base[k * W + lane + v]);
    }
}
