/*
 * batch_host.c: a batch where there are no kernels: members shared out among the threads of the host. LAPACK takes a
 * lock for each call, which threads wait for. Infos are those of cl/cholesky_batch.cl.
 */
#include <limits.h>

#include "base/clones.h"
#include "base/type.h"
#include "device/staging.h"
#include "method/cholesky/batch.h"

/* For fewer operations, n^3 for a member, no thread is woken: it would take longer. */
enum { LARGEST = 64, PARTS_A_THREAD = 4, SERIAL = 400000 };

typedef struct job {
    enum { FACTOR, SOLVE, OUT } what;
    clsolve_type type;
    int64_t n, count, each, rhs; /* each: members of a part */
    int choice;                  /* the call's flag: conjugate, inverse_of or lower */
    cls_cholesky_members at;     /* of A, which is B, X or F of the other steps */
    void *A, *L;
    int32_t *infos, *outcomes;
} job;

#define EACH_ELEMENT "method/cholesky/batch_host_element.h"
#include "method/elements_each.h"

static void part(void *what, int64_t index) {
    const job *m = what;
    const int64_t begin = index * m->each, end = begin + m->each < m->count ? begin + m->each : m->count;
    for (int64_t member = begin; member < end; ++member) CLS_FOR_TYPE(m->type, do_member, m, member);
}

void cls_cholesky_batch_host_one(const cls_cholesky_batch *batch, const cls_cholesky_one *one) {
    job m = {.what = one->rhs > 0 ? SOLVE : FACTOR,
             .type = batch->type,
             .n = batch->n,
             .count = 1,
             .each = 1,
             .rhs = one->rhs,
             .choice = one->choice,
             .at = {.row = one->row, .column = one->column},
             .A = one->A,
             .L = one->L,
             .infos = one->info,
             .outcomes = one->outcome};
    part(&m, 0);
}

static clsolve_status run(cls_cholesky_batch *batch, job *m, double operations) {
    const cls_device_ops *ops = batch->device->ops;
    cls_pool *pool = cls_device_pool(batch->device);
    const int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool));
    void *infos, *outcomes;

    m->type = batch->type;
    m->n = batch->n;
    m->count = batch->count;
    CLS_TRY(ops->map(batch->device, m->at.buffer, &m->A));
    CLS_TRY(ops->map(batch->device, batch->L, &m->L));
    CLS_TRY(ops->map(batch->device, batch->info, &infos));
    CLS_TRY(ops->map(batch->device, batch->outcome, &outcomes));
    m->infos = infos;
    m->outcomes = outcomes;
    m->each = (batch->count + parts - 1) / parts;
    cls_job all = {.work = part, .what = m, .parts = (batch->count + m->each - 1) / m->each};
    cls_pool_run((double)batch->count * operations < SERIAL || all.parts == 1 ? NULL : pool, &all);
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_batch_host_factor(cls_cholesky_batch *batch, const cls_cholesky_members *A, int conjugate) {
    job m = {.what = FACTOR, .choice = conjugate, .at = *A};
    return run(batch, &m, (double)(batch->n * batch->n * batch->n) / 3);
}

clsolve_status cls_cholesky_batch_host_solve(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                             int inverse_of) {
    job m = {.what = SOLVE, .choice = inverse_of, .at = *B, .rhs = rhs};
    return run(batch, &m, 2 * (double)(batch->n * batch->n) * (double)rhs);
}

clsolve_status cls_cholesky_batch_host_out(cls_cholesky_batch *batch, const cls_cholesky_members *F, int lower) {
    job m = {.what = OUT, .choice = lower, .at = *F};
    return run(batch, &m, (double)(batch->n * batch->n));
}
