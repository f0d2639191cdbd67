/*
 * substitute.c: triangular solves with few right-hand sides, for which a block's product is a small part of what its
 * launch costs: a launch a block, in which the block's triangle is solved, concurrently with what the block before
 * leaves to do (cl/substitute.cl).
 */
#include "method/lu/substitute.h"

#include "method/lu/substitute_system.h"

enum { SIDES = 4, PER = 4, BLOCK = 64 }; /* as in cl/substitute.cl */
enum { MOST = 2 * SIDES };               /* right-hand sides that are few */

/* Rows of a group that are open: half of them where elements have 16 bytes, for local memory. */
static int64_t open_rows(clsolve_type type) {
    return type == CLSOLVE_C64 ? 32 : 64;
}

/* A work-group has four work-items a row and 22 KB of local memory in double, 29 in complex double. A block of 128 rows
 * takes half as many launches, but an H200 needs 1.9 ms for n = 4096 then, and 1.3 ms with 64. The kernel is not used
 * if the provider's products are as fast, the device is too small, or its compiler errs. */
static int32_t block_of(const cls_device *device) {
    const clsolve_device_info *info = &device->info;
    if (cls_in_place(device) || device->blas->narrow || device->weak_barriers || info->local_memory < 32 << 10)
        return 0;
    return info->max_work_group >= PER * BLOCK ? BLOCK : 0;
}

void cls_lu_substitute_release(cls_lu *lu) {
    lu->device->ops->kernel_destroy(lu->device, lu->substitute.kernel);
}

int cls_lu_substitutes(const cls_lu *lu, int64_t cols) {
    return lu->substitute.block > 0 && cols <= MOST;
}

/* One half of the factors with all of its blocks. */
typedef struct sweep {
    cls_lu *lu;
    int32_t backward, trans, unit; /* trans: as the kernel has it, 2 for the conjugate */
    int32_t cols;
    cls_ref B;
} sweep;

/* A block, and the one solved before it. */
typedef struct step {
    int64_t at, width, before_at, before;
} step;

/* The columns of A from `at` on in their slab, at most the block's order; backward the blocks are the same ones. */
static int64_t block_at(const sweep *s, int64_t at) {
    int64_t run = cls_matrix_run(&s->lu->A, at, s->lu->n), most = s->lu->substitute.block;
    return run < most ? run : most;
}

static int64_t block_before(const sweep *s, int64_t end) {
    int64_t slab = (end - 1) / s->lu->A.slab_cols * s->lu->A.slab_cols, most = s->lu->substitute.block;
    return slab + (end - 1 - slab) / most * most;
}

/* op(T)(i, k), whose rows and columns are T's or the other way round. */
static cls_ref at(const sweep *s, int64_t i, int64_t k) {
    return s->trans ? cls_matrix_at(&s->lu->A, k, i) : cls_matrix_at(&s->lu->A, i, k);
}

/* The step's triangles or not, and the rows open .. open + rows - 1. All of T but the triangles in one slab. */
static clsolve_status launch(const sweep *s, const step *b, int triangles, int64_t open, int64_t rows) {
    cls_lu *lu = s->lu;
    int32_t m = (int32_t)b->width, before = (int32_t)b->before, solved = triangles ? s->cols : 0;
    cls_ref T = at(s, b->at, b->at), beside = before > 0 ? at(s, b->at, b->before_at) : T;
    cls_ref rest = rows > 0 ? at(s, open, b->before_at) : beside, U = rows > 0 ? rest : beside;
    int64_t b_at = s->B.offset + b->at, x_at = s->B.offset + b->before_at, open_at = s->B.offset + open;
    cls_arg args[] = {CLS_VALUE(m),           CLS_VALUE(before),      CLS_VALUE(s->cols),      CLS_VALUE(solved),
                      CLS_VALUE(rows),        CLS_VALUE(s->backward), CLS_VALUE(s->trans),     CLS_VALUE(s->unit),
                      CLS_BUFFER(T.buffer),   CLS_VALUE(T.offset),    CLS_BUFFER(U.buffer),    CLS_VALUE(beside.offset),
                      CLS_VALUE(rest.offset), CLS_VALUE(T.ld),        CLS_BUFFER(s->B.buffer), CLS_VALUE(b_at),
                      CLS_VALUE(x_at),        CLS_VALUE(open_at),     CLS_VALUE(s->B.ld)};
    const int64_t together = open_rows(lu->type);
    size_t items = (size_t)(PER * lu->substitute.block), groups = (size_t)(solved + (rows + together - 1) / together);
    cls_grid grid = {{groups * items, 1, 1}, {items, 1, 1}};
    return cls_launch(lu->device, CLS_COMPUTE, lu->substitute.kernel, &grid, CLS_ARGS(args));
}

/* The triangles and the open rows begin .. end-1 next to the block. Transposed, these are columns of A, and a slab's a
 * launch. */
static clsolve_status take(const sweep *s, const step *b, int64_t begin, int64_t end) {
    const cls_matrix *A = &s->lu->A;
    if (b->before == 0) return launch(s, b, 1, 0, 0);
    if (!s->trans) return launch(s, b, 1, begin, end - begin);
    int64_t slab = b->at / A->slab_cols * A->slab_cols, next = slab + A->slab_cols;
    int64_t first = begin > slab ? begin : slab, last = end < next ? end : next;
    CLS_TRY(launch(s, b, 1, first, last > first ? last - first : 0));
    for (int64_t j = begin, run; j < end; j += run) {
        run = cls_matrix_run(A, j, end);
        if (j / A->slab_cols * A->slab_cols != slab) CLS_TRY(launch(s, b, 0, j, run));
    }
    return CLSOLVE_OK;
}

static clsolve_status run(const sweep *s) {
    int64_t n = s->lu->n;
    step b = {0};

    for (int64_t done = 0; done < n; done += b.width) {
        b.before_at = b.at, b.before = b.width;
        b.at = s->backward ? block_before(s, n - done) : done;
        b.width = s->backward ? n - done - b.at : block_at(s, done);
        CLS_TRY(s->backward ? take(s, &b, 0, b.at) : take(s, &b, b.at + b.width, n));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_substitute(cls_lu *lu, clsolve_op op, int64_t cols, cls_ref B) {
    for (int64_t c = 0; c < cols; c += SIDES) {
        int32_t width = (int32_t)(cols - c < SIDES ? cols - c : SIDES), trans = cls_lu_trans_of(op);
        cls_ref part = cls_ref_at(B, 0, c);
        /* L then U, or U^T then L^T */
        sweep first = {lu, 0, trans, trans == 0, width, part}, second = {lu, 1, trans, trans != 0, width, part};
        CLS_TRY(run(&first));
        CLS_TRY(run(&second));
    }
    return CLSOLVE_OK;
}

/* ---- setup ---- */

enum { N = CLS_LU_SUBSTITUTE_ORDER };
enum { RIGHT = 1, WRONG = 2 }; /* outcome of the test; 0: not tested yet */

/* `small`: a handle of order N with the kernel and no more. */
static clsolve_status solve_small(cls_lu *small, clsolve_op op, int *right) {
    double lu[2 * N * N], x[2 * N]; /* room for each type */
    cls_device *device = small->device;
    size_t size = (size_t)cls_type_size(small->type);
    cls_ref B = cls_matrix_at(&small->B, 0, 0);
    cls_rect square = {N * size, N, 0, (size_t)small->A.ld * size, N * size},
             column = {N * size, 1, 0, N * size, N * size};

    cls_lu_substitute_system(small->type, op, lu, x);
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, small->A.slab[0], lu, &square, NULL, NULL));
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, B.buffer, x, &column, NULL, NULL));
    CLS_TRY(cls_lu_substitute(small, op, 1, B));
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, B.buffer, x, &column, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *right = cls_lu_substitute_right(small->type, x);
    return CLSOLVE_OK;
}

/* Tests the kernel once per device, driver and type, because compilers err; the outcome is kept on disk. */
static clsolve_status test_kernel(const cls_lu *lu, int *right) {
    cls_device *device = lu->device;
    static const char *const names[4] = {"substitution single 64", "substitution double 64",
                                         "substitution complex single 64", "substitution complex double 64"};
    const char *name = names[lu->type - CLSOLVE_F32];
    int known = cls_fact_get(device, name);
    cls_lu small = {.device = device, .type = lu->type, .n = N, .substitute = lu->substitute};

    if (known == 0) known = device->ops->recall(device, name);
    if (known == 0) {
        clsolve_status status = cls_matrix_create(device, lu->type, N, N, 1, 0, &small.A);
        if (status == CLSOLVE_OK) status = cls_matrix_create(device, lu->type, N, 1, 1, 0, &small.B);
        if (status == CLSOLVE_OK) status = solve_small(&small, CLSOLVE_NO_TRANS, right);
        if (status == CLSOLVE_OK && *right) status = solve_small(&small, CLSOLVE_TRANS, right);
        if (status == CLSOLVE_OK && *right && cls_is_complex(lu->type))
            status = solve_small(&small, CLSOLVE_CONJ_TRANS, right);
        if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_COMPUTE);
        cls_matrix_destroy(device, &small.A);
        cls_matrix_destroy(device, &small.B);
        CLS_TRY(status);
        known = *right ? RIGHT : WRONG;
        device->ops->remember(device, name, known);
    }
    *right = known == RIGHT;
    return cls_fact_set(device, name, known);
}

clsolve_status cls_lu_substitute_get(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_program *program;
    int right = 0;

    if (lu->substitute.block == 0 || lu->substitute.kernel) return CLSOLVE_OK;
    CLS_TRY(device->ops->program_get(device, "substitute", cls_type_option(lu->type), &program));
    CLS_TRY(device->ops->kernel_create(device, program, "substitute", &lu->substitute.kernel));
    if (device->announcing) return CLSOLVE_OK;
    CLS_TRY(test_kernel(lu, &right));
    if (!right) lu->substitute.block = 0; /* products are used instead */
    return CLSOLVE_OK;
}

clsolve_status cls_lu_substitute_setup(cls_lu *lu, int later) {
    lu->substitute.block = block_of(lu->device);
    return later ? CLSOLVE_OK : cls_lu_substitute_get(lu);
}
