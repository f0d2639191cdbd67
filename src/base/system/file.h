/* file.h: files by their descriptors. All are read and written as bytes; no line end is changed. */
#ifndef CLS_SYSTEM_FILE_H
#define CLS_SYSTEM_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A file for reading; -1 with errno. `regular`: whatever else has the name is refused, and a pipe is not waited for. */
int cls_file_open(const char *path, int regular);
/* 0, or -1 with errno: also that a disk is full can show here. */
int cls_file_close(int file);

/* The bytes of a regular file; -1: it is none. */
int64_t cls_file_bytes(int file);

/* Some bytes, at most `most`; 0 at the end, -1 with errno. */
int64_t cls_file_take(int file, void *to, size_t most);

/* Exactly so many bytes, from where the file is or from `offset` on. 0: they could not be read or written. */
int cls_file_read(int file, void *to, size_t bytes);
int cls_file_read_at(int file, void *to, size_t bytes, uint64_t offset);
int cls_file_write(int file, const void *from, size_t bytes);

#endif
