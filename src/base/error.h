/*
 * error.h: how a failure travels: the place that sees it writes one line into the context's cls_error and
 * returns the status; everyone above only passes the status on.
 */
#ifndef CLS_ERROR_H
#define CLS_ERROR_H

#include <clsolve/status.h>

typedef struct cls_error {
    char text[4096]; /* a compiler's log that is longer is cut, its beginning kept */
} cls_error;

/* Writes the message (printf style, no newline at its end) and returns `status`. `error` may be NULL. */
clsolve_status cls_fail(cls_error *error, clsolve_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ERROR_OUT_OF_MEMORY, "no host memory for " and what it is for (printf style). */
clsolve_status cls_no_memory(cls_error *error, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Returns from the calling function with the first status that is not OK. */
#define CLS_TRY(call)                                                                                                  \
    do {                                                                                                               \
        clsolve_status cls_try_status_ = (call);                                                                       \
        if (cls_try_status_ != CLSOLVE_OK) return cls_try_status_;                                                     \
    } while (0)

/* The same for a function that has a cleanup label: stores into `status` and goes there. */
#define CLS_TRY_GOTO(status, call, label)                                                                              \
    do {                                                                                                               \
        (status) = (call);                                                                                             \
        if ((status) != CLSOLVE_OK) goto label;                                                                        \
    } while (0)

#endif
