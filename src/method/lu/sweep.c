/*
 * sweep.c: triangular solves in one launch each. A step by launches costs a launch; a step inside a launch costs the
 * way of 64 numbers from one group to the others.
 */
#include "method/lu/sweep.h"

#include <stdio.h>

#include "base/element.h"
#include "base/memory.h"

enum {
    BLOCK = 64, /* as in cl/lu_sweep.cl; of complex doubles half of it */
    ITEMS = 256,
    MOST = 8,          /* right-hand sides that are few */
    LEAST = 2 * BLOCK, /* rows: of fewer there is little to save */
    FAILS = CLS_TOGETHER_FAILS
};

static const char *fact_of(const cls_lu *lu) {
    static const char *const names[] = {"lu sweep single", "lu sweep double", "lu sweep complex single",
                                        "lu sweep complex double"};
    return names[lu->type - CLSOLVE_F32];
}

/* Right-hand sides of the kernel for more than one: but in float two would take more registers than some devices have.
 */
static int32_t sides_of(const cls_lu *lu) {
    return lu->type == CLSOLVE_F32 ? 2 : 1;
}

static int64_t block_of(const cls_lu *lu) {
    return lu->type == CLSOLVE_C64 ? BLOCK / 2 : BLOCK;
}

/* ---- one triangle ---- */

/* T and its order, B, and how it is solved. */
typedef struct sweep {
    int64_t n;
    cls_ref T, B;
    int32_t sides, backward, trans, unit; /* trans: as the kernel has it, 2 for the conjugate */
    uint32_t spins;
} sweep;

static clsolve_status launch(cls_lu *lu, const sweep *s, cls_offers *words) {
    cls_device *device = lu->device;
    const int64_t block = block_of(lu), groups = cls_lesser((s->n + block - 1) / block, lu->sweep.groups);
    cls_grid grid = {{(size_t)(groups * ITEMS), 1, 1}, {ITEMS, 1, 1}};
    uint32_t mark;
    CLS_TRY(cls_offers_mark(device, words, 1, &mark));
    cls_arg args[] = {CLS_VALUE(s->n),        CLS_VALUE(s->sides),
                      CLS_VALUE(s->backward), CLS_VALUE(s->trans),
                      CLS_VALUE(s->unit),     CLS_REF(s->T),
                      CLS_REF(s->B),          CLS_BUFFER(words->words),
                      CLS_VALUE(mark),        CLS_BUFFER(lu->sweep.late),
                      CLS_VALUE(s->spins)};
    return cls_launch_together(device, CLS_COMPUTE, lu->sweep.kernel[s->sides - 1], &grid, CLS_ARGS(args));
}

int cls_lu_sweeps(const cls_lu *lu, int64_t cols) {
    return lu->sweep.groups > 0 && cols <= MOST && cls_fact_get(lu->device, fact_of(lu)) > 0;
}

clsolve_status cls_lu_sweep(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B) {
    const int32_t most = sides_of(lu);
    for (int64_t c = 0; c < cols; c += most) {
        const int32_t trans = cls_lu_trans_of(op), sides = (int32_t)cls_lesser(cols - c, most);
        /* L then U, or U^T then L^T */
        sweep s = {lu->n,      cls_matrix_at(&lu->A, 0, 0), cls_ref_at(B, 0, c), sides, 0, trans,
                   trans == 0, CLS_TOGETHER_PATIENCE};
        lu->sweep.used = 1;
        CLS_TRY(launch(lu, &s, &lu->sweep.words));
        s.backward = 1;
        s.unit = trans != 0;
        CLS_TRY(launch(lu, &s, &lu->sweep.words));
    }
    return CLSOLVE_OK;
}

static clsolve_status read_late(cls_lu *lu, int32_t *late) {
    cls_device *device = lu->device;
    const cls_rect rect = {sizeof *late, 1, 0, sizeof *late, sizeof *late};
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, lu->sweep.late, late, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

clsolve_status cls_lu_sweep_failed(void *factors, int *again) {
    cls_lu *lu = factors;
    int32_t late = 0;

    *again = 0;
    if (!lu->sweep.used) return CLSOLVE_OK;
    CLS_TRY(read_late(lu, &late));
    if (late == 0) return CLSOLVE_OK;
    lu->sweep.groups = 0;
    *again = 1;
    lu->device->ops->remember(lu->device, fact_of(lu), 0); /* the next process tests anew */
    return cls_fact_set(lu->device, fact_of(lu), FAILS);   /* it was set, so this takes no memory */
}

/* ---- the test of the device ---- */

/*
 * A block more than there are groups, of a triangle whose columns (transposed: rows) are all alike, so that it is one
 * vector with a leading dimension of 0: each element is t(i), or t(k). Small whole numbers, so that every sum is
 * exact in float too, and none of a block is 0. Complex ones are imaginary by turns.
 */
static double complex test_t(const cls_lu *lu, int64_t k) {
    const double size = k / 2 % 2 ? 2 : 1;
    return cls_is_complex(lu->type) && k % 3 == 0 ? size * I : size;
}

/* Element k of the solution for right-hand side c. */
static double complex test_x(const cls_lu *lu, int64_t k, int64_t c) {
    return (double)(1 + (k + c) % 3) + (cls_is_complex(lu->type) ? (double)(k % 5 - 2) * I : 0);
}

/* The place in B, column c, of row i of the definition in cl/lu_sweep.cl. */
static int64_t place_of(const sweep *s, int64_t i, int64_t c) {
    return (s->backward ? s->n - 1 - i : i) + c * s->n;
}

/* B = W X by that definition. */
static void fill_right_sides(const cls_lu *lu, const sweep *s, double *b) {
    for (int64_t c = 0; c < s->sides; c++) {
        double complex sum = 0;
        for (int64_t i = 0; i < s->n; i++) {
            double complex t = test_t(lu, s->backward ? s->n - 1 - i : i);
            const double complex x = test_x(lu, i, c);
            if (s->trans == 2) t = conj(t);
            cls_element_put(lu->type, b, place_of(s, i, c), (s->trans ? 1 : t) * sum + (s->unit ? 1 : t) * x);
            sum += (s->trans ? t : 1) * x;
        }
    }
}

static int is_right(const cls_lu *lu, const sweep *s, const double *b) {
    for (int64_t c = 0; c < s->sides; c++)
        for (int64_t i = 0; i < s->n; i++)
            if (!(cls_element_get(lu->type, b, place_of(s, i, c)) == test_x(lu, i, c))) return 0;
    return 1;
}

/* One of the cases, of one right-hand side or two; in `b` up and down. */
static clsolve_status try_case(cls_lu *lu, const sweep *s, cls_offers *words, double *b, int *right) {
    cls_device *device = lu->device;
    const size_t bytes = (size_t)(s->n * s->sides * cls_type_size(lu->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    int32_t late = 0;
    fill_right_sides(lu, s, b);
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, s->B.buffer, b, &rect, NULL, NULL));
    CLS_TRY(launch(lu, s, words));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, s->B.buffer, b, &rect, NULL, NULL));
    CLS_TRY(read_late(lu, &late));
    *right = late == 0 && is_right(lu, s, b);
    return CLSOLVE_OK;
}

static clsolve_status try_cases(cls_lu *lu, int64_t n, cls_buffer *T, cls_buffer *B, cls_offers *words, double *b,
                                int *right) {
    cls_device *device = lu->device;
    const int32_t cases = cls_is_complex(lu->type) ? 6 : 4; /* forward and backward with each op */
    const size_t bytes = (size_t)(n * cls_type_size(lu->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    for (int64_t k = 0; k < n; k++) cls_element_put(lu->type, b, k, test_t(lu, k));
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, T, b, &rect, NULL, NULL));
    *right = 1;
    for (int32_t sides = 1; sides <= sides_of(lu); sides++)
        for (int32_t c = 0; c < cases && *right; c++) {
            const int32_t backward = c & 1, trans = c >> 1;
            const sweep s = {
                n, {T, 0, 0}, {B, 0, n}, sides, backward, trans, backward == (trans != 0), CLS_TOGETHER_LITTLE};
            CLS_TRY(try_case(lu, &s, words, b, right));
        }
    return device->ops->fill(device, CLS_COMPUTE, lu->sweep.late, 0, sizeof(int32_t), 0);
}

static clsolve_status try_groups(void *what, int64_t groups, int last, int *right) {
    cls_lu *lu = what;
    cls_device *device = lu->device;
    /* A block more than groups: the first group comes back when all others have been there. */
    const int64_t n = (groups + 1) * block_of(lu);
    const int64_t most = n * sides_of(lu); /* elements of B */
    const size_t size = (size_t)cls_type_size(lu->type);
    cls_buffer *T = NULL, *B = NULL;
    cls_offers words = {0};
    double *b = cls_alloc((size_t)most, 2 * sizeof *b); /* room for each type */
    clsolve_status status = CLSOLVE_OK;

    (void)last;
    *right = 0;
    lu->sweep.groups = (int32_t)groups;
    if (!b) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    CLS_TRY_GOTO(status, device->ops->buffer_create(device, (size_t)n * size, &T), end);
    CLS_TRY_GOTO(status, device->ops->buffer_create(device, (size_t)most * size, &B), end);
    CLS_TRY_GOTO(status, cls_offers_take(device, cls_offers_bytes(device, lu->type, most), &words), end);
    status = try_cases(lu, n, T, B, &words, b, right);
end:
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, T);
    device->ops->buffer_destroy(device, B);
    cls_offers_release(device, &words);
    cls_free(b);
    /* A kernel that the device refuses to start counts as one that it does not have. */
    return status == CLSOLVE_ERROR_DEVICE ? CLSOLVE_OK : status;
}

/* Learns how many groups run together: as many as may, or fewer. cls_groups_remember keeps it. */
static clsolve_status find_groups(cls_lu *lu) {
    cls_device *device = lu->device;
    int known = cls_fact_get(device, fact_of(lu));

    if (known == 0) known = cls_groups_recall(device, fact_of(lu));
    if (known == 0) {
        int64_t groups = device->groups_together;
        CLS_TRY(cls_together_find(try_groups, lu, 0, 0, &groups));
        /* One group of a device that has several units reads A more slowly than products do. */
        known = groups > 1 || (groups == 1 && device->info.compute_units == 1) ? (int)groups : FAILS;
        cls_groups_remember(device, fact_of(lu), known, known == device->groups_together);
    }
    lu->sweep.groups = known > 0 ? (int32_t)cls_lesser(known, device->groups_together) : 0;
    return cls_fact_set(device, fact_of(lu), known);
}

/* ---- setup ---- */

/* Few rows whose solves are a launch anyway (small.h) take products in the others. */
static int suits(const cls_lu *lu) {
    const cls_device *device = lu->device;
    const int64_t local = (lu->type == CLSOLVE_F32 ? 21 : lu->type == CLSOLVE_C64 ? 25 : 40) << 10;
    return device->groups_together > 0 && !cls_in_place(device) && lu->n >= LEAST && !lu->small.sides &&
           lu->memory_limit == 0 && lu->out.slab == 0 && lu->A.slab_cols >= lu->n &&
           device->info.max_work_group >= ITEMS && device->info.local_memory >= local && !device->weak_barriers;
}

static clsolve_status build(cls_lu *lu) {
    cls_device *device = lu->device;
    for (int32_t sides = 1; sides <= sides_of(lu); sides++) {
        cls_program *program;
        char options[160];
        (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d%s -DSIDES=%d", cls_type_option(lu->type),
                       device->matrix_unit, device->whole_words ? " -DCLS_WHOLE_WORDS" : "", (int)sides);
        CLS_TRY(device->ops->program_get(device, "lu_sweep", options, &program));
        CLS_TRY(device->ops->kernel_create(device, program, "lu_sweep", &lu->sweep.kernel[sides - 1]));
    }
    return CLSOLVE_OK;
}

static clsolve_status take(cls_lu *lu) {
    cls_device *device = lu->device;
    CLS_TRY(cls_offers_take(device, cls_offers_bytes(device, lu->type, lu->n * sides_of(lu)), &lu->sweep.words));
    CLS_TRY(device->ops->buffer_create(device, sizeof(int32_t), &lu->sweep.late));
    return device->ops->fill(device, CLS_COMPUTE, lu->sweep.late, 0, sizeof(int32_t), 0);
}

/* It is of use, and not needed: where memory is short, solves go by launches. */
static clsolve_status go_without(cls_lu *lu, clsolve_status status, const cls_error *before) {
    if (status != CLSOLVE_ERROR_OUT_OF_MEMORY && status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return status;
    lu->sweep.groups = 0;
    *lu->device->error = *before;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_sweep_setup(cls_lu *lu) {
    const cls_error before = *lu->device->error;
    if (!suits(lu) || cls_fact_get(lu->device, fact_of(lu)) == FAILS) return CLSOLVE_OK;
    clsolve_status status = build(lu);
    if (lu->device->announcing) return status;
    if (status == CLSOLVE_OK) status = take(lu);
    if (status == CLSOLVE_OK) status = find_groups(lu);
    if (status == CLSOLVE_OK) return CLSOLVE_OK;
    lu->sweep.groups = 0;
    if (status != CLSOLVE_ERROR_BUILD) return go_without(lu, status, &before);
    *lu->device->error = before;
    return cls_fact_set(lu->device, fact_of(lu), FAILS);
}

int cls_lu_sweep_is_there(const cls_lu *lu) {
    if (!lu->device->announcing) return lu->sweep.groups > 0;
    return suits(lu) && cls_fact_get(lu->device, fact_of(lu)) != FAILS;
}

void cls_lu_sweep_release(cls_lu *lu) {
    cls_device *device = lu->device;
    for (int many = 0; many < 2; many++) device->ops->kernel_destroy(device, lu->sweep.kernel[many]);
    cls_offers_release(device, &lu->sweep.words);
    device->ops->buffer_destroy(device, lu->sweep.late);
}
