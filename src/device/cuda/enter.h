/* enter.h: each operation pushes the device's context, and pops it again. */
#ifndef CLS_CUDA_ENTER_H
#define CLS_CUDA_ENTER_H

#include "device/cuda/cuda_device.h"

clsolve_status cls_cuda_enter(cls_cuda *device);
clsolve_status cls_cuda_leave(cls_cuda *device, clsolve_status status);

/* The call's status, made with the device's context current. */
#define CLS_CUDA_WITHIN(device, call)                                                                                  \
    do {                                                                                                               \
        CLS_TRY(cls_cuda_enter(device));                                                                               \
        return cls_cuda_leave(device, (call));                                                                         \
    } while (0)

#endif
