/*
 * peer.c: rectangles from the memory of another device of the same platform. Drivers have no fast way from GPU to GPU;
 * in a context that both have, a pinned buffer is pinned for both, and the queue of one waits for an event of the
 * other. So pieces go through a ring of pinned slots: the other device's queue reads a piece into a slot, this device's
 * queue writes it, and the host only enqueues (docs/findings/transfers.md, "Between two GPUs through OpenCL").
 */
#include <string.h>

#include "base/memory.h"
#include "device/opencl/opencl.h"

enum { SLOTS = 8, SLOT_BYTES = 8 << 20, LEAST_PIECE = 2 << 20, PIECES = 4 };

/* A queue of another device, for reads of this one's own. */
typedef struct lane {
    cl_device_id other;
    cl_command_queue queue;
    struct lane *next;
} lane;

struct cls_opencl_ring {
    cls_pinned *pinned;
    char *host;
    cl_event taken[SLOTS]; /* what was in the slot has been written; NULL: nothing was */
    int64_t turn;
    lane *lanes;
};

/* ---- the context ---- */

static int has_device(cl_context context, cl_device_id id) {
    cl_device_id ids[CLS_DEVICES_MOST];
    size_t bytes = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &bytes) != CL_SUCCESS) return 0;
    for (size_t i = 0; i < bytes / sizeof ids[0]; i++)
        if (ids[i] == id) return 1;
    return 0;
}

static int is_in(const cl_device_id *ids, cl_uint count, cl_device_id id) {
    for (cl_uint i = 0; i < count; i++)
        if (ids[i] == id) return 1;
    return 0;
}

cl_context cls_opencl_common_context(const cls_opencl_found *found, int64_t count, int64_t at, const cls_among *among) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)found[at].platform, 0};
    cl_device_id ids[CLS_DEVICES_MOST] = {found[at].id};
    cl_uint together = 1;
    cl_int code = CL_SUCCESS;

    /* Devices in the host's memory fetch nothing; and PoCL 3.1 crashes when threads compile for several of one
     * context. */
    if (found[at].info.host_memory) return NULL;
    for (int64_t i = 0; i < among->opened_count; i++) {
        cls_device *opened = among->opened[i];
        if (strcmp(opened->info.backend, "opencl") != 0) continue;
        cl_context context = cls_opencl_of(opened)->context;
        if (has_device(context, found[at].id)) return clRetainContext(context) == CL_SUCCESS ? context : NULL;
    }
    for (int64_t i = 0; i < among->count; i++)
        for (int64_t f = 0; f < count && together < CLS_DEVICES_MOST; f++)
            if (strcmp(found[f].info.selector, among->infos[i].selector) == 0 &&
                found[f].platform == found[at].platform && !found[f].failed && !found[f].info.host_memory &&
                !is_in(ids, together, found[f].id))
                ids[together++] = found[f].id;
    return together > 1 ? clCreateContext(properties, together, ids, NULL, NULL, &code) : NULL;
}

/* ---- the ring ---- */

static lane *lane_of(const cls_opencl *device, const cls_opencl *other) {
    lane *at = device->ring ? device->ring->lanes : NULL;
    while (at && at->other != other->id) at = at->next;
    return at;
}

static clsolve_status make_ring(cls_opencl *device) {
    if (device->ring) return CLSOLVE_OK;
    cls_opencl_ring *made = cls_alloc(1, sizeof *made);
    void *host = NULL;
    if (!made) return cls_fail(device->base.error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a ring of slots");
    clsolve_status status = cls_opencl_pinned_create(&device->base, (size_t)SLOTS * SLOT_BYTES, &made->pinned, &host);
    if (status != CLSOLVE_OK) {
        cls_free(made);
        return status;
    }
    made->host = host;
    device->ring = made;
    return CLSOLVE_OK;
}

static clsolve_status make_lane(cls_opencl *device, const cls_opencl *other) {
    cl_int code = CL_SUCCESS;
    lane *made = cls_alloc(1, sizeof *made);
    if (!made) return cls_fail(device->base.error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for a queue's record");
    made->other = other->id;
    made->queue = clCreateCommandQueue(device->context, other->id, 0, &code);
    if (!made->queue) {
        cls_free(made);
        return cls_opencl_fail(device->base.error, code, "clCreateCommandQueue");
    }
    made->next = device->ring->lanes;
    device->ring->lanes = made;
    return CLSOLVE_OK;
}

/* Memory of its own behind a bus, and queues that are concurrent. */
static int has_way(const cls_opencl *device) {
    return device->base.staged && !device->base.shares_memory && device->queues[CLS_UP] != device->queues[CLS_COMPUTE];
}

cls_joint cls_opencl_joins(cls_device *base, cls_device *base_other) {
    cls_opencl *device = cls_opencl_of(base), *other = cls_opencl_of(base_other);
    if (device->context != other->context || device->id == other->id || !has_way(device) || !has_way(other))
        return CLS_APART;
    if (lane_of(device, other)) return CLS_BY_HOST;
    return make_ring(device) == CLSOLVE_OK && make_lane(device, other) == CLSOLVE_OK ? CLS_BY_HOST : CLS_APART;
}

void cls_opencl_peers_release(cls_opencl *device) {
    cls_opencl_ring *ring = device->ring;
    if (!ring) return;
    for (lane *at = ring->lanes; at; at = at->next) (void)clFinish(at->queue);
    for (int s = 0; s < SLOTS; s++)
        if (ring->taken[s]) (void)clReleaseEvent(ring->taken[s]);
    while (ring->lanes) {
        lane *at = ring->lanes;
        ring->lanes = at->next;
        (void)clReleaseCommandQueue(at->queue);
        cls_free(at);
    }
    cls_opencl_pinned_destroy(&device->base, ring->pinned);
    cls_free(ring);
    device->ring = NULL;
}

/* ---- a rectangle ---- */

/* A queue that waits for an event of one that is not flushed may wait for ever: so both are, piece by piece. */
static clsolve_status pass_piece(cls_opencl *device, cl_command_queue up, const lane *way, cls_buffer *from,
                                 cls_buffer *to, const cls_span *piece) {
    cls_device *base = &device->base;
    cls_opencl_ring *ring = device->ring;
    const int slot = (int)(ring->turn % SLOTS);
    char *host = ring->host + (size_t)slot * SLOT_BYTES;
    cl_event read = NULL, written = NULL, before = ring->taken[slot];
    const cls_rect out = {piece->bytes, piece->columns, piece->from_offset, piece->from_pitch, piece->bytes};
    const cls_rect in = {piece->bytes, piece->columns, piece->to_offset, piece->to_pitch, piece->bytes};
    const cls_wait_list free_again = {before ? 1 : 0, before ? &before : NULL};

    CLS_TRY(cls_opencl_read_rect(base, way->queue, from, host, &out, free_again, &read));
    const cl_int sent = clFlush(way->queue);
    const cls_wait_list there = {1, &read};
    clsolve_status status = sent == CL_SUCCESS ? cls_opencl_write_rect(base, up, to, host, &in, there, &written)
                                               : cls_opencl_fail(base->error, sent, "clFlush");
    (void)clReleaseEvent(read);
    CLS_TRY(status);
    ring->taken[slot] = written;
    ring->turn++;
    if (before) (void)clReleaseEvent(before);
    return cls_opencl_check(base, "clFlush", clFlush(up));
}

/* So many columns of that many bytes at a time: while one piece goes up, the next comes down. */
static size_t piece_columns(size_t bytes, size_t columns) {
    size_t all = bytes * columns / PIECES;
    if (all < LEAST_PIECE) all = LEAST_PIECE;
    if (all > SLOT_BYTES) all = SLOT_BYTES;
    return all > bytes ? all / bytes : 1;
}

static clsolve_status pass(cls_opencl *device, cl_command_queue up, const lane *way, cls_buffer *from, cls_buffer *to,
                           const cls_span *span) {
    const size_t most = span->bytes < SLOT_BYTES ? span->bytes : SLOT_BYTES;
    const size_t columns = piece_columns(most, span->columns);

    for (size_t c = 0; c < span->columns; c += columns)
        for (size_t r = 0; r < span->bytes; r += most) {
            const cls_span piece = {.bytes = span->bytes - r < most ? span->bytes - r : most,
                                    .columns = span->columns - c < columns ? span->columns - c : columns,
                                    .from_offset = span->from_offset + c * span->from_pitch + r,
                                    .from_pitch = span->from_pitch,
                                    .to_offset = span->to_offset + c * span->to_pitch + r,
                                    .to_pitch = span->to_pitch};
            CLS_TRY(pass_piece(device, up, way, from, to, &piece));
        }
    return CLSOLVE_OK;
}

clsolve_status cls_opencl_fetch(cls_device *base, cls_queue queue, cls_device *other, cls_buffer *from, cls_buffer *to,
                                const cls_span *span, const cls_wait *wait, cls_event **done) {
    cls_opencl *device = cls_opencl_of(base);
    const lane *way = lane_of(device, cls_opencl_of(other));
    cl_command_queue up = device->queues[queue];

    if (span->bytes == 0 || span->columns == 0) return cls_opencl_nothing(base, queue, wait, done);
    if (!way) return cls_fail(base->error, CLSOLVE_ERROR_STATE, "a fetch from a device that was not joined");
    const cls_wait_list list = cls_opencl_wait_list(wait);
    if (list.count > 0)
        CLS_TRY_CL(base, "clEnqueueBarrierWithWaitList",
                   clEnqueueBarrierWithWaitList(way->queue, list.count, list.events, NULL));
    CLS_TRY(pass(device, up, way, from, to, span));
    if (done) return cls_opencl_mark(base, queue, done);
    return CLSOLVE_OK;
}
