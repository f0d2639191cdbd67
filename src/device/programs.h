/*
 * programs.h: programs by name and options, for every backend: from the device's list, compiled with the library
 * (shipped.h), from the cache on disk, or from the backend's compiler. cls_program_get, cls_recall and cls_remember are
 * the operations of that name in a device's table.
 *
 * Compilers take a second for a program and one core, so programs are announced before they are needed:
 *
 *      device->announcing = 1;     cls_program_get begins to compile and returns at once, with no program
 *      status = build(...);        the code that will ask for the programs, which makes no kernel of them now
 *      device->announcing = 0;
 *      status = build(...);        waits for each of them
 *
 * Threads of a pool of the device's own compile what was announced, in the order of the announcements. A failure is
 * told where the program is asked for, in the words that it has without threads; the next asking compiles anew.
 * Programs that were announced and never asked for cost time, and no failure. cls_programs_destroy waits for all of
 * them.
 *
 * The source is cl/dialect.clh and then cl/<name>.cl. A binary from the cache that the driver refuses counts as no
 * binary: the program is compiled and stored anew. A program is stored by the thread that has compiled it, at once.
 */
#ifndef CLS_PROGRAMS_H
#define CLS_PROGRAMS_H

#include "device/device.h"
#include "device/kernels.h"

struct cls_program {
    void *handle;  /* the backend's; NULL while it is compiled */
    int is_shared; /* with twins: the shelf releases it */
    char *name, *options;
    struct cls_build *build; /* under way; NULL: there is a handle */
    cls_program *next;
};

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

/* While device->announcing is set, *program becomes NULL, and kernel_create makes no kernel of that. With
 * device->ahead 1 too the program is compiled before the call returns: for a thread that nobody waits for. With 2
 * nothing is made, and ERROR_BUILD without a message says that the program would have to be compiled. */
clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program);
int cls_recall(cls_device *device, const char *name);
void cls_remember(cls_device *device, const char *name, int number);
/* The same with more than a number. 0: nothing of this size is known, and `to` is as it was. */
int cls_recall_bytes(cls_device *device, const char *name, void *to, size_t size);
void cls_remember_bytes(cls_device *device, const char *name, const void *from, size_t size);

/* The key of all kernels together, in hex. */
void cls_kernels_key(const cls_kernel_source *sources, char key[33]);

/* `twin` is another device of the same driver's context (cls_device_ops.twin): from now on each finds the programs that
 * the other has made, as they are. The last of them to be destroyed releases these. OUT_OF_MEMORY. */
clsolve_status cls_programs_share(cls_device *device, cls_device *twin);

/* All of the device's list. */
void cls_programs_destroy(cls_device *device);

#endif
