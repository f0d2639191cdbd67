/*
 * together.h: what kernels share whose work-groups wait for each other: words with marks (cl/offer.clh), and how many
 * groups run together. Such kernels are leaves in one launch (panel/resident.c), triangular solves (lu/sweep.c), and
 * leaves of Cholesky with the rows below (cholesky/panel.c).
 */
#ifndef CLS_TOGETHER_H
#define CLS_TOGETHER_H

#include "device/device.h"

enum {
    CLS_TOGETHER_FAILS = -1,         /* the fact of a kernel whose groups do not meet, or that is wrong */
    CLS_TOGETHER_PATIENCE = 2000000, /* looks for a word before a wait is in vain: some seconds */
    CLS_TOGETHER_LITTLE = 20000      /* the same in a test of a device that promises nothing */
};

/* Words that groups give each other: each has a mark of 16 bits, so that no word of an earlier step counts. */
typedef struct cls_offers {
    cls_buffer *words;
    size_t bytes;
    uint32_t next; /* mark */
} cls_offers;

/* The bytes of so many elements, each of OFFER_PAIRS times PAIR_OF_WORDS. */
size_t cls_offers_bytes(const cls_device *device, clsolve_type type, int64_t elements);
/* Takes the memory, and clears it. */
clsolve_status cls_offers_take(cls_device *device, size_t bytes, cls_offers *offers);
/* *first becomes the first of `count` marks that no word has. None is 0, the mark of cleared words. Enqueues. */
clsolve_status cls_offers_mark(cls_device *device, cls_offers *offers, int64_t count, uint32_t *first);
void cls_offers_release(cls_device *device, cls_offers *offers);

/* Tries the kernels with so many groups; *right: they met, and did what they should. `last`: it will not be asked for
 * as many again. A kernel that does not build or start is not right. */
typedef clsolve_status (*cls_together_trial)(void *what, int64_t groups, int last, int *right);
/*
 * Tries *groups, half as many, and so on, each number twice because a device may be busy. *groups becomes the first
 * that is right; 0: not even one is. If `known` of them were found before and all are not right, it becomes these.
 * `once`: one trial, of the compiler alone, because the maker promises that groups run together.
 */
clsolve_status cls_together_find(cls_together_trial trial, void *what, int once, int64_t known, int64_t *groups);

#endif
