/*
 * staging_threads.c: how many threads of the host fill and empty the slots. As many as carried most on one machine,
 * until this machine is measured: then the fewest that carry as much as any number, kept with the programs.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/recall.h"
#include "device/staging.h"

/* The bytes that a measurement moves up and down, and how often; fewer threads may carry so much less than the
 * best. */
enum { BYTES = 64 << 20, TURNS = 3 };
static const double as_much = 0.97;

static const int candidates[] = {0, 1, 2, 4, 6, 8, 10, 12, 15, 20, 28};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

/* The number of cores is part of the name: hosts may share a folder of programs. */
static void name_of(char name[64]) {
    (void)snprintf(name, 64, "staging.threads.%d", cls_pool_spare_cores(CLS_POOL_MOST) + 1);
}

/* 0: nothing is known, so the number itself is kept as one more. */
void cls_staging_configure(cls_device *device) {
    char name[64];
    name_of(name);
    const int known = cls_recall(device, name);
    device->staging_bytes = CLS_STAGING_BYTES;
    device->threads = known > 0 ? known - 1 : cls_staging_threads();
}

/* Seconds up and down together, the least of some turns; the first one makes slots and starts threads. */
static clsolve_status measure(cls_device *device, cls_buffer *buffer, char *host, double *least) {
    const cls_rect rect = {BYTES, 1, 0, BYTES, BYTES};
    *least = 0;
    for (int turn = 0; turn <= TURNS; ++turn) {
        const double start = cls_seconds();
        CLS_TRY(device->ops->write(device, CLS_UP, buffer, host, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_UP));
        CLS_TRY(device->ops->read(device, CLS_DOWN, buffer, host, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_DOWN));
        const double seconds = cls_seconds() - start;
        if (turn == 1 || (turn > 1 && seconds < *least)) *least = seconds;
    }
    return CLSOLVE_OK;
}

static clsolve_status measure_all(cls_device *device, cls_buffer *buffer, char *host, int *threads) {
    double seconds[CANDIDATES], best = 0;
    int count = 0;
    for (; count < CANDIDATES && candidates[count] <= cls_pool_spare_cores(CLS_POOL_MOST); ++count) {
        cls_staging_destroy(device);
        device->threads = candidates[count];
        CLS_TRY(measure(device, buffer, host, &seconds[count]));
        if (count == 0 || seconds[count] < best) best = seconds[count];
    }
    for (int c = count - 1; c >= 0; --c)
        if (best >= as_much * seconds[c]) *threads = candidates[c];
    return CLSOLVE_OK;
}

clsolve_status cls_staging_calibrate(cls_device *device) {
    const cls_counters counters = device->counters;
    int threads = device->threads;
    cls_buffer *buffer = NULL;
    char name[64];

    if (!device->staged) return CLSOLVE_OK;
    char *host = cls_alloc(1, BYTES);
    if (!host) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to measure transfers");
    clsolve_status status = device->ops->buffer_create(device, BYTES, &buffer);
    if (status == CLSOLVE_OK) status = measure_all(device, buffer, host, &threads);
    cls_staging_destroy(device);
    device->ops->buffer_destroy(device, buffer);
    cls_free(host);
    device->counters = counters;
    device->threads = threads;
    name_of(name);
    if (status == CLSOLVE_OK) cls_remember(device, name, threads + 1);
    return status;
}
