/* program_cache.h: compiled programs on disk, for every backend: a folder, a key, bytes. program_cache.c has the
 * layout. Small files of other kinds lie next to them (blas/record.h). */
#ifndef CLS_PROGRAM_CACHE_H
#define CLS_PROGRAM_CACHE_H

#include <stdatomic.h>
#include <stddef.h>

typedef struct cls_cache_key {
    unsigned char bytes[16];
} cls_cache_key;

/*
 * The folder to use for `wanted` (clsolve_context_options.cache_folder), as an absolute path from cls_alloc; NULL: no
 * cache. `why`, of `size`, says which folder is not used where others may write to it or another user owns it; else it
 * stays as it is. The calls below examine the folder again, and each file: what is not to be used is not there.
 */
char *cls_cache_folder(const char *wanted, char *why, size_t size);
/* The hash of the fields, in order; NULL fields count as empty. At least one. */
cls_cache_key cls_cache_key_of(const char *const *fields, size_t count);
/* The bytes that were stored under the key, from cls_alloc; NULL when it is not there or not sound. */
void *cls_cache_load(const char *folder, const cls_cache_key *key, size_t *bytes);
/* Stores it; a failure is no concern of the caller's. */
void cls_cache_store(const char *folder, const cls_cache_key *key, const void *payload, size_t bytes);

/* How long this process waits for others, in all its claims. */
typedef struct cls_waiting {
    int most;           /* milliseconds for one claim; 0: half a minute */
    atomic_int ran_out; /* 1: another process has taken longer, and nobody is waited for any more */
} cls_waiting;

/*
 * One process at a time compiles for a key: cls_cache_claim waits until no other has claimed it, and gives a number for
 * cls_cache_unclaim; what the other has stored is then there. -1: nothing is claimed, because no file can be locked
 * there, a wait ran out, or, where `stop` is no NULL, it is set or the process ends. A process that dies has claimed
 * nothing; one that is stopped holds up others once.
 */
int cls_cache_claim(const char *folder, const cls_cache_key *key, cls_waiting *waiting, const atomic_int *stop);
void cls_cache_unclaim(const char *folder, const cls_cache_key *key, int claim);

/*
 * A file of its own form in that folder, `name` beginning with '/'. cls_cache_read: at most `size` bytes into `room`; 0
 * where it is not there. cls_cache_replace: header and payload, one after the other, in the place of what was there,
 * whole or not at all; 0, and why in `why`, where that could not be. cls_cache_writable: whether one could now.
 */
int cls_cache_read(const char *folder, const char *name, void *room, size_t size, size_t *bytes);
int cls_cache_writable(const char *folder, char *why, size_t why_size);
int cls_cache_replace(const char *folder, const char *name, const void *header, size_t header_bytes,
                      const void *payload, size_t bytes, char *why, size_t why_size);

#endif
