/*
 * batch_host.c: a batch where there are no kernels: Gauss-Jordan elimination with partial pivoting of each member, in
 * place (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 3.2.9, with the identity's columns in the place
 * of those eliminated), members shared out among the threads of the host. LAPACK takes a lock for each call, which
 * threads wait for. Infos are those of cl/gj_batch.cl. A member with a tiny pivot is done once more where rows or
 * columns of it are tiny: these are brought to size 1 by powers of two, because quotients by such pivots may leave the
 * range, and subnormal numbers have few digits.
 */
#include "method/gauss_jordan/batch_host.h"

#include <limits.h>
#include <string.h>

#include "base/clones.h"
#include "device/staging.h"

enum { LARGEST = 64, PARTS_A_THREAD = 4, NOTHING = INT_MIN / 4 /* the exponent of 0 */ };

typedef struct members {
    const cls_gj_batch *batch;
    void *A, *B;
    int32_t *infos;
    int64_t rhs, each; /* each: members of a part */
    cls_gj_strides a, b;
} members;

/* A member and some right-hand sides, column after column, in the type of the batch. */
typedef struct room {
    double A[2 * LARGEST * LARGEST], B[2 * LARGEST * LARGEST];
    int pivots[LARGEST];
    int rows[LARGEST], columns[LARGEST], sizes[LARGEST]; /* powers of two, of a member that is scaled */
} room;

#define EACH_ELEMENT "method/gauss_jordan/batch_host_element.h"
#include "method/elements_each.h"

static int32_t columns(const members *m, int64_t at, int64_t side, int64_t c, int deliver, room *r) {
    return CLS_FOR_TYPE(m->batch->type, columns, m, at, side, c, deliver, r);
}

static int32_t inverse(const members *m, int64_t at, room *r) {
    return CLS_FOR_TYPE(m->batch->type, invert, m, at, r);
}

/* All columns have solutions before any is written. A NaN of any column counts more than a zero pivot. */
static int32_t solve(const members *m, int64_t at, int64_t side, room *r) {
    int32_t info = 0;
    for (int round = m->rhs > LARGEST ? 0 : 1; round < 2 && info == 0; ++round)
        for (int64_t c = 0; c < m->rhs && info >= 0; c += LARGEST) {
            const int32_t here = columns(m, at, side, c, round, r);
            if (here != 0) info = here;
        }
    return info;
}

static int32_t one(const members *m, int64_t member, room *r) {
    const int64_t n = m->batch->n, at = member * n * n;
    if (m->rhs > 0) return solve(m, at, member * n * m->rhs, r);
    return inverse(m, at, r);
}

static void part(void *what, int64_t index) {
    const members *m = what;
    int64_t begin = index * m->each, end = begin + m->each < m->batch->count ? begin + m->each : m->batch->count;
    room r;
    for (int64_t member = begin; member < end; ++member) m->infos[member] = one(m, member, &r);
}

int32_t cls_gj_batch_host_member(const cls_gj_batch *batch, int64_t rhs, void *A, cls_gj_strides a, void *B,
                                 cls_gj_strides b) {
    const members m = {.batch = batch, .A = A, .B = B, .rhs = rhs, .a = a, .b = b};
    room r;
    return one(&m, 0, &r);
}

clsolve_status cls_gj_batch_host_run(cls_gj_batch *batch, int64_t rhs, cls_gj_strides a, cls_gj_strides b) {
    const cls_device_ops *ops = batch->device->ops;
    cls_pool *pool = cls_device_pool(batch->device);
    int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool));
    void *infos, *A, *B = NULL;
    members m = {.batch = batch, .rhs = rhs, .a = a, .b = b};

    CLS_TRY(ops->map(batch->device, batch->A, &A));
    CLS_TRY(ops->map(batch->device, batch->info, &infos));
    if (rhs > 0) CLS_TRY(ops->map(batch->device, batch->B, &B));
    m.A = A;
    m.B = B;
    m.infos = infos;
    m.each = (batch->count + parts - 1) / parts;
    cls_job job = {.work = part, .what = &m, .parts = (batch->count + m.each - 1) / m.each};
    int64_t work = batch->count * batch->n * batch->n * (batch->n + rhs);
    cls_pool_run(work < CLS_GJ_BATCH_SERIAL || job.parts == 1 ? NULL : pool, &job);
    return CLSOLVE_OK;
}
