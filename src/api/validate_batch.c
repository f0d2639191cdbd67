#include <stdlib.h>
#include <string.h>

#include "api/validate.h"
#include "base/memory.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static int compare_offsets(const void *a_, const void *b_) {
    int64_t a = *(const int64_t *)a_, b = *(const int64_t *)b_;
    return (a > b) - (a < b);
}

/* Do members of `extent` elements at these offsets share any? Offsets that rise, the usual ones, need no sorting. */
static clsolve_status validate_apart(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                     int64_t extent) {
    const int64_t *offsets = b->offsets;
    int64_t *sorted = NULL, m = 1, near = 0, next = 0;

    while (m < b->count && offsets[m] - offsets[m - 1] >= extent) ++m;
    if (m >= b->count) return CLSOLVE_OK;
    sorted = cls_alloc((size_t)b->count, sizeof *sorted);
    if (!sorted) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's offsets");
    memcpy(sorted, offsets, (size_t)b->count * sizeof *sorted);
    qsort(sorted, (size_t)b->count, sizeof *sorted, compare_offsets);
    for (m = 1; m < b->count && sorted[m] - sorted[m - 1] >= extent; ++m) continue;
    if (m < b->count) near = sorted[m - 1], next = sorted[m];
    cls_free(sorted);
    if (m < b->count)
        REFUSE("%s: members of %s at the offsets %lld and %lld overlap: each takes %lld", call, name, (long long)near,
               (long long)next, (long long)extent);
    return CLSOLVE_OK;
}

static clsolve_status validate_layout(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                      int written) {
    int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t line = by_column ? b->rows : b->cols, lines = by_column ? b->cols : b->rows, most = CLS_MOST_ELEMENTS;

    if (b->layout != CLSOLVE_COLUMN_MAJOR && b->layout != CLSOLVE_ROW_MAJOR)
        REFUSE("%s: %s has layout %d: give CLSOLVE_COLUMN_MAJOR or CLSOLVE_ROW_MAJOR", call, name, (int)b->layout);
    if (b->ld < line || b->ld < 1)
        REFUSE("%s: the ld of %s is %lld, smaller than its %s (%lld)", call, name, (long long)b->ld,
               by_column ? "rows" : "columns", (long long)(line > 0 ? line : 1));
    if (!cls_is_countable(lines, b->ld)) REFUSE("%s: the ld of %s is more than memory can hold", call, name);
    if (b->count == 0 || line == 0 || lines == 0) return CLSOLVE_OK;
    if (!b->data) REFUSE("%s: the data of %s is NULL", call, name);
    int64_t extent = (lines - 1) * b->ld + line;
    if (!b->offsets && b->count > 1 && (b->stride < 0 || !cls_is_countable(b->count, b->stride)))
        REFUSE("%s: the stride of %s is %lld", call, name, (long long)b->stride);
    if (!b->offsets && b->count > 1 && written && b->stride < extent)
        REFUSE("%s: the stride of %s is %lld where a member takes %lld: they would overlap", call, name,
               (long long)b->stride, (long long)extent);
    for (int64_t m = 0; b->offsets && m < b->count; ++m)
        if (b->offsets[m] < 0 || b->offsets[m] > most)
            REFUSE("%s: offset %lld of %s is %lld", call, (long long)m, name, (long long)b->offsets[m]);
    return b->offsets && written ? validate_apart(error, call, name, b, extent) : CLSOLVE_OK;
}

clsolve_status cls_validate_batch(cls_error *error, const char *call, const char *argument, const clsolve_batch *batch,
                                  clsolve_type type, int64_t rows, int64_t cols, int written) {
    if (!batch) REFUSE("%s: %s is NULL", call, argument);
    if (batch->type != type)
        REFUSE("%s: %s is of type %d where the handle is of %d", call, argument, (int)batch->type, (int)type);
    if (batch->count < 0 || batch->count > CLS_MOST_ELEMENTS)
        REFUSE("%s: %s has %lld members", call, argument, (long long)batch->count);
    if (batch->rows != rows)
        REFUSE("%s: the members of %s have %lld rows where the handle takes %lld", call, argument,
               (long long)batch->rows, (long long)rows);
    if (batch->cols < 0 || (cols >= 0 && batch->cols != cols))
        REFUSE("%s: the members of %s have %lld columns where the handle takes %lld%s", call, argument,
               (long long)batch->cols, cols < 0 ? 0LL : (long long)cols, cols < 0 ? " or more" : "");
    if (batch->place != CLSOLVE_ON_HOST && batch->place != CLSOLVE_ON_DEVICE)
        REFUSE("%s: %s has place %d: give CLSOLVE_ON_HOST or CLSOLVE_ON_DEVICE", call, argument, (int)batch->place);
    if (batch->offset < 0 || batch->offset > CLS_MOST_ELEMENTS ||
        (batch->place == CLSOLVE_ON_HOST && batch->offset != 0))
        REFUSE("%s: the offset of %s is %lld: on the host it is 0, and on a device an element of its buffer", call,
               argument, (long long)batch->offset);
    return validate_layout(error, call, argument, batch, written);
}
