/* array_enqueue_tests.h: the calls that enqueue, for array_tests.h, which includes this file. */

/* Calls with this system return when all is enqueued, once it has been factored. */
static int runs_ahead(const system_of *s) {
    return stays(s->kind) && !cls_in_place(caller_context->device);
}

/* The work comes behind the events, and the event is behind the work. */
TEST(enqueued) {
    for (int k = 0; k < KINDS; k += 3) {
        if (cls_is_double(kinds[k].type) && !has_double()) continue;
        event there[2], middle, done;
        system_of s = open_system(&kinds[k], &there[0]);
        SCRATCH double *B = sides_of(&s, 2), *X = test_elements(s.kind->type, s.A.n * 2);
        array b = array_put_late(s.A.n, 2, B, &there[1]);
        OK(clsolve_sparse_factor_values_enqueue(s.sparse, &s.values.view, EVENTS(1, &there[0], &middle)));
        const event both[] = {there[1], middle};
        OK(clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, EVENTS(2, both, &done)));
        event_finish(done);
        array_get(&b, X);
        assert_true(triplets_backward(&s.A, s.kind->type, CLSOLVE_NO_TRANS, 2, B, X) <=
                    triplets_bound(s.A.n, s.kind->type));
        OK(clsolve_sparse_status(s.sparse));
        event_finish(there[0]);
        event_finish(there[1]);
        event_finish(middle);
        array_drop(&b);
        close_system(&s);
    }
}

/* The second factorization and the solves after it cross nothing, and give the bits of the calls that wait. */
TEST(enqueued_again) {
    static const sides all[] = {{CLSOLVE_NO_TRANS, CLSOLVE_ROW_MAJOR, 3},
                                {CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 1},
                                {CLSOLVE_CONJ_TRANS, CLSOLVE_COLUMN_MAJOR, 35}}; /* in three turns */
    for (int k = 0; k < KINDS; k++) {
        if (cls_is_double(kinds[k].type) && !has_double()) continue;
        system_of s = open_system(&kinds[k], NULL);
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        for (int q = 0; q < 3; q++) {
            const int64_t count = s.A.n * all[q].nrhs;
            SCRATCH double *B = sides_of(&s, all[q].nrhs), *X = solve_there(&s, &all[q], B, 0),
                           *Y = test_elements(s.kind->type, count);
            scratch_array b = array_put(all[q].layout, s.A.n, all[q].nrhs, B);
            event done;
            const cls_counters before = counters();
            OK(clsolve_sparse_factor_values_enqueue(s.sparse, &s.values.view, NULL));
            assert_int_equal(s.sparse->pending_factor, runs_ahead(&s));
            OK(clsolve_sparse_solve_enqueue(s.sparse, all[q].op, &b.view, EVENTS(0, NULL, &done)));
            if (!s.kind->unsorted) assert_int_equal(s.sparse->pending_solve, runs_ahead(&s));
            if (runs_ahead(&s)) assert_int_equal(counters().transfers_up, before.transfers_up);
            if (runs_ahead(&s)) assert_int_equal(counters().transfers_down, before.transfers_down);
            event_finish(done);
            array_get(&b, Y);
            if (stays(s.kind)) assert_memory_equal(X, Y, (size_t)test_numbers(s.kind->type, count) * sizeof *X);
            OK(clsolve_sparse_status(s.sparse));
        }
        close_system(&s);
    }
}

/* So many large fronts of LU look as if the groups of a leaf had not met. */
static int spoilt, failed;
clsolve_status __real_cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                            int64_t *info);
clsolve_status __wrap_cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                            int64_t *info);
void __wrap_cls_panel_resident_failed(cls_panel *panel);

clsolve_status __wrap_cls_lu_factor_columns(cls_lu *lu, int64_t begin, int64_t end, const clsolve_lu_options *options,
                                            int64_t *info) {
    const clsolve_status status = __real_cls_lu_factor_columns(lu, begin, end, options, info);
    const size_t word = sizeof(int64_t);
    if (spoilt > 0) OK(lu->device->ops->fill(lu->device, CLS_COMPUTE, lu->panel.info, word, word, 1));
    if (spoilt > 0) spoilt--;
    return status;
}

void __wrap_cls_panel_resident_failed(cls_panel *panel) {
    (void)panel;
    failed++;
}

/* The factorization that is enqueued is made again by the status call, and there again where that fails too. */
static void factor_spoilt(const system_of *s, const sides *of, const double *B) {
    double *X[2];
    for (int times = 1; times <= 3 && runs_ahead(s); times++) {
        OK(clsolve_sparse_factor_values(s->sparse, &s->values.view));
        X[0] = solve_there(s, of, B, 0);
        spoilt = times;
        failed = 0;
        OK(clsolve_sparse_factor_values_enqueue(s->sparse, &s->values.view, NULL));
        assert_int_equal(clsolve_sparse_status(s->sparse), times < 3 ? CLSOLVE_OK : CLSOLVE_ERROR_DEVICE);
        assert_int_equal(failed, times > 1);
        if (times == 3) OK(clsolve_sparse_factor_values(s->sparse, &s->values.view));
        X[1] = solve_there(s, of, B, 0);
        assert_memory_equal(X[0], X[1], (size_t)s->A.n * sizeof **X);
        free(X[0]);
        free(X[1]);
    }
}

/* A front for the engine of dense matrices, one of whose pivots fails for other values. */
static void enqueue_large(const kind *kind, clsolve_status failure) {
    const int lu = kind->form == CLSOLVE_SPARSE_GENERAL;
    triplets A = {.n = kind->n};
    for (int64_t i = 0; i < A.n; i++) /* rows of LU are far from where their pivots are */
        for (int64_t j = 0; j < A.n; j++)
            triplets_add(&A, lu ? (i + 400) % A.n : i, j, i == j ? 1500 : (double)((i + j) % 3) - 1);
    triplets_sort(&A);
    system_of s = open_of(kind, A, NULL);
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    double *values = doubles_of(&s), *B = sides_of(&s, 1), *X, *Y = test_elements(CLSOLVE_F64, A.n);
    if (lu) factor_spoilt(&s, &of, B);
    for (int bad = 0; bad < 2 && runs_ahead(&s); bad++) {
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        X = solve_there(&s, &of, B, 0);
        for (int64_t j = 0; j < A.n && bad; j++) values[1000 * A.n + j] = lu ? 0 : j == 1000 ? -1500 : 0;
        scratch_array a = array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values),
                      b = array_put(CLSOLVE_ROW_MAJOR, A.n, 1, B);
        OK(clsolve_sparse_factor_values_enqueue(s.sparse, &a.view, NULL));
        assert_true(s.sparse->pending_factor);
        OK(clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, NULL));
        assert_int_equal(clsolve_sparse_status(s.sparse), bad ? failure : CLSOLVE_OK);
        array_get(&b, Y);
        assert_memory_equal(bad ? B : X, Y, (size_t)A.n * sizeof *X);
        free(X);
    }
    close_system(&s);
    free(values);
    free(B);
    free(Y);
}

/* The engine's outcome and its exchanges of rows stay on the device. */
TEST(enqueued_large) {
    if (getenv("POCL_EXTRA_BUILD_FLAGS")) skip(); /* without optimization PoCL loses work-items in such fronts */
    static const kind cholesky = {"large front", 0, 1030, CLSOLVE_F64, DEFINITE, CLSOLVE_SPARSE_LOWER, 0, 0, 0},
                      lu = {
                          .name = "large front of LU", .n = 1030, .matching = CLSOLVE_CHOICE_OFF, .type = CLSOLVE_F64};
    enqueue_large(&cholesky, CLSOLVE_NOT_POSITIVE_DEFINITE);
    enqueue_large(&lu, CLSOLVE_SINGULAR);
}

enum { COLUMNS = 20, LAST = 16 }; /* of B; those from LAST on go by themselves, and are zeros */

static clsolve_status outcome_of(const system_of *s, const double *values, const double *B, int solved) {
    SCRATCH double *X = test_elements(s->kind->type, s->A.n * COLUMNS);
    scratch_array a = array_put(CLSOLVE_COLUMN_MAJOR, s->rows.count, 1, values),
                  b = array_put(CLSOLVE_COLUMN_MAJOR, s->A.n, COLUMNS, B);
    OK(clsolve_sparse_factor_values_enqueue(s->sparse, &a.view, NULL));
    OK(clsolve_sparse_solve_enqueue(s->sparse, CLSOLVE_NO_TRANS, &b.view, NULL));
    const clsolve_status status = clsolve_sparse_status(s->sparse);
    array_get(&b, X);
    assert_int_equal(memcmp(X, B, (size_t)test_numbers(s->kind->type, s->A.n * COLUMNS) * sizeof *X) != 0, solved);
    return status;
}

/* The kernel that accepts X sees that it is too small for the type: B stays, and the status call says so. */
TEST(enqueued_tiny) {
    static const kind kind = {.name = "a tiny solution", .n = 100, .type = CLSOLVE_F64, .matching = CLSOLVE_CHOICE_OFF};
    if (!has_double()) skip();
    system_of s = open_system(&kind, NULL);
    SCRATCH double *values = doubles_of(&s), *B = sides_of(&s, COLUMNS);
    for (int64_t e = 0; e < s.rows.count; e++) values[e] *= ldexp(1, 700);
    for (int64_t i = 0; i < s.A.n * COLUMNS; i++) B[i] = ldexp(B[i], -960);
    array a = array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
    OK(clsolve_sparse_factor_values(s.sparse, &a.view));
    array_drop(&a);
    if (runs_ahead(&s)) assert_int_equal(outcome_of(&s, values, B, 0), CLSOLVE_NOT_CONVERGED);
    close_system(&s);
}

/* Values that the device cannot do alone: the status call makes their factors, and the next solve finds them. */
TEST(behind) {
    static const kind kind = {.name = "stalls", .type = CLSOLVE_F64};
    int64_t order[2 * BLOCKS];
    for (int64_t k = 0; k < 2 * BLOCKS; k++) order[k] = k;
    const clsolve_sparse_options options = {.order = CLSOLVE_ORDER_GIVEN,
                                            .permutation = order,
                                            .matching = CLSOLVE_CHOICE_OFF,
                                            .amalgamation = CLSOLVE_CHOICE_OFF,
                                            .where = CLSOLVE_WHERE_DEVICE};
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    system_of s = open_of(&kind, stalling(0), NULL);
    for (int hard = 0; hard < 2 && runs_ahead(&s); hard++) {
        scratch_triplets A = hard ? stalling(BLOCKS / PIECE) : stalling(0);
        SCRATCH double *good = doubles_of(&s), *values = test_elements(CLSOLVE_F64, A.count),
                       *B = sides_of(&s, COLUMNS);
        for (int64_t k = s.A.n * LAST; k < s.A.n * COLUMNS; k++) B[k] = 0;
        clsolve_sparse_destroy(s.sparse);
        OK(clsolve_sparse_create_csr(caller_context, &s.rows.view, &options, &s.sparse));
        OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
        assert_int_equal(outcome_of(&s, good, B, 1), CLSOLVE_OK);
        for (int64_t e = 0; e < A.count; e++) values[e] = creal(A.at[e].value) * (hard ? 1 : 1024);
        assert_int_equal(outcome_of(&s, values, B, 0), CLSOLVE_NOT_CONVERGED);
        for (int64_t e = 0; e < A.count; e++) A.at[e].value *= hard ? 1 : 1024;
        triplets before = s.A;
        s.A = A; /* whose solution is found now */
        free(solve_there(&s, &of, B, 0));
        s.A = before;
        assert_int_equal(s.sparse->engine.made_there, !hard);
        assert_int_equal(outcome_of(&s, hard ? good : values, B, 1), CLSOLVE_OK);
    }
    close_system(&s);
}

static void same(const system_of *s, array *a, const double *values, int64_t elements) {
    SCRATCH double *now = test_elements(s->kind->type, elements);
    array_get(a, now);
    for (int64_t k = 0; k < test_numbers(s->kind->type, elements); k++)
        assert_true(now[k] == values[k] || (isnan(now[k]) && isnan(values[k])));
}

/* An outcome is told by the status call; B is as it was. */
static void expect(system_of *s, const double *values, clsolve_status outcome, const char *words) {
    SCRATCH double *B = sides_of(s, 1);
    scratch_array a = array_put(CLSOLVE_COLUMN_MAJOR, s->rows.count, 1, values),
                  b = array_put(CLSOLVE_ROW_MAJOR, s->A.n, 1, B);
    for (int again = 0; again < 2; again++) {
        OK(clsolve_sparse_factor_values_enqueue(s->sparse, &a.view, NULL));
        EXPECT(caller_context, clsolve_sparse_status(s->sparse), outcome, words);
        OK(clsolve_sparse_solve_enqueue(s->sparse, CLSOLVE_NO_TRANS, &b.view, NULL));
        EXPECT(caller_context, clsolve_sparse_status(s->sparse), outcome, words);
        same(s, &b, B, s->A.n);
    }
}

TEST(outcomes) {
    const sides of = {CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1};
    const int which = has_double() ? 0 : KINDS - 2;
    system_of s = open_system(&kinds[which], NULL);
    SCRATCH double *values = doubles_of(&s), *B = sides_of(&s, 1);
    double *X[2];
    OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
    X[0] = solve_there(&s, &of, B, 0);
    const double kept = values[3];
    values[3] = NAN;
    expect(&s, values, CLSOLVE_ERROR_NONFINITE, "is NaN or Inf");
    array b = array_put(CLSOLVE_ROW_MAJOR, s.A.n, 1, B);
    EXPECT(caller_context, clsolve_sparse_solve(s.sparse, CLSOLVE_NO_TRANS, &b.view), CLSOLVE_ERROR_STATE,
           "there are no factors"); /* of the values before neither, whether the call waited or not */
    same(&s, &b, B, s.A.n);
    array_drop(&b);
    OK(clsolve_sparse_factor_values(s.sparse, &s.values.view));
    X[1] = solve_there(&s, &of, B, 0);
    assert_memory_equal(X[0], X[1], (size_t)s.A.n * sizeof **X);
    values[3] = kept;
    for (int64_t e = 0; e < s.A.count; e++)
        if (s.A.at[e].row == 5) values[e] = 0;
    expect(&s, values, CLSOLVE_SINGULAR, "singular");
    array a = array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
    b = array_put(CLSOLVE_ROW_MAJOR, s.A.n, 1, B);
    assert_int_equal(clsolve_sparse_factor_values(s.sparse, &a.view), CLSOLVE_SINGULAR);
    OK(clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, NULL)); /* a known outcome too */
    EXPECT(caller_context, clsolve_sparse_status(s.sparse), CLSOLVE_SINGULAR, "singular");
    same(&s, &b, B, s.A.n);
    array_drop(&a);
    array_drop(&b);
    double *many = sides_of(&s, COLUMNS);
    many[0] = INFINITY;
    OK(clsolve_sparse_factor_values_enqueue(s.sparse, &s.values.view, NULL));
    b = array_put(CLSOLVE_COLUMN_MAJOR, s.A.n, COLUMNS, many);
    OK(clsolve_sparse_solve_enqueue(s.sparse, CLSOLVE_NO_TRANS, &b.view, NULL));
    EXPECT(caller_context, clsolve_sparse_status(s.sparse), CLSOLVE_ERROR_NONFINITE, "B holds NaN or Inf");
    same(&s, &b, many, s.A.n * COLUMNS);
    free(solve_there(&s, &of, B, 0));
    array_drop(&b);
    free(many);
    close_system(&s);
    free(X[0]);
    free(X[1]);
}
