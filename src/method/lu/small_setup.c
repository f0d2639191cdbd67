/* small_setup.c: shapes and kernels for few rows, and their test. */
#include <stdio.h>

#include "base/memory.h"
#include "method/lu/small.h"

enum { ITEMS = 256, LOCAL_BYTES = 24 << 10, UNIT = 80 }; /* the most, in complex double */
enum { N = 40 };                                         /* of the system that tests the kernels */
enum { RIGHT = 1, WRONG = 2 };                           /* outcome of the test; 0: not tested yet */

/* ---- shapes ---- */

/* The work-items of a group along the rows, its parts, and the rows of a work-item (cl/lu_small.cl). Measured on an
 * H200: see docs/findings/small-systems.md. */
static void choose_shape(int64_t n, cls_lu_small *small) {
    small->whole = n <= CLS_LU_SMALL_WHOLE;
    small->span = small->whole ? 64 : n <= 128 ? 128 : 256;
    small->each = n <= 256 ? 1 : 2;
    small->parts = small->whole ? 4 : 1;
}

/* A GPU whose waves exchange values in one instruction, and plain partial pivoting in core. */
static int is_wanted(const cls_lu *lu, const clsolve_lu_options *options) {
    const cls_device *device = lu->device;
    int plain =
        !options || ((options->pivoting == CLSOLVE_PIVOTING_AUTO || options->pivoting == CLSOLVE_PIVOTING_PARTIAL) &&
                     options->panel != CLSOLVE_PANEL_HYBRID && options->block == 0 && options->slab_bytes == 0);

    return plain && lu->n > 0 && lu->n <= CLS_LU_SMALL_MOST && lu->memory_limit == 0 && !lu->in_core_only &&
           !cls_in_place(device) && device->promised_together && device->matrix_unit >= UNIT &&
           device->info.max_work_group >= ITEMS && device->info.local_memory >= LOCAL_BYTES;
}

/* ---- memory and kernels ---- */

static clsolve_status take(cls_lu *lu) {
    cls_lu_small *small = &lu->small;
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    size_t n = (size_t)lu->n, size = (size_t)cls_type_size(lu->type), word = sizeof(int64_t);

    CLS_TRY(ops->buffer_create(device, 3 * n * sizeof(int32_t), &small->rows));
    CLS_TRY(ops->buffer_create(device, 3 * n * size, &small->columns));
    CLS_TRY(ops->buffer_create(device, 2 * n * word, &small->places));
    CLS_TRY(ops->buffer_create(device, 9 * word, &small->record)); /* cl/lu_small.cl: 8, and the imaginary part */
    if (lu->n > CLS_LU_SMALL_PACKED) return CLSOLVE_OK;
    CLS_TRY(ops->buffer_create(device, n * n * size, &small->source));
    return ops->buffer_create(device, (n * size + word + 2 * word) * CLS_LU_SMALL_SIDES, &small->sides);
}

static clsolve_status build(cls_lu *lu) {
    cls_lu_small *small = &lu->small;
    cls_device *device = lu->device;
    cls_program *program;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DSPAN=%d -DPARTS=%d -DROWS=%d",
                   cls_type_option(lu->type), device->matrix_unit, (int)small->span, (int)small->parts,
                   (int)small->each);
    CLS_TRY(device->ops->program_get(device, "lu_small", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_small", &small->steps));
    CLS_TRY(device->ops->program_get(device, "lu_small_solve", cls_type_option(lu->type), &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_small_solve", &small->solve));
    return device->ops->kernel_create(device, program, "lu_small_move", &small->move);
}

/* With what every LU builds after this: all compile at once. */
static clsolve_status announced(void *what) {
    cls_lu *lu = what;
    cls_device *device = lu->device;
    cls_check check;
    cls_transfer transfer;

    CLS_TRY(build(lu));
    CLS_TRY(cls_check_create(device, lu->type, &check));
    return cls_transfer_create(device, lu->type, &transfer);
}

void cls_lu_small_release(cls_lu *lu) {
    cls_lu_small *small = &lu->small;
    const cls_device_ops *ops = lu->device->ops;
    cls_buffer *buffers[] = {small->rows, small->columns, small->places, small->record, small->source, small->sides};
    cls_kernel *kernels[] = {small->steps, small->solve, small->move};

    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) ops->buffer_destroy(lu->device, buffers[b]);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) ops->kernel_destroy(lu->device, kernels[k]);
    cls_free(small->host);
    cls_free(small->host_ipiv);
    cls_free(small->host_pivots);
    *small = (cls_lu_small){0};
}

/* ---- the test ---- */

/* `trial`: a handle of order N with the kernels and their memory, and no more. */
static clsolve_status solve_trial(cls_lu *trial, int *right) {
    double a[2 * N * N], x[2 * N]; /* room for each type */
    cls_device *device = trial->device;
    size_t size = (size_t)cls_type_size(trial->type), column = N * size;
    cls_rect square = {column, N, 0, (size_t)trial->A.ld * size, column};
    clsolve_matrix B = {trial->type, CLSOLVE_COLUMN_MAJOR, N, 1, N, x, CLSOLVE_ON_HOST, 0};
    cls_place in = {-1, -1}, out = {-1, -1};

    cls_panel_test_system(trial->type, N, 1, a, x);
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, trial->A.slab[0], a, &square, NULL, NULL));
    CLS_TRY(cls_lu_small_factor(trial));
    CLS_TRY(cls_lu_small_solve(trial, CLSOLVE_NO_TRANS, &B, &in, &out));
    *right = in.row < 0 && out.row < 0 && cls_panel_test_right(trial->type, N, x);
    return CLSOLVE_OK;
}

static clsolve_status try_kernels(const cls_lu *lu, int *right) {
    cls_device *device = lu->device;
    cls_lu trial = {.device = device, .type = lu->type, .n = N};

    trial.small = (cls_lu_small){
        .span = lu->small.span, .parts = lu->small.parts, .each = lu->small.each, .whole = lu->small.whole};
    clsolve_status status = cls_matrix_create(device, lu->type, N, N, 1, 0, &trial.A);
    if (status == CLSOLVE_OK) status = device->ops->buffer_create(device, N * sizeof(int64_t), &trial.panel.ipiv);
    if (status == CLSOLVE_OK) status = take(&trial);
    if (status == CLSOLVE_OK) status = build(&trial);
    if (status == CLSOLVE_OK) status = solve_trial(&trial, right);
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_COMPUTE);
    cls_lu_small_release(&trial);
    device->ops->buffer_destroy(device, trial.panel.ipiv);
    cls_matrix_destroy(device, &trial.A);
    return status;
}

/* Once for each shape, device, driver and type, because compilers err; the outcome is kept on disk. */
static clsolve_status test_kernels(const cls_lu *lu, int *right) {
    static const char *const names[4][4] = {
        {"lu small single 64", "lu small single 128", "lu small single 256", "lu small single 512"},
        {"lu small double 64", "lu small double 128", "lu small double 256", "lu small double 512"},
        {"lu small complex single 64", "lu small complex single 128", "lu small complex single 256",
         "lu small complex single 512"},
        {"lu small complex double 64", "lu small complex double 128", "lu small complex double 256",
         "lu small complex double 512"}};
    cls_device *device = lu->device;
    int64_t rows = lu->small.span * lu->small.each;
    int shape = rows <= 64 ? 0 : rows <= 128 ? 1 : rows <= 256 ? 2 : 3;
    const char *name = names[lu->type - CLSOLVE_F32][shape];
    int known = cls_fact_get(device, name);

    if (known == 0) known = device->ops->recall(device, name);
    if (known == 0) {
        CLS_TRY(try_kernels(lu, right));
        known = *right ? RIGHT : WRONG;
        device->ops->remember(device, name, known);
    }
    *right = known == RIGHT;
    return cls_fact_set(device, name, known);
}

clsolve_status cls_lu_small_setup(cls_lu *lu, const clsolve_lu_options *options, int *there) {
    int right = 0;

    *there = 0;
    if (!is_wanted(lu, options)) return CLSOLVE_OK;
    choose_shape(lu->n, &lu->small);
    CLS_TRY(cls_announce(lu->device, announced, lu));
    CLS_TRY(build(lu));
    CLS_TRY(test_kernels(lu, &right));
    if (!right) return CLSOLVE_OK; /* leaves and products are used instead */
    *there = 1;
    return take(lu);
}
