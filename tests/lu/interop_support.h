/* interop_support.h: the caller's side of the tests of clsolve/opencl.h: a context, a device and a queue of its own, and
 * matrices in buffers of its own with something before, between and behind their lines. */
#ifndef CLSOLVE_TEST_INTEROP_SUPPORT_H
#define CLSOLVE_TEST_INTEROP_SUPPORT_H

#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "lu/ratios.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

/* IO_OFFSET elements stand before each matrix, and some bytes behind it. */
enum { IO_N = 75, IO_NRHS = 6, IO_OFFSET = 37 };

extern opencl_caller io;

/* A matrix in a buffer of the caller's, with something before, between and behind. */
typedef struct io_matrix {
    clsolve_matrix view;
    test_matrix host; /* what was put there, lines and what is between them */
    cl_mem memory;
    size_t bytes, before;
} io_matrix;

io_matrix io_put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values);
/* The same in a buffer with more flags, which may forbid it the host, or kernels. */
io_matrix io_put_as(cl_mem_flags flags, clsolve_layout layout, int64_t rows, int64_t cols, const double *values);
/* What is there now, behind `wait`; the surroundings are intact. */
void io_get(io_matrix *d, const cl_event *wait, double *values);
void io_drop(io_matrix *d);
#define scratch_io SCRATCH_BY(io_drop) io_matrix

/* Runs the test with io.type as it is, and as the complex type of that precision. */
void io_in_each_type(void (*test)(clsolve_type type));

/* So many elements, in double. */
double *io_values(uint64_t use, int64_t count);
void io_same(const double *a, const double *b, int64_t count);
/* A handle of order IO_N with default options. */
clsolve_lu *io_make(void);

/* Set-up and tear-down of a group. */
int io_open(void **state);
int io_close(void **state);

#endif
