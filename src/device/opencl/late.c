/*
 * late.c: kernels that are compiled when they are launched. PoCL compiles a kernel for the work-group of its launch,
 * and keeps the code in its own cache. So one process at a time launches a kernel for the first time, and others that
 * want the same wait until it runs: then PoCL finds the code. A caller may hold up a queue of its own, so nobody waits
 * there.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "device/opencl/opencl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device/recall.h"

int cls_opencl_is_pocl(const cls_device *device) {
    return strcmp(device->info.platform, "Portable Computing Language") == 0;
}

/* PoCL has code of its own for grids below 65536 in each direction. */
static cls_launched launched_of(const cls_grid *grid) {
    enum { WIDE = 65535 };
    cls_launched now = {.local = {grid->local[0], grid->local[1], grid->local[2]}};
    for (int d = 0; d < 3; d++) now.wide = now.wide || grid->global[d] >= WIDE;
    return now;
}

/* 1: nobody needs to know, because it was launched so before, or so often in other ways. */
static int is_known(cls_kernel *kernel, const cls_launched *now) {
    enum { MOST = sizeof kernel->launched / sizeof *kernel->launched };
    for (int k = 0; k < kernel->launched_count; k++) {
        const cls_launched *before = &kernel->launched[k];
        if (before->wide == now->wide && memcmp(before->local, now->local, sizeof now->local) == 0) return 1;
    }
    if (kernel->launched_count == MOST) return 1;
    kernel->launched[kernel->launched_count++] = *now;
    return 0;
}

cls_late cls_opencl_late_begin(cls_device *device, cls_kernel *kernel, const cls_grid *grid) {
    const cls_launched now = launched_of(grid);
    const cls_program *program = kernel->late;
    cls_late late = {.claim = -1};
    char name[128] = "", text[1024];
    if (is_known(kernel, &now)) return late;
    if (clGetKernelInfo(kernel->handle, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL) != CL_SUCCESS)
        return late;
    (void)snprintf(text, sizeof text, "%s %zu %zu %zu %d %s %s", name, now.local[0], now.local[1], now.local[2],
                   now.wide, program->name, program->options);
    late.key = cls_name_key(device, "launch", text);
    late.claim = cls_cache_claim(device->cache_folder, &late.key, &device->waiting, device->stop);
    return late;
}

static int is_compiled(cl_event event) {
    cl_int state = CL_COMPLETE;
    const cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code != CL_SUCCESS || state <= CL_RUNNING;
}

void cls_opencl_late_end(cls_device *device, const cls_late *late, cl_event event) {
    enum { PAUSE = 100, MOST = 5000000 }; /* microseconds; a launch may wait for longer ones before it */
    /* Pauses grow with the wait: to look 2,000 times while a kernel compiles would take a tenth of the time. */
    for (int waited = 0, pause = PAUSE; event && waited < MOST && !is_compiled(event); waited += pause) {
        pause = waited / 32 > PAUSE ? waited / 32 : PAUSE;
        const struct timespec time = {.tv_nsec = 1000L * pause};
        (void)nanosleep(&time, NULL);
    }
    cls_cache_unclaim(device->cache_folder, &late->key, late->claim);
}
