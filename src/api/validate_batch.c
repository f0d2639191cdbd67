#include "api/validate.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static clsolve_status validate_layout(cls_error *error, const char *call, const char *name, const clsolve_batch *b,
                                      int written) {
    int by_column = b->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t line = by_column ? b->rows : b->cols, lines = by_column ? b->cols : b->rows, most = INT64_MAX / 16;

    if (b->layout != CLSOLVE_COLUMN_MAJOR && b->layout != CLSOLVE_ROW_MAJOR)
        REFUSE("%s: %s has layout %d: give CLSOLVE_COLUMN_MAJOR or CLSOLVE_ROW_MAJOR", call, name, (int)b->layout);
    if (b->ld < line || b->ld < 1)
        REFUSE("%s: the ld of %s is %lld, smaller than its %s (%lld)", call, name, (long long)b->ld,
               by_column ? "rows" : "columns", (long long)(line > 0 ? line : 1));
    if (lines > 0 && b->ld > most / lines) REFUSE("%s: the ld of %s is more than memory can hold", call, name);
    if (b->count == 0 || line == 0 || lines == 0) return CLSOLVE_OK;
    if (!b->data) REFUSE("%s: the data of %s is NULL", call, name);
    int64_t extent = (lines - 1) * b->ld + line;
    if (!b->offsets && b->count > 1 && (b->stride < 0 || b->stride > most / b->count))
        REFUSE("%s: the stride of %s is %lld", call, name, (long long)b->stride);
    if (!b->offsets && b->count > 1 && written && b->stride < extent)
        REFUSE("%s: the stride of %s is %lld where a member takes %lld: they would overlap", call, name,
               (long long)b->stride, (long long)extent);
    for (int64_t m = 0; b->offsets && m < b->count; ++m)
        if (b->offsets[m] < 0 || b->offsets[m] > most)
            REFUSE("%s: offset %lld of %s is %lld", call, (long long)m, name, (long long)b->offsets[m]);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_batch(cls_error *error, const char *call, const char *argument, const clsolve_batch *batch,
                                  clsolve_type type, int64_t rows, int64_t cols, int written) {
    if (!batch) REFUSE("%s: %s is NULL", call, argument);
    if (batch->type != type)
        REFUSE("%s: %s is of type %d where the handle is of %d", call, argument, (int)batch->type, (int)type);
    if (batch->count < 0 || batch->count > INT64_MAX / 16)
        REFUSE("%s: %s has %lld members", call, argument, (long long)batch->count);
    if (batch->rows != rows || batch->cols < 0 || (cols >= 0 && batch->cols != cols))
        REFUSE("%s: the members of %s are %lld x %lld; the handle takes %lld x %lld (-1: any)", call, argument,
               (long long)batch->rows, (long long)batch->cols, (long long)rows, (long long)cols);
    return validate_layout(error, call, argument, batch, written);
}
