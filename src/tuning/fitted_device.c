/* fitted_device.c: the sizes that a device has, [0] float, [1] double. */
#include <string.h>

#include "base/memory.h"
#include "base/type.h"
#include "tuning/fitted.h"

static clsolve_status reserve(cls_device *device) {
    if (!device->fitted) device->fitted = cls_alloc(2, sizeof *device->fitted);
    return device->fitted ? CLSOLVE_OK
                          : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for fitted sizes");
}

clsolve_status cls_fitted_set(cls_device *device, clsolve_type type, const cls_fitted *fitted) {
    CLS_TRY(reserve(device));
    device->fitted[type == CLSOLVE_F64] = *fitted;
    return CLSOLVE_OK;
}

const cls_fitted *cls_fitted_of(const cls_device *device, clsolve_type type) {
    static const cls_fitted none;
    /* Nobody has fitted sizes to complex matrices. */
    return device->fitted && !cls_is_complex(type) ? &device->fitted[type == CLSOLVE_F64] : &none;
}

clsolve_status cls_fitted_open(cls_device *device, const char *products) {
    static const clsolve_type types[] = {CLSOLVE_F32, CLSOLVE_F64};
    for (int t = 0; t < 2 && !device->no_kernels; t++) {
        cls_fit_record record;
        cls_fitted fitted;
        if (cls_fit_load(device, products, types[t], &record) == CLS_RECORD_FOUND)
            fitted = record.fitted;
        else if (!cls_fitted_known(device, types[t], products, &fitted))
            continue;
        CLS_TRY(cls_fitted_set(device, types[t], &fitted));
    }
    return CLSOLVE_OK;
}
