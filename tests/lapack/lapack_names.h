/*
 * lapack_names.h: the integers and the names that a test program calls, by how it is built:
 *
 *   nothing       dgesv_ with 32 bits
 *   WIDE          dgesv_64_ with 64 bits
 *   PLAIN_NAMES   dgesv_ with 64 bits
 */
#ifndef CLS_TEST_LAPACK_NAMES_H
#define CLS_TEST_LAPACK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#if defined(WIDE)
typedef int64_t integer;
#define LAPACK(routine) routine##_64_
#elif defined(PLAIN_NAMES)
typedef int64_t integer;
#define LAPACK(routine) routine##_
#else
typedef int32_t integer;
#define LAPACK(routine) routine##_
#endif

void LAPACK(dgesv)(const integer *n, const integer *nrhs, double *a, const integer *lda, integer *ipiv, double *b,
                   const integer *ldb, integer *info);
void LAPACK(sgesv)(const integer *n, const integer *nrhs, float *a, const integer *lda, integer *ipiv, float *b,
                   const integer *ldb, integer *info);
void LAPACK(dgetrf)(const integer *m, const integer *n, double *a, const integer *lda, integer *ipiv, integer *info);
void LAPACK(dgetrf2)(const integer *m, const integer *n, double *a, const integer *lda, integer *ipiv, integer *info);
void LAPACK(dsgesv)(const integer *n, const integer *nrhs, double *a, const integer *lda, integer *ipiv,
                    const double *b, const integer *ldb, double *x, const integer *ldx, double *work, float *swork,
                    integer *iter, integer *info);
void LAPACK(dgbsv)(const integer *n, const integer *kl, const integer *ku, const integer *nrhs, double *ab,
                   const integer *ldab, integer *ipiv, double *b, const integer *ldb, integer *info);
void LAPACK(dgbtrf)(const integer *m, const integer *n, const integer *kl, const integer *ku, double *ab,
                    const integer *ldab, integer *ipiv, integer *info);
void LAPACK(dgbtrs)(const char *trans, const integer *n, const integer *kl, const integer *ku, const integer *nrhs,
                    const double *ab, const integer *ldab, const integer *ipiv, double *b, const integer *ldb,
                    integer *info, size_t trans_length);
void LAPACK(dgbcon)(const char *norm, const integer *n, const integer *kl, const integer *ku, const double *ab,
                    const integer *ldab, const integer *ipiv, const double *anorm, double *rcond, double *work,
                    integer *iwork, integer *info, size_t norm_length);
void LAPACK(dgetrs)(const char *trans, const integer *n, const integer *nrhs, const double *a, const integer *lda,
                    const integer *ipiv, double *b, const integer *ldb, integer *info, size_t trans_length);
void LAPACK(dgetri)(const integer *n, double *a, const integer *lda, const integer *ipiv, double *work,
                    const integer *lwork, integer *info);

#endif
