/* device.c: the launches of cl/sparse_batch.cl, and the device's memory for members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "blas/blas.h"
#include "method/members.h"
#include "method/sparse_batch/there.h"

enum { STAGE_BYTES = 64 << 20 };

static const struct {
    const char *name, *file;
} kernels[KERNELS] = {{"sparse_batch_take", "sparse_batch"},
                      {"sparse_batch_exponents", "sparse_batch"},
                      {"sparse_batch_scale", "sparse_batch"},
                      {"sparse_batch_factor", "sparse_batch"},
                      {"sparse_batch_pivots", "sparse_batch"},
                      {"sparse_batch_sides", "sparse_batch_solve"},
                      {"sparse_batch_begin", "sparse_batch_solve"},
                      {"sparse_batch_shrink", "sparse_batch_solve"},
                      {"sparse_batch_substitute", "sparse_batch_solve"},
                      {"sparse_batch_residual", "sparse_batch_solve"},
                      {"sparse_batch_judge", "sparse_batch_solve"},
                      {"sparse_batch_put", "sparse_batch_solve"}};

/* ---- sizes ---- */

static double list_bytes(const cls_sparse_plan *plan) {
    const cls_plan_steps *steps[] = {&plan->factor, &plan->substitute[0], &plan->substitute[1]};
    double numbers = 4.0 * (double)plan->A.entries + 2.0 * (double)plan->A.given;
    for (int k = 0; k < 3; k++)
        numbers += (double)steps[k]->levels + CLS_STEP_FIELDS * (double)steps[k]->count + 2.0 * (double)steps[k]->pairs;
    return (double)sizeof(int32_t) * numbers;
}

/*
 * Work-items that share a member's steps. Few members need many to fill a device; more than a level has steps find
 * nothing to do. Few numbers, because each is a program of its own.
 */
static int64_t choose_items(const cls_sparse_batch *batch, int64_t blocks) {
    static const int64_t numbers[] = {128, 32, 16, 8};
    const cls_device *device = batch->device;
    const cls_plan_steps *steps = &batch->plan->factor;
    if (device->info.type == CLSOLVE_DEVICE_CPU) return 4;
    const int64_t width = steps->count / (steps->levels > 0 ? steps->levels : 1);
    const int64_t wanted = (int64_t)device->info.compute_units * 1024 / (blocks > 0 ? blocks * MEMBERS : MEMBERS);
    for (int k = 0; k < 3; k++)
        if (wanted >= numbers[k] / 2 && width >= numbers[k] / 4 &&
            cls_work_group(device, numbers[k] * MEMBERS) == numbers[k] * MEMBERS)
            return numbers[k];
    return cls_work_group(device, numbers[3] * MEMBERS) / MEMBERS;
}

double cls_there_side_bytes(const cls_sparse_batch *batch, double members) {
    const double items = (double)choose_items(batch, (int64_t)ceil(members / MEMBERS));
    const double vectors = VECTORS * (double)batch->plan->A.n * (double)cls_type_size(batch->type);
    return members * (vectors + 8 * (NORMS * items + SIDE_NUMBERS));
}

double cls_batch_there_bytes(const cls_sparse_batch *batch, int64_t members) {
    const cls_sparse_plan *plan = batch->plan;
    const double all = ceil((double)members / MEMBERS) * MEMBERS, size = (double)cls_type_size(batch->type);
    const double member = (double)(plan->slots + plan->A.entries) * size;
    const double tight = (double)plan->A.n * size * all;
    const double staged = fmin((double)plan->A.given * size * all, STAGE_BYTES);
    return list_bytes(plan) + all * member + cls_there_side_bytes(batch, all) + tight + staged;
}

int64_t cls_batch_there_most(const cls_sparse_batch *batch) {
    const cls_sparse_plan *plan = batch->plan;
    const int64_t widest = plan->slots > plan->A.entries ? plan->slots : plan->A.entries;
    const int64_t members = batch->device->info.max_allocation / (widest * cls_type_size(batch->type) + 1);
    return members / MEMBERS * MEMBERS;
}

/* ---- memory ---- */

clsolve_status cls_there_buffer(cls_device *device, double count, size_t size, cls_buffer **buffer) {
    if (count * (double)size >= 0x1p62)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a batch has more bytes than 64 bits can count");
    return device->ops->buffer_create(device, (size_t)count * size, buffer);
}

static clsolve_status put_list(cls_device *device, const int32_t *from, int64_t count, cls_buffer **buffer) {
    CLS_TRY(cls_there_buffer(device, (double)count, sizeof *from, buffer));
    return cls_bytes_write(device, CLS_COMPUTE, *buffer, 0, from, (size_t)count * sizeof *from);
}

static clsolve_status put_steps(cls_device *device, const cls_plan_steps *steps, lists *l) {
    CLS_TRY(put_list(device, steps->level, steps->levels + 1, &l->at[0]));
    CLS_TRY(put_list(device, steps->step, (steps->count + 1) * CLS_STEP_FIELDS, &l->at[1]));
    return put_list(device, steps->pair, 2 * steps->pairs + 2, &l->at[2]);
}

static clsolve_status put_lists(const cls_sparse_batch *batch, there_of *t) {
    cls_device *device = batch->device;
    const cls_sparse_plan *plan = batch->plan;
    const int64_t entries = plan->A.entries;
    CLS_TRY(put_steps(device, &plan->factor, &t->factor));
    for (int k = 0; k < 2; k++) {
        CLS_TRY(put_steps(device, &plan->substitute[k], &t->substitute[k]));
        CLS_TRY(put_list(device, plan->rows[k].start, plan->A.n + 1, &t->rows[k].at[0]));
        CLS_TRY(put_list(device, plan->rows[k].column, entries, &t->rows[k].at[1]));
        CLS_TRY(put_list(device, plan->rows[k].entry, entries, &t->rows[k].at[2]));
    }
    if (!plan->first) return CLSOLVE_OK;
    CLS_TRY(put_list(device, plan->first, entries + 1, &t->first));
    return put_list(device, plan->given, plan->A.given, &t->given);
}

static clsolve_status make_memory(const cls_sparse_batch *batch, there_of *t) {
    cls_device *device = batch->device;
    const double members = (double)(t->blocks * MEMBERS);
    const size_t size = (size_t)cls_type_size(batch->type);
    CLS_TRY(cls_there_buffer(device, members * (double)batch->plan->A.entries, size, &t->A));
    CLS_TRY(cls_there_buffer(device, members * (double)batch->plan->slots, size, &t->LU));
    CLS_TRY(cls_there_buffer(device, members, sizeof(int32_t), &t->exponents));
    CLS_TRY(cls_there_buffer(device, members, sizeof(int32_t), &t->outcomes));
    CLS_TRY(cls_there_buffer(device, members, sizeof(int32_t), &t->vanished));
    CLS_TRY(cls_there_buffer(device, members, sizeof(int32_t), &t->zeros));
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, t->zeros, 0, (size_t)members * sizeof(int32_t), 0));
    return cls_there_buffer(device, members * (double)t->items, 8, &t->partial);
}

static clsolve_status make_kernel(cls_sparse_batch *batch, int which) {
    cls_device *device = batch->device;
    cls_program *program;
    char options[160];
    if (batch->there->kernel[which]) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "%s -DITEMS=%d%s", cls_type_option(batch->type), (int)batch->there->items,
                   device->info.type == CLSOLVE_DEVICE_CPU ? " -DCLS_ROLLED" : "");
    CLS_TRY(device->ops->program_get(device, kernels[which].file, options, &program));
    return device->ops->kernel_create(device, program, kernels[which].name, &batch->there->kernel[which]);
}

static clsolve_status make_kernels(void *what) {
    for (int k = 0; k < KERNELS; k++) CLS_TRY(make_kernel(what, k));
    return CLSOLVE_OK;
}

clsolve_status cls_batch_there_open(cls_sparse_batch *batch) {
    cls_device *device = batch->device;
    there_of *t = batch->there = cls_alloc(1, sizeof *t);
    if (!t) return cls_no_memory(device->error, "a handle of a batch");
    t->blocks = (batch->portion + MEMBERS - 1) / MEMBERS;
    t->items = choose_items(batch, t->blocks);
    clsolve_status status = cls_announce(device, make_kernels, batch); /* they compile while the lists go up */
    if (status == CLSOLVE_OK) status = put_lists(batch, t);
    if (status == CLSOLVE_OK) status = make_memory(batch, t);
    if (status == CLSOLVE_OK) status = make_kernels(batch);
    return cls_finish(device, CLS_COMPUTE, status);
}

void cls_there_drop_sides(cls_device *device, there_of *t) {
    cls_buffers_destroy(device, t->vector, VECTORS);
    cls_buffers_destroy(device, t->number, SIDE_NUMBERS);
    memset(t->vector, 0, sizeof t->vector);
    memset(t->number, 0, sizeof t->number);
    cls_free(t->states);
    cls_free(t->errors);
    t->states = NULL;
    t->errors = NULL;
    t->sides = 0;
}

void cls_batch_there_close(cls_sparse_batch *batch) {
    cls_device *device = batch->device;
    there_of *t = batch->there;
    if (!t) return;
    (void)device->ops->finish(device, CLS_COMPUTE); /* what still runs uses these buffers */
    cls_kernels_destroy(device, t->kernel, KERNELS);
    cls_there_drop_sides(device, t);
    cls_buffers_destroy(device, t->factor.at, 3);
    for (int k = 0; k < 2; k++) {
        cls_buffers_destroy(device, t->substitute[k].at, 3);
        cls_buffers_destroy(device, t->rows[k].at, 3);
    }
    CLS_BUFFERS_DESTROY(device, t->first, t->given, t->A, t->LU, t->exponents, t->outcomes, t->vanished, t->zeros,
                        t->partial);
    cls_free(t);
}

/* ---- factor ---- */

/* The members from `begin` on, whose values lie in the buffer. */
static clsolve_status take(cls_sparse_batch *batch, cls_buffer *from, const clsolve_batch *at, int64_t begin,
                           int64_t count) {
    there_of *t = batch->there;
    const cls_sparse_plan *plan = batch->plan;
    const int64_t step = at->layout == CLSOLVE_COLUMN_MAJOR ? 1 : at->ld;
    const int32_t listed = plan->first != NULL;
    cls_buffer *first = listed ? t->first : t->exponents, *given = listed ? t->given : t->exponents;
    const cls_grid grid = cls_there_grid(t, (at->count + MEMBERS - 1) / MEMBERS);
    cls_arg args[] = {CLS_BUFFER(from),  CLS_VALUE(at->offset),      CLS_VALUE(at->stride), CLS_VALUE(step),
                      CLS_VALUE(begin),  CLS_VALUE(count),           CLS_BUFFER(first),     CLS_BUFFER(given),
                      CLS_VALUE(listed), CLS_VALUE(plan->A.entries), CLS_BUFFER(t->A),      CLS_BUFFER(t->partial)};
    return cls_launch(batch->device, CLS_COMPUTE, t->kernel[TAKE], &grid, CLS_ARGS(args));
}

/* Members up, and how long that takes. */
clsolve_status cls_there_bring(cls_sparse_batch *batch, const clsolve_batch *view, cls_buffer *to) {
    const double start = cls_seconds();
    const clsolve_status status = cls_members_up(batch->device, view, to);
    batch->upload += cls_seconds() - start;
    return status;
}

/* Values that kernels cannot read where they are come some members at a time. */
static clsolve_status take_staged(cls_sparse_batch *batch, const clsolve_batch *values) {
    cls_device *device = batch->device;
    const int64_t size = cls_type_size(batch->type), member = values->rows * size;
    int64_t some = member > 0 ? STAGE_BYTES / member / MEMBERS * MEMBERS : values->count;
    cls_buffer *stage = NULL;
    if (some < MEMBERS) some = MEMBERS;
    if (some > values->count) some = values->count;
    CLS_TRY(cls_there_buffer(device, (double)some, (size_t)member, &stage));
    clsolve_status status = CLSOLVE_OK;
    for (int64_t begin = 0; begin < values->count && status == CLSOLVE_OK; begin += some) {
        const clsolve_batch part =
            cls_members_of(values, begin, begin + some < values->count ? some : values->count - begin);
        const clsolve_batch tight = {
            .layout = CLSOLVE_COLUMN_MAJOR, .count = part.count, .stride = values->rows, .offset = 0};
        if (begin > 0) status = device->ops->finish(device, CLS_COMPUTE); /* the stage is read until then */
        if (status == CLSOLVE_OK) status = cls_there_bring(batch, &part, stage);
        if (status == CLSOLVE_OK) status = take(batch, stage, &tight, begin, values->count);
    }
    status = cls_finish(device, CLS_COMPUTE, status);
    device->ops->buffer_destroy(device, stage);
    return status;
}

static clsolve_status factor_taken(cls_sparse_batch *batch, int64_t blocks) {
    there_of *t = batch->there;
    cls_device *device = batch->device;
    const cls_sparse_plan *plan = batch->plan;
    const int64_t members = blocks * MEMBERS;
    const int32_t levels = (int32_t)plan->factor.levels;
    const cls_grid grid = cls_there_grid(t, blocks), numbers = cls_there_numbers(members);
    cls_arg of_exponents[] = {CLS_BUFFER(t->partial), CLS_VALUE(members), CLS_BUFFER(t->exponents),
                              CLS_BUFFER(t->outcomes), CLS_BUFFER(t->vanished)};
    cls_arg of_scale[] = {CLS_BUFFER(t->exponents), CLS_VALUE(plan->A.entries), CLS_BUFFER(t->A)};
    cls_arg of_factor[] = {CLS_BUFFER(t->factor.at[0]), CLS_VALUE(levels),      CLS_BUFFER(t->factor.at[1]),
                           CLS_BUFFER(t->factor.at[2]), CLS_BUFFER(t->A),       CLS_VALUE(plan->A.entries),
                           CLS_BUFFER(t->LU),           CLS_VALUE(plan->slots), CLS_BUFFER(t->vanished)};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[EXPONENTS], &numbers, CLS_ARGS(of_exponents)));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[SCALE], &grid, CLS_ARGS(of_scale)));
    return cls_launch(device, CLS_COMPUTE, t->kernel[FACTOR], &grid, CLS_ARGS(of_factor));
}

/* States of the members, here and on the device: those with pivots that have vanished are to be done again. */
static clsolve_status take_states(cls_sparse_batch *batch, int64_t count) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)count * sizeof *batch->states;
    int32_t *vanished = batch->outcomes, some = 0; /* which become the states afterwards */
    CLS_TRY(cls_bytes_get(device, batch->there->outcomes, 0, batch->states, bytes));
    CLS_TRY(cls_bytes_get(device, batch->there->vanished, 0, vanished, bytes));
    for (int64_t m = 0; m < count; m++) {
        if (batch->states[m] != CLS_MEMBER_DONE || vanished[m] == 0) continue;
        batch->states[m] = CLS_MEMBER_AGAIN;
        some = 1;
    }
    return some ? cls_bytes_put(device, batch->there->outcomes, 0, batch->states, bytes) : CLSOLVE_OK;
}

clsolve_status cls_batch_there_factor(cls_sparse_batch *batch, const clsolve_batch *values) {
    cls_device *device = batch->device;
    cls_buffer *theirs = NULL;
    CLS_TRY(cls_members_there(device, values, 0, &theirs));
    clsolve_status status = theirs ? take(batch, theirs, values, 0, values->count) : take_staged(batch, values);
    if (status == CLSOLVE_OK) status = factor_taken(batch, (values->count + MEMBERS - 1) / MEMBERS);
    if (status == CLSOLVE_OK) status = take_states(batch, values->count);
    device->ops->buffer_destroy(device, theirs);
    return status;
}

clsolve_status cls_batch_there_values(cls_sparse_batch *batch, int64_t m, void *value, int32_t *exponent) {
    cls_device *device = batch->device;
    const size_t size = (size_t)cls_type_size(batch->type), entries = (size_t)batch->plan->A.entries;
    const size_t block = (size_t)m / MEMBERS, w = (size_t)m % MEMBERS;
    const cls_rect rect = {size, entries, (block * entries * MEMBERS + w) * size, MEMBERS * size, size};
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, batch->there->A, value, &rect, NULL, NULL));
    return cls_bytes_get(device, batch->there->exponents, (size_t)m * sizeof *exponent, exponent, sizeof *exponent);
}

clsolve_status cls_batch_there_block(cls_sparse_batch *batch, int64_t block, void *values) {
    const size_t bytes = (size_t)(batch->plan->A.entries * MEMBERS * cls_type_size(batch->type));
    return cls_bytes_get(batch->device, batch->there->A, (size_t)block * bytes, values, bytes);
}

/* From blocks of members to a member behind the other. */
static void spread_pivots(const cls_sparse_batch *batch, const void *from, int64_t count, double *to) {
    const int64_t n = batch->plan->A.n, parts = cls_type_parts(batch->type);
    for (int64_t m = 0; m < count; m++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t p = 0; p < parts; p++)
                to[(m * n + k) * parts + p] =
                    cls_type_get(batch->type, from, ((m / MEMBERS * n + k) * MEMBERS + m % MEMBERS) * parts + p);
}

clsolve_status cls_batch_there_pivots(cls_sparse_batch *batch, int64_t count, double *pivots) {
    there_of *t = batch->there;
    cls_device *device = batch->device;
    const cls_sparse_plan *plan = batch->plan;
    const int64_t blocks = (count + MEMBERS - 1) / MEMBERS, n = plan->A.n;
    const size_t numbers = (size_t)(blocks * MEMBERS * n), size = (size_t)cls_type_size(batch->type);
    const cls_grid grid = cls_there_grid(t, blocks);
    cls_buffer *diagonal = NULL, *side_by_side = NULL;
    void *raw = cls_alloc(numbers, size);
    clsolve_status status =
        raw ? put_list(device, plan->diagonal, n, &diagonal) : cls_no_memory(device->error, "pivots");
    if (status == CLSOLVE_OK) status = cls_there_buffer(device, (double)numbers, size, &side_by_side);
    cls_arg args[] = {CLS_BUFFER(t->LU), CLS_VALUE(plan->slots), CLS_BUFFER(diagonal), CLS_VALUE(n),
                      CLS_BUFFER(side_by_side)};
    if (status == CLSOLVE_OK) status = cls_launch(device, CLS_COMPUTE, t->kernel[PIVOTS], &grid, CLS_ARGS(args));
    if (status == CLSOLVE_OK) status = cls_bytes_get(device, side_by_side, 0, raw, numbers * size);
    if (status == CLSOLVE_OK) spread_pivots(batch, raw, count, pivots);
    CLS_BUFFERS_DESTROY(device, diagonal, side_by_side);
    cls_free(raw);
    return status;
}

clsolve_status cls_batch_there_exponents(cls_sparse_batch *batch, int64_t count, int32_t *exponents) {
    return cls_bytes_get(batch->device, batch->there->exponents, 0, exponents, (size_t)count * sizeof *exponents);
}
