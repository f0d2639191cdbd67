/*
 * Sparse factors that a device has no room for: they lie in the host's memory and cross for each solve. What crosses, and what
 * the device holds, is counted. And factors in several buffers, because an allocation is smaller than they are.
 */
#include "api/context.h"
#include "api/sparse.h"
#include "sparse/patterns.h"
#include "support/fixture.h"

typedef struct kind {
    clsolve_sparse_form form;
    clsolve_type type;
    pattern of;
    int64_t n, nrhs;
} kind;

typedef struct system_of {
    const kind *kind;
    triplets A;
    csr rows;
    double *B, *X; /* doubles of the type */
} system_of;

static void check(clsolve_status status, const char *call) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", call, clsolve_context_message(context));
}

static system_of make_system(const kind *of) {
    test_random random = test_random_start(21);
    system_of system = {.kind = of};
    if (of->form == CLSOLVE_SPARSE_GENERAL)
        system.A = pattern_make(of->of, of->n, &random);
    else
        system.A = pattern_make_definite(of->of, of->n, test_numbers(of->type, 1) == 2, &random);
    triplets_round(&system.A, of->type);
    system.rows = csr_make(&system.A, &(csr_form){.type = of->type, .index = CLSOLVE_I32}, &random);
    system.B = test_elements(of->type, system.A.n * of->nrhs);
    system.X = test_elements(of->type, system.A.n * of->nrhs);
    test_random_fill(&random, system.B, test_numbers(of->type, system.A.n * of->nrhs));
    for (int64_t k = 0; k < test_numbers(of->type, system.A.n * of->nrhs); k++)
        system.B[k] = test_rounded(of->type, system.B[k]);
    return system;
}

static void free_system(system_of *system) {
    free(system->B);
    free(system->X);
    csr_free(&system->rows);
    triplets_free(&system->A);
}

static clsolve_status create(const system_of *system, int64_t limit, clsolve_sparse **sparse) {
    const clsolve_sparse_options options = {.form = system->kind->form,
                                            .where = CLSOLVE_WHERE_DEVICE,
                                            .matching = CLSOLVE_CHOICE_OFF,
                                            .order = CLSOLVE_ORDER_NESTED,
                                            .device_memory_limit = limit};
    return clsolve_sparse_create_csr(context, &system->rows.view, &options, sparse);
}

static clsolve_sparse_analysis analysis_of(clsolve_sparse *sparse) {
    clsolve_sparse_analysis found;
    check(clsolve_sparse_get_analysis(sparse, &found), "get_analysis");
    return found;
}

/* Solves by the device's factors, and returns the bytes that went up. */
static int64_t solve(const system_of *system, clsolve_sparse *sparse, clsolve_op op) {
    const kind *of = system->kind;
    const int64_t before = context->device->counters.bytes_up;
    scratch_matrix b = test_matrix_make(of->type, CLSOLVE_COLUMN_MAJOR, system->A.n, of->nrhs, 0);
    clsolve_report report;
    test_matrix_set(&b, system->B);
    check(clsolve_sparse_solve(sparse, op, &b.view), "solve");
    test_matrix_get(&b, system->X);
    check(clsolve_sparse_report(sparse, &report), "report");
    assert_string_equal(report.where, "device");
    assert_true(triplets_backward(&system->A, of->type, op, of->nrhs, system->B, system->X) <=
                triplets_bound(system->A.n, of->type));
    return context->device->counters.bytes_up - before;
}

static double log_determinant(clsolve_sparse *sparse) {
    clsolve_report report;
    check(clsolve_sparse_report(sparse, &report), "report");
    return report.direct.log_abs_det;
}

/* Factors and solves twice within the limit. The factors go down once for each factorization, and up for each solve. */
static void run_limited(const system_of *system, clsolve_sparse *sparse, double limit, double determinant) {
    const clsolve_sparse_analysis expected = analysis_of(sparse);
    const cls_counters *counters = &context->device->counters;
    const int64_t held = counters->buffer_bytes;
    int64_t buffers = 0;
    for (int again = 0; again < 2; again++) {
        const int64_t down = counters->bytes_down;
        check(clsolve_sparse_factor_csr(sparse, &system->rows.view), "factor");
        assert_true((double)(counters->bytes_down - down) >= expected.streamed_bytes);
        assert_true((double)(counters->bytes_down - down) <= expected.streamed_bytes + 16 * (double)expected.n);
        for (int op = 0; op < 3; op++) {
            const int64_t up = solve(system, sparse, (clsolve_op)op);
            if (expected.streamed_bytes > 0) assert_true((double)up > 0.5 * expected.streamed_bytes);
            assert_true((double)(counters->buffer_bytes - held) <= limit);
        }
        if (again) assert_int_equal(test_buffers(context->device), buffers);
        buffers = test_buffers(context->device);
        assert_true(fabs(log_determinant(sparse) - determinant) <= 1e-3 * fabs(determinant) + 1e-3);
    }
    const clsolve_sparse_analysis found = analysis_of(sparse);
    assert_true(found.device_bytes == expected.device_bytes && found.device_bytes <= limit);
    assert_true(found.streamed_bytes == expected.streamed_bytes);
}

static void run(const kind *of) {
    system_of system = make_system(of);
    clsolve_sparse *sparse = NULL;
    const int64_t buffers = test_buffers(context->device);
    int streams = 0, refused = 0;
    check(create(&system, 0, &sparse), "create");
    const double whole = analysis_of(sparse).device_bytes;
    assert_true(whole > 0 && analysis_of(sparse).streamed_bytes == 0);
    check(clsolve_sparse_factor_csr(sparse, &system.rows.view), "factor");
    const double determinant = log_determinant(sparse);
    clsolve_sparse_destroy(sparse);
    for (double limit = whole; limit > 0.1 * whole; limit *= 0.8) {
        check(create(&system, (int64_t)limit, &sparse), "create");
        if (analysis_of(sparse).device_bytes > 0) {
            streams += analysis_of(sparse).streamed_bytes > 0;
            run_limited(&system, sparse, limit, determinant);
        } else {
            refused++;
            EXPECT(context, clsolve_sparse_factor_csr(sparse, &system.rows.view), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                   "device_memory_limit has");
        }
        clsolve_sparse_destroy(sparse);
        assert_int_equal(test_buffers(context->device), buffers);
    }
    assert_true(streams > 0 && refused > 0);
    free_system(&system);
}

TEST(test_limits) {
    static const kind kinds[] = {
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID3, 1000, 1},
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_C64, PATTERN_GRID2, 900, 19},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, PATTERN_GRID3, 1000, 3},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_C32, PATTERN_GRID2, 1600, 1},
        {CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_F64, PATTERN_GRID3, 729, 2},
    };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) run(&kinds[k]);
}

/* Factors in buffers of at most so many bytes, all on the device. A front that is larger than that is refused. */
TEST(test_allocations) {
    static const kind of = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID3, 1728, 1};
    cls_device *device = context->device;
    const int64_t largest = device->info.max_allocation, before = test_buffers(device);
    system_of system = make_system(&of);
    clsolve_sparse *sparse = NULL;
    int64_t buffers[2];
    (void)state;
    for (int split = 0; split < 2; split++) {
        device->info.max_allocation = split ? 400000 : largest;
        check(create(&system, 0, &sparse), "create");
        assert_true(analysis_of(sparse).device_bytes > 0 && analysis_of(sparse).streamed_bytes == 0);
        check(clsolve_sparse_factor_csr(sparse, &system.rows.view), "factor");
        for (int op = 0; op < 2; op++) (void)solve(&system, sparse, (clsolve_op)op);
        const cls_sparse_device *there = sparse->engine.there;
        assert_true(!split || there->most_sides * there->borders * 8 <= device->info.max_allocation);
        buffers[split] = test_buffers(device) - before;
        clsolve_sparse_destroy(sparse);
    }
    assert_true(buffers[1] >= buffers[0] + 3);
    device->info.max_allocation = 20000;
    check(create(&system, 0, &sparse), "create");
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &system.rows.view), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
           "the largest front");
    clsolve_sparse_destroy(sparse);
    device->info.max_allocation = largest;
    free_system(&system);
}

TEST_PROGRAM_BY(require_fronts(), open_context, close_context)
