#include "api/host.h"

#include <limits.h>
#include <string.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/type.h"
#include "blas/blas.h"
#include "device/backend.h"

clsolve_status cls_context_host(clsolve_context *context, cls_device **host) {
    *host = NULL;
    if (!context->where.host) {
        cls_device *made = NULL;
        CLS_TRY(cls_host_open(&context->error, &made));
        clsolve_status status = cls_blas_create(made);
        if (status != CLSOLVE_OK) {
            cls_device_close(made);
            return status;
        }
        context->where.host = made;
    }
    *host = context->where.host;
    return CLSOLVE_OK;
}

/* CLSOLVE_HOST=never or =always stands in AUTO's place, for tests and measurements. */
clsolve_where cls_host_forced(clsolve_where asked) {
    const char *text = cls_environment_word("CLSOLVE_HOST");
    if (asked != CLSOLVE_WHERE_AUTO || !text) return asked;
    return strcmp(text, "never") == 0 ? CLSOLVE_WHERE_DEVICE : CLSOLVE_WHERE_HOST;
}

/* LAPACK counts in 32 bits, and A must have room twice, the caller's own and the handle's. */
int cls_host_has_room(const cls_task *task) {
    static const double any_host_has = 64 << 20; /* bytes */
    double width = task->family == CLS_FAMILY_BAND            ? 2.0 * (double)task->kl + (double)task->ku + 2
                   : task->family == CLS_FAMILY_BAND_CHOLESKY ? (double)task->kl + 2
                   : task->family == CLS_FAMILY_LINES         ? 5
                                                              : (double)task->n;
    double members = task->family >= CLS_FAMILY_BATCH ? (double)task->count : 1;
    double bytes = members * (double)task->n * width * (double)cls_type_size(task->type);
    if (task->n >= INT_MAX / 2 || width >= INT_MAX / 2) return 0;
    if (2 * bytes <= any_host_has) return 1; /* to ask takes longer than to solve a small system */
    double there = (double)cls_host_memory();
    return there <= 0 || 2 * bytes <= there;
}
