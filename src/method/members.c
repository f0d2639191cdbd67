/*
 * members.c: the members of a batch to the device and back. On the device they lie tight, one behind the other, each in
 * the caller's layout. Where the caller's lie at even distances too, one copy takes them all; else they are gathered and
 * scattered on the host, some megabytes at a time.
 */
#include "method/members.h"

#include "blas/blas.h"

#include <string.h>

#include "base/memory.h"

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

static char *member_at(const clsolve_batch *view, int64_t m) {
    return (char *)view->data + (view->offsets ? view->offsets[m] : m * view->stride) * cls_type_size(view->type);
}

/* Do all lines of all members lie at one distance? */
static int even(const clsolve_batch *view, const lines *l) {
    return !view->offsets && (size_t)view->stride * l->size == l->pitch * l->lines;
}

/* The members begin .. end-1 of an even view in one copy. */
static clsolve_status copy_even(cls_device *device, cls_buffer *buffer, const clsolve_batch *view, const lines *l,
                                int64_t begin, int64_t end, int up) {
    size_t count = (size_t)(end - begin), at = (size_t)begin * l->member;
    cls_rect rect = {l->length, l->lines * count, at, l->length, l->pitch};
    if (l->pitch == l->length) rect = (cls_rect){l->member * count, 1, at, l->member * count, l->member * count};
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

/* As many members at a time as the stage holds; those whose info is not 0 are not written. */
static clsolve_status copy_staged(cls_device *device, cls_buffer *buffer, const clsolve_batch *view, const lines *l,
                                  const int32_t *info, int up) {
    int64_t share = (int64_t)(STAGE_BYTES / l->member) > 0 ? (int64_t)(STAGE_BYTES / l->member) : 1;
    clsolve_status status = CLSOLVE_OK;
    if (share > view->count) share = view->count;
    char *stage = cls_alloc((size_t)share, l->member);
    if (!stage) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for members of a batch");

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
    return status;
}

clsolve_status cls_members_up(cls_device *device, const clsolve_batch *view, cls_buffer *buffer) {
    lines l = lines_of(view);

    if (l.member == 0 || view->count == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    if (!even(view, &l)) return copy_staged(device, buffer, view, &l, NULL, 1);
    CLS_TRY(copy_even(device, buffer, view, &l, 0, view->count, 1));
    return device->ops->finish(device, CLS_UP);
}

clsolve_status cls_members_down(cls_device *device, const clsolve_batch *view, cls_buffer *buffer,
                                const int32_t *info) {
    lines l = lines_of(view);

    if (l.member == 0 || view->count == 0) return CLSOLVE_OK;
    if (!even(view, &l)) return copy_staged(device, buffer, view, &l, info, 0);
    clsolve_status status = CLSOLVE_OK;
    /* Runs of members that are to be written. When one fails, no other may still be on its way to the caller's memory. */
    for (int64_t begin = 0, end; begin < view->count && status == CLSOLVE_OK; begin = end) {
        end = begin;
        while (end < view->count && info[end] == 0) ++end;
        if (end > begin) status = copy_even(device, buffer, view, &l, begin, end, 0);
        while (end < view->count && info[end] != 0) ++end;
    }
    clsolve_status done = device->ops->finish(device, CLS_DOWN);
    return status != CLSOLVE_OK ? status : done;
}
