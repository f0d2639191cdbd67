#define _GNU_SOURCE

#include "lapack/gate.h"

#include <fenv.h>

#include "lapack/call.h"
#include "lapack/faster.h"
#include "lapack/measured.h"
#include "lapack/open.h"

typedef struct known_entry {
    const lapack_routine *routine;
    const char *symbol, *name;
    lapack_kind kind;
    clsolve_type type;
    lapack_variant variant;
} known_entry;

#define KNOWN(id, symbol, routine, type, variant, kind, calls, ...)                                                    \
    [LAPACK_##id] = {&cls_lapack_##calls, #symbol, #routine, KIND_##kind, LAPACK_TYPE_OF_##type, variant},
static const known_entry known[] = {LAPACK_ENTRIES(KNOWN)};

/* Nanoseconds of the host's work after which a device is looked for: ten times as long as the look takes. */
static const int64_t worth_looking = 1000000000;

/* While another thread is inside, the call is not noted. */
void cls_lapack_spent(lapack_kind kind, const lapack_timed *timed) {
    const int64_t took = cls_lapack_now() - timed->start;
    (void)atomic_fetch_add(&cls_lapack.spent[kind], took);
    if (timed->class_key == 0 || atomic_flag_test_and_set(&cls_lapack.inside)) return;
    cls_measured_note(timed->class_key, SIDE_HOST, 1e-9 * (double)took);
    atomic_flag_clear(&cls_lapack.inside);
}

static int64_t spent_in_all(void) {
    int64_t sum = 0;
    for (int kind = 0; kind < LAPACK_KINDS; kind++) sum += atomic_load(&cls_lapack.spent[kind]);
    return sum;
}

/* Multiplications and additions, roughly. */
static double work_of(const lapack_shape *shape, lapack_kind kind) {
    double n = (double)shape->n, nrhs = (double)shape->nrhs;
    double smaller = shape->m < shape->n ? (double)shape->m : n, larger = (double)shape->m + n - smaller;
    double below = (double)shape->kl, width = (double)(2 * shape->kl + shape->ku);
    if (kind == KIND_BAND)
        return shape->work == WORK_FACTOR ? 2 * smaller * width * (below + nrhs) : 2 * n * width * nrhs;
    if ((kind == KIND_SYMMETRIC || kind == KIND_LDL) && shape->work == WORK_FACTOR) return n * n * (n / 3 + 2 * nrhs);
    if (shape->work == WORK_FACTOR) return smaller * smaller * (larger - smaller / 3 + 2 * nrhs);
    return 2 * n * n * (shape->work == WORK_INVERT ? n : nrhs);
}

/* Nanoseconds of the host before anything is measured: the guess of src/cost for a core. */
static int64_t guess(const lapack_shape *shape, const lapack_call *call) {
    double each = cls_lapack_is_complex(call->type) ? 4 : 1;
    double seconds = each * work_of(shape, call->kind) / (8e9 * cls_lapack.options.cores);
    return seconds < 1e6 ? (int64_t)(1e9 * seconds) : worth_looking;
}

/* No device is open. Looks for one when that pays; 1: there is one now. */
static int opened(const lapack_shape *shape, const lapack_call *call) {
    const int by_order = cls_lapack.options.mode == MODE_ON || cls_lapack.options.least >= 0;
    if ((by_order || spent_in_all() + guess(shape, call) >= worth_looking) &&
        cls_lapack_now() >= atomic_load(&cls_lapack.look_at))
        cls_lapack_open();
    return atomic_load(&cls_lapack.phase) == PHASE_OPEN;
}

/*
 * The host does a call that the device might have done. Kernels that are missing are asked for when the host has worked
 * for as long as they take, so that no sequence of calls takes more than twice the least. Dense matrices and bands have
 * kernels of their own, so the time of each counts for its own kernels.
 */
static void note_missing_kernels(lapack_kind kind, const lapack_shape *shape, clsolve_type type) {
    if (atomic_load(&cls_lapack.spent[kind]) < atomic_load(&cls_lapack.start[kind][type]) ||
        !cls_lapack_lacks_kernels(kind, type))
        return;
    atomic_store(&cls_lapack.spent[kind], 0);
    cls_lapack_warm(kind, type, shape);
}

/* The library's own arithmetic, a logarithm of 0 too, raises no flag that the program reads, because NumPy warns of
 * them. */
static clsolve_status run_quietly(const lapack_call *call, const lapack_shape *shape) {
    fenv_t before;
    (void)feholdexcept(&before);
    clsolve_status status = known[call->entry].routine->run(call, shape);
    (void)fesetenv(&before);
    return status;
}

/* Under `inside`. */
static lapack_way on_device(const lapack_call *call, const lapack_shape *shape, uint32_t class_key) {
    if (!cls_lapack_is_faster(call, shape, class_key)) {
        note_missing_kernels(call->kind, shape, call->type);
        return HOST_SMALL;
    }
    const int64_t start = cls_lapack_now();
    clsolve_status status = run_quietly(call, shape);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) {
        cls_measured_note(class_key, SIDE_DEVICE, 1e-9 * (double)(cls_lapack_now() - start));
        return ON_DEVICE;
    }
    cls_lapack_say("%s: n = %lld: %s: to the host", known[call->entry].symbol, (long long)shape->n,
                   cls_lapack.library.context_message(cls_lapack.context));
    return HOST_FAILED;
}

/* Whatever the sizes are. By its model the device never estimates (faster.c). */
static int is_always_hosts(const lapack_shape *shape) {
    return shape->work == WORK_HOST || shape->m == 0 || shape->n == 0 ||
           (shape->work == WORK_ESTIMATE && cls_lapack.options.least < 0);
}

static lapack_way enter(const lapack_call *call, const lapack_shape *shape, uint32_t class_key) {
    if (atomic_load(&cls_lapack.phase) != PHASE_OPEN && !opened(shape, call)) return HOST_CLOSED;
    if (atomic_flag_test_and_set(&cls_lapack.inside)) return HOST_BUSY;
    cls_lapack_is_inside = 1;
    lapack_way way = on_device(call, shape, class_key);
    cls_lapack_is_inside = 0;
    atomic_flag_clear(&cls_lapack.inside);
    return way;
}

/* *class_key is not 0: if the host does it, its time counts for opening a device and compiling its kernels. */
static lapack_way send(const lapack_call *call, lapack_shape *shape, uint32_t *class_key) {
    int cancel;
    if (atomic_load(&cls_lapack.phase) == PHASE_HOST) return HOST_CLOSED;
    if (!known[call->entry].routine->check(call, shape)) return HOST_ARGUMENT;
    if (is_always_hosts(shape)) return HOST_SMALL;
    *class_key = cls_measured_class(call->entry, shape->n, work_of(shape, call->kind));
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* a thread that ended here would keep the device */
    lapack_way way = enter(call, shape, *class_key);
    (void)pthread_setcancelstate(cancel, NULL);
    return way;
}

lapack_offer cls_lapack_offer(int entry, void *const *args, lapack_timed *timed) {
    lapack_call call = {.entry = entry,
                        .name = known[entry].name,
                        .kind = known[entry].kind,
                        .type = known[entry].type,
                        .wide = atomic_load(&cls_lapack.wide[known[entry].variant]),
                        .args = args};
    lapack_shape shape = {0};
    uint32_t class_key = 0;
    lapack_way way = send(&call, &shape, &class_key);
    cls_lapack_count(entry, way);
    if (way == ON_DEVICE) return OFFER_DONE;
    if (class_key == 0 || atomic_load(&cls_lapack.phase) == PHASE_HOST) return OFFER_HOST;
    /* A call that runs concurrently with a compiler or with another thread's call says little of the host. */
    timed->class_key = way == HOST_SMALL || way == HOST_CLOSED ? class_key : 0;
    timed->start = cls_lapack_now();
    return OFFER_HOST_TIMED;
}
