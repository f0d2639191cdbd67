/* buffer.h: what a cls_buffer is, for the backends; methods never look inside. */
#ifndef CLS_BUFFER_RECORD_H
#define CLS_BUFFER_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "device/device.h"

struct cls_buffer {
    void *memory;           /* the backend's name for it: a cl_mem; a CUdeviceptr as a pointer */
    void *shadow;           /* OpenCL: mapped in its place where its owner has forbidden it the host; else NULL */
    int64_t serial;         /* OpenCL: no other buffer of the device had it, though `memory` may come again */
    size_t bytes;           /* as asked for; the driver's buffer has at least one */
    cls_pinned *pinned;     /* CUDA: its memory is the host's; else NULL */
    bool adopted;           /* the caller's: not counted. The next four tell of such a one */
    bool unread, unwritten; /* its owner keeps kernels from reading it, from writing it */
    const void *whole; /* the buffer that it is a part of, perhaps itself; NULL: the memory that addresses are of */
    size_t begin;      /* where it begins in there */
    char *held;        /* where it is mapped, or NULL */
    int holds;         /* maps without their unmap yet */
};

/* facts.c: no device has room for a buffer of so many bytes; `why`: what the driver said, or "". */
clsolve_status cls_buffer_too_much(const cls_device *device, size_t bytes, const char *why);
/* Many drivers take the memory only when a command first uses it, so what cannot ever fit is refused here. */
clsolve_status cls_buffer_check(const cls_device *device, size_t bytes);

#endif
