/* Reverse Cuthill-McKee: always a permutation, and on graphs whose least bandwidth is known as narrow as it gets. */
#include "io/matrix_market.h"
#include "order/order.h"
#include "support/test_support.h"

enum { MOST = 40000 };

/* A pattern that grows entry by entry; rows and columns are renumbered by `name` on the way. */
typedef struct pattern {
    int64_t n, count;
    int64_t name[MOST], row[MOST], column[MOST];
} pattern;

static pattern p;

static void begin(int64_t n, uint64_t use) {
    test_random random = test_random_start(use);
    p.n = n;
    p.count = 0;
    for (int64_t i = 0; i < n; i++) p.name[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t other = test_random_between(&random, 0, i), name = p.name[i];
        p.name[i] = p.name[other];
        p.name[other] = name;
    }
}

static void add(int64_t i, int64_t j) {
    p.row[p.count] = p.name[i];
    p.column[p.count++] = p.name[j];
}

static void join(int64_t i, int64_t j) {
    add(i, j);
    add(j, i);
}

/* The band after reordering; fails unless `place` is a permutation. */
static cls_order_band reorder_columns(int64_t n, const int64_t *start, const int64_t *row) {
    SCRATCH int64_t *place = test_room(n + 1, sizeof *place);
    SCRATCH char *taken = calloc((size_t)n + 1, 1);
    assert_non_null(taken);
    assert_int_equal(cls_order_reverse_cuthill_mckee(n, start, row, place), 1);
    for (int64_t i = 0; i < n; i++) {
        assert_true(place[i] >= 0 && place[i] < n);
        assert_int_equal(taken[place[i]]++, 0);
    }
    cls_order_band band = cls_order_band_of(n, start, row, place);
    return band;
}

static cls_order_band reorder(void) {
    static double value[MOST];
    mm_matrix A;
    assert_int_equal(mm_from_triplets(p.n, p.n, p.count, p.row, p.column, value, &A, NULL), MM_OK);
    cls_order_band band = reorder_columns(p.n, A.start, A.row);
    mm_free(&A);
    return band;
}

static void assert_band(cls_order_band band, int64_t kl, int64_t ku) {
    assert_int_equal(band.kl, kl);
    assert_int_equal(band.ku, ku);
}

/* Points in a row, in any order: a tridiagonal matrix again, in several parts too. */
TEST(test_paths) {
    for (int64_t n = 0; n < 40; n++)
        for (int64_t parts = 1; parts < 4; parts++) {
            begin(n, (uint64_t)(n * 4 + parts));
            for (int64_t i = 0; i < n; i++) add(i, i);
            int64_t joined = 0;
            for (int64_t i = 0; i + 1 < n; i++)
                if ((i + 1) % (n / parts + 1) != 0) {
                    join(i, i + 1);
                    joined++;
                }
            assert_band(reorder(), joined > 0, joined > 0);
        }
}

/* One triangle of entries alone gives the same order as both: A + A^T is what is ordered. */
TEST(test_unsymmetric) {
    begin(50, 1);
    for (int64_t i = 0; i + 1 < 50; i++) add(i, i + 1);
    cls_order_band band = reorder();
    assert_true(band.kl <= 1 && band.ku <= 1);
}

/* A long grid of w lines has bandwidth w. */
TEST(test_grids) {
    for (int64_t w = 2; w < 12; w++) {
        int64_t length = 5 * w, n = w * length;
        begin(n, (uint64_t)(100 + w));
        for (int64_t i = 0; i < n; i++) {
            if (i % w + 1 < w) join(i, i + 1);
            if (i + w < n) join(i, i + w);
        }
        cls_order_band band = reorder();
        /* A corner is the far end; levels are diagonals of at most w points, and neighbours in them w or w + 1 apart. */
        assert_true(band.kl >= w && band.kl <= w + 1);
        assert_int_equal(band.ku, band.kl);
    }
}

/* A band of half-width k, shuffled: as narrow again, or nearly. */
TEST(test_bands) {
    for (int64_t k = 1; k < 9; k++) {
        int64_t n = 60 * k;
        begin(n, (uint64_t)(200 + k));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j <= i + k && j < n; j++) join(i, j);
        cls_order_band band = reorder();
        assert_true(band.kl <= k + k / 2);
    }
}

TEST(test_extremes) {
    begin(30, 300); /* no entries at all */
    assert_band(reorder(), 0, 0);
    for (int64_t i = 0; i < 30; i++) /* all of them */
        for (int64_t j = 0; j < 30; j++) add(i, j);
    assert_band(reorder(), 29, 29);
    begin(31, 301); /* a star: its middle is joined with all, so half of them are that far away at least */
    for (int64_t i = 1; i < 31; i++) join(0, i);
    cls_order_band band = reorder();
    assert_true(band.kl >= 15 && band.kl <= 30);
}

/* Where it is known to pay on real matrices. */
TEST(test_real_matrices) {
    static const char *const names[] = {"sherman1", "jpwh_991", "gre__115", "west0479", "lns__131", "1138_bus"};
    int found = 0;
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const char *path = test_matrix_path(names[f]);
        mm_matrix A;
        if (path == NULL) continue;
        assert_int_equal(mm_read(path, &A, NULL), MM_OK);
        cls_order_band before = cls_order_band_of(A.rows, A.start, A.row, NULL), after;
        after = reorder_columns(A.rows, A.start, A.row);
        printf("%s: kl %lld to %lld, ku %lld to %lld\n", names[f], (long long)before.kl, (long long)after.kl,
               (long long)before.ku, (long long)after.ku);
        assert_true(after.kl < before.kl && after.ku < before.ku);
        mm_free(&A);
        found++;
    }
    if (found == 0) skip();
}

TEST_PROGRAM_ALONE(NULL, NULL)
