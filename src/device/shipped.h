/*
 * shipped.h: programs that were compiled when the library was built, in archives of one target each: "sm_90", or "ptx"
 * for GPUs that come later. They lie in the folder clsolve-kernels next to the library; shipped.c has their layout, and
 * src/pack makes them. An archive that is not there, or is not sound, has no programs.
 */
#ifndef CLS_SHIPPED_H
#define CLS_SHIPPED_H

#include <stddef.h>

#include "device/program_cache.h"

/* The hash of all that decides what a compiler makes of a source for one target, but for the compiler's version. */
cls_cache_key cls_shipped_key(const char *dialect, const char *source, const char *options);

/* ---- reading ---- */

typedef struct cls_shipped cls_shipped;

/* The archive of a target in `folder`, open; NULL: there is none, or it is not sound. */
cls_shipped *cls_shipped_open(const char *folder, const char *target);
/* NULL is fine. */
void cls_shipped_close(cls_shipped *archive);
/* 90 for sm_90, and for PTX the least capability of a GPU that runs it. */
int cls_shipped_capability(const cls_shipped *archive);
/* The program under the key, from cls_alloc; NULL: it is not there, or not sound. By one thread at a time. */
void *cls_shipped_load(const cls_shipped *archive, const cls_cache_key *key, size_t *bytes);

/* The folder next to this library, from cls_alloc, or the one that CLSOLVE_KERNELS names; NULL: there is none. */
char *cls_shipped_folder(void);

/* The archive there that serves a GPU of that capability, open: its own machine code, or that of an older GPU of its
 * generation; else, with `or_ptx`, PTX. NULL: there is none. */
cls_shipped *cls_shipped_for(int capability, int or_ptx);
/* cls_shipped_key in an archive of `capability`. The options are those of a device of `own`; where they name that, the
 * archive's stands in its place. Options that are too long: a zero key, which no program has. */
cls_cache_key cls_shipped_key_on(int capability, int own, const char *dialect, const char *source, const char *options);

/* ---- writing ---- */

typedef struct cls_shipped_member {
    cls_cache_key key;
    const char *file; /* the kernel file: members of one are packed together */
    void *payload;
    size_t bytes;
} cls_shipped_member;

/* Writes the archive, and sorts the members; 0: it could not be written, and there is none. */
int cls_shipped_write(const char *folder, const char *target, int capability, cls_shipped_member *members,
                      size_t count);

#endif
