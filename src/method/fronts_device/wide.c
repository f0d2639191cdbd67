/*
 * wide.c: fronts that are worth dense products of their own. The triangles L and U of PIVOT become whole
 * inverses: blocks on the diagonal first (front_invert), then twice as wide ones, until one has all columns. So LOW and
 * UP are made by a product each, and solves multiply by the inverses.
 */
#include "base/type.h"
#include "method/fronts_device/device.h"

enum { TILE = 32, LX = 8 };                                      /* as in front_product.cl */
enum { UP_ORDERED, LOW_PLAIN, LOW_ORDERED, LOW_BY_D, LOW_BACK }; /* as in front_inverse.cl */

static cls_front_class part_of(const cls_front_class *of, int64_t done, int64_t some) {
    cls_front_class part = *of;
    part.from += done;
    part.count = of->count - done < some ? of->count - done : some;
    return part;
}

static clsolve_status unfold(cls_sparse_device *sparse, const cls_front_class *of, int64_t apart, int32_t back) {
    cls_arg args[] = {CLS_VALUE(back), CLS_BUFFER(cls_front_buffer(sparse, of)), CLS_BUFFER(sparse->scratch),
                      CLS_VALUE(apart)};
    const cls_front_launch launch = {sparse->unfold, of->most_pivots, {(size_t)sparse->local, 1}, 0, CLS_COMPUTE};
    return cls_front_run_class(sparse, of, &launch, args, 4);
}

static clsolve_status make_twice(cls_sparse_device *sparse, const cls_front_class *of, int64_t apart, int32_t size) {
    const int64_t tiles = (size + TILE - 1) / TILE, pairs = (of->most_pivots + 2 * size - 1) / (2 * size);
    const cls_front_launch launch = {
        sparse->twice, tiles * tiles * pairs * (cls_front_is_one_sided(sparse) ? 1 : 2), {LX, LX}, 0, CLS_COMPUTE};
    for (int32_t last = 0; last < 2; last++) {
        cls_arg args[] = {CLS_VALUE(size), CLS_VALUE(last), CLS_BUFFER(sparse->scratch), CLS_VALUE(apart)};
        CLS_TRY(cls_front_run_class(sparse, of, &launch, args, 4));
    }
    return CLSOLVE_OK;
}

static clsolve_status invert_some(cls_sparse_device *sparse, const cls_front_class *of, int64_t apart) {
    cls_arg args[] = {CLS_BUFFER(cls_front_buffer(sparse, of))};
    const int64_t blocks = (of->most_pivots + sparse->width - 1) / sparse->width;
    const cls_front_launch launch = {sparse->invert, blocks, {(size_t)sparse->width, 1}, 0, CLS_COMPUTE};
    CLS_TRY(cls_front_run_class(sparse, of, &launch, args, 1));
    CLS_TRY(unfold(sparse, of, apart, 0));
    for (int32_t size = (int32_t)sparse->width; size < of->most_pivots; size *= 2)
        CLS_TRY(make_twice(sparse, of, apart, size));
    return unfold(sparse, of, apart, 1);
}

/* ---- UP and LOW ---- */

/* The block of the front list[at] goes to scratch, or comes from there. */
static clsolve_status take_block(cls_sparse_device *sparse, const cls_front_class *of, int64_t at, int32_t way) {
    const cls_front_class alone = {.from = at, .count = 1, .kind = of->kind, .slab = of->slab};
    cls_arg args[] = {CLS_VALUE(way),
                      CLS_BUFFER(sparse->order),
                      CLS_BUFFER(cls_front_buffer(sparse, of)),
                      CLS_BUFFER(sparse->scratch),
                      CLS_VALUE(sparse->scratch_block),
                      CLS_BUFFER(sparse->blocks),
                      CLS_BUFFER(sparse->ipiv)};
    const cls_front_launch launch = {
        sparse->take, cls_front_of(sparse, sparse->list[at], CLS_BORDER), {(size_t)sparse->local, 1}, 0, CLS_COMPUTE};
    return cls_front_run_class(sparse, &alone, &launch, args, sparse->ldl ? 7 : 5);
}

/* UP = L^-1 P UP, or LOW = U^-T LOW, of Cholesky L^-1 LOW, of L D L^T D^-1 L^-1 P LOW, of the front list[at], whose
 * triangles are at `triangles` in scratch. */
static clsolve_status apply_inverse(cls_sparse_device *sparse, const cls_front_class *of, int64_t at, int64_t triangles,
                                    int32_t low) {
    const int64_t s = sparse->list[at], f = cls_front_of(sparse, s, CLS_PIVOTS),
                  b = cls_front_of(sparse, s, CLS_BORDER), ld = cls_front_scratch_ld(f);
    const cls_ref block = {sparse->scratch, sparse->scratch_block, ld}, lower = {sparse->scratch, triangles, ld},
                  upper = {sparse->scratch, triangles + 2 * ld * f, ld};
    const int by_upper = low && !cls_front_is_one_sided(sparse);
    if (b == 0) return CLSOLVE_OK;
    CLS_TRY(take_block(sparse, of, at, !low ? UP_ORDERED : sparse->ldl ? LOW_ORDERED : LOW_PLAIN));
    CLS_TRY(cls_gemm(sparse->device, CLS_BLAS_STEADY, sparse->type, by_upper ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                     CLSOLVE_NO_TRANS, f, b, f, 1, by_upper ? upper : lower, block, 0,
                     cls_front_ref(sparse, of, s, low ? CLS_LOW_AT : CLS_UP_AT)));
    if (!sparse->ldl) return CLSOLVE_OK;
    CLS_TRY(take_block(sparse, of, at, LOW_PLAIN));
    return take_block(sparse, of, at, LOW_BACK);
}

static clsolve_status apply_some(cls_sparse_device *sparse, const cls_front_class *of, int64_t apart) {
    for (int64_t k = 0; k < of->count; k++) {
        if (!cls_front_is_one_sided(sparse)) CLS_TRY(apply_inverse(sparse, of, of->from + k, k * apart, 0));
        CLS_TRY(apply_inverse(sparse, of, of->from + k, k * apart, 1));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_front_invert_class(cls_sparse_device *sparse, const cls_front_class *of) {
    int64_t apart;
    const int64_t some = cls_front_some_of(sparse, of, &apart);
    for (int64_t done = 0; done < of->count; done += some) {
        const cls_front_class part = part_of(of, done, some);
        CLS_TRY(invert_some(sparse, &part, apart));
        if (of->kind >= CLS_MIDDLE) CLS_TRY(apply_some(sparse, &part, apart));
    }
    return CLSOLVE_OK;
}

/* ---- the rest ---- */

/* The lower triangle of C (n x n) less A^H B, or A^T B: at once, or by blocks of columns. */
static clsolve_status less_square(const cls_sparse_device *sparse, int64_t n, int64_t k, cls_ref A, cls_ref B,
                                  double beta, cls_ref C) {
    enum { BLOCK = 512 };
    const clsolve_op op = cls_front_conjugates(sparse) ? cls_adjoint(sparse->type) : CLSOLVE_TRANS;
    const cls_blas_options how = {.queue = cls_front_aside(sparse), .steady = 1};
    int done = 0;
    CLS_TRY(cls_gemm_triangle(sparse->device, how, sparse->type, op, CLSOLVE_NO_TRANS, n, k, -1, A, B, beta, C, &done));
    for (int64_t j = 0; j < n && !done; j += BLOCK)
        CLS_TRY(cls_gemm(sparse->device, how, sparse->type, op, CLSOLVE_NO_TRANS, n - j, n - j < BLOCK ? n - j : BLOCK,
                         k, -1, cls_ref_at(A, 0, j), cls_ref_at(B, 0, j), beta, cls_ref_at(C, j, j)));
    return CLSOLVE_OK;
}

clsolve_status cls_front_rest(cls_sparse_device *sparse, const cls_front_class *of, int64_t at, int fresh) {
    const int64_t s = sparse->list[at];
    const int64_t f = cls_front_of(sparse, s, CLS_PIVOTS), b = cls_front_of(sparse, s, CLS_BORDER);
    const cls_ref up = cls_front_ref(sparse, of, s, CLS_UP_AT), low = cls_front_ref(sparse, of, s, CLS_LOW_AT),
                  rest = {sparse->rests, cls_front_of(sparse, s, CLS_REST), b};
    if (b == 0) return CLSOLVE_OK;
    if (sparse->cholesky) return less_square(sparse, b, f, low, low, fresh ? 0 : 1, rest);
    if (sparse->ldl) {
        const cls_ref by_d = {sparse->scratch, sparse->scratch_block, cls_front_scratch_ld(f)};
        CLS_TRY(take_block(sparse, of, at, LOW_BY_D));
        return less_square(sparse, b, f, low, by_d, fresh ? 0 : 1, rest);
    }
    const cls_blas_options how = {.queue = cls_front_aside(sparse), .steady = 1};
    return cls_gemm(sparse->device, how, sparse->type, CLSOLVE_TRANS, CLSOLVE_NO_TRANS, b, b, f, -1, low, up,
                    fresh ? 0 : 1, rest);
}
