#define _GNU_SOURCE /* sched_getaffinity, madvise, mincore */

#include "base/system/host.h"

#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 * 1024 * 1024, /* bytes of a large page of x86-64 and AArch64 Linux */
    HUGE_FROM = 4 * 1024 * 1024  /* bytes of memory for which large pages are asked for */
};

int cls_host_cores(void) {
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
#ifdef _SC_NPROCESSORS_ONLN
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count > 0) return count < INT_MAX ? (int)count : INT_MAX;
#endif
    return 1;
}

int64_t cls_host_memory(void) {
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) return (int64_t)pages * size;
#endif
    return 0;
}

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

int cls_host_untouched(const void *memory, size_t bytes) {
    unsigned char resident = 1;
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || bytes < (size_t)(2 * page)) return 0;
    uintptr_t begin = ((uintptr_t)memory + (uintptr_t)page - 1) & ~((uintptr_t)page - 1);
    return mincore((void *)begin, (size_t)page, &resident) == 0 && !(resident & 1);
}
