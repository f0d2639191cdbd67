/* recall.c: see recall.h. */
#include "device/recall.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/compiler.h"

cls_cache_key cls_device_key(cls_device *device, const char *dialect, const char *source, const char *options) {
    char identity[256] = "";
    const clsolve_device_info *info = &device->info;
    device->compiler->identity(device, identity, sizeof identity);
    const char *fields[] = {dialect,      source,        options,        info->name, info->vendor,
                            info->driver, info->version, info->platform, identity};
    return cls_cache_key_of(fields, sizeof fields / sizeof fields[0]);
}

void cls_kernels_key(const cls_kernel_source *sources, char key[33]) {
    cls_cache_key all = {{0}};
    for (const cls_kernel_source *s = sources; s->name; s++) {
        for (int i = 0; i < 16; i++) (void)snprintf(key + 2 * i, 3, "%02x", all.bytes[i]);
        const char *const fields[] = {key, s->name, s->text};
        all = cls_cache_key_of(fields, 3);
    }
    for (int i = 0; i < 16; i++) (void)snprintf(key + 2 * i, 3, "%02x", all.bytes[i]);
}

cls_cache_key cls_name_key(cls_device *device, const char *kind, const char *name) {
    if (!device->kernels_key[0]) cls_kernels_key(cls_kernel_sources, device->kernels_key);
    return cls_device_key(device, kind, device->kernels_key, name);
}

int cls_recall_bytes(cls_device *device, const char *name, void *to, size_t size) {
    size_t bytes = 0;
    if (!device->cache_folder) return 0;
    cls_cache_key key = cls_name_key(device, "number", name);
    void *stored = cls_cache_load(device->cache_folder, &key, &bytes);
    int fits = stored && bytes == size;
    if (fits) memcpy(to, stored, size);
    cls_free(stored);
    return fits;
}

void cls_remember_bytes(cls_device *device, const char *name, const void *from, size_t size) {
    if (!device->cache_folder) return;
    cls_cache_key key = cls_name_key(device, "number", name);
    cls_cache_store(device->cache_folder, &key, from, size);
}

int cls_recall(cls_device *device, const char *name) {
    int number = 0;
    (void)cls_recall_bytes(device, name, &number, sizeof number);
    return number;
}

void cls_remember(cls_device *device, const char *name, int number) {
    cls_remember_bytes(device, name, &number, sizeof number);
}
