/* cholesky_factors.c: the factor to the caller and from him. */
#include "api/cholesky.h"
#include "api/given.h"
#include "api/validate.h"
#include "method/direct/given.h"

clsolve_status clsolve_cholesky_factors(clsolve_cholesky *cholesky, clsolve_uplo uplo, clsolve_matrix *F) {
    const char *call = "clsolve_cholesky_factors";
    CLS_TRY(cls_head_enter((cls_head *)cholesky));
    cls_direct *direct = &cholesky->it.direct;

    clsolve_status status = cls_given_show(direct, F);
    if (status == CLSOLVE_OK) status = cls_given_triangle(direct, call, "F", uplo, F, cls_direct_type_in_use(direct));
    if (status == CLSOLVE_OK) status = cls_handle_check_factors(&cholesky->it, call);
    if (status == CLSOLVE_OK) status = cls_cholesky_export(direct, call, uplo, F);
    return cls_leave(cholesky->it.head.context, status);
}

clsolve_status clsolve_cholesky_import(clsolve_cholesky *cholesky, clsolve_uplo uplo, const clsolve_matrix *F) {
    const char *call = "clsolve_cholesky_import";
    CLS_TRY(cls_head_enter((cls_head *)cholesky));
    cls_direct *direct = &cholesky->it.direct;

    clsolve_status status = cls_given_triangle(direct, call, "F", uplo, F, direct->type);
    if (status == CLSOLVE_OK) status = cls_given_alone(direct, call, " and without refine");
    if (status == CLSOLVE_OK) {
        cholesky->it.pending_factor = cholesky->it.pending_solve = 0;
        cholesky->factors.uplo = uplo;
        status = cls_direct_import(direct, call, "F", F, NULL);
    }
    return cls_head_end(&cholesky->it.head, NULL, status);
}
