/* Sparse systems with arrays in the caller's own OpenCL buffers, and the calls that enqueue. */
#include "sparse/array_opencl.h"

int main(void) {
    const struct CMUnitTest tests[] = {ARRAY_TESTS, cmocka_unit_test(without_kernels)};
    test_require_device();
    test_require_backend("opencl");
    require_fronts();
    return cmocka_run_group_tests(tests, io_open, io_close);
}
