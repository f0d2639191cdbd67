#include "base/csr.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "base/type.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static int64_t index_at(const clsolve_csr *view, const void *array, int64_t at) {
    return view->index == CLSOLVE_I32 ? ((const int32_t *)array)[at] : ((const int64_t *)array)[at];
}

/* The first entry of row i, counted from 0. */
static int64_t start_of(const clsolve_csr *view, int64_t i) {
    return index_at(view, view->row_start, i) - view->base;
}

static int64_t column_of(const clsolve_csr *view, int64_t e) {
    return index_at(view, view->column, e) - view->base;
}

/* ---- checks ---- */

static clsolve_status check_shape(cls_error *error, const char *call, const clsolve_csr *view) {
    if (!view) REFUSE("%s: A is NULL", call);
    if (!cls_type_is_known(view->type))
        REFUSE("%s: the type of A is %d%s: give CLSOLVE_F32 or CLSOLVE_F64, CLSOLVE_C32 or CLSOLVE_C64", call,
               (int)view->type, cls_type_hint(view->type));
    if (view->index != CLSOLVE_I32 && view->index != CLSOLVE_I64)
        REFUSE("%s: the index type of A is %d: give CLSOLVE_I32 or CLSOLVE_I64", call, (int)view->index);
    if (view->base != 0 && view->base != 1) REFUSE("%s: the base of A is %d: give 0 or 1", call, (int)view->base);
    if (view->rows < 0 || view->cols < 0 || view->rows > CLS_MOST_ELEMENTS)
        REFUSE("%s: A is %lld x %lld: no matrix has this size", call, (long long)view->rows, (long long)view->cols);
    if (view->rows != view->cols)
        REFUSE("%s: A is %lld x %lld: a linear system has a square matrix", call, (long long)view->rows,
               (long long)view->cols);
    if (!view->row_start) REFUSE("%s: row_start of A is NULL: it has rows + 1 elements", call);
    return CLSOLVE_OK;
}

/* Row numbers in messages count from the view's own base. */
static clsolve_status check_pattern(cls_error *error, const char *call, const clsolve_csr *view) {
    int64_t n = view->rows, base = view->base;
    CLS_TRY(check_shape(error, call, view));
    if (start_of(view, 0) != 0)
        REFUSE("%s: row_start of A begins with %lld: its first element is the base, %lld", call,
               (long long)(start_of(view, 0) + base), (long long)base);
    for (int64_t i = 0; i < n; i++)
        if (start_of(view, i + 1) < start_of(view, i))
            REFUSE("%s: row_start of A falls from %lld to %lld after row %lld, counted from %lld: it must ascend", call,
                   (long long)(start_of(view, i) + base), (long long)(start_of(view, i + 1) + base),
                   (long long)(i + base), (long long)base);
    if (start_of(view, n) > CLS_MOST_ELEMENTS)
        REFUSE("%s: A has %lld entries, more than memory can hold", call, (long long)start_of(view, n));
    if (start_of(view, n) > 0 && !view->column) REFUSE("%s: column of A is NULL", call);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = start_of(view, i); e < start_of(view, i + 1); e++)
            if (column_of(view, e) < 0 || column_of(view, e) >= n)
                REFUSE("%s: row %lld of A has an entry in column %lld: columns are %lld .. %lld", call,
                       (long long)(i + base), (long long)(column_of(view, e) + base), (long long)base,
                       (long long)(n - 1 + base));
    return CLSOLVE_OK;
}

static int is_sorted(const clsolve_csr *view) {
    for (int64_t i = 0; i < view->rows; i++)
        for (int64_t e = start_of(view, i) + 1; e < start_of(view, i + 1); e++)
            if (column_of(view, e) <= column_of(view, e - 1)) return 0;
    return 1;
}

/* ---- the pattern ---- */

static void copy_sorted(const clsolve_csr *view, cls_csr *csr) {
    for (int64_t i = 0; i <= csr->n; i++) csr->start[i] = start_of(view, i);
    for (int64_t e = 0; e < csr->given; e++) csr->column[e] = column_of(view, e);
    csr->entries = csr->given;
}

/* The caller's entries, column by column, rows ascending in each. `first`: n + 1, row, entry: one for each entry. */
static void list_by_column(const clsolve_csr *view, int64_t *first, int64_t *row, int64_t *entry) {
    int64_t n = view->rows;
    for (int64_t e = 0; e < start_of(view, n); e++)
        if (column_of(view, e) + 1 < n) first[column_of(view, e) + 1]++;
    for (int64_t j = 1; j < n; j++) first[j] += first[j - 1];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = start_of(view, i); e < start_of(view, i + 1); e++) {
            int64_t at = first[column_of(view, e)]++;
            row[at] = i;
            entry[at] = e;
        }
}

/* Columns come in ascending order and append to their rows, so each row is sorted, in time proportional to the
 * entries. */
static void copy_unsorted(const clsolve_csr *view, int64_t *end, const int64_t *row, const int64_t *entry,
                          cls_csr *csr) {
    int64_t n = csr->n, kept = 0;
    for (int64_t i = 0; i < n; i++) end[i] = start_of(view, i);
    for (int64_t q = 0; q < csr->given; q++) {
        int64_t i = row[q], j = column_of(view, entry[q]), first = start_of(view, i);
        int again = end[i] > first && csr->column[end[i] - 1] == j;
        if (!again) csr->column[end[i]++] = j;
        csr->slot[entry[q]] = end[i] - 1 - first; /* in the row, for now */
    }
    for (int64_t i = 0; i < n; i++) { /* close the gaps that equal entries left */
        int64_t first = start_of(view, i), count = end[i] - first;
        csr->start[i] = kept;
        memmove(csr->column + kept, csr->column + first, (size_t)count * sizeof *csr->column);
        for (int64_t e = first; e < start_of(view, i + 1); e++) csr->slot[e] += kept;
        kept += count;
    }
    csr->start[n] = csr->entries = kept;
}

static int sort_pattern(const clsolve_csr *view, cls_csr *csr) {
    size_t room = (size_t)csr->given + 1;
    int64_t *first = cls_alloc((size_t)csr->n + 1, sizeof *first), *row = cls_alloc(room, sizeof *row);
    int64_t *entry = cls_alloc(room, sizeof *entry);
    csr->slot = cls_alloc(room, sizeof *csr->slot);
    int fine = first && row && entry && csr->slot;
    if (fine) {
        list_by_column(view, first, row, entry);
        copy_unsorted(view, first, row, entry, csr);
    }
    cls_free(first);
    cls_free(row);
    cls_free(entry);
    return fine;
}

clsolve_status cls_csr_take_pattern(cls_error *error, const char *call, const clsolve_csr *view, cls_csr *csr) {
    *csr = (cls_csr){0};
    CLS_TRY(check_pattern(error, call, view));
    csr->n = view->rows;
    csr->given = start_of(view, view->rows);
    csr->start = cls_alloc((size_t)csr->n + 1, sizeof *csr->start);
    csr->column = cls_alloc((size_t)csr->given + 1, sizeof *csr->column);
    csr->parts = cls_type_parts(view->type);
    csr->value = cls_alloc((size_t)csr->given + 1, (size_t)csr->parts * sizeof *csr->value);
    int fine = csr->start && csr->column && csr->value;
    if (fine && is_sorted(view))
        copy_sorted(view, csr);
    else
        fine = fine && sort_pattern(view, csr);
    if (fine) return CLSOLVE_OK;
    cls_csr_free(csr);
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for a copy of A: %lld rows, %lld entries",
                    call, (long long)view->rows, (long long)start_of(view, view->rows));
}

void cls_csr_free(cls_csr *csr) {
    cls_free(csr->start);
    cls_free(csr->column);
    cls_free(csr->value);
    cls_free(csr->slot);
    *csr = (cls_csr){0};
}

/* ---- the values ---- */

/* Entries that are compared or copied by one thread at a time. */
enum { SLICE = 1 << 16 };

/* A view whose entries are those of `csr`, in their order. */
typedef struct same_order {
    const clsolve_csr *view;
    const cls_csr *csr;
    clsolve_sparse_part part; /* of the values */
    int hermitian;
    atomic_int fails;
} same_order;

static int slices_run(same_order *same, void (*work)(void *same, int64_t slice), int64_t count) {
    cls_job job = {.work = work, .what = same, .parts = (count + SLICE - 1) / SLICE};
    cls_pool_run(job.parts > 1 ? same->csr->pool : NULL, &job);
    return !same->fails;
}

static int64_t slice_end(int64_t slice, int64_t count) {
    return (slice + 1) * SLICE < count ? (slice + 1) * SLICE : count;
}

/* Without branches: so compilers use wide registers. */
CLS_CLONES static int64_t narrow_differ(const int32_t *given, int64_t base, const int64_t *mine, int64_t count) {
    int64_t differ = 0;
    for (int64_t k = 0; k < count; k++) differ |= given[k] ^ (mine[k] + base);
    return differ;
}

CLS_CLONES static int64_t wide_differ(const int64_t *given, int64_t base, const int64_t *mine, int64_t count) {
    int64_t differ = 0;
    for (int64_t k = 0; k < count; k++) differ |= given[k] ^ (mine[k] + base);
    return differ;
}

static int64_t indices_differ(const clsolve_csr *view, const void *given, const int64_t *mine, int64_t from,
                              int64_t to) {
    return view->index == CLSOLVE_I32 ? narrow_differ((const int32_t *)given + from, view->base, mine + from, to - from)
                                      : wide_differ((const int64_t *)given + from, view->base, mine + from, to - from);
}

static void compare_columns(void *what, int64_t slice) {
    same_order *same = what;
    const int64_t end = slice_end(slice, same->csr->given);
    if (indices_differ(same->view, same->view->column, same->csr->column, slice * SLICE, end)) same->fails = 1;
}

static void compare_starts(void *what, int64_t slice) {
    same_order *same = what;
    const int64_t end = slice_end(slice, same->csr->n + 1);
    if (indices_differ(same->view, same->view->row_start, same->csr->start, slice * SLICE, end)) same->fails = 1;
}

/* The usual case at the speed of memory: no entry was moved, and all indices are the same. */
static int is_copy(const clsolve_csr *view, const cls_csr *csr) {
    same_order same = {.view = view, .csr = csr};
    if (csr->slot || csr->given == 0) return 0;
    return slices_run(&same, compare_starts, csr->n + 1) && slices_run(&same, compare_columns, csr->given);
}

clsolve_status cls_csr_check_same(cls_error *error, const char *call, const clsolve_csr *view, const cls_csr *csr) {
    CLS_TRY(check_shape(error, call, view));
    if (view->rows != csr->n)
        REFUSE("%s: A has %lld rows where the solver has %lld", call, (long long)view->rows, (long long)csr->n);
    if (start_of(view, 0) != 0 || start_of(view, csr->n) != csr->given)
        REFUSE("%s: A has %lld entries where the solver's pattern has %lld", call, (long long)start_of(view, csr->n),
               (long long)csr->given);
    if (csr->given > 0 && (!view->column || !view->values)) REFUSE("%s: column or values of A is NULL", call);
    if (is_copy(view, csr)) return CLSOLVE_OK;
    for (int64_t i = 0; i < csr->n; i++) {
        int64_t first = start_of(view, i), last = start_of(view, i + 1);
        int same = first >= 0 && first <= last && last <= csr->given;
        for (int64_t e = first; same && e < last; e++) {
            int64_t at = csr->slot ? csr->slot[e] : e;
            same = at >= csr->start[i] && at < csr->start[i + 1] && csr->column[at] == column_of(view, e);
        }
        if (!same)
            REFUSE("%s: row %lld of A, counted from %lld, has another pattern than the solver was made for: make a new "
                   "solver",
                   call, (long long)(i + view->base), (long long)view->base);
    }
    return CLSOLVE_OK;
}

static int64_t row_of_entry(const cls_csr *csr, int64_t at) {
    int64_t low = 0, high = csr->n - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (csr->start[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

CLS_CLONES static int64_t not_finite(const double *value, int64_t count) {
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++) found |= fabs(value[k]) <= DBL_MAX ? 0 : 1;
    return found;
}

/* Looks for NaN and Inf while the slice is in a cache. */
static void copy_values(void *what, int64_t slice) {
    same_order *same = what;
    const int64_t parts = same->csr->parts, from = slice * SLICE * parts;
    const int64_t count = slice_end(slice, same->csr->entries) * parts - from;
    double *to = same->csr->value + from;
    if (cls_is_double(same->view->type))
        memcpy(to, (const double *)same->view->values + from, (size_t)count * sizeof *to);
    else
        for (int64_t k = 0; k < count; k++) to[k] = (double)((const float *)same->view->values)[from + k];
    if (not_finite(to, count)) same->fails = 1;
}

/* Entries that are not read become 0. */
static void clear_unread(void *what, int64_t slice) {
    same_order *same = what;
    const cls_csr *csr = same->csr;
    const int64_t parts = csr->parts, end = slice_end(slice, csr->n);
    for (int64_t i = slice * SLICE; i < end; i++)
        for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
            if (same->hermitian && csr->column[e] == i && parts == 2) csr->value[2 * e + 1] = 0;
            if (cls_sparse_reads(same->part, i, csr->column[e])) continue;
            for (int64_t p = 0; p < parts; p++) csr->value[e * parts + p] = 0;
        }
}

/* The usual case: 1 unless a value is not finite, which may be one that is not read. */
static int copy_in_order(const clsolve_csr *view, clsolve_sparse_part part, int hermitian, const cls_csr *csr) {
    same_order same = {.view = view, .csr = csr, .part = part, .hermitian = hermitian};
    if (csr->slot || !view->values) return 0;
    if (!slices_run(&same, copy_values, csr->entries)) return 0;
    if (part != CLSOLVE_SPARSE_WHOLE || (hermitian && csr->parts == 2)) (void)slices_run(&same, clear_unread, csr->n);
    return 1;
}

static void add_values(const clsolve_csr *view, clsolve_sparse_part part, int hermitian, cls_csr *csr) {
    const int64_t parts = csr->parts;
    memset(csr->value, 0, (size_t)(csr->entries * parts) * sizeof *csr->value);
    for (int64_t e = 0, i = 0; e < csr->given; e++) {
        const int64_t at = csr->slot ? csr->slot[e] : e, j = csr->column[at];
        while (at >= csr->start[i + 1]) i++; /* rows come in their order */
        const int64_t read = hermitian && i == j ? 1 : cls_sparse_reads(part, i, j) ? parts : 0;
        for (int64_t p = 0; p < read; p++)
            csr->value[at * parts + p] += cls_type_get(view->type, view->values, e * parts + p);
    }
}

clsolve_status cls_csr_take_values(cls_error *error, const char *call, const clsolve_csr *view,
                                   clsolve_sparse_part part, int hermitian, cls_csr *csr) {
    const int64_t parts = csr->parts;
    if (copy_in_order(view, part, hermitian, csr)) return CLSOLVE_OK;
    add_values(view, part, hermitian, csr);
    for (int64_t k = 0; k < csr->entries * parts; k++) {
        double value = csr->value[k];
        if (!cls_is_double(view->type)) csr->value[k] = value = (double)(float)value; /* sums of several entries */
        if (isfinite(value)) continue;
        int64_t row = row_of_entry(csr, k / parts);
        return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: A(%lld,%lld), counted from 1, is NaN or Inf", call,
                        (long long)row + 1, (long long)csr->column[k / parts] + 1);
    }
    return CLSOLVE_OK;
}

void cls_csr_each(const cls_csr *csr, int transposed, cls_csr_seen see, void *user) {
    for (int64_t i = 0; i < csr->n; i++)
        for (int64_t e = csr->start[i]; e < csr->start[i + 1]; e++) {
            int64_t j = csr->column[e];
            see(user, transposed ? j : i, transposed ? i : j, csr->value + e * csr->parts);
        }
}
