/* The schedule of Gauss-Jordan: its classes for N = 1 .. 8, what stands where, and that it is a Foata normal form. */
#include "schedule/schedule.h"
#include "support/test_support.h"

static schedule make(int64_t n) {
    schedule s = {0};
    assert_true(schedule_gauss_jordan(n, &s));
    return s;
}

static int64_t level_of(const schedule *s, const char *name) {
    char room[48];
    for (int64_t o = 0; o < s->operations; ++o)
        if (strcmp(schedule_name(&s->operation[o], room), name) == 0) return s->operation[o].level;
    fail_msg("there is no %s", name);
    return 0;
}

/* 3N + 2 classes: A, B and C of each pivot, then D and E; 2 for N = 1. */
TEST(test_counts) {
    for (int64_t n = 1; n <= 8; ++n) {
        SCRATCH_BY(schedule_free) schedule s = make(n);
        assert_int_equal(s.levels, n == 1 ? 2 : 3 * n + 2);
        /* A, B and C of n (n-1) pairs, D of each row, E from the diagonal to the right-hand side. */
        assert_int_equal(s.operations, n * (n - 1) * (1 + 2 * (n + 1)) + n + n * (n + 3) / 2);
    }
}

/* Where each operation stands: A_i, B_i, C_i, D, E in turn, but D(n) beside A_n and E(n,k) beside D. */
TEST(test_places) {
    for (int64_t n = 2; n <= 8; ++n) {
        schedule s = make(n);
        for (int64_t o = 0; o < s.operations; ++o) {
            const schedule_operation *x = &s.operation[o];
            int64_t i = x->index[0], last = i == n;
            int64_t expected = x->letter == 'A'   ? 3 * i - 2
                               : x->letter == 'B' ? 3 * i - 1
                               : x->letter == 'C' ? 3 * i
                               : x->letter == 'D' ? (last ? 3 * n - 2 : 3 * n + 1)
                                                  : (last ? 3 * n + 1 : 3 * n + 2);
            assert_int_equal(x->level, expected);
        }
        schedule_free(&s);
    }
    SCRATCH_BY(schedule_free) schedule one = make(1);
    assert_int_equal(level_of(&one, "D(1)"), 1);
    assert_int_equal(level_of(&one, "E(1,1)"), 2);
    assert_int_equal(level_of(&one, "E(1,2)"), 2);
}

/* Within a class all is independent; each operation has a dependence in the class before; dependences lead upwards. */
TEST(test_normal_form) {
    for (int64_t n = 1; n <= 8; ++n) {
        schedule s = make(n);
        for (int64_t b = 0; b < s.operations; ++b) {
            int before = s.operation[b].level == 1;
            for (int64_t a = 0; a < b; ++a) {
                int dependent = schedule_dependent(&s.operation[a], &s.operation[b]);
                if (dependent && s.operation[a].level >= s.operation[b].level) fail_msg("n %d: order", (int)n);
                before = before || (dependent && s.operation[a].level == s.operation[b].level - 1);
            }
            assert_true(before);
        }
        schedule_free(&s);
    }
}

/* The study's own relation: A(i,j) -> B(i,j,k) -> C(i,j,k), C(i-1,j,i) -> A(i,j), C(i-1,i,i) -> A(i,j), D(i) -> E(i,k). */
TEST(test_relation) {
    SCRATCH_BY(schedule_free) schedule s = make(4);
    char a[48], b[48];
    int64_t edges = 0;
    for (int64_t x = 0; x < s.operations; ++x)
        for (int64_t y = 0; y < s.operations; ++y) {
            const schedule_operation *p = &s.operation[x], *q = &s.operation[y];
            int wanted = 0;
            if (p->letter == 'A' && q->letter == 'B') wanted = p->index[0] == q->index[0] && p->index[1] == q->index[1];
            if (p->letter == 'B' && q->letter == 'C')
                wanted = p->index[0] == q->index[0] && p->index[1] == q->index[1] && p->index[2] == q->index[2];
            if (p->letter == 'C' && q->letter == 'A')
                wanted = p->index[0] == q->index[0] - 1 && p->index[2] == q->index[0] &&
                         (p->index[1] == q->index[1] || p->index[1] == q->index[0]);
            if (p->letter == 'D' && q->letter == 'E') wanted = p->index[0] == q->index[0];
            if (!wanted) continue;
            edges++;
            if (!schedule_dependent(p, q) || p->level >= q->level)
                fail_msg("%s does not come before %s", schedule_name(p, a), schedule_name(q, b));
        }
    assert_true(edges > 0);
}

/* Other algorithms: a chain, and two that share what they only read. */
TEST(test_small) {
    schedule s = {0};
    for (int32_t k = 0; k < 5; ++k) {
        schedule_operation chain = {.letter = 'X', .indices = 1, .index = {k}, .cells = 1, .written = {true}};
        schedule_operation reader = {
            .letter = 'Y', .indices = 1, .index = {k}, .cells = 2, .cell = {100, 200 + k}, .written = {false, true}};
        assert_true(schedule_add(&s, &chain));
        assert_true(schedule_add(&s, &reader));
    }
    assert_int_equal(s.levels, 5);
    assert_int_equal(level_of(&s, "X(4)"), 5);
    assert_int_equal(level_of(&s, "Y(4)"), 1);
    schedule_operation writer = {.letter = 'Z', .cells = 1, .cell = {100}, .written = {true}};
    assert_true(schedule_add(&s, &writer));
    assert_int_equal(level_of(&s, "Z()"), 2);
    assert_int_equal(s.operation[10].edges, 5);
    schedule_free(&s);
    schedule_free(&s);
}

/* As many lines as classes, each operation once; the graph has an edge for each dependence that no others imply. */
TEST(test_print) {
    for (int64_t n = 1; n <= 5; ++n) {
        SCRATCH_BY(schedule_free) schedule s = make(n);
        SCRATCH char *text = NULL, *dot = NULL;
        size_t size = 0;
        int64_t lines = 0, names = 0, arrows = 0, implied = 0;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        assert_true(schedule_print_foata(&s, file));
        assert_int_equal(fclose(file), 0);
        for (const char *c = text; *c; ++c) lines += *c == '\n', names += *c == '(';
        assert_int_equal(lines, s.levels);
        assert_int_equal(names, s.operations);

        file = open_memstream(&dot, &size);
        assert_non_null(file);
        assert_true(schedule_print_dot(&s, "title", file));
        assert_int_equal(fclose(file), 0);
        for (const char *c = dot; (c = strstr(c, "->")); ++c) arrows++;
        /* By definition: dependent pairs without one between. Levels tell the order. */
        for (int64_t a = 0; a < s.operations; ++a)
            for (int64_t b = a + 1; n <= 3 && b < s.operations; ++b) {
                if (!schedule_dependent(&s.operation[a], &s.operation[b])) continue;
                int between = 0;
                for (int64_t c = a + 1; c < b && !between; ++c)
                    between = schedule_dependent(&s.operation[a], &s.operation[c]) &&
                              schedule_dependent(&s.operation[c], &s.operation[b]);
                implied += !between;
            }
        if (n <= 3) assert_true(arrows > 0 && arrows <= implied);
    }
}

TEST_PROGRAM_ALONE(NULL, NULL)
