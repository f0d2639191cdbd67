/* family_tests.h: the tests of the enqueueing calls, for each of the families of families.h, whose head says what the
 * program defines before it includes this file. */
#include "enqueue/families.h"
#include "enqueue/sequences.h"

TEST(late_arrays) {
    for (int f = 0; f < FAMILIES; f++) {
        event there = NULL, middle = NULL, done = NULL;
        rig r = rig_open(&families[f], GOOD, &there);
        assert_int_equal(r.f->status(&r), CLSOLVE_OK);
        ENQUEUED(r.f->first(&r, EVENTS(1, &there, &middle)));
        assert_non_null(middle);
        event both[] = {there, middle};
        ENQUEUED(r.f->second(&r, EVENTS(2, both, &done)));
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
        assert_int_equal(r->f->first(r, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        r->m[0].view.rows = rows;
        r->m[0].view.offset = r->m[1].view.offset;
    }
}

TEST(outcomes) {
    for (int f = 0; f < FAMILIES; f++)
        for (int how = SINGULAR; how <= NAN_IN_SIDES; how++) {
            const clsolve_status told[] = {CLSOLVE_OK, families[f].singular, CLSOLVE_ERROR_NONFINITE};
            rig r = rig_open(&families[f], (spoil)how, NULL);
            event done = NULL;
            clsolve_status one = how == NAN_IN_SIDES ? r.f->sides[0] : told[how];
            clsolve_status two = how == NAN_IN_SIDES ? r.f->sides[1] : told[how];
            ENQUEUED(r.f->first(&r, EVENTS(0, NULL, &done)));
            assert_non_null(done);
            event_finish(done);
            expect_outcome(&r, one);
            if (one != CLSOLVE_OK) rig_unchanged(&r, r.f->first_result);
            for (int again = 0; again < 2; again++) {
                done = NULL;
                ENQUEUED(r.f->second(&r, EVENTS(0, NULL, &done)));
                assert_non_null(done);
                event_finish(done);
                expect_outcome(&r, two);
                if (two != CLSOLVE_OK) rig_unchanged(&r, r.f->second_result);
            }
            rig_close(&r);
        }
}

/* An iteration that ends too early is an outcome too; a call that waits replaces the outcome. */
TEST(not_converged) {
    clsolve_block_gs_options options = {
        .method = CLSOLVE_BLOCK_GS_GAUSS_SEIDEL, .max_iterations = 1, .tolerance = 1e-7};
    rig r = rig_open(&families[FAMILIES - 1], GOOD, NULL);
    event done = NULL;
    clsolve_block_gs *made = NULL;
    r.f->destroy(&r);
    ENQUEUED(clsolve_block_gs_create(caller_context, LINES, POINTS, caller_type, &options, &made));
    r.handle = made;
    ENQUEUED(r.f->first(&r, NULL));
    ENQUEUED(r.f->second(&r, EVENTS(0, NULL, &done)));
    assert_non_null(done);
    event_finish(done);
    assert_int_equal(r.f->status(&r), CLSOLVE_NOT_CONVERGED);
    assert_non_null(strstr(clsolve_context_message(caller_context), "block_gs_solve_enqueue"));
    clsolve_grid *g = grid_views(&r);
    ENQUEUED(clsolve_block_gs_factor(made, &g[0], &g[1], &g[2], &g[3], &g[4]));
    assert_int_equal(r.f->status(&r), CLSOLVE_OK);
    rig_close(&r);
}

static void refuse(rig *r, int count, const event *wait, const char *words) {
    event done = (event)r; /* becomes NULL */
    assert_int_equal(r->f->first(r, EVENTS(count, wait, &done)), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(done);
    if (!strstr(clsolve_context_message(caller_context), words))
        fail_msg("%s", clsolve_context_message(caller_context));
}

TEST(arguments) {
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
        assert_int_equal(r.f->first(&r, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
        r.m[0].view = view;
        assert_int_equal(r.f->first(&r, OTHER_EVENTS), CLSOLVE_ERROR_INVALID_ARGUMENT);
        if (!strstr(clsolve_context_message(caller_context), "context is on"))
            fail_msg("%s", clsolve_context_message(caller_context));
        if (r.f->first_result < 0) assert_int_equal(r.f->second(&r, NULL), CLSOLVE_ERROR_STATE);
        for (int q = 0; q < r.arrays; q++) rig_unchanged(&r, q);
        assert_int_equal(r.f->status(&r), CLSOLVE_OK);
        rig_close(&r);

        rig no_handle = {.f = &families[f]};
        event done = (event)&no_handle;
        assert_int_equal(r.f->first(&no_handle, EVENTS(0, NULL, &done)), CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_null(done);
        assert_int_equal(r.f->status(&no_handle), CLSOLVE_ERROR_INVALID_ARGUMENT);
    }
}

/* No window on the diagonal of [0 C^T; C 0] has pivots: the status call ends such a factorization, and a solve behind it
 * has left B alone. Where calls work before they return nobody is left anything. */
TEST(ldl_ended_by_status) {
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
    scratch_array a = array_put(N, N, A), b = array_put(N, 1, B);
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
}

/* ---- batches: members of order 6, all right-hand sides 1 times the matrix; member 2 is spoilt ---- */

enum { SMALL = 6, MEMBERS = 5, SPOILT = 2, ENTRIES = 3 * SMALL - 2 };

/* Tridiagonal members as dense ones, in a band's storage of three rows, as three diagonals, and by the rows of a sparse
 * matrix; right-hand sides, and those of the symmetric members that the upper triangles make. */
typedef struct members {
    double dense[SMALL * SMALL * MEMBERS], band[3 * SMALL * MEMBERS], diagonal[3][SMALL * MEMBERS];
    double values[ENTRIES * MEMBERS], sides[SMALL * MEMBERS], symmetric[SMALL * MEMBERS];
} members;

static void members_fill(members *v) {
    memset(v, 0, sizeof *v);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0, e = 0; i < SMALL; i++) {
            for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < SMALL; j++) {
                double value = m == SPOILT && j == 3 ? 0 : i == j ? 8 + m : i < j ? 1 : 2;
                v->dense[i + SMALL * (j + SMALL * m)] = v->values[e++ + ENTRIES * m] = value;
                v->band[1 + i - j + 3 * (j + SMALL * m)] = value;
                v->diagonal[i > j ? 0 : i == j ? 1 : 2][i + SMALL * m] = value;
                v->sides[i + SMALL * m] += value;
            }
            v->symmetric[i + SMALL * m] = 8 + m + (i > 0) + (i + 1 < SMALL);
        }
}

/* A batch: its members are up to three arrays. */
typedef struct many {
    void *handle;
    int arrays;
    array A[3], B;
    clsolve_batch a[3], b; /* their views */
    int64_t info[MEMBERS];
} many;

static clsolve_batch batch_view(const array *a, int64_t cols) {
    const clsolve_matrix *m = &a->view;
    return (clsolve_batch){
        m->type, CLSOLVE_COLUMN_MAJOR, MEMBERS, m->rows, cols, m->ld, m->ld * cols, NULL, m->data, m->place, m->offset};
}

/* The first array is all zeros before the event `there`. */
static void many_put(many *x, int64_t rows, int64_t cols, const double *values, event *there) {
    array *a = &x->A[x->arrays];
    *a = there ? array_put_late(rows, cols * MEMBERS, values, there) : array_put(rows, cols * MEMBERS, values);
    x->a[x->arrays++] = batch_view(a, cols);
}

static void many_solved(array *B, const int64_t *info, const double *sides, const char *name) {
    double X[SMALL * MEMBERS];
    array_get(B, X);
    for (int k = 0; k < SMALL * MEMBERS; k++) {
        int spoilt = k / SMALL == SPOILT;
        assert_true(spoilt ? info[SPOILT] > 0 : info[k / SMALL] == 0);
        if (!(fabs(X[k] - (spoilt ? sides[k] : 1)) < 1e-4)) fail_msg("%s: element %d is %g", name, k, X[k]);
    }
}

/* Refused at once, and nothing changes: by the other backend, on the host, with a wrong wait list, in a wrong order. */
#define REFUSED(call, status, words) TEST_EXPECT(caller_context, call, status, words)

/* A family: its factor call (of Gauss-Jordan none), its solve with right-hand sides b, and an inverse or OK. */
#define BATCH_OF(family, CREATE, FACTOR, SOLVE, INVERSE)                                                               \
    static clsolve_status family##_batch_created(many *x, const members *v) {                                          \
        clsolve_##family##_batch *made = NULL;                                                                         \
        const clsolve_status status = ((void)v, CREATE);                                                               \
        x->handle = made;                                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_batch_factor(many *x, const clsolve_events *e) {                                    \
        return FACTOR;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_batch_solve(many *x, clsolve_batch *b, const clsolve_events *e) {                   \
        return SOLVE;                                                                                                  \
    }                                                                                                                  \
    static clsolve_status family##_batch_inverse(many *x) {                                                            \
        return INVERSE;                                                                                                \
    }                                                                                                                  \
    static clsolve_status family##_batch_told(void *handle) {                                                          \
        return clsolve_##family##_batch_status(handle);                                                                \
    }                                                                                                                  \
    static void family##_batch_gone(void *handle) {                                                                    \
        clsolve_##family##_batch_destroy(handle);                                                                      \
    }
#define BATCH(family)                                                                                                  \
    "clsolve_" #family "_batch", family##_batch_created, family##_batch_factor, family##_batch_solve,                  \
        family##_batch_inverse, family##_batch_told, family##_batch_gone
#define NONE CLSOLVE_OK
#define BATCH_CREATE(family, ...)                                                                                      \
    clsolve_##family##_batch_create(caller_context, SMALL, __VA_ARGS__, caller_type, NULL, &made)

static clsolve_status create_sparse(const members *v, clsolve_sparse_batch **batch) {
    int32_t start[SMALL + 1] = {0}, column[ENTRIES];
    float singles[ENTRIES];
    for (int i = 0, e = 0; i < SMALL; start[++i] = e)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < SMALL; j++) column[e++] = j;
    for (int e = 0; e < ENTRIES; e++) singles[e] = (float)v->values[e];
    clsolve_csr typical = clsolve_csr_f64(SMALL, start, column, v->values);
    typical.type = caller_type;
    if (caller_type == CLSOLVE_F32) typical.values = singles;
    return clsolve_sparse_batch_create_csr(caller_context, &typical, MEMBERS, NULL, batch);
}

BATCH_OF(gauss_jordan, BATCH_CREATE(gauss_jordan, MEMBERS), NONE,
         clsolve_gauss_jordan_batch_solve_enqueue(x->handle, CLSOLVE_NO_TRANS, x->a, b, x->info, e),
         clsolve_gauss_jordan_batch_invert_enqueue(x->handle, x->a, x->a, x->info, NULL))
BATCH_OF(lu, BATCH_CREATE(lu, MEMBERS), clsolve_lu_batch_factor_enqueue(x->handle, x->a, x->info, e),
         clsolve_lu_batch_solve_enqueue(x->handle, CLSOLVE_NO_TRANS, b, x->info, e),
         clsolve_lu_batch_inverse_enqueue(x->handle, x->a, x->info, NULL))
BATCH_OF(cholesky, BATCH_CREATE(cholesky, MEMBERS),
         clsolve_cholesky_batch_factor_enqueue(x->handle, CLSOLVE_UPPER, x->a, x->info, e),
         clsolve_cholesky_batch_solve_enqueue(x->handle, b, x->info, e),
         clsolve_cholesky_batch_inverse_enqueue(x->handle, CLSOLVE_LOWER, x->a, x->info, NULL))
BATCH_OF(ldl, BATCH_CREATE(ldl, MEMBERS), clsolve_ldl_batch_factor_enqueue(x->handle, CLSOLVE_UPPER, x->a, x->info, e),
         clsolve_ldl_batch_solve_enqueue(x->handle, b, x->info, e),
         clsolve_ldl_batch_inverse_enqueue(x->handle, CLSOLVE_LOWER, x->a, x->info, NULL))
BATCH_OF(band, BATCH_CREATE(band, 1, 1, MEMBERS), clsolve_band_batch_factor_enqueue(x->handle, x->a, x->info, e),
         clsolve_band_batch_solve_enqueue(x->handle, CLSOLVE_NO_TRANS, b, x->info, e), NONE)
BATCH_OF(tridiagonal, BATCH_CREATE(tridiagonal, MEMBERS),
         clsolve_tridiagonal_batch_factor_enqueue(x->handle, &x->a[1], &x->a[0], &x->a[2], x->info, e),
         clsolve_tridiagonal_batch_solve_enqueue(x->handle, CLSOLVE_NO_TRANS, b, x->info, e), NONE)
BATCH_OF(sparse, create_sparse(v, &made), clsolve_sparse_batch_factor_enqueue(x->handle, x->a, x->info, e),
         clsolve_sparse_batch_solve_enqueue(x->handle, CLSOLVE_NO_TRANS, b, x->info, e), NONE)

typedef enum storage { DENSE, SYMMETRIC, BANDS, DIAGONALS, ROWS } storage;

/* clang-format off */
static const struct many_family {
    storage storage;
    int has_factor, has_inverse;
    const char *name;
    clsolve_status (*create)(many *x, const members *v);
    clsolve_status (*factor)(many *x, const clsolve_events *e);
    clsolve_status (*solve)(many *x, clsolve_batch *b, const clsolve_events *e);
    clsolve_status (*inverse)(many *x);
    clsolve_status (*status)(void *handle);
    void (*destroy)(void *handle);
} many_families[] = {
    {DENSE, 0, 1, BATCH(gauss_jordan)},
    {DENSE, 1, 1, BATCH(lu)},
    {SYMMETRIC, 1, 1, BATCH(cholesky)},
    {SYMMETRIC, 1, 1, BATCH(ldl)},
    {BANDS, 1, 0, BATCH(band)},
    {DIAGONALS, 1, 0, BATCH(tridiagonal)},
    {ROWS, 1, 0, BATCH(sparse)},
};
/* clang-format on */

static void each_batch(const struct many_family *f) {
    static members v;
    const clsolve_status invalid = CLSOLVE_ERROR_INVALID_ARGUMENT;
    const double *sides = f->storage == SYMMETRIC ? v.symmetric : v.sides;
    event there = NULL, middle = NULL, done = NULL;
    many x = {.arrays = 0};
    members_fill(&v);
    if (f->storage == SYMMETRIC) v.dense[3 + SMALL * (4 + SMALL * SPOILT)] = 0; /* row 3 is zeros */
    if (f->storage <= SYMMETRIC) many_put(&x, SMALL, SMALL, v.dense, &there);
    if (f->storage == BANDS) many_put(&x, 3, SMALL, v.band, &there);
    if (f->storage == ROWS) many_put(&x, ENTRIES, 1, v.values, &there);
    if (f->storage == DIAGONALS) {
        many_put(&x, SMALL, 1, v.diagonal[1], &there);
        many_put(&x, SMALL, 1, v.diagonal[0], NULL);
        many_put(&x, SMALL, 1, v.diagonal[2], NULL);
    }
    x.B = array_put(SMALL, MEMBERS, sides);
    x.b = batch_view(&x.B, 1);
    clsolve_batch host = clsolve_batch_f64(MEMBERS, SMALL, 1, v.sides);
    host.type = caller_type;

    ENQUEUED(f->create(&x, &v));
    if (f->has_factor) {
        REFUSED(f->solve(&x, &x.b, NULL), CLSOLVE_ERROR_STATE, "_batch_factor first");
        REFUSED(f->factor(&x, OTHER_EVENTS), invalid, "context is on");
        ENQUEUED(f->factor(&x, EVENTS(1, &there, &middle)));
        assert_non_null(middle);
    }
    REFUSED(f->solve(&x, &host, NULL), invalid, "B is on the host");
    REFUSED(f->solve(&x, &x.b, OTHER_EVENTS), invalid, "context is on");
    REFUSED(f->solve(&x, &x.b, EVENTS(1, NULL, NULL)), invalid, "wait list");
    assert_int_equal(f->status(x.handle), CLSOLVE_OK);
    ENQUEUED(f->solve(&x, &x.b, EVENTS(1, f->has_factor ? &middle : &there, &done)));
    assert_non_null(done);
    event_finish(done);
    if (middle) event_finish(middle);
    event_finish(there);
    many_solved(&x.B, x.info, sides, f->name);
    if (f->has_inverse) {
        ENQUEUED(f->inverse(&x));
        assert_true(x.info[0] == 0 && x.info[SPOILT] != 0);
    }
    assert_int_equal(f->status(x.handle), CLSOLVE_OK);
    assert_int_equal(f->status(NULL), invalid);
    f->destroy(x.handle);
    for (int q = 0; q < x.arrays; q++) array_drop(&x.A[q]);
    array_drop(&x.B);
}

TEST(batches) {
    for (size_t f = 0; f < sizeof many_families / sizeof *many_families; f++) each_batch(&many_families[f]);
}

/* Without `info` the infos stay on the device: of a factorization behind a solve, and of both behind more of them. */
TEST(infos_stay) {
    static members v;
    int64_t info[MEMBERS], later[MEMBERS];
    event there = NULL;
    clsolve_lu_batch *batch;
    clsolve_report report;
    members_fill(&v);
    scratch_array A = array_put_late(SMALL, SMALL * MEMBERS, v.dense, &there), B = array_put(SMALL, MEMBERS, v.sides);
    scratch_array C = array_put(SMALL, MEMBERS, v.sides);
    clsolve_batch a = batch_view(&A, SMALL), b = batch_view(&B, 1), c = batch_view(&C, 1);
    ENQUEUED(clsolve_lu_batch_create(caller_context, SMALL, MEMBERS, caller_type, NULL, &batch));
    REFUSED(clsolve_lu_batch_infos(batch, info), CLSOLVE_ERROR_STATE, "clsolve_lu_batch_factor first");
    assert_int_equal(clsolve_lu_batch_factor(batch, &a, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, NULL, EVENTS(1, &there, NULL)));
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &b, NULL, NULL));
    REFUSED(clsolve_lu_batch_infos(batch, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "info is NULL");
    ENQUEUED(clsolve_lu_batch_infos(batch, info));
    event_finish(there);
    many_solved(&B, info, v.sides, "infos of a solve");
    assert_int_equal(clsolve_lu_batch_report(batch, &report), CLSOLVE_OK);
    assert_true(report.member == SPOILT + 1 && report.info == info[SPOILT] && report.nrhs == 1);
    ENQUEUED(clsolve_lu_batch_infos(batch, later)); /* again */
    assert_memory_equal(info, later, sizeof info);

    /* A call with `info` behind calls without it; the status call waits. */
    ENQUEUED(clsolve_lu_batch_factor_enqueue(batch, &a, NULL, NULL));
    ENQUEUED(clsolve_lu_batch_solve_enqueue(batch, CLSOLVE_NO_TRANS, &c, later, NULL));
    many_solved(&C, later, v.sides, "infos of the factorization alone stayed");
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
}

/* Members of orders of their own: the call works before it returns. */
TEST(infos_of_orders) {
    static members v;
    static const int64_t orders[MEMBERS] = {SMALL, SMALL, SMALL, SMALL, SMALL};
    int64_t info[MEMBERS];
    clsolve_cholesky_batch *batch;
    members_fill(&v);
    scratch_array A = array_put(SMALL, SMALL * MEMBERS, v.dense);
    clsolve_batch a = batch_view(&A, SMALL);
    ENQUEUED(clsolve_cholesky_batch_create_ragged(caller_context, orders, MEMBERS, caller_type, NULL, &batch));
    ENQUEUED(clsolve_cholesky_batch_factor_enqueue(batch, CLSOLVE_UPPER, &a, NULL, NULL));
    ENQUEUED(clsolve_cholesky_batch_infos(batch, info));
    for (int m = 0; m < MEMBERS; m++) assert_int_equal(info[m], m == SPOILT ? 4 : 0);
    clsolve_cholesky_batch_destroy(batch);
}
