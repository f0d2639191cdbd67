/*
 * shelf.h: programs that twins share (cls_device_ops.twin), by the key of their source (recall.h). The last twin to
 * leave releases them.
 */
#ifndef CLS_SHELF_H
#define CLS_SHELF_H

#include "device/device.h"
#include "device/program_cache.h"

/* `twin` is another device of the same driver's context: from now on each finds the programs that the other has made,
 * as they are. OUT_OF_MEMORY. */
clsolve_status cls_shelf_share(cls_device *device, cls_device *twin);

/* NULL: it is not there, or there is no shelf. */
void *cls_shelf_find(const cls_device *device, const cls_cache_key *key);
/* 1: the shelf has it now, and the device does not release it. */
int cls_shelf_put(const cls_device *device, const cls_cache_key *key, void *handle);
void cls_shelf_leave(cls_device *device);

#endif
