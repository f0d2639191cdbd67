/*
 * solution.c: solutions, and the promise: a backward error of at most max(sqrt(n), 10) epsilon. Solutions are refined;
 * where that is not enough, the matrix is factored again: by the host after the device, then with stricter pivots.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/number.h"

/* The pivots of factorizations that follow where the answers of the first one are not good enough. */
static const double strict[] = {0.1, 0.5};
enum { STRICT = sizeof strict / sizeof strict[0] };

typedef struct answer {
    clsolve_op op;
    int64_t nrhs;
    const double *b;
    double *x, *r, *next; /* r: the residual of x; next: room */
} answer;

static int grows_too_much(const cls_sparse *sparse, const answer *a) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    const double most = cls_sparse_most_growth(sparse);
    const long double norm = a->op == CLSOLVE_NO_TRANS ? sparse->norm_inf : sparse->norm_1;
    for (int64_t j = 0; j < a->nrhs && most > 0; j++)
        if (norm * largest(a->x + j * n * parts, n, parts) >
            (long double)most * largest(a->b + j * n * parts, n, parts))
            return 1;
    return 0;
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

/* By the factors in use; those of the device with GMRES where that is wanted. Fails as cls_sparse_solve_once. */
static clsolve_status try_factors(cls_sparse *sparse, answer *a, int *good) {
    const double promised = cls_sparse_promised(sparse);
    /* Refinement on the device has stalled: no plain steps once more. */
    CLS_TRY(refine(sparse, a, cls_sparse_vectors_may(sparse) ? 0 : CLS_SPARSE_STEPS));
    if (sparse->made_there && !(sparse->outcome.backward_error <= promised))
        CLS_TRY(cls_sparse_krylov(sparse, a->op, a->nrhs, a->b, a->x, a->r, promised));
    *good = sparse->outcome.backward_error <= promised && !grows_too_much(sparse, a);
    return CLSOLVE_OK;
}

/* The host, which perturbs no pivot, factors what the device has not solved well enough. */
static clsolve_status leave_device(cls_error *error, const char *call, cls_sparse *sparse) {
    sparse->host_alone = 1;
    return cls_sparse_factor_with(error, call, sparse, sparse->threshold, 0);
}

/* A column of X, not all zeros, has nothing but numbers that double has with few digits. */
static int is_tiny(const cls_sparse *sparse, const answer *a) {
    const int64_t n = sparse->A.n, parts = sparse->A.parts;
    for (int64_t j = 0; j < a->nrhs; j++)
        if (largest(a->b + j * n * parts, n, parts) > 0 && largest(a->x + j * n * parts, n, parts) < DBL_MIN) return 1;
    return 0;
}

/* Elements that grow, or numbers at the ends of the range, are as good a reason as a matrix that is nearly singular. */
static clsolve_status fail_bound(cls_error *error, const char *call, cls_sparse *sparse, const answer *a) {
    static const double much = 1e7;
    const double found = sparse->outcome.backward_error, promised = cls_sparse_promised(sparse);
    cls_sparse_measure(sparse);
    if (!isfinite(found))
        return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                        "%s: B - A X leaves the range of double, so the backward error is not known: scale A and B",
                        call);
    if (is_tiny(sparse, a))
        return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                        "%s: the backward error %.2g stays above %.2g; X is below the range of double: scale A or B",
                        call, found, promised);
    if (sparse->growth > much)
        return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                        "%s: the backward error %.2g stays above %.2g: the elimination made elements %.2g times as "
                        "large; try the engine KLU, or another order",
                        call, found, promised, sparse->growth);
    return cls_fail(error, CLSOLVE_NOT_CONVERGED,
                    "%s: the backward error %.2g stays above %.2g; A is close to singular", call, found, promised);
}

static clsolve_status make_answer(cls_error *error, const char *call, cls_sparse *sparse, answer *a) {
    const int64_t count = sparse->A.n * a->nrhs * sparse->A.parts;
    const int cholesky = sparse->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    for (int next = 0, good;; next++) {
        const clsolve_status status = try_factors(sparse, a, &good);
        if (status == CLSOLVE_ERROR_OUT_OF_MEMORY) return cls_sparse_no_memory(error, call);
        CLS_TRY(status);
        if (good) return CLSOLVE_OK;
        if (sparse->made_there) {
            next = -1;
            CLS_TRY(leave_device(error, call, sparse));
            continue;
        }
        if (sparse->kept) { /* pivots of other values: first those of these values */
            next = -1;
            CLS_TRY(cls_sparse_factor_with(error, call, sparse, sparse->threshold, 0));
            continue;
        }
        while (next < STRICT && strict[next] <= sparse->threshold) next++;
        if (!cholesky && next < STRICT) {
            sparse->outcome.stricter++;
            CLS_TRY(cls_sparse_factor_or_pair(error, call, sparse, strict[next], 0));
            continue;
        }
        if (!cls_sparse_may_pair(sparse)) break;
        next = -1;
        CLS_TRY(cls_sparse_pair_again(error, call, sparse));
    }
    if (!all_finite(a->x, count)) return cls_fail(error, CLSOLVE_OVERFLOW, "%s: X would hold NaN or Inf", call);
    return fail_bound(error, call, sparse, a);
}

/* Numbers from 1 to 2 with random signs, times 2^exponent. No two are equal: equal rows of A are not to hide. */
static void fill_probe(double *b, int64_t count, int exponent) {
    uint32_t state = 2463534242u; /* G. Marsaglia, Xorshift RNGs, J. Statistical Software 8, 2003 */
    for (int64_t k = 0; k < count; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b[k] = ldexp(state & 1 ? 1 + 0x1p-32 * state : -1 - 0x1p-32 * state, exponent);
    }
}

/* a->x holds b, as on the device: whether its factors solve this well enough. */
static clsolve_status probe_device(cls_error *error, const char *call, cls_sparse *sparse, answer *a, int *good) {
    const cls_sparse_sides sides = {.host = a->x, .across = sparse->A.n * sparse->A.parts};
    int finite = 1;
    *good = 0;
    if (cls_sparse_vectors_may(sparse)) {
        CLS_TRY(cls_sparse_refine_there(sparse, a->op, &sides, 1, cls_sparse_promised(sparse), &finite));
        *good = finite && sparse->outcome.backward_error <= cls_sparse_promised(sparse);
        if (*good) return CLSOLVE_OK;
    }
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    cls_sparse_find_norm(sparse, a->op);
    const clsolve_status status = try_factors(sparse, a, good);
    return status == CLSOLVE_ERROR_OUT_OF_MEMORY ? cls_sparse_no_memory(error, call) : status;
}

/* The device has replaced pivots. Is A singular, or are its factors of no use? A right-hand side tells, and then the
 * host factors. */
clsolve_status cls_sparse_probe(cls_error *error, const char *call, cls_sparse *sparse) {
    const int64_t count = sparse->A.n * sparse->A.parts;
    double *room = cls_alloc((size_t)count + 1, 4 * sizeof *room);
    answer a = {CLSOLVE_NO_TRANS, 1, room, room + count, room + 2 * count, room + 3 * count};
    int good = 0;
    if (!room) return cls_sparse_no_memory(error, call);
    fill_probe(room, count, sparse->there->range);
    memcpy(a.x, a.b, (size_t)count * sizeof *a.x);
    clsolve_status status = probe_device(error, call, sparse, &a, &good);
    cls_free(room);
    sparse->outcome = (cls_sparse_outcome){.backward_error = -1};
    if (status == CLSOLVE_OK && !good) status = leave_device(error, call, sparse);
    if (status < 0) { /* a call that fails leaves no factors */
        sparse->factored = 0;
        sparse->ended = CLSOLVE_ERROR_STATE;
    }
    return status;
}

/* With vectors in the host's memory. */
static clsolve_status solve_here(cls_error *error, const char *call, cls_sparse *sparse, clsolve_op op, double *x,
                                 int64_t nrhs) {
    const int64_t count = sparse->A.n * nrhs * sparse->A.parts;
    if (!all_finite(x, count)) return cls_fail(error, CLSOLVE_ERROR_NONFINITE, "%s: B holds NaN or Inf", call);
    CLS_TRY(cls_sparse_values_here(error, call, sparse));
    double *room = cls_alloc((size_t)count + 1, 3 * sizeof *room);
    if (!room) return cls_sparse_no_memory(error, call);
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
