/*
 * batch_host.c: a batch where there are no kernels: LAPACK's getrf with getri or getrs for each member, members shared out
 * among the threads of the host. Infos are those of cl/gj_batch.cl.
 */
#include "method/gauss_jordan/batch_host.h"

#include <lapacke.h>

#include "device/staging.h"

enum { LARGEST = 64, PARTS_A_THREAD = 4 };

typedef struct members {
    const cls_gj_batch *batch;
    void *A, *B;
    int32_t *infos;
    int64_t rhs, each; /* each: members of a part */
    cls_gj_strides a, b;
} members;

/* A member in LAPACK's form, in the type of the batch. */
typedef struct room {
    double A[LARGEST * LARGEST], B[LARGEST * LARGEST];
    lapack_int pivots[LARGEST];
} room;

/* n x cols between a batch, from `at` on, and a room's array; 0: there is NaN or Inf. */
#define MOVES(real, name)                                                                                              \
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
    }
MOVES(double, f64)
MOVES(float, f32)

static int gather(clsolve_type type, const void *data, int64_t at, cls_gj_strides s, int64_t n, int64_t cols,
                  void *to) {
    return type == CLSOLVE_F64 ? gather_f64((const double *)data + at, s, n, cols, to)
                               : gather_f32((const float *)data + at, s, n, cols, to);
}

static void scatter(clsolve_type type, void *data, int64_t at, cls_gj_strides s, int64_t n, int64_t cols,
                    const void *from) {
    if (type == CLSOLVE_F64)
        scatter_f64((double *)data + at, s, n, cols, from);
    else
        scatter_f32((float *)data + at, s, n, cols, from);
}

/* n x cols of a room's array, looked at where it is. */
static int is_finite(clsolve_type type, void *data, int64_t n, int64_t cols) {
    return gather(type, data, 0, (cls_gj_strides){1, n}, n, cols, data);
}

static int32_t invert(const members *m, int64_t at, room *r) {
    const int64_t n = m->batch->n;
    lapack_int order = (lapack_int)n;
    lapack_int info = m->batch->type == CLSOLVE_F64 ? LAPACKE_dgetri_work(LAPACK_COL_MAJOR, order, r->A, order,
                                                                          r->pivots, r->B, LARGEST * LARGEST)
                                                    : LAPACKE_sgetri_work(LAPACK_COL_MAJOR, order, (float *)r->A, order,
                                                                          r->pivots, (float *)r->B, LARGEST * LARGEST);
    if (info != 0 || !is_finite(m->batch->type, r->A, n, n)) return -1;
    scatter(m->batch->type, m->A, at, m->b, n, n, r->A);
    return 0;
}

/* Columns of right-hand sides, as many as a room has place for. */
static int64_t columns_from(const members *m, int64_t c) {
    return m->rhs - c < LARGEST ? m->rhs - c : LARGEST;
}

/* Some right-hand sides at a time; where not all fit, twice: the first round sees that all have solutions. */
static int32_t solve(const members *m, int64_t at, room *r) {
    const int64_t n = m->batch->n;
    lapack_int order = (lapack_int)n;
    for (int round = m->rhs > LARGEST ? 0 : 1; round < 2; ++round)
        for (int64_t c = 0; c < m->rhs; c += LARGEST) {
            int64_t cols = columns_from(m, c), from = at + c * m->b.column;
            (void)gather(m->batch->type, m->B, from, m->b, n, cols, r->B);
            if (m->batch->type == CLSOLVE_F64)
                (void)LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', order, (lapack_int)cols, r->A, order, r->pivots, r->B,
                                          order);
            else
                (void)LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, 'N', order, (lapack_int)cols, (float *)r->A, order,
                                          r->pivots, (float *)r->B, order);
            if (!is_finite(m->batch->type, r->B, n, cols)) return -1;
            if (round == 1) scatter(m->batch->type, m->B, from, m->b, n, cols, r->B);
        }
    return 0;
}

static int sides_are_finite(const members *m, int64_t at, room *r) {
    for (int64_t c = 0; c < m->rhs; c += LARGEST)
        if (!gather(m->batch->type, m->B, at + c * m->b.column, m->b, m->batch->n, columns_from(m, c), r->B)) return 0;
    return 1;
}

/* NaN and Inf that the elimination brings count up to the column of the first zero pivot, as there is nothing behind it. */
static int32_t one(const members *m, int64_t member, room *r) {
    const int64_t n = m->batch->n, at = member * n * n, side = member * n * m->rhs;
    const clsolve_type type = m->batch->type;
    lapack_int order = (lapack_int)n;
    if (!gather(type, m->A, at, m->a, n, n, r->A) || !sides_are_finite(m, side, r)) return -1;
    lapack_int info = type == CLSOLVE_F64
                          ? LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order, order, r->A, order, r->pivots)
                          : LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, order, order, (float *)r->A, order, r->pivots);
    if (!is_finite(type, r->A, n, info > 0 ? info - 1 : n)) return -1;
    if (info != 0) return (int32_t)info;
    return m->rhs == 0 ? invert(m, at, r) : solve(m, side, r);
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
    if (batch->count * batch->n * batch->n < 4096) { /* not worth a thread's wait */
        for (int64_t k = 0; k < job.parts; ++k) part(&m, k);
        return CLSOLVE_OK;
    }
    cls_pool_run(pool, &job);
    return CLSOLVE_OK;
}
