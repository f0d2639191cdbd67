/* played_cuda.h: what a GPU that is played through CUDA has more than another (played.h). */
#ifndef CLS_PACK_PLAYED_CUDA_H
#define CLS_PACK_PLAYED_CUDA_H

#include "device/device.h"

/* In the place of the host's device one with the room of a CUDA device, in which cuBLAS looks for the driver. On
 * failure the device is destroyed. */
clsolve_status played_cuda_widen(cls_device **device);

/* The facts of the device, as cls_cuda_create has them. */
void played_cuda_set(cls_device *device, int capability, int double_ratio);

#endif
