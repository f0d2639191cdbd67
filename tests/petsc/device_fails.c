/*
 * device_fails.c: a device that fails in the middle of the work of one process, to be loaded by LD_PRELOAD. In the process
 * of the rank FAILING_RANK each launch of a kernel behind the first FAILING_AFTER fails. OpenCL's loader has the others.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int (*Launch)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                         const cl_event *, cl_event *);

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list,
                              cl_event *event) {
    static int launches; /* clsolve's calls on a context do not overlap, and a process here has one context */
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *failing = getenv("FAILING_RANK"),
               *after = getenv("FAILING_AFTER");
    Launch launch = NULL;
    void *found = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    if (rank && failing && after && strcmp(rank, failing) == 0 && ++launches > atoi(after)) return CL_OUT_OF_RESOURCES;
    if (!found) return CL_INVALID_VALUE;
    memcpy(&launch, &found, sizeof launch); /* ISO C has no conversion from a pointer to data to one to a function */
    return launch(queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}
