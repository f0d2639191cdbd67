/*
 * where.c: the choice between device and host.
 *
 * Both times come from samples (times.h). Kernels that are not built yet cost their compilation. A call that the host
 * ends sooner goes to the host at once, and a thread compiles meanwhile (beside.h). So no call waits for a compiler,
 * except one that takes longer on the host than the compilation.
 */
#include "api/where.h"

#include <string.h>

#include "api/beside.h"
#include "api/built.h"
#include "api/host.h"
#include "api/times.h"
#include "base/memory.h"
#include "blas/blas.h"

void cls_where_release(clsolve_context *context) {
    cls_device_close(context->where.host);
    cls_free(context->where.shapes);
}

void cls_where_built(clsolve_context *context, const cls_choice *choice) {
    if (choice->device == context->device) cls_built_mark(context, &choice->task);
}

/* ---- the choice ---- */

static cls_choice on_device(const clsolve_context *context, const char *reason) {
    return (cls_choice){.device = context->device, .where = "device", .reason = reason};
}

static cls_choice on_host(const clsolve_context *context, const char *reason) {
    return (cls_choice){.device = context->where.host, .where = "host", .reason = reason};
}

/* The device is faster, once it has its kernels. */
static cls_choice on_device_with_kernels(clsolve_context *context, const cls_task *task,
                                         const cls_seconds_pair *expected) {
    const cls_built_state built = cls_built_state_of(context, task);
    const cls_choice device = on_device(context, "auto: the device is expected to be faster");
    if (expected->host > expected->device + cls_built_seconds(context->device, built)) return device;
    /* The first calls of a process take the host longer than it is expected. */
    switch (built == CLS_BUILT_HERE ? CLS_BESIDE_READY : cls_beside_ask_behind(context, task, 2 * expected->host)) {
    case CLS_BESIDE_READY:
        return device;
    case CLS_BESIDE_FAILED:
        return on_host(context, "auto: the device's kernels could not be compiled");
    case CLS_BESIDE_BUSY:
        break;
    }
    cls_choice meanwhile = on_host(context, "auto: the host, while a thread compiles the device's kernels");
    meanwhile.meanwhile = 1;
    return meanwhile;
}

/* Both sides can do it. */
static cls_choice compare(clsolve_context *context, const cls_task *task) {
    if (cls_in_place(context->device)) return on_host(context, "auto: the device is the host's own cores");
    cls_seconds_pair expected = cls_context_compare(context, task);
    /* Where the host is faster anyway, the kernels count for nothing, and to look for them takes longer than few
     * rows. */
    cls_choice choice = expected.host <= expected.device ? on_host(context, "auto: the host is expected to be faster")
                                                         : on_device_with_kernels(context, task, &expected);
    choice.expected = expected;
    return choice;
}

static clsolve_status choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                             int host_can, cls_choice *choice) {
    const int in_double = host_can == CLS_HOST_IN_DOUBLE;
    cls_device *host;

    if (asked < CLSOLVE_WHERE_AUTO || asked > CLSOLVE_WHERE_HOST)
        return cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: where is %d: see clsolve_where", call,
                        (int)asked);
    if (context->device->no_kernels) {
        *choice = (cls_choice){.device = context->device,
                               .where = "host",
                               .reason = context->peer_count > 0 ? "the host is the first of the context's devices"
                                                                 : "the context is of the host alone"};
        return CLSOLVE_OK;
    }
    int is_order = asked == CLSOLVE_WHERE_HOST;
    asked = cls_host_forced(asked);
    const int has_room = cls_host_has_room(task);
    if (is_order && host_can && !context->device->callers && !has_room)
        return cls_fail(&context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "%s: the host has no room for a problem of this size, n = %lld: leave `where` 0", call,
                        (long long)task->n);
    /* A caller with handles of their own has data on the device. */
    host_can = host_can && !context->device->callers && has_room;
    if (is_order && !host_can)
        return cls_fail(&context->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the host does not do what the options ask for: leave `where` 0", call);
    *choice = on_device(context, asked == CLSOLVE_WHERE_DEVICE ? "asked for" : "auto: the device alone can do it");
    if (!host_can || asked == CLSOLVE_WHERE_DEVICE) return CLSOLVE_OK;
    CLS_TRY(cls_context_host(context, &host));
    *choice = asked == CLSOLVE_WHERE_HOST ? on_host(context, "asked for")
              : in_double                 ? on_host(context, "auto: the device does not compute in double")
                                          : compare(context, task);
    return CLSOLVE_OK;
}

clsolve_status cls_where_choose(clsolve_context *context, const char *call, const cls_task *task, clsolve_where asked,
                                int host_can, cls_choice *choice) {
    CLS_TRY(choose(context, call, task, asked, host_can, choice));
    choice->task = *task;
    return CLSOLVE_OK;
}

void cls_where_report(const cls_choice *choice, clsolve_report *report) {
    report->where = choice->where;
    report->where_reason = choice->reason;
    report->expected_host = choice->expected.host;
    report->expected_device = choice->expected.device;
    if (strcmp(choice->where, "host") != 0) return;
    report->host_bytes += report->device_bytes;
    report->device_bytes = 0;
    report->bytes_up = report->bytes_down = report->transfers_up = report->transfers_down = 0; /* there is no bus */
}
