/*
 * direct.h: what every factorization shares, once. A family (dense LU, band LU) gives the table cls_direct_ops.
 *
 *     factor:   A --> take --> scale --> factor --> examine --> factors, growth, determinant, condition
 *                                           ^          |
 *                                           +----------+   fall back, where the factors are no use
 *
 *     solve:    B --> solve --> refine --> X
 *                       ^          |
 *                       +----------+   fall back, where the answer is not accurate
 *
 *     take        a copy of A, where scaling, residuals or other factors want one: copy.h
 *     scale       rows, columns, or a tiny matrix as a whole, by powers of two: scaling.h
 *     factor      the family's
 *     examine     growth and determinant: growth.h; zero pivots of float are perturbed; the condition: rcond.h
 *     solve       by the factors, on the device or as an operator on vectors of the host: inverse.h
 *     refine      plain steps and GMRES: refine.h
 *     fall back   to better factors of the copy: to pivots from none, to double from float
 *
 * A family fills the first part of a cls_direct at create. cls_direct_factor, _solve and _report call the table; its
 * operations use the copy, the scaling, the inverse and state.c, and none of the three.
 */
#ifndef CLS_DIRECT_H
#define CLS_DIRECT_H

#include <clsolve/factorization.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>

#include "device/device.h"
#include "method/async.h"
#include "method/direct/copy.h"
#include "method/direct/growth.h"
#include "method/direct/inverse.h"
#include "method/direct/precision.h"
#include "method/direct/refine.h"
#include "method/entries.h"

typedef struct cls_direct cls_direct;

/* The operations of a family. If one is NULL, the family has no such step. */
struct cls_sides; /* sides.h */
typedef struct cls_direct_ops {
    const char *factors_name; /* in messages: "U" */
    size_t factors_size;      /* of the struct that holds a factorization, which `factors` and `wide` point to */
    int plain_first;          /* factors of the working precision take vectors as they are: inverse.h */
    int growth_limits_rcond;  /* the condition is not known where elements have grown beyond their digits */
    int positive_definite;    /* info > 0 is the order of a minor that is not positive, and no pivot is looked for */
    int perturbs_for_room;    /* without room for double factors, float ones with perturbed pivots are refined */

    /* A into direct->copy. `scale` as cls_scaling_find's. */
    clsolve_status (*copy)(cls_direct *direct, const clsolve_matrix *A, int scale);
    /* The copy, or A, into the memory of the factors, measured and scaled: direct->measures and ->largest. */
    clsolve_status (*take)(cls_direct *direct, const clsolve_matrix *A);
    /* Factors what was taken; without `take` it takes the copy, or A, itself. Leaves direct->info, ->growth and
     * ->largest, and what `take` did not find out. *again: a kernel was found to be wrong on this device, and A is to
     * be taken and factored once more. */
    clsolve_status (*factor)(cls_direct *direct, const clsolve_matrix *A, int *again);
    /* The caller's factors in the place of what `factor` leaves: direct->info and ->growth, whose place is by row and
     * column of the caller's array. n > 0. */
    clsolve_status (*import)(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv);
    /* R = B - op(A) X of the copy, as cls_copy_residual. NULL: that one. */
    clsolve_status (*residual)(cls_direct *direct, clsolve_op op, int64_t cols, const double *X, const double *B,
                               double *R);
    /* Zero pivots become 2^-23 times `largest`: good for a preconditioner only. NULL: there is no such thing. */
    clsolve_status (*perturb)(void *factors, double largest);

    /* x = op(F)^-1 x with what was factored, n x cols tight doubles on the host. Not finite where the factors make
     * it so. */
    clsolve_status (*solve)(void *factors, clsolve_op op, int64_t cols, double *x);
    /* The right-hand sides of factors in core, as sides.h has them, for solves with `cols` of them. NULL: what sides.h
     * does with them is not used. */
    struct cls_sides (*sides)(void *factors, int64_t cols);
    /* The caller's B becomes X, unrefined. `in`: the first NaN or Inf of B, `out`: of X; then B is as it was.
     * Adds to direct->costs.solve. */
    clsolve_status (*solve_unrefined)(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                      cls_place *out);

    /* Work that is enqueued without waiting (method/async.h), of a handle without copy and scaling; NULL: these factors
     * do none. The outcome of the factorization, LAPACK's info, is in `state`. */
    clsolve_status (*enqueue)(cls_direct *direct, cls_async *async, const clsolve_matrix *A);
    /* B is overwritten only when nothing went wrong, with `after_factor` from the enqueued factorization on. */
    clsolve_status (*solve_enqueue)(cls_direct *direct, cls_async *async, clsolve_op op, const clsolve_matrix *B,
                                    int after_factor);
    cls_buffer *(*state)(const cls_direct *direct);
    /* Ends an enqueued factorization that the device leaves to the host where `state` is not 0: solves that were
     * enqueued behind it have delivered nothing then. NULL: there is no such. */
    clsolve_status (*finish)(cls_direct *direct, cls_async_outcome *outcome);
    /* An enqueued solve has come to NaN. *again becomes 1 if the device, and not the numbers, is the reason: another
     * solve goes by other kernels. NULL: it never is. */
    clsolve_status (*solve_failed)(cls_direct *direct, int *again);

    /* The triangle `uplo`, of LU all, of the inverse into X on the host, from factors that are there. NULL: there is no
     * such call. */
    clsolve_status (*invert)(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);
    /* LU's factors, to the caller: lu/direct.h; and whether entries of a sparse matrix go to their places in the memory
     * of the factors, so that the calls here have no A. NULL: they do not. */
    clsolve_status (*export)(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv);
    int (*scatters)(const cls_direct *direct, const cls_entries *entries);

    /* Whether the factors have no pivots; and the copy factored anew with pivots in their place: direct->info and
     * ->growth. */
    int (*is_unpivoted)(const void *factors);
    clsolve_status (*factor_pivoted)(cls_direct *direct);
    /* The copy, unscaled, factored in double into `wide`, which is zeroed memory; what is there on a failure is
     * released. */
    clsolve_status (*factor_wide)(cls_direct *direct, void *wide, int64_t *info, cls_growth *growth);
    void (*release)(void *factors);

    /* Writes the part of the report of this family alone: memory, slabs, panels, pivoting. */
    void (*report)(const cls_direct *direct, clsolve_report *report);
} cls_direct_ops;

/* The costs of one handle's calls: of its create, its last factorization and its last solve. */
typedef struct cls_costs {
    double create, build;
    clsolve_seconds factor, solve;
    cls_counters factor_moved, solve_moved;
} cls_costs;

struct cls_direct {
    /* Filled by the family at create. */
    const cls_direct_ops *ops;
    cls_device *device;
    clsolve_type type; /* of the caller's matrices */
    int64_t n;
    void *factors;       /* the handle's own */
    const void *options; /* the family's */
    cls_precision precision;
    int mixed;   /* factors in float, answers in double */
    int copies;  /* direct->copy is there, and solves go by the host's vectors */
    int refines; /* else the copy is there for the scaling alone */
    int equilibrate;
    int wants_rcond; /* the option: 0, 1, or CLSOLVE_RCOND_IF_ILL */
    int only_float;  /* mixed, and double factors have no place: no double on the device, or factors out of core */
    /* Matrices are taken on the host alone: why, as messages have it after "the matrix is on"; NULL: anywhere. */
    const char *host_only;
    int one_phase;       /* the work takes no longer than reads of the clock do: its phases are not told apart */
    int64_t state_bytes; /* device memory apart from the matrices */

    cls_copy copy;
    cls_scaling scaling; /* of a handle without a copy; zeroed where it never scales */
    void *wide;          /* double factors, made when first needed */

    /* The last factorization: */
    int factored;           /* the factors are those of the last matrix, whatever `outcome` says of them */
    clsolve_status outcome; /* of that call */
    int64_t info;           /* LAPACK's */
    int imported;           /* the factors came from the caller, and of A nothing is known */
    cls_measures measures;  /* of A as the caller gave it, but for the one number that may multiply all of it */
    double largest;         /* max |a(i,j)| of what was factored */
    cls_growth growth;
    double rcond; /* -1: not known */
    int rcond_is_bound;
    int alone;                 /* as only_float, or there was no memory for double factors */
    clsolve_fallback fallback; /* why there are double factors; NONE: float does it */
    const char *repivoted;     /* why factors without pivots were given up; NULL: they were not, or never there */

    /* The last solve: */
    int64_t nrhs;
    cls_refined steps;
    int near_singular; /* what a solve with factors without pivots tells of A */

    cls_costs costs;
};

/* ---- begin.c ---- */

/* The first step of a create. The family gives ops, device, type, n, factors, options, whether to refine, equilibrate
 * and wants_rcond; `asked` and `may` are cls_precision_choose's. */
clsolve_status cls_direct_begin(cls_direct *direct, const cls_direct *given, clsolve_precision asked, int may);
clsolve_type cls_direct_factors_type(const cls_direct *direct); /* float for answers in double, where it is mixed */
/* Whether `limit`, 0: none, leaves room on the device for a copy of A and `vectors`, next to the bytes `taken`. */
int cls_direct_copy_fits(const cls_direct *direct, int64_t limit, int64_t taken, int64_t vectors);
/* The last step: all but `matrices` of the bytes taken is of the state. */
void cls_direct_made(cls_direct *direct, int64_t matrices);
/* The same for a handle with a memory_limit, 0: none. `create` begins the message. */
clsolve_status cls_direct_made_within(cls_direct *direct, const char *create, int64_t limit, int64_t matrices);

/* ---- factor.c ---- */

/* Before a factorization nothing is known. */
void cls_direct_forget(cls_direct *direct);
void cls_direct_release(cls_direct *direct); /* copy, scaling and double factors; a zeroed one is fine */

/* The whole of a call `call` on a valid A: factors, and what became of them. */
clsolve_status cls_direct_factor(cls_direct *direct, const char *call, const clsolve_matrix *A);

/* ---- tiny.c ---- */

/* A, which was measured and is factored without a copy: where it is tiny it is multiplied by a power of two. */
clsolve_status cls_direct_scale_tiny(cls_direct *direct, cls_check *check, const cls_matrix *A);
/* A in the host's memory, whose columns that are tiny are multiplied by powers of two: *any. The solution has them too,
 * in direct->scaling, as with the option equilibrate; factors that are shown do not. */
clsolve_status cls_direct_scale_columns(cls_direct *direct, const cls_matrix *A, int *any);
/* The family has multiplied A by `unit` as it took it, and measured the product: cls_direct_solve does the same to
 * B. */
void cls_direct_set_unit(cls_direct *direct, double unit);

/* ---- solve.c ---- */

/* B becomes X, or on any status but OK stays as it was. */
clsolve_status cls_direct_solve(cls_direct *direct, const char *call, clsolve_op op, const clsolve_matrix *B);

/* ---- staged.c ---- */

/* The operation solve_unrefined by way of the host: B becomes X with all that was scaled. */
clsolve_status cls_direct_solve_staged(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                       cls_place *out);

/* ---- report.c ---- */

/* All that a report has but its status and method. */
void cls_direct_report(const cls_direct *direct, clsolve_report *report);

/* ---- state.c: what follows from the state ---- */

void *cls_direct_in_use(const cls_direct *direct); /* the factors that answer: `factors`, or `wide` */
clsolve_type cls_direct_type_in_use(const cls_direct *direct);
int cls_direct_in_float(const cls_direct *direct); /* float factors, and answers in double */
int cls_direct_is_unpivoted(const cls_direct *direct);
int cls_direct_can_widen(const cls_direct *direct); /* there is something to fall back to from float factors */
/* The status of factors that solve nothing, direct->info > 0: SINGULAR or NOT_POSITIVE_DEFINITE, and its message. */
clsolve_status cls_direct_refuse(const cls_direct *direct, const char *call);
/* Rows and columns scaled one by one: 1 + 2, as the report has it. */
int cls_direct_scaled_lines(const cls_direct *direct);
/* The power of two by which A as a whole, and no row or column apart, was multiplied before it was factored: 1 for
 * most. */
double cls_direct_uniform(const cls_direct *direct);
/* The scaling that the handle's own factors were made with. */
const cls_scaling *cls_direct_scaling(const cls_direct *direct);
/* The factors in use as an operator, with the scaling they were made with. */
cls_inverse cls_direct_inverse(const cls_direct *direct);

/* ---- fall_back.c: better factors of the copy, for the reason `why` (a static string) ---- */

/* From none to partial pivoting. On failure there are no factors at all. */
clsolve_status cls_direct_repivot(cls_direct *direct, const char *why);
/* From float to double. On failure, for want of memory above all, the float factors stay in use, nothing of the
 * attempt is kept, and it can be made again. */
clsolve_status cls_direct_widen(cls_direct *direct, clsolve_fallback why);

/* The reason in words; NULL: NONE. */
const char *cls_direct_fallback_text(const cls_direct *direct, clsolve_fallback why);
/* Before the caller sees factors: where nobody asked for float ones they become double. */
clsolve_status cls_direct_show(cls_direct *direct);
/* Before an inverse float factors become double: n columns that are refined take longer, and one triangle of columns
 * that are refined apart from each other is no inverse as good as LAPACK's. Without room they stay float. */
clsolve_status cls_direct_prepare_inverse(cls_direct *direct);

/* ---- examine.c ---- */

/* The growth and the info of new factors: zero pivots of float are perturbed, factors that are no use replaced. */
clsolve_status cls_direct_examine(cls_direct *direct);
/* The condition number, where it is wanted. */
clsolve_status cls_direct_condition(cls_direct *direct);
/* Better factors for a solve whose answer did not do, examined as the first were. Where there is no device memory
 * for them, those that there are stay, and an acceptable answer of theirs stands. */
clsolve_status cls_direct_fall_back(cls_direct *direct, const char *call);

/* ---- refine_factors.c ---- */

/* At most CLS_REFINE_COLUMNS columns of B solved into X, refined where that is asked for; tight doubles. Joins
 * direct->steps. */
clsolve_status cls_direct_refine(cls_direct *direct, clsolve_op op, int64_t cols, const double *B, double *X);
/*
 * The condition with factors that know fewer digits than A has: each solve of the estimate is refined until it is good
 * for two. Where that does not come off rcond_is_bound is 1, and rcond an upper bound; -1: nothing can be said.
 */
clsolve_status cls_direct_refine_rcond(cls_direct *direct);

#endif
