/*
 * The BLAS provider of the device against plain loops, at sizes that fit no tile, with offsets and leading dimensions;
 * every element outside the result has to stay as it was. CLSOLVE_BLAS chooses the provider. CLBlast compiles for
 * seconds on a CPU device, but only once a type, so it gets the same cases at fewer sizes.
 */
#include "blas/blas_support.h"
#include "blas/builtin.h"

#include <float.h>

enum { LARGEST = 150, LD_EXTRA = 5, OFFSET = 7, ROOM = OFFSET + (LARGEST + LD_EXTRA) * LARGEST };

static const int64_t all_sizes[] = {0, 1, 2, 3, 5, 31, 32, 33, 67}, few_sizes[] = {0, 1, 33, 67};
static const int64_t *sizes = all_sizes;
static int size_count = 9;

static cls_error error;
static cls_device *device;
static test_random random_state;

/* A matrix on the host, in the type under test, and its likeness on the device. */
typedef struct operand {
    clsolve_type type;
    cls_buffer *buffer;
    int64_t offset, ld;
    union {
        double f64[ROOM];
        float f32[ROOM];
    } data;
} operand;

static operand A, B, C, got;

static double at(const operand *x, int64_t index) {
    return x->type == CLSOLVE_F64 ? x->data.f64[index] : (double)x->data.f32[index];
}

static void put(operand *x, int64_t index, double value) {
    if (x->type == CLSOLVE_F64)
        x->data.f64[index] = value;
    else
        x->data.f32[index] = (float)value;
}

static int64_t index_of(const operand *x, int64_t i, int64_t j) {
    return x->offset + i + j * x->ld;
}

static double element(const operand *x, clsolve_op op, int64_t i, int64_t j) {
    return at(x, op == CLSOLVE_TRANS ? index_of(x, j, i) : index_of(x, i, j));
}

static double epsilon(clsolve_type type) {
    return type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* 1: even offsets and leading dimensions, for kernels that then take two elements at once. */
static int even_places;

/* Room for rows x columns, random everywhere, the gaps too. */
static void prepare(operand *x, clsolve_type type, int64_t rows) {
    x->type = type;
    x->offset = test_random_between(&random_state, 0, OFFSET);
    x->ld = (rows > 0 ? rows : 1) + test_random_between(&random_state, 0, LD_EXTRA);
    if (even_places) {
        x->offset -= x->offset % 2;
        if (x->ld % 2) x->ld += x->ld > rows ? -1 : 1;
    }
    for (int64_t i = 0; i < ROOM; i++) put(x, i, test_random_signed(&random_state));
}

static size_t bytes_of(const operand *x) {
    return (size_t)(ROOM * cls_type_size(x->type));
}

static cls_ref ref_of(const operand *x) {
    return (cls_ref){x->buffer, x->offset, x->ld};
}

static void upload(operand *x) {
    test_upload(device, x->buffer, &x->data, bytes_of(x));
}

/* What the device made of x into `got`. */
static void download(const operand *x) {
    got.type = x->type;
    test_download(device, x->buffer, &got.data, bytes_of(x));
}

static int is_inside(const operand *x, int64_t index, int64_t rows, int64_t columns) {
    int64_t from = index - x->offset;
    return from >= 0 && from % x->ld < rows && from / x->ld < columns;
}

static void assert_untouched_outside(const operand *x, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < ROOM; i++)
        if (!is_inside(x, i, rows, columns)) assert_true(at(x, i) == at(&got, i));
}

/* ---- gemm ---- */

static void check_gemm(clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k,
                       double alpha, double beta) {
    prepare(&A, type, op_a == CLSOLVE_TRANS ? k : m);
    prepare(&B, type, op_b == CLSOLVE_TRANS ? n : k);
    prepare(&C, type, m);
    /* With beta = 0 what C held does not count, whatever it is. */
    if (beta == 0)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) put(&C, index_of(&C, i, j), NAN);
    upload(&A);
    upload(&B);
    upload(&C);
    assert_ok(device, cls_gemm(device, CLS_BLAS_DEFAULT, type, op_a, op_b, m, n, k, alpha, ref_of(&A), ref_of(&B), beta,
                               ref_of(&C)));
    download(&C);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            double sum = 0, size = 0, old = beta == 0 ? 0 : at(&C, index_of(&C, i, j));
            for (int64_t l = 0; l < k && alpha != 0; l++) {
                double product = element(&A, op_a, i, l) * element(&B, op_b, l, j);
                sum += product;
                size += fabs(product);
            }
            double expected = alpha * sum + beta * old;
            /* Of floats in two parts: see cl/gemm_mma.cl. */
            double parts = type == CLSOLVE_F32 && device->matrix_unit >= 80 ? 10 : 0;
            double bound = ((double)k + 4 + parts) * epsilon(type) * (fabs(alpha) * size + fabs(beta * old));
            double difference = fabs(at(&got, index_of(&C, i, j)) - expected);
            if (!(difference <= bound)) {
                print_error("gemm type %d ops %d %d, %d x %d x %d, alpha %g beta %g: C(%d,%d) off by %g, bound %g\n",
                            (int)type, (int)op_a, (int)op_b, (int)m, (int)n, (int)k, alpha, beta, (int)i, (int)j,
                            difference, bound);
                fail();
            }
        }
    }
    assert_untouched_outside(&C, m, n);
}

static void gemm_at_all_sizes(void **state) {
    clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    const double factors[][2] = {{-1, 1}, {1, 0}, {0.5, -2}, {0, 3}, {0, 0}, {0, 1}};
    int turn = 0;
    for (int i = 0; i < size_count; i++)
        for (int j = 0; j < size_count; j++)
            for (int l = 0; l < size_count; l++, turn++) {
                clsolve_op op_a = turn % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
                clsolve_op op_b = turn / 2 % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
                const double *f = factors[turn % 6];
                check_gemm(type, op_a, op_b, sizes[i], sizes[j], sizes[l], f[0], f[1]);
            }
    /* The update of a factorization, and each op at one size that fits no tile. */
    for (int ops = 0; ops < 4; ops++)
        check_gemm(type, ops & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, ops & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, 61, 45,
                   37, -1, 1);
}

/* As though the device had few compute units, which makes large tiles, and with few work-groups for the product. */
static void gemm_by_tiles(void **state) {
    clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    const int64_t shapes[][3] = {{130, 150, 20}, {64, 65, 33}, {150, 129, 8}, {1, 150, 150}};
    const int32_t units = device->info.compute_units;
    const int clblast_on_cpu = size_count < 9;
    for (int turn = 0; turn < (clblast_on_cpu ? 4 : 16); turn++) {
        const int64_t *s = shapes[turn % 4];
        device->info.compute_units = turn & 4 ? 1 : units;
        even_places = turn & 8;
        for (int ops = 0; ops < 4; ops++)
            check_gemm(type, ops & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, ops & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                       s[0], s[1], s[2], turn % 3 ? -1 : 0.5, turn % 5 ? 1 : 0);
    }
    device->info.compute_units = units;
    even_places = 0;
}

/* A, B and C in one buffer, as the blocks of one matrix: that is how a factorization calls it. */
static void gemm_within_one_buffer(void **state) {
    clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    enum { N = 70, K = 30 };
    prepare(&C, type, N);
    upload(&C);
    cls_ref whole = ref_of(&C);
    assert_ok(device, cls_gemm(device, CLS_BLAS_DEFAULT, type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, N - K, N - K, K,
                               -1.0, cls_ref_at(whole, K, 0), cls_ref_at(whole, 0, K), 1.0, cls_ref_at(whole, K, K)));
    download(&C);
    for (int64_t j = K; j < N; j++) {
        for (int64_t i = K; i < N; i++) {
            double expected = at(&C, index_of(&C, i, j));
            for (int64_t l = 0; l < K; l++) expected -= at(&C, index_of(&C, i, l)) * at(&C, index_of(&C, l, j));
            double difference = fabs(at(&got, index_of(&C, i, j)) - expected);
            assert_true(difference <= 4 * K * epsilon(type));
        }
    }
    for (int64_t i = 0; i < ROOM; i++) {
        int64_t from = i - C.offset, row = from % C.ld, column = from / C.ld;
        int inside = from >= 0 && row >= K && row < N && column >= K && column < N;
        if (!inside) assert_true(at(&C, i) == at(&got, i));
    }
}

/* ---- trsm ---- */

/* The half of T that is not to be read holds NaN, and so does an implied unit diagonal. */
static void prepare_triangle(clsolve_type type, cls_uplo uplo, int64_t m) {
    prepare(&A, type, m);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < m; i++) {
            int64_t here = index_of(&A, i, j);
            if (i == j)
                put(&A, here, uplo == CLS_LOWER_UNIT ? NAN : 1.5 + at(&A, here) / 2);
            else if ((i > j) == (uplo != CLS_UPPER))
                put(&A, here, at(&A, here) / (double)m);
            else
                put(&A, here, NAN);
        }
    }
}

static double triangle(cls_uplo uplo, clsolve_op op, int64_t i, int64_t j) {
    if (i == j) return uplo == CLS_LOWER_UNIT ? 1 : element(&A, op, i, j);
    int lower = (uplo != CLS_UPPER) == (op == CLSOLVE_NO_TRANS);
    return (i > j) == lower ? element(&A, op, i, j) : 0;
}

static void check_trsm(clsolve_type type, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n) {
    prepare_triangle(type, uplo, m);
    prepare(&B, type, m);
    upload(&A);
    upload(&B);
    assert_ok(device, cls_trsm(device, CLS_BLAS_DEFAULT, type, uplo, op, m, n, ref_of(&A), ref_of(&B)));
    download(&B);
    /* op(T) X = B, each element within the rounding of its own sum. */
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            double sum = 0, size = fabs(at(&B, index_of(&B, i, j)));
            for (int64_t l = 0; l < m; l++) {
                double product = triangle(uplo, op, i, l) * at(&got, index_of(&B, l, j));
                sum += product;
                size += fabs(product);
            }
            double difference = fabs(sum - at(&B, index_of(&B, i, j)));
            double bound = ((double)m + 4) * epsilon(type) * size;
            if (!(difference <= bound)) {
                print_error("trsm type %d uplo %d op %d, %d x %d: row %d column %d off by %g, bound %g\n", (int)type,
                            (int)uplo, (int)op, (int)m, (int)n, (int)i, (int)j, difference, bound);
                fail();
            }
        }
    }
    assert_untouched_outside(&B, m, n);
}

static void trsm_in_all_cases(void **state) {
    clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    const int64_t rows[] = {0, 1, 2, 3, 5, 31, 32, 33, 64, 67, 96, 127, 128, 129},
                  columns[] = {0, 1, 2, 3, 15, 16, 17, 64, 130};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++)
            for (int which = 0; which < 6; which++)
                check_trsm(type, (cls_uplo)(CLS_LOWER_UNIT + which / 2), which % 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                           rows[i], columns[j]);
}

static void a_zero_pivot_gives_no_number(void **state) {
    clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    prepare_triangle(type, CLS_UPPER, 4);
    prepare(&B, type, 4);
    put(&A, index_of(&A, 2, 2), 0);
    upload(&A);
    upload(&B);
    assert_ok(device,
              cls_trsm(device, CLS_BLAS_DEFAULT, type, CLS_UPPER, CLSOLVE_NO_TRANS, 4, 1, ref_of(&A), ref_of(&B)));
    download(&B);
    assert_true(!isfinite(at(&got, index_of(&B, 2, 0))));
}

static int open_device(void **state);
static int close_device(void **state);

/* A device that counts as NVIDIA's, whose compiler has no lanes all the same: cl/trsm.cl does not build, and the portable
 * kernel solves from then on. Triangles of one block, so that no product is among it. */
static void a_refused_trsm_is_done_without(void **state) {
    const cls_error none = {{0}};
    clsolve_type type = *(const clsolve_type *)*state;
    if (device->matrix_unit > 0 || strcmp(device->blas->name, "CLBlast") != 0) skip();
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    close_device(state);
    open_device(state);
    device->matrix_unit = 80;
    for (int round = 0; round < 2; round++) {
        const cls_kernel *kernel = round ? device->blas->builtin->trsm[cls_builtin_place(type)][0] : NULL;
        check_trsm(type, round ? CLS_UPPER : CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, 67, 17);
        assert_memory_equal(&error, &none, sizeof none);
        assert_true(device->blas->builtin->trsm_kind[cls_builtin_place(type)] >
                    1); /* which one, local memory decides */
        if (round) assert_ptr_equal(device->blas->builtin->trsm[cls_builtin_place(type)][0], kernel);
    }
    check_trsm(type == CLSOLVE_F32 && device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32, CLS_UPPER, CLSOLVE_TRANS, 64, 3);
    device->matrix_unit = 0;
}

static int open_device(void **state) {
    random_state = test_random_start(11);
    device = test_blas_device("", &error);
    if (strcmp(device->blas->name, "CLBlast") == 0 && device->info.type == CLSOLVE_DEVICE_CPU) {
        sizes = few_sizes;
        size_count = 4;
    }
    operand *operands[] = {&A, &B, &C};
    for (int i = 0; i < 3; i++)
        assert_ok(device, device->ops->buffer_create(device, ROOM * sizeof(double), &operands[i]->buffer));
    return 0;
}

static int close_device(void **state) {
    device->ops->buffer_destroy(device, A.buffer);
    device->ops->buffer_destroy(device, B.buffer);
    device->ops->buffer_destroy(device, C.buffer);
    device->ops->destroy(device);
    return 0;
}

int main(void) {
    test_require_device();
    static clsolve_type f32 = CLSOLVE_F32, f64 = CLSOLVE_F64;
    const struct CMUnitTest tests[] = {
        {"gemm f32", gemm_at_all_sizes, NULL, NULL, &f32},
        {"gemm f64", gemm_at_all_sizes, NULL, NULL, &f64},
        {"gemm by tiles f32", gemm_by_tiles, NULL, NULL, &f32},
        {"gemm by tiles f64", gemm_by_tiles, NULL, NULL, &f64},
        {"gemm within one buffer f32", gemm_within_one_buffer, NULL, NULL, &f32},
        {"gemm within one buffer f64", gemm_within_one_buffer, NULL, NULL, &f64},
        {"trsm f32", trsm_in_all_cases, NULL, NULL, &f32},
        {"trsm f64", trsm_in_all_cases, NULL, NULL, &f64},
        {"zero pivot f32", a_zero_pivot_gives_no_number, NULL, NULL, &f32},
        {"zero pivot f64", a_zero_pivot_gives_no_number, NULL, NULL, &f64},
        {"refused trsm f32", a_refused_trsm_is_done_without, NULL, NULL, &f32},
        {"refused trsm f64", a_refused_trsm_is_done_without, NULL, NULL, &f64},
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
