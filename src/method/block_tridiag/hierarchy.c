#include "method/block_tridiag/block_tridiag.h"

#include <stdio.h>

/* ---- shape ---- */

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t power_above(int64_t n) {
    int64_t p = 1;
    while (p < n) p *= 2;
    return p;
}

/*
 * A CPU runs a work-group on one core: one work-item, its lanes the core's vector. A GPU wants a sector (32 bytes) of
 * neighbouring lines at least, and beyond that as many work-items on each line as keep all units busy: lanes are added
 * only while there are two panels for every unit. Where lines are so few that half the units would idle, lanes are given up
 * for more work-items on each line instead: along a line words are neighbours too.
 */
cls_bt_shape cls_bt_shape_for(const cls_device *device, clsolve_type type, int64_t N, int64_t M) {
    int64_t lines = ceil_div(N, 2), units = device->info.compute_units > 0 ? device->info.compute_units : 1;
    int64_t sector = 32 / cls_type_size(type);
    cls_bt_shape s = {0};

    if (device->info.type == CLSOLVE_DEVICE_CPU) {
        int64_t most = 64 / cls_type_size(type), fit = power_above(lines);
        s.width = fit < most ? fit : most;
        s.parts = s.steps = s.work_group = s.flat = 1;
        s.run = 64;
        s.groups = 4 * units;
        return s;
    }
    int64_t room = cls_work_group(device, 256), fit = power_above(lines), word = cls_type_size(type);
    s.width = sector < room ? sector : room;
    if (fit < s.width) s.width = fit;
    while (2 * s.width <= 4 * sector && 2 * s.width <= room && ceil_div(lines, 2 * s.width) >= 2 * units) s.width *= 2;
    if (2 * ceil_div(lines, s.width) < units) {
        while (s.width > 1 && 2 * ceil_div(lines, s.width) < units) s.width /= 2;
        if (M > 4096) room = cls_work_group(device, 1024);
    }
    while (room > s.width && 4 * room * word > device->info.local_memory) room /= 2;
    s.steps = M >= 512 ? 16 : M >= 128 ? 8 : 4;
    s.parts = room / s.width;
    while (s.parts > 1 && s.parts / 2 * s.steps >= M) s.parts /= 2;
    s.work_group = s.width * s.parts;
    s.flat = room < 256 ? room : 256;
    s.run = 1;
    s.groups = 8 * units;
    return s;
}

/* As panels_of in cl/bt_sweep.cl. */
static int64_t panels_of(int64_t lines, int64_t width) {
    int64_t panels = ceil_div(ceil_div(lines, 2), width);
    return panels >= 64 ? (panels + 7) / 8 * 8 : panels;
}

static void measure_level(const cls_bt_grid *grid, int64_t lines, cls_bt_level *level) {
    const cls_bt_shape *s = &grid->shape;
    *level = (cls_bt_level){.lines = lines, .panels = panels_of(lines, s->width)};
    level->size = 2 * level->panels * grid->M * s->width + 3 * s->width;
    /* Enough pieces to fill the device, none so small that a launch costs more. */
    int64_t pieces = ceil_div(s->groups, level->panels), most = ceil_div(grid->M, 8 * s->parts * (s->run > 1 ? 32 : 1));
    level->splits = pieces < most ? pieces : most;
    if (level->splits < 1) level->splits = 1;
}

/* ---- memory and kernels ---- */

clsolve_status cls_bt_make(cls_bt_grid *grid, size_t words, cls_buffer **buffer) {
    size_t bytes = words * (size_t)cls_type_size(grid->type);
    CLS_TRY(grid->device->ops->buffer_create(grid->device, bytes, buffer));
    return grid->device->ops->fill(grid->device, CLS_COMPUTE, *buffer, 0, bytes, 0);
}

typedef struct kernel_name {
    const char *name;
    cls_kernel **kernel;
} kernel_name;

static clsolve_status build_program(cls_device *device, const char *source, const char *options,
                                    const kernel_name *list, size_t count) {
    cls_program *program;
    CLS_TRY(device->ops->program_get(device, source, options, &program));
    for (size_t k = 0; k < count; ++k)
        CLS_TRY(device->ops->kernel_create(device, program, list[k].name, list[k].kernel));
    return CLSOLVE_OK;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static clsolve_status build(cls_bt_grid *g) {
    const cls_bt_shape *s = &g->shape;
    const char *type = cls_type_option(g->type);
    const kernel_name sweeps[] = {{"bt_sweep", &g->sweep},
                                  {"bt_residual", &g->residual},
                                  {"bt_restrict", &g->restriction},
                                  {"bt_correct", &g->correct},
                                  {"bt_coarse", &g->coarse}};
    const kernel_name setup[] = {{"bt_factor", &g->factor},   {"bt_factor_pivoted", &g->factor_pivoted},
                                 {"bt_weights", &g->weights}, {"bt_coarsen", &g->coarsen},
                                 {"bt_inspect", &g->inspect}, {"bt_pack", &g->pack},
                                 {"bt_unpack", &g->unpack},   {"bt_scale", &g->scale}};
    const kernel_name vectors[] = {{"bt_dots", &g->dots},     {"bt_combine", &g->combine},     {"bt_keep", &g->keep},
                                   {"bt_scalar", &g->scalar}, {"bt_reference", &g->reference}, {"bt_judge", &g->judge}};
    const kernel_name pivot[] = {{"bt_sweep_pivoted", &g->sweep_pivoted}};
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DW=%d -DP=%d -DS=%d -DLS=%d", type, (int)s->width, (int)s->parts,
                   (int)s->steps, (int)s->work_group);
    CLS_TRY(build_program(g->device, "bt_sweep", options, sweeps, COUNT(sweeps)));
    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", type, (int)s->width,
                   (int)(s->flat > 64 ? 64 : s->flat));
    CLS_TRY(build_program(g->device, "bt_setup", options, setup, COUNT(setup)));
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DRUN=%d -DRESTART=%d", type, (int)s->flat, (int)s->run,
                   CLS_BT_RESTART);
    CLS_TRY(build_program(g->device, "bt_vector", options, vectors, COUNT(vectors)));
    if (!g->pivoted) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", type, (int)s->width,
                   (int)(s->work_group > 1 ? s->width : 1));
    return build_program(g->device, "bt_pivot", options, pivot, COUNT(pivot));
}

clsolve_status cls_bt_grid_create(cls_device *device, clsolve_type type, int64_t N, int64_t M,
                                  const cls_bt_shape *shape, int pivoted, cls_bt_grid *g) {
    const cls_device_ops *ops = device->ops;
    size_t control = CLS_BT_CONTROL * sizeof(int64_t);

    *g = (cls_bt_grid){.device = device, .type = type, .N = N, .M = M, .shape = *shape, .pivoted = pivoted};
    g->coefficients = pivoted ? 10 : 8;
    measure_level(g, N, &g->level[0]);
    g->levels = g->whole = 1;
    CLS_TRY(cls_bt_make(g, (size_t)(g->coefficients * g->level[0].size), &g->coef));
    CLS_TRY(ops->buffer_create(device, control, &g->control));
    CLS_TRY(ops->buffer_create(device, control, &g->idle));
    CLS_TRY(ops->fill(device, CLS_COMPUTE, g->control, 0, control, 0));
    CLS_TRY(ops->fill(device, CLS_COMPUTE, g->idle, 0, control, 0));
    return build(g);
}

void cls_bt_grid_release(cls_bt_grid *g) {
    cls_device *device = g->device;
    cls_buffer *buffers[] = {g->coef, g->coarse_coef, g->F, g->Y, g->Z, g->partial, g->control, g->idle};
    cls_kernel *kernels[] = {g->sweep,   g->sweep_pivoted, g->residual,       g->restriction, g->correct,
                             g->coarse,  g->factor,        g->factor_pivoted, g->weights,     g->coarsen,
                             g->inspect, g->pack,          g->unpack,         g->scale,       g->dots,
                             g->combine, g->keep,          g->scalar,         g->reference,   g->judge};
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE);
    for (size_t b = 0; b < COUNT(buffers); ++b) device->ops->buffer_destroy(device, buffers[b]);
    for (size_t k = 0; k < COUNT(kernels); ++k) device->ops->kernel_destroy(device, kernels[k]);
    *g = (cls_bt_grid){0};
}

static clsolve_status remake(cls_bt_grid *g, int64_t words, cls_buffer **buffer) {
    g->device->ops->buffer_destroy(g->device, *buffer);
    *buffer = NULL;
    return cls_bt_make(g, (size_t)words, buffer);
}

clsolve_status cls_bt_grid_reserve(cls_bt_grid *g, int64_t rhs) {
    const cls_bt_level *top = &g->level[0];
    int64_t groups = 2 * top->panels * top->splits;

    if (rhs <= g->rhs) return CLSOLVE_OK;
    CLS_TRY(g->device->ops->finish(g->device, CLS_COMPUTE));
    g->rhs = 0;
    if (groups < g->shape.groups) groups = g->shape.groups;
    CLS_TRY(remake(g, top->panels * g->M * g->shape.width * rhs, &g->Z));
    CLS_TRY(remake(g, 2 * groups * rhs, &g->partial));
    if (g->levels > 1) {
        CLS_TRY(remake(g, g->coarse_size * rhs, &g->F));
        CLS_TRY(remake(g, g->coarse_size * rhs, &g->Y));
    }
    g->rhs = rhs;
    return CLSOLVE_OK;
}

/* ---- coefficients ---- */

/* Groups along a line of kernels that take one line a group row. */
static cls_grid grid_of_lines(const cls_bt_grid *g, int64_t lines, int64_t across) {
    size_t local = (size_t)(g->shape.flat > 64 ? 64 : g->shape.flat);
    cls_grid grid = {{(size_t)lines * local, (size_t)across, 1}, {local, 1, 1}};
    return grid;
}

clsolve_status cls_bt_inspect(cls_bt_grid *g, int *bits) {
    enum { GROUPS = 256 };
    int64_t words[GROUPS], size = g->level[0].size, panels = g->level[0].panels;
    int64_t groups = g->N < GROUPS ? g->N : GROUPS;
    cls_device *device = g->device;
    cls_buffer *flags = NULL;
    cls_bt_real eps = cls_bt_real_of(g->type, g->type == CLSOLVE_F64 ? 0x1p-53 : 0x1p-24);
    cls_rect rect = {(size_t)groups * sizeof *words, 1, 0, sizeof words, sizeof words};
    clsolve_status status;

    CLS_TRY(device->ops->buffer_create(device, sizeof words, &flags));
    cls_grid grid = grid_of_lines(g, groups, 1);
    cls_arg args[] = {CLS_BUFFER(g->coef), CLS_VALUE(size),        CLS_VALUE(g->N),  CLS_VALUE(panels),
                      CLS_VALUE(g->M),     CLS_REAL(g->type, eps), CLS_BUFFER(flags)};
    CLS_TRY_GOTO(status, device->ops->launch(device, CLS_COMPUTE, g->inspect, &grid, args, 7, NULL, NULL), end);
    CLS_TRY_GOTO(status, device->ops->read(device, CLS_COMPUTE, flags, words, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, device->ops->finish(device, CLS_COMPUTE), end);
    *bits = 0;
    for (int64_t w = 0; w < groups; ++w) *bits |= (int)words[w];
end:
    device->ops->buffer_destroy(device, flags);
    return status;
}

/* Reads the states that a factor kernel left behind, and finds what they say of real lines. */
static clsolve_status read_states(cls_bt_grid *g, const cls_bt_level *level, cls_buffer *states, int64_t *unsafe,
                                  int64_t *line) {
    enum { PIECE = 4096 };
    int32_t piece[PIECE];
    int64_t width = g->shape.width, count = 2 * level->panels * width;
    cls_device *device = g->device;

    *unsafe = 0;
    *line = -1;
    for (int64_t begin = 0; begin < count; begin += PIECE) {
        int64_t here = count - begin < PIECE ? count - begin : PIECE;
        cls_rect rect = {(size_t)here * sizeof *piece, 1, (size_t)begin * sizeof *piece, sizeof piece, sizeof piece};
        CLS_TRY(device->ops->read(device, CLS_COMPUTE, states, piece, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        for (int64_t i = 0; i < here; ++i) {
            int64_t panel = (begin + i) / width, lane = (begin + i) % width;
            int64_t slot = lane * level->panels + panel % level->panels, at = 2 * slot + panel / level->panels;
            if (at >= level->lines) continue;
            *unsafe += piece[i] != 0;
            if (piece[i] > 1 && (*line < 0 || at < *line)) *line = at;
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_factor(cls_bt_grid *g, int number, int64_t *unsafe, int64_t *line) {
    const cls_bt_level *level = &g->level[number];
    cls_device *device = g->device;
    cls_buffer *states = NULL, *coef = number == 0 ? g->coef : g->coarse_coef;
    int64_t count = 2 * level->panels * g->shape.width;
    /* The last line of a singular system is singular itself; its last pivot is what rounding left of zero. */
    int pinned = g->singular && level->lines == 1, f64 = g->type == CLSOLVE_F64;
    cls_bt_real safe = cls_bt_real_of(g->type, 1e-3), zero = cls_bt_real_of(g->type, !pinned ? 0 : f64 ? 1e-9 : 1e-3);
    clsolve_status status;

    CLS_TRY(device->ops->buffer_create(device, (size_t)count * sizeof(int32_t), &states));
    cls_grid grid = grid_of_lines(g, 2 * level->panels, 1);
    cls_arg plain[] = {CLS_BUFFER(coef), CLS_VALUE(level->coef_at), CLS_VALUE(level->size),  CLS_VALUE(level->panels),
                       CLS_VALUE(g->M),  CLS_REAL(g->type, safe),   CLS_REAL(g->type, zero), CLS_BUFFER(states)};
    cls_arg pivoted[] = {CLS_BUFFER(coef), CLS_VALUE(level->size), CLS_VALUE(level->panels), CLS_VALUE(g->M),
                         CLS_BUFFER(states)};
    if (g->pivoted)
        status = device->ops->launch(device, CLS_COMPUTE, g->factor_pivoted, &grid, pivoted, 5, NULL, NULL);
    else
        status = device->ops->launch(device, CLS_COMPUTE, g->factor, &grid, plain, 8, NULL, NULL);
    if (status == CLSOLVE_OK && unsafe) status = read_states(g, level, states, unsafe, line);
    if (status == CLSOLVE_OK && unsafe && pinned) *unsafe = 0, *line = -1;
    if (status == CLSOLVE_OK) status = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, states);
    return status;
}

/* ---- coarse levels ---- */

static void measure_levels(cls_bt_grid *g) {
    int64_t coef = 0, vectors = 0;
    g->levels = 1;
    for (int64_t lines = g->N / 2; lines >= 1 && g->levels < CLS_BT_LEVELS; lines /= 2) {
        cls_bt_level *level = &g->level[g->levels++];
        measure_level(g, lines, level);
        level->coef_at = coef;
        level->vec_at = vectors;
        coef += 8 * level->size;
        vectors += level->size;
    }
    g->coarse_size = vectors;
    for (g->whole = 1; g->whole < g->levels && g->level[g->whole].panels > 1;) ++g->whole;
}

static clsolve_status coarsen_level(cls_bt_grid *g, int number, cls_buffer *weights) {
    const cls_bt_level *fine = &g->level[number], *coarse = &g->level[number + 1];
    cls_buffer *from = number == 0 ? g->coef : g->coarse_coef;
    cls_device *device = g->device;
    int32_t symmetric = g->symmetric, singular = g->singular;

    cls_grid panels = grid_of_lines(g, fine->panels, 1), lines = grid_of_lines(g, coarse->lines, 1);
    cls_arg weigh[] = {CLS_BUFFER(from),        CLS_VALUE(fine->coef_at), CLS_VALUE(fine->size), CLS_VALUE(fine->lines),
                       CLS_VALUE(fine->panels), CLS_VALUE(g->M),          CLS_BUFFER(weights)};
    CLS_TRY(device->ops->launch(device, CLS_COMPUTE, g->weights, &panels, weigh, 7, NULL, NULL));
    cls_arg args[] = {CLS_BUFFER(from),        CLS_VALUE(fine->coef_at),   CLS_VALUE(fine->size),
                      CLS_BUFFER(weights),     CLS_VALUE(fine->lines),     CLS_VALUE(fine->panels),
                      CLS_VALUE(g->M),         CLS_BUFFER(g->coarse_coef), CLS_VALUE(coarse->coef_at),
                      CLS_VALUE(coarse->size), CLS_VALUE(coarse->panels),  CLS_VALUE(symmetric),
                      CLS_VALUE(singular)};
    CLS_TRY(device->ops->launch(device, CLS_COMPUTE, g->coarsen, &lines, args, 13, NULL, NULL));
    return cls_bt_factor(g, number + 1, NULL, NULL);
}

clsolve_status cls_bt_coarsen(cls_bt_grid *g) {
    cls_device *device = g->device;
    cls_buffer *weights = NULL;
    clsolve_status status = CLSOLVE_OK;

    if (!g->coarse_coef) {
        measure_levels(g);
        if (g->levels == 1) return CLSOLVE_OK;
        const cls_bt_level *last = &g->level[g->levels - 1];
        CLS_TRY(cls_bt_make(g, (size_t)(last->coef_at + 8 * last->size), &g->coarse_coef));
        g->rhs = 0; /* coarse vectors are wanted now */
    }
    CLS_TRY(cls_bt_make(g, (size_t)(4 * g->level[0].panels * g->M * g->shape.width), &weights));
    for (int l = 0; l + 1 < g->levels && status == CLSOLVE_OK; ++l) status = coarsen_level(g, l, weights);
    clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, weights);
    return status != CLSOLVE_OK ? status : finished;
}
