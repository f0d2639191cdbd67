#include "method/block_gs/block_gs.h"

#include <string.h>

#include "base/memory.h"

/* A plain array travels in slabs of whole lines of about this size, through one buffer on the device. */
enum { SLAB_BYTES = 64 << 20 };

static char *element(const clsolve_grid *host, int64_t i, int64_t k, int64_t r) {
    return (char *)host->data +
           (i * host->line_stride + k * host->stride + (r > 0 ? r * host->rhs_stride : 0)) * cls_type_size(host->type);
}

/* How a slab lies on the device: dense, by whichever index is contiguous in the caller's memory. */
typedef struct slab {
    int64_t begin, lines;
    int64_t line_stride, stride;
    cls_rect rect; /* of the copy, where the caller's memory allows one */
    int direct;
} slab;

static slab slab_at(const cls_bt_grid *grid, const clsolve_grid *host, int64_t begin, int64_t most) {
    size_t size = (size_t)cls_type_size(grid->type), M = (size_t)grid->M;
    slab s = {.begin = begin, .lines = grid->N - begin < most ? grid->N - begin : most};
    size_t lines = (size_t)s.lines;

    s.direct = host->stride == 1 ? host->line_stride >= grid->M || grid->N == 1 : host->line_stride == 1;
    if (host->stride == 1 || !s.direct) { /* line by line */
        s.line_stride = grid->M;
        s.stride = 1;
        s.rect = (cls_rect){M * size, lines, 0, M * size, lines > 1 ? (size_t)host->line_stride * size : M * size};
    } else { /* unknown by unknown, each for all lines of the slab */
        s.line_stride = 1;
        s.stride = s.lines;
        s.rect = (cls_rect){lines * size, M, 0, lines * size, M > 1 ? (size_t)host->stride * size : lines * size};
        if (M > 1 && host->stride < s.lines) s.direct = 0;
    }
    return s;
}

/* Strides that no copy of rectangles follows: gathered, or scattered, on the host. */
static void gather(const cls_bt_grid *grid, const clsolve_grid *host, int64_t r, const slab *s, char *dense, int back) {
    size_t size = (size_t)cls_type_size(grid->type);
    for (int64_t i = 0; i < s->lines; ++i)
        for (int64_t k = 0; k < grid->M; ++k) {
            char *there = element(host, s->begin + i, k, r);
            char *here = dense + (size_t)(i * s->line_stride + k * s->stride) * size;
            memcpy(back ? there : here, back ? here : there, size);
        }
}

/* Enqueues where the caller's memory allows a copy of a rectangle. */
static clsolve_status move_slab(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, const slab *s,
                                cls_buffer *staging, int back) {
    cls_device *device = grid->device;
    size_t bytes = (size_t)(s->lines * grid->M * cls_type_size(grid->type));
    cls_rect whole = {bytes, 1, 0, bytes, bytes}, rect = s->direct ? s->rect : whole;
    char *memory = element(host, s->begin, 0, r), *dense = NULL;
    clsolve_status status;

    if (!s->direct) {
        dense = cls_alloc(bytes, 1);
        if (!dense) return cls_no_memory(device->error, "a strided copy");
        memory = dense;
        if (!back) gather(grid, host, r, s, dense, 0);
    }
    if (back)
        status = device->ops->read(device, CLS_COMPUTE, staging, memory, &rect, NULL, NULL);
    else
        status = device->ops->write(device, CLS_COMPUTE, staging, memory, &rect, NULL, NULL);
    if (dense) {
        const clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
        if (status == CLSOLVE_OK) status = finished;
        if (status == CLSOLVE_OK && back) gather(grid, host, r, s, dense, 1);
    }
    cls_free(dense);
    return status;
}

/* Plain arrays on the device: element (i, k) of lines begin .. begin + lines - 1 at base + (i - begin) si + k sk, of
 * `count` right-hand sides, sr apart. */
typedef struct plain {
    cls_buffer *buffer;
    int64_t base, si, sk, begin, lines, sr, count;
} plain;

/* The lanes of all panels that hold these lines. */
static void lanes_of(const cls_bt_grid *grid, const plain *p, int64_t *first, int64_t *count) {
    int64_t panels = grid->level[0].panels, last = (p->begin + p->lines - 1) / 2 / panels;
    *first = p->begin / 2 / panels;
    *count = last - *first + 1;
}

static cls_grid grid_of(const cls_bt_grid *grid, const plain *p) {
    size_t local = (size_t)(grid->shape.flat > 64 ? 64 : grid->shape.flat);
    cls_grid made = {{2 * (size_t)grid->level[0].panels * local, (size_t)cls_bt_pieces(grid->M), (size_t)p->count},
                     {local, 1, 1}};
    return made;
}

/* By grid->pack, which also finds the range of what is not finite, or without a range by grid->unpack. */
static clsolve_status pack(cls_bt_grid *grid, const plain *p, cls_buffer *vector, int64_t at,
                           const cls_bt_range *range) {
    static const cls_bt_range none = {0};
    const cls_bt_range *r = range ? range : &none;
    int64_t first, count;
    cls_grid work = grid_of(grid, p);
    lanes_of(grid, p, &first, &count);
    const cls_arg args[] = {CLS_BUFFER(p->buffer),
                            CLS_VALUE(p->base),
                            CLS_VALUE(p->si),
                            CLS_VALUE(p->sk),
                            CLS_VALUE(p->begin),
                            CLS_VALUE(p->lines),
                            CLS_VALUE(first),
                            CLS_VALUE(count),
                            CLS_BUFFER(vector),
                            CLS_VALUE(at),
                            CLS_VALUE(p->sr),
                            CLS_VALUE(grid->level[0].size),
                            CLS_VALUE(grid->level[0].panels),
                            CLS_VALUE(grid->M),
                            CLS_VALUE(r->first_line),
                            CLS_VALUE(r->last_line),
                            CLS_VALUE(r->first_k),
                            CLS_VALUE(r->last_k)};
    return cls_launch(grid->device, CLS_COMPUTE, range ? grid->pack : grid->unpack, &work,
                      CLS_ARGS_BUT(args, range ? 0 : 4));
}

/* ---- arrays on the device ---- */

/* The caller's buffer, when the array lies in it. */
static clsolve_status adopt(cls_bt_grid *grid, const clsolve_grid *theirs, int64_t r, int64_t count, plain *p) {
    cls_device *device = grid->device;
    size_t bytes;

    *p = (plain){NULL,
                 theirs->offset + (r > 0 ? r * theirs->rhs_stride : 0),
                 theirs->line_stride,
                 theirs->stride,
                 0,
                 grid->N,
                 count > 1 ? theirs->rhs_stride : 0,
                 count};
    CLS_TRY(device->ops->adopt(device, theirs->data, &p->buffer, &bytes));
    int64_t elements = (int64_t)(bytes / (size_t)cls_type_size(grid->type));
    int64_t span = (grid->N - 1) * p->si + (grid->M - 1) * p->sk + (count - 1) * p->sr + 1;
    if (p->base <= elements && span <= elements - p->base) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, p->buffer);
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "the array takes %lld elements from element %lld on, and its buffer has %lld", (long long)span,
                    (long long)p->base, (long long)elements);
}

clsolve_status cls_bt_reaches(cls_bt_grid *grid, const clsolve_grid *theirs, int64_t nrhs) {
    plain p;
    if (theirs->place != CLSOLVE_ON_DEVICE) return CLSOLVE_OK;
    CLS_TRY(adopt(grid, theirs, 0, nrhs, &p));
    grid->device->ops->buffer_destroy(grid->device, p.buffer);
    return CLSOLVE_OK;
}

/* In the order of the compute queue; nothing crosses, and nothing waits. */
static clsolve_status move_on_device(cls_bt_grid *grid, const clsolve_grid *theirs, int64_t r, int64_t count,
                                     cls_buffer *vector, int64_t at, const cls_bt_range *range) {
    plain p;
    CLS_TRY(adopt(grid, theirs, r, count, &p));
    clsolve_status status = pack(grid, &p, vector, at, range);
    grid->device->ops->buffer_destroy(grid->device, p.buffer);
    return status;
}

/* ---- arrays on the host; `range` NULL: from the device ---- */

/* Right-hand side r, in slabs of lines. */
static clsolve_status move_slabs(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, cls_buffer *vector, int64_t at,
                                 const cls_bt_range *range, cls_buffer *staging, int64_t most) {
    for (int64_t i = 0; i < grid->N; i += most) {
        slab s = slab_at(grid, host, i, most);
        plain p = {staging, 0, s.line_stride, s.stride, s.begin, s.lines, 0, 1};
        if (!range) {
            CLS_TRY(pack(grid, &p, vector, at, NULL));
            CLS_TRY(move_slab(grid, host, r, &s, staging, 1));
        } else {
            CLS_TRY(move_slab(grid, host, r, &s, staging, 0));
            CLS_TRY(pack(grid, &p, vector, at, range));
        }
    }
    return CLSOLVE_OK;
}

/* Several small right-hand sides in one go, `dense` being the host's room for them. */
static clsolve_status move_columns(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, int64_t count,
                                   cls_buffer *vector, int64_t at, const cls_bt_range *range, cls_buffer *staging,
                                   char *dense) {
    cls_device *device = grid->device;
    int64_t elements = grid->N * grid->M;
    size_t size = (size_t)cls_type_size(grid->type), bytes = (size_t)(elements * count) * size;
    slab whole = {.lines = grid->N, .line_stride = grid->M, .stride = 1};
    plain p = {staging, 0, grid->M, 1, 0, grid->N, elements, count};

    for (int64_t c = 0; range && c < count; ++c)
        gather(grid, host, r + c, &whole, dense + (size_t)(c * elements) * size, 0);
    if (range) CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, staging, 0, dense, bytes));
    CLS_TRY(pack(grid, &p, vector, at, range));
    if (!range) CLS_TRY(cls_bytes_read(device, CLS_COMPUTE, staging, 0, dense, bytes));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    for (int64_t c = 0; !range && c < count; ++c)
        gather(grid, host, r + c, &whole, dense + (size_t)(c * elements) * size, 1);
    return CLSOLVE_OK;
}

/* A small buffer stays for the next transfer, because taking and giving one back takes as long as the transfer. */
enum { KEPT_BYTES = 8 << 20 };

static clsolve_status take_staging(cls_bt_grid *grid, size_t bytes, cls_buffer **staging) {
    const cls_device_ops *ops = grid->device->ops;

    *staging = grid->staging;
    if (bytes <= grid->staging_bytes) return CLSOLVE_OK;
    if (bytes > KEPT_BYTES) return ops->buffer_create(grid->device, bytes, staging);
    ops->buffer_destroy(grid->device, grid->staging);
    grid->staging = NULL;
    grid->staging_bytes = 0;
    CLS_TRY(ops->buffer_create(grid->device, bytes, &grid->staging));
    grid->staging_bytes = bytes;
    *staging = grid->staging;
    return CLSOLVE_OK;
}

static void leave_staging(const cls_bt_grid *grid, cls_buffer *staging) {
    if (staging != grid->staging) grid->device->ops->buffer_destroy(grid->device, staging);
}

static clsolve_status move(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, int64_t count, cls_buffer *vector,
                           int64_t at, const cls_bt_range *range) {
    enum { MOST_COLUMNS = 4096 };
    cls_device *device = grid->device;
    int64_t bytes = grid->M * cls_type_size(grid->type), most = SLAB_BYTES / bytes, size = grid->level[0].size;
    cls_buffer *staging = NULL;
    char *dense = NULL;
    clsolve_status status = CLSOLVE_OK;

    if (host->place == CLSOLVE_ON_DEVICE) return move_on_device(grid, host, r, count, vector, at, range);
    int64_t columns = count < MOST_COLUMNS ? count : MOST_COLUMNS;
    if (columns * grid->N > most) columns = most / grid->N;
    if (columns < 2) columns = 1;
    if (most < 1) most = 1;
    if (most > grid->N * columns) most = grid->N * columns;
    if (columns > 1 && !(dense = cls_alloc((size_t)(most * bytes), 1)))
        return cls_no_memory(device->error, "several right-hand sides");
    status = take_staging(grid, (size_t)(most * bytes), &staging);
    for (int64_t c = 0; c < count && status == CLSOLVE_OK; c += columns) {
        int64_t here = count - c < columns ? count - c : columns, to = at + c * size;
        status = columns > 1 ? move_columns(grid, host, r + c, here, vector, to, range, staging, dense)
                             : move_slabs(grid, host, r + c, vector, to, range, staging, most);
    }
    clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
    leave_staging(grid, staging);
    cls_free(dense);
    return status != CLSOLVE_OK ? status : finished;
}

clsolve_status cls_bt_upload(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, int64_t count, cls_buffer *vector,
                             int64_t at, const cls_bt_range *range) {
    static const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    return move(grid, host, r, count, vector, at, range ? range : &all);
}

clsolve_status cls_bt_download(cls_bt_grid *grid, cls_buffer *vector, int64_t at, const clsolve_grid *host, int64_t r,
                               int64_t count) {
    return move(grid, host, r, count, vector, at, NULL);
}

clsolve_status cls_bt_upload_constant(cls_bt_grid *grid, const clsolve_grid *one, cls_buffer *vector) {
    static const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    cls_device *device = grid->device;
    size_t size = (size_t)cls_type_size(grid->type);
    cls_buffer *staging = NULL;

    CLS_TRY(device->ops->buffer_create(device, size, &staging));
    plain everywhere = {.buffer = staging, .lines = grid->N, .count = 1}; /* strides of 0: each element is the one */
    clsolve_status status = cls_bytes_write(device, CLS_COMPUTE, staging, 0, one->data, size);
    if (status == CLSOLVE_OK) status = pack(grid, &everywhere, vector, 0, &all);
    clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, staging);
    return status != CLSOLVE_OK ? status : finished;
}

/* ---- some lines ---- */

clsolve_status cls_bt_put_lines(cls_bt_grid *grid, const void *values, int64_t line, int64_t lines, cls_buffer *vector,
                                int64_t at, const cls_bt_range *range, cls_buffer *staging, int64_t most) {
    cls_device *device = grid->device;
    size_t bytes = (size_t)(grid->M * cls_type_size(grid->type));
    for (int64_t i = 0; i < lines; i += most) {
        plain p = {staging, 0, grid->M, 1, line + i, lines - i < most ? lines - i : most, 0, 1};
        const char *from = (const char *)values + (size_t)i * bytes;
        CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, staging, 0, from, bytes * (size_t)p.lines));
        CLS_TRY(pack(grid, &p, vector, at, range));
    }
    return device->ops->finish(device, CLS_COMPUTE);
}

clsolve_status cls_bt_get_lines(cls_bt_grid *grid, void *values, int64_t line, int64_t lines, cls_buffer *vector,
                                int64_t at, cls_buffer *staging, int64_t most) {
    cls_device *device = grid->device;
    size_t bytes = (size_t)(grid->M * cls_type_size(grid->type));
    for (int64_t i = 0; i < lines; i += most) {
        plain p = {staging, 0, grid->M, 1, line + i, lines - i < most ? lines - i : most, 0, 1};
        CLS_TRY(pack(grid, &p, vector, at, NULL));
        CLS_TRY(cls_bytes_read(device, CLS_COMPUTE, staging, 0, (char *)values + (size_t)i * bytes,
                               bytes * (size_t)p.lines));
    }
    return device->ops->finish(device, CLS_COMPUTE);
}
