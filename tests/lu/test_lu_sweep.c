#define _POSIX_C_SOURCE 200809L
/*
 * Solves in one launch for each triangle (method/lu/sweep.h) whose groups come late in use: the solution is computed
 * anew by the other kernels, the failure is remembered, and B is as it was where that fails too. The device's table of
 * operations is replaced by one that marks a chosen launch as late before it begins, as an earlier wait in vain does;
 * the wait itself is tested on the emulator (kernels/test_lu_sweep.c).
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "api/lu_state.h"
#include "lu/interop_support.h"
#include "method/lu/direct.h"
#include "support/fault_run.h"

enum { N = 130, MOST = 8, NEVER = -1 };
enum { SIDES = 1, LATE = 13, SWEEP = 15 }; /* places among the kernel's arguments, and how many it has */
static const char *const facts[] = {"lu sweep single", "lu sweep double", "lu sweep complex single",
                                    "lu sweep complex double"};

static int fewer; /* types */
static test_random numbers;

/* ---- late launches ---- */

static const cls_device_ops *driver;
static cls_device_ops with_late_groups;
static int64_t launches, late_launch; /* so far; the one that is late, or NEVER */
static int late_together;             /* each launch of more than one group is */
static int32_t late_with;             /* instead: the next sweep of so many right-hand sides is late; 0: none */

static clsolve_status launch_together(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                      const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    const int sweeps = count == SWEEP && args[LATE].kind == CLS_ARG_BUFFER;
    const int as_wanted = sweeps && *(const int32_t *)args[SIDES].pointer == late_with;
    if (as_wanted) late_with = 0;
    const int together = late_together && sweeps && grid->global[0] > grid->local[0];
    if (launches++ == late_launch || as_wanted || together) {
        const clsolve_status status =
            driver->fill(device, queue, (cls_buffer *)args[LATE].pointer, 0, sizeof(int32_t), 1);
        if (status != CLSOLVE_OK) return status;
    }
    return driver->launch_together(device, queue, kernel, grid, args, count, wait, done);
}

static void expect(int64_t late) {
    launches = 0;
    late_launch = late;
}

/* ---- systems ---- */

typedef struct system {
    clsolve_context *context;
    clsolve_type type;
    clsolve_lu *lu;
    double *A, *B; /* tight, column-major */
} lu_system;

/* As a device of one unit: on a busy machine more groups than one may not meet, which would be no news. */
static void begin_late(cls_device *device) {
    device->info.compute_units = 1;
    driver = device->ops;
    with_late_groups = *driver;
    with_late_groups.launch_together = launch_together;
    device->ops = &with_late_groups;
    expect(NEVER);
}

static clsolve_context *open_context(const char *folder) {
    const clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    clsolve_context *context = NULL;
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    if (context->device->groups_together == 0 || context->device->weak_barriers || cls_in_place(context->device)) {
        clsolve_context_destroy(context);
        return NULL;
    }
    begin_late(context->device);
    return context;
}

static void close_context(clsolve_context *context) {
    context->device->ops = driver;
    clsolve_context_destroy(context);
}

static int in_double(clsolve_type type) {
    return test_numbers(type, 1) * 8 == cls_type_size(type);
}

/* One real type and one complex type, for what does not depend on the precision. */
#define SOME_TYPES(context, type)                                                                                      \
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type = (clsolve_type)(type + 3))                        \
        if (has(context, type))

static int has(const clsolve_context *context, clsolve_type type) {
    return !in_double(type) || context->device->info.fp64;
}

static int fact(const lu_system *s) {
    return cls_fact_get(s->context->device, facts[s->type - CLSOLVE_F32]);
}

static clsolve_lu *new_handle(const lu_system *s, const clsolve_lu_options *more) {
    clsolve_lu_options options = *more;
    const clsolve_matrix A = {s->type, CLSOLVE_COLUMN_MAJOR, N, N, N, NULL, CLSOLVE_ON_HOST, 0};
    scratch_matrix a = test_matrix_make(s->type, A.layout, N, N, 1);
    clsolve_lu *lu = NULL;
    expect(NEVER); /* other kernels are launched so too */
    options.panel = CLSOLVE_PANEL_NATIVE;
    options.where = CLSOLVE_WHERE_DEVICE;
    options.precision = CLSOLVE_PRECISION_WORKING;
    test_matrix_set(&a, s->A);
    assert_int_equal(clsolve_lu_create(s->context, N, s->type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    return lu;
}

/* Sweeps are used again, whatever was found since the device's test. */
static lu_system make(clsolve_context *context, clsolve_type type, const clsolve_lu_options *options) {
    static int known[4];
    const int which = (int)type - (int)CLSOLVE_F32;
    const int64_t parts = test_numbers(type, 1);
    lu_system s = {context, type, NULL, test_elements(type, N * N), test_elements(type, N * MOST)};
    if (fact(&s) > 0) known[which] = fact(&s);
    if (fact(&s) < 0) assert_int_equal(cls_fact_set(context->device, facts[which], known[which]), CLSOLVE_OK);
    test_random_fill(&numbers, s.A, N * N * parts);
    test_random_fill(&numbers, s.B, N * MOST * parts);
    for (int k = 0; k < N * N * parts; k++) s.A[k] = test_rounded(type, s.A[k]);
    for (int k = 0; k < N; k++)
        s.A[(k + k * N) * parts] += s.A[(k + k * N) * parts] < 0 ? -4 : 4; /* far from singular */
    for (int k = 0; k < N * MOST * parts; k++) s.B[k] = test_rounded(type, s.B[k]);
    s.lu = new_handle(&s, options);
    assert_true(s.lu->lu.sweep.groups > 0);
    assert_true(fact(&s) > 0);
    return s;
}

static void drop(lu_system *s) {
    clsolve_lu_destroy(s->lu);
    free(s->A);
    free(s->B);
}

static test_matrix right_sides(const lu_system *s, clsolve_layout layout, int64_t cols) {
    test_matrix x = test_matrix_make(s->type, layout, N, cols, 3);
    test_matrix_set(&x, s->B);
    return x;
}

static void check(const lu_system *s, clsolve_op op, const test_matrix *x) {
    static double X[2 * N * MOST];
    test_matrix_get(x, X);
    test_matrix_spare_intact(x);
    assert_true(ratio_solve(s->type, op, N, x->view.cols, s->A, X, s->B) < RATIO_BOUND);
}

static void solve(const lu_system *s, clsolve_lu *lu, clsolve_op op, clsolve_layout layout, int64_t cols) {
    scratch_matrix x = right_sides(s, layout, cols);
    assert_int_equal(clsolve_lu_solve(lu, op, &x.view), CLSOLVE_OK);
    check(s, op, &x);
}

/* Launches of a solve that is not refined: two for each part of the right-hand sides. */
static int64_t launches_for(clsolve_type type, int64_t cols) {
    return 2 * (type == CLSOLVE_F32 ? (cols + 1) / 2 : cols);
}

/* ---- tests ---- */

/* Sweeps of the context are over: for this handle, and for one that is made later. */
static void are_not_tried_again(const lu_system *s) {
    const clsolve_lu_options none = {.refine = 0};
    assert_true(fact(s) < 0);
    assert_int_equal(s->lu->lu.sweep.groups, 0);
    OWNED(lu) *later = new_handle(s, &none);
    assert_int_equal(later->lu.sweep.groups, 0);
    expect(0);
    solve(s, s->lu, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    solve(s, later, CLSOLVE_TRANS, CLSOLVE_COLUMN_MAJOR, 3);
    assert_int_equal(launches, 0);
}

static void late_once(clsolve_context *context, clsolve_type type, const clsolve_lu_options *options, int64_t cols,
                      int64_t late) {
    static int turn;
    for (int k = turn++ % 2; k < 4; k += 2) { /* two of four, others the next time */
        const clsolve_op trans = k & 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
        const clsolve_op op = k & 1 ? trans : CLSOLVE_NO_TRANS;
        const clsolve_layout layout = k & 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
        lu_system s = make(context, type, options);
        expect(NEVER);
        solve(&s, s.lu, op, layout, cols);
        if (!options->refine) assert_int_equal(launches, launches_for(type, cols));
        assert_true(launches > 0 && fact(&s) > 0);
        expect(late < 0 ? launches - 1 : late);
        solve(&s, s.lu, op, layout, cols);
        assert_true(launches > late_launch); /* so it was late */
        are_not_tried_again(&s);
        drop(&s);
    }
}

/* The first launch, the second, one in the middle, and the last. */
TEST(the_solution_is_right) {
    const clsolve_lu_options plain = {.refine = 0}, scaled = {.equilibrate = 1};
    clsolve_context *context = open_context("");
    if (!context) skip();
    SOME_TYPES(context, type) {
        late_once(context, type, &plain, 1, 0);
        late_once(context, type, &plain, 5, 2);
        if (test_numbers(type, 1) == 2) continue; /* nothing that follows is about elements */
        late_once(context, type, &plain, 1, 1);
        late_once(context, type, &plain, MOST, -1);
        late_once(context, type, &scaled, 2, 0);
    }
    if (!fewer) { /* the other types have programs of their own, which kernels_lu_sweep tests */
        if (has(context, CLSOLVE_F64)) late_once(context, CLSOLVE_F64, &plain, 2, 1);
        late_once(context, CLSOLVE_C32, &plain, 1, 1);
    }
    close_context(context);
}

/*
 * The vectors of refinement and of the condition estimate, on the host. The solve is called itself, because refinement
 * would go on without this correction.
 */
TEST(vectors_on_the_host_are_right) {
    const clsolve_lu_options none = {.refine = 0};
    clsolve_context *context = open_context("");
    if (!context) skip();
    SOME_TYPES(context, type)
    for (int64_t late = test_numbers(type, 1) - 1; late < 4; late += test_numbers(type, 1)) {
        static double X[2 * N * MOST];
        const clsolve_op op = late & 1 ? CLSOLVE_CONJ_TRANS : CLSOLVE_NO_TRANS;
        lu_system s = make(context, type, &none);
        memcpy(X, s.B, sizeof(double) * (size_t)test_numbers(type, N * MOST));
        expect(late);
        assert_int_equal(cls_lu_solve_host(&s.lu->lu, op, 3, X), CLSOLVE_OK);
        assert_true(launches > late);
        assert_true(ratio_solve(type, op, N, 3, s.A, X, s.B) < RATIO_BOUND);
        are_not_tried_again(&s);
        drop(&s);
    }
    close_context(context);
}

/* The first launch is the solution's, the last one a correction's. */
TEST(a_refined_solution_is_right) {
    const clsolve_lu_options refined = {.refine = 1};
    clsolve_context *context = open_context("");
    if (!context) skip();
    SOME_TYPES(context, type) {
        if (test_numbers(type, 1) == 1) late_once(context, type, &refined, 1, 0);
        late_once(context, type, &refined, 3, -1);
    }
    close_context(context);
}

/* A handle that lives beside the one that was late does not sweep either. */
TEST(other_handles_know) {
    const clsolve_lu_options none = {.refine = 0};
    clsolve_context *context = open_context("");
    if (!context) skip();
    lu_system s = make(context, CLSOLVE_F32, &none);
    clsolve_lu *other = new_handle(&s, &none);
    expect(0);
    solve(&s, s.lu, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    expect(0);
    solve(&s, other, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
    assert_int_equal(launches, 0);
    clsolve_lu_destroy(other);
    drop(&s);
    close_context(context);
}

/* The next context tests the device anew, and may sweep. */
TEST(the_next_context_tests_anew) {
    const clsolve_lu_options none = {.refine = 0};
    char folder[] = "/tmp/clsolve-sweep-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (int round = 0; round < 3; round++) {
        clsolve_context *context = open_context(folder);
        if (!context) break;
        context->device->groups_together = 1; /* more may not meet on a busy device, which would be no news */
        const int known = cls_groups_recall(context->device, facts[0]);
        assert_true(round == 2 ? known > 0 : known == 0);
        lu_system s = make(context, CLSOLVE_F32, &none);
        assert_int_equal(cls_groups_recall(context->device, facts[0]), fact(&s));
        expect(round == 0 ? 0 : NEVER);
        solve(&s, s.lu, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 1);
        assert_int_equal(launches, 2);
        assert_true(round == 0 ? fact(&s) < 0 : fact(&s) > 0);
        drop(&s);
        close_context(context);
    }
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* The device's test has sweeps of two right-hand sides where the kernel takes two: it is red while these are late. */
TEST(both_numbers_of_sides_are_tested) {
    const clsolve_lu_options none = {.refine = 0};
    for (int32_t sides = 1; sides <= 2; sides++) {
        clsolve_context *context = open_context("");
        if (!context) skip();
        late_with = sides;
        lu_system s = make(context, CLSOLVE_F32, &none);
        assert_int_equal(late_with, 0); /* so there was one, and the second attempt was right */
        drop(&s);
        close_context(context);
    }
}

/* Groups that run one after the other would take longer than launches. */
TEST(one_group_of_several_is_none) {
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_context *context = open_context("");
    clsolve_lu *lu = NULL;
    if (!context) skip();
    context->device->info.compute_units = 2;
    late_together = 1;
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
    late_together = 0;
    assert_int_equal(lu->lu.sweep.groups, 0);
    assert_true(cls_fact_get(context->device, facts[0]) < 0);
    clsolve_lu_destroy(lu);
    close_context(context);
}

/* A solution that overflows is no late one: B stays, and so do sweeps. */
TEST(an_overflow_is_not_late) {
    const clsolve_lu_options none = {.refine = 0};
    clsolve_context *context = open_context("");
    if (!context) skip();
    SOME_TYPES(context, type) {
        lu_system s = make(context, type, &none);
        const int64_t parts = test_numbers(type, 1);
        memset(s.A, 0, sizeof(double) * (size_t)(N * N * parts));
        for (int64_t k = 0; k < N; k++) s.A[(k + k * N) * parts] = 0x1p-100;
        clsolve_lu *lu = new_handle(&s, &none);
        test_matrix x = right_sides(&s, CLSOLVE_COLUMN_MAJOR, 2), before;
        for (int k = 0; k < N * 2 * parts; k++) s.B[k] = in_double(type) ? 0x1p1000 : (double)0x1p100f;
        test_matrix_set(&x, s.B);
        before = right_sides(&s, CLSOLVE_COLUMN_MAJOR, 2);
        expect(NEVER);
        assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &x.view), CLSOLVE_OVERFLOW);
        assert_int_equal(launches, launches_for(type, 2));
        assert_memory_equal(x.memory, before.memory, (size_t)(2 * (N + 3) * cls_type_size(type)));
        assert_true(fact(&s) > 0 && lu->lu.sweep.groups > 0);
        test_matrix_free(&x);
        test_matrix_free(&before);
        clsolve_lu_destroy(lu);
        drop(&s);
    }
    close_context(context);
}

/* The k-th driver call or allocation of a solve that is late fails. *failed: which one. */
static clsolve_status fail_one(const lu_system *s, fault_kind kind, int64_t k, const char **failed) {
    const size_t bytes = (size_t)(2 * (N + 3) * cls_type_size(s->type));
    scratch_matrix x = right_sides(s, CLSOLVE_COLUMN_MAJOR, 2), before = right_sides(s, CLSOLVE_COLUMN_MAJOR, 2);
    fault_outcome out = {CLSOLVE_OK, ""};
    expect(0);
    faults_arm(kind, k);
    out.status = clsolve_lu_solve(s->lu, CLSOLVE_NO_TRANS, &x.view);
    *failed = faults_disarm();
    if (out.status == CLSOLVE_OK)
        check(s, CLSOLVE_NO_TRANS, &x);
    else {
        const int intact = memcmp(x.memory, before.memory, bytes) == 0;
        double X[2 * N];
        assert_non_null(*failed);
        test_matrix_get(&x, X);
        fault_failed(s->context, &out, intact,
                     intact || ratio_solve(s->type, CLSOLVE_NO_TRANS, N, 2, s->A, X, s->B) < RATIO_BOUND);
        assert_true(out.message[0] != '\0');
        assert_true(kind == FAULT_DEVICE || out.status == CLSOLVE_ERROR_OUT_OF_MEMORY);
        solve(s, s->lu, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 2); /* nothing of the failure stays */
    }
    return out.status;
}

/* A few of them fail, others with each seed. */
static void fail_some(clsolve_context *context, const clsolve_lu_options *options, fault_kind kind, int64_t least) {
    int64_t errors = 0;
    const char *failed = "";
    for (int64_t k = 0; failed; k += test_random_between(&numbers, 6, 22)) {
        lu_system s = make(context, CLSOLVE_F32, options);
        solve(&s, s.lu, CLSOLVE_NO_TRANS, CLSOLVE_COLUMN_MAJOR, 2); /* takes what later solves have */
        errors += fail_one(&s, kind, k, &failed) != CLSOLVE_OK;
        drop(&s);
    }
    assert_true(errors >= least);
}

TEST(B_stays_where_that_fails_too) {
    const clsolve_lu_options plain = {.refine = 0}, refined = {.refine = 1};
    clsolve_context *context = open_context("");
    if (!context) skip();
    fail_some(context, &plain, FAULT_DEVICE, 2);
    fail_some(context, &refined, FAULT_DEVICE, 2);
    fail_some(context, &plain, FAULT_ALLOCATION, 0);
    fail_some(context, &refined, FAULT_ALLOCATION, 0);
    close_context(context);
}

/* An enqueued solve, of which the launch `late` is late: then B stays, and another solve is right. */
static void one_enqueued(clsolve_op op, int64_t cols, int64_t late) {
    SCRATCH double *A = io_values(1, N * N), *B = io_values(2, N * cols), *X = io_values(3, N * cols);
    for (int k = 0; k < N; k++) A[test_numbers(io.type, k + k * N)] += 8; /* far from singular */
    scratch_io a = io_put(CLSOLVE_COLUMN_MAJOR, N, N, A), b = io_put(CLSOLVE_COLUMN_MAJOR, N, cols, B);
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    OWNED(lu) *lu = NULL;
    assert_int_equal(clsolve_lu_create(io.context, N, io.type, &options, &lu), CLSOLVE_OK);
    assert_true(lu->lu.sweep.groups > 0);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_OK);
    expect(late);
    for (int round = 0; round < (late == NEVER ? 1 : 2); round++) {
        const int spoilt = late != NEVER && round == 0;
        assert_int_equal(clsolve_lu_solve_enqueue(lu, op, &b.view, NULL), CLSOLVE_OK);
        assert_int_equal(launches, round == 0 ? launches_for(io.type, cols) : 0);
        assert_int_equal(clsolve_lu_status(lu), spoilt ? CLSOLVE_NOT_CONVERGED : CLSOLVE_OK);
        if (spoilt) assert_non_null(strstr(clsolve_context_message(io.context), "solve again"));
        io_get(&b, NULL, X);
        if (spoilt)
            io_same(X, B, N * cols);
        else
            assert_true(ratio_solve(io.type, op, N, cols, A, X, B) < RATIO_BOUND);
        expect(NEVER);
    }
}

TEST(enqueued_solves_sweep) {
    if (io_open(state) != 0) fail_msg("no context of the caller's");
    cls_device *device = io.context->device;
    if (device->groups_together > 0 && !device->weak_barriers && !cls_in_place(device)) {
        const char *const name = facts[io.type - CLSOLVE_F32];
        begin_late(device);
        one_enqueued(CLSOLVE_NO_TRANS, 1, NEVER);
        one_enqueued(CLSOLVE_TRANS, 3, NEVER);
        const int known = cls_fact_get(device, name);
        one_enqueued(CLSOLVE_TRANS, 1, 0);
        assert_int_equal(cls_fact_set(device, name, known), CLSOLVE_OK);
        one_enqueued(CLSOLVE_NO_TRANS, 1, 1);
        device->ops = driver;
    }
    assert_int_equal(io_close(state), 0);
}

int main(void) {
    fewer = test_reduced(); /* tests may end before they ask */
    test_require_device();
    numbers = test_random_start(0x5eeb);
    return test_run(NULL, NULL);
}
