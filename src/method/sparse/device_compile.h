/* device_compile.h (private): the kernels of fronts on the device, compiled before there are factors. */
#ifndef CLS_SPARSE_DEVICE_COMPILE_H
#define CLS_SPARSE_DEVICE_COMPILE_H

#include "method/fronts_device/device.h"

/* All that decides which kernels factors have. */
typedef struct cls_front_shape {
    clsolve_type type; /* of the factors */
    clsolve_sparse_form form;
    int kinds; /* a bit for each kind of front, for SMALL ones that are not tiny, and for the size of the largest */
    cls_front_class whole[CLS_FRONT_KINDS]; /* as in cls_sparse_device, with a count of 1 or 0 */
} cls_front_shape;

cls_front_shape cls_front_shape_of(const cls_sparse_device *sparse);
/* As it will be, if the largest front has about so many pivots. */
cls_front_shape cls_front_shape_foreseen(clsolve_type type, clsolve_sparse_form form, int64_t pivots);
/* The device's compiler begins with them. */
void cls_front_announce(cls_device *device, const cls_front_shape *shape);
/* Nothing has to be compiled for them. */
int cls_front_is_compiled(cls_device *device, const cls_front_shape *shape);
/* Compiles these kernels, and keeps none: for a thread with a twin of the device. Later runs recall them. */
clsolve_status cls_front_compile(cls_device *device, const cls_front_shape *shape);
/* The device's folder has kernels of all these kinds; or has them from now on. */
int cls_front_recall(cls_device *device, const cls_front_shape *shape);
void cls_front_remember(cls_device *device, const cls_front_shape *shape);

#endif
