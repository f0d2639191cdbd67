#include <clsolve/context.h>

#include <stdio.h>

#include "api/context.h"
#include "api/validate.h"
#include "blas/builtin.h"
#include "method/panel/panel.h"

/* The kernel that looks whether a matrix is symmetric, of real elements and of complex ones of the same precision.
 * Where it is wrong, AUTO does without. */
static clsolve_status test_check(clsolve_context *context, clsolve_type type) {
    const clsolve_type both[] = {type, type == CLSOLVE_F64 ? CLSOLVE_C64 : CLSOLVE_C32};
    for (int t = 0; t < 2 && !context->device->info.host_memory; ++t) {
        const clsolve_status status =
            cls_symmetric_checker_make(context->device, both[t], &context->symmetric[both[t] - CLSOLVE_F32]);
        if (status != CLSOLVE_OK && status != CLSOLVE_ERROR_UNSUPPORTED) return status;
    }
    return CLSOLVE_OK;
}

/* *said: of LU's kernels; *product: what is wrong with our products, or NULL. */
static clsolve_status self_test(clsolve_context *context, clsolve_type type, const char **said, const char **product) {
    cls_panel_kernels form;

    *said = "not run";
    *product = NULL;
    CLS_TRY(cls_validate_type(&context->error, "clsolve_context_self_test", "type", type, CLS_REAL_TYPES));
    if (type == CLSOLVE_F64 && !context->device->info.fp64) {
        *said = "the device has no double";
        return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED, "%s", *said);
    }
    CLS_TRY(cls_panel_self_test(context->device, type, 0, 0, &form));
    switch (form) {
    case CLS_PANEL_KERNELS_RIGHT:
        *said = "right";
        break;
    case CLS_PANEL_KERNELS_NO_WHOLE:
        *said = "a leaf in one launch is wrong here and not used";
        break;
    case CLS_PANEL_KERNELS_WRONG:
        *said = "wrong here and not used";
        return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED, "the kernels of LU are %s", *said);
    }
    CLS_TRY(cls_builtin_self_test(context->device, type, product));
    return test_check(context, type);
}

clsolve_status clsolve_context_self_test(clsolve_context *context, clsolve_type type, char *text, size_t size) {
    const char *said, *product;
    if (text && size > 0) text[0] = '\0';
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = self_test(context, type, &said, &product);
    if (text && size > 0) (void)snprintf(text, size, "%s%s%s", said, product ? "; " : "", product ? product : "");
    return cls_leave(context, status);
}
