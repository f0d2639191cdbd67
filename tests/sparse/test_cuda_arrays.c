/* Sparse systems with arrays in the caller's own CUDA memory, and the calls that enqueue. */
#include <clsolve/opencl.h>

#include "cuda/caller.h"

typedef CUevent event;
typedef device_matrix array;

#define OTHER_EVENTS   ((const clsolve_events[]){clsolve_opencl_events(0, NULL, NULL)})
#define caller_context context
#define caller_type    type
#define array_put_late put_elsewhere
#define event_finish   finish_event
#define array_put      put
#define array_get      get
#define array_drop     drop

#include "sparse/array_tests.h"

int main(void) {
    return CALLER_RUN;
}
