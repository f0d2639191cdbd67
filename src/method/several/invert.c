/* invert.c: the inverse: a solve for the identity, which each device makes for itself (identity.c). */
#include "base/memory.h"
#include "method/direct/failure.h"
#include "method/several/direct.h"

static clsolve_status overflow(const cls_direct *direct, const char *call) {
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the inverse holds NaN or Inf: the matrix is too close to a singular one", call);
}

/* By way of the host, where solves are refined or the matrix was scaled. */
static clsolve_status invert_refined(cls_direct *direct, const char *call, const clsolve_matrix *X) {
    const int64_t n = X->rows, size = cls_type_size(X->type), parts = cls_type_parts(X->type);
    clsolve_matrix T = *X;

    T.ld = n;
    T.data = cls_alloc((size_t)(n * n), (size_t)size);
    if (!T.data)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for an inverse of order %lld", call, (long long)n);
    for (int64_t k = 0; k < n; ++k) cls_type_put(T.type, T.data, k * (n + 1) * parts, 1);
    clsolve_status status = cls_direct_solve(direct, call, CLSOLVE_NO_TRANS, &T);
    for (int64_t l = 0; status == CLSOLVE_OK && l < n; ++l)
        for (int64_t k = 0; k < n * parts; ++k)
            cls_type_put(X->type, X->data, l * X->ld * parts + k, cls_type_get(T.type, T.data, l * n * parts + k));
    cls_free(T.data);
    return status;
}

clsolve_status cls_several_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    cls_several *several = direct->factors;
    cls_place out;

    (void)uplo;
    if (X->rows == 0) return CLSOLVE_OK;
    if (direct->copies || several->uniform != 1) return invert_refined(direct, call, X);
    CLS_TRY(cls_several_solve_identity(several, X, &out));
    return out.row >= 0 ? overflow(direct, call) : CLSOLVE_OK;
}
