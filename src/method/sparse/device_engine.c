/* device_engine.c: which factors are made on the device, and what the engine has of them. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "cost/sparse.h"
#include "method/direct/precision.h"
#include "method/fronts_device/device.h"
#include "method/sparse/device_compile.h"
#include "method/sparse/engine.h"

/* The ratio is measured for many operations alone, and not on a CPU, where it is always small. AUTO does not wait for
 * that: the thread that compiles measures (cls_front_compile), and until then double is not slow. So it is if the
 * measurement fails. */
static int is_slow_in_double(const cls_sparse *sparse, double operations) {
    cls_device *device = sparse->device;
    const int measures = operations >= CLS_SPARSE_DEVICE_OPERATIONS && device->info.type != CLSOLVE_DEVICE_CPU &&
                         sparse->options.where == CLSOLVE_WHERE_DEVICE;
    const cls_error before = *device->error;
    int ratio = cls_double_ratio_known(device);
    if (ratio > 0 || !measures) return ratio >= CLS_DOUBLE_SLOW;
    if (cls_double_ratio(device, &ratio) == CLSOLVE_OK) return ratio >= CLS_DOUBLE_SLOW;
    *device->error = before;
    return 0;
}

/* Where double is missing or much slower than float, factors are made in float: solutions are refined in double. */
static clsolve_type type_of(const cls_sparse *sparse, double operations) {
    const int in_double =
        sparse->device->info.fp64 && cls_is_double(sparse->type) && !is_slow_in_double(sparse, operations);
    if (sparse->A.parts == 2) return in_double ? CLSOLVE_C64 : CLSOLVE_C32;
    return in_double ? CLSOLVE_F64 : CLSOLVE_F32;
}

/* With its kernels there, whatever became of the values of before. */
static int suits_device_with(const cls_sparse *sparse, double operations) {
    const cls_device *device = sparse->device;
    if (!device || sparse->A.n == 0 || !cls_sparse_device_may(device)) return 0;
    if (sparse->options.where != CLSOLVE_WHERE_AUTO) return sparse->options.where == CLSOLVE_WHERE_DEVICE;
    return !device->info.host_memory && operations >= CLS_SPARSE_DEVICE_OPERATIONS;
}

static int suits_device(const cls_sparse *sparse) {
    return !sparse->klu && suits_device_with(sparse, sparse->analysis.operations);
}

/* Kernels that the machine does not have yet. */
static int are_missed(const cls_sparse *sparse, cls_front_shape *shape) {
    const cls_sparse_device *there = sparse->there;
    if (sparse->options.where != CLSOLVE_WHERE_AUTO || !there || there->opened) return 0;
    *shape = cls_front_shape_of(there);
    return !cls_front_recall(sparse->device, shape) && !cls_front_is_compiled(sparse->device, shape);
}

/* The compiler is done before the host would be. A thread has begun when it was asked first. */
static int compiler_wins(const cls_sparse *sparse) {
    const double since = sparse->asked > 0 ? cls_seconds() - sparse->asked : 0;
    return sparse->analysis.expected_factor > cls_sparse_compile_seconds(&sparse->device->info) - since;
}

/* ---- without a thread that compiles ---- */

/* Microseconds that the host has taken for factors which the device would have made, of all handles of a context. */
static const char spent_here[] = "sparse microseconds on the host";

/* The call compiles, and waits, when the host would have spent as much time. So no call waits longer than the host has
 * worked by then. */
static int host_has_spent_enough(const cls_sparse *sparse) {
    const double spent = 1e-6 * cls_fact_get(sparse->device, spent_here);
    return spent + sparse->analysis.expected_factor > cls_sparse_compile_seconds(&sparse->device->info);
}

static cls_front_built compile_or_count(const cls_sparse *sparse, int counts) {
    if (host_has_spent_enough(sparse)) return CLS_FRONT_BUILT;
    if (!counts) return CLS_FRONT_NOT_BUILT;
    const double spent = cls_fact_get(sparse->device, spent_here) + ceil(1e6 * sparse->analysis.expected_factor);
    (void)cls_fact_set(sparse->device, spent_here, (int)spent); /* without memory the next call waits no sooner */
    return CLS_FRONT_NOT_BUILT;
}

/* ---- with one ---- */

static cls_front_built ask(cls_sparse *sparse, int64_t devices, const cls_front_shape *shape, double seconds) {
    const double begin = cls_seconds();
    if (sparse->asked == 0) sparse->asked = begin;
    const cls_front_built built = sparse->company.build(sparse->company.builder, devices, shape, seconds);
    if (seconds > 0) sparse->waited += cls_seconds() - begin;
    return built;
}

/* A thread begins to compile what is missed. If the compiler is expected to be done before the host would be, the
 * handle's calls wait, together as long as the host would take once. `counts`: the host factors if there is nothing. */
static cls_front_built ask_for_kernels(cls_sparse *sparse, int counts) {
    cls_front_shape shape;
    cls_front_built built = CLS_FRONT_NOT_BUILT;
    if (!are_missed(sparse, &shape)) return CLS_FRONT_BUILT;
    if (sparse->company.build)
        built = ask(sparse, sparse->there->others ? sparse->company.count : 1, &shape,
                    compiler_wins(sparse) ? sparse->analysis.expected_factor - sparse->waited : 0);
    return built == CLS_FRONT_NOT_BUILT ? compile_or_count(sparse, counts) : built;
}

void cls_sparse_foresee(void *of, int64_t separator) {
    cls_sparse *sparse = of;
    const double rows = (double)separator, least = rows * rows * rows / 3;
    const int general = sparse->options.form == CLSOLVE_SPARSE_GENERAL;
    const double operations = general ? 2 * least : least;
    if (sparse->there || sparse->host_alone || !suits_device_with(sparse, operations)) return;
    const cls_front_shape shape =
        cls_front_shape_foreseen(type_of(sparse, operations), sparse->options.form, separator);
    if (cls_front_recall(sparse->device, &shape) || cls_front_is_compiled(sparse->device, &shape)) return;
    if (sparse->options.where == CLSOLVE_WHERE_DEVICE)
        cls_front_announce(sparse->device, &shape);
    else if (sparse->company.build)
        (void)ask(sparse, 1, &shape, 0);
}

int cls_sparse_goes_there(cls_sparse *sparse) {
    if (sparse->host_alone || !suits_device(sparse)) return 0;
    if (sparse->built == CLS_FRONT_BUILT) sparse->built = ask_for_kernels(sparse, 1);
    return sparse->built == CLS_FRONT_BUILT;
}

int cls_sparse_may_go_there(const cls_sparse *sparse) {
    cls_front_shape shape;
    if (sparse->host_alone || !suits_device(sparse)) return 0;
    if (!are_missed(sparse, &shape)) return 1;
    return sparse->company.build ? compiler_wins(sparse) : host_has_spent_enough(sparse);
}

const char *cls_sparse_here_reason(const cls_sparse *sparse) {
    if (sparse->klu) return "KLU works on the host";
    if (sparse->analysis.operations < CLS_SPARSE_DEVICE_OPERATIONS)
        return "sparse systems with few operations are solved on the host";
    if (!cls_sparse_device_may(sparse->device)) return "the context is of the host alone, or its device lacks kernels";
    if (sparse->device->info.host_memory) return "the device works in the host's own memory";
    if (!sparse->company.build) return "the host is done before the device's kernels are compiled";
    if (sparse->built == CLS_FRONT_NOT_BUILT) return "the device's kernels could not be compiled";
    return "the host, while a thread compiles the device's kernels";
}

int cls_sparse_values_may(cls_sparse *sparse, const clsolve_matrix *values) {
    const int singular =
        sparse->options.form != CLSOLVE_SPARSE_POSITIVE_DEFINITE && sparse->analysis.structural_rank < sparse->A.n;
    return values->place == CLSOLVE_ON_DEVICE && sparse->analysed && !singular && !sparse->A.slot &&
           sparse->A.entries > 0 && suits_device(sparse) &&
           type_of(sparse, sparse->analysis.operations) == sparse->type && cls_is_double(sparse->type) &&
           ask_for_kernels(sparse, 0) == CLS_FRONT_BUILT;
}

static void remember_kernels(cls_sparse *sparse) {
    if (sparse->remembered) return;
    const cls_front_shape shape = cls_front_shape_of(sparse->there);
    cls_front_remember(sparse->device, &shape);
    sparse->remembered = 1;
}

static void forget_memory(clsolve_sparse_analysis *a) {
    a->device_bytes = a->first_device_bytes = a->other_device_bytes = a->streamed_bytes = 0;
    a->devices = 0;
}

static void note_memory(cls_sparse *sparse) {
    clsolve_sparse_analysis *a = &sparse->analysis;
    forget_memory(a);
    for (int64_t d = 0; d < sparse->company.count; d++) {
        const cls_front_share share = cls_front_share_of(sparse->there, d);
        a->devices += share.operations > 0;
        a->device_bytes += share.bytes;
        a->streamed_bytes += share.streamed_bytes;
        if (d == 0) a->first_device_bytes = share.bytes;
        if (d > 0) a->other_device_bytes = fmax(a->other_device_bytes, share.bytes);
    }
}

/* Finds out which memory the device will hold, and which factors will pass by. The device's limit is looked at again
 * when the memory is taken. */
static clsolve_status plan_there(cls_sparse *sparse) {
    if (!sparse->there)
        CLS_TRY(cls_sparse_device_plan(&sparse->company, &sparse->symbolic,
                                       type_of(sparse, sparse->analysis.operations), sparse->options.form,
                                       sparse->A.entries, sparse->options.device_memory_limit, &sparse->there));
    note_memory(sparse);
    return CLSOLVE_OK;
}

void cls_sparse_expect_there(cls_sparse *sparse) {
    cls_device *device = sparse->device;
    if (!suits_device(sparse)) return;
    const cls_error before = *device->error;
    if (plan_there(sparse) != CLSOLVE_OK) *device->error = before; /* the factorization will say so */
}

clsolve_status cls_sparse_open_there(cls_sparse *sparse) {
    CLS_TRY(plan_there(sparse));
    if (!sparse->there->opened) {
        clsolve_status status = cls_sparse_vectors_announce(sparse);
        if (status == CLSOLVE_OK) status = cls_sparse_device_open(sparse->there);
        if (status != CLSOLVE_OK) {
            cls_sparse_device_close(sparse->there);
            sparse->there = NULL;
            forget_memory(&sparse->analysis);
            return status;
        }
    }
    return cls_sparse_vectors_open(sparse);
}

clsolve_status cls_sparse_factor_there(cls_sparse *sparse, const double *value) {
    CLS_TRY(cls_sparse_open_there(sparse));
    cls_sparse_vectors_renew(sparse);
    CLS_TRY(cls_sparse_device_factor(sparse->there, value));
    remember_kernels(sparse);
    note_memory(sparse);
    sparse->analysis.replaced = sparse->there->replaced_pivots;
    sparse->made_there = 1;
    return CLSOLVE_OK;
}

int cls_sparse_is_vague(const cls_sparse *sparse) {
    return sparse->made_there && sparse->there->vanished;
}

int cls_sparse_pivots_there(const cls_sparse *sparse, double *pivot, int64_t *row) {
    return cls_sparse_device_pivots(sparse->there, pivot, row) == CLSOLVE_OK;
}
