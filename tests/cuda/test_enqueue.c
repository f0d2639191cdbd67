/* The enqueueing calls of Gauss-Jordan, bands and grids on the caller's own CUDA stream, memory and events. */
#include <clsolve/opencl.h>

#include "cuda/caller.h"

typedef CUevent event;
typedef device_matrix array;

#define OTHER_EVENTS   ((const clsolve_events[]){clsolve_opencl_events(0, NULL, NULL)})
#define GRID           clsolve_cuda_grid
#define caller_context context
#define caller_type    type
#define array_put_late put_elsewhere
#define event_finish   finish_event

static array array_put(int64_t rows, int64_t cols, const double *values) {
    return put(CLSOLVE_COLUMN_MAJOR, rows, cols, values);
}

static void array_get(array *a, double *values) {
    get(a, values);
}

static void array_drop(array *a) {
    drop(a);
}

#include "enqueue/family_tests.h"

int main(void) {
    return CALLER_RUN;
}
