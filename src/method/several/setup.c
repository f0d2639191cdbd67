/* setup.c: what the devices take, and who has which block columns. */
#include "method/several/direct.h"

#include "base/memory.h"
#include "device/peer.h"

enum { CHAINED = 256 }; /* right-hand sides: from there on all devices work on slices of them */
enum { EVEN = 32 };     /* blocks are multiples of so many columns, which leaves of all devices divide */

/* ---- who has what ---- */

/* The device that is furthest behind its share has the next. */
static int next_owner(const double *shares, int count, const double *had, double total, int64_t b) {
    int best = 0;
    double most = -1e300;

    for (int p = 0; p < count; ++p) {
        const double share = shares ? shares[p] : 1;
        const double behind = share * (double)(b + 1) / total - had[p];
        if (share > 0 && behind > most + 1e-9) {
            most = behind;
            best = p;
        }
    }
    return best;
}

static clsolve_status deal(cls_several *several, const double *shares) {
    double *had = cls_alloc((size_t)several->count, sizeof *had), total = 0;

    if (!had) return cls_fail(several->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the devices' shares");
    for (int p = 0; p < several->count; ++p) total += shares ? shares[p] : 1;
    for (int64_t b = 0, p = 0; b < several->blocks; ++b) {
        if (b % several->group == 0) p = next_owner(shares, several->count, had, total, b);
        had[p] += 1;
        several->owner[b] = (int)p;
        several->local[b] = several->parts[p].cols;
        several->parts[p].cols += cls_several_width(several, b);
    }
    cls_free(had);
    return CLSOLVE_OK;
}

/* The worst way by which one device fetches from another. */
static cls_joint worst_joint(cls_device *const *devices, int count) {
    cls_joint worst = CLS_DIRECT;
    for (int to = 0; to < count; ++to)
        for (int from = 0; from < count; ++from) {
            const cls_joint joint = to == from ? worst : cls_device_joins(devices[to], devices[from]);
            if (joint < worst) worst = joint;
        }
    return worst;
}

/* Wide enough for full products on each device, and so narrow that each has several. */
static int64_t choose_width(const cls_several_shape *shape, cls_device *const *devices, cls_joint joint) {
    int64_t width = shape->width > 0 ? shape->width : shape->options ? shape->options->block : 0;

    if (width == 0) {
        width = shape->n > 24576 && joint == CLS_DIRECT ? 1024 : shape->n > 8192 ? 512 : 256;
        for (int p = 0; p < shape->count; ++p)
            if (devices[p]->info.host_memory && width > 256) width = 256;
        while (width > EVEN && width * 4 * shape->count > shape->n) width /= 2;
    }
    return width > EVEN ? width / EVEN * EVEN : width;
}

/* If block columns go through the host's memory, only the last of a group is on the way that panels wait for. A device
 * has two groups at least. */
static int64_t choose_group(const cls_several_shape *shape, int64_t width, cls_joint joint) {
    const int64_t most = joint == CLS_BY_HOST ? 8 : 2, even = shape->n / (width * 2 * shape->count);
    if (shape->group > 0) return shape->group;
    if (joint == CLS_DIRECT || shape->n <= 8192 || even < 2) return 1;
    return even < most ? even : most;
}

/* ---- one device ---- */

/* The products of a panel and of an update too, as they will be asked for. */
static clsolve_status announced(void *what) {
    cls_lu *lu = what;
    const cls_ref A = cls_matrix_at(&lu->A, 0, 0);
    const int64_t b = lu->block, rest = lu->n - b, widths[] = {lu->panel.leaf, b, lu->A.cols};

    CLS_TRY(cls_lu_build(lu));
    for (int w = 0; w < 3 && rest > 0; ++w) {
        CLS_TRY(cls_trsm(lu->device, CLS_BLAS_DEFAULT, lu->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, b, widths[w], A, A));
        CLS_TRY(cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, rest, widths[w], b,
                         -1.0, A, A, 1.0, A));
    }
    return CLSOLVE_OK;
}

/* A leaf that divides the block, so that a block's moves begin with it. */
static int64_t leaf_of(const cls_panel_sizes *sizes, int64_t width) {
    if (width % sizes->leaf == 0) return sizes->leaf;
    return width % EVEN == 0 && sizes->leaf > EVEN ? EVEN : width % 16 == 0 && sizes->leaf > 16 ? 16 : 1;
}

static clsolve_status setup_panel(cls_lu *lu, const clsolve_lu_options *options, int64_t width) {
    const int native = options && options->panel == CLSOLVE_PANEL_NATIVE && !lu->device->no_kernels;
    const int hybrid = cls_in_place(lu->device) && !native;
    const cls_panel_sizes sizes = cls_panel_sizes_of(lu->device, lu->type, lu->n, hybrid, 1, width);
    const cls_panel_shape shape = {.type = lu->type,
                                   .rows = lu->n,
                                   .cols = lu->n,
                                   .leaf = leaf_of(&sizes, width),
                                   .block = width,
                                   .hybrid = hybrid,
                                   .mapped = hybrid};
    lu->block = width;
    return cls_panel_create(lu->device, &shape, &lu->panel);
}

static clsolve_status setup_slots(cls_several_part *part) {
    const cls_several *several = part->several;
    cls_lu *lu = &part->lu;

    for (int s = 0; s < CLS_SEVERAL_SLOTS; ++s) {
        cls_several_slot *slot = &part->slot[s];
        CLS_TRY(cls_matrix_create(lu->device, several->type, several->n, several->width, several->width, 0, &slot->L));
        if (lu->panel.mapped) CLS_TRY(cls_matrix_map(lu->device, &slot->L));
        slot->lists = cls_alloc((size_t)(4 * several->width), sizeof *slot->lists);
        slot->pivots = cls_alloc((size_t)several->width, sizeof *slot->pivots);
        if (!slot->lists || !slot->pivots)
            return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for moves of rows");
    }
    return CLSOLVE_OK;
}

static clsolve_status setup_part(cls_several_part *part, void *what) {
    const cls_several *several = part->several;
    const cls_several_shape *shape = what;
    const clsolve_lu_options *options = shape->options;
    cls_lu *lu = &part->lu;

    lu->n = lu->rows = several->n;
    lu->type = several->type;
    lu->slab_bytes = options ? options->slab_bytes : 0;
    CLS_TRY(setup_panel(lu, options, several->width));
    lu->ahead = cls_panel_worth_ahead(&lu->panel, several->n);
    part->beside = lu->ahead || shape->always_beside ? CLS_BESIDE : CLS_COMPUTE;
    /* A device without columns gets one, so that no code needs to know of empty matrices. */
    CLS_TRY(cls_matrix_create(lu->device, several->type, several->n, part->cols > 0 ? part->cols : 1, several->width,
                              lu->slab_bytes, &lu->A));
    if (lu->panel.mapped) {
        CLS_TRY(cls_lu_map(lu));
    } else {
        CLS_TRY(cls_announce(lu->device, announced, lu));
        CLS_TRY(cls_lu_build(lu));
    }
    return several->count > 1 ? setup_slots(part) : CLSOLVE_OK;
}

static void release_part(cls_several_part *part) {
    cls_device *device = part->lu.device;

    for (int w = 0; w < CLS_SEVERAL_WAYS; ++w) {
        device->ops->pinned_destroy(device, part->way[w].pinned);
        cls_free(part->way[w].pivots);
    }
    for (int s = 0; s < CLS_SEVERAL_SLOTS; ++s) {
        cls_matrix_destroy(device, &part->slot[s].L);
        device->ops->event_release(device, part->slot[s].come);
        device->ops->event_release(device, part->slot[s].used);
        cls_free(part->slot[s].lists);
        cls_free(part->slot[s].pivots);
    }
    cls_several_copy_release(part);
    cls_lu_release(&part->lu);
}

/* ---- all ---- */

/* Who fetches from whom: their lists of moves are to be alike. */
static void join(cls_several *several) {
    for (int to = 0; to < several->count; ++to)
        for (int from = 0; from < several->count; ++from) {
            const cls_panel *theirs = &several->parts[from].lu.panel, *ours = &several->parts[to].lu.panel;
            const int alike = !theirs->mapped && !ours->mapped && theirs->leaf == ours->leaf;
            several->peer[to * several->count + from] =
                to != from && alike &&
                cls_device_joins(several->parts[to].lu.device, several->parts[from].lu.device) != CLS_APART;
        }
}

/* Room in the host's memory, where others do not fetch the device's block columns. */
static clsolve_status take_ways(cls_several_part *part) {
    const cls_several *several = part->several;
    cls_device *device = part->lu.device;
    const size_t bytes = (size_t)(several->n * several->width * cls_type_size(several->type));
    int wanted = 0;

    for (int to = 0; to < several->count; ++to)
        wanted |= to != part->number && !several->peer[to * several->count + part->number];
    if (!wanted || part->lu.panel.mapped || part->cols == 0) return CLSOLVE_OK;
    for (int w = 0; w < CLS_SEVERAL_WAYS; ++w) {
        cls_several_way *way = &part->way[w];
        CLS_TRY(device->ops->pinned_create(device, bytes, &way->pinned, &way->host));
        way->pivots = cls_alloc((size_t)several->width, sizeof *way->pivots);
        if (!way->pivots) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for pivots");
    }
    return CLSOLVE_OK;
}

static clsolve_status take_host(cls_several *several) {
    for (int p = 0; p < several->count; ++p) {
        const clsolve_status status = take_ways(&several->parts[p]);
        if (status != CLSOLVE_OK) return cls_several_tell(several, &several->parts[p], status);
    }
    return CLSOLVE_OK;
}

static clsolve_status take_lists(cls_several *several) {
    const size_t count = (size_t)several->count, blocks = (size_t)several->blocks;

    several->peer = cls_alloc(count * count, 1);
    several->owner = cls_alloc(blocks, sizeof *several->owner);
    several->local = cls_alloc(blocks, sizeof *several->local);
    several->posts = cls_alloc(blocks, sizeof *several->posts);
    several->has_lock = pthread_mutex_init(&several->lock, NULL) == 0;
    if (several->has_lock && pthread_cond_init(&several->changed, NULL) != 0) {
        (void)pthread_mutex_destroy(&several->lock);
        several->has_lock = 0;
    }
    if (several->peer && several->owner && several->local && several->posts && several->has_lock) return CLSOLVE_OK;
    return cls_fail(several->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the lists of block columns");
}

static clsolve_status keep_shares(cls_several *several, const double *shares) {
    if (!shares) return CLSOLVE_OK;
    double total = 0;
    several->shares = cls_alloc((size_t)several->count, sizeof *several->shares);
    if (!several->shares)
        return cls_fail(several->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the devices' shares");
    for (int p = 0; p < several->count; ++p) total += shares[p];
    /* Who has less than one block column would hold up the others by its panel. */
    for (int p = 0; p < several->count; ++p)
        several->shares[p] =
            shares[p] * (double)several->blocks < total && several->blocks > several->count ? 0 : shares[p];
    return CLSOLVE_OK;
}

clsolve_status cls_several_setup(cls_device *const *devices, const cls_several_shape *shape, cls_several *several) {
    several->error = devices[0]->error;
    several->type = shape->type;
    several->n = shape->n;
    const cls_joint joint = worst_joint(devices, shape->count);
    several->width = choose_width(shape, devices, joint);
    several->group = choose_group(shape, several->width, joint);
    several->is_direct = joint == CLS_DIRECT;
    several->by_strips = joint == CLS_DIRECT || shape->always_beside;
    several->blocks = (shape->n + several->width - 1) / several->width;
    several->parts = cls_alloc((size_t)shape->count, sizeof *several->parts);
    if (!several->parts) return cls_fail(several->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the devices");
    several->count = shape->count;
    for (int p = 0; p < several->count; ++p) {
        several->parts[p] = (cls_several_part){.several = several, .number = p, .coming = -1, .active = 1};
        several->parts[p].lu.device = devices[p];
    }
    several->options = shape->options;
    several->uniform = 1;
    several->chained = CHAINED;
    CLS_TRY(take_lists(several));
    CLS_TRY(keep_shares(several, shape->shares));
    CLS_TRY(deal(several, several->shares));
    CLS_TRY(cls_several_run(several, setup_part, (void *)(uintptr_t)shape));
    join(several);
    return take_host(several);
}

void cls_several_release(cls_several *several) {
    cls_several_home_release(several);
    for (int p = 0; p < several->count; ++p) release_part(&several->parts[p]);
    if (several->has_lock) {
        (void)pthread_cond_destroy(&several->changed);
        (void)pthread_mutex_destroy(&several->lock);
    }
    cls_free(several->parts);
    cls_free(several->shares);
    cls_free(several->peer);
    cls_free(several->owner);
    cls_free(several->local);
    cls_free(several->posts);
    *several = (cls_several){0};
}
