/*
 * run.c: factor and solve, and the promise: a backward error of at most max(sqrt(n), 10) epsilon. Solutions are
 * refined; where that is not enough, the matrix is factored again with stricter pivots.
 */
#include "method/sparse/engine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/direct/rcond.h"

/* The pivots of the first factorization, and of those that follow where its answers are not good enough. */
static const double first_threshold = 0.01, klu_threshold = 0.001, strict[] = {0.1, 0.5};
/* With more a symmetric matrix may have no pivot of order 1 or 2. */
static const double most_of_two = 0.5;
enum { STRICT = sizeof strict / sizeof strict[0], SCALED = 1 << 13 }; /* SCALED: rows that a thread scales at a time */

static clsolve_status no_memory(cls_error *error, const char *call) {
    return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for the factors or for right-hand sides",
                    call);
}

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

/* Entries times the scales of their row and column, which are powers of two. */
static clsolve_status scale_values(cls_error *error, const char *call, cls_sparse *sparse) {
    const cls_csr *A = &sparse->A;
    cls_job job = {.work = scale_rows, .what = sparse, .parts = (A->n + SCALED - 1) / SCALED};
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    if (!sparse->row_scale) return CLSOLVE_OK;
    if (!sparse->scaled) sparse->scaled = cls_alloc((size_t)A->entries + 1, (size_t)A->parts * sizeof *sparse->scaled);
    if (!sparse->scaled) return no_memory(error, call);
    cls_pool_run(job.parts > 1 ? cls_sparse_factor_pool(sparse) : NULL, &job);
    return CLSOLVE_OK;
}

static int all_finite(const double *x, int64_t count) {
    int finite = 1;
    for (int64_t k = 0; k < count; k++) finite &= fabs(x[k]) <= DBL_MAX;
    return finite;
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
        return no_memory(error, call);
    sparse->factors.progress = sparse->options.progress;
    sparse->factors.progress_user = sparse->options.progress_user;
    const clsolve_status status =
        cls_factors_run(&sparse->factors, sparse->scaled ? sparse->scaled : sparse->A.value, threshold,
                        cls_sparse_factor_pool(sparse), cls_sparse_threads(sparse));
    sparse->analysis.delayed = sparse->factors.delayed;
    sparse->inertia = sparse->factors.inertia;
    sparse->analysis.host_bytes = fmax(sparse->analysis.host_bytes, cls_factors_held(&sparse->factors));
    if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return no_memory(error, call);
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
    const double *value = sparse->scaled ? sparse->scaled : sparse->A.value;
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
    if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return no_memory(error, call);
    if (status == CLSOLVE_OK) sparse->analysis.factor_entries = cls_klu_entries(sparse->klu);
    if (status == CLSOLVE_OK && !again) sparse->analysis.operations = cls_klu_operations(sparse->klu);
    sparse->analysis.host_bytes = fmax(sparse->analysis.host_bytes, cls_klu_held(sparse->klu));
    if (status == CLSOLVE_OVERFLOW)
        return cls_fail(error, status, "%s: the factors hold NaN or Inf: scale the matrix", call);
    return status;
}

static int may_pair(const cls_sparse *sparse) {
    const clsolve_sparse_options *o = &sparse->options;
    return o->form != CLSOLVE_SPARSE_POSITIVE_DEFINITE && o->matching != CLSOLVE_CHOICE_OFF && !sparse->klu &&
           !sparse->rematched && !sparse->paired_now;
}

static clsolve_status factor_with(cls_error *error, const char *call, cls_sparse *sparse, double threshold, int again) {
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

static clsolve_status pair_again(cls_error *error, const char *call, cls_sparse *sparse) {
    const double asked = sparse->options.threshold;
    sparse->rematched = 1;
    sparse->ended = CLSOLVE_ERROR_STATE;
    CLS_TRY(cls_sparse_analyse_again(error, call, sparse));
    return factor_with(error, call, sparse, asked > 0 ? asked : first_threshold, 0);
}

/*
 * Pivots of L D L^T that go up time and again make fronts larger than the analysis has foreseen. As a rule rows of very
 * different sizes are the reason: then they are scaled, once. Else columns are paired, which costs entries. A device
 * replaces such pivots: there columns are paired at once.
 */
static clsolve_status factor_with_fewer_delays(cls_error *error, const char *call, cls_sparse *sparse) {
    const double many = (double)sparse->A.n / 2;
    if (!cls_form_is_ldl(sparse->options.form) || !may_pair(sparse) || sparse->analysis.matched) return CLSOLVE_OK;
    if (sparse->made_there) {
        if (sparse->there->replaced_pivots == 0) return CLSOLVE_OK;
        CLS_TRY(cls_sparse_values_here(error, call, sparse));
        return pair_again(error, call, sparse);
    }
    if (!sparse->row_scale && (double)sparse->analysis.delayed > many) {
        if (!cls_sparse_equilibrate(sparse)) return no_memory(error, call);
        CLS_TRY(factor_with(error, call, sparse, sparse->threshold, 0));
    }
    return (double)sparse->analysis.delayed > 4 * many ? pair_again(error, call, sparse) : CLSOLVE_OK;
}

/*
 * Rows that were paired with columns for other values, or not at all because the diagonal looked large, may be why
 * values fail: then they are paired by these values, once.
 */
static clsolve_status factor_or_pair(cls_error *error, const char *call, cls_sparse *sparse, double threshold,
                                     int again) {
    const clsolve_status status = factor_with(error, call, sparse, threshold, again);
    if (status == CLSOLVE_OK) return factor_with_fewer_delays(error, call, sparse);
    const int may_be_order = status == CLSOLVE_OVERFLOW || /* L D L^T ends as SINGULAR at a block of zeros alone */
                             (status == CLSOLVE_SINGULAR && !cls_form_is_ldl(sparse->options.form));
    return may_be_order && may_pair(sparse) ? pair_again(error, call, sparse) : status;
}

static clsolve_status solve_vector(void *self, clsolve_op op, double *x);

clsolve_status cls_sparse_check_symmetry(cls_error *error, const char *call, cls_sparse *sparse) {
    int64_t row, column;
    if (!cls_form_is_one_sided(sparse->options.form) || !sparse->whole ||
        cls_sparse_is_symmetric(sparse, &row, &column))
        return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: A is not %s: A(%lld,%lld) has no equal on the other side of the diagonal", call,
                    sparse->A.parts == 2 && cls_form_conjugates(sparse->options.form) ? "hermitian" : "symmetric",
                    (long long)row + 1, (long long)column + 1);
}

clsolve_status cls_sparse_take_values(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse) {
    double *before = sparse->A.value;
    sparse->A.pool = cls_sparse_factor_pool(sparse);
    if (sparse->factored && !sparse->spare)
        sparse->spare = cls_alloc((size_t)sparse->A.entries + 1, (size_t)sparse->A.parts * sizeof *sparse->spare);
    if (sparse->factored && !sparse->spare) return no_memory(error, call);
    if (sparse->factored) {
        sparse->A.value = sparse->spare;
        sparse->spare = before;
    }
    clsolve_status status = cls_sparse_read_values(error, call, A, sparse);
    if (status == CLSOLVE_OK) status = cls_sparse_check_symmetry(error, call, sparse);
    if (status != CLSOLVE_OK && sparse->factored) {
        sparse->spare = sparse->A.value;
        sparse->A.value = before;
    }
    if (status == CLSOLVE_OK) sparse->values_there = 0;
    return status;
}

clsolve_status cls_sparse_estimate(cls_error *error, const char *call, cls_sparse *sparse) {
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    cls_sparse_find_norm(sparse, CLSOLVE_TRANS);
    return cls_rcond(error, sparse->A.n, sparse->A.parts, sparse->norm_1, solve_vector, sparse, &sparse->rcond);
}

clsolve_status cls_sparse_factor_taken(cls_error *error, const char *call, cls_sparse *sparse) {
    const int again = sparse->factored && !sparse->options.rcond; /* no estimate with pivots of other values */
    cls_sparse_begin_factors(sparse);
    if (!sparse->analysed) {
        CLS_TRY(cls_sparse_analyse(error, call, sparse));
        sparse->paired_now = sparse->analysis.matched;
    }
    if (sparse->analysis.structural_rank < sparse->A.n && sparse->options.form != CLSOLVE_SPARSE_POSITIVE_DEFINITE)
        return cls_sparse_fail_rank(error, call, sparse);
    const double asked = sparse->options.threshold;
    clsolve_status status = factor_or_pair(error, call, sparse,
                                           asked > 0     ? asked
                                           : sparse->klu ? klu_threshold
                                                         : first_threshold,
                                           again);
    if (!sparse->options.rcond) return status;
    if (status == CLSOLVE_SINGULAR) sparse->rcond = 0;
    CLS_TRY(status);
    if (sparse->made_there) cls_sparse_settle(sparse); /* replaced pivots hide how close to singular A is */
    status = sparse->factored ? cls_sparse_estimate(error, call, sparse) : sparse->ended;
    if (status == CLSOLVE_OK) return status;
    sparse->factored = 0; /* a call that fails leaves no factors */
    sparse->ended = CLSOLVE_ERROR_STATE;
    return status;
}

clsolve_status cls_sparse_factor(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse *sparse) {
    CLS_TRY(cls_csr_check_same(error, call, A, &sparse->A));
    if (A->type != sparse->type)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: A is of type %s and the handle of %s", call,
                        cls_type_name(A->type), cls_type_name(sparse->type));
    CLS_TRY(cls_sparse_take_values(error, call, A, sparse));
    return cls_sparse_factor_taken(error, call, sparse);
}

void cls_sparse_settle(cls_sparse *sparse) {
    if (sparse->factored && sparse->made_there && sparse->there->replaced_pivots > 0)
        sparse->host_alone = sparse->settled = 1;
    if (sparse->factored && (sparse->kept || (sparse->made_there && sparse->host_alone)))
        (void)factor_with(NULL, "clsolve_sparse_report", sparse, sparse->threshold, 0);
}

/* ---- solve ---- */

static clsolve_status solve_vector(void *self, clsolve_op op, double *x) {
    return cls_sparse_solve_once(self, op, x, 1);
}

typedef struct answer {
    clsolve_op op;
    int64_t nrhs;
    const double *b;
    double *x, *r, *next; /* r: the residual of x; next: room */
} answer;

double cls_sparse_promised(const cls_sparse *sparse) {
    return fmax(sqrt((double)sparse->A.n), 10) * (cls_type_epsilon(sparse->type) / 2);
}

/* Solves and refines, as long as an answer that is not good enough gets better by half, in at most `most` steps. Fails
 * as cls_sparse_solve_once. */
static clsolve_status refine(cls_sparse *sparse, answer *a, int most) {
    const int64_t count = sparse->A.n * a->nrhs * sparse->A.parts;
    memcpy(a->x, a->b, (size_t)count * sizeof *a->x);
    CLS_TRY(cls_sparse_solve_once(sparse, a->op, a->x, a->nrhs));
    double error = cls_sparse_residual(sparse, a->op, a->b, a->x, a->nrhs, a->r);
    sparse->outcome.first_error = error;
    for (int step = 0; step < most && !(error <= cls_sparse_promised(sparse)); step++) {
        CLS_TRY(cls_sparse_solve_once(sparse, a->op, a->r, a->nrhs));
        for (int64_t k = 0; k < count; k++) a->next[k] = a->x[k] + a->r[k];
        const double better = cls_sparse_residual(sparse, a->op, a->b, a->next, a->nrhs, a->r);
        if (!(better < error)) break;
        const int slow = better > 0.5 * error;
        memcpy(a->x, a->next, (size_t)count * sizeof *a->x);
        error = better;
        sparse->outcome.iterations++;
        if (slow) break;
    }
    sparse->outcome.backward_error = error;
    return CLSOLVE_OK;
}

/* The host, which perturbs no pivot, factors what the device has not solved well enough. */
static clsolve_status leave_device(cls_error *error, const char *call, cls_sparse *sparse) {
    sparse->host_alone = 1;
    sparse->outcome.left_device = 1;
    return factor_with(error, call, sparse, sparse->threshold, 0);
}

static clsolve_status make_answer(cls_error *error, const char *call, cls_sparse *sparse, answer *a) {
    const int64_t count = sparse->A.n * a->nrhs * sparse->A.parts;
    const int cholesky = sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    const double promised = cls_sparse_promised(sparse);
    for (int next = 0;; next++) {
        /* Refinement on the device has stalled: no plain steps once more. */
        clsolve_status status = refine(sparse, a, cls_sparse_vectors_may(sparse) ? 0 : CLS_SPARSE_STEPS);
        if (status == CLSOLVE_OK && sparse->made_there && !(sparse->outcome.backward_error <= promised))
            status = cls_sparse_krylov(sparse, a->op, a->nrhs, a->b, a->x, a->r, promised);
        if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return no_memory(error, call);
        CLS_TRY(status);
        if (sparse->outcome.backward_error <= promised) return CLSOLVE_OK;
        if (sparse->made_there) {
            next = -1;
            CLS_TRY(leave_device(error, call, sparse));
            continue;
        }
        if (sparse->kept) { /* pivots of other values: first those of these values */
            next = -1;
            CLS_TRY(factor_with(error, call, sparse, sparse->threshold, 0));
            continue;
        }
        while (next < STRICT && strict[next] <= sparse->threshold) next++;
        if (!cholesky && next < STRICT) {
            sparse->outcome.stricter++;
            CLS_TRY(factor_or_pair(error, call, sparse, strict[next], 0));
            continue;
        }
        if (!may_pair(sparse)) break;
        next = -1;
        CLS_TRY(pair_again(error, call, sparse));
    }
    if (!all_finite(a->x, count)) return cls_fail(error, CLSOLVE_OVERFLOW, "%s: X would hold NaN or Inf", call);
    return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                    "%s: the backward error %.2g stays above %.2g; A is close to singular", call,
                    sparse->outcome.backward_error, promised);
}

/* With vectors in the host's memory. */
static clsolve_status solve_here(cls_error *error, const char *call, cls_sparse *sparse, clsolve_op op, double *x,
                                 int64_t nrhs) {
    const int64_t count = sparse->A.n * nrhs * sparse->A.parts;
    if (!all_finite(x, count)) return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: B holds NaN or Inf", call);
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    double *room = cls_alloc((size_t)count + 1, 3 * sizeof *room);
    if (!room) return no_memory(error, call);
    cls_sparse_find_norm(sparse, op);
    answer a = {op, nrhs, x, room, room + count, room + 2 * count};
    const clsolve_status status = make_answer(error, call, sparse, &a);
    if (status == CLSOLVE_OK) memcpy(x, a.x, (size_t)count * sizeof *x);
    cls_free(room);
    return status;
}

clsolve_status cls_sparse_check_factors(cls_error *error, const char *call, const cls_sparse *sparse) {
    if (sparse->ended == CLSOLVE_SINGULAR || sparse->ended == CLSOLVE_NOT_POSITIVE_DEFINITE)
        return cls_fail(error, sparse->ended, "%s: the factorization found the matrix %s", call,
                        sparse->ended == CLSOLVE_SINGULAR ? "singular" : "not positive definite");
    if (!sparse->factored)
        return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: there are no factors: call clsolve_sparse_factor_csr first",
                        call);
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_solve(cls_error *error, const char *call, cls_sparse *sparse, clsolve_op op, double *x,
                                int64_t nrhs) {
    const cls_sparse_sides sides = {.host = x, .across = sparse->A.n * sparse->A.parts};
    const int stalled = sparse->stalled;
    int finite = 1;
    sparse->stalled = 0;
    sparse->outcome = (cls_sparse_outcome){.backward_error = -1};
    CLS_TRY(cls_sparse_check_factors(error, call, sparse));
    if (sparse->A.n == 0 || nrhs == 0) return CLSOLVE_OK;
    if (cls_sparse_vectors_may(sparse) && !stalled) {
        CLS_TRY(cls_sparse_refine_there(sparse, op, &sides, nrhs, cls_sparse_promised(sparse), &finite));
        if (finite && sparse->outcome.backward_error <= cls_sparse_promised(sparse)) return CLSOLVE_OK;
        if (!all_finite(x, sparse->A.n * nrhs * sparse->A.parts))
            return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: B holds NaN or Inf", call);
    }
    return solve_here(error, call, sparse, op, x, nrhs);
}
