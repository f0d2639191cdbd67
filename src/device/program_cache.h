/* program_cache.h: compiled programs on disk, for every backend: a folder, a key, bytes. program_cache.c has the layout. */
#ifndef CLS_PROGRAM_CACHE_H
#define CLS_PROGRAM_CACHE_H

#include <stddef.h>

typedef struct cls_cache_key {
    unsigned char bytes[16];
} cls_cache_key;

/* The folder to use for `wanted` (clsolve_context_options.cache_folder), from cls_alloc; NULL: no cache. */
char *cls_cache_folder(const char *wanted);
/* The hash of the fields, in order; NULL fields count as empty. */
cls_cache_key cls_cache_key_of(const char *const *fields, size_t count);
/* What was stored under the key, from cls_alloc; NULL when it is not there or not sound. */
void *cls_cache_load(const char *folder, const cls_cache_key *key, size_t *bytes);
/* Stores it; a failure is no concern of the caller's. */
void cls_cache_store(const char *folder, const cls_cache_key *key, const void *payload, size_t bytes);

#endif
