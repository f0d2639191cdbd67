#include "method/band/entries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- the caller's arrays ---- */

static int64_t index_at(const clsolve_csr *A, const void *array, int64_t e) {
    return (A->index == CLSOLVE_I64 ? ((const int64_t *)array)[e] : ((const int32_t *)array)[e]) - A->base;
}

static double value_at(const clsolve_csr *A, int64_t e) {
    return A->type == CLSOLVE_F64 ? ((const double *)A->values)[e] : (double)((const float *)A->values)[e];
}

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static clsolve_status check_view(cls_error *error, const char *call, int64_t n, const clsolve_csr *A) {
    if (!A || (n > 0 && !A->row_start)) REFUSE("%s: A or its row_start is NULL", call);
    if (A->type != CLSOLVE_F32 && A->type != CLSOLVE_F64)
        REFUSE("%s: the type of A is %d: CLSOLVE_F32 or CLSOLVE_F64", call, (int)A->type);
    if (A->index != CLSOLVE_I32 && A->index != CLSOLVE_I64)
        REFUSE("%s: the index of A is %d: CLSOLVE_I32 or CLSOLVE_I64", call, (int)A->index);
    if (A->base != 0 && A->base != 1) REFUSE("%s: the base of A is %d: 0 or 1", call, (int)A->base);
    if (A->rows != n || A->cols != n)
        REFUSE("%s: A has %lld rows and %lld columns, the handle is for %lld", call, (long long)A->rows,
               (long long)A->cols, (long long)n);
    if (n == 0) return CLSOLVE_OK;
    if (index_at(A, A->row_start, 0) != 0) REFUSE("%s: row_start does not begin with the base", call);
    for (int64_t i = 0; i < n; ++i)
        if (index_at(A, A->row_start, i + 1) < index_at(A, A->row_start, i))
            REFUSE("%s: row_start descends at row %lld", call, (long long)i);
    if (index_at(A, A->row_start, n) > 0 && (!A->column || !A->values))
        REFUSE("%s: column or values of A is NULL", call);
    return CLSOLVE_OK;
}

static clsolve_status check_numbers(cls_error *error, const char *call, const char *name, int64_t n,
                                    const int64_t *place) {
    if (!place || n == 0) return CLSOLVE_OK;
    unsigned char *seen = cls_alloc((size_t)n, 1);
    int64_t wrong = -1;
    if (!seen) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to check `%s`", name);
    for (int64_t i = 0; i < n && wrong < 0; ++i) {
        if (place[i] < 0 || place[i] >= n || seen[place[i]])
            wrong = i;
        else
            seen[place[i]] = 1;
    }
    cls_free(seen);
    if (wrong < 0) return CLSOLVE_OK;
    REFUSE("%s: `%s` is no permutation of 0 to %lld: element %lld is %lld", call, name, (long long)n - 1,
           (long long)wrong, (long long)place[wrong]);
}

static int64_t placed(const int64_t *place, int64_t i) {
    return place ? place[i] : i;
}

clsolve_status cls_band_entries_check(cls_error *error, const char *call, int64_t n, int64_t kl, int64_t ku,
                                      const clsolve_csr *A, const int64_t *rows, const int64_t *columns) {
    CLS_TRY(check_view(error, call, n, A));
    CLS_TRY(check_numbers(error, call, "rows", n, rows));
    CLS_TRY(check_numbers(error, call, "columns", n, columns));
    for (int64_t i = 0; i < n; ++i)
        for (int64_t e = index_at(A, A->row_start, i); e < index_at(A, A->row_start, i + 1); ++e) {
            int64_t j = index_at(A, A->column, e);
            if (j < 0 || j >= n)
                REFUSE("%s: entry %lld, in row %lld, is in column %lld of %lld", call, (long long)e, (long long)i,
                       (long long)j, (long long)n);
            int64_t row = placed(rows, i), column = placed(columns, j);
            if (row - column > kl || column - row > ku)
                REFUSE(
                    "%s: entry (%lld, %lld) of A comes to (%lld, %lld), outside of a band of %lld diagonals below and "
                    "%lld above",
                    call, (long long)i, (long long)j, (long long)row, (long long)column, (long long)kl, (long long)ku);
            if (!isfinite(value_at(A, e)))
                return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: entry (%lld, %lld) of A is NaN or Inf", call,
                                (long long)i, (long long)j);
        }
    return CLSOLVE_OK;
}

/* ---- by columns ---- */

void cls_band_entries_free(cls_band_entries *entries) {
    cls_free(entries->start);
    cls_free(entries->row);
    cls_free(entries->value);
    *entries = (cls_band_entries){0};
}

/* Rows in their new order, so that those of a column ascend. */
static void fill_columns(const clsolve_csr *A, const int64_t *row_at, const int64_t *rows, const int64_t *columns,
                         int64_t *next, cls_band_entries *to) {
    for (int64_t k = 0; k < to->n; ++k) {
        const int64_t i = row_at ? row_at[k] : k;
        for (int64_t e = index_at(A, A->row_start, i); e < index_at(A, A->row_start, i + 1); ++e) {
            const int64_t at = next[placed(columns, index_at(A, A->column, e))]++;
            to->row[at] = placed(rows, i);
            to->value[at] = value_at(A, e);
        }
    }
}

/* Entries at one place follow each other: they become one. */
static void add_up(cls_band_entries *to) {
    int64_t kept = 0;
    for (int64_t j = 0, e = 0; j < to->n; ++j) {
        const int64_t begin = kept, end = to->start[j + 1];
        for (; e < end; ++e) {
            if (kept > begin && to->row[kept - 1] == to->row[e]) {
                to->value[kept - 1] += to->value[e];
                continue;
            }
            to->row[kept] = to->row[e];
            to->value[kept++] = to->value[e];
        }
        to->start[j + 1] = kept;
    }
}

clsolve_status cls_band_entries_take(cls_error *error, const clsolve_csr *A, const int64_t *rows,
                                     const int64_t *columns, cls_band_entries *to) {
    const int64_t n = A->rows, count = n > 0 ? index_at(A, A->row_start, n) : 0;
    *to = (cls_band_entries){.n = n};
    int64_t *next = cls_alloc((size_t)n + 1, sizeof *next),
            *row_at = rows ? cls_alloc((size_t)n, sizeof *row_at) : NULL;
    to->start = cls_alloc((size_t)n + 1, sizeof *to->start);
    to->row = cls_alloc((size_t)count + 1, sizeof *to->row);
    to->value = cls_alloc((size_t)count + 1, sizeof *to->value);
    const int there = next && to->start && to->row && to->value && (!rows || n == 0 || row_at);
    if (there) {
        for (int64_t e = 0; e < count; ++e) ++to->start[placed(columns, index_at(A, A->column, e)) + 1];
        for (int64_t j = 0; j < n; ++j) to->start[j + 1] += to->start[j];
        for (int64_t j = 0; j < n; ++j) next[j] = to->start[j];
        for (int64_t i = 0; rows && i < n; ++i) row_at[rows[i]] = i;
        fill_columns(A, row_at, rows, columns, next, to);
        add_up(to);
    }
    cls_free(next);
    cls_free(row_at);
    if (there) return CLSOLVE_OK;
    cls_band_entries_free(to);
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for %lld entries by columns", (long long)count);
}

/* ---- into the band ---- */

int cls_band_entries_are_few(const cls_band *band, const cls_band_entries *entries) {
    const int64_t entry = (int64_t)sizeof(int64_t) + cls_type_size(band->type);
    return entries->start[entries->n] * entry < band->n * (band->kl + band->ku + 1) * cls_type_size(band->type);
}

void cls_band_entries_pack(const cls_band *band, const cls_band_entries *entries, int64_t j, int64_t first, int64_t end,
                           void *to) {
    const size_t size = (size_t)cls_type_size(band->type);
    memset((char *)to + (size_t)first * size, 0, (size_t)(end - first) * size);
    for (int64_t e = entries->start[j]; e < entries->start[j + 1]; ++e) {
        const int64_t r = band->ku + entries->row[e] - j;
        if (band->type == CLSOLVE_F64)
            ((double *)to)[r] = entries->value[e];
        else
            ((float *)to)[r] = (float)entries->value[e];
    }
}

/* Entries on their way: what crosses at a time, here and on the device. */
typedef struct passage {
    cls_buffer *place, *value;
    int64_t *places;
    void *values;
    int64_t most, count;
    cls_kernel *kernel;
    size_t local;
} passage;

static clsolve_status passage_open(cls_band *band, int64_t entries, passage *p) {
    enum { MOST = 1 << 22 };
    cls_device *device = band->device;
    cls_program *program;
    char options[96];
    const size_t size = (size_t)cls_type_size(band->type);

    *p = (passage){.most = entries < MOST ? entries : MOST, .local = (size_t)cls_work_group(device, 64)};
    p->places = cls_alloc((size_t)p->most, sizeof *p->places);
    p->values = cls_alloc((size_t)p->most, size);
    if (!p->places || !p->values)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for entries on their way");
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(band->type), (int)p->local);
    CLS_TRY(device->ops->program_get(device, "scatter", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "scatter", &p->kernel));
    CLS_TRY(device->ops->buffer_create(device, (size_t)p->most * sizeof *p->places, &p->place));
    return device->ops->buffer_create(device, (size_t)p->most * size, &p->value);
}

static void passage_close(cls_band *band, passage *p) {
    cls_device *device = band->device;
    (void)device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, p->place);
    device->ops->buffer_destroy(device, p->value);
    device->ops->kernel_destroy(device, p->kernel);
    cls_free(p->places);
    cls_free(p->values);
}

/* What is in the arrays goes to its places in `to`. */
static clsolve_status passage_cross(cls_band *band, passage *p, cls_buffer *to) {
    enum { GROUPS = 4096 };
    cls_device *device = band->device;
    const size_t places = (size_t)p->count * sizeof *p->places;
    const size_t values = (size_t)(p->count * cls_type_size(band->type));
    const cls_rect rect[2] = {{places, 1, 0, places, places}, {values, 1, 0, values, values}};
    size_t groups = ((size_t)p->count + p->local - 1) / p->local;
    if (groups > GROUPS) groups = GROUPS;
    const cls_grid grid = {{groups * p->local, 1, 1}, {p->local, 1, 1}};
    const cls_arg args[] = {CLS_BUFFER(p->place), CLS_BUFFER(p->value), CLS_VALUE(p->count), CLS_BUFFER(to)};

    if (p->count == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, p->place, p->places, &rect[0], NULL, NULL));
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, p->value, p->values, &rect[1], NULL, NULL));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, p->kernel, &grid, CLS_ARGS(args)));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* the arrays are filled anew */
    p->count = 0;
    return CLSOLVE_OK;
}

/* Columns j .. j+run-1, which lie side by side. */
static clsolve_status scatter_run(cls_band *band, const cls_band_entries *entries, int64_t j, int64_t run, passage *p) {
    const cls_matrix m = cls_band_physical(band, j, run, 0, band->window.rows);
    for (int64_t c = j; c < j + run; ++c)
        for (int64_t e = entries->start[c]; e < entries->start[c + 1]; ++e) {
            if (p->count == p->most) CLS_TRY(passage_cross(band, p, m.slab[0]));
            p->places[p->count] = m.offset + (c - j) * m.ld + band->top + entries->row[e] - c;
            if (band->type == CLSOLVE_F64)
                ((double *)p->values)[p->count] = entries->value[e];
            else
                ((float *)p->values)[p->count] = (float)entries->value[e];
            p->count++;
        }
    return passage_cross(band, p, m.slab[0]);
}

clsolve_status cls_band_entries_scatter(cls_band *band, const cls_band_entries *entries) {
    passage p = {0};

    if (entries->start[entries->n] == 0) return CLSOLVE_OK;
    clsolve_status status = passage_open(band, entries->start[entries->n], &p);
    for (int64_t j = 0, run; j < band->n && status == CLSOLVE_OK; j += run) {
        run = cls_band_run(band, j, band->n);
        status = scatter_run(band, entries, j, run, &p);
    }
    cls_error first = *band->device->error; /* what closing waits for may overwrite it */
    passage_close(band, &p);
    if (status != CLSOLVE_OK) *band->device->error = first;
    return status;
}
