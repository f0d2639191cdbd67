/* device_solve.c: the launches of cl/sparse_batch_solve.cl: right-hand sides of members on the device. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "method/members.h"
#include "method/sparse_batch/there.h"

/* ---- memory ---- */

/* Room for as many of `sides` sides at once as the device has, at least one. */
static clsolve_status reserve(cls_sparse_batch *batch, int64_t sides) {
    cls_device *device = batch->device;
    there_of *t = batch->there;
    const double members = (double)(t->blocks * MEMBERS), parts = (double)batch->plan->A.n * members;
    const size_t size = (size_t)cls_type_size(batch->type);
    const double each = cls_there_side_bytes(batch, members), left = 0.5 * (double)device->ops->memory_left(device);
    const double most = fmin(left / each, (double)device->info.max_allocation / (parts * (double)size + 1));
    const double factors = fmax((double)batch->plan->slots * members * (double)size / each, 1);
    const int64_t room = (int64_t)fmax(1, fmin(fmin((double)sides, most), fmax(factors, 16)));
    if (t->sides >= room) return CLSOLVE_OK;
    cls_there_drop_sides(device, t);
    for (int k = 0; k < VECTORS; k++) CLS_TRY(cls_there_buffer(device, parts * (double)room, size, &t->vector[k]));
    for (int k = 0; k < SIDE_NUMBERS; k++) {
        const double count = members * (double)room * (k == SIDE_NORMS ? (double)(NORMS * t->items) : 1);
        CLS_TRY(cls_there_buffer(device, count, k < SIDE_SIZES ? 4 : 8, &t->number[k]));
    }
    t->states = cls_alloc((size_t)(t->blocks * MEMBERS * room), sizeof *t->states);
    t->errors = cls_alloc((size_t)(t->blocks * MEMBERS * room), sizeof *t->errors);
    if (!t->states || !t->errors) return cls_no_memory(device->error, "the sides of a batch");
    t->sides = room;
    return CLSOLVE_OK;
}

/* ---- solve ---- */

/* Some sides of a call: the members' elements lie in `buffer`. */
typedef struct solving {
    cls_sparse_batch *batch;
    cls_buffer *buffer;
    int64_t offset, member, step, across;
    int64_t count, blocks, sides; /* members, their blocks, and sides at once */
    int32_t conjugated, transposed;
} solving;

static clsolve_status begin(const solving *s) {
    there_of *t = s->batch->there;
    cls_device *device = s->batch->device;
    const int64_t members = s->blocks * MEMBERS, n = s->batch->plan->A.n;
    const cls_grid grid = cls_there_grid(t, s->blocks * s->sides), numbers = cls_there_numbers(members * s->sides);
    cls_arg of_sides[] = {CLS_BUFFER(s->buffer),
                          CLS_VALUE(s->offset),
                          CLS_VALUE(s->member),
                          CLS_VALUE(s->step),
                          CLS_VALUE(s->across),
                          CLS_VALUE(s->count),
                          CLS_VALUE(n),
                          CLS_VALUE(s->sides),
                          CLS_VALUE(s->conjugated),
                          CLS_BUFFER(t->outcomes),
                          CLS_BUFFER(t->vector[B_]),
                          CLS_BUFFER(t->vector[R]),
                          CLS_BUFFER(t->vector[X]),
                          CLS_BUFFER(t->number[SIDE_NORMS])};
    cls_arg of_begin[] = {CLS_BUFFER(t->number[SIDE_NORMS]),
                          CLS_VALUE(members),
                          CLS_VALUE(s->sides),
                          CLS_VALUE(s->count),
                          CLS_BUFFER(t->outcomes),
                          CLS_BUFFER(t->number[SIDE_EXPONENTS]),
                          CLS_BUFFER(t->number[SIDE_SIZES]),
                          CLS_BUFFER(t->number[SIDE_STATES])};
    cls_arg of_shrink[] = {CLS_BUFFER(t->number[SIDE_EXPONENTS]), CLS_VALUE(n), CLS_VALUE(s->sides),
                           CLS_BUFFER(t->vector[B_]), CLS_BUFFER(t->vector[R])};
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[SIDES], &grid, CLS_ARGS(of_sides)));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[BEGIN], &numbers, CLS_ARGS(of_begin)));
    return cls_launch(device, CLS_COMPUTE, t->kernel[SHRINK], &grid, CLS_ARGS(of_shrink));
}

/* The exponents of A that solutions are divided by. */
static cls_buffer *of_A(const cls_sparse_batch *batch) {
    return batch->of_quotient ? batch->there->zeros : batch->there->exponents;
}

/* One substitution, the residuals and what they mean: step 0 solves, the others refine. */
static clsolve_status step(const solving *s, int32_t number) {
    there_of *t = s->batch->there;
    cls_device *device = s->batch->device;
    const cls_sparse_plan *plan = s->batch->plan;
    const lists *steps = &t->substitute[s->transposed], *rows = &t->rows[s->transposed];
    const int64_t members = s->blocks * MEMBERS, n = plan->A.n;
    const int32_t levels = (int32_t)plan->substitute[s->transposed].levels, last = CLS_SPARSE_STEPS;
    const double promised = cls_sparse_batch_promised(s->batch);
    const float promised_single = (float)promised;
    const cls_grid grid = cls_there_grid(t, s->blocks * s->sides), numbers = cls_there_numbers(members * s->sides);
    cls_arg of_substitute[] = {CLS_BUFFER(steps->at[0]),
                               CLS_VALUE(levels),
                               CLS_BUFFER(steps->at[1]),
                               CLS_BUFFER(steps->at[2]),
                               CLS_BUFFER(t->LU),
                               CLS_VALUE(plan->slots),
                               CLS_VALUE(n),
                               CLS_VALUE(s->sides),
                               CLS_BUFFER(t->number[SIDE_STATES]),
                               CLS_BUFFER(t->vector[R]),
                               CLS_BUFFER(t->vector[V]),
                               CLS_BUFFER(t->vector[X])};
    cls_arg of_residual[] = {CLS_BUFFER(rows->at[0]),    CLS_BUFFER(rows->at[1]),
                             CLS_BUFFER(rows->at[2]),    CLS_BUFFER(t->A),
                             CLS_VALUE(plan->A.entries), CLS_VALUE(n),
                             CLS_VALUE(s->sides),        CLS_BUFFER(t->number[SIDE_STATES]),
                             CLS_BUFFER(t->vector[B_]),  CLS_BUFFER(t->vector[X]),
                             CLS_BUFFER(t->vector[R]),   CLS_BUFFER(t->number[SIDE_NORMS])};
    cls_arg of_judge[] = {CLS_BUFFER(t->number[SIDE_NORMS]),
                          CLS_VALUE(members),
                          CLS_VALUE(s->sides),
                          CLS_BUFFER(t->number[SIDE_SIZES]),
                          CLS_BUFFER(t->number[SIDE_EXPONENTS]),
                          CLS_BUFFER(of_A(s->batch)),
                          CLS_VALUE(promised),
                          CLS_VALUE(number),
                          CLS_VALUE(last),
                          CLS_BUFFER(t->number[SIDE_ERRORS]),
                          CLS_BUFFER(t->number[SIDE_STATES])};
    if (!cls_is_double(s->batch->type)) of_judge[6] = (cls_arg)CLS_VALUE(promised_single);
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[SUBSTITUTE], &grid, CLS_ARGS(of_substitute)));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[RESIDUAL], &grid, CLS_ARGS(of_residual)));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, t->kernel[JUDGE], &numbers, CLS_ARGS(of_judge)));
    return cls_bytes_get(device, t->number[SIDE_STATES], 0, t->states,
                         (size_t)(members * s->sides) * sizeof *t->states);
}

static int has_more(const there_of *t, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (t->states[k] == CLS_MEMBER_MORE) return 1;
    return 0;
}

/* The states of members are the worst of their sides; NaN goes before what the host is to do again. */
static clsolve_status note(const solving *s) {
    cls_sparse_batch *batch = s->batch;
    there_of *t = batch->there;
    const int64_t members = s->blocks * MEMBERS;
    CLS_TRY(cls_bytes_get(batch->device, t->number[SIDE_ERRORS], 0, t->errors,
                          (size_t)(members * s->sides) * (cls_is_double(batch->type) ? 8 : 4)));
    for (int64_t side = 0; side < s->sides; side++)
        for (int64_t m = 0; m < s->count; m++) {
            const int64_t k = side * members + m;
            const int32_t state = t->states[k];
            if (state == CLS_MEMBER_NOT_FINITE || batch->states[m] == CLS_MEMBER_DONE) batch->states[m] = state;
            const double error = cls_type_get(batch->type, t->errors, k);
            if (state == CLS_MEMBER_DONE && error > batch->backward_error) batch->backward_error = error;
        }
    return CLSOLVE_OK;
}

static clsolve_status solve_sides(const solving *s) {
    there_of *t = s->batch->there;
    const int64_t all = s->blocks * MEMBERS * s->sides;
    CLS_TRY(begin(s));
    for (int32_t number = 0; number == 0 || has_more(t, all); number++) {
        CLS_TRY(step(s, number));
        if (number > s->batch->iterations) s->batch->iterations = number;
    }
    return note(s);
}

/* The solutions of members whose state in batch->states is DONE. */
static clsolve_status put(const solving *s) {
    there_of *t = s->batch->there;
    cls_device *device = s->batch->device;
    const size_t bytes = (size_t)s->count * sizeof *s->batch->states;
    const int64_t n = s->batch->plan->A.n;
    const cls_grid grid = cls_there_grid(t, s->blocks * s->sides);
    cls_buffer *states = t->number[SIDE_STATES];
    cls_arg args[] = {
        CLS_BUFFER(t->vector[X]),   CLS_VALUE(n),         CLS_VALUE(s->sides),  CLS_BUFFER(t->number[SIDE_EXPONENTS]),
        CLS_BUFFER(of_A(s->batch)), CLS_BUFFER(states),   CLS_VALUE(s->count),  CLS_VALUE(s->conjugated),
        CLS_BUFFER(s->buffer),      CLS_VALUE(s->offset), CLS_VALUE(s->member), CLS_VALUE(s->step),
        CLS_VALUE(s->across)};
    CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, states, 0, s->batch->states, bytes));
    return cls_launch(device, CLS_COMPUTE, t->kernel[PUT], &grid, CLS_ARGS(args));
}

/* Sides of B in a buffer, all at once or some at a time. */
static clsolve_status solve_there(solving *s, int64_t sides) {
    there_of *t = s->batch->there;
    const int64_t offset = s->offset;
    for (int64_t first = 0; first < sides; first += t->sides) {
        s->sides = sides - first < t->sides ? sides - first : t->sides;
        s->offset = offset + first * s->across;
        CLS_TRY(solve_sides(s));
        CLS_TRY(put(s));
    }
    return s->batch->device->ops->finish(s->batch->device, CLS_COMPUTE);
}

/* In a copy: the caller's array changes when all sides are known. */
static clsolve_status solve_copied(solving *s, const clsolve_batch *B) {
    cls_sparse_batch *batch = s->batch;
    cls_device *device = batch->device;
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    CLS_TRY(cls_there_buffer(device, (double)B->count * (double)(B->rows * B->cols), (size_t)cls_type_size(batch->type),
                             &s->buffer));
    s->member = B->rows * B->cols;
    s->step = by_column ? 1 : B->cols;
    s->across = by_column ? B->rows : 1;
    clsolve_status status = cls_there_bring(batch, B, s->buffer);
    if (status == CLSOLVE_OK) status = solve_there(s, B->cols);
    const double start = cls_seconds();
    if (status == CLSOLVE_OK) status = cls_members_down(device, B, s->buffer, batch->states);
    batch->download += cls_seconds() - start;
    status = cls_finish(device, CLS_COMPUTE, status);
    device->ops->buffer_destroy(device, s->buffer);
    return status;
}

clsolve_status cls_batch_there_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B,
                                     const int32_t *infos) {
    cls_device *device = batch->device;
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    solving s = {.batch = batch,
                 .offset = 0,
                 .count = B->count,
                 .blocks = (B->count + MEMBERS - 1) / MEMBERS,
                 .conjugated = op == CLSOLVE_CONJ_TRANS,
                 .transposed = op != CLSOLVE_NO_TRANS};
    CLS_TRY(reserve(batch, B->cols));
    for (int64_t m = 0; m < B->count; m++) batch->states[m] = infos[m] == 0 ? CLS_MEMBER_DONE : CLS_MEMBER_NOT_FINITE;
    if (B->cols <= batch->there->sides) CLS_TRY(cls_members_there(device, B, 1, &s.buffer));
    if (!s.buffer) return solve_copied(&s, B);
    s.offset = B->offset;
    s.member = B->stride;
    s.step = by_column ? 1 : B->ld;
    s.across = by_column ? B->ld : 1;
    const clsolve_status status = solve_there(&s, B->cols);
    device->ops->buffer_destroy(device, s.buffer);
    return status;
}
