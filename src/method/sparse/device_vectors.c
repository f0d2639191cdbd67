/*
 * device_vectors.c: solves whose right-hand sides and solutions stay on the device while they are refined. B goes up, X
 * comes down; of each step the host sees the maxima of cl/front_residual.cl and decides.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/device_rows.h"
#include "method/sparse/engine.h"

enum { SIDES = 16, GROUPS = 1024 }; /* columns of B at once; work-groups of a column */

/* As in cl/front_residual.cl. */
enum { SLOT_B, SLOT_RB, SLOT_X, SLOT_REST, SLOT_NORM, SLOTS };

struct cls_sparse_vectors {
    cls_device *device;
    cls_kernel *sizes, *spread, *add, *rows, *norm, *gather, *most;
    int64_t local, groups;
    int placed;                        /* the next four are there */
    cls_buffer *row_at, *column_at;    /* positions */
    cls_buffer *row_scale, *col_scale; /* by positions; NULL: none */
    cls_device_rows of[2];             /* of A, or of a hermitian matrix; of A^T */
    double norm_of[2];                 /* the largest sum of a row; below 0: not known */
    cls_buffer *partial, *found;
    cls_buffer *b, *x, *next; /* of `sides` columns, by positions */
    int64_t sides;
};

/* ---- open, close ---- */

static clsolve_status no_memory(cls_device *device) {
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors on the device");
}

static clsolve_status get_kernels(cls_sparse_vectors *v, clsolve_type type) {
    const struct {
        const char *name;
        cls_kernel **kernel;
    } wanted[] = {{"residual_sizes", &v->sizes}, {"residual_spread", &v->spread}, {"residual_add", &v->add},
                  {"residual_rows", &v->rows},   {"residual_norm", &v->norm},     {"residual_gather", &v->gather},
                  {"residual_most", &v->most}};
    char options[160];
    cls_program *program;
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)v->local);
    CLS_TRY(v->device->ops->program_get(v->device, "front_residual", options, &program));
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
        CLS_TRY(v->device->ops->kernel_create(v->device, program, wanted[k].name, wanted[k].kernel));
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_vectors_open(cls_sparse *sparse) {
    cls_device *device = sparse->device;
    if (sparse->vectors || !cls_is_double(sparse->there->type) || sparse->A.entries >= INT32_MAX) return CLSOLVE_OK;
    cls_sparse_vectors *v = cls_alloc(1, sizeof *v);
    if (!v) return no_memory(device);
    *v = (cls_sparse_vectors){.device = device, .local = cls_work_group(device, 256)};
    v->groups = (sparse->A.n + v->local - 1) / v->local;
    if (v->groups > GROUPS) v->groups = GROUPS;
    sparse->vectors = v;
    const size_t count = (size_t)SIDES * SLOTS * sizeof(double);
    clsolve_status status = get_kernels(v, sparse->there->type);
    if (status == CLSOLVE_OK) status = device->ops->buffer_create(device, (size_t)v->groups * count, &v->partial);
    if (status == CLSOLVE_OK) status = device->ops->buffer_create(device, count, &v->found);
    if (status != CLSOLVE_OK) cls_sparse_vectors_close(sparse);
    return status;
}

static void free_places(cls_sparse_vectors *v) {
    cls_buffer **const buffers[] = {&v->row_at, &v->column_at, &v->row_scale, &v->col_scale};
    if (v->row_at == v->column_at) v->column_at = NULL; /* one for both */
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++) {
        v->device->ops->buffer_destroy(v->device, *buffers[k]);
        *buffers[k] = NULL;
    }
    v->placed = 0;
}

static void free_columns(cls_sparse_vectors *v) {
    cls_buffer **const buffers[] = {&v->b, &v->x, &v->next};
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++) {
        v->device->ops->buffer_destroy(v->device, *buffers[k]);
        *buffers[k] = NULL;
    }
    v->sides = 0;
}

void cls_sparse_vectors_close(cls_sparse *sparse) {
    cls_sparse_vectors *v = sparse->vectors;
    if (!v) return;
    cls_kernel *const kernels[] = {v->sizes, v->spread, v->add, v->rows, v->norm, v->gather, v->most};
    const cls_error first = *v->device->error; /* the wait may overwrite it */
    (void)v->device->ops->finish(v->device, CLS_COMPUTE);
    free_places(v);
    free_columns(v);
    for (int k = 0; k < 2; k++) cls_device_rows_free(v->device, &v->of[k]);
    v->device->ops->buffer_destroy(v->device, v->partial);
    v->device->ops->buffer_destroy(v->device, v->found);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        v->device->ops->kernel_destroy(v->device, kernels[k]);
    *v->device->error = first;
    cls_free(v);
    sparse->vectors = NULL;
}

int cls_sparse_vectors_may(const cls_sparse *sparse) {
    return sparse->made_there && sparse->vectors;
}

void cls_sparse_vectors_renew(cls_sparse *sparse) {
    if (sparse->vectors) sparse->vectors->norm_of[0] = sparse->vectors->norm_of[1] = -1;
}

/* ---- what the device has of the matrix ---- */

static int64_t row_place(const cls_sparse *sparse, int64_t i) {
    return sparse->symbolic.tree.place[sparse->row_of ? sparse->row_of[i] : i];
}

static clsolve_status put_scales(cls_sparse_vectors *v, const cls_sparse *sparse) {
    const size_t bytes = (size_t)sparse->A.n * sizeof(double);
    double *by_place = cls_alloc((size_t)sparse->A.n + 1, sizeof *by_place);
    if (!by_place) return no_memory(v->device);
    for (int64_t i = 0; i < sparse->A.n; i++) by_place[row_place(sparse, i)] = sparse->row_scale[i];
    clsolve_status status = cls_device_rows_put(v->device, by_place, bytes, &v->row_scale);
    for (int64_t j = 0; j < sparse->A.n; j++) by_place[sparse->symbolic.tree.place[j]] = sparse->col_scale[j];
    if (status == CLSOLVE_OK) status = cls_device_rows_put(v->device, by_place, bytes, &v->col_scale);
    cls_free(by_place);
    return status;
}

/* at: n, of the columns, and n, of the rows. */
static void find_places(const cls_sparse *sparse, int32_t *at) {
    const int64_t n = sparse->A.n;
    for (int64_t j = 0; j < n; j++) at[j] = (int32_t)sparse->symbolic.tree.place[j];
    for (int64_t i = 0; i < n; i++) at[n + i] = (int32_t)row_place(sparse, i);
}

static clsolve_status put_places(cls_sparse_vectors *v, const cls_sparse *sparse, const int32_t *at) {
    const size_t bytes = (size_t)sparse->A.n * sizeof *at;
    if (v->placed) return CLSOLVE_OK;
    clsolve_status status = cls_device_rows_put(v->device, at, bytes, &v->column_at);
    v->row_at = v->column_at;
    if (status == CLSOLVE_OK && sparse->row_of)
        status = cls_device_rows_put(v->device, at + sparse->A.n, bytes, &v->row_at);
    if (status == CLSOLVE_OK && sparse->row_scale) status = put_scales(v, sparse);
    v->placed = status == CLSOLVE_OK;
    if (!v->placed) free_places(v);
    return status;
}

/* When they are first wanted. */
static clsolve_status put_pattern(cls_sparse_vectors *v, const cls_sparse *sparse, int transposed) {
    const clsolve_sparse_part part = sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part;
    if (v->placed && v->of[transposed].start) return CLSOLVE_OK;
    int32_t *at = cls_alloc((size_t)sparse->A.n + 1, 2 * sizeof *at);
    if (!at) return no_memory(v->device);
    find_places(sparse, at);
    clsolve_status status = put_places(v, sparse, at);
    if (status == CLSOLVE_OK && !v->of[transposed].start)
        status = cls_device_rows_make(v->device, &sparse->A, part, transposed, at + (transposed ? sparse->A.n : 0),
                                      &v->of[transposed]);
    cls_free(at);
    return status;
}

static clsolve_status reserve(cls_sparse_vectors *v, cls_sparse_device *there, int64_t sides) {
    cls_buffer **const buffers[] = {&v->b, &v->x, &v->next};
    CLS_TRY(cls_front_reserve(there, sides));
    if (sides <= v->sides) return CLSOLVE_OK;
    free_columns(v);
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++)
        CLS_TRY(v->device->ops->buffer_create(v->device, (size_t)(there->n * sides * cls_type_size(there->type)),
                                              buffers[k]));
    v->sides = sides;
    return CLSOLVE_OK;
}

/* ---- steps ---- */

/* op(A) for some columns of B, as the kernels take it. */
typedef struct vectors_run {
    cls_sparse_vectors *v;
    cls_sparse_device *there;
    cls_device_rows *rows;
    double *norm;
    cls_buffer *in, *out, *before, *after; /* positions and scales of rows and columns */
    int transposed;                        /* substitution is with A^T */
    int32_t scaled, through;
    int32_t turned;     /* with the conjugates of what it takes and leaves */
    int32_t conjugated; /* values of the rows are to be conjugated */
    int64_t n, sides;
} vectors_run;

static vectors_run run_of(cls_sparse *sparse, clsolve_op op) {
    cls_sparse_vectors *v = sparse->vectors;
    const int is_complex = sparse->A.parts == 2, adjoint = op != CLSOLVE_NO_TRANS;
    /* One triangle is the same matrix for A and A^H; A^T of it has the conjugate values. */
    const int transposed = adjoint && sparse->whole;
    const clsolve_op conjugating = sparse->whole ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
    vectors_run run = {.v = v,
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
                       .turned = is_complex && op == (sparse->there->cholesky ? CLSOLVE_TRANS : CLSOLVE_CONJ_TRANS),
                       .conjugated = is_complex && op == conjugating,
                       .n = sparse->A.n};
    if (!run.scaled) run.before = run.after = v->found; /* which is not read then */
    return run;
}

static clsolve_status launch(const vectors_run *run, cls_kernel *kernel, int64_t groups, int64_t sides,
                             const cls_arg *args, int32_t count) {
    const size_t local = (size_t)run->v->local;
    const cls_grid grid = {{(size_t)groups * local, (size_t)sides, 1}, {local, 1, 1}};
    return cls_launch(run->v->device, CLS_COMPUTE, kernel, &grid, ((cls_args){args, count}));
}

static clsolve_status most(const vectors_run *run, int32_t first, int64_t slots, int64_t sides) {
    const int32_t groups = (int32_t)run->v->groups;
    const cls_arg args[] = {CLS_BUFFER(run->v->partial), CLS_VALUE(groups), CLS_VALUE(first),
                            CLS_BUFFER(run->v->found)};
    return launch(run, run->v->most, slots, sides, args, 4);
}

/* B, whose columns lie in `next`, to positions. */
static clsolve_status spread(const vectors_run *run) {
    const cls_sparse_vectors *v = run->v;
    const cls_arg sizes[] = {CLS_BUFFER(v->next),     CLS_VALUE(run->n),      CLS_BUFFER(run->in),
                             CLS_BUFFER(run->before), CLS_VALUE(run->scaled), CLS_BUFFER(v->partial)};
    const cls_arg args[] = {CLS_BUFFER(v->next),     CLS_VALUE(run->n),      CLS_BUFFER(run->in),
                            CLS_BUFFER(run->before), CLS_VALUE(run->scaled), CLS_BUFFER(v->found),
                            CLS_VALUE(run->turned),  CLS_BUFFER(v->b),       CLS_BUFFER(run->there->x)};
    CLS_TRY(launch(run, v->sizes, v->groups, run->sides, sizes, 6));
    CLS_TRY(most(run, SLOT_B, 2, run->sides));
    return launch(run, v->spread, v->groups, run->sides, args, 9);
}

static clsolve_status find_norm(const vectors_run *run) {
    const cls_sparse_vectors *v = run->v;
    const cls_device_rows *rows = run->rows;
    const cls_arg args[] = {
        CLS_BUFFER(rows->start), CLS_BUFFER(rows->column),      CLS_BUFFER(rows->entry ? rows->entry : rows->column),
        CLS_VALUE(run->through), CLS_BUFFER(run->there->value), CLS_VALUE(run->n),
        CLS_BUFFER(run->in),     CLS_VALUE(rows->lanes),        CLS_VALUE(rows->limit),
        CLS_VALUE(rows->longer), CLS_BUFFER(run->before),       CLS_BUFFER(run->after),
        CLS_VALUE(run->scaled),  CLS_BUFFER(v->partial)};
    if (*run->norm >= 0) return CLSOLVE_OK;
    CLS_TRY(launch(run, v->norm, v->groups, 1, args, 14));
    return most(run, SLOT_NORM, 1, 1);
}

/* next = x + the correction for the residual in there->x, where the residual of `next` comes. `more` 0: x is 0. */
static clsolve_status step(const vectors_run *run, int32_t more) {
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
    CLS_TRY(launch(run, v->add, v->groups, run->sides, add, 9));
    CLS_TRY(launch(run, v->rows, v->groups, run->sides, rest, 18));
    return most(run, SLOT_X, 2, run->sides);
}

/* ---- errors ---- */

static int unit_of(double size) {
    int exponent = 0;
    if (size > 0 && isfinite(size)) (void)frexp(size, &exponent);
    return exponent;
}

/* The backward error of one column, of what the kernels have found. Infinity where X would be beyond the range. */
static double error_of(const vectors_run *run, const double *found) {
    const int unit = unit_of(found[SLOT_RB]);
    const long double b = ldexp(found[SLOT_B], -unit), x = found[SLOT_X], norm = *run->norm;
    if (!isfinite(ldexp(found[SLOT_X], unit - run->there->exponent))) return HUGE_VAL;
    return found[SLOT_REST] == 0 ? 0 : (double)((long double)found[SLOT_REST] / (norm * x + b));
}

/* The largest error of the columns; *finite 0: a column of B has NaN, Inf or a size beyond the range. */
static clsolve_status look(const vectors_run *run, double *error, int *finite) {
    double found[SIDES * SLOTS];
    CLS_TRY(cls_front_get(run->there, run->v->found, 0, found, (size_t)(run->sides * SLOTS) * sizeof *found));
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

/* For the columns of B in `next`: solves and refines as engine.c does, and leaves the solution in `x`. */
static clsolve_status refine(const vectors_run *run, double enough, cls_sparse_outcome *outcome, int *finite) {
    double error, better;
    CLS_TRY(spread(run));
    CLS_TRY(find_norm(run));
    CLS_TRY(step(run, 0));
    CLS_TRY(look(run, &error, finite));
    accept(run->v);
    outcome->first_error = error;
    for (int steps = 0; *finite && steps < CLS_SPARSE_STEPS && !(error <= enough); steps++) {
        CLS_TRY(step(run, 1));
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

/* `sides` columns of B; X comes to `to` where its error is small enough. */
static clsolve_status solve_some(vectors_run *run, const double *from, double *to, double enough,
                                 cls_sparse_outcome *outcome, int *finite) {
    cls_sparse_vectors *v = run->v;
    const size_t bytes = (size_t)(run->n * run->sides * cls_type_size(run->there->type));
    const int32_t exponent = run->there->exponent;
    CLS_TRY(reserve(v, run->there, run->sides));
    CLS_TRY(cls_front_put(run->there, v->next, 0, from, bytes));
    CLS_TRY(refine(run, enough, outcome, finite));
    if (!*finite || !(outcome->backward_error <= enough)) return CLSOLVE_OK;
    const cls_arg args[] = {CLS_BUFFER(v->x),       CLS_VALUE(run->n),    CLS_BUFFER(run->out), CLS_BUFFER(run->after),
                            CLS_VALUE(run->scaled), CLS_BUFFER(v->found), CLS_VALUE(exponent),  CLS_BUFFER(v->next)};
    CLS_TRY(launch(run, v->gather, v->groups, run->sides, args, 8));
    return cls_front_get(run->there, v->next, 0, to, bytes);
}

static void add_outcome(const cls_sparse_outcome *some, cls_sparse_outcome *all) {
    all->first_error = some->first_error > all->first_error ? some->first_error : all->first_error;
    all->iterations = some->iterations > all->iterations ? some->iterations : all->iterations;
    if (!(some->backward_error <= all->backward_error)) all->backward_error = some->backward_error;
}

clsolve_status cls_sparse_refine_there(cls_sparse *sparse, clsolve_op op, double *x, int64_t nrhs, double enough,
                                       int *finite) {
    const int64_t column = sparse->A.n * sparse->A.parts;
    *finite = 1;
    CLS_TRY(put_pattern(sparse->vectors, sparse, op != CLSOLVE_NO_TRANS && sparse->whole));
    vectors_run run = run_of(sparse, op);
    double *all = nrhs > SIDES ? cls_alloc((size_t)(column * nrhs), sizeof *all) : x; /* B stays until all is well */
    if (!all) return no_memory(sparse->vectors->device);
    clsolve_status status = CLSOLVE_OK;
    sparse->outcome.backward_error = 0;
    for (int64_t j = 0; j < nrhs && status == CLSOLVE_OK && *finite; j += SIDES) {
        cls_sparse_outcome some = {.backward_error = HUGE_VAL};
        run.sides = nrhs - j < SIDES ? nrhs - j : SIDES;
        status = solve_some(&run, x + j * column, all + j * column, enough, &some, finite);
        add_outcome(&some, &sparse->outcome);
        if (!(some.backward_error <= enough)) break;
    }
    const int fine = status == CLSOLVE_OK && *finite && sparse->outcome.backward_error <= enough;
    if (fine && all != x) memcpy(x, all, (size_t)(column * nrhs) * sizeof *x);
    if (all != x) cls_free(all);
    return status;
}
