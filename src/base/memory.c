#define _POSIX_C_SOURCE 200809L

#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

void *cls_alloc(size_t count, size_t size) {
    if (count == 0 || size == 0) count = size = 1;
    return calloc(count, size);
}

void cls_free(void *memory) {
    free(memory);
}

int64_t cls_host_memory(void) {
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) return (int64_t)pages * size;
#endif
    return 0;
}
