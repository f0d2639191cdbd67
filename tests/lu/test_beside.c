/*
 * test_beside.c: a thread compiles while calls are made on the host (api/beside.h): no call waits for the compiler, which
 * the test holds up; then the device has all that it needs; what ends while the thread compiles: contexts, processes, forks.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "support/test_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <clsolve/lu.h>
#include <clsolve/lu_batch.h>
#include <clsolve/solve.h>

#include "api/beside.h"
#include "api/context.h"
#include "api/trial.h"
#include "api/where.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/process.h"
#include "device/device.h"
#include "device/programs.h"
#include "support/held_compiler.h"

static char folder[] = "/tmp/clsolve-beside-XXXXXX";

/* A compiler makes objects when it first needs them, and registers them to be destroyed. This one needs an object half
 * a second after it has made it. */
static atomic_int object_is_gone;

static void destroy_object(void) {
    atomic_store(&object_is_gone, 1);
}

static void compiler_uses_object(void) {
    const struct timespec moment = {.tv_nsec = 500000000};
    (void)atexit(destroy_object);
    (void)nanosleep(&moment, NULL);
    if (atomic_load(&object_is_gone)) _exit(EXIT_FAILURE);
}

/* ---- contexts ---- */

/* By samples that say so the device is faster, and the host is done before a compiler. */
static clsolve_context *context_in(const char *cache_folder) {
    const clsolve_context_options options = {.selector = test_selector(), .cache_folder = cache_folder};
    clsolve_context *made = NULL;
    assert_int_equal(clsolve_context_create_with(&options, &made), CLSOLVE_OK);
    cls_times times = {.known = 1};
    for (int s = 0; s < CLS_SAMPLES; ++s) {
        times.host.fixed[s] = times.host.each[s] = times.host.other[s] = 1e-4;
        times.device.fixed[s] = times.device.each[s] = times.device.other[s] = 1e-6;
    }
    for (int f = 0; f < CLS_FAMILIES; ++f) made->where.times[f][0] = made->where.times[f][1] = times;
    return made;
}

/* Solves, checks the solution, and gives back where and why there. */
static clsolve_report solve(clsolve_context *context) {
    enum { N = 70 };
    static float a[N * N], b[N];
    clsolve_matrix A = clsolve_matrix_f32(N, N, a), B = clsolve_matrix_f32(N, 1, b);
    clsolve_solve_report report;
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_LU};
    for (int k = 0; k < N * N; ++k) a[k] = k % (N + 1) == 0 ? 2 * N : (float)(k % 3);
    for (int i = 0; i < N; ++i) {
        b[i] = 0;
        for (int j = 0; j < N; ++j) b[i] += a[i + j * N];
    }
    assert_int_equal(clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, &report), CLSOLVE_OK);
    for (int i = 0; i < N; ++i) assert_true(fabsf(b[i] - 1) < 1e-4f);
    return report.report;
}

/* ---- calls ---- */

/* With a folder and without one. */
TEST(calls_do_not_wait) {
    if (is_cuda()) skip();
    for (int with_folder = 0; with_folder < 2; ++with_folder) {
        OWNED(context) *context = context_in(with_folder ? folder : "");
        hold_compiler(1);
        assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F32), 1); /* from now on */
        for (int call = 0; call < 3; ++call) {
            clsolve_report report = solve(context);
            assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F32), 1);
            assert_string_equal(report.where, "host");
            assert_non_null(strstr(report.where_reason, "while a thread compiles"));
            assert_true(report.expected_device < report.expected_host);
        }
        await_compiler();
        assert_string_equal(solve(context).where, "host");
        hold_compiler(0);
        cls_beside_wait(context);
        assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F32), 0);
        clsolve_report report = solve(context);
        assert_string_equal(report.where, "device");
        assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F32), 0);
        /* The device has the thread's programs, all of them. */
        assert_int_equal(context->device->compiled, 0);
        assert_int_equal(context->device->cache_hits, 0);
    }
}

/* What the thread runs is what handles of the task ask for. */
TEST(families_have_all_that_they_need) {
    static const cls_task tasks[] = {
        {.family = CLS_FAMILY_LU, .type = CLSOLVE_F32, .n = 200, .nrhs = 1},
        {.family = CLS_FAMILY_CHOLESKY, .type = CLSOLVE_C32, .n = 90, .nrhs = 1},
        {.family = CLS_FAMILY_INVERSE, .type = CLSOLVE_F32, .n = 40},
        {.family = CLS_FAMILY_BAND, .type = CLSOLVE_F32, .n = 300, .kl = 2, .ku = 3, .nrhs = 1},
        {.family = CLS_FAMILY_BAND_CHOLESKY, .type = CLSOLVE_F32, .n = 300, .kl = 2, .ku = 2, .nrhs = 1},
        {.family = CLS_FAMILY_BATCH, .type = CLSOLVE_F32, .n = 9, .count = 40},
        {.family = CLS_FAMILY_BATCH,
         .type = CLSOLVE_F32,
         .n = 9,
         .count = 40,
         .kind = CLS_MEMBERS_CHOLESKY,
         .order = 16},
        {.family = CLS_FAMILY_BATCH, .type = CLSOLVE_F32, .n = 9, .count = 40, .kind = CLS_MEMBERS_SPARSE},
        {.family = CLS_FAMILY_BATCH, .type = CLSOLVE_F32, .n = 9, .count = 4, .kind = CLS_MEMBERS_LU, .order = 40},
        {.family = CLS_FAMILY_LINES, .type = CLSOLVE_F32, .n = 90, .count = 40},
        {.family = CLS_FAMILY_GRID, .type = CLSOLVE_F32, .n = 31 * 31},
    };
    OWNED(context) *context = context_in("");
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; ++t) {
        const cls_task *task = &tasks[t];
        assert_int_equal(cls_beside_ask(context, task, 0), CLS_BESIDE_BUSY);
        cls_beside_wait(context);
        assert_int_equal(cls_beside_ask(context, task, 0), CLS_BESIDE_READY);
        cls_trial *trial = test_room(1, sizeof *trial);
        *trial = (cls_trial){.device = context->device,
                             .family = task->family,
                             .type = task->type,
                             .n = task->family == CLS_FAMILY_GRID ? (int64_t)sqrt((double)task->n)
                                  : task->order > 0               ? task->order
                                                                  : task->n,
                             .k = task->count ? task->count : task->kl,
                             .more = task->ku - task->kl,
                             .kind = task->kind};
        assert_int_equal(cls_trial_open(trial), CLSOLVE_OK);
        assert_int_equal(cls_trial_run(trial), CLSOLVE_OK);
        cls_trial_close(trial);
        free(trial);
        if (context->device->compiled > 0) fail_msg("task %d: the device has compiled a program itself", (int)t);
    }
}

/* Members of orders of their own have the kernels of their classes, which the thread makes by other orders. */
TEST(ragged_batches_have_all_that_they_need) {
    static const int64_t orders[] = {5, 12, 0, 9, 7};
    enum { COUNT = sizeof orders / sizeof *orders, MOST = 12 };
    static float a[COUNT * MOST * MOST], b[COUNT * MOST];
    clsolve_batch A = clsolve_batch_f32(COUNT, MOST, MOST, a), B = clsolve_batch_f32(COUNT, MOST, 1, b);
    OWNED(context) *context = context_in("");
    A.ld = B.ld = 0;
    for (int call = 0; call < 2; ++call) {
        clsolve_lu_batch *batch = NULL;
        clsolve_report report;
        int64_t info[COUNT];
        for (int m = 0; m < COUNT; ++m)
            for (int64_t k = 0; k < orders[m] * orders[m]; ++k)
                a[m * MOST * MOST + k] = k % (orders[m] + 1) == 0 ? 2 * MOST : (float)(k % 3);
        for (int k = 0; k < COUNT * MOST; ++k) b[k] = 1;
        assert_int_equal(clsolve_lu_batch_create_ragged(context, orders, COUNT, CLSOLVE_F32, NULL, &batch), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_batch_factor(batch, &A, info), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info), CLSOLVE_OK);
        for (int m = 0; m < COUNT; ++m) assert_int_equal(info[m], 0);
        assert_int_equal(clsolve_lu_batch_report(batch, &report), CLSOLVE_OK);
        assert_string_equal(report.where, call == 0 ? "host" : "device");
        clsolve_lu_batch_destroy(batch);
        cls_beside_wait(context);
    }
    assert_int_equal(context->device->compiled, 0);
}

static double began;
static int priority; /* below the process */

static void note_compiler(void) {
    began = cls_seconds();
#ifdef __linux__
    priority = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid)) - getpriority(PRIO_PROCESS, (id_t)getpid());
#endif
}

/* Not before the call that asks is over, as far as that is known, and with little of cores that are busy. */
TEST(compilers_give_way) {
    if (is_cuda()) skip();
    const cls_task task = {.family = CLS_FAMILY_LU, .type = CLSOLVE_F32, .n = 200, .nrhs = 1};
    OWNED(context) *context = context_in("");
    with_compiler(note_compiler);
    const double asked = cls_seconds();
    assert_int_equal(cls_beside_ask_behind(context, &task, 0.05), CLS_BESIDE_BUSY);
    cls_beside_wait(context);
    assert_int_equal(cls_beside_ask_behind(context, &task, 0.05), CLS_BESIDE_READY);
    assert_true(began >= asked + 0.05);
#ifdef __linux__
    assert_int_equal(priority, 3);
#endif
}

/* Where nothing is compiled for a call. */
TEST(questions_that_begin_nothing) {
    OWNED(context) *context = context_in("");
    cls_times *times = &context->where.times[CLS_FAMILY_LU][0];
    assert_int_equal(clsolve_lu_is_compiling(NULL, 70, CLSOLVE_F32), 0);
    assert_int_equal(clsolve_lu_is_compiling(context, -1, CLSOLVE_F32), 0);
    assert_int_equal(clsolve_lu_is_compiling(context, 70, (clsolve_type)7), 0);
    for (int s = 0; s < CLS_SAMPLES; ++s) times->host.fixed[s] = 1e-7;
    assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F64), 0); /* the host is faster */
    assert_null(context->beside);
}

TEST(the_environment_decides) {
    for (int always = 0; always < 2; ++always) {
        assert_int_equal(setenv("CLSOLVE_HOST", always ? "always" : "never", 1), 0);
        OWNED(context) *context = context_in(folder);
        assert_int_equal(clsolve_lu_is_compiling(context, 70, CLSOLVE_F32), 0);
        assert_string_equal(solve(context).where, always ? "host" : "device");
        assert_null(context->beside);
    }
    assert_int_equal(setenv("CLSOLVE_HOST", "", 1), 0);
}

/* ---- ends ---- */

TEST(a_context_does_not_wait) {
    if (is_cuda()) skip();
    clsolve_context *context = context_in("");
    hold_compiler(1);
    assert_string_equal(solve(context).where, "host");
    await_compiler();
    clsolve_context_destroy(context);
    hold_compiler(0);
    /* The thread goes on alone, and this process ends while it may. */
}

TEST(a_fork_has_no_thread) {
    if (is_cuda()) skip();
    clsolve_context *context = context_in("");
    int status = -1;
    hold_compiler(1);
    assert_string_equal(solve(context).where, "host");
    await_compiler();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        clsolve_lu *lu = NULL;
        const int refused = clsolve_lu_create(context, 70, CLSOLVE_F32, NULL, &lu) == CLSOLVE_ERROR_FORKED;
        clsolve_context_destroy(context);
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    hold_compiler(0);
    cls_beside_wait(context);
    assert_string_equal(solve(context).where, "device");
    clsolve_context_destroy(context);
}

static void *compile_beside(void *unused) {
    int64_t count = 0;
    if (clsolve_devices(NULL, 0, &count) != CLSOLVE_OK || count == 0) _exit(0); /* the other tests say so */
    clsolve_context *context = context_in("");
    if (strcmp(solve(context).where, "host") != 0) _exit(1);
    if (!is_cuda()) await_compiler();
    return unused;
}

/* Exit by this thread: handlers alone run before objects are destroyed. */
static void *compile_and_exit(void *unused) {
    const struct timespec moment = {.tv_nsec = 100000000};
    (void)compile_beside(unused);
    (void)nanosleep(&moment, NULL); /* the compiler's object is made */
    exit(0);
}

/* What a process does last may take as long. */
static void linger(void) {
    const struct timespec moment = {.tv_sec = 1};
    (void)nanosleep(&moment, NULL);
}

/* A program that was announced, and that nobody asks for. */
static int one_thread(const cls_device *device) {
    (void)device;
    return 1;
}

static clsolve_status announce_program(void *device) {
    cls_program *program = NULL;
    return cls_program_get(device, "measure", "-DREAL=double -DCLS_DOUBLE=1 -DLX=3 -DLY=5", &program);
}

static void *announce_only(void *unused) {
    static cls_compiler compiler;
    int64_t count = 0;
    if (clsolve_devices(NULL, 0, &count) != CLSOLVE_OK || count == 0) _exit(0);
    clsolve_context *context = context_in("");
    compiler = *context->device->compiler;
    compiler.threads = one_thread;
    context->device->compiler = &compiler;
    if (cls_announce(context->device, announce_program, context->device) != CLSOLVE_OK) _exit(1);
    if (context->device->builders && cls_pool_threads(context->device->builders) > 0) {
        const struct timespec moment = {.tv_nsec = 100000000};
        await_compiler();
        (void)nanosleep(&moment, NULL); /* its object is made */
    }
    return unused;
}

typedef enum maker { FIRST_THREAD, ANOTHER_THREAD, ANOTHER_EXITS, ANNOUNCED } maker;

/* A process that is done while its thread compiles ends as it wants. In processes of their own, before any driver is
 * loaded here; the compiler is held up, or uses an object of its own. */
static int ends_while_it_compiles(maker calls, int held, int with_object) {
    int status = -1;
    pthread_t thread;
    pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
        if (calls == ANNOUNCED) (void)atexit(linger);
        hold_compiler(held);
        with_compiler(with_object ? compiler_uses_object : NULL);
        if (calls == FIRST_THREAD)
            (void)compile_beside(NULL);
        else if (calls == ANNOUNCED)
            (void)announce_only(NULL);
        else if (pthread_create(&thread, NULL, calls == ANOTHER_EXITS ? compile_and_exit : compile_beside, NULL) != 0 ||
                 pthread_join(thread, NULL) != 0)
            _exit(1);
        exit(0); /* handlers run, and objects of the compiler are destroyed */
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first thread of a process may have loaded the library and no more. */
static int processes_end(void) {
    if (!ends_while_it_compiles(FIRST_THREAD, 0, 0)) return 0;
    return is_cuda() || (ends_while_it_compiles(FIRST_THREAD, 1, 0) && ends_while_it_compiles(FIRST_THREAD, 0, 1) &&
                         ends_while_it_compiles(ANOTHER_THREAD, 0, 1) && ends_while_it_compiles(ANOTHER_EXITS, 0, 1) &&
                         ends_while_it_compiles(ANNOUNCED, 0, 1));
}

int main(void) {
    if (setenv("CLSOLVE_HOST", "", 1) != 0 || !mkdtemp(folder)) return EXIT_FAILURE;
    if (!processes_end()) return EXIT_FAILURE;
    test_require_device();
    int failed = test_run(NULL, NULL);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? failed : EXIT_FAILURE;
}
