/*
 * test_sparse_beside.c: sparse systems whose kernels nobody has compiled. AUTO's factorizations are the host's, and do
 * not wait for the compiler, which the test holds up. Later ones, of the same handle and of new ones, are the device's,
 * and find all that they need.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <unistd.h>

#include "support/test_support.h"

#include <clsolve/sparse.h>

#include "api/beside.h"
#include "api/context.h"
#include "api/sparse.h"
#include "cost/sparse.h"
#include "device/programs.h"
#include "sparse/joined.h"
#include "sparse/patterns.h"
#include "support/held_compiler.h"
#include "support/opencl_caller.h"

static char folder[] = "/tmp/clsolve-beside-XXXXXX";

static clsolve_context *context_in(const char *cache_folder) {
    const clsolve_context_options options = {.selector = test_selector(), .cache_folder = cache_folder};
    clsolve_context *made = NULL;
    assert_int_equal(clsolve_context_create_with(&options, &made), CLSOLVE_OK);
    return made;
}

/* ---- systems ---- */

typedef struct system_of {
    clsolve_sparse_form form;
    triplets A;
    csr rows;
    double *b;
} system_of;

static system_of make(clsolve_sparse_form form, int dense) {
    enum { POINTS = 343, DENSE = 1100 };
    test_random random = test_random_start(31);
    system_of s = {.form = form};
    if (dense) {
        s.A.n = DENSE;
        for (int64_t i = 0; i < DENSE; i++)
            for (int64_t j = 0; j < DENSE; j++)
                triplets_add(&s.A, i, j, i == j ? 2 * DENSE : 1 / (1.0 + (double)((i + j) % 7)));
    } else {
        s.A = form == CLSOLVE_SPARSE_SYMMETRIC ? pattern_make_symmetric(PATTERN_GRID3, POINTS, form, 0, &random)
                                               : pattern_make_definite(PATTERN_GRID3, POINTS, 0, &random);
    }
    s.rows = csr_make(&s.A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    s.b = test_elements(CLSOLVE_F64, s.A.n);
    return s;
}

static void unmake(system_of *s) {
    free(s->b);
    csr_free(&s->rows);
    triplets_free(&s->A);
}

/* A handle by AUTO's rules for a system that is worth a device, and which the host factors in `seconds`. */
static clsolve_sparse *open_with(clsolve_context *context, const system_of *s, double operations, double seconds) {
    const clsolve_sparse_options options = {.form = s->form, .engine = CLSOLVE_SPARSE_MULTIFRONTAL};
    clsolve_sparse *sparse = NULL;
    EXPECT(context, clsolve_sparse_create_csr(context, &s->rows.view, &options, &sparse), CLSOLVE_OK, "");
    sparse->engine.analysis.operations = operations;
    sparse->engine.analysis.expected_factor = seconds;
    cls_sparse_expect_there(&sparse->engine);
    return sparse;
}

static clsolve_sparse *open_on(clsolve_context *context, const system_of *s) {
    return open_with(context, s, 1e9, 1e-3);
}

/* Factors, and solves with a backward error that is checked here. */
static clsolve_report solve(clsolve_context *context, clsolve_sparse *sparse, system_of *s) {
    const int64_t n = s->A.n;
    SCRATCH double *x = test_elements(CLSOLVE_F64, n), *row = test_elements(CLSOLVE_F64, n);
    double norm = 0, most = 0, of_x = 0;
    long double *r = test_room(n, sizeof *r);
    clsolve_matrix X = clsolve_matrix_f64(n, 1, x);
    clsolve_report report;
    for (int64_t i = 0; i < n; i++) r[i] = x[i] = 1 + (double)(i % 5), row[i] = 0;
    EXPECT(context, clsolve_sparse_factor_csr(sparse, &s->rows.view), CLSOLVE_OK, "");
    EXPECT(context, clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &X), CLSOLVE_OK, "");
    for (int64_t e = 0; e < s->A.count; e++) {
        const entry *a = &s->A.at[e];
        r[a->row] -= (long double)creal(a->value) * x[a->column];
        row[a->row] += fabs(creal(a->value));
    }
    for (int64_t i = 0; i < n; i++) {
        norm = fmax(norm, row[i]);
        most = fmax(most, (double)fabsl(r[i]));
        of_x = fmax(of_x, fabs(x[i]));
    }
    assert_true(most / (norm * of_x + 5) <= fmax(sqrt((double)n), 10) * 0x1p-53);
    EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
    free(r);
    return report;
}

static void expect_host(clsolve_context *context, clsolve_sparse *sparse, system_of *s, const char *reason) {
    const clsolve_report report = solve(context, sparse, s);
    assert_string_equal(report.where, "host");
    if (!strstr(report.where_reason, reason)) fail_msg("\"%s\" has no \"%s\"", report.where_reason, reason);
}

/* The device has the thread's programs, all of them; or all but products, which dense engines ask for as they go. */
static void expect_device_but(clsolve_context *context, clsolve_sparse *sparse, system_of *s, const char *but) {
    const int64_t compiled = context->device->compiled, found = context->device->cache_hits;
    assert_string_equal(solve(context, sparse, s).where, "device");
    int64_t own = context->device->compiled - compiled + context->device->cache_hits - found;
    for (const cls_program *p = context->device->programs; own > 0; own--, p = p->next)
        if (!but || strncmp(p->name, but, strlen(but)) != 0)
            fail_msg("the device had to get %s %s", p->name, p->options);
}

static void expect_device(clsolve_context *context, clsolve_sparse *sparse, system_of *s) {
    expect_device_but(context, sparse, s, NULL);
}

/* ---- tests ---- */

/* The first of all: whether double is slow here is not known, and to measure it would compile. */
TEST(the_ratio_is_not_waited_for) {
    if (is_cuda()) skip();
    test_pretend(NULL);
    clsolve_context *context = context_in(folder);
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    hold_compiler(1);
    (void)alarm(100);
    clsolve_sparse *sparse = open_on(context, &s);
    expect_host(context, sparse, &s, "while a thread compiles");
    (void)alarm(0);
    hold_compiler(0);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
}

TEST(calls_do_not_wait) {
    static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_SPARSE_POSITIVE_DEFINITE,
                                                CLSOLVE_SPARSE_SYMMETRIC};
    if (is_cuda()) skip();
    clsolve_context *context = context_in(folder);
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        system_of s = make(forms[k], 0);
        clsolve_sparse *first = open_on(context, &s), *second = open_on(context, &s);
        assert_true(first->engine.analysis.device_bytes > 0); /* the plan is known */
        hold_compiler(1);
        expect_host(context, first, &s, "while a thread compiles");
        await_compiler();
        expect_host(context, first, &s, "while a thread compiles");
        expect_host(context, second, &s, "while a thread compiles");
        hold_compiler(0);
        cls_beside_wait(context);
        expect_device(context, first, &s);
        expect_device(context, second, &s);
        expect_device(context, first, &s);
        clsolve_sparse_destroy(first);
        clsolve_sparse_destroy(second);
        first = open_on(context, &s);
        expect_device(context, first, &s);
        clsolve_sparse_destroy(first);
        unmake(&s);
    }
    clsolve_context_destroy(context);

    /* The folder knows. */
    context = context_in(folder);
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_on(context, &s);
    assert_string_equal(solve(context, sparse, &s).where, "device");
    assert_null(context->beside);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
}

/* Large fronts are the dense engines'. */
TEST(large_fronts_have_all_that_they_need) {
    static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_SPARSE_POSITIVE_DEFINITE};
    OWNED(context) *context = context_in("");
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        system_of s = make(forms[k], 1);
        clsolve_sparse *sparse = open_on(context, &s);
        hold_compiler(1);
        if (!is_cuda()) expect_host(context, sparse, &s, "while a thread compiles");
        hold_compiler(0);
        (void)cls_sparse_goes_there(&sparse->engine);
        cls_beside_wait(context);
        expect_device_but(context, sparse, &s, "gemm");
        clsolve_sparse_destroy(sparse);
        unmake(&s);
    }
}

/* Where the host takes longer than the compiler, the call waits. */
TEST(long_factorizations_wait) {
    OWNED(context) *context = context_in("");
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_with(context, &s, 1e9, 1e3);
    const cls_front_shape shape = cls_front_shape_of(sparse->engine.there);
    assert_false(cls_front_is_compiled(context->device, &shape));
    assert_string_equal(solve(context, sparse, &s).where, "device");
    assert_true(cls_front_is_compiled(context->device, &shape));
    clsolve_sparse_destroy(sparse);
    unmake(&s);
}

/* A compiler that takes longer than expected: the call waits as long as the host would take, and once. */
TEST(a_wait_ends) {
    static const double host_seconds = 0.1, long_ago = 1e-9;
    if (is_cuda()) skip();
    clsolve_context *context = context_in("");
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_with(context, &s, 1e9, host_seconds);
    hold_compiler(1);
    sparse->engine.asked = long_ago;
    expect_host(context, sparse, &s, "while a thread compiles");
    const double waited = sparse->engine.waited;
    assert_true(waited >= 0.9 * host_seconds);
    expect_host(context, sparse, &s, "while a thread compiles");
    assert_true(sparse->engine.waited == waited);
    hold_compiler(0);
    cls_beside_wait(context);
    expect_device(context, sparse, &s);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
}

/* In the caller's own context a thread compiles too. */
TEST(callers_contexts_do_not_wait) {
    const clsolve_context_options options = {.cache_folder = ""};
    opencl_caller caller;
    clsolve_context *context = NULL;
    if (is_cuda()) skip();
    assert_int_equal(opencl_caller_open(&caller), 0);
    assert_int_equal(clsolve_context_create_opencl(caller.cl, caller.id, caller.queue, &options, &context), CLSOLVE_OK);
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_with(context, &s, 3e10, 1e-3);
    hold_compiler(1);
    expect_host(context, sparse, &s, "while a thread compiles");
    hold_compiler(0);
    cls_beside_wait(context);
    expect_device(context, sparse, &s);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
    assert_int_equal(opencl_caller_close(&caller), 0);
}

/* Compilers begin while a large system is analysed. */
TEST(the_analysis_begins) {
    enum { POINTS = 45 * 45 * 45 };
    const clsolve_sparse_options options = {.threads = 2}; /* KLU looks at it first */
    if (is_cuda()) skip();
    clsolve_context *context = context_in("");
    test_random random = test_random_start(7);
    triplets A = pattern_make_definite(PATTERN_GRID3, POINTS, 0, &random);
    csr rows = csr_make(&A, &(csr_form){.type = CLSOLVE_F64, .index = CLSOLVE_I32}, &random);
    clsolve_sparse *sparse = NULL;
    spoil_compiler(1);
    hold_compiler(1);
    EXPECT(context, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), CLSOLVE_OK, "");
    assert_true(sparse->engine.asked > 0);
    await_compiler();
    hold_compiler(0);
    cls_beside_wait(context);
    spoil_compiler(0);
    clsolve_sparse_destroy(sparse);
    csr_free(&rows);
    triplets_free(&A);
    clsolve_context_destroy(context);
}

/* The kernels that are foreseen are those of factors with such a front: then nothing is missed. */
TEST(what_is_foreseen_is_wanted) {
    static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_GENERAL, CLSOLVE_SPARSE_POSITIVE_DEFINITE,
                                                CLSOLVE_SPARSE_SYMMETRIC};
    static const int64_t pivots[] = {100, 300, 900, 1500, 4096};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t k = 0; k < sizeof pivots / sizeof *pivots; k++) {
            const cls_front_shape shape = cls_front_shape_foreseen(CLSOLVE_F64, forms[f], pivots[k]);
            assert_int_equal(shape.whole[CLS_LARGE].count, pivots[k] > CLS_FRONT_BLOCK && !cls_form_is_ldl(forms[f]));
            assert_int_equal(shape.whole[CLS_BROAD].count, pivots[k] > CLS_MOST_MIDDLE);
            assert_int_equal(shape.whole[CLS_MIDDLE].count, pivots[k] > CLS_MOST_FAR);
            for (int kind = CLS_SMALL; kind <= CLS_FAR; kind++) assert_int_equal(shape.whole[kind].count, 1);
        }
}

/* No thread compiles where the environment decides. */
TEST(the_environment_decides) {
    clsolve_report report;
    assert_int_equal(setenv("CLSOLVE_HOST", "never", 1), 0);
    clsolve_context *context = context_in("");
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_on(context, &s);
    expect_host(context, sparse, &s, "before the device's kernels are compiled");
    clsolve_sparse_destroy(sparse);
    /* The call compiles when the host would have worked as long, for all handles together. */
    const double part = 0.4 * cls_sparse_compile_seconds(&context->device->info);
    sparse = open_with(context, &s, 1e9, part);
    expect_host(context, sparse, &s, "before the device's kernels are compiled");
    clsolve_sparse_destroy(sparse);
    sparse = open_with(context, &s, 1e9, part);
    expect_host(context, sparse, &s, "before the device's kernels are compiled");
    clsolve_sparse_destroy(sparse);
    sparse = open_with(context, &s, 1e9, part);
    EXPECT(context, clsolve_sparse_report(sparse, &report), CLSOLVE_OK, "");
    assert_string_equal(report.where, "device");
    assert_string_equal(solve(context, sparse, &s).where, "device");
    assert_null(context->beside);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
}

TEST(a_failure_stays_on_the_host) {
    if (is_cuda()) skip();
    OWNED(context) *context = context_in("");
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_on(context, &s);
    spoil_compiler(1);
    hold_compiler(1);
    expect_host(context, sparse, &s, "while a thread compiles");
    hold_compiler(0);
    cls_beside_wait(context);
    expect_host(context, sparse, &s, "could not be compiled");
    spoil_compiler(0);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
}

/* Each device has a thread of its own. */
TEST(several_devices_have_all_that_they_need) {
    if (is_cuda()) skip();
    assert_int_equal(setenv("CLSOLVE_SHARES", "1,1", 1), 0);
    clsolve_context *context = joined_contexts(2, 0);
    system_of s = make(CLSOLVE_SPARSE_GENERAL, 0);
    clsolve_sparse *sparse = open_on(context, &s);
    assert_non_null(sparse->engine.there->others);
    hold_compiler(1);
    expect_host(context, sparse, &s, "while a thread compiles");
    hold_compiler(0);
    cls_beside_wait(context);
    cls_beside_wait(context->peers[0]);
    const int64_t compiled = context->peers[0]->device->compiled;
    expect_device(context, sparse, &s);
    assert_int_equal(context->peers[0]->device->compiled, compiled);
    clsolve_sparse_destroy(sparse);
    unmake(&s);
    clsolve_context_destroy(context);
    assert_int_equal(setenv("CLSOLVE_SHARES", "", 1), 0);
}

/* To measure the ratio create would compile, and the compiler is held. */
static int know_ratio(void **state) {
    (void)state;
    test_pretend("double-ratio=2");
    return 0;
}

/* A test that has failed leaves the compiler as it was. */
static int let_go(void **state) {
    test_pretend(NULL);
    spoil_compiler(0);
    hold_compiler(0);
    return setenv("CLSOLVE_HOST", "", 1);
}

int main(void) {
    /* Programs that were compiled with the library would be there at once. */
    if (setenv("CLSOLVE_HOST", "", 1) != 0 || setenv("CLSOLVE_KERNELS", "none", 1) != 0 || !mkdtemp(folder))
        return EXIT_FAILURE;
    test_require_device();
    int failed = test_run_each(NULL, NULL, know_ratio, let_go);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? failed : EXIT_FAILURE;
}
