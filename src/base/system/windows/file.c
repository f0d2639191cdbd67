#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/system/windows/wide.h"

/* Others may rename and delete the file meanwhile, as elsewhere. */
int cls_file_open(const char *path, int regular) {
    wchar_t *wide = cls_wide_path(path, "");
    if (!wide) return -1;
    const HANDLE handle = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (handle == INVALID_HANDLE_VALUE) (void)cls_windows_errno();
    free(wide);
    if (handle == INVALID_HANDLE_VALUE) return -1;
    const int file = _open_osfhandle((intptr_t)handle, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (file < 0) (void)CloseHandle(handle);
    if (file < 0 || !regular || cls_file_bytes(file) >= 0) return file;
    (void)_close(file);
    errno = EINVAL;
    return -1;
}

int cls_file_close(int file) {
    return _close(file);
}

int64_t cls_file_bytes(int file) {
    struct _stat64 about;
    return _fstat64(file, &about) == 0 && (about.st_mode & _S_IFMT) == _S_IFREG ? about.st_size : -1;
}

static unsigned some(size_t bytes) {
    return bytes < INT_MAX ? (unsigned)bytes : (unsigned)INT_MAX;
}

int64_t cls_file_take(int file, void *to, size_t most) {
    return _read(file, to, some(most));
}

int cls_file_read(int file, void *to, size_t bytes) {
    for (char *at = to; bytes > 0;) {
        const int64_t got = cls_file_take(file, at, bytes);
        if (got <= 0) return 0;
        at += got;
        bytes -= (size_t)got;
    }
    return 1;
}

/* Several threads may read at once: the place is an argument of each call, not the file's. */
int cls_file_read_at(int file, void *to, size_t bytes, uint64_t offset) {
    const HANDLE handle = (HANDLE)_get_osfhandle(file);
    for (char *at = to; bytes > 0;) {
        OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
        DWORD got = 0;
        if (!ReadFile(handle, at, some(bytes), &got, &place) || got == 0) return 0;
        at += got;
        offset += got;
        bytes -= got;
    }
    return 1;
}

int cls_file_write(int file, const void *from, size_t bytes) {
    for (const char *at = from; bytes > 0;) {
        const int put = _write(file, at, some(bytes));
        if (put <= 0) return 0;
        at += put;
        bytes -= (size_t)put;
    }
    return 1;
}
