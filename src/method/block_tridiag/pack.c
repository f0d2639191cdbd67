#include "method/block_tridiag/block_tridiag.h"

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

static clsolve_status move_slab(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, const slab *s,
                                cls_buffer *staging, int back) {
    cls_device *device = grid->device;
    size_t bytes = (size_t)(s->lines * grid->M * cls_type_size(grid->type));
    cls_rect whole = {bytes, 1, 0, bytes, bytes}, rect = s->direct ? s->rect : whole;
    char *memory = element(host, s->begin, 0, r), *dense = NULL;
    clsolve_status status;

    if (!s->direct) {
        dense = cls_alloc(bytes, 1);
        if (!dense) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a strided copy");
        memory = dense;
        if (!back) gather(grid, host, r, s, dense, 0);
    }
    if (back)
        status = device->ops->read(device, CLS_COMPUTE, staging, memory, &rect, NULL, NULL);
    else
        status = device->ops->write(device, CLS_COMPUTE, staging, memory, &rect, NULL, NULL);
    if (status == CLSOLVE_OK) status = device->ops->finish(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK && dense && back) gather(grid, host, r, s, dense, 1);
    cls_free(dense);
    return status;
}

static cls_grid grid_of(const cls_bt_grid *grid, int64_t lines) {
    size_t local = (size_t)(grid->shape.flat > 64 ? 64 : grid->shape.flat);
    int64_t most = 65535, across = lines < most ? lines : most;
    int64_t along = grid->shape.flat == 1 ? 1 : (grid->M + 255) / 256;
    cls_grid made = {{(size_t)across * local, (size_t)along, 1}, {local, 1, 1}};
    return made;
}

static clsolve_status pack_slab(cls_bt_grid *grid, const slab *s, cls_buffer *staging, cls_buffer *vector, int64_t at,
                                const cls_bt_range *range, cls_buffer *scale) {
    int32_t scaled = scale != NULL;
    const cls_bt_level *top = &grid->level[0];
    cls_grid work = grid_of(grid, s->lines);
    cls_arg args[] = {CLS_BUFFER(staging),
                      CLS_VALUE(s->line_stride),
                      CLS_VALUE(s->stride),
                      CLS_VALUE(s->begin),
                      CLS_VALUE(s->lines),
                      CLS_BUFFER(vector),
                      CLS_VALUE(at),
                      CLS_VALUE(top->panels),
                      CLS_VALUE(grid->M),
                      CLS_VALUE(range->first_line),
                      CLS_VALUE(range->last_line),
                      CLS_VALUE(range->first_k),
                      CLS_VALUE(range->last_k),
                      CLS_BUFFER(scale ? scale : staging),
                      CLS_VALUE(scaled)};
    return grid->device->ops->launch(grid->device, CLS_COMPUTE, grid->pack, &work, args, 15, NULL, NULL);
}

static clsolve_status unpack_slab(cls_bt_grid *grid, const slab *s, cls_buffer *staging, cls_buffer *vector,
                                  int64_t at) {
    const cls_bt_level *top = &grid->level[0];
    cls_grid work = grid_of(grid, s->lines);
    cls_arg args[] = {CLS_BUFFER(staging), CLS_VALUE(s->line_stride), CLS_VALUE(s->stride),
                      CLS_VALUE(s->begin), CLS_VALUE(s->lines),       CLS_BUFFER(vector),
                      CLS_VALUE(at),       CLS_VALUE(top->panels),    CLS_VALUE(grid->M)};
    return grid->device->ops->launch(grid->device, CLS_COMPUTE, grid->unpack, &work, args, 9, NULL, NULL);
}

static clsolve_status move(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, cls_buffer *vector, int64_t at,
                           const cls_bt_range *range, cls_buffer *scale, int back) {
    cls_device *device = grid->device;
    int64_t bytes = grid->M * cls_type_size(grid->type), most = SLAB_BYTES / bytes;
    cls_buffer *staging = NULL;
    clsolve_status status = CLSOLVE_OK;

    if (most < 1) most = 1;
    if (most > grid->N) most = grid->N;
    CLS_TRY(device->ops->buffer_create(device, (size_t)(most * bytes), &staging));
    for (int64_t i = 0; i < grid->N && status == CLSOLVE_OK; i += most) {
        slab s = slab_at(grid, host, i, most);
        if (back) {
            status = unpack_slab(grid, &s, staging, vector, at);
            if (status == CLSOLVE_OK) status = move_slab(grid, host, r, &s, staging, 1);
        } else {
            status = move_slab(grid, host, r, &s, staging, 0);
            if (status == CLSOLVE_OK) status = pack_slab(grid, &s, staging, vector, at, range, scale);
        }
    }
    clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, staging);
    return status != CLSOLVE_OK ? status : finished;
}

clsolve_status cls_bt_upload(cls_bt_grid *grid, const clsolve_grid *host, int64_t r, cls_buffer *vector, int64_t at,
                             const cls_bt_range *range, cls_buffer *scale) {
    static const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    return move(grid, host, r, vector, at, range ? range : &all, scale, 0);
}

clsolve_status cls_bt_download(cls_bt_grid *grid, cls_buffer *vector, int64_t at, const clsolve_grid *host, int64_t r) {
    return move(grid, host, r, vector, at, NULL, NULL, 1);
}

clsolve_status cls_bt_upload_constant(cls_bt_grid *grid, const clsolve_grid *one, cls_buffer *vector) {
    static const cls_bt_range all = {0, INT64_MAX, 0, INT64_MAX};
    cls_device *device = grid->device;
    size_t size = (size_t)cls_type_size(grid->type);
    cls_rect rect = {size, 1, 0, size, size};
    slab everywhere = {.begin = 0, .lines = grid->N}; /* strides of 0: each element is the one */
    cls_buffer *staging = NULL;

    CLS_TRY(device->ops->buffer_create(device, size, &staging));
    clsolve_status status = device->ops->write(device, CLS_COMPUTE, staging, one->data, &rect, NULL, NULL);
    if (status == CLSOLVE_OK) status = pack_slab(grid, &everywhere, staging, vector, 0, &all, NULL);
    clsolve_status finished = device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, staging);
    return status != CLSOLVE_OK ? status : finished;
}
