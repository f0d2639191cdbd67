/* compare.c: descriptions of devices compared, for backends and for the list of them. */
#include "device/backend.h"

#include <ctype.h>
#include <stdio.h>

int cls_same_text(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return tolower((unsigned char)*a) == tolower((unsigned char)*b);
}

int cls_device_same(const clsolve_device_info *a, const clsolve_device_info *b) {
    return cls_same_text(a->name, b->name) && cls_same_text(a->vendor, b->vendor) &&
           cls_same_text(a->platform, b->platform) && cls_same_text(a->version, b->version) &&
           cls_same_text(a->driver, b->driver);
}

int cls_device_too_old(const clsolve_device_info *info) {
    int major, minor;
    if (sscanf(info->version, "OpenCL %d.%d", &major, &minor) != 2)
        return 0; /* another backend, or a driver that errs */
    return major < 1 || (major == 1 && minor < 2);
}
