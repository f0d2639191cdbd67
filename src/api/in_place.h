/* in_place.h (private): what the factorizations in the caller's memory share: of dense matrices and of bands. */
#ifndef CLS_API_IN_PLACE_H
#define CLS_API_IN_PLACE_H

#include "api/where.h"

/* Pivots of an m x n matrix have room, and the matrix, which is valid, lies on the host. */
clsolve_status cls_in_place_check(cls_error *error, const char *call, const char *create_call, const char *name,
                                  const clsolve_matrix *matrix, int64_t m, int64_t n, const int64_t *ipiv);

/* `other`: an option asks for factors that are not LAPACK's of A, or for what handles alone have. UNSUPPORTED then. */
clsolve_status cls_in_place_refuse(cls_error *error, const char *call, const char *create_call, int other);

/* The option nonfinite is 0 for a handle. */
clsolve_status cls_in_place_alone(cls_error *error, const char *call, const char *in_place_call, int32_t nonfinite);

/* The device or the host. A device without double leaves doubles to the host, where `asked` and `host_can` let it. */
clsolve_status cls_in_place_choose(clsolve_context *context, const char *call, const cls_task *task,
                                   clsolve_where asked, int host_can, cls_choice *choice);

/* Beyond the device's memory the host takes over, where it may. */
static inline int cls_in_place_gives_up(clsolve_status status, clsolve_where asked, int host_can) {
    return status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && host_can && asked == CLSOLVE_WHERE_AUTO;
}
clsolve_status cls_in_place_to_host(clsolve_context *context, const char *reason, cls_choice *choice);

/* A report of a matrix of `n` columns, but for the family's fields and cls_where_report. */
clsolve_report cls_in_place_report(const char *method, clsolve_type type, int64_t n, clsolve_status status);

#endif
