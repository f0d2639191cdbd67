#include "api/in_place.h"

#include "api/host.h"
#include "api/validate.h"

clsolve_status cls_in_place_check(cls_error *error, const char *call, const char *create_call, const char *name,
                                  const clsolve_matrix *matrix, int64_t m, int64_t n, const int64_t *ipiv) {
    if (!ipiv && m > 0 && n > 0)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: ipiv is NULL: give room for %lld pivots", call,
                        (long long)(m < n ? m : n));
    if (matrix->place == CLSOLVE_ON_HOST) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: %s is on the device: give it on the host, or use %s", call,
                    name, create_call);
}

clsolve_status cls_in_place_refuse(cls_error *error, const char *call, const char *create_call, int other) {
    if (!other) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: the factors are LAPACK's, by partial pivoting of A as it is: other pivoting, MIXED, "
                    "equilibrate, refine and rcond are for handles (%s)",
                    call, create_call);
}

clsolve_status cls_in_place_alone(cls_error *error, const char *call, const char *in_place_call, int32_t nonfinite) {
    if (nonfinite == 0) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: nonfinite is %d: it is an option of %s, give 0", call,
                    (int)nonfinite, in_place_call);
}

clsolve_status cls_in_place_choose(clsolve_context *context, const char *call, const cls_task *task,
                                   clsolve_where asked, int host_can, cls_choice *choice) {
    if (cls_is_double(task->type) && !context->device->info.fp64 && host_can && asked == CLSOLVE_WHERE_AUTO)
        return cls_in_place_to_host(context, "auto: the device does not compute in double", choice);
    CLS_TRY(cls_where_choose(context, call, task, asked, host_can, choice));
    return cls_validate_double(choice->device, call, task->type);
}

clsolve_status cls_in_place_to_host(clsolve_context *context, const char *reason, cls_choice *choice) {
    choice->where = "host";
    choice->reason = reason;
    return cls_context_host(context, &choice->device);
}

clsolve_report cls_in_place_report(const char *method, clsolve_type type, int64_t n, clsolve_status status) {
    clsolve_report report = {.status = status, .method = method, .n = n};
    report.precision = cls_is_double(type) ? "double" : "single";
    report.direct.rcond = -1;
    report.refinement.backward_error = -1;
    return report;
}
