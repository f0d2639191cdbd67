/*
 * LU without pivoting of randomised matrices: answers as good as those of partial pivoting for every size, type and
 * layout, whatever else the handle is asked for.
 */
#include "lu/rbt_support.h"

#include <float.h>

/* ---- answers ---- */

/* Multiples of four and beside them, leaves, tiles, blocks and work-groups and beside them, primes. */
TEST(test_sizes) {
    static const int64_t all[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  11,  12,  13,  15,  16,  17,
                                  29, 31, 32, 33, 34, 47, 63, 64, 65, 97, 127, 128, 129, 131, 255, 257};
    int reduced = test_reduced(), kept = 0, runs = 0;
    test_random random = test_random_start(50);
    for (size_t s = 0; s < sizeof all / sizeof *all; s += reduced ? 3 : 1)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                int64_t n = all[s], nrhs = (int64_t)(s % 3) * 8 + 1; /* 1, 9, 17: more than refinement takes at once */
                const int64_t parts = test_numbers((clsolve_type)type, 1);
                clsolve_op op = (s + (size_t)layout) % 2 == 0 ? CLSOLVE_NO_TRANS
                                : s % 4 < 2                   ? CLSOLVE_TRANS
                                                              : CLSOLVE_CONJ_TRANS;
                clsolve_lu_options options = rbt_options(test_random_bits(&random));
                SCRATCH double *A = rbt_random_matrix(&random, (clsolve_type)type, n);
                for (int64_t i = 0; i < n; ++i) { /* often no pivot at all */
                    double *a = A + parts * (i + i * n);
                    a[0] = n > 1 && s % 2 ? 0 : a[0] + 0.5;
                    if (n > 1 && s % 2) a[parts - 1] = 0;
                }
                rbt_answer out =
                    rbt_solve(&random, (clsolve_type)type, (clsolve_layout)layout, &options, op, n, nrhs, A);
                assert_int_equal(out.factored, CLSOLVE_OK);
                if (out.solved != CLSOLVE_OK) fail_msg("n %d: %s", (int)n, clsolve_context_message(rs_context));
                assert_true(out.report.direct.seed == options.seed);
                kept += strcmp(out.report.direct.pivoting_used, "rbt") == 0;
                assert_true((strcmp(out.report.direct.pivoting_used, "rbt") == 0) ==
                            (out.report.direct.pivoting_fallback == NULL));
                runs++;
            }
    /* Random numbers may be a matrix that is nearly singular, small ones most of all. */
    if (!(10 * kept >= 9 * runs)) fail_msg("%d of %d without pivots", kept, runs);
}

/* What is said of factors without pivots is right: the error, the condition number, the growth. */
static void check_report(const clsolve_report *r, const clsolve_report *by_pivots, double epsilon) {
    assert_null(r->direct.pivoting_fallback);
    assert_true(r->refinement.history_length >= 1 && r->refinement.backward_error >= 0);
    assert_true(r->refinement.backward_error <= 13 * epsilon);
    assert_true(r->direct.rcond > 0 && !r->direct.rcond_is_bound);
    assert_true(fabs(log(r->direct.rcond / by_pivots->direct.rcond)) < log(2));
    assert_true(r->direct.growth > 0);
}

/*
 * Matrices far from singular: with double factors nothing falls back, whatever the seed. The largest element of factors
 * without pivots is now and then a thousand times the usual one, which only float has no digits for.
 */
TEST(test_stays) {
    enum { N = 150, RUNS = 4 };
    test_random random = test_random_start(51);
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        int kept = 0;
        for (int run = 0; run < RUNS; ++run) {
            clsolve_lu_options options = rbt_options((uint64_t)run), partial = rs_plain;
            SCRATCH double *A = test_doubles(N * N);
            test_with_condition(&random, N, 3, 10, A);
            for (int64_t k = 0; k < N * N; ++k) A[k] = test_rounded((clsolve_type)type, A[k]);
            options.rcond = options.equilibrate = partial.rcond = partial.equilibrate = 1;
            rbt_answer a =
                rbt_solve(&random, (clsolve_type)type, CLSOLVE_ROW_MAJOR, &options, CLSOLVE_NO_TRANS, N, 3, A);
            rbt_answer b =
                rbt_solve(&random, (clsolve_type)type, CLSOLVE_ROW_MAJOR, &partial, CLSOLVE_NO_TRANS, N, 3, A);
            assert_int_equal(a.solved, CLSOLVE_OK);
            if (strcmp(a.report.direct.pivoting_used, "rbt") == 0) {
                check_report(&a.report, &b.report, test_epsilon((clsolve_type)type));
                kept++;
            }
        }
        assert_in_range(kept, type == CLSOLVE_F64 && rs_fp64 ? RUNS : 1, RUNS);
    }
}

/*
 * How far the logarithm of a determinant may be off. The factors are those of A + E, max |e(i,j)| <= 4 n epsilon growth
 * max |a(i,j)|, and the logarithm changes by at most n |E| |A^-1|. Without pivots growth is now and then a thousand.
 */
static double determinant_error(int64_t n, double condition, double growth) {
    const double size = (double)n;
    return 4 * size * size * size * condition * fmax(1, growth) * test_epsilon(rs_fp64 ? CLSOLVE_F64 : CLSOLVE_F32);
}

/* The determinant is A's own: that of W^T A V without those of W and V, and with its sign. */
TEST(test_determinant) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 21, 40};
    test_random random = test_random_start(52);
    int told = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int run = 0; run < 4; ++run) {
            const clsolve_type type = run == 3 ? CLSOLVE_C64 : CLSOLVE_F64;
            int64_t n = sizes[s];
            SCRATCH double *real = test_doubles(n * n), *A = NULL;
            test_with_condition(&random, n, 3, 10, real);
            A = rs_turned(type, n, real);
            clsolve_lu_options options = rbt_options((uint64_t)run), partial = rs_plain;
            rbt_answer a = rbt_solve(&random, type, CLSOLVE_COLUMN_MAJOR, &options, CLSOLVE_NO_TRANS, n, 1, A);
            rbt_answer b = rbt_solve(&random, type, CLSOLVE_COLUMN_MAJOR, &partial, CLSOLVE_NO_TRANS, n, 1, A);
            assert_string_equal(b.report.direct.pivoting_used, "partial");
            assert_null(b.report.direct.pivoting_fallback);
            const double allowed = determinant_error(n, 10, a.report.direct.growth);
            const double error = fabs(a.report.direct.log_abs_det - b.report.direct.log_abs_det);
            if (allowed < 0.5) {
                const double turned = a.report.direct.det_phase - b.report.direct.det_phase;
                assert_int_equal(a.report.direct.det_sign, b.report.direct.det_sign);
                assert_true(fabs(remainder(turned, 2 * acos(-1))) <= allowed);
                if (!(error <= allowed))
                    fail_msg("n %d: %.17g: %g off, not %g", (int)n, a.report.direct.log_abs_det, error, allowed);
                told++;
            }
        }
    assert_true(told > 0);
}

/* One seed gives the same bits each time, for the handle's next matrix too. Another seed gives other factors. Refinement may
 * bring both to the same solution, because residuals can be more accurate than double. */
TEST(test_of_a_seed) {
    enum { N = 45 };
    test_random random = test_random_start(53);
    double *A = rbt_random_matrix(&random, CLSOLVE_F64, N), B[N], X[4][N], growth[4];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A);
    clsolve_report report;
    for (int64_t i = 0; i < N; ++i) A[i + i * N] += 4;
    test_random_fill(&random, B, N);
    for (int run = 0; run < 3; ++run) {
        clsolve_lu_options options = rbt_options(run < 2 ? 7 : 8);
        clsolve_lu *lu = NULL;
        assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F64, &options, &lu), CLSOLVE_OK);
        for (int again = 0; again <= (run == 1); ++again) {
            const int place = run + (again ? 2 : 0);
            clsolve_matrix x = clsolve_matrix_f64(N, 1, X[place]);
            memcpy(X[place], B, sizeof B);
            assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x), CLSOLVE_OK);
            assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
            assert_string_equal(report.direct.pivoting_used, "rbt");
            growth[place] = report.direct.growth;
        }
        clsolve_lu_destroy(lu);
        if (run == 1) {
            assert_memory_equal(X[0], X[1], sizeof B);
            assert_memory_equal(X[0], X[3], sizeof B);
            assert_true(growth[0] == growth[1] && growth[0] == growth[3]);
        }
    }
    assert_true(growth[0] != growth[2]);
    free(A);
}

/* ---- with what else a handle has ---- */

/* Float factors without pivots; then with; then double ones. */
TEST(test_mixed) {
    enum { N = 100 };
    test_random random = test_random_start(62);
    SCRATCH double *A = test_doubles(N * N);
    clsolve_lu_options options = rbt_options(0);
    options.precision = CLSOLVE_PRECISION_MIXED;
    test_with_condition(&random, N, 3, 1e3, A);
    rbt_answer out;
    int kept = 0;
    for (; options.seed < 6; ++options.seed) { /* float has few digits to lose: see test_stays */
        out = rbt_solve(&random, CLSOLVE_F64, CLSOLVE_ROW_MAJOR, &options, CLSOLVE_TRANS, N, 20, A);
        assert_int_equal(out.solved, CLSOLVE_OK);
        assert_string_equal(out.report.precision, "mixed");
        assert_true(out.report.iterations > 0);
        kept += strcmp(out.report.direct.pivoting_used, "rbt") == 0;
    }
    assert_true(kept > 0);

    memset(A, 0, N * N * sizeof *A);
    rbt_cycle(N, A);
    out = rbt_solve(&random, CLSOLVE_F64, CLSOLVE_ROW_MAJOR, &options, CLSOLVE_TRANS, N, 2, A);
    assert_int_equal(out.solved, CLSOLVE_OK);
    assert_string_equal(out.report.precision, "mixed");
    assert_string_equal(out.report.direct.pivoting_used, "partial");
    assert_null(out.report.direct.fallback);

    test_with_condition(&random, N, 3, 1e17, A);
    options.rcond = 1;
    out = rbt_solve(&random, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, &options, CLSOLVE_NO_TRANS, N, 2, A);
    if (rs_fp64) {
        assert_int_equal(out.solved, CLSOLVE_OK);
        assert_string_equal(out.report.precision, "double");
        assert_string_equal(out.report.direct.pivoting_used, "partial");
        assert_non_null(out.report.direct.fallback);
        assert_non_null(out.report.direct.pivoting_fallback);
    } else {
        assert_true(out.solved == CLSOLVE_OK || out.solved == CLSOLVE_NOT_CONVERGED);
    }
}

/* A up once, right-hand sides O(n) a step; after a fallback A does not cross again. Several slabs make no difference. */
TEST(test_transfers) {
    enum { N = 203 };
    test_random random = test_random_start(63);
    if (!rs_fp64) skip();
    for (int sparse = 0; sparse < 2; ++sparse)
        for (int slabs = 0; slabs < 2; ++slabs) {
            clsolve_lu_options options = rbt_options(4);
            SCRATCH double *A = test_doubles(N * N);
            if (sparse)
                rbt_cycle(N, A);
            else
                test_with_condition(&random, N, 3, 10, A);
            if (slabs) options.slab_bytes = N * 8 * 48, options.block = 16;
            rbt_answer out = rbt_solve(&random, CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, &options, CLSOLVE_NO_TRANS, N, 1, A);
            assert_int_equal(out.solved, CLSOLVE_OK);
            assert_string_equal(out.report.direct.pivoting_used, sparse ? "partial" : "rbt");
            assert_true(!slabs || out.report.slabs > 4);
            int64_t matrix = N * N * 8, vectors = (out.report.iterations + 12) * 3 * N * 8;
            assert_in_range(out.report.bytes_up, matrix, matrix + vectors);
            assert_in_range(out.report.bytes_down, N * 8, vectors);
        }
}

/* Refused at once, with what to do; arguments that are none. */
TEST(test_refused) {
    enum { N = 300 };
    clsolve_lu_options options = rbt_options(0);
    clsolve_lu *lu = NULL;
    options.pivoting = (clsolve_pivoting)9;
    assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F32, &options, &lu), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(rs_context), "clsolve_pivoting"));
    options.pivoting = CLSOLVE_PIVOTING_RBT;
    options.memory_limit = N * N * 2;
    assert_int_equal(clsolve_lu_create(rs_context, N, CLSOLVE_F32, &options, &lu), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(rs_context), "choose partial pivoting"));
    assert_null(lu);
}

/* A limit that has room for the factors and not for A beside them: A is kept on the host. */
TEST(test_kept_on_host) {
    enum { N = 400 };
    test_random random = test_random_start(64);
    for (int sparse = 0; sparse < 2; ++sparse)
        for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type)
            for (int layout = CLSOLVE_COLUMN_MAJOR; layout <= CLSOLVE_ROW_MAJOR; ++layout) {
                clsolve_lu_options options = rbt_options(2);
                int64_t size = rbt_reaches((clsolve_type)type) && type == CLSOLVE_F64 ? 8 : 4;
                SCRATCH double *A = test_doubles(N * N);
                if (sparse)
                    rbt_cycle(N, A);
                else
                    test_with_condition(&random, N, 3, 10, A);
                for (int64_t k = 0; k < N * N; ++k) A[k] = test_rounded((clsolve_type)type, A[k]);
                options.memory_limit = N * (N + 140) * size + 300000; /* less than two matrices */
                rbt_answer out =
                    rbt_solve(&random, (clsolve_type)type, (clsolve_layout)layout, &options, CLSOLVE_TRANS, N, 3, A);
                assert_int_equal(out.solved, CLSOLVE_OK);
                if (size == 8 || sparse)
                    assert_string_equal(out.report.direct.pivoting_used, sparse ? "partial" : "rbt");
                assert_int_equal(out.report.slab_columns, 0);
                assert_true(out.report.device_bytes <= options.memory_limit);
            }
}

TEST_PROGRAM(rs_open, rs_close)
