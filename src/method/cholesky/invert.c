/*
 * invert.c: the inverse, LAPACK's potri, in one triangle. On the host LAPACK makes it; on the device it is a solve for
 * the identity, of each block of columns from its own first row on, because only the rows from there on are wanted:
 *
 *     rows and columns from c on:   L22 L22^H X = I     since the rest of I's block, above row c, is zero
 *
 * Handles that refine solve for the whole identity.
 */
#include "base/memory.h"
#include "method/cholesky/direct.h"
#include "method/direct/identity.h"

/* A^-1 = diag(c) F^-1 diag(r), and r and c are powers of two. Says whether all is finite. */
static int unscale(const cls_direct *direct, clsolve_type type, int64_t n, int upper, void *T) {
    const cls_scaling *s = &direct->scaling;
    const int scaled = !direct->copies && (s->rows || s->cols);
    const int64_t parts = cls_type_parts(type);
    double zeros = 0;

    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = upper ? 0 : j, end = upper ? j + 1 : n;
        for (int64_t k = (first + j * n) * parts; k < (end + j * n) * parts; ++k) {
            const int64_t i = k / parts - j * n;
            if (scaled) cls_type_put(type, T, k, cls_type_get(type, T, k) * s->host_c[i] * s->host_r[j]);
            zeros += 0 * cls_type_get(type, T, k);
        }
        if (parts == 2) cls_type_put(type, T, 2 * j * (n + 1) + 1, 0); /* but for rounding it is real */
    }
    return zeros == 0;
}

/* ---- on the device: T's columns, from the diagonal down ---- */

enum { COLUMNS = 512, FEW_COLUMNS = 64 }; /* at a time; under a limit those for which the matrix left room */

static clsolve_status invert_blocks(cls_cholesky *c, const clsolve_matrix *T, int64_t most) {
    const int64_t n = c->n, size = cls_type_size(c->type);

    for (int64_t j = 0, cols; j < n; j += cols) {
        cols = n - j < most ? n - j : most;
        /* Nothing above row j comes down. */
        cls_matrix below = c->B;
        clsolve_matrix part = *T;
        below.offset = j;
        part.rows = n - j;
        part.cols = cols;
        part.data = (char *)T->data + (j + j * n) * size;
        CLS_TRY(cls_identity_put(c->device, &c->B, j, cols));
        CLS_TRY(cls_cholesky_apply_from(c, j, cols));
        CLS_TRY(cls_download(c->device, &c->transfer, &below, cols, &part, 0, NULL));
    }
    return CLSOLVE_OK;
}

static clsolve_status invert_there(cls_cholesky *c, const clsolve_matrix *T) {
    const int64_t columns = c->memory_limit > 0 ? FEW_COLUMNS : COLUMNS, most = c->n < columns ? c->n : columns;

    clsolve_status status = cls_cholesky_reserve(c, most, 0);
    if (status == CLSOLVE_OK) status = invert_blocks(c, T, most);
    (void)c->device->ops->finish(c->device, CLS_COMPUTE);
    return status;
}

/* ---- out of core ---- */

/* All of the identity, as many columns at a time as the window has. */
static clsolve_status invert_streamed(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    cls_cholesky *c = direct->factors;
    clsolve_seconds seconds = {0};
    cls_place in, out;

    cls_identity_ones(T);
    CLS_TRY(cls_out_solve(&c->out, CLSOLVE_NO_TRANS, T, &seconds, &in, &out));
    return out.row >= 0 ? cls_identity_overflow(direct, call) : CLSOLVE_OK;
}

/* ---- the four ways ---- */

/* *upper: the triangle of T that has the inverse. */
static clsolve_status invert(cls_direct *direct, const char *call, const clsolve_matrix *T, int *upper) {
    cls_cholesky *c = direct->factors;

    *upper = 0;
    if (direct->copies) {
        cls_identity_ones(T);
        return cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, T);
    }
    if (c->out.slab > 0) return invert_streamed(direct, call, T);
    if (!c->A.mapped) return invert_there(c, T);
    CLS_TRY(cls_download(c->device, &c->transfer, &c->A, c->n, T, 0, NULL));
    *upper = c->upper;
    cls_cholesky_lapack_invert(T->type, c->n, c->upper, T->data);
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    const int64_t n = X->rows;
    const cls_triangle_view view = cls_symmetric_view(X, uplo);
    clsolve_matrix T;
    int in_upper;

    if (n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_identity_room(direct, call, X, &T));
    clsolve_status status = invert(direct, call, &T, &in_upper);
    if (status == CLSOLVE_OK && !unscale(direct, T.type, n, in_upper, T.data))
        status = cls_identity_overflow(direct, call);
    if (status == CLSOLVE_OK) cls_symmetric_copy(n, T.data, in_upper, &view);
    cls_free(T.data);
    return status;
}
