/* memory.h: every allocation of the library on the host goes through here, so that one place can fail it. */
#ifndef CLS_MEMORY_H
#define CLS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/system/host.h" /* how much memory there is, and its pages */

/* count * size bytes, zeroed; NULL when memory is short or the product overflows. Zero bytes gives a valid pointer.
 * Much memory comes in large pages. */
void *cls_alloc(size_t count, size_t size);

/* NULL is fine. */
void cls_free(void *memory);

#endif
