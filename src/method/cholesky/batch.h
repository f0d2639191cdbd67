/* batch.h: Cholesky factorization of many small matrices at once (cl/cholesky_batch.cl), and what is done by the
 * factors. */
#ifndef CLS_CHOLESKY_BATCH_H
#define CLS_CHOLESKY_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/factorization.h>
#include <clsolve/report.h>

#include "device/device.h"

enum { CLS_CHOLESKY_BATCH_SHAPES = 3 };
typedef struct cls_cholesky_batch {
    cls_device *device;
    clsolve_type type;
    int64_t n, count;
    int64_t x, per, y; /* work-items for the rows of a member; that share a row; members of a group */
    cls_kernel *factor, *out, *solve[CLS_CHOLESKY_BATCH_SHAPES]; /* each built when first asked for */
    cls_buffer *L, *B, *info, *outcome; /* B grows with the number of right-hand sides; infos are int32 */
    int64_t B_bytes;
    int32_t *outcomes; /* `count`, of the last solve */
} cls_cholesky_batch;

/* Where the members of a call lie on the device, in elements: element (i, j) of member m at
 * offset + m * member + i * row + j * column. */
typedef struct cls_cholesky_members {
    cls_buffer *buffer;
    int64_t offset, row, column, member;
} cls_cholesky_members;

/* `batch` is zeroed memory. On failure the caller still calls cls_cholesky_batch_release. */
clsolve_status cls_cholesky_batch_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                        cls_cholesky_batch *batch);
void cls_cholesky_batch_release(cls_cholesky_batch *batch);

/*
 * As the public calls say, for n and count of at least 1; `infos` as their info, `seconds` of the phases. They wait.
 * The last three take the factorization's infos in `infos`; solve and inverse leave their own there.
 */
clsolve_status cls_cholesky_batch_factor(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                         int32_t *infos, clsolve_seconds *seconds);
clsolve_status cls_cholesky_batch_solve(cls_cholesky_batch *batch, const clsolve_batch *B, int32_t *infos,
                                        clsolve_seconds *seconds);
clsolve_status cls_cholesky_batch_inverse(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *X,
                                          int32_t *infos, clsolve_seconds *seconds);
clsolve_status cls_cholesky_batch_factors(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *F,
                                          const int32_t *infos);

/* ---- batch_host.c: the same steps on a device without kernels, the host; they are done when they return ---- */

/* `conjugate`: of A, read as its lower triangle. */
clsolve_status cls_cholesky_batch_host_factor(cls_cholesky_batch *batch, const cls_cholesky_members *A, int conjugate);
/* inverse_of: as the kernel's. */
clsolve_status cls_cholesky_batch_host_solve(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                             int inverse_of);
clsolve_status cls_cholesky_batch_host_out(cls_cholesky_batch *batch, const cls_cholesky_members *F, int lower);

/* The same of one member in the host's memory: with rhs 0 the factorization of A, whose `choice` is `conjugate`; else
 * the solve, of the right-hand sides in A, whose `choice` is inverse_of. L is tight. */
typedef struct cls_cholesky_one {
    void *A, *L;
    int64_t row, column, rhs; /* of A: strides in elements */
    int choice;
    int32_t *info, *outcome;
} cls_cholesky_one;
void cls_cholesky_batch_host_one(const cls_cholesky_batch *batch, const cls_cholesky_one *one);

/* ---- batch_again.c: members that the kernels leave to the host; they wait ---- */

/* After the factorization: `infos` as the kernel has left them become right, here and on the device. */
clsolve_status cls_cholesky_batch_again(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                        int32_t *infos);
/* After a solve of the members in batch->B, `outcomes` likewise. B: the members' place there. */
clsolve_status cls_cholesky_batch_solve_again(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                              int inverse_of, int32_t *outcomes);

#endif
