/*
 * record_known.c: records that come with the library, for devices on which the search was run, whatever their driver: a
 * record that the user's own search stored goes before. Only what was measured stands here, with how.
 */
#include "blas/record.h"

#include <string.h>

static const struct known {
    const char *platform, *name; /* parts of what the driver gives */
    clsolve_device_type device;
    clsolve_type type;
    cls_record record;
} records[] = {
    /* PoCL 3.1, 2 cores of an AMD EPYC with AVX-512, n = 512, 2026-11-21, other work beside it: the ratios of two runs,
     * the lower ones. There OpenBLAS multiplies, so these count where CLSOLVE_BLAS asks for them. */
    {"Portable Computing Language",
     "EPYC",
     CLSOLVE_DEVICE_CPU,
     CLSOLVE_F64,
     {{8, 48, 8, 8, 6, 4, 0, 0, 0},
      {{2.06, 7.09, 4.98, 6.92}, {2.25, 6.22, 5.63, 4.39}, {1.86, 4.16, 3.77, 3.81}, {1.55, 4.86, 4.78, 3.92}}}},
    {"Portable Computing Language",
     "EPYC",
     CLSOLVE_DEVICE_CPU,
     CLSOLVE_F32,
     {{16, 48, 16, 16, 6, 8, 0, 0, 0},
      {{3.10, 12.00, 4.40, 11.97}, {1.75, 5.32, 4.22, 6.83}, {2.85, 5.99, 4.85, 9.28}, {3.25, 4.53, 3.43, 4.29}}}},
    /* NVIDIA H200, driver 580.159.04, n = 4096, 2026-11-21, one run on an idle GPU. The matrix unit's kernel goes
     * first. */
    {"NVIDIA CUDA",
     "H200",
     CLSOLVE_DEVICE_GPU,
     CLSOLVE_F64,
     {{64, 128, 16, 8, 8, 2, 1, 1, 1},
      {{1.43, 2.43, 3.07, 2.05}, {1.25, 1.92, 2.48, 1.73}, {1.47, 2.66, 3.03, 2.06}, {1.45, 2.38, 2.96, 2.03}}}},
    {"NVIDIA CUDA",
     "H200",
     CLSOLVE_DEVICE_GPU,
     CLSOLVE_F32,
     {{128, 64, 32, 8, 4, 2, 1, 1, 1},
      {{2.08, 1.63, 2.03, 1.63}, {2.06, 1.63, 2.00, 1.56}, {2.00, 1.72, 2.08, 1.65}, {1.94, 1.27, 1.51, 1.32}}}},
};

int cls_record_known(const clsolve_device_info *info, clsolve_type type, cls_record *record) {
    for (size_t k = 0; k < sizeof records / sizeof records[0]; k++) {
        const struct known *known = &records[k];
        if (known->device == info->type && known->type == type && strstr(info->platform, known->platform) &&
            strstr(info->name, known->name) && cls_tile_fits(&known->record.tile, info, type)) {
            *record = known->record;
            return 1;
        }
    }
    return 0;
}
