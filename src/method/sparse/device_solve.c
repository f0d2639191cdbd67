/* device_solve.c: substitution on the device, from the deepest level to the roots and back. */
#include <math.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/device.h"

enum { SIDES = 16 }; /* right-hand sides at once, at most */

typedef struct passage {
    cls_sparse_device *sparse;
    int32_t transposed;
    int64_t sides;
} passage;

/* ---- a class ---- */

static clsolve_status launch(const passage *p, const cls_front_class *of, cls_kernel *kernel, int64_t local,
                             cls_arg *args, int32_t count) {
    const cls_front_launch run = {kernel, p->sides, {(size_t)local, 1}, 1};
    args[0] = (cls_arg)CLS_BUFFER(p->sparse->fronts);
    args[1] = (cls_arg)CLS_BUFFER(p->sparse->lists);
    return cls_front_run_class(p->sparse, of, &run, 2, args, count);
}

static clsolve_status up(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {[3] = CLS_VALUE(p->transposed), CLS_BUFFER(sparse->children), CLS_BUFFER(sparse->relative),
                      CLS_BUFFER(sparse->order),      CLS_BUFFER(sparse->arena),    CLS_BUFFER(sparse->x),
                      CLS_VALUE(sparse->n),           CLS_BUFFER(sparse->left),     CLS_VALUE(sparse->borders)};
    return launch(p, of, sparse->up[!of->near], of->near ? sparse->local : sparse->far_local, args, 12);
}

static clsolve_status down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {[3] = CLS_VALUE(p->transposed), CLS_BUFFER(sparse->border), CLS_BUFFER(sparse->order),
                      CLS_BUFFER(sparse->arena),      CLS_BUFFER(sparse->x),      CLS_VALUE(sparse->n),
                      CLS_BUFFER(sparse->left),       CLS_VALUE(sparse->borders)};
    return launch(p, of, sparse->down[!of->near], of->near ? sparse->local : sparse->far_local, args, 11);
}

static clsolve_status take_children(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {[3] = CLS_VALUE(p->transposed), CLS_BUFFER(sparse->children), CLS_BUFFER(sparse->relative),
                      CLS_BUFFER(sparse->order),      CLS_BUFFER(sparse->x),        CLS_VALUE(sparse->n),
                      CLS_BUFFER(sparse->other),      CLS_BUFFER(sparse->left),     CLS_VALUE(sparse->borders)};
    return launch(p, of, sparse->child, sparse->local, args, 12);
}

static clsolve_status move_rows(const passage *p, const cls_front_class *of, int32_t back) {
    cls_sparse_device *sparse = p->sparse;
    cls_arg args[] = {[3] = CLS_VALUE(back),    CLS_BUFFER(sparse->border), CLS_BUFFER(sparse->order),
                      CLS_BUFFER(sparse->x),    CLS_VALUE(sparse->n),       CLS_BUFFER(sparse->other),
                      CLS_BUFFER(sparse->left), CLS_VALUE(sparse->borders)};
    return launch(p, of, sparse->row, sparse->local, args, 11);
}

/* ---- a large front ---- */

static clsolve_status large_up(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int64_t s = sparse->list[of->from], f = of->most_pivots, b = of->most_border;
    const cls_ref T = cls_front_ref(sparse, s, CLS_PIVOT),
                  M = cls_front_ref(sparse, s, p->transposed ? CLS_UP_AT : CLS_LOW_AT);
    const cls_ref X = {sparse->x, cls_front_of(sparse, s, CLS_FIRST), sparse->n};
    const cls_ref left = {sparse->left, cls_front_of(sparse, s, CLS_RELATIVE), sparse->borders};
    CLS_TRY(take_children(p, of));
    CLS_TRY(cls_front_triangle(sparse,
                               sparse->cholesky ? CLS_LOWER
                               : p->transposed  ? CLS_UPPER
                                                : CLS_LOWER_UNIT,
                               p->transposed ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, f, p->sides, T, X));
    if (b == 0) return CLSOLVE_OK;
    return cls_gemm(sparse->device, CLS_BLAS_DEFAULT, sparse->type,
                    sparse->cholesky ? cls_adjoint(sparse->type) : CLSOLVE_TRANS, CLSOLVE_NO_TRANS, b, p->sides, f, -1,
                    M, X, 1, left);
}

static clsolve_status large_down(const passage *p, const cls_front_class *of) {
    cls_sparse_device *sparse = p->sparse;
    const int64_t s = sparse->list[of->from], f = of->most_pivots, b = of->most_border;
    const cls_ref T = cls_front_ref(sparse, s, CLS_PIVOT),
                  M = cls_front_ref(sparse, s, p->transposed || sparse->cholesky ? CLS_LOW_AT : CLS_UP_AT);
    const cls_ref X = {sparse->x, cls_front_of(sparse, s, CLS_FIRST), sparse->n};
    const cls_ref rows = {sparse->left, cls_front_of(sparse, s, CLS_RELATIVE), sparse->borders};
    if (b > 0) {
        CLS_TRY(move_rows(p, of, 0));
        CLS_TRY(cls_gemm(sparse->device, CLS_BLAS_DEFAULT, sparse->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, f,
                         p->sides, b, -1, M, rows, 1, X));
    }
    CLS_TRY(cls_front_triangle(sparse,
                               sparse->cholesky ? CLS_LOWER
                               : p->transposed  ? CLS_LOWER_UNIT
                                                : CLS_UPPER,
                               sparse->cholesky ? cls_adjoint(sparse->type)
                               : p->transposed  ? CLSOLVE_TRANS
                                                : CLSOLVE_NO_TRANS,
                               f, p->sides, T, X));
    return p->transposed ? move_rows(p, of, 1) : CLSOLVE_OK;
}

/* ---- all levels ---- */

static clsolve_status pass(const passage *p) {
    const cls_sparse_device *sparse = p->sparse;
    for (int64_t d = sparse->levels - 1; d >= 0; d--)
        for (int64_t c = sparse->level[d]; c < sparse->level[d + 1]; c++) {
            const cls_front_class *of = &sparse->classes[c];
            CLS_TRY(of->large ? large_up(p, of) : up(p, of));
        }
    for (int64_t d = 0; d < sparse->levels; d++)
        for (int64_t c = sparse->level[d]; c < sparse->level[d + 1]; c++) {
            const cls_front_class *of = &sparse->classes[c];
            CLS_TRY(of->large ? large_down(p, of) : down(p, of));
        }
    return CLSOLVE_OK;
}

clsolve_status cls_front_reserve(cls_sparse_device *sparse, int64_t sides) {
    cls_device *device = sparse->device;
    const int64_t size = cls_type_size(sparse->type) * sides;
    if (sides <= sparse->sides) return CLSOLVE_OK;
    cls_buffer **const buffers[] = {&sparse->x, &sparse->other, &sparse->left};
    sparse->sides = 0;
    for (int k = 0; k < 3; k++) {
        device->ops->buffer_destroy(device, *buffers[k]);
        *buffers[k] = NULL;
        CLS_TRY(device->ops->buffer_create(device, (size_t)((k < 2 ? sparse->n : sparse->borders) * size), buffers[k]));
    }
    sparse->sides = sides;
    return CLSOLVE_OK;
}

clsolve_status cls_front_substitute(cls_sparse_device *sparse, int transposed, int64_t sides) {
    const passage p = {sparse, sparse->cholesky ? 0 : transposed, sides};
    return pass(&p);
}

/* Values were multiplied by 2^-exponent, so solutions are too large by that. */
static clsolve_status solve_some(cls_sparse_device *sparse, int transposed, double *x, int64_t sides) {
    const int64_t count = sparse->n * sides * sparse->parts, elements = sparse->n * sides;
    const clsolve_type real = cls_real_type(sparse->type);
    int exponent = 0;
    double most = 0;
    for (int64_t k = 0; k < count; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
    (void)frexp(most, &exponent);
    CLS_TRY(cls_front_reserve(sparse, sides));
    CLS_TRY(cls_front_stage(sparse, elements));
    cls_front_scale(real, x, count, -exponent, sparse->staged);
    CLS_TRY(cls_front_put(sparse, sparse->x, 0, sparse->staged, (size_t)(elements * cls_type_size(sparse->type))));
    CLS_TRY(cls_front_substitute(sparse, transposed, sides));
    CLS_TRY(cls_front_get(sparse, sparse->x, 0, sparse->staged, (size_t)(elements * cls_type_size(sparse->type))));
    cls_front_unscale(real, sparse->staged, count, exponent - sparse->exponent, x);
    return CLSOLVE_OK;
}

static void conjugate(double *x, int64_t elements) {
    for (int64_t k = 0; k < elements; k++) x[2 * k + 1] = -x[2 * k + 1];
}

clsolve_status cls_sparse_device_solve(cls_sparse_device *sparse, int adjoint, double *x, int64_t nrhs) {
    /* A^H x = b is A^T conj(x) = conj(b); of a hermitian A, A^T x = b is A conj(x) = conj(b). */
    const int turned = sparse->parts == 2 && adjoint == (sparse->cholesky ? 1 : 2);
    clsolve_status status = CLSOLVE_OK;
    if (turned) conjugate(x, sparse->n * nrhs);
    for (int64_t j = 0; j < nrhs && status == CLSOLVE_OK; j += SIDES)
        status =
            solve_some(sparse, adjoint != 0, x + j * sparse->n * sparse->parts, nrhs - j < SIDES ? nrhs - j : SIDES);
    if (turned) conjugate(x, sparse->n * nrhs);
    return status;
}
