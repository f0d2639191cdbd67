/*
 * front_border.cl: UP becomes L^-1 P UP, and LOW U^-T LOW, of Cholesky L^-1 LOW, by strips of W columns whose rows are
 * in registers meanwhile (front_strip.clh), one panel of the front's PIVOT after the other.
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
                                              idx_t from, GLOBAL ELEMENT *arena, GLOBAL const int *RESTRICT ipiv) {
    LOCAL_ARRAY(ELEMENT, room, STRIP_ROOM);
    LOCAL_ARRAY(int, with, LS *PER);
    const idx_t s = list[from + GROUP_ID(1)], ld = FRONT(s, F_LD);
    const int f = (int)FRONT(s, F_PIVOTS), b = (int)FRONT(s, F_BORDER), lid = (int)LOCAL_ID(0);
    const int strips = (b + W - 1) / W, group = (int)GROUP_ID(0), sides = hermitian() ? 1 : 2;
    const int is_up = !hermitian() && group < strips, is_low = !hermitian() && !is_up;
    const int column = group % (strips > 0 ? strips : 1) * W, exchanges = is_up ? f : 0;
    GLOBAL const ELEMENT *const pivot = arena + FRONT(s, F_PIVOT);
    GLOBAL ELEMENT *const x = arena + (is_up ? FRONT(s, F_UP) : FRONT(s, F_LOW)) + column * ld;
    ELEMENT y[PER][W];
    int place[PER];
    panel_view panel;
    if (group >= strips * sides) return;
    panel.down = is_low ? ld : 1;
    panel.across = is_low ? 1 : ld;
    panel.unit = is_up;
    EACH_ROW {
        const int i = lid + R * LS;
        if (i < exchanges) with[i] = ipiv[FRONT(s, F_FIRST) + i];
        place[R] = i < f ? i : -1;
        UNROLL
        for (int j = 0; j < W; ++j) y[R][j] = i < f && column + j < b ? x[i + j * ld] : ZERO;
    }
    BARRIER();
    EACH_ROW if (place[R] >= 0) place[R] = after_exchanges(place[R], with, exchanges);
    for (int k = 0; k < f; k += W) {
        panel.w = f - k < W ? f - k : W;
        panel.t = pivot + k + k * ld;
        apply_panel(y, place, k, room, panel, lid);
#ifdef CLS_ROLLED /* see front_panel.cl */
        if (k + W >= f) STORE_STRIP
#endif
    }
#ifndef CLS_ROLLED
    STORE_STRIP
#endif
}
