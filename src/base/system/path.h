/* path.h: files by their names, as the command has them from its caller: any place, any kind. Names are UTF-8 on
 * Windows. Functions that give an int give 0 or an errno, unless they say otherwise. */
#ifndef CLS_SYSTEM_PATH_H
#define CLS_SYSTEM_PATH_H

#include <stdint.h>
#include <stdio.h>

typedef enum cls_path_kind {
    CLS_PATH_FILE,
    CLS_PATH_FOLDER,
    CLS_PATH_CHARACTERS, /* a terminal, /dev/null */
    CLS_PATH_OTHER
} cls_path_kind;

typedef struct cls_path_about {
    cls_path_kind kind;
    int mode;                /* POSIX: the permissions */
    uint64_t device, number; /* the same two for two names: it is the same file */
} cls_path_about;

/* ENOENT: nothing has the name. Links are followed. */
int cls_path_look(const char *path, cls_path_about *about);
int cls_path_look_at(FILE *stream, cls_path_about *about);
/* 1: the name is that of a link, wherever it leads. */
int cls_path_is_link(const char *path);
/* Whether this process may write to the file; `folder`: may make files in the folder. */
int cls_path_may_write(const char *path, int folder);
/* The last separator of folders; NULL: it has none. */
const char *cls_path_slash(const char *path);
/* Whether two names in one folder are the same: on Windows capitals are as good as small letters. */
int cls_path_same_name(const char *a, const char *b);
/* The path without links, for free(); NULL with errno. */
char *cls_path_real(const char *path);

/* As fopen and fdopen with these modes, "r" or "w"; nothing changes line ends. */
FILE *cls_path_open(const char *path, const char *mode);
FILE *cls_path_stream(int file, const char *mode);
/* A new file for writing, with the permissions that fopen gives, or those of `like`. -1 with errno. */
int cls_path_create(const char *path);
int cls_path_permit(int file, const cls_path_about *like);
/* All that was written to the stream is on the disk then. */
int cls_path_sync(FILE *stream);
/* `from` gets the name `to`, in the place of what had it. */
int cls_path_replace(const char *from, const char *to);
/* May be called by a signal's handler. */
void cls_path_remove(const char *path);

#endif
