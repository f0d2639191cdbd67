#include "method/block_gs/block_gs.h"

#include <math.h>

#include "device/staging.h"

clsolve_status cls_bt_run_create(cls_bt_grid *grid, int64_t rhs, int64_t capacity, cls_bt_run *run) {
    *run = (cls_bt_run){.grid = grid, .rhs = rhs, .capacity = capacity};
    CLS_TRY(cls_bt_parts_build(grid, CLS_BT_PART_VECTORS));
    CLS_TRY(cls_bt_make(grid, (size_t)(rhs * CLS_BT_SCALARS), &run->scalars));
    CLS_TRY(cls_bt_make(grid, (size_t)(rhs * CLS_BT_COLUMN), &run->columns));
    CLS_TRY(cls_bt_make(grid, (size_t)(rhs * (int64_t)(sizeof(int64_t) / 4)), &run->flags));
    CLS_TRY(cls_bt_make(grid, (size_t)capacity, &run->history));
    run->control = grid->control;
    return CLSOLVE_OK;
}

void cls_bt_run_release(cls_bt_run *run) {
    if (!run->grid) return;
    cls_device *device = run->grid->device;
    (void)device->ops->finish(device, CLS_COMPUTE);
    CLS_BUFFERS_DESTROY(device, run->scalars, run->columns, run->flags, run->history);
    *run = (cls_bt_run){0};
}

clsolve_status cls_bt_run_start(cls_bt_run *run) {
    cls_bt_grid *g = run->grid;
    const cls_device_ops *ops = g->device->ops;
    size_t size = (size_t)cls_type_size(g->type);

    CLS_TRY(ops->fill(g->device, CLS_COMPUTE, run->control, 0, CLS_BT_CONTROL * sizeof(int64_t), 0));
    /* Bytes of 0x7f make a number near the type's largest: whatever comes is better. */
    CLS_TRY(ops->fill(g->device, CLS_COMPUTE, run->columns, 0, (size_t)(run->rhs * CLS_BT_COLUMN) * size, 0x7f));
    return ops->fill(g->device, CLS_COMPUTE, run->scalars, 0, (size_t)(run->rhs * CLS_BT_SCALARS) * size, 0);
}

clsolve_status cls_bt_run_resume(cls_bt_run *run) {
    cls_device *device = run->grid->device;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, run->control, 0, sizeof(int64_t), 0));
    return device->ops->fill(device, CLS_COMPUTE, run->control, 2 * sizeof(int64_t), sizeof(int64_t), 0);
}

static cls_grid flat_grid(const cls_bt_run *run) {
    const cls_bt_shape *s = &run->grid->shape;
    cls_grid grid = {{(size_t)(s->groups * s->flat), (size_t)run->rhs, 1}, {(size_t)s->flat, 1, 1}};
    return grid;
}

static cls_grid one_group(const cls_bt_run *run) {
    size_t local = (size_t)run->grid->shape.flat;
    cls_grid grid = {{local, 1, 1}, {local, 1, 1}};
    return grid;
}

static clsolve_status launch(cls_bt_run *run, cls_kernel *kernel, const cls_grid *grid, cls_args args) {
    return cls_launch(run->grid->device, CLS_COMPUTE, kernel, grid, args);
}

clsolve_status cls_bt_dots(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y, cls_bt_vector u, cls_bt_vector v,
                           int64_t *groups) {
    cls_bt_grid *g = run->grid;
    int32_t conjugated = !run->plain;
    cls_grid grid = flat_grid(run);
    cls_arg args[] = {CLS_BUFFER(x),
                      CLS_BUFFER(y),
                      CLS_BUFFER(u),
                      CLS_BUFFER(v),
                      CLS_VALUE(g->level[0].size),
                      CLS_BUFFER(g->partial),
                      CLS_BUFFER(run->control),
                      CLS_VALUE(conjugated)};
    *groups = g->shape.groups;
    return launch(run, g->dots, &grid, CLS_ARGS_BUT(args, cls_is_complex(g->type) ? 0 : 1));
}

clsolve_status cls_bt_combine(cls_bt_run *run, cls_bt_vector out, const cls_bt_term *terms, int count,
                              cls_buffer *control) {
    cls_bt_grid *g = run->grid;
    cls_grid grid = flat_grid(run);
    cls_bt_real sign[3];
    int32_t index[3] = {-1, -1, -1};
    cls_bt_vector vector[3];
    for (int t = 0; t < 3; ++t) {
        int there = t < count;
        sign[t] = cls_bt_real_of(g->type, there ? terms[t].sign : 0);
        vector[t] = there ? terms[t].vector : out;
        if (there) index[t] = terms[t].index;
    }
    cls_arg args[] = {CLS_BUFFER(out),
                      CLS_BUFFER(vector[0]),
                      CLS_BUFFER(vector[1]),
                      CLS_BUFFER(vector[2]),
                      CLS_VALUE(g->level[0].size),
                      CLS_VALUE(index[0]),
                      CLS_REAL(g->type, sign[0]),
                      CLS_VALUE(index[1]),
                      CLS_REAL(g->type, sign[1]),
                      CLS_VALUE(index[2]),
                      CLS_REAL(g->type, sign[2]),
                      CLS_BUFFER(run->scalars),
                      CLS_BUFFER(control)};
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_KRYLOV));
    return launch(run, g->combine, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_advance(cls_bt_run *run, cls_bt_vector y, cls_bt_vector p, cls_bt_vector r, cls_bt_vector q,
                              int64_t *groups) {
    cls_bt_grid *g = run->grid;
    cls_grid grid = flat_grid(run);
    cls_arg args[] = {CLS_BUFFER(y),
                      CLS_BUFFER(p),
                      CLS_BUFFER(r),
                      CLS_BUFFER(q),
                      CLS_VALUE(g->level[0].size),
                      CLS_BUFFER(run->scalars),
                      CLS_BUFFER(g->partial),
                      CLS_BUFFER(run->control)};
    *groups = g->shape.groups;
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_KRYLOV));
    return launch(run, g->advance, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_dot_float(cls_bt *bt, cls_bt_vector x, int64_t *groups) {
    cls_bt_grid *g = &bt->grid;
    int32_t conjugated = !bt->run.plain;
    cls_grid grid = flat_grid(&bt->run);
    cls_arg args[] = {CLS_BUFFER(x),          CLS_BUFFER(bt->wide),        CLS_VALUE(g->level[0].size),
                      CLS_BUFFER(g->partial), CLS_BUFFER(bt->run.control), CLS_VALUE(conjugated)};
    *groups = g->shape.groups;
    return launch(&bt->run, bt->dot_float, &grid, CLS_ARGS_BUT(args, cls_is_complex(g->type) ? 0 : 1));
}

clsolve_status cls_bt_direction(cls_bt *bt, cls_bt_vector p) {
    cls_grid grid = flat_grid(&bt->run);
    cls_arg args[] = {CLS_BUFFER(p), CLS_BUFFER(bt->wide), CLS_VALUE(bt->grid.level[0].size),
                      CLS_BUFFER(bt->run.scalars), CLS_BUFFER(bt->run.control)};
    return launch(&bt->run, bt->direction, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_advance_float(cls_bt *bt, cls_bt_vector p, cls_bt_vector r, cls_bt_vector q, int64_t *groups) {
    cls_bt_grid *g = &bt->grid;
    cls_grid grid = flat_grid(&bt->run);
    cls_arg args[] = {CLS_BUFFER(bt->Y),
                      CLS_BUFFER(p),
                      CLS_BUFFER(r),
                      CLS_BUFFER(q),
                      CLS_BUFFER(bt->narrow),
                      CLS_VALUE(g->level[0].size),
                      CLS_BUFFER(bt->run.scalars),
                      CLS_BUFFER(g->partial),
                      CLS_BUFFER(bt->run.control)};
    *groups = g->shape.groups;
    return launch(&bt->run, bt->advance_float, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_scalar(cls_bt_run *run, int64_t groups, int step_, int i_, int j_, cls_buffer *control) {
    int32_t step = step_, i = i_, j = j_;
    cls_grid grid = one_group(run);
    cls_arg args[] = {CLS_BUFFER(run->scalars),
                      CLS_BUFFER(run->grid->partial),
                      CLS_VALUE(groups),
                      CLS_VALUE(run->rhs),
                      CLS_VALUE(step),
                      CLS_VALUE(i),
                      CLS_VALUE(j),
                      CLS_BUFFER(control)};
    if (step == CLS_BT_CG_BETA || step == CLS_BT_MAKE_ALPHA || step == CLS_BT_MEAN || step == CLS_BT_SUMS)
        return launch(run, run->grid->scalar, &grid, CLS_ARGS(args));
    CLS_TRY(cls_bt_parts_build(run->grid, CLS_BT_PART_KRYLOV));
    return launch(run, run->grid->any_scalar, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_judge(cls_bt_run *run, int64_t groups, double tolerance_, int64_t patience, int mode_) {
    cls_bt_real tolerance = cls_bt_real_of(run->grid->type, tolerance_);
    int32_t estimated = groups == 0, mode = mode_;
    cls_grid grid = one_group(run);
    cls_arg args[] = {CLS_BUFFER(run->grid->partial),
                      CLS_VALUE(groups),
                      CLS_VALUE(run->rhs),
                      CLS_BUFFER(run->scalars),
                      CLS_VALUE(estimated),
                      CLS_REAL(run->grid->type, tolerance),
                      CLS_VALUE(patience),
                      CLS_VALUE(run->capacity),
                      CLS_VALUE(mode),
                      CLS_BUFFER(run->history),
                      CLS_BUFFER(run->columns),
                      CLS_BUFFER(run->flags),
                      CLS_BUFFER(run->control)};
    return launch(run, run->grid->judge, &grid, CLS_ARGS(args));
}

static clsolve_status keep(cls_bt_run *run, cls_bt_vector from, cls_bt_vector to, int64_t wanted) {
    cls_grid grid = flat_grid(run);
    cls_arg args[] = {CLS_BUFFER(from), CLS_BUFFER(to), CLS_VALUE(run->grid->level[0].size), CLS_BUFFER(run->flags),
                      CLS_VALUE(wanted)};
    return launch(run, run->grid->keep, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_keep(cls_bt_run *run, cls_bt_vector Y, cls_bt_vector best) {
    return keep(run, Y, best, 1);
}

clsolve_status cls_bt_restore(cls_bt_run *run, cls_bt_vector best, cls_bt_vector Y) {
    return keep(run, best, Y, 0);
}

clsolve_status cls_bt_reset(cls_bt_run *run, cls_bt_vector Y) {
    return keep(run, Y, Y, 2);
}

/* ---- the range of the numbers ---- */

/* The words of each right-hand side in a buffer: `each` words of `size` bytes, and the place of the first wanted. */
typedef struct words_of {
    cls_buffer *buffer;
    size_t size;
    int64_t each, from;
} words_of;

/* `count` (at most 2) of these words, of elements the real parts, as doubles: waits. */
static clsolve_status read_strided(cls_bt_run *run, words_of w, int count, double *to) {
    enum { PIECE = 64 };
    cls_device *device = run->grid->device;
    clsolve_type real = cls_real_type(run->grid->type);
    double words[4 * PIECE]; /* room for two complex numbers each */
    int64_t apart = (int64_t)(w.size / cls_bt_real_size(real));

    for (int64_t r = 0; r < run->rhs; r += PIECE) {
        int64_t rows = run->rhs - r < PIECE ? run->rhs - r : PIECE;
        cls_rect rect = {(size_t)count * w.size, (size_t)rows, (size_t)(r * w.each + w.from) * w.size,
                         (size_t)w.each * w.size, 4 * sizeof *words};
        const cls_fetch_part alone = {w.buffer, words, rect.bytes, rect.device_offset};
        if (rows > 1) CLS_TRY(device->ops->read(device, CLS_COMPUTE, w.buffer, words, &rect, NULL, NULL));
        CLS_TRY(rows > 1 ? device->ops->finish(device, CLS_COMPUTE) : cls_staging_fetch(device, &alone, 1));
        for (int64_t i = 0; i < rows; ++i)
            for (int c = 0; c < count; ++c) to[(r + i) * count + c] = cls_type_get(real, words + 4 * i, c * apart);
    }
    return CLSOLVE_OK;
}

/* The largest |x| of `length` words for each right-hand side, by `groups` groups each. */
static clsolve_status launch_largest(cls_bt_run *run, cls_buffer *x, int64_t length, int64_t groups, cls_buffer *to,
                                     int64_t at, int64_t stride) {
    const size_t local = (size_t)run->grid->shape.flat;
    const cls_grid grid = {{(size_t)groups * local, (size_t)run->rhs, 1}, {local, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(x), CLS_VALUE(length), CLS_BUFFER(to), CLS_VALUE(at), CLS_VALUE(stride)};
    return launch(run, run->grid->largest, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_measure(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y, double *largest) {
    cls_bt_grid *g = run->grid;
    const int64_t groups = g->shape.groups, parts = cls_type_parts(g->type), length = g->level[0].size * parts;
    cls_bt_vector vector[2] = {x, y};
    const int count = y ? 2 : 1;

    for (int v = 0; v < count; ++v) {
        const int64_t at = (CLS_BT_ALPHA + v) * parts;
        CLS_TRY(launch_largest(run, vector[v], length, groups, g->partial, 0, groups));
        CLS_TRY(launch_largest(run, g->partial, groups, 1, run->scalars, at, CLS_BT_SCALARS * parts));
    }
    words_of scalars = {run->scalars, (size_t)cls_type_size(g->type), CLS_BT_SCALARS, CLS_BT_ALPHA};
    CLS_TRY(read_strided(run, scalars, count, largest));
    for (int64_t i = 0; i < run->rhs * count; ++i)
        if (!(largest[i] >= 0)) largest[i] = -1;
    return CLSOLVE_OK;
}

clsolve_status cls_bt_read_best(cls_bt_run *run, double *residuals) {
    words_of columns = {run->columns, cls_bt_real_size(run->grid->type), CLS_BT_COLUMN, 0};
    return read_strided(run, columns, 1, residuals);
}

clsolve_status cls_bt_read_last(cls_bt_run *run, double *residuals) {
    words_of columns = {run->columns, cls_bt_real_size(run->grid->type), CLS_BT_COLUMN, 2};
    return read_strided(run, columns, 1, residuals);
}

clsolve_status cls_bt_rescale(cls_bt_grid *g, cls_buffer *x, int64_t at_, int64_t length_, int exponent) {
    int64_t at = at_ * cls_type_parts(g->type), length = length_ * cls_type_parts(g->type);
    int most = cls_is_double(g->type) ? 2044 : 252;
    int whole = exponent > most ? most : exponent < -most ? -most : exponent, half = whole / 2;
    cls_bt_real first = cls_bt_real_of(g->type, ldexp(1, half)),
                second = cls_bt_real_of(g->type, ldexp(1, whole - half));
    cls_grid grid = {{(size_t)(g->shape.groups * g->shape.flat), 1, 1}, {(size_t)g->shape.flat, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(x), CLS_VALUE(at), CLS_VALUE(length), CLS_REAL(g->type, first),
                      CLS_REAL(g->type, second)};
    if (whole == 0) return CLSOLVE_OK;
    CLS_TRY(cls_bt_parts_build(g, CLS_BT_PART_KRYLOV));
    return cls_launch(g->device, CLS_COMPUTE, g->rescale, &grid, CLS_ARGS(args));
}

clsolve_status cls_bt_times(cls_bt_run *run, cls_bt_vector x, cls_bt_vector y) {
    cls_grid grid = flat_grid(run);
    cls_arg args[] = {CLS_BUFFER(x), CLS_BUFFER(y), CLS_VALUE(run->grid->level[0].size)};
    CLS_TRY(cls_bt_parts_build(run->grid, CLS_BT_PART_KRYLOV));
    return launch(run, run->grid->times, &grid, CLS_ARGS(args));
}
