/*
 * recall.h: what is kept between runs under the name of a number, and the keys of all that is kept: a hash of what a
 * device, its driver, its compiler and the kernels are. cls_recall and cls_remember are the operations of that name in
 * a device's table.
 */
#ifndef CLS_RECALL_H
#define CLS_RECALL_H

#include "device/device.h"
#include "device/kernels.h"
#include "device/program_cache.h"

int cls_recall(cls_device *device, const char *name);
void cls_remember(cls_device *device, const char *name, int number);
/* The same with more than a number. 0: nothing of this size is known, and `to` is as it was. */
int cls_recall_bytes(cls_device *device, const char *name, void *to, size_t size);
void cls_remember_bytes(cls_device *device, const char *name, const void *from, size_t size);

/* The key of all kernels together, in hex. */
void cls_kernels_key(const cls_kernel_source *sources, char key[33]);

/* All that decides what the compiler makes of a source. */
cls_cache_key cls_device_key(cls_device *device, const char *dialect, const char *source, const char *options);
/* Whichever kernel changes, what is stored under a name counts no more: a corrected kernel is tested anew. */
cls_cache_key cls_name_key(cls_device *device, const char *kind, const char *name);

#endif
