/*
 * The test of a triangular solve's kernel before its first use: what it finds, and what is done where a kernel is wrong. By the
 * built-in solve, whichever the provider takes.
 */
#include "blas/blas_support.h"

#include "blas/builtin.h"

enum { M = 61, N = 3 };

static int tests_made, wrong; /* so many are still to come out wrong */

WRAPS(clsolve_status, cls_builtin_trsm_test, (cls_device * device, const cls_trsm_form *form, int *right)) {
    clsolve_status status = __real_cls_builtin_trsm_test(device, form, right);
    tests_made++;
    if (wrong > 0) {
        wrong--;
        *right = 0;
    }
    return status;
}

static cls_error error;
static cls_device *device;

static int open_device(void **state) {
    error = (cls_error){{0}};
    tests_made = wrong = 0;
    device = test_blas_device("", &error);
    return 0;
}

static int close_device(void **state) {
    device->ops->destroy(device);
    return 0;
}

static void rect_copy(int up, cls_buffer *buffer, void *host, int64_t elements) {
    const size_t bytes = (size_t)elements * sizeof(float);
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    if (up)
        assert_ok(device, device->ops->write(device, CLS_COMPUTE, buffer, host, &rect, NULL, NULL));
    else
        assert_ok(device, device->ops->read(device, CLS_COMPUTE, buffer, host, &rect, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
}

/* L has ones on the diagonal and below it: X is the differences of B's rows. What the solve says; B as it is then. */
static clsolve_status solve(float B[M * N]) {
    static float L[M * M];
    cls_triangle t = {
        cls_blas_in(CLS_COMPUTE), CLSOLVE_F32, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, M, N, {NULL, 0, M}, {NULL, 0, M}};
    for (int k = 0; k < M * M; k++) L[k] = 1;
    for (int k = 0; k < M * N; k++) B[k] = (float)(k % M * (k / M + 1));
    assert_ok(device, device->ops->buffer_create(device, sizeof L, &t.T.buffer));
    assert_ok(device, device->ops->buffer_create(device, sizeof(float) * M * N, &t.B.buffer));
    rect_copy(1, t.T.buffer, L, (int64_t)M * M);
    rect_copy(1, t.B.buffer, B, (int64_t)M * N);
    const clsolve_status status = cls_builtin_trsm(device, &t);
    rect_copy(0, t.B.buffer, B, (int64_t)M * N);
    device->ops->buffer_destroy(device, t.T.buffer);
    device->ops->buffer_destroy(device, t.B.buffer);
    return status;
}

static void assert_solved(void) {
    float X[M * N];
    assert_ok(device, solve(X));
    for (int k = 0; k < M * N; k++) assert_true(X[k] == (k % M ? (float)(k / M + 1) : 0.0F));
}

TEST(once_a_kernel) {
    if (device->no_kernels) skip();
    assert_solved();
    assert_int_equal(tests_made, 1);
    assert_solved();
    assert_int_equal(tests_made, 1);
}

/* Each kind that is wrong is left, and nothing is said. */
TEST(another_kind) {
    const cls_error none = {{0}};
    if (device->no_kernels) skip();
    assert_solved();
    const int first = device->blas->builtin->trsm_kind[cls_builtin_place(CLSOLVE_F32)];
    close_device(state);
    open_device(state);
    wrong = 1;
    assert_solved();
    assert_int_equal(tests_made, 2);
    assert_true(device->blas->builtin->trsm_kind[cls_builtin_place(CLSOLVE_F32)] > first);
    assert_memory_equal(&error, &none, sizeof none);
}

/* No kind is left: the call says so, and B is as it was. */
TEST(none_is_right) {
    float B[M * N];
    if (device->no_kernels) skip();
    wrong = 100;
    assert_int_equal(solve(B), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "triangular solves in single"));
    for (int k = 0; k < M * N; k++) assert_true(B[k] == (float)(k % M * (k / M + 1)));
}

/* ---- what the test finds ---- */

/* A solve by the provider, after which one element is changed; none where `at` is less than 0. */
typedef struct erring {
    int64_t at;
    int uplo, op; /* in this case alone */
} erring;

static clsolve_status err(cls_device *on, const void *how, const cls_triangle *t) {
    const erring *e = how;
    float x;
    const cls_rect rect = {sizeof x, 1, (size_t)e->at * sizeof x, sizeof x, sizeof x};
    CLS_TRY(cls_trsm(on, t->options, t->type, t->uplo, t->op, t->m, t->n, t->T, t->B));
    if (e->at < 0 || (int)t->uplo != e->uplo || (int)t->op != e->op) return CLSOLVE_OK;
    CLS_TRY(on->ops->read(on, t->options.queue, t->B.buffer, &x, &rect, NULL, NULL));
    CLS_TRY(on->ops->finish(on, t->options.queue));
    x += 1;
    CLS_TRY(on->ops->write(on, t->options.queue, t->B.buffer, &x, &rect, NULL, NULL));
    return on->ops->finish(on, t->options.queue);
}

static int found_right(int64_t order, int64_t columns, erring e) {
    const cls_trsm_form form = {CLSOLVE_F32, order, columns, err, &e};
    int right = -1;
    assert_ok(device, __real_cls_builtin_trsm_test(device, &form, &right));
    return right;
}

/* The last elements of the last part and of a second group's columns too, and those beside B. */
TEST(one_element) {
    enum { ORDER = 128, COLUMNS = 32, LD = ORDER + 3, OFFSET = 5 };
    static const int64_t at[] = {0,
                                 OFFSET - 1,
                                 OFFSET,
                                 OFFSET + 63,
                                 OFFSET + 124,
                                 OFFSET + ORDER,
                                 OFFSET + 36 * LD,
                                 OFFSET + 36 * LD + 124,
                                 OFFSET + 37 * LD};
    if (device->no_kernels) skip();
    assert_int_equal(found_right(ORDER, COLUMNS, (erring){-1, 0, 0}), 1);
    for (int c = 0; c < 4; c++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            const erring e = {at[k], c & 1 ? CLS_UPPER : CLS_LOWER_UNIT, c & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS};
            assert_int_equal(found_right(ORDER, COLUMNS, e), 0);
        }
}

int main(void) {
    test_require_device();
    return test_run_each(NULL, NULL, open_device, close_device);
}
