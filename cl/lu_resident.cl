/*
 * lu_resident.cl: LU with partial pivoting of a leaf, m rows by at most WIDTH columns, in one launch of many groups. The
 * same pivots as lu_panel.cl finds by steps.
 *
 * A row a work-item, kept in registers from the first step to the last. The groups wait for each other once a step, which
 * OpenCL does not promise to work: only for devices that are known to run this many groups at the same time, and behind a
 * self-test. The wait is bounded; when the bound is passed, info[1] is set, nothing is stored, and the host factors again by
 * steps.
 *
 * Step t. Each group offers its best row for column t (the row, its value, position and number) in one of two places, used
 * by turns; when all have, each group finds the same pivot among the offers, and each work-item eliminates in its own row.
 * The row's registers rotate by one a step, so that the current column is always a[0] and every index is a constant:
 *
 *      a = | column t | t+1 | ... | WIDTH-1 | 0 | ... | t-1 |      finished columns at the end
 *
 * At the end every row is stored where its swaps have brought it, and the list of moves (see lu_panel.cl) is written.
 *
 * Work-groups: LS work-items, group g has rows g*LS ..., neighbouring work-items on neighbouring rows; LANES of them
 * exchange values without a barrier (dialect.clh, LANE_XOR). Local memory: LS / LANES * (WIDTH + 3) words. WIDTH <= LANES.
 */
#ifndef LS
#define LS 256
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#define WAVES (LS / LANES)
#define OFFER (WIDTH + 1)  /* elements: the row, and its value at the end */
#define SPINS 20000000     /* some seconds; a step takes microseconds */

#ifdef LANES

/* The best known to a work-item: its value, its position, and a number that tells where it is from. */
typedef struct candidate {
    REAL value;
    int place, from;
} candidate;

HELPER candidate better(candidate a, candidate b) {
    return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
}

/* The best of `lanes` neighbours, known to all of them afterwards. */
HELPER candidate best_of_lanes(candidate mine, int lanes) {
#pragma unroll
    for (int mask = LANES / 2; mask > 0; mask /= 2)
        if (mask < lanes) {
            candidate other;
            other.value = LANE_XOR_REAL(mine.value, mask);
            other.place = LANE_XOR(mine.place, mask);
            other.from = LANE_XOR(mine.from, mask);
            mine = better(mine, other);
        }
    return mine;
}

/* Waits until `target` groups have arrived in all; what they wrote before is seen through `volatile`. 0: too long. */
HELPER int wait_for_groups(GLOBAL volatile unsigned *arrived, unsigned target, LOCAL_PTR int *late) {
    if (LOCAL_ID(0) == 0) {
        int spins = 0;
        while (*arrived < target && spins < SPINS) ++spins;
        *late = spins == SPINS;
    }
    BARRIER();
    return !*late;
}

KERNEL WORK_GROUP(LS, 1, 1) void lu_leaf_resident(GLOBAL REAL *A, idx_t offset, idx_t ld, idx_t m_, idx_t width_,
                                                  idx_t top, GLOBAL volatile unsigned *arrived, unsigned before,
                                                  GLOBAL volatile REAL *offers, GLOBAL volatile int *offered,
                                                  GLOBAL idx_t *sources, GLOBAL idx_t *targets, GLOBAL idx_t *ipiv,
                                                  GLOBAL idx_t *info) {
    LOCAL_ARRAY(REAL, pivot_rows, WAVES * WIDTH);
    LOCAL_ARRAY(REAL, values, WAVES);
    LOCAL_ARRAY(int, places, WAVES);
    LOCAL_ARRAY(int, items, WAVES);
    LOCAL_ARRAY(int, late, 1);
    const int lid = (int)LOCAL_ID(0), lane = lid % LANES, wave = lid / LANES;
    const int groups = (int)GROUPS(0), group = (int)GROUP_ID(0), i = group * LS + lid;
    const int m = (int)m_, width = (int)width_;
    LOCAL_PTR REAL *pivot_row = pivot_rows + wave * WIDTH;
    int place = i;
    REAL a[WIDTH];

    if (lid == 0) late[0] = info[1] != 0; /* an earlier leaf has failed: none needs to wait again */
    BARRIER();
    if (late[0]) return;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) a[k] = i < m && k < width ? A[offset + i + k * ld] : 0;

    for (int t = 0; t < width; ++t) {
        const int place_of = (t % 2) * groups;

        /* The group's best: of each wave, then of the waves. A NaN counts as the largest, as in lu_panel.cl. */
        candidate mine;
        mine.value = i < m && place >= t ? (a[0] == a[0] ? ABS(a[0]) : (REAL)INFINITY) : -1;
        mine.place = place;
        mine.from = lid;
        mine = best_of_lanes(mine, LANES);
        if (lane == 0) {
            values[wave] = mine.value;
            places[wave] = mine.place;
            items[wave] = mine.from;
        }
        BARRIER();
        mine.value = values[lane % WAVES];
        mine.place = places[lane % WAVES];
        mine.from = items[lane % WAVES];
        mine = best_of_lanes(mine, WAVES);
        if (lid == mine.from) {
            GLOBAL volatile REAL *offer = offers + (place_of + group) * OFFER;
#pragma unroll
            for (int k = 0; k < WIDTH; ++k) offer[k] = a[k];
            offer[WIDTH] = mine.value;
            offered[2 * (place_of + group)] = place;
            offered[2 * (place_of + group) + 1] = i;
            DEVICE_FENCE();
            ATOMIC_INC(arrived);
        }
        if (!wait_for_groups(arrived, before + (unsigned)((t + 1) * groups), late)) {
            info[1] = 1;
            return;
        }

        /* Every wave reads all offers: no barrier. */
        candidate best;
        best.value = -2;
        best.place = best.from = 0;
        for (int c = lane; c < groups; c += LANES) {
            candidate offer;
            offer.value = offers[(place_of + c) * OFFER + WIDTH];
            offer.place = offered[2 * (place_of + c)];
            offer.from = c;
            best = better(best, offer);
        }
        best = best_of_lanes(best, LANES);
        if (lane < WIDTH) pivot_row[lane] = lane < width - t ? offers[(place_of + best.from) * OFFER + lane] : 0;
        LANES_SYNC();
        const REAL pivot = pivot_row[0];

        if (group == 0 && lid == 0) {
            const int p = offered[2 * (place_of + best.from) + 1];
            sources[2 * top + t] = p != t ? top + p : -1;
            targets[2 * top + t] = p != t ? top + t : -1;
            ipiv[top + t] = top + best.place + 1;
            if (pivot == 0 && info[0] == 0) info[0] = top + t + 1;
        }
        if (place == best.place && i < m)
            place = t;
        else if (place == t)
            place = best.place;

        const int below = i < m && place > t;
        const REAL l = below && pivot != 0 ? a[0] / pivot : 0;
        const REAL last = below && pivot != 0 ? l : a[0];
#pragma unroll
        for (int k = 0; k + 1 < WIDTH; ++k) a[k] = below ? a[k + 1] - l * pivot_row[k + 1] : a[k + 1];
        a[WIDTH - 1] = last;
        LANES_SYNC(); /* before the wave's pivot_row is written again */
    }

    for (int t = width; t < WIDTH; ++t) { /* a narrow leaf: turn on to the start */
        const REAL first = a[0];
#pragma unroll
        for (int k = 0; k + 1 < WIDTH; ++k) a[k] = a[k + 1];
        a[WIDTH - 1] = first;
    }
    if (i < width) { /* a row of the top that became a pivot is in the list already */
        sources[2 * top + width + i] = place >= width ? top + i : -1;
        targets[2 * top + width + i] = place >= width ? top + place : -1;
    }
    if (i < m) {
#pragma unroll
        for (int k = 0; k < WIDTH; ++k)
            if (k < width) A[offset + place + k * ld] = a[k];
    }
}

#endif
