/* opencl.c: the calls of clsolve/opencl.h. */
#include <clsolve/opencl.h>

#include "api/families_enqueue.h"
#include "device/interop.h"

static clsolve_status adopt(const cls_handles *handles, const char *cache_folder, cls_error *error,
                            cls_device **device) {
    return cls_device_adopt_opencl(handles->context, handles->id, handles->queue, cache_folder, error, device);
}

clsolve_status clsolve_context_create_opencl(cl_context cl, cl_device_id device, cl_command_queue queue,
                                             const clsolve_context_options *options, clsolve_context **context) {
    cls_handles handles = {.adopt = adopt, .context = cl, .id = device, .queue = queue};
    return cls_context_make("clsolve_context_create_opencl", &handles, options, context);
}

clsolve_status clsolve_context_follow_opencl(clsolve_context *context, cl_command_queue queue) {
    return cls_context_follow(context, "clsolve_context_follow_opencl", "opencl", cls_device_follow_opencl, queue);
}

static cls_enqueue enqueue(const char *call, cl_uint count, const cl_event *wait, cl_event *done) {
    cls_enqueue how = {.call = call,
                       .backend = "opencl",
                       .wait = {(int32_t)count, (cls_event *const *)wait},
                       .done = (cls_event **)done};
    if (done) *done = NULL;
    return how;
}

clsolve_status clsolve_lu_factor_enqueue_opencl(clsolve_lu *lu, const clsolve_matrix *A, cl_uint count,
                                                const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_lu_factor_enqueue_opencl", count, wait, done);
    return cls_lu_enqueue_factor(lu, A, &how);
}

clsolve_status clsolve_lu_solve_enqueue_opencl(clsolve_lu *lu, clsolve_op op, clsolve_matrix *B, cl_uint count,
                                               const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_lu_solve_enqueue_opencl", count, wait, done);
    return cls_lu_enqueue_solve(lu, op, B, &how);
}

clsolve_status clsolve_cholesky_factor_enqueue_opencl(clsolve_cholesky *cholesky, clsolve_uplo uplo,
                                                      const clsolve_matrix *A, cl_uint count, const cl_event *wait,
                                                      cl_event *done) {
    cls_enqueue how = enqueue("clsolve_cholesky_factor_enqueue_opencl", count, wait, done);
    return cls_cholesky_enqueue_factor(cholesky, uplo, A, &how);
}

clsolve_status clsolve_cholesky_solve_enqueue_opencl(clsolve_cholesky *cholesky, clsolve_matrix *B, cl_uint count,
                                                     const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_cholesky_solve_enqueue_opencl", count, wait, done);
    return cls_cholesky_enqueue_solve(cholesky, B, &how);
}

clsolve_status clsolve_gauss_jordan_solve_enqueue_opencl(clsolve_gauss_jordan *handle, clsolve_op op,
                                                         const clsolve_matrix *A, clsolve_matrix *B, cl_uint count,
                                                         const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_gauss_jordan_solve_enqueue_opencl", count, wait, done);
    return cls_gauss_jordan_enqueue_solve(handle, op, A, B, &how);
}

clsolve_status clsolve_gauss_jordan_invert_enqueue_opencl(clsolve_gauss_jordan *handle, const clsolve_matrix *A,
                                                          clsolve_matrix *X, cl_uint count, const cl_event *wait,
                                                          cl_event *done) {
    cls_enqueue how = enqueue("clsolve_gauss_jordan_invert_enqueue_opencl", count, wait, done);
    return cls_gauss_jordan_enqueue_invert(handle, A, X, &how);
}

clsolve_status clsolve_band_factor_enqueue_opencl(clsolve_band *band, const clsolve_matrix *AB, cl_uint count,
                                                  const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_band_factor_enqueue_opencl", count, wait, done);
    return cls_band_enqueue_factor(band, AB, &how);
}

clsolve_status clsolve_band_solve_enqueue_opencl(clsolve_band *band, clsolve_op op, clsolve_matrix *B, cl_uint count,
                                                 const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_band_solve_enqueue_opencl", count, wait, done);
    return cls_band_enqueue_solve(band, op, B, &how);
}

clsolve_status clsolve_sparse_factor_values_enqueue_opencl(clsolve_sparse *sparse, const clsolve_matrix *values,
                                                           cl_uint count, const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_sparse_factor_values_enqueue_opencl", count, wait, done);
    return cls_sparse_enqueue_factor(sparse, values, &how);
}

clsolve_status clsolve_sparse_solve_enqueue_opencl(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B,
                                                   cl_uint count, const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_sparse_solve_enqueue_opencl", count, wait, done);
    return cls_sparse_enqueue_solve(sparse, op, B, &how);
}

clsolve_status clsolve_block_gs_factor_enqueue_opencl(clsolve_block_gs *handle, const clsolve_grid *up,
                                                      const clsolve_grid *a, const clsolve_grid *c,
                                                      const clsolve_grid *b, const clsolve_grid *down, cl_uint count,
                                                      const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_block_gs_factor_enqueue_opencl", count, wait, done);
    return cls_block_gs_enqueue_factor(handle, up, a, c, b, down, &how);
}

clsolve_status clsolve_block_gs_solve_enqueue_opencl(clsolve_block_gs *handle, const clsolve_grid *F, clsolve_grid *Y,
                                                     int64_t nrhs, cl_uint count, const cl_event *wait,
                                                     cl_event *done) {
    cls_enqueue how = enqueue("clsolve_block_gs_solve_enqueue_opencl", count, wait, done);
    return cls_block_gs_enqueue_solve(handle, F, Y, nrhs, &how);
}

clsolve_status clsolve_gauss_jordan_batch_invert_enqueue_opencl(clsolve_gauss_jordan_batch *batch,
                                                                const clsolve_batch *A, clsolve_batch *X, int64_t *info,
                                                                cl_uint count, const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_gauss_jordan_batch_invert_enqueue_opencl", count, wait, done);
    return cls_gauss_jordan_batch_enqueue_invert(batch, A, X, info, &how);
}

clsolve_status clsolve_gauss_jordan_batch_solve_enqueue_opencl(clsolve_gauss_jordan_batch *batch, clsolve_op op,
                                                               const clsolve_batch *A, clsolve_batch *B, int64_t *info,
                                                               cl_uint count, const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_gauss_jordan_batch_solve_enqueue_opencl", count, wait, done);
    return cls_gauss_jordan_batch_enqueue_solve(batch, op, A, B, info, &how);
}

clsolve_status clsolve_cholesky_batch_factor_enqueue_opencl(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                            const clsolve_batch *A, int64_t *info, cl_uint count,
                                                            const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_cholesky_batch_factor_enqueue_opencl", count, wait, done);
    return cls_cholesky_batch_enqueue_factor(batch, uplo, A, info, &how);
}

clsolve_status clsolve_cholesky_batch_solve_enqueue_opencl(clsolve_cholesky_batch *batch, clsolve_batch *B,
                                                           int64_t *info, cl_uint count, const cl_event *wait,
                                                           cl_event *done) {
    cls_enqueue how = enqueue("clsolve_cholesky_batch_solve_enqueue_opencl", count, wait, done);
    return cls_cholesky_batch_enqueue_solve(batch, B, info, &how);
}

clsolve_status clsolve_cholesky_batch_inverse_enqueue_opencl(clsolve_cholesky_batch *batch, clsolve_uplo uplo,
                                                             clsolve_batch *X, int64_t *info, cl_uint count,
                                                             const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_cholesky_batch_inverse_enqueue_opencl", count, wait, done);
    return cls_cholesky_batch_enqueue_inverse(batch, uplo, X, info, &how);
}

clsolve_status clsolve_band_batch_factor_enqueue_opencl(clsolve_band_batch *batch, const clsolve_batch *AB,
                                                        int64_t *info, cl_uint count, const cl_event *wait,
                                                        cl_event *done) {
    cls_enqueue how = enqueue("clsolve_band_batch_factor_enqueue_opencl", count, wait, done);
    return cls_band_batch_enqueue_factor(batch, AB, info, &how);
}

clsolve_status clsolve_band_batch_solve_enqueue_opencl(clsolve_band_batch *batch, clsolve_op op, clsolve_batch *B,
                                                       int64_t *info, cl_uint count, const cl_event *wait,
                                                       cl_event *done) {
    cls_enqueue how = enqueue("clsolve_band_batch_solve_enqueue_opencl", count, wait, done);
    return cls_band_batch_enqueue_solve(batch, op, B, info, &how);
}

clsolve_status clsolve_tridiagonal_batch_factor_enqueue_opencl(clsolve_tridiagonal_batch *batch,
                                                               const clsolve_batch *dl, const clsolve_batch *d,
                                                               const clsolve_batch *du, int64_t *info, cl_uint count,
                                                               const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_tridiagonal_batch_factor_enqueue_opencl", count, wait, done);
    return cls_tridiagonal_batch_enqueue_factor(batch, dl, d, du, info, &how);
}

clsolve_status clsolve_tridiagonal_batch_solve_enqueue_opencl(clsolve_tridiagonal_batch *batch, clsolve_op op,
                                                              clsolve_batch *B, int64_t *info, cl_uint count,
                                                              const cl_event *wait, cl_event *done) {
    cls_enqueue how = enqueue("clsolve_tridiagonal_batch_solve_enqueue_opencl", count, wait, done);
    return cls_tridiagonal_batch_enqueue_solve(batch, op, B, info, &how);
}
