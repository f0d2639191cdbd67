/*
 * front_border.cl: UP becomes L^-1 P UP, and LOW U^-T LOW, of Cholesky L^-1 LOW and of L D L^T D^-1 L^-1 P LOW, by
 * strips of W columns whose rows are in registers meanwhile (front_strip.clh), one panel of the front's PIVOT after the
 * other. exchanges: of LU ipiv; of L D L^T order.
 *
 * Work-groups: LS work-items, for fronts of up to LS * PER
 * pivots. Dimension 0 over strips, of LU those of UP first; dimension 1 over fronts. Access: neighbours on neighbouring
 * rows. Local memory: as front_strip.clh, and LS * PER ints.
 */
#ifndef LS
#define LS 64
#endif
#ifndef W
#define W 32
#endif

#include "front.clh"
#include "front_step.clh"
#include "front_strip.clh"

#define STORE_STRIP                                                                                                    \
    EACH_ROW {                                                                                                         \
        UNROLL                                                                                                         \
        for (int j = 0; j < W; ++j)                                                                                    \
            if (place[R] >= 0 && column + j < b) x[place[R] + j * ld] = y[R][j];                                       \
    }

KERNEL WORK_GROUP(LS, 1, 1) void front_border(GLOBAL const idx_t *RESTRICT fronts, GLOBAL const int *RESTRICT list,
                                              idx_t from, GLOBAL ELEMENT *arena,
                                              GLOBAL const int *RESTRICT exchanges USES_D) {
    LOCAL_ARRAY(ELEMENT, room, STRIP_ROOM);
    LOCAL_ARRAY(int, with, LS *PER);
    const idx_t s = list[from + GROUP_ID(1)], ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int strips = (b + W - 1) / W, group = (int)GROUP_ID(0), sides = one_sided() ? 1 : 2;
    const int is_up = !one_sided() && group < strips, is_low = !one_sided() && !is_up;
    const int column = group % (strips > 0 ? strips : 1) * W, moves = is_up ? f : 0;
    GLOBAL const ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL ELEMENT *const x = arena + (is_up ? FRONT(s, F_UP) : FRONT(s, F_LOW)) + column * ld;
    ELEMENT y[PER][W];
    int place[PER];
    panel_view panel;
    if (group >= strips * sides) return;
    panel.down = is_low ? ld : 1;
    panel.across = is_low ? 1 : ld;
    panel.unit = is_up || (one_sided() && has_unit());
    EACH_ROW {
        const int i = lid + R * LS;
        if (i < moves) with[i] = exchanges[FRONT(s, F_FIRST) + i];
        place[R] = i < f ? i : -1;
        int at = i;
#if LDL
        if (i < f) at = exchanges[FRONT(s, F_FIRST) + i];
#endif
        UNROLL
        for (int j = 0; j < W; ++j) y[R][j] = i < f && column + j < b ? x[at + j * ld] : ZERO;
    }
    BARRIER();
    EACH_ROW if (place[R] >= 0) place[R] = after_exchanges(place[R], with, moves);
#if LDL
    blocks += FRONT(s, F_FIRST) * OF_BLOCK;
    pivots += FRONT(s, F_FIRST) * OF_POSITION;
#endif
    for (int k = 0; k < f; k += panel.w) {
        panel.w = f - k < W ? f - k : W;
#if LDL
        if (PAIR(k + panel.w - 1) > 0) panel.w -= 1; /* its partner comes with the next panel */
#endif
        panel.t = pivot + k + k * ld;
        apply_panel(y, place, k, room, panel, lid);
#if LDL
        EACH_ROW {
            const int i = place[R], c = i - k;
            const int pair = i >= 0 ? PAIR(i) : 0;
            const int is_made = c >= 0 && c < panel.w;
            GLOBAL const ELEMENT *const inverses = blocks + (i >= 0 ? i : 0) * OF_BLOCK + OF_INVERSE;
            UNROLL
            for (int j = 0; j < W; ++j)
                if (is_made) D_TIMES(y[R][j], inverses, pair, room + j, c, STRIP_PITCH)
        }
        LOCAL_BARRIER();
#endif
#ifdef CLS_ROLLED /* see front_panel.cl */
        if (k + panel.w >= f) STORE_STRIP
#endif
    }
#ifndef CLS_ROLLED
    STORE_STRIP
#endif
}
