/* krylov.c: CG, BiCGStab and FGMRES; every number stays on the device (cl/bt_vector.cl has the recurrences). */
#include "method/block_gs/block_gs.h"

#define TERM(vector, index, sign)                                                                                      \
    { (vector), (index), (sign) }

static clsolve_status combine(cls_bt *bt, cls_bt_vector out, const cls_bt_term *terms, int count) {
    return cls_bt_combine(&bt->run, out, terms, count, bt->run.control);
}

static clsolve_status dots(cls_bt *bt, cls_bt_vector x, cls_bt_vector y, cls_bt_vector u, cls_bt_vector v, int step,
                           int i, int j) {
    int64_t groups;
    CLS_TRY(cls_bt_dots(&bt->run, x, y, u, v, &groups));
    return cls_bt_scalar(&bt->run, groups, step, i, j, bt->run.control);
}

static clsolve_status product(cls_bt *bt, cls_bt_vector x, cls_bt_vector Ax) {
    int64_t groups;
    return cls_bt_residual(&bt->grid, bt->F, x, bt->run.rhs, Ax, CLS_BT_PRODUCT, bt->run.control, &groups);
}

static clsolve_status residual(cls_bt *bt, cls_bt_vector r) {
    int64_t groups;
    return cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, r, CLS_BT_REST, bt->run.control, &groups);
}

/* The stop test by the norm of r. */
static clsolve_status test(cls_bt *bt, cls_bt_vector r) {
    int64_t groups;
    CLS_TRY(cls_bt_dots(&bt->run, r, r, r, r, &groups));
    return cls_bt_test(bt, groups);
}

/*
 * ---- CG, and COCG: the same with x . y in the place of x . conj(y), for complex symmetric matrices (H. A. van der
 * Vorst, J. B. M. Melissen, A Petrov-Galerkin type method for solving Ax = b, where A is symmetric complex, IEEE Trans.
 * Magn. 26 (1990)). No product there need be positive, so none is a sign of a matrix that the method is not for. ----
 */

/* Levels in float: their vectors are read and written as they are. */
static int levels_in_float(const cls_bt *bt) {
    return bt->use_single && bt->has_single && bt->preconditioner == CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID;
}

static clsolve_status start_cg(cls_bt *bt) {
    CLS_TRY(residual(bt, bt->work[0]));
    if (!levels_in_float(bt)) return CLSOLVE_OK;
    return cls_bt_convert(bt, bt->to_float, bt->work[0], bt->narrow, bt->grid.level[0].size * bt->run.rhs);
}

/* p = M^-1 r + beta p */
static clsolve_status direct_cg(cls_bt *bt, int64_t number) {
    cls_bt_vector r = bt->work[0], z = bt->work[1], p = bt->work[2];
    cls_bt_term direction[] = {TERM(z, -1, 1), TERM(p, CLS_BT_BETA, 1)};
    int64_t groups;

    if (levels_in_float(bt)) {
        CLS_TRY(cls_bt_precondition_float(bt));
        CLS_TRY(cls_bt_dot_float(bt, r, &groups));
        CLS_TRY(cls_bt_scalar(&bt->run, groups, CLS_BT_CG_BETA, number > 0, 0, bt->run.control));
        return cls_bt_direction(bt, p);
    }
    CLS_TRY(cls_bt_precondition(bt, r, z));
    CLS_TRY(dots(bt, r, z, r, r, CLS_BT_CG_BETA, number > 0, 0));
    return combine(bt, p, direction, 2);
}

static clsolve_status step_cg(cls_bt *bt, int64_t number) {
    cls_bt_vector r = bt->work[0], p = bt->work[2], q = bt->work[3];
    cls_bt_rest product = bt->run.plain ? CLS_BT_PLAIN_PRODUCT : CLS_BT_PRODUCT;
    int64_t groups;

    CLS_TRY(direct_cg(bt, number));
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, p, bt->run.rhs, q, product, bt->run.control, &groups));
    CLS_TRY(cls_bt_scalar(&bt->run, groups, CLS_BT_MAKE_ALPHA, !bt->run.plain, 0, bt->run.control));
    CLS_TRY(levels_in_float(bt) ? cls_bt_advance_float(bt, p, r, q, &groups)
                                : cls_bt_advance(&bt->run, bt->Y, p, r, q, &groups));
    return cls_bt_test(bt, groups);
}

const cls_bt_method cls_bt_cg = {.name = "cg", .step = step_cg, .start = start_cg, .ahead = 4, .each = 1, .works = 4};
const cls_bt_method cls_bt_cocg = {
    .name = "cocg", .step = step_cg, .start = start_cg, .ahead = 4, .each = 1, .works = 4};

/* ---- BiCGStab ---- */

static clsolve_status start_bicgstab(cls_bt *bt) {
    cls_bt_term copy = TERM(bt->work[1], -1, 1);
    CLS_TRY(residual(bt, bt->work[1]));
    return combine(bt, bt->work[0], &copy, 1);
}

static clsolve_status step_bicgstab(cls_bt *bt, int64_t number) {
    cls_bt_vector r0 = bt->work[0], r = bt->work[1], p = bt->work[2], v = bt->work[3], Mp = bt->work[4],
                  Ms = bt->work[5], t = bt->work[6];

    CLS_TRY(dots(bt, r, r0, r, r, CLS_BT_BI_BETA, number > 0, 0));
    cls_bt_term direction[] = {TERM(r, -1, 1), TERM(p, CLS_BT_BETA, 1), TERM(v, CLS_BT_BETA_OMEGA, -1)};
    CLS_TRY(combine(bt, p, direction, 3));
    CLS_TRY(cls_bt_precondition(bt, p, Mp));
    CLS_TRY(product(bt, Mp, v));
    CLS_TRY(dots(bt, v, r0, r, r, CLS_BT_MAKE_ALPHA, 0, 0));
    cls_bt_term first[] = {TERM(r, -1, 1), TERM(v, CLS_BT_ALPHA, -1)};
    CLS_TRY(combine(bt, r, first, 2)); /* s, in r's place */
    CLS_TRY(cls_bt_precondition(bt, r, Ms));
    CLS_TRY(product(bt, Ms, t));
    CLS_TRY(dots(bt, r, t, t, t, CLS_BT_BI_OMEGA, 0, 0));
    cls_bt_term forward[] = {TERM(bt->Y, -1, 1), TERM(Mp, CLS_BT_ALPHA, 1), TERM(Ms, CLS_BT_OMEGA, 1)};
    CLS_TRY(combine(bt, bt->Y, forward, 3));
    cls_bt_term second[] = {TERM(r, -1, 1), TERM(t, CLS_BT_OMEGA, -1)};
    CLS_TRY(combine(bt, r, second, 2));
    return test(bt, r);
}

const cls_bt_method cls_bt_bicgstab = {
    .name = "bicgstab", .step = step_bicgstab, .start = start_bicgstab, .ahead = 4, .each = 1, .works = 7};

/* ---- FGMRES: the basis in work[0 ..], the preconditioned vectors behind it ---- */

enum { BASIS = CLS_BT_RESTART + 1 };

/* Y changes only at restarts: here is its true residual, and it is kept if it is the best. */
static clsolve_status start_fgmres(cls_bt *bt) {
    cls_bt_vector v = bt->work[0];
    cls_bt_term scaled = TERM(v, CLS_BT_SCALE, 1);
    int64_t groups;
    CLS_TRY(cls_bt_residual(&bt->grid, bt->F, bt->Y, bt->run.rhs, v, CLS_BT_REST, bt->run.control, &groups));
    CLS_TRY(cls_bt_judge(&bt->run, groups, bt->tolerance, 0, CLS_BT_JUDGE_KEEPS | CLS_BT_JUDGE_QUIET));
    CLS_TRY(cls_bt_keep(&bt->run, bt->Y, bt->best));
    CLS_TRY(dots(bt, v, v, v, v, CLS_BT_G_START, 0, 0));
    return combine(bt, v, &scaled, 1);
}

/* Y gets what the complete columns give. With control `idle` also after the end. */
static clsolve_status update(cls_bt *bt, cls_buffer *control) {
    CLS_TRY(cls_bt_scalar(&bt->run, 0, CLS_BT_G_SOLVE, 0, 0, control));
    for (int i = 0; i < CLS_BT_RESTART; i += 2) {
        cls_bt_term terms[] = {TERM(bt->Y, -1, 1), TERM(bt->work[BASIS + i], CLS_BT_G_Y + i, 1),
                               TERM(bt->work[BASIS + i + 1], CLS_BT_G_Y + i + 1, 1)};
        CLS_TRY(cls_bt_combine(&bt->run, bt->Y, terms, 3, control));
    }
    return CLSOLVE_OK;
}

static clsolve_status step_fgmres(cls_bt *bt, int64_t number) {
    int j = (int)(number % CLS_BT_RESTART);
    cls_bt_vector *v = bt->work, w = v[j + 1], z = v[BASIS + j];

    bt->keep = 0;
    CLS_TRY(cls_bt_precondition(bt, v[j], z));
    CLS_TRY(product(bt, z, w));
    for (int i = 0; i <= j; ++i) {
        cls_bt_term less[] = {TERM(w, -1, 1), TERM(v[i], CLS_BT_DOT, -1)};
        CLS_TRY(dots(bt, w, v[i], w, w, CLS_BT_G_DOT, i, j));
        CLS_TRY(combine(bt, w, less, 2));
    }
    cls_bt_term scaled = TERM(w, CLS_BT_SCALE, 1);
    CLS_TRY(dots(bt, w, w, w, w, CLS_BT_G_COLUMN, 0, j));
    CLS_TRY(combine(bt, w, &scaled, 1));
    CLS_TRY(cls_bt_test(bt, 0));
    if (j + 1 < CLS_BT_RESTART) return CLSOLVE_OK;
    CLS_TRY(update(bt, bt->run.control));
    return start_fgmres(bt);
}

static clsolve_status end_fgmres(cls_bt *bt) {
    return update(bt, bt->grid.idle);
}

const cls_bt_method cls_bt_fgmres = {.name = "fgmres",
                                     .step = step_fgmres,
                                     .start = start_fgmres,
                                     .end = end_fgmres,
                                     .ahead = 4,
                                     .each = 1,
                                     .works = BASIS + CLS_BT_RESTART};
