/*
 * device_refine.c: solves whose right-hand sides and solutions stay on the device while they are refined. B goes up, X
 * comes down; of each step the host sees the maxima of cl/front_residual.cl and decides.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/device_vectors.h"

/* As in cl/front_residual.cl. */
enum { SLOT_B, SLOT_RB, SLOT_X, SLOT_REST, SLOT_NORM, SLOTS };

/* ---- steps ---- */

cls_vectors_run cls_vectors_run_of(cls_sparse *sparse, clsolve_op op) {
    cls_sparse_vectors *v = sparse->vectors;
    const int is_complex = sparse->A.parts == 2, adjoint = op != CLSOLVE_NO_TRANS;
    /* One triangle is the same matrix for A and A^H, or A^T; A^T of it, or A^H, has the conjugate values. */
    const int transposed = adjoint && sparse->whole, conjugates = cls_form_conjugates(sparse->options.form);
    const clsolve_op conjugating = sparse->whole || !conjugates ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
    cls_vectors_run run = {
        .v = v,
        .there = sparse->there,
        .rows = &v->of[transposed],
        .norm = &v->norm_of[transposed],
        .in = adjoint ? v->column_at : v->row_at,
        .out = adjoint ? v->row_at : v->column_at,
        .before = adjoint ? v->col_scale : v->row_scale,
        .after = adjoint ? v->row_scale : v->col_scale,
        .transposed = adjoint,
        .scaled = v->row_scale != NULL,
        .through = v->of[transposed].entry != NULL,
        /* A^H x = b is A^T conj(x) = conj(b); of hermitian factors A^T x = b is A conj(x) = conj(b). */
        .turned = is_complex && op == (cls_front_conjugates(sparse->there) ? CLSOLVE_TRANS : CLSOLVE_CONJ_TRANS),
        .conjugated = is_complex && op == conjugating,
        .most_growth = cls_sparse_most_growth(sparse),
        .n = sparse->A.n};
    if (!run.scaled) run.before = run.after = v->found; /* which is not read then */
    return run;
}

clsolve_status cls_vectors_launch(const cls_vectors_run *run, cls_kernel *kernel, int64_t groups, int64_t sides,
                                  const cls_arg *args, int32_t count) {
    const size_t local = (size_t)run->v->local;
    const cls_grid grid = {{(size_t)groups * local, (size_t)sides, 1}, {local, 1, 1}};
    return cls_launch(run->v->device, CLS_COMPUTE, kernel, &grid, ((cls_args){args, count}));
}

static clsolve_status most(const cls_vectors_run *run, int32_t first, int64_t slots, int64_t sides) {
    const int32_t groups = (int32_t)run->v->groups;
    const cls_arg args[] = {CLS_BUFFER(run->v->partial), CLS_VALUE(groups), CLS_VALUE(first),
                            CLS_BUFFER(run->v->found)};
    return cls_vectors_launch(run, run->v->most, slots, sides, args, 4);
}

clsolve_status cls_vectors_spread(const cls_vectors_run *run) {
    const cls_sparse_vectors *v = run->v;
    const cls_sparse_sides *B = &run->from;
    const cls_arg sizes[] = {CLS_BUFFER(B->buffer),   CLS_VALUE(B->first),    CLS_VALUE(B->down),
                             CLS_VALUE(B->across),    CLS_VALUE(run->n),      CLS_BUFFER(run->in),
                             CLS_BUFFER(run->before), CLS_VALUE(run->scaled), CLS_BUFFER(v->partial)};
    const cls_arg args[] = {CLS_BUFFER(B->buffer),   CLS_VALUE(B->first),    CLS_VALUE(B->down),
                            CLS_VALUE(B->across),    CLS_VALUE(run->n),      CLS_BUFFER(run->in),
                            CLS_BUFFER(run->before), CLS_VALUE(run->scaled), CLS_BUFFER(v->found),
                            CLS_VALUE(run->turned),  CLS_BUFFER(v->b),       CLS_BUFFER(run->there->x)};
    CLS_TRY(cls_vectors_launch(run, v->sizes, v->groups, run->sides, sizes, 9));
    CLS_TRY(most(run, SLOT_B, 2, run->sides));
    return cls_vectors_launch(run, v->spread, v->groups, run->sides, args, 12);
}

clsolve_status cls_vectors_find_norm(const cls_vectors_run *run) {
    const cls_sparse_vectors *v = run->v;
    const cls_device_rows *rows = run->rows;
    const cls_arg args[] = {
        CLS_BUFFER(rows->start), CLS_BUFFER(rows->column),      CLS_BUFFER(rows->entry ? rows->entry : rows->column),
        CLS_VALUE(run->through), CLS_BUFFER(run->there->value), CLS_VALUE(run->n),
        CLS_BUFFER(run->in),     CLS_VALUE(rows->lanes),        CLS_VALUE(rows->limit),
        CLS_VALUE(rows->longer), CLS_BUFFER(run->before),       CLS_BUFFER(run->after),
        CLS_VALUE(run->scaled),  CLS_BUFFER(v->partial)};
    if (*run->norm >= 0) return CLSOLVE_OK;
    CLS_TRY(cls_vectors_launch(run, v->norm, v->groups, 1, args, 14));
    return most(run, SLOT_NORM, 1, 1);
}

clsolve_status cls_vectors_step(const cls_vectors_run *run, int32_t more) {
    const cls_sparse_vectors *v = run->v;
    const cls_device_rows *rows = run->rows;
    const cls_arg add[] = {CLS_BUFFER(run->there->x), CLS_VALUE(run->n),      CLS_BUFFER(v->x),
                           CLS_VALUE(more),           CLS_VALUE(run->turned), CLS_BUFFER(run->after),
                           CLS_VALUE(run->scaled),    CLS_BUFFER(v->next),    CLS_BUFFER(v->partial)};
    const cls_arg rest[] = {
        CLS_BUFFER(rows->start), CLS_BUFFER(rows->column),   CLS_BUFFER(rows->entry ? rows->entry : rows->column),
        CLS_VALUE(run->through), CLS_VALUE(run->conjugated), CLS_BUFFER(run->there->value),
        CLS_VALUE(run->n),       CLS_BUFFER(run->in),        CLS_VALUE(rows->lanes),
        CLS_VALUE(rows->limit),  CLS_VALUE(rows->longer),    CLS_BUFFER(run->before),
        CLS_VALUE(run->scaled),  CLS_BUFFER(v->next),        CLS_BUFFER(v->b),
        CLS_VALUE(run->turned),  CLS_BUFFER(run->there->x),  CLS_BUFFER(v->partial)};
    CLS_TRY(cls_front_substitute(run->there, run->transposed, run->sides));
    CLS_TRY(cls_vectors_launch(run, v->add, v->groups, run->sides, add, 9));
    CLS_TRY(cls_vectors_launch(run, v->rows, v->groups, run->sides, rest, 18));
    return most(run, SLOT_X, 2, run->sides);
}

/* ---- errors ---- */

static int unit_of(double size) {
    int exponent = 0;
    if (size > 0 && isfinite(size)) (void)frexp(size, &exponent);
    return exponent;
}

/* The backward error of one column, of what the kernels have found. Infinity where X would be beyond the range, where X
 * or R b lose digits below it, or where X is too large for factors with replaced pivots. */
static double error_of(const cls_vectors_run *run, const double *found) {
    const int unit = unit_of(found[SLOT_RB]);
    const long double b = ldexp(found[SLOT_B], -unit), x = found[SLOT_X], norm = *run->norm;
    const double most = ldexp(found[SLOT_X], unit - run->there->exponent);
    if (!isfinite(most) || (found[SLOT_X] > 0 && most < DBL_MIN)) return HUGE_VAL;
    if (found[SLOT_RB] < DBL_MIN && found[SLOT_RB] < found[SLOT_B]) return HUGE_VAL;
    if (run->most_growth > 0 && norm * x > run->most_growth * b) return HUGE_VAL;
    return found[SLOT_REST] == 0 ? 0 : (double)((long double)found[SLOT_REST] / (norm * x + b));
}

/* The largest error of the columns; *finite 0: a column of B has NaN, Inf or a size beyond the range. */
static clsolve_status look(const cls_vectors_run *run, double *error, int *finite) {
    double found[CLS_VECTORS_SIDES * SLOTS];
    CLS_TRY(cls_bytes_get(run->v->device, run->v->found, 0, found, (size_t)(run->sides * SLOTS) * sizeof *found));
    if (*run->norm < 0) *run->norm = fmin(found[SLOT_NORM], DBL_MAX); /* beyond the range each error would be 0 */
    *error = 0;
    for (int64_t j = 0; j < run->sides; j++) {
        const double of_column = error_of(run, found + j * SLOTS);
        *finite = *finite && isfinite(found[j * SLOTS + SLOT_B]);
        if (!(of_column <= *error) && !isnan(*error)) *error = of_column;
    }
    return CLSOLVE_OK;
}

/* ---- all steps ---- */

static void accept(cls_sparse_vectors *v) {
    cls_buffer *const accepted = v->next;
    v->next = v->x;
    v->x = accepted;
}

/* For some columns of B: solves and refines as run.c does, and leaves the solution in `x`. */
static clsolve_status refine(const cls_vectors_run *run, double enough, cls_sparse_outcome *outcome, int *finite) {
    double error, better;
    CLS_TRY(cls_vectors_spread(run));
    CLS_TRY(cls_vectors_find_norm(run));
    CLS_TRY(cls_vectors_step(run, 0));
    CLS_TRY(look(run, &error, finite));
    accept(run->v);
    outcome->first_error = error;
    for (int steps = 0; *finite && steps < CLS_SPARSE_STEPS && !(error <= enough); steps++) {
        CLS_TRY(cls_vectors_step(run, 1));
        CLS_TRY(look(run, &better, finite));
        if (!(better < error)) break;
        const int slow = better > 0.5 * error;
        accept(run->v);
        error = better;
        outcome->iterations++;
        if (slow) break;
    }
    outcome->backward_error = error;
    return CLSOLVE_OK;
}

/* Columns j and following. */
static cls_sparse_sides sides_from(const cls_sparse_sides *sides, int64_t j) {
    cls_sparse_sides some = *sides;
    if (some.host) some.host += j * some.across;
    some.first += j * some.across;
    return some;
}

static clsolve_status gather(const cls_vectors_run *run) {
    const cls_sparse_vectors *v = run->v;
    const int32_t exponent = run->there->exponent;
    const cls_sparse_sides *X = &run->to;
    const cls_arg args[] = {CLS_BUFFER(v->x),       CLS_VALUE(run->n),    CLS_BUFFER(run->out), CLS_BUFFER(run->after),
                            CLS_VALUE(run->scaled), CLS_BUFFER(v->found), CLS_VALUE(exponent),  CLS_BUFFER(X->buffer),
                            CLS_VALUE(X->first),    CLS_VALUE(X->down),   CLS_VALUE(X->across)};
    return cls_vectors_launch(run, v->gather, v->groups, run->sides, args, 11);
}

/* Some columns of B; X comes to run->to where its error is small enough. */
static clsolve_status solve_some(cls_vectors_run *run, double enough, cls_sparse_outcome *outcome, int *finite) {
    cls_sparse_vectors *v = run->v;
    const size_t bytes = (size_t)(run->n * run->sides * cls_type_size(run->there->type));
    const cls_sparse_sides staged = {NULL, v->next, 0, 1, run->n};
    double *const X = run->to.host;
    if (run->from.host) CLS_TRY(cls_bytes_put(run->v->device, v->next, 0, run->from.host, bytes));
    if (run->from.host) run->from = staged;
    CLS_TRY(refine(run, enough, outcome, finite));
    if (!*finite || !(outcome->backward_error <= enough)) return CLSOLVE_OK;
    if (X) run->to = (cls_sparse_sides){NULL, v->next, 0, 1, run->n}; /* which takes turns with v->x */
    CLS_TRY(gather(run));
    return X ? cls_bytes_get(run->v->device, v->next, 0, X, bytes) : CLSOLVE_OK;
}

static void add_outcome(const cls_sparse_outcome *some, cls_sparse_outcome *all) {
    all->first_error = some->first_error > all->first_error ? some->first_error : all->first_error;
    all->iterations = some->iterations > all->iterations ? some->iterations : all->iterations;
    if (!(some->backward_error <= all->backward_error)) all->backward_error = some->backward_error;
}

/* All columns, in turns. */
static clsolve_status solve_all(cls_vectors_run *run, const cls_sparse_sides *B, const cls_sparse_sides *X,
                                int64_t nrhs, double enough, cls_sparse_outcome *outcome, int *finite) {
    const int64_t most = run->there->most_sides;
    outcome->backward_error = 0;
    for (int64_t j = 0; j < nrhs && *finite; j += most) {
        cls_sparse_outcome some = {.backward_error = HUGE_VAL};
        run->sides = nrhs - j < most ? nrhs - j : most;
        run->from = sides_from(B, j);
        run->to = sides_from(X, j);
        const clsolve_status status = solve_some(run, enough, &some, finite);
        add_outcome(&some, outcome);
        CLS_TRY(status);
        if (!(some.backward_error <= enough)) break;
    }
    return CLSOLVE_OK;
}

/* ---- where X waits until all columns are solved ---- */

/* X of several turns must not replace B before the last one is well. *X: B itself for a single turn. */
static clsolve_status make_room(cls_sparse_vectors *v, const cls_sparse_device *there, const cls_sparse_sides *B,
                                int64_t nrhs, cls_sparse_sides *X) {
    const int64_t n = there->n, size = cls_type_size(there->type);
    *X = *B;
    if (nrhs <= there->most_sides) return CLSOLVE_OK;
    if (!B->host) {
        *X = (cls_sparse_sides){.down = 1, .across = n};
        return v->device->ops->buffer_create(v->device, (size_t)(n * nrhs * size), &X->buffer);
    }
    X->host = cls_alloc((size_t)(n * nrhs), (size_t)size);
    return X->host ? CLSOLVE_OK : cls_vectors_no_memory(v->device);
}

static clsolve_status deliver(const cls_vectors_run *run, const cls_sparse_sides *X, int64_t nrhs,
                              const cls_sparse_sides *B) {
    enum { COLUMNS = 1 << 15 }; /* of one launch: CUDA bounds their number */
    const size_t bytes = (size_t)(run->n * nrhs * cls_type_size(run->there->type));
    if (B->host && X->host != B->host) memcpy(B->host, X->host, bytes);
    for (int64_t j = 0; j < nrhs && X->buffer != B->buffer; j += COLUMNS) {
        const cls_sparse_sides from = sides_from(X, j), to = sides_from(B, j);
        const cls_arg args[] = {CLS_BUFFER(from.buffer), CLS_VALUE(from.first), CLS_VALUE(run->n),
                                CLS_BUFFER(to.buffer),   CLS_VALUE(to.first),   CLS_VALUE(to.down),
                                CLS_VALUE(to.across)};
        CLS_TRY(
            cls_vectors_launch(run, run->v->deliver, run->v->groups, nrhs - j < COLUMNS ? nrhs - j : COLUMNS, args, 7));
    }
    return B->host ? CLSOLVE_OK : run->v->device->ops->finish(run->v->device, CLS_COMPUTE);
}

static void free_room(cls_sparse_vectors *v, const cls_sparse_sides *B, const cls_sparse_sides *X) {
    if (X->host != B->host) cls_free(X->host);
    if (X->buffer != B->buffer) v->device->ops->buffer_destroy(v->device, X->buffer);
}

void cls_sparse_learn_steps(cls_sparse *sparse, double enough) {
    const cls_sparse_outcome *o = &sparse->outcome;
    const int64_t steps = o->iterations + !(o->backward_error <= 0.25 * enough);
    sparse->ahead_steps = steps < CLS_SPARSE_STEPS ? (int32_t)steps : CLS_SPARSE_STEPS;
}

clsolve_status cls_sparse_refine_there(cls_sparse *sparse, clsolve_op op, const cls_sparse_sides *B, int64_t nrhs,
                                       double enough, int *finite) {
    cls_sparse_vectors *v = sparse->vectors;
    const int64_t most = sparse->there->most_sides;
    cls_sparse_sides X;
    *finite = 1;
    CLS_TRY(cls_vectors_put_pattern(v, sparse, op != CLSOLVE_NO_TRANS && sparse->whole));
    CLS_TRY(cls_vectors_reserve(v, sparse->there, nrhs < most ? nrhs : most));
    cls_vectors_run run = cls_vectors_run_of(sparse, op);
    clsolve_status status = make_room(v, sparse->there, B, nrhs, &X);
    if (status == CLSOLVE_OK) status = solve_all(&run, B, &X, nrhs, enough, &sparse->outcome, finite);
    const int fine = status == CLSOLVE_OK && *finite && sparse->outcome.backward_error <= enough;
    if (fine) status = deliver(&run, &X, nrhs, B);
    free_room(v, B, &X);
    if (fine) cls_sparse_learn_steps(sparse, enough);
    return status;
}
