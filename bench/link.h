/* link.h: how fast pinned memory of the host crosses to a device and back, in plain OpenCL: what no copy of ours can pass. */
#ifndef CLSOLVE_BENCH_LINK_H
#define CLSOLVE_BENCH_LINK_H

#include <clsolve/context.h>

/* Bytes a second of one large copy in each direction alone, the best of a few; 0 where it cannot be measured. */
typedef struct bench_link {
    double up, down;
} bench_link;

bench_link bench_measure_link(const clsolve_device_info *device);

#endif
