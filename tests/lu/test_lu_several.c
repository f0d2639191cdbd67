/*
 * LU over several devices, below the public calls: from one to four contexts on the device under test, and one on the
 * host beside them. LAPACK's ratios at awkward sizes, of all types and both layouts; who has taken part; uneven shares.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "device/peer.h"
#include "lu/ratios.h"
#include "method/several/several.h"

enum { MOST = 4, WIDTH = 8 };

static clsolve_context *contexts[MOST + 1]; /* the last is on the host */
static cls_device *devices[MOST + 1];
static test_random numbers;

/* Two GPUs by turns, where the device under test is CUDA's and has another beside it. */
static const char *selector_of(int d) {
    const char *selector = test_selector();
    clsolve_device_info list[8];
    int64_t count = 0;
    if (d == MOST) return "host";
    if (d % 2 == 0 || !selector || strcmp(selector, "cuda:0") != 0) return selector;
    assert_int_equal(clsolve_devices(list, 8, &count), CLSOLVE_OK);
    for (int64_t k = 0; k < count && k < 8; ++k)
        if (strcmp(list[k].selector, "cuda:1") == 0) return "cuda:1";
    return selector;
}

static int open_all(void **state) {
    for (int d = 0; d <= MOST; ++d) {
        const clsolve_context_options options = {.selector = selector_of(d)};
        assert_int_equal(clsolve_context_create_with(&options, &contexts[d]), CLSOLVE_OK);
        devices[d] = contexts[d]->device;
        test_spare_simulator(devices[d]);
    }
    numbers = test_random_start(2301);
    return 0;
}

static int close_all(void **state) {
    for (int d = 0; d <= MOST; ++d) clsolve_context_destroy(contexts[d]);
    return 0;
}

static cls_device *device_of(clsolve_context *context, int d) {
    return cls_context_of(context, d)->device;
}

static void expect_ok(const cls_several *several, clsolve_status status) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", clsolve_status_name(status), several->error->text);
}

/* ---- one system ---- */

typedef struct system {
    cls_device *const *devices;
    cls_several_shape shape;
    clsolve_layout layout;
    int64_t sides;
    cls_several several;
    double *A, *B;
    test_matrix a;
} several_system;

static void begin(several_system *s) {
    const int64_t n = s->shape.n;
    static clsolve_lu_options options;

    options = test_lu_options();
    s->shape.options = &options;
    s->A = test_elements(s->shape.type, n * n);
    s->B = test_elements(s->shape.type, n * s->sides);
    test_random_fill(&numbers, s->A, test_numbers(s->shape.type, n * n));
    test_random_fill(&numbers, s->B, test_numbers(s->shape.type, n * s->sides));
    s->a = test_matrix_make(s->shape.type, s->layout, n, n, 3);
    test_matrix_set(&s->a, s->A);
    test_matrix_get(&s->a, s->A);
    memset(&s->several, 0, sizeof s->several);
    expect_ok(&s->several, cls_several_setup(s->devices, &s->shape, &s->several));
    expect_ok(&s->several, cls_several_home_setup(&s->several));
}

static void end(several_system *s) {
    cls_several_release(&s->several);
    test_matrix_free(&s->a);
    free(s->A);
    free(s->B);
}

static void factor(several_system *s) {
    int64_t info;
    int again = 1;
    cls_measures measures;

    for (int round = 0; round < 2 && again; ++round) {
        expect_ok(&s->several, cls_several_upload(&s->several, &s->a.view, &measures));
        assert_int_equal(measures.row, -1);
        expect_ok(&s->several, cls_several_factor(&s->several, &info, &again));
    }
    assert_int_equal(again, 0);
    assert_int_equal(info, 0);
}

static void check_solve(several_system *s, clsolve_op op) {
    const clsolve_type type = s->shape.type;
    const int64_t n = s->shape.n;
    scratch_matrix b = test_matrix_make(type, s->layout, n, s->sides, 2);
    SCRATCH double *B = test_elements(type, n * s->sides), *X = test_elements(type, n * s->sides);
    cls_place in, out;

    test_matrix_set(&b, s->B);
    test_matrix_get(&b, B);
    expect_ok(&s->several, cls_several_solve(&s->several, op, &b.view, &in, &out));
    test_matrix_spare_intact(&b);
    test_matrix_get(&b, X);
    const double ratio = ratio_solve(type, op, n, s->sides, s->A, X, B);
    if (!(ratio < RATIO_BOUND))
        fail_msg("n = %lld, %d devices, width %lld, op %d, type %d: ratio %g", (long long)n, s->several.count,
                 (long long)s->several.width, (int)op, (int)type, ratio);
}

static void check_factors(several_system *s) {
    const clsolve_type type = s->shape.type;
    const int64_t n = s->shape.n;
    scratch_matrix lu = test_matrix_make(type, s->layout, n, n, 1);
    double *LU = test_elements(type, n * n), det = 0;
    SCRATCH int64_t *ipiv = calloc((size_t)n + 1, sizeof *ipiv);
    cls_growth growth;

    expect_ok(&s->several, cls_several_export(&s->several, &lu.view, ipiv));
    test_matrix_spare_intact(&lu);
    test_matrix_get(&lu, LU);
    const double ratio = ratio_factors(type, n, s->A, LU, ipiv);
    if (!(ratio < RATIO_BOUND))
        fail_msg("n = %lld, %d devices, width %lld: ratio of factors %g", (long long)n, s->several.count,
                 (long long)s->several.width, ratio);
    expect_ok(&s->several, cls_several_growth(&s->several, &growth));
    for (int64_t k = 0; k < n; ++k)
        det +=
            cls_is_complex(type) ? log(hypot(LU[2 * (k + k * n)], LU[2 * (k + k * n) + 1])) : log(fabs(LU[k + k * n]));
    assert_true(growth.row < 0 && growth.known);
    assert_true(fabs(growth.log_abs_det - det) <= 1e-4 * (double)(n + 1));
    free(LU);
}

/* As many devices as have a block column, where shares are even. */
static void check_parts(const several_system *s) {
    int64_t cols = 0;
    int took_part = 0;
    for (int p = 0; p < s->several.count; ++p) {
        cols += s->several.parts[p].cols;
        took_part += s->several.parts[p].cols > 0;
    }
    assert_int_equal(cols, s->shape.n);
    if (!s->shape.shares && !s->shape.group)
        assert_int_equal(took_part, s->several.blocks < s->several.count ? s->several.blocks : s->several.count);
}

static void check_ops(several_system *s) {
    check_solve(s, CLSOLVE_NO_TRANS);
    check_solve(s, CLSOLVE_TRANS);
    if (cls_is_complex(s->shape.type)) check_solve(s, CLSOLVE_CONJ_TRANS);
}

/* One device has all factors; B goes round; the factors pass by. Then the first once more, for other values. */
static void check_ways(several_system *s) {
    const int64_t home = s->several.home.sides, chained = s->several.chained;

    if (home > 0) check_ops(s);
    assert_int_equal(s->several.home.state, home > 0 ? CLS_HOME_IS_WHOLE : CLS_HOME_HAS_PANELS);
    s->several.home.sides = 0;
    check_ops(s);
    s->several.chained = 0;
    check_ops(s);
    s->several.chained = chained;
    s->several.home.sides = home;
    if (home == 0) return;
    test_random_fill(&numbers, s->A, test_numbers(s->shape.type, s->shape.n * s->shape.n));
    test_matrix_set(&s->a, s->A);
    test_matrix_get(&s->a, s->A);
    factor(s);
    assert_int_equal(s->several.home.state, CLS_HOME_HAS_PANELS);
    check_ops(s);
}

static void check_system(several_system *s) {
    begin(s);
    check_parts(s);
    factor(s);
    check_ways(s);
    check_factors(s);
    end(s);
}

/* ---- the tests ---- */

TEST(test_sizes) {
    static const int64_t sizes[] = {1, 2, 3, 5, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 1, 61, 97};
    for (int count = 1; count <= MOST; ++count)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            if (test_reduced() && (i / 2 + (size_t)count) % 2) continue; /* half of the sizes, by turns */
            several_system s = {
                .devices = devices,
                .shape = {.n = sizes[i], .type = i % 2 ? CLSOLVE_F64 : CLSOLVE_F32, .count = count, .width = WIDTH},
                .layout = (i + (size_t)count) % 2 ? CLSOLVE_COLUMN_MAJOR : CLSOLVE_ROW_MAJOR,
                .sides = 1 + (int64_t)i % 7};
            check_system(&s);
        }
}

TEST(test_types) {
    for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type) {
        if (!test_has_type(contexts[0], (clsolve_type)type)) continue;
        if (test_reduced() && type != CLSOLVE_C64) continue; /* the real ones are in the other functions */
        for (int layout = test_reduced() ? type % 2 : 0; layout < 2; layout += test_reduced() ? 2 : 1) {
            several_system s = {.devices = devices,
                                .shape = {.n = 149, .type = (clsolve_type)type, .count = 3, .width = 32},
                                .layout = layout ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                                .sides = 5};
            check_system(&s);
        }
    }
}

/* Two block columns of a device one behind the other, and the host among the devices. */
TEST(test_groups) {
    for (int count = 2; count <= 3; ++count) {
        several_system s = {.devices = devices + MOST + 1 - count,
                            .shape = {.n = 207, .type = CLSOLVE_F32, .count = count, .width = 16, .group = 2},
                            .layout = CLSOLVE_ROW_MAJOR,
                            .sides = 3};
        check_system(&s);
    }
}

/* The host and a device together, with shares as their speeds may be. */
TEST(test_uneven) {
    static const double shares[][3] = {{1, 3, 1}, {5, 1, 2}, {0, 1, 1}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) {
        several_system s = {.devices = devices + MOST - 2,
                            .shape = {.n = 203, .type = CLSOLVE_F64, .count = 3, .width = 16, .shares = shares[i]},
                            .layout = CLSOLVE_COLUMN_MAJOR,
                            .sides = 4};
        check_system(&s);
    }
}

/* Panels beside products, on devices whose products are in the queues that they are given. */
TEST(test_beside) {
    if (devices[0]->blas->in_place) return;
    for (int count = 1; count <= MOST; ++count) {
        if (test_reduced() && count != 2) continue;
        several_system s = {.devices = devices,
                            .shape = {.n = 301, .type = CLSOLVE_F64, .count = count, .width = 32, .always_beside = 1},
                            .layout = CLSOLVE_COLUMN_MAJOR,
                            .sides = 9};
        check_system(&s);
        s.shape.group = 2;
        check_system(&s);
        s.shape.n = 650;
        s.shape.width = 256; /* two strips */
        if (count == 2) check_system(&s);
    }
}

/* PoCL 3.1 crashes when threads compile for several devices of one context: so each compiles alone before. */
static void compile_alone(cls_device *const *joined, int count, clsolve_type type) {
    for (int d = 0; d < count; ++d) {
        several_system s = {.devices = joined + d,
                            .shape = {.n = 203, .type = type, .count = 1, .width = 16},
                            .layout = CLSOLVE_COLUMN_MAJOR,
                            .sides = 9};
        check_system(&s);
    }
}

/* Who fetches by way of the host's memory does it when the solves so far have taken as long; a solve is done otherwise
 * where the home has failed. */
static void check_rule(several_system *s) {
    cls_several *several = &s->several;

    begin(s);
    factor(s);
    const int apart = cls_device_joins(s->devices[0], s->devices[1]) == CLS_APART;
    assert_int_equal(several->home.sides, apart ? 0 : several->chained);
    if (several->home.sides > 0) {
        const int64_t n = several->n;
        assert_true(cls_several_home_bytes(several) >= n * n * cls_type_size(several->type));
        assert_true(cls_several_home_pays(several, several->chained));
        assert_false(cls_several_home_pays(several, several->chained + 1));
        several->home.state = CLS_HOME_IS_SPOILT;
        assert_false(cls_several_home_pays(several, 1));
        check_ops(s);
        assert_int_equal(several->home.chains, 2);
        factor(s);
        assert_int_equal(several->home.chains, 0);
        several->n = 10000000; /* as if U were so large */
        several->width = several->n / several->blocks + 1;
        assert_int_equal(cls_several_home_pays(several, 1), several->is_direct);
        several->home.chains = 1000000000;
        assert_true(cls_several_home_pays(several, 1));
        several->n = n;
        several->width = s->shape.width;
    }
    end(s);
}

/* Few right-hand sides in two launches of groups that wait for each other, where a test finds that they run together;
 * then without, because a launch has come late. Panels have no such groups, as before. */
static void check_sweep(several_system *s) {
    cls_several *several = &s->several;
    cls_device *device = s->devices[0];
    const int together = device->groups_together;
    const int32_t late = 1;
    const cls_rect word = {sizeof late, 1, 0, sizeof late, sizeof late};

    begin(s);
    factor(s);
    if (several->home.sides > 0) {
        if (together == 0) device->groups_together = 2;
        cls_several_home_release(several);
        expect_ok(several, cls_several_home_setup(several));
        factor(s);
        check_ops(s);
        if (several->home.lu.sweep.groups > 0) {
            assert_int_equal(
                device->ops->write(device, CLS_COMPUTE, several->home.lu.sweep.late, &late, &word, NULL, NULL),
                CLSOLVE_OK);
            check_ops(s);
            assert_int_equal(several->home.lu.sweep.groups, 0);
        }
        device->groups_together = together;
    }
    end(s);
}

/* A handle whose matrix is multiplied by a power of two before it is factored, and whose memory is told. */
static void check_handle(clsolve_context *context, int64_t count) {
    enum { N = 131 };
    clsolve_lu_options options = test_lu_options();
    SCRATCH double *A = test_elements(CLSOLVE_F64, N * N);
    double x[N];
    clsolve_matrix a = clsolve_matrix_f64(N, N, A), X = clsolve_matrix_f64(N, 1, x);
    clsolve_report report;
    OWNED(lu) *lu = NULL;

    options.where = CLSOLVE_WHERE_DEVICE;
    options.block = 16;
    test_random_fill(&numbers, A, N * N);
    for (int64_t k = 0; k < N * N; ++k) A[k] *= 0x1p-1010;
    test_works(context, clsolve_lu_create(context, N, CLSOLVE_F64, &options, &lu));
    test_works(context, clsolve_lu_factor(lu, &a));
    for (int transposed = 0; transposed < 2; ++transposed) {
        for (int64_t i = 0; i < N; ++i) x[i] = A[transposed ? i * N : i];
        test_works(context, clsolve_lu_solve(lu, transposed ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, &X));
        for (int64_t i = 0; i < N; ++i) assert_true(fabs(x[i] - (i == 0)) < 1e-6);
    }
    x[0] = (double)NAN;
    assert_int_equal(clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &X), CLSOLVE_ERROR_NONFINITE);
    test_works(context, clsolve_lu_report(lu, &report));
    assert_int_equal(report.direct.devices, count);
    if (cls_device_joins(device_of(context, 0), device_of(context, 1)) != CLS_APART)
        assert_true(report.device_bytes > 2 * N * N * (int64_t)sizeof(double)); /* dealt out, and whole */
}

/* Devices of one context: in a GPU's shape they fetch from each other, by OpenCL through a ring of the host. */
TEST(test_joined) {
    const char *selectors[MOST];
    const int count = (int)test_platform_selectors(selectors, MOST);
    cls_device *joined[MOST];
    OWNED(context) *context = NULL;
    if (count < 2) return;
    assert_int_equal(clsolve_context_create_many(NULL, count, selectors, &context), CLSOLVE_OK);
    for (int d = 0; d < count; ++d) joined[d] = device_of(context, d);
    if (strcmp(joined[0]->info.backend, "opencl") == 0) {
        const cls_joint wanted = cls_in_place(joined[0]) ? CLS_APART : CLS_BY_HOST;
        for (int d = 1; d < count; ++d) assert_int_equal(cls_device_joins(joined[d - 1], joined[d]), wanted);
        assert_int_equal(cls_device_joins(joined[0], devices[0]), CLS_APART);
    }
    for (int type = CLSOLVE_F32; type <= CLSOLVE_F64; ++type) {
        several_system s = {.devices = joined,
                            .shape = {.n = 203, .type = (clsolve_type)type, .count = count, .width = 16},
                            .layout = CLSOLVE_COLUMN_MAJOR,
                            .sides = 9};
        if (!test_has_type(context, (clsolve_type)type)) continue;
        compile_alone(joined, count, (clsolve_type)type);
        check_system(&s);
        s.shape.group = 3;
        s.sides = 3; /* so few that a device may solve for them in two launches */
        check_system(&s);
        check_rule(&s);
        check_sweep(&s);
    }
    if (test_has_type(context, CLSOLVE_F64)) check_handle(context, count);
}

TEST(test_default_width) {
    several_system s = {.devices = devices,
                        .shape = {.n = 700, .type = CLSOLVE_F64, .count = 2},
                        .layout = CLSOLVE_COLUMN_MAJOR,
                        .sides = 3};
    check_system(&s);
}

TEST(test_nothing) {
    several_system s = {.devices = devices, .shape = {.n = 0, .type = CLSOLVE_F64, .count = 2}, .sides = 1};
    cls_growth growth;
    begin(&s);
    factor(&s);
    expect_ok(&s.several, cls_several_growth(&s.several, &growth));
    assert_int_equal(growth.sign, 1);
    end(&s);
}

/* The zero pivot's column, and where a NaN is, over all devices. */
TEST(test_outcomes) {
    const int64_t n = 75;
    cls_measures measures;
    int64_t info;
    int again;
    several_system s = {.devices = devices,
                        .shape = {.n = n, .type = CLSOLVE_F64, .count = 3, .width = 16},
                        .layout = CLSOLVE_COLUMN_MAJOR,
                        .sides = 1};
    begin(&s);
    for (int64_t i = 0; i < n; ++i) s.A[i + 40 * n] = 0;
    test_matrix_set(&s.a, s.A);
    expect_ok(&s.several, cls_several_upload(&s.several, &s.a.view, &measures));
    expect_ok(&s.several, cls_several_factor(&s.several, &info, &again));
    assert_int_equal(info, 41);
    s.A[7 + 50 * n] = (double)NAN;
    s.A[3 + 66 * n] = (double)INFINITY;
    test_matrix_set(&s.a, s.A);
    expect_ok(&s.several, cls_several_upload(&s.several, &s.a.view, &measures));
    assert_int_equal(measures.row, 7);
    assert_int_equal(measures.column, 50);
    end(&s);
}

TEST_PROGRAM(open_all, close_all)
