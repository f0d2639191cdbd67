/* The contract of batches of small inverses and systems: refused arguments, and what strides and offsets may be. */
#include <clsolve/clsolve.h>

#include <string.h>

#include "gauss_jordan/batch_members.h"
#include "gauss_jordan/gj_support.h"

static clsolve_context *context;
static clsolve_type type; /* double where the device has it */

#define EXPECT(call, wanted, words) TEST_EXPECT(context, call, wanted, words)

static void test_arguments(void **state) {
    /* The order is one of whose kernels test_gj_batch.c has. */
    members a = members_make(type, 3, 3, 3, CLSOLVE_COLUMN_MAJOR, 0),
            b = members_make(type, 3, 3, 2, CLSOLVE_COLUMN_MAJOR, 3);
    clsolve_gauss_jordan_batch *gj = gj_batch_make(context, 3, 3, type), *none = gj_batch_make(context, 3, 0, type);
    int64_t info[3] = {7, 7, 7};
    clsolve_batch bad;
    test_random random = test_random_start(204);
    members_fill(&random, &a);
    members_store(&a), members_store(&b);

    EXPECT(clsolve_gauss_jordan_batch_invert(gj, NULL, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "A is NULL");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, NULL, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "X is NULL");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "2 columns");
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &a.view, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "info");
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, NULL, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "B is NULL");
    bad = a.view, bad.count = 2;
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "2 members");
    bad = a.view, bad.count = -1;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "-1 members");
    bad = a.view, bad.ld = 2;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "ld");
    bad = a.view, bad.stride = 8;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "overlap");
    bad = a.view, bad.data = NULL;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "data");
    bad = a.view, bad.layout = (clsolve_layout)0;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &bad, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT, "layout");
    bad = b.view, b.offsets[1] = -1;
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offset 1");
    int64_t offsets[3] = {40, 0, 48};
    bad = a.view, bad.offsets = offsets;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offsets 40 and 48 overlap");
    offsets[1] = 16, offsets[2] = 16;
    EXPECT(clsolve_gauss_jordan_batch_invert(gj, &a.view, &bad, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "offsets 16 and 16 overlap");
    EXPECT(clsolve_gauss_jordan_batch_solve(gj, (clsolve_op)3, &a.view, &b.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT,
           "op");
    assert_int_equal(clsolve_gauss_jordan_batch_solve(NULL, CLSOLVE_NO_TRANS, &a.view, &b.view, info),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_gauss_jordan_batch_invert(NULL, &a.view, &a.view, info), CLSOLVE_ERROR_INVALID_ARGUMENT);
    for (int c = 0; c < 3; ++c) assert_int_equal(info[c], 7);

    bad = a.view, bad.count = 0, bad.data = NULL;
    assert_int_equal(clsolve_gauss_jordan_batch_invert(none, &bad, &bad, NULL), CLSOLVE_OK);
    /* A stride of 0: one matrix for all right-hand sides. */
    members c = members_make(type, 3, 3, 1, CLSOLVE_COLUMN_MAJOR, 0);
    double X[9];
    for (int k = 0; k < 9; ++k) c.values[k] = 1;
    members_store(&c);
    bad = a.view, bad.stride = 0;
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &c.view, info), CLSOLVE_OK);
    members_load(&c, X);
    for (int k = 0; k < 3; ++k) assert_true(X[k] == X[3 + k] && X[k] == X[6 + k]);

    /* Offsets that only touch, in any order, are fine; and those that are only read may be the same. */
    offsets[0] = 18, offsets[1] = 0, offsets[2] = 9;
    bad = a.view, bad.offsets = offsets;
    assert_int_equal(clsolve_gauss_jordan_batch_invert(gj, &bad, &bad, info), CLSOLVE_OK);
    offsets[0] = offsets[1] = offsets[2] = 9;
    assert_int_equal(clsolve_gauss_jordan_batch_solve(gj, CLSOLVE_NO_TRANS, &bad, &c.view, info), CLSOLVE_OK);

    clsolve_gauss_jordan_batch_destroy(gj);
    clsolve_gauss_jordan_batch_destroy(none);
    members_discard(&a);
    members_discard(&b);
    members_discard(&c);
}

static void test_create(void **state) {
    clsolve_gauss_jordan_batch_options options = {0};
    clsolve_gauss_jordan_batch *gj = NULL;
#define CREATE(n, count, type, options, batch)                                                                         \
    clsolve_gauss_jordan_batch_create(context, n, count, type, options, batch)
    EXPECT(CREATE(-1, 1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "n is -1");
    EXPECT(CREATE(1, -1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "count -1");
    EXPECT(CREATE(1, 1, (clsolve_type)9, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "type is 9");
    EXPECT(CREATE(1, 1, type, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT, "batch is NULL");
    EXPECT(CREATE(65, 1, type, NULL, &gj), CLSOLVE_ERROR_UNSUPPORTED, "64");
    options.reserved[6] = 1;
    EXPECT(CREATE(1, 1, type, &options, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT, "reserved");
    assert_null(gj);
    options.reserved[6] = 0;
    assert_int_equal(CREATE(1, 1, type, &options, &gj), CLSOLVE_OK);
    clsolve_gauss_jordan_batch_destroy(gj);
    clsolve_gauss_jordan_batch_destroy(NULL);
    assert_int_equal(clsolve_gauss_jordan_batch_create(NULL, 1, 1, type, NULL, &gj), CLSOLVE_ERROR_INVALID_ARGUMENT);
#undef CREATE
}

static int open_context(void **state) {
    context = gj_context();
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static int close_context(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arguments), cmocka_unit_test(test_create)};
    test_require_device();
    return cmocka_run_group_tests(tests, open_context, close_context);
}
