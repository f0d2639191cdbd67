/* opencl_caller.h: the caller's side of clsolve/opencl.h: a cl_context, a device and a queue of its own, and a context of the
 * library made of these three. */
#ifndef CLSOLVE_TEST_OPENCL_CALLER_H
#define CLSOLVE_TEST_OPENCL_CALLER_H

#include <clsolve/opencl.h>

/* The last argument of a call that enqueues. */
#define EVENTS(count, wait, done) ((const clsolve_events[]){clsolve_opencl_events(count, wait, done)})

typedef struct opencl_caller {
    cl_context cl;
    cl_device_id id; /* the device under test, found by the name that the library gives it */
    cl_command_queue queue;
    clsolve_context *context;
    clsolve_type type; /* double where the device has it, else float */
} opencl_caller;

/* 0, or -1 where there is no such device or a call fails. */
int opencl_caller_open(opencl_caller *caller);
/* 0, or -1 where the context still has buffers. */
int opencl_caller_close(opencl_caller *caller);

#endif
