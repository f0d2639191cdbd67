/*
 * Several contexts at once from several threads, from their very first use on, and one context shared by several threads
 * behind its own lock. ThreadSanitizer looks at the library's part in the tsan preset.
 */
#include <clsolve/clsolve.h>

#include <pthread.h>

#include "support/test_support.h"

enum { THREADS = 4, ROUNDS = 3, N = 150, NRHS = 2 };

static const char *selector;

typedef struct worker {
    clsolve_context *shared; /* NULL: a context of its own in each round */
    uint64_t use;
    char wrong[256]; /* what went wrong, "" for nothing: a thread cannot fail a test itself */
} worker;

/* A X = B with X = 1, in doubles rounded to float; the matrix is different in each thread. */
static void make(uint64_t use, float *A, float *B) {
    test_random random = {use * 77777 + 1};
    for (int k = 0; k < N * N; k++) A[k] = (float)test_random_signed(&random);
    for (int i = 0; i < N; i++) A[i + i * N] += N;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += (double)A[i + j * N];
        for (int c = 0; c < NRHS; c++) B[i + c * N] = (float)sum;
    }
}

static int is_one(const float *X) {
    for (int k = 0; k < N * NRHS; k++)
        if (!(X[k] > 0.999f && X[k] < 1.001f)) return 0;
    return 1;
}

static void solve_once(clsolve_context *context, worker *w) {
    SCRATCH float *A = malloc(sizeof(float) * N * N), *B = malloc(sizeof(float) * N * NRHS);
    clsolve_lu *lu = NULL;
    clsolve_report report;
    if (A && B) {
        clsolve_matrix a = clsolve_matrix_f32(N, N, A), b = clsolve_matrix_f32(N, NRHS, B);
        make(w->use, A, B);
        clsolve_status status = clsolve_lu_create(context, N, CLSOLVE_F32, NULL, &lu);
        if (status == CLSOLVE_OK) status = clsolve_lu_factor(lu, &a);
        if (status == CLSOLVE_OK) status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b);
        if (status == CLSOLVE_OK) status = clsolve_lu_report(lu, &report);
        if (status != CLSOLVE_OK)
            (void)snprintf(w->wrong, sizeof w->wrong, "%s", clsolve_status_name(status));
        else if (!is_one(B))
            (void)snprintf(w->wrong, sizeof w->wrong, "a wrong solution, B[0] = %g", (double)B[0]);
        clsolve_lu_destroy(lu);
    }
}

static void *work(void *argument) {
    worker *w = argument;
    for (int round = 0; round < ROUNDS && w->wrong[0] == '\0'; round++) {
        clsolve_context *context = w->shared;
        clsolve_context_options options = {.selector = selector, .message = w->wrong, .message_size = sizeof w->wrong};
        if (!context && clsolve_context_create_with(&options, &context) != CLSOLVE_OK) break;
        solve_once(context, w);
        if (!w->shared) clsolve_context_destroy(context);
    }
    return NULL;
}

static void run(clsolve_context *shared) {
    pthread_t threads[THREADS];
    worker workers[THREADS];
    memset(workers, 0, sizeof workers);
    for (int t = 0; t < THREADS; t++) {
        workers[t].shared = shared;
        workers[t].use = (uint64_t)t;
        assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < THREADS; t++)
        if (workers[t].wrong[0] != '\0') fail_msg("thread %d: %s", t, workers[t].wrong);
}

/* PoCL 5 aborts the process, see docs/portability.md: nothing of ours keeps it from that. */
static int cannot_take_two_contexts(void) {
    clsolve_context *context = test_context(1);
    clsolve_device_info info = clsolve_context_device(context);
    int major = 0, is_pocl = strstr(info.platform, "Portable Computing Language") != NULL;
    clsolve_context_destroy(context);
    return is_pocl && sscanf(info.driver, "%d", &major) == 1 && major == 5;
}

TEST(contexts_side_by_side) {
    if (cannot_take_two_contexts()) skip();
    run(NULL);
}

TEST(one_context_shared) {
    OWNED(context) *context = test_context(1);
    run(context);
}

/* One factorization, solved with by all threads at once. */
typedef struct shared_lu {
    clsolve_lu *lu;
    char wrong[64];
} shared_lu;

static void *solve_shared(void *argument) {
    shared_lu *s = argument;
    SCRATCH float *A = malloc(sizeof(float) * N * N), *B = malloc(sizeof(float) * N * NRHS);
    for (int round = 0; round < ROUNDS && A && B; round++) {
        clsolve_matrix b = clsolve_matrix_f32(N, NRHS, B);
        make(5, A, B);
        clsolve_status status = clsolve_lu_solve(s->lu, CLSOLVE_NO_TRANS, &b);
        if (status != CLSOLVE_OK || !is_one(B)) (void)snprintf(s->wrong, sizeof s->wrong, "status %d", (int)status);
    }
    return NULL;
}

TEST(one_handle_shared) {
    OWNED(context) *context = test_context(1);
    SCRATCH float *A = malloc(sizeof(float) * N * N), *B = malloc(sizeof(float) * N * NRHS);
    pthread_t threads[THREADS];
    shared_lu shared[THREADS];
    OWNED(lu) *lu = NULL;
    assert_true(A && B);
    make(5, A, B);
    clsolve_matrix a = clsolve_matrix_f32(N, N, A);
    assert_int_equal(clsolve_lu_create(context, N, CLSOLVE_F32, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a), CLSOLVE_OK);
    for (int t = 0; t < THREADS; t++) {
        shared[t] = (shared_lu){lu, ""};
        assert_int_equal(pthread_create(&threads[t], NULL, solve_shared, &shared[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < THREADS; t++)
        if (shared[t].wrong[0] != '\0') fail_msg("thread %d: %s", t, shared[t].wrong);
}

int main(void) {
    test_require_device();
    selector = test_selector();
    return test_run(NULL, NULL);
}
