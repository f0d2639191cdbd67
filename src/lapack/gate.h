/*
 * gate.h (private): whether a call goes to the device. The order of the stubs of entries.c:
 *
 *   0. libclsolve itself calls: its own LAPACK
 *   1. the order is below `least` of its kind: the host. Two loads and a comparison
 *   2. cls_lapack_offer: LAPACK's checks of the arguments; the decision; the device
 *   3. the host, if the device did not do it
 */
#ifndef CLS_LAPACK_GATE_H
#define CLS_LAPACK_GATE_H

#include <stdint.h>

#include "lapack/state.h"

/* Reads the environment at the first call. Cheap when it has happened. */
void cls_lapack_start(void);

/* The host's function for the entry, looked for at the first call; ends the process if nobody has it, as the loader
 * does. */
void *cls_lapack_host(int entry);

/* The function that libclsolve was built with. */
void *cls_lapack_inner(int entry);

/* The same for names that are always the host's. */
void *cls_lapack_host_forwarded(int forwarded);

typedef enum lapack_offer { OFFER_DONE, OFFER_HOST, OFFER_HOST_TIMED } lapack_offer;

/* A call of the host's that is timed. */
typedef struct lapack_timed {
    int64_t start;
    uint32_t class_key; /* measured.h; 0: the call says nothing of its class */
} lapack_timed;

/* Tries the call on the device. OFFER_HOST_TIMED: *timed is to be given to cls_lapack_spent after the host's call. */
lapack_offer cls_lapack_offer(int entry, void *const *args, lapack_timed *timed);

void cls_lapack_spent(lapack_kind kind, const lapack_timed *timed);

/* 1: the order is so small that the host is faster, and the host's function is known. */
static inline int cls_lapack_is_small(int entry, int variant, lapack_kind kind, clsolve_type type, const void *order,
                                      void **host) {
    *host = atomic_load_explicit(&cls_lapack.host[entry], memory_order_acquire);
    if (!*host) return 0;
    int64_t n = atomic_load_explicit(&cls_lapack.wide[variant], memory_order_relaxed) ? *(const int64_t *)order
                                                                                      : *(const int32_t *)order;
    if (n >= atomic_load_explicit(&cls_lapack.least[kind][type], memory_order_relaxed)) return 0;
    cls_lapack_count(entry, HOST_SMALL);
    return 1;
}

#endif
