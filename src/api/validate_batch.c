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

/* ---- members of orders of their own ---- */

typedef struct placed {
    int64_t begin, end;
} placed;

static int compare_placed(const void *a_, const void *b_) {
    const placed *a = a_, *b = b_;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The elements from a member's first to its last. */
static placed place_of(const clsolve_batch *b, int64_t m, int64_t order, int square) {
    const int64_t cols = square ? order : b->cols, begin = b->offsets ? b->offsets[m] : m * b->stride;
    const int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t line = by_column ? order : cols, lines = by_column ? cols : order, ld = b->ld > 0 ? b->ld : line;
    return (placed){begin, line == 0 || lines == 0 ? begin : begin + (lines - 1) * ld + line};
}

static clsolve_status validate_places(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                      const cls_orders *orders, int square) {
    placed *places = cls_alloc((size_t)orders->count, sizeof *places);
    int64_t count = 0, m = 1;
    placed one = {0, 0}, next = {0, 0};
    if (!places) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's offsets");
    for (int64_t k = 0; k < orders->count; ++k) {
        places[count] = place_of(b, k, orders->of[k], square);
        count += places[count].end > places[count].begin;
    }
    qsort(places, (size_t)count, sizeof *places, compare_placed);
    while (m < count && places[m].begin >= places[m - 1].end) ++m;
    const int apart = m >= count;
    if (!apart) one = places[m - 1], next = places[m];
    cls_free(places);
    if (!apart)
        REFUSE("%s: members of %s at the offsets %lld and %lld overlap: the first ends at %lld", call, name,
               (long long)one.begin, (long long)next.begin, (long long)one.end);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_ragged(cls_error *error, const char *call, const char *argument, const clsolve_batch *batch,
                                   clsolve_type type, const cls_orders *orders, int square, int written) {
    clsolve_batch loose;
    if (!batch) REFUSE("%s: %s is NULL", call, argument);
    loose = *batch;
    if (loose.ld == 0) {
        const int64_t line = loose.layout == CLSOLVE_COLUMN_MAJOR ? loose.rows : loose.cols;
        loose.ld = line > 0 ? line : 1;
    }
    CLS_TRY(cls_validate_batch(error, call, argument, &loose, type, orders->largest, square ? orders->largest : -1, 0));
    if (batch->count != orders->count)
        REFUSE("%s: %s has %lld members, the handle %lld", call, argument, (long long)batch->count,
               (long long)orders->count);
    return written && batch->rows > 0 && batch->cols > 0 ? validate_places(error, call, argument, batch, orders, square)
                                                         : CLSOLVE_OK;
}
