/* fault_run.h: a scenario run again and again, each time with another of its allocations or driver calls failing. */
#ifndef CLSOLVE_TEST_FAULT_RUN_H
#define CLSOLVE_TEST_FAULT_RUN_H

#include <clsolve/context.h>
#include <clsolve/status.h>

#include "support/faults.h"

/* What happened in one run. */
typedef struct fault_outcome {
    clsolve_status status;
    char message[4096];
} fault_outcome;

/* Runs with a fault armed, and disarms it: *failed is what faults_disarm said. All that it makes it gives back. */
typedef fault_outcome (*fault_scenario)(const char **failed);

/* Where there are many calls of few kinds: one of so many on the average, others in each run; 1: each. The environment variable
 * CLSOLVE_TEST_FAULT_STRIDE asks for fewer, where it takes long to open a device. */
extern int64_t fault_stride;

/* The step from one of `seen` calls to the next one that fails, if the environment bounds how many fail in all
 * (CLSOLVE_TEST_FAULT_CALLS, CLSOLVE_TEST_FAULT_MOST); else 1. */
int64_t fault_bounded_stride(int64_t seen);

/* 1: the scenarios share a context. It keeps programs of other forms of a kernel that a failure made it compile. Its slots for
 * transfers keep the events of their last use until the next one, and a failure releases these events at once. So a
 * scenario that leaves objects is run again, with the same failure, and in the end must leave none; fewer objects than before are
 * no fault. The test checks that faults_objects is 0 without the context: it counts a release too many. */
extern int fault_lasting;

/*
 * Fails each in turn, of all or of those of one name (`call`, else NULL): the status is one that tells what failed, the
 * message names it, no object of the driver's is left. At least `least` of them are to make something fail.
 */
void fault_each(fault_kind kind, const char *call, int least, fault_scenario run);

/* The same for all allocations, and for all calls of the driver. */
void fault_all(int least_allocations, int least_calls, fault_scenario run);

/* ---- parts of scenarios ---- */

/* What is done with a context; disarms as a fault_scenario does. */
typedef fault_outcome (*fault_use)(clsolve_context *context, const char **failed);

/*
 * A scenario that begins with creating the context and ends with destroying it. `selector` NULL: the device under test;
 * `cache`: the context's cache_folder. It replaces the scenario that the last such call returned.
 */
fault_scenario fault_with_context(const char *selector, const char *cache, fault_use use);

/* Y is the solution X; not to the last bit, for a device that does not say what it has is worked on in other shapes. */
int fault_solved(int64_t count, const float *X, const float *Y);

/* The message of a failed call into *out. What it was to write is `intact`, or `solved`: of the copy back only the wait for its
 * end can fail when it has been made. */
void fault_failed(clsolve_context *context, fault_outcome *out, int intact, int solved);

/* A handle, and all that is done with it. Y, which `work` writes last, is B before and X after, `count` numbers. */
typedef struct fault_handle {
    clsolve_status (*create)(clsolve_context *context, void **handle);
    clsolve_status (*work)(void *handle, float *Y);
    void (*destroy)(void *handle);
    int64_t count;
    const float *B;
    float *X;
} fault_handle;

/* The fault_handle `it` of a family; CREATE makes `made`. */
#define FAULT_HANDLE(it, family, CREATE, work, count, B, X)                                                            \
    static clsolve_status it##_create(clsolve_context *context, void **handle) {                                       \
        clsolve_##family *made = NULL;                                                                                 \
        const clsolve_status status = CREATE;                                                                          \
        *handle = made;                                                                                                \
        return status;                                                                                                 \
    }                                                                                                                  \
    static void it##_destroy(void *handle) {                                                                           \
        clsolve_##family##_destroy(handle);                                                                            \
    }                                                                                                                  \
    static const fault_handle it = {it##_create, work, it##_destroy, count, B, X}

/*
 * The scenario of fault_with_context that creates a handle and works with it; after a failure the handle works without
 * the fault, and no buffer is left. First it writes X, by a context of its own, and runs without a fault, which warms the
 * driver's caches.
 */
fault_scenario fault_with_handle(const char *selector, const char *cache, const fault_handle *handle);

#endif
