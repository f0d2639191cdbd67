/* given.h (private): the checks of calls that take factors from the caller, or compute from factors what LAPACK
 * does. */
#ifndef CLS_API_GIVEN_H
#define CLS_API_GIVEN_H

#include "method/direct/direct.h"

/* Calls in LAPACK's terms take matrices on the host alone. */
clsolve_status cls_given_on_host(cls_error *error, const char *call, const char *name, const clsolve_matrix *m);

/* The factors that `F` is to get: those of float for a caller who asks for float, else those of the working precision,
 * which this call may have to make. */
clsolve_status cls_given_show(cls_direct *direct, const clsolve_matrix *F);

/* UNSUPPORTED for a handle that keeps a copy of A, which factors from the caller have not; `without`: the options. */
clsolve_status cls_given_alone(const cls_direct *direct, const char *call, const char *without);

/* The triangle of an n x n matrix of that type on the host. */
clsolve_status cls_given_triangle(const cls_direct *direct, const char *call, const char *name, clsolve_uplo uplo,
                                  const clsolve_matrix *m, clsolve_type type);

/* `n` pivots from 1; row i was exchanged with itself or one of the `below` rows behind it. */
clsolve_status cls_given_pivots(cls_error *error, const char *call, int64_t n, int64_t below, const int64_t *ipiv);

/* The whole of gecon and gbcon. `create_call`, `factor_call`: as messages name them. */
clsolve_status cls_given_condition(cls_direct *direct, const char *call, const char *create_call,
                                   const char *factor_call, clsolve_norm norm, double norm_A, double *rcond);

#endif
