/*
 * trust.h: what says whether factors can be trusted, and what makes answers of factors that cannot: pivot growth and
 * determinant, solves of vectors that lie on the host, the condition number, refinement, mixed precision.
 */
#ifndef CLS_LU_TRUST_H
#define CLS_LU_TRUST_H

#include "method/keep.h"
#include "method/lu/lu.h"
#include "method/refine.h"

/* ---- judge.c: L\U after a factorization ---- */

typedef struct cls_lu_verdict {
    int64_t row, column; /* of the first NaN or Inf in L\U; -1 when all is finite */
    double largest;      /* max |u(i,j)| */
    double log_abs_det;  /* natural; -Inf when a pivot is zero */
    int sign;            /* of the determinant: -1, 0, 1 */
    int known;           /* whether all that has been computed */
} cls_lu_verdict;

/* One pass over L\U and one over its diagonal, in one wait. */
clsolve_status cls_lu_judge(cls_lu *lu, cls_lu_verdict *verdict);

/* The same part by part, for a matrix that is not there as a whole: the columns begin .. end-1 that lu->A holds, joined
 * to what is known of those before. A mapped matrix has one part. */
cls_lu_verdict cls_lu_verdict_begin(void);
clsolve_status cls_lu_judge_columns(cls_lu *lu, int64_t begin, int64_t end, cls_lu_verdict *verdict);

/* Zero pivots become 2^-23 times `largest`: good for a preconditioner only. Enqueues. */
clsolve_status cls_lu_mend(cls_lu *lu, double largest);

/* ---- operator.c: the factors as an operator on the host's vectors ---- */

/*
 * The factors are those of diag(r) A diag(c) where r and c (n powers of two each) are not NULL. `unit`: a power of two near the
 * largest element of the factored matrix: vectors are brought to its size, so that tiny and huge ones pass through float.
 */
typedef struct cls_lu_operator {
    cls_lu *lu;
    const double *r, *c;
    double unit;
    int exponent; /* the inverse is taken times 2^exponent, so that a huge one stays in range */
    int plain; /* vectors go as they are, as in a solve that is not refined, and are brought to a size only where that
                     overflows: what such a solve answers stays answered */
} cls_lu_operator;

/* to = op(A)^-1 from, n x cols tight doubles; both may be the same. Not finite where the factors make it so. */
clsolve_status cls_lu_apply_host(const cls_lu_operator *factors, clsolve_op op, int64_t cols, const double *from,
                                 double *to);

/* norm1 is ||A||_1 times CLS_NORM_SCALE, as cls_measures has it, of A without r and c. */
clsolve_status cls_lu_rcond(const cls_lu_operator *factors, double norm1, double *rcond);

/* ---- refined.c: a matrix kept beside its factors ---- */

typedef struct cls_lu_refined {
    cls_device *device; /* NULL: the handle does not refine */
    clsolve_type type;  /* of the caller's matrices */
    int64_t n;
    int mixed;
    int alone; /* mixed, and there is nothing to fall back to: no double on the device, or no room for it out of core */
    int equilibrate;
    int64_t slab_bytes;
    cls_keep keep;
    cls_lu_operator factors; /* the handle's own, or the double ones after falling back */
    cls_lu *wide;            /* double factors, made when first needed */
    const char *fallback;    /* why they were; NULL: float does it */
    const char *repivoted;   /* why factors without pivots were given up; NULL: they were not, or never there */
    int near_singular;       /* what the last solve with factors without pivots tells of A */
} cls_lu_refined;

/* `own`: the handle's factors. On failure the caller still calls the release. */
clsolve_status cls_lu_refined_setup(cls_device *device, clsolve_type type, const clsolve_lu_options *options,
                                    cls_lu *own, cls_lu_refined *refined);
void cls_lu_refined_release(cls_lu_refined *refined);

/* Keeps A and fills own->A with what is to be factored. Stops at NaN and Inf: keep.measures.row >= 0 then. */
clsolve_status cls_lu_refined_set(cls_lu_refined *refined, cls_lu *own, const clsolve_matrix *A);

/* Whether there is nothing better than float factors, and a zero pivot of theirs does not mean that A is singular. */
int cls_lu_refined_must_mend(const cls_lu_refined *refined);

/* Whether the factors in use have no pivots. */
int cls_lu_refined_unpivoted(const cls_lu_refined *refined);

/*
 * Factors without pivots, whose matrix had `largest` as its largest element: what is wrong with them, a static string; NULL:
 * nothing that they show themselves.
 */
const char *cls_lu_refined_doubt(const cls_lu_refined *refined, int64_t info, const cls_lu_verdict *verdict,
                                 double largest);

/* Factors the kept matrix again, in the memory of the factors without pivots, by partial pivoting, for the reason `why` (a
 * static string); *info as LAPACK's. On failure there are no factors at all. */
clsolve_status cls_lu_refined_repivot(cls_lu_refined *refined, const clsolve_lu_options *options, const char *why,
                                      int64_t *info, cls_lu_verdict *verdict);

/* Whether there is something to fall back to from float factors. */
int cls_lu_refined_can_widen(const cls_lu_refined *refined);

/* Factors the kept matrix in double, for the reason `why` (a static string); *info as LAPACK's. On failure, for want of
 * memory above all, the float factors stay in use, nothing of the attempt is kept, and it can be made again. */
clsolve_status cls_lu_refined_widen(cls_lu_refined *refined, const clsolve_lu_options *options, const char *why,
                                    int64_t *info, cls_lu_verdict *verdict);

/* The columns begin .. begin + cols - 1 of B (at most CLS_REFINE_COLUMNS) solved into X; B and X tight doubles. */
clsolve_status cls_lu_refined_solve(cls_lu_refined *refined, clsolve_op op, int64_t cols, const double *B, double *X,
                                    cls_refined *result);

/*
 * rcond with factors that know fewer digits than A has: each solve of the estimate is refined until it is good for two.
 * Where that does not come off *bound is 1, and rcond at most *rcond; -1: nothing can be said.
 */
clsolve_status cls_lu_refined_rcond(cls_lu_refined *refined, double *rcond, int *bound);

int64_t cls_lu_refined_bytes(const cls_lu_refined *refined); /* of its matrices on the device, and of double factors */

#endif
