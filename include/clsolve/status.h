/*
 * status.h: the status that every call returns.
 *
 *   0         success
 *   positive  a numerical outcome: the call ran to its end, and the status describes the matrix or the solution
 *   negative  an error: nothing was computed, and no array of the caller was changed
 *
 * The list below gives each status a general text. clsolve_context_message() describes the last failure: the argument
 * and its value, the driver's call and its code, or the compiler's log.
 *
 * The comments of the other headers write a status without its prefix: SINGULAR is CLSOLVE_SINGULAR, and ERROR_DEVICE
 * is CLSOLVE_ERROR_DEVICE.
 */
#ifndef CLSOLVE_STATUS_H
#define CLSOLVE_STATUS_H

#include <clsolve/export.h>

/* X(name, value, text) */
#define CLSOLVE_STATUS_LIST(X)                                                                                         \
    X(OK, 0, "success")                                                                                                \
    X(SINGULAR, 1, "the matrix is singular: a pivot is exactly zero")                                                  \
    X(NOT_CONVERGED, 2, "the iteration ended before it reached the tolerance")                                         \
    X(OVERFLOW, 3, "the factors or the solution left the range of the type: scale the matrix")                         \
    X(NOT_POSITIVE_DEFINITE, 4, "the matrix is not positive definite: a leading minor is not positive")                \
    X(ERROR_INVALID_ARGUMENT, -1, "an argument is not valid")                                                          \
    X(ERROR_NONFINITE, -2, "the input holds NaN or Inf")                                                               \
    X(ERROR_OUT_OF_MEMORY, -3, "out of host memory")                                                                   \
    X(ERROR_OUT_OF_DEVICE_MEMORY, -4, "out of device memory")                                                          \
    X(ERROR_NO_DEVICE, -5, "no device fits the selector: list them with clsolve_devices()")                            \
    X(ERROR_DEVICE, -6, "the device or its driver failed")                                                             \
    X(ERROR_BUILD, -7, "a kernel did not build on this device")                                                        \
    X(ERROR_UNSUPPORTED, -8, "the device cannot do this")                                                              \
    X(ERROR_STATE, -9, "the calls came in the wrong order: factor before solve")                                       \
    X(ERROR_FILE, -10, "a file that was asked for cannot be written")                                                  \
    X(ERROR_BUSY, -11, "another thread is inside a call on this context")                                              \
    X(ERROR_FORKED, -12, "this process was forked from one that had used a context: fork before, or fork and exec")

typedef enum clsolve_status {
#define CLSOLVE_STATUS_ENUM(name, value, text) CLSOLVE_##name = (value),
    CLSOLVE_STATUS_LIST(CLSOLVE_STATUS_ENUM)
#undef CLSOLVE_STATUS_ENUM
} clsolve_status;

CLSOLVE_BEGIN_DECLS

/* The text of the list above: "the matrix is singular: ...". It is never NULL, whatever the number. */
CLSOLVE_API const char *clsolve_status_text(clsolve_status status);

/* The name without its prefix: "SINGULAR", "ERROR_NO_DEVICE". It is "UNKNOWN" for a number that is no status. */
CLSOLVE_API const char *clsolve_status_name(clsolve_status status);

CLSOLVE_END_DECLS

#endif
