#define _XOPEN_SOURCE 700 /* realpath */

#include "base/system/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const struct stat *status, cls_path_about *about) {
    *about = (cls_path_about){S_ISREG(status->st_mode)   ? CLS_PATH_FILE
                              : S_ISDIR(status->st_mode) ? CLS_PATH_FOLDER
                              : S_ISCHR(status->st_mode) ? CLS_PATH_CHARACTERS
                                                         : CLS_PATH_OTHER,
                              (int)status->st_mode & 0777, (uint64_t)status->st_dev, (uint64_t)status->st_ino};
}

int cls_path_look(const char *path, cls_path_about *about) {
    struct stat status;
    if (stat(path, &status) != 0) return errno;
    tell(&status, about);
    return 0;
}

int cls_path_look_at(FILE *stream, cls_path_about *about) {
    struct stat status;
    if (fstat(fileno(stream), &status) != 0) return errno;
    tell(&status, about);
    return 0;
}

int cls_path_is_link(const char *path) {
    struct stat link;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
}

int cls_path_may_write(const char *path, int folder) {
    return access(path, folder ? W_OK | X_OK : W_OK) == 0 ? 0 : errno;
}

const char *cls_path_slash(const char *path) {
    return strrchr(path, '/');
}

int cls_path_same_name(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

char *cls_path_real(const char *path) {
    return realpath(path, NULL);
}

FILE *cls_path_open(const char *path, const char *mode) {
    return fopen(path, mode);
}

FILE *cls_path_stream(int file, const char *mode) {
    return fdopen(file, mode);
}

int cls_path_create(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int cls_path_permit(int file, const cls_path_about *like) {
    return fchmod(file, (mode_t)like->mode) == 0 ? 0 : errno;
}

int cls_path_sync(FILE *stream) {
    return fsync(fileno(stream)) == 0 ? 0 : errno;
}

int cls_path_replace(const char *from, const char *to) {
    return rename(from, to) == 0 ? 0 : errno;
}

void cls_path_remove(const char *path) {
    (void)unlink(path);
}
