/*
 * builtin_mma.c: the product by a matrix unit, NVIDIA's or AMD's. Two tiles: the large one reads its operands less
 * often, the small one gives work to all compute units when C is small.
 */
#include "blas/builtin.h"

#include <stdio.h>

/* As the kernel's file has them: the tile of a work-group and the part of a wave. `rest`: the other sizes. */
typedef struct tile {
    int lanes; /* of a wave */
    int bm, bn, wm, wn;
    const char *rest;
} tile;

/* A maker's kernel. `words`: one form for places that are multiples of 16 bytes, another one for all places. */
typedef struct unit {
    const char *kernel;
    int words;
    tile tiles[CLS_MMA_TILES];
} unit;

static const unit nvidia = {"gemm_mma", 1, {{32, 64, 64, 32, 32, "-DSTAGES=4"}, {32, 128, 64, 64, 32, "-DSTAGES=4"}}};
static const unit amd = {
    "gemm_mfma", 0, {{64, 64, 64, 32, 32, "-DEACH_UNIT=4"}, {64, 128, 128, 64, 64, "-DEACH_UNIT=2"}}};

static const unit *unit_of(const cls_device *device) {
    if (device->blas && device->blas->no_matrix_unit) return NULL;
    return device->matrix_unit >= 80 ? &nvidia : device->matrix_core ? &amd : NULL;
}

int cls_builtin_mma_suits(const cls_device *device, clsolve_type type) {
    return unit_of(device) && !cls_is_complex(type) &&
           !(device->blas && device->blas->builtin && device->blas->builtin->mma_fails[type == CLSOLVE_F64]);
}

/* NVIDIA's floats are split into parts of tf32. AMD's are whole. */
static int takes_floats(const cls_device *device, const cls_product *p) {
    enum { FLOAT_COLUMNS = 8, FLOAT_INNER = 16 };
    if (unit_of(device) == &nvidia) return !p->options.whole_range && p->n >= FLOAT_COLUMNS && p->k >= FLOAT_INNER;
    return !(p->options.whole_range && device->blas && device->blas->builtin &&
             device->blas->builtin->mma_range == CLS_RANGE_LOST);
}

int cls_builtin_mma_takes(const cls_device *device, const cls_product *p) {
    if (p->m == 0 || p->n == 0 || p->k == 0 || p->alpha == 0 || !cls_builtin_mma_suits(device, p->type)) return 0;
    return p->type == CLSOLVE_F64 || takes_floats(device, p);
}

static int64_t groups_of(const tile *t, const cls_product *p) {
    return (p->m + t->bm - 1) / t->bm * ((p->n + t->bn - 1) / t->bn);
}

static clsolve_status launch(cls_device *device, cls_kernel *kernel, const void *how, const cls_product *p) {
    const tile *t = how;
    const int in_double = p->type == CLSOLVE_F64;
    size_t items = (size_t)(t->bm / t->wm * (t->bn / t->wn) * t->lanes);
    int64_t groups = groups_of(t, p);
    cls_grid grid = {{(size_t)groups * items, 1, 1}, {items, 1, 1}};
    float alpha = (float)p->alpha, beta = (float)p->beta;
    int32_t lower = p->lower;
    cls_arg of_doubles[2] = {CLS_VALUE(p->alpha), CLS_VALUE(p->beta)};
    cls_arg of_floats[2] = {CLS_VALUE(alpha), CLS_VALUE(beta)};
    const cls_arg *scalars = in_double ? of_doubles : of_floats;
    cls_arg args[] = {CLS_VALUE(p->m), CLS_VALUE(p->n), CLS_VALUE(p->k), scalars[0],      CLS_REF(p->A),
                      CLS_REF(p->B),   scalars[1],      CLS_REF(p->C),   CLS_VALUE(lower)};
    return cls_launch(device, p->options.queue, kernel, &grid, CLS_ARGS(args));
}

/* The elements of a word of 16 bytes. */
static int word_of(clsolve_type type) {
    return type == CLSOLVE_F64 ? 2 : 4;
}

/* The options of NVIDIA's kernel apart from the tile. */
static void nvidia_options(const cls_device *device, clsolve_type type, int words, char text[48]) {
    (void)snprintf(text, 48, " -DCLS_UNIT=%d -DVECTOR=%d", device->matrix_unit, words ? word_of(type) : 1);
}

/* A form of the kernel. `options` has its text, for as long as the form is used. */
typedef struct form {
    clsolve_op op_a, op_b;
    int words;
    char options[160];
} form;

static cls_builtin_form form_of(const cls_device *device, clsolve_type type, const tile *t, form *f) {
    const unit *u = unit_of(device);
    char more[48] = "";
    if (u == &nvidia) nvidia_options(device, type, f->words, more);
    (void)snprintf(f->options, sizeof f->options, "-DBM=%d -DBN=%d -DWM=%d -DWN=%d %s -DTRANS_A=%d -DTRANS_B=%d%s",
                   t->bm, t->bn, t->wm, t->wn, t->rest, f->op_a != CLSOLVE_NO_TRANS, f->op_b != CLSOLVE_NO_TRANS, more);
    return (cls_builtin_form){u->kernel, type, f->options, f->op_a, f->op_b, !f->words, 0, launch, t};
}

static clsolve_status prepare(cls_device *device, cls_kernel **slot, const cls_builtin_form *form) {
    return cls_builtin_tested(device, form, slot, &device->blas->builtin->mma_fails[form->type == CLSOLVE_F64]);
}

/* The product is to keep float's whole range: does the unit? */
static clsolve_status test_range(cls_device *device, cls_kernel *kernel, cls_builtin_form form, cls_mma_range *range) {
    int right = 0;
    if (*range != CLS_RANGE_UNTESTED) return CLSOLVE_OK;
    form.tiny = 1;
    CLS_TRY(cls_builtin_test_once(device, kernel, &form, &right));
    *range = right ? CLS_RANGE_KEPT : CLS_RANGE_LOST;
    return CLSOLVE_OK;
}

clsolve_status cls_builtin_mma(cls_device *device, const cls_product *p, int *right) {
    const int in_double = p->type == CLSOLVE_F64;
    const unit *u = unit_of(device);
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    int large = groups_of(&u->tiles[CLS_MMA_LARGE], p) >= device->info.compute_units;
    const tile *t = &u->tiles[large ? CLS_MMA_LARGE : CLS_MMA_SMALL];
    int words = u->words && (p->A.offset | p->A.ld | p->B.offset | p->B.ld) % word_of(p->type) == 0;
    cls_kernel **slot =
        &builtin->mma[in_double][large][p->op_a != CLSOLVE_NO_TRANS][p->op_b != CLSOLVE_NO_TRANS][words];
    form text = {p->op_a, p->op_b, words, ""};
    const cls_builtin_form form = form_of(device, p->type, t, &text);
    if (!*slot) CLS_TRY(prepare(device, slot, &form));
    *right = !builtin->mma_fails[in_double];
    if (!*right || device->announcing) return CLSOLVE_OK;
    if (!in_double && p->options.whole_range) CLS_TRY(test_range(device, *slot, form, &builtin->mma_range));
    *right = in_double || takes_floats(device, p);
    return *right ? launch(device, *slot, t, p) : CLSOLVE_OK;
}

clsolve_status cls_builtin_triangle(cls_device *device, const cls_product *p, int *done) {
    *done = 0;
    return cls_builtin_mma_takes(device, p) ? cls_builtin_mma(device, p, done) : CLSOLVE_OK;
}

clsolve_status cls_builtin_mma_try(cls_device *device, clsolve_type type) {
    const int in_double = type == CLSOLVE_F64;
    const unit *u = unit_of(device);
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    for (int k = 0; k < CLS_MMA_TILES && !builtin->mma_fails[in_double]; k++) {
        cls_kernel **slot = &builtin->mma[in_double][k][0][0][u->words];
        form text = {CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, u->words, ""};
        const cls_builtin_form form = form_of(device, type, &u->tiles[k], &text);
        if (!*slot) CLS_TRY(prepare(device, slot, &form));
    }
    return CLSOLVE_OK;
}
