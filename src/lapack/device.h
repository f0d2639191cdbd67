/*
 * device.h (private): steps that routines share. On any status but OK and SINGULAR nothing of the caller's has changed.
 * Small results are made in memory of their own, and given to the caller when nothing can fail any more; large ones are
 * written where they belong, and taken back from a copy (snapshot.h).
 */
#ifndef CLS_LAPACK_DEVICE_H
#define CLS_LAPACK_DEVICE_H

#include "lapack/call.h"
#include "lapack/copy.h"

/* Handles work on the device, in the type of the call, within CLSOLVE_LAPACK_MEMORY; n: the larger side of the
 * matrix. */
clsolve_lu_options cls_device_lu_options(int64_t n, clsolve_type type);
clsolve_cholesky_options cls_device_cholesky_options(int64_t n, clsolve_type type);
clsolve_band_options cls_device_band_options(void);

/* Memory for count elements of the call's type, uninitialised; NULL: there is none. For free(). */
void *cls_device_room(const lapack_call *call, int64_t rows, int64_t cols);

/* Pivots of the library into argument `at`. */
void cls_device_put_pivots(const lapack_call *call, int at, const int64_t *ipiv, int64_t count);

/* The same back, for free(); at < 0: rows were not exchanged. */
clsolve_status cls_device_get_pivots(const lapack_call *call, int at, int64_t count, int64_t **ipiv);

/* A handle with the factors that the caller has from getrf; NULL or a handle to destroy, whatever the status. */
clsolve_status cls_device_import(const lapack_call *call, const clsolve_matrix *LU, int ipiv, clsolve_lu **lu);

/* gerfs by the handle's factors; argument `bounds` is ferr, and the next one berr. */
clsolve_status cls_device_refine(const lapack_call *call, clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A,
                                 const clsolve_matrix *B, clsolve_matrix *X, int bounds);

/* A = P^-1 L U; with B, of a square A, also X in its place unless A is singular. `ipiv` and `info` are numbers of
 * arguments. */
clsolve_status cls_device_factor(const lapack_call *call, clsolve_matrix *A, int ipiv, clsolve_matrix *B, int info);

#endif
