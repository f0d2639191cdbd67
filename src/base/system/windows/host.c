#include "base/system/host.h"

#include "base/system/windows/wide.h"

int cls_host_cores(void) {
    DWORD_PTR mine = 0, all = 0;
    int count = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &mine, &all)) return 1;
    for (; mine; mine &= mine - 1) count++;
    if (count > 0) return count;
    SYSTEM_INFO info; /* threads of several groups of processors: the mask is zero */
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (int)info.dwNumberOfProcessors : 1;
}

int64_t cls_host_memory(void) {
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? (int64_t)status.ullTotalPhys : 0;
}

/* Large pages are a privilege on Windows that few users have. */
void cls_large_pages(void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}

int cls_host_untouched(const void *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
    return 0;
}
