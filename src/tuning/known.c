/* known.c: the sizes that come with the library. */
#include "tuning/known.h"

#include <string.h>

#include "tuning/fitted.h"

#define CLS_KNOWN_PRODUCT(platform, name, kind, type, gflops, ...)
#define CLS_KNOWN_SIZES(platform, name, kind, type, products, unit, ...)                                               \
    {platform, name, CLSOLVE_DEVICE_##kind, CLSOLVE_##type, products, unit, {__VA_ARGS__}},

static const struct known {
    const char *platform, *name;
    clsolve_device_type device;
    clsolve_type type;
    const char *products;
    int matrix_unit;
    cls_fitted fitted;
} records[] = {
#include CLS_KNOWN_DEVICES
    {.platform = NULL},
};

int cls_fitted_known(const cls_device *device, clsolve_type type, const char *products, cls_fitted *fitted) {
    const clsolve_device_info *info = &device->info;
    for (const struct known *k = records; k->platform; k++)
        if (k->device == info->type && k->type == type && strstr(info->platform, k->platform) &&
            strstr(info->name, k->name) && strcmp(k->products, products) == 0 &&
            k->matrix_unit == device->matrix_unit && cls_fitted_fits(&k->fitted)) {
            *fitted = k->fitted;
            return 1;
        }
    return 0;
}
