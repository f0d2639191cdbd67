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
enum { WORD_VALUES, WORD_FACTORS, WORD_SIDES, WORD_ERROR, WORD_BEFORE, WORDS };
enum { STATE_FIRST, STATE_LEAST, STATE_STEPS, STATE_COUNTS, STATE_OVER, STATE_BEFORE, STATES = STATE_BEFORE + 3 };
enum { BEGINS_ALL = 1, BEGINS_MORE };

struct cls_sparse_ahead {
    cls_device *device;
    int64_t local; /* work-items of a group */
    cls_kernel *values, *factors, *judge, *keep, *deliver, *hand_over;
    cls_buffer *words, *state;
    cls_buffer *room; /* of `elements`: X of more columns than go at once, until the last ones are well */
    int64_t elements;
};

/* ---- open, close ---- */

void cls_sparse_ahead_close(cls_sparse *sparse) {
    cls_sparse_ahead *a = sparse->ahead;
    if (!a) return;
    const cls_error first = *a->device->error; /* the wait may overwrite it */
    (void)a->device->ops->finish(a->device, CLS_COMPUTE);
    CLS_KERNELS_DESTROY(a->device, a->values, a->factors, a->judge, a->keep, a->deliver, a->hand_over);
    CLS_BUFFERS_DESTROY(a->device, a->words, a->state, a->room);
    *a->device->error = first;
    cls_free(a);
    sparse->ahead = NULL;
}

static clsolve_status open_parts(cls_sparse_ahead *a, clsolve_type type) {
    const cls_device_ops *ops = a->device->ops;
    const cls_named_kernel wanted[] = {{"ahead_values", &a->values},   {"ahead_factors", &a->factors},
                                       {"ahead_judge", &a->judge},     {"ahead_keep", &a->keep},
                                       {"ahead_deliver", &a->deliver}, {"ahead_hand_over", &a->hand_over}};
    char options[160];
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)a->local);
    CLS_TRY(CLS_KERNELS_MAKE(a->device, "front_ahead", options, wanted));
    CLS_TRY(ops->buffer_create(a->device, WORDS * sizeof(int32_t), &a->words));
    CLS_TRY(ops->buffer_create(a->device, STATES * sizeof(double), &a->state));
    return ops->fill(a->device, CLS_COMPUTE, a->words, 0, WORDS * sizeof(int32_t), 0);
}

static clsolve_status open_ahead(cls_sparse *sparse) {
    if (sparse->ahead) return CLSOLVE_OK;
    cls_sparse_ahead *a = cls_alloc(1, sizeof *a);
    if (!a) return cls_vectors_no_memory(sparse->device);
    *a = (cls_sparse_ahead){.device = sparse->device, .local = sparse->vectors->local};
    sparse->ahead = a;
    const clsolve_status status = open_parts(a, sparse->type);
    if (status != CLSOLVE_OK) cls_sparse_ahead_close(sparse);
    return status;
}

/* One work-group. */
static clsolve_status launch_one(const cls_sparse_ahead *a, cls_kernel *kernel, int64_t local, const cls_arg *args,
                                 int32_t count) {
    const size_t items = (size_t)local;
    const cls_grid grid = {{items, 1, 1}, {items, 1, 1}};
    return cls_launch(a->device, CLS_COMPUTE, kernel, &grid, ((cls_args){args, count}));
}

/* ---- factor ---- */

static int is_there(const cls_sparse *sparse) {
    return sparse->factored && cls_sparse_vectors_may(sparse) && sparse->there->streamed == 0 &&
           !sparse->there->others && sparse->there->replaced_pivots == 0 && !sparse->behind &&
           !cls_in_place(sparse->device);
}

int cls_sparse_may_factor_ahead(cls_sparse *sparse, const clsolve_matrix *values) {
    return is_there(sparse) && sparse->values && cls_sparse_values_may(sparse, values) && !sparse->options.rcond;
}

static clsolve_status judge_values(const cls_sparse *sparse, cls_buffer *partial, int64_t count) {
    const cls_sparse_ahead *a = sparse->ahead;
    const int32_t groups = (int32_t)count;
    const double low = ldexp(1, sparse->there->range - 5), high = ldexp(1, sparse->there->range + 4);
    const cls_arg args[] = {CLS_BUFFER(partial), CLS_VALUE(groups), CLS_VALUE(low), CLS_VALUE(high),
                            CLS_BUFFER(a->words)};
    return launch_one(a, a->values, a->local, args, 5);
}

static clsolve_status judge_factors(const cls_sparse *sparse) {
    const cls_sparse_ahead *a = sparse->ahead;
    const int32_t fronts = (int32_t)sparse->there->symbolic->tree.fronts;
    const cls_arg args[] = {CLS_BUFFER(sparse->there->replaced), CLS_VALUE(fronts), CLS_BUFFER(a->words)};
    return launch_one(a, a->factors, a->local, args, 3);
}

static clsolve_status enqueue_factors(cls_sparse *sparse) {
    cls_sparse_vectors_renew(sparse);
    CLS_TRY(cls_front_factor_enqueue(sparse->there));
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
    return is_there(sparse) && B->place == CLSOLVE_ON_DEVICE && B->rows > 0 && B->cols > 0;
}

static clsolve_status judge(const cls_vectors_run *run, const cls_sparse_ahead *a, double enough, int32_t begins) {
    const int32_t sides = (int32_t)run->sides, exponent = run->there->exponent;
    const cls_arg args[] = {CLS_BUFFER(run->v->found), CLS_VALUE(sides),  CLS_VALUE(*run->norm), CLS_VALUE(exponent),
                            CLS_VALUE(enough),         CLS_VALUE(begins), CLS_BUFFER(a->state),  CLS_BUFFER(a->words)};
    return launch_one(a, a->judge, 1, args, 8);
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

/* Some columns of B; X comes to run->to. */
static clsolve_status enqueue_some(cls_sparse *sparse, cls_vectors_run *run, double enough, int32_t begins) {
    const cls_sparse_ahead *a = sparse->ahead;
    CLS_TRY(cls_vectors_spread(run));
    if (begins == BEGINS_ALL) CLS_TRY(cls_vectors_find_norm(run));
    for (int32_t step = 0; step <= sparse->ahead_steps; step++) {
        CLS_TRY(cls_vectors_step(run, step > 0));
        CLS_TRY(judge(run, a, enough, step == 0 ? begins : 0));
        CLS_TRY(keep(run, a));
    }
    return deliver(run, a);
}

/* X of all columns from the room to where B lies. */
static clsolve_status hand_over(const cls_vectors_run *run, const cls_sparse_ahead *a, int64_t columns,
                                const cls_sparse_sides *B) {
    enum { MOST = 1 << 15 }; /* columns of one launch: CUDA bounds their number */
    for (int64_t j = 0; j < columns; j += MOST) {
        const int64_t from = j * run->n, to = B->first + j * B->across;
        const cls_arg args[] = {CLS_BUFFER(a->words),  CLS_BUFFER(a->room), CLS_VALUE(from),    CLS_VALUE(run->n),
                                CLS_BUFFER(B->buffer), CLS_VALUE(to),       CLS_VALUE(B->down), CLS_VALUE(B->across)};
        CLS_TRY(
            cls_vectors_launch(run, a->hand_over, run->v->groups, columns - j < MOST ? columns - j : MOST, args, 8));
    }
    return CLSOLVE_OK;
}

/* X must not replace B before the last columns are well: columns that do not go at once have room until then. */
static clsolve_status take_room(cls_sparse_ahead *a, int64_t elements, int64_t size) {
    if (elements <= a->elements) return CLSOLVE_OK;
    a->device->ops->buffer_destroy(a->device, a->room);
    a->room = NULL;
    a->elements = 0;
    CLS_TRY(a->device->ops->buffer_create(a->device, (size_t)(elements * size), &a->room));
    a->elements = elements;
    return CLSOLVE_OK;
}

static clsolve_status enqueue_solve(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, cls_buffer *theirs,
                                    double enough) {
    cls_sparse_ahead *a = sparse->ahead;
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = B->rows, some = B->cols < sparse->there->most_sides ? B->cols : sparse->there->most_sides;
    const cls_sparse_sides all = {
        .buffer = theirs, .first = B->offset, .down = by_column ? 1 : B->ld, .across = by_column ? B->ld : 1};
    const int at_once = some == B->cols;
    CLS_TRY(cls_vectors_put_pattern(sparse->vectors, sparse, op != CLSOLVE_NO_TRANS && sparse->whole));
    CLS_TRY(cls_vectors_reserve(sparse->vectors, sparse->there, some));
    if (!at_once) CLS_TRY(take_room(a, n * B->cols, cls_type_size(B->type)));
    cls_vectors_run run = cls_vectors_run_of(sparse, op);
    for (int64_t j = 0; j < B->cols; j += some) {
        run.sides = B->cols - j < some ? B->cols - j : some;
        run.from = run.to = all;
        run.from.first = run.to.first = all.first + j * all.across;
        if (!at_once) run.to = (cls_sparse_sides){.buffer = a->room, .first = j * n, .down = 1, .across = n};
        CLS_TRY(enqueue_some(sparse, &run, enough, j == 0 ? BEGINS_ALL : BEGINS_MORE));
    }
    return at_once ? CLSOLVE_OK : hand_over(&run, a, B->cols, &all);
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

/* The worst of the last columns and of those before; infinity: it is no number. */
static double worst_of(const double *state, int which) {
    const double now = state[which], before = state[STATE_BEFORE + which];
    return now >= 0 && before >= 0 ? fmax(now, before) : HUGE_VAL;
}

clsolve_status cls_sparse_ahead_look(cls_sparse *sparse, cls_ahead_found *found) {
    const cls_sparse_ahead *a = sparse->ahead;
    int32_t words[WORDS];
    double state[STATES];
    CLS_TRY(cls_bytes_get(sparse->device, a->words, 0, words, sizeof words));
    CLS_TRY(cls_bytes_get(sparse->device, a->state, 0, state, sizeof state));
    *found = (cls_ahead_found){.factors_fail = words[WORD_VALUES] || words[WORD_FACTORS],
                               .sides_fail = words[WORD_SIDES],
                               .error_fails = words[WORD_ERROR] || words[WORD_BEFORE],
                               .first_error = worst_of(state, STATE_FIRST),
                               .error = worst_of(state, STATE_LEAST),
                               .steps = (int64_t)fmax(state[STATE_STEPS], state[STATE_BEFORE + STATE_STEPS])};
    if (!found->factors_fail) return CLSOLVE_OK;
    return a->device->ops->fill(a->device, CLS_COMPUTE, a->words, 0, sizeof words, 0);
}
