/* reason.h: why a file cannot be read or written, for people. */
#ifndef CLS_IO_REASON_H
#define CLS_IO_REASON_H

enum { MM_REASON = 320 };

/* What `error`, an errno of `path` or ENOLINK of mm_write_whole, means, and what to do where that is known. Returns
 * `out`. */
const char *mm_reason(char out[MM_REASON], const char *path, int error);

#endif
