/*
 * The product by AMD's matrix instructions (cl/gemm_mfma.cl), from the host's code on, against plain loops. Where the
 * device has them they are run; elsewhere the kernel's text is compiled behind an emulated instruction
 * (kernels/mfma_emulated.clh). What lies around op(A) and op(B) is NaN, and what lies around C has to stay.
 */
#define _POSIX_C_SOURCE 200809L

#include "blas/blas_support.h"

#include <float.h>

#include "blas/builtin.h"
#include "device/opencl/opencl.h"

enum { MOST = 270, ROOM = (MOST + 8) * MOST + 8, UNTOUCHED = 77 };

static cls_error error;
static cls_device *device;
static test_random numbers;
static int at_random; /* elements are any, and not small whole numbers, whose products are exact */

/* ---- the instruction ---- */

/* The text; one that loses subnormal floats, one that does nothing. */
static char *emulated, *flushing;
static const char *const idle = "#define MFMA(d, first, second) (void)(first), (void)(second)\n";
static int flushes, broken;
static const cls_compiler *real_compiler;
static cls_compiler emulating;
static int compiled;

static clsolve_status compile(cls_device *of, const cls_source *source, int wanted, cls_error *why, cls_made *made) {
    cls_source with = *source;
    if (strcmp(source->name, "gemm_mfma") == 0) {
        with.texts[1] = broken ? idle : flushes ? flushing : emulated;
        compiled++;
    }
    return real_compiler->compile(of, &with, wanted, why, made);
}

/* The text of a file behind `before`. */
static char *text_of(const char *path, const char *before) {
    enum { MOST_BYTES = 1 << 14 };
    FILE *file = fopen(path, "r");
    char *text = calloc(1, MOST_BYTES);
    assert_non_null(file);
    assert_non_null(text);
    const size_t length = (size_t)snprintf(text, MOST_BYTES, "%s", before);
    assert_true(fread(text + length, 1, MOST_BYTES - 1 - length, file) > 0);
    assert_true(feof(file));
    (void)fclose(file);
    return text;
}

static int is_emulated(const cls_device *of) {
    return of->compiler == &emulating;
}

/* A device with matrix instructions, its own or emulated ones. */
static cls_device *open_own_device(cls_error *own_error) {
    cls_device *own = test_blas_device("", own_error);
    if (own->matrix_core) return own;
    own->matrix_core = 1;
    own->matrix_unit = 0;
    own->rolled = 1;
    real_compiler = own->compiler;
    emulating = *real_compiler;
    emulating.compile = compile;
    own->compiler = &emulating;
    return own;
}

/* ---- one product ---- */

typedef struct operand {
    double value[ROOM]; /* whatever the type */
    int64_t count;
    cls_ref ref;
} operand;
static operand A, B, C;
static double got[ROOM];

static double number(clsolve_type type) {
    if (!at_random) return (double)test_random_between(&numbers, -8, 8);
    const double x = test_random_signed(&numbers);
    return type == CLSOLVE_F64 ? x : (double)(float)x;
}

/* Elements for rows x columns, `outside` around them. */
static void prepare(operand *x, clsolve_type type, int64_t rows, int64_t columns, double outside) {
    x->ref.offset = test_random_between(&numbers, 0, 8);
    x->ref.ld = rows + test_random_between(&numbers, 0, 8);
    x->count = x->ref.offset + (columns - 1) * x->ref.ld + rows;
    assert_true(x->count <= ROOM);
    for (int64_t i = 0; i < x->count; i++) x->value[i] = outside;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) x->value[x->ref.offset + i + j * x->ref.ld] = number(type);
}

/* Between `value` and the device's buffer, which ends with the last element. */
static void move(operand *x, clsolve_type type, double *value, int up) {
    static float singles[ROOM];
    const size_t bytes = (size_t)(x->count * cls_type_size(type));
    void *host = type == CLSOLVE_F64 ? (void *)value : singles;
    for (int64_t i = 0; i < x->count && up; i++) singles[i] = (float)value[i];
    if (up) {
        assert_ok(device, device->ops->buffer_create(device, bytes, &x->ref.buffer));
        test_upload(device, x->ref.buffer, host, bytes);
    } else {
        test_download(device, x->ref.buffer, host, bytes);
        for (int64_t i = 0; i < x->count && type == CLSOLVE_F32; i++) value[i] = (double)singles[i];
    }
}

static double *element(operand *x, clsolve_op op, int64_t i, int64_t j) {
    return &x->value[x->ref.offset + (op == CLSOLVE_TRANS ? j + i * x->ref.ld : i + j * x->ref.ld)];
}

static void compare(const cls_product *p, int64_t at) {
    const int64_t i = (at - C.ref.offset) % C.ref.ld, j = (at - C.ref.offset) / C.ref.ld;
    const double epsilon = p->type == CLSOLVE_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double expected = C.value[at], size = 0;
    if (at >= C.ref.offset && i < p->m && j < p->n) {
        double sum = 0;
        for (int64_t l = 0; l < p->k; l++) {
            const double product = *element(&A, p->op_a, i, l) * *element(&B, p->op_b, l, j);
            sum += product;
            size += fabs(product);
        }
        expected = p->alpha * sum + (p->beta == 0 ? 0 : p->beta * C.value[at]);
        size = fabs(p->alpha) * size + (p->beta == 0 ? 0 : fabs(p->beta * C.value[at]));
    }
    if (got[at] == expected || (isnan(got[at]) && isnan(expected))) return;
    if (at_random && fabs(got[at] - expected) <= (double)(p->k + 4) * epsilon * size) return;
    fail_msg("type %d, ops %d %d, %d x %d x %d, alpha %g beta %g, %d compute units: C(%d,%d) is %.17g, not %.17g",
             (int)p->type, (int)p->op_a, (int)p->op_b, (int)p->m, (int)p->n, (int)p->k, p->alpha, p->beta,
             (int)device->info.compute_units, (int)i, (int)j, got[at], expected);
}

/* Enqueues it: by the unit itself, or as methods do, by the provider for GPUs. */
static int by_provider;

static void multiply(const cls_product *p) {
    int right = 0;
    if (by_provider) {
        assert_ok(device, cls_gemm(device, p->options, p->type, p->op_a, p->op_b, p->m, p->n, p->k, p->alpha, p->A,
                                   p->B, p->beta, p->C));
        return;
    }
    assert_true(cls_builtin_mma_takes(device, p));
    assert_ok(device, cls_builtin_mma(device, p, &right));
    assert_true(right);
}

static void check(clsolve_type type, int ops, int64_t m, int64_t n, int64_t k, double alpha, double beta) {
    const clsolve_op op_a = ops & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
    const clsolve_op op_b = ops & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
    prepare(&A, type, ops & 1 ? k : m, ops & 1 ? m : k, NAN);
    prepare(&B, type, ops & 2 ? n : k, ops & 2 ? k : n, NAN);
    prepare(&C, type, m, n, UNTOUCHED);
    if (beta == 0) /* what C held does not count then */
        for (int64_t j = 0; j < n; j++) *element(&C, CLSOLVE_NO_TRANS, j % m, j) = NAN;
    if ((m + n + k) % 5 == 0) *element(&A, op_a, m / 2, k / 2) = NAN; /* goes into its row, and nowhere else */
    move(&A, type, A.value, 1);
    move(&B, type, B.value, 1);
    move(&C, type, C.value, 1);
    const cls_product p = {CLS_BLAS_DEFAULT, type, op_a, op_b, m, n, k, alpha, beta, A.ref, B.ref, C.ref, 0};
    multiply(&p);
    move(&C, type, got, 0);
    for (int64_t at = 0; at < C.count; at++) compare(&p, at);
    device->ops->buffer_destroy(device, A.ref.buffer);
    device->ops->buffer_destroy(device, B.ref.buffer);
    device->ops->buffer_destroy(device, C.ref.buffer);
}

/* ---- sizes ---- */

/* The large tile is for a C of at least a tile a compute unit. */
static void choose_tile(int large) {
    device->info.compute_units = large ? 1 : INT32_MAX;
}

static int64_t drawn(const int64_t *from, int count) {
    return from[test_random_between(&numbers, 0, count - 1)];
}

/* Each form of the kernel: a tile and its neighbours, small sizes, primes; inner sizes around slices. */
static void in_forms(void **state) {
    static const int64_t factors[][2] = {{-1, 1}, {1, 0}, {-1, -2}, {3, 4}, {2, 0}, {1, 1}};
    const clsolve_type type = *(const clsolve_type *)*state;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    for (int form = 0; form < 8; form++) {
        const int large = form & 1, ops = form / 2;
        if (is_emulated(device) && (large + ops + (type == CLSOLVE_F64)) % 2)
            continue; /* each form in one of the types */
        const int64_t t = large ? 128 : 64, s = type == CLSOLVE_F64 ? 8 : 16;
        const int64_t sizes[] = {1, 2, 3, 5, 17, 31, 61, t - 1, t, t + 1, 131, 2 * t + 3};
        const int64_t inner[] = {1, 2, 3, 5, s - 1, s, s + 1, 2 * s, 2 * s + 1, 3 * s, 37};
        choose_tile(large);
        for (int turn = 0; turn < (is_emulated(device) ? 5 : 12); turn++) { /* emulated ones take long */
            const int64_t *f = factors[test_random_between(&numbers, 0, 5)];
            at_random = turn % 3 == 0;
            check(type, ops, drawn(sizes, 12), drawn(sizes, 12), drawn(inner, 11), (double)f[0], (double)f[1]);
        }
        at_random = 0;
        check(type, ops, t, t, 2 * s, -1, 1); /* whole, started from C */
        check(type, ops, large && is_emulated(device) ? t : 2 * t, t, 3 * s + 1, -1, 2);
    }
}

/* Sums that begin with C / alpha would leave the type's range. */
static void far_factors(void **state) {
    const clsolve_type type = *(const clsolve_type *)*state;
    const double huge = type == CLSOLVE_F64 ? 0x1p600 : 0x1p80;
    if (type == CLSOLVE_F64 && !device->info.fp64) skip();
    choose_tile(0);
    check(type, 0, 64, 64, 5, huge, huge);
    check(type, 0, 64, 64, 5, 1 / huge, 1 / huge);
    check(type, 0, 64, 64, 5, -1, huge);
}

static void through_the_provider(void **state) {
    const cls_blas_provider *const before = device->blas->provider;
    choose_tile(0);
    cls_blas_use(device, device->blas->rival);
    by_provider = 1;
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++) {
        if (type == CLSOLVE_F64 && !device->info.fp64) continue;
        const int64_t launches = device->counters.launches;
        check((clsolve_type)type, 0, 67, 5, 3, -1, 1);
        assert_int_equal(device->counters.launches, launches + 1);
        assert_non_null(device->blas->builtin->mma[type == CLSOLVE_F64][CLS_MMA_SMALL][0][0][0]);
        const cls_ref none = {NULL, 0, 1};
        assert_ok(device, cls_gemm(device, CLS_BLAS_DEFAULT, (clsolve_type)type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, 0,
                                   5, 3, 1, none, none, 1, none));
        assert_int_equal(device->counters.launches, launches + 1);
    }
    by_provider = 0;
    cls_blas_use(device, before);
}

static void empty_products_are_not_taken(void **state) {
    cls_product p = {.type = CLSOLVE_F64, .m = 3, .n = 3, .k = 3, .alpha = 1};
    int64_t *const sizes[] = {&p.m, &p.n, &p.k};
    assert_true(cls_builtin_mma_takes(device, &p));
    for (int s = 0; s < 3; s++) {
        *sizes[s] = 0;
        assert_false(cls_builtin_mma_takes(device, &p));
        *sizes[s] = 3;
    }
    p.type = CLSOLVE_F32;
    assert_true(cls_builtin_mma_takes(device, &p));
    device->blas->no_matrix_unit = 1;
    assert_false(cls_builtin_mma_takes(device, &p));
    device->blas->no_matrix_unit = 0;
}

/* A product that is to keep float's range goes through the unit where it keeps subnormal floats, and only there. */
static void subnormal_floats(void **state) {
    for (int lossy = 0; lossy < 2; lossy++) {
        cls_error own_error = {{0}};
        cls_device *own = open_own_device(&own_error);
        cls_ref M[3];
        int right = 0;
        flushes = lossy;
        for (int b = 0; b < 3; b++) {
            M[b] = (cls_ref){NULL, 0, 4};
            assert_ok(own, own->ops->buffer_create(own, 16 * sizeof(float), &M[b].buffer));
            assert_ok(own, own->ops->fill(own, CLS_COMPUTE, M[b].buffer, 0, 16 * sizeof(float), 0));
        }
        cls_product p = {
            CLS_BLAS_DEFAULT, CLSOLVE_F32, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, 4, 4, 4, 1, 0, M[0], M[1], M[2], 0};
        assert_ok(own, cls_builtin_mma(own, &p, &right));
        assert_true(right); /* the range does not count */
        p.options.whole_range = 1;
        assert_true(cls_builtin_mma_takes(own, &p));
        assert_ok(own, cls_builtin_mma(own, &p, &right));
        if (is_emulated(own)) assert_int_equal(right, !lossy);
        assert_int_equal(cls_builtin_mma_takes(own, &p), right);
        p.options.whole_range = 0;
        assert_true(cls_builtin_mma_takes(own, &p));
        for (int b = 0; b < 3; b++) own->ops->buffer_destroy(own, M[b].buffer);
        own->ops->destroy(own);
    }
    flushes = 0;
}

static void no_unit_is_wanted(void **state) {
    cls_error own_error = {{0}};
    test_pretend("no-matrix-unit");
    cls_device *own = open_own_device(&own_error);
    test_pretend(NULL);
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; type++)
        assert_false(cls_builtin_mma_suits(own, (clsolve_type)type));
    own->matrix_unit = 90; /* NVIDIA's neither */
    assert_false(cls_builtin_mma_suits(own, CLSOLVE_F64));
    own->matrix_unit = 0;
    own->ops->destroy(own);
}

static void names(void **state) {
    static const struct {
        const char *vendor, *name;
        int has;
    } devices[] = {{"Advanced Micro Devices, Inc.", "gfx90a:sramecc+:xnack-", 1},
                   {"Advanced Micro Devices, Inc.", "gfx942", 1},
                   {"Advanced Micro Devices, Inc.", "gfx90", 0},
                   {"Advanced Micro Devices, Inc.", "gfx90ab", 0},
                   {"Advanced Micro Devices, Inc.", "gfx1100", 0},
                   {"Advanced Micro Devices, Inc.", "", 0},
                   {"AMD", "AMD Instinct MI210 (radeonsi, gfx90a)", 0},
                   {"another", "gfx90a", 0}};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        clsolve_device_info info = {.type = CLSOLVE_DEVICE_GPU};
        (void)snprintf(info.vendor, sizeof info.vendor, "%s", devices[k].vendor);
        (void)snprintf(info.name, sizeof info.name, "%s", devices[k].name);
        assert_int_equal(cls_opencl_has_matrix_core(&info), devices[k].has);
        info.type = CLSOLVE_DEVICE_CPU;
        assert_int_equal(cls_opencl_has_matrix_core(&info), 0);
    }
}

static void a_wrong_unit_is_not_used(void **state) {
    cls_error own_error = {{0}};
    cls_device *own = open_own_device(&own_error);
    const char *wrong = NULL;
    broken = 1;
    assert_ok(own, cls_builtin_self_test(own, CLSOLVE_F32, &wrong));
    broken = 0;
    if (is_emulated(own)) {
        assert_non_null(wrong);
        assert_false(cls_builtin_mma_suits(own, CLSOLVE_F32));
        assert_true(cls_builtin_mma_suits(own, CLSOLVE_F64));
    }
    own->ops->destroy(own);
}

/* ---- the device ---- */

static int open_device(void **state) {
    numbers = test_random_start(31);
    emulated = text_of(MFMA_EMULATED, "");
    flushing = text_of(MFMA_EMULATED, "#define MFMA_FLUSHES\n");
    device = open_own_device(&error);
    return 0;
}

static int close_device(void **state) {
    const int64_t left = device->counters.buffers;
    const int emulates = is_emulated(device);
    device->ops->destroy(device);
    free(emulated);
    free(flushing);
    return left == 0 && (!emulates || compiled > 0) ? 0 : -1;
}

/* Compilers for GPUs would take long to emulate the instructions. */
static int is_for_this_device(void) {
    cls_device *of = test_device("", &error);
    const int is = of->matrix_core || of->info.type == CLSOLVE_DEVICE_CPU;
    if (!is) (void)fprintf(stderr, "skipped: %s has no matrix instructions of AMD's\n", of->info.name);
    of->ops->destroy(of);
    return is;
}

int main(void) {
    static clsolve_type f32 = CLSOLVE_F32, f64 = CLSOLVE_F64;
    const struct CMUnitTest tests[] = {
        {"each form f32", in_forms, NULL, NULL, &f32},
        {"each form f64", in_forms, NULL, NULL, &f64},
        {"far factors f32", far_factors, NULL, NULL, &f32},
        {"far factors f64", far_factors, NULL, NULL, &f64},
        cmocka_unit_test(through_the_provider),
        cmocka_unit_test(empty_products_are_not_taken),
        cmocka_unit_test(subnormal_floats),
        cmocka_unit_test(a_wrong_unit_is_not_used),
        cmocka_unit_test(no_unit_is_wanted),
        cmocka_unit_test(names),
    };
    test_require_device();
    test_require_backend("opencl");
    if (!is_for_this_device()) return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, open_device, close_device);
}
