/*
 * shipped.c: which archive of compiled programs serves a GPU. Machine code for sm_86 runs on 8.6 and on later minors of
 * 8, and PTX on each GPU that is no older, where the driver compiles it. So the archives are tried from the GPU's own
 * capability down to the first of its generation, then PTX.
 */
#include "device/cuda/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static cls_shipped *open_archive(int capability) {
    char target[32], *folder = cls_shipped_folder();
    cls_shipped *archive = NULL;
    if (!folder) return NULL;
    for (int c = capability; !archive && c >= capability / 10 * 10; c--) {
        (void)snprintf(target, sizeof target, "sm_%d", c);
        archive = cls_shipped_open(folder, target);
    }
    if (!archive) archive = cls_shipped_open(folder, "ptx");
    if (archive && cls_shipped_capability(archive) > capability) {
        cls_shipped_close(archive);
        archive = NULL;
    }
    cls_free(folder);
    return archive;
}

cls_cache_key cls_cuda_shipped_key(int capability, int own, const cls_source *source) {
    static const char unit[] = "-DCLS_UNIT=";
    char options[512];
    const char *at = strstr(source->options, unit);
    int used = snprintf(options, sizeof options, "%s", source->options);
    if (at && atoi(at + sizeof unit - 1) == own) {
        const char *rest = at + sizeof unit - 1;
        rest += strspn(rest, "0123456789");
        used = snprintf(options, sizeof options, "%.*s%s%d%s", (int)(at - source->options), source->options, unit,
                        capability, rest);
    }
    if (used < 0 || (size_t)used >= sizeof options) return (cls_cache_key){{0}};
    return cls_shipped_key(source->texts[0], source->texts[2], options);
}

void *cls_cuda_shipped(cls_device *base, const cls_source *source, size_t *bytes) {
    cls_cuda *device = cls_cuda_of(base);
    if (!device->looked_for) device->shipped = open_archive(device->capability);
    device->looked_for = true;
    if (!device->shipped) return NULL;
    const cls_cache_key key = cls_cuda_shipped_key(cls_shipped_capability(device->shipped), device->capability, source);
    return cls_shipped_load(device->shipped, &key, bytes);
}
