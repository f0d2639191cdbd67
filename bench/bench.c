#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdlib.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_random(uint64_t seed, double *data, int64_t count) {
    for (int64_t k = 0; k < count; ++k) { /* splitmix64 */
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        data[k] = (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, ascending);
    return count % 2 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
}
