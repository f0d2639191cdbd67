#include "support/held_compiler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <CL/cl.h>

#include "support/test_support.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int held, entered; /* threads that came to the compiler since the test said whether it is held up */
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static atomic_int fails;
static _Atomic(void (*)(void)) next;

static void compiler_waits(void) {
    (void)pthread_mutex_lock(&gate.lock);
    gate.entered++;
    (void)pthread_cond_broadcast(&gate.changed);
    while (gate.held) (void)pthread_cond_wait(&gate.changed, &gate.lock);
    (void)pthread_mutex_unlock(&gate.lock);
}

void hold_compiler(int held) {
    (void)pthread_mutex_lock(&gate.lock);
    gate.held = held;
    gate.entered = 0;
    (void)pthread_cond_broadcast(&gate.changed);
    (void)pthread_mutex_unlock(&gate.lock);
}

void await_compiler(void) {
    (void)pthread_mutex_lock(&gate.lock);
    while (gate.entered == 0) (void)pthread_cond_wait(&gate.changed, &gate.lock);
    (void)pthread_mutex_unlock(&gate.lock);
}

void spoil_compiler(int spoilt) {
    atomic_store(&fails, spoilt);
}

void with_compiler(void (*once)(void)) {
    atomic_store(&next, once);
}

WRAPS(cl_int, clBuildProgram,
      (cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
       void(CL_CALLBACK *notify)(cl_program, void *), void *user)) {
    compiler_waits();
    void (*const once)(void) = atomic_exchange(&next, NULL);
    if (once) once();
    if (atomic_load(&fails)) return CL_BUILD_PROGRAM_FAILURE;
    return __real_clBuildProgram(program, count, ids, options, notify, user);
}

int is_cuda(void) {
    const char *selector = test_env("CLSOLVE_TEST_DEVICE");
    return selector && strncmp(selector, "cuda", 4) == 0;
}
