/*
 * Slabs of lines: a grid cut into slabs, whose ghost lines the test carries from one to the other, does what a plain loop and
 * what one slab of the whole grid do. Each cut of a small grid has ends of either colour, slabs of one line and empty ones.
 */
#include "base/type.h"
#include "block_gs/complex_problem.h"
#include "block_gs/grid_test.h"

enum { MOST = 4, LEVELS = 8 };

/* A system in double, or in complex double: then each element is two numbers of these arrays. */
typedef struct slab_system {
    clsolve_type type;
    int64_t N, M, parts;                  /* parts: numbers of an element */
    double *q[5], *F;                     /* up, a, c, b, down */
    const grid_problem *plain;            /* NULL, or the one that it was made from */
    const complex_problem *complex_plain; /* likewise */
} slab_system;

static slab_system real_system(const grid_problem *p) {
    return (slab_system){CLSOLVE_F64, p->N, p->M, 1, {p->up, p->a, p->c, p->b, p->down}, p->F, p, NULL};
}

static slab_system complex_system(const complex_problem *p) {
    static const int order[5] = {UP, A, C, B, DOWN};
    slab_system s = {.type = CLSOLVE_C64, .N = p->N, .M = p->M, .parts = 2, .F = (double *)p->F, .complex_plain = p};
    for (int a = 0; a < 5; ++a) s.q[a] = (double *)p->q[order[a]];
    return s;
}

/* A level of the grid, in `parts` slabs. */
typedef struct level {
    clsolve_type type;
    int parts;
    int64_t N, M, width, ends[MOST + 1]; /* width: numbers of a line */
    clsolve_grid_slab *slabs[MOST];
} level;

static clsolve_grid_slab *slab_of(const level *l, int64_t line) {
    for (int p = 0; p < l->parts; ++p)
        if (line >= l->ends[p] && line < l->ends[p + 1]) return l->slabs[p];
    fail_msg("line %d is on no slab", (int)line);
    return NULL;
}

/* The ghost lines of Y that the colour has. */
static void exchange(const level *l, int colour) {
    SCRATCH double *line = zeros(l->width);
    for (int p = 0; p < l->parts; ++p) {
        const int64_t ghosts[2] = {l->ends[p] - 1, l->ends[p + 1]};
        for (int g = 0; g < 2 && l->ends[p] < l->ends[p + 1]; ++g) {
            if (ghosts[g] < 0 || ghosts[g] >= l->N || ghosts[g] % 2 != colour) continue;
            EXPECT(clsolve_grid_slab_get(slab_of(l, ghosts[g]), CLSOLVE_GRID_SLAB_Y, ghosts[g], 1, line), CLSOLVE_OK,
                   "");
            EXPECT(clsolve_grid_slab_put(l->slabs[p], CLSOLVE_GRID_SLAB_Y, ghosts[g], 1, line), CLSOLVE_OK, "");
        }
    }
}

static void half_sweep(const level *l, int colour, int zero) {
    for (int p = 0; p < l->parts; ++p) EXPECT(clsolve_grid_slab_half_sweep(l->slabs[p], colour, zero), CLSOLVE_OK, "");
    exchange(l, colour);
}

static void put(const level *l, clsolve_grid_slab_vector v, const double *values) {
    for (int p = 0; p < l->parts; ++p) {
        const int64_t first = l->ends[p] > 0 ? l->ends[p] - 1 : 0;
        const int64_t end = l->ends[p + 1] < l->N ? l->ends[p + 1] + 1 : l->N;
        const int empty = l->ends[p] == l->ends[p + 1];
        EXPECT(clsolve_grid_slab_put(l->slabs[p], v, first, empty ? 0 : end - first, values + first * l->width),
               CLSOLVE_OK, "");
    }
}

static void get(const level *l, clsolve_grid_slab_vector v, double *values) {
    for (int p = 0; p < l->parts; ++p)
        EXPECT(clsolve_grid_slab_get(l->slabs[p], v, l->ends[p], l->ends[p + 1] - l->ends[p],
                                     values + l->ends[p] * l->width),
               CLSOLVE_OK, "");
}

/* The coefficients of own and ghost lines, from arrays of the whole grid; the factors. Returns what all slabs are. */
static int set(const level *l, double *const q[5]) {
    int all = ~0;
    for (int p = 0; p < l->parts; ++p) {
        const int empty = l->ends[p] == l->ends[p + 1];
        const int64_t first = l->ends[p] > 0 ? l->ends[p] - 1 : 0, o = first * l->width;
        const int64_t end = l->ends[p + 1] < l->N ? l->ends[p + 1] + 1 : l->N;
        int32_t symmetric = 0;
        EXPECT(clsolve_grid_slab_put_coefficients(l->slabs[p], first, empty ? 0 : end - first, q[0] + o, q[1] + o,
                                                  q[2] + o, q[3] + o, q[4] + o),
               CLSOLVE_OK, "");
        EXPECT(clsolve_grid_slab_factor(l->slabs[p], &symmetric), CLSOLVE_OK, "");
        all &= symmetric;
    }
    return all;
}

static level level_create(const slab_system *s, int parts, const int64_t ends[MOST + 1]) {
    level l = {.type = s->type, .parts = parts, .N = s->N, .M = s->M, .width = s->M * s->parts};
    memcpy(l.ends, ends, sizeof l.ends);
    for (int p = 0; p < parts; ++p)
        EXPECT(clsolve_grid_slab_create(context, s->N, s->M, ends[p], ends[p + 1] - ends[p], s->type, &l.slabs[p]),
               CLSOLVE_OK, "");
    return l;
}

static void level_free(level *l) {
    for (int p = 0; p < l->parts; ++p) clsolve_grid_slab_destroy(l->slabs[p]);
}

/* The next level; *q receives its coefficients. */
static level coarsen(const level *fine, int symmetric, double *q[5]) {
    level l = {.type = fine->type, .parts = fine->parts, .N = fine->N / 2, .M = fine->M, .width = fine->width};
    for (int p = 0; p <= fine->parts; ++p) l.ends[p] = fine->ends[p] / 2;
    for (int a = 0; a < 5; ++a) q[a] = zeros(l.N * l.width);
    for (int p = 0; p < l.parts; ++p) {
        const int64_t o = l.ends[p] * l.width;
        EXPECT(clsolve_grid_slab_coarsen(fine->slabs[p], symmetric, &l.slabs[p]), CLSOLVE_OK, "");
        EXPECT(clsolve_grid_slab_get_coefficients(l.slabs[p], l.ends[p], l.ends[p + 1] - l.ends[p], q[0] + o, q[1] + o,
                                                  q[2] + o, q[3] + o, q[4] + o),
               CLSOLVE_OK, "");
    }
    (void)set(&l, q);
    return l;
}

static void near(const double *x, const double *y, int64_t count, const char *what) {
    double most = 0;
    for (int64_t i = 0; i < count; ++i) most = fmax(most, fabs(y[i]));
    for (int64_t i = 0; i < count; ++i)
        if (!(fabs(x[i] - y[i]) <= 1e-11 * (1 + most)))
            fail_msg("%s: element %d is %.17g instead of %.17g", what, (int)i, x[i], y[i]);
}

/* Two sweeps of Y, whose ghost lines are known; then R. */
static void swept(const slab_system *s, int parts, const int64_t ends[MOST + 1], double *Y, double *R) {
    SCRATCH_BY(level_free) level l = level_create(s, parts, ends);
    (void)set(&l, s->q);
    put(&l, CLSOLVE_GRID_SLAB_F, s->F);
    put(&l, CLSOLVE_GRID_SLAB_Y, Y);
    for (int sweep = 0; sweep < 2; ++sweep)
        for (int colour = 0; colour < 2; ++colour) half_sweep(&l, colour, 0);
    get(&l, CLSOLVE_GRID_SLAB_Y, Y);
    for (int k = 0; k < parts; ++k) EXPECT(clsolve_grid_slab_residual(l.slabs[k]), CLSOLVE_OK, "");
    get(&l, CLSOLVE_GRID_SLAB_R, R);
}

/* NaN stands where couplings lead out of the grid, which single slabs must not read either. */
static void sweeps_of(int64_t N, int64_t M, int parts, const int64_t ends[MOST + 1]) {
    scratch_grid p = grid_random(N, M, 77);
    const slab_system s = real_system(&p);
    SCRATCH double *Y = zeros(N * M), *expected = zeros(N * M), *r = zeros(N * M);
    for (int64_t o = 0; o < N * M; ++o) Y[o] = expected[o] = (double)(o % 7) - 3;
    swept(&s, parts, ends, Y, r);
    grid_sweep(&p, 0, 2, expected);
    near(Y, expected, N * M, "two sweeps");
    double norm = 0, of_F = 0;
    for (int64_t o = 0; o < N * M; ++o) norm += r[o] * r[o], of_F += p.F[o] * p.F[o];
    assert_true(fabs(sqrt(norm / of_F) - grid_residual(&p, expected)) < 1e-11);
}

/* As one slab does; R is the residual, and nothing on the lines that were swept last. */
static void complex_sweeps_of(int64_t N, int64_t M, int parts, const int64_t ends[MOST + 1]) {
    const int64_t whole[MOST + 1] = {0, N}, numbers = 2 * N * M;
    SCRATCH_BY(complex_problem_free) complex_problem p = complex_problem_dominant(N, M, GENERAL, 78);
    const slab_system s = complex_system(&p);
    SCRATCH double *Y = zeros(numbers), *one = zeros(numbers), *R = zeros(numbers), *rest = zeros(numbers);
    double last = 0;
    for (int64_t o = 0; o < numbers; ++o) Y[o] = one[o] = (double)(o % 7) - 3;
    swept(&s, 1, whole, one, R);
    swept(&s, parts, ends, Y, R);
    near(Y, one, numbers, "two sweeps");
    for (int64_t i = 0; i < N; ++i) complex_problem_rest(&p, p.F, (const element *)Y, i, (element *)rest + i * M);
    near(R, rest, numbers, "the residual");
    for (int64_t i = 1; i < N; i += 2)
        for (int64_t o = 0; o < 2 * M; ++o) last = fmax(last, fabs(rest[2 * i * M + o]));
    assert_true(last < 1e-12);
}

/* A V-cycle on levels l[0], l[1], ..., from F to Y; the last level by sweeps. */
static void cycle(const level *l, int count) {
    if (count == 1) {
        for (int s = 0; s < 8; ++s)
            for (int colour = 0; colour < 2; ++colour) half_sweep(l, colour, s == 0 && colour == 0);
        return;
    }
    half_sweep(l, 1, 1);
    half_sweep(l, 0, 0);
    for (int p = 0; p < l->parts; ++p) {
        EXPECT(clsolve_grid_slab_residual(l->slabs[p]), CLSOLVE_OK, "");
        EXPECT(clsolve_grid_slab_restrict(l->slabs[p], l[1].slabs[p]), CLSOLVE_OK, "");
    }
    cycle(l + 1, count - 1);
    for (int p = 0; p < l->parts; ++p) EXPECT(clsolve_grid_slab_prolong(l->slabs[p], l[1].slabs[p]), CLSOLVE_OK, "");
    exchange(l, 1);
    half_sweep(l, 0, 0);
    half_sweep(l, 1, 0);
}

/* One cycle from zero; its levels' coefficients follow Y in what is returned. */
static double *cycled(const slab_system *s, int parts, const int64_t ends[MOST + 1], int levels, int *symmetric) {
    level l[LEVELS];
    double *q[5], *Y = zeros(8 * s->N * s->M * s->parts), *to = Y + s->N * s->M * s->parts;
    l[0] = level_create(s, parts, ends);
    *symmetric = set(&l[0], s->q);
    for (int k = 1; k < levels; ++k) {
        l[k] = coarsen(&l[k - 1], *symmetric, q);
        for (int a = 0; a < 5; ++a) {
            memcpy(to, q[a], (size_t)(l[k].N * l[k].width) * sizeof *to);
            to += l[k].N * l[k].width;
            free(q[a]);
        }
    }
    put(&l[0], CLSOLVE_GRID_SLAB_F, s->F);
    cycle(l, levels);
    get(&l[0], CLSOLVE_GRID_SLAB_Y, Y);
    for (int k = 0; k < levels; ++k) level_free(&l[k]);
    return Y;
}

static double residual_of(const slab_system *s, const double *Y) {
    if (s->plain) return grid_residual(s->plain, Y);
    return complex_problem_residual(s->complex_plain, s->complex_plain->F, (const element *)Y);
}

/* `wanted`: what the matrix is, as clsolve_grid_slab_factor tells it. */
static void cycles_of(const slab_system *s, int wanted, int levels, int parts, const int64_t ends[MOST + 1]) {
    const int64_t whole[MOST + 1] = {0, s->N};
    int symmetric;
    SCRATCH double *one = cycled(s, 1, whole, levels, &symmetric);
    assert_int_equal(symmetric, wanted);
    SCRATCH double *cut = cycled(s, parts, ends, levels, &symmetric);
    assert_int_equal(symmetric, wanted);
    near(cut, one, 8 * s->N * s->M * s->parts, "a cycle and its coarse coefficients");
    if (!(residual_of(s, one) < 0.3)) fail_msg("a cycle leaves the residual %g", residual_of(s, one));
}

static void real_cycles_of(grid_problem p, int wanted, int levels, int parts, const int64_t ends[MOST + 1]) {
    const slab_system s = real_system(&p);
    cycles_of(&s, wanted, levels, parts, ends);
    grid_free(&p);
}

static void complex_cycles_of(complex_problem p, int wanted, int levels, int parts, const int64_t ends[MOST + 1]) {
    const slab_system s = complex_system(&p);
    cycles_of(&s, wanted, levels, parts, ends);
    complex_problem_free(&p);
}

static const int64_t cuts[][MOST + 1] = {{0, 4, 9, 13, 17}, {0, 1, 2, 10, 17}, {0, 7, 7, 12, 17}, {0, 3, 14, 16, 17}};

TEST(test_sweeps) {
    need_double();
    for (int c = 0; c < 4; ++c) {
        sweeps_of(17, 5, MOST, cuts[c]);
        complex_sweeps_of(17, 5, MOST, cuts[c]);
    }
    const int64_t two[MOST + 1] = {0, 1, 2}, one[MOST + 1] = {0, 1};
    sweeps_of(2, 1, 2, two);
    sweeps_of(1, 3, 1, one);
    if (!in_gpu_shape()) sweeps_of(17, 600, MOST, cuts[0]); /* lines in several pieces */
}

TEST(test_cycles) {
    static const int symmetries[KINDS] = {[SYMMETRIC] = 1, [HERMITIAN] = 2};
    double K[18 * 6]; /* cells of 17 x 5 points */
    need_double();
    for (int i = 0; i < 18 * 6; ++i) K[i] = 1 + i % 5;
    for (int c = 0; c < 4; ++c) {
        real_cycles_of(grid_diffusion(17, 5, 1, K, 0, 3), 1, 4, MOST, cuts[c]); /* symmetric */
        real_cycles_of(grid_random(17, 5, 8), 0, 4, MOST, cuts[c]);
        for (int k = GENERAL; k < KINDS; ++k)
            complex_cycles_of(complex_problem_dominant(17, 5, (complex_kind)k, 9), symmetries[k], 4, MOST, cuts[c]);
    }
    const int64_t even[MOST + 1] = {0, 5, 8, 16};
    real_cycles_of(grid_diffusion(16, 5, 1, K, 0, 4), 1, 3, 3, even);
    complex_cycles_of(complex_problem_dominant(16, 5, HERMITIAN, 10), 2, 3, 3, even);
}

/* What is refused, and what each message says. */
TEST(test_contract) {
    double q[5][12], *p[5] = {q[0], q[1], q[2], q[3], q[4]}, line[3];
    OWNED(grid_slab) *slab = NULL, *coarse = NULL, *empty = NULL;
    clsolve_report report;
    need_double();
    assert_int_equal(clsolve_grid_slab_create(NULL, 1, 1, 0, 1, CLSOLVE_F64, &slab), CLSOLVE_ERROR_INVALID_ARGUMENT);
    EXPECT(clsolve_grid_slab_create(context, 4, 3, 0, 4, CLSOLVE_F64, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_grid_slab_create(context, 0, 3, 0, 0, CLSOLVE_F64, &slab), CLSOLVE_ERROR_INVALID_ARGUMENT, "N is 0");
    EXPECT(clsolve_grid_slab_create(context, 4, 3, 2, 3, CLSOLVE_F64, &slab), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "lines 0 to 3");
    EXPECT(clsolve_grid_slab_create(context, INT64_MAX / 2, 4096, 0, 1, CLSOLVE_F64, &slab),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "memory");
    EXPECT(clsolve_grid_slab_create(context, 4, 3, 0, 4, (clsolve_type)5, &slab), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "type");
    assert_null(slab);

    for (int o = 0; o < 12; ++o) q[0][o] = q[1][o] = q[3][o] = q[4][o] = -1, q[2][o] = 4;
    EXPECT(clsolve_grid_slab_create(context, 4, 3, 0, 4, CLSOLVE_F64, &slab), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_half_sweep(slab, 0, 0), CLSOLVE_ERROR_STATE, "factor");
    EXPECT(clsolve_grid_slab_coarsen(slab, 1, &coarse), CLSOLVE_ERROR_STATE, "factor");
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 0, 5, p[0], p[1], p[2], p[3], p[4]), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "lines 0 to 3");
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 0, 4, p[0], NULL, p[2], p[3], p[4]), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "a is NULL");
    q[2][4] = NAN;
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 0, 4, p[0], p[1], p[2], p[3], p[4]), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_factor(slab, NULL), CLSOLVE_ERROR_NONFINITE, "NaN");
    for (int k = 3; k < 6; ++k) q[1][k] = q[2][k] = q[3][k] = 0;
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 0, 4, p[0], p[1], p[2], p[3], p[4]), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_factor(slab, NULL), CLSOLVE_ERROR_UNSUPPORTED, "singular");
    assert_int_equal(clsolve_grid_slab_report(slab, &report), CLSOLVE_OK);
    assert_int_equal(report.member, 2);
    for (int k = 3; k < 6; ++k) q[1][k] = q[3][k] = 1; /* 0 1 0 / 1 1 1 / 0 1 1: regular, with a zero first pivot */
    q[2][4] = q[2][5] = 1;
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 1, 1, p[0] + 3, p[1] + 3, p[2] + 3, p[3] + 3, p[4] + 3), CLSOLVE_OK,
           "");
    EXPECT(clsolve_grid_slab_factor(slab, NULL), CLSOLVE_ERROR_UNSUPPORTED, "row exchanges");
    for (int k = 3; k < 6; ++k) q[2][k] = 4;
    EXPECT(clsolve_grid_slab_put_coefficients(slab, 0, 4, p[0], p[1], p[2], p[3], p[4]), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_factor(slab, NULL), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_half_sweep(slab, 2, 0), CLSOLVE_ERROR_INVALID_ARGUMENT, "colour is 2");
    EXPECT(clsolve_grid_slab_get(slab, (clsolve_grid_slab_vector)3, 0, 1, line), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "vector is 3");
    EXPECT(clsolve_grid_slab_get(slab, CLSOLVE_GRID_SLAB_Y, -1, 1, line), CLSOLVE_ERROR_INVALID_ARGUMENT, "lines 0 to");
    EXPECT(clsolve_grid_slab_get(slab, CLSOLVE_GRID_SLAB_Y, 0, 1, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");
    EXPECT(clsolve_grid_slab_coarsen(slab, 1, &coarse), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_restrict(coarse, slab), CLSOLVE_ERROR_INVALID_ARGUMENT, "coarse");
    EXPECT(clsolve_grid_slab_prolong(slab, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "NULL");

    /* A slab without lines: nothing, and no error. */
    EXPECT(clsolve_grid_slab_create(context, 4, 3, 2, 0, CLSOLVE_F64, &empty), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_half_sweep(empty, 0, 0), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_factor(empty, NULL), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_half_sweep(empty, 1, 0), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_residual(empty), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_put(empty, CLSOLVE_GRID_SLAB_F, 2, 0, NULL), CLSOLVE_OK, "");
    EXPECT(clsolve_grid_slab_get(empty, CLSOLVE_GRID_SLAB_Y, 1, 1, line), CLSOLVE_ERROR_INVALID_ARGUMENT, "slab");
    clsolve_grid_slab_destroy(NULL);
}

TEST_PROGRAM(grid_open, grid_close)
