#define _POSIX_C_SOURCE 200809L

#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int cls_file_open(const char *path, int regular) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
    if (file < 0 || !regular || cls_file_bytes(file) >= 0) return file;
    (void)close(file);
    errno = EINVAL;
    return -1;
}

int cls_file_close(int file) {
    return close(file);
}

int64_t cls_file_bytes(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : -1;
}

int64_t cls_file_take(int file, void *to, size_t most) {
    ssize_t got;
    do {
        got = read(file, to, most);
    } while (got < 0 && errno == EINTR);
    return got;
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

int cls_file_read_at(int file, void *to, size_t bytes, uint64_t offset) {
    for (char *at = to; bytes > 0;) {
        const ssize_t got = pread(file, at, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        at += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return 1;
}

int cls_file_write(int file, const void *from, size_t bytes) {
    for (const char *at = from; bytes > 0;) {
        const ssize_t put = write(file, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        at += put;
        bytes -= (size_t)put;
    }
    return 1;
}
