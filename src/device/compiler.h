/* compiler.h: what a backend's compiler does for device/programs.c. */
#ifndef CLS_COMPILER_H
#define CLS_COMPILER_H

#include "device/device.h"

typedef struct cls_source {
    const char *name, *options;
    const char *texts[3]; /* the dialect, a line that names the file for the compiler's log, the file */
} cls_source;

/* A compiled program: the backend's handle, the binary for the cache from cls_alloc, or both. */
typedef struct cls_made {
    void *handle, *binary;
    size_t bytes;
} cls_made;

/* A backend's compiler. */
struct cls_compiler {
    /* All that decides what the compiler makes of a source, beyond the device's info. */
    void (*identity)(cls_device *device, char *text, size_t size);

    /* The program of a binary that `compile` once gave; NULL: refused. By several threads at once. */
    void *(*load)(cls_device *device, const void *binary, size_t bytes, const char *options);

    /* The binary of a program that was compiled with the library, from cls_alloc; NULL: there is none. On the thread
     * that drives the device. NULL: no backend's programs are. */
    void *(*shipped)(cls_device *device, const cls_source *source, size_t *bytes);

    /* Threads with which programs compile sooner than with one, at most; 0: none, so nothing is announced. NULL: as
     * many as there are. */
    int (*threads)(const cls_device *device);

    /* Gets what `compile` needs, on the thread that drives the device. NULL: nothing. */
    clsolve_status (*prepare)(cls_device *device);
    /* Called by several threads at once, each with its own `error` and `made`. `wanted`: the binary too, where it can
     * be had and costs nothing. On failure ERROR_BUILD with the compiler's log, or what else it was. */
    clsolve_status (*compile)(cls_device *device, const cls_source *source, int wanted, cls_error *error,
                              cls_made *made);
    /* The handle of what has none yet; by the thread that drives the device. NULL: `compile` gives one. */
    clsolve_status (*finish)(cls_device *device, cls_made *made);
    void (*release)(cls_device *device, void *handle);
};

#endif
