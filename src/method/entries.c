#include "method/entries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/ref.h"

/* ---- the caller's arrays ---- */

static int64_t index_at(const clsolve_csr *A, const void *array, int64_t e) {
    return (A->index == CLSOLVE_I64 ? ((const int64_t *)array)[e] : ((const int32_t *)array)[e]) - A->base;
}

/* Real number k of the values: a complex entry has two. */
static double value_at(const clsolve_csr *A, int64_t k) {
    return cls_type_get(A->type, A->values, k);
}

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static clsolve_status check_view(cls_error *error, const char *call, int64_t n, clsolve_type type,
                                 const clsolve_csr *A) {
    if (!A || (n > 0 && !A->row_start)) REFUSE("%s: A or its row_start is NULL", call);
    if (!cls_type_is_known(A->type))
        REFUSE("%s: the type of A is %d%s: give a clsolve_type", call, (int)A->type, cls_type_hint(A->type));
    if (cls_is_complex(A->type) && !cls_is_complex(type))
        REFUSE("%s: A is complex (%s) and the handle is for %s: create it for complex matrices", call,
               cls_type_name(A->type), cls_type_name(type));
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

/* In the handle's type: a double may be none of its floats. */
static int is_finite(const clsolve_csr *A, int64_t e, clsolve_type type) {
    const int64_t parts = cls_type_parts(A->type);
    const double first = value_at(A, e * parts), last = value_at(A, e * parts + parts - 1);
    if (cls_double_type(type) != type) return isfinite((float)first) && isfinite((float)last);
    return isfinite(first) && isfinite(last);
}

clsolve_status cls_entries_check(cls_error *error, const char *call, const cls_entries_shape *shape,
                                 const clsolve_csr *A, const int64_t *rows, const int64_t *columns) {
    const int64_t n = shape->n, kl = shape->kl, ku = shape->ku;
    CLS_TRY(check_view(error, call, n, shape->type, A));
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
            if (!is_finite(A, e, shape->type))
                return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: entry (%lld, %lld) of A is NaN or Inf in %s", call,
                                (long long)i, (long long)j, cls_type_name(shape->type));
        }
    return CLSOLVE_OK;
}

/* ---- by columns ---- */

void cls_entries_free(cls_entries *entries) {
    cls_free(entries->start);
    cls_free(entries->row);
    cls_free(entries->value);
    *entries = (cls_entries){0};
}

/* Rows in their new order, so that those of a column ascend. */
static void fill_columns(const clsolve_csr *A, const int64_t *row_at, const int64_t *rows, const int64_t *columns,
                         int64_t *next, cls_entries *to) {
    for (int64_t k = 0; k < to->n; ++k) {
        const int64_t i = row_at ? row_at[k] : k;
        for (int64_t e = index_at(A, A->row_start, i); e < index_at(A, A->row_start, i + 1); ++e) {
            const int64_t at = next[placed(columns, index_at(A, A->column, e))]++;
            to->row[at] = placed(rows, i);
            for (int64_t p = 0; p < to->parts; ++p) to->value[at * to->parts + p] = value_at(A, e * to->parts + p);
        }
    }
}

/* Entries at one place follow each other: they become one. */
static void add_up(cls_entries *to) {
    const int64_t parts = to->parts;
    int64_t kept = 0;
    for (int64_t j = 0, e = 0; j < to->n; ++j) {
        const int64_t begin = kept, end = to->start[j + 1];
        for (; e < end; ++e) {
            const int again = kept > begin && to->row[kept - 1] == to->row[e];
            double *value = to->value + (again ? kept - 1 : kept) * parts;
            for (int64_t p = 0; p < parts; ++p)
                value[p] = again ? value[p] + to->value[e * parts + p] : to->value[e * parts + p];
            if (again) continue;
            to->row[kept++] = to->row[e];
        }
        to->start[j + 1] = kept;
    }
}

clsolve_status cls_entries_take(cls_error *error, const clsolve_csr *A, const int64_t *rows, const int64_t *columns,
                                cls_entries *to) {
    const int64_t n = A->rows, count = n > 0 ? index_at(A, A->row_start, n) : 0;
    *to = (cls_entries){.n = n, .parts = cls_type_parts(A->type)};
    int64_t *next = cls_alloc((size_t)n + 1, sizeof *next),
            *row_at = rows ? cls_alloc((size_t)n, sizeof *row_at) : NULL;
    to->start = cls_alloc((size_t)n + 1, sizeof *to->start);
    to->row = cls_alloc((size_t)count + 1, sizeof *to->row);
    to->value = cls_alloc((size_t)count + 1, (size_t)to->parts * sizeof *to->value);
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
    cls_entries_free(to);
    return cls_no_memory(error, "%lld entries by columns", (long long)count);
}

void cls_entries_put(const cls_entries *entries, int64_t e, clsolve_type type, void *array, int64_t at) {
    const int64_t parts = cls_type_parts(type);
    for (int64_t p = 0; p < parts; ++p)
        cls_type_put(type, array, at * parts + p, p < entries->parts ? entries->value[e * entries->parts + p] : 0);
}

void cls_entries_spell(const cls_entries *entries, clsolve_type type, void *array) {
    for (int64_t j = 0; j < entries->n; ++j)
        for (int64_t e = entries->start[j]; e < entries->start[j + 1]; ++e)
            cls_entries_put(entries, e, type, array, j * entries->n + entries->row[e]);
}

/* ---- to the device ---- */

int cls_entries_are_few(const cls_entries *entries, clsolve_type type, int64_t elements) {
    const int64_t number = (int64_t)sizeof(int64_t) + cls_type_size(cls_real_type(type));
    return entries->start[entries->n] * number * cls_type_parts(type) < elements * cls_type_size(type);
}

clsolve_status cls_passage_open(cls_device *device, clsolve_type type, int64_t entries, cls_passage *p) {
    enum { MOST = 1 << 22 };
    cls_program *program;
    char options[96];
    const clsolve_type real = cls_real_type(type);
    const size_t size = (size_t)cls_type_size(real);
    const int64_t parts = cls_type_parts(type), numbers = entries < MOST / parts ? entries * parts : MOST;

    *p = (cls_passage){
        .device = device, .type = type, .entries = numbers / parts, .local = (size_t)cls_work_group(device, 64)};
    p->places = cls_alloc((size_t)numbers, sizeof *p->places);
    p->values = cls_alloc((size_t)numbers, size);
    if (!p->places || !p->values) return cls_no_memory(device->error, "entries on their way");
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(real), (int)p->local);
    CLS_TRY(device->ops->program_get(device, "scatter", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "scatter", &p->kernel));
    CLS_TRY(device->ops->buffer_create(device, (size_t)numbers * sizeof *p->places, &p->place));
    return device->ops->buffer_create(device, (size_t)numbers * size, &p->value);
}

void cls_passage_close(cls_passage *p) {
    cls_device *device = p->device;
    const cls_error first = *device->error; /* the wait may overwrite it */

    (void)device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, p->place);
    device->ops->buffer_destroy(device, p->value);
    device->ops->kernel_destroy(device, p->kernel);
    cls_free(p->places);
    cls_free(p->values);
    *device->error = first;
}

clsolve_status cls_passage_cross(cls_passage *p, cls_buffer *to) {
    enum { GROUPS = 4096 };
    cls_device *device = p->device;
    const int64_t numbers = p->count * cls_type_parts(p->type);
    const size_t places = (size_t)numbers * sizeof *p->places;
    const size_t values = (size_t)(numbers * cls_type_size(cls_real_type(p->type)));
    const cls_rect rect[2] = {{places, 1, 0, places, places}, {values, 1, 0, values, values}};
    size_t groups = ((size_t)numbers + p->local - 1) / p->local;
    if (groups > GROUPS) groups = GROUPS;
    const cls_grid grid = {{groups * p->local, 1, 1}, {p->local, 1, 1}};
    const cls_arg args[] = {CLS_BUFFER(p->place), CLS_BUFFER(p->value), CLS_VALUE(numbers), CLS_BUFFER(to)};

    if (p->count == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, p->place, p->places, &rect[0], NULL, NULL));
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, p->value, p->values, &rect[1], NULL, NULL));
    CLS_TRY(cls_launch(device, CLS_COMPUTE, p->kernel, &grid, CLS_ARGS(args)));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* the arrays are filled anew */
    p->count = 0;
    return CLSOLVE_OK;
}

clsolve_status cls_passage_put(cls_passage *p, const cls_entries *entries, int64_t e, cls_buffer *to, int64_t place) {
    const int64_t parts = cls_type_parts(p->type);

    if (p->count == p->entries) CLS_TRY(cls_passage_cross(p, to));
    for (int64_t k = 0; k < parts; ++k) p->places[p->count * parts + k] = place * parts + k;
    cls_entries_put(entries, e, p->type, p->values, p->count);
    p->count++;
    return CLSOLVE_OK;
}

/* ---- into a dense matrix ---- */

static void scatter_mapped(const cls_entries *entries, int64_t begin, int64_t cols, const cls_matrix *to) {
    for (int64_t c = 0; c < cols; ++c) {
        void *column = cls_matrix_host(to, 0, c);
        memset(column, 0, (size_t)(entries->n * cls_type_size(to->type)));
        for (int64_t e = entries->start[begin + c]; e < entries->start[begin + c + 1]; ++e)
            cls_entries_put(entries, e, to->type, column, entries->row[e]);
    }
}

/* Columns that lie in one slab, from column c of `to` on. */
static clsolve_status scatter_run(cls_passage *p, const cls_entries *entries, int64_t begin, int64_t c, int64_t run,
                                  const cls_matrix *matrix) {
    const cls_device_ops *ops = p->device->ops;
    const int64_t size = cls_type_size(matrix->type);
    const cls_ref to = cls_matrix_at(matrix, 0, c);

    CLS_TRY(ops->fill(p->device, CLS_COMPUTE, to.buffer, (size_t)(to.offset * size), (size_t)(run * to.ld * size), 0));
    for (int64_t j = 0; j < run; ++j)
        for (int64_t e = entries->start[begin + c + j]; e < entries->start[begin + c + j + 1]; ++e)
            CLS_TRY(cls_passage_put(p, entries, e, to.buffer, to.offset + j * to.ld + entries->row[e]));
    return cls_passage_cross(p, to.buffer);
}

clsolve_status cls_entries_scatter(cls_device *device, const cls_entries *entries, int64_t begin, int64_t cols,
                                   const cls_matrix *to) {
    const int64_t count = entries->start[begin + cols] - entries->start[begin];
    cls_passage p;

    if (to->mapped) {
        scatter_mapped(entries, begin, cols, to);
        return CLSOLVE_OK;
    }
    clsolve_status status = cls_passage_open(device, to->type, count > 0 ? count : 1, &p);
    for (int64_t c = 0, run; c < cols && status == CLSOLVE_OK; c += run) {
        run = cls_matrix_run(to, c, cols);
        status = scatter_run(&p, entries, begin, c, run, to);
    }
    cls_passage_close(&p);
    return status;
}
