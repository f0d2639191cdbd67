/*
 * host_element.h: blocks of members on the host; included by host.c once for each type (method/elements_each.h).
 * A vector has as many members as 32 bytes hold, and VECTORS of them are a block:
 *
 *   take_block        the members' values side by side, brought to size 1 where squares might leave the range
 *   factor_steps      the steps of the factorization
 *   take_side         one right-hand side of each member, likewise
 *   substitute_steps  the steps of a substitution
 *   find_residual     r = b - A x, and the norms of r, x and A
 *   solve_block       a block's right-hand sides, from the caller's array and back
 */
#define VECTOR  NAME(vector)
#define VECTORS ((int)(W * sizeof(REAL) / 32))
#define LENGTH  ((int)(32 / sizeof(REAL)))

typedef REAL VECTOR __attribute__((vector_size(32), aligned(32), may_alias));
typedef BITS NAME(bits) __attribute__((vector_size(32), aligned(32), may_alias));

/* ---- one number of each member ---- */

typedef struct NAME(numbers) {
    VECTOR x[VECTORS];
#if COMPLEX
    VECTOR y[VECTORS];
#endif
} NAME(numbers);
#define NUMBERS NAME(numbers)

#if COMPLEX
#define EACH_LESS_PRODUCT(a, l, u)                                                                                     \
    for (int v = 0; v < VECTORS; v++) {                                                                                \
        (a).x[v] = (a).x[v] - (l).x[v] * (u).x[v] + (l).y[v] * (u).y[v];                                               \
        (a).y[v] = (a).y[v] - (l).x[v] * (u).y[v] - (l).y[v] * (u).x[v];                                               \
    }
#define EACH_TIMES(a, d)                                                                                               \
    for (int v = 0; v < VECTORS; v++) {                                                                                \
        const VECTOR x_ = (a).x[v];                                                                                    \
        (a).x[v] = x_ * (d).x[v] - (a).y[v] * (d).y[v];                                                                \
        (a).y[v] = x_ * (d).y[v] + (a).y[v] * (d).x[v];                                                                \
    }
#define EACH_INVERSE(a)                                                                                                \
    for (int v = 0; v < VECTORS; v++) {                                                                                \
        const VECTOR d_ = (a).x[v] * (a).x[v] + (a).y[v] * (a).y[v];                                                   \
        (a).x[v] = (a).x[v] / d_;                                                                                      \
        (a).y[v] = -(a).y[v] / d_;                                                                                     \
    }
#define EACH_PLUS(a, b)                                                                                                \
    for (int v = 0; v < VECTORS; v++) {                                                                                \
        (a).x[v] += (b).x[v];                                                                                          \
        (a).y[v] += (b).y[v];                                                                                          \
    }
#else
#define EACH_LESS_PRODUCT(a, l, u)                                                                                     \
    for (int v = 0; v < VECTORS; v++) (a).x[v] -= (l).x[v] * (u).x[v]
#define EACH_TIMES(a, d)                                                                                               \
    for (int v = 0; v < VECTORS; v++) (a).x[v] *= (d).x[v]
#define EACH_INVERSE(a)                                                                                                \
    for (int v = 0; v < VECTORS; v++) (a).x[v] = 1 / (a).x[v]
#define EACH_PLUS(a, b)                                                                                                \
    for (int v = 0; v < VECTORS; v++) (a).x[v] += (b).x[v]
#endif

/* Part p of member w. */
static inline REAL *NAME(part_of)(NUMBERS *a, int p, int w) {
    return (REAL *)a + p * W + w;
}

/* ---- values ---- */

/*
 * A member's numbers are multiplied by a power of two where they are so large or small that products of two might leave
 * the range. Returns the exponent that was taken out. `most`: the largest part.
 */
static inline int NAME(exponent_of)(REAL most) {
    const int plain = sizeof(REAL) == 8 ? 200 : 20;
    if (!(most > 0)) return 0;
    const int e = ilogb((double)most);
    return e > plain || e < -plain ? e : 0;
}

CLS_RARE
static void NAME(scale_member)(NUMBERS *a, int64_t count, int w, int exponent) {
    for (int64_t k = 0; k < count; k++)
        for (int p = 0; p < PARTS; p++) {
            REAL *part = NAME(part_of)(a + k, p, w);
            *part = (REAL)ldexp((double)*part, exponent);
        }
}

/* The caller's entries that make up entry e of a member. */
static inline void NAME(sum_entry)(const job *j, const REAL *from, int64_t e, REAL *sum) {
    const cls_sparse_plan *plan = j->batch->plan;
    for (int p = 0; p < PARTS; p++) sum[p] = 0;
    for (int32_t k = plan->first[e]; k < plan->first[e + 1]; k++)
        for (int p = 0; p < PARTS; p++) sum[p] += from[plan->given[k] * j->step * PARTS + p];
}

/* Parts of eight arrays side by side: number k of array w is from[w][k * step], for `count` numbers. */
static void NAME(gather)(const REAL *const *from, int64_t step, int64_t count, NUMBERS *to) {
    const REAL *const f0 = from[0], *const f1 = from[1], *const f2 = from[2], *const f3 = from[3];
    const REAL *const f4 = from[4], *const f5 = from[5], *const f6 = from[6], *const f7 = from[7];
    for (int64_t k = 0; k < count; k++)
        for (int p = 0; p < PARTS; p++) {
            REAL *const t = NAME(part_of)(to + k, p, 0);
            const int64_t at = k * step * PARTS + p;
            t[0] = f0[at], t[1] = f1[at], t[2] = f2[at], t[3] = f3[at];
            t[4] = f4[at], t[5] = f5[at], t[6] = f6[at], t[7] = f7[at];
        }
}

/* The largest part of each member, and whether all are finite. */
CLS_CLONES
static void NAME(examine)(const NUMBERS *a, int64_t count, REAL *most, REAL *naught) {
    REAL largest[W] = {0}, sum[W] = {0};
    const REAL *part = (const REAL *)a;
    for (int64_t k = 0; k < count * PARTS; k++)
        for (int w = 0; w < W; w++) {
            const REAL x = part[k * W + w], size = ABSOLUTE(x);
            sum[w] += 0 * x;
            largest[w] = size > largest[w] ? size : largest[w];
        }
    for (int w = 0; w < W; w++) {
        most[w] = largest[w];
        naught[w] = sum[w];
    }
}

/* Values of the block's members; one that is not there is like the first one. */
static void NAME(take_block)(const job *j, int64_t block, NUMBERS *a) {
    const cls_sparse_plan *plan = j->batch->plan;
    const int64_t entries = plan->A.entries, first = block * W;
    const REAL *from[W];
    REAL most[W], naught[W], sum[2];
    for (int w = 0; w < W; w++) from[w] = (const REAL *)member_at(j, first + w < j->count ? first + w : first);
    if (!plan->first) NAME(gather)(from, j->step, entries, a);
    for (int64_t e = 0; e < entries && plan->first; e++)
        for (int w = 0; w < W; w++) {
            NAME(sum_entry)(j, from[w], e, sum);
            for (int p = 0; p < PARTS; p++) *NAME(part_of)(a + e, p, w) = sum[p];
        }
    NAME(examine)(a, entries, most, naught);
    for (int w = 0; w < W && first + w < j->count; w++) {
        const int e = naught[w] == 0 ? NAME(exponent_of)(most[w]) : 0;
        if (e != 0) NAME(scale_member)(a, entries, w, -e);
        j->exponents[first + w] = e;
        j->states[first + w] = naught[w] == 0 ? CLS_MEMBER_DONE : CLS_MEMBER_NOT_FINITE;
    }
}

/* ---- steps ---- */

CLS_CLONES
static void NAME(factor_steps)(const cls_plan_steps *steps, const NUMBERS *a, NUMBERS *lu) {
    const int32_t *pair = steps->pair;
    for (int64_t t = 0; t < steps->count; t++) {
        const int32_t *step = steps->step + t * CLS_STEP_FIELDS;
        const int32_t diagonal = step[CLS_STEP_DIAGONAL], end = step[CLS_STEP_FIELDS + CLS_STEP_BEGIN];
        NUMBERS sum = {0};
        if (step[CLS_STEP_FROM] >= 0) sum = a[step[CLS_STEP_FROM]];
        for (int64_t k = step[CLS_STEP_BEGIN]; k < end; k++)
            EACH_LESS_PRODUCT(sum, lu[pair[2 * k]], lu[pair[2 * k + 1]]);
        if (diagonal >= 0) EACH_TIMES(sum, lu[diagonal]);
        if (diagonal == CLS_STEP_PIVOT) EACH_INVERSE(sum);
        lu[step[CLS_STEP_TO]] = sum;
    }
}

/* done: room for a number of each position. The result is added to x. */
CLS_CLONES
static void NAME(substitute_steps)(const cls_plan_steps *steps, const NUMBERS *lu, const NUMBERS *r, NUMBERS *done,
                                   NUMBERS *x) {
    const int32_t *pair = steps->pair;
    for (int64_t t = 0; t < steps->count; t++) {
        const int32_t *step = steps->step + t * CLS_STEP_FIELDS;
        const int32_t from = step[CLS_STEP_FROM], into = step[CLS_STEP_INTO], diagonal = step[CLS_STEP_DIAGONAL];
        const int32_t end = step[CLS_STEP_FIELDS + CLS_STEP_BEGIN];
        NUMBERS sum = from >= 0 ? r[from] : done[step[CLS_STEP_TO]];
        for (int64_t k = step[CLS_STEP_BEGIN]; k < end; k++)
            EACH_LESS_PRODUCT(sum, lu[pair[2 * k]], done[pair[2 * k + 1]]);
        if (diagonal >= 0) EACH_TIMES(sum, lu[diagonal]);
        done[step[CLS_STEP_TO]] = sum;
        if (into >= 0) EACH_PLUS(x[into], sum);
    }
}

/* Pivots that are zero, or so small that the inverse is not finite. */
static void NAME(check_pivots)(const job *j, int64_t block, NUMBERS *lu) {
    const cls_sparse_plan *plan = j->batch->plan;
    REAL naught[W] = {0};
    for (int64_t k = 0; k < plan->A.n; k++)
        for (int p = 0; p < PARTS; p++)
            for (int w = 0; w < W; w++) naught[w] += 0 * *NAME(part_of)(lu + plan->diagonal[k], p, w);
    for (int64_t m = block * W; m < (block + 1) * W && m < j->count; m++)
        if (j->states[m] == CLS_MEMBER_DONE && !(naught[m % W] == 0)) j->states[m] = CLS_MEMBER_AGAIN;
}

static void NAME(factor_block)(const job *j, int64_t block) {
    const cls_sparse_plan *plan = j->batch->plan;
    NUMBERS *a = (NUMBERS *)j->batch->A + block * plan->A.entries, *lu = (NUMBERS *)j->batch->LU + block * plan->slots;
    NAME(take_block)(j, block, a);
    NAME(factor_steps)(&j->batch->sorted[0], a, lu);
    NAME(check_pivots)(j, block, lu);
}

/* ---- right-hand sides ---- */

typedef struct NAME(norms) {
    REAL A[W], b[W], x[W], r[W];
} NAME(norms);

/* n numbers each; before: x before a step of refinement, v: of substitutions. */
typedef struct NAME(room) {
    NUMBERS *b, *r, *v, *before;
} NAME(room);

/* *sizes = |a|, of vector v; *most becomes the larger of both, and stays NaN. */
#if COMPLEX
#define TAKE_SIZES(a, v, sizes)                                                                                        \
    do {                                                                                                               \
        *(sizes) = (a).x[v] * (a).x[v] + (a).y[v] * (a).y[v];                                                          \
        for (int k_ = 0; k_ < LENGTH; k_++) (*(sizes))[k_] = (REAL)sqrt((double)(*(sizes))[k_]);                       \
    } while (0)
#else
#define TAKE_SIZES(a, v, sizes)                                                                                        \
    do {                                                                                                               \
        const NAME(bits) sign_ = (a).x[v] < 0;                                                                         \
        *(sizes) = (VECTOR)(((NAME(bits))(a).x[v] & ~sign_) | ((NAME(bits))(-(a).x[v]) & sign_));                      \
    } while (0)
#endif
#define TAKE_LARGER(most, sizes)                                                                                       \
    do {                                                                                                               \
        const NAME(bits) second_ = ~(*(sizes) <= *(most)) & (*(most) == *(most));                                      \
        *(most) = (VECTOR)(((NAME(bits)) * (most) & ~second_) | ((NAME(bits)) * (sizes)&second_));                     \
    } while (0)

CLS_CLONES
static void NAME(find_residual)(const cls_plan_rows *rows, int64_t n, const NUMBERS *a, const NUMBERS *b,
                                const NUMBERS *x, NUMBERS *r, NAME(norms) * norms) {
    VECTOR most_A[VECTORS] = {{0}}, most_x[VECTORS] = {{0}}, most_r[VECTORS] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        NUMBERS sum = b[i];
        VECTOR sizes[VECTORS] = {{0}}, size;
        const int64_t end = rows->start[i + 1];
        for (int64_t first = rows->start[i]; first < end; first += CLS_BATCH_PIECE) {
            const int64_t last = first + CLS_BATCH_PIECE < end ? first + CLS_BATCH_PIECE : end;
            NUMBERS part = {0};
            for (int64_t k = first; k < last; k++) {
                const NUMBERS *entry = a + rows->entry[k];
                EACH_LESS_PRODUCT(part, *entry, x[rows->column[k]]);
                for (int v = 0; v < VECTORS; v++) {
                    TAKE_SIZES(*entry, v, &size);
                    sizes[v] += size;
                }
            }
            EACH_PLUS(sum, part);
        }
        r[i] = sum;
        for (int v = 0; v < VECTORS; v++) {
            TAKE_LARGER(&most_A[v], &sizes[v]);
            TAKE_SIZES(x[i], v, &size);
            TAKE_LARGER(&most_x[v], &size);
            TAKE_SIZES(sum, v, &size);
            TAKE_LARGER(&most_r[v], &size);
        }
    }
    for (int w = 0; w < W; w++) {
        norms->A[w] = most_A[w / LENGTH][w % LENGTH];
        norms->x[w] = most_x[w / LENGTH][w % LENGTH];
        norms->r[w] = most_r[w / LENGTH][w % LENGTH];
    }
}

/* Side `side` of the block's members, and at most their norms; exponents are taken out. A member that has no side, or
 * is not DONE, has one of another: its solution goes nowhere. */
static void NAME(take_side)(const job *j, int64_t block, int64_t side, NUMBERS *b, NAME(norms) * norms, int *exponents,
                            int32_t *states) {
    const int64_t n = j->batch->plan->A.n, first = block * W;
    const REAL *from[W];
    REAL most[W], naught[W];
    for (int w = 0; w < W; w++) {
        const int64_t m = first + w < j->count ? first + w : first;
        from[w] = (const REAL *)member_at(j, m) + side * j->across * PARTS;
    }
    NAME(gather)(from, j->step, n, b);
    for (int64_t i = 0; i < n && PARTS == 2 && j->op == CLSOLVE_CONJ_TRANS; i++)
        for (int w = 0; w < W; w++) *NAME(part_of)(b + i, PARTS - 1, w) *= -1;
    NAME(examine)(b, n, most, naught);
    for (int w = 0; w < W; w++) {
        exponents[w] = naught[w] == 0 ? NAME(exponent_of)(most[w]) : 0;
        if (states[w] == CLS_MEMBER_DONE && !(naught[w] == 0)) states[w] = CLS_MEMBER_NOT_FINITE;
        if (exponents[w] != 0) NAME(scale_member)(b, n, w, -exponents[w]);
        norms->b[w] = (REAL)ldexp((double)most[w], -exponents[w]);
    }
}

/* Members that are better than before, and not good enough, go on. 1: there are some. */
static int NAME(judge)(const job *j, const NAME(norms) * norms, int step, double *errors, int *working,
                       int32_t *states) {
    int more = 0;
    for (int w = 0; w < W; w++) {
        if (!working[w]) continue;
        const double below = (double)norms->A[w] * (double)norms->x[w] + (double)norms->b[w];
        const double error = norms->r[w] == 0 ? 0 : (double)norms->r[w] / below, before = errors[w];
        errors[w] = error;
        working[w] = !(error <= j->promised);
        if (!working[w]) continue;
        if (error != error || step == CLS_SPARSE_STEPS || (step > 0 && !(error <= 0.5 * before))) {
            states[w] = CLS_MEMBER_AGAIN;
            working[w] = 0;
        }
        more |= working[w];
    }
    return more;
}

/* The side's solutions in x, which other members than `working` keep. */
static void NAME(solve_side)(const job *j, int64_t block, const NAME(room) * room, NUMBERS *x, NAME(norms) * norms,
                             int32_t *states, outcome *of) {
    const cls_sparse_plan *plan = j->batch->plan;
    const int across = j->op != CLSOLVE_NO_TRANS;
    const NUMBERS *a = (const NUMBERS *)j->batch->A + block * plan->A.entries;
    const NUMBERS *lu = (const NUMBERS *)j->batch->LU + block * plan->slots;
    const NUMBERS *r = room->b;
    double errors[W] = {0};
    int working[W], more = 1;
    for (int w = 0; w < W; w++) working[w] = states[w] == CLS_MEMBER_DONE;
    memset(x, 0, (size_t)plan->A.n * sizeof *x);
    for (int step = 0; more; step++) {
        if (step > 0) memcpy(room->before, x, (size_t)plan->A.n * sizeof *x);
        NAME(substitute_steps)(&j->batch->sorted[1 + across], lu, r, room->v, x);
        for (int w = 0; w < W && step > 0; w++)
            if (!working[w])
                for (int64_t i = 0; i < plan->A.n; i++)
                    for (int p = 0; p < PARTS; p++)
                        *NAME(part_of)(x + i, p, w) = *NAME(part_of)(room->before + i, p, w);
        NAME(find_residual)(&plan->rows[across], plan->A.n, a, room->b, x, room->r, norms);
        more = NAME(judge)(j, norms, step, errors, working, states);
        if (step > of->iterations) of->iterations = step;
        r = room->r;
    }
    for (int w = 0; w < W; w++)
        if (states[w] == CLS_MEMBER_DONE && errors[w] > of->backward_error) of->backward_error = errors[w];
}

/* Solutions of member m go to the caller. 0: a part would leave the range, or all are below that of normal numbers. */
static int NAME(put_member)(const job *j, int64_t m, NUMBERS *x, int exponent, REAL *to, int write) {
    const int w = (int)(m % W);
    REAL most = 0;
    int finite = 1, some = 0;
    for (int64_t i = 0; i < j->batch->plan->A.n; i++)
        for (int p = 0; p < PARTS; p++) {
            REAL part = *NAME(part_of)(x + i, p, w);
            some |= part != 0;
            if (exponent != 0) part = (REAL)ldexp((double)part, exponent);
            if (p == 1 && j->op == CLSOLVE_CONJ_TRANS) part = -part;
            finite &= 0 * part == 0;
            if (fabs((double)part) > (double)most) most = (REAL)fabs((double)part);
            if (write) to[i * j->step * PARTS + p] = part;
        }
    return finite && (!some || most >= LEAST);
}

/* All sides of a block; the caller's arrays change when all are known. */
static void NAME(solve_block)(const job *j, int64_t block, char *memory, outcome *of) {
    const int64_t n = j->batch->plan->A.n, first = block * W;
    NUMBERS *const at = (NUMBERS *)memory;
    const NAME(room) room = {at, at + n, at + 2 * n, at + 3 * n};
    NUMBERS *const X = at + 4 * n;
    NAME(norms) norms;
    int32_t states[W];
    int *const exponents = (int *)(X + j->sides * n);
    for (int w = 0; w < W; w++)
        states[w] = first + w < j->count && j->infos[first + w] == 0 ? j->outcomes[first + w] : CLS_MEMBER_NOT_FINITE;
    for (int64_t side = 0; side < j->sides; side++) {
        NAME(take_side)(j, block, side, room.b, &norms, exponents + side * W, states);
        NAME(solve_side)(j, block, &room, X + side * n, &norms, states, of);
    }
    for (int64_t m = first; m < first + W && m < j->count; m++) {
        for (int write = 0; write < 2; write++)
            for (int64_t side = 0; side < j->sides && states[m % W] == CLS_MEMBER_DONE; side++)
                if (!NAME(put_member)(j, m, X + side * n,
                                      exponents[side * W + m % W] - (j->of_quotient ? 0 : j->exponents[m]),
                                      (REAL *)member_at(j, m) + side * j->across * PARTS, write))
                    states[m % W] = CLS_MEMBER_AGAIN;
        j->states[m] = states[m % W];
    }
}

static void NAME(do_block)(const job *j, int64_t block, char *memory, outcome *of) {
    if (j->solve)
        NAME(solve_block)(j, block, memory, of);
    else
        NAME(factor_block)(j, block);
}

/* Member m's values, tight. */
static void NAME(values_of)(const cls_sparse_batch *batch, int64_t m, REAL *value) {
    const int64_t entries = batch->plan->A.entries;
    NUMBERS *a = (NUMBERS *)batch->A + m / W * entries;
    for (int64_t e = 0; e < entries; e++)
        for (int p = 0; p < PARTS; p++) value[e * PARTS + p] = *NAME(part_of)(a + e, p, (int)(m % W));
}

/* The inverses of member m's pivots. */
static void NAME(pivots_of)(const cls_sparse_batch *batch, int64_t m, double *pivots) {
    const cls_sparse_plan *plan = batch->plan;
    NUMBERS *lu = (NUMBERS *)batch->LU + m / W * plan->slots;
    for (int64_t k = 0; k < plan->A.n; k++)
        for (int p = 0; p < PARTS; p++)
            pivots[k * PARTS + p] = (double)*NAME(part_of)(lu + plan->diagonal[k], p, (int)(m % W));
}

#undef EACH_LESS_PRODUCT
#undef EACH_TIMES
#undef EACH_INVERSE
#undef EACH_PLUS
#undef TAKE_SIZES
#undef TAKE_LARGER
#undef NUMBERS
#undef VECTOR
#undef VECTORS
#undef LENGTH
