/*
 * test_support.h: what tests share: a printed seed and a generator of random numbers, the device they run on, and where
 * the real matrices are.
 *
 * Environment:
 *   CLSOLVE_TEST_SEED      the seed; clock: another in each run; else 1. It is printed, so that a failure can be had again.
 *   CLSOLVE_TEST_DEVICE    selector of the device under test (clsolve/context.h); else PoCL, or any device without it.
 *   CLSOLVE_TEST_DEVICE_OPTIONAL  1: where that device is not there, the test is skipped.
 *   CLSOLVE_TEST_REDUCED   1: fewer sizes, for devices that are slow or tested beside another.
 *   CLSOLVE_TEST_ONLY      of a program only the functions whose names match: * and ?.
 *   CLSOLVE_TEST_MATRICES  folder of real matrices; else the one that the build was told of.
 *
 * Tests ask for these and for their own variables CLSOLVE_TEST_* with test_env. A variable that ctest sets for a program and the program
 * never asks for, or one that nobody knows, fails the program: see support/ran.h, which also tells what ran.
 */
#ifndef CLSOLVE_TEST_SUPPORT_H
#define CLSOLVE_TEST_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

/* What nearly all tests call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clsolve/clsolve.h>

/* What a test program exits with when it cannot run here; ctest counts it as skipped. */
#define TEST_SKIPPED 77

/*
 * A function that is a test, and a main that runs all of them in the order of the source:
 *
 *      TEST(solves_with_the_transpose) { ... }
 *      TEST_PROGRAM(open_context, close_context)
 *
 * TEST_PROGRAM is for programs that want a device and nothing else, TEST_PROGRAM_OF one of this backend, and
 * TEST_PROGRAM_ALONE none; others end a main of their own with test_run.
 */
#define TEST(name)                                                                                                     \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void name##_enlists(void) {                                                    \
        test_enlist(#name, name, __FILE__, __LINE__);                                                                  \
    }                                                                                                                  \
    static void name(void **state)
#define TEST_PROGRAM_BY(requirement, open, close)                                                                      \
    int main(void) {                                                                                                   \
        requirement;                                                                                                   \
        return test_run(open, close);                                                                                  \
    }
#define TEST_PROGRAM_ALONE(open, close) TEST_PROGRAM_BY((void)test_seed(), open, close)
#define TEST_PROGRAM(open, close)       TEST_PROGRAM_BY(test_require_device(), open, close)
#define TEST_PROGRAM_OF(backend, open, close)                                                                          \
    TEST_PROGRAM_BY((test_require_device(), test_require_backend(backend)), open, close)

void test_enlist(const char *name, CMUnitTestFunction function, const char *file, int line);
int test_run(CMFixtureFunction open, CMFixtureFunction close);
/* The same; each function runs between these two, of which one may be NULL. */
int test_run_each(CMFixtureFunction open, CMFixtureFunction close, CMFixtureFunction before, CMFixtureFunction after);

/* The head of a function that the linker puts in the place of another (--wrap), which is __real_name:
 *      WRAPS(void, cls_free, (void *memory)) { ... __real_cls_free(memory); } */
#define WRAPS(type, name, parameters)                                                                                  \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters

/* The run's seed, printed to stderr the first time it is asked for. */
uint64_t test_seed(void);

/* splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): the same numbers everywhere from the same seed. */
typedef struct test_random {
    uint64_t state;
} test_random;

/* A generator of its own for each use, from the run's seed and a number that tells the uses apart. */
test_random test_random_start(uint64_t use);
uint64_t test_random_bits(test_random *random);
double test_random_unit(test_random *random);                                /* [0, 1) */
double test_random_signed(test_random *random);                              /* [-1, 1) */
int64_t test_random_between(test_random *random, int64_t low, int64_t high); /* both ends included */
void test_random_fill(test_random *random, double *data, int64_t count);     /* signed ones */

/* A variable that is freed where its block ends, or by its own function: SCRATCH double *A = test_doubles(n); types with
 * such a function have a word for it: scratch_matrix b = test_ones(type, n, 1); */
#define SCRATCH              SCRATCH_BY(test_give_back)
#define SCRATCH_BY(function) __attribute__((cleanup(function)))
void test_give_back(void *variable);

/* A handle that is destroyed where its block ends, like SCRATCH: OWNED(lu) *lu = make(n, NULL); */
#define OWNED(family) SCRATCH_BY(family##_ends) clsolve_##family
#define TEST_OWNS(family)                                                                                              \
    static inline void family##_ends(clsolve_##family **handle) {                                                      \
        clsolve_##family##_destroy(*handle);                                                                           \
    }
TEST_OWNS(context)
TEST_OWNS(solver)
TEST_OWNS(lu)
TEST_OWNS(cholesky)
TEST_OWNS(ldl)
TEST_OWNS(band)
TEST_OWNS(band_cholesky)
TEST_OWNS(gauss_jordan)
TEST_OWNS(block_gs)
TEST_OWNS(grid_slab)
TEST_OWNS(sparse)
TEST_OWNS(lu_batch)
TEST_OWNS(cholesky_batch)
TEST_OWNS(ldl_batch)
TEST_OWNS(band_batch)
TEST_OWNS(gauss_jordan_batch)
TEST_OWNS(tridiagonal_batch)
TEST_OWNS(sparse_batch)

/* Zeros, one more than `count`, for free(). */
void *test_room(int64_t count, size_t size);
double *test_doubles(int64_t count);

/* The larger of two errors; NaN where one is NaN. For the largest of many, beginning with 0. */
static inline double test_worst(double worst, double error) {
    return worst >= error || worst != worst ? worst : error;
}

/* getenv for the variables of tests: NULL also where the variable is empty. The name must be known to support/ran.c. */
const char *test_env(const char *name);

/* Has CLSOLVE_PRETEND this word? */
int test_pretends(const char *word);

/* CLSOLVE_HOST is always. */
int test_on_host(void);

/* 0: this is Windows, without mkfifo and shells. */
int test_is_posix(void);
/* From here on others may write to the folder, or its user alone may. 0: the system refused. */
int test_let_others_write(const char *folder, int others);

/* Whether the build has CLBlast, and the provider that multiplies in a device's own memory through OpenCL. */
int test_has_clblast(void);
const char *test_portable_provider(void);
/* Contexts made from now on pretend this too; NULL: only what the program began with. */
void test_pretend(const char *word);

/* CLSOLVE_TEST_REDUCED is 1. */
int test_reduced(void);

/* The selector of the device under test: that of the environment, else PoCL's where it is installed, else NULL. */
const char *test_selector(void);
/* The selectors of all devices of the platform of the one under test, at most `most`; valid until the next call. */
int64_t test_platform_selectors(const char **selectors, int64_t most);

/* A context on it, without a cache on disk when `cached` is 0. Fails the test, with the library's message. */
clsolve_context *test_context(int cached);

/* A progress function with a test_listener of its own behind `user`: how often it was called, that it was so with this phase, and
 * that the fraction never fell nor passed 1. */
typedef struct test_listener {
    const char *phase;
    int calls;
    double last;
} test_listener;
void test_listen(void *user, const char *phase, double fraction);

/* Fails the test unless the status is OK, with the context's message. */
void test_works(clsolve_context *context, clsolve_status status);

/* Fails the test unless the call gives this status, and the context's message has these words. */
#define TEST_EXPECT(context, call, wanted, words)                                                                      \
    do {                                                                                                               \
        const clsolve_status got_ = (call);                                                                            \
        if (got_ != (wanted) || !strstr(clsolve_context_message(context), (words)))                                    \
            fail_msg("%s gave %s: %s", #call, clsolve_status_name(got_), clsolve_context_message(context));            \
    } while (0)

/* For a device that test_context did not open. Oclgrind has a record of every byte of every buffer, and clears all of them
 * after each launch: so its slots for transfers are made small. */
struct cls_device;
void test_spare_simulator(struct cls_device *device);

/* Buffers of the device that are alive, but for those that its products of complex matrices keep for the calls that follow. */
int64_t test_buffers(const struct cls_device *device);

/* For main, before any test runs: where there is no device at all, or the optional one is not there, says so and exits with TEST_SKIPPED.
 * Mesa's rusticl is not optional where its driver is installed and asked for (RUSTICL_ENABLE). */
void test_require_device(void);

/* For main, after that: where the device under test is of another backend ("opencl", "cuda"), says so and exits likewise. */
void test_require_backend(const char *backend);

/* Path of a real matrix ("west0479" or "west0479.mtx"), or NULL where the folder or file is absent: then skip().
 * Valid until the next call. */
const char *test_matrix_path(const char *name);

#endif
