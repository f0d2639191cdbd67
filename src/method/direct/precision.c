#include "method/direct/precision.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/environment.h"
#include "blas/blas.h"
#include "device/ref.h"

enum {
    GROUP = 64,
    GROUPS_A_UNIT = 16,
    LEAST_ROWS = 512, /* below, launches and transfers count more than arithmetic */
    MOST_STEPS = 1 << 24
};
static const char fact[] = "direct.double_ratio";
static const double enough_seconds = 2e-3; /* the wall clock of one launch then tells a rate */

/* ---- the measurement ---- */

static clsolve_status run(cls_device *device, cls_kernel *kernel, const cls_grid *grid, int32_t count, cls_buffer *out,
                          double *seconds) {
    cls_arg args[] = {CLS_VALUE(count), CLS_BUFFER(out)};
    double start = cls_seconds();

    CLS_TRY(cls_launch(device, CLS_COMPUTE, kernel, grid, CLS_ARGS(args)));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *seconds = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* Launches of growing length, until one lasts. The first one also brings the kernel to the device. */
static clsolve_status steps_a_second(cls_device *device, cls_kernel *kernel, int64_t groups, cls_buffer *out,
                                     double *rate) {
    cls_grid grid = {{(size_t)groups * GROUP, 1, 1}, {GROUP, 1, 1}};
    int32_t count = 64;
    double seconds;

    CLS_TRY(run(device, kernel, &grid, count, out, &seconds));
    for (;;) {
        CLS_TRY(run(device, kernel, &grid, count, out, &seconds));
        *rate = count / (seconds > 0 ? seconds : 1e-9);
        if (seconds >= enough_seconds || count >= MOST_STEPS) return CLSOLVE_OK;
        count *= 4;
    }
}

static clsolve_status measure(cls_device *device, clsolve_type type, double *rate) {
    const cls_device_ops *ops = device->ops;
    int64_t units = device->info.compute_units > 0 ? device->info.compute_units : 1, groups = units * GROUPS_A_UNIT;
    cls_program *program;
    cls_kernel *kernel = NULL;
    cls_buffer *out = NULL;

    CLS_TRY(ops->program_get(device, "rate", cls_type_option(type), &program));
    CLS_TRY(ops->kernel_create(device, program, "rate", &kernel));
    clsolve_status status = ops->buffer_create(device, (size_t)(groups * GROUP * cls_type_size(type)), &out);
    if (status == CLSOLVE_OK) status = steps_a_second(device, kernel, groups, out, rate);
    ops->buffer_destroy(device, out);
    ops->kernel_destroy(device, kernel);
    return status;
}

/* The quotient, rounded to a whole number. */
static clsolve_status measure_ratio(cls_device *device, int *ratio) {
    double in_float, in_double;

    CLS_TRY(measure(device, CLSOLVE_F32, &in_float));
    CLS_TRY(measure(device, CLSOLVE_F64, &in_double));
    double quotient = in_float / in_double;
    *ratio = quotient < 1 ? 1 : quotient > 1000 ? 1000 : (int)(quotient + 0.5);
    return CLSOLVE_OK;
}

int cls_double_ratio_known(cls_device *device) {
    int ratio = device->info.fp64 ? cls_environment_pretends("double-ratio") : 0;
    if (!device->info.fp64 || ratio > 0) return ratio;
    if (device->double_ratio > 0) return device->double_ratio;
    ratio = cls_fact_get(device, fact);
    return ratio > 0 ? ratio : device->ops->recall(device, fact);
}

clsolve_status cls_double_ratio(cls_device *device, int *ratio) {
    *ratio = cls_double_ratio_known(device);
    if (*ratio > 0 || !device->info.fp64) return CLSOLVE_OK;
    CLS_TRY(measure_ratio(device, ratio));
    device->ops->remember(device, fact, *ratio);
    return cls_fact_set(device, fact, *ratio);
}

/* ---- the choice ---- */

/* Float factors, A, double factors, and as much again as a tenth for vectors and the like. */
static int has_room(cls_device *device, int64_t n, clsolve_type type) {
    return 1.1 * (4 + 8 + 8) * (double)cls_type_parts(type) * (double)n * (double)n <=
           (double)device->ops->memory_left(device);
}

static clsolve_status is_slow(cls_device *device, int64_t n, clsolve_type type, int *slow) {
    int ratio;

    *slow = 0;
    if (n < (cls_environment_pretends("double-ratio") ? 1 : LEAST_ROWS) || device->no_kernels || device->callers ||
        cls_in_place(device))
        return CLSOLVE_OK;
    if (device->info.type == CLSOLVE_DEVICE_CPU || !has_room(device, n, type)) return CLSOLVE_OK;
    CLS_TRY(cls_double_ratio(device, &ratio));
    *slow = ratio >= CLS_DOUBLE_SLOW;
    return CLSOLVE_OK;
}

clsolve_status cls_precision_choose(cls_device *device, int64_t n, clsolve_type type, clsolve_precision asked, int may,
                                    cls_precision *choice) {
    int slow = 0;

    *choice = (cls_precision){.reason = "the matrix is in single precision"};
    if (!cls_is_double(type)) return CLSOLVE_OK;
    *choice = (cls_precision){.mixed = 1, .reason = "the device does not compute in double"};
    if (!device->info.fp64) return CLSOLVE_OK;
    *choice = (cls_precision){.mixed = asked == CLSOLVE_PRECISION_MIXED, .reason = "asked for"};
    if (asked != CLSOLVE_PRECISION_AUTO) return CLSOLVE_OK;
    if (may) CLS_TRY(is_slow(device, n, type, &slow));
    *choice = (cls_precision){.mixed = slow,
                              .automatic = 1,
                              .reason = slow ? "auto: the device is much slower in double than in float"
                                             : "auto: as the matrix"};
    return CLSOLVE_OK;
}
