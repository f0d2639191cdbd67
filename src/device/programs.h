/*
 * programs.h: programs by name and options, for every backend: from the device's list, from the cache on disk, or from the
 * backend's compiler. cls_program_get, cls_recall and cls_remember are the operations of that name in a device's table.
 *
 * The source is cl/dialect.clh and then cl/<name>.cl. A binary from the cache that the driver refuses counts as no
 * binary: the program is compiled and stored anew.
 */
#ifndef CLS_PROGRAMS_H
#define CLS_PROGRAMS_H

#include "device/device.h"

struct cls_program {
    void *handle; /* the backend's */
    char *name, *options;
    cls_program *next;
};

typedef struct cls_source {
    const char *name, *options;
    const char *texts[3]; /* the dialect, a line that names the file for the compiler's log, the file */
} cls_source;

/* What a backend knows about compiling. */
struct cls_compiler {
    /* All that decides what the compiler makes of a source, beyond the device's info. */
    void (*identity)(cls_device *device, char *text, size_t size);

    /* The program of a binary that `compile` once gave; NULL: refused. */
    void *(*load)(cls_device *device, const void *binary, size_t bytes, const char *options);

    /* A driver may keep compiled kernels itself and compile all of a program's again when asked for the binary. The binary is
     * then asked for after so many builds of the program, whichever process did them; NULL or 1: at the first. */
    int (*builds_before_binary)(const cls_device *device);

    /* *binary, from cls_alloc and for the cache: NULL where it cannot be had. `binary` is NULL where none is wanted. On
     * failure ERROR_BUILD with the compiler's log, or what else it was. */
    clsolve_status (*compile)(cls_device *device, const cls_source *source, void **handle, void **binary,
                              size_t *bytes);
    void (*release)(cls_device *device, void *handle);
};

clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program);
int cls_recall(cls_device *device, const char *name);
void cls_remember(cls_device *device, const char *name, int number);
/* The same with more than a number. 0: nothing of this size is known, and `to` is as it was. */
int cls_recall_bytes(cls_device *device, const char *name, void *to, size_t size);
void cls_remember_bytes(cls_device *device, const char *name, const void *from, size_t size);

/* All of the device's list. */
void cls_programs_destroy(cls_device *device);

#endif
