/* fitted.c: from measurements to sizes. */
#include "tuning/fitted.h"

#include <string.h>

const int64_t cls_fitted_orders[CLS_FITTED_ORDERS] = {1024, 2048, 4096, 8192, 16384};

/* Two measurements of the same differ by as much. */
static const double even = 0.97;

enum { MOST_LEAF = 512, MOST_BLOCK = 65536 };

const char *cls_fit_part_name(cls_fit_part part) {
    static const char *const names[CLS_FIT_PARTS] = {"leaf", "block", "look-ahead", "substitution"};
    return part < CLS_FIT_PARTS ? names[part] : "";
}

/* ---- trials ---- */

const cls_fit_trial *cls_fit_find(const cls_fit_record *record, cls_fit_part part, int64_t n, int32_t value) {
    for (int t = 0; t < record->count; t++) {
        const cls_fit_trial *trial = &record->trials[t];
        if (trial->part == part && trial->n == n && trial->value == value) return trial;
    }
    return NULL;
}

const cls_fit_trial *cls_fit_best(const cls_fit_record *record, cls_fit_part part, int64_t n) {
    const cls_fit_trial *first = NULL, *best = NULL;
    for (int t = 0; t < record->count; t++) {
        const cls_fit_trial *trial = &record->trials[t];
        if (trial->part != part || trial->n != n || trial->seconds <= 0) continue;
        if (!first) first = trial;
        if (!best || trial->seconds < best->seconds) best = trial;
    }
    return best && best->seconds < even * first->seconds ? best : first;
}

/* The largest order with a trial of that part that ran; 0: none. */
static int64_t largest(const cls_fit_record *record, cls_fit_part part) {
    int64_t n = 0;
    for (int t = 0; t < record->count; t++)
        if (record->trials[t].part == part && record->trials[t].seconds > 0 && record->trials[t].n > n)
            n = record->trials[t].n;
    return n;
}

/* ---- the choice ---- */

/*
 * From the order on at which it pays and at all larger ones. Where it does not pay at the largest order L that was
 * measured, the default stands beyond: from 2 L on if that is look-ahead, else never.
 */
static int32_t ahead_from(const cls_fit_record *record) {
    int32_t from = 0;
    for (int k = CLS_FITTED_ORDERS; k-- > 0;) {
        const int64_t n = cls_fitted_orders[k];
        const cls_fit_trial *with = cls_fit_find(record, CLS_FIT_AHEAD, n, 1);
        const cls_fit_trial *without = cls_fit_find(record, CLS_FIT_AHEAD, n, 0);
        const cls_fit_trial *best = with && without ? cls_fit_best(record, CLS_FIT_AHEAD, n) : NULL;
        if (!best) continue;
        if (best == without && from == 0) /* of the two the default was the first */
            return with < without && k < CLS_FITTED_ORDERS - 1 ? 2 * best->n : CLS_FITTED_NEVER;
        if (best == without) break;
        from = best->n;
    }
    return from;
}

void cls_fit_decide(cls_fit_record *record) {
    cls_fitted *f = &record->fitted;
    const cls_fit_trial *leaf = cls_fit_best(record, CLS_FIT_LEAF, largest(record, CLS_FIT_LEAF));
    const cls_fit_trial *few = cls_fit_best(record, CLS_FIT_FEW, largest(record, CLS_FIT_FEW));
    memset(f, 0, sizeof *f);
    if (leaf) {
        f->by_steps = leaf->value < 0;
        f->leaf = leaf->value < 0 ? -leaf->value : leaf->value;
    }
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) {
        const cls_fit_trial *block = cls_fit_best(record, CLS_FIT_BLOCK, cls_fitted_orders[k]);
        if (block) f->block[k] = block->value;
    }
    f->ahead_from = ahead_from(record);
    if (few) f->few = few->value;
}

/* ---- the use ---- */

int cls_fitted_fits(const cls_fitted *f) {
    int fine = f->leaf >= 0 && f->leaf <= MOST_LEAF && (f->by_steps == 0 || (f->by_steps == 1 && f->leaf > 0)) &&
               f->ahead_from >= CLS_FITTED_NEVER &&
               (f->few == CLS_FITTED_PRODUCTS || f->few == 0 || f->few == 64 || f->few == 128);
    for (int k = 0; k < CLS_FITTED_ORDERS && fine; k++) fine = f->block[k] >= 0 && f->block[k] <= MOST_BLOCK;
    return fine;
}

int64_t cls_fitted_last(const cls_fitted *f) {
    for (int k = CLS_FITTED_ORDERS; k-- > 0;)
        if (f->block[k] > 0) return cls_fitted_orders[k];
    return 0;
}

/* Nearest by the quotient: n^2 divides at the product of two orders. */
int64_t cls_fitted_block(const cls_fitted *f, int64_t n) {
    int best = -1;
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) {
        const int64_t order = cls_fitted_orders[k];
        if (f->block[k] == 0) continue;
        if (best < 0 ? n * n < order * order / 2 : n * n < order * cls_fitted_orders[best]) break;
        best = k;
    }
    return best < 0 ? 0 : f->block[best];
}
