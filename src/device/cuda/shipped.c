/* shipped.c: programs from an archive, or from PTX, which the driver compiles. */
#include "device/cuda/cuda_device.h"

cls_cache_key cls_cuda_shipped_key(int capability, int own, const cls_source *source) {
    return cls_shipped_key_on(capability, own, source->texts[0], source->texts[2], source->options);
}

void *cls_cuda_shipped(cls_device *base, const cls_source *source, size_t *bytes) {
    cls_cuda *device = cls_cuda_of(base);
    if (!device->looked_for) device->shipped = cls_shipped_for(device->capability, 1);
    device->looked_for = true;
    if (!device->shipped) return NULL;
    const cls_cache_key key = cls_cuda_shipped_key(cls_shipped_capability(device->shipped), device->capability, source);
    return cls_shipped_load(device->shipped, &key, bytes);
}
