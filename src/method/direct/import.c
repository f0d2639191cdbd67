/* import.c: factors from the caller, as LAPACK's getrf or gbtrf leaves them, in the place of a factorization. */
#include "base/clock.h"
#include "method/direct/failure.h"
#include "method/direct/given.h"

static clsolve_status import(cls_direct *direct, const char *call, const char *name, const clsolve_matrix *F,
                             const int64_t *ipiv) {
    cls_error *error = direct->device->error;

    if (direct->n > 0) CLS_TRY(direct->ops->import(direct, F, ipiv));
    if (direct->growth.row >= 0) {
        direct->info = 0;
        return cls_nonfinite(error, CLSOLVE_ERROR_NONFINITE, call, name, direct->growth.row, direct->growth.column);
    }
    direct->largest = direct->growth.largest; /* of A nothing is known */
    direct->imported = direct->factored = 1;
    return direct->info > 0 ? cls_direct_refuse(direct, call) : CLSOLVE_OK;
}

clsolve_status cls_direct_import(cls_direct *direct, const char *call, const char *name, const clsolve_matrix *F,
                                 const int64_t *ipiv) {
    cls_counters before = direct->device->counters;
    double start = cls_seconds();

    cls_direct_forget(direct);
    direct->outcome = import(direct, call, name, F, ipiv);
    direct->costs.factor.upload = direct->costs.factor.total = cls_seconds() - start;
    direct->costs.factor_moved = cls_counters_since(&direct->device->counters, &before);
    return direct->outcome;
}
