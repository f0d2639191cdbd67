/* tiny.c: a tiny matrix without a copy, or tiny columns of one, brought to a size at which reciprocals of pivots do not
 * overflow, and subnormal numbers have their digits. */
#include "method/direct/direct.h"

#include <math.h>

#include "method/mapped.h"

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

void cls_direct_set_unit(cls_direct *direct, double unit) {
    direct->scaling.uniform = unit; /* without rows: B is not multiplied where it is solved for */
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

clsolve_status cls_direct_scale_columns(cls_direct *direct, const cls_matrix *A, int *any) {
    const double least = cls_type_least(direct->type), tiny = least / cls_type_epsilon(direct->type);
    cls_scaling *scaling = &direct->scaling;

    *any = 0;
    CLS_TRY(take_scaling(direct, 1));
    CLS_TRY(cls_scaling_uniform(direct->device, scaling, 1, 1));
    cls_mapped_columns(A, scaling->host_r, scaling->host_c); /* r is ones */
    for (int64_t j = 0; j < direct->n; ++j) {
        const double size = scaling->host_c[j];
        const int is_tiny = size > 0 && size < tiny;
        scaling->host_c[j] = is_tiny ? fmin(ldexp(1, -ilogb(fmax(size, least))), 1 / least) : 1;
        *any = *any || is_tiny;
    }
    scaling->cols = *any;
    return *any ? cls_scaling_to(direct->device, scaling, A, A) : CLSOLVE_OK;
}
