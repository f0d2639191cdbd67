/*
 * The portable product (cl/gemm_tiled.cl) in every family of its parameters, against plain loops. Elements are small
 * whole numbers, so results are exact; whatever lies around op(A) and op(B) is NaN, and around C it has to stay. Which
 * op and which type a family gets moves with the seed.
 */
#include "blas/blas_support.h"

#include "blas/builtin.h"

enum { LARGEST = 70, ROOM = (LARGEST + 16) * (LARGEST + 2) + 16 };

static cls_error error;
static cls_device *device;
static test_random random_state;
static int reduced;

static const cls_tile families[] = {
    {1, 1, 1, 1, 1, 1, 0, 0, 0},   /* an element an item */
    {8, 6, 4, 4, 3, 4, 0, 0, 0},   /* nothing in local memory, columns that no vector divides */
    {16, 8, 8, 4, 2, 2, 1, 1, 0},  /* both there */
    {16, 8, 8, 4, 2, 2, 1, 1, 1},  /* and the next slice under way */
    {32, 16, 8, 4, 4, 2, 1, 1, 1}, /* more items along rows than along columns */
    {16, 32, 8, 4, 4, 4, 1, 1, 0}, /* fewer */
    {16, 16, 8, 8, 4, 8, 1, 0, 0}, /* A there alone */
    {16, 16, 8, 8, 4, 8, 1, 0, 1}, /* ahead */
    {16, 16, 8, 4, 4, 2, 1, 1, 2}, {16, 16, 8, 4, 4, 4, 0, 1, 2},
    {12, 12, 4, 4, 3, 4, 0, 1, 1}, /* B there alone, no power of two */
    {8, 8, 16, 2, 2, 1, 1, 1, 1},  /* without vectors, as in CUDA */
    {24, 16, 4, 6, 4, 2, 1, 1, 0}, /* no power of two */
    {32, 32, 8, 4, 4, 4, 1, 1, 1}, /* as on a GPU */
    {16, 4, 8, 16, 4, 8, 1, 1, 0}, /* one item a group, as on a CPU */
};
enum { FAMILIES = sizeof families / sizeof families[0], STRIDE = 4 };
_Static_assert(FAMILIES % 2 == 1, "in steps of STRIDE all families come");

/* ---- one product ---- */

typedef struct operand {
    double value[ROOM]; /* as it is on the device, whatever the type */
    int64_t
        count; /* up to its last element: there the buffer ends, and what is read behind it is found by the simulator */
    cls_ref ref;
} operand;

static operand A, B, C;
static double got[ROOM];

/* Room for rows x columns: `outside` everywhere, whole numbers inside. */
static void prepare(operand *x, int64_t rows, int64_t columns, int vector, double outside) {
    const int64_t step = vector ? vector : 1;
    x->ref.offset = step * test_random_between(&random_state, 0, 8 / step);
    x->ref.ld = (rows + step - 1) / step * step + step * test_random_between(&random_state, 0, 8 / step);
    x->count = x->ref.offset + (columns - 1) * x->ref.ld + rows;
    assert_true(x->count <= ROOM);
    for (int64_t i = 0; i < ROOM; i++) x->value[i] = outside;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            x->value[x->ref.offset + i + j * x->ref.ld] = (double)test_random_between(&random_state, -8, 8);
}

static void move(operand *x, clsolve_type type, int up) {
    static union {
        double f64[ROOM];
        float f32[ROOM];
    } memory;
    double *value = up ? x->value : got;
    if (up)
        for (int64_t i = 0; i < ROOM; i++) {
            if (type == CLSOLVE_F64)
                memory.f64[i] = value[i];
            else
                memory.f32[i] = (float)value[i];
        }
    const size_t bytes = (size_t)(x->count * cls_type_size(type));
    if (up) {
        assert_ok(device, device->ops->buffer_create(device, bytes, &x->ref.buffer));
        test_upload(device, x->ref.buffer, &memory, bytes);
    } else {
        test_download(device, x->ref.buffer, &memory, bytes);
    }
    for (int64_t i = 0; i < x->count && !up; i++)
        value[i] = type == CLSOLVE_F64 ? memory.f64[i] : (double)memory.f32[i];
}

static double *element(operand *x, clsolve_op op, int64_t i, int64_t j) {
    return &x->value[x->ref.offset + (op == CLSOLVE_TRANS ? j + i * x->ref.ld : i + j * x->ref.ld)];
}

static int same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* What C should become, into C.value; what is outside stays. */
static void multiply(const cls_product *p) {
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            double sum = 0, *c = element(&C, CLSOLVE_NO_TRANS, i, j);
            for (int64_t l = 0; l < p->k; l++) sum += *element(&A, p->op_a, i, l) * *element(&B, p->op_b, l, j);
            *c = p->alpha * sum + (p->beta == 0 ? 0 : p->beta * *c);
        }
}

static void check(const cls_tile *tile, cls_kernel *kernel, clsolve_type type, int aligned, clsolve_op op_a,
                  clsolve_op op_b, int64_t m, int64_t n, int64_t k) {
    static const double factors[][2] = {{-1, 1}, {1, 0}, {-1, -2}, {0.5, 4}, {2, 0}, {1, 1}};
    static int turn;
    const double *f = factors[turn++ % 6];
    const int v = aligned ? tile->vector : 0;
    const int in_a = op_a == CLSOLVE_TRANS, in_b = op_b == CLSOLVE_TRANS;
    prepare(&A, in_a ? k : m, in_a ? m : k, v, NAN);
    prepare(&B, in_b ? n : k, in_b ? k : n, v, NAN);
    prepare(&C, m, n, v, 77);
    if (f[1] == 0) /* what C held does not count then */
        for (int64_t j = 0; j < n; j++) *element(&C, CLSOLVE_NO_TRANS, j % m, j) = NAN;
    if (turn % 5 == 0) *element(&A, op_a, m / 2, k / 2) = NAN; /* goes into its row, and nowhere else */
    move(&A, type, 1);
    move(&B, type, 1);
    move(&C, type, 1);
    cls_product p = {CLS_BLAS_DEFAULT, type, op_a, op_b, m, n, k, f[0], f[1], A.ref, B.ref, C.ref, 0};
    if (aligned) assert_int_equal(cls_builtin_tiled_aligned(tile, &p), tile->vector > 1);
    assert_ok(device, cls_builtin_tiled_launch(device, kernel, tile, &p));
    move(&C, type, 0);
    multiply(&p);
    for (int64_t i = 0; i < C.count; i++)
        if (!same(C.value[i], got[i])) {
            char words[CLS_TILE_TEXT];
            cls_tile_words(tile, words);
            int64_t at = i - C.ref.offset;
            fail_msg("%s, type %d, ops %d %d, aligned %d, %d x %d x %d, alpha %g beta %g: C(%d,%d) is %g, not %g",
                     words, (int)type, (int)op_a, (int)op_b, aligned, (int)m, (int)n, (int)k, f[0], f[1],
                     (int)(at % C.ref.ld), (int)(at / C.ref.ld), got[i], C.value[i]);
        }
    device->ops->buffer_destroy(device, A.ref.buffer);
    device->ops->buffer_destroy(device, B.ref.buffer);
    device->ops->buffer_destroy(device, C.ref.buffer);
}

/* One below, at and above a tile and a slice, two tiles and a bit, and small ones. */
static void at_all_sizes(const cls_tile *tile, clsolve_type type, int ops, int aligned) {
    const clsolve_op op_a = ops & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                     op_b = ops & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
    const int64_t tm = tile->tile_m, tn = tile->tile_n, s = tile->slice;
    const int64_t ms[] = {1, 2, 3, 5, tm > 1 ? tm - 1 : 7, tm, tm + 1, 2 * tm + 3};
    const int64_t ns[] = {1, 2, 3, 5, tn > 1 ? tn - 1 : 7, tn, tn + 1, 2 * tn + 3};
    const int64_t ks[] = {1, s > 1 ? s - 1 : 2, s, s + 1, 2 * s, 3 * s + 1, 11};
    cls_kernel *kernel = NULL;
    int turn = (int)test_random_between(&random_state, 0, 6);
    assert_true(cls_tile_fits(tile, &device->info, type));
    char text[CLS_TILED_TEXT];
    const cls_builtin_form form = cls_builtin_tiled_form(tile, type, op_a, op_b, aligned && tile->vector > 1, text);
    assert_ok(device, cls_builtin_kernel(device, &kernel, form.kernel, form.kernel, type, form.options));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++, turn++)
            if (!reduced || (i >= 5 && (i + j) % 3 == 0))
                check(tile, kernel, type, aligned, op_a, op_b, ms[i], ns[j], ks[turn % 7]);
    device->ops->kernel_destroy(device, kernel);
}

static int fits(const cls_tile *tile, clsolve_type type) {
    return (type == CLSOLVE_F32 || device->info.fp64) && cls_tile_fits(tile, &device->info, type);
}

/* A CPU's driver compiles for seconds: there it is three families of the seed's choice; under the simulator and on GPUs
 * all. */
TEST(in_families) {
    const int shift = (int)test_random_between(&random_state, 0, 7),
              all = reduced || device->info.type != CLSOLVE_DEVICE_CPU;
    const int first = (int)test_random_between(&random_state, 0, FAMILIES - 1);
    int done = 0;
    for (int f = 0; f < FAMILIES && (all || done < 3); f++) {
        const cls_tile *tile = &families[(first + STRIDE * f) % FAMILIES];
        for (int t = 0; t < (reduced || !all ? 1 : 2); t++) {
            const clsolve_type type = (f + t + shift) % 2 ? CLSOLVE_F64 : CLSOLVE_F32;
            if (fits(tile, type))
                at_all_sizes(tile, type, (f + shift / 2 + t) & 3, (f / 4 + shift / 4 + t) & 1), done++;
        }
    }
    assert_true(done > 0);
}

TEST(each_op) {
    const clsolve_type type = device->info.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    const cls_tile *tile = reduced ? &families[3] : &families[1];
    for (int ops = 0; ops < 4; ops++)
        if (fits(tile, type)) at_all_sizes(tile, type, ops, ops & 1);
}

static int open_device(void **state) {
    random_state = test_random_start(23);
    reduced = test_reduced();
    device = test_blas_device(NULL, &error);
    return 0;
}

static int close_device(void **state) {
    const int64_t left = device->counters.buffers;
    device->ops->destroy(device);
    return left == 0 ? 0 : -1;
}

TEST_PROGRAM(open_device, close_device)
