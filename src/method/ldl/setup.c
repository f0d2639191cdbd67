/* setup.c: what an LDL^T factorization takes, and gives back. */
#include <limits.h>

#include "base/memory.h"
#include "blas/blas.h"
#include "method/ldl/ldl.h"

static clsolve_status take_numbers(cls_ldl *ldl) {
    const size_t n = (size_t)ldl->n + 1, size = (size_t)cls_type_size(ldl->type);

    ldl->ipiv = cls_alloc(n, sizeof *ldl->ipiv);
    ldl->d = cls_alloc(n, size);
    ldl->e = cls_alloc(n, size);
    if (ldl->ipiv && ldl->d && ldl->e) return CLSOLVE_OK;
    return cls_fail(ldl->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the pivots of %lld columns",
                    (long long)ldl->n);
}

enum { RIGHT_SIDES = 64 }; /* columns that the matrix leaves room for under a limit */

static clsolve_status check_memory(const cls_ldl *ldl) {
    cls_device *device = ldl->device;
    const int64_t size = cls_type_size(ldl->type), column = cls_matrix_ld(ldl->n, size) * size;
    const int64_t taken = ldl->base_bytes + device->counters.buffer_bytes, there = device->ops->memory_left(device);
    const int64_t sides = (ldl->n < RIGHT_SIDES ? ldl->n : RIGHT_SIDES) * (ldl->memory_limit > 0);
    const int64_t allowed = ldl->memory_limit - ldl->beside - taken;
    const int64_t left = ldl->memory_limit > 0 && allowed < there ? allowed : there;

    if (ldl->n == 0 || (left > 0 && ldl->n + sides <= left / column)) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "LDL^T of order %lld wants %.0f bytes of memory, and %s leaves %lld", (long long)ldl->n,
                    (double)column * (double)(ldl->n + sides), left < there ? "memory_limit" : device->info.name,
                    (long long)(left > 0 ? left : 0));
}

/* LAPACK wants the matrix in one piece, and counts in 32 bits. */
static clsolve_status map_whole(cls_ldl *ldl, int must) {
    if (ldl->A.slabs <= 1 && ldl->A.ld <= INT_MAX / 2) return cls_matrix_map(ldl->device, &ldl->A);
    if (!must) return CLSOLVE_OK;
    return cls_fail(ldl->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "LAPACK takes a matrix in one piece and counts in 32 bits: n = %lld is in %lld slabs: use "
                    "CLSOLVE_PANEL_NATIVE",
                    (long long)ldl->n, (long long)ldl->A.slabs);
}

static clsolve_status take_kernels(cls_ldl *ldl) {
    CLS_TRY(cls_check_create(ldl->device, ldl->type, &ldl->check));
    CLS_TRY(cls_transfer_create(ldl->device, ldl->type, &ldl->transfer));
    return cls_symmetric_create(ldl->device, ldl->type, &ldl->mirror);
}

static clsolve_status check_panel(const cls_ldl *ldl, clsolve_panel panel) {
    if (panel == CLSOLVE_PANEL_HYBRID && !cls_in_place(ldl->device))
        return cls_fail(ldl->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "hybrid panels are for devices that work in the host's memory, and %s is none: use "
                        "CLSOLVE_PANEL_NATIVE",
                        ldl->device->info.name);
    return CLSOLVE_OK;
}

clsolve_status cls_ldl_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_ldl_options *options,
                             cls_ldl *ldl) {
    const clsolve_panel panel = options->panel;
    const int by_lapack = cls_in_place(device) && panel != CLSOLVE_PANEL_NATIVE;

    ldl->device = device;
    ldl->n = n;
    ldl->type = type;
    ldl->hermitian = !cls_is_complex(type) || options->symmetry == CLSOLVE_SYMMETRY_HERMITIAN;
    ldl->partial = options->pivots == CLSOLVE_LDL_PIVOTS_PARTIAL;
    ldl->rook = options->pivots == CLSOLVE_LDL_PIVOTS_ROOK;
    ldl->slab_bytes = options->slab_bytes;
    ldl->memory_limit = options->memory_limit;
    ldl->base_bytes = -device->counters.buffer_bytes;
    CLS_TRY(check_panel(ldl, panel));
    CLS_TRY(check_memory(ldl));
    CLS_TRY(take_numbers(ldl));
    CLS_TRY(cls_matrix_create(device, type, n, n, 1, ldl->slab_bytes, &ldl->A));
    if (by_lapack) CLS_TRY(map_whole(ldl, panel == CLSOLVE_PANEL_HYBRID || device->no_kernels));
    ldl->engine = ldl->A.mapped ? &cls_ldl_on_host : &cls_ldl_on_device;
    if (!ldl->A.mapped) CLS_TRY(take_kernels(ldl));
    CLS_TRY(ldl->engine->setup(ldl, options));
    ldl->base_bytes += device->counters.buffer_bytes;
    return CLSOLVE_OK;
}

void cls_ldl_release(cls_ldl *ldl) {
    cls_device *device = ldl->device;

    if (!device) return;
    for (int queue = 0; queue < CLS_QUEUES; ++queue) (void)device->ops->finish(device, (cls_queue)queue);
    if (ldl->engine) ldl->engine->release(ldl);
    cls_check_destroy(device, &ldl->check);
    cls_transfer_destroy(device, &ldl->transfer);
    cls_symmetric_destroy(device, &ldl->mirror);
    cls_matrix_destroy(device, &ldl->A);
    cls_matrix_destroy(device, &ldl->B);
    cls_matrix_destroy(device, &ldl->scratch);
    cls_free(ldl->ipiv);
    cls_free(ldl->d);
    cls_free(ldl->e);
}

static clsolve_status apply(void *factors, clsolve_op op, int64_t cols) {
    cls_ldl *ldl = factors;
    (void)op;
    return ldl->n == 0 || cols == 0 ? CLSOLVE_OK : ldl->engine->apply(ldl, cols);
}

cls_sides cls_ldl_sides(cls_ldl *ldl) {
    return (cls_sides){.n = ldl->n,
                       .slab_bytes = ldl->slab_bytes,
                       .type = ldl->type,
                       .limited = ldl->memory_limit > 0,
                       .left = ldl->memory_limit - ldl->beside - ldl->base_bytes,
                       .mapped = ldl->A.mapped != NULL,
                       .B = &ldl->B,
                       .scratch = &ldl->scratch,
                       .transfer = &ldl->transfer,
                       .check = &ldl->check,
                       .factors = ldl,
                       .apply = apply};
}
