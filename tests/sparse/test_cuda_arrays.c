/* Sparse systems with arrays in the caller's own CUDA memory, and the calls that enqueue. */
#include <clsolve/opencl.h>

#include "cuda/caller.h"

typedef CUevent event;
typedef device_matrix array;

#define OTHER_EVENTS   ((const clsolve_events[]){clsolve_opencl_events(0, NULL, NULL)})
#define caller_context context
#define caller_type    type
#define array_put      put
#define array_get      get
#define array_drop     drop

static CUstream other_stream;

static void event_finish(event e) {
    CU(cu.event_wait(e));
    CU(cu.event_destroy(e));
}

/* The values come in another stream of the caller's. */
static array array_put_late(int64_t rows, int64_t cols, const double *values, event *there) {
    array a = put(CLSOLVE_COLUMN_MAJOR, rows, cols, values);
    CU(cu.set_bytes(a.memory + a.before, 0, a.bytes, stream));
    CU(cu.stream_wait(stream));
    if (!other_stream) CU(cu.stream_create(&other_stream, CU_STREAM_NON_BLOCKING, 0));
    CU(cu.copy_up(a.memory + a.before, a.host.memory, a.bytes, other_stream));
    CU(cu.event_create(there, CU_EVENT_DISABLE_TIMING));
    CU(cu.event_record(*there, other_stream));
    return a;
}

#include "sparse/array_tests.h"

static void context_is_ours(void **state) {
    assert_context_is_ours();
    if (other_stream) CU(cu.stream_destroy(other_stream));
}

int main(void) {
    const struct CMUnitTest tests[] = {ARRAY_TESTS, cmocka_unit_test(context_is_ours)};
    return CALLER_RUN(tests);
}
