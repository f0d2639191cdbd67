/* launch.c: the launches of a batch: see batch.h. */
#include <stdio.h>
#include <string.h>

#include "base/type.h"
#include "blas/blas.h"
#include "method/direct_batch/batch.h"

static const int32_t shapes[CLS_DIRECT_BATCH_SHAPES] = {1, 4, 16};

/* A work-item has no more elements than registers. */
static int shape_for(const cls_direct_batch *batch, const cls_direct_batch_class *class, int64_t rhs) {
    const int64_t most = cls_type_size(batch->type) > 8 ? 16 : 32;
    int s = 0;
    while (s + 1 < CLS_DIRECT_BATCH_SHAPES && shapes[s] < rhs && class->held * shapes[s + 1] <= most) ++s;
    return s;
}

int cls_direct_batch_sides_together(const cls_direct_batch *batch, int64_t rhs) {
    int together = 1;
    for (int64_t c = 0; c < batch->classes_count; ++c)
        together = together && rhs <= shapes[shape_for(batch, &batch->classes[c], rhs)];
    return together;
}

/* ---- kernels ---- */

/* Compilers for CPUs take long for unrolled loops over many registers. */
static clsolve_status kernel_for(cls_direct_batch *batch, const char *file, const char *name, const char *more,
                                 cls_kernel **kernel) {
    static const char *const words[] = {"-DCHOLESKY=0", "-DCHOLESKY=1", "-DLDL_BATCH -DHERMITIAN=1",
                                        "-DLDL_BATCH -DHERMITIAN=0"};
    cls_device *device = batch->device;
    cls_program *program;
    char options[300];

    if (*kernel) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d %s%s%s%s", cls_type_option(batch->type),
                   device->matrix_unit, words[batch->family + (cls_direct_batch_is_ldl(batch) && batch->symmetric)],
                   more, batch->table && strcmp(file, "front_panel") != 0 ? " -DRAGGED" : "",
                   device->info.type == CLSOLVE_DEVICE_CPU && !device->rolled ? " -DCLS_ROLLED" : "");
    CLS_TRY(device->ops->program_get(device, file, options, &program));
    return device->ops->kernel_create(device, program, name, kernel);
}

static clsolve_status factor_kernel(cls_direct_batch *batch, cls_direct_batch_class *class) {
    char more[120], bound[40] = "";
    if (class->registers > 0) (void)snprintf(bound, sizeof bound, " -DCLS_REGISTERS=%d", class->registers);
    if (class->whole) {
        (void)snprintf(more, sizeof more, " -DLS=%d -DW=%d -DPER=%d%s", (int)class->items, (int)class->width,
                       (int)class->per, bound);
        return kernel_for(batch, "direct_batch_whole", "direct_batch_whole", more, &class->factor);
    }
    if (cls_direct_batch_is_ldl(batch)) {
        (void)snprintf(more, sizeof more, " -DN=%d -DLX=%d -DLY=%d -DPER=%d", (int)class->most, (int)class->items,
                       (int)class->per, (int)class->share);
        return kernel_for(batch, "ldl_batch", "ldl_batch", more, &class->factor);
    }
    if (class->small && cls_direct_batch_is_cholesky(batch)) {
        (void)snprintf(more, sizeof more, " -DN=%d -DLX=%d -DLY=%d -DPER=%d", (int)class->most, (int)class->x,
                       (int)class->y, (int)class->share);
        return kernel_for(batch, "cholesky_batch", "cholesky_batch", more, &class->factor);
    }
    if (class->small) {
        (void)snprintf(more, sizeof more, " -DN=%d -DLX=%d -DLY=%d%s", (int)class->most, (int)class->x, (int)class->y,
                       bound);
        return kernel_for(batch, "lu_batch_small", "lu_batch_small", more, &class->factor);
    }
    (void)snprintf(more, sizeof more, " -DEXACT -DLS=%d -DW=%d -DPER=%d%s", (int)class->items, (int)class->width,
                   (int)class->per, class->block == class->width ? " -DALONE" : "");
    return kernel_for(batch, "front_panel", "front_panel", more, &class->factor);
}

/* Members of one block have no use for more than the first. */
static clsolve_status block_kernels(cls_direct_batch *batch, cls_direct_batch_class *class) {
    static const char file[] = "direct_batch_block";
    int64_t most = 128;
    char more[120];
    CLS_TRY(factor_kernel(batch, class));
    if (class->most <= class->block) return CLSOLVE_OK;
    while (most < class->most) most *= 2;
    (void)snprintf(more, sizeof more, " -DBLOCK=%d -DCOLUMNS=%d -DTILE=%d -DSTRIP=%d -DLS=%d -DPER=%d -DMOST_ROWS=%d",
                   (int)class->block, (int)class->columns, (int)class->tile, (int)class->strip, (int)class->items,
                   (int)class->per, (int)most);
    CLS_TRY(kernel_for(batch, file, "direct_batch_product", more, &class->product));
    if (cls_direct_batch_is_cholesky(batch)) return CLSOLVE_OK;
    CLS_TRY(kernel_for(batch, file, "direct_batch_right", more, &class->right));
    return kernel_for(batch, file, "direct_batch_left", more, &class->left);
}

static clsolve_status solve_kernel(cls_direct_batch *batch, cls_direct_batch_class *class, int shape) {
    char more[64];
    (void)snprintf(more, sizeof more, " -DLX=%d -DLY=%d -DHELD=%d -DSIDES=%d", (int)class->x, (int)class->y,
                   (int)class->held, (int)shapes[shape]);
    return kernel_for(batch, "direct_batch_solve", "direct_batch_solve", more, &class->solve[shape]);
}

/* Work-items of the kernels that move members, and rows of the largest one. */
static int64_t move_items(const cls_direct_batch *batch) {
    return cls_work_group(batch->device, 128);
}

static clsolve_status move_kernel(cls_direct_batch *batch, cls_direct_batch_move which) {
    static const char *const names[CLS_DIRECT_BATCH_MOVES] = {
        "direct_batch_take", "direct_batch_scale", "direct_batch_order", "direct_batch_out",
        "direct_batch_det",  "direct_batch_norm",  "direct_batch_pivots"};
    int64_t most = 128;
    char more[64];
    while (most < batch->n) most *= 2;
    (void)snprintf(more, sizeof more, " -DLS=%d -DMOST_ROWS=%d", (int)move_items(batch), (int)most);
    if (cls_direct_batch_is_ldl(batch) && which == CLS_DIRECT_BATCH_DET)
        return kernel_for(batch, "ldl_batch_values", "ldl_batch_values", more, &batch->move[which]);
    return kernel_for(batch, "direct_batch_move", names[which], more, &batch->move[which]);
}

/* ---- launches ---- */

/* The arguments MEMBERS of cl/direct_batch.clh; members of one order have no tables. */
#define TABLE_OF(batch, name) ((batch)->table ? (batch)->name : (batch)->info)
#define MEMBERS(batch, class)                                                                                          \
    CLS_BUFFER(TABLE_OF(batch, tables)), CLS_BUFFER(TABLE_OF(batch, list)), CLS_VALUE((class)->from),                  \
        CLS_VALUE((class)->count), CLS_VALUE((batch)->n)
#define VIEW(v, batch)                                                                                                 \
    CLS_VALUE((v)->offset), CLS_VALUE((v)->row), CLS_VALUE((v)->column), CLS_VALUE((v)->member),                       \
        CLS_BUFFER(TABLE_OF(batch, places))

/* Small members, or whole ones. */
static clsolve_status run_small(cls_direct_batch *batch, cls_direct_batch_class *class, const cls_direct_members *A,
                                int32_t conjugate) {
    const int is_ldl = cls_direct_batch_is_ldl(batch);
    const int64_t lanes = is_ldl || class->whole ? class->items : class->x;
    const int64_t together = is_ldl ? class->per : class->y, groups = (class->count + together - 1) / together;
    const size_t items = (size_t)(cls_direct_batch_is_half(batch) && !class->whole ? lanes * class->share : lanes);
    const cls_grid grid = {{(size_t)groups * items, (size_t)together, 1}, {items, (size_t)together, 1}};
    const cls_arg args[] = {MEMBERS(batch, class),   CLS_BUFFER(A->buffer),   VIEW(A, batch),
                            CLS_BUFFER(batch->F),    CLS_BUFFER(batch->rows), CLS_BUFFER(batch->scales),
                            CLS_BUFFER(batch->info), CLS_VALUE(conjugate)};
    CLS_TRY(factor_kernel(batch, class));
    return cls_launch(batch->device, CLS_COMPUTE, class->factor, &grid, CLS_ARGS(args));
}

/* A work-group a member. */
static cls_grid grid_of(const cls_direct_batch *batch, int64_t count) {
    const size_t items = (size_t)move_items(batch);
    return (cls_grid){{(size_t)count * items, 1, 1}, {items, 1, 1}};
}

static clsolve_status run_take(cls_direct_batch *batch, const cls_direct_batch_class *class,
                               const cls_direct_members *A, int32_t conjugate) {
    enum { TAKEN = 16 }; /* as the kernel has it */
    const cls_grid all = grid_of(batch, class->count);
    cls_grid grid = all;
    const cls_arg take[] = {MEMBERS(batch, class), CLS_BUFFER(A->buffer),   VIEW(A, batch),
                            CLS_BUFFER(batch->F),  CLS_BUFFER(batch->rows), CLS_BUFFER(batch->exchanges),
                            CLS_VALUE(conjugate)};
    const cls_arg scale[] = {MEMBERS(batch, class),        CLS_BUFFER(batch->F),      CLS_BUFFER(batch->rows),
                             CLS_BUFFER(batch->exchanges), CLS_BUFFER(batch->scales), CLS_BUFFER(batch->info)};
    grid.global[1] = (size_t)((class->most + TAKEN - 1) / TAKEN);
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_TAKE));
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_SCALE));
    CLS_TRY(cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_TAKE], &grid, CLS_ARGS(take)));
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_SCALE], &all, CLS_ARGS(scale));
}

/* The class has one member. */
static clsolve_status run_pivots(cls_direct_batch *batch, const cls_direct_batch_class *class, int32_t gone) {
    cls_buffer *const pivots = cls_direct_dense_pivots(batch);
    const cls_grid grid = grid_of(batch, class->count);
    const cls_arg args[] = {MEMBERS(batch, class), CLS_BUFFER(batch->F),         CLS_BUFFER(pivots),
                            CLS_VALUE(gone),       CLS_BUFFER(batch->exchanges), CLS_BUFFER(batch->info)};
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_PIVOTS));
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_PIVOTS], &grid, CLS_ARGS(args));
}

static clsolve_status run_order(cls_direct_batch *batch, const cls_direct_batch_class *class) {
    const cls_grid grid = grid_of(batch, class->count);
    const cls_arg args[] = {MEMBERS(batch, class), CLS_BUFFER(batch->exchanges), CLS_BUFFER(batch->rows),
                            CLS_BUFFER(batch->scales)};
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_ORDER));
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_ORDER], &grid, CLS_ARGS(args));
}

/* The panel before column k is applied, and that of column k is made, in the block of columns from `begin` on: see
 * cl/front_panel.cl. Cholesky has no strips left of it. */
static clsolve_status run_panel(cls_direct_batch *batch, const cls_direct_batch_class *class, int64_t begin,
                                int64_t k) {
    enum { MOST = 65535 }; /* groups in dimension 1 */
    const int64_t width = class->width, stop = begin + class->block < class->most ? begin + class->block : class->most;
    const int64_t right = k == begin || k + width >= stop ? 0 : (stop - k - 1) / width;
    const int64_t left = cls_direct_batch_is_cholesky(batch) || k == begin ? 0 : (k - begin) / width - 1;
    const int32_t column = (int32_t)k, first = (int32_t)begin, end = (int32_t)stop;
    const double none = 0;
    const float none_single = 0;
    const cls_arg tiny = cls_is_double(batch->type) ? (cls_arg)CLS_VALUE(none) : (cls_arg)CLS_VALUE(none_single);
    for (int64_t done = 0; done < class->count; done += MOST) {
        const int64_t from = class->from + done, some = class->count - done < MOST ? class->count - done : MOST;
        const cls_grid grid = {{(size_t)((1 + right + left) * class->items), (size_t)some, 1},
                               {(size_t) class->items, 1, 1}};
        const cls_arg args[] = {CLS_BUFFER(batch->fronts),
                                CLS_BUFFER(batch->list),
                                CLS_VALUE(from),
                                CLS_VALUE(column),
                                CLS_VALUE(first),
                                CLS_VALUE(end),
                                CLS_BUFFER(batch->F),
                                CLS_BUFFER(cls_direct_batch_is_cholesky(batch) ? batch->rows : batch->exchanges),
                                tiny,
                                tiny,
                                CLS_BUFFER(batch->info)};
        CLS_TRY(cls_launch(batch->device, CLS_COMPUTE, class->factor, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

/* The block's columns of all rows. LU applies the last panel to the columns left of it too. */
static clsolve_status run_block(cls_direct_batch *batch, const cls_direct_batch_class *class, int64_t begin) {
    const int64_t block = class->most - begin < class->block ? class->most - begin : class->block;
    const int64_t end = block + (cls_direct_batch_is_cholesky(batch) || block <= class->width ? 0 : class->width);
    for (int64_t k = 0; k < end; k += class->width) CLS_TRY(run_panel(batch, class, begin, begin + k));
    return CLSOLVE_OK;
}

/* `groups` a member. */
static cls_grid grid_of_groups(const cls_direct_batch_class *class, int64_t groups, int64_t items) {
    return (cls_grid){{(size_t)(class->count * items), (size_t)groups, 1}, {(size_t)items, 1, 1}};
}

/* The columns right of the block take part in its steps. */
static clsolve_status run_rest(cls_direct_batch *batch, const cls_direct_batch_class *class, int64_t begin) {
    enum { EDGE = 4 }; /* as the kernel has it */
    const int64_t rest = class->most - begin - class->block, across = class->tile / EDGE;
    const int32_t k = (int32_t)begin, tiles = (int32_t)((rest + class->tile - 1) / class->tile);
    const cls_grid of_right = grid_of_groups(class, (rest + class->columns - 1) / class->columns, class->columns);
    const cls_grid of_product = grid_of_groups(class, (int64_t)tiles * tiles, across * across);
    const cls_arg right[] = {MEMBERS(batch, class), CLS_VALUE(k), CLS_BUFFER(batch->F), CLS_BUFFER(batch->exchanges)};
    const cls_arg product[] = {MEMBERS(batch, class), CLS_VALUE(k), CLS_VALUE(tiles), CLS_BUFFER(batch->F)};
    if (rest <= 0) return CLSOLVE_OK;
    if (!cls_direct_batch_is_cholesky(batch))
        CLS_TRY(cls_launch(batch->device, CLS_COMPUTE, class->right, &of_right, CLS_ARGS(right)));
    return cls_launch(batch->device, CLS_COMPUTE, class->product, &of_product, CLS_ARGS(product));
}

/* At the end, of LU: the rows of each block by the exchanges of later ones. */
static clsolve_status run_left(cls_direct_batch *batch, const cls_direct_batch_class *class) {
    const int64_t blocks = (class->most - 1) / class->block; /* all but the last */
    const cls_grid grid = grid_of_groups(class, blocks * class->block / class->strip, class->items);
    const cls_arg args[] = {MEMBERS(batch, class), CLS_BUFFER(batch->F), CLS_BUFFER(batch->exchanges)};
    if (blocks == 0) return CLSOLVE_OK;
    return cls_launch(batch->device, CLS_COMPUTE, class->left, &grid, CLS_ARGS(args));
}

static clsolve_status run_blocks(cls_direct_batch *batch, cls_direct_batch_class *class, const cls_direct_members *A,
                                 int32_t conjugate) {
    CLS_TRY(run_take(batch, class, A, conjugate));
    CLS_TRY(block_kernels(batch, class));
    for (int64_t begin = 0; begin < class->most; begin += class->block) {
        CLS_TRY(run_block(batch, class, begin));
        CLS_TRY(run_rest(batch, class, begin));
    }
    if (cls_direct_batch_is_cholesky(batch)) return CLSOLVE_OK;
    CLS_TRY(run_left(batch, class));
    return run_order(batch, class);
}

/* Member after member: see dense.c. */
static clsolve_status run_dense(cls_direct_batch *batch, const cls_direct_batch_class *class,
                                const cls_direct_members *A) {
    cls_direct_batch_class one = *class;
    one.count = 1;
    for (int64_t m = 0; m < batch->count; ++m) {
        int32_t info = 0;
        int again = 1;
        if (cls_direct_batch_class_of(batch, m) != class - batch->classes) continue;
        for (int turn = 0; turn < 2 && again; ++turn) {
            CLS_TRY(run_take(batch, &one, A, 0));
            CLS_TRY(cls_direct_dense_factor(batch, m, &info, &again));
        }
        CLS_TRY(run_pivots(batch, &one, info));
        one.from++;
    }
    return run_order(batch, class);
}

clsolve_status cls_direct_batch_run_factor(cls_direct_batch *batch, const cls_direct_members *A, int32_t conjugate) {
    if (batch->device->no_kernels) return cls_direct_batch_host_factor(batch, A, conjugate);
    for (int64_t c = 0; c < batch->classes_count; ++c) {
        cls_direct_batch_class *class = &batch->classes[c];
        CLS_TRY(class->small || class->whole ? run_small(batch, class, A, conjugate)
                : class->dense               ? run_dense(batch, class, A)
                                             : run_blocks(batch, class, A, conjugate));
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_sides(cls_direct_batch *batch, cls_direct_batch_class *class, const cls_direct_members *B,
                                  int64_t rhs, int32_t transposes, int32_t inverse_of) {
    const int shape = shape_for(batch, class, rhs);
    const int64_t groups = (class->count + class->y - 1) / class->y, sets = (rhs + shapes[shape] - 1) / shapes[shape];
    const cls_grid grid = {{(size_t)(groups * class->x), (size_t)(sets * class->y), 1},
                           {(size_t) class->x, (size_t) class->y, 1}};
    const cls_arg args[] = {MEMBERS(batch, class),
                            CLS_BUFFER(batch->F),
                            CLS_BUFFER(batch->rows),
                            CLS_BUFFER(batch->scales),
                            CLS_BUFFER(batch->info),
                            CLS_BUFFER(B->buffer),
                            VIEW(B, batch),
                            CLS_VALUE(rhs),
                            CLS_VALUE(transposes),
                            CLS_VALUE(inverse_of),
                            CLS_BUFFER(batch->outcome)};
    CLS_TRY(solve_kernel(batch, class, shape));
    return cls_launch(batch->device, CLS_COMPUTE, class->solve[shape], &grid, CLS_ARGS(args));
}

static clsolve_status solve_class(cls_direct_batch *batch, cls_direct_batch_class *class, const cls_direct_members *B,
                                  int64_t rhs, int32_t transposes, int32_t inverse_of) {
    enum { MOST = 1 << 15 }; /* a grid has 65535 groups that way */
    for (int64_t done = 0; done < rhs; done += MOST) {
        cls_direct_members some = *B; /* members of orders of their own have fewer columns */
        some.offset += done * B->column;
        CLS_TRY(solve_sides(batch, class, &some, rhs - done < MOST ? rhs - done : MOST, transposes, inverse_of));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_run_solve(cls_direct_batch *batch, const cls_direct_members *B, int64_t rhs,
                                          int32_t transposes, int32_t inverse_of) {
    cls_device *device = batch->device;
    if (device->no_kernels || !cls_direct_batch_sides_together(batch, rhs)) /* else the kernel writes all of them */
        CLS_TRY(device->ops->fill(device, CLS_COMPUTE, batch->outcome, 0, (size_t)batch->count * sizeof(int32_t), 0));
    if (device->no_kernels) return cls_direct_batch_host_solve(batch, B, rhs, transposes, inverse_of);
    for (int64_t c = 0; c < batch->classes_count; ++c)
        CLS_TRY(solve_class(batch, &batch->classes[c], B, rhs, transposes, inverse_of));
    return CLSOLVE_OK;
}

/* All members, whatever their class. */
static cls_direct_batch_class all_of(const cls_direct_batch *batch) {
    return (cls_direct_batch_class){.count = batch->count};
}

clsolve_status cls_direct_batch_run_out(cls_direct_batch *batch, const cls_direct_members *F, int32_t conjugate) {
    const cls_direct_batch_class all = all_of(batch);
    const cls_grid grid = grid_of(batch, batch->count);
    const cls_arg args[] = {MEMBERS(batch, &all),    CLS_BUFFER(batch->F),    CLS_BUFFER(F->buffer),
                            VIEW(F, batch),          CLS_BUFFER(batch->rows), CLS_BUFFER(batch->scales),
                            CLS_BUFFER(batch->info), CLS_VALUE(conjugate)};
    if (batch->device->no_kernels) return cls_direct_batch_host_out(batch, F, conjugate);
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_OUT));
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_OUT], &grid, CLS_ARGS(args));
}

/* LU has no inertia. */
static clsolve_status run_values(cls_direct_batch *batch, int32_t inertia, const cls_grid *grid) {
    const cls_direct_batch_class all = all_of(batch);
    const cls_arg args[] = {MEMBERS(batch, &all), CLS_BUFFER(batch->F), CLS_BUFFER(batch->scales),
                            CLS_BUFFER(batch->numbers), CLS_VALUE(inertia)};
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_DET], grid, CLS_ARGS(args));
}

clsolve_status cls_direct_batch_run_det(cls_direct_batch *batch, int32_t inertia) {
    const cls_direct_batch_class all = all_of(batch);
    const int64_t items = move_items(batch);
    const cls_grid grid = grid_of(batch, (batch->count + items - 1) / items);
    const cls_arg args[] = {MEMBERS(batch, &all), CLS_BUFFER(batch->F), CLS_BUFFER(batch->scales),
                            CLS_BUFFER(batch->numbers)};
    if (batch->device->no_kernels) return cls_direct_batch_host_det(batch, inertia);
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_DET));
    if (cls_direct_batch_is_ldl(batch)) return run_values(batch, inertia, &grid);
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_DET], &grid, CLS_ARGS(args));
}

clsolve_status cls_direct_batch_run_norm(cls_direct_batch *batch, const cls_direct_members *A, int32_t is_scaled,
                                         cls_buffer *norms) {
    const cls_direct_batch_class all = all_of(batch);
    const cls_grid grid = grid_of(batch, batch->count);
    const cls_arg args[] = {MEMBERS(batch, &all), CLS_BUFFER(A->buffer), VIEW(A, batch), CLS_BUFFER(norms),
                            CLS_VALUE(is_scaled)};
    if (batch->device->no_kernels) return cls_direct_batch_host_norm(batch, A, is_scaled, norms);
    CLS_TRY(move_kernel(batch, CLS_DIRECT_BATCH_NORM));
    return cls_launch(batch->device, CLS_COMPUTE, batch->move[CLS_DIRECT_BATCH_NORM], &grid, CLS_ARGS(args));
}
