/* Two contexts on two CUDA devices, or on one twice, in two threads at once. */
#include <clsolve/clsolve.h>

#include <pthread.h>

#include "device/cuda/driver.h"
#include "lu/ratios.h"
#include "support/test_support.h"

static cls_cuda_driver cu;

typedef struct worker {
    char selector[32];
    uint64_t seed;
    double ratio;
    char failed[512];
} worker;

static void *work(void *argument) {
    worker *w = argument;
    enum { SIZE = 150, ROUNDS = 5 };
    static _Thread_local double A[SIZE * SIZE], B[SIZE], X[SIZE];
    clsolve_context_options options = {.selector = w->selector, .message = w->failed, .message_size = sizeof w->failed};
    clsolve_context *ctx = NULL;
    test_random random = {w->seed};
    for (int round = 0; round < ROUNDS; round++) {
        if (clsolve_context_create_with(&options, &ctx) != CLSOLVE_OK) return NULL;
        test_random_fill(&random, A, SIZE * SIZE);
        test_random_fill(&random, B, SIZE);
        memcpy(X, B, sizeof X);
        clsolve_matrix a = clsolve_matrix_f64(SIZE, SIZE, A), x = clsolve_matrix_f64(SIZE, 1, X);
        if (clsolve_solve(ctx, CLSOLVE_NO_TRANS, &a, &x, NULL, NULL) != CLSOLVE_OK)
            (void)snprintf(w->failed, sizeof w->failed, "%s", clsolve_context_message(ctx));
        clsolve_context_destroy(ctx);
        if (w->failed[0]) return NULL;
        double ratio = ratio_solve(CLSOLVE_F64, CLSOLVE_NO_TRANS, SIZE, 1, A, X, B);
        if (!(ratio <= w->ratio)) w->ratio = ratio;
    }
    return NULL;
}

TEST(two_devices_at_once) {
    worker workers[2];
    pthread_t threads[2];
    int count = 0;
    assert_int_equal(cu.device_count(&count), CUDA_SUCCESS);
    memset(workers, 0, sizeof workers);
    for (int t = 0; t < 2; t++) {
        workers[t].seed = test_seed() + (uint64_t)t;
        (void)snprintf(workers[t].selector, sizeof workers[t].selector, "cuda:%d", count > 1 ? t : 0);
        assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
    }
    for (int t = 0; t < 2; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < 2; t++) {
        if (workers[t].failed[0]) fail_msg("%s: %s", workers[t].selector, workers[t].failed);
        if (!(workers[t].ratio < RATIO_BOUND)) fail_msg("%s: ratio %g", workers[t].selector, workers[t].ratio);
    }
    print_message("%d CUDA device(s)\n", count);
}

int main(void) {
    char why[256];
    int count = 0;
    if (!cls_cuda_driver_load(&cu, why, sizeof why) || cu.device_count(&count) != CUDA_SUCCESS || count == 0) {
        fprintf(stderr, "skipped: no CUDA device here: %s\n", why);
        return TEST_SKIPPED;
    }
    int failed = test_run(NULL, NULL);
    cls_cuda_driver_unload(&cu);
    return failed;
}
