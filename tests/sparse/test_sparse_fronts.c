/*
 * Fronts: the factors are those of the permuted and scaled matrix. Pivots are delayed where they must be. The bits are
 * the same for any number of threads.
 */
#include "base/pool.h"
#include "base/type.h"
#include "method/sparse/engine.h"
#include "method/fronts_host/product.h"
#include "method/fronts_host/product_wide.h"
#include "sparse/patterns.h"

static const clsolve_sparse_options general = {.engine = CLSOLVE_SPARSE_MULTIFRONTAL},
                                    unmatched = {.engine = CLSOLVE_SPARSE_MULTIFRONTAL, .matching = CLSOLVE_CHOICE_OFF},
                                    definite = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE},
                                    symmetric = {.form = CLSOLVE_SPARSE_SYMMETRIC},
                                    hermitian = {.form = CLSOLVE_SPARSE_HERMITIAN, .matching = CLSOLVE_CHOICE_OFF};

/* The factors point into the handle, which stays where it is. */
static void factor(const triplets *A, clsolve_type type, const clsolve_sparse_options *options, cls_sparse *sparse) {
    const csr_form form = {.type = type, .index = CLSOLVE_I32};
    cls_error error = {0};
    scratch_csr rows = csr_make(A, &form, NULL);
    if (cls_sparse_open(&error, "test", NULL, &rows.view, options, sparse) != CLSOLVE_OK ||
        cls_sparse_factor(&error, "test", &rows.view, sparse) != CLSOLVE_OK)
        fail_msg("%s", error.text);
}

static triplets make(pattern kind, int64_t n, clsolve_type type, const clsolve_sparse_options *options,
                     test_random *random) {
    triplets A = options->form == CLSOLVE_SPARSE_POSITIVE_DEFINITE
                     ? pattern_make_definite(kind, n, cls_is_complex(type), random)
                 : options->form != CLSOLVE_SPARSE_GENERAL
                     ? pattern_make_symmetric(kind, n, options->form, cls_is_complex(type), random)
                     : pattern_make(kind, n, random);
    triplets_round(&A, type);
    return A;
}

/* ---- products ---- */

static double complex of(int form, const double complex *A, int64_t ld, int64_t i, int64_t j) {
    const double complex x = form == CLS_PLAIN ? A[i + j * ld] : A[j + i * ld];
    return form == CLS_ADJOINT ? conj(x) : x;
}

static void take_part(const double complex *from, double *to, int64_t count) {
    for (int64_t k = 0; k < count; k++) to[k] = creal(from[k]);
}

static void put_part(const double *from, double complex *to, int64_t count) {
    for (int64_t k = 0; k < count; k++) to[k] = from[k];
}

/* lanes -1: the way that the CPU gets. 0: there is no such way. */
static int subtract(int lanes, int real, const int form[2], const int64_t size[3], int64_t ld, const double complex *A,
                    const double complex *B, double complex *C) {
    const int64_t m = size[0], n = size[1], k = size[2], count = ld * ld;
    const int64_t down = form[1] == CLS_PLAIN ? 1 : ld, across = form[1] == CLS_PLAIN ? ld : 1;
    const int conjugated = form[1] == CLS_ADJOINT;
    double *parts = real ? malloc((size_t)(3 * count) * sizeof *parts) : NULL, *a = parts, *b = a + count,
           *c = b + count;
    int done = 1;
    assert_true(!real || parts);
    if (!real && lanes < 0) cls_subtract_complex(form[0], form[1], m, n, k, A, ld, B, ld, C, ld);
    if (!real && lanes >= 0)
        done = cls_subtract_wide_complex(lanes, m, n, k, A, ld, B, down, across, conjugated, C, ld);
    if (!real) return done;
    take_part(A, a, count);
    take_part(B, b, count);
    take_part(C, c, count);
    if (lanes < 0) cls_subtract_real(form[0], form[1], m, n, k, a, ld, b, ld, c, ld);
    if (lanes >= 0) done = cls_subtract_wide_real(lanes, m, n, k, a, ld, b, down, across, conjugated, c, ld);
    put_part(c, C, count);
    free(parts);
    return done;
}

/* Nothing but the m x n elements of C changes, and these by op(A) op(B). */
static void check_product(int lanes, int real, const int form[2], const int64_t size[3], test_random *random) {
    enum { LD = 150 };
    const int64_t m = size[0], n = size[1], k = size[2], count = LD * LD;
    double complex *A = malloc(3 * (size_t)count * sizeof *A), *B = A + count, *C = B + count;
    double worst = 0;
    assert_non_null(A);
    for (int64_t e = 0; e < 2 * count; e++)
        A[e] = CMPLX(test_random_unit(random), real ? 0 : test_random_unit(random)) - CMPLX(0.5, real ? 0 : 0.5);
    for (int64_t e = 0; e < count; e++) C[e] = 1;
    if (subtract(lanes, real, form, size, LD, A, B, C))
        for (int64_t j = 0; j < LD; j++)
            for (int64_t i = 0; i < LD; i++) {
                double complex wanted = 1;
                for (int64_t l = 0; l < k && i < m && j < n; l++)
                    wanted -= of(form[0], A, LD, i, l) * of(form[1], B, LD, l, j);
                worst = test_worst(worst, cabs(C[i + j * LD] - wanted));
            }
    free(A);
    if (!(worst <= 4 * (double)k * test_epsilon(CLSOLVE_F64)))
        fail_msg("%d lanes, %d x %d x %d, forms %d %d: error %g", lanes, (int)m, (int)n, (int)k, form[0], form[1],
                 worst);
}

TEST(test_products) {
    static const int64_t sizes[][3] = {
        {1, 4, 1},    {3, 5, 129},  {7, 4, 5},   {8, 8, 8},   {9, 9, 9},   {15, 7, 33}, {16, 6, 17},  {23, 13, 40},
        {24, 12, 64}, {25, 11, 65}, {31, 15, 7}, {47, 70, 3}, {70, 17, 2}, {2, 3, 140}, {97, 33, 31}, {141, 140, 129}};
    static const int forms[][2] = {{CLS_PLAIN, CLS_PLAIN},
                                   {CLS_PLAIN, CLS_TRANSPOSED},
                                   {CLS_PLAIN, CLS_ADJOINT},
                                   {CLS_TRANSPOSED, CLS_PLAIN},
                                   {CLS_ADJOINT, CLS_PLAIN}};
    const int widest = cls_product_lanes();
    test_random random = test_random_start(6);
    (void)state;
    print_message("vectors of %d doubles\n", widest);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
            for (int real = 0; real < 2; real++) {
                check_product(-1, real, forms[f], sizes[s], &random);
                if (forms[f][0] != CLS_PLAIN || sizes[s][1] < 4) continue;
                for (int lanes = 0; lanes <= widest; lanes += 4)
                    check_product(lanes, real, forms[f], sizes[s], &random);
            }
}

/* ---- L U ---- */

/* L by row positions and steps, U by steps and column positions, both n x n and column-major. */
typedef struct triangles {
    int64_t n;
    double complex *L, *U;
} triangles;

static double complex element(const void *data, int64_t at, int64_t parts) {
    const double *x = data;
    return parts == 2 ? CMPLX(x[2 * at], x[2 * at + 1]) : x[at];
}

/* L D L^T: the block of order 1 or 2 with step t, where D stands among L; U becomes D L^T. */
static void take_block(const cls_sparse *sparse, int64_t s, int64_t t, int64_t step, triangles *to) {
    const cls_front *front = &sparse->factors.front[s];
    const int64_t n = to->n, m = front->m, parts = sparse->A.parts, second = cls_front_pairs(front, t) == 2;
    const int conjugated = cls_form_conjugates(sparse->factors.form);
    const double complex d = element(front->columns, t * (m + 1), parts);
    to->L[front->column[t] + step * n] = 1;
    if (cls_front_pairs(front, t) == 1) return; /* with the other one */
    for (int64_t i = 0; i < n; i++) {
        const double complex l = to->L[i + step * n], x = conjugated ? conj(l) : l;
        to->U[step + i * n] = d * x;
        if (!second) continue;
        const double complex before = to->L[i + (step - 1) * n], y = conjugated ? conj(before) : before;
        const double complex upper = element(front->columns, t - 1 + t * m, parts);
        to->U[step + i * n] += (conjugated ? conj(upper) : upper) * y;
        to->U[step - 1 + i * n] = element(front->columns, (t - 1) * (m + 1), parts) * y + upper * x;
    }
}

/* Step t of front s is step `step` of all. */
static void take_step(const cls_sparse *sparse, int64_t s, int64_t t, int64_t step, triangles *to) {
    const cls_front *front = &sparse->factors.front[s];
    const cls_symbolic *symbolic = &sparse->symbolic;
    const int64_t n = to->n, f = front->f, m = front->m, parts = sparse->A.parts;
    const int64_t *border = symbolic->border + symbolic->border_start[s],
                  *labels = sparse->factors.form == CLSOLVE_SPARSE_GENERAL ? front->row : front->column;
    for (int64_t i = t; i < m; i++) {
        const int64_t row = i < f ? labels[i] : border[i - f];
        const double complex value = element(front->columns, i + t * m, parts);
        to->L[row + step * n] = i == t && sparse->factors.form == CLSOLVE_SPARSE_GENERAL ? 1 : value;
        if (sparse->factors.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) to->U[step + row * n] = conj(value);
    }
    for (int64_t j = t; j < m && sparse->factors.form == CLSOLVE_SPARSE_GENERAL; j++) {
        const int64_t column = j < f ? front->column[j] : border[j - f];
        to->U[step + column * n] =
            j < f ? element(front->columns, t + j * m, parts) : element(front->rows, t + (j - f) * f, parts);
    }
    if (cls_form_is_ldl(sparse->factors.form)) take_block(sparse, s, t, step, to);
}

static double scale_of(const double *scale, int64_t k) {
    return scale ? scale[k] : 1;
}

/* max |P A Q - L U| / (n max |U| max |L| epsilon), A scaled. */
static double ratio_of(const cls_sparse *sparse, const triplets *A, const triangles *of) {
    const int64_t n = A->n, *place = sparse->symbolic.tree.place;
    double complex *R = test_room((n * n) + 1, sizeof *R);
    double of_l = 0, of_u = 0, worst = 0;
    for (int64_t e = 0; e < A->count; e++) {
        const entry *x = &A->at[e];
        const int64_t row = place[sparse->row_of ? sparse->row_of[x->row] : x->row];
        R[row + place[x->column] * n] =
            x->value * scale_of(sparse->row_scale, x->row) * scale_of(sparse->col_scale, x->column);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < n && of->U[k + j * n] != 0; i++)
                R[i + j * n] -= of->L[i + k * n] * of->U[k + j * n];
    for (int64_t k = 0; k < n * n; k++) {
        of_l = test_worst(of_l, cabs(of->L[k]));
        of_u = test_worst(of_u, cabs(of->U[k]));
        worst = test_worst(worst, cabs(R[k]));
    }
    free(R);
    return worst == 0 ? 0 : worst / ((double)n * of_l * of_u * test_epsilon(CLSOLVE_F64));
}

/* Returns the pivots that were delayed. */
static int64_t check_triplets(const triplets *A, clsolve_type type, const clsolve_sparse_options *options,
                              const char *name) {
    cls_sparse sparse;
    factor(A, type, options, &sparse);
    const int64_t n = A->n;
    triangles of = {n, calloc((size_t)(n * n) + 1, sizeof *of.L), calloc((size_t)(n * n) + 1, sizeof *of.U)};
    int64_t step = 0, delayed = 0;
    assert_true(of.L && of.U);
    for (int64_t s = 0; s < sparse.symbolic.tree.fronts; s++) {
        for (int64_t t = 0; t < sparse.factors.front[s].k; t++) take_step(&sparse, s, t, step++, &of);
        delayed += sparse.factors.front[s].f - sparse.factors.front[s].k;
    }
    assert_int_equal(step, n);
    assert_int_equal(delayed, sparse.analysis.delayed);
    const double ratio = ratio_of(&sparse, A, &of);
    if (!(ratio < RATIO_BOUND)) fail_msg("%s, n %d: ratio %g", name, (int)n, ratio);
    free(of.L);
    free(of.U);
    cls_sparse_close(&sparse);
    return delayed;
}

static void check_factors(pattern kind, int64_t size, clsolve_type type, const clsolve_sparse_options *options,
                          test_random *random) {
    scratch_triplets A = make(kind, size, type, options, random);
    (void)check_triplets(&A, type, options, pattern_names[kind]);
}

TEST(test_factors) {
    static const int64_t sizes[] = {1, 2, 3, 5, 33, 100, 150};
    test_random random = test_random_start(1);
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (clsolve_type type = CLSOLVE_F64; type <= CLSOLVE_C64; type = (clsolve_type)(type + 2)) {
                check_factors((pattern)kind, sizes[s], type, &general, &random);
                check_factors((pattern)kind, sizes[s], type, &unmatched, &random);
                check_factors((pattern)kind, sizes[s], type, &definite, &random);
                check_factors((pattern)kind, sizes[s], type, &symmetric, &random);
                check_factors((pattern)kind, sizes[s], type, &hermitian, &random);
            }
}

/*
 * The first front has two thirds of the columns, so that it is divided twice, and a border. Of its columns every fifth is
 * small there against its border, until others have been eliminated; a few are zero there, and go up. Of a symmetric matrix
 * the diagonal of the first half of the first front is zero, so that pivots of order 2 have a row far away.
 */
static triplets two_fronts(int64_t n, clsolve_type type, clsolve_sparse_form form, test_random *random) {
    const int is_definite = form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    const int64_t first = n / 3 * 2, second = n / 9;
    triplets A = {.n = n};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int apart =
                (i < first && j >= first && j < first + second) || (j < first && i >= first && i < first + second);
            const int zero = j % 50 == 3 || (form != CLSOLVE_SPARSE_GENERAL && i % 50 == 3);
            const double size = i >= first || j >= first ? 1 : zero ? 0 : j % 5 == 2 ? 0.004 : 1;
            const double complex x = CMPLX(test_random_unit(random) - 0.5, test_random_unit(random) - 0.5);
            const double complex value = cls_is_complex(type) ? x : creal(x);
            if (apart || (form != CLSOLVE_SPARSE_GENERAL && j > i)) continue;
            if (form == CLSOLVE_SPARSE_GENERAL)
                triplets_add(&A, i, j, size * value);
            else if (is_definite || i != j || i >= first || i > first / 2)
                triplets_add_both(&A, form, i, j, is_definite ? (i == j ? (double)n : value) : size * value);
        }
    triplets_sort(&A);
    triplets_round(&A, type);
    return A;
}

static void check_large(int64_t n, clsolve_type type, clsolve_sparse_form form, test_random *random) {
    const int is_definite = form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    static const clsolve_sparse_options natural = {.engine = CLSOLVE_SPARSE_MULTIFRONTAL,
                                                   .matching = CLSOLVE_CHOICE_OFF,
                                                   .order = CLSOLVE_ORDER_NATURAL,
                                                   .amalgamation = CLSOLVE_CHOICE_OFF},
                                        positive = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE,
                                                    .order = CLSOLVE_ORDER_NATURAL,
                                                    .amalgamation = CLSOLVE_CHOICE_OFF};
    clsolve_sparse_options options = is_definite ? positive : natural;
    options.form = form;
    scratch_triplets A = two_fronts(n, type, form, random);
    const int64_t delayed = check_triplets(&A, type, &options, "two fronts");
    if (is_definite)
        assert_int_equal(delayed, 0);
    else
        assert_true(delayed > (n / 3 * 2 - 4) / 50); /* columns of zeros at least */
}

TEST(test_large) {
    test_random random = test_random_start(7);
    (void)state;
    for (clsolve_sparse_form form = CLSOLVE_SPARSE_GENERAL; form <= CLSOLVE_SPARSE_HERMITIAN;
         form = (clsolve_sparse_form)(form + 1)) {
        check_large(120, CLSOLVE_F64, form, &random);
        check_large(450, CLSOLVE_F64, form, &random);
        check_large(200, CLSOLVE_C64, form, &random);
        check_large(420, CLSOLVE_C64, form, &random);
    }
}

/* ---- delayed pivots ---- */

/* The zero block of a saddle point comes first in the given order, so no pivot is there. */
static void check_delayed(clsolve_type type, clsolve_sparse_form form, test_random *random) {
    const int64_t n = 300;
    clsolve_sparse_options options = unmatched;
    options.form = form;
    scratch_triplets A = make(PATTERN_SADDLE, n, type, &options, random);
    int64_t order[300];
    double B[2 * 300], X[2 * 300];
    cls_error error = {0};
    for (int64_t k = 0; k < n; k++) order[k] = n - 1 - k;
    options.order = CLSOLVE_ORDER_GIVEN;
    options.permutation = order;
    cls_sparse sparse;
    factor(&A, type, &options, &sparse);
    assert_true(sparse.analysis.delayed > 50);
    for (clsolve_op op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; op++) {
        test_random_fill(random, B, test_numbers(type, n));
        memcpy(X, B, sizeof X);
        assert_int_equal(cls_sparse_solve(&error, "test", &sparse, op, X, 1), CLSOLVE_OK);
        assert_true(triplets_backward(&A, type, op, 1, B, X) <= triplets_bound(n, type));
        assert_int_equal(sparse.outcome.stricter, 0);
    }
    cls_sparse_close(&sparse);
}

TEST(test_delayed) {
    test_random random = test_random_start(2);
    for (clsolve_type type = CLSOLVE_F64; type <= CLSOLVE_C64; type = (clsolve_type)(type + 2)) {
        check_delayed(type, CLSOLVE_SPARSE_GENERAL, &random);
        check_delayed(type, CLSOLVE_SPARSE_SYMMETRIC, &random);
        check_delayed(type, CLSOLVE_SPARSE_HERMITIAN, &random);
    }
}

/* ---- stricter pivots ---- */

/* A grid whose diagonal is far below epsilon. Pivots there are allowed first, and the answer is worthless. */
static void check_stricter(clsolve_type type, clsolve_sparse_engine engine, test_random *random) {
    enum { ROWS = 64 };
    double B[2 * ROWS], X[2 * ROWS];
    cls_error error = {0};
    const clsolve_sparse_options options = {.engine = engine,
                                            .matching = CLSOLVE_CHOICE_OFF,
                                            .amalgamation = CLSOLVE_CHOICE_OFF,
                                            .threshold = 1e-20,
                                            .order = CLSOLVE_ORDER_AMD};
    scratch_triplets A = make(PATTERN_GRID2, ROWS, type, &general, random);
    for (int64_t e = 0; e < A.count; e++) A.at[e].value = 1 + test_random_unit(random);
    for (int64_t e = 0; e < A.count; e++)
        if (A.at[e].row == A.at[e].column) A.at[e].value *= 1e-17;
    cls_sparse sparse;
    factor(&A, type, &options, &sparse);
    test_random_fill(random, B, test_numbers(type, ROWS));
    memcpy(X, B, sizeof X);
    if (cls_sparse_solve(&error, "test", &sparse, CLSOLVE_NO_TRANS, X, 1) != CLSOLVE_OK) fail_msg("%s", error.text);
    assert_true(triplets_backward(&A, type, CLSOLVE_NO_TRANS, 1, B, X) <= triplets_bound(ROWS, type));
    assert_true(sparse.outcome.stricter > 0 && sparse.threshold >= 0.1);
    cls_sparse_close(&sparse);
}

TEST(test_stricter) {
    test_random random = test_random_start(5);
    for (clsolve_type type = CLSOLVE_F64; type <= CLSOLVE_C64; type = (clsolve_type)(type + 2)) {
        check_stricter(type, CLSOLVE_SPARSE_MULTIFRONTAL, &random);
        check_stricter(type, CLSOLVE_SPARSE_KLU, &random);
    }
}

/* ---- threads ---- */

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo). */
static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t k = 0; k < bytes; k++) hash = (hash ^ at[k]) * 0x100000001b3U;
    return hash;
}

static uint64_t hash_factors(const cls_factors *factors) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (int64_t s = 0; s < factors->symbolic->tree.fronts; s++) {
        const cls_front *front = &factors->front[s];
        const size_t element = (size_t)factors->parts * sizeof(double);
        const size_t labels = (size_t)front->f * sizeof *front->row;
        hash = hash_of(hash, &front->k, sizeof front->k);
        hash = hash_of(hash, front->row, labels);
        hash = hash_of(hash, front->column, labels);
        hash = hash_of(hash, front->columns, (size_t)(front->m * front->f) * element);
        if (factors->form == CLSOLVE_SPARSE_GENERAL)
            hash = hash_of(hash, front->rows, (size_t)(front->f * (front->m - front->f)) * element);
    }
    return hash;
}

static void check_threads(pattern kind, int64_t n, clsolve_type type, const clsolve_sparse_options *options,
                          double least, test_random *random) {
    scratch_triplets A = make(kind, n, type, options, random);
    clsolve_sparse_options alone = *options;
    alone.threads = 1;
    cls_sparse sparse;
    factor(&A, type, &alone, &sparse);
    const uint64_t wanted = hash_factors(&sparse.factors);
    const double *values = sparse.scaled ? sparse.scaled : sparse.A.value;
    assert_true(sparse.analysis.operations > least);
    for (int threads = 2; threads <= 5; threads++) {
        cls_pool *pool = cls_pool_create(threads - 1);
        assert_non_null(pool);
        assert_int_equal(cls_factors_run(&sparse.factors, values, sparse.threshold, pool, threads), CLSOLVE_OK);
        assert_true(hash_factors(&sparse.factors) == wanted);
        cls_pool_destroy(pool);
    }
    cls_sparse_close(&sparse);
    factor(&A, type, options, &sparse);
    assert_true(hash_factors(&sparse.factors) == wanted);
    cls_sparse_close(&sparse);
}

TEST(test_threads) {
    test_random random = test_random_start(3);
    check_threads(PATTERN_GRID3, 2197, CLSOLVE_F64, &general, 2e7, &random);
    check_threads(PATTERN_GRID3, 1000, CLSOLVE_C64, &general, 0, &random);
    check_threads(PATTERN_GRID3, 2744, CLSOLVE_F64, &definite, 2e7, &random);
    check_threads(PATTERN_GRID3, 1000, CLSOLVE_C64, &definite, 0, &random);
    check_threads(PATTERN_SADDLE, 2000, CLSOLVE_F64, &unmatched, 0, &random);
    check_threads(PATTERN_GRID3, 2744, CLSOLVE_F64, &symmetric, 2e7, &random);
    check_threads(PATTERN_SADDLE, 2000, CLSOLVE_C64, &symmetric, 0, &random);
    check_threads(PATTERN_GRID3, 1000, CLSOLVE_C64, &hermitian, 0, &random);
    check_threads(PATTERN_DISCONNECTED, 3000, CLSOLVE_F64, &general, 0, &random);
    check_threads(PATTERN_GRID3, 13824, CLSOLVE_F64, &general, 1e9, &random); /* fronts of more than 512 rows */
}

/* Orders at the edge where METIS pays, and solutions of many right-hand sides: the same bits from one thread as from all. */
TEST(test_whole) {
    enum { SIDES = 40 };
    test_random random = test_random_start(5);
    for (int64_t edge = 20; edge <= 26; edge += 2) {
        clsolve_sparse_options alone = general;
        alone.threads = 1;
        scratch_triplets A = make(PATTERN_GRID3, edge * edge * edge, CLSOLVE_F64, &general, &random);
        const int64_t count = A.n * SIDES;
        uint64_t hash[2];
        SCRATCH double *x = malloc((size_t)count * sizeof *x);
        assert_non_null(x);
        for (int all = 0; all < 2; all++) {
            cls_error error = {""};
            cls_sparse sparse;
            factor(&A, CLSOLVE_F64, all ? &general : &alone, &sparse);
            for (int64_t k = 0; k < count; k++) x[k] = (double)(k % 17);
            assert_int_equal(cls_sparse_solve(&error, "solve", &sparse, CLSOLVE_NO_TRANS, x, SIDES), CLSOLVE_OK);
            hash[all] = hash_of(hash_factors(&sparse.factors), x, (size_t)count * sizeof *x);
            cls_sparse_close(&sparse);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Where several pivots are missing the first one is reported, by any number of threads. */
TEST(test_first_failure) {
    test_random random = test_random_start(4);
    for (int turn = 0; turn < 40; turn++) {
        scratch_triplets A =
            make(turn % 2 ? PATTERN_GRID2 : PATTERN_DISCONNECTED, 400, CLSOLVE_F64, &definite, &random);
        cls_sparse sparse;
        factor(&A, CLSOLVE_F64, &definite, &sparse);
        for (int64_t e = 0; e < sparse.A.entries; e++)
            if (test_random_unit(&random) < 0.004) sparse.A.value[e] = -100;
        const clsolve_status wanted = cls_factors_run(&sparse.factors, sparse.A.value, 0.1, NULL, 1);
        const int64_t column = sparse.factors.zero_column;
        for (int threads = 2; threads <= 4; threads++) {
            cls_pool *pool = cls_pool_create(threads - 1);
            assert_int_equal(cls_factors_run(&sparse.factors, sparse.A.value, 0.1, pool, threads), wanted);
            assert_int_equal(sparse.factors.zero_column, column);
            cls_pool_destroy(pool);
        }
        cls_sparse_close(&sparse);
    }
}

TEST_PROGRAM_ALONE(NULL, NULL)
