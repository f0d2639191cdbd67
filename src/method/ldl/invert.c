/* invert.c: the inverse, in one triangle: on the host by LAPACK's sytri_3, else by solves for the identity. */
#include "base/memory.h"
#include "method/direct/half.h"
#include "method/ldl/direct.h"

enum { COLUMNS = 512 }; /* solved for at a time */

static clsolve_status by_solves(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    const int64_t n = direct->n, size = cls_type_size(T->type);

    for (int64_t j = 0; j < n; ++j) cls_type_put(T->type, T->data, j * (n + 1) * cls_type_parts(T->type), 1);
    for (int64_t j = 0; j < n; j += COLUMNS) {
        clsolve_matrix part = *T;
        part.cols = n - j < COLUMNS ? n - j : COLUMNS;
        part.data = (char *)T->data + j * n * size;
        CLS_TRY(cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, &part));
    }
    return CLSOLVE_OK;
}

/* The lower triangle of tight values; of a hermitian matrix the diagonal is real but for rounding. */
static int is_finite(clsolve_type type, int hermitian, int64_t n, void *values) {
    const int64_t parts = cls_type_parts(type);
    double zeros = 0;

    for (int64_t j = 0; j < n; ++j) {
        if (parts == 2 && hermitian) cls_type_put(type, values, 2 * j * (n + 1) + 1, 0);
        for (int64_t k = j * (n + 1) * parts; k < (j + 1) * n * parts; ++k) zeros += 0 * cls_type_get(type, values, k);
    }
    return zeros == 0;
}

/* LAPACK's inverse is that of the factored matrix: only one that is A itself will do. */
static int lapack_inverts(const cls_direct *direct) {
    const cls_ldl *ldl = direct->factors;
    return ldl->engine->invert && !direct->copies && !direct->scaling.rows && !direct->scaling.cols &&
           direct->scaling.uniform == 1;
}

static clsolve_status invert(cls_direct *direct, const char *call, const clsolve_matrix *T) {
    cls_ldl *ldl = direct->factors;

    if (!lapack_inverts(direct)) return by_solves(direct, call, T);
    CLS_TRY(cls_symmetric_download(ldl->device, &ldl->transfer, &ldl->A, 0, T));
    return ldl->engine->invert(ldl, T->data);
}

clsolve_status cls_ldl_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    cls_ldl *ldl = direct->factors;
    const int64_t n = X->rows;
    cls_triangle_view view = cls_symmetric_view(X, uplo);
    clsolve_matrix T = *X;

    if (n == 0) return CLSOLVE_OK;
    if (cls_ldl_mirrors(ldl) == CLS_TRANSPOSES) view.conjugate = CLS_TRANSPOSES;
    T.layout = CLSOLVE_COLUMN_MAJOR;
    T.ld = n;
    T.data = cls_alloc((size_t)n, (size_t)(n * cls_type_size(T.type)));
    if (!T.data)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for an inverse of order %lld", call, (long long)n);
    clsolve_status status = invert(direct, call, &T);
    if (status == CLSOLVE_OK && !is_finite(T.type, ldl->hermitian, n, T.data))
        status = cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                          "%s: the inverse holds NaN or Inf: the matrix is too close to a singular one", call);
    if (status == CLSOLVE_OK) cls_symmetric_copy(n, T.data, 0, &view);
    cls_free(T.data);
    return status;
}
