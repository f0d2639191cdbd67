#define _DEFAULT_SOURCE /* madvise */

#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 * 1024 * 1024, /* bytes of a large page of x86-64 and AArch64 Linux */
    HUGE_FROM = 4 * 1024 * 1024  /* bytes of memory for which large pages are asked for */
};

void cls_large_pages(void *memory, size_t bytes) {
#if defined(MADV_HUGEPAGE)
    uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)memory + bytes) & ~(uintptr_t)(HUGE_PAGE - 1);
    /* Without them it is slower, and no more than that. */
    if (bytes >= HUGE_FROM && begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *cls_alloc(size_t count, size_t size) {
    if (count == 0 || size == 0) count = size = 1;
    void *memory = calloc(count, size);
    if (memory) cls_large_pages(memory, count * size);
    return memory;
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
