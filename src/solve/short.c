/*
 * short.c: a sparse system in one call without a solver. Passes over the entries:
 *
 *   scan       the pattern: in order? band, grid?
 *   spread     values into the band; sums, symmetry
 *   factor, and for each right-hand side solve and measure
 *
 * Whatever is unusual ends the short way, and a solver begins anew: entries out of order, NaN, a zero pivot, an answer
 * that misses what AUTO promises. So B is written at the end alone, and no failure has a message here.
 */
#include "solve/short.h"

#include <math.h>
#include <string.h>

#include "api/door.h"
#include "api/door_band.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cost/methods.h"
#include "cost/sparse.h"
#include "solve/solver.h"

/* Elements of a band for which copies and handles count. Operations of a band in the time that an order takes for an
 * entry. */
enum { SHORT_ELEMENTS = 1 << 22, ORDER_OPERATIONS = 64 };

typedef struct short_run {
    clsolve_csr A;
    int64_t n, entries, nrhs;
    int64_t nearest;       /* the diagonal nearest to +-1, without +-1 itself; 0: none */
    int64_t lines, length; /* a grid, else 0 */
    cls_door_band band;
    char *memory;  /* all of the arrays */
    char *x;       /* n x nrhs of the type */
    int64_t *next; /* n: spread's place in each row; NULL: symmetry is not asked for */
    int symmetric_pattern, symmetric;
    int sums_to_zero;
    double largest; /* of |a(i,j)| */
    double norm;    /* infinity norm */
    double backward;
} short_run;

static inline int64_t index_of(const clsolve_csr *A, const void *array, int64_t at) {
    return (A->index == CLSOLVE_I32 ? ((const int32_t *)array)[at] : ((const int64_t *)array)[at]) - A->base;
}

static inline double real_of(clsolve_type type, const void *array, int64_t at) {
    return type == CLSOLVE_F64 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static inline void set_real(clsolve_type type, void *array, int64_t at, double value) {
    if (type == CLSOLVE_F64)
        ((double *)array)[at] = value;
    else
        ((float *)array)[at] = (float)value;
}

/* ---- what is asked for ---- */

/* An option that says anything is the solver's. */
static int options_are_plain(const clsolve_solver_options *options) {
    static const clsolve_solver_options plain = {0};
    if (!options) return 1;
    clsolve_solver_options rest = *options;
    rest.nrhs = 0;
    return options->nrhs >= 0 && memcmp(&rest, &plain, sizeof rest) == 0;
}

static int view_is_plain(const clsolve_csr *A) {
    return (A->type == CLSOLVE_F64 || A->type == CLSOLVE_F32) && (A->index == CLSOLVE_I32 || A->index == CLSOLVE_I64) &&
           (A->base == 0 || A->base == 1) && A->rows == A->cols && A->rows > 0 && A->rows <= SHORT_ELEMENTS &&
           A->row_start && A->column && A->values;
}

static int sides_are_plain(const clsolve_csr *A, const clsolve_matrix *B) {
    cls_error unsaid;
    return B->place == CLSOLVE_ON_HOST && B->cols > 0 && B->cols <= SHORT_ELEMENTS / A->rows &&
           cls_validate_matrix(&unsaid, "", "B", B, A->type, A->rows, -1) == CLSOLVE_OK;
}

/* ---- the pattern ---- */

static int starts_ascend(short_run *run) {
    const clsolve_csr A = run->A;
    int64_t before = 0;
    if (index_of(&A, A.row_start, 0) != 0) return 0;
    for (int64_t i = 1; i <= run->n; i++) {
        int64_t start = index_of(&A, A.row_start, i);
        if (start < before) return 0;
        before = start;
    }
    run->entries = before;
    return 1;
}

/* Columns must ascend in each row. */
static int scan(short_run *run) {
    const clsolve_csr A = run->A;
    int64_t kl = 0, ku = 0, nearest = INT64_MAX;
    for (int64_t i = 0, e = 0; i < run->n; i++) {
        int64_t end = index_of(&A, A.row_start, i + 1), before = -1;
        for (; e < end; e++) {
            int64_t j = index_of(&A, A.column, e), below = i - j, off = below < 0 ? -below : below;
            if (j <= before || j >= run->n) return 0;
            before = j;
            kl = below > kl ? below : kl;
            ku = -below > ku ? -below : ku;
            nearest = off > 1 && off < nearest ? off : nearest;
        }
    }
    run->nearest = nearest < INT64_MAX ? nearest : 0;
    run->band.kl = kl;
    run->band.ku = ku;
    return kl + ku <= cls_door_band_most() && run->n <= SHORT_ELEMENTS / (2 * kl + ku + 1);
}

/* As find_grid of analysis.c has it; a tridiagonal matrix is one line. */
static void find_lines(short_run *run) {
    const clsolve_csr A = run->A;
    const int64_t M = run->nearest > 0 ? run->nearest : run->n;
    if (run->n % M != 0 || (M < run->n && (run->band.kl > M || run->band.ku > M))) return;
    for (int64_t i = 0, e = 0, in_line = 0; i < run->n; i++, in_line = in_line + 1 < M ? in_line + 1 : 0) {
        int64_t end = index_of(&A, A.row_start, i + 1);
        for (; e < end; e++) {
            int64_t off = index_of(&A, A.column, e) - i;
            int joins = (off == 1 && in_line == M - 1) || (off == -1 && in_line == 0);
            if (joins || (off > 1 && off != M) || (off < -1 && off != -M)) return;
        }
    }
    run->lines = run->n / M;
    run->length = M;
}

/* Could another order of rows and columns make the band narrower, and pay? A band that is half full is left as it is,
 * as by a solver. */
static int order_is_fine(const short_run *run) {
    const cls_order_band band = {.kl = run->band.kl, .ku = run->band.ku};
    if (2 * run->entries >= run->n * (band.kl + band.ku + 1)) return 1;
    if (cls_order_cannot_help(run->entries, run->lines, run->length)) return 1;
    return cls_band_work(run->n, band.kl, band.ku) <= (double)ORDER_OPERATIONS * (double)run->entries;
}

/* A host alone measures no bands: the model has their seconds. */
static int sparse_may_be_sooner(const clsolve_context *context, const short_run *run, double least) {
    const clsolve_device_info info = clsolve_context_device(context);
    const cls_rates machine = cls_rates_of(&info, run->A.type);
    const cls_cost_system system = {
        .n = run->n, .kl = run->band.kl, .ku = run->band.ku, .nrhs = run->nrhs, .type = run->A.type};
    return strcmp(info.backend, "host") == 0 && cls_cost_band(&machine, &system, CLS_BUILD_HERE) > least;
}

/* ---- the values ---- */

static int take_memory(short_run *run, int wants_symmetry) {
    const size_t size = run->A.type == CLSOLVE_F64 ? sizeof(double) : sizeof(float), n = (size_t)run->n;
    const size_t band = (size_t)(2 * run->band.kl + run->band.ku + 1) * n * size, sides = n * (size_t)run->nrhs * size;
    const size_t whole = (band + sides + 7) / 8 * 8, places = wants_symmetry ? n * sizeof *run->next : 0;
    run->memory = cls_alloc(whole + places + n * sizeof *run->band.pivots, 1);
    if (!run->memory) return 0;
    run->band.ab = run->memory;
    run->x = run->memory + band;
    run->next = wants_symmetry ? (int64_t *)(void *)(run->memory + whole) : NULL;
    run->band.pivots = (int32_t *)(void *)(run->memory + whole + places);
    return 1;
}

/* Rows come in their order, and so do the entries left of the diagonal in each row: the twin of an entry (i, j) right
 * of the diagonal is the next one of row j, or there is none. */
static inline void find_twin(short_run *run, int64_t i, int64_t j, double value) {
    const int64_t twin = index_of(&run->A, run->A.row_start, j) + run->next[j];
    if (twin >= run->entries || index_of(&run->A, run->A.column, twin) != i) {
        run->symmetric_pattern = 0;
        return;
    }
    run->next[j]++;
    if (real_of(run->A.type, run->A.values, twin) != value) run->symmetric = 0;
}

/* Sums decide as cls_analyse_values does. NaN and Inf make the sum so, and a sum beyond the range is as good. */
static int spread(short_run *run) {
    const clsolve_csr A = run->A;
    const int64_t step = 2 * run->band.kl + run->band.ku;
    const double small = 16 * cls_epsilon(A.type);
    run->symmetric_pattern = run->symmetric = run->sums_to_zero = 1;
    for (int64_t i = 0, e = 0; i < run->n; i++) {
        const int64_t end = index_of(&A, A.row_start, i + 1), diagonal = run->band.kl + run->band.ku + i;
        double sum = 0, size = 0;
        int64_t left = 0;
        for (; e < end; e++) {
            const int64_t j = index_of(&A, A.column, e);
            const double value = real_of(A.type, A.values, e), absolute = fabs(value);
            set_real(A.type, run->band.ab, diagonal + j * step, value);
            sum += value;
            size += absolute;
            run->largest = absolute > run->largest ? absolute : run->largest;
            left += j < i;
            if (run->next && j > i) find_twin(run, i, j, value);
        }
        if (!(size <= 0x1p1000)) return 0;
        if (run->next && left != run->next[i]) run->symmetric_pattern = 0;
        if (!(fabs(sum) <= small * size)) run->sums_to_zero = 0;
        run->norm = size > run->norm ? size : run->norm;
    }
    return 1;
}

/* ---- solve and measure ---- */

static int64_t element(const clsolve_matrix *B, int64_t i, int64_t j) {
    return B->layout == CLSOLVE_COLUMN_MAJOR ? i + j * B->ld : i * B->ld + j;
}

/* The backward error of column c, as accuracy.c has it: NaN where B or X holds NaN or Inf. */
static double measure(const short_run *run, const clsolve_matrix *B, int64_t c, const void *x) {
    const clsolve_csr A = run->A;
    double r = 0, b = 0, s = 0, odd = 0;
    for (int64_t i = 0, e = 0; i < run->n; i++) {
        const int64_t end = index_of(&A, A.row_start, i + 1);
        const double right = real_of(A.type, B->data, element(B, i, c)), own = fabs(real_of(A.type, x, i));
        long double sum = right;
        for (; e < end; e++)
            sum -= (long double)real_of(A.type, A.values, e) * real_of(A.type, x, index_of(&A, A.column, e));
        const double rest = fabs((double)sum);
        odd += (rest + own + fabs(right)) * 0;
        r = rest > r ? rest : r;
        b = fabs(right) > b ? fabs(right) : b;
        s = own > s ? own : s;
    }
    const long double bound = (long double)run->norm * s + b;
    return r == 0 && bound == 0 ? odd : (double)(r / bound) + odd;
}

static int solve(short_run *run, const clsolve_matrix *B) {
    const clsolve_type type = run->A.type;
    const double promised = fmax(sqrt((double)run->n), 10) * cls_epsilon(type);
    for (int64_t c = 0; c < run->nrhs; c++) {
        void *x = run->x + c * run->n * (type == CLSOLVE_F64 ? 8 : 4);
        for (int64_t i = 0; i < run->n; i++) set_real(type, x, i, real_of(type, B->data, element(B, i, c)));
        cls_door_band_solve(&run->band, x);
        const double backward = measure(run, B, c, x);
        if (!(backward <= promised)) return 0;
        run->backward = backward > run->backward ? backward : run->backward;
    }
    return 1;
}

static void deliver(const short_run *run, clsolve_matrix *B) {
    const clsolve_type type = run->A.type;
    for (int64_t c = 0; c < run->nrhs; c++)
        for (int64_t i = 0; i < run->n; i++)
            set_real(type, B->data, element(B, i, c), real_of(type, run->x, i + c * run->n));
}

/* ---- the report ---- */

static void tell(const short_run *run, const double *moments, clsolve_solve_report *report) {
    static const char reason[] = "auto: a narrow band, solved on the host without a solver";
    cls_door_band_report(&run->band, run->largest, &report->report);
    report->report.nrhs = run->nrhs;
    report->method = CLSOLVE_METHOD_BAND;
    report->name = report->report.method;
    memcpy(report->reason, reason, sizeof reason);
    report->entries = run->entries;
    report->lower = report->lower_before = run->band.kl;
    report->upper = report->upper_before = run->band.ku;
    report->symmetric_pattern = run->symmetric_pattern;
    report->symmetric = run->symmetric_pattern && run->symmetric;
    report->lines = run->lines;
    report->line_length = run->length;
    report->backward_error = run->backward;
    report->seconds_analysis = moments[1] - moments[0];
    report->report.seconds.factor = report->seconds_factor = moments[2] - moments[1];
    report->report.seconds.solve = report->seconds_solve = moments[3] - moments[2];
    report->report.seconds.total = moments[3] - moments[1];
}

/* ---- the whole ---- */

/* A grid all row sums of which are zero is the iteration's. */
static int factor(short_run *run, int wants_symmetry) {
    if (!take_memory(run, wants_symmetry)) return 0;
    return spread(run) && !run->sums_to_zero && cls_door_band_factor(&run->band) == 0;
}

int cls_short_way(clsolve_context *context, clsolve_op op, const clsolve_csr *A, clsolve_matrix *B,
                  const clsolve_solver_options *options, clsolve_solve_report *report) {
    double moments[4] = {0};
    if (!context || cls_context_is_own(context) != CLSOLVE_OK || !A || !B || op != CLSOLVE_NO_TRANS ||
        !options_are_plain(options))
        return 0;
    if (!view_is_plain(A) || !sides_are_plain(A, B)) return 0;
    short_run run = {.A = *A, .n = A->rows, .nrhs = B->cols, .band = {.type = A->type, .n = A->rows}};
    if (report) moments[0] = cls_seconds();
    if (!starts_ascend(&run) || !scan(&run)) return 0;
    find_lines(&run);
    cls_task task = {
        .family = CLS_FAMILY_BAND, .type = A->type, .n = run.n, .kl = run.band.kl, .ku = run.band.ku, .nrhs = run.nrhs};
    if (!order_is_fine(&run)) return 0;
    const double least = cls_sparse_least_seconds((double)run.entries, CLS_SPARSE_BY_KLU);
    if (sparse_may_be_sooner(context, &run, least) ||
        !cls_door_band_is_on_host(context, &task, fmin(CLS_SHORT_MOMENT, least), report ? &report->report : NULL))
        return 0;
    if (report) moments[1] = cls_seconds();
    int fine = factor(&run, report != NULL);
    if (report) moments[2] = cls_seconds();
    fine = fine && solve(&run, B);
    if (fine) deliver(&run, B);
    if (report) moments[3] = cls_seconds();
    if (fine && report) tell(&run, moments, report);
    cls_free(run.memory);
    return fine;
}
