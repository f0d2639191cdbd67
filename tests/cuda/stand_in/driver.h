/* driver.h: what the files of libcuda.so.1 share, see stand_in.h. */
#ifndef STAND_IN_DRIVER_H
#define STAND_IN_DRIVER_H

#include "stand_in.h"

#include <stdbool.h>
#include <stddef.h>

/* The calling thread's; NULL: it has none. */
CUcontext stand_in_current(void);

#define NEED_CONTEXT()                                                                                                 \
    do {                                                                                                               \
        if (!stand_in_current() || stand_in_current()->retained < 1) return CUDA_ERROR_INVALID_CONTEXT;                \
    } while (0)
#define NEED_STREAM(stream)                                                                                            \
    do {                                                                                                               \
        NEED_CONTEXT();                                                                                                \
        (stream) = stand_in_named(stream);                                                                             \
        if (!(stream) || (stream)->context != stand_in_current()) return CUDA_ERROR_INVALID_HANDLE;                    \
    } while (0)

CUresult stand_in_outcome(cl_int code);

/* Before something is enqueued. */
void stand_in_close(CUstream stream);

/* All streams of all contexts. */
void stand_in_finish_all(void);

/* Of this context, and all of it within one block. */
bool stand_in_is_memory(const void *address, size_t bytes, CUmemorytype type);

#endif
