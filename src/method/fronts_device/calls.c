/*
 * calls.c: the calls of device.h, for one device and for several: the first one has the object, which knows the
 * parts of the others (parts.c).
 */
#include <math.h>

#include "base/type.h"
#include "method/fronts_device/device.h"

clsolve_status cls_sparse_device_plan(const cls_sparse_company *company, const cls_symbolic *symbolic,
                                      clsolve_type type, clsolve_sparse_form form, int64_t entries, int64_t limit,
                                      cls_sparse_device **made) {
    clsolve_status status = cls_front_make(company->devices[0], symbolic, type, form, entries, limit, made);
    if (*made) status = cls_front_parts_plan(*made, company, status);
    if (status == CLSOLVE_OK) return status;
    cls_sparse_device_close(*made);
    *made = NULL;
    return status;
}

clsolve_status cls_sparse_device_open(cls_sparse_device *sparse) {
    CLS_TRY(cls_front_parts_open(sparse));
    CLS_TRY(cls_front_open(sparse));
    cls_front_parts_bound_sides(sparse);
    return CLSOLVE_OK;
}

void cls_sparse_device_close(cls_sparse_device *sparse) {
    if (!sparse) return;
    cls_device *device = sparse->device;
    const cls_error first = *device->error;         /* the wait may overwrite it */
    (void)device->ops->finish(device, CLS_COMPUTE); /* which may copy from the other devices */
    cls_front_parts_close(sparse);
    cls_front_close(sparse);
    *device->error = first;
}

clsolve_status cls_sparse_device_factor(cls_sparse_device *sparse, const double *value) {
    CLS_TRY(cls_front_parts_factor(sparse, value));
    CLS_TRY(cls_front_factor_here(sparse, value));
    cls_front_parts_count(sparse);
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_device_pivots(cls_sparse_device *sparse, double *pivot, int64_t *row) {
    CLS_TRY(cls_front_parts_pivots(sparse, pivot, row));
    return cls_front_pivots(sparse, pivot, row);
}

/* ---- solves ---- */

clsolve_status cls_front_reserve(cls_sparse_device *sparse, int64_t sides) {
    CLS_TRY(cls_front_parts_reserve(sparse, sides));
    return cls_front_take_sides(sparse, sides);
}

clsolve_status cls_front_substitute(cls_sparse_device *sparse, int transposed, int64_t sides) {
    if (sparse->others) return cls_front_parts_substitute(sparse, transposed, sides);
    CLS_TRY(cls_front_go_up(sparse, transposed, sides));
    return cls_front_go_down(sparse, transposed, sides);
}

/* Values were multiplied by 2^-exponent, so solutions are too large by that. */
static clsolve_status solve_some(cls_sparse_device *sparse, int transposed, double *x, int64_t sides) {
    const int64_t count = sparse->n * sides * sparse->parts, elements = sparse->n * sides;
    const clsolve_type real = cls_real_type(sparse->type);
    int exponent = 0;
    double most = 0;
    for (int64_t k = 0; k < count; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
    (void)frexp(most, &exponent);
    CLS_TRY(cls_front_reserve(sparse, sides));
    CLS_TRY(cls_front_stage(sparse, elements));
    cls_front_scale(real, x, count, -exponent, sparse->staged);
    CLS_TRY(
        cls_bytes_put(sparse->device, sparse->x, 0, sparse->staged, (size_t)(elements * cls_type_size(sparse->type))));
    CLS_TRY(cls_front_substitute(sparse, transposed, sides));
    CLS_TRY(
        cls_bytes_get(sparse->device, sparse->x, 0, sparse->staged, (size_t)(elements * cls_type_size(sparse->type))));
    cls_front_unscale(real, sparse->staged, count, exponent - sparse->exponent, x);
    return CLSOLVE_OK;
}

static void conjugate(double *x, int64_t elements) {
    for (int64_t k = 0; k < elements; k++) x[2 * k + 1] = -x[2 * k + 1];
}

clsolve_status cls_sparse_device_solve(cls_sparse_device *sparse, int adjoint, double *x, int64_t nrhs) {
    /* A^H x = b is A^T conj(x) = conj(b); of a hermitian A, A^T x = b is A conj(x) = conj(b). */
    const int64_t most = sparse->most_sides;
    const int turned = sparse->parts == 2 && adjoint == (cls_front_conjugates(sparse) ? 1 : 2);
    clsolve_status status = CLSOLVE_OK;
    if (turned) conjugate(x, sparse->n * nrhs);
    for (int64_t j = 0; j < nrhs && status == CLSOLVE_OK; j += most)
        status = solve_some(sparse, adjoint != 0, x + j * sparse->n * sparse->parts, nrhs - j < most ? nrhs - j : most);
    if (turned) conjugate(x, sparse->n * nrhs);
    return status;
}
