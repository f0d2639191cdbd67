/* invert.c: the inverse: a solve for the identity, of which each device makes its columns. */
#include "method/direct/identity.h"
#include "method/several/direct.h"

clsolve_status cls_several_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X) {
    cls_several *several = direct->factors;
    cls_place out;

    (void)uplo;
    if (X->rows == 0) return CLSOLVE_OK;
    /* By way of the host, where solves are refined or the matrix was scaled. */
    if (direct->copies || several->uniform != 1) return cls_identity_solve(direct, call, X);
    CLS_TRY(cls_several_solve_identity(several, X, &out));
    return out.row >= 0 ? cls_identity_overflow(direct, call) : CLSOLVE_OK;
}
