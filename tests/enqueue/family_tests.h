/* family_tests.h: the tests of the enqueueing calls, for each of the families of families.h, whose head says what the
 * program defines before it includes this file. FAMILY_TESTS lists them. */
#include "enqueue/families.h"

static void late_arrays(void **state) {
    (void)state;
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
    const clsolve_status told[] = {CLSOLVE_OK, CLSOLVE_SINGULAR, CLSOLVE_ERROR_NONFINITE};
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int how = SINGULAR; how <= NAN_IN_SIDES; how++) {
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
    (void)state;
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
    (void)state;
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

#define FAMILY_TESTS                                                                                                   \
    cmocka_unit_test(late_arrays), cmocka_unit_test(outcomes), cmocka_unit_test(not_converged),                        \
        cmocka_unit_test(arguments)
