/*
 * narrow_kernels.c: which form of the narrow kernels suits a device and a batch, and their launches.
 *
 *   a CPU                     a work-item a matrix or right-hand side, in place, contiguous: plain loops on one core
 *   a GPU, large batches of   a work-item a matrix, its window in registers, matrices interleaved
 *   very narrow bands
 *   a GPU, all else           a work-group a matrix, its window in local memory
 */
#include <stdio.h>

#include "method/band/narrow.h"

enum {
    REGISTER_WINDOW = 32, /* elements of a window that a work-item keeps */
    ITEMS_A_UNIT = 64,    /* fewer matrices than this a compute unit: a work-group each keeps more of the device busy */
    ROWS_A_LAUNCH = 1 << 16,
    MOST_COLUMNS = 1 << 15 /* grids reach 65535 there */
};

enum { SWEEP_L = 0, SWEEP_UT = 1, SWEEP_U = 2, SWEEP_LT = 3, SWEEP_CONJUGATE = 4 }; /* as in the kernels */

static int64_t window_elements(int64_t kl, int64_t ku) {
    return (kl + 1) * (kl + ku + 1);
}

int cls_narrow_fits(const cls_device *device, clsolve_type type, int64_t kl, int64_t ku) {
    if (kl + ku > CLS_NARROW_DIAGONALS) return 0;
    if (device->info.type == CLSOLVE_DEVICE_CPU) return 1;
    return (window_elements(kl, ku) + kl + 1) * cls_type_size(type) <= device->info.local_memory;
}

static int64_t power_of_two(int64_t least) {
    int64_t power = 1;
    while (power < least) power *= 2;
    return power;
}

static void choose(cls_narrow *narrow) {
    const cls_device *device = narrow->device;
    int64_t columns = narrow->kl + narrow->ku + 1;

    narrow->x = narrow->y = 1;
    narrow->rows_a_launch = ROWS_A_LAUNCH;
    if (device->info.type == CLSOLVE_DEVICE_CPU) {
        narrow->item = 1;
        return;
    }
    if (window_elements(narrow->kl, narrow->ku) <= REGISTER_WINDOW &&
        narrow->count >= (int64_t)ITEMS_A_UNIT * device->info.compute_units) {
        narrow->item = narrow->interleaved = 1;
        narrow->x = cls_work_group(device, 64);
        return;
    }
    narrow->x = cls_work_group(device, power_of_two(columns < 64 ? columns : 64));
    narrow->y = cls_work_group(device, 256) / narrow->x;
    while (narrow->y > 1 && narrow->y > power_of_two(narrow->kl)) narrow->y /= 2;
}

static clsolve_status kernel(cls_narrow *narrow, const char *program_name, const char *options, const char *name,
                             cls_kernel **kernel) {
    const cls_device_ops *ops = narrow->device->ops;
    cls_program *program;
    CLS_TRY(ops->program_get(narrow->device, program_name, options, &program));
    return ops->kernel_create(narrow->device, program, name, kernel);
}

static clsolve_status build(cls_narrow *narrow, int batch) {
    char options[160], items[160], members[80];
    const char *type = cls_type_option(narrow->type);
    int kl = (int)narrow->kl, ku = (int)narrow->ku, x = (int)narrow->x, y = (int)narrow->y;

    (void)snprintf(options, sizeof options, "%s -DKL=%d -DKU=%d -DLX=%d -DLY=%d", type, kl, ku, x, y);
    (void)snprintf(items, sizeof items, "%s -DKL=%d -DKU=%d -DLS=%d%s", type, kl, ku, x,
                   narrow->interleaved ? " -DWINDOW" : " -DCONTIGUOUS");
    /* A batch's members are moved by a work-item each in any case. */
    (void)snprintf(members, sizeof members, "%s -DLS=%d", type,
                   narrow->item ? x : (int)cls_work_group(narrow->device, 64));
    if (narrow->item) {
        CLS_TRY(kernel(narrow, "band_narrow_item", items, "band_item_factor", &narrow->factor));
        CLS_TRY(kernel(narrow, "band_narrow_item", items, "band_item_sweep", &narrow->sweep));
    } else {
        CLS_TRY(kernel(narrow, "band_narrow", options, "band_narrow_factor", &narrow->factor));
        CLS_TRY(kernel(narrow, "band_narrow", options, "band_narrow_sweep", &narrow->sweep));
    }
    if (!batch) return CLSOLVE_OK;
    CLS_TRY(kernel(narrow, "band_members", members, "band_item_in", &narrow->in));
    return kernel(narrow, "band_members", members, "band_item_out", &narrow->out);
}

clsolve_status cls_narrow_create(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                 int64_t count, int batch, cls_narrow *narrow) {
    *narrow = (cls_narrow){.device = device, .type = type, .n = n, .kl = kl, .ku = ku, .count = count};
    choose(narrow);
    return build(narrow, batch);
}

void cls_narrow_release(cls_narrow *narrow) {
    cls_kernel *kernels[] = {narrow->factor, narrow->sweep, narrow->in, narrow->out};
    if (!narrow->device) return;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k)
        narrow->device->ops->kernel_destroy(narrow->device, kernels[k]);
    *narrow = (cls_narrow){0};
}

/* A group a matrix, or `x` of them in a group; `columns` right-hand sides. */
static cls_grid grid_of(const cls_narrow *narrow, int64_t columns, int flat) {
    int64_t x = flat && !narrow->item ? narrow->x * narrow->y : narrow->x, y = flat ? 1 : narrow->y;
    int64_t groups = narrow->item ? (narrow->count + x - 1) / x : narrow->count;
    cls_grid grid = {{(size_t)(groups * x), (size_t)(columns * y), 1}, {(size_t)x, (size_t)y, 1}};
    return grid;
}

static int64_t chunk_end(const cls_narrow *narrow, int64_t begin) {
    return begin < narrow->n - narrow->rows_a_launch ? begin + narrow->rows_a_launch : narrow->n;
}

clsolve_status cls_narrow_factor(cls_narrow *narrow, const cls_narrow_data *data, cls_narrow_tell tell, void *user) {
    cls_device *device = narrow->device;
    cls_grid grid = grid_of(narrow, 1, 0);
    int64_t top = data->top, ld = data->ld, n = narrow->n, count = narrow->count, begin, end;
    int64_t step = narrow->interleaved ? count : 1, member = narrow->interleaved ? 1 : data->member;
    int64_t pivot_member = narrow->interleaved ? 1 : n;

    if (count == 0) return CLSOLVE_OK;
    for (begin = 0; begin < n; begin = end) {
        end = chunk_end(narrow, begin);
        cls_arg group[] = {CLS_BUFFER(data->AB), CLS_VALUE(top),         CLS_VALUE(ld),
                           CLS_VALUE(member),    CLS_VALUE(n),           CLS_VALUE(begin),
                           CLS_VALUE(end),       CLS_BUFFER(data->ipiv), CLS_BUFFER(data->info)};
        cls_arg item[] = {CLS_BUFFER(data->AB),   CLS_VALUE(top),          CLS_VALUE(ld),
                          CLS_VALUE(member),      CLS_VALUE(step),         CLS_VALUE(n),
                          CLS_VALUE(begin),       CLS_VALUE(end),          CLS_VALUE(count),
                          CLS_BUFFER(data->ipiv), CLS_VALUE(pivot_member), CLS_BUFFER(data->info)};
        CLS_TRY(
            cls_launch(device, CLS_COMPUTE, narrow->factor, &grid, narrow->item ? CLS_ARGS(item) : CLS_ARGS(group)));
        if (tell) CLS_TRY(tell(user, end));
    }
    return CLSOLVE_OK;
}

/* One sweep over all rows, downwards or upwards, in launches of some rows. */
static clsolve_status sweep(cls_narrow *narrow, const cls_narrow_data *data, int32_t half, int conjugate,
                            int64_t columns, cls_ref B, int64_t b_member) {
    cls_device *device = narrow->device;
    cls_grid grid = grid_of(narrow, columns, 1);
    int up = half == SWEEP_U || half == SWEEP_LT;
    int32_t which = half + (conjugate ? SWEEP_CONJUGATE : 0);
    int64_t top = data->top, ld = data->ld, n = narrow->n, count = narrow->count, begin, end;
    int64_t step = narrow->interleaved ? count : 1, member = narrow->interleaved ? 1 : data->member;
    int64_t pivot_member = narrow->interleaved ? 1 : n;

    if (narrow->interleaved) b_member = 1;
    for (int64_t done = 0; done < n; done += end - begin) {
        begin = up ? 0 : done;
        end = up ? n - done : chunk_end(narrow, done);
        if (up && end > narrow->rows_a_launch) begin = end - narrow->rows_a_launch;
        cls_arg group[] = {CLS_VALUE(which),       CLS_BUFFER(data->AB), CLS_VALUE(top),     CLS_VALUE(ld),
                           CLS_VALUE(member),      CLS_VALUE(n),         CLS_VALUE(begin),   CLS_VALUE(end),
                           CLS_BUFFER(data->ipiv), CLS_REF(B),           CLS_VALUE(b_member)};
        cls_arg item[] = {CLS_VALUE(which),  CLS_BUFFER(data->AB), CLS_VALUE(top),         CLS_VALUE(ld),
                          CLS_VALUE(member), CLS_VALUE(step),      CLS_VALUE(n),           CLS_VALUE(begin),
                          CLS_VALUE(end),    CLS_VALUE(count),     CLS_BUFFER(data->ipiv), CLS_VALUE(pivot_member),
                          CLS_REF(B),        CLS_VALUE(b_member)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, narrow->sweep, &grid, narrow->item ? CLS_ARGS(item) : CLS_ARGS(group)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_narrow_solve(cls_narrow *narrow, const cls_narrow_data *data, clsolve_op op, int64_t columns,
                                cls_ref B, int64_t b_member) {
    int plain = op == CLSOLVE_NO_TRANS, conjugate = op == CLSOLVE_CONJ_TRANS && cls_is_complex(narrow->type);
    if (narrow->count == 0) return CLSOLVE_OK;
    for (int64_t c = 0; c < columns; c += MOST_COLUMNS) {
        int64_t some = columns - c < MOST_COLUMNS ? columns - c : MOST_COLUMNS;
        cls_ref X = B;
        X.offset += c * B.ld * (narrow->interleaved ? narrow->count : 1);
        CLS_TRY(sweep(narrow, data, plain ? SWEEP_L : SWEEP_UT, conjugate, some, X, b_member));
        CLS_TRY(sweep(narrow, data, plain ? SWEEP_U : SWEEP_LT, conjugate, some, X, b_member));
    }
    return CLSOLVE_OK;
}
