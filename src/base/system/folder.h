/*
 * folder.h: a folder that belongs to its user alone, and the files in it.
 *
 *      cls_folder folder;
 *      if (cls_folder_open(path, &folder, &reason)) {
 *          int file = cls_folder_create(&folder, "new-1");
 *          ...
 *          cls_folder_rename(&folder, "new-1", "sum");
 *          cls_folder_close(&folder);
 *      }
 *
 * A folder or a file that others may write to, or that another user owns, is not used. On POSIX systems the mode bits
 * and the owner say so; the folder stays open, and files are reached from there alone, so that it cannot be exchanged.
 * On Windows the owner and the access list say so: of those who may write, all but the user, the system and its
 * administrators are others. Files are reached by the folder's path there.
 *
 * Paths are UTF-8 on Windows.
 */
#ifndef CLS_SYSTEM_FOLDER_H
#define CLS_SYSTEM_FOLDER_H

#include <stddef.h>
#include <stdint.h>

typedef struct cls_folder {
    int descriptor; /* POSIX */
    void *path;     /* Windows */
} cls_folder;

/* ---- paths ---- */

/* 1: it begins at a root, so that it does not depend on the current folder. */
int cls_folder_is_absolute(const char *path);
/* The same place from the root on. 0: not known, or longer than `size`. */
int cls_folder_absolute(const char *path, char *to, size_t size);
/* The folder in which this user's programs keep what they can make anew: XDG_CACHE_HOME or ~/.cache, on Windows
 * LOCALAPPDATA. 0: there is none, or it is longer than `size`. */
int cls_folder_of_caches(char *to, size_t size);
/* The folder that an environment variable names, from the root on. 0: the variable is not set, empty or no such path,
 * or the folder is longer than `size`. */
int cls_folder_of_variable(const char *name, char *to, size_t size);
/* Makes the folder and those above it, for this user alone. A failure shows when the folder is opened. */
void cls_folder_make(const char *path);

/* ---- an open folder ---- */

/* 0: it is not there, with errno, or, with *reason, it is not to be used. */
int cls_folder_open(const char *path, cls_folder *folder, const char **reason);
void cls_folder_close(cls_folder *folder);

/* A file for reading; -1: there is none that may be used. */
int cls_folder_read(const cls_folder *folder, const char *name);
/* A new file for writing, for this user alone; -1 with errno, EEXIST where the name is taken. */
int cls_folder_create(const cls_folder *folder, const char *name);
/* The file, made where it is not there, with a lock that goes with this process. -1: another process has it, with
 * *busy, or it cannot be locked. */
int cls_folder_lock(const cls_folder *folder, const char *name, int *busy);
/* 1: `from` is `to` now, in the place of what had that name. 0 with errno. */
int cls_folder_rename(const cls_folder *folder, const char *from, const char *to);
void cls_folder_remove(const cls_folder *folder, const char *name);
/* Removes files whose names begin with the prefix and that are older than so many seconds. */
void cls_folder_remove_old(const cls_folder *folder, const char *prefix, int64_t seconds);

#endif
