/* memory.c: see memory.h. */
#define _POSIX_C_SOURCE 200809L

#include "soak/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLES = 4096 };

/* When all are taken, every second one goes, and from then on only each `stride`-th call counts. */
static struct { int64_t systems, bytes; } samples[SAMPLES];
static int count;
static int64_t calls, stride = 1;

int64_t memory_resident(void) {
    long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%lld %lld", &size, &resident) != 2) resident = 0;
    (void)fclose(file);
    return (int64_t)resident * (int64_t)sysconf(_SC_PAGESIZE);
}

void memory_sample(int64_t systems) {
    if (calls++ % stride != 0) return;
    if (count == SAMPLES) {
        for (int k = 0; k < SAMPLES / 2; ++k) samples[k] = samples[2 * k];
        count = SAMPLES / 2;
        stride *= 2;
    }
    samples[count].systems = systems;
    samples[count++].bytes = memory_resident();
}

static int by_size(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median: a GPU's context takes hundreds of MiB, so single samples before and behind one say nothing. */
static int64_t usual(int from, int to) {
    static int64_t sorted[SAMPLES];
    for (int k = from; k < to; ++k) sorted[k - from] = samples[k].bytes;
    qsort(sorted, (size_t)(to - from), sizeof *sorted, by_size);
    return sorted[(to - from) / 2];
}

int memory_grows(int64_t *growth) {
    *growth = 0;
    if (count < 16) return 0;
    int quarter = count / 4;
    int64_t systems = samples[count - quarter].systems - samples[2 * quarter].systems;
    int64_t bytes = usual(count - quarter, count) - usual(2 * quarter, 3 * quarter);
    if (systems > 0) *growth = bytes * 1000 / systems;
    if (samples[count - 1].systems < MEMORY_LEAST) return 0;
    return bytes > MEMORY_ALLOWED + MEMORY_ALLOWED_EACH * (systems / 1000);
}
