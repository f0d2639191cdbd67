/*
 * caller.h: the side of a program that computes with CUDA itself: its stream, its memory with something between, before and
 * behind the lines of a matrix, and its current context, none of which may change. For tests of clsolve/cuda.h.
 */
#ifndef CLSOLVE_TEST_CUDA_CALLER_H
#define CLSOLVE_TEST_CUDA_CALLER_H

#include <clsolve/clsolve.h>
#include <clsolve/cuda.h>

#include "device/cuda/driver.h"
#include "lu/ratios.h"
#include "support/test_support.h"

/* The last argument of a call that enqueues. */
#define EVENTS(count, wait, done) ((const clsolve_events[]){clsolve_cuda_events(count, wait, done)})

enum { N = 75, NRHS = 6, OFFSET = 37, BEHIND = 11 };

extern cls_cuda_driver cu;
extern CUdevice id;
extern CUcontext own; /* the device's primary context, current throughout */
extern CUstream stream;
extern clsolve_context *context;
extern clsolve_type type;

#define WORKS(call) test_works(context, call)
#define CU(call)    assert_int_equal((call), CUDA_SUCCESS)

/* The tests, with a context on the caller's stream for all of them; where there is no CUDA device, that they are skipped. */
#define CALLER_RUN (caller_begins() ? caller_ends(test_run(caller_opens, caller_closes)) : TEST_SKIPPED)
int caller_begins(void);
int caller_ends(int failed);
int caller_opens(void **state);
int caller_closes(void **state);

/* A matrix in memory of the caller's, with something before, between and behind. */
typedef struct device_matrix {
    clsolve_matrix view;
    test_matrix host; /* what was put there, lines and what is between them */
    CUdeviceptr memory;
    size_t bytes, before;
} device_matrix;

/* Only enqueued: nobody waits for it. */
device_matrix put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values);
/* What is there when the stream has come to this point; the surroundings are intact. */
void get(device_matrix *d, double *values);
void drop(device_matrix *d);
/* The same, column-major; its values come in another stream of the caller's, and *there is their event. */
device_matrix put_elsewhere(int64_t rows, int64_t cols, const double *values, CUevent *there);
/* Waits for the event and destroys it. */
void finish_event(CUevent event);

double *random_values(uint64_t use, int64_t count);
void assert_same(const double *a, const double *b, int64_t count);
clsolve_lu *make(void);
/* The last test: the current context is what it was. */
void context_is_ours(void **state);
void assert_context_is_ours(void);

#endif
