/*
 * batch_host.c: a batch where there are no kernels: Gauss-Jordan elimination with partial pivoting of each member, in place
 * (G. Golub, C. Van Loan, Matrix Computations, 4th ed., section 3.2.9, with the identity's columns in the place of those
 * eliminated), members shared out among the threads of the host. LAPACK takes a lock for each call, which threads wait for.
 * Infos are those of cl/gj_batch.cl.
 */
#include "method/gauss_jordan/batch_host.h"

#include <math.h>
#include <string.h>

#include "device/staging.h"

enum { LARGEST = 64, PARTS_A_THREAD = 4, FEW = 400000 /* operations: not worth a thread's wait */ };

typedef struct members {
    const cls_gj_batch *batch;
    void *A, *B;
    int32_t *infos;
    int64_t rhs, each; /* each: members of a part */
    cls_gj_strides a, b;
} members;

/* A member and some right-hand sides, column after column, in the type of the batch. */
typedef struct room {
    double A[LARGEST * LARGEST], B[LARGEST * LARGEST];
    int pivots[LARGEST];
} room;

/*
 *   gather, scatter   n x cols between a batch and a room; gather gives 0 where there is NaN or Inf
 *   swap_rows         of n columns
 *   pivot_of          the row of the largest element of column k from row k on
 *   step              column k: its pivot row is divided, the other rows lose their multiples of it; in `cols` columns of B too
 *   eliminate         all of A, which becomes its inverse with columns out of order, and B: 0, the first zero pivot, or -1
 */
#define ELIMINATION(real, name, absolute)                                                                              \
    static int gather_##name(const real *data, cls_gj_strides s, int64_t n, int64_t cols, real *to) {                  \
        real sum = 0; /* of zeros, unless something is not finite */                                                   \
        for (int64_t j = 0; j < cols; ++j)                                                                             \
            for (int64_t i = 0; i < n; ++i) {                                                                          \
                real value = to[i + j * n] = data[i * s.row + j * s.column];                                           \
                sum += 0 * value;                                                                                      \
            }                                                                                                          \
        return sum == 0;                                                                                               \
    }                                                                                                                  \
    static void scatter_##name(real *data, cls_gj_strides s, int64_t n, int64_t cols, const real *from) {              \
        for (int64_t j = 0; j < cols; ++j)                                                                             \
            for (int64_t i = 0; i < n; ++i) data[i * s.row + j * s.column] = from[i + j * n];                          \
    }                                                                                                                  \
    static void swap_rows_##name(real *A, int64_t n, int64_t cols, int64_t i, int64_t k) {                             \
        for (int64_t j = 0; j < cols && i != k; ++j) {                                                                 \
            real kept = A[i + j * n];                                                                                  \
            A[i + j * n] = A[k + j * n];                                                                               \
            A[k + j * n] = kept;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static int64_t pivot_of_##name(const real *a, int64_t n, int64_t k) {                                              \
        int64_t p = k;                                                                                                 \
        for (int64_t i = k + 1; i < n; ++i)                                                                            \
            if (absolute(a[i]) > absolute(a[p])) p = i;                                                                \
        return p;                                                                                                      \
    }                                                                                                                  \
    static void update_##name(real *restrict c, const real *restrict m, int64_t n, int64_t k, real pivot) {            \
        real u = c[k] / pivot;                                                                                         \
        for (int64_t i = 0; i < n; ++i) c[i] -= m[i] * u;                                                              \
        c[k] = u;                                                                                                      \
    }                                                                                                                  \
    static void step_##name(real *A, int64_t n, int64_t k, real *B, int64_t cols) {                                    \
        real multipliers[LARGEST], *a = A + k * n, pivot = a[k];                                                       \
        memcpy(multipliers, a, (size_t)n * sizeof *a);                                                                 \
        for (int64_t j = 0; j < n; ++j)                                                                                \
            if (j != k) update_##name(A + j * n, multipliers, n, k, pivot);                                            \
        for (int64_t j = 0; j < cols; ++j) update_##name(B + j * n, multipliers, n, k, pivot);                         \
        for (int64_t i = 0; i < n; ++i) a[i] = -multipliers[i] / pivot;                                                \
        a[k] = 1 / pivot;                                                                                              \
    }                                                                                                                  \
    static int32_t eliminate_##name(real *A, int64_t n, real *B, int64_t cols, int *pivots) {                          \
        for (int64_t k = 0; k < n; ++k) {                                                                              \
            int64_t p = pivot_of_##name(A + k * n, n, k);                                                              \
            if (!gather_##name(A + k * n, (cls_gj_strides){1, n}, n, 1, A + k * n)) return -1;                         \
            if (A[p + k * n] == 0) return (int32_t)k + 1;                                                              \
            pivots[k] = (int)p;                                                                                        \
            swap_rows_##name(A, n, n, p, k);                                                                           \
            swap_rows_##name(B, n, cols, p, k);                                                                        \
            step_##name(A, n, k, B, cols);                                                                             \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static void order_##name(real *A, int64_t n, const int *pivots) {                                                  \
        for (int64_t k = n - 1; k >= 0; --k)                                                                           \
            for (int64_t i = 0; i < n && pivots[k] != k; ++i) {                                                        \
                real kept = A[i + k * n];                                                                              \
                A[i + k * n] = A[i + pivots[k] * n];                                                                   \
                A[i + pivots[k] * n] = kept;                                                                           \
            }                                                                                                          \
    }                                                                                                                  \
    static int32_t invert_##name(const members *m, int64_t at, room *r) {                                              \
        const int64_t n = m->batch->n;                                                                                 \
        real *A = (real *)(void *)r->A, *data = (real *)m->A + at;                                                     \
        if (!gather_##name(data, m->a, n, n, A)) return -1;                                                            \
        int32_t info = eliminate_##name(A, n, NULL, 0, r->pivots);                                                     \
        if (info != 0) return info;                                                                                    \
        order_##name(A, n, r->pivots);                                                                                 \
        if (!gather_##name(A, (cls_gj_strides){1, n}, n, n, A)) return -1;                                             \
        scatter_##name(data, m->b, n, n, A);                                                                           \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static int32_t columns_##name(const members *m, int64_t at, int64_t side, int64_t c, int deliver, room *r) {       \
        const int64_t n = m->batch->n, cols = m->rhs - c < LARGEST ? m->rhs - c : LARGEST;                             \
        real *A = (real *)(void *)r->A, *B = (real *)(void *)r->B, *data = (real *)m->B + side + c * m->b.column;      \
        int finite = gather_##name((const real *)m->A + at, m->a, n, n, A);                                            \
        if (!gather_##name(data, m->b, n, cols, B) || !finite) return -1;                                              \
        int32_t info = eliminate_##name(A, n, B, cols, r->pivots);                                                     \
        if (info != 0) return info;                                                                                    \
        if (!gather_##name(B, (cls_gj_strides){1, n}, n, cols, B)) return -1;                                          \
        if (deliver) scatter_##name(data, m->b, n, cols, B);                                                           \
        return 0;                                                                                                      \
    }
ELIMINATION(double, f64, fabs)
ELIMINATION(float, f32, fabsf)

/* All columns have solutions before any is written. A NaN of any column counts more than a zero pivot. */
static int32_t solve(const members *m, int64_t at, int64_t side, room *r) {
    int32_t info = 0;
    for (int round = m->rhs > LARGEST ? 0 : 1; round < 2 && info == 0; ++round)
        for (int64_t c = 0; c < m->rhs && info >= 0; c += LARGEST) {
            int32_t here = m->batch->type == CLSOLVE_F64 ? columns_f64(m, at, side, c, round, r)
                                                         : columns_f32(m, at, side, c, round, r);
            if (here != 0) info = here;
        }
    return info;
}

static int32_t one(const members *m, int64_t member, room *r) {
    const int64_t n = m->batch->n, at = member * n * n;
    if (m->rhs > 0) return solve(m, at, member * n * m->rhs, r);
    return m->batch->type == CLSOLVE_F64 ? invert_f64(m, at, r) : invert_f32(m, at, r);
}

static void part(void *what, int64_t index) {
    const members *m = what;
    int64_t begin = index * m->each, end = begin + m->each < m->batch->count ? begin + m->each : m->batch->count;
    room r;
    for (int64_t member = begin; member < end; ++member) m->infos[member] = one(m, member, &r);
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
    cls_pool_run(work < FEW || job.parts == 1 ? NULL : pool, &job);
    return CLSOLVE_OK;
}
