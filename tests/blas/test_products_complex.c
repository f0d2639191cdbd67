/*
 * Complex products against plain loops, for each op(A) and op(B) and at sizes around those of tiles and of parts, with offsets and
 * leading dimensions; what lies around the result stays as it was. CLSOLVE_BLAS=own: by the built-in real products.
 */
#include "blas/blas_support.h"
#include "blas/builtin.h"

#include <complex.h>
#include <float.h>

static cls_error error;
static cls_device *device;
static test_random numbers;

/* A matrix on the host in doubles, two an element, all of its room, and on the device in its type. */
typedef struct operand {
    clsolve_type type;
    int64_t offset, ld, elements;
    double *values;
    void *data;
    cls_buffer *buffer;
} operand;

static int64_t at_of(const operand *x, int64_t i, int64_t j) {
    return x->offset + i + j * x->ld;
}

static double complex element(const operand *x, int64_t i, int64_t j) {
    const int64_t at = 2 * at_of(x, i, j);
    return x->values[at] + I * x->values[at + 1];
}

static operand make(clsolve_type type, int64_t rows, int64_t columns) {
    operand x = {.type = type, .offset = test_random_between(&numbers, 0, 3)};
    x.ld = rows + (rows == 0) + test_random_between(&numbers, 0, 3);
    x.elements = x.offset + x.ld * columns + 3;
    const size_t bytes = (size_t)(x.elements * cls_type_size(type));
    x.values = malloc((size_t)(2 * x.elements) * sizeof *x.values);
    x.data = malloc(bytes);
    assert_non_null(x.values);
    assert_non_null(x.data);
    for (int64_t k = 0; k < 2 * x.elements; k++) {
        cls_type_put(type, x.data, k, test_random_signed(&numbers));
        x.values[k] = cls_type_get(type, x.data, k);
    }
    assert_ok(device, device->ops->buffer_create(device, bytes, &x.buffer));
    test_upload(device, x.buffer, x.data, bytes);
    return x;
}

static void drop(operand *x) {
    device->ops->buffer_destroy(device, x->buffer);
    free(x->values);
    free(x->data);
}

static cls_ref ref_of(const operand *x) {
    return (cls_ref){x->buffer, x->offset, x->ld};
}

static double complex of(const operand *A, clsolve_op op, int64_t i, int64_t l) {
    const double complex x = op == CLSOLVE_NO_TRANS ? element(A, i, l) : element(A, l, i);
    return op == CLSOLVE_CONJ_TRANS ? conj(x) : x;
}

static void check(clsolve_type type, clsolve_op op, clsolve_op op_b, int64_t m, int64_t n, int64_t k, double alpha,
                  double beta) {
    operand A = op == CLSOLVE_NO_TRANS ? make(type, m, k) : make(type, k, m),
            B = op_b == CLSOLVE_NO_TRANS ? make(type, k, n) : make(type, n, k), C = make(type, m, n);
    const double epsilon = cls_type_epsilon(type) * (cls_is_double(type) || device->matrix_unit < 80 ? 1 : 10);
    assert_ok(device, cls_gemm(device, CLS_BLAS_DEFAULT, type, op, op_b, m, n, k, alpha, ref_of(&A), ref_of(&B), beta,
                               ref_of(&C)));
    test_download(device, C.buffer, C.data, (size_t)(C.elements * cls_type_size(type)));
    for (int64_t at = 0; at < C.elements; at++) {
        const int64_t from = at - C.offset, i = from % C.ld, j = from / C.ld;
        double complex wanted = C.values[2 * at] + I * C.values[2 * at + 1];
        const double complex got = cls_type_get(type, C.data, 2 * at) + I * cls_type_get(type, C.data, 2 * at + 1);
        double size = 0;
        if (from >= 0 && i < m && j < n) {
            size = cabs(wanted * beta);
            wanted *= beta;
            for (int64_t l = 0; l < k; l++) {
                const double complex product = alpha * of(&A, op, i, l) * of(&B, op_b, l, j);
                wanted += product;
                size += cabs(product);
            }
        }
        assert_true(cabs(got - wanted) <= 4 * (double)(k + 4) * epsilon * size);
    }
    drop(&A);
    drop(&B);
    drop(&C);
}

static void each_op(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1},   {2, 3, 5}, {31, 33, 17}, {64, 16, 16}, {67, 9, 130},
                                       {5, 4, 258}, {0, 3, 2}, {3, 0, 2},    {3, 2, 0}};
    const clsolve_type type = *(const clsolve_type *)*state;
    if (cls_is_double(type) && !device->info.fp64) skip();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int op = 0; op < 9; op++)
            check(type, (clsolve_op)(op % 3), (clsolve_op)(op / 3), sizes[s][0], sizes[s][1], sizes[s][2],
                  s % 2 ? -1 : 0.5, s % 3 ? 1 : -2);
}

/* More rows, and more columns, of op(A) and op(B) than are copied at once. */
static void in_parts(void **state) {
    const clsolve_type type = *(const clsolve_type *)*state;
    if (cls_is_double(type) && !device->info.fp64) skip();
    check(type, CLSOLVE_NO_TRANS, CLSOLVE_CONJ_TRANS, 4099, 3, 2, -1, 1);
    check(type, CLSOLVE_CONJ_TRANS, CLSOLVE_NO_TRANS, 4098, 2, 257, -1, 1);
    check(type, CLSOLVE_NO_TRANS, CLSOLVE_TRANS, 2, 4097, 258, -1, 1);
}

/* A, B and C in one buffer, as the blocks of one matrix: that is how a factorization calls it. */
static void within_one_buffer(void **state) {
    enum { N = 40, K = 17 };
    const clsolve_type type = *(const clsolve_type *)*state;
    if (cls_is_double(type) && !device->info.fp64) skip();
    operand M = make(type, N, N);
    const cls_ref whole = ref_of(&M);
    assert_ok(device, cls_gemm(device, CLS_BLAS_DEFAULT, type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, N - K, N - K, K, -1,
                               cls_ref_at(whole, K, 0), cls_ref_at(whole, 0, K), 1, cls_ref_at(whole, K, K)));
    test_download(device, M.buffer, M.data, (size_t)(M.elements * cls_type_size(type)));
    for (int64_t j = K; j < N; j++)
        for (int64_t i = K; i < N; i++) {
            const int64_t at = 2 * at_of(&M, i, j);
            double complex wanted = element(&M, i, j);
            for (int64_t l = 0; l < K; l++) wanted -= element(&M, i, l) * element(&M, l, j);
            const double complex got = cls_type_get(type, M.data, at) + I * cls_type_get(type, M.data, at + 1);
            assert_true(cabs(got - wanted) <= 20 * K * cls_type_epsilon(type) * 4);
        }
    drop(&M);
}

/* A unit lower triangle, by real ones as on NVIDIA's GPUs; what lies on and above the diagonal does not count. */
static void check_solve(clsolve_type type, clsolve_op op, int64_t m, int64_t n) {
    operand T = make(type, m, m), B = make(type, m, n);
    for (int64_t k = 0; k < 2 * T.elements; k++) T.values[k] /= (double)m;
    for (int64_t k = 0; k < 2 * T.elements; k++) cls_type_put(type, T.data, k, T.values[k]);
    test_upload(device, T.buffer, T.data, (size_t)(T.elements * cls_type_size(type)));
    assert_ok(device, cls_trsm(device, CLS_BLAS_DEFAULT, type, CLS_LOWER_UNIT, op, m, n, ref_of(&T), ref_of(&B)));
    test_download(device, B.buffer, B.data, (size_t)(B.elements * cls_type_size(type)));
    for (int64_t at = 0; at < B.elements; at++) {
        const int64_t from = at - B.offset, i = from % B.ld, j = from / B.ld;
        const double complex was = B.values[2 * at] + I * B.values[2 * at + 1];
        double complex sum = cls_type_get(type, B.data, 2 * at) + I * cls_type_get(type, B.data, 2 * at + 1);
        if (from < 0 || i >= m || j >= n) {
            assert_true(sum == was);
            continue;
        }
        for (int64_t k = 0; k < m; k++) {
            const int64_t x = 2 * at_of(&B, k, j);
            const double complex of_x = cls_type_get(type, B.data, x) + I * cls_type_get(type, B.data, x + 1);
            if (op == CLSOLVE_NO_TRANS ? k < i : k > i) sum += of(&T, op, i, k) * of_x;
        }
        assert_true(cabs(sum - was) <= 40 * (double)(m + 4) * cls_type_epsilon(type));
    }
    drop(&T);
    drop(&B);
}

static void triangles(void **state) {
    const clsolve_type type = *(const clsolve_type *)*state;
    const int unit = device->matrix_unit;
    if (cls_is_double(type) && !device->info.fp64) skip();
    if (device->info.host_memory && device->blas->in_place) skip(); /* by OpenBLAS */
    if (unit == 0) device->matrix_unit = 75;                        /* real solves are the portable ones all the same */
    check_solve(type, CLSOLVE_NO_TRANS, 1, 16);
    check_solve(type, CLSOLVE_NO_TRANS, 70, 33);
    check_solve(type, CLSOLVE_CONJ_TRANS, 67, 17);
    check_solve(type, CLSOLVE_NO_TRANS, 600, 16);
    check_solve(type, CLSOLVE_CONJ_TRANS, 515, 16);
    device->matrix_unit = unit;
    check_solve(type, CLSOLVE_TRANS, 67, 17);
}

static int open_device(void **state) {
    numbers = test_random_start(12);
    device = test_blas_device("", &error);
    return 0;
}

static int close_device(void **state) {
    device->ops->destroy(device);
    return 0;
}

int main(void) {
    test_require_device();
    static clsolve_type c32 = CLSOLVE_C32, c64 = CLSOLVE_C64;
    const struct CMUnitTest tests[] = {
        {"each op c32", each_op, NULL, NULL, &c32},
        {"each op c64", each_op, NULL, NULL, &c64},
        {"in parts c32", in_parts, NULL, NULL, &c32},
        {"in parts c64", in_parts, NULL, NULL, &c64},
        {"within one buffer c32", within_one_buffer, NULL, NULL, &c32},
        {"within one buffer c64", within_one_buffer, NULL, NULL, &c64},
        {"triangles c32", triangles, NULL, NULL, &c32},
        {"triangles c64", triangles, NULL, NULL, &c64},
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
