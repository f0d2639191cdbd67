/* setup.c: the memory of a batch, and the classes of its members: see batch.h. */
#include "base/memory.h"
#include "base/type.h"
#include "device/use.h"
#include "method/direct_batch/batch.h"

enum { FIELDS = 11, PIVOTS = 0, PIVOT = 2, FIRST = 6, LD = 10 };            /* as cl/front.clh has them */
enum { NEAR = 64, FAR = 128, FARTHER = 256, BROAD = 512, BROADEST = 1024 }; /* rows that a work-group has one by one */

static int64_t power_of_two(int64_t least, int64_t n) {
    int64_t power = least;
    while (power < n) power *= 2;
    return power;
}

int cls_direct_batch_may(const cls_device *device, const cls_direct_batch_shape *shape) {
    const int64_t small = shape->family == CLS_DIRECT_BATCH_LU ? CLS_DIRECT_BATCH_SMALL : CLS_DIRECT_BATCH_SMALL_HALF;
    if (shape->family == CLS_DIRECT_BATCH_LDL) return device->no_kernels || !device->weak_barriers;
    if (device->no_kernels || shape->n <= small) return 1;
    return !device->weak_barriers && device->info.local_memory >= 32 << 10 && device->info.max_work_group >= FARTHER;
}

/* Rows of members of LU that one launch factors whole, by the bytes of an element. A work-item has a row in at most 128
 * of the registers that NVIDIA's GPUs have for each; elsewhere registers are fewer, or the panels are as fast. */
static int64_t small_rows(const cls_device *device, clsolve_type type) {
    enum { OF_4 = 128, OF_8 = 64, OF_16 = CLS_DIRECT_BATCH_SMALL };
    const int64_t size = cls_type_size(type), most = size > 8 ? OF_16 : size > 4 ? OF_8 : OF_4;
    const int64_t items = cls_work_group(device, most);
    return device->matrix_unit == 0 || items < CLS_DIRECT_BATCH_SMALL ? CLS_DIRECT_BATCH_SMALL
           : items < most                                             ? items
                                                                      : most;
}

/*
 * A small member of Cholesky has as many work-items as rows, if the device can, and rows of many registers are shared:
 * 32 doubles take 64 of them. Small members share a group of two warps.
 */
static void class_of_cholesky(const cls_direct_batch *batch, cls_direct_batch_class *class) {
    enum { ROW_BYTES = 256 };
    const int64_t most = cls_work_group(batch->device, FARTHER), bytes = class->most * cls_type_size(batch->type);
    class->x = class->share = 1;
    while (class->x < class->most && class->x < most) class->x *= 2;
    while (bytes > class->share * ROW_BYTES && 2 * class->x * class->share <= most) class->share *= 2;
    while (class->x * class->share * class->y < 64 && 2 * class->x * class->share * class->y <= most) class->y *= 2;
    class->held = (class->most + class->x - 1) / class->x;
}

/*
 * A small member of LDL^T has a row, or two, in each of up to 32 work-items, of so many columns as registers have room
 * for; other work-items have the other columns (cl/ldl_batch.cl). By these sizes ptxas keeps all in 255 registers, and
 * as few waves as can be repeat the search of a member.
 */
static void class_of_ldl(const cls_direct_batch *batch, cls_direct_batch_class *class) {
    enum { WAVE = 32, ROWS_BYTES = 512, ROWS_ELEMENTS = 64 };
    const int64_t most = cls_work_group(batch->device, FARTHER), size = cls_type_size(batch->type);
    int64_t lanes = power_of_two(4, class->most);
    if (lanes > WAVE) lanes = WAVE;
    class->items = lanes;
    class->share = 1;
    const int64_t elements = (class->most + lanes - 1) / lanes * class->most;
    while ((elements * size > class->share * ROWS_BYTES || elements > class->share * ROWS_ELEMENTS) &&
           2 * lanes * class->share <= most)
        class->share *= 2;
    while (lanes * class->share * class->y < 64 && 2 * lanes * class->share * class->y <= most) class->y *= 2;
    class->per = class->y;
    /* Solves have a row in a work-item. */
    class->x = power_of_two(4, class->most);
    if (class->x > most) class->x = most;
    class->y = 1;
    while (class->x * class->y < 64 && 2 * class->x * class->y <= most) class->y *= 2;
    class->held = (class->most + class->x - 1) / class->x;
}

/*
 * A panel's rows lie in registers, of which a work-item of a larger group has fewer: 32 columns of 8 bytes leave a
 * GPU's multiprocessor five groups of 128 rows, and 16 columns one group of 1024. A block is one panel, because strips
 * within a block would take twice the registers; members of up to NEAR rows are one block.
 */
static void set_panels(const cls_direct_batch *batch, int64_t n, cls_direct_batch_class *class) {
    const int64_t size = cls_type_size(batch->type), wide = size > 8 ? 16 : 32;
    const int64_t high = cls_work_group(batch->device, n > BROAD && n <= BROADEST ? BROADEST : BROAD);
    class->items = n <= NEAR ? NEAR : n <= FAR ? FAR : n <= FARTHER ? FARTHER : high;
    class->per = (n + class->items - 1) / class->items;
    class->width = n <= NEAR ? (size < 8 ? 32 : 16) : n <= BROAD ? wide : n <= BROADEST ? wide / 2 : wide / 4;
    class->block = n <= NEAR ? NEAR : class->width;
    class->columns = 64;
    class->tile = 32;
    class->strip = class->block < 16 ? class->block : 16;
    while (class->strip > 1 && class->strip * class->per > 16) class->strip /= 2;
}

/*
 * Doubles of more than CLS_DIRECT_BATCH_SMALL rows, where a matrix unit takes panels out of others. With more registers
 * a multiprocessor has too few groups, with fewer they spill.
 */
static int set_whole(const cls_direct_batch *batch, int64_t n, cls_direct_batch_class *class) {
    enum { UNIT_OF_DOUBLES = 80 };
    const int is_half = cls_direct_batch_is_half(batch);
    const int64_t most = is_half ? BROAD : FARTHER, items = power_of_two(NEAR, n);
    if (cls_direct_batch_is_ldl(batch) || batch->type != CLSOLVE_F64) return 0;
    if (batch->device->matrix_unit < UNIT_OF_DOUBLES || n <= CLS_DIRECT_BATCH_SMALL || n > most) return 0;
    if (cls_work_group(batch->device, items) < items) return 0;
    class->whole = 1;
    class->items = items;
    class->width = items > FARTHER ? 32 : 16;
    class->registers = items > FAR ? 128 : is_half ? 80 : 96;
    return 1;
}

/* Small members share a group of two warps. */
static cls_direct_batch_class class_for(const cls_direct_batch *batch, int64_t n) {
    const cls_device *device = batch->device;
    const int64_t most = cls_work_group(device, FARTHER);
    const int64_t step = n > CLS_DIRECT_BATCH_SMALL ? 16 : 4; /* fewer programs of many rows, which compile long */
    cls_direct_batch_class class = {
        .most = n, .small = n <= small_rows(device, batch->type), .y = 1, .held = 1, .per = 1};
    if (cls_direct_batch_is_half(batch)) class.small = n <= CLS_DIRECT_BATCH_SMALL_HALF;
    if (set_whole(batch, n, &class)) class.small = 0;
    if (class.small && cls_direct_batch_is_half(batch)) {
        if (cls_direct_batch_is_ldl(batch))
            class_of_ldl(batch, &class);
        else
            class_of_cholesky(batch, &class);
        return class;
    }
    if (class.small) {
        class.most = (n + step - 1) / step * step;
        class.registers = class.most == CLS_DIRECT_BATCH_SMALL && batch->type == CLSOLVE_F64 ? 128 : 0;
        class.x = power_of_two(4, n);
        while (class.x * class.y < 64 && 2 * class.x * class.y <= most) class.y *= 2;
        return class;
    }
    class.x = power_of_two(NEAR, n);
    if (class.x > most) class.x = most;
    class.held = power_of_two(1, (n + class.x - 1) / class.x);
    if (!class.whole) set_panels(batch, n, &class);
    return class;
}

/*
 * One matrix of more than DENSE rows fills a GPU by the engine of dense LU. By blocks few members take about as long as
 * one, and one takes longer. On an H200 in double both take as long for two members of 1024 rows, and for four of 2048;
 * above that blocks never pay off.
 */
static void set_dense(const cls_direct_batch *batch, cls_direct_batch_class *class) {
    enum { DENSE = 512, MOST_BY_BLOCKS = 2048 };
    if (batch->family != CLS_DIRECT_BATCH_LU || class->small || class->whole || !batch->device->staged) return;
    class->dense = class->most > MOST_BY_BLOCKS || (class->most > DENSE && class->count * DENSE <= class->most);
}

/* The largest orders of classes; beyond them each power of two. */
static const int64_t bounds[] = {4, 8, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static int class_for_order(int64_t order) {
    int b = 0;
    while (b + 1 < BOUNDS && bounds[b] < order) ++b;
    return b;
}

int64_t cls_direct_batch_classes_of(const int64_t *orders, int64_t count) {
    int64_t classes = 0;
    for (int64_t m = 0; m < count; ++m) classes |= INT64_C(1) << class_for_order(orders[m]);
    return classes;
}

int64_t cls_direct_batch_least_orders(int64_t classes, int64_t orders[CLS_DIRECT_BATCH_CLASSES]) {
    int64_t count = 0;
    for (int b = 0; b < BOUNDS; ++b)
        if (classes >> b & 1) orders[count++] = b == 0 ? 1 : bounds[b - 1] + 1;
    return count;
}

/* Classes without members are none. */
static void make_classes(cls_direct_batch *batch) {
    int64_t counts[BOUNDS] = {0}, from = 0;
    for (int64_t m = 0; m < batch->count; ++m) counts[class_for_order(batch->table[3 * m])]++;
    batch->classes_count = 0;
    for (int b = 0; b < BOUNDS; ++b) {
        if (counts[b] == 0) continue;
        cls_direct_batch_class *class = &batch->classes[batch->classes_count++];
        *class = class_for(batch, bounds[b]);
        class->bound = bounds[b];
        class->from = from;
        class->count = counts[b];
        from += counts[b];
        set_dense(batch, class);
    }
}

/* *bytes = count * n * cols elements, refused where they are more than 64 bits count. */
static clsolve_status bytes_of(const cls_direct_batch *batch, int64_t cols, int64_t *bytes) {
    if (batch->table) {
        const int64_t elements = cols == CLS_DIRECT_BATCH_SQUARE ? batch->elements : batch->all_rows * cols;
        *bytes = elements * cls_type_size(batch->type);
        return CLSOLVE_OK;
    }
    if (cols == CLS_DIRECT_BATCH_SQUARE) cols = batch->n;
    const int64_t most = INT64_MAX / 16, n = batch->n > 0 ? batch->n : 1;

    if (cols > 0 && batch->count > most / n / cols)
        return cls_fail(batch->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a batch of %lld has more bytes than 64 bits can count", (long long)batch->count);
    *bytes = batch->count * batch->n * cols * cls_type_size(batch->type);
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_reserve(cls_direct_batch *batch, int64_t cols) {
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

/* ---- members that are factored by panels, described as fronts without a border ---- */

static void describe(const cls_direct_batch *batch, int64_t *fronts, int32_t *list) {
    for (int64_t m = 0; m < batch->count; ++m) {
        int64_t *front = fronts + m * FIELDS;
        front[PIVOTS] = front[LD] = cls_direct_batch_order(batch, m);
        front[PIVOT] = cls_direct_batch_factors_of(batch, m);
        front[FIRST] = cls_direct_batch_rows_of(batch, m);
        if (!batch->table) list[m] = (int32_t)m;
    }
    if (!batch->table) return;
    int64_t at = 0;
    for (int64_t c = 0; c < batch->classes_count; ++c)
        for (int64_t m = 0; m < batch->count; ++m)
            if (cls_direct_batch_class_of(batch, m) == c) list[at++] = (int32_t)m;
}

static clsolve_status put_fronts(cls_direct_batch *batch) {
    cls_device *device = batch->device;
    const size_t count = (size_t)batch->count, rows = (size_t)batch->all_rows;
    int64_t *fronts = cls_alloc(count, FIELDS * sizeof *fronts);
    int32_t *list = cls_alloc(count, sizeof *list);
    clsolve_status status = CLSOLVE_OK;

    if (fronts && list)
        describe(batch, fronts, list);
    else
        status = cls_no_memory(device->error, "the members of a batch");
    if (status == CLSOLVE_OK) status = cls_bytes_make(device, fronts, count * FIELDS * sizeof *fronts, &batch->fronts);
    if (status == CLSOLVE_OK) status = cls_bytes_make(device, list, count * sizeof *list, &batch->list);
    cls_free(fronts);
    cls_free(list);
    CLS_TRY(status);
    return device->ops->buffer_create(device, rows * sizeof(int32_t), &batch->exchanges);
}

/* The table of members of orders of their own. */
static clsolve_status make_table(cls_direct_batch *batch, const int64_t *orders) {
    batch->table = cls_alloc((size_t)batch->count, 3 * sizeof *batch->table);
    if (!batch->table) return cls_no_memory(batch->device->error, "the members of a batch");
    for (int64_t m = 0; m < batch->count; ++m) {
        int64_t *of = batch->table + 3 * m;
        of[0] = orders[m];
        of[1] = batch->elements;
        of[2] = batch->all_rows;
        batch->elements += orders[m] * orders[m];
        batch->all_rows += orders[m];
    }
    make_classes(batch);
    return CLSOLVE_OK;
}

static clsolve_status take_memory(cls_direct_batch *batch) {
    cls_device *device = batch->device;
    const size_t count = (size_t)batch->count, words = count * sizeof(int32_t),
                 real = (size_t)cls_type_size(cls_real_type(batch->type));
    int64_t bytes = 0;

    CLS_TRY(bytes_of(batch, CLS_DIRECT_BATCH_SQUARE, &bytes));
    batch->outcomes = cls_alloc(count, sizeof *batch->outcomes);
    if (!batch->outcomes) return cls_no_memory(device->error, "a batch's infos");
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, &batch->F));
    CLS_TRY(device->ops->buffer_create(device, (size_t)batch->all_rows * sizeof(int32_t), &batch->rows));
    CLS_TRY(device->ops->buffer_create(device, words, &batch->scales));
    CLS_TRY(device->ops->buffer_create(device, words, &batch->info));
    CLS_TRY(device->ops->buffer_create(device, words, &batch->outcome));
    if (batch->condition) CLS_TRY(device->ops->buffer_create(device, count * real, &batch->norms));
    if (batch->count == 0 || device->no_kernels) return CLSOLVE_OK;
    if (batch->table) {
        CLS_TRY(cls_bytes_make(device, batch->table, count * 3 * sizeof *batch->table, &batch->tables));
        CLS_TRY(device->ops->buffer_create(device, count * sizeof(int64_t), &batch->places));
    }
    const cls_direct_batch_class *first = &batch->classes[0];
    return batch->table || !(first->small || first->whole) ? put_fronts(batch) : CLSOLVE_OK;
}

clsolve_status cls_direct_batch_setup(cls_device *device, const cls_direct_batch_shape *shape,
                                      cls_direct_batch *batch) {
    *batch = (cls_direct_batch){.device = device,
                                .family = shape->family,
                                .symmetric = shape->symmetric,
                                .type = shape->type,
                                .n = shape->n,
                                .count = shape->count,
                                .condition = shape->condition};
    if (shape->orders) {
        CLS_TRY(make_table(batch, shape->orders));
        return take_memory(batch);
    }
    batch->all_rows = batch->count * batch->n;
    batch->classes_count = 1;
    batch->classes[0] = class_for(batch, batch->n);
    batch->classes[0].count = batch->count;
    set_dense(batch, &batch->classes[0]);
    return take_memory(batch);
}

void cls_direct_batch_release(cls_direct_batch *batch) {
    cls_device *device = batch->device;
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE); /* what still runs uses these buffers */
    cls_direct_dense_close(batch);
    cls_kernels_destroy(device, batch->move, CLS_DIRECT_BATCH_MOVES);
    for (int c = 0; c < CLS_DIRECT_BATCH_CLASSES; ++c) {
        const cls_direct_batch_class *class = &batch->classes[c];
        CLS_KERNELS_DESTROY(device, class->factor, class->right, class->product, class->left);
        cls_kernels_destroy(device, class->solve, CLS_DIRECT_BATCH_SHAPES);
    }
    CLS_BUFFERS_DESTROY(device, batch->F, batch->rows, batch->scales, batch->info, batch->outcome, batch->exchanges,
                        batch->fronts, batch->list, batch->norms, batch->numbers, batch->B, batch->tables,
                        batch->places);
    cls_free(batch->outcomes);
    cls_free(batch->table);
}
