/* Kernels that a test finds wrong are refused, once and for later handles; those that are right are tested once. */
#define _XOPEN_SOURCE 700

#include <clsolve/clsolve.h>

#include <unistd.h>

#include "api/context.h"
#include "cholesky/cholesky_support.h"

/* A device whose launches of small grids do nothing: its ops are the context's own, but for this one. */
static int launches, broken;
static clsolve_status (*real_launch)(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                     const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done);

static clsolve_status launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    launches++;
    return broken ? CLSOLVE_OK : real_launch(device, queue, kernel, grid, args, count, wait, done);
}

TEST(wrong_kernels_are_refused) {
    const clsolve_cholesky_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    char folder[] = "/tmp/clsolve-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (broken = 1; broken >= 0; --broken) {
        clsolve_context_options in_folder = {.selector = test_selector(), .cache_folder = broken ? "" : folder};
        OWNED(context) *context = NULL;
        clsolve_cholesky *cholesky = NULL;
        assert_int_equal(clsolve_context_create_with(&in_folder, &context), CLSOLVE_OK);
        cls_device_ops ops = *context->device->ops;
        const cls_device_ops *own = context->device->ops;
        real_launch = ops.launch;
        ops.launch = launch;
        context->device->ops = &ops;
        for (int round = 0; round < 2; ++round) {
            launches = 0;
            clsolve_status status = clsolve_cholesky_create(context, 5, CLSOLVE_F32, &options, &cholesky);
            if (broken) {
                assert_int_equal(status, CLSOLVE_ERROR_UNSUPPORTED);
                assert_non_null(strstr(clsolve_context_message(context), "kernels of Cholesky"));
            } else {
                assert_int_equal(status, CLSOLVE_OK);
                /* Two matrices, by a leaf and the rows below it, and by tiles once more by both in one launch. */
                const int once = context->device->matrix_unit > 0 ? 6 : 4;
                assert_int_equal(launches, round ? 0 : once);
            }
            clsolve_cholesky_destroy(cholesky);
        }
        context->device->ops = own;
    }
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

TEST_PROGRAM(NULL, NULL)
