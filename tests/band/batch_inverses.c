/*
 * batch_inverses.c: inverses and few right-hand sides in the caller's own OpenCL buffers, which no copy is made of: in every
 * type and layout, in place and apart; and what is copied because its memory is shared or kept from kernels.
 */
#include "api/context.h"
#include "band/interop_members.h"

/* Copies on the device are counted by a table of operations in the place of the device's own. */
static const cls_device_ops *own_ops;
static cls_device_ops counting_ops;
static int copies;

static clsolve_status count_copy(cls_device *device, cls_queue queue, cls_buffer *from, cls_buffer *to,
                                 const cls_span *span) {
    copies++;
    return own_ops->copy_rect(device, queue, from, to, span);
}

static void count_copies(void) {
    own_ops = io.context->device->ops;
    counting_ops = *own_ops;
    counting_ops.copy_rect = count_copy;
    io.context->device->ops = &counting_ops;
    copies = 0;
}

static int copies_counted(void) {
    io.context->device->ops = own_ops;
    return copies;
}

/* `tight` has inverses: of A, or of its transposes where one of both lies by rows. A member with an info is as in `before`. */
static void check_inverses(int turned, const double *A, const double *tight, const double *before, int64_t count,
                           const int64_t *info) {
    const int64_t size = N * N * parts();
    double *identity = zeros(N * N);
    for (int k = 0; k < N; k++) identity[k * (N + 1) * parts()] = 1;
    for (int64_t c = 0; c < count; c++) {
        if (info[c] != 0) {
            for (int64_t k = 0; k < size; k++) assert_true(tight[c * size + k] == before[c * size + k]);
            continue;
        }
        const clsolve_op op = turned ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
        const double ratio = ratio_solve(io.type, op, N, N, A + c * size, tight + c * size, identity);
        if (!(ratio < RATIO_BOUND)) fail_msg("member %d: ratio %g", (int)c, ratio);
    }
    free(identity);
}

/* The handle's device memory is that of the infos, and of copies where there are any. */
static int invert(int64_t count, const clsolve_batch *A, clsolve_batch *X, int64_t *info) {
    OWNED(gauss_jordan_batch) *batch = NULL;
    clsolve_report report;
    EXPECT(clsolve_gauss_jordan_batch_create(io.context, N, count, io.type, NULL, &batch), CLSOLVE_OK);
    count_copies();
    const clsolve_status status = clsolve_gauss_jordan_batch_invert(batch, A, X, info);
    const int counted = copies_counted();
    EXPECT(status, CLSOLVE_OK);
    EXPECT(clsolve_gauss_jordan_batch_report(batch, &report), CLSOLVE_OK);
    assert_int_equal(report.bytes_up, 0);
    assert_true(report.bytes_down <= count * 16);
    const int64_t infos = count * (int64_t)sizeof(int32_t), members = count * N * N * cls_type_size(io.type);
    assert_int_equal(report.device_bytes, infos + (counted > 0 ? members : 0));
    return counted;
}

static void inverses_apart(int how_a, int how_x, clsolve_layout la, clsolve_layout lx) {
    members a = put(how_a, N, N, matrices()), x = put(how_x, N, N, io_values(4, COUNT * N * N));
    SCRATCH double *X = zeros(COUNT * N * N), *A = zeros(COUNT * N * N);
    int64_t info[COUNT];
    a.view.layout = la;
    x.view.layout = lx;
    const int counted = invert(COUNT, &a.view, &x.view, info);
    assert_int_equal(counted > 0, how_a == OFFSETS || how_x == OFFSETS);
    for (int c = 0; c < COUNT; c++) assert_int_equal(info[c] > 0, c == SINGULAR);
    get(&a, A);
    io_same(A, a.tight, COUNT * N * N); /* as it was */
    get(&x, X);
    check_inverses(la != lx, a.tight, X, x.tight, COUNT, info);
    drop(&a);
    drop(&x);
}

static void inverses_in_place(int how, clsolve_layout la, clsolve_layout lx) {
    members a = put(how, N, N, matrices());
    SCRATCH double *X = zeros(COUNT * N * N);
    int64_t info[COUNT];
    clsolve_batch x = a.view;
    a.view.layout = la;
    x.layout = lx;
    assert_int_equal(invert(COUNT, &a.view, &x, info) > 0, how == OFFSETS);
    get(&a, X);
    check_inverses(la != lx, a.tight, X, a.tight, COUNT, info);
    drop(&a);
}

/* In every type of the device. */
static void in_each_type(void (*test)(void)) {
    const clsolve_type widest = io.type;
    for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; type++) {
        io.type = (clsolve_type)type;
        if (widest == CLSOLVE_F64 || !cls_is_double(io.type)) test();
    }
    io.type = widest;
}

static void inverses(void) {
    for (int how = 0; how < HOWS; how++)
        for (int la = CLSOLVE_COLUMN_MAJOR; la <= CLSOLVE_ROW_MAJOR; la++)
            for (int lx = CLSOLVE_COLUMN_MAJOR; lx <= CLSOLVE_ROW_MAJOR; lx++) {
                inverses_apart(how, (how + la + 2 * lx) % HOWS, (clsolve_layout)la, (clsolve_layout)lx);
                inverses_in_place(how, (clsolve_layout)la, (clsolve_layout)lx);
            }
}

TEST(test_inverses) {
    in_each_type(inverses);
}

static cl_mem part_of(cl_mem memory, size_t begin, size_t bytes) {
    const cl_buffer_region region = {begin, bytes};
    cl_int code;
    cl_mem part = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_int_equal(code, CL_SUCCESS);
    return part;
}

static cl_mem buffer_of(cl_mem_flags flags, size_t bytes, void *values) {
    cl_int code;
    cl_mem memory = clCreateBuffer(io.cl, flags, bytes, values, &code);
    assert_int_equal(code, CL_SUCCESS);
    return memory;
}

/* Some inverses of the tight members in `A`, real ones, into X, both tight: right, and with so many copies. */
static void invert_some(int64_t count, const clsolve_batch *A, clsolve_batch *X, const double *tight, int wanted) {
    const size_t size = (size_t)cls_type_size(io.type), bytes = (size_t)(count * N * N) * size;
    SCRATCH double *found = zeros(count * N * N), *before = zeros(count * N * N);
    SCRATCH char *raw = malloc(bytes);
    int64_t info[COUNT];
    assert_non_null(raw);
    assert_int_equal(invert(count, A, X, info), wanted);
    for (int64_t c = 0; c < count; c++) assert_int_equal(info[c], 0);
    cl_mem plain = buffer_of(CL_MEM_READ_WRITE, bytes, NULL); /* the host may not see each of ours */
    const size_t from = (size_t)X->offset * size;
    assert_int_equal(clEnqueueCopyBuffer(io.queue, X->data, plain, from, 0, bytes, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(io.queue, plain, CL_TRUE, 0, bytes, raw, 0, NULL, NULL), CL_SUCCESS);
    (void)clReleaseMemObject(plain);
    for (int64_t k = 0; k < count * N * N; k++)
        found[k] = size == sizeof(float) ? (double)((float *)(void *)raw)[k] : ((double *)(void *)raw)[k];
    check_inverses(0, tight, found, before, count, info);
}

/* Memory that A and X share, but not member for member; parts of one buffer; buffers that a kernel may not use. */
TEST(test_shared_memory) {
    enum { SOUND = SINGULAR, ALL = COUNT * N * N, PART = 256 };
    const size_t size = (size_t)cls_type_size(io.type), bytes = SOUND * N * N * size, all = 4 * PART + 2 * bytes;
    SCRATCH double *tight = matrices(), *same = zeros(SOUND * N * N);
    for (int c = 0; c < SOUND; c++) memcpy(same + c * N * N, tight + N * N, N * N * sizeof *same);
    for (int which = 0; which < 7; which++) {
        members a = put(TIGHT, N, N, matrices());
        SCRATCH char *raw = calloc(1, all);
        assert_non_null(raw);
        assert_int_equal(
            clEnqueueReadBuffer(io.queue, a.memory.memory, CL_TRUE, IO_OFFSET * size, bytes, raw, 0, NULL, NULL),
            CL_SUCCESS);
        clsolve_batch A = a.view, X = a.view;
        A.count = X.count = SOUND;
        cl_mem whole = buffer_of(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all, raw), other = NULL, third = NULL;
        if (which == 0) { /* each inverse behind its matrix */
            X.offset += N * N;
            invert_some(SOUND, &A, &X, tight, 1);
        } else if (which == 1) { /* one matrix, in the place of a result */
            A.stride = 0;
            A.offset += N * N;
            invert_some(SOUND, &A, &X, same, SOUND);
        } else if (which < 4) { /* parts that overlap, or do not */
            A.data = other = part_of(whole, 0, bytes);
            X.data = third = part_of(whole, which == 2 ? PART : (bytes / PART + 1) * PART, bytes);
            A.offset = X.offset = 0;
            invert_some(SOUND, &A, &X, tight, which == 2);
        } else {
            const cl_mem_flags flags = which == 4   ? CL_MEM_READ_ONLY
                                       : which == 5 ? CL_MEM_WRITE_ONLY
                                                    : CL_MEM_READ_ONLY;
            other = buffer_of(flags | CL_MEM_COPY_HOST_PTR, all, raw);
            A.data = which == 6 ? whole : other;
            X.data = which == 6 ? other : whole;
            A.offset = X.offset = 0;
            invert_some(SOUND, &A, &X, tight, which > 4);
        }
        (void)clReleaseMemObject(whole);
        if (other) (void)clReleaseMemObject(other);
        if (third) (void)clReleaseMemObject(third);
        drop(&a);
    }
}

/* Up to 16 right-hand sides are written where they lie. Of more, a member whose last one holds Inf keeps all. */
static void systems(void) {
    enum { FEW = 16, MANY = 17 };
    for (int sides = FEW; sides <= MANY; sides++)
        for (int how = TIGHT; how <= STRIDE; how++) {
            double *B = io_values(5, COUNT * N * sides), *X = zeros(COUNT * N * sides);
            clsolve_gauss_jordan_batch *batch = NULL;
            int64_t info[COUNT];
            B[((NONFINITE + 1) * N * sides - 1) * parts()] = (double)INFINITY;
            members a = put(how, N, N, matrices()), b = put(how, N, sides, B);
            EXPECT(clsolve_gauss_jordan_batch_create(io.context, N, COUNT, io.type, NULL, &batch), CLSOLVE_OK);
            count_copies();
            const clsolve_status status =
                clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_CONJ_TRANS, &a.view, &b.view, info);
            assert_int_equal(copies_counted() > 0, sides > FEW);
            EXPECT(status, CLSOLVE_OK);
            get(&b, X);
            for (int c = 0; c < COUNT; c++) {
                const int64_t at = c * N * sides * parts();
                assert_int_equal(info[c] == 0, c != SINGULAR && c != NONFINITE);
                for (int64_t k = 0; info[c] != 0 && k < N * sides * parts(); k++) assert_true(X[at + k] == B[at + k]);
                if (info[c] == 0)
                    assert_true(ratio_solve(io.type, CLSOLVE_CONJ_TRANS, N, sides, a.tight + c * N * N * parts(),
                                            X + at, B + at) < RATIO_BOUND);
            }
            clsolve_gauss_jordan_batch_destroy(batch);
            drop(&a);
            drop(&b);
            free(X);
        }
}

TEST(test_systems) {
    in_each_type(systems);
}
