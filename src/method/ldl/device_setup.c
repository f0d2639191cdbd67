/* device_setup.c: what the engine by kernels takes, and gives back. */
#include <stdio.h>

#include "base/memory.h"
#include "blas/blas.h"
#include "method/ldl/device.h"

/* ---- sizes ---- */

enum { WINDOW = 64, SMALL_WINDOW = 32 };
/* Products of large matrices are the faster the more columns of L they take. */
enum { BLOCK = 256, WIDE_BLOCK = 512, MANY = 8192 };
enum { EXACT_ITEMS = 512, EXACT_ITEMS_CPU = 16 };

/* Compilers that lose private values over barriers have a window's elements in local memory. So do CPUs, whose private
 * arrays are no registers. */
static int in_local(const cls_device *device) {
    return device->weak_barriers || device->info.type == CLSOLVE_DEVICE_CPU;
}

static int64_t window_of(const cls_ldl *ldl) {
    const cls_device *device = ldl->device;
    const int64_t size = cls_type_size(ldl->type);
    /* cl/ldl_panel.cl: a slice of a tile's operands, and the window. */
    const int64_t elements = WINDOW * 48 + (in_local(device) ? WINDOW * WINDOW : 0);
    /* 64 KB of local memory for one array are more than a CPU's compilers have been right with. */
    if (in_local(device) && ldl->type == CLSOLVE_C64) return SMALL_WINDOW;
    return elements * size <= device->info.local_memory * 3 / 4 && device->info.max_work_group >= 4 * WINDOW
               ? WINDOW
               : SMALL_WINDOW;
}

static void choose_sizes(cls_ldl *ldl, const clsolve_ldl_options *options) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    const int64_t asked = options->block, wanted = asked > 0 ? asked : ldl->n >= MANY ? WIDE_BLOCK : BLOCK;

    own->window = window_of(ldl);
    own->taken = own->window / 2;
    own->block = (wanted + own->taken - 1) / own->taken * own->taken;
    own->ahead = ldl->device->beside && ldl->n > 4 * own->block;
    own->exact_items = cls_work_group(ldl->device, in_local(ldl->device) ? EXACT_ITEMS_CPU : EXACT_ITEMS);
    own->strip_ld = cls_matrix_ld(ldl->n, cls_type_size(ldl->type));
}

/* ---- kernels ---- */

enum { OPTIONS = 160 };

static void options_of(const cls_ldl *ldl, char options[OPTIONS]) {
    (void)snprintf(options, OPTIONS, "%s -DHERMITIAN=%d -DWINDOW=%d -DCLS_UNIT=%d%s", cls_type_option(ldl->type),
                   ldl->hermitian, (int)cls_ldl_own(ldl)->window, ldl->device->matrix_unit,
                   in_local(ldl->device) ? " -DIN_LOCAL" : "");
}

static clsolve_status build(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;
    const cls_named_kernel panel[] = {{"ldl_step", &own->step}, {"ldl_rows", &own->rows}},
                           exact[] = {{"ldl_exact", &own->exact}},
                           solve[] = {{"ldl_gather", &own->gather},
                                      {"ldl_divide", &own->divide},
                                      {"ldl_scatter", &own->scatter}};
    char options[OPTIONS];

    options_of(ldl, options);
    CLS_TRY(CLS_KERNELS_MAKE(device, "ldl_panel", options, panel));
    (void)snprintf(options, OPTIONS, "%s -DHERMITIAN=%d -DLS=%d", cls_type_option(ldl->type), ldl->hermitian,
                   (int)own->exact_items);
    CLS_TRY(CLS_KERNELS_MAKE(device, "ldl_exact", options, exact));
    (void)snprintf(options, OPTIONS, "%s -DHERMITIAN=%d", cls_type_option(ldl->type), ldl->hermitian);
    return CLS_KERNELS_MAKE(device, "ldl_solve", options, solve);
}

/* The kernels, the products of the first panel, and a solve. */
static clsolve_status announced(void *what) {
    cls_ldl *ldl = what;
    const int64_t b = cls_ldl_own(ldl)->block, rest = ldl->n - b;
    const cls_ref at = {NULL, 0, cls_ldl_own(ldl)->strip_ld};

    CLS_TRY(build(ldl));
    if (rest > 0) {
        int done = 0;
        CLS_TRY(cls_gemm(ldl->device, CLS_BLAS_DEFAULT, ldl->type, CLSOLVE_NO_TRANS, cls_ldl_adjoint(ldl), rest, b, b,
                         -1.0, at, at, 1.0, at));
        CLS_TRY(cls_gemm_triangle(ldl->device, CLS_BLAS_DEFAULT, ldl->type, CLSOLVE_NO_TRANS, cls_ldl_adjoint(ldl),
                                  rest, b, -1.0, at, at, 1.0, at, &done));
    }
    return cls_trsm(ldl->device, CLS_BLAS_DEFAULT, ldl->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, ldl->n, 1, at, at);
}

/* ---- the engine ---- */

static clsolve_status setup(cls_ldl *ldl, const clsolve_ldl_options *options) {
    cls_device *device = ldl->device;
    char text[OPTIONS];

    if (ldl->A.slabs > 1)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LDL^T by kernels wants the matrix in one buffer, and n = %lld is in %lld slabs",
                        (long long)ldl->n, (long long)ldl->A.slabs);
    ldl->own = cls_alloc(1, sizeof(cls_ldl_device));
    if (!ldl->own) return cls_no_memory(device->error, "a handle");
    choose_sizes(ldl, options);
    CLS_TRY(cls_announce(device, announced, ldl));
    CLS_TRY(build(ldl));
    options_of(ldl, text);
    CLS_TRY(cls_ldl_self_test(ldl, text));
    return cls_ldl_take_buffers(ldl);
}

static void release(cls_ldl *ldl) {
    cls_ldl_device *own = cls_ldl_own(ldl);

    if (!own) return;
    CLS_KERNELS_DESTROY(ldl->device, own->step, own->rows, own->exact, own->gather, own->divide, own->scatter);
    cls_ldl_release_buffers(ldl);
    cls_free(own);
    ldl->own = NULL;
}

static cls_buffer *state(const cls_ldl *ldl) {
    return cls_ldl_own(ldl)->state;
}

const cls_ldl_engine cls_ldl_on_device = {.setup = setup,
                                          .release = release,
                                          .factor = cls_ldl_device_factor,
                                          .apply = cls_ldl_device_apply,
                                          .put = cls_ldl_device_put,
                                          .enqueue = cls_ldl_device_enqueue,
                                          .state = state,
                                          .finish = cls_ldl_device_finish};
