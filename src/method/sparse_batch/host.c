/*
 * host.c: a batch where there are no kernels: blocks of members are shared out among the threads of the host.
 * States are those of cl/sparse_batch.cl and cl/sparse_batch_solve.cl.
 */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "base/type.h"
#include "device/staging.h"
#include "method/sparse_batch/batch.h"

/* For fewer products, in all, no thread is woken: it would take longer. */
enum { W = CLS_BATCH_MEMBERS, PARTS_A_THREAD = 4, SERIAL = 400000, LINE = 64 };

typedef struct outcome {
    double backward_error;
    int64_t iterations;
    char pad[LINE - 16]; /* each thread has lines of its own */
} outcome;

typedef struct job {
    cls_sparse_batch *batch;
    int solve, of_quotient;
    clsolve_op op;
    const clsolve_batch *view;
    int64_t count, sides, step, across; /* step: elements between neighbouring rows; across: between sides */
    int64_t each;                       /* blocks of a part */
    double promised;
    int32_t *states, *exponents; /* of each member */
    const int32_t *infos, *outcomes;
    char *memory; /* `room` bytes for each part */
    int64_t room;
    outcome *of;
} job;

static const char *member_at(const job *j, int64_t m) {
    const clsolve_batch *view = j->view;
    const int64_t begin = view->offsets ? view->offsets[m] : m * view->stride;
    return (const char *)view->data + begin * cls_type_size(view->type);
}

#define EACH_ELEMENT "method/sparse_batch/host_element.h"
#include "method/elements_each.h"

static void part(void *what, int64_t index) {
    const job *j = what;
    const int64_t blocks = (j->count + W - 1) / W, begin = index * j->each;
    char *memory = j->memory + index * j->room;
    outcome *of = &j->of[index];
    for (int64_t block = begin; block < begin + j->each && block < blocks; ++block) switch (j->batch->type) {
        case CLSOLVE_F32:
            do_block_f32(j, block, memory, of);
            break;
        case CLSOLVE_C32:
            do_block_c32(j, block, memory, of);
            break;
        case CLSOLVE_C64:
            do_block_c64(j, block, memory, of);
            break;
        case CLSOLVE_F64:
            do_block_f64(j, block, memory, of);
            break;
        }
}

/* From 64-byte lines on; *raw is for cls_free. NULL: no memory. */
static char *lines(double count, size_t bytes, char **raw) {
    *raw = count * (double)bytes < 0x1p60 ? cls_alloc((size_t)count + 1, bytes + LINE) : NULL;
    return *raw ? *raw + (LINE - (uintptr_t)*raw % LINE) % LINE : NULL;
}

static clsolve_status no_memory(const cls_sparse_batch *batch) {
    return cls_no_memory(batch->device->error, "%lld members of order %lld of a sparse batch", (long long)batch->count,
                         (long long)batch->plan->A.n);
}

clsolve_status cls_batch_host_open(cls_sparse_batch *batch) {
    const cls_sparse_plan *plan = batch->plan;
    const size_t block = W * (size_t)cls_type_size(batch->type);
    const int64_t blocks = (batch->count + W - 1) / W;
    batch->exponents = cls_alloc((size_t)batch->count + 1, sizeof *batch->exponents);
    batch->A = lines((double)blocks, (size_t)plan->A.entries * block, &batch->raw_A);
    batch->LU = lines((double)blocks, (size_t)plan->slots * block, &batch->raw_LU);
    const int fine = cls_plan_sort_steps(&plan->factor, &batch->sorted[0]) &&
                     cls_plan_sort_steps(&plan->substitute[0], &batch->sorted[1]) &&
                     cls_plan_sort_steps(&plan->substitute[1], &batch->sorted[2]);
    return fine && batch->exponents && batch->A && batch->LU ? CLSOLVE_OK : no_memory(batch);
}

void cls_batch_host_close(cls_sparse_batch *batch) {
    for (int k = 0; k < 3; k++) cls_plan_free_steps(&batch->sorted[k]);
    cls_free(batch->exponents);
    cls_free(batch->raw_A);
    cls_free(batch->raw_LU);
}

static clsolve_status run(cls_sparse_batch *batch, job *j, double products) {
    cls_pool *pool = cls_device_pool(batch->device);
    const int by_column = j->view->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t parts = PARTS_A_THREAD * (1 + cls_pool_threads(pool)), blocks = (batch->count + W - 1) / W;
    const int64_t rows = j->solve ? batch->plan->A.n : 0;
    char *raw = NULL;
    j->batch = batch;
    j->count = batch->count;
    j->step = by_column ? 1 : j->view->ld;
    j->across = by_column ? j->view->ld : 1;
    j->promised = cls_sparse_batch_promised(batch);
    j->states = batch->states;
    j->exponents = batch->exponents;
    j->of_quotient = batch->of_quotient;
    j->outcomes = batch->outcomes;
    j->each = (blocks + parts - 1) / parts;
    j->room = (rows * (4 + j->sides) * cls_type_size(batch->type) + j->sides * (int64_t)sizeof(int)) * W + LINE;
    j->room -= j->room % LINE;
    cls_job all = {.work = part, .what = j, .parts = (blocks + j->each - 1) / j->each};
    j->memory = lines((double)all.parts, (size_t)j->room, &raw);
    j->of = cls_alloc((size_t)all.parts, sizeof *j->of);
    if (j->memory && j->of)
        cls_pool_run((double)batch->count * products < SERIAL || all.parts == 1 ? NULL : pool, &all);
    const clsolve_status status = j->memory && j->of ? CLSOLVE_OK : no_memory(batch);
    for (int64_t k = 0; k < all.parts && status == CLSOLVE_OK; k++) {
        if (j->of[k].backward_error > batch->backward_error) batch->backward_error = j->of[k].backward_error;
        if (j->of[k].iterations > batch->iterations) batch->iterations = j->of[k].iterations;
    }
    cls_free(raw);
    cls_free(j->of);
    return status;
}

clsolve_status cls_batch_host_factor(cls_sparse_batch *batch, const clsolve_batch *values) {
    job j = {.view = values};
    return run(batch, &j, (double)(batch->plan->factor.pairs + 2 * batch->plan->slots));
}

clsolve_status cls_batch_host_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B,
                                    const int32_t *infos) {
    job j = {.solve = 1, .op = op, .view = B, .sides = B->cols, .infos = infos};
    return run(batch, &j, (double)(2 * batch->plan->slots) * (double)B->cols);
}

void cls_batch_host_values(const cls_sparse_batch *batch, int64_t m, void *value, int32_t *exponent) {
    *exponent = batch->exponents[m];
    switch (batch->type) {
    case CLSOLVE_F32:
        values_of_f32(batch, m, value);
        break;
    case CLSOLVE_C32:
        values_of_c32(batch, m, value);
        break;
    case CLSOLVE_C64:
        values_of_c64(batch, m, value);
        break;
    case CLSOLVE_F64:
        values_of_f64(batch, m, value);
        break;
    }
}

void cls_batch_host_pivots(const cls_sparse_batch *batch, int64_t count, double *pivots) {
    const int64_t each = batch->plan->A.n * cls_type_parts(batch->type);
    for (int64_t m = 0; m < count; m++) switch (batch->type) {
        case CLSOLVE_F32:
            pivots_of_f32(batch, m, pivots + m * each);
            break;
        case CLSOLVE_C32:
            pivots_of_c32(batch, m, pivots + m * each);
            break;
        case CLSOLVE_C64:
            pivots_of_c64(batch, m, pivots + m * each);
            break;
        case CLSOLVE_F64:
            pivots_of_f64(batch, m, pivots + m * each);
            break;
        }
}

void cls_batch_host_block(const cls_sparse_batch *batch, int64_t block, void *values) {
    const int64_t parts = cls_type_parts(batch->type), entries = batch->plan->A.entries,
                  size = cls_type_size(batch->type) / parts;
    const char *from = batch->A + block * entries * W * parts * size;
    char *to = values;
    for (int64_t e = 0; e < entries; e++)
        for (int64_t w = 0; w < W; w++)
            for (int64_t p = 0; p < parts; p++, to += size)
                memcpy(to, from + ((e * parts + p) * W + w) * size, (size_t)size);
}
