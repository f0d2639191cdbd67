/*
 * What a process does around its calls of the library. Each case is a process of its own with a limit on its time, and the
 * process that starts them uses no driver before its last case:
 *
 *   first contexts   four threads make the first contexts at the same moment
 *   traps            floating-point exceptions are trapped before the context is made
 *   stack            a thread with little stack makes a context and solves
 *   cancelled        a thread that is cancelled while it solves leaves the context to others
 *   fork             a thread goes on solving on the host, while another one forks again and again
 *   child            a forked child gets an error from what is its parent's, and may use the host
 */
#define _GNU_SOURCE /* feenableexcept */

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clsolve/clsolve.h>

#include "support/test_support.h"

enum { SECONDS = 200, N = 300 };

/* What a case returns, where it is not the line that was wrong. */
enum { RIGHT = 0, SKIPPED = TEST_SKIPPED };

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
        return 1;                                                                                                      \
    } while (0)

static void run(int (*part)(void)) {
    int status = 0;
    (void)fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)alarm(SECONDS);
        _exit(part());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("the process ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(WEXITSTATUS(status), RIGHT);
}

static clsolve_status open_context(const char *selector, clsolve_context **context) {
    return clsolve_context_create(selector, context);
}

/* A system whose solution is all ones. */
static int solve(clsolve_context *context, int64_t n) {
    SCRATCH double *a = malloc((size_t)(n * n) * sizeof *a), *b = calloc((size_t)n, sizeof *b);
    if (!a || !b) abort();
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            a[i + j * n] = (double)((i * 37 + j * 101 + (i * j) % 13) % 19) / 19 + (i == j ? (double)n : 0);
            b[i] += a[i + j * n];
        }
    clsolve_matrix A = clsolve_matrix_f64(n, n, a), B = clsolve_matrix_f64(n, 1, b);
    int right = clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL) == CLSOLVE_OK;
    for (int64_t i = 0; i < n; i++) right = right && fabs(b[i] - 1) < 1e-12;
    return right;
}

/* ---- first contexts ---- */

enum { THREADS = 4 };
static pthread_barrier_t together;

static void *make_first(void *status) {
    clsolve_context *context = NULL;
    (void)pthread_barrier_wait(&together);
    *(clsolve_status *)status = open_context(test_env("CLSOLVE_TEST_DEVICE"), &context);
    clsolve_context_destroy(context);
    return NULL;
}

/* PoCL alone, where nothing else is asked for: other drivers take so long that the threads do not meet in PoCL. */
static int first_contexts(void) {
    static const char pocl[] = "/etc/OpenCL/vendors/pocl.icd";
    pthread_t threads[THREADS];
    clsolve_status made[THREADS];
    if (!test_env("CLSOLVE_TEST_DEVICE") && access(pocl, R_OK) == 0) (void)setenv("OCL_ICD_VENDORS", pocl, 0);
    CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
    for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&threads[t], NULL, make_first, &made[t]) == 0);
    for (int t = 0; t < THREADS; t++) CHECK(pthread_join(threads[t], NULL) == 0);
    for (int t = 0; t < THREADS; t++) CHECK(made[t] == made[0]);
    return made[0] == CLSOLVE_ERROR_NO_DEVICE ? SKIPPED : made[0] == CLSOLVE_OK ? RIGHT : 1;
}

/* ---- traps ---- */

#ifdef __GLIBC__
enum { TRAPPED = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

/* Nine members, so that lanes are left over where kernels work on eight or more at a time. */
static int solve_members(clsolve_context *context) {
    enum { MEMBERS = 9, ROWS = 10 };
    double dl[MEMBERS * ROWS], d[MEMBERS * ROWS], du[MEMBERS * ROWS], b[MEMBERS * ROWS];
    int64_t info[MEMBERS];
    const clsolve_tridiagonal_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_tridiagonal_batch *batch;
    for (int k = 0; k < MEMBERS * ROWS; k++) {
        const int row = k % ROWS;
        dl[k] = du[k] = -1;
        d[k] = 4;
        b[k] = 4 - (row > 0) - (row < ROWS - 1);
    }
    clsolve_batch DL = clsolve_batch_f64(MEMBERS, ROWS, 1, dl), D = clsolve_batch_f64(MEMBERS, ROWS, 1, d);
    clsolve_batch DU = clsolve_batch_f64(MEMBERS, ROWS, 1, du), B = clsolve_batch_f64(MEMBERS, ROWS, 1, b);
    clsolve_status made = clsolve_tridiagonal_batch_create(context, ROWS, MEMBERS, CLSOLVE_F64, &options, &batch);
    if (made == CLSOLVE_ERROR_UNSUPPORTED) return RIGHT; /* a device without double */
    CHECK(made == CLSOLVE_OK);
    CHECK(clsolve_tridiagonal_batch_factor(batch, &DL, &D, &DU, info) == CLSOLVE_OK);
    CHECK(clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &B, info) == CLSOLVE_OK);
    clsolve_tridiagonal_batch_destroy(batch);
    for (int k = 0; k < MEMBERS * ROWS; k++) CHECK(fabs(b[k] - 1) < 1e-14);
    return RIGHT;
}

/* Ways on which the host divides by zero, takes the logarithm of zero, or overflows. */
static int solve_on_host(clsolve_context *context) {
    double singular[] = {1, 2, 2, 4}, b[] = {1, 1}, huge[] = {1e-200, 0, 0, 1e-200}, c[] = {1e200, 1e200};
    const int32_t starts[] = {0, 1, 2}, columns[] = {0, 1};
    const double zeros[] = {0, 0};
    clsolve_matrix S = clsolve_matrix_f64(2, 2, singular), B = clsolve_matrix_f64(2, 1, b);
    clsolve_matrix H = clsolve_matrix_f64(2, 2, huge), C = clsolve_matrix_f64(2, 1, c);
    clsolve_csr Z = clsolve_csr_f64(2, starts, columns, zeros);
    const clsolve_solver_options cholesky = {.method = CLSOLVE_METHOD_CHOLESKY};
    CHECK(clsolve_solve(context, CLSOLVE_NO_TRANS, &S, &B, NULL, NULL) == CLSOLVE_SINGULAR);
    CHECK(clsolve_solve(context, CLSOLVE_NO_TRANS, &H, &C, NULL, NULL) == CLSOLVE_OVERFLOW);
    CHECK(clsolve_solve(context, CLSOLVE_NO_TRANS, &H, &C, &cholesky, NULL) == CLSOLVE_OVERFLOW);
    CHECK(clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &Z, &B, NULL, NULL) == CLSOLVE_SINGULAR);
    CHECK(solve(context, N));
    return RIGHT;
}

static int traps(void) {
    clsolve_context *context, *host;
    (void)feclearexcept(FE_ALL_EXCEPT);
    CHECK(feenableexcept(TRAPPED) == 0);
    clsolve_status made = open_context(test_env("CLSOLVE_TEST_DEVICE"), &context);
    if (made == CLSOLVE_ERROR_NO_DEVICE) return SKIPPED;
    CHECK(made == CLSOLVE_OK);
    CHECK(open_context("host", &host) == CLSOLVE_OK);
    CHECK(solve_members(context) == RIGHT);
    CHECK(solve_on_host(host) == RIGHT);
    CHECK(solve_on_host(context) == RIGHT);
    clsolve_context_destroy(context);
    CHECK(fegetexcept() == TRAPPED);
    /* Without traps the flags stay as they are. */
    CHECK(fedisableexcept(FE_ALL_EXCEPT) == TRAPPED);
    CHECK(fetestexcept(TRAPPED) == 0);
    (void)feraiseexcept(FE_UNDERFLOW);
    CHECK(solve_on_host(host) == RIGHT);
    CHECK(fetestexcept(TRAPPED | FE_UNDERFLOW) == FE_UNDERFLOW);
    clsolve_context_destroy(host);
    return RIGHT;
}
#else
static int traps(void) {
    return SKIPPED;
}
#endif

/* ---- stack ---- */

/* LU with exchanges of rows, whose factorization OpenBLAS does by threads that want megabytes. */
static int invert(clsolve_context *context) {
    clsolve_gauss_jordan *handle;
    SCRATCH double *a = calloc((size_t)N * N, sizeof *a), *x = calloc((size_t)N * N, sizeof *x);
    clsolve_matrix A = clsolve_matrix_f64(N, N, a), X = clsolve_matrix_f64(N, N, x);
    if (!a || !x) abort();
    for (int i = 0; i < N; i++) a[i + (N - 1 - i) * N] = 4;
    CHECK(clsolve_gauss_jordan_create(context, N, CLSOLVE_F64, NULL, &handle) == CLSOLVE_OK);
    CHECK(clsolve_gauss_jordan_invert(handle, &A, &X) == CLSOLVE_OK);
    clsolve_gauss_jordan_destroy(handle);
    for (int i = 0; i < N; i++) CHECK(x[i + (N - 1 - i) * N] == 0.25);
    return RIGHT;
}

static int factor(clsolve_context *context) {
    clsolve_lu *handle;
    SCRATCH double *a = calloc((size_t)N * N, sizeof *a);
    clsolve_matrix A = clsolve_matrix_f64(N, N, a);
    if (!a) abort();
    for (int i = 0; i < N; i++) a[i + i * N] = 4;
    CHECK(clsolve_lu_create(context, N, CLSOLVE_F64, NULL, &handle) == CLSOLVE_OK);
    CHECK(clsolve_lu_factor(handle, &A) == CLSOLVE_OK);
    clsolve_lu_destroy(handle);
    return RIGHT;
}

static void *with_little(void *right) {
    const char *const selectors[] = {"host", test_env("CLSOLVE_TEST_DEVICE")};
    for (int k = 0; k < 2; k++) {
        clsolve_context *context;
        clsolve_status made = open_context(selectors[k], &context);
        if (made == CLSOLVE_ERROR_NO_DEVICE) return right;
        if (made != CLSOLVE_OK) return NULL;
        if (!solve(context, N) || invert(context) != RIGHT || factor(context) != RIGHT) return NULL;
        clsolve_context_destroy(context);
    }
    return right;
}

static int stack(void) {
    enum { LITTLE = 1 << 20 };
    pthread_attr_t attributes;
    pthread_t thread;
    int here;
    void *right = NULL;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, LITTLE) == 0);
    CHECK(pthread_create(&thread, &attributes, with_little, &here) == 0);
    CHECK(pthread_join(thread, &right) == 0 && right == &here);
    return RIGHT;
}

/* ---- cancelled, fork ---- */

static atomic_int solved, wrong, stop;

static void *solve_always(void *context) {
    while (!atomic_load(&stop)) {
        if (!solve(context, N)) atomic_fetch_add(&wrong, 1);
        atomic_fetch_add(&solved, 1);
    }
    return NULL;
}

/* Until the thread has ended so many systems more. */
static void await(int more) {
    for (const int until = atomic_load(&solved) + more; atomic_load(&solved) < until;) (void)usleep(200);
}

/* Between two calls it ends where it writes; a call of the library is none of the places. */
static void *solve_cancelled(void *context) {
    static const char nothing[1];
    for (;;) {
        (void)solve(context, 20);
        atomic_fetch_add(&solved, 1);
        if (write(STDERR_FILENO, nothing, 0) != 0) break;
    }
    return NULL;
}

static int cancelled(void) {
    clsolve_context *context;
    pthread_t thread;
    void *ended = NULL;
    (void)setenv("CLSOLVE_HOST", "never", 1); /* waits for a driver can be cancelled, and calls of LAPACK cannot */
    clsolve_status made = open_context(test_env("CLSOLVE_TEST_DEVICE"), &context);
    if (made == CLSOLVE_ERROR_NO_DEVICE) return SKIPPED;
    CHECK(made == CLSOLVE_OK && solve(context, 20));
    for (int round = 0; round < 20; round++) {
        CHECK(pthread_create(&thread, NULL, solve_cancelled, context) == 0);
        await(1 + round % 3);
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &ended) == 0);
        CHECK(ended == PTHREAD_CANCELED);
        CHECK(clsolve_context_try_lock(context) == CLSOLVE_OK);
        clsolve_context_unlock(context);
    }
    clsolve_context_destroy(context);
    return RIGHT;
}

static int fork_beside(void) {
    enum { FORKS = 60 };
    clsolve_context *context;
    pthread_t thread;
    CHECK(open_context("host", &context) == CLSOLVE_OK);
    CHECK(pthread_create(&thread, NULL, solve_always, context) == 0);
    await(2);
    for (int k = 0; k < FORKS; k++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) _exit(0);
        CHECK(waitpid(child, NULL, 0) == child);
        (void)usleep((useconds_t)(k % 7) * 300);
    }
    await(2);
    atomic_store(&stop, 1);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(atomic_load(&wrong) == 0);
    clsolve_context_destroy(context);
    return RIGHT;
}

/* ---- child ---- */

static clsolve_context *theirs;
static clsolve_lu *lu;
static clsolve_solver *solver;

static int child(void) {
    double a[] = {2, 0, 0, 2}, b[] = {2, 4}, device, host;
    char why[256] = "";
    int64_t count = 0;
    clsolve_matrix A = clsolve_matrix_f64(2, 2, a), B = clsolve_matrix_f64(2, 1, b);
    clsolve_context *context = theirs;
    clsolve_context_options options = {.message = why, .message_size = sizeof why};
    CHECK(clsolve_solve(theirs, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL) == CLSOLVE_ERROR_FORKED);
    CHECK(strstr(clsolve_context_message(theirs), "forked") != NULL);
    CHECK(b[0] == 2 && b[1] == 4);
    CHECK(clsolve_lu_factor(lu, &A) == CLSOLVE_ERROR_FORKED);
    CHECK(clsolve_solver_factor(solver, &A) == CLSOLVE_ERROR_FORKED);
    CHECK(clsolve_lu_predict(theirs, 2, 2, 1, CLSOLVE_F64, &device, &host) == CLSOLVE_ERROR_FORKED);
    CHECK(clsolve_context_try_lock(theirs) == CLSOLVE_ERROR_FORKED);
    clsolve_solver_destroy(solver); /* these are the parent's, and nothing is done */
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(theirs);
    CHECK(clsolve_devices(NULL, 0, &count) == CLSOLVE_ERROR_FORKED);
    CHECK(clsolve_context_create_with(&options, &context) == CLSOLVE_ERROR_FORKED);
    CHECK(context == NULL && strstr(why, "forked") != NULL);
#ifndef __SANITIZE_THREAD__ /* which allows no new threads here */
    CHECK(open_context("host", &context) == CLSOLVE_OK);
    CHECK(solve(context, N));
    clsolve_context_destroy(context);
#endif
    return RIGHT;
}

TEST(test_first_contexts) {
    run(first_contexts);
}

TEST(test_traps) {
    run(traps);
}

TEST(test_stack) {
    run(stack);
}

TEST(test_cancelled) {
    run(cancelled);
}

TEST(test_fork_beside) {
    run(fork_beside);
}

/* Another thread is within a call, or has the lock, when the process forks. The last, because it opens
 * devices in this process. */
TEST(test_child) {
    pthread_t thread;
    double a[] = {2, 0, 0, 2};
    clsolve_matrix A = clsolve_matrix_f64(2, 2, a);
    test_require_device();
    theirs = test_context(1);
    assert_int_equal(clsolve_lu_create(theirs, 2, CLSOLVE_F64, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_solver_create(theirs, &A, NULL, &solver), CLSOLVE_OK);
    assert_int_equal(pthread_create(&thread, NULL, solve_always, theirs), 0);
    for (int round = 0; round < 3; round++) {
        await(1);
        run(child);
    }
    atomic_store(&stop, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(&wrong), 0);
    clsolve_solver_destroy(solver);
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(theirs);
}

int main(void) {
    return test_run(NULL, NULL);
}
