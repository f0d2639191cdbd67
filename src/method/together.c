#include "method/together.h"

/* ---- words with marks ---- */

enum { MARKS = 1 << 16 };

size_t cls_offers_bytes(const cls_device *device, clsolve_type type, int64_t elements) {
    const size_t pair = device->promised_together || device->whole_words ? 16 : 24; /* in cl/dialect.clh */
    return (size_t)(elements * (type == CLSOLVE_C64 ? 2 : 1)) * pair;
}

static clsolve_status clear(cls_device *device, cls_offers *offers) {
    offers->next = 1;
    return device->ops->fill(device, CLS_COMPUTE, offers->words, 0, offers->bytes, 0);
}

clsolve_status cls_offers_take(cls_device *device, size_t bytes, cls_offers *offers) {
    offers->bytes = bytes;
    CLS_TRY(device->ops->buffer_create(device, bytes, &offers->words));
    return clear(device, offers);
}

clsolve_status cls_offers_mark(cls_device *device, cls_offers *offers, int64_t count, uint32_t *first) {
    if (offers->next + count >= MARKS && !device->announcing) CLS_TRY(clear(device, offers));
    *first = offers->next;
    offers->next += (uint32_t)count;
    return CLSOLVE_OK;
}

void cls_offers_release(cls_device *device, cls_offers *offers) {
    device->ops->buffer_destroy(device, offers->words);
    offers->words = NULL;
}

/* ---- groups ---- */

clsolve_status cls_together_find(cls_together_trial trial, void *what, int once, int64_t known, int64_t *groups) {
    for (;; *groups /= 2) {
        int right = 0;
        CLS_TRY(trial(what, *groups, once, &right));
        if (!right && !once) CLS_TRY(trial(what, *groups, 1, &right));
        if (right) return CLSOLVE_OK;
        if (once || known > 0 || *groups == 1) break;
    }
    *groups = known;
    return CLSOLVE_OK;
}
