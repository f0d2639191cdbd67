/*
 * whole_file.h: files that hold all of what is written to them, or what they held before.
 *
 * A regular file, wherever it lies, is written under a temporary name next to it, synced and renamed.
 * Another file (a device, a pipe) is written as it stands: a rename over /dev/null would replace it. So are the names
 * of this process's own descriptors, for a rename would cut those off from what they lead to.
 */
#ifndef CLS_IO_WHOLE_FILE_H
#define CLS_IO_WHOLE_FILE_H

#include <stdio.h>

/* Writes `what` to the stream: 0, or -1 with errno set. Need not flush. */
typedef int (*mm_printer)(FILE *stream, const void *what);

/* 0, or what errno said. "-" is standard output, which is flushed and stays open. An existing file keeps its
 * permissions, a symbolic link stays one; one that leads nowhere is refused with ENOLINK. */
int mm_write_whole(const char *path, mm_printer print, const void *what);

/* Is it a name that the system has for standard output, or "-"? */
int mm_names_standard_output(const char *path);

/* Removes the temporary file that is being written, if there is one. Async-signal-safe, and meant for a handler after
 * which the process ends; it runs on the thread that writes. */
void mm_discard_temporary(void);

#endif
