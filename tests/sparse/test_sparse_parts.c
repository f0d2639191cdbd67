/*
 * The parts of a sparse analysis against their definitions: matchings against all of them, elimination trees and fronts
 * against the elimination of a dense pattern, the memory that is expected against that which is held, and the choice of
 * an engine by counts.
 */
#include <float.h>

#include "method/sparse/engine.h"
#include "sparse/patterns.h"

static cls_csr take(const triplets *A, clsolve_type type) {
    const csr_form form = {.type = type, .index = CLSOLVE_I64};
    cls_error error = {0};
    cls_csr taken;
    scratch_csr rows = csr_make(A, &form, NULL);
    assert_int_equal(cls_csr_take_pattern(&error, "test", &rows.view, &taken), CLSOLVE_OK);
    assert_int_equal(cls_csr_take_values(&error, "test", &rows.view, CLSOLVE_SPARSE_WHOLE, 0, &taken), CLSOLVE_OK);
    return taken;
}

/* ---- matching ---- */

enum { MOST = 6 };

/* Rows from `row` on and columns outside `used`: the most pairs, and then the largest sum of logarithms. */
typedef struct best {
    int pairs;
    double sum;
} best;

static best better(best a, best b) {
    return a.pairs > b.pairs || (a.pairs == b.pairs && a.sum >= b.sum) ? a : b;
}

static best search(const triplets *A, int64_t row, unsigned used, int values) {
    best found = {0, 0};
    if (row == A->n) return found;
    found = search(A, row + 1, used, values);
    for (int64_t e = 0; e < A->count; e++) {
        const entry *x = &A->at[e];
        if (x->row != row || (used >> x->column & 1) || (values && x->value == 0)) continue;
        best with = search(A, row + 1, used | 1U << x->column, values);
        with.pairs++;
        with.sum += values ? log(cabs(x->value)) : 0;
        found = better(with, found);
    }
    return found;
}

/* Values of a few sizes, so that many pairings are equally good, or of all sizes; some are zero. */
static triplets small_matrix(test_random *random) {
    triplets A = {.n = test_random_between(random, 0, MOST)};
    const double density = test_random_unit(random), zeros = 0.3 * test_random_unit(random);
    const int few = test_random_unit(random) < 0.5;
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j < A.n; j++) {
            const double size =
                few ? (double)test_random_between(random, 1, 3) : pow(10, 5 * test_random_signed(random));
            const double angle = 4 * test_random_signed(random);
            const int zero = test_random_unit(random) < zeros;
            if (test_random_unit(random) < density) triplets_add(&A, i, j, zero ? 0 : size * cexp(CMPLX(0, angle)));
        }
    return A;
}

static void check_scales(const triplets *A, const cls_matching *matching) {
    int power;
    for (int64_t i = 0; i < A->n; i++) {
        assert_true(frexp(matching->row_scale[i], &power) == 0.5);
        assert_true(frexp(matching->col_scale[i], &power) == 0.5);
    }
    for (int64_t e = 0; e < A->count; e++) {
        const entry *x = &A->at[e];
        const double scaled = cabs(x->value) * matching->row_scale[x->row] * matching->col_scale[x->column];
        assert_true(scaled <= 2 * (1 + 1e-12));
        if (matching->column_of[x->row] == x->column) assert_true(scaled >= 0.5 * (1 - 1e-12));
    }
}

/* If the row alone is left out, all others that had columns still have theirs. */
static void check_rank(const cls_csr *A, int64_t rank) {
    int64_t row, none;
    assert_int_equal(cls_structural_rank(A, &row), rank);
    assert_true(rank == A->n ? row == -1 : row >= 0 && row < A->n);
    if (row < 0) return;
    cls_csr without = *A;
    without.start = calloc((size_t)A->n + 1, sizeof *without.start);
    without.column = calloc((size_t)A->entries + 1, sizeof *without.column);
    assert_true(without.start && without.column);
    without.entries = 0;
    for (int64_t i = 0; i < A->n; i++) {
        for (int64_t e = A->start[i]; e < A->start[i + 1] && i != row; e++)
            without.column[without.entries++] = A->column[e];
        without.start[i + 1] = without.entries;
    }
    assert_int_equal(cls_structural_rank(&without, &none), rank);
    free(without.start);
    free(without.column);
}

static void check_matching(const triplets *A, int values) {
    const best wanted = search(A, 0, 0, values);
    SCRATCH_BY(cls_csr_free) cls_csr csr = take(A, CLSOLVE_C64);
    cls_matching matching;
    unsigned used = 0;
    best found = {0, 0};
    assert_true(cls_matching_make(&csr, values, &matching));
    for (int64_t i = 0; i < A->n; i++) {
        if (matching.column_of[i] < 0) continue;
        assert_false(used >> matching.column_of[i] & 1);
        used |= 1U << matching.column_of[i];
        int there = 0;
        for (int64_t e = 0; e < A->count; e++) {
            const entry *x = &A->at[e];
            if (x->row != i || x->column != matching.column_of[i]) continue;
            there = !values || x->value != 0;
            found.sum += values ? log(cabs(x->value)) : 0;
        }
        assert_true(there);
        found.pairs++;
    }
    assert_int_equal(found.pairs, wanted.pairs);
    assert_int_equal(matching.rank, wanted.pairs);
    if (!values) check_rank(&csr, wanted.pairs);
    if (wanted.pairs == A->n && !(found.sum >= wanted.sum - 1e-10))
        fail_msg("the product is exp(%.12g), not exp(%.12g)", found.sum, wanted.sum);
    if (values && wanted.pairs == A->n) check_scales(A, &matching);
    cls_matching_free(&matching);
}

TEST(test_matching) {
    test_random random = test_random_start(1);
    int regular = 0, count = test_reduced() ? 300 : 3000;
    for (int k = 0; k < count; k++) {
        scratch_triplets A = small_matrix(&random);
        regular += search(&A, 0, 0, 1).pairs == A.n;
        check_matching(&A, 1);
        check_matching(&A, 0);
    }
    assert_true(regular > count / 10 && regular < count);
}

/* ---- elimination ---- */

/* A pattern by positions: filled in, fill[i + j * n] says whether L or U has the entry. */
typedef struct dense {
    int64_t n;
    char *fill;
    int64_t *count, *parent; /* of columns of L with the diagonal; the first row below it, -1: none */
    double entries, operations;
} dense;

static void eliminate(dense *D) {
    const int64_t n = D->n;
    D->entries = D->operations = 0;
    for (int64_t k = 0; k < n; k++) {
        D->count[k] = 1;
        D->parent[k] = -1;
        for (int64_t i = k + 1; i < n; i++) {
            if (!D->fill[i + k * n]) continue;
            if (D->parent[k] < 0) D->parent[k] = i;
            D->count[k]++;
            for (int64_t j = k + 1; j < n; j++)
                if (D->fill[j + k * n]) D->fill[i + j * n] = 1;
        }
        D->entries += (double)D->count[k];
        D->operations += (double)D->count[k] * (double)D->count[k];
    }
}

/* The pattern of A + A^T by positions. */
static dense dense_make(const triplets *A, const int64_t *row_of, const int64_t *place) {
    const int64_t n = A->n;
    dense D = {n,
               calloc((size_t)(n * n) + 1, 1),
               calloc((size_t)n + 1, sizeof(int64_t)),
               calloc((size_t)n + 1, sizeof(int64_t)),
               0,
               0};
    assert_true(D.fill && D.count && D.parent);
    for (int64_t e = 0; e < A->count; e++) {
        const int64_t i = place[row_of ? row_of[A->at[e].row] : A->at[e].row], j = place[A->at[e].column];
        D.fill[i + j * n] = D.fill[j + i * n] = 1;
    }
    eliminate(&D);
    return D;
}

static void dense_free(dense *D) {
    free(D->fill);
    free(D->count);
    free(D->parent);
}

static void check_graph(const cls_graph *graph, const triplets *A, const int64_t *row_of) {
    const int64_t n = A->n;
    SCRATCH char *wanted = calloc((size_t)(n * n) + 1, 1);
    int64_t left = 0;
    assert_non_null(wanted);
    for (int64_t e = 0; e < A->count; e++) {
        const int64_t i = row_of ? row_of[A->at[e].row] : A->at[e].row, j = A->at[e].column;
        if (i != j) wanted[i + j * n] = wanted[j + i * n] = 1;
    }
    for (int64_t k = 0; k < n * n; k++) left += wanted[k];
    assert_int_equal(graph->n, n);
    for (int64_t v = 0; v < n; v++)
        for (int64_t e = graph->start[v]; e < graph->start[v + 1]; e++, left--) {
            assert_true(wanted[v + graph->next[e] * n]);
            wanted[v + graph->next[e] * n] = 0;
        }
    assert_int_equal(left, 0);
}

/* Counts and parents of the columns in the order of `place`. */
static void check_columns(const cls_factor_columns *columns, const triplets *A, const int64_t *row_of,
                          const int64_t *place) {
    dense D = dense_make(A, row_of, place);
    for (int64_t k = 0; k < A->n; k++) {
        assert_int_equal(columns->count[k], D.count[k]);
        assert_int_equal(columns->parent[k], D.parent[k]);
        assert_int_equal(place[columns->vertex[k]], k);
    }
    dense_free(&D);
}

/* ---- fronts ---- */

/* The position of a row of front s. */
static int64_t position(const cls_symbolic *symbolic, int64_t s, int64_t row) {
    const int64_t own = symbolic->tree.first[s + 1] - symbolic->tree.first[s];
    return row < own ? symbolic->tree.first[s] + row : symbolic->border[symbolic->border_start[s] + row - own];
}

/* A front has the rows of L's columns, and without amalgamation no others. */
static void check_front(const cls_symbolic *symbolic, int64_t s, const dense *D, int relaxed) {
    const cls_tree *tree = &symbolic->tree;
    const int64_t begin = tree->first[s], end = tree->first[s + 1], rows = tree->rows[s], above = tree->parent[s];
    assert_int_equal(symbolic->border_start[s + 1] - symbolic->border_start[s], rows - (end - begin));
    assert_true(rows <= symbolic->largest && begin < end);
    for (int64_t r = 1; r < rows; r++) assert_true(position(symbolic, s, r) > position(symbolic, s, r - 1));
    for (int64_t k = begin; k < end; k++) {
        int64_t row = k - begin;
        for (int64_t i = k; i < D->n; i++) {
            if (i != k && !D->fill[i + k * D->n]) continue;
            while (row < rows && position(symbolic, s, row) < i) row++;
            assert_true(row < rows && position(symbolic, s, row) == i);
        }
        if (!relaxed) assert_int_equal(D->count[k], rows - (k - begin));
    }
    assert_int_equal(above < 0, rows == end - begin);
    if (above < 0) return;
    assert_true(above > s && position(symbolic, s, end - begin) >= tree->first[above]);
    assert_true(position(symbolic, s, end - begin) < tree->first[above + 1]);
    for (int64_t k = symbolic->border_start[s]; k < symbolic->border_start[s + 1]; k++) {
        assert_in_range(symbolic->relative[k], 0, tree->rows[above] - 1);
        assert_int_equal(position(symbolic, above, symbolic->relative[k]), symbolic->border[k]);
    }
}

/* Each entry has its place in one front; the front is that of the earlier one of its row and column. */
static void check_places(const cls_symbolic *symbolic, const triplets *A, const int64_t *row_of) {
    SCRATCH char *seen = calloc((size_t)A->count + 1, 1);
    int64_t children = 0;
    assert_non_null(seen);
    for (int64_t s = 0; s < symbolic->tree.fronts; s++) {
        for (int64_t k = symbolic->placed_start[s]; k < symbolic->placed_start[s + 1]; k++) {
            const cls_placed *placed = &symbolic->placed[k];
            assert_in_range(placed->entry, 0, A->count - 1);
            const entry *x = &A->at[placed->entry];
            const int64_t own = symbolic->tree.first[s + 1] - symbolic->tree.first[s];
            assert_false(seen[placed->entry]);
            seen[placed->entry] = 1;
            assert_true(placed->row < own || placed->column < own);
            assert_int_equal(position(symbolic, s, placed->row),
                             symbolic->tree.place[row_of ? row_of[x->row] : x->row]);
            assert_int_equal(position(symbolic, s, placed->column), symbolic->tree.place[x->column]);
        }
        for (int64_t c = symbolic->child_start[s]; c < symbolic->child_start[s + 1]; c++, children++)
            assert_int_equal(symbolic->tree.parent[symbolic->child[c]], s);
    }
    for (int64_t e = 0; e < A->count; e++) assert_true(seen[e]);
    for (int64_t s = 0; s < symbolic->tree.fronts; s++) children -= symbolic->tree.parent[s] >= 0;
    assert_int_equal(children, 0);
}

static void check_tree(const triplets *A, const int64_t *row_of, int relaxed, test_random *random) {
    SCRATCH_BY(cls_csr_free) cls_csr csr = take(A, CLSOLVE_C64);
    cls_graph graph;
    cls_tree tree;
    cls_symbolic symbolic;
    cls_factor_columns columns;
    int64_t *place = permutation_make(A->n, random);
    assert_true(cls_graph_make(&csr, row_of, CLSOLVE_SPARSE_WHOLE, &graph));
    check_graph(&graph, A, row_of);
    SCRATCH_BY(dense_free) dense before = dense_make(A, row_of, place);
    assert_true(cls_columns_make(&graph, place, &columns));
    check_columns(&columns, A, row_of, place);
    assert_true(columns.entries == before.entries && columns.operations == before.operations);
    assert_true(cls_tree_make(&columns, place, relaxed, NULL, &tree));
    assert_true(tree.entries == before.entries && tree.operations == before.operations);
    assert_true(is_permutation(tree.place, A->n));
    SCRATCH_BY(dense_free) dense D = dense_make(A, row_of, tree.place);
    assert_true(D.entries == before.entries && D.operations == before.operations);
    assert_true(cls_symbolic_make(&csr, &graph, row_of, CLSOLVE_SPARSE_WHOLE, 0, &tree, &symbolic));
    assert_int_equal(symbolic.tree.first[symbolic.tree.fronts], A->n);
    for (int64_t s = 0; s < symbolic.tree.fronts; s++) check_front(&symbolic, s, &D, relaxed);
    check_places(&symbolic, A, row_of);
    cls_symbolic_free(&symbolic);
    cls_columns_free(&columns);
    cls_graph_free(&graph);
}

TEST(test_tree) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 17, 64, 100};
    test_random random = test_random_start(2);
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int form = 0; form < 4; form++) {
                scratch_triplets A = pattern_make((pattern)kind, sizes[s], &random);
                SCRATCH int64_t *row_of = form / 2 ? permutation_make(A.n, &random) : NULL;
                check_tree(&A, row_of, form % 2, &random);
            }
}

/* ---- memory ---- */

/* The estimate before the first number, and what the factorization has held: never more, and at most 1.3 times less. */
static void check_memory(const triplets *A, const clsolve_sparse_options *options, int threads) {
    const csr_form form = {.type = CLSOLVE_F64, .index = CLSOLVE_I64};
    cls_error error = {0};
    cls_sparse sparse;
    scratch_csr rows = csr_make(A, &form, NULL);
    assert_int_equal(cls_sparse_open(&error, "test", NULL, &rows.view, options, &sparse), CLSOLVE_OK);
    assert_true(sparse.analysis.operations > 2e7 || sparse.klu);
    sparse.threads = threads;
    if (!sparse.klu) sparse.stack = cls_factors_stack(&sparse.symbolic, threads);
    const double expected =
        sparse.klu ? sparse.analysis.host_bytes : cls_factors_bytes(&sparse.symbolic, sparse.A.parts, sparse.stack);
    for (int again = 0; again < 3; again++) {
        assert_int_equal(cls_sparse_factor(&error, "test", &rows.view, &sparse), CLSOLVE_OK);
        assert_int_equal(sparse.analysis.delayed, 0);
        const double held = sparse.klu ? cls_klu_held(sparse.klu) : cls_factors_held(&sparse.factors);
        if (!(held <= expected && expected <= 1.3 * held))
            fail_msg("%d threads: %.4g bytes are expected and %.4g held", threads, expected, held);
    }
    cls_sparse_close(&sparse);
}

TEST(test_memory) {
    test_random random = test_random_start(3);
    scratch_triplets space = pattern_make_definite(PATTERN_GRID3, 16 * 16 * 16, 0, &random);
    scratch_triplets plane = pattern_make_definite(PATTERN_GRID2, 160 * 160, 0, &random);
    const clsolve_sparse_options fronts = {.engine = CLSOLVE_SPARSE_MULTIFRONTAL}, klu = {.engine = CLSOLVE_SPARSE_KLU},
                                 definite = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE};
    for (int threads = 1; threads <= 2; threads++) {
        check_memory(&space, &fronts, threads);
        check_memory(&space, &definite, threads);
        check_memory(&plane, &fronts, threads);
    }
    check_memory(&plane, &klu, 1);
}

/* ---- KLU or fronts before any order ---- */

/* A band of k entries on each side; place (i, j) may be missing. */
static triplets make_band(int64_t n, int64_t k, int64_t without_row, int64_t without_column) {
    triplets A = {.n = n};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i < k ? 0 : i - k; j <= i + k && j < n; j++)
            if (i != without_row || j != without_column) triplets_add(&A, i, j, i == j ? 2.0 * (double)k + 1 : 1);
    return A;
}

static double least_of(triplets A) {
    SCRATCH_BY(cls_csr_free) cls_csr taken = take(&A, CLSOLVE_F64);
    const double least = cls_klu_least(&taken);
    triplets_free(&A);
    return least;
}

static void expect_engine(triplets A, const char *engine, int64_t rank) {
    const csr_form form = {.type = CLSOLVE_F64, .index = CLSOLVE_I64};
    const clsolve_sparse_options options = {.threads = 1};
    cls_error error = {0};
    cls_sparse sparse;
    scratch_csr rows = csr_make(&A, &form, NULL);
    assert_int_equal(cls_sparse_open(&error, "test", NULL, &rows.view, &options, &sparse), CLSOLVE_OK);
    assert_string_equal(sparse.analysis.engine, engine);
    assert_int_equal(sparse.analysis.structural_rank, rank);
    cls_sparse_close(&sparse);
    triplets_free(&A);
}

/* A band of 32 on each side has 30.7 operations for each entry: above KLU's least, and below its border. */
TEST(test_least) {
    assert_true(least_of(make_band(1, 0, -1, -1)) == 0);
    assert_true(least_of(make_band(5, 4, -1, -1)) == 2);
    assert_true(least_of(make_band(7, 1, -1, -1)) == 6.0 / 7);
    assert_true(least_of(make_band(7, 1, 3, 3)) == 0); /* no diagonal */
    assert_true(least_of(make_band(7, 1, 6, 6)) == 0);
    assert_true(least_of(make_band(7, 2, 0, 2)) == 0); /* one side of a pair */
    assert_true(least_of(make_band(7, 2, 2, 0)) == 0);
    assert_true(least_of(make_band(7, 2, 6, 5)) == 0);
    assert_true(least_of(make_band(7, 2, 5, 6)) == 0);
    expect_engine(make_band(400, 32, -1, -1), "multifrontal", 400);
    expect_engine(make_band(400, 32, 200, 199), "klu", 400);
    expect_engine(make_band(400, 24, -1, -1), "klu", 400);
}

/* ---- pairs ---- */

static int64_t front_of(const cls_symbolic *symbolic, int64_t position) {
    int64_t s = 0;
    while (symbolic->tree.first[s + 1] <= position) s++;
    return s;
}

/* Scales of both sides are equal and bring each entry to at most 2, which is 1 rounded to a power of two twice. Partners
 * are neighbours, and nearly all are in one front. */
static int64_t check_pairs(pattern kind, clsolve_sparse_part part, clsolve_sparse_order order, int64_t *apart,
                           test_random *random) {
    const clsolve_sparse_options options = {
        .form = CLSOLVE_SPARSE_HERMITIAN, .part = part, .order = order, .matching = CLSOLVE_CHOICE_ON};
    scratch_triplets A = pattern_make_symmetric(kind, 90, options.form, 1, random);
    for (int64_t e = 0; e < A.count; e++) /* rows of very different sizes */
        A.at[e].value *= pow(10, (double)((A.at[e].row + A.at[e].column) % 4));
    scratch_csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_C64, .index = CLSOLVE_I32}, NULL);
    cls_error error = {0};
    cls_sparse sparse;
    int64_t pairs = 0;
    assert_int_equal(cls_sparse_open(&error, "test", NULL, &rows.view, &options, &sparse), CLSOLVE_OK);
    assert_true(sparse.analysis.matched && sparse.partner && !sparse.row_of);
    assert_memory_equal(sparse.row_scale, sparse.col_scale, (size_t)A.n * sizeof *sparse.row_scale);
    for (int64_t e = 0; e < A.count; e++)
        assert_true(cabs(A.at[e].value) * sparse.row_scale[A.at[e].row] * sparse.row_scale[A.at[e].column] <=
                    2 + 1e-12);
    for (int64_t v = 0; v < A.n; v++) {
        const int64_t w = sparse.partner[v], *place = sparse.symbolic.tree.place;
        if (w < 0) continue;
        pairs++;
        assert_int_equal(sparse.partner[w], v);
        *apart += front_of(&sparse.symbolic, place[v]) != front_of(&sparse.symbolic, place[w]);
        if (front_of(&sparse.symbolic, place[v]) == front_of(&sparse.symbolic, place[w]))
            assert_int_equal(llabs(place[v] - place[w]), 1);
    }
    cls_sparse_close(&sparse);
    return pairs;
}

TEST(test_pairs) {
    test_random random = test_random_start(7);
    int64_t pairs = 0, apart = 0;
    for (int kind = 0; kind < PATTERNS; kind++)
        for (int part = CLSOLVE_SPARSE_WHOLE; part <= CLSOLVE_SPARSE_UPPER; part++)
            for (int order = CLSOLVE_ORDER_AUTO; order <= CLSOLVE_ORDER_AMD; order++)
                pairs +=
                    check_pairs((pattern)kind, (clsolve_sparse_part)part, (clsolve_sparse_order)order, &apart, &random);
    assert_true(pairs > 1000 && apart < pairs / 100);
}

TEST_PROGRAM_ALONE(NULL, NULL)
