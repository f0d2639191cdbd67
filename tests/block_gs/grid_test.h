/* grid_test.h: what the tests of block-tridiagonal systems share beside the systems: the context, a handle's result, statuses. */
#ifndef CLSOLVE_TEST_GRID_TEST_H
#define CLSOLVE_TEST_GRID_TEST_H

#include "block_gs/grid_problem.h"

/* Of the group of tests that runs, by grid_open and grid_close. */
extern clsolve_context *context;
extern clsolve_type usual;       /* double where the device has it */
extern clsolve_device_info kept; /* the device as it is, for tests that have it look like another */

int grid_open(void **state);
int grid_close(void **state);
#define GRID_RUN(tests) cmocka_run_group_tests(tests, grid_open, grid_close)

/* The status, and words in the context's message. */
#define EXPECT(call, wanted, words)                                                                                    \
    do {                                                                                                               \
        clsolve_status got_ = (call);                                                                                  \
        if (got_ != (wanted) || !grid_said(words))                                                                     \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)
int grid_said(const char *words);

void need_double(void); /* skips */
/* What is the same in whatever shape kernels have is not asked again in a GPU's: there each size costs PoCL a build. */
int in_gpu_shape(void);
/*
 * PoCL compiles kernels for each number of lanes, which on a CPU follows from that of lines: 1 of up to 2 lines, 2 of
 * up to 4, 4 of up to 8, 8 of more, and in float 16 of more than 16. So tests in double have 1 or 2 lines or at least
 * 9, those in float at least 9, and in a GPU's shape lengths come from few classes (cls_bt_shape_for).
 */

double *zeros(int64_t n);
clsolve_report result_of(const clsolve_block_gs *handle);

/* Views of the problem's arrays in double; its coefficients set on a handle that is there, from these very arrays. */
clsolve_grid grid_view(const grid_problem *p, double *data);
clsolve_status grid_set_again(clsolve_block_gs *handle, const grid_problem *p);

#endif
