/* family_tests.h: the tests of the enqueueing calls, for each of the families of families.h, whose head says what the
 * program defines before it includes this file. FAMILY_TESTS lists them. */
#include "enqueue/families.h"
#include "enqueue/sequences.h"

static void late_arrays(void **state) {
    for (int f = 0; f < FAMILIES; f++) {
        event there = NULL, middle = NULL, done = NULL;
        rig r = rig_open(&families[f], GOOD, &there);
        assert_int_equal(r.f->status(&r), CLSOLVE_OK);
        ENQUEUED(r.f->first(&r, 1, &there, &middle));
        assert_non_null(middle);
        event both[] = {there, middle};
        ENQUEUED(r.f->second(&r, 2, both, &done));
        assert_non_null(done);
        event_finish(done);
        if (!r.f->solved(&r)) fail_msg("%s is not solved", r.f->name);
        assert_int_equal(r.f->status(&r), CLSOLVE_OK);
        event_finish(there);
        event_finish(middle);
        rig_close(&r);
    }
}

/* The outcome is told by the status call alone, again and again, whatever is refused in between. */
static void expect_outcome(rig *r, clsolve_status expected) {
    char message[4096] = "";
    int64_t rows = r->m[0].view.rows;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(r->f->status(r), expected);
        if (again && expected != CLSOLVE_OK) assert_string_equal(clsolve_context_message(caller_context), message);
        (void)snprintf(message, sizeof message, "%s", clsolve_context_message(caller_context));
        if (expected != CLSOLVE_OK && !strstr(message, r->f->name)) fail_msg("%s", message);
        r->m[0].view.offset = -1;
        r->m[0].view.rows = -1;
        assert_int_equal(r->f->first(r, 0, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        r->m[0].view.rows = rows;
        r->m[0].view.offset = r->m[1].view.offset;
    }
}

static void outcomes(void **state) {
    for (int f = 0; f < FAMILIES; f++)
        for (int how = SINGULAR; how <= NAN_IN_SIDES; how++) {
            const clsolve_status told[] = {CLSOLVE_OK, families[f].singular, CLSOLVE_ERROR_NONFINITE};
            rig r = rig_open(&families[f], (spoil)how, NULL);
            event done = NULL;
            clsolve_status one = how == NAN_IN_SIDES ? r.f->sides[0] : told[how];
            clsolve_status two = how == NAN_IN_SIDES ? r.f->sides[1] : told[how];
            ENQUEUED(r.f->first(&r, 0, NULL, &done));
            assert_non_null(done);
            event_finish(done);
            expect_outcome(&r, one);
            if (one != CLSOLVE_OK) rig_unchanged(&r, r.f->first_result);
            for (int again = 0; again < 2; again++) {
                done = NULL;
                ENQUEUED(r.f->second(&r, 0, NULL, &done));
                assert_non_null(done);
                event_finish(done);
                expect_outcome(&r, two);
                if (two != CLSOLVE_OK) rig_unchanged(&r, r.f->second_result);
            }
            rig_close(&r);
        }
}

/* An iteration that ends too early is an outcome too; a call that waits replaces the outcome. */
static void not_converged(void **state) {
    clsolve_block_gs_options options = {
        .method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .max_iterations = 1, .tolerance = 1e-7};
    rig r = rig_open(&families[FAMILIES - 1], GOOD, NULL);
    event done = NULL;
    grid_destroy(&r);
    ENQUEUED(clsolve_block_gs_create(caller_context, LINES, POINTS, caller_type, &options, &r.block_gs));
    ENQUEUED(grid_first(&r, 0, NULL, NULL));
    ENQUEUED(grid_second(&r, 0, NULL, &done));
    assert_non_null(done);
    event_finish(done);
    assert_int_equal(grid_status(&r), CLSOLVE_NOT_CONVERGED);
    assert_non_null(strstr(clsolve_context_message(caller_context), "block_gs_solve_enqueue"));
    clsolve_grid *g = grid_views(&r);
    ENQUEUED(clsolve_block_gs_factor(r.block_gs, &g[0], &g[1], &g[2], &g[3], &g[4]));
    assert_int_equal(grid_status(&r), CLSOLVE_OK);
    rig_close(&r);
}

static void refuse(rig *r, int count, const event *wait, const char *words) {
    event done = (event)r; /* becomes NULL */
    assert_int_equal(r->f->first(r, count, wait, &done), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(done);
    if (!strstr(clsolve_context_message(caller_context), words))
        fail_msg("%s", clsolve_context_message(caller_context));
}

static void arguments(void **state) {
    for (int f = 0; f < FAMILIES; f++) {
        rig r = rig_open(&families[f], GOOD, NULL);
        event none = NULL;
        refuse(&r, 1, NULL, "wait list");
        refuse(&r, 0, &none, "wait list");
        refuse(&r, 1, &none, "event 0 of the wait list is NULL");
        clsolve_matrix view = r.m[0].view;
        r.m[0].view.place = CLSOLVE_ON_HOST;
        r.m[0].view.offset = 0;
        refuse(&r, 0, NULL, "is on the host: give one of clsolve_");
        r.m[0].view = view;
        r.m[0].view.offset += 1000000;
        assert_int_equal(r.f->first(&r, 0, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        r.m[0].view = view;
        assert_int_equal(r.f->other(&r), CLSOLVE_ERROR_INVALID_ARGUMENT);
        if (!strstr(clsolve_context_message(caller_context), "context is on"))
            fail_msg("%s", clsolve_context_message(caller_context));
        if (r.f->first_result < 0) assert_int_equal(r.f->second(&r, 0, NULL, NULL), CLSOLVE_ERROR_STATE);
        for (int q = 0; q < r.arrays; q++) rig_unchanged(&r, q);
        assert_int_equal(r.f->status(&r), CLSOLVE_OK);
        rig_close(&r);

        rig no_handle = {.f = &families[f]};
        event done = (event)&no_handle;
        assert_int_equal(r.f->first(&no_handle, 0, NULL, &done), CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_null(done);
        assert_int_equal(r.f->status(&no_handle), CLSOLVE_ERROR_INVALID_ARGUMENT);
    }
}

/* ---- batches: members of order 6, all right-hand sides 1 times the matrix; member 2 is spoilt ---- */

enum { SMALL = 6, MEMBERS = 5, SPOILT = 2 };

static clsolve_batch batch_view(const array *a, int64_t cols) {
    const clsolve_matrix *m = &a->view;
    return (clsolve_batch){
        m->type, CLSOLVE_COLUMN_MAJOR, MEMBERS, m->rows, cols, m->ld, m->ld * cols, NULL, m->data, m->place, m->offset};
}

/* Dense members, or tridiagonal ones in a band's storage of three rows; `diagonals`: the three apart. */
typedef struct members {
    double dense[SMALL * SMALL * MEMBERS], band[3 * SMALL * MEMBERS], diagonal[3][SMALL * MEMBERS];
    double sides[SMALL * MEMBERS];
} members;

static void members_fill(members *v) {
    memset(v, 0, sizeof *v);
    for (int m = 0; m < MEMBERS; m++)
        for (int j = 0; j < SMALL; j++)
            for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < SMALL; i++) {
                double value = m == SPOILT && j == 3 ? 0 : i == j ? 8 + m : i < j ? 1 : 2;
                v->dense[i + SMALL * (j + SMALL * m)] = value;
                v->band[1 + i - j + 3 * (j + SMALL * m)] = value;
                v->diagonal[i > j ? 0 : i == j ? 1 : 2][i + SMALL * m] = value;
                v->sides[i + SMALL * m] += value;
            }
}

static void members_solved(array *B, const int64_t *info, const double *sides, const char *name) {
    double X[SMALL * MEMBERS];
    array_get(B, X);
    for (int k = 0; k < SMALL * MEMBERS; k++) {
        int spoilt = k / SMALL == SPOILT;
        assert_true(spoilt ? info[SPOILT] > 0 : info[k / SMALL] == 0);
        if (!(fabs(X[k] - (spoilt ? sides[k] : 1)) < 1e-4)) fail_msg("%s: element %d is %g", name, k, X[k]);
    }
}

/* Refused at once, and nothing changes: by the other backend, on the host, with a wrong wait list, in a wrong order. */
#define BATCH_REFUSED(call, status, words)                                                                             \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        if (!strstr(clsolve_context_message(caller_context), words))                                                   \
            fail_msg("%s", clsolve_context_message(caller_context));                                                   \
    } while (0)

static void gauss_jordan_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, done = NULL;
    clsolve_gauss_jordan_batch *batch;
    members_fill(&v);
    array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1),
                  host = clsolve_batch_f64(MEMBERS, SMALL, 1, v.sides);
    host.type = caller_type;
    ENQUEUED(clsolve_gauss_jordan_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_gauss_jordan_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &a, &host, info, NULL),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "B is on the host");
    BATCH_REFUSED(clsolve_gauss_jordan_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &a, &b, info, OTHER_EVENTS),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "context is on");
    BATCH_REFUSED(
        clsolve_gauss_jordan_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &a, &b, info, EVENTS(1, NULL, NULL)),
        CLSOLVE_ERROR_INVALID_ARGUMENT, "wait list");
    assert_int_equal(clsolve_gauss_jordan_batch_status(batch), CLSOLVE_OK);
    ENQUEUED(clsolve_gauss_jordan_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &a, &b, info, EVENTS(1, &there, &done)));
    assert_non_null(done);
    event_finish(done);
    event_finish(there);
    members_solved(&B, info, v.sides, "gauss_jordan_batch");
    ENQUEUED(clsolve_gauss_jordan_batch_invert_enqueue(batch, &a, &a, info, NULL));
    assert_true(info[0] == 0 && info[SPOILT] > 0);
    assert_int_equal(clsolve_gauss_jordan_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_gauss_jordan_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_gauss_jordan_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

static void lu_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_lu_batch *batch;
    (void)state;
    members_fill(&v);
    array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1);
    ENQUEUED(clsolve_lu_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, NULL), CLSOLVE_ERROR_STATE,
                  "clsolve_lu_batch_factor first");
    BATCH_REFUSED(clsolve_lu_batch_factor_enqueue(batch, &a, info, OTHER_EVENTS), CLSOLVE_ERROR_INVALID_ARGUMENT,
                  "context is on");
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, info, EVENTS(1, &there, &middle)));
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "lu_batch");
    ENQUEUED(clsolve_lu_batch_inverse_enqueue(batch, &a, info, NULL));
    assert_true(info[0] == 0 && info[SPOILT] != 0);
    assert_int_equal(clsolve_lu_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_lu_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

/* Without `info` the infos stay on the device: of a factorization behind a solve, and of both behind more of them. */
static void infos_stay(void **state) {
    static members v;
    int64_t info[MEMBERS], later[MEMBERS];
    event there = NULL;
    clsolve_lu_batch *batch;
    clsolve_report report;
    (void)state;
    members_fill(&v);
    array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    array C = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1), c = batch_view(&C, 1);
    ENQUEUED(clsolve_lu_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_lu_batch_infos(batch, info), CLSOLVE_ERROR_STATE, "clsolve_lu_batch_factor first");
    assert_int_equal(clsolve_lu_batch_factor(batch, &a, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, NULL, EVENTS(1, &there, NULL)));
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, NULL, NULL));
    BATCH_REFUSED(clsolve_lu_batch_infos(batch, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "info is NULL");
    ENQUEUED(clsolve_lu_batch_infos(batch, info));
    event_finish(there);
    members_solved(&B, info, v.sides, "infos of a solve");
    assert_int_equal(clsolve_lu_batch_report(batch, &report), CLSOLVE_OK);
    assert_true(report.member == SPOILT + 1 && report.info == info[SPOILT] && report.nrhs == 1);
    ENQUEUED(clsolve_lu_batch_infos(batch, later)); /* again */
    assert_memory_equal(info, later, sizeof info);

    /* A call with `info` behind calls without it; the status call waits. */
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, NULL, NULL));
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &c, later, NULL));
    members_solved(&C, later, v.sides, "infos of the factorization alone stayed");
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, NULL, NULL));
    assert_int_equal(clsolve_lu_batch_status(batch), CLSOLVE_OK);
    ENQUEUED(clsolve_lu_batch_infos(batch, later));
    assert_memory_equal(info, later, sizeof info);
    ENQUEUED(clsolve_lu_batch_inverse_enqueue(batch, &a, NULL, NULL));
    ENQUEUED(clsolve_lu_batch_infos(batch, later));
    assert_true(later[0] == 0 && later[SPOILT] == info[SPOILT]);
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &c, NULL, NULL)); /* destroyed while it runs */
    clsolve_lu_batch_destroy(batch);
    assert_int_equal(clsolve_lu_batch_infos(NULL, info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    array_drop(&A);
    array_drop(&B);
    array_drop(&C);
}

/* Members of orders of their own: the call works before it returns. */
static void infos_of_orders(void **state) {
    static members v;
    static const int64_t orders[MEMBERS] = {SMALL, SMALL, SMALL, SMALL, SMALL};
    int64_t info[MEMBERS];
    clsolve_cholesky_batch *batch;
    (void)state;
    members_fill(&v);
    array A = array_put(SMALL, SMALL * MEMBERS, v.dense);
    clsolve_batch a = batch_view(&A, SMALL);
    ENQUEUED(clsolve_cholesky_batch_create_ragged(caller_context, orders, MEMBERS, caller_type, NULL, &batch));
    ENQUEUED(clsolve_cholesky_batch_factor_enqueue(batch, CLSOLVE_UPPER, &a, NULL, NULL));
    ENQUEUED(clsolve_cholesky_batch_infos(batch, info));
    for (int m = 0; m < MEMBERS; m++) assert_int_equal(info[m], m == SPOILT ? 4 : 0);
    clsolve_cholesky_batch_destroy(batch);
    array_drop(&A);
}

/* Of the upper triangles. */
static void cholesky_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_cholesky_batch *batch;
    members_fill(&v);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < SMALL; i++) v.sides[i + SMALL * m] = 8 + m + (i > 0) + (i + 1 < SMALL);
    array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1),
                  host = clsolve_batch_f64(MEMBERS, SMALL, 1, v.sides);
    host.type = caller_type;
    ENQUEUED(clsolve_cholesky_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_cholesky_batch_solve_enqueue(batch, &b, info, NULL), CLSOLVE_ERROR_STATE,
                  "clsolve_cholesky_batch_factor first");
    BATCH_REFUSED(clsolve_cholesky_batch_factor_enqueue(batch, CLSOLVE_UPPER, &a, info, OTHER_EVENTS),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "context is on");
    ENQUEUED(clsolve_cholesky_batch_factor_enqueue(batch, CLSOLVE_UPPER, &a, info, EVENTS(1, &there, &middle)));
    BATCH_REFUSED(clsolve_cholesky_batch_solve_enqueue(batch, &host, info, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT,
                  "B is on the host");
    BATCH_REFUSED(clsolve_cholesky_batch_solve_enqueue(batch, &b, info, EVENTS(1, NULL, NULL)),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "wait list");
    ENQUEUED(clsolve_cholesky_batch_solve_enqueue(batch, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "cholesky_batch");
    ENQUEUED(clsolve_cholesky_batch_inverse_enqueue(batch, CLSOLVE_LOWER, &a, info, NULL));
    assert_true(info[0] == 0 && info[SPOILT] == 4);
    assert_int_equal(clsolve_cholesky_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_cholesky_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

/* No window on the diagonal of [0 C^T; C 0] has pivots: the status call ends such a factorization, and a solve behind it
 * has left B alone. Where calls work before they return nobody is left anything. */
static void ldl_ended_by_status(void **state) {
    enum { N = 160, HALF = N / 2 };
    static double A[N * N], ones[N], B[N], X[N];
    clsolve_ldl *ldl;
    clsolve_inertia inertia;
    memset(A, 0, sizeof A);
    memset(B, 0, sizeof B);
    for (int j = 0; j < HALF; j++)
        for (int i = j; i < HALF && i < j + 3; i++) {
            A[HALF + i + j * N] = A[j + (HALF + i) * N] = i == j ? 8 : i - j;
            B[HALF + i] += A[HALF + i + j * N];
            B[j] += A[HALF + i + j * N];
        }
    array a = array_put(N, N, A), b = array_put(N, 1, B);
    ENQUEUED(clsolve_ldl_create(caller_context, N, caller_type, NULL, &ldl));
    ENQUEUED(clsolve_ldl_factor_enqueue(ldl, CLSOLVE_UPPER, &a.view, NULL));
    ENQUEUED(clsolve_ldl_solve_enqueue(ldl, &b.view, NULL));
    const clsolve_status status = clsolve_ldl_status(ldl);
    if (status == CLSOLVE_NOT_CONVERGED) {
        assert_non_null(strstr(clsolve_context_message(caller_context), "solve again"));
        array_get(&b, X);
        assert_memory_equal(X, B, sizeof X);
        ENQUEUED(clsolve_ldl_solve_enqueue(ldl, &b.view, NULL));
        assert_int_equal(clsolve_ldl_status(ldl), CLSOLVE_OK);
    } else {
        assert_int_equal(status, CLSOLVE_OK);
        assert_null(test_env("CLSOLVE_PRETEND")); /* such calls do not wait */
    }
    array_get(&b, ones);
    for (int k = 0; k < N; k++) assert_true(fabs(ones[k] - 1) < 1e-4);
    ENQUEUED(clsolve_ldl_factor_enqueue(ldl, CLSOLVE_LOWER, &a.view, NULL));
    ENQUEUED(clsolve_ldl_inertia(ldl, &inertia)); /* waits, and ends it */
    assert_true(inertia.positive == HALF && inertia.negative == HALF);
    assert_int_equal(clsolve_ldl_status(ldl), CLSOLVE_OK);
    clsolve_ldl_destroy(ldl);
    array_drop(&a);
    array_drop(&b);
}

/* The Cholesky test has the refusals, which batches share. */
static void ldl_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_ldl_batch *batch;
    members_fill(&v);
    v.dense[3 + SMALL * (4 + SMALL * SPOILT)] = 0; /* row 3 is zeros */
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < SMALL; i++) v.sides[i + SMALL * m] = 8 + m + (i > 0) + (i + 1 < SMALL);
    array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1);
    ENQUEUED(clsolve_ldl_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    ENQUEUED(clsolve_ldl_batch_factor_enqueue(batch, CLSOLVE_UPPER, &a, info, EVENTS(1, &there, &middle)));
    ENQUEUED(clsolve_ldl_batch_solve_enqueue(batch, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "ldl_batch");
    ENQUEUED(clsolve_ldl_batch_inverse_enqueue(batch, CLSOLVE_LOWER, &a, info, NULL));
    assert_true(info[0] == 0 && info[SPOILT] != 0);
    assert_int_equal(clsolve_ldl_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_ldl_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_ldl_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

/* Tridiagonal members as sparse ones; the typical member is the first. */
static void sparse_batches(void **state) {
    enum { ENTRIES = 3 * SMALL - 2 };
    static members v;
    static double typical[ENTRIES], values[ENTRIES * MEMBERS];
    int32_t start[SMALL + 1] = {0}, column[ENTRIES];
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_sparse_batch *batch;
    members_fill(&v);
    for (int i = 0, e = 0; i < SMALL; start[++i] = e)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < SMALL; j++, e++) {
            column[e] = j;
            for (int m = 0; m < MEMBERS; m++) values[e + ENTRIES * m] = v.dense[i + SMALL * (j + SMALL * m)];
            typical[e] = values[e];
        }
    float singles[ENTRIES];
    for (int e = 0; e < ENTRIES; e++) singles[e] = (float)typical[e];
    clsolve_csr typical_member = clsolve_csr_f64(SMALL, start, column, typical);
    typical_member.type = caller_type;
    if (caller_type == CLSOLVE_F32) typical_member.values = singles;
    array A = array_put_late(ENTRIES, MEMBERS, values, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, 1), b = batch_view(&B, 1), host = clsolve_batch_f64(MEMBERS, SMALL, 1, v.sides);
    host.type = caller_type;
    ENQUEUED(clsolve_sparse_batch_create_csr(caller_context, &typical_member, MEMBERS, NULL, &batch));
    BATCH_REFUSED(clsolve_sparse_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, NULL), CLSOLVE_ERROR_STATE,
                  "clsolve_sparse_batch_factor first");
    BATCH_REFUSED(clsolve_sparse_batch_factor_enqueue(batch, &a, info, OTHER_EVENTS), CLSOLVE_ERROR_INVALID_ARGUMENT,
                  "context is on");
    ENQUEUED(clsolve_sparse_batch_factor_enqueue(batch, &a, info, EVENTS(1, &there, &middle)));
    BATCH_REFUSED(clsolve_sparse_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &host, info, NULL),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "B is on the host");
    BATCH_REFUSED(clsolve_sparse_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, EVENTS(1, NULL, NULL)),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "wait list");
    ENQUEUED(clsolve_sparse_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "sparse_batch");
    assert_int_equal(clsolve_sparse_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_sparse_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_sparse_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

static void band_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_band_batch *batch;
    members_fill(&v);
    array A = array_put_late(3, SMALL * MEMBERS, v.band, &there), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1);
    ENQUEUED(clsolve_band_batch_create(caller_context, SMALL, 1, 1, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_band_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, NULL), CLSOLVE_ERROR_STATE,
                  "clsolve_band_batch_factor first");
    BATCH_REFUSED(clsolve_band_batch_factor_enqueue(batch, &a, info, OTHER_EVENTS), CLSOLVE_ERROR_INVALID_ARGUMENT,
                  "context is on");
    ENQUEUED(clsolve_band_batch_factor_enqueue(batch, &a, info, EVENTS(1, &there, &middle)));
    ENQUEUED(clsolve_band_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "band_batch");
    assert_int_equal(clsolve_band_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_band_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_band_batch_destroy(batch);
    array_drop(&A);
    array_drop(&B);
}

static void tridiagonal_batches(void **state) {
    static members v;
    int64_t info[MEMBERS];
    event there = NULL, middle = NULL, done = NULL;
    clsolve_tridiagonal_batch *batch;
    members_fill(&v);
    array D = array_put_late(SMALL, MEMBERS, v.diagonal[1], &there), L = array_put(SMALL, MEMBERS, v.diagonal[0]);
    array U = array_put(SMALL, MEMBERS, v.diagonal[2]), B = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch d = batch_view(&D, 1), l = batch_view(&L, 1), u = batch_view(&U, 1), b = batch_view(&B, 1);
    ENQUEUED(clsolve_tridiagonal_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    BATCH_REFUSED(clsolve_tridiagonal_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, NULL), CLSOLVE_ERROR_STATE,
                  "clsolve_tridiagonal_batch_factor first");
    BATCH_REFUSED(clsolve_tridiagonal_batch_factor_enqueue(batch, &l, &d, &u, info, OTHER_EVENTS),
                  CLSOLVE_ERROR_INVALID_ARGUMENT, "context is on");
    ENQUEUED(clsolve_tridiagonal_batch_factor_enqueue(batch, &l, &d, &u, info, EVENTS(1, &there, &middle)));
    ENQUEUED(clsolve_tridiagonal_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, info, EVENTS(1, &middle, &done)));
    assert_true(middle && done);
    event_finish(done);
    event_finish(middle);
    event_finish(there);
    members_solved(&B, info, v.sides, "tridiagonal_batch");
    assert_int_equal(clsolve_tridiagonal_batch_status(batch), CLSOLVE_OK);
    assert_int_equal(clsolve_tridiagonal_batch_status(NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_tridiagonal_batch_destroy(batch);
    array_drop(&D);
    array_drop(&L);
    array_drop(&U);
    array_drop(&B);
}

#define FAMILY_TESTS                                                                                                   \
    cmocka_unit_test(late_arrays), cmocka_unit_test(outcomes), cmocka_unit_test(not_converged),                        \
        cmocka_unit_test(arguments), cmocka_unit_test(gauss_jordan_batches), cmocka_unit_test(cholesky_batches),       \
        cmocka_unit_test(ldl_ended_by_status), cmocka_unit_test(ldl_batches), cmocka_unit_test(lu_batches),            \
        cmocka_unit_test(infos_stay), cmocka_unit_test(infos_of_orders), cmocka_unit_test(sparse_batches),             \
        cmocka_unit_test(band_batches), cmocka_unit_test(tridiagonal_batches), cmocka_unit_test(calls_in_any_order)
