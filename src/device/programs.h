/*
 * programs.h: programs by name and options, for every backend: from the device's list, compiled with the library
 * (shipped.h), from the cache on disk, or from the backend's compiler. cls_program_get is program_get of a device's
 * table.
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

#include "device/compiler.h"
#include "device/device.h"

struct cls_program {
    void *handle;  /* the backend's; NULL while it is compiled */
    int is_shared; /* with twins: the shelf releases it */
    char *name, *options;
    struct cls_build *build; /* under way; NULL: there is a handle */
    cls_program *next;
};

/* While device->announcing is set, *program becomes NULL, and kernel_create makes no kernel of that. With
 * device->ahead 1 too the program is compiled before the call returns: for a thread that nobody waits for. With 2
 * nothing is made, and ERROR_BUILD without a message says that the program would have to be compiled. */
clsolve_status cls_program_get(cls_device *device, const char *name, const char *options, cls_program **program);

/* All of the device's list. */
void cls_programs_destroy(cls_device *device);

#endif
