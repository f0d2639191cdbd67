/*
 * host.c: a batch where there are no kernels. Members of up to CLS_LU_HOST_BLOCKED_MOST rows are shared out among the
 * threads of the host, and go by the plain loops of host_cholesky.h, host_ldl.h, or of lu/host_small.h; LAPACK would
 * take a lock for each call, which threads wait for. It factors larger members one after the other, by its own threads.
 * Alone, a thread is as fast by LAPACK above PLAIN_ALONE rows of doubles, and above CLS_LU_HOST_SMALL_MOST of other
 * types. Infos and scales are those of the kernels.
 */
#include <lapacke.h>
#include <math.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/clones.h"
#include "base/host_blas.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/stack.h"
#include "base/type.h"
#include "device/staging.h"
#include "method/direct_batch/batch.h"
#include "method/lu/host_small.h"
#include "method/panel/panel.h"

/* For fewer operations no thread is woken: it would take longer. */
enum { PARTS_A_THREAD = 4, SERIAL = 400000 };
enum { PLAIN_ALONE = 112 };

typedef struct job job;
struct job {
    enum { FACTOR, SOLVE, FACTOR_SOLVE, OUT, DET, INERTIA, NORM } what;
    clsolve_type type;
    const cls_direct_batch *batch;
    int64_t n, count, each, rhs; /* n: the largest order; each: members of a part */
    int transposes, inverse_of, conjugate, is_scaled;
    int by_lapack;                /* members of more than CLS_LU_HOST_SMALL_MOST rows */
    cls_direct_members at;        /* of A, B, X or what is exported */
    void *A, *F, *numbers, *room; /* room: of a large member's right-hand sides */
    int *pivots;
    int32_t *scales, *infos, *outcomes;
    job *first; /* of FACTOR_SOLVE, which is a solve: the factorization */
    void *own;  /* of a part of both: in the place of F, its member's factors and then its pivots */
};

static void *factors_of(const job *m, int64_t member) {
    return m->own ? m->own : (char *)m->F + cls_direct_batch_factors_of(m->batch, member) * cls_type_size(m->type);
}
static int *pivots_of(const job *m, int64_t member) {
    return m->own ? (int *)((char *)m->own + m->n * m->n * cls_type_size(m->type))
                  : m->pivots + cls_direct_batch_rows_of(m->batch, member);
}

static void lapack_solve(const job *m, int64_t order, char op, const void *F, const int *pivots, void *x,
                         int64_t cols) {
    const int n = cls_blas_int(order);
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_blas_run(cols - c);
        void *at = (char *)x + c * order * cls_type_size(m->type);
        const int some = cls_blas_int(run);
        if (cls_direct_batch_is_cholesky(m->batch))
            (void)CLS_LAPACKE(m->type, potrs, 'L', n, some, F, n, at, n);
        else
            (void)CLS_LAPACKE(m->type, getrs, op, n, some, F, n, pivots, at, n);
    }
}

/* Columns of right-hand sides, tight, become solutions. */
static void solve_columns(const job *m, int64_t n, const void *F, const int *pivots, void *x, int64_t cols) {
    static const clsolve_op ops[] = {CLSOLVE_NO_TRANS, CLSOLVE_TRANS, CLSOLVE_CONJ_TRANS};
    if (m->by_lapack && n > CLS_LU_HOST_SMALL_MOST)
        lapack_solve(m, n, "NTC"[m->transposes], F, pivots, x, cols);
    else
        cls_lu_host_one_solve(m->type, ops[m->transposes], F, n, pivots, x, cols);
}

/* The place of the caller's member, in elements. */
static int64_t begin_of(const job *m, int64_t member) {
    return m->at.offset + (m->at.places ? m->at.places[member] : member * m->at.member);
}

/* Steps in the caller's member of that order and so many columns: those of 0 are its own. */
static int64_t row_step(const job *m, int64_t cols) {
    return m->at.row > 0 ? m->at.row : cols;
}
static int64_t column_step(const job *m, int64_t order) {
    return m->at.column > 0 ? m->at.column : order;
}

#define EACH_ELEMENT "method/direct_batch/host_element.h"
#include "method/elements_each.h"

/* Room for one member is enough; without it factors go where they would stay. */
static void both_part(const job *m, int64_t begin, int64_t end) {
    job factor = *m->first, solve = *m;
    factor.own = solve.own = cls_alloc((size_t)m->n, (size_t)(m->n * cls_type_size(m->type)) + sizeof(int));
    solve.what = SOLVE;
    for (int64_t member = begin; member < end; ++member) {
        CLS_FOR_TYPE(m->type, do_member, &factor, member);
        CLS_FOR_TYPE(m->type, do_member, &solve, member);
    }
    cls_free(factor.own);
}

static void part(void *what, int64_t index) {
    const job *m = what;
    const int64_t begin = index * m->each, end = begin + m->each < m->count ? begin + m->each : m->count;
    if (m->what == FACTOR_SOLVE) {
        both_part(m, begin, end);
        return;
    }
    for (int64_t member = begin; member < end; ++member) CLS_FOR_TYPE(m->type, do_member, m, member);
}

static void all_parts(void *what) {
    job *m = what;
    m->each = m->count;
    part(m, 0);
}

static clsolve_status map_all(cls_direct_batch *batch, job *m, cls_buffer *numbers) {
    const cls_device_ops *ops = batch->device->ops;
    void *pivots, *scales, *infos, *outcomes;
    m->A = (void *)(uintptr_t)m->at.host;
    if (m->at.buffer) CLS_TRY(ops->map(batch->device, m->at.buffer, &m->A));
    if (numbers) CLS_TRY(ops->map(batch->device, numbers, &m->numbers));
    CLS_TRY(ops->map(batch->device, batch->F, &m->F));
    CLS_TRY(ops->map(batch->device, batch->rows, &pivots));
    CLS_TRY(ops->map(batch->device, batch->scales, &scales));
    CLS_TRY(ops->map(batch->device, batch->info, &infos));
    CLS_TRY(ops->map(batch->device, batch->outcome, &outcomes));
    m->pivots = pivots;
    m->scales = scales;
    m->infos = infos;
    m->outcomes = outcomes;
    return CLSOLVE_OK;
}

/* Cholesky by columns has no blocks, nor have many right-hand sides: with few threads it pays off up to HALF_ROWS, and
 * they never do. */
static int goes_by_lapack(const cls_direct_batch *batch, int threads, int64_t sides) {
    enum { HALF_ROWS = 128, FEW_THREADS = 3, MANY_SIDES = 8 };
    const int is_half = cls_direct_batch_is_half(batch), few = threads < FEW_THREADS;
    int64_t most = is_half && few ? HALF_ROWS : CLS_LU_HOST_BLOCKED_MOST;
    if (few && sides >= MANY_SIDES) return batch->n > CLS_LU_HOST_SMALL_MOST;
    if (threads == 0 || batch->count == 1)
        most = batch->type == CLSOLVE_F64 && !is_half ? PLAIN_ALONE : CLS_LU_HOST_SMALL_MOST;
    return batch->n > most;
}

static void describe(cls_direct_batch *batch, job *m) {
    m->batch = batch;
    m->type = batch->type;
    m->n = batch->n;
    m->count = batch->count;
}

/* operations: of a member. */
static clsolve_status run(cls_direct_batch *batch, job *m, cls_buffer *numbers, double operations) {
    enum { STACK = 8 << 20 };
    cls_pool *pool = cls_device_pool(batch->device);
    const int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool));

    describe(batch, m);
    CLS_TRY(map_all(batch, m, numbers));
    m->by_lapack = goes_by_lapack(batch, cls_pool_threads(pool), m->rhs);
    if (m->first) m->first->by_lapack = m->by_lapack;
    if (m->by_lapack) {
        if (m->rhs > 0) m->room = cls_alloc((size_t)(m->n * m->rhs), (size_t)cls_type_size(m->type));
        if (m->rhs > 0 && !m->room) return cls_no_memory(batch->device->error, "right-hand sides");
        CLS_HOST_BLAS;
        cls_stack_run(STACK, all_parts, m);
        cls_free(m->room);
        return CLSOLVE_OK;
    }
    m->each = (batch->count + parts - 1) / parts;
    cls_job all = {.work = part, .what = m, .parts = (batch->count + m->each - 1) / m->each};
    cls_pool_run((double)batch->count * operations < SERIAL || all.parts == 1 ? NULL : pool, &all);
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_host_factor(cls_direct_batch *batch, const cls_direct_members *A, int conjugate) {
    job m = {.what = FACTOR, .at = *A, .conjugate = conjugate};
    const double cube = (double)batch->n * (double)batch->n * (double)batch->n;
    return run(batch, &m, NULL, cls_direct_batch_is_half(batch) ? cube / 3 : cube);
}

clsolve_status cls_direct_batch_host_solve(cls_direct_batch *batch, const cls_direct_members *B, int64_t rhs,
                                           int transposes, int inverse_of) {
    job m = {.what = SOLVE, .at = *B, .rhs = rhs, .transposes = transposes, .inverse_of = inverse_of};
    return run(batch, &m, NULL, 2 * (double)batch->n * (double)batch->n * (double)rhs);
}

clsolve_status cls_direct_batch_host_factor_solve(cls_direct_batch *batch, const cls_direct_members *A,
                                                  const cls_direct_members *B, int64_t rhs, int transposes) {
    job factor = {.what = FACTOR, .at = *A};
    job m = {.what = FACTOR_SOLVE, .at = *B, .rhs = rhs, .transposes = transposes, .first = &factor};
    const double n = (double)batch->n;
    describe(batch, &factor);
    CLS_TRY(map_all(batch, &factor, NULL));
    return run(batch, &m, NULL, n * n * n + 2 * n * n * (double)rhs);
}

clsolve_status cls_direct_batch_host_out(cls_direct_batch *batch, const cls_direct_members *F, int conjugate) {
    job m = {.what = OUT, .at = *F, .conjugate = conjugate};
    return run(batch, &m, NULL, (double)batch->n * (double)batch->n);
}

clsolve_status cls_direct_batch_host_det(cls_direct_batch *batch, int inertia) {
    job m = {.what = inertia ? INERTIA : DET};
    return run(batch, &m, batch->numbers, 40 * (double)batch->n);
}

clsolve_status cls_direct_batch_host_norm(cls_direct_batch *batch, const cls_direct_members *A, int is_scaled,
                                          cls_buffer *norms) {
    job m = {.what = NORM, .at = *A, .is_scaled = is_scaled};
    return run(batch, &m, norms, (double)batch->n * (double)batch->n);
}
