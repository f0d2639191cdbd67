/*
 * handle_calls.h (private): the public calls that families of direct factorizations have alike, written once. A
 * family's file gets them by one line behind its table, which it names `family`:
 *
 *      CLS_SQUARE_CALLS(lu)         clsolve_lu_create(context, n, type, options, &lu), _destroy, _report
 *      CLS_GENERAL_CALLS(lu)        clsolve_lu_factor(lu, A), clsolve_lu_solve(lu, op, B) ...; of LU and bands
 *      CLS_SYMMETRIC_CALLS(ldl)     clsolve_ldl_factor(ldl, uplo, A), clsolve_ldl_solve(ldl, B) ...
 *
 * Each call hands its arguments to the one of handle.h.
 */
#ifndef CLS_API_HANDLE_CALLS_H
#define CLS_API_HANDLE_CALLS_H

#include "api/ahead.h"
#include "api/handle.h"

/* destroy, report; and create of an n x n matrix. */
#define CLS_HANDLE_CALLS(x)                                                                                            \
    void clsolve_##x##_destroy(clsolve_##x *it) {                                                                      \
        cls_head_destroy((cls_head *)it);                                                                              \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_report(const clsolve_##x *it, clsolve_report *report) {                               \
        return cls_handle_report((const cls_handle *)it, report);                                                      \
    }
#define CLS_SQUARE_CALLS(x)                                                                                            \
    clsolve_status clsolve_##x##_create(clsolve_context *context, int64_t n, clsolve_type type,                        \
                                        const clsolve_##x##_options *options, clsolve_##x **it) {                      \
        return cls_handle_create(&family, context, &(cls_handle_shape){.n = n}, type, options, it);                    \
    }                                                                                                                  \
    CLS_HANDLE_CALLS(x)

/* status, is_warm. */
#define CLS_WARM_CALLS(x)                                                                                              \
    clsolve_status clsolve_##x##_status(clsolve_##x *it) {                                                             \
        return cls_handle_status((cls_handle *)it);                                                                    \
    }                                                                                                                  \
    int clsolve_##x##_is_warm(const clsolve_context *context, clsolve_type type) {                                     \
        return cls_ahead_is_warm(context, family.model, type);                                                         \
    }

/* ---- all of A is read, and op(A) solved with ---- */

#define CLS_GENERAL_CALLS(x)                                                                                           \
    clsolve_status clsolve_##x##_factor(clsolve_##x *it, const clsolve_matrix *A) {                                    \
        return cls_handle_factor((cls_handle *)it, CLSOLVE_LOWER, A);                                                  \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_factor_enqueue(clsolve_##x *it, const clsolve_matrix *A,                              \
                                                const clsolve_events *events) {                                        \
        return cls_handle_factor_enqueue((cls_handle *)it, CLSOLVE_LOWER, A, events);                                  \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_solve(clsolve_##x *it, clsolve_op op, clsolve_matrix *B) {                            \
        return cls_handle_solve((cls_handle *)it, op, B);                                                              \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_solve_enqueue(clsolve_##x *it, clsolve_op op, clsolve_matrix *B,                      \
                                               const clsolve_events *events) {                                         \
        return cls_handle_solve_enqueue((cls_handle *)it, op, B, events);                                              \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_condition(clsolve_##x *it, clsolve_norm norm, double norm_A, double *rcond) {         \
        return cls_handle_condition((cls_handle *)it, norm, norm_A, rcond);                                            \
    }                                                                                                                  \
    CLS_WARM_CALLS(x)

/* ---- a triangle of A is read; the three of a band are those of CLS_TRIANGLE_CALLS ---- */

#define CLS_TRIANGLE_CALLS(x)                                                                                          \
    clsolve_status clsolve_##x##_factor(clsolve_##x *it, clsolve_uplo uplo, const clsolve_matrix *A) {                 \
        return cls_handle_factor((cls_handle *)it, uplo, A);                                                           \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_solve(clsolve_##x *it, clsolve_matrix *B) {                                           \
        return cls_handle_solve((cls_handle *)it, CLSOLVE_NO_TRANS, B);                                                \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_condition(clsolve_##x *it, double norm_A, double *rcond) {                            \
        return cls_handle_condition((cls_handle *)it, CLSOLVE_NORM_ONE, norm_A, rcond);                                \
    }

#define CLS_SYMMETRIC_CALLS(x)                                                                                         \
    CLS_TRIANGLE_CALLS(x)                                                                                              \
    clsolve_status clsolve_##x##_factor_enqueue(clsolve_##x *it, clsolve_uplo uplo, const clsolve_matrix *A,           \
                                                const clsolve_events *events) {                                        \
        return cls_handle_factor_enqueue((cls_handle *)it, uplo, A, events);                                           \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_solve_enqueue(clsolve_##x *it, clsolve_matrix *B, const clsolve_events *events) {     \
        return cls_handle_solve_enqueue((cls_handle *)it, CLSOLVE_NO_TRANS, B, events);                                \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_inverse(clsolve_##x *it, clsolve_uplo uplo, clsolve_matrix *X) {                      \
        return cls_handle_inverse((cls_handle *)it, uplo, X);                                                          \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_predict(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type,         \
                                         double *device_seconds, double *host_seconds) {                               \
        return cls_handle_predict(&family, context, n, n, nrhs, type, device_seconds, host_seconds);                   \
    }                                                                                                                  \
    clsolve_status clsolve_##x##_warm(clsolve_context *context, int64_t n, clsolve_type type) {                        \
        return cls_handle_warm(&family, context, n, &(cls_handle_shape){.n = n}, type);                                \
    }                                                                                                                  \
    CLS_WARM_CALLS(x)

#endif
