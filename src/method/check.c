#include "method/check.h"

#include <stdio.h>
#include <string.h>

#include "device/staging.h"
#include "device/use.h"
#include "method/mapped.h"

enum { JOIN = 32 };

/* A CPU runs a work-group on one core; a few of them for each let the slower ones be overtaken. A GPU wants a warp's
 * width along a column, and groups enough to fill it. */
static void choose_work_groups(cls_device *device, cls_check *check) {
    if (device->info.type == CLSOLVE_DEVICE_CPU) {
        check->lanes = check->columns = 1;
        check->groups = 4 * (device->info.compute_units > 0 ? device->info.compute_units : 1);
    } else {
        check->lanes = cls_work_group(device, 32);
        check->columns = cls_work_group(device, 256) / check->lanes;
        check->groups = 1024;
    }
}

static void options_of(const cls_check *check, clsolve_type type, char *options, size_t size) {
    (void)snprintf(options, size, "%s -DLX=%d -DLY=%d", cls_type_option(type), (int)check->lanes, (int)check->columns);
}

clsolve_status cls_check_kernel(cls_device *device, clsolve_type type, const char *name, cls_kernel **kernel) {
    const cls_named_kernel kernels[] = {{name, kernel}};
    cls_check shape = {0};
    char options[160];
    choose_work_groups(device, &shape);
    options_of(&shape, type, options, sizeof options);
    return CLS_KERNELS_MAKE(device, "measure", options, kernels);
}

clsolve_status cls_check_create(cls_device *device, clsolve_type type, cls_check *check) {
    const cls_device_ops *ops = device->ops;
    const cls_named_kernel kernels[] = {{"measure", &check->measure}, {"measure_join", &check->join}};
    char options[160];

    check->type = type;
    choose_work_groups(device, check);
    options_of(check, type, options, sizeof options);
    CLS_TRY(CLS_KERNELS_MAKE(device, "measure", options, kernels));
    if (device->announcing) return CLSOLVE_OK;
    size_t groups = (size_t)check->groups, size = (size_t)cls_type_size(cls_real_type(type));
    CLS_TRY(ops->buffer_create(device, groups * sizeof(int64_t), &check->firsts));
    CLS_TRY(ops->buffer_create(device, groups * size, &check->largests));
    CLS_TRY(ops->buffer_create(device, groups * size, &check->norms));
    CLS_TRY(ops->buffer_create(device, CLS_RECORD_WORDS * sizeof(int64_t), &check->before));
    return ops->buffer_create(device, CLS_RECORD_WORDS * sizeof(int64_t), &check->record);
}

void cls_check_destroy(cls_device *device, cls_check *check) {
    CLS_KERNELS_DESTROY(device, check->measure, check->join);
    CLS_BUFFERS_DESTROY(device, check->firsts, check->largests, check->norms, check->before, check->record);
    *check = (cls_check){0};
}

/* The columns begin .. begin + cols - 1, which lie in one slab: *count values of each kind, not joined yet. */
static clsolve_status measure_slab(cls_device *device, cls_check *check, cls_queue queue, const cls_matrix *matrix,
                                   int64_t begin, int64_t cols, cls_check_part part, int64_t *count) {
    cls_ref ref = cls_matrix_at(matrix, 0, begin);
    int64_t rows = matrix->rows, groups = (cols + check->columns - 1) / check->columns;
    int32_t triangle = (int32_t)part;
    if (groups > check->groups) groups = check->groups;

    size_t lanes = (size_t)check->lanes, columns = (size_t)check->columns;
    cls_grid grid = {{(size_t)groups * lanes, columns, 1}, {lanes, columns, 1}};
    cls_arg args[] = {CLS_REF(ref),
                      CLS_VALUE(rows),
                      CLS_VALUE(cols),
                      CLS_VALUE(begin),
                      CLS_VALUE(triangle),
                      CLS_BUFFER(check->firsts),
                      CLS_BUFFER(check->largests),
                      CLS_BUFFER(check->norms)};
    *count = groups;
    return cls_launch(device, queue, check->measure, &grid, CLS_ARGS(args));
}

clsolve_status cls_check_enqueue_slab(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                      int64_t cols, cls_check_part part, int64_t *count) {
    return measure_slab(device, check, CLS_COMPUTE, matrix, begin, cols, part, count);
}

static clsolve_status join(cls_device *device, cls_check *check, cls_queue queue, int64_t groups, int32_t more) {
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(check->firsts), CLS_BUFFER(check->largests),
                      CLS_BUFFER(check->norms),  CLS_VALUE(groups),
                      CLS_VALUE(more),           CLS_BUFFER(check->record)};
    return cls_launch(device, queue, check->join, &one, CLS_ARGS(args));
}

clsolve_status cls_check_accumulate(cls_device *device, cls_check *check, cls_queue queue, const cls_matrix *matrix,
                                    int64_t begin, int64_t cols, cls_check_part part, int more) {
    int64_t groups;
    check->is_mapped = 0;
    CLS_TRY(measure_slab(device, check, queue, matrix, begin, cols, part, &groups));
    return join(device, check, queue, groups, more);
}

clsolve_status cls_check_enqueue_more(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                      int64_t end, cls_check_part part, int more) {
    check->is_mapped = 0;
    if (matrix->rows == 0) return CLSOLVE_OK;
    for (int64_t j = begin, run, groups; j < end; j += run) {
        run = cls_matrix_run(matrix, j, end);
        CLS_TRY(measure_slab(device, check, CLS_COMPUTE, matrix, j, run, part, &groups));
        CLS_TRY(join(device, check, CLS_COMPUTE, groups, more || j > begin));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_check_enqueue_columns(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                         int64_t end, cls_check_part part) {
    return cls_check_enqueue_more(device, check, matrix, begin, end, part, 0);
}

/*
 * ---- mapped matrices: pieces of the columns for the host's threads ----
 *
 * There are more pieces than threads: a thread that other programs keep from running leaves its pieces to those that
 * run.
 */

enum { PIECES = 32 };

typedef struct mapped_pieces {
    const cls_matrix *matrix;
    const clsolve_matrix *from; /* NULL, or whose columns come here first */
    int64_t cols, each;
    int upper;
    cls_measures of[PIECES];
} mapped_pieces;

static void add_measures(const cls_measures *m, cls_measures *to) {
    if (m->largest > to->largest) to->largest = m->largest;
    if (m->norm1 > to->norm1) to->norm1 = m->norm1;
    if (to->row >= 0 || m->row < 0) return;
    to->row = m->row;
    to->column = m->column;
}

static void copy_columns(const mapped_pieces *all, int64_t begin, int64_t end) {
    const int64_t size = cls_type_size(all->from->type);
    for (int64_t j = begin; j < end; ++j)
        memcpy(cls_matrix_host(all->matrix, 0, j), (const char *)all->from->data + j * all->from->ld * size,
               (size_t)(all->from->rows * size));
}

/* Columns that come are measured while they are in the cache. */
static void measure_piece(void *what, int64_t part) {
    enum { CACHED = 1 << 17 }; /* bytes */
    mapped_pieces *all = what;
    const int64_t first = part * all->each, last = first + all->each < all->cols ? first + all->each : all->cols;
    const int64_t some = CACHED / (all->matrix->rows * cls_type_size(all->matrix->type)) + 1;

    all->of[part] = (cls_measures){-1, -1, 0, 0};
    for (int64_t begin = first; begin < last; begin += some) {
        const int64_t end = begin + some < last ? begin + some : last;
        cls_measures m;
        if (all->from) copy_columns(all, begin, end);
        cls_mapped_measure(all->matrix, begin, end, all->upper, &m.row, &m.column, &m.largest, &m.norm1);
        add_measures(&m, &all->of[part]);
    }
}

/* One core reads less in a second than memory gives, and waits for square roots of complex elements. One helper alone
 * saves less than the wait for it costs where other programs run. */
static void measure_mapped(cls_device *device, mapped_pieces *all, cls_measures *to) {
    enum { SERIAL = 1 << 20, HELPERS = 2 }; /* bytes; threads apart from the caller's */
    const int small = all->matrix->rows * all->cols * cls_type_size(all->matrix->type) < SERIAL;
    cls_pool *pool = small ? NULL : cls_device_pool(device);
    const int64_t parts = cls_pool_threads(pool) >= HELPERS ? PIECES : 1;

    *to = (cls_measures){-1, -1, 0, 0};
    if (all->cols == 0) return;
    all->each = (all->cols + parts - 1) / parts;
    cls_job job = {.work = measure_piece, .what = all, .parts = (all->cols + all->each - 1) / all->each};
    cls_pool_run(pool, &job);
    for (int64_t p = 0; p < job.parts; ++p) add_measures(&all->of[p], to);
}

int cls_check_takes(const clsolve_matrix *view, const cls_matrix *matrix) {
    return matrix->mapped && view->place == CLSOLVE_ON_HOST && view->layout == CLSOLVE_COLUMN_MAJOR;
}

void cls_check_take(cls_device *device, cls_check *check, const clsolve_matrix *view, const cls_matrix *matrix) {
    mapped_pieces all = {.matrix = matrix, .from = view, .cols = view->cols};
    check->is_mapped = 1;
    measure_mapped(device, &all, &check->mapped);
    for (int64_t j = 0; j < view->cols; j += cls_matrix_run(matrix, j, view->cols)) device->counters.transfers_up++;
    device->counters.bytes_up += view->rows * view->cols * cls_type_size(view->type);
}

clsolve_status cls_check_enqueue(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                 cls_check_part part) {
    check->is_mapped = matrix->mapped != NULL;
    if (check->is_mapped) {
        mapped_pieces all = {.matrix = matrix, .cols = cols, .upper = part == CLS_CHECK_UPPER};
        measure_mapped(device, &all, &check->mapped);
        return CLSOLVE_OK;
    }
    return cls_check_enqueue_columns(device, check, matrix, 0, cols, part);
}

double cls_check_real(const cls_check *check, const int64_t *word) {
    float single;
    double value;
    memcpy(&single, word, sizeof single);
    memcpy(&value, word, sizeof value);
    return cls_is_double(check->type) ? value : (double)single;
}

double cls_check_imaginary(const cls_check *check, const int64_t *word) {
    float singles[2];
    if (!cls_is_complex(check->type)) return 0;
    if (cls_is_double(check->type)) return cls_check_real(check, word + 1);
    memcpy(singles, word, sizeof singles);
    return (double)singles[1];
}

cls_measures cls_check_measures(const cls_check *check, const int64_t *record, int64_t rows) {
    cls_measures measures = {-1, -1, cls_check_real(check, &record[1]), cls_check_real(check, &record[2])};
    if (record[0] != INT64_MAX && rows > 0) {
        measures.row = record[0] % rows;
        measures.column = record[0] / rows;
    }
    return measures;
}

clsolve_status cls_check_read(cls_device *device, cls_check *check, int64_t rows, cls_measures *measures,
                              int64_t *words) {
    int64_t record[CLS_RECORD_WORDS];
    const cls_fetch_part part = {check->record, record, sizeof record, 0};

    if (check->is_mapped) {
        *measures = check->mapped;
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_staging_fetch(device, &part, 1));
    *measures = cls_check_measures(check, record, rows);
    if (words) memcpy(words, record, sizeof record);
    return CLSOLVE_OK;
}

void cls_check_turn(cls_check *check) {
    cls_buffer *record = check->record;
    check->record = check->before;
    check->before = record;
}

clsolve_status cls_check_read_both(cls_device *device, const cls_check *check, int64_t rows, cls_measures *before,
                                   cls_measures *now) {
    int64_t first[CLS_RECORD_WORDS], second[CLS_RECORD_WORDS];
    const cls_fetch_part parts[] = {{check->before, first, sizeof first, 0}, {check->record, second, sizeof second, 0}};

    CLS_TRY(cls_staging_fetch(device, parts, 2));
    *before = cls_check_measures(check, first, rows);
    *now = cls_check_measures(check, second, rows);
    return CLSOLVE_OK;
}

clsolve_status cls_check_finite(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                int64_t *row, int64_t *column) {
    cls_measures measures;

    *row = *column = -1;
    if (matrix->rows == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_check_enqueue(device, check, matrix, cols, 0));
    CLS_TRY(cls_check_read(device, check, matrix->rows, &measures, NULL));
    *row = measures.row;
    *column = measures.column;
    return CLSOLVE_OK;
}
