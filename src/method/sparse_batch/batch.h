/*
 * batch.h (private): sparse matrices of one pattern with many sets of values, the members.
 *
 *      plan.c      the pivots of a typical member, and the pattern of the factors
 *      steps.c     the factorization and the substitutions as lists of steps by levels
 *      call.c      factor and solve: portions of members, right-hand sides, infos
 *      device.c    the launches of cl/sparse_batch.cl; device_solve.c those of cl/sparse_batch_solve.cl
 *      host.c      the same on a device without kernels, the host; host_element.h for each type
 *      condition.c condition numbers, by solves of all members at once
 *      again.c     members that static pivots do not suffice for, by the solver of one matrix
 *
 * The plan. KLU factors the typical member. Its pivots P A Q become those of all members, and nothing is exchanged
 * later. The entries of L and U have numbers, the slots, by rows of P A Q; an entry on the diagonal is that of U, and
 * holds its inverse. A step makes one slot, by a sum of products of slots that were made before:
 *
 *      l(i,j) = (a(i,j) - sum over k < j of l(i,k) u(k,j)) / u(j,j)
 *      u(i,j) =  a(i,j) - sum over k < i of l(i,k) u(k,j)
 *
 * Steps of one level need those of earlier levels alone, so a work-group shares them out (J. R. Gilbert, T. Peierls,
 * SIAM J. Sci. Stat. Comput. 9, 1988, for the order of operations; levels as in X. Chen, Y. Wang, H. Yang, IEEE TCAD
 * 32, 2013).
 *
 * Layout. CLS_BATCH_MEMBERS members are a block. Number s of member m lies at
 * (m / MEMBERS * slots + s) * MEMBERS + m % MEMBERS, so neighbouring work-items work on neighbouring members. On the
 * host the real parts of a block's number come first, then its imaginary parts.
 */
#ifndef CLS_SPARSE_BATCH_BATCH_H
#define CLS_SPARSE_BATCH_BATCH_H

#include <math.h>

#include <clsolve/batch.h>
#include <clsolve/report.h>

#include "base/type.h"
#include "method/sparse/engine.h"

enum { CLS_BATCH_MEMBERS = 8 };

/* Entries of a row that a residual adds before it adds their sum: roundings of a plain sum of thousands of entries hide
 * an error of x. As in cl/sparse_batch_solve.cl. */
enum { CLS_BATCH_PIECE = 64 };

/* ---- the plan ---- */

/*
 * Steps by levels: those of level l are level[l] .. level[l + 1] - 1. Step t has FIELDS numbers, and the pairs
 * pair[2 k], pair[2 k + 1] for k from step[t].begin to step[t + 1].begin. The last step is followed by one that has
 * only `begin`.
 */
enum {
    CLS_STEP_TO,       /* the slot that is made; of a substitution the position */
    CLS_STEP_DIAGONAL, /* the slot by which the sum is multiplied; -1: none; -2: the sum is a pivot, and is inverted */
    CLS_STEP_FROM,     /* the entry of A, or of a substitution the row, that the sum begins with; -1: none */
    CLS_STEP_INTO,     /* of a substitution: the unknown that the result is added to; -1: none */
    CLS_STEP_BEGIN,    /* see above */
    CLS_STEP_FIELDS
};
enum { CLS_STEP_PIVOT = -2 };

typedef struct cls_plan_steps {
    int64_t levels, count, pairs;
    int32_t *level, *step, *pair;
} cls_plan_steps;

/* Rows of A, or of its transpose: entries start[i] .. start[i + 1] - 1. */
typedef struct cls_plan_rows {
    int32_t *start, *column, *entry;
} cls_plan_rows;

typedef struct cls_sparse_plan {
    cls_csr A; /* the pattern, with the values of the typical member */
    clsolve_type type;
    int64_t rank;      /* the structural rank; below n there is nothing else here */
    int64_t *pivot[2]; /* rows and columns of A at each position */
    int64_t slots;
    int64_t *start; /* n + 1: the slots of each row of L + U */
    int32_t *column, *diagonal;
    cls_plan_steps factor, substitute[2]; /* substitute: for A, and for its transpose */
    cls_plan_rows rows[2];                /* likewise */
    int32_t *first, *given;               /* the caller's entries that add up to entry e; NULL: entry e alone */
    double seconds;
} cls_sparse_plan;

/*
 * Takes the pattern of A, and chooses pivots for its values. On failure *plan is NULL.
 * INVALID_ARGUMENT, ERROR_NONFINITE, UNSUPPORTED (too many products for lists), OUT_OF_MEMORY.
 */
clsolve_status cls_sparse_plan_make(cls_error *error, const char *call, const clsolve_csr *A, cls_sparse_plan **plan);
void cls_sparse_plan_free(cls_sparse_plan *plan); /* NULL is fine */

/* steps.c, of a plan with the pattern of its factors. 0: no memory, or *products above CLS_PLAN_MOST. */
#define CLS_PLAN_MOST (INT64_C(1) << 27)
int cls_plan_make_steps(cls_sparse_plan *plan, int64_t *products);
/* The same steps in the order of the slots, of a substitution in that of its positions: for one thread, which goes
 * through memory from one end to the other. No levels. 0: no memory. */
int cls_plan_sort_steps(const cls_plan_steps *steps, cls_plan_steps *sorted);
void cls_plan_free_steps(cls_plan_steps *steps);

/* ---- a batch ---- */

enum { CLS_MEMBER_DONE = 0, CLS_MEMBER_MORE = 1, CLS_MEMBER_NOT_FINITE = -1, CLS_MEMBER_AGAIN = -2 };
enum { CLS_BATCH_NOT_ACCURATE = -2 }; /* an info */

typedef struct cls_sparse_batch {
    cls_device *device;
    const cls_sparse_plan *plan;
    clsolve_type type;
    int64_t count, portion; /* members, and those that are on the device at once: whole blocks but for the last */
    int64_t resident;       /* the first member of those whose factors are there; -1: none */
    char *values;           /* of all members, tight, where there are several portions */
    struct cls_sparse_batch_there *there; /* device.c */
    char *A, *LU, *raw_A, *raw_LU;        /* host.c */
    int32_t *exponents;                   /* likewise: of two, taken out of each member's values */
    cls_plan_steps sorted[3];             /* likewise: the plan's factor and substitute */
    int32_t *states, *outcomes;           /* of the members of a portion: after a call; after the factorization */
    cls_sparse engine;                    /* of one member, once it is wanted */
    int engine_open;
    int64_t again; /* members of the last call that the solver of one matrix has done */
    double backward_error;
    int64_t iterations;
    double upload, download; /* seconds of the last call that went into transfers */
    int of_quotient;         /* solves are with A / 2^exponent, as it was factored */
} cls_sparse_batch;

/* det A = e^log times sign, of complex numbers times e^(i phase). sign 0: it is zero. */
typedef struct cls_member_det {
    double log, phase;
    int sign;
} cls_member_det;

/* memory_limit: of the device, 0: what is free there. */
clsolve_status cls_sparse_batch_setup(cls_device *device, const cls_sparse_plan *plan, int64_t count,
                                      int64_t memory_limit, cls_sparse_batch *batch);
void cls_sparse_batch_release(cls_sparse_batch *batch);

/* As the public calls say, for n and count of at least 1. They wait. `infos`: of solve, those of the factorization
 * become the call's. */
clsolve_status cls_sparse_batch_factor(cls_sparse_batch *batch, const clsolve_batch *values, int32_t *infos,
                                       clsolve_seconds *seconds);
clsolve_status cls_sparse_batch_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *infos,
                                      clsolve_seconds *seconds);
/* Takes the factorization's infos. NULL: not wanted. */
clsolve_status cls_sparse_batch_determinant(cls_sparse_batch *batch, const int32_t *infos, double *det, double *sign,
                                            double *log_abs);

/* 1-norms; likewise. */
clsolve_status cls_sparse_batch_condition(cls_sparse_batch *batch, const int32_t *infos, double *rcond);

/* ---- condition.c: of the portion that is resident ---- */

clsolve_status cls_batch_condition_of(cls_sparse_batch *batch, int64_t count, const int32_t *infos, double *rcond);
/* The values of member m, of A / 2^exponent, in double. `block` has room for CLS_BATCH_MEMBERS members in the type, and
 * keeps the block of m: callers take the members of a block one after the other, from its first on. */
clsolve_status cls_batch_member_values(cls_sparse_batch *batch, int64_t m, void *block, double *value);

/* The backward error of solutions, at most. */
static inline double cls_sparse_batch_promised(const cls_sparse_batch *batch) {
    return fmax(sqrt((double)batch->plan->A.n), 10) * (cls_type_epsilon(batch->type) / 2);
}

/* ---- device.c, device_solve.c ---- */

/* Bytes of the device for a portion of so many members. */
double cls_batch_there_bytes(const cls_sparse_batch *batch, int64_t members);
/* The most members whose arrays fit one allocation each. */
int64_t cls_batch_there_most(const cls_sparse_batch *batch);
clsolve_status cls_batch_there_open(cls_sparse_batch *batch);
void cls_batch_there_close(cls_sparse_batch *batch);
/* Values of the resident portion; batch->states become its members'. */
clsolve_status cls_batch_there_factor(cls_sparse_batch *batch, const clsolve_batch *values);
/*
 * B of that portion; members whose info is 0 and whose solutions are accurate have them then, the states of the others
 * tell why not.
 */
clsolve_status cls_batch_there_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B,
                                     const int32_t *infos);
/* Values of member m of the portion to `value`, in the type, tight: divided by 2^*exponent. */
clsolve_status cls_batch_there_values(cls_sparse_batch *batch, int64_t m, void *value, int32_t *exponent);
/* The values of a block of members, side by side as they lie. */
clsolve_status cls_batch_there_block(cls_sparse_batch *batch, int64_t block, void *values);

/* The inverses of the pivots of the portion's first members, in double, n a member, in the order of elimination. */
clsolve_status cls_batch_there_pivots(cls_sparse_batch *batch, int64_t count, double *pivots);
/* The exponents that were taken out of these members' values. */
clsolve_status cls_batch_there_exponents(cls_sparse_batch *batch, int64_t count, int32_t *exponents);

/* ---- host.c: the same ---- */

clsolve_status cls_batch_host_open(cls_sparse_batch *batch);
void cls_batch_host_close(cls_sparse_batch *batch);
clsolve_status cls_batch_host_factor(cls_sparse_batch *batch, const clsolve_batch *values);
clsolve_status cls_batch_host_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B,
                                    const int32_t *infos);
void cls_batch_host_values(const cls_sparse_batch *batch, int64_t m, void *value, int32_t *exponent);
/* The same, the parts of a number together. */
void cls_batch_host_block(const cls_sparse_batch *batch, int64_t block, void *values);

void cls_batch_host_pivots(const cls_sparse_batch *batch, int64_t count, double *pivots);

/* ---- again.c ---- */

/* Member m of the portion has values that static pivots do not suffice for: is it singular? Its info. */
clsolve_status cls_batch_again_factor(cls_sparse_batch *batch, int64_t m, int32_t *info);
/* Its determinant; of a member whose info is 0. */
clsolve_status cls_batch_again_determinant(cls_sparse_batch *batch, int64_t m, cls_member_det *det);
/* Its condition number. */
clsolve_status cls_batch_again_condition(cls_sparse_batch *batch, int64_t m, double *rcond);
/* Solves for its right-hand sides, B's member m. */
clsolve_status cls_batch_again_solve(cls_sparse_batch *batch, clsolve_op op, int64_t m, const clsolve_batch *B,
                                     int32_t *info);

#endif
