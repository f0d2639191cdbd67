#include "method/block_gs/members.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/staging.h"

/* ---- set-up ---- */

static int64_t lanes_of_members(const cls_bt_grid *g) {
    return 2 * g->level[0].panels * g->shape.width;
}

/* The lane that holds member m: cl/bt_layout.clh. */
static int64_t lane_of_member(const cls_bt_grid *g, int64_t m) {
    int64_t panels = g->level[0].panels, slot = m / 2;
    return (m % 2 * panels + slot % panels) * g->shape.width + slot / panels;
}

/* The flags are nearly never written, so the host's memory is the place for them: that saves a fill and a read. */
static clsolve_status make_flags(cls_bt_members *members, size_t bytes) {
    cls_device *device = members->bt.device;
    void *seen;
    if (!device->ops->seen_create) return device->ops->buffer_create(device, bytes, &members->flags);
    CLS_TRY(device->ops->seen_create(device, bytes, &members->flags, &seen));
    members->seen = seen;
    return CLSOLVE_OK;
}

static clsolve_status build_members(cls_bt_members *members) {
    cls_bt_grid *g = &members->bt.grid;
    cls_device *device = g->device;
    const cls_named_kernel lift[] = {{"bt_lift", &members->lift}, {"bt_lift_right", &members->lift_right}},
                           outcome[] = {{"bt_outcome", &members->outcome},
                                        {"bt_put_back", &members->put_back},
                                        {"bt_conjugate", &members->conjugate} /* of complex elements alone */};
    char options[128];

    (void)snprintf(options, sizeof options, "%s -DW=%d -DLS=%d", cls_type_option(g->type), (int)g->shape.width,
                   (int)cls_bt_setup_group(&g->shape));
    CLS_TRY(CLS_KERNELS_MAKE(device, "bt_lift", options, lift));
    return cls_kernels_make(device, "bt_members", options, outcome, cls_is_complex(g->type) ? 3 : 2);
}

clsolve_status cls_bt_members_setup(cls_device *device, int64_t n, int64_t count, clsolve_type type,
                                    clsolve_pivoting pivoting, cls_bt_members *members) {
    const clsolve_block_gs_options options = {.method = CLSOLVE_BLOCK_GS_SWEEPS, .pivoting = pivoting};

    CLS_TRY(cls_bt_setup(device, count, n, type, &options, &members->bt));
    size_t lanes = (size_t)lanes_of_members(&members->bt.grid), word = sizeof(int32_t);
    members->lanes = cls_alloc(lanes + 1, word);
    if (!members->lanes) return cls_no_memory(device->error, "the outcomes of a batch");
    CLS_TRY(device->ops->buffer_create(device, lanes * word, &members->lifts));
    CLS_TRY(make_flags(members, (lanes + 1) * word));
    return build_members(members);
}

void cls_bt_members_release(cls_bt_members *members) {
    cls_device *device = members->bt.device;
    if (device) {
        (void)device->ops->finish(device, CLS_COMPUTE);
        CLS_BUFFERS_DESTROY(device, members->lifts, members->flags);
        CLS_KERNELS_DESTROY(device, members->lift, members->lift_right, members->outcome, members->put_back,
                            members->conjugate);
    }
    cls_bt_release(&members->bt);
    cls_free(members->lanes);
    *members = (cls_bt_members){0};
}

/* `count` words of a buffer to members->lanes. Waits. */
static clsolve_status read_lanes(cls_bt_members *members, cls_buffer *buffer, int64_t count) {
    cls_device *device = members->bt.device;
    enum { LITTLE = 4096 }; /* bytes */
    size_t bytes = (size_t)count * sizeof *members->lanes;
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    const cls_fetch_part few = {buffer, members->lanes, bytes, 0};
    if (bytes <= LITTLE) return cls_staging_fetch(device, &few, 1);
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, buffer, members->lanes, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

/* ---- factor ---- */

static cls_grid grid_of_panels(const cls_bt_grid *g, int64_t panels, int64_t rhs) {
    size_t local = (size_t)cls_bt_setup_group(&g->shape);
    cls_grid grid = {{(size_t)panels * local, (size_t)rhs, 1}, {local, 1, 1}};
    return grid;
}

/* Each line divided by a power of its own where it is uncomfortable. *bad: some line holds NaN or Inf. Waits. */
static clsolve_status lift_lines(cls_bt_members *members, int *bad) {
    enum { POWER = 8, LIFTED = 1, BAD = 2 }; /* POWER: of 256 */
    cls_bt_grid *g = &members->bt.grid;
    const cls_bt_level *top = &g->level[0];
    int64_t words[CLS_BT_INSPECTORS], groups = 2 * top->panels;
    if (groups > CLS_BT_INSPECTORS) groups = CLS_BT_INSPECTORS;
    int32_t most = cls_bt_comfort(&members->bt) / POWER;
    const cls_fetch_part found = {g->bits, words, (size_t)groups * sizeof *words, 0};

    cls_grid grid = grid_of_panels(g, groups, 1);
    cls_arg args[] = {CLS_BUFFER(g->coef), CLS_VALUE(top->size),       CLS_VALUE(top->panels), CLS_VALUE(g->M),
                      CLS_VALUE(most),     CLS_BUFFER(members->lifts), CLS_BUFFER(g->bits)};
    CLS_TRY(cls_launch(g->device, CLS_COMPUTE, members->lift, &grid, CLS_ARGS(args)));
    CLS_TRY(cls_staging_fetch(g->device, &found, 1));
    members->lifted = *bad = 0;
    for (int64_t w = 0; w < groups; ++w) {
        if (words[w] & LIFTED) members->lifted = 1;
        if (words[w] & BAD) *bad = 1;
    }
    return CLSOLVE_OK;
}

/* The lines that held NaN or Inf are the identity now: only their infos tell. */
static clsolve_status read_bad(cls_bt_members *members, int32_t *infos) {
    enum { BAD_LINE = 1 << 20 }; /* of cl/bt_lift.cl */
    const cls_bt_grid *g = &members->bt.grid;
    CLS_TRY(read_lanes(members, members->lifts, lanes_of_members(g)));
    for (int64_t m = 0; m < g->N; ++m)
        if (members->lanes[lane_of_member(g, m)] == BAD_LINE) infos[m] = -1;
    return CLSOLVE_OK;
}

clsolve_status cls_bt_members_factor(cls_bt_members *members, const clsolve_grid *const arrays[3], int32_t *infos,
                                     clsolve_seconds *seconds) {
    const clsolve_grid *all[5] = {arrays[0], arrays[1], arrays[2], NULL, NULL};
    cls_bt *bt = &members->bt;
    double start = cls_seconds();
    int64_t line;
    int bad;

    CLS_TRY(cls_bt_take(bt, all));
    seconds->upload = cls_seconds() - start;
    start = cls_seconds();
    CLS_TRY(lift_lines(members, &bad));
    CLS_TRY(cls_bt_factor_lines(bt, &line, infos));
    if (bad) CLS_TRY(read_bad(members, infos));
    CLS_TRY(cls_bt_finish(bt));
    seconds->factor = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* ---- solve ---- */

static clsolve_status reserve_members(cls_bt *bt, int64_t rhs) {
    const size_t words = (size_t)(bt->grid.level[0].size * rhs);

    CLS_TRY(cls_bt_lines_reserve(&bt->grid, rhs));
    if (rhs <= bt->rhs) return CLSOLVE_OK;
    CLS_TRY(cls_bt_finish(bt));
    bt->rhs = 0;
    bt->device->ops->buffer_destroy(bt->device, bt->F);
    bt->device->ops->buffer_destroy(bt->device, bt->Y);
    bt->F = bt->Y = NULL;
    CLS_TRY(cls_bt_make(&bt->grid, words, &bt->F));
    CLS_TRY(cls_bt_make(&bt->grid, words, &bt->Y));
    bt->rhs = rhs;
    return CLSOLVE_OK;
}

/* So many right-hand sides at once as memory allows. */
static int64_t portion_of_members(const cls_bt_members *members) {
    enum { MOST = 65535, VECTORS = 4 }; /* a grid's second number has 16 bits on some devices; F, Y and Z, and room */
    const cls_bt_grid *g = &members->bt.grid;
    int64_t each = g->level[0].size * cls_type_size(g->type) * VECTORS;
    int64_t room = g->device->info.global_memory / 2 / each;
    return room < 1 ? 1 : room < MOST ? room : MOST;
}

/* Pieces of the rows of all panels, for each right-hand side. */
static cls_grid grid_of_pieces(const cls_bt_grid *g, int64_t rhs) {
    size_t local = (size_t)cls_bt_setup_group(&g->shape);
    cls_grid grid = {{2 * (size_t)g->level[0].panels * local, (size_t)cls_bt_pieces(g->M), (size_t)rhs}, {local, 1, 1}};
    return grid;
}

static clsolve_status lift_right_sides(cls_bt_members *members, int64_t rhs) {
    cls_bt_grid *g = &members->bt.grid;
    const cls_bt_level *top = &g->level[0];
    cls_grid grid = grid_of_panels(g, 2 * top->panels, rhs);
    cls_arg args[] = {CLS_BUFFER(members->bt.F), CLS_VALUE(top->size), CLS_VALUE(top->panels), CLS_VALUE(g->M),
                      CLS_BUFFER(members->lifts)};
    if (!members->lifted) return CLSOLVE_OK;
    return cls_launch(g->device, CLS_COMPUTE, members->lift_right, &grid, CLS_ARGS(args));
}

/* Right-hand sides first .. first + rhs - 1 of B. */
typedef struct members_portion {
    const clsolve_grid *B;
    int64_t first, rhs;
    clsolve_op op;
} members_portion;

static int is_conjugated(const cls_bt_members *members, const members_portion *p) {
    return cls_is_complex(members->bt.grid.type) && p->op == CLSOLVE_CONJ_TRANS;
}

/* Where op is the conjugate transpose, so many right-hand sides become their conjugates. */
static clsolve_status conjugate(cls_bt_members *members, const members_portion *p, cls_bt_vector x) {
    cls_bt_grid *g = &members->bt.grid;
    cls_grid grid = grid_of_pieces(g, p->rhs);
    cls_arg args[] = {CLS_BUFFER(x), CLS_VALUE(g->level[0].size), CLS_VALUE(g->level[0].panels), CLS_VALUE(g->M)};
    if (!is_conjugated(members, p)) return CLSOLVE_OK;
    return cls_launch(g->device, CLS_COMPUTE, members->conjugate, &grid, CLS_ARGS(args));
}

/* Sets the flags of the members of bt->Y that hold NaN or Inf. */
static clsolve_status examine(cls_bt_members *members, int64_t rhs) {
    cls_bt_grid *g = &members->bt.grid;
    cls_grid grid = grid_of_pieces(g, rhs);
    cls_arg args[] = {CLS_BUFFER(members->bt.Y), CLS_VALUE(g->level[0].size),
                      CLS_VALUE(g->N),           CLS_VALUE(g->level[0].panels),
                      CLS_VALUE(g->M),           CLS_BUFFER(members->flags)};
    return cls_launch(g->device, CLS_COMPUTE, members->outcome, &grid, CLS_ARGS(args));
}

/* One portion solved into bt->Y; flags are set for the members without a solution. */
static clsolve_status compute(cls_bt_members *members, const members_portion *p, clsolve_seconds *seconds) {
    cls_bt *bt = &members->bt;
    double start = cls_seconds();
    int examined;

    CLS_TRY(reserve_members(bt, p->rhs));
    cls_bt_grid *g = &bt->grid;
    CLS_TRY(cls_bt_upload(g, p->B, p->first, p->rhs, bt->F, 0, NULL));
    seconds->upload += cls_seconds() - start;
    start = cls_seconds();
    CLS_TRY(lift_right_sides(members, p->rhs));
    CLS_TRY(conjugate(members, p, bt->F));
    CLS_TRY(cls_bt_solve_lines(g, bt->F, bt->Y, p->rhs, p->op != CLSOLVE_NO_TRANS, members->flags, &examined));
    if (!examined) CLS_TRY(examine(members, p->rhs));
    CLS_TRY(conjugate(members, p, bt->Y));
    seconds->solve += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* The first `count` flags, from which on the host has waited. */
static clsolve_status read_flags(cls_bt_members *members, int64_t count, const int32_t **flags) {
    *flags = members->seen ? members->seen : members->lanes;
    return members->seen ? cls_bt_finish(&members->bt) : read_lanes(members, members->flags, count);
}

/* The flags become infos. One word comes down where each member has a solution. *spoilt: some member has
 * none. */
static clsolve_status read_outcome(cls_bt_members *members, int32_t *infos, int *spoilt) {
    const cls_bt_grid *g = &members->bt.grid;
    const int32_t *flags;
    *spoilt = 0;
    for (int64_t m = 0; m < g->N && !*spoilt; ++m) *spoilt = infos[m] != 0;
    CLS_TRY(read_flags(members, 1, &flags));
    if (flags[0] == 0) return CLSOLVE_OK;
    *spoilt = 1;
    CLS_TRY(read_flags(members, 1 + lanes_of_members(g), &flags));
    for (int64_t m = 0; m < g->N; ++m)
        if (infos[m] == 0 && flags[1 + lane_of_member(g, m)] != 0) infos[m] = -1;
    return CLSOLVE_OK;
}

/* The members whose info is not 0 get their flags. */
static clsolve_status write_flags(cls_bt_members *members, const int32_t *infos) {
    const cls_bt_grid *g = &members->bt.grid;
    cls_device *device = g->device;
    size_t bytes = (size_t)(1 + lanes_of_members(g)) * sizeof *members->lanes;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    int32_t *flags = members->seen ? members->seen : members->lanes;

    members->is_clear = 0;
    memset(flags, 0, bytes);
    for (int64_t m = 0; m < g->N; ++m)
        if (infos[m] != 0) flags[1 + lane_of_member(g, m)] = 1;
    if (members->seen) return CLSOLVE_OK;
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, members->flags, members->lanes, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

/* Nothing is under way: each call ends with a wait. Flags that a call has left clear stay so. */
static clsolve_status clear_flags(cls_bt_members *members) {
    cls_device *device = members->bt.device;
    if (members->is_clear) return CLSOLVE_OK;
    members->is_clear = 1;
    const size_t bytes = (size_t)(1 + lanes_of_members(&members->bt.grid)) * sizeof *members->lanes;
    if (!members->seen) return device->ops->fill(device, CLS_COMPUTE, members->flags, 0, bytes, 0);
    memset(members->seen, 0, bytes);
    return CLSOLVE_OK;
}

/* Flagged members of bt->Y become what they are in B. F goes up again where scaling or conjugation has changed it. */
static clsolve_status put_back(cls_bt_members *members, const members_portion *p) {
    cls_bt *bt = &members->bt;
    cls_bt_grid *g = &bt->grid;
    cls_grid grid = grid_of_pieces(g, p->rhs);
    cls_arg args[] = {
        CLS_BUFFER(bt->F), CLS_BUFFER(bt->Y),         CLS_VALUE(g->level[0].size), CLS_VALUE(g->level[0].panels),
        CLS_VALUE(g->M),   CLS_BUFFER(members->flags)};
    if (members->lifted || is_conjugated(members, p)) CLS_TRY(cls_bt_upload(g, p->B, p->first, p->rhs, bt->F, 0, NULL));
    return cls_launch(g->device, CLS_COMPUTE, members->put_back, &grid, CLS_ARGS(args));
}

/*
 * Nothing is written before the outcome of all right-hand sides is known. If they take several portions, each portion
 * is therefore solved twice.
 */
static clsolve_status solve_portions(cls_bt_members *members, clsolve_op op, const clsolve_grid *B, int64_t nrhs,
                                     int32_t *infos, clsolve_seconds *seconds) {
    cls_bt *bt = &members->bt;
    int64_t most = portion_of_members(members);
    members_portion p = {B, 0, 0, op};
    int spoilt;

    CLS_TRY(clear_flags(members));
    for (p.first = 0; p.first < nrhs; p.first += p.rhs) {
        p.rhs = nrhs - p.first < most ? nrhs - p.first : most;
        CLS_TRY(compute(members, &p, seconds));
    }
    double start = cls_seconds();
    CLS_TRY(read_outcome(members, infos, &spoilt));
    if (spoilt) CLS_TRY(write_flags(members, infos));
    seconds->solve += cls_seconds() - start;
    for (p.first = 0; p.first < nrhs; p.first += p.rhs) {
        p.rhs = nrhs - p.first < most ? nrhs - p.first : most;
        if (nrhs > most) CLS_TRY(compute(members, &p, seconds));
        if (spoilt) CLS_TRY(put_back(members, &p));
        start = cls_seconds();
        CLS_TRY(cls_bt_download(&bt->grid, bt->Y, 0, B, p.first, p.rhs));
        CLS_TRY(cls_bt_finish(bt));
        seconds->download += cls_seconds() - start;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_bt_members_solve(cls_bt_members *members, clsolve_op op, const clsolve_grid *B, int64_t nrhs,
                                    int32_t *infos, clsolve_seconds *seconds) {
    const clsolve_status status = solve_portions(members, op, B, nrhs, infos, seconds);
    if (status != CLSOLVE_OK) { /* the next call clears the flags: nobody may write them then */
        cls_device *device = members->bt.device;
        members->is_clear = 0;
        const cls_error first = *device->error;
        (void)device->ops->finish(device, CLS_COMPUTE);
        *device->error = first;
    }
    return status;
}
