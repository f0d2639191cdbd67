/*
 * array_tests.h: values of A, B and X in the caller's memory on the device, for OpenCL and for CUDA. array_systems.h
 * says what the program defines before it includes this file.
 */
#include "sparse/array_systems.h"

/* ---- solutions ---- */

typedef struct sides {
    clsolve_op op;
    clsolve_layout layout;
    int64_t nrhs;
} sides;

/* X of B on the device, by the handle; `little`: no B and no X may cross. */
static double *solve_there(const system_of *s, const sides *of, const double *B, int little) {
    const int64_t elements = s->A.n * of->nrhs;
    double *X = test_elements(s->kind->type, elements);
    caller_type = s->kind->type;
    array b = array_put(of->layout, s->A.n, of->nrhs, B);
    const cls_counters before = counters();
    OK(clsolve_sparse_solve(s->sparse, of->op, &b.view));
    const cls_counters moved = cls_counters_since(&caller_context->device->counters, &before);
    if (little) {
        assert_int_equal(moved.bytes_up, 0);
        assert_true(moved.bytes_down < elements * cls_type_size(s->kind->type) / 2);
    }
    array_get(&b, X);
    array_drop(&b);
    const double error = triplets_backward(&s->A, s->kind->type, of->op, of->nrhs, B, X);
    if (!(error <= triplets_bound(s->A.n, s->kind->type))) fail_msg("%s: backward error %.2g", s->kind->name, error);
    return X;
}

/* The same by a handle that had its values from the host, for B on the host. */
static double *solve_here(const system_of *s, clsolve_sparse *sparse, const sides *of, const double *B) {
    scratch_matrix b = test_matrix_make(s->kind->type, of->layout, s->A.n, of->nrhs, 2);
    double *X = test_elements(s->kind->type, s->A.n * of->nrhs);
    test_matrix_set(&b, B);
    OK(clsolve_sparse_solve(sparse, of->op, &b.view));
    test_matrix_get(&b, X);
    return X;
}

/* The last `count` of four ways. */
static void compare(const system_of *s, clsolve_sparse *other, size_t count) {
    static const sides all[] = {{CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1},
                                {CLSOLVE_TRANS, CLSOLVE_ROW_MAJOR, 3},
                                {CLSOLVE_CONJ_TRANS, CLSOLVE_COLUMN_MAJOR, 18},
                                {CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 18}};
    for (size_t k = 4 - count; k < 4; k++) {
        SCRATCH double *B = sides_of(s, all[k].nrhs);
        SCRATCH double *first = solve_there(s, &all[k], B, 0); /* the pattern goes up */
        SCRATCH double *X = solve_there(s, &all[k], B, stays(s->kind)), *wanted = solve_here(s, other, &all[k], B);
        for (int64_t i = 0; i < test_numbers(s->kind->type, s->A.n * all[k].nrhs); i++)
            if (X[i] != wanted[i] || first[i] != wanted[i])
                fail_msg("%s: %g is not %g", s->kind->name, X[i], wanted[i]);
    }
}

/* Values, B and X on the device give what those on the host give, and do not cross. */
TEST(each_kind) {
    for (int k = 0; k < KINDS; k++) {
        if (cls_is_double(kinds[k].type) && !has_double()) continue;
        system_of s = open_system(&kinds[k], NULL);
        clsolve_sparse *other = NULL;
        clsolve_report report;
        open_handle(&s, CLSOLVE_WHERE_DEVICE, &other);
        OK(clsolve_sparse_factor_csr(other, &s.rows.view));
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        compare(&s, other, 4);
        const cls_counters before = counters();
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view)); /* again, where all that is needed once is there */
        const cls_counters moved = cls_counters_since(&caller_context->device->counters, &before);
        if (stays(s.kind)) {
            assert_int_equal(moved.bytes_up, 0);
            assert_true(moved.bytes_down < s.rows.count * cls_type_size(s.kind->type) / 2);
        }
        compare(&s, other, 1);
        OK(clsolve_sparse_report(s.sparse, &report));
        assert_string_equal(report.where, "device");
        clsolve_sparse_destroy(other);
        close_system(&s);
    }
}

/* On the host the same calls copy the arrays down, and X up. */
TEST(on_the_host) {
    const sides of = {CLSOLVE_TRANS, CLSOLVE_ROW_MAJOR, 3};
    for (int k = 0; k < KINDS; k++) {
        if (cls_is_double(kinds[k].type) && !has_double()) continue;
        system_of s = open_system(&kinds[k], NULL);
        clsolve_report report;
        clsolve_sparse_destroy(s.sparse);
        open_handle(&s, CLSOLVE_WHERE_HOST, &s.sparse);
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        double *B = sides_of(&s, of.nrhs);
        free(solve_there(&s, &of, B, 0));
        free(B);
        OK(clsolve_sparse_report(s.sparse, &report));
        assert_string_equal(report.where, "host");
        assert_true(report.bytes_down > 0 && report.bytes_up > 0);
        close_system(&s);
    }
}

/* ---- the host takes over ---- */

/* Without matching the device replaces pivots, or finds one that is as good as zero. */
TEST(host_after_device) {
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 2};
    const pattern hard[] = {PATTERN_CYCLES, PATTERN_SADDLE, PATTERN_PERMUTED, PATTERN_POWER};
    int alone = 0;
    for (size_t k = 0; k < sizeof hard / sizeof hard[0] && has_double(); k++) {
        const kind kind = {"hard", hard[k], 120, CLSOLVE_F64, 0, 0, CLSOLVE_CHOICE_OFF, 0, 0};
        system_of s = open_system(&kind, NULL);
        clsolve_sparse *other = NULL;
        clsolve_report report, wanted;
        open_handle(&s, CLSOLVE_WHERE_HOST, &other);
        OK(clsolve_sparse_factor_csr(other, &s.rows.view));
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        double *B = sides_of(&s, of.nrhs);
        free(solve_there(&s, &of, B, 0));
        free(B);
        OK(clsolve_sparse_report(s.sparse, &report));
        OK(clsolve_sparse_report(other, &wanted));
        alone += strcmp(report.where, "host") == 0;
        assert_true(fabs(report.direct.log_abs_det - wanted.direct.log_abs_det) <= 1e-6 * (double)s.A.n);
        assert_int_equal(report.direct.det_sign, wanted.direct.det_sign);
        clsolve_sparse_destroy(other);
        close_system(&s);
    }
    assert_true(alone > 0 || !has_double());
}

enum { PIECE = 5, BLOCKS = 20 * PIECE };

/*
 * | D L  L  |  with L close to singular and a diagonal D that is tiny in some rows. In this order the pivots of these rows
 * | L   D L |  are so small that the device replaces them. Then A is another matrix, for which refinement does not
 *              converge. GMRES takes about as many steps as pivots were replaced. L has pieces, all of them or few so.
 */
static triplets stalling(int64_t pieces) {
    triplets A = {.n = 2 * BLOCKS};
    const double tiny = 1e-10, least = 2 * cos(acos(-1) / (PIECE + 1));
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j < A.n; j++) {
            const int64_t apart = i % BLOCKS - j % BLOCKS;
            const int64_t piece = i % BLOCKS / PIECE;
            const double L = apart == 0 ? least + (piece < pieces ? 1e-9 * (double)(piece + 1) : 1) : -1;
            const double D = piece < pieces && i % PIECE < 2 ? tiny : 3;
            if (apart >= -1 && apart <= 1 && piece == j % BLOCKS / PIECE)
                triplets_add(&A, i, j, i / BLOCKS == j / BLOCKS ? D * L : L);
        }
    triplets_sort(&A);
    return A;
}

TEST(refinement_stalls) {
    static const kind kind = {.name = "stalls", .type = CLSOLVE_F64};
    const sides all[] = {{CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 3}, {CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 18}};
    int64_t order[2 * BLOCKS];
    for (int64_t k = 0; k < 2 * BLOCKS; k++) order[k] = k;
    for (int k = 0; k < 8 && stays(&kind); k++) {
        const clsolve_sparse_options options = {.order = CLSOLVE_ORDER_GIVEN,
                                                .permutation = order,
                                                .matching = CLSOLVE_CHOICE_OFF,
                                                .amalgamation = CLSOLVE_CHOICE_OFF,
                                                .where = CLSOLVE_WHERE_DEVICE};
        const int few = k % 4 < 2;
        system_of s = open_of(&kind, stalling(few ? 1 : BLOCKS / PIECE), NULL);
        const cls_sparse_outcome *outcome;
        clsolve_report report;
        SCRATCH double *B = sides_of(&s, all[k % 2].nrhs);
        clsolve_sparse_destroy(s.sparse);
        OK(clsolve_sparse_create_csr(caller_context, &s.rows.view, &options, &s.sparse));
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        assert_int_equal(s.sparse->engine.made_there, few); /* else the factorization has left the device */
        free(k < 4 ? solve_there(&s, &all[k % 2], B, 0) : solve_here(&s, s.sparse, &all[k % 2], B));
        outcome = &s.sparse->engine.outcome;
        assert_true((outcome->gmres > 0) == few && outcome->iterations >= outcome->gmres);
        assert_int_equal(s.sparse->engine.made_there, few);
        OK(clsolve_sparse_report(s.sparse, &report));
        assert_int_equal(report.refinement.gmres_iterations, outcome->gmres);
        close_system(&s);
    }
}

/* Values that are not symmetric are refused, and the factors of before stay. */
TEST(not_symmetric) {
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    for (int k = 0; k < KINDS && has_double(); k++) {
        if (kinds[k].form == CLSOLVE_SPARSE_GENERAL || kinds[k].part != CLSOLVE_SPARSE_WHOLE) continue;
        system_of s = open_system(&kinds[k], NULL);
        SCRATCH double *values = doubles_of(&s), *B = sides_of(&s, 1);
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        values[test_numbers(s.kind->type, 1)] *= 2; /* entry 1 is not on the diagonal */
        array a = array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
        EXPECT(caller_context, clsolve_sparse_factor_values(s.sparse, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT,
               "has no equal on the other side");
        free(solve_there(&s, &of, B, 0));
        array_drop(&a);
        close_system(&s);
    }
}

/* Pivots of L D L^T were replaced: columns are paired by the values of now, which lie on the device, not by those of
 * create. */
TEST(paired_later) {
    static const kind kind = {
        .name = "paired", .pattern = PATTERN_CYCLES, .n = 120, .type = CLSOLVE_F64, .form = CLSOLVE_SPARSE_SYMMETRIC};
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    if (!has_double()) return;
    system_of s = open_system(&kind, NULL);
    clsolve_sparse_analysis analysis;
    SCRATCH double *values = doubles_of(&s);
    for (int64_t e = 0; e < s.A.count; e++) s.A.at[e].value *= 2;
    for (int64_t e = 0; e < s.rows.count; e++) values[e] *= 2;
    array a = array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
    for (int again = 0; again < 2; again++) {
        SCRATCH double *B = sides_of(&s, of.nrhs);
        OK(clsolve_sparse_factor_values(s.sparse, &a.view));
        free(solve_there(&s, &of, B, 0));
    }
    OK(clsolve_sparse_get_analysis(s.sparse, &analysis));
    assert_true(analysis.matched);
    array_drop(&a);
    close_system(&s);
}

/* ---- arguments ---- */

static void refuse(system_of *s, const clsolve_matrix *values, const char *words) {
    event done = (event)s; /* becomes NULL */
    EXPECT(caller_context, clsolve_sparse_factor_values_enqueue(s->sparse, values, EVENTS(0, NULL, &done)),
           CLSOLVE_ERROR_INVALID_ARGUMENT, words);
    assert_null(done);
    if (values->place == CLSOLVE_ON_DEVICE)
        EXPECT(caller_context, clsolve_sparse_factor_values(s->sparse, values), CLSOLVE_ERROR_INVALID_ARGUMENT, words);
}

TEST(arguments) {
    system_of s = open_system(&kinds[KINDS - 2], NULL);
    const event none = NULL;
    array b = array_put(CLSOLVE_COLUMN_MAJOR, s.A.n, 1, s.rows.values);
    clsolve_matrix view = s.values.view;
    EXPECT(caller_context, clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, NULL), CLSOLVE_ERROR_STATE,
           "there are no factors");
    EXPECT(caller_context, clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, EVENTS(1, &none, NULL)),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "is NULL");
    EXPECT(caller_context, clsolve_sparse_factor_values_enqueue(s.sparse, &view, OTHER_EVENTS),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "context is on");
    EXPECT(caller_context, clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, OTHER_EVENTS),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "context is on");
    view.offset += 1000000;
    refuse(&s, &view, "elements from offset");
    view = s.values.view;
    view.rows--;
    refuse(&s, &view, "values");
    view = s.values.view;
    view.type = CLSOLVE_F64;
    refuse(&s, &view, "values is of");
    view = s.values.view;
    view.layout = CLSOLVE_ROW_MAJOR;
    view.ld = 2;
    refuse(&s, &view, "gaps of 1");
    view = s.values.view;
    view.place = CLSOLVE_ON_HOST;
    view.offset = 0;
    refuse(&s, &view, "is on the host: give one of clsolve_");
    clsolve_matrix far = b.view;
    OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
    far.offset += 1000000;
    EXPECT(caller_context, clsolve_sparse_solve(s.sparse, CLSOLVE_NO_TRANS, &far), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "elements from offset");
    EXPECT(caller_context, clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &far, NULL),
           CLSOLVE_ERROR_INVALID_ARGUMENT, "elements from offset");
    assert_int_equal(clsolve_sparse_factor_values_enqueue(NULL, &view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_sparse_solve_enqueue(NULL, CLSOLVE_NO_TRANS, &far, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_sparse_factor_values(NULL, &view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_sparse_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    array_drop(&b);
    close_system(&s);
}

/* ---- less usual handles ---- */

/* Without values at create the first ones are analysed on the host; with rcond they come down. */
TEST(first_values) {
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    for (int rcond = 0; rcond < 2 && has_double(); rcond++) {
        system_of s = open_system(&kinds[1], NULL);
        const clsolve_sparse_options options = {.where = CLSOLVE_WHERE_DEVICE, .rcond = rcond};
        clsolve_csr pattern_alone = s.rows.view;
        double *B = sides_of(&s, 1);
        clsolve_report report;
        pattern_alone.values = NULL;
        clsolve_sparse_destroy(s.sparse);
        OK(clsolve_sparse_create_csr(caller_context, &pattern_alone, &options, &s.sparse));
        for (int again = 0; again < 3; again++) {
            OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
            free(solve_there(&s, &of, B, 0));
            OK(clsolve_sparse_report(s.sparse, &report));
            assert_true(rcond ? report.direct.rcond > 0 && report.direct.rcond <= 1 : report.direct.rcond < 0);
        }
        OK(clsolve_sparse_factor_csr(s.sparse, &s.rows.view)); /* from both places in turn */
        free(solve_there(&s, &of, B, 0));
        free(B);
        close_system(&s);
    }
}

/* The solver of clsolve/solve.h gives B to the sparse method as it is. */
TEST(solver) {
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_SPARSE_LU, .where = CLSOLVE_WHERE_DEVICE};
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].form == DEFINITE || kinds[k].unsorted || (cls_is_double(kinds[k].type) && !has_double())) continue;
        system_of s = open_system(&kinds[k], NULL);
        clsolve_solver *made = NULL;
        clsolve_solve_report report;
        SCRATCH double *B = sides_of(&s, 2), *X = sides_of(&s, 2);
        OK(clsolve_solver_create_csr(caller_context, &s.rows.view, &options, &made));
        OK(clsolve_solver_factor_csr(made, &s.rows.view));
        for (int again = 0; again < 2; again++) {
            array b = array_put(CLSOLVE_ROW_MAJOR, s.A.n, 2, B);
            const cls_counters before = counters();
            OK(clsolve_solver_solve(made, CLSOLVE_TRANS, &b.view));
            const cls_counters moved = cls_counters_since(&caller_context->device->counters, &before);
            if (again && stays(s.kind)) assert_int_equal(moved.bytes_up, 0);
            array_get(&b, X);
            array_drop(&b);
            assert_true(triplets_backward(&s.A, s.kind->type, CLSOLVE_TRANS, 2, B, X) <=
                        2 * triplets_bound(s.A.n, s.kind->type));
        }
        OK(clsolve_solver_report(made, &report));
        assert_true(report.backward_error >= 0 && report.backward_error <= triplets_bound(s.A.n, s.kind->type));
        clsolve_solver_destroy(made);
        close_system(&s);
    }
}

/* The solver's X of two right-hand sides, on the device or on the host, is accurate. Returns what crossed. */
static cls_counters solver_solves(const system_of *s, clsolve_solver *made, int there) {
    SCRATCH double *B = sides_of(s, 2), *X = sides_of(s, 2);
    scratch_matrix host = test_matrix_make(s->kind->type, CLSOLVE_COLUMN_MAJOR, s->A.n, 2, 1);
    array b = array_put(CLSOLVE_COLUMN_MAJOR, s->A.n, 2, B);
    test_matrix_set(&host, B);
    const cls_counters before = counters();
    OK(clsolve_solver_solve(made, CLSOLVE_TRANS, there ? &b.view : &host.view));
    const cls_counters moved = cls_counters_since(&caller_context->device->counters, &before);
    if (there)
        array_get(&b, X);
    else
        test_matrix_get(&host, X);
    array_drop(&b);
    const double error = triplets_backward(&s->A, s->kind->type, CLSOLVE_TRANS, 2, B, X);
    if (!(error <= 2 * triplets_bound(s->A.n, s->kind->type)))
        fail_msg("%s: backward error %.2g", s->kind->name, error);
    clsolve_solve_report report;
    OK(clsolve_solver_report(made, &report));
    assert_true(report.backward_error >= 0 && report.backward_error <= triplets_bound(s->A.n, s->kind->type));
    return moved;
}

static array values_times(const system_of *s, double factor) {
    SCRATCH double *values = doubles_of(s);
    for (int64_t e = 0; e < test_numbers(s->kind->type, s->rows.count); e++) values[e] *= factor;
    return array_put(CLSOLVE_COLUMN_MAJOR, s->rows.count, 1, values);
}

static void scale_system(system_of *s, double factor) {
    for (int64_t e = 0; e < s->A.count; e++) s->A.at[e].value *= factor;
}

/* New values of the solver on the device: with the factors of a sparse method there in double they do not cross. */
static void solver_takes(system_of *s, clsolve_solver *made) {
    const int by_host = cls_type_parts(s->kind->type) == 2 && s->kind->form == DEFINITE;
    array twice = values_times(s, 2), none = values_times(s, NAN), zero = values_times(s, 0);
    OK(clsolve_solver_factor_values(made, &s->values.view)); /* the first values choose the pivots, on the host */
    (void)solver_solves(s, made, 1);
    scale_system(s, 2);
    for (int again = 0; again < 2; again++) {
        const cls_counters before = counters();
        OK(clsolve_solver_factor_values(made, &twice.view));
        const cls_counters moved = cls_counters_since(&caller_context->device->counters, &before);
        if (again && stays(s->kind) && !by_host) {
            assert_int_equal(moved.bytes_up, 0);
            assert_true(moved.bytes_down < s->rows.count * cls_type_size(s->kind->type) / 2);
        }
        const cls_counters solved = solver_solves(s, made, 1);
        if (again && stays(s->kind)) assert_int_equal(solved.bytes_up, 0);
        (void)solver_solves(s, made, 0);
    }
    EXPECT(caller_context, clsolve_solver_factor_values(made, &none.view), CLSOLVE_ERROR_NONFINITE, "is NaN or Inf");
    (void)solver_solves(s, made, 1); /* the factors of before stay */
    scale_system(s, 0.5);
    OK(clsolve_solver_factor_csr(made, &s->rows.view)); /* from both places in turn */
    (void)solver_solves(s, made, 0);
    assert_int_equal(clsolve_solver_factor_values(made, &zero.view),
                     s->kind->form == DEFINITE ? CLSOLVE_NOT_POSITIVE_DEFINITE : CLSOLVE_SINGULAR);
    assert_int_equal(clsolve_solver_solve(made, CLSOLVE_NO_TRANS, &twice.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    array_drop(&twice);
    array_drop(&none);
    array_drop(&zero);
}

TEST(solver_values) {
    clsolve_solver_options options = {.where = CLSOLVE_WHERE_DEVICE};
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].part != CLSOLVE_SPARSE_WHOLE || (cls_is_double(kinds[k].type) && !has_double())) continue;
        system_of s = open_system(&kinds[k], NULL);
        clsolve_solver *made = NULL;
        options.method = kinds[k].form == CLSOLVE_SPARSE_GENERAL ? CLSOLVE_METHOD_SPARSE_LU
                         : kinds[k].form == DEFINITE             ? CLSOLVE_METHOD_SPARSE_CHOLESKY
                                                                 : CLSOLVE_METHOD_SPARSE_LDL;
        OK(clsolve_solver_create_csr(caller_context, &s.rows.view, &options, &made));
        solver_takes(&s, made);
        scratch_matrix host = test_matrix_make(kinds[k].type, CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, 0);
        SCRATCH double *values = doubles_of(&s);
        test_matrix_set(&host, values);
        OK(clsolve_solver_factor_values(made, &host.view));
        (void)solver_solves(&s, made, 1);
        host.view.rows--;
        EXPECT(caller_context, clsolve_solver_factor_values(made, &host.view), CLSOLVE_ERROR_INVALID_ARGUMENT,
               "values");
        assert_int_equal(clsolve_solver_factor_values(made, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_int_equal(clsolve_solver_factor_values(NULL, &host.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
        clsolve_solver_destroy(made);
        close_system(&s);
    }
}

#include "sparse/array_enqueue_tests.h"
