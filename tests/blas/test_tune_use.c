/* Which product is taken at its first use: the tuned one, unless it is wrong there, its record is damaged, or it is not
 * known. */
#define _XOPEN_SOURCE 700

#include <unistd.h>

#include "api/context.h"
#include "blas/tune_support.h"

static void store(const clsolve_context *context, const cls_tile *tile) {
    char path[512], why[256];
    cls_record record = {.tile = *tile};
    for (int op = 0; op < CLS_RECORD_OPS; op++)
        for (int s = 0; s < CLS_RECORD_SHAPES; s++) record.against[op][s] = 2;
    assert_int_equal(
        cls_record_store(folder, &record, &context->device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
}

TEST(a_wrong_product_is_not_used) {
    static const cls_tile tile = {4, 6, 4, 4, 3, 4, 0, 0, 0};
    for (int how = 0; how < 3; how++) { /* wrong, not built, and right: but known to be wrong from the first time */
        clsolve_context *context = open_context(folder);
        if (how == 0) (void)clear_folder(0);
        store(context, &tile);
        wrong = how == 0;
        refused_file = how == 1 ? "gemm_tiled" : NULL;
        refused = how == 1;
        assert_int_equal(multiplies_by_clblast(context), 1);
        assert_int_equal(multiplies_by_clblast(context), 1);
        self_test_says(context, CLSOLVE_F32, "right; the tuned product is wrong here");
        is_said(context, "a tuning record is there, but its kernel is wrong here");
        clsolve_context_destroy(context);
    }
    refused_file = NULL;
    wrong = 0;
    (void)clear_folder(0);
    clsolve_context *context = open_context(folder);
    store(context, &tile);
    self_test_says(context, CLSOLVE_F32, "right");
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
}

TEST(a_refused_matrix_unit_is_told) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
        OWNED(context) *context = open_context("");
        if (type == CLSOLVE_F32 || context->device->info.fp64) {
            context->device->matrix_unit = 80;
            refused_file = "gemm_mma";
            refused = 1;
            self_test_says(context, (clsolve_type)type,
                           "right; the product by the matrix unit is wrong here or does not run");
            assert_int_equal(refused, 0);
            refused_file = NULL;
        }
    }
}

TEST(a_damaged_row_is_told) {
    OWNED(context) *context = open_context(folder);
    char path[512], why[256];
    const cls_record record = {.tile = {4, 6, 4, 4, 3, 4, 0, 0, 0}};
    assert_int_equal(
        cls_record_store(folder, &record, &context->device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
    assert_int_equal(truncate(path, 50), 0);
    is_said(context, "the stored tuning record is damaged and not used");
    assert_int_equal(multiplies_by_clblast(context), 1);
    (void)clear_folder(1);
}

/* A record that comes with the library, on a device of which that is known. */
TEST(a_known_device) {
    clsolve_context *context = open_context("");
    cls_record record;
    context->device->info.max_work_group = work_group;
    if (!cls_record_known(&context->device->info, CLSOLVE_F32, &record)) {
        clsolve_context_destroy(context);
        skip();
    }
    is_said(context, "on such devices; no tuning record is stored");
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
}

TEST_PROGRAM_OF("opencl", make_folder, remove_folder)
