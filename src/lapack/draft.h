/* draft.h (private): calls that the library does not have yet; what needs them goes to the host meanwhile. */
#ifndef CLS_LAPACK_DRAFT_H
#define CLS_LAPACK_DRAFT_H

#include <clsolve/clsolve.h>

clsolve_status clsolve_lu_import(clsolve_lu *lu, const clsolve_matrix *LU, const int64_t *ipiv);
clsolve_status clsolve_band_import(clsolve_band *band, const clsolve_matrix *AFB, const int64_t *ipiv);
clsolve_status clsolve_lu_condition(clsolve_lu *lu, clsolve_norm norm, double norm_A, double *rcond);
clsolve_status clsolve_lu_inverse(clsolve_lu *lu, clsolve_matrix *X);
clsolve_status clsolve_lu_refine(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *A, const clsolve_matrix *B,
                                 clsolve_matrix *X, double *ferr, double *berr);
clsolve_status clsolve_lu_factor_in_place(clsolve_context *context, clsolve_matrix *A, int64_t *ipiv,
                                          const clsolve_lu_options *options, clsolve_report *report);
clsolve_status clsolve_band_factor_in_place(clsolve_context *context, int64_t m, int64_t n, int64_t kl, int64_t ku,
                                            clsolve_matrix *AB, int64_t *ipiv, const clsolve_band_options *options,
                                            clsolve_report *report);
clsolve_status clsolve_lu_warm(clsolve_context *context, int64_t m, int64_t n, clsolve_type type);
int clsolve_lu_is_warm(const clsolve_context *context, clsolve_type type);
clsolve_status clsolve_lu_predict(clsolve_context *context, int64_t m, int64_t n, int64_t nrhs, clsolve_type type,
                                  double *device_seconds, double *host_seconds);

/* X(name): those of which the library may lack some. */
#define LAPACK_LIBRARY_LATER(X)                                                                                        \
    X(lu_import)                                                                                                       \
    X(lu_condition)                                                                                                    \
    X(lu_inverse)                                                                                                      \
    X(lu_refine)                                                                                                       \
    X(lu_factor_in_place)                                                                                              \
    X(lu_warm)                                                                                                         \
    X(lu_is_warm)                                                                                                      \
    X(lu_predict)                                                                                                      \
    X(band_import)                                                                                                     \
    X(band_factor_in_place)

#endif
