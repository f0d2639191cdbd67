/* begin.c: the create of a direct method, before and after its factors' own setup. */
#include "base/clock.h"
#include "base/type.h"
#include "method/direct/direct.h"

clsolve_status cls_direct_begin(cls_direct *direct, const cls_direct *given, clsolve_precision asked, int may) {
    cls_device *device = given->device;
    const cls_costs costs = {.create = cls_seconds(), .build = device->build_seconds};
    const int64_t bytes = device->counters.buffer_bytes;
    cls_precision precision;

    *direct = (cls_direct){.device = device};
    CLS_TRY(cls_precision_choose(device, given->n, given->type, asked, may, &precision));
    *direct = *given;
    direct->precision = precision;
    direct->mixed = precision.mixed;
    direct->refines = direct->copies = precision.mixed || given->refines;
    direct->only_float = direct->alone = precision.mixed && !device->info.fp64;
    direct->costs = costs;
    direct->state_bytes = bytes;
    cls_direct_forget(direct);
    return CLSOLVE_OK;
}

clsolve_type cls_direct_factors_type(const cls_direct *direct) {
    return direct->mixed ? cls_single_type(direct->type) : direct->type;
}

/* X and R in the caller's type, the factors' right-hand sides in theirs, and the vectors. */
int cls_direct_copy_fits(const cls_direct *direct, int64_t limit, int64_t taken, int64_t vectors) {
    enum { LITTLE = 128 * 1024 }; /* more than the buffers of a few kernels */
    const int64_t size = cls_type_size(direct->type), column = cls_matrix_ld(direct->n, size) * size;
    const int64_t left = limit - taken - LITTLE;
    return limit == 0 || (left > 0 && direct->n + 3 * CLS_REFINE_COLUMNS + vectors <= left / column);
}

void cls_direct_made(cls_direct *direct, int64_t matrices) {
    const cls_device *device = direct->device;
    direct->state_bytes = device->counters.buffer_bytes - direct->state_bytes - matrices;
    direct->costs.build = device->build_seconds - direct->costs.build;
    direct->costs.create = cls_seconds() - direct->costs.create;
}

clsolve_status cls_direct_made_within(cls_direct *direct, const char *create, int64_t limit, int64_t matrices) {
    const int64_t taken = direct->device->counters.buffer_bytes - direct->state_bytes;
    if (limit > 0 && direct->copies && taken > limit)
        return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%s: with the copy of A that refinement keeps, n = %lld takes %lld bytes of device memory; "
                        "memory_limit is %lld",
                        create, (long long)direct->n, (long long)taken, (long long)limit);
    cls_direct_made(direct, matrices);
    return CLSOLVE_OK;
}
