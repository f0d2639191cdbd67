#define _DEFAULT_SOURCE /* flock */
#define _POSIX_C_SOURCE 200809L

#include "base/system/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- paths ---- */

static int join(char *to, size_t size, const char *a, const char *between, const char *b) {
    const int length = snprintf(to, size, "%s%s%s", a, between, b);
    return length >= 0 && (size_t)length < size;
}

int cls_folder_is_absolute(const char *path) {
    return path[0] == '/';
}

int cls_folder_absolute(const char *path, char *to, size_t size) {
    char current[PATH_MAX];
    if (path[0] == '/') return join(to, size, path, "", "");
    return getcwd(current, sizeof current) && join(to, size, current, "/", path);
}

int cls_folder_of_variable(const char *name, char *to, size_t size) {
    const char *value = getenv(name);
    return value && value[0] == '/' && join(to, size, value, "", "");
}

/* The XDG base directory specification: a path that is not absolute is to be ignored. */
int cls_folder_of_caches(char *to, size_t size) {
    const char *home = getenv("HOME");
    if (cls_folder_of_variable("XDG_CACHE_HOME", to, size)) return 1;
    return home && home[0] == '/' && join(to, size, home, "", "/.cache");
}

void cls_folder_make(const char *path) {
    char part[PATH_MAX];
    if (!join(part, sizeof part, path, "", "")) return;
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(part, 0700);
        *slash = '/';
    }
    (void)mkdir(part, 0700);
}

/* ---- an open folder ---- */

/* NULL: what was opened may be used. */
static const char *unsafe(const struct stat *about) {
    if (about->st_uid != geteuid()) return "it belongs to another user";
    return about->st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

int cls_folder_open(const char *path, cls_folder *folder, const char **reason) {
    struct stat about;
    const int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *folder = (cls_folder){at, NULL};
    *reason = NULL;
    if (at < 0) return 0;
    if (fstat(at, &about) == 0 && !(*reason = unsafe(&about))) return 1;
    (void)close(at);
    return 0;
}

void cls_folder_close(cls_folder *folder) {
    (void)close(folder->descriptor);
}

/* Not blocking, should there be a pipe under the name. */
int cls_folder_read(const cls_folder *folder, const char *name) {
    struct stat about;
    const int file = openat(folder->descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0) return -1;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && !unsafe(&about)) return file;
    (void)close(file);
    return -1;
}

int cls_folder_create(const cls_folder *folder, const char *name) {
    return openat(folder->descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int cls_folder_lock(const cls_folder *folder, const char *name, int *busy) {
    *busy = 0;
    const int file = openat(folder->descriptor, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    *busy = errno == EWOULDBLOCK;
    (void)close(file);
    return -1;
}

int cls_folder_rename(const cls_folder *folder, const char *from, const char *to) {
    return renameat(folder->descriptor, from, folder->descriptor, to) == 0;
}

void cls_folder_remove(const cls_folder *folder, const char *name) {
    (void)unlinkat(folder->descriptor, name, 0);
}

/* The descriptor that lists the folder is another one, because closedir closes it. */
void cls_folder_remove_old(const cls_folder *folder, const char *prefix, int64_t seconds) {
    struct stat about;
    const int at = openat(folder->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = at >= 0 ? fdopendir(at) : NULL;
    if (!list) {
        if (at >= 0) (void)close(at);
        return;
    }
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        if (fstatat(at, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
        if (time(NULL) - about.st_mtime > seconds) (void)unlinkat(at, entry->d_name, 0);
    }
    (void)closedir(list);
}
