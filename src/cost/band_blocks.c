#include "cost/band_blocks.h"

#include <math.h>

double cls_band_seconds(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                        int64_t size, int64_t block) {
    const cls_band_machine *d = machine;
    const double nb = (double)block, l = (double)kl, v = (double)kv, m = l + nb, blocks = ceil((double)n / nb);
    const double folds = block > d->leaf ? nb / (double)d->leaf - 1 : 0;
    const cls_work product = {1, 0, 2 * l * v * nb, nb, 0}, solved = {0, 0, nb * nb * v, 1, 0};
    const cls_work panel = {0, nb, nb * nb * m, 1, 0}, whole = {0, nb, nb * nb * (m + v), 1, 0};
    const cls_work panel_there = {folds, nb, nb * nb * (m + v), 1, 0}, way = {1, 0, 0, 1, 2 * m * nb * (double)size};
    const double update = cls_clock(&d->update, &product);

    if (mode == CLS_BAND_MODE_NARROW) {
        const cls_work all = {0, (double)n, (double)n * 2 * l * v, 1, 0};
        return cls_clock(&d->narrow, &all);
    }
    if (mode == CLS_BAND_MODE_NATIVE) return blocks * (update + cls_clock(&d->panel, &panel_there));
    if (d->in_place) return blocks * (update + cls_clock(&d->host_panel, &whole));
    /* The columns that the panel waits for are updated first, by a product of full rate. */
    const double ahead = d->update.call / 2 + 2 * l * nb * nb / d->update.rate;
    return blocks * fmax(update + cls_clock(&d->panel, &solved),
                         cls_clock(&d->trip, &way) + cls_clock(&d->host_panel, &panel) + ahead);
}

/* No wider than what the panel reaches: a wider one is for the most part zeros, which cost time and memory. */
static int64_t widest_of(const cls_band_machine *machine, int64_t n, int64_t kl, int64_t kv) {
    int64_t reach = kl + kv > machine->leaf ? kl + kv : machine->leaf;
    int64_t most = reach < machine->widest ? reach : machine->widest;
    return most < n ? most : n;
}

static void consider(const cls_band_machine *machine, cls_band_mode mode, int64_t n, int64_t kl, int64_t kv,
                     int64_t size, int64_t block, cls_band_choice *best) {
    double seconds = cls_band_seconds(machine, mode, n, kl, kv, size, block);
    if (best->block > 0 && !(seconds < best->seconds)) return;
    *best = (cls_band_choice){mode, block, seconds};
}

cls_band_choice cls_band_choose(const cls_band_machine *machine, unsigned modes, int64_t n, int64_t kl, int64_t kv,
                                int64_t size, int64_t block) {
    static const cls_band_mode blocked[] = {CLS_BAND_MODE_NATIVE, CLS_BAND_MODE_HYBRID};
    cls_band_choice best = {CLS_BAND_MODE_NATIVE, 0, 0};
    int64_t most = widest_of(machine, n, kl, kv), leaf = machine->leaf;

    for (int k = 0; k < 2; ++k) {
        if (!(modes & (unsigned)blocked[k])) continue;
        if (block > 0) {
            consider(machine, blocked[k], n, kl, kv, size, block < n ? block : n, &best);
            continue;
        }
        if (most <= leaf) consider(machine, blocked[k], n, kl, kv, size, most, &best);
        for (int64_t nb = leaf; nb <= most && most > leaf; nb += leaf)
            consider(machine, blocked[k], n, kl, kv, size, nb, &best);
    }
    if (block == 0 && (modes & (unsigned)CLS_BAND_MODE_NARROW))
        consider(machine, CLS_BAND_MODE_NARROW, n, kl, kv, size, 1, &best);
    return best;
}
