/* memory.h: every allocation of the library on the host goes through here, so that one place can fail it. */
#ifndef CLS_MEMORY_H
#define CLS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* count * size bytes, zeroed; NULL when memory is short or the product overflows. Zero bytes gives a valid pointer.
 * Much memory comes in large pages. */
void *cls_alloc(size_t count, size_t size);

/* Asks for large pages for memory that nobody has touched: it comes into being in a fraction of the time then. */
void cls_large_pages(void *memory, size_t bytes);

/* NULL is fine. */
void cls_free(void *memory);

/* Bytes of memory that this host has, used or not; 0: unknown. Systems that promise more than there is end a process
 * that takes it at its word: what can never fit is better not asked for. */
int64_t cls_host_memory(void);

#endif
