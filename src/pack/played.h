/*
 * played.h: GPUs that are not there, played well enough that methods ask for the programs that they would ask for on
 * them. A played GPU has the facts of a real one, memory of the host, and no compiler: a launch does nothing, so all
 * numbers are zeros. cuBLAS is played likewise. The program that links it wraps what opens a device and loads cuBLAS
 * (played.wrap). Tests of the makers' compilers and the archives of compiled kernels (pack.c) get their lists by it.
 */
#ifndef CLS_PACK_PLAYED_H
#define CLS_PACK_PLAYED_H

#include "device/device.h"

typedef struct played_gpu {
    const char *target; /* "gfx90a", "dg2": as the compiler calls it, and the selector */
    const char *vendor, *platform, *name, *driver;
    int32_t compute_units;
    int64_t max_work_group, local_memory;
    int fp64, shares_memory;
    cls_sub_groups sub_groups;
    int lanes;      /* of the smallest sub-group, where kernels ask for it (device/opencl/device.c) */
    int capability; /* of NVIDIA's GPUs, 90 for 9.0; they are played through CUDA. 0: through OpenCL */
    int double_ratio;
} played_gpu;

/* Ends with a NULL target. */
extern const played_gpu played_gpus[];

/* Called with each program that is asked for, again and again with the same. */
typedef void (*played_asked)(const char *name, const char *options);

/*
 * The behaviour of the next GPU that is opened. WORKS: self-tests are known to have come out right, from the cache.
 * ERRS: they come out wrong, because nothing computes, and methods take what they fall back to.
 */
typedef enum played_kind { PLAYED_WORKS, PLAYED_ERRS, PLAYED_WITHOUT_SUB_GROUPS } played_kind;
void played_begin(played_asked asked, played_kind kind);

#endif
