/*
 * Nested dissection: permutations of all kinds of graphs, the same from any number of threads, with about as many
 * operations as METIS's; separators that separate; allocations that fail.
 */
#include "base/memory.h"
#include "method/analysis/nested.h"
#include "method/analysis/quotient.h"
#include "sparse/patterns.h"
#include "support/faults.h"

static cls_graph graph_of(const triplets *A) {
    const csr_form form = {.type = CLSOLVE_F64, .index = CLSOLVE_I64};
    cls_error error = {0};
    cls_csr taken;
    cls_graph graph;
    scratch_csr rows = csr_make(A, &form, NULL);
    assert_int_equal(cls_csr_take_pattern(&error, "test", &rows.view, &taken), CLSOLVE_OK);
    assert_true(cls_graph_make(&taken, NULL, CLSOLVE_SPARSE_WHOLE, &graph));
    cls_csr_free(&taken);
    return graph;
}

static cls_graph make(pattern kind, int64_t n, test_random *random) {
    scratch_triplets A = pattern_make(kind, n, random);
    const cls_graph graph = graph_of(&A);
    return graph;
}

/* Points of a cube with several unknowns each, which have all unknowns of the points around for neighbours. */
static cls_graph make_mesh(int64_t edge, int64_t unknowns) {
    scratch_triplets A = {.n = edge * edge * edge * unknowns};
    for (int64_t p = 0; p < edge * edge * edge; p++)
        for (int64_t around = 0; around < 27; around++) {
            const int64_t x = p % edge + around % 3 - 1, y = p / edge % edge + around / 3 % 3 - 1;
            const int64_t z = p / edge / edge + around / 9 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= edge || y >= edge || z >= edge) continue;
            for (int64_t a = 0; a < unknowns * unknowns; a++)
                triplets_add(&A, p * unknowns + a / unknowns, ((z * edge + y) * edge + x) * unknowns + a % unknowns, 1);
        }
    triplets_sort(&A);
    const cls_graph graph = graph_of(&A);
    return graph;
}

static int64_t *order_of(const cls_graph *graph, cls_pool *pool) {
    int64_t *place = test_room(graph->n + 1, sizeof *place);
    assert_true(cls_nested(graph, pool, (cls_nested_question){0}, place));
    assert_true(is_permutation(place, graph->n));
    return place;
}

/* One thread, two, and four: the same order. */
static void check_threads(const cls_graph *graph) {
    SCRATCH int64_t *alone = order_of(graph, NULL);
    for (int threads = 2; threads <= 4; threads += 2) {
        cls_pool *pool = cls_pool_create(threads - 1);
        SCRATCH int64_t *shared = order_of(graph, pool);
        assert_memory_equal(alone, shared, (size_t)graph->n * sizeof *alone);
        cls_pool_destroy(pool);
    }
}

TEST(test_orders) {
    static const int64_t sizes[] = {1, 2, 7, 60, 301, 2500};
    test_random random = test_random_start(1);
    for (int kind = 0; kind < PATTERNS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            SCRATCH_BY(cls_graph_free) cls_graph graph = make((pattern)kind, sizes[s], &random);
            check_threads(&graph);
        }
    SCRATCH_BY(cls_graph_free) cls_graph grid = make(PATTERN_GRID3, 15625, &random), mesh = make_mesh(9, 3);
    check_threads(&grid);
    check_threads(&mesh);
}

/* Graphs without vertices, without edges, and where each vertex is a neighbour of each other. */
TEST(test_edges) {
    for (int64_t n = 0; n <= 1000; n += 500)
        for (int full = 0; full < 2; full++) {
            cls_graph graph = {.n = n,
                               .start = calloc((size_t)n + 1, sizeof *graph.start),
                               .next = calloc((size_t)(n * n) + 1, sizeof *graph.next)};
            int64_t end = 0;
            for (int64_t v = 0; v < n; v++) {
                for (int64_t u = 0; u < n && full; u++)
                    if (u != v) graph.next[end++] = u;
                graph.start[v + 1] = end;
            }
            check_threads(&graph);
            free(graph.start);
            free(graph.next);
        }
}

/* A grid with a clique at its corner, which is one vertex that weighs more than all others of its part. */
TEST(test_heavy) {
    enum { EDGE = 60, GRID = EDGE * EDGE, CLIQUE = 500 };
    scratch_triplets A = {.n = GRID + CLIQUE};
    for (int64_t v = 0; v < GRID; v++) {
        if (v % EDGE + 1 < EDGE) triplets_add(&A, v, v + 1, 1);
        if (v + EDGE < GRID) triplets_add(&A, v, v + EDGE, 1);
    }
    for (int64_t v = 0; v < CLIQUE * CLIQUE; v++) triplets_add(&A, GRID + v / CLIQUE, GRID + v % CLIQUE, 1);
    triplets_add(&A, GRID - 1, GRID, 1);
    triplets_sort(&A);
    SCRATCH_BY(cls_graph_free) cls_graph graph = graph_of(&A);
    check_threads(&graph);
}

static double operations_of(const cls_graph *graph, clsolve_sparse_order order, const char *expected) {
    const cls_ordering wanted = {.order = order, .rate = 1};
    const char *taken;
    int64_t *place;
    cls_factor_columns columns;
    assert_true(cls_order_sparse(graph, &wanted, &place, &columns, &taken));
    assert_string_equal(taken, expected);
    const double operations = columns.operations;
    cls_columns_free(&columns);
    cls_free(place);
    return operations;
}

/* What AUTO takes where the factorization is slow. METIS's orders of one grid differ by up to a half as well, with the
 * order in which neighbours stand: separators along an axis have a third more vertices than diagonal ones. */
static void check_taken(const char *name, cls_graph graph, const char *taken, double most) {
    const double operations = operations_of(&graph, CLSOLVE_ORDER_AUTO, taken),
                 metis = operations_of(&graph, CLSOLVE_ORDER_METIS, "metis");
    print_message("%s: %.3g operations, METIS %.3g\n", name, operations, metis);
    assert_true(operations <= most * metis);
    cls_graph_free(&graph);
}

static void check_operations(const char *name, cls_graph graph, double most) {
    check_taken(name, graph, "nested", most);
}

TEST(test_operations) {
    test_random random = test_random_start(2);
    check_operations("100 x 100", make(PATTERN_GRID2, 10000, &random), 1.2);
    check_operations("20 x 20 x 20", make(PATTERN_GRID3, 8000, &random), 1.5);
    check_operations("28 x 28 x 28", make(PATTERN_GRID3, 21952, &random), 1.5);
    check_operations("mesh", make_mesh(20, 1), 1.2);
    check_operations("mesh of 3 unknowns", make_mesh(12, 3), 1.2);
    check_taken("mesh of 40 unknowns", make_mesh(4, 40), "amd", 1.2); /* each row has more entries than 10 sqrt(n) */
}

/* The whole graph of an order, to look at separators. */
static cls_weighted weighted_of(const cls_graph *graph, int *triangles) {
    cls_quotient quotient;
    assert_true(cls_quotient_make(graph, &quotient));
    const cls_weighted weighted = quotient.graph;
    quotient.graph = (cls_weighted){0};
    *triangles = quotient.triangles;
    cls_quotient_free(&quotient);
    return weighted;
}

/* No edge crosses, no side is too heavy, and the separator is not much larger than a plane across the grid. */
static void check_separator(cls_graph graph, int64_t most) {
    int triangles;
    SCRATCH_BY(cls_weighted_free) cls_weighted weighted = weighted_of(&graph, &triangles);
    unsigned char *side = calloc((size_t)weighted.n + 1, 1);
    for (uint64_t seed = 0; seed < 5; seed++) {
        int64_t part[3] = {0};
        assert_true(cls_separate(&weighted, triangles, seed, side));
        for (int32_t v = 0; v < weighted.n; v++) {
            assert_true(side[v] <= CLS_SEPARATOR);
            part[side[v]] += weighted.weight[v];
            for (int32_t e = weighted.start[v]; e < weighted.start[v + 1]; e++)
                assert_int_not_equal(side[v] + side[weighted.next[e]], 1);
        }
        assert_int_equal(part[0] + part[1] + part[2], weighted.total);
        assert_true(5 * part[0] <= 3 * weighted.total + 5 && 5 * part[1] <= 3 * weighted.total + 5);
        assert_true(part[CLS_SEPARATOR] <= most);
    }
    free(side);
    cls_graph_free(&graph);
}

TEST(test_separators) {
    test_random random = test_random_start(3);
    check_separator(make(PATTERN_GRID2, 10000, &random), 115);
    check_separator(make(PATTERN_GRID3, 8000, &random), 460);
    check_separator(make_mesh(12, 3), 3 * 165);
}

/* Unknowns at one point become one vertex, rows with very many entries are left out. */
TEST(test_quotient) {
    test_random random = test_random_start(4);
    SCRATCH_BY(cls_graph_free) cls_graph mesh = make_mesh(6, 3), arrow = make(PATTERN_ARROW, 2000, &random);
    cls_quotient quotient;
    assert_true(cls_quotient_make(&mesh, &quotient));
    assert_int_equal(quotient.count, 216);
    assert_int_equal(quotient.graph.total, 648);
    assert_true(quotient.triangles);
    for (int32_t v = 0; v < 216; v++) assert_int_equal(quotient.graph.weight[v], 3);
    cls_quotient_free(&quotient);
    assert_true(cls_quotient_make(&arrow, &quotient));
    assert_int_equal(quotient.count, 1999);
    assert_int_equal(quotient.graph.start[1999], 0);
    assert_int_equal(quotient.vertex_of[0], -1);
    SCRATCH int64_t *place = order_of(&arrow, NULL);
    assert_int_equal(place[0], 1999);
    cls_quotient_free(&quotient);
}

/* AMD and the first separator of a large graph are found at once by several threads, and one after the other by one: the
 * same order is taken, also where dissection does not pay. */
TEST(test_choice) {
    test_random random = test_random_start(6);
    SCRATCH_BY(cls_graph_free) cls_graph graph = make(PATTERN_GRID3, 91125, &random);
    cls_pool *pool = cls_pool_create(2);
    for (int pays = 0; pays < 2; pays++) {
        cls_ordering wanted = {.order = CLSOLVE_ORDER_AUTO, .rate = pays ? 1e9 : 1e14};
        int64_t *place[2];
        for (int shared = 0; shared < 2; shared++) {
            const char *taken;
            cls_factor_columns columns;
            wanted.pool = shared ? pool : NULL;
            assert_true(cls_order_sparse(&graph, &wanted, &place[shared], &columns, &taken));
            assert_string_equal(taken, pays ? "nested" : "amd");
            cls_columns_free(&columns);
        }
        assert_memory_equal(place[0], place[1], (size_t)graph.n * sizeof **place);
        for (int shared = 0; shared < 2; shared++) cls_free(place[shared]);
    }
    const int64_t before = faults_allocations();
    for (int64_t k = 0; k < 12; k += 3) {
        const cls_ordering wanted = {.order = CLSOLVE_ORDER_AUTO, .rate = 1e9, .pool = pool};
        const char *taken;
        int64_t *place;
        cls_factor_columns columns;
        faults_arm(FAULT_ALLOCATION, k);
        assert_false(cls_order_sparse(&graph, &wanted, &place, &columns, &taken));
        assert_non_null(faults_disarm());
        assert_int_equal(faults_allocations(), before);
    }
    cls_pool_destroy(pool);
}

/* Some of all allocations fail, on one thread and on three. */
TEST(test_memory) {
    test_random random = test_random_start(5);
    SCRATCH_BY(cls_graph_free) cls_graph graph = make(PATTERN_GRID3, 4096, &random);
    SCRATCH int64_t *place = calloc((size_t)graph.n + 1, sizeof *place);
    for (int threads = 1; threads <= 3; threads += 2) {
        cls_pool *pool = threads > 1 ? cls_pool_create(threads - 1) : NULL;
        int failures = 0, done = 0;
        const int64_t before = faults_allocations();
        for (int64_t k = 0; !done; k += k < 20 ? 1 : test_random_between(&random, 1, 40)) {
            faults_arm(FAULT_ALLOCATION, k);
            done = cls_nested(&graph, pool, (cls_nested_question){0}, place);
            assert_true((faults_disarm() != NULL) == !done);
            assert_int_equal(faults_allocations(), before);
            failures += !done;
        }
        assert_true(failures > 20);
        assert_true(is_permutation(place, graph.n));
        cls_pool_destroy(pool);
    }
}

TEST_PROGRAM_ALONE(NULL, NULL)
