/* refine_factors.c: refinement with the factors in use and residuals of the copy of A. */
#include <float.h>
#include <math.h>

#include "base/sized.h"
#include "method/direct/direct.h"

static clsolve_status precondition(void *self, clsolve_op op, int64_t cols, const double *R, double *D) {
    cls_inverse inverse = cls_direct_inverse(self);
    return cls_inverse_apply(&inverse, op, cols, R, D);
}

static clsolve_status residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_direct *direct = self;
    if (direct->ops->residual) return direct->ops->residual(direct, op, cols, X, B, R);
    return cls_copy_residual(&direct->copy, op, cols, X, B, R);
}

/*
 * GMRES reads two matrices a step. Where it can fall back to other factors, 2/3 n^3 operations, more than a few dozen
 * steps are not worth it, and from factors without pivots fewer, because those of pivots that were too small are few;
 * where it cannot, it is all there is.
 */
static cls_refine problem_of(cls_direct *direct, clsolve_op op) {
    int single = !cls_is_double(direct->type), unpivoted = cls_direct_is_unpivoted(direct);
    int alone = direct->alone && !unpivoted, few = unpivoted && !direct->mixed;
    double norm1 = direct->copy.measures.norm1, norm_inf = direct->copy.norm_inf;
    cls_refine problem = {.error = direct->device->error,
                          .n = direct->n * cls_type_parts(direct->type),
                          .order = direct->n,
                          .op = op,
                          .norm = op == CLSOLVE_NO_TRANS ? norm1 : norm_inf,
                          .norm_inf = op == CLSOLVE_NO_TRANS ? norm_inf : norm1,
                          .epsilon = single ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2,
                          .single = single,
                          .gmres = direct->mixed || unpivoted,
                          .working = direct->wide != NULL,
                          .strict = unpivoted,
                          .basis = alone ? 100
                                   : few ? 16
                                         : 40,
                          .cycles = alone ? 20
                                    : few ? 1
                                          : 2,
                          .self = direct,
                          .residual = residual,
                          .precondition = precondition};
    return problem;
}

static double norm_1(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += fabs(x[i]) / (double)n;
    return sum;
}

/*
 * ||A|| ||x|| / ||b|| is what the condition of A is at the least. Factors without pivots meet no exact zero where A is
 * singular, but x then is of the size of 1 / epsilon: partial pivoting is to say what A is. The product and the
 * quotient may leave the range of double where the condition is in it.
 */
static int looks_singular(const cls_refine *problem, double unit, int64_t cols, const double *B, const double *X) {
    const cls_sized most = cls_sized_of(0.01 / problem->epsilon * CLS_NORM_SCALE * unit);
    for (int64_t c = 0; c < cols; ++c) {
        const double x = norm_1(problem->n, X + c * problem->n), b = norm_1(problem->n, B + c * problem->n);
        const cls_sized product = cls_sized_product(cls_sized_of(problem->norm), cls_sized_of(x));
        if (b > 0 && !(cls_sized_quotient(product, cls_sized_product(most, cls_sized_of(b))) < 1)) return 1;
    }
    return 0;
}

clsolve_status cls_direct_refine(cls_direct *direct, clsolve_op op, int64_t cols, const double *B, double *X) {
    cls_refine problem = problem_of(direct, op);
    double unit = direct->copy.unit;

    if (!direct->refines) {
        cls_inverse once = cls_direct_inverse(direct);
        once.exponent += ilogb(unit);
        return cls_inverse_apply(&once, op, cols, B, X);
    }
    CLS_TRY(cls_refine_solve_scaled(&problem, unit, cols, B, X, &direct->steps));
    direct->near_singular = cls_direct_is_unpivoted(direct) && looks_singular(&problem, unit, cols, B, X);
    return CLSOLVE_OK;
}

clsolve_status cls_direct_refine_rcond(cls_direct *direct) {
    if (direct->n == 0) {
        direct->rcond = 1;
        direct->rcond_is_bound = 0;
        return CLSOLVE_OK;
    }
    cls_refine plain = problem_of(direct, CLSOLVE_NO_TRANS), transposed = problem_of(direct, cls_adjoint(direct->type));
    return cls_refine_rcond(&plain, &transposed, direct->copy.measures.norm1, &direct->rcond, &direct->rcond_is_bound);
}
