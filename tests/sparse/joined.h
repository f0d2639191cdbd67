/*
 * joined.h: a context over several devices for tests of any machine: several contexts on the device under test, joined as
 * clsolve_context_create_with joins contexts of different devices. It refuses a device that is named twice, because
 * nothing is gained.
 */
#ifndef CLSOLVE_TEST_JOINED_H
#define CLSOLVE_TEST_JOINED_H

#include "api/context.h"
#include "base/memory.h"
#include "support/test_support.h"

/* To be destroyed as any context. */
static inline clsolve_context *joined_contexts(int count, int cached) {
    clsolve_context *lead = test_context(cached);
    lead->peers = cls_alloc((size_t)count, sizeof *lead->peers);
    lead->devices = cls_alloc((size_t)count, sizeof *lead->devices);
    lead->shares = cls_alloc((size_t)count, sizeof *lead->shares);
    assert_true(lead->peers && lead->devices && lead->shares);
    lead->devices[0] = lead->device;
    for (int d = 1; d < count; d++) {
        lead->peers[lead->peer_count++] = test_context(cached);
        lead->devices[d] = lead->peers[d - 1]->device;
    }
    return lead;
}

#endif
