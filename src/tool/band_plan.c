#include "tool/band_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/dense.h"

/* ---- the pattern ---- */

static int is_pattern(const mm_matrix *A) {
    if (!A->sparse) return 0;
    for (int64_t e = 0; e < A->entries; e++)
        if (A->value[e] == 0) return 0;
    return 1;
}

/* The places of what is not zero, as compressed columns; 0 without memory. */
static int make_pattern(const mm_matrix *A, int64_t **start, int64_t **row) {
    int64_t count = 0;
    for (int64_t e = 0; e < A->entries; e++) count += A->value[e] != 0;
    *start = malloc(((size_t)A->cols + 1) * sizeof **start);
    *row = malloc(((size_t)count + 1) * sizeof **row);
    if (*start == NULL || *row == NULL) return 0;
    count = 0;
    for (int64_t j = 0; j < A->cols; j++) {
        int64_t first = A->sparse ? A->start[j] : j * A->rows, last = A->sparse ? A->start[j + 1] : first + A->rows;
        (*start)[j] = count;
        for (int64_t e = first; e < last; e++)
            if (A->value[e] != 0) (*row)[count++] = A->sparse ? A->row[e] : e - first;
    }
    (*start)[A->cols] = count;
    return 1;
}

/* ---- the plan ---- */

/* Each column has kl rows below its pivot and, with the fill-in of pivoting, kl + ku columns right of it. */
double band_plan_work(int64_t n, order_band band) {
    return 2.0 * (double)n * (double)band.kl * (double)(band.kl + band.ku + 1);
}

double band_plan_dense_work(int64_t n) {
    return 2.0 / 3.0 * (double)n * (double)n * (double)n;
}

static double stored(int64_t n, order_band band) {
    return (double)n * (double)(band.kl + band.ku + 1);
}

/* Work, and where there is none, memory. */
static int is_better(int64_t n, order_band a, order_band b) {
    double work = band_plan_work(n, a) - band_plan_work(n, b);
    return work < 0 || (work == 0 && stored(n, a) < stored(n, b));
}

static int make(int64_t n, const int64_t *start, const int64_t *row, band_plan *plan) {
    plan->before = plan->after = order_band_of(n, start, row, NULL);
    if (2.0 * (double)start[n] >= stored(n, plan->before)) return 1;
    plan->place = malloc(((size_t)n + 1) * sizeof *plan->place);
    if (plan->place == NULL || !order_reverse_cuthill_mckee(n, start, row, plan->place)) return 0;
    order_band after = order_band_of(n, start, row, plan->place);
    if (is_better(n, after, plan->before)) {
        plan->after = after;
    } else {
        free(plan->place);
        plan->place = NULL;
    }
    return 1;
}

exit_code band_plan_make(const char *what, const mm_matrix *A, band_plan *plan, outcome *out) {
    int64_t *start = A->start, *row = A->row;
    if (plan->made) return EXIT_CODE_OK;
    int owned = !is_pattern(A), fine = 1;
    if (owned) {
        start = row = NULL;
        fine = make_pattern(A, &start, &row);
    }
    fine = fine && make(A->rows, start, row, plan);
    plan->made = fine;
    if (owned) {
        free(start);
        free(row);
    }
    return fine ? EXIT_CODE_OK : outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory for its order", what);
}

void band_plan_free(band_plan *plan) {
    free(plan->place);
    *plan = (band_plan){0};
}

exit_code band_plan_check(const char *what, int64_t n, const band_plan *plan, outcome *out) {
    double kl = (double)plan->after.kl, ku = (double)plan->after.ku;
    /* The band here and, on a device in the host's memory, with its fill-in there. */
    double bytes = (double)n * (3 * kl + 2 * ku + 2) * sizeof(double), have = dense_host_memory();
    if (bytes <= have && bytes < (double)PTRDIFF_MAX) return EXIT_CODE_OK;
    return outcome_fail(out, EXIT_CODE_MEMORY,
                        "%s: out of host memory: n = %" PRId64 " with %" PRId64 " diagonals below and %" PRId64
                        " above the main one takes %.1f GB and this host has %.1f GB; use a larger host",
                        what, n, plan->after.kl, plan->after.ku, bytes / 1e9, have / 1e9);
}

/* ---- arrays ---- */

static int64_t place_of(const band_plan *plan, int64_t i) {
    return plan->place != NULL ? plan->place[i] : i;
}

/* 0: float cannot hold it. */
static int put(clsolve_matrix *view, int64_t at, double value) {
    if (view->type == CLSOLVE_F64) {
        ((double *)view->data)[at] = value;
        return 1;
    }
    ((float *)view->data)[at] = (float)value;
    return !isinf((float)value);
}

static exit_code too_large(const char *what, int64_t row, int64_t column, double value, outcome *out) {
    return outcome_fail(out, EXIT_CODE_FILE,
                        "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g, out of the range of single precision; use "
                        "--precision double or scale the matrix",
                        what, row + 1, column + 1, value);
}

static exit_code make_view(const char *what, int64_t rows, int64_t cols, clsolve_type type, clsolve_matrix *view,
                           outcome *out) {
    size_t size = type == CLSOLVE_F64 ? sizeof(double) : sizeof(float), count = (size_t)rows * (size_t)cols;
    void *memory = calloc(count > 0 ? count : 1, size);
    *view = clsolve_host_f64(rows, cols, memory);
    view->type = type;
    return memory != NULL ? EXIT_CODE_OK : outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", what);
}

exit_code band_plan_fill(const char *what, const mm_matrix *A, const band_plan *plan, clsolve_type type,
                         clsolve_matrix *AB, int64_t *lost, outcome *out) {
    int64_t rows = plan->after.kl + plan->after.ku + 1;
    exit_code code = make_view(what, rows, A->cols, type, AB, out);
    for (int64_t j = 0; code == EXIT_CODE_OK && j < A->cols; j++) {
        int64_t first = A->sparse ? A->start[j] : j * A->rows, last = A->sparse ? A->start[j + 1] : first + A->rows;
        for (int64_t e = first; e < last; e++) {
            int64_t i = A->sparse ? A->row[e] : e - first, to = place_of(plan, j);
            if (A->value[e] == 0) continue;
            if (!put(AB, plan->after.ku + place_of(plan, i) - to + to * rows, A->value[e]))
                return too_large(what, i, j, A->value[e], out);
            if (type == CLSOLVE_F32 && (float)A->value[e] == 0) ++*lost;
        }
    }
    return code;
}

exit_code band_plan_scatter(const char *what, const mm_matrix *B, const band_plan *plan, clsolve_type type,
                            clsolve_matrix *view, outcome *out) {
    int64_t n = B->rows;
    exit_code code = make_view(what, n, B->cols, type, view, out);
    for (int64_t j = 0; code == EXIT_CODE_OK && j < B->cols; j++)
        for (int64_t i = 0; i < n; i++)
            if (!put(view, place_of(plan, i) + j * n, B->value[i + j * n]))
                return too_large(what, i, j, B->value[i + j * n], out);
    return code;
}

void band_plan_gather(const clsolve_matrix *view, const band_plan *plan, mm_matrix *X) {
    int64_t n = X->rows;
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < n; i++) {
            int64_t at = place_of(plan, i) + j * n;
            X->value[i + j * n] =
                view->type == CLSOLVE_F64 ? ((double *)view->data)[at] : (double)((float *)view->data)[at];
        }
}
