#define _POSIX_C_SOURCE 200809L
/*
 * The kernels' test before their first use, with a driver that errs: the linker puts __wrap_cls_panel_test_right in the
 * place of the comparison, so that as many solutions are wrong as a case says.
 */
#include <clsolve/clsolve.h>

#include <unistd.h>

#include "api/context.h"
#include "lu/sub_group_words.h"
#include "method/lu/lu.h"
#include "support/test_support.h"

static int driver_lies;  /* the kernels are wrong by themselves */
static int wrong, asked; /* how many are still to be wrong; how often it was asked */

WRAPS(int, cls_panel_test_right, (clsolve_type type, int64_t n, const void *X)) {
    int right = __real_cls_panel_test_right(type, n, X);
    assert_true(right || driver_lies);
    asked++;
    return wrong-- > 0 ? 0 : right;
}

static clsolve_context *open_context(const char *folder) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    /* Neither leaves nor kernels of few rows that one maker's GPUs have. */
    context->device->promised_together = context->device->matrix_unit = 0;
    context->device->sub_groups = CLS_SUB_GROUPS_NONE; /* they have tests of their own below */
    return context;
}

static clsolve_status solve(clsolve_context *context) {
    float a[] = {0, 2, 1, 0, 1, 4, 3, 1, 0}, b[] = {3, 4, 5}; /* column by column; b = A (1, 1, 1) */
    clsolve_matrix A = clsolve_matrix_f32(3, 3, a), B = clsolve_matrix_f32(3, 1, b);
    clsolve_solver_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    clsolve_status status = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, NULL);
    for (int i = 0; i < 3 && status == CLSOLVE_OK; i++) assert_true(b[i] > 0.999f && b[i] < 1.001f);
    return status;
}

TEST(is_done_once) {
    char text[128];
    OWNED(context) *context = open_context("");
    wrong = asked = 0;
    assert_int_equal(solve(context), CLSOLVE_OK);
    assert_int_equal(asked, 1);
    assert_int_equal(solve(context), CLSOLVE_OK);
    assert_int_equal(clsolve_context_self_test(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    assert_string_equal(text, "right");
    assert_int_equal(asked, 1);
    assert_int_equal(clsolve_context_self_test(context, (clsolve_type)9, NULL, 0), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_context_self_test(NULL, CLSOLVE_F32, NULL, 0), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

/* What a leaf that gives up leaves: no moves, and pivots beyond the last row. */
static void are_empty(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_buffer *lists[] = {lu->panel.sources, lu->panel.targets, lu->panel.ipiv};
    for (int k = 0; k < 3; k++) {
        int64_t words[20], count = (k < 2 ? 2 : 1) * lu->n;
        size_t bytes = (size_t)count * sizeof *words;
        cls_rect rect = {bytes, 1, 0, bytes, bytes};
        assert_true(count <= 20);
        assert_int_equal(device->ops->read(device, CLS_COMPUTE, lists[k], words, &rect, NULL, NULL), CLSOLVE_OK);
        assert_int_equal(device->ops->finish(device, CLS_COMPUTE), CLSOLVE_OK);
        for (int64_t w = 0; w < count; w++) assert_true(k < 2 ? words[w] == -1 : words[w] - 1 >= lu->n);
    }
}

TEST(a_wrong_leaf_is_done_without) {
    char text[128];
    OWNED(context) *context = open_context("");
    cls_lu lu;
    wrong = 1, asked = 0;
    assert_int_equal(solve(context), CLSOLVE_OK);
    assert_int_equal(asked, 2);
    assert_int_equal(clsolve_context_self_test(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    assert_non_null(strstr(text, "not used"));
    memset(&lu, 0, sizeof lu);
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    assert_int_equal(cls_lu_setup(context->device, 10, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
    assert_int_equal(lu.panel.steps.whole_rows, 0);
    are_empty(&lu);
    cls_lu_release(&lu);
}

TEST(wrong_kernels_are_refused) {
    char text[128];
    OWNED(context) *context = open_context("");
    wrong = 2, asked = 0;
    assert_int_equal(solve(context), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(context), "wrong results"));
    assert_int_equal(clsolve_context_self_test(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_ERROR_UNSUPPORTED);
    assert_int_equal(context->device->counters.buffers, 0);
}

/* What one context has found the next one knows, from the folder of compiled kernels. */
TEST(is_remembered) {
    char folder[] = "/tmp/clsolve-selftest-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (int round = 0; round < 2; round++) {
        OWNED(context) *context = open_context(folder);
        wrong = round == 0, asked = 0;
        assert_int_equal(solve(context), CLSOLVE_OK);
        assert_int_equal(asked, round == 0 ? 2 : 0);
        assert_int_equal(cls_fact_get(context->device, "lu single"), CLS_PANEL_KERNELS_NO_WHOLE);
    }
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Where the maker promises that groups may wait for each other but the compiler has no lanes for such a leaf, leaves go by steps. */
TEST(a_refused_leaf_is_done_without) {
    enum { N = 100 };
    static float a[N * N], b[N];
    OWNED(context) *context = open_context("");
    clsolve_matrix A = clsolve_matrix_f32(N, N, a), B = clsolve_matrix_f32(N, 1, b);
    clsolve_solver_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    for (int k = 0; k < N; k++) a[k + k * N] = 4, a[(k + 1) % N + k * N] = 8, b[k] = 12;
    context->device->groups_together = context->device->promised_together = 1;
    wrong = asked = 0;
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, NULL), CLSOLVE_OK);
    for (int k = 0; k < N; k++) assert_true(b[k] > 0.999f && b[k] < 1.001f);
    assert_true(context->device->info.max_work_group < 288 || cls_fact_get(context->device, "lu resident single") != 0);
    assert_int_equal(cls_fact_get(context->device, "lu resident double"), 0);
}

/* A context whose device has these words; NULL where its kernels of LU use no sub-groups anyway, as through CUDA. */
static clsolve_context *open_with(sub_group_words words, const char *folder) {
    clsolve_context *context = open_context(folder);
    if (context->device->info.type == CLSOLVE_DEVICE_GPU && !context->device->no_kernels &&
        strcmp(context->device->info.backend, "opencl") == 0) {
        context->device->groups_together = 0; /* leaves by steps */
        sub_group_words_give(context->device, words);
        return context;
    }
    clsolve_context_destroy(context);
    return NULL;
}

TEST(sub_groups_are_used) {
    OWNED(context) *context = open_with(SUB_GROUP_WORDS_RIGHT, "");
    if (!context) skip();
    wrong = asked = 0;
    assert_int_equal(solve(context), CLSOLVE_OK);
    assert_int_equal(asked, 1);
    assert_true(sub_group_words_asked() > 0);
    assert_int_equal(context->device->sub_groups, CLS_SUB_GROUPS_CORE);
}

/* Wrong ones, and ones that do not build: kernels do without, in this context and, from the folder, in the next one. */
TEST(wrong_sub_groups_are_done_without) {
    for (sub_group_words words = SUB_GROUP_WORDS_LIE; words <= SUB_GROUP_WORDS_MISSING; words++) {
        char folder[] = "/tmp/clsolve-selftest-XXXXXX", command[64], text[128];
        assert_non_null(mkdtemp(folder));
        clsolve_context *context = open_with(words, folder);
        if (context) {
            driver_lies = 1;
            wrong = asked = 0;
            assert_int_equal(solve(context), CLSOLVE_OK);
            assert_string_equal(clsolve_context_message(context), "");
            driver_lies = 0;
            const int more = sub_group_words_asked();
            assert_true(more > 0);
            assert_int_equal(context->device->sub_groups, CLS_SUB_GROUPS_NONE);
            assert_int_equal(cls_fact_get(context->device, "lu single"), CLS_PANEL_KERNELS_RIGHT);
            assert_int_equal(clsolve_context_self_test(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
            assert_string_equal(text, "right");
            assert_int_equal(sub_group_words_asked(), more);
            context->device->sub_groups = CLS_SUB_GROUPS_CORE;
            cls_sub_groups_recall(context->device);
            assert_int_equal(context->device->sub_groups, CLS_SUB_GROUPS_NONE);
            clsolve_context_destroy(context);
        }
        (void)snprintf(command, sizeof command, "rm -r %s", folder);
        assert_int_equal(system(command), 0);
        if (!context) skip();
    }
}

/* What a test found of kernels without sub-groups is nothing that kernels with them could be used by. */
TEST(outcomes_are_kept_apart) {
    char folder[] = "/tmp/clsolve-selftest-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    clsolve_context *context = open_context(folder);
    wrong = asked = 0;
    assert_int_equal(solve(context), CLSOLVE_OK);
    assert_int_equal(asked, 1);
    clsolve_context_destroy(context);
    context = open_with(SUB_GROUP_WORDS_RIGHT, folder);
    if (context) {
        assert_int_equal(solve(context), CLSOLVE_OK);
        assert_int_equal(asked, 2);
        clsolve_context_destroy(context);
    }
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!context) skip();
}

TEST_PROGRAM(NULL, NULL)
