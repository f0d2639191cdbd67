/*
 * device_ahead.c: factorizations and solves that the host enqueues without a look at what came of the work before. The
 * device keeps the outcome in words (cl/front_ahead.cl), and delivers X only where nothing went wrong.
 *
 * A factorization takes the range of the values from the one before. A solve takes as many steps of refinement as those
 * before have taken, and one more where their errors were close to the bound.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/matrix.h"
#include "method/sparse/device_vectors.h"
#include "method/transfer.h"

/* As in cl/front_ahead.cl. */
enum { WORD_VALUES, WORD_FACTORS, WORD_SIDES, WORD_ERROR, WORDS };
enum { STATE_FIRST, STATE_LEAST, STATE_STEPS, STATE_COUNTS, STATE_OVER, STATES };

struct cls_sparse_ahead {
    cls_device *device;
    cls_kernel *values, *front, *factors, *judge, *keep, *deliver;
    cls_buffer *words, *state;
};

/* ---- open, close ---- */

void cls_sparse_ahead_close(cls_sparse *sparse) {
    cls_sparse_ahead *a = sparse->ahead;
    if (!a) return;
    const cls_error first = *a->device->error; /* the wait may overwrite it */
    const cls_device_ops *ops = a->device->ops;
    (void)ops->finish(a->device, CLS_COMPUTE);
    cls_kernel *const kernels[] = {a->values, a->front, a->factors, a->judge, a->keep, a->deliver};
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) ops->kernel_destroy(a->device, kernels[k]);
    ops->buffer_destroy(a->device, a->words);
    ops->buffer_destroy(a->device, a->state);
    *a->device->error = first;
    cls_free(a);
    sparse->ahead = NULL;
}

static clsolve_status open_parts(cls_sparse_ahead *a, clsolve_type type, int64_t local) {
    const cls_device_ops *ops = a->device->ops;
    const struct {
        const char *name;
        cls_kernel **kernel;
    } wanted[] = {{"ahead_values", &a->values}, {"ahead_front", &a->front}, {"ahead_factors", &a->factors},
                  {"ahead_judge", &a->judge},   {"ahead_keep", &a->keep},   {"ahead_deliver", &a->deliver}};
    char options[160];
    cls_program *program;
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)local);
    CLS_TRY(ops->program_get(a->device, "front_ahead", options, &program));
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
        CLS_TRY(ops->kernel_create(a->device, program, wanted[k].name, wanted[k].kernel));
    CLS_TRY(ops->buffer_create(a->device, WORDS * sizeof(int32_t), &a->words));
    CLS_TRY(ops->buffer_create(a->device, STATES * sizeof(double), &a->state));
    return ops->fill(a->device, CLS_COMPUTE, a->words, 0, WORDS * sizeof(int32_t), 0);
}

static clsolve_status open_ahead(cls_sparse *sparse) {
    if (sparse->ahead) return CLSOLVE_OK;
    cls_sparse_ahead *a = cls_alloc(1, sizeof *a);
    if (!a) return cls_vectors_no_memory(sparse->device);
    *a = (cls_sparse_ahead){.device = sparse->device};
    sparse->ahead = a;
    const clsolve_status status = open_parts(a, sparse->type, sparse->vectors->local);
    if (status != CLSOLVE_OK) cls_sparse_ahead_close(sparse);
    return status;
}

static clsolve_status launch_one(const cls_sparse_ahead *a, cls_kernel *kernel, const cls_arg *args, int32_t count) {
    const cls_grid grid = {{1, 1, 1}, {1, 1, 1}};
    return cls_launch(a->device, CLS_COMPUTE, kernel, &grid, ((cls_args){args, count}));
}

/* ---- factor ---- */

static int is_there(const cls_sparse *sparse) {
    return sparse->factored && cls_sparse_vectors_may(sparse) && sparse->there->streamed == 0 &&
           sparse->there->replaced_pivots == 0 && !sparse->behind && !cls_in_place(sparse->device);
}

int cls_sparse_may_factor_ahead(const cls_sparse *sparse, const clsolve_matrix *values) {
    return is_there(sparse) && sparse->values && cls_sparse_values_may(sparse, values) && !sparse->options.rcond &&
           (sparse->there->cholesky || sparse->there->whole[CLS_LARGE].count == 0);
}

static clsolve_status judge_values(const cls_sparse *sparse, cls_buffer *partial, int64_t count) {
    const cls_sparse_ahead *a = sparse->ahead;
    const int32_t groups = (int32_t)count;
    const double low = ldexp(1, sparse->there->range - 5), high = ldexp(1, sparse->there->range + 4);
    const cls_arg args[] = {CLS_BUFFER(partial), CLS_VALUE(groups), CLS_VALUE(low), CLS_VALUE(high),
                            CLS_BUFFER(a->words)};
    return launch_one(a, a->values, args, 5);
}

static clsolve_status judge_factors(const cls_sparse *sparse) {
    const cls_sparse_ahead *a = sparse->ahead;
    const int32_t fronts = (int32_t)sparse->there->symbolic->tree.fronts;
    const cls_arg args[] = {CLS_BUFFER(sparse->there->replaced), CLS_VALUE(fronts), CLS_BUFFER(a->words)};
    return launch_one(a, a->factors, args, 3);
}

static clsolve_status enqueue_factors(cls_sparse *sparse) {
    cls_sparse_vectors_renew(sparse);
    CLS_TRY(cls_front_factor_enqueue(sparse->there, sparse->ahead->front));
    return judge_factors(sparse);
}

clsolve_status cls_sparse_factor_ahead(cls_sparse *sparse, const clsolve_matrix *values, int *taken) {
    cls_buffer *partial;
    int64_t groups;
    *taken = 0;
    CLS_TRY(open_ahead(sparse));
    clsolve_status status = cls_sparse_values_enqueue(sparse, values, &partial, &groups, taken);
    if (status == CLSOLVE_OK && !*taken) return status;
    cls_sparse_begin_factors(sparse);
    if (status == CLSOLVE_OK) status = judge_values(sparse, partial, groups);
    if (status == CLSOLVE_OK) status = enqueue_factors(sparse);
    sparse->factored = sparse->made_there = status == CLSOLVE_OK;
    sparse->ended = status == CLSOLVE_OK ? CLSOLVE_OK : CLSOLVE_ERROR_STATE;
    return status;
}

/* ---- solve ---- */

int cls_sparse_may_solve_ahead(const cls_sparse *sparse, const clsolve_matrix *B) {
    return is_there(sparse) && B->place == CLSOLVE_ON_DEVICE && B->rows > 0 && B->cols > 0 &&
           B->cols <= sparse->there->most_sides;
}

static clsolve_status judge(const cls_vectors_run *run, const cls_sparse_ahead *a, double enough, int32_t first) {
    const int32_t sides = (int32_t)run->sides, exponent = run->there->exponent;
    const cls_arg args[] = {CLS_BUFFER(run->v->found), CLS_VALUE(sides), CLS_VALUE(*run->norm), CLS_VALUE(exponent),
                            CLS_VALUE(enough),         CLS_VALUE(first), CLS_BUFFER(a->state),  CLS_BUFFER(a->words)};
    return launch_one(a, a->judge, args, 8);
}

static clsolve_status keep(const cls_vectors_run *run, const cls_sparse_ahead *a) {
    const cls_arg args[] = {CLS_BUFFER(a->state), CLS_VALUE(run->n), CLS_BUFFER(run->v->next), CLS_BUFFER(run->v->x)};
    return cls_vectors_launch(run, a->keep, run->v->groups, run->sides, args, 4);
}

static clsolve_status deliver(const cls_vectors_run *run, const cls_sparse_ahead *a) {
    const cls_sparse_vectors *v = run->v;
    const int32_t exponent = run->there->exponent;
    const cls_sparse_sides *X = &run->to;
    const cls_arg args[] = {CLS_BUFFER(a->words),   CLS_BUFFER(v->x),       CLS_VALUE(run->n),    CLS_BUFFER(run->out),
                            CLS_BUFFER(run->after), CLS_VALUE(run->scaled), CLS_BUFFER(v->found), CLS_VALUE(exponent),
                            CLS_BUFFER(X->buffer),  CLS_VALUE(X->first),    CLS_VALUE(X->down),   CLS_VALUE(X->across)};
    return cls_vectors_launch(run, a->deliver, v->groups, run->sides, args, 12);
}

static clsolve_status enqueue_steps(cls_sparse *sparse, cls_vectors_run *run, double enough) {
    const cls_sparse_ahead *a = sparse->ahead;
    CLS_TRY(cls_vectors_spread(run));
    CLS_TRY(cls_vectors_find_norm(run));
    for (int32_t step = 0; step <= sparse->ahead_steps; step++) {
        CLS_TRY(cls_vectors_step(run, step > 0));
        CLS_TRY(judge(run, a, enough, step == 0));
        CLS_TRY(keep(run, a));
    }
    return deliver(run, a);
}

static clsolve_status enqueue_solve(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, cls_buffer *theirs,
                                    double enough) {
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    CLS_TRY(cls_vectors_put_pattern(sparse->vectors, sparse, op != CLSOLVE_NO_TRANS && sparse->whole));
    CLS_TRY(cls_vectors_reserve(sparse->vectors, sparse->there, B->cols));
    cls_vectors_run run = cls_vectors_run_of(sparse, op);
    run.sides = B->cols;
    run.from = run.to = (cls_sparse_sides){
        .buffer = theirs, .first = B->offset, .down = by_column ? 1 : B->ld, .across = by_column ? B->ld : 1};
    return enqueue_steps(sparse, &run, enough);
}

clsolve_status cls_sparse_solve_ahead(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, double enough,
                                      int *taken) {
    cls_buffer *theirs;
    *taken = 0;
    CLS_TRY(open_ahead(sparse));
    CLS_TRY(cls_transfer_adopt(sparse->device, B, &theirs));
    *taken = cls_buffer_takes_kernels(theirs, B->offset, cls_type_size(B->type), 1);
    const clsolve_status status = *taken ? enqueue_solve(sparse, op, B, theirs, enough) : CLSOLVE_OK;
    sparse->device->ops->buffer_destroy(sparse->device, theirs);
    return status;
}

/* ---- the outcome ---- */

clsolve_status cls_sparse_ahead_look(cls_sparse *sparse, cls_ahead_found *found) {
    const cls_sparse_ahead *a = sparse->ahead;
    int32_t words[WORDS];
    double state[STATES];
    CLS_TRY(cls_front_get(sparse->there, a->words, 0, words, sizeof words));
    CLS_TRY(cls_front_get(sparse->there, a->state, 0, state, sizeof state));
    *found = (cls_ahead_found){.factors_fail = words[WORD_VALUES] || words[WORD_FACTORS],
                               .sides_fail = words[WORD_SIDES],
                               .error_fails = words[WORD_ERROR],
                               .first_error = state[STATE_FIRST] >= 0 ? state[STATE_FIRST] : HUGE_VAL,
                               .error = state[STATE_LEAST] >= 0 ? state[STATE_LEAST] : HUGE_VAL,
                               .steps = (int64_t)state[STATE_STEPS]};
    if (!found->factors_fail) return CLSOLVE_OK;
    return a->device->ops->fill(a->device, CLS_COMPUTE, a->words, 0, sizeof words, 0);
}
