/* tiny.c: a tiny matrix without a copy, brought to a size at which reciprocals of pivots do not overflow. */
#include "method/direct/direct.h"

/* The scaling is taken when it is first needed. */
static clsolve_status take_scaling(cls_direct *direct, int mapped) {
    cls_device *device = direct->device;
    int64_t bytes = device->counters.buffer_bytes;

    if (direct->scaling.host_r) return CLSOLVE_OK;
    clsolve_status status = cls_scaling_create(device, direct->n, direct->type, direct->type, mapped, &direct->scaling);
    if (status != CLSOLVE_OK) cls_scaling_destroy(device, &direct->scaling); /* half made it would be taken for ready */
    if (status == CLSOLVE_OK) direct->state_bytes += device->counters.buffer_bytes - bytes;
    return status;
}

clsolve_status cls_direct_scale_tiny(cls_direct *direct, cls_check *check, const cls_matrix *A) {
    cls_device *device = direct->device;
    int mapped = A->mapped != NULL;
    double unit = cls_scaling_unit(direct->type, direct->measures.largest);

    if (unit != 1) CLS_TRY(take_scaling(direct, mapped));
    CLS_TRY(cls_scaling_uniform(device, &direct->scaling, mapped, unit));
    if (unit == 1) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_rows(device, &direct->scaling, A, direct->n, 1));
    CLS_TRY(cls_check_enqueue(device, check, A, direct->n,
                              CLS_CHECK_WHOLE)); /* sums that were no numbers of the type are some now */
    CLS_TRY(cls_check_read(device, check, direct->n, &direct->measures, NULL));
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}
