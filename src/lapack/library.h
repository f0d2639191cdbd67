/*
 * library.h (private): libclsolve, loaded when a device is looked for. A process that never calls for large systems
 * loads neither it nor OpenCL, and neither does a child that inherits LD_PRELOAD.
 *
 * It is loaded with a scope of its own (RTLD_LOCAL | RTLD_DEEPBIND), so that its own calls of LAPACK do not come back
 * here, and its BLAS stands in for nobody else's.
 */
#ifndef CLS_LAPACK_LIBRARY_H
#define CLS_LAPACK_LIBRARY_H

#include <stddef.h>

#include <clsolve/clsolve.h>

/* X(name): the calls in use. */
#define LAPACK_LIBRARY_CALLS(X)                                                                                        \
    X(devices)                                                                                                         \
    X(context_create_with)                                                                                             \
    X(context_device)                                                                                                  \
    X(context_message)                                                                                                 \
    X(lu_create)                                                                                                       \
    X(lu_factor)                                                                                                       \
    X(lu_solve)                                                                                                        \
    X(lu_factors)                                                                                                      \
    X(lu_report)                                                                                                       \
    X(lu_import)                                                                                                       \
    X(lu_condition)                                                                                                    \
    X(lu_inverse)                                                                                                      \
    X(lu_refine)                                                                                                       \
    X(lu_factor_in_place)                                                                                              \
    X(lu_predict)                                                                                                      \
    X(lu_warm)                                                                                                         \
    X(lu_is_warm)                                                                                                      \
    X(lu_destroy)                                                                                                      \
    X(cholesky_create)                                                                                                 \
    X(cholesky_factor)                                                                                                 \
    X(cholesky_solve)                                                                                                  \
    X(cholesky_factors)                                                                                                \
    X(cholesky_import)                                                                                                 \
    X(cholesky_condition)                                                                                              \
    X(cholesky_inverse)                                                                                                \
    X(cholesky_predict)                                                                                                \
    X(cholesky_warm)                                                                                                   \
    X(cholesky_is_warm)                                                                                                \
    X(cholesky_destroy)                                                                                                \
    X(ldl_create)                                                                                                      \
    X(ldl_factor)                                                                                                      \
    X(ldl_solve)                                                                                                       \
    X(ldl_factors)                                                                                                     \
    X(ldl_import)                                                                                                      \
    X(ldl_condition)                                                                                                   \
    X(ldl_inverse)                                                                                                     \
    X(ldl_report)                                                                                                      \
    X(ldl_predict)                                                                                                     \
    X(ldl_warm)                                                                                                        \
    X(ldl_is_warm)                                                                                                     \
    X(ldl_destroy)                                                                                                     \
    X(band_create)                                                                                                     \
    X(band_factor)                                                                                                     \
    X(band_solve)                                                                                                      \
    X(band_factors)                                                                                                    \
    X(band_report)                                                                                                     \
    X(band_import)                                                                                                     \
    X(band_condition)                                                                                                  \
    X(band_factor_in_place)                                                                                            \
    X(band_predict)                                                                                                    \
    X(band_warm)                                                                                                       \
    X(band_is_warm)                                                                                                    \
    X(band_destroy)

#define LAPACK_LIBRARY_MEMBER(name) __typeof__(&clsolve_##name) name;
typedef struct lapack_library {
    LAPACK_LIBRARY_CALLS(LAPACK_LIBRARY_MEMBER)
} lapack_library;

/* 1: loaded, and all calls were found. 0: not; `why` has a line. *handle, dlopen's, is set where it was loaded, and the
 * library stays for the process. */
int cls_lapack_load(lapack_library *library, void **handle, char *why, size_t size);

#endif
