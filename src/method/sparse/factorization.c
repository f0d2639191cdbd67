/* factorization.c: factors of the values that are there: by KLU or by fronts, on the device or on the host, with
 * another matching where values want one. */
#include "method/sparse/engine.h"

#include <math.h>

#include "base/memory.h"
#include "method/fronts_host/number.h"

/* The pivots, unless the options or the caller want others. */
static const double first_threshold = 0.01, klu_threshold = 0.001;
/* With more a symmetric matrix may have no pivot of order 1 or 2. */
static const double most_of_two = 0.5;
enum { SCALED = 1 << 13 }; /* rows that a thread scales at a time */

/* ---- factor ---- */

/* Rows SCALED * part and those behind it. */
static void scale_rows(void *what, int64_t part) {
    const cls_sparse *sparse = what;
    const cls_csr *A = &sparse->A;
    const int64_t end = (part + 1) * SCALED < A->n ? (part + 1) * SCALED : A->n;
    for (int64_t i = part * SCALED; i < end; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++)
            for (int64_t p = e * A->parts; p < (e + 1) * A->parts; p++)
                sparse->scaled[p] = A->value[p] * sparse->row_scale[i] * sparse->col_scale[A->column[e]];
}

static int has_room(cls_sparse *sparse) {
    const cls_csr *A = &sparse->A;
    if (!sparse->scaled) sparse->scaled = cls_alloc((size_t)A->entries + 1, (size_t)A->parts * sizeof *sparse->scaled);
    return sparse->scaled != NULL;
}

/* Entries times the scales of their row and column, which are powers of two. */
static clsolve_status scale_values(cls_error *error, const char *call, cls_sparse *sparse) {
    const cls_csr *A = &sparse->A;
    cls_job job = {.work = scale_rows, .what = sparse, .parts = (A->n + SCALED - 1) / SCALED};
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    if (!sparse->row_scale) return CLSOLVE_OK;
    if (!has_room(sparse)) return cls_sparse_no_memory(error, call);
    cls_pool_run(job.parts > 1 ? cls_sparse_factor_pool(sparse) : NULL, &job);
    return CLSOLVE_OK;
}

/* The exponent of the largest value, or of large values less, as far as the least one stays a normal number. */
static int exponent_of(const double *value, int64_t count) {
    enum { NORMAL = 1000 };
    double most = 0, least = HUGE_VAL;
    int of_most = 0, of_least = 0;
    for (int64_t k = 0; k < count; k++) {
        const double size = fabs(value[k]);
        most = size > most ? size : most;
        least = size < least && size > 0 ? size : least;
    }
    if (most == 0 || !isfinite(most)) return 0;
    (void)frexp(most, &of_most);
    (void)frexp(least, &of_least);
    return of_most > of_least + NORMAL ? of_least + NORMAL : of_most;
}

/* Products and reciprocals of elements leave the range of double if these are near its ends: then all are multiplied by
 * a power of two, whose exponent is even because Cholesky takes roots. */
static clsolve_status bring_into_range(cls_error *error, const char *call, cls_sparse *sparse) {
    enum { FAR = 500 };
    const double *from = sparse->row_scale ? sparse->scaled : sparse->A.value;
    const int64_t count = sparse->A.entries * sparse->A.parts;
    const int exponent = exponent_of(from, count);
    sparse->exponent = exponent > FAR || exponent < -FAR ? exponent / 2 * 2 : 0;
    if (sparse->exponent == 0) return CLSOLVE_OK;
    if (!has_room(sparse)) return cls_sparse_no_memory(error, call);
    for (int64_t k = 0; k < count; k++) sparse->scaled[k] = ldexp(from[k], -sparse->exponent);
    return CLSOLVE_OK;
}

/* The pivots, and columns that have none: NaN is no pivot, but makes no matrix singular. */
static int is_finite(const cls_sparse *sparse) {
    const int64_t parts = sparse->A.parts;
    const int ldl = cls_form_is_ldl(sparse->options.form);
    for (int64_t s = 0; s < sparse->symbolic.tree.fronts; s++) {
        const cls_front *front = &sparse->factors.front[s];
        const double *columns = front->columns;
        for (int64_t j = 0; j < front->f; j++) {
            const int joined = ldl && j < front->k && cls_front_pairs(front, j) == 2; /* D has two elements here */
            const int64_t row = joined         ? j - 1
                                : j < front->k ? j
                                               : front->k,
                          rows = joined         ? 2
                                 : j < front->k ? 1
                                                : front->m - row;
            if (!all_finite(columns + (row + j * front->m) * parts, rows * parts)) return 0;
        }
        if (!ldl && front->k < front->f && sparse->symbolic.tree.parent[s] < 0)
            return 1; /* the next ones are not made */
    }
    return 1;
}

static clsolve_status factor_fronts(cls_error *error, const char *call, cls_sparse *sparse, double threshold) {
    if (!sparse->factors.symbolic &&
        !cls_factors_open(&sparse->symbolic, sparse->A.parts, sparse->options.form, sparse->stack, &sparse->factors))
        return cls_sparse_no_memory(error, call);
    CLS_TRY(bring_into_range(error, call, sparse));
    sparse->factors.progress = sparse->options.progress;
    sparse->factors.progress_user = sparse->options.progress_user;
    const clsolve_status status = cls_factors_run(&sparse->factors, cls_sparse_factored_values(sparse), threshold,
                                                  cls_sparse_factor_pool(sparse), cls_sparse_threads(sparse));
    sparse->analysis.delayed = sparse->factors.delayed;
    sparse->inertia = sparse->factors.inertia;
    sparse->analysis.host_bytes = fmax(sparse->analysis.host_bytes, cls_factors_held(&sparse->factors));
    if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return cls_sparse_no_memory(error, call);
    if (status != CLSOLVE_NOT_POSITIVE_DEFINITE && !is_finite(sparse)) {
        sparse->inertia = (clsolve_inertia){0};
        return cls_fail(error, CLSOLVE_OVERFLOW, "%s: the factors hold NaN or Inf: scale the matrix", call);
    }
    return status == CLSOLVE_OK ? status : cls_sparse_fail_front(error, call, sparse, status);
}

/* By the device, or where that has no room or is not sure, by the host. */
static clsolve_status factor_by_fronts(cls_error *error, const char *call, cls_sparse *sparse, double threshold) {
    const int there = cls_sparse_goes_there(sparse);
    if (!there || !sparse->values_there) CLS_TRY(scale_values(error, call, sparse));
    if (!there) return factor_fronts(error, call, sparse, threshold);
    const double *value = sparse->row_scale ? sparse->scaled : sparse->A.value;
    const clsolve_status status = cls_sparse_factor_there(sparse, sparse->values_there ? NULL : value);
    if (status == CLSOLVE_OK && !cls_sparse_is_vague(sparse)) {
        if (sparse->options.progress) sparse->options.progress(sparse->options.progress_user, "factor", 1);
        return status;
    }
    if (status != CLSOLVE_OK && sparse->options.where == CLSOLVE_WHERE_DEVICE) return status;
    if (status != CLSOLVE_OK) sparse->device = NULL; /* it has no room, or fails: from now on the host */
    sparse->host_alone = 1;
    sparse->made_there = 0;
    if (sparse->values_there) CLS_TRY(scale_values(error, call, sparse));
    return factor_fronts(error, call, sparse, threshold);
}

static clsolve_status factor_klu(cls_error *error, const char *call, cls_sparse *sparse, double threshold, int again) {
    int64_t row = -1, column = -1;
    const clsolve_status status = cls_klu_factor(sparse->klu, &sparse->A, threshold, again, &row, &column);
    if (status == CLSOLVE_SINGULAR) return cls_sparse_fail_row(error, call, sparse, row, column);
    if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return cls_sparse_no_memory(error, call);
    if (status == CLSOLVE_OK) sparse->analysis.factor_entries = cls_klu_entries(sparse->klu);
    if (status == CLSOLVE_OK && !again) sparse->analysis.operations = cls_klu_operations(sparse->klu);
    sparse->analysis.host_bytes = fmax(sparse->analysis.host_bytes, cls_klu_held(sparse->klu));
    if (status == CLSOLVE_OVERFLOW)
        return cls_fail(error, status, "%s: the factors hold NaN or Inf: scale the matrix", call);
    return status;
}

int cls_sparse_may_pair(const cls_sparse *sparse) {
    const clsolve_sparse_options *o = &sparse->options;
    return o->form != CLSOLVE_SPARSE_POSITIVE_DEFINITE && o->matching != CLSOLVE_CHOICE_OFF && !sparse->klu &&
           !sparse->rematched && !sparse->paired_now;
}

clsolve_status cls_sparse_factor_with(cls_error *error, const char *call, cls_sparse *sparse, double threshold,
                                      int again) {
    const double asked = sparse->options.threshold, usual = sparse->klu ? klu_threshold : first_threshold;
    if (threshold == 0) threshold = asked > 0 ? asked : usual;
    sparse->threshold = cls_form_is_ldl(sparse->options.form) ? fmin(threshold, most_of_two) : threshold;
    sparse->made_there = 0;
    sparse->info = 0; /* of a failure before */
    const clsolve_status status = sparse->klu ? factor_klu(error, call, sparse, sparse->threshold, again)
                                              : factor_by_fronts(error, call, sparse, sparse->threshold);
    sparse->factored = status == CLSOLVE_OK;
    sparse->kept = sparse->klu && again;
    sparse->ended = status;
    cls_sparse_forget_measures(sparse);
    return status;
}

clsolve_status cls_sparse_pair_again(cls_error *error, const char *call, cls_sparse *sparse) {
    sparse->rematched = 1;
    sparse->ended = CLSOLVE_ERROR_STATE;
    CLS_TRY(cls_sparse_analyse_again(error, call, sparse));
    return cls_sparse_factor_with(error, call, sparse, 0, 0);
}

/*
 * Pivots of L D L^T that go up time and again make fronts larger than the analysis has foreseen. As a rule rows of very
 * different sizes are the reason: then they are scaled, once. Else columns are paired, which costs entries. A device
 * replaces such pivots: there columns are paired at once.
 */
static clsolve_status factor_with_fewer_delays(cls_error *error, const char *call, cls_sparse *sparse) {
    const double many = (double)sparse->A.n / 2;
    if (!cls_form_is_ldl(sparse->options.form) || !cls_sparse_may_pair(sparse) || sparse->analysis.matched)
        return CLSOLVE_OK;
    if (sparse->made_there) {
        if (sparse->there->replaced_pivots == 0) return CLSOLVE_OK;
        CLS_TRY(cls_sparse_values_here(error, call, sparse));
        return cls_sparse_pair_again(error, call, sparse);
    }
    if (!sparse->row_scale && (double)sparse->analysis.delayed > many) {
        if (!cls_sparse_equilibrate(sparse)) return cls_sparse_no_memory(error, call);
        CLS_TRY(cls_sparse_factor_with(error, call, sparse, sparse->threshold, 0));
    }
    return (double)sparse->analysis.delayed > 4 * many ? cls_sparse_pair_again(error, call, sparse) : CLSOLVE_OK;
}

/*
 * Rows that were paired with columns for other values, or not at all because the diagonal looked large, may be why
 * values fail: then they are paired by these values, once.
 */
clsolve_status cls_sparse_factor_or_pair(cls_error *error, const char *call, cls_sparse *sparse, double threshold,
                                         int again) {
    const clsolve_status status = cls_sparse_factor_with(error, call, sparse, threshold, again);
    if (status == CLSOLVE_OK) return factor_with_fewer_delays(error, call, sparse);
    const int may_be_order = status == CLSOLVE_OVERFLOW || /* L D L^T ends as SINGULAR at a block of zeros alone */
                             (status == CLSOLVE_SINGULAR && !cls_form_is_ldl(sparse->options.form));
    return may_be_order && cls_sparse_may_pair(sparse) ? cls_sparse_pair_again(error, call, sparse) : status;
}
