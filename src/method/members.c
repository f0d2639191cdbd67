/*
 * members.c: the members of a batch to the device and back. On the device they lie tight, one behind the other, each
 * in the caller's layout. Where the caller's lie at even distances too, one copy takes them all; else they are gathered
 * and scattered on the host, some megabytes at a time. Members of a caller's buffer on the device are copied there: all
 * at once where they lie at even distances, else each by itself.
 */
#include "method/members.h"

#include "blas/blas.h"

#include <string.h>

#include "base/memory.h"
#include "device/matrix.h"

enum { STAGE_BYTES = 8 << 20 };

/* How a member lies: `lines` contiguous lines of `length` bytes. */
typedef struct lines {
    size_t length, lines, pitch; /* pitch: bytes between lines at the caller's */
    size_t member;               /* length * lines: bytes on the device */
    size_t size;
} lines;

static lines lines_of(const clsolve_batch *view) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    lines l = {.size = (size_t)cls_type_size(view->type)};
    l.length = (size_t)(by_column ? view->rows : view->cols) * l.size;
    l.lines = (size_t)(by_column ? view->cols : view->rows);
    l.pitch = (size_t)view->ld * l.size;
    l.member = l.length * l.lines;
    return l;
}

/* Elements from the first that the view has to the first of member m. */
static int64_t begin_of(const clsolve_batch *view, int64_t m) {
    return view->offsets ? view->offsets[m] : m * view->stride;
}

static char *member_at(const clsolve_batch *view, int64_t m) {
    return (char *)view->data + begin_of(view, m) * cls_type_size(view->type);
}

clsolve_batch cls_members_of(const clsolve_batch *view, int64_t first, int64_t count) {
    clsolve_batch some = *view;
    some.count = count;
    if (view->offsets)
        some.offsets = view->offsets + first;
    else if (view->place == CLSOLVE_ON_DEVICE)
        some.offset += first * view->stride;
    else if (view->data)
        some.data = (char *)view->data + first * view->stride * cls_type_size(view->type);
    return some;
}

/* Do all lines of all members lie at one distance? */
static int even(const clsolve_batch *view, const lines *l) {
    return !view->offsets && (size_t)view->stride * l->size == l->pitch * l->lines;
}

static cls_rect even_rect(const lines *l, int64_t begin, int64_t end) {
    size_t count = (size_t)(end - begin), at = (size_t)begin * l->member;
    if (l->pitch == l->length) return (cls_rect){l->member * count, 1, at, l->member * count, l->member * count};
    return (cls_rect){l->length, l->lines * count, at, l->length, l->pitch};
}

int cls_members_rect(const clsolve_batch *view, int64_t begin, int64_t end, cls_rect *rect, char **host) {
    lines l = lines_of(view);
    if (view->place == CLSOLVE_ON_DEVICE || l.member == 0 || begin >= end || !even(view, &l)) return 0;
    *rect = even_rect(&l, begin, end);
    *host = member_at(view, begin);
    return 1;
}

/* The members begin .. end-1 of an even view in one copy. */
static clsolve_status copy_even(cls_device *device, cls_buffer *buffer, const clsolve_batch *view, const lines *l,
                                int64_t begin, int64_t end, int up) {
    cls_rect rect = even_rect(l, begin, end);
    if (up) return device->ops->write(device, CLS_UP, buffer, member_at(view, begin), &rect, NULL, NULL);
    return device->ops->read(device, CLS_DOWN, buffer, member_at(view, begin), &rect, NULL, NULL);
}

static void copy_member(char *tight, char *member, const lines *l, int up) {
    for (size_t line = 0; line < l->lines; ++line)
        if (up)
            memcpy(tight + line * l->length, member + line * l->pitch, l->length);
        else
            memcpy(member + line * l->pitch, tight + line * l->length, l->length);
}

/* However many pieces a batch is copied in, it is one batch. */
static void count_once(cls_device *device, const cls_counters *before) {
    cls_counters *now = &device->counters;
    if (now->transfers_up > before->transfers_up) now->transfers_up = before->transfers_up + 1;
    if (now->transfers_down > before->transfers_down) now->transfers_down = before->transfers_down + 1;
}

/* As many members at a time as the stage holds; those whose info is not 0 are not written. */
static clsolve_status copy_staged(cls_device *device, cls_buffer *buffer, const clsolve_batch *view, const lines *l,
                                  const int32_t *info, int up) {
    int64_t share = (int64_t)(STAGE_BYTES / l->member) > 0 ? (int64_t)(STAGE_BYTES / l->member) : 1;
    clsolve_status status = CLSOLVE_OK;
    if (share > view->count) share = view->count;
    char *stage = cls_alloc((size_t)share, l->member);
    if (!stage) return cls_no_memory(device->error, "members of a batch");

    const cls_counters before = device->counters;
    for (int64_t begin = 0; begin < view->count && status == CLSOLVE_OK; begin += share) {
        int64_t count = view->count - begin < share ? view->count - begin : share;
        size_t bytes = (size_t)count * l->member;
        cls_rect rect = {bytes, 1, (size_t)begin * l->member, bytes, bytes};
        for (int64_t m = 0; up && m < count; ++m)
            copy_member(stage + (size_t)m * l->member, member_at(view, begin + m), l, 1);
        status = up ? device->ops->write(device, CLS_UP, buffer, stage, &rect, NULL, NULL)
                    : device->ops->read(device, CLS_DOWN, buffer, stage, &rect, NULL, NULL);
        clsolve_status done = device->ops->finish(device, up ? CLS_UP : CLS_DOWN);
        if (status == CLSOLVE_OK) status = done;
        for (int64_t m = 0; !up && status == CLSOLVE_OK && m < count; ++m)
            if (info[begin + m] == 0) copy_member(stage + (size_t)m * l->member, member_at(view, begin + m), l, 0);
    }
    cls_free(stage);
    count_once(device, &before);
    return status;
}

/* ---- members in a caller's buffer on the device ---- */

/* Elements from the first of the view's to the last. */
static int64_t extent_of(const clsolve_batch *view, const lines *l) {
    int64_t line = (int64_t)(l->length / l->size), last = 0;

    if (!view->offsets) last = (view->count - 1) * view->stride;
    for (int64_t m = 0; view->offsets && m < view->count; ++m)
        if (view->offsets[m] > last) last = view->offsets[m];
    return last + ((int64_t)l->lines - 1) * view->ld + line;
}

/* The caller's buffer, which all members must lie within. */
static clsolve_status adopt(cls_device *device, const clsolve_batch *view, const lines *l, cls_buffer **theirs) {
    const int64_t extent = extent_of(view, l);
    size_t bytes;

    CLS_TRY(device->ops->adopt(device, view->data, theirs, &bytes));
    int64_t elements = (int64_t)(bytes / l->size);
    if (view->offset <= elements && extent <= elements - view->offset) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, *theirs);
    *theirs = NULL;
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "the batch takes %lld elements from offset %lld on, and its buffer has %lld", (long long)extent,
                    (long long)view->offset, (long long)elements);
}

clsolve_status cls_members_there(cls_device *device, const clsolve_batch *view, int written, cls_buffer **theirs) {
    const lines l = lines_of(view);

    *theirs = NULL;
    if (view->place != CLSOLVE_ON_DEVICE || view->offsets || l.member == 0 || view->count == 0) return CLSOLVE_OK;
    CLS_TRY(adopt(device, view, &l, theirs));
    if (cls_buffer_takes_kernels(*theirs, view->offset, (int64_t)l.size, written)) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, *theirs);
    *theirs = NULL;
    return CLSOLVE_OK;
}

/* The range of bytes from a view's first element to its last. */
static cls_buffer_range range_of(const clsolve_batch *view, const cls_buffer *theirs) {
    const lines l = lines_of(view);
    cls_buffer_range range = cls_buffer_place(theirs);
    range.begin += (size_t)view->offset * l.size;
    range.bytes = (size_t)extent_of(view, &l) * l.size;
    return range;
}

int cls_members_meet(const clsolve_batch *a, const cls_buffer *at_a, const clsolve_batch *b, const cls_buffer *at_b) {
    const cls_buffer_range x = range_of(a, at_a), y = range_of(b, at_b);
    return x.whole == y.whole && x.begin < y.begin + y.bytes && y.begin < x.begin + x.bytes;
}

int cls_members_begin_together(const clsolve_batch *a, const cls_buffer *at_a, const clsolve_batch *b,
                               const cls_buffer *at_b) {
    const cls_buffer_range x = range_of(a, at_a), y = range_of(b, at_b);
    return x.whole == y.whole && x.begin == y.begin;
}

/* `s` describes the copy with the caller's side as `from`. */
static clsolve_status copy_span(cls_device *device, cls_buffer *buffer, cls_buffer *theirs, const cls_span *s, int up) {
    cls_span back = {s->bytes, s->columns, s->to_offset, s->to_pitch, s->from_offset, s->from_pitch};
    if (up) return device->ops->copy_rect(device, CLS_COMPUTE, theirs, buffer, s);
    return device->ops->copy_rect(device, CLS_COMPUTE, buffer, theirs, &back);
}

/* The members begin .. end-1, on the compute queue: nothing crosses to the host, and nothing waits. */
static clsolve_status copy_there(cls_device *device, cls_buffer *buffer, cls_buffer *theirs, const clsolve_batch *view,
                                 const lines *l, int64_t begin, int64_t end, int up) {
    size_t count = (size_t)(end - begin), to = (size_t)begin * l->member, stride = (size_t)view->stride * l->size;
    size_t from = (size_t)(view->offset + begin_of(view, begin)) * l->size;
    cls_span all = {l->length, l->lines * count, from, l->pitch, to, l->length};

    if (even(view, l) && l->pitch == l->length) all = (cls_span){l->member * count, 1, from, 0, to, 0};
    if (even(view, l)) return copy_span(device, buffer, theirs, &all, up);
    if (!view->offsets && l->pitch == l->length && stride >= l->member) {
        cls_span members = {l->member, count, from, stride, to, l->member};
        return copy_span(device, buffer, theirs, &members, up);
    }
    for (int64_t m = begin; m < end; ++m) {
        cls_span one = {
            l->length, l->lines, (size_t)(view->offset + begin_of(view, m)) * l->size, l->pitch, (size_t)m * l->member,
            l->length};
        CLS_TRY(copy_span(device, buffer, theirs, &one, up));
    }
    return CLSOLVE_OK;
}

/* ---- both places ---- */

clsolve_status cls_members_fit(cls_device *device, const clsolve_batch *view) {
    lines l = lines_of(view);
    cls_buffer *theirs;

    if (view->place != CLSOLVE_ON_DEVICE || l.member == 0 || view->count == 0) return CLSOLVE_OK;
    CLS_TRY(adopt(device, view, &l, &theirs));
    device->ops->buffer_destroy(device, theirs);
    return CLSOLVE_OK;
}

clsolve_status cls_members_up(cls_device *device, const clsolve_batch *view, cls_buffer *buffer) {
    lines l = lines_of(view);
    cls_buffer *theirs;

    if (l.member == 0 || view->count == 0) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE) {
        CLS_TRY(adopt(device, view, &l, &theirs));
        clsolve_status status = copy_there(device, buffer, theirs, view, &l, 0, view->count, 1);
        device->ops->buffer_destroy(device, theirs);
        return status;
    }
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    if (!even(view, &l)) return copy_staged(device, buffer, view, &l, NULL, 1);
    CLS_TRY(copy_even(device, buffer, view, &l, 0, view->count, 1));
    return device->ops->finish(device, CLS_UP);
}

/* Runs of members that are to be written: to the host, or to `theirs`. */
static clsolve_status down_runs(cls_device *device, const clsolve_batch *view, const lines *l, cls_buffer *buffer,
                                cls_buffer *theirs, const int32_t *info, int64_t begin, int64_t stop) {
    for (int64_t end; begin < stop; begin = end) {
        end = begin;
        while (end < stop && info[end] == 0) ++end;
        if (end > begin)
            CLS_TRY(theirs ? copy_there(device, buffer, theirs, view, l, begin, end, 0)
                           : copy_even(device, buffer, view, l, begin, end, 0));
        while (end < stop && info[end] != 0) ++end;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_members_down_some(cls_device *device, const clsolve_batch *view, cls_buffer *buffer,
                                     const int32_t *info, int64_t begin, int64_t end) {
    const cls_counters before = device->counters;
    lines l = lines_of(view);
    clsolve_status status = down_runs(device, view, &l, buffer, NULL, info, begin, end);
    count_once(device, &before);
    return status;
}

clsolve_status cls_members_down(cls_device *device, const clsolve_batch *view, cls_buffer *buffer,
                                const int32_t *info) {
    const cls_counters before = device->counters;
    lines l = lines_of(view);
    cls_buffer *theirs = NULL;

    if (l.member == 0 || view->count == 0) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE)
        CLS_TRY(adopt(device, view, &l, &theirs));
    else if (!even(view, &l))
        return copy_staged(device, buffer, view, &l, info, 0);
    /* When one fails, no other may still be on its way to the caller's memory. */
    clsolve_status status = down_runs(device, view, &l, buffer, theirs, info, 0, view->count);
    count_once(device, &before);
    clsolve_status done = device->ops->finish(device, theirs ? CLS_COMPUTE : CLS_DOWN);
    if (theirs) device->ops->buffer_destroy(device, theirs);
    return status != CLSOLVE_OK ? status : done;
}
