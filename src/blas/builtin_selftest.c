/* builtin_selftest.c: the built-in products of a device, tested before it is asked for them. */
#include "blas/builtin.h"

clsolve_status cls_builtin_self_test(cls_device *device, clsolve_type type, const char **wrong) {
    cls_builtin *builtin;
    *wrong = NULL;
    CLS_TRY(cls_builtin_get(device, &builtin));
    if (cls_builtin_mma_suits(device, type)) CLS_TRY(cls_builtin_mma_try(device, type));
    CLS_TRY(cls_builtin_tiled_try(device, type));
    if (builtin->mma_fails[type == CLSOLVE_F64])
        *wrong = "the product by the matrix unit is wrong here or does not run, and is not used";
    else if (builtin->tiled_fails[type == CLSOLVE_F64])
        *wrong = "the tuned product is wrong here or does not run, and is not used";
    return CLSOLVE_OK;
}
