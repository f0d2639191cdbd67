/*
 * builtin_trsm.c: the triangular solve. T is halved until a block has at most 128 rows; that block is solved by
 * cl/trsm.cl, and one gemm takes the solved half out of the other:
 *
 *     forward (lower, or upper transposed)      backward (upper, or lower transposed)
 *
 *       [ T11      ] [ X1 ]   [ B1 ]              [ T11 T12 ] [ X1 ]   [ B1 ]
 *       [ T21  T22 ] [ X2 ] = [ B2 ]              [     T22 ] [ X2 ] = [ B2 ]
 *       X1 first, B2 -= T21 X1, then X2           X2 first, B1 -= T12 X2, then X1
 *
 * Halving gives as many gemms as stepping by 128 would, but most of the work lies in large ones.
 */
#include "blas/builtin.h"
#include "device/use.h"

#include <stdbool.h>
#include <stdio.h>

/* The kernel, and its work-group. */
typedef struct shape {
    const char *program, *options;
    int block, columns, items; /* the order of a triangle that it solves at once; of a work-group */
} shape;

/* Few columns a group, and many. cl/trsm.cl, of NVIDIA's instructions; cl/trsm_portable.cl, which wants less local
 * memory for smaller triangles. In the order in which they are tried. cl/trsm.cl solves real systems alone. */
enum { BY_LANES, PORTABLE, PORTABLE_SMALL, PORTABLE_LEAST, KINDS };
static const shape shapes[KINDS][2] = {
    {{"trsm", "-DEACH=1 -DSETS=1", 128, 8, 128}, {"trsm", "-DEACH=2 -DSETS=2", 128, 32, 256}},
    {{"trsm_portable", "-DEACH=1 -DMOST_ROWS=128", 128, 32, 256},
     {"trsm_portable", "-DEACH=2 -DMOST_ROWS=128", 128, 64, 256}},
    {{"trsm_portable", "-DEACH=1 -DMOST_ROWS=64", 64, 32, 128},
     {"trsm_portable", "-DEACH=1 -DMOST_ROWS=64", 64, 32, 128}},
    {{"trsm_portable", "-DEACH=1 -DMOST_ROWS=32", 32, 32, 64},
     {"trsm_portable", "-DEACH=1 -DMOST_ROWS=32", 32, 32, 64}}};

enum { ENOUGH_LOCAL = 48 << 10, ENOUGH_ITEMS = 256 };

/* The kind that asks for least. It takes half as many rows where elements are of 16 bytes. */
static int last_kind(clsolve_type type) {
    return type == CLSOLVE_C64 ? PORTABLE_LEAST : PORTABLE_SMALL;
}

static bool suits(const cls_device *device, clsolve_type type, int kind) {
    const clsolve_device_info *info = &device->info;
    const bool roomy = info->local_memory >= ENOUGH_LOCAL;
    if (kind == BY_LANES) return device->matrix_unit > 0 && !cls_is_complex(type);
    if (kind == PORTABLE) return roomy && info->max_work_group >= ENOUGH_ITEMS && type != CLSOLVE_C64;
    return kind == last_kind(type) || roomy;
}

static int kind_of(const cls_device *device, clsolve_type type) {
    return device->blas->builtin->trsm_kind[cls_builtin_place(type)] - 1;
}

/* The first kind from that one on that is for this device. */
static void choose_from(cls_device *device, clsolve_type type, int kind) {
    while (!suits(device, type, kind)) kind++;
    device->blas->builtin->trsm_kind[cls_builtin_place(type)] = kind + 1;
}

typedef struct solve {
    cls_device *device;
    const cls_triangle *all;
    const shape *shape;
    cls_kernel *kernel;
    bool as_real; /* complex, by the solve of real ones */
} solve;

static bool is_forward(const solve *s) {
    return (s->all->uplo != CLS_UPPER) == (s->all->op == CLSOLVE_NO_TRANS);
}

/* m <= the shape's block */
static clsolve_status solve_block(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    if (s->as_real) {
        cls_triangle real;
        CLS_TRY(cls_builtin_complex_triangle(s->device, s->all, m, T, B, &real));
        return cls_builtin_trsm(s->device, &real);
    }
    int32_t order = (int32_t)m, backward = !is_forward(s);
    int32_t trans = cls_is_complex(s->all->type) ? (int32_t)s->all->op : s->all->op != CLSOLVE_NO_TRANS;
    int32_t unit = s->all->uplo == CLS_LOWER_UNIT;
    cls_arg args[] = {CLS_VALUE(order), CLS_VALUE(s->all->n), CLS_VALUE(backward), CLS_VALUE(trans),
                      CLS_VALUE(unit),  CLS_REF(T),           CLS_REF(B)};
    int64_t columns = s->shape->columns, items = s->shape->items;
    cls_grid grid = {{(size_t)((s->all->n + columns - 1) / columns * items), 1, 1}, {(size_t)items, 1, 1}};
    return cls_launch(s->device, s->all->options.queue, s->kernel, &grid, CLS_ARGS(args));
}

/* B(to) -= op(T)(to, from) X(from), the block of op(T) that lies off its diagonal. */
static clsolve_status update(const solve *s, int64_t to, int64_t rows, int64_t from, int64_t inner, cls_ref T,
                             cls_ref B) {
    cls_ref block = s->all->op != CLSOLVE_NO_TRANS ? cls_ref_at(T, from, to) : cls_ref_at(T, to, from);
    return cls_gemm(s->device, s->all->options, s->all->type, s->all->op, CLSOLVE_NO_TRANS, rows, s->all->n, inner,
                    -1.0, block, cls_ref_at(B, from, 0), 1.0, cls_ref_at(B, to, 0));
}

/* The depth is log2(m / block). */
static clsolve_status solve_halves(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    const int64_t block = s->shape->block;
    if (m <= block) return solve_block(s, m, T, B);
    int64_t top = (m / 2 + block - 1) / block * block, bottom = m - top;
    cls_ref T22 = cls_ref_at(T, top, top), B2 = cls_ref_at(B, top, 0);
    if (is_forward(s)) {
        CLS_TRY(solve_halves(s, top, T, B));
        CLS_TRY(update(s, top, bottom, 0, top, T, B));
        return solve_halves(s, bottom, T22, B2);
    }
    CLS_TRY(solve_halves(s, bottom, T22, B2));
    CLS_TRY(update(s, 0, top, top, bottom, T, B));
    return solve_halves(s, top, T, B);
}

/* Many columns a group where with few of them the groups would be more than two a compute unit, and its local memory is
 * there. */
static int suits_many(const cls_device *device, const shape *few, int64_t n) {
    return device->info.type != CLSOLVE_DEVICE_CPU && device->info.local_memory >= ENOUGH_LOCAL &&
           n > 2 * (int64_t)few->columns * device->info.compute_units;
}

/* ---- kernels ---- */

/* The arguments of a test. */
typedef struct trial {
    const shape *shape;
    cls_kernel *kernel;
} trial;

static clsolve_status solve_trial(cls_device *device, const void *how, const cls_triangle *t) {
    const trial *trial = how;
    const solve s = {device, t, trial->shape, trial->kernel, false};
    return solve_block(&s, t->m, t->T, t->B);
}

/* Its outcome is kept with the compiled programs: a kernel is tested once on this device and driver. */
static clsolve_status test_once(cls_device *device, clsolve_type type, const trial *trial, int *right) {
    enum { RIGHT = 1, WRONG = 2 };
    const cls_trsm_form form = {type, trial->shape->block, trial->shape->columns, solve_trial, trial};
    char name[128];
    (void)snprintf(name, sizeof name, "%s %s %s", trial->shape->program, cls_type_option(type), trial->shape->options);
    const int known = device->ops->recall(device, name);
    *right = known == RIGHT;
    if (known == RIGHT || known == WRONG) return CLSOLVE_OK;
    CLS_TRY(cls_builtin_trsm_test(device, &form, right));
    device->ops->remember(device, name, *right ? RIGHT : WRONG);
    return CLSOLVE_OK;
}

/* The kernel of that shape into *slot, built and tested at its first use; *right: 0 where it is wrong. */
static clsolve_status get_kernel(cls_device *device, clsolve_type type, const shape *shape, cls_kernel **slot,
                                 int *right) {
    char options[64];
    trial trial = {shape, NULL};
    *right = 1;
    if (*slot) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "-DCLS_UNIT=%d %s", device->matrix_unit, shape->options);
    clsolve_status status = cls_builtin_kernel(device, &trial.kernel, shape->program, shape->program, type, options);
    if (status == CLSOLVE_OK && !device->announcing) status = test_once(device, type, &trial, right);
    if (status == CLSOLVE_OK && *right)
        *slot = trial.kernel;
    else
        device->ops->kernel_destroy(device, trial.kernel);
    return status;
}

/* For one whose kernels do not build or start here, or are wrong. Its kernels for the type go. */
static void leave_kind(cls_device *device, clsolve_type type) {
    cls_kernel **kernels = device->blas->builtin->trsm[cls_builtin_place(type)];
    for (int many = 0; many < 2; many++) {
        device->ops->kernel_destroy(device, kernels[many]);
        kernels[many] = NULL;
    }
    choose_from(device, type, kind_of(device, type) + 1);
}

clsolve_status cls_builtin_trsm(cls_device *device, const cls_triangle *t) {
    const cls_error before = *device->error;
    static const shape real = {NULL, NULL, CLS_COMPLEX_ORDER, 0, 0};
    solve s = {device, t, NULL, NULL, false};
    cls_builtin *builtin;
    if (t->m == 0 || t->n == 0) return CLSOLVE_OK;
    if (cls_builtin_complex_solves(device, t)) {
        s.as_real = true;
        s.shape = &real;
        return device->announcing ? solve_block(&s, 1, t->T, t->B) : solve_halves(&s, t->m, t->T, t->B);
    }
    CLS_TRY(cls_builtin_get(device, &builtin));
    const int place = cls_builtin_place(t->type);
    if (builtin->trsm_kind[place] == 0) choose_from(device, t->type, 0);
    for (;;) {
        const shape *both = shapes[kind_of(device, t->type)];
        const int wide = suits_many(device, both, t->n);
        cls_kernel **slot = &builtin->trsm[place][wide];
        int right;
        clsolve_status status = get_kernel(device, t->type, &both[wide], slot, &right);
        s.shape = &both[wide];
        s.kernel = *slot;
        if (status == CLSOLVE_OK && right) break;
        const bool last = kind_of(device, t->type) == last_kind(t->type);
        if (status != CLSOLVE_OK && (last || (status != CLSOLVE_ERROR_BUILD && status != CLSOLVE_ERROR_DEVICE)))
            return status;
        if (last) return cls_fail_test(device, "triangular solves", t->type);
        leave_kind(device, t->type);
        *device->error = before;
    }
    /* Its products are announced by themselves. */
    return device->announcing ? CLSOLVE_OK : solve_halves(&s, t->m, t->T, t->B);
}
