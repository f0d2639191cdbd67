/* families_enqueue.h: the enqueueing calls of all families, for the calls of clsolve/opencl.h and clsolve/cuda.h. */
#ifndef CLS_API_FAMILIES_ENQUEUE_H
#define CLS_API_FAMILIES_ENQUEUE_H

#include <clsolve/enqueue.h>

#include "api/enqueue.h"

clsolve_status cls_lu_enqueue_factor(clsolve_lu *lu, const clsolve_matrix *A, const cls_enqueue *how);
clsolve_status cls_lu_enqueue_solve(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B, const cls_enqueue *how);

clsolve_status cls_cholesky_enqueue_factor(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *A,
                                           const cls_enqueue *how);
clsolve_status cls_cholesky_enqueue_solve(clsolve_cholesky *cholesky, clsolve_matrix *B, const cls_enqueue *how);

clsolve_status cls_gauss_jordan_enqueue_solve(clsolve_gauss_jordan *handle, clsolve_op op, const clsolve_matrix *A,
                                              clsolve_matrix *B, const cls_enqueue *how);
clsolve_status cls_gauss_jordan_enqueue_invert(clsolve_gauss_jordan *handle, const clsolve_matrix *A, clsolve_matrix *X,
                                               const cls_enqueue *how);

clsolve_status cls_band_enqueue_factor(clsolve_band *band, const clsolve_matrix *AB, const cls_enqueue *how);
clsolve_status cls_band_enqueue_solve(clsolve_band *band, clsolve_op op, clsolve_matrix *B, const cls_enqueue *how);

clsolve_status cls_sparse_enqueue_factor(clsolve_sparse *sparse, const clsolve_matrix *values, const cls_enqueue *how);
clsolve_status cls_sparse_enqueue_solve(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B,
                                        const cls_enqueue *how);

clsolve_status cls_block_gs_enqueue_factor(clsolve_block_gs *handle, const clsolve_grid *up, const clsolve_grid *a,
                                           const clsolve_grid *c, const clsolve_grid *b, const clsolve_grid *down,
                                           const cls_enqueue *how);
clsolve_status cls_block_gs_enqueue_solve(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y,
                                          int64_t nrhs, const cls_enqueue *how);

/* The calls of batches work before they return; with `how` NULL they are those without _enqueue. */
clsolve_status cls_gauss_jordan_batch_enqueue_invert(clsolve_gauss_jordan_batch *batch, const clsolve_batch *A,
                                                     clsolve_batch *X, int64_t *info, const cls_enqueue *how);
clsolve_status cls_gauss_jordan_batch_enqueue_solve(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                    const clsolve_batch *A, clsolve_batch *B, int64_t *info,
                                                    const cls_enqueue *how);
clsolve_status cls_cholesky_batch_enqueue_factor(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                 const clsolve_batch *A, int64_t *info, const cls_enqueue *how);
clsolve_status cls_cholesky_batch_enqueue_solve(clsolve_cholesky_batch *batch, clsolve_batch *B, int64_t *info,
                                                const cls_enqueue *how);
clsolve_status cls_cholesky_batch_enqueue_inverse(clsolve_cholesky_batch *batch, clsolve_uplo uplo, clsolve_batch *X,
                                                  int64_t *info, const cls_enqueue *how);
clsolve_status cls_band_batch_enqueue_factor(clsolve_band_batch *batch, const clsolve_batch *AB, int64_t *info,
                                             const cls_enqueue *how);
clsolve_status cls_band_batch_enqueue_solve(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B, int64_t *info,
                                            const cls_enqueue *how);
clsolve_status cls_tridiagonal_batch_enqueue_factor(clsolve_tridiagonal_batch *batch, const clsolve_batch *dl,
                                                    const clsolve_batch *d, const clsolve_batch *du, int64_t *info,
                                                    const cls_enqueue *how);
clsolve_status cls_tridiagonal_batch_enqueue_solve(clsolve_tridiagonal_batch *batch, clsolve_op op, clsolve_batch *B,
                                                   int64_t *info, const cls_enqueue *how);

#endif
