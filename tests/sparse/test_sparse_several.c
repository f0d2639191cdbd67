#define _POSIX_C_SOURCE 200809L
/*
 * Sparse systems on several devices: solutions have the same bits as on one, and the report says who took part. New
 * values take no memory; a matrix that one device has no room for is dealt out before factors go to the host's memory.
 */

#include "base/type.h"
#include "api/sparse.h"
#include "blas/blas.h"
#include "method/fronts_device/device.h"
#include "sparse/joined.h"
#include "sparse/patterns.h"

enum { DEVICES = 2, SIDES = 19 };

static clsolve_context *one, *several;

typedef struct kind {
    clsolve_sparse_form form;
    clsolve_type type;
    pattern of; /* PATTERNS: make_blocks */
    int64_t n;
    int dealt; /* subtrees are dealt out */
} kind;

typedef struct system_of {
    const kind *kind;
    triplets A;
    csr rows;
    double *B, *X[2]; /* doubles of the type; X of one device and of several */
} system_of;

static const char *name_of(const kind *of) {
    return of->of == PATTERNS ? "blocks" : pattern_names[of->of];
}

static void check(const clsolve_context *context, const kind *of, clsolve_status status, const char *call) {
    if (status != CLSOLVE_OK)
        fail_msg("%s, %s, n = %lld: %s: %s", name_of(of), cls_type_name(of->type), (long long)of->n, call,
                 clsolve_context_message(context));
}

/* Two large dense blocks and a small one that share some rows: on GPUs fronts by the engines of dense matrices. */
static triplets make_blocks(int64_t size, test_random *random) {
    enum { SMALL = 40, SHARED = 30 };
    const int64_t border = 2 * size + SMALL;
    triplets A = {.n = border + SHARED};
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j < A.n; j++) {
            if (i == j && i >= border) triplets_add(&A, i, j, 8);
            if ((i >= border && j >= border) || (i < border && j < border && i / size != j / size)) continue;
            triplets_add(&A, i, j, test_random_signed(random) + (i != j && j % size == (i + 7) % size ? 64 : 0));
        }
    triplets_sort(&A);
    return A;
}

static system_of make_system(const kind *of, uint64_t use) {
    test_random random = test_random_start(use);
    system_of system = {.kind = of};
    const int is_complex = test_numbers(of->type, 1) == 2;
    if (of->of == PATTERNS)
        system.A = make_blocks(of->n, &random);
    else if (of->form == CLSOLVE_SPARSE_GENERAL)
        system.A = pattern_make(of->of, of->n, &random);
    else
        system.A = pattern_make_definite(of->of, of->n, is_complex, &random);
    triplets_round(&system.A, of->type);
    system.rows = csr_make(&system.A, &(csr_form){.type = of->type, .index = CLSOLVE_I32}, &random);
    system.B = test_elements(of->type, system.A.n * SIDES);
    test_random_fill(&random, system.B, test_numbers(of->type, system.A.n * SIDES));
    for (int64_t k = 0; k < test_numbers(of->type, system.A.n * SIDES); k++)
        system.B[k] = test_rounded(of->type, system.B[k]);
    for (int k = 0; k < 2; k++) system.X[k] = test_elements(of->type, system.A.n * SIDES);
    return system;
}

static void free_system(system_of *system) {
    free(system->B);
    free(system->X[0]);
    free(system->X[1]);
    csr_free(&system->rows);
    triplets_free(&system->A);
}

static clsolve_sparse *create(clsolve_context *context, const system_of *system, int64_t limit) {
    const int blocks = system->kind->of == PATTERNS;
    const clsolve_sparse_options options = {.form = system->kind->form,
                                            .amalgamation = blocks ? CLSOLVE_CHOICE_OFF : CLSOLVE_CHOICE_AUTO,
                                            .engine = CLSOLVE_SPARSE_MULTIFRONTAL,
                                            .where = CLSOLVE_WHERE_DEVICE,
                                            .matching = CLSOLVE_CHOICE_OFF,
                                            .order = blocks ? CLSOLVE_ORDER_NATURAL : CLSOLVE_ORDER_NESTED,
                                            .device_memory_limit = limit};
    clsolve_sparse *sparse = NULL;
    check(context, system->kind, clsolve_sparse_create_csr(context, &system->rows.view, &options, &sparse), "create");
    return sparse;
}

static clsolve_sparse_analysis analysis_of(clsolve_context *context, const system_of *system, clsolve_sparse *sparse) {
    clsolve_sparse_analysis found;
    check(context, system->kind, clsolve_sparse_get_analysis(sparse, &found), "get_analysis");
    return found;
}

static void solve(clsolve_context *context, const system_of *system, clsolve_sparse *sparse, clsolve_op op,
                  int64_t nrhs, double *X) {
    const kind *of = system->kind;
    scratch_matrix b = test_matrix_make(of->type, CLSOLVE_COLUMN_MAJOR, system->A.n, nrhs, 0);
    test_matrix_set(&b, system->B);
    check(context, of, clsolve_sparse_solve(sparse, op, &b.view), "solve");
    test_matrix_get(&b, X);
    assert_true(triplets_backward(&system->A, of->type, op, nrhs, system->B, X) <=
                triplets_bound(system->A.n, of->type));
}

static clsolve_report report_of(clsolve_sparse *sparse) {
    clsolve_report report;
    assert_int_equal(clsolve_sparse_report(sparse, &report), CLSOLVE_OK);
    return report;
}

static int64_t buffers_of(clsolve_context *context) {
    int64_t count, all = 0;
    cls_device *const *devices = cls_context_devices(context, &count);
    for (int64_t d = 0; d < count; d++) all += test_buffers(devices[d]);
    return all;
}

static void same_bits(const system_of *system, int64_t nrhs) {
    const int64_t numbers = test_numbers(system->kind->type, system->A.n * nrhs);
    if (memcmp(system->X[0], system->X[1], (size_t)numbers * sizeof(double)) != 0)
        fail_msg("%s, %s, form %d, n = %lld: other bits than on one device", name_of(system->kind),
                 cls_type_name(system->kind->type), (int)system->kind->form, (long long)system->A.n);
}

/* The shares of the last factorization add up, and each is one of a device that took part. */
static void check_shares(int64_t devices) {
    double sum = 0;
    int64_t parts = 0;
    for (int64_t d = 0; d <= several->peer_count; d++) {
        sum += clsolve_context_share_at(several, d);
        parts += clsolve_context_share_at(several, d) > 0;
    }
    assert_int_equal(parts, devices);
    assert_true(fabs(sum - 1) < 1e-12);
}

/* Factors and solves on one device and on several, then both once more with the same values. */
static void run(const kind *of) {
    static const int64_t sides[] = {1, SIDES, 2};
    clsolve_context *const contexts[] = {one, several};
    const int64_t before = buffers_of(several);
    system_of system = make_system(of, 44);
    clsolve_sparse *sparse[2];
    int64_t held = 0;
    for (int k = 0; k < 2; k++) sparse[k] = create(contexts[k], &system, 0);
    const clsolve_sparse_analysis expected = analysis_of(several, &system, sparse[1]);
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < 2; k++)
            check(contexts[k], of, clsolve_sparse_factor_csr(sparse[k], &system.rows.view), "factor");
        for (int op = 0; op < 3; op++) {
            for (int k = 0; k < 2; k++) solve(contexts[k], &system, sparse[k], (clsolve_op)op, sides[op], system.X[k]);
            same_bits(&system, sides[op]);
        }
        if (again) assert_int_equal(buffers_of(several), held);
        held = buffers_of(several);
    }
    const clsolve_sparse_analysis found = analysis_of(several, &system, sparse[1]);
    const clsolve_report first = report_of(sparse[0]), second = report_of(sparse[1]);
    assert_string_equal(second.where, of->n > 0 ? "device" : "host");
    assert_true(first.direct.log_abs_det == second.direct.log_abs_det);
    assert_int_equal(first.direct.det_sign, second.direct.det_sign);
    assert_int_equal(found.devices, of->n == 0 ? 0 : of->dealt ? 1 + several->peer_count : 1);
    assert_int_equal(expected.devices, found.devices);
    assert_true(expected.device_bytes == found.device_bytes);
    assert_int_equal(strstr(second.where_reason, "dealt out") != NULL, of->dealt);
    assert_int_equal(found.other_device_bytes > 0, of->dealt);
    for (int k = 0; k < 2; k++) clsolve_sparse_destroy(sparse[k]);
    assert_int_equal(buffers_of(several), before);
    if (of->dealt) check_shares(1 + several->peer_count);
    free_system(&system);
}

TEST(test_bits) {
    static const kind kinds[] = {
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID2, 900, 1},
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_C64, PATTERN_GRID3, 343, 1},
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F32, PATTERN_GRID3, 512, 1},
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_C32, PATTERN_GRID2, 400, 1},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, PATTERN_GRID3, 1000, 1},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_C64, PATTERN_GRID2, 400, 1},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F32, PATTERN_GRID2, 900, 1},
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_C32, PATTERN_GRID3, 343, 1},
        {CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_F64, PATTERN_GRID3, 512, 1},
        {CLSOLVE_SPARSE_HERMITIAN, CLSOLVE_C64, PATTERN_GRID2, 400, 1},
        {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_DISCONNECTED, 300, 1}, /* a forest */
        {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, PATTERN_ARROW, 200, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) run(&kinds[k]);
}

/* Three devices, the last one the fastest. */
TEST(test_three) {
    static const kind of = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID2, 900, 1};
    clsolve_context *const two = several;
    (void)state;
    several = joined_contexts(3, 1);
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,2,4", 1), 0);
    run(&of);
    clsolve_context_destroy(several);
    several = two;
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
}

TEST(test_large) {
    static const kind of = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERNS, 1030, 1};
    (void)state;
    if (!cls_in_place(one->device)) run(&of); /* in place there is no engine */
}

/* Two blocks that share all but one row of a third, each a front of `size` pivots by what fills in from its first column.
 */
static triplets make_filled(int64_t size) {
    triplets A = {.n = 3 * size};
    for (int64_t i = 0; i < A.n; i++) {
        const int64_t own = i / size * size;
        triplets_add(&A, i, i, 8);
        for (int64_t first = 0; first <= own; first += size) {
            if (i == first || (first < own && (own < 2 * size || i == A.n - 1))) continue;
            triplets_add(&A, i, first, 1);
            triplets_add(&A, first, i, 1);
        }
    }
    triplets_sort(&A);
    return A;
}

static int64_t blocks_in_lists(const cls_sparse_device *sparse) {
    const cls_front_class *const of[] = {&sparse->triangles, &sparse->below, &sparse->right_of};
    for (int k = 0; k < 3; k++) {
        assert_true(of[k]->from + of[k]->count <= sparse->symbolic->tree.fronts + sparse->described);
        for (int64_t b = 0; b < of[k]->count; b++)
            assert_in_range(sparse->list[of[k]->from + b], sparse->symbolic->tree.fronts, sparse->described - 1);
    }
    return sparse->triangles.count;
}

/* Each device gets the whole list of the blocks of its large fronts, and no other's. */
TEST(test_lists) {
    static const kind of = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERNS, 1030, 1};
    test_random random = test_random_start(47);
    system_of system = {.kind = &of, .A = make_filled(of.n)};
    (void)state;
    system.rows = csr_make(&system.A, &(csr_form){.type = of.type, .index = CLSOLVE_I32}, &random);
    clsolve_sparse *sparse = create(several, &system, 0);
    assert_int_equal(analysis_of(several, &system, sparse).devices, DEVICES);
    assert_int_equal(blocks_in_lists(sparse->engine.there), 2);
    clsolve_sparse_destroy(sparse);
    free_system(&system);
}

TEST(test_small) {
    static const int64_t sizes[] = {0, 1, 2, 3};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const kind lu = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_BAND, sizes[k], 0},
                   cholesky = {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, PATTERN_BAND, sizes[k], 0};
        run(&lu);
        run(&cholesky);
    }
}

/* Without CLSOLVE_SHARES a small matrix stays on the first device, and the report says why. */
TEST(test_small_stays) {
    static const kind of = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID3, 8000, 0};
    (void)state;
    assert_int_equal(unsetenv("CLSOLVE_SHARES"), 0);
    system_of system = make_system(&of, 45);
    clsolve_sparse *sparse = create(several, &system, 0);
    check(several, &of, clsolve_sparse_factor_csr(sparse, &system.rows.view), "factor");
    assert_int_equal(analysis_of(several, &system, sparse).devices, 1);
    assert_non_null(strstr(report_of(sparse).where_reason, "on one device"));
    check_shares(1);
    clsolve_sparse_destroy(sparse);

    /* With less memory than one device wants, all of them take it. */
    clsolve_sparse *alone = create(one, &system, 0);
    const double whole = analysis_of(one, &system, alone).device_bytes;
    clsolve_sparse_destroy(alone);
    int dealt = 0, streamed = 0;
    for (double limit = 0.98 * whole; limit > 0.3 * whole; limit *= 0.93) {
        sparse = create(several, &system, (int64_t)limit);
        const clsolve_sparse_analysis found = analysis_of(several, &system, sparse);
        assert_true(found.device_bytes == found.first_device_bytes + found.other_device_bytes);
        assert_true(found.other_device_bytes <= limit && found.first_device_bytes <= limit);
        dealt += found.devices == DEVICES && found.streamed_bytes == 0;
        streamed += found.devices == DEVICES && found.streamed_bytes > 0;
        if (found.devices == DEVICES && (found.streamed_bytes > 0 ? streamed : dealt) == 1) {
            check(several, &of, clsolve_sparse_factor_csr(sparse, &system.rows.view), "factor");
            solve(several, &system, sparse, CLSOLVE_NO_TRANS, 1, system.X[1]);
        }
        clsolve_sparse_destroy(sparse);
    }
    assert_true(dealt > 0 && streamed > 0);
    free_system(&system);
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
}

/* Values that are singular, or not positive definite, end as on one device; the next ones are solved. */
TEST(test_values_that_fail) {
    static const kind kinds[] = {{CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, PATTERN_GRID2, 400, 1},
                                 {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, PATTERN_GRID2, 400, 1}};
    static const clsolve_status wanted[] = {CLSOLVE_SINGULAR, CLSOLVE_NOT_POSITIVE_DEFINITE};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        system_of system = make_system(&kinds[k], 46);
        clsolve_sparse *sparse = create(several, &system, 0);
        double *values = system.rows.values;
        const size_t bytes = (size_t)system.rows.count * sizeof *values;
        double *good = test_doubles(system.rows.count);
        memcpy(good, values, bytes);
        for (int64_t e = 0; e < system.rows.count; e++) values[e] = k == 0 ? 0 : -values[e];
        assert_int_equal(clsolve_sparse_factor_csr(sparse, &system.rows.view), wanted[k]);
        memcpy(values, good, bytes);
        check(several, &kinds[k], clsolve_sparse_factor_csr(sparse, &system.rows.view), "factor");
        solve(several, &system, sparse, CLSOLVE_NO_TRANS, 1, system.X[1]);
        assert_string_equal(report_of(sparse).where, "device");
        free(good);
        clsolve_sparse_destroy(sparse);
        free_system(&system);
    }
}

int main(void) {
    require_fronts();
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
    one = test_context(1);
    several = joined_contexts(DEVICES, 1);
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(several);
    clsolve_context_destroy(one);
    return failed;
}
