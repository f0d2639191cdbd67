#include "method/block_gs/block_gs.h"

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
 * only while there are two panels for every unit. A few short lines, which a tile holds, would leave half the units
 * idle. They get fewer lanes, so that more units work; words along a line are neighbours too. Only
 * the levels of a small grid take as many lanes as a group has room for, because one group does all levels of one panel
 * in one launch, and launches are the time of a small grid. Longer lines are cut instead (cls_bt_split).
 */
cls_bt_shape cls_bt_shape_for(const cls_device *device, clsolve_type type, int levels, int single, int64_t N,
                              int64_t M) {
    int64_t lines = ceil_div(N, 2), units = device->info.compute_units > 0 ? device->info.compute_units : 1;
    int64_t sector = 32 / cls_type_size(type);
    enum { SMALL = 1 << 14 }; /* unknowns: on an H200 256 x 256 gain nothing */
    const int small = levels && N * M <= SMALL;
    cls_bt_shape s = {.units = units};

    if (device->info.type == CLSOLVE_DEVICE_CPU) {
        int64_t most = 64 / cls_type_size(type), fit = power_above(lines);
        s.width = fit < most ? fit : most;
        s.parts = s.steps = s.work_group = s.flat = 1;
        s.run = 64;
        s.groups = 4 * units;
        return s;
    }
    int64_t room = cls_work_group(device, 256), fit = power_above(lines), word = cls_type_size(type);
    while (room > 1 && 8 * room * word > device->info.local_memory) room /= 2;
    s.steps = M >= 512 ? 16 : M >= 128 ? 8 : 4;
    /* Levels in float share the lanes with what is in double: a sector of theirs is twice as many. */
    if (single && cls_is_double(type) && ceil_div(lines, 2 * sector) >= units) sector *= 2;
    s.width = sector < room ? sector : room;
    if (fit < s.width) s.width = fit;
    while (2 * s.width <= 128 / word && 2 * s.width <= room && ceil_div(lines, 2 * s.width) >= 2 * units) s.width *= 2;
    const int spread = !small && room / s.width * s.steps >= M;
    while (spread && s.width > 1 && 2 * ceil_div(lines, s.width) < units) s.width /= 2;
    s.parts = room / s.width;
    while (s.parts > 1 && s.parts / 2 * s.steps >= M) s.parts /= 2;
    if (s.parts == 2) s.parts = 1; /* of little use, and PoCL 3.1's compiler crashes on bt_coarse in that shape */
    while (small && s.width < fit && 2 * s.width <= 128 / word && 2 * s.width * s.parts <= room &&
           ceil_div(lines, s.width) < units)
        s.width *= 2;
    s.work_group = s.width * s.parts;
    s.flat = room < 256 ? room : 256;
    s.run = 1;
    const int64_t filled = ceil_div(N * M, s.flat); /* a group without a word takes its time too */
    s.groups = filled < 8 * units ? filled : 8 * units;
    return s;
}

int64_t cls_bt_tiles(const cls_bt_grid *grid) {
    int64_t tile = grid->shape.parts * grid->shape.steps;
    return grid->shape.parts > 1 ? ceil_div(grid->M, tile) : 1;
}

/* Two launches and three words more an unknown against units that idle: with a group a unit the one launch is as
 * good. */
int cls_bt_split(const cls_bt_grid *grid, int64_t panels, int64_t rhs) {
    return !grid->pivoted && cls_bt_tiles(grid) > 1 && panels * rhs < grid->shape.units;
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

int64_t cls_bt_z_size(const cls_bt_grid *grid) {
    return grid->level[0].panels * grid->M * grid->shape.width;
}

enum { MOST_COARSE_TILES = 2 };

/* The levels below the first. */
void cls_bt_measure_levels(cls_bt_grid *g) {
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
    /* One group does levels of one panel, where their lines are short enough for it. */
    g->whole = cls_bt_tiles(g) > MOST_COARSE_TILES ? g->levels : 1;
    while (g->whole < g->levels && g->level[g->whole].panels > 1) ++g->whole;
}

/* ---- memory and kernels ---- */

clsolve_status cls_bt_make(cls_bt_grid *grid, size_t words, cls_buffer **buffer) {
    size_t bytes = words * (size_t)cls_type_size(grid->type);
    *buffer = NULL;
    CLS_TRY(grid->device->ops->buffer_create(grid->device, bytes, buffer));
    clsolve_status status = grid->device->ops->fill(grid->device, CLS_COMPUTE, *buffer, 0, bytes, 0);
    if (status == CLSOLVE_OK) return status;
    grid->device->ops->buffer_destroy(grid->device, *buffer);
    *buffer = NULL;
    return status;
}

static clsolve_status build_program(cls_device *device, const char *source, const char *options,
                                    const cls_named_kernel *list, size_t count) {
    cls_program *program;
    CLS_TRY(device->ops->program_get(device, source, options, &program));
    for (size_t k = 0; k < count; ++k)
        if (!*list[k].kernel) CLS_TRY(device->ops->kernel_create(device, program, list[k].name, list[k].kernel));
    return CLSOLVE_OK;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* One program has all kernels where a work-group is one work-item, as on a CPU (cl/bt_grid.cl). */
static int is_one(const cls_bt_grid *g) {
    const int whole = !g->device->splits && (g->role == CLS_BT_WHOLE || g->role == CLS_BT_LINES);
    return whole && g->shape.work_group == 1 && g->shape.flat == 1;
}

/* Else programs are parts of files where a compiler takes no longer than for the longest one, or where a grid leaves
 * most kernels to another, or to none. */
static int is_cut(const cls_bt_grid *g) {
    return !is_one(g) && (g->device->splits || g->role != CLS_BT_WHOLE);
}

/* The program of a whole file, or of all files. */
static clsolve_status build_whole(cls_bt_grid *g, const char *source, const char *options, const cls_named_kernel *list,
                                  size_t count) {
    char all[160];
    if (!is_one(g)) return build_program(g->device, source, options, list, count);
    (void)snprintf(all, sizeof all, "%s -DW=%d -DRUN=%d -DRESTART=%d", cls_type_option(g->type), (int)g->shape.width,
                   (int)g->shape.run, CLS_BT_RESTART);
    return build_program(g->device, "bt_grid", all, list, count);
}

/* A program of the kernels that `which` counts, as KERNELS of the file does. */
static clsolve_status build_part(cls_bt_grid *g, const char *source, const char *options, int which,
                                 const cls_named_kernel *list, size_t count) {
    char all[192];
    (void)snprintf(all, sizeof all, "%s -DKERNELS=%d", options, which);
    return build_program(g->device, source, all, list, count);
}

/* Options of the shape of lines. */
static void line_options(const cls_bt_grid *g, char *options, size_t size) {
    const cls_bt_shape *s = &g->shape;
    (void)snprintf(options, size, "%s -DW=%d -DP=%d -DS=%d -DLS=%d", cls_type_option(g->type), (int)s->width,
                   (int)s->parts, (int)s->steps, (int)s->work_group);
}

/* Lines that a tile holds are never cut. */
static clsolve_status build_sweeps(cls_bt_grid *g) {
    const int tiles = cls_bt_tiles(g) > 1;
    const cls_named_kernel sweeps[] = {{"bt_sweep", &g->sweep},
                                       {"bt_sweep_begin", &g->sweep_begin},
                                       {"bt_sweep_join", &g->sweep_join},
                                       {"bt_sweep_end", &g->sweep_end}};
    char options[160];
    line_options(g, options, sizeof options);
    if (is_one(g) || (!g->device->splits && tiles))
        return build_whole(g, "bt_sweep", options, sweeps, tiles ? COUNT(sweeps) : 1);
    CLS_TRY(build_part(g, "bt_sweep", options, 1, sweeps, 1));
    if (tiles) CLS_TRY(build_part(g, "bt_sweep", options, 2, sweeps + 1, 2));
    return tiles ? build_part(g, "bt_sweep", options, 4, sweeps + 3, 1) : CLSOLVE_OK;
}

static clsolve_status build_cycle(cls_bt_grid *g, cls_bt_part part) {
    const cls_named_kernel cycle[] = {
        {"bt_residual", &g->residual}, {"bt_restrict", &g->restriction}, {"bt_coarse", &g->coarse}};
    char options[160];
    line_options(g, options, sizeof options);
    if (!is_cut(g)) return build_whole(g, "bt_cycle", options, cycle, COUNT(cycle));
    return part == CLS_BT_PART_RESIDUAL   ? build_part(g, "bt_cycle", options, 1, cycle, 1)
           : part == CLS_BT_PART_RESTRICT ? build_part(g, "bt_cycle", options, 4, cycle + 1, 1)
                                          : build_part(g, "bt_cycle", options, 2, cycle + 2, 1);
}

static clsolve_status build_setup(cls_bt_grid *g, cls_bt_part part) {
    enum { ARRAYS = 3, PIN, SCALE, LEVELS }; /* the place of each part's kernels, or how many there are */
    const cls_named_kernel setup[] = {{"bt_inspect", &g->inspect}, {"bt_pack", &g->pack},   {"bt_unpack", &g->unpack},
                                      {"bt_pin", &g->pin},         {"bt_scale", &g->scale}, {"bt_coarsen", &g->coarsen},
                                      {"bt_damp", &g->damp}}; /* of complex elements alone */
    const size_t damp = cls_is_complex(g->type) ? 1 : 0;
    char options[160];
    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", cls_type_option(g->type), (int)g->shape.width,
                   (int)cls_bt_setup_group(&g->shape));
    if (!is_cut(g)) return build_whole(g, "bt_setup", options, setup, COUNT(setup) - 1 + damp);
    return part == CLS_BT_PART_ARRAYS  ? build_part(g, "bt_setup", options, 1, setup, ARRAYS)
           : part == CLS_BT_PART_PIN   ? build_part(g, "bt_setup", options, 4, setup + PIN - 1, 1)
           : part == CLS_BT_PART_SCALE ? build_part(g, "bt_setup", options, 8, setup + SCALE - 1, 1)
                                       : build_part(g, "bt_setup", options, 2, setup + LEVELS - 1, 1 + damp);
}

static clsolve_status build_vectors(cls_bt_grid *g, cls_bt_part part) {
    enum { EACH = 5 }; /* kernels that each iteration takes */
    const cls_named_kernel vectors[] = {{"bt_dots", &g->dots},       {"bt_keep", &g->keep},
                                        {"bt_scalar", &g->scalar},   {"bt_judge", &g->judge},
                                        {"bt_largest", &g->largest}, {"bt_combine", &g->combine},
                                        {"bt_advance", &g->advance}, {"bt_rescale", &g->rescale},
                                        {"bt_times", &g->times},     {"bt_scalar", &g->any_scalar}};
    char options[160];
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DRUN=%d -DRESTART=%d", cls_type_option(g->type),
                   (int)g->shape.flat, (int)g->shape.run, CLS_BT_RESTART);
    if (!is_cut(g)) return build_whole(g, "bt_vector", options, vectors, COUNT(vectors));
    return part == CLS_BT_PART_VECTORS ? build_part(g, "bt_vector", options, 1, vectors, EACH)
                                       : build_part(g, "bt_vector", options, 2, vectors + EACH, COUNT(vectors) - EACH);
}

static clsolve_status build_factor(cls_bt_grid *g) {
    const cls_named_kernel factor[] = {{"bt_factor", &g->factor}};
    char options[160];
    line_options(g, options, sizeof options);
    return build_whole(g, "bt_factor", options, factor, COUNT(factor));
}

static clsolve_status build_pivot(cls_bt_grid *g) {
    const cls_named_kernel pivot[] = {{"bt_factor_pivoted", &g->factor_pivoted},
                                      {"bt_sweep_pivoted", &g->sweep_pivoted},
                                      {"bt_sweep_transposed", &g->sweep_transposed}};
    char options[160];
    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", cls_type_option(g->type), (int)g->shape.width,
                   (int)cls_bt_pivot_group(&g->shape));
    return build_program(g->device, "bt_pivot", options, pivot, COUNT(pivot));
}

static clsolve_status part_build(cls_bt_grid *g, cls_bt_part part) {
    switch (part) {
    case CLS_BT_PART_SWEEPS:
        return build_sweeps(g);
    case CLS_BT_PART_COARSE:
    case CLS_BT_PART_RESTRICT:
    case CLS_BT_PART_RESIDUAL:
        return build_cycle(g, part);
    case CLS_BT_PART_LEVELS:
    case CLS_BT_PART_ARRAYS:
    case CLS_BT_PART_PIN:
    case CLS_BT_PART_SCALE:
        return build_setup(g, part);
    case CLS_BT_PART_FACTOR:
        return build_factor(g);
    case CLS_BT_PART_VECTORS:
    case CLS_BT_PART_KRYLOV:
    case CLS_BT_PARTS_OF_LEVELS:
        break;
    }
    return build_vectors(g, part);
}

/* bt_coarse is never launched where lines are longer (cls_bt_measure_levels). */
unsigned cls_bt_parts_missing(const cls_bt_grid *g, unsigned parts) {
    if (cls_bt_tiles(g) > MOST_COARSE_TILES) parts &= ~(unsigned)CLS_BT_PART_COARSE;
    return parts & ~g->parts;
}

clsolve_status cls_bt_parts_build(cls_bt_grid *g, unsigned parts) {
    if ((g->parts & parts) == parts) return CLSOLVE_OK;
    const unsigned missing = cls_bt_parts_missing(g, parts);
    for (unsigned part = CLS_BT_PART_SWEEPS; part <= CLS_BT_LAST_PART; part *= 2) {
        if (!(missing & part)) continue;
        CLS_TRY(part_build(g, (cls_bt_part)part));
        if (!g->device->announcing) g->parts |= part;
    }
    return CLSOLVE_OK;
}

static clsolve_status build(cls_bt_grid *g) {
    static const unsigned at_once[] = {[CLS_BT_WHOLE] = ~(unsigned)(CLS_BT_PART_PIN | CLS_BT_PART_SCALE),
                                       [CLS_BT_OUTER] = CLS_BT_PART_RESIDUAL | CLS_BT_PART_ARRAYS |
                                                        CLS_BT_PART_VECTORS | CLS_BT_PART_FACTOR,
                                       [CLS_BT_INNER] = 0,
                                       [CLS_BT_LINES] = CLS_BT_PART_SWEEPS | CLS_BT_PART_FACTOR | CLS_BT_PART_ARRAYS};
    CLS_TRY(cls_bt_parts_build(g, at_once[g->role]));
    return g->pivoted ? build_pivot(g) : CLSOLVE_OK;
}

clsolve_status cls_bt_grid_announce(const cls_bt_grid *like) {
    cls_bt_grid grid = *like;
    return build(&grid);
}

clsolve_status cls_bt_grid_create(cls_device *device, clsolve_type type, int64_t N, int64_t M,
                                  const cls_bt_shape *shape, cls_bt_role role, int pivoted, cls_bt_grid *g) {
    const cls_device_ops *ops = device->ops;
    size_t control = CLS_BT_CONTROL * sizeof(int64_t);

    *g = (cls_bt_grid){
        .device = device, .type = type, .N = N, .M = M, .shape = *shape, .role = role, .pivoted = pivoted};
    g->coefficients = pivoted ? 10 : 8;
    measure_level(g, N, &g->level[0]);
    g->levels = g->whole = 1;
    CLS_TRY(cls_bt_make(g, (size_t)(g->coefficients * g->level[0].size), &g->coef));
    CLS_TRY(cls_bt_make(g, (size_t)cls_bt_z_size(g), &g->Z));
    if (cls_bt_tiles(g) > 1)
        CLS_TRY(cls_bt_make(g, (size_t)(shape->units * cls_bt_tiles(g) * 5 * shape->width), &g->joints));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * g->level[0].panels * shape->width) * sizeof(int32_t), &g->states));
    CLS_TRY(ops->buffer_create(device, CLS_BT_INSPECTORS * sizeof(int64_t), &g->bits));
    CLS_TRY(ops->buffer_create(device, CLS_BT_INSPECTORS * (size_t)cls_type_size(type), &g->sizes));
    CLS_TRY(ops->buffer_create(device, control, &g->control));
    CLS_TRY(ops->buffer_create(device, control, &g->idle));
    CLS_TRY(ops->fill(device, CLS_COMPUTE, g->control, 0, control, 0));
    CLS_TRY(ops->fill(device, CLS_COMPUTE, g->idle, 0, control, 0));
    return build(g);
}

void cls_bt_grid_release(cls_bt_grid *g) {
    cls_device *device = g->device;
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE);
    CLS_BUFFERS_DESTROY(device, g->coef, g->coarse_coef, g->F, g->Y, g->Z, g->joints, g->partial, g->control, g->idle,
                        g->states, g->bits, g->sizes, g->weights, g->staging);
    CLS_KERNELS_DESTROY(device, g->sweep, g->sweep_begin, g->sweep_join, g->sweep_end, g->sweep_pivoted, g->residual,
                        g->restriction, g->coarse, g->factor, g->coarsen, g->factor_pivoted, g->pin, g->inspect,
                        g->pack, g->unpack, g->scale, g->dots, g->combine, g->advance, g->keep, g->scalar, g->judge,
                        g->largest, g->rescale, g->times, g->any_scalar, g->sweep_transposed, g->damp);
    *g = (cls_bt_grid){0};
}

static clsolve_status remake(cls_bt_grid *g, int64_t words, cls_buffer **buffer) {
    g->device->ops->buffer_destroy(g->device, *buffer);
    *buffer = NULL;
    return cls_bt_make(g, (size_t)words, buffer);
}

clsolve_status cls_bt_lines_reserve(cls_bt_grid *g, int64_t rhs) {
    if (rhs <= g->rhs) return CLSOLVE_OK;
    CLS_TRY(g->device->ops->finish(g->device, CLS_COMPUTE));
    g->rhs = 0;
    if (rhs > 1) CLS_TRY(remake(g, cls_bt_z_size(g) * rhs, &g->Z));
    g->rhs = rhs;
    return CLSOLVE_OK;
}

clsolve_status cls_bt_grid_reserve(cls_bt_grid *g, int64_t rhs) {
    const cls_bt_level *top = &g->level[0];
    int64_t groups = 2 * top->panels * top->splits;

    if (rhs <= g->rhs) return CLSOLVE_OK;
    if (groups < g->shape.groups) groups = g->shape.groups;
    CLS_TRY(cls_bt_lines_reserve(g, rhs));
    g->rhs = 0;
    CLS_TRY(remake(g, 2 * groups * rhs, &g->partial));
    if (g->coarse_coef) {
        CLS_TRY(remake(g, g->coarse_size * rhs, &g->F));
        CLS_TRY(remake(g, g->coarse_size * rhs, &g->Y));
    }
    g->rhs = rhs;
    return CLSOLVE_OK;
}
