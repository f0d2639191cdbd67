/* rows.c: patterns for residuals on the device, made when they are first wanted; the range of the values. */
#include "method/fronts_device/rows.h"

#include <math.h>

#include "base/memory.h"
#include "device/staging.h"

enum { LANES = 32, EACH = 4, LONG = 64 }; /* LANES: of a row, at most; entries of each; rows of more are long */

void cls_device_rows_free(cls_device *device, cls_device_rows *rows) {
    CLS_BUFFERS_DESTROY(device, rows->start, rows->column, rows->entry);
    *rows = (cls_device_rows){0};
}

/* Rows as they are made on the host. */
typedef struct rows_made {
    int64_t *start;
    int32_t *column, *entry;
} rows_made;

/* Entry e of A, at (i, j), is one of row j too, or of that row alone. */
typedef struct rows_wanted {
    const cls_csr *A;
    clsolve_sparse_part part;
    int conjugates, transposed;
} rows_wanted;

static int is_mirrored(const rows_wanted *wanted, int64_t i, int64_t j) {
    return wanted->part != CLSOLVE_SPARSE_WHOLE && i != j;
}

/* start[i + 1]: the entries of row i; then where row i + 1 begins. */
static void count_entries(const rows_wanted *wanted, int64_t *start) {
    const cls_csr *A = wanted->A;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (!cls_sparse_reads(wanted->part, i, j)) continue;
            start[(wanted->transposed ? j : i) + 1]++;
            if (is_mirrored(wanted, i, j)) start[j + 1]++;
        }
    for (int64_t i = 0; i < A->n; i++) start[i + 1] += start[i];
}

/* `end`: n, where the next entry of each row goes. */
static void place_entries(const rows_wanted *wanted, const int32_t *at, int64_t *end, const rows_made *made) {
    const cls_csr *A = wanted->A;
    for (int64_t i = 0; i < A->n; i++) end[i] = made->start[i];
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t j = A->column[e];
            if (!cls_sparse_reads(wanted->part, i, j)) continue;
            const int64_t to = end[wanted->transposed ? j : i]++;
            made->column[to] = at[wanted->transposed ? i : j];
            made->entry[to] = (int32_t)e;
            if (!is_mirrored(wanted, i, j)) continue;
            const int64_t mirror = end[j]++;
            made->column[mirror] = at[i];
            made->entry[mirror] = (int32_t)(wanted->conjugates ? -1 - e : e);
        }
}

/* The entries of A as they stand. */
static int copy_rows(const cls_csr *A, const int32_t *at, rows_made *made) {
    made->column = cls_alloc((size_t)A->entries + 1, sizeof *made->column);
    for (int64_t e = 0; e < A->entries && made->column; e++) made->column[e] = at[A->column[e]];
    return made->column != NULL;
}

static int sort_rows(const rows_wanted *wanted, const int32_t *at, rows_made *made) {
    const size_t n = (size_t)wanted->A->n;
    int64_t *end = cls_alloc(n + 1, sizeof *end);
    made->start = cls_alloc(n + 1, sizeof *made->start);
    if (made->start && end) {
        count_entries(wanted, made->start);
        made->column = cls_alloc((size_t)made->start[n] + 1, sizeof *made->column);
        made->entry = cls_alloc((size_t)made->start[n] + 1, sizeof *made->entry);
    }
    const int fine = made->column && made->entry;
    if (fine) place_entries(wanted, at, end, made);
    cls_free(end);
    return fine;
}

/* Chooses how many work-items share a row. On a CPU each row is one work-item's. */
static void choose_lanes(const cls_device *device, const int64_t *start, int64_t n, cls_device_rows *rows) {
    rows->lanes = 1;
    if (device->info.type != CLSOLVE_DEVICE_CPU)
        while (rows->lanes < LANES && start[n] / n >= 2 * EACH * rows->lanes) rows->lanes *= 2;
    rows->limit = (int64_t)LONG * rows->lanes;
    for (int64_t i = 0; i < n; i++) rows->longer |= start[i + 1] - start[i] > rows->limit;
}

clsolve_status cls_device_rows_make(cls_device *device, const cls_csr *A, clsolve_sparse_part part, int conjugates,
                                    int transposed, const int32_t *at, cls_device_rows *rows) {
    const rows_wanted wanted = {A, part, conjugates, transposed};
    const int as_it_is = part == CLSOLVE_SPARSE_WHOLE && !transposed;
    rows_made made = {0};
    *rows = (cls_device_rows){0};
    const int room = as_it_is ? copy_rows(A, at, &made) : sort_rows(&wanted, at, &made);
    const int64_t *start = as_it_is ? A->start : made.start;
    clsolve_status status = CLSOLVE_OK;
    if (!room) status = cls_no_memory(device->error, "the rows of a matrix");
    if (status == CLSOLVE_OK) {
        const size_t count = (size_t)start[A->n];
        choose_lanes(device, start, A->n, rows);
        status = cls_bytes_make(device, start, (size_t)(A->n + 1) * sizeof *start, &rows->start);
        if (status == CLSOLVE_OK)
            status = cls_bytes_make(device, made.column, count * sizeof *made.column, &rows->column);
        if (status == CLSOLVE_OK && made.entry)
            status = cls_bytes_make(device, made.entry, count * sizeof *made.entry, &rows->entry);
    }
    cls_free(made.start);
    cls_free(made.column);
    cls_free(made.entry);
    if (status != CLSOLVE_OK) cls_device_rows_free(device, rows);
    return status;
}

/* ---- the range of values ---- */

enum { SLICE = 1 << 17, CHAINS = 4 }; /* values that a thread takes at a time; maxima that do not wait for each other */

typedef struct values_range {
    const double *value;
    int64_t count;
    double *most; /* of each slice */
} values_range;

static double largest_of(const double *value, int64_t count) {
    double most[CHAINS] = {0};
    int64_t k = 0;
    for (; k + CHAINS <= count; k += CHAINS)
        for (int c = 0; c < CHAINS; c++) most[c] = fabs(value[k + c]) > most[c] ? fabs(value[k + c]) : most[c];
    for (; k < count; k++) most[0] = fabs(value[k]) > most[0] ? fabs(value[k]) : most[0];
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

static void find_largest(void *what, int64_t slice) {
    const values_range *range = what;
    const int64_t from = slice * SLICE, left = range->count - from;
    range->most[slice] = largest_of(range->value + from, left < SLICE ? left : SLICE);
}

int cls_front_exponent(cls_device *device, const double *value, int64_t count) {
    const int64_t slices = (count + SLICE - 1) / SLICE;
    values_range range = {value, count, slices > 1 ? cls_alloc((size_t)slices, sizeof *range.most) : NULL};
    cls_job job = {.work = find_largest, .what = &range, .parts = slices};
    double most = range.most ? 0 : largest_of(value, count);
    int exponent = 0;
    if (range.most) cls_pool_run(cls_device_pool(device), &job);
    for (int64_t k = 0; range.most && k < slices; k++) most = fmax(most, range.most[k]);
    cls_free(range.most);
    (void)frexp(most, &exponent);
    return exponent;
}
