/* setup.c: what an LDL^T factorization takes, and gives back. */
#include "base/memory.h"
#include "blas/blas.h"
#include "method/direct/room.h"
#include "method/ldl/ldl.h"

static clsolve_status take_numbers(cls_ldl *ldl) {
    const size_t n = (size_t)ldl->n + 1, size = (size_t)cls_type_size(ldl->type);

    ldl->ipiv = cls_alloc(n, sizeof *ldl->ipiv);
    ldl->d = cls_alloc(n, size);
    ldl->e = cls_alloc(n, size);
    if (ldl->ipiv && ldl->d && ldl->e) return CLSOLVE_OK;
    return cls_no_memory(ldl->device->error, "the pivots of %lld columns", (long long)ldl->n);
}

static clsolve_status check_memory(const cls_ldl *ldl) {
    const int64_t size = cls_type_size(ldl->type);
    const cls_room room = {.device = ldl->device,
                           .what = "LDL^T",
                           .n = ldl->n,
                           .column = cls_matrix_ld(ldl->n, size) * size,
                           .sides = cls_room_sides(ldl->n, ldl->memory_limit),
                           .limit = ldl->memory_limit,
                           .taken = ldl->beside + ldl->base_bytes + ldl->device->counters.buffer_bytes};
    return cls_room_check(&room);
}

static clsolve_status take_kernels(cls_ldl *ldl) {
    CLS_TRY(cls_check_create(ldl->device, ldl->type, &ldl->check));
    CLS_TRY(cls_transfer_create(ldl->device, ldl->type, &ldl->transfer));
    return cls_symmetric_create(ldl->device, ldl->type, &ldl->mirror);
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
    CLS_TRY(cls_room_hybrid(device, panel));
    CLS_TRY(check_memory(ldl));
    CLS_TRY(take_numbers(ldl));
    CLS_TRY(cls_matrix_create(device, type, n, n, 1, ldl->slab_bytes, &ldl->A));
    if (by_lapack) CLS_TRY(cls_room_map(device, &ldl->A, panel == CLSOLVE_PANEL_HYBRID || device->no_kernels));
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

cls_sides cls_ldl_sides(void *factors, int64_t cols) {
    cls_ldl *ldl = factors;

    (void)cols;
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
