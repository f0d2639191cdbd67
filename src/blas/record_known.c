/*
 * record_known.c: records that come with the library, for devices on which the search was run, whatever their driver: a
 * record that the user's own search stored goes before. The rows stand in tuning/known_devices.inc.
 */
#include <string.h>

#include "blas/record.h"
#include "tuning/known.h"

#define CLS_KNOWN_PRODUCT(platform, name, kind, type, gflops, ...)                                                     \
    {platform, name, CLSOLVE_DEVICE_##kind, CLSOLVE_##type, {__VA_ARGS__, gflops, 0, 0}},

static const struct known {
    const char *platform, *name;
    clsolve_device_type device;
    clsolve_type type;
    cls_record record;
} records[] = {
#include CLS_KNOWN_DEVICES
    {.platform = NULL},
};

int cls_record_known(const clsolve_device_info *info, clsolve_type type, cls_record *record) {
    for (const struct known *known = records; known->platform; known++) {
        if (known->device == info->type && known->type == type && strstr(info->platform, known->platform) &&
            strstr(info->name, known->name) && cls_tile_fits(&known->record.tile, info, type)) {
            *record = known->record;
            return 1;
        }
    }
    return 0;
}
