/*
 * Leaves and solves in one launch of groups that wait for each other, in OpenCL C 1.2 (cl/lu_together.cl,
 * cl/lu_sweep.cl), on a device that need not run groups together: where one group does all, and where those that are
 * tried may not meet. In double the groups exchange 64-bit words, in float halves of 32-bit ones by atomics. The
 * emulator's tests have the orders that groups can run in.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "api/lu_state.h"
#include "lu/ratios.h"
#include "lu/sub_group_words.h"
#include "method/lu/lu.h"

enum { MOST = 150 };

static test_random numbers;

/* So many systems of the self-test are still to count as wrong. */
static int wrong;

WRAPS(int, cls_panel_test_right, (clsolve_type type, int64_t n, const void *X)) {
    return wrong-- > 0 ? 0 : __real_cls_panel_test_right(type, n, X);
}

/* So many tests of leaves are still to count as wrong; NOBODY_ASKS: what they find counts. */
enum { NOBODY_ASKS = -1000 };
static int wrong_leaves = NOBODY_ASKS;

WRAPS(int, cls_panel_leaf_agrees, (clsolve_type type, int64_t elements, const double *expected, const void *got)) {
    return wrong_leaves == NOBODY_ASKS ? __real_cls_panel_leaf_agrees(type, elements, expected, got)
                                       : wrong_leaves-- <= 0;
}

/* A random system of order n. *found: what the device's test of such leaves found. */
static void factor(clsolve_context *context, clsolve_type type, int64_t n, int *found) {
    static double a[MOST * MOST], original[MOST * MOST], x[MOST], b[MOST];
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_lu *lu = NULL;
    for (int64_t k = 0; k < n * n; k++) original[k] = test_random_signed(&numbers);
    for (int64_t i = 0; i < n; i++) x[i] = b[i] = test_random_signed(&numbers);
    float *singles = (float *)a, *single_x = (float *)x;
    if (type == CLSOLVE_F32) {
        for (int64_t k = 0; k < n * n; k++) original[k] = (double)(singles[k] = (float)original[k]);
        for (int64_t i = 0; i < n; i++) b[i] = (double)(float)b[i];
        for (int64_t i = 0; i < n; i++) single_x[i] = (float)b[i];
    } else {
        memcpy(a, original, (size_t)(n * n) * sizeof *a);
    }
    const clsolve_matrix A = {type, CLSOLVE_COLUMN_MAJOR, n, n, n, a, CLSOLVE_ON_HOST, 0};
    clsolve_matrix X = {type, CLSOLVE_COLUMN_MAJOR, n, 1, n, x, CLSOLVE_ON_HOST, 0};
    assert_int_equal(clsolve_lu_create(context, n, type, &options, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &A), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &X), CLSOLVE_OK);
    clsolve_lu_destroy(lu);
    double largest = 0, norm = 0, of_x = 0;
    for (int64_t i = 0; i < n; i++) {
        double r = -b[i], sum = 0;
        for (int64_t k = 0; k < n; k++) {
            const double value = type == CLSOLVE_F64 ? x[k] : (double)single_x[k];
            r += original[i + k * n] * value;
            sum += fabs(original[i + k * n]);
        }
        largest = test_worst(largest, fabs(r));
        norm = fmax(norm, sum);
        of_x = fmax(of_x, fabs(type == CLSOLVE_F64 ? x[i] : (double)single_x[i]));
    }
    assert_true(largest / (norm * of_x * (double)n * test_epsilon(type)) < RATIO_BOUND);
    *found = cls_fact_get(context->device, type == CLSOLVE_F64 ? "lu resident double" : "lu resident single");
}

static clsolve_context *open_with_cache(const char *folder, int groups, int whole_words) {
    const clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    clsolve_context *context = NULL;
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    if (context->device->promised_together || context->device->info.max_work_group < 256) {
        clsolve_context_destroy(context);
        return NULL; /* leaves of another kernel, or none */
    }
    context->device->groups_together = groups;
    context->device->whole_words = whole_words && context->device->whole_words;
    return context;
}

static clsolve_context *open_context(int groups, int whole_words) {
    return open_with_cache("", groups, whole_words);
}

TEST(one_group) {
    for (int type = 0; type < 2; type++) {
        OWNED(context) *context = open_context(1, type);
        int found = 0;
        if (!context) skip();
        if (type == 0 || context->device->info.fp64) {
            for (int64_t n = 61; n < 66; n++) factor(context, type ? CLSOLVE_F64 : CLSOLVE_F32, n, &found);
            assert_int_equal(found, 1); /* so it was that kernel */
            /* Its solve is one launch for L and one for U. */
            factor(context, type ? CLSOLVE_F64 : CLSOLVE_F32, 129, &found);
            if (!cls_in_place(context->device))
                assert_int_equal(cls_fact_get(context->device, type ? "lu sweep double" : "lu sweep single"), 1);
        }
    }
}

/* As many as the device runs together are used, or none; the factors are right in any case. */
TEST(groups_that_may_not_meet) {
    OWNED(context) *context = open_context(1000, 0);
    int found = 0;
    if (!context) skip();
    factor(context, CLSOLVE_F32, MOST, &found);
    assert_true(found != 0);
    assert_true(found < 0 || found <= context->device->groups_together);
}

/* A context whose device has these words; skips the test where kernels do not run so. */
static clsolve_context *open_with(sub_group_words words) {
    clsolve_context *context = open_context(1, 1);
    if (!context || context->device->no_kernels) {
        clsolve_context_destroy(context);
        skip();
    }
    sub_group_words_give(context->device, words);
    return context;
}

/* Leaves whose searches go by sub-groups; where these are wrong or do not build, the same leaves without. */
TEST(by_sub_groups) {
    for (sub_group_words words = SUB_GROUP_WORDS_RIGHT; words <= SUB_GROUP_WORDS_MISSING; words++) {
        OWNED(context) *context = open_with(words);
        int found = 0;
        for (int64_t n = 63; n < 66; n++) factor(context, CLSOLVE_F32, n, &found);
        assert_int_equal(found, 1);
        assert_true(sub_group_words_asked() > 0);
        assert_int_equal(context->device->sub_groups,
                         words == SUB_GROUP_WORDS_RIGHT ? CLS_SUB_GROUPS_CORE : CLS_SUB_GROUPS_NONE);
    }
}

/* The leaf passes its test, and the system that the kernels solve together is wrong: with sub-groups, and not without. */
TEST(wrong_in_the_system) {
    OWNED(context) *context = open_with(SUB_GROUP_WORDS_RIGHT);
    int found = 0;
    wrong = 1;
    factor(context, CLSOLVE_F32, 64, &found);
    assert_true(wrong < 0);
    wrong = 0;
    assert_int_equal(context->device->sub_groups, CLS_SUB_GROUPS_NONE);
    assert_int_equal(found, 1); /* tested anew */
    const int asked = sub_group_words_asked();
    factor(context, CLSOLVE_F32, 65, &found);
    assert_int_equal(sub_group_words_asked(), asked);
}

/* A device that is busy while another panel is tested has fewer groups from then on. One that is there keeps its own. */
TEST(fewer_groups_later) {
    enum { N = 150 };
    static double a[N * N];
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    const clsolve_matrix A = {CLSOLVE_F64, CLSOLVE_COLUMN_MAJOR, N, N, N, a, CLSOLVE_ON_HOST, 0};
    clsolve_context *context = open_context(2, 1);
    clsolve_lu *first = NULL, *second = NULL;
    if (!context || !context->device->info.fp64 || cls_in_place(context->device)) {
        clsolve_context_destroy(context);
        skip();
    }
    context->device->rolled = 0; /* leaves of 64, 128 and 256 rows a group */
    for (int k = 0; k < N * N; k++) a[k] = test_random_signed(&numbers);
    wrong_leaves = 0;
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F64, &options, &first), CLSOLVE_OK);
    assert_int_equal(first->lu.panel.resident.together, 2);
    assert_int_equal(wrong_leaves, -2); /* leaves of 128 rows a group, and of 64: both were tried */
    wrong_leaves = 2;
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F32, &options, &second), CLSOLVE_OK);
    wrong_leaves = NOBODY_ASKS;
    assert_int_equal(context->device->groups_together, 1);
    assert_int_equal(clsolve_lu_factor(first, &A), CLSOLVE_OK);
    clsolve_lu_destroy(first);
    clsolve_lu_destroy(second);
    clsolve_context_destroy(context);
}

/* A run on a device of two groups, where `busy` tests fail; *tests: so many were run. 0: not this kernel. */
static int run_with_cache(const char *folder, int busy, int *tests, int64_t *groups) {
    enum { N = 150 };
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    OWNED(context) *context = open_with_cache(folder, 2, 1);
    clsolve_lu *lu = NULL;
    const int runs = context && !cls_in_place(context->device);
    if (runs) {
        context->device->rolled = 0;
        wrong_leaves = busy;
        assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
        *tests = busy - wrong_leaves;
        *groups = lu->lu.panel.resident.together;
        wrong_leaves = NOBODY_ASKS;
        clsolve_lu_destroy(lu);
    }
    return runs;
}

/* Two runs without groups are no verdict on the device; three are, and so is one that finds all groups. */
TEST(busy_runs) {
    static const struct {
        int busy, groups, tests; /* tests: 0: none is left to do, 1: some */
    } runs[] = {{4, 0, 1}, {4, 0, 1}, {0, 2, 1}, {4, 2, 0}}, agreed[] = {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}, {0, 0, 0}};
    char folders[2][32] = {"/tmp/clsolve-busy-XXXXXX", "/tmp/clsolve-busy-XXXXXX"}, command[64];
    int run = 1;
    for (int k = 0; k < 2; k++) {
        assert_non_null(mkdtemp(folders[k]));
        for (int r = 0; r < 4 && run; r++) {
            int64_t groups = 0;
            int tests = 0;
            const int busy = k ? agreed[r].busy : runs[r].busy;
            run = run_with_cache(folders[k], busy, &tests, &groups);
            if (!run) break;
            assert_int_equal(groups, k ? agreed[r].groups : runs[r].groups);
            assert_int_equal(tests > 0, k ? agreed[r].tests : runs[r].tests);
        }
        (void)snprintf(command, sizeof command, "rm -r %s", folders[k]);
        assert_int_equal(system(command), 0);
    }
    if (!run) skip();
}

int main(void) {
    test_require_device();
    numbers = test_random_start(0x70e7);
    return test_run(NULL, NULL);
}
