/* copy_setup.c: makes the form of a copy that fits the device and the matrix, and calls that form's functions. */
#include "method/direct/copy.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/memory.h"

/* ---- setup ---- */

static void release_device(cls_copy *copy) {
    cls_device *device = copy->device;
    cls_matrix_destroy(device, &copy->A);
    cls_matrix_destroy(device, &copy->X);
    cls_matrix_destroy(device, &copy->R);
    cls_transfer_destroy(device, &copy->transfer);
    cls_check_destroy(device, &copy->check);
    cls_scaling_destroy(device, &copy->scaling);
    cls_symmetric_destroy(device, &copy->mirror);
    cls_copy_release_bits(copy);
}

typedef struct types {
    cls_device *device;
    clsolve_type own, into;
} types;

static clsolve_status announced(void *what) {
    const types *t = what;
    cls_bits bits = {0};
    cls_scaling scaling = {0};
    cls_check check = {0};
    cls_transfer transfer = {0};
    if (cls_is_double(t->own) && !t->device->info.fp64) {
        if (cls_is_complex(t->own)) return cls_transfer_create(t->device, t->into, &transfer); /* a copy on the host */
        CLS_TRY(cls_transfer_create(t->device, t->into, &transfer));
        return cls_copy_build_bits(t->device, &bits);
    }
    CLS_TRY(cls_scaling_build(t->device, t->own, t->into, &scaling));
    CLS_TRY(cls_check_create(t->device, t->own, &check));
    return cls_transfer_create(t->device, t->own, &transfer);
}

clsolve_status cls_copy_announce(cls_device *device, clsolve_type type, clsolve_type into) {
    types t = {device, type, into};
    return cls_announce(device, announced, &t);
}

static clsolve_status ready(cls_copy *copy, clsolve_status status) {
    copy->r = copy->scaling.host_r;
    copy->c = copy->scaling.host_c;
    copy->unit = copy->scaling.uniform = 1;
    return status;
}

clsolve_status cls_copy_setup(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                              int on_host, int64_t slab_bytes, cls_copy *copy) {
    copy->device = device;
    copy->type = type;
    copy->n = n;
    int computes = !cls_is_double(type) || device->info.fp64;
    int no_bits = mapped || cls_is_complex(type); /* cl/double_bits.cl reads real doubles, on a device */
    clsolve_status status = on_host || (no_bits && !computes) ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY
                            : computes                        ? cls_copy_setup_device(copy, into, mapped, slab_bytes)
                                                              : cls_copy_setup_bits(copy, into, slab_bytes);
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) {
        release_device(copy);
        cls_transfer_destroy(device, &copy->to_factors);
        status = cls_copy_setup_host(copy, into, mapped);
    }
    return ready(copy, status);
}

clsolve_status cls_copy_setup_spread(cls_device *device, int64_t n, clsolve_type type, void *spread, cls_copy *copy) {
    copy->device = device;
    copy->type = type;
    copy->n = n;
    copy->spread = spread;
    return ready(copy, cls_copy_setup_numbers(copy));
}

clsolve_status cls_copy_setup_symmetric(cls_copy *copy) {
    copy->symmetric = 1;
    if (copy->values || copy->A.mapped) return CLSOLVE_OK;
    return cls_symmetric_create(copy->device, copy->type, &copy->mirror);
}

clsolve_status cls_copy_setup_band(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   cls_copy *copy) {
    int64_t length = kl + ku + 1;

    copy->device = device;
    copy->type = type;
    copy->n = n;
    copy->kl = kl;
    copy->ku = ku;
    copy->is_band = 1;
    copy->form = &cls_copy_of_band;
    if (!CLS_BLAS_FITS(n * cls_type_parts(type), length))
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "refinement and equilibration count no more than %d rows", INT_MAX / (int)cls_type_parts(type));
    return ready(copy, cls_copy_setup_lines(copy, length));
}

void cls_copy_release(cls_copy *copy) {
    if (!copy->device) return;
    /* Work that still runs uses a dense copy's buffers; a band's copy has none. */
    if (!copy->is_band) (void)copy->device->ops->finish(copy->device, CLS_COMPUTE);
    release_device(copy);
    cls_transfer_destroy(copy->device, &copy->to_factors);
    cls_free(copy->values);
    cls_free(copy->lines);
    *copy = (cls_copy){0};
}

int64_t cls_copy_bytes(const cls_copy *copy) {
    return copy->A.bytes + copy->X.bytes + copy->R.bytes;
}

int64_t cls_copy_exponent(const cls_copy *copy) {
    return cls_scaling_exponent(&copy->scaling) - copy->n * ilogb(copy->unit);
}

/* ---- what a form does ---- */

clsolve_status cls_copy_take(cls_copy *copy, const clsolve_matrix *A, int scale) {
    return copy->form->take(copy, A, scale);
}

clsolve_status cls_copy_write(cls_copy *copy, const cls_matrix *factors) {
    return copy->form->write(copy, factors);
}

clsolve_status cls_copy_write_plain(cls_copy *copy, const cls_matrix *to) {
    return copy->form->write_plain(copy, to);
}

clsolve_status cls_copy_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_copy *copy = self;
    size_t bytes = (size_t)(copy->n * cols * cls_type_parts(copy->type)) * sizeof *R;

    if (B)
        memcpy(R, B, bytes);
    else
        memset(R, 0, bytes);
    return copy->form->residual(copy, op, cols, X, R);
}
