/* batch_call.c: the launches of cl/cholesky_batch.cl and cl/cholesky_batch_solve.cl, and the ways of members to them:
 * see batch.h. */
#include "method/cholesky/batch.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "blas/blas.h"
#include "method/members.h"

/* Right-hand sides that a work-group takes at once. */
static const int32_t shapes[CLS_CHOLESKY_BATCH_SHAPES] = {1, 4, 16};

static int shape_for(int64_t rhs) {
    int s = 0;
    while (s + 1 < CLS_CHOLESKY_BATCH_SHAPES && shapes[s] < rhs) ++s;
    return s;
}

/* ---- memory ---- */

/* *bytes = count * n * cols elements, refused where they are more than 64 bits count. */
static clsolve_status bytes_of(const cls_cholesky_batch *batch, int64_t cols, int64_t *bytes) {
    const int64_t most = INT64_MAX / 16, n = batch->n > 0 ? batch->n : 1;

    if (cols > 0 && batch->count > most / n / cols)
        return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a batch of %lld has more bytes than 64 bits can count", (long long)batch->count);
    *bytes = batch->count * batch->n * cols * cls_type_size(batch->type);
    return CLSOLVE_OK;
}

/*
 * A member has as many work-items as rows, if the device can, and rows of many registers are shared: 32 doubles take 64
 * of them. Small members share a group of two warps.
 */
static void choose_group(cls_cholesky_batch *batch) {
    const cls_device *device = batch->device;
    const int64_t row_bytes = 256, most = cls_work_group(device, 256);

    batch->x = batch->per = batch->y = 1;
    while (batch->x < batch->n && batch->x < most) batch->x *= 2;
    while (batch->n * cls_type_size(batch->type) > batch->per * row_bytes && 2 * batch->x * batch->per <= most)
        batch->per *= 2;
    while (batch->x * batch->per * batch->y < 64 && 2 * batch->x * batch->per * batch->y <= most) batch->y *= 2;
}

clsolve_status cls_cholesky_batch_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                        cls_cholesky_batch *batch) {
    const size_t infos = (size_t)count * sizeof(int32_t);
    int64_t bytes = 0;

    batch->device = device;
    batch->n = n;
    batch->count = count;
    batch->type = type;
    choose_group(batch);
    CLS_TRY(bytes_of(batch, n, &bytes));
    batch->outcomes = cls_alloc((size_t)count, sizeof *batch->outcomes);
    if (!batch->outcomes)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, &batch->L));
    CLS_TRY(device->ops->buffer_create(device, infos, &batch->info));
    return device->ops->buffer_create(device, infos, &batch->outcome);
}

void cls_cholesky_batch_release(cls_cholesky_batch *batch) {
    cls_device *device = batch->device;

    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE); /* what still runs uses these buffers */
    device->ops->kernel_destroy(device, batch->factor);
    device->ops->kernel_destroy(device, batch->out);
    for (int s = 0; s < CLS_CHOLESKY_BATCH_SHAPES; ++s) device->ops->kernel_destroy(device, batch->solve[s]);
    device->ops->buffer_destroy(device, batch->L);
    device->ops->buffer_destroy(device, batch->B);
    device->ops->buffer_destroy(device, batch->info);
    device->ops->buffer_destroy(device, batch->outcome);
    cls_free(batch->outcomes);
}

static clsolve_status reserve(cls_cholesky_batch *batch, int64_t cols) {
    cls_device *device = batch->device;
    int64_t bytes = 0;

    CLS_TRY(bytes_of(batch, cols, &bytes));
    if (batch->B && batch->B_bytes >= bytes) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, batch->B);
    batch->B = NULL;
    batch->B_bytes = 0;
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, &batch->B));
    batch->B_bytes = bytes;
    return CLSOLVE_OK;
}

/* ---- kernels ---- */

/* Does L have room in local memory? */
static int fits_local(const cls_cholesky_batch *batch, int64_t rhs) {
    const int64_t n = batch->n, size = cls_type_size(batch->type);
    const int64_t elements = n * (n - 1) / 2 + 1 + 2 * rhs + n;
    return batch->y * (elements * size + batch->x * (int64_t)sizeof(int32_t)) <= batch->device->info.local_memory;
}

/* On a CPU no array is of registers: its loops stay loops, which compile in seconds less. */
static clsolve_status kernel_for(cls_cholesky_batch *batch, const char *file, const char *name, const char *more,
                                 cls_kernel **kernel) {
    cls_device *device = batch->device;
    cls_program *program;
    char options[160];

    if (*kernel) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "%s -DN=%d -DLX=%d -DLY=%d%s%s", cls_type_option(batch->type),
                   (int)batch->n, (int)batch->x, (int)batch->y, more,
                   device->info.type == CLSOLVE_DEVICE_CPU ? " -DCLS_ROLLED" : "");
    CLS_TRY(device->ops->program_get(device, file, options, &program));
    return device->ops->kernel_create(device, program, name, kernel);
}

/* A kernel of the file of the factorization. */
static clsolve_status factor_kernel(cls_cholesky_batch *batch, const char *name, cls_kernel **kernel) {
    char more[32];
    (void)snprintf(more, sizeof more, " -DPER=%d", (int)batch->per);
    return kernel_for(batch, "cholesky_batch", name, more, kernel);
}

static clsolve_status solve_kernel(cls_cholesky_batch *batch, int shape) {
    char more[32];
    (void)snprintf(more, sizeof more, " -DRHS=%d%s", (int)shapes[shape],
                   fits_local(batch, shapes[shape]) ? " -DIN_LOCAL" : "");
    return kernel_for(batch, "cholesky_batch_solve", "cholesky_batch_solve", more, &batch->solve[shape]);
}

/* `items` a member; the columns of a solve go by GROUP_ID(1). */
static cls_grid grid_of(const cls_cholesky_batch *batch, int64_t items, int64_t columns) {
    const int64_t groups = (batch->count + batch->y - 1) / batch->y;
    return (cls_grid){{(size_t)(groups * items), (size_t)(columns * batch->y), 1},
                      {(size_t)items, (size_t)batch->y, 1}};
}

static clsolve_status run_factor(cls_cholesky_batch *batch, const cls_cholesky_members *A, int32_t conjugate) {
    const cls_grid grid = grid_of(batch, batch->x * batch->per, 1);

    if (batch->device->no_kernels) return cls_cholesky_batch_host_factor(batch, A, conjugate);
    CLS_TRY(factor_kernel(batch, "cholesky_batch_factor", &batch->factor));
    cls_arg args[] = {CLS_BUFFER(A->buffer), CLS_VALUE(A->offset),    CLS_VALUE(A->row),
                      CLS_VALUE(A->column),  CLS_VALUE(A->member),    CLS_VALUE(conjugate),
                      CLS_BUFFER(batch->L),  CLS_VALUE(batch->count), CLS_BUFFER(batch->info)};
    return cls_launch(batch->device, CLS_COMPUTE, batch->factor, &grid, CLS_ARGS(args));
}

static clsolve_status run_solve(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                int32_t inverse_of) {
    cls_device *device = batch->device;
    const int shape = shape_for(rhs);
    const cls_grid grid = grid_of(batch, batch->x, (rhs + shapes[shape] - 1) / shapes[shape]);

    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, batch->outcome, 0, (size_t)batch->count * sizeof(int32_t), 0));
    if (device->no_kernels) return cls_cholesky_batch_host_solve(batch, B, rhs, inverse_of);
    CLS_TRY(solve_kernel(batch, shape));
    cls_arg args[] = {CLS_BUFFER(batch->L),    CLS_BUFFER(B->buffer),     CLS_VALUE(B->offset),
                      CLS_VALUE(B->row),       CLS_VALUE(B->column),      CLS_VALUE(B->member),
                      CLS_VALUE(rhs),          CLS_VALUE(inverse_of),     CLS_VALUE(batch->count),
                      CLS_BUFFER(batch->info), CLS_BUFFER(batch->outcome)};
    return cls_launch(device, CLS_COMPUTE, batch->solve[shape], &grid, CLS_ARGS(args));
}

static clsolve_status run_out(cls_cholesky_batch *batch, const cls_cholesky_members *F, int32_t lower) {
    const cls_grid grid = grid_of(batch, batch->x, 1);

    if (batch->device->no_kernels) return cls_cholesky_batch_host_out(batch, F, lower);
    CLS_TRY(factor_kernel(batch, "cholesky_batch_out", &batch->out));
    cls_arg args[] = {CLS_BUFFER(batch->L), CLS_BUFFER(F->buffer),   CLS_VALUE(F->offset),
                      CLS_VALUE(F->row),    CLS_VALUE(F->column),    CLS_VALUE(F->member),
                      CLS_VALUE(lower),     CLS_VALUE(batch->count), CLS_BUFFER(batch->info)};
    return cls_launch(batch->device, CLS_COMPUTE, batch->out, &grid, CLS_ARGS(args));
}

/* ---- the ways of the members ---- */

/* Tight in `buffer`, in the view's layout. */
static cls_cholesky_members tight(const clsolve_batch *view, cls_buffer *buffer) {
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    return (cls_cholesky_members){buffer, 0, by_column ? 1 : view->cols, by_column ? view->rows : 1,
                                  view->rows * view->cols};
}

/* In the caller's own buffer on the device: no copy is made. Members by offsets have copies. */
/* Members that the kernels take where they lie, in `theirs`. */
static cls_cholesky_members there(const clsolve_batch *view, cls_buffer *theirs) {
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    return (cls_cholesky_members){theirs, view->offset, by_column ? 1 : view->ld, by_column ? view->ld : 1,
                                  view->stride};
}

/* The other triangle, read as the lower one. */
static cls_cholesky_members transposed(cls_cholesky_members m) {
    const int64_t row = m.row;
    m.row = m.column;
    m.column = row;
    return m;
}

static clsolve_status read_infos(cls_cholesky_batch *batch, cls_buffer *buffer, int32_t *infos) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)batch->count * sizeof *infos;
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, buffer, infos, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

clsolve_status cls_cholesky_batch_factor(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                         int32_t *infos, clsolve_seconds *seconds) {
    cls_device *device = batch->device;
    const double build = device->build_seconds;
    cls_buffer *theirs;
    double start = cls_seconds();

    CLS_TRY(cls_members_there(device, A, 0, &theirs));
    if (!theirs) CLS_TRY(cls_members_up(device, A, batch->L));
    const cls_cholesky_members from = theirs ? there(A, theirs) : tight(A, batch->L);
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    const cls_cholesky_members lower = uplo == CLSOLVE_LOWER ? from : transposed(from);
    clsolve_status status = run_factor(batch, &lower, uplo == CLSOLVE_UPPER);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, theirs);
    if (status == CLSOLVE_OK) status = done;
    seconds->factor = cls_seconds() - start - (device->build_seconds - build);
    if (status == CLSOLVE_OK) status = read_infos(batch, batch->info, infos);
    return status == CLSOLVE_OK ? cls_cholesky_batch_again(batch, uplo, A, infos) : status;
}

/* Infos of a factorization become those of a solve. */
static clsolve_status read_outcomes(cls_cholesky_batch *batch, const cls_cholesky_members *B, int64_t rhs,
                                    int inverse_of, int32_t *infos) {
    CLS_TRY(read_infos(batch, batch->outcome, batch->outcomes));
    CLS_TRY(cls_cholesky_batch_solve_again(batch, B, rhs, inverse_of, batch->outcomes));
    for (int64_t m = 0; m < batch->count; ++m)
        if (infos[m] == 0) infos[m] = batch->outcomes[m];
    return CLSOLVE_OK;
}

/* `view`: B, or X of the inverse, whose other triangle comes up and goes down as it is. */
static clsolve_status solve(cls_cholesky_batch *batch, const clsolve_batch *view, int inverse_of, int32_t *infos,
                            clsolve_seconds *seconds) {
    cls_device *device = batch->device;
    const double build = device->build_seconds;
    double start = cls_seconds();

    CLS_TRY(reserve(batch, view->cols));
    CLS_TRY(cls_members_up(device, view, batch->B));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    const cls_cholesky_members B = tight(view, batch->B);
    CLS_TRY(run_solve(batch, &B, view->cols, inverse_of));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    seconds->solve = cls_seconds() - start - (device->build_seconds - build);

    start = cls_seconds();
    CLS_TRY(read_outcomes(batch, &B, view->cols, inverse_of, infos));
    CLS_TRY(cls_members_down(device, view, batch->B, infos));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_batch_solve(cls_cholesky_batch *batch, const clsolve_batch *B, int32_t *infos,
                                        clsolve_seconds *seconds) {
    return solve(batch, B, 0, infos, seconds);
}

clsolve_status cls_cholesky_batch_inverse(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *X,
                                          int32_t *infos, clsolve_seconds *seconds) {
    return solve(batch, X, uplo == CLSOLVE_LOWER ? 1 : 2, infos, seconds);
}

clsolve_status cls_cholesky_batch_factors(cls_cholesky_batch *batch, clsolve_uplo uplo, const clsolve_batch *F,
                                          const int32_t *infos) {
    cls_device *device = batch->device;
    cls_buffer *theirs;

    CLS_TRY(cls_members_there(device, F, 1, &theirs));
    if (theirs) {
        const cls_cholesky_members to = there(F, theirs);
        clsolve_status status = run_out(batch, &to, uplo == CLSOLVE_LOWER);
        const clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
        device->ops->buffer_destroy(device, theirs);
        return status == CLSOLVE_OK ? done : status;
    }
    /* The other triangle comes up, and goes down as it is. */
    CLS_TRY(reserve(batch, batch->n));
    CLS_TRY(cls_members_up(device, F, batch->B));
    const cls_cholesky_members to = tight(F, batch->B);
    CLS_TRY(run_out(batch, &to, uplo == CLSOLVE_LOWER));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    return cls_members_down(device, F, batch->B, infos);
}
