/* warm.h: small systems of each family, solved so that their kernels are compiled and kept for later runs. */
#ifndef CLS_TOOL_WARM_H
#define CLS_TOOL_WARM_H

#include <clsolve/clsolve.h>

/* One family at one size; a type is given at the run. */
typedef struct warm_step {
    const char *family; /* for people, and the phase of the bar */
    /* On failure the context has the message; ERROR_OUT_OF_MEMORY may be of the host's memory here. */
    clsolve_status (*run)(clsolve_context *context, clsolve_type type, int64_t size);
    int64_t size;
    int on_gpu;    /* 1: a size that has other kernels on devices with memory of their own alone */
    int by_host;   /* 1: where the device is the host's own cores, handles go to the host by themselves */
    int in_double; /* 1: doubles are what it is used with: where the device has double, in double alone */
} warm_step;

extern const warm_step warm_steps[];
extern const int warm_step_count;

#endif
