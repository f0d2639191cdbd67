#include "method/block_gs/members_host.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/ref.h"
#include "device/staging.h"
#include "method/block_gs/lines_host.h"
#include "method/direct/scaling.h"

enum { DIAGONALS = 5, PARTS_A_THREAD = 4 };

clsolve_status cls_host_lines_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                    cls_host_lines *lines) {
    *lines = (cls_host_lines){.device = device, .type = type, .n = n, .count = count};
    lines->values = cls_alloc((size_t)(n * count), (size_t)(DIAGONALS * cls_type_size(type)));
    lines->swaps = cls_alloc((size_t)(n + 1), (size_t)count);
    lines->powers = cls_alloc((size_t)count, sizeof *lines->powers);
    if (lines->values && lines->swaps && lines->powers) return CLSOLVE_OK;
    return cls_no_memory(device->error, "%lld tridiagonal matrices of %lld", (long long)count, (long long)n);
}

void cls_host_lines_release(cls_host_lines *lines) {
    cls_free(lines->values);
    cls_free(lines->swaps);
    cls_free(lines->powers);
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
    clsolve_op op;
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
    cls_pool *pool = all < CLS_HOST_LINES_SERIAL ? NULL : cls_device_pool(lines->device);
    int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool));
    job->each = (lines->count + parts - 1) / parts;
    cls_job shared = {.work = part, .what = job, .parts = (lines->count + job->each - 1) / job->each};
    if (shared.parts == 1) pool = NULL;
    cls_pool_run(pool, &shared);
}

/* ---- numbers ---- */

static cls_line line_of(const cls_host_lines *lines, int64_t m) {
    const int64_t bytes = lines->n * cls_type_size(lines->type);
    char *at = (char *)lines->values + m * DIAGONALS * bytes;
    return (cls_line){.dl = at,
                      .d = at + bytes,
                      .du = at + 2 * bytes,
                      .du2 = at + 3 * bytes,
                      .inverse = at + 4 * bytes,
                      .swaps = lines->swaps + m * (lines->n + 1)};
}

static void scatter(clsolve_type type, const void *from, void *to, int64_t at, int64_t stride, int64_t count) {
    if (type == CLSOLVE_F64)
        for (int64_t i = 0; i < count; ++i) ((double *)to)[at + i * stride] = ((const double *)from)[i];
    else if (type == CLSOLVE_F32)
        for (int64_t i = 0; i < count; ++i) ((float *)to)[at + i * stride] = ((const float *)from)[i];
    else
        for (int64_t i = 0; i < 2 * count; ++i)
            cls_type_put(type, to, 2 * (at + i / 2 * stride) + i % 2, cls_type_get(type, from, i));
}

/* ---- factor ---- */

/* 0: NaN or Inf among its numbers. */
static int gather_member(const lines_job *job, int64_t m, const cls_line *line) {
    const cls_host_lines *lines = job->lines;
    const int64_t n = lines->n;
    void *to[3] = {line->dl, line->d, line->du};
    int finite = 1;
    for (int q = 0; q < 3; ++q) {
        const clsolve_grid *a = job->arrays[q];
        int64_t skip = q == 0, count = q == 1 ? n : n - 1; /* the arrays next to the diagonal are one shorter */
        finite &= cls_line_gather(lines->type, a->data, m * a->line_stride + skip * a->stride, a->stride, count, to[q]);
    }
    return finite;
}

/* Numbers k of `count` times 2^power. */
static void multiply(clsolve_type type, int64_t count, void *values, int power) {
    for (int64_t k = 0; k < count * cls_type_parts(type); ++k)
        cls_type_put(type, values, k, ldexp(cls_type_get(type, values, k), power));
}

static double largest_of(clsolve_type type, int64_t count, const void *values) {
    double largest = 0;
    for (int64_t k = 0; k < count * cls_type_parts(type); ++k)
        largest = fmax(largest, fabs(cls_type_get(type, values, k)));
    return largest;
}

/* A member with a tiny pivot once more, multiplied by a power of two where it is tiny as a whole: subnormal numbers
 * have few digits. */
static int64_t factor_scaled(const lines_job *job, int64_t m, const cls_line *line) {
    const cls_host_lines *lines = job->lines;
    const clsolve_type type = lines->type;
    const int64_t n = lines->n;
    (void)gather_member(job, m, line);
    const double beside = fmax(largest_of(type, n - 1, line->dl), largest_of(type, n - 1, line->du));
    const int power = ilogb(cls_scaling_tiny(type, fmax(beside, largest_of(type, n, line->d))));
    multiply(type, n - 1, line->dl, power);
    multiply(type, n, line->d, power);
    multiply(type, n - 1, line->du, power);
    lines->powers[m] = power;
    return cls_line_factor(type, n, line);
}

static void factor_member(lines_job *job, int64_t m) {
    cls_host_lines *lines = job->lines;
    const int64_t n = lines->n;
    const cls_line line = line_of(lines, m);
    lines->powers[m] = 0;
    job->infos[m] = -1;
    if (!gather_member(job, m, &line)) return;
    int64_t info = cls_line_factor(lines->type, n, &line);
    if (line.swaps[n] & CLS_LINE_TINY) info = factor_scaled(job, m, &line);
    job->infos[m] = (int32_t)info;
}

void cls_host_lines_factor(cls_host_lines *lines, const clsolve_grid *const arrays[3], int32_t *infos) {
    lines_job job = {.lines = lines, .arrays = {arrays[0], arrays[1], arrays[2]}, .infos = infos};
    job.member = factor_member;
    run(&job);
}

/* ---- solve ---- */

/* A^H x = b is A^T conj(x) = conj(b). */
static void conjugate(clsolve_type type, int64_t count, void *x) {
    for (int64_t k = 1; k < 2 * count; k += 2) cls_type_put(type, x, k, -cls_type_get(type, x, k));
}

static int solve_member_finite(lines_job *job, int64_t m, char *x) {
    const cls_host_lines *lines = job->lines;
    const int64_t n = lines->n, column = n * cls_type_size(lines->type);
    const clsolve_grid *B = job->B;
    const cls_line line = line_of(lines, m);
    int finite = 1;
    for (int64_t c = 0; c < job->nrhs; ++c)
        finite &=
            cls_line_gather(lines->type, B->data, m * B->line_stride + c * B->rhs_stride, B->stride, n, x + c * column);
    if (lines->powers[m] != 0) {
        multiply(lines->type, n * job->nrhs, x, lines->powers[m]);
        finite = finite && cls_line_gather(lines->type, x, 0, 1, n * job->nrhs, x);
    }
    const int conjugates = job->op == CLSOLVE_CONJ_TRANS && cls_is_complex(lines->type);
    if (conjugates) conjugate(lines->type, n * job->nrhs, x);
    for (int64_t c = 0; finite && c < job->nrhs; ++c)
        cls_line_solve(lines->type, job->op != CLSOLVE_NO_TRANS, n, &line, x + c * column);
    if (conjugates) conjugate(lines->type, n * job->nrhs, x);
    return finite && cls_line_gather(lines->type, x, 0, 1, n * job->nrhs, x);
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

clsolve_status cls_host_lines_solve(cls_host_lines *lines, clsolve_op op, const clsolve_grid *B, int64_t nrhs,
                                    int32_t *infos) {
    lines_job job = {.lines = lines, .B = B, .infos = infos, .nrhs = nrhs, .op = op};
    if (nrhs > INT64_MAX / 64 / lines->n / lines->count)
        job.X = NULL;
    else
        job.X = cls_alloc((size_t)(lines->n * lines->count), (size_t)(nrhs * cls_type_size(lines->type)));
    if (!job.X) return cls_no_memory(lines->device->error, "the solutions");
    job.member = solve_member;
    run(&job);
    job.member = deliver_member;
    run(&job);
    cls_free(job.X);
    return CLSOLVE_OK;
}
