/* Enqueued factorizations with fronts for the engines of dense matrices. PoCL loses work-items in such fronts without
 * optimization, with which test_sparse_arrays would take long. */
#include "sparse/array_opencl.h"

int main(void) {
    cmocka_set_test_filter("enqueued_large");
    test_require_device();
    test_require_backend("opencl");
    require_fronts();
    return test_run(io_open, io_close);
}
