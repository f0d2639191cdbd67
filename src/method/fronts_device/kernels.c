/*
 * kernels.c: the kernels of sparse factors. A compiler for GPUs takes seconds for some of the programs, so that
 * all are announced (device/programs.h) before memory is taken and lists go up.
 */
#include <stdio.h>
#include <string.h>

#include "base/type.h"
#include "method/fronts_device/device.h"

enum { MOST_KERNELS = 32 };
enum { PASSAGES = 1, PARTS_OF_PASSAGES = 2 }; /* KERNELS of front_solve.cl */

typedef struct wanted_kernel {
    const char *program, *name;
    cls_kernel **kernel;
    int wanted;
    int64_t local, width, per, kernels; /* LS, W, PER and KERNELS; 0: the program's own */
} wanted_kernel;

static clsolve_status get_kernel(cls_sparse_device *sparse, const wanted_kernel *wanted) {
    cls_device *device = sparse->device;
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"LS", wanted->local}, {"W", wanted->width}, {"PER", wanted->per}, {"KERNELS", wanted->kernels}};
    char options[160];
    cls_program *program;
    if (!wanted->wanted) return CLSOLVE_OK;
    int length = snprintf(options, sizeof options, "%s -DCHOLESKY=%d%s", cls_type_option(sparse->type),
                          sparse->cholesky, cls_front_is_rolled(device) ? " -DCLS_ROLLED" : "");
    if (sparse->ldl)
        length += snprintf(options + length, sizeof options - (size_t)length, " -DLDL=%d", (int)sparse->ldl);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (sizes[k].value > 0)
            length += snprintf(options + length, sizeof options - (size_t)length, " -D%s=%d", sizes[k].name,
                               (int)sizes[k].value);
    CLS_TRY(device->ops->program_get(device, wanted->program, options, &program));
    return device->ops->kernel_create(device, program, wanted->name, wanted->kernel);
}

/* All kernels that sparse factors may want; returns how many. Programs that compile for long come first. */
static size_t list_kernels(cls_sparse_device *sparse, wanted_kernel list[MOST_KERNELS]) {
    const int64_t few = sparse->local, many = sparse->far_local, w = sparse->width, narrow = w / 2;
    int is[CLS_FRONT_KINDS];
    for (int kind = 0; kind < CLS_FRONT_KINDS; kind++) is[kind] = sparse->whole[kind].count > 0;
    const int near = is[CLS_SMALL] || is[CLS_NEAR], far = is[CLS_FAR], large = is[CLS_LARGE],
              wide = is[CLS_WIDE] || is[CLS_MIDDLE] || is[CLS_BROAD] || large;
    const int alone = large && cls_in_place(sparse->device); /* without an engine */
    const int engine = (sparse->ldl ? is[CLS_BROAD] : large) && !cls_in_place(sparse->device);
    const int64_t middle = cls_front_middle_group(sparse->device), small = sparse->whole[CLS_SMALL].most_rows,
                  high = (sparse->whole[CLS_LARGE].most_pivots + middle - 1) / middle;
    /* One program has all where work-groups are of one size. */
    const int one = sparse->near_local == many;
    const int64_t passages = one ? 0 : PASSAGES, rest = far || one ? 0 : PARTS_OF_PASSAGES;
    const char *const panel = sparse->ldl ? "front_window" : "front_panel";
    const wanted_kernel all[] = {
        {panel, panel, &sparse->panel[CLS_NEAR], is[CLS_NEAR], few, w, 1, 0},
        {panel, panel, &sparse->panel[CLS_FAR], far, many, w, 1, 0},
        {panel, panel, &sparse->panel[CLS_WIDE], is[CLS_WIDE], many, w, 1, 0},
        {panel, panel, &sparse->panel[CLS_MIDDLE], is[CLS_MIDDLE], middle, narrow, CLS_MOST_MIDDLE / middle, 0},
        {panel, panel, &sparse->panel[CLS_BROAD], is[CLS_BROAD], middle, narrow, CLS_FRONT_BLOCK / middle, 0},
        {panel, panel, &sparse->panel[CLS_LARGE], alone, middle, narrow, high, 0},
        {"front_border", "front_border", &sparse->edge[CLS_NEAR], is[CLS_NEAR], few, w, 1, 0},
        {"front_border", "front_border", &sparse->edge[CLS_FAR], far, many, w, 1, 0},
        {"front_border", "front_border", &sparse->edge[CLS_WIDE], is[CLS_WIDE], many, w, 1, 0},
        {"front_border", "front_border", &sparse->edge[CLS_LARGE], alone, middle, narrow, high, 0},
        {"front_small", "front_small", &sparse->small[1], small > CLS_MOST_TINY, 0, CLS_MOST_SMALL, 0, 0},
        {"front_small", "front_small", &sparse->small[0], is[CLS_SMALL], 0, CLS_MOST_TINY, 0, 0},
        {"front_inverse", "front_invert", &sparse->invert, 1, few, w, 0, 0},
        {"front_product", "front_rest", &sparse->rest, 1, 0, 0, 0, 0},
        {"front_product", "front_double", &sparse->twice, wide, 0, 0, 0, 0},
        {"front_inverse", "front_unfold", &sparse->unfold, wide, few, w, 0, 0},
        {"front_inverse", "front_take", &sparse->take, wide, few, w, 0, 0},
        {"front_move", "front_scatter", &sparse->scatter, 1, many, 0, 0, 0},
        {"front_move", "front_gather", &sparse->gather, 1, many, 0, 0, 0},
        {"front_move", "front_order", &sparse->sort, !sparse->ldl, many, 0, 0, 0},
        {"front_move", sparse->ldl ? "front_engine_d" : "front_engine", &sparse->outcome, engine, many, 0, 0, 0},
        {"front_move", "front_pivots", &sparse->diagonal, !sparse->ldl, many, 0, 0, 0},
        {"front_solve", "front_up", &sparse->up[0], near, sparse->near_local, w, 0, passages},
        {"front_solve", "front_down", &sparse->down[0], near, sparse->near_local, w, 0, passages},
        {"front_solve", "front_up", &sparse->up[1], far, many, w, 0, 0},
        {"front_solve", "front_down", &sparse->down[1], far, many, w, 0, 0},
        {"front_solve", "front_children", &sparse->child, 1, many, w, 0, rest},
        {"front_solve", "front_rows", &sparse->row, 1, many, w, 0, rest},
        {"front_solve", "front_apply", &sparse->apply, 1, many, w, 0, rest}};
    const size_t count = sizeof all / sizeof all[0];
    memcpy(list, all, sizeof all);
    return count;
}

clsolve_status cls_front_get_kernels(cls_sparse_device *sparse) {
    wanted_kernel list[MOST_KERNELS];
    const size_t count = list_kernels(sparse, list);
    for (size_t k = 0; k < count; k++) CLS_TRY(get_kernel(sparse, &list[k]));
    return CLSOLVE_OK;
}

void cls_front_drop_kernels(cls_sparse_device *sparse) {
    wanted_kernel list[MOST_KERNELS];
    const size_t count = list_kernels(sparse, list);
    for (size_t k = 0; k < count; k++) {
        sparse->device->ops->kernel_destroy(sparse->device, *list[k].kernel);
        *list[k].kernel = NULL;
    }
}

/* ---- before they are wanted ---- */

/* The products of the largest front of a class, with a border of b rows. */
static clsolve_status announce_products(cls_sparse_device *sparse, const cls_front_class *of, int64_t b) {
    enum { BLOCK = 512, LINE = 32 };
    const int64_t f = of->most_pivots, columns = b < BLOCK ? b : BLOCK;
    const cls_ref any = {NULL, 0, (f + b + LINE - 1) / LINE * LINE};
    const clsolve_op op = cls_front_conjugates(sparse) ? cls_adjoint(sparse->type) : CLSOLVE_TRANS;
    const int one_sided = cls_front_is_one_sided(sparse);
    if (of->count == 0 || b == 0) return CLSOLVE_OK;
    if (of->kind == CLS_MIDDLE || of->kind == CLS_BROAD) {
        CLS_TRY(cls_gemm(sparse->device, CLS_BLAS_STEADY, sparse->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, f, b, f, 1,
                         any, any, 0, any));
        if (!one_sided)
            CLS_TRY(cls_gemm(sparse->device, CLS_BLAS_STEADY, sparse->type, CLSOLVE_TRANS, CLSOLVE_NO_TRANS, f, b, f, 1,
                             any, any, 0, any));
    }
    int done = 0;
    if (one_sided)
        CLS_TRY(cls_gemm_triangle(sparse->device, CLS_BLAS_STEADY, sparse->type, op, CLSOLVE_NO_TRANS, b, f, -1, any,
                                  any, 1, any, &done));
    if (done) return CLSOLVE_OK;
    return cls_gemm(sparse->device, CLS_BLAS_STEADY, sparse->type, op, CLSOLVE_NO_TRANS, b, one_sided ? columns : b, f,
                    -1, any, any, 1, any);
}

/* Fronts with a narrow border have other products. */
static clsolve_status announced(void *what) {
    enum { NARROW = 256 };
    cls_sparse_device *sparse = what;
    CLS_TRY(cls_front_get_kernels(sparse));
    for (int kind = CLS_WIDE; kind < CLS_FRONT_KINDS; kind++) {
        const cls_front_class *of = &sparse->whole[kind];
        CLS_TRY(announce_products(sparse, of, of->most_border));
        if (of->most_border > NARROW) CLS_TRY(announce_products(sparse, of, NARROW));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_front_announce_kernels(cls_sparse_device *sparse) {
    return cls_announce(sparse->device, announced, sparse);
}
