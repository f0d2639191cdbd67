/*
 * The launches of the operations variant, recorded as they are enqueued, against the dependences that src/schedule
 * derives. The device's own table of operations is replaced by one whose `launch` notes the kernel and its arguments and
 * then launches: what is checked is what ran.
 *
 * A launch stands for operations: gj_multipliers for A(i,j), all j; gj_eliminate for B(i,j,k) and C(i,j,k) of its columns,
 * one after the other in the same work-item; gj_clear for those of k = i; gj_reciprocals for D; gj_normalise for E of the
 * right-hand side. B, C and E on what is known to be zero or one are left out (k < i, and E left of the right-hand side).
 */
#include "api/gauss_jordan.h"
#include "gauss_jordan/gj_support.h"
#include "schedule/schedule.h"

enum { MOST_LAUNCHES = 4096 };

typedef struct record {
    const cls_kernel *kernel;
    int64_t values[16]; /* of the arguments that are 8 bytes long; 0 for others */
} record;

static struct {
    cls_device_ops ops;
    const cls_device_ops *plain;
    record list[MOST_LAUNCHES];
    int count;
} tape;

static clsolve_status recording(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                                const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    record *r = &tape.list[tape.count];
    assert_true(tape.count < MOST_LAUNCHES);
    assert_int_equal(queue, CLS_COMPUTE); /* one queue in order: the order of enqueueing is that of running */
    memset(r, 0, sizeof *r);
    r->kernel = kernel;
    for (int32_t a = 0; a < count && a < 16; ++a)
        if (args[a].kind == CLS_ARG_VALUE && args[a].size == sizeof(int64_t))
            memcpy(&r->values[a], args[a].pointer, sizeof(int64_t));
    tape.count++;
    return tape.plain->launch(device, queue, kernel, grid, args, count, wait, done);
}

/* When an operation ran: 2 * launch, and 1 more for what comes second in a work-item of it. -1: not at all. */
typedef struct timetable {
    schedule s;
    int64_t *time;
} timetable;

static void ran(timetable *t, int64_t launch, char letter, int64_t i, int64_t j, int64_t k) {
    for (int64_t o = 0; o < t->s.operations; ++o) {
        const schedule_operation *x = &t->s.operation[o];
        const int64_t index[3] = {i, j, k};
        int same = x->letter == letter;
        for (int32_t a = 0; a < x->indices; ++a) same = same && x->index[a] == index[a];
        if (!same) continue;
        assert_int_equal(t->time[o], -1); /* each once */
        t->time[o] = 2 * launch + (letter == 'C');
        return;
    }
    fail_msg("no operation %c(%d,%d,%d)", letter, (int)i, (int)j, (int)k);
}

/* Column of (A|B), from 1, of the first that a launch writes: its offset in A's buffer or in B's, each one slab here. */
static int64_t first_column(const record *r, int64_t n, int in_A) {
    int64_t column = r->values[1] / r->values[2] + 1;
    return in_A ? column : n + column;
}

static void expand(timetable *t, const cls_gj *gj, int64_t n) {
    int64_t eliminations = 0, pivot = 0;
    for (int64_t l = 0; l < tape.count; ++l) {
        const record *r = &tape.list[l];
        const cls_gj_kernels *k = &gj->kernels;
        if (r->kernel == k->multipliers) {
            pivot = r->values[3] + 1;
            eliminations = 0;
            for (int64_t j = 1; j <= n; ++j)
                if (j != pivot) ran(t, l, 'A', pivot, j, 0);
        } else if (r->kernel == k->eliminate) {
            /* Of one pivot the first launch is A's columns, where any are left, and the last is B's. */
            int in_A = eliminations++ == 0 && n > pivot;
            int64_t first = first_column(r, n, in_A), i = r->values[5] + 1;
            assert_int_equal(i, pivot);
            for (int64_t c = first; c < first + r->values[3]; ++c)
                for (int64_t j = 1; j <= n; ++j)
                    if (j != i) ran(t, l, 'B', i, j, c), ran(t, l, 'C', i, j, c);
        } else if (r->kernel == k->clear) {
            int64_t i = r->values[3] + 1;
            for (int64_t j = 1; j <= n; ++j)
                if (j != i) ran(t, l, 'B', i, j, i), ran(t, l, 'C', i, j, i);
        } else if (r->kernel == k->reciprocals) {
            for (int64_t i = r->values[3] + 1; i <= r->values[3] + r->values[4]; ++i) ran(t, l, 'D', i, 0, 0);
        } else if (r->kernel == k->normalise) {
            for (int64_t i = 1; i <= n; ++i) ran(t, l, 'E', i, n + 1, 0);
        }
    }
}

/* What must have run, and every dependent pair in the order of the algorithm. */
static void check(const timetable *t, int64_t n) {
    char a[48], b[48];
    for (int64_t o = 0; o < t->s.operations; ++o) {
        const schedule_operation *x = &t->s.operation[o];
        int needed = x->letter == 'A' || x->letter == 'D' || (x->letter == 'E' && x->index[1] == n + 1) ||
                     ((x->letter == 'B' || x->letter == 'C') && x->index[2] >= x->index[0]);
        if (needed != (t->time[o] >= 0)) fail_msg("n %d: %s ran: %d", (int)n, schedule_name(x, a), !needed);
    }
    for (int64_t p = 0; p < t->s.operations; ++p)
        for (int64_t q = p + 1; q < t->s.operations; ++q) {
            if (t->time[p] < 0 || t->time[q] < 0) continue;
            if (!schedule_dependent(&t->s.operation[p], &t->s.operation[q])) continue;
            if (t->time[p] >= t->time[q])
                fail_msg("n %d: %s must come before %s", (int)n, schedule_name(&t->s.operation[p], a),
                         schedule_name(&t->s.operation[q], b));
        }
}

TEST(test_launches) {
    test_random random = test_random_start(300);
    for (int64_t n = 1; n <= 8; ++n) {
        OWNED(context) *context = test_context(1);
        clsolve_gauss_jordan_options options = {.variant = CLSOLVE_GAUSS_JORDAN_OPERATIONS};
        OWNED(gauss_jordan) *gj = gj_make(context, n, CLSOLVE_F32, &options);
        float A[64], B[8];
        clsolve_matrix a = clsolve_matrix_f32(n, n, A), b = clsolve_matrix_f32(n, 1, B);
        timetable t = {{0}, NULL};
        for (int64_t k = 0; k < n * n; ++k) A[k] = (float)test_random_signed(&random);
        for (int64_t k = 0; k < n; ++k) B[k] = 1;

        tape.plain = context->device->ops;
        tape.ops = *tape.plain;
        tape.ops.launch = recording;
        tape.count = 0;
        context->device->ops = &tape.ops;
        assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a, &b), CLSOLVE_OK);
        context->device->ops = tape.plain;

        assert_true(schedule_gauss_jordan(n, &t.s));
        t.time = malloc((size_t)t.s.operations * sizeof *t.time);
        assert_non_null(t.time);
        for (int64_t o = 0; o < t.s.operations; ++o) t.time[o] = -1;
        expand(&t, &gj->gj, n);
        check(&t, n);
        schedule_free(&t.s);
        free(t.time);
    }
}

/* B and C for k = i without rounding: each column of A keeps its pivot and is exactly zero elsewhere. */
TEST(test_cleared) {
    enum { ORDER = 37 };
    test_random random = test_random_start(301);
    OWNED(context) *context = test_context(1);
    clsolve_gauss_jordan_options options = {.variant = CLSOLVE_GAUSS_JORDAN_OPERATIONS};
    OWNED(gauss_jordan) *gj = gj_make(context, ORDER, CLSOLVE_F32, &options);
    cls_gj *inner = &gj->gj;
    float A[ORDER * ORDER], B[ORDER];
    clsolve_matrix a = clsolve_matrix_f32(ORDER, ORDER, A), b = clsolve_matrix_f32(ORDER, 1, B);
    for (int k = 0; k < ORDER * ORDER; ++k) A[k] = (float)test_random_signed(&random);
    for (int k = 0; k < ORDER; ++k) B[k] = 1;
    assert_int_equal(clsolve_gauss_jordan_solve(gj, CLSOLVE_NO_TRANS, &a, &b), CLSOLVE_OK);
    assert_int_equal(cls_download(inner->device, &inner->transfer, &inner->A, ORDER, &a, 0, NULL), CLSOLVE_OK);
    for (int j = 0; j < ORDER; ++j) {
        int left = 0;
        for (int i = 0; i < ORDER; ++i) left += A[i + j * ORDER] != 0;
        assert_int_equal(left, 1);
    }
}

TEST_PROGRAM(NULL, NULL)
