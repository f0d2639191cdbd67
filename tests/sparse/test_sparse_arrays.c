/* Sparse systems with arrays in the caller's own OpenCL buffers, and the calls that enqueue. */
#include "sparse/array_opencl.h"

TEST_PROGRAM_BY((test_require_device(), test_require_backend("opencl"), require_fronts()), io_open, io_close)
