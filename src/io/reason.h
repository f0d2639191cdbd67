/* reason.h: why a file cannot be read or written, for people. */
#ifndef CLS_IO_REASON_H
#define CLS_IO_REASON_H

enum { MM_REASON = 320 };

/* Explains `error`, an errno of `path` or ENOLINK of mm_write_whole, with a remedy if one is known. Returns `out`. */
const char *mm_reason(char out[MM_REASON], const char *path, int error);

#endif
