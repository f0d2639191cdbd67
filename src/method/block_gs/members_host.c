#include "method/block_gs/members_host.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/ref.h"
#include "device/staging.h"

enum { DIAGONALS = 4, PARTS_A_THREAD = 4, FEW = 16384 /* unknowns: not worth a thread's wait */ };

clsolve_status cls_host_lines_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                    cls_host_lines *lines) {
    *lines = (cls_host_lines){.device = device, .type = type, .n = n, .count = count};
    lines->values = cls_alloc((size_t)(n * count), (size_t)(DIAGONALS * cls_type_size(type)));
    lines->pivots = cls_alloc((size_t)(n * count), sizeof *lines->pivots);
    if (lines->values && lines->pivots) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for %lld tridiagonal matrices of %lld",
                    (long long)count, (long long)n);
}

void cls_host_lines_release(cls_host_lines *lines) {
    cls_free(lines->values);
    cls_free(lines->pivots);
    *lines = (cls_host_lines){0};
}

/* ---- members shared out ---- */

typedef struct lines_job {
    cls_host_lines *lines;
    const clsolve_grid *arrays[3];
    const clsolve_grid *B;
    void *X; /* solutions, member after member, n x nrhs each */
    int32_t *infos;
    int64_t nrhs, each;
    int transposed;
    void (*member)(struct lines_job *job, int64_t m);
} lines_job;

static void part(void *what, int64_t index) {
    lines_job *job = what;
    int64_t begin = index * job->each, end = begin + job->each;
    for (int64_t m = begin; m < end && m < job->lines->count; ++m) job->member(job, m);
}

static void run(lines_job *job) {
    cls_host_lines *lines = job->lines;
    int64_t all = lines->n * lines->count * (job->nrhs > 0 ? job->nrhs : 1);
    cls_pool *pool = all < FEW ? NULL : cls_device_pool(lines->device);
    int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool));
    job->each = (lines->count + parts - 1) / parts;
    cls_job shared = {.work = part, .what = job, .parts = (lines->count + job->each - 1) / job->each};
    if (shared.parts == 1) pool = NULL;
    cls_pool_run(pool, &shared);
}

/* ---- numbers ---- */

static void *diagonal(const cls_host_lines *lines, int64_t m, int64_t d) {
    return (char *)lines->values + (m * DIAGONALS + d) * lines->n * cls_type_size(lines->type);
}

/* `count` numbers, `stride` apart; 0: NaN or Inf among them. */
static int gather(clsolve_type type, const void *from, int64_t at, int64_t stride, int64_t count, void *to) {
    double sum = 0; /* of zeros, unless something is not finite */
    if (type == CLSOLVE_F64)
        for (int64_t i = 0; i < count; ++i) {
            double value = ((double *)to)[i] = ((const double *)from)[at + i * stride];
            sum += 0 * value;
        }
    else
        for (int64_t i = 0; i < count; ++i) {
            float value = ((float *)to)[i] = ((const float *)from)[at + i * stride];
            sum += (double)(0 * value);
        }
    return sum == 0;
}

static void scatter(clsolve_type type, const void *from, void *to, int64_t at, int64_t stride, int64_t count) {
    if (type == CLSOLVE_F64)
        for (int64_t i = 0; i < count; ++i) ((double *)to)[at + i * stride] = ((const double *)from)[i];
    else
        for (int64_t i = 0; i < count; ++i) ((float *)to)[at + i * stride] = ((const float *)from)[i];
}

/* ---- factor ---- */

static void factor_member(lines_job *job, int64_t m) {
    cls_host_lines *lines = job->lines;
    const int64_t n = lines->n, size = cls_type_size(lines->type);
    void *d[DIAGONALS];
    int finite = 1;
    for (int q = 0; q < DIAGONALS; ++q) d[q] = diagonal(lines, m, q);
    for (int q = 0; q < 3; ++q) {
        const clsolve_grid *a = job->arrays[q];
        int64_t skip = q == 0, count = q == 1 ? n : n - 1; /* LAPACK's arrays beside the diagonal are one shorter */
        finite &= gather(lines->type, a->data, m * a->line_stride + skip * a->stride, a->stride, count, d[q]);
    }
    if (!finite) {
        job->infos[m] = -1;
        return;
    }
    int *pivots = lines->pivots + m * n;
    memset(d[3], 0, (size_t)(n * size));
    lapack_int info = lines->type == CLSOLVE_F64 ? LAPACKE_dgttrf_work((lapack_int)n, d[0], d[1], d[2], d[3], pivots)
                                                 : LAPACKE_sgttrf_work((lapack_int)n, d[0], d[1], d[2], d[3], pivots);
    job->infos[m] = (int32_t)info;
}

void cls_host_lines_factor(cls_host_lines *lines, const clsolve_grid *const arrays[3], int32_t *infos,
                           clsolve_seconds *seconds) {
    double start = cls_seconds();
    lines_job job = {.lines = lines, .arrays = {arrays[0], arrays[1], arrays[2]}, .infos = infos};
    job.member = factor_member;
    run(&job);
    seconds->factor = cls_seconds() - start;
}

/* ---- solve ---- */

static int solve_member_finite(lines_job *job, int64_t m, void *x) {
    const cls_host_lines *lines = job->lines;
    const int64_t n = lines->n, size = cls_type_size(lines->type);
    int finite = 1;
    for (int64_t c = 0; c < job->nrhs; ++c)
        finite &= gather(lines->type, job->B->data, m * job->B->line_stride + c * job->B->rhs_stride, job->B->stride, n,
                         (char *)x + c * n * size);
    if (!finite) return 0;
    char trans = job->transposed ? 'T' : 'N';
    const void *d[DIAGONALS];
    for (int q = 0; q < DIAGONALS; ++q) d[q] = diagonal(lines, m, q);
    lapack_int order = (lapack_int)n, nrhs = (lapack_int)job->nrhs;
    if (lines->type == CLSOLVE_F64)
        (void)LAPACKE_dgttrs_work(LAPACK_COL_MAJOR, trans, order, nrhs, d[0], d[1], d[2], d[3], lines->pivots + m * n,
                                  x, order);
    else
        (void)LAPACKE_sgttrs_work(LAPACK_COL_MAJOR, trans, order, nrhs, d[0], d[1], d[2], d[3], lines->pivots + m * n,
                                  x, order);
    return gather(lines->type, x, 0, 1, n * job->nrhs, x);
}

static void solve_member(lines_job *job, int64_t m) {
    const cls_host_lines *lines = job->lines;
    char *x = (char *)job->X + m * lines->n * job->nrhs * cls_type_size(lines->type);
    if (job->infos[m] == 0 && !solve_member_finite(job, m, x)) job->infos[m] = -1;
}

static void deliver_member(lines_job *job, int64_t m) {
    const cls_host_lines *lines = job->lines;
    const int64_t n = lines->n, size = cls_type_size(lines->type);
    const char *x = (const char *)job->X + m * n * job->nrhs * size;
    for (int64_t c = 0; job->infos[m] == 0 && c < job->nrhs; ++c)
        scatter(lines->type, x + c * n * size, job->B->data, m * job->B->line_stride + c * job->B->rhs_stride,
                job->B->stride, n);
}

clsolve_status cls_host_lines_solve(cls_host_lines *lines, int transposed, const clsolve_grid *B, int64_t nrhs,
                                    int32_t *infos, clsolve_seconds *seconds) {
    double start = cls_seconds();
    lines_job job = {.lines = lines, .B = B, .infos = infos, .nrhs = nrhs, .transposed = transposed};
    if (nrhs > INT64_MAX / 64 / lines->n / lines->count || nrhs > INT32_MAX)
        job.X = NULL;
    else
        job.X = cls_alloc((size_t)(lines->n * lines->count), (size_t)(nrhs * cls_type_size(lines->type)));
    if (!job.X) return cls_fail(lines->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solutions");
    job.member = solve_member;
    run(&job);
    job.member = deliver_member;
    run(&job);
    cls_free(job.X);
    seconds->solve += cls_seconds() - start;
    return CLSOLVE_OK;
}
