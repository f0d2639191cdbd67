#include "method/symmetric_check.h"

#include <stdio.h>

#include "base/memory.h"
#include "device/ref.h"
#include "device/use.h"
#include "method/transfer.h"

enum { GROUPS_A_UNIT = 8 }; /* so many run together on a compute unit of a GPU; each goes on with further tiles */

/* The largest tile whose work-group and local memory the device has. */
static void choose_tile(const cls_device *device, clsolve_type type, cls_symmetric_checker *checker) {
    static const int64_t tiles[][2] = {{32, 8}, {16, 4}, {8, 2}, {4, 1}};
    enum { LAST = sizeof tiles / sizeof *tiles - 1 };
    int t = 0;

    while (t < LAST && (tiles[t][0] * tiles[t][1] > device->info.max_work_group ||
                        (tiles[t][0] * (tiles[t][0] + 1) + 1) * cls_type_size(type) > device->info.local_memory))
        ++t;
    checker->tile = tiles[t][0];
    checker->lines = tiles[t][1];
}

static clsolve_status create(cls_device *device, clsolve_type type, cls_symmetric_checker *checker) {
    const cls_device_ops *ops = device->ops;
    cls_program *program;
    char options[128];

    choose_tile(device, type, checker);
    (void)snprintf(options, sizeof options, "%s -DTILE=%d -DLY=%d", cls_type_option(type), (int)checker->tile,
                   (int)checker->lines);
    CLS_TRY(ops->program_get(device, "symmetric_check", options, &program));
    CLS_TRY(ops->kernel_create(device, program, "symmetric_check", &checker->kernel));
    CLS_TRY(ops->buffer_create(device, sizeof(uint32_t), &checker->record));
    return ops->fill(device, CLS_COMPUTE, checker->record, 0, sizeof(uint32_t), 0);
}

void cls_symmetric_checker_destroy(cls_device *device, cls_symmetric_checker *checker) {
    device->ops->kernel_destroy(device, checker->kernel);
    device->ops->buffer_destroy(device, checker->record);
    *checker = (cls_symmetric_checker){0};
}

/* A question to the kernel. */
typedef struct question {
    clsolve_symmetry symmetry;
    int32_t positive;
} question;

static clsolve_status launch(cls_device *device, const cls_symmetric_checker *checker, cls_ref A, int64_t n,
                             question asked) {
    const int64_t units = device->info.compute_units > 0 ? device->info.compute_units : 1;
    const int64_t tiles = (n + checker->tile - 1) / checker->tile, pairs = tiles * (tiles + 1) / 2;
    const int64_t groups = pairs < GROUPS_A_UNIT * units ? pairs : GROUPS_A_UNIT * units;
    const int32_t transposed = asked.symmetry == CLSOLVE_SYMMETRY_TRANSPOSE;
    const size_t tile = (size_t)checker->tile, lines = (size_t)checker->lines;

    const cls_grid grid = {{(size_t)groups * tile, lines, 1}, {tile, lines, 1}};
    const cls_arg args[] = {CLS_REF(A),
                            CLS_VALUE(n),
                            CLS_VALUE(transposed),
                            CLS_VALUE(asked.positive),
                            CLS_VALUE(checker->mark),
                            CLS_BUFFER(checker->record)};
    return cls_launch(device, CLS_COMPUTE, checker->kernel, &grid, CLS_ARGS(args));
}

/* The record is as it was where no difference is found, so it has the mark of an earlier check, or 0. */
static clsolve_status run(cls_device *device, cls_symmetric_checker *checker, cls_ref A, int64_t n, question asked,
                          int *symmetric) {
    static const cls_rect word = {sizeof(uint32_t), 1, 0, sizeof(uint32_t), sizeof(uint32_t)};
    uint32_t found = 0;

    ++checker->mark;
    CLS_TRY(launch(device, checker, A, n, asked));
    const clsolve_status status = device->ops->read(device, CLS_COMPUTE, checker->record, &found, &word, NULL, NULL);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE); /* nothing comes into `found` any more */
    CLS_TRY(status);
    CLS_TRY(done);
    *symmetric = found != checker->mark;
    return CLSOLVE_OK;
}

/* ---- the first use ---- */

enum {
    ORDER = 40,
    ROW = 37,
    COLUMN = 3,
    AT = ROW + COLUMN * ORDER
}; /* more than a tile; a pair that is made to differ */

typedef struct trial {
    int64_t number; /* of the matrix's real numbers, in ORDER^2 elements; it becomes `value` */
    double value;
    question asked;
    int symmetric;
} trial;

/* Small whole numbers; `sign`: of the imaginary part of A(j, i) next to that of A(i, j). */
static void fill(clsolve_type type, int sign, void *values) {
    const int64_t parts = cls_type_parts(type);
    for (int64_t j = 0; j < ORDER; ++j)
        for (int64_t i = 0; i < ORDER; ++i) {
            const int64_t k = parts * (i + j * ORDER), less = i < j ? i : j;
            cls_type_put(type, values, k, (double)(1 + (i + j + less) % 5));
            const int64_t apart = sign > 0 && i < j ? j - i : i - j;
            if (parts == 2) cls_type_put(type, values, k + 1, (double)(apart * (1 + less % 3)));
        }
}

/* The matrix as it is, and others that differ in a number: of a pair, in the last part of a pair, on the diagonal. */
static clsolve_status try_all(cls_device *device, clsolve_type type, cls_symmetric_checker *checker, cls_buffer *buffer,
                              void *values, int *right) {
    const int64_t parts = cls_type_parts(type);
    const int64_t one = parts * AT, last = one + parts - 1, diagonal = parts * ROW * (ORDER + 1);
    const question definite = {CLSOLVE_SYMMETRY_HERMITIAN, 1}, hermitian = {CLSOLVE_SYMMETRY_HERMITIAN, 0},
                   transpose = {CLSOLVE_SYMMETRY_TRANSPOSE, 0};
    const trial trials[] = {{0, 1, definite, 1},          {one, 9, definite, 0},        {last, 77, definite, 0},
                            {diagonal, 0, definite, 0},   {diagonal, -2, hermitian, 1}, {last, 77, hermitian, 0},
                            {diagonal, -2, transpose, 1}, {last, 77, transpose, 0}};
    const size_t bytes = (size_t)(ORDER * ORDER * cls_type_size(type));

    *right = 1;
    for (size_t t = 0; t < sizeof trials / sizeof *trials && *right; ++t) {
        int symmetric = 0;
        fill(type, trials[t].asked.symmetry == CLSOLVE_SYMMETRY_TRANSPOSE ? 1 : -1, values);
        cls_type_put(type, values, trials[t].number, trials[t].value);
        CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, buffer, 0, values, bytes));
        CLS_TRY(run(device, checker, (cls_ref){buffer, 0, ORDER}, ORDER, trials[t].asked, &symmetric));
        *right = symmetric == trials[t].symmetric;
    }
    return CLSOLVE_OK;
}

typedef struct tested {
    cls_device *device;
    clsolve_type type;
    cls_symmetric_checker *checker;
} tested;

static clsolve_status try_kernel(void *what, int *right) {
    const tested *t = what;
    cls_device *device = t->device;
    const clsolve_type type = t->type;
    cls_buffer *buffer = NULL;
    void *values = cls_alloc(ORDER * ORDER, (size_t)cls_type_size(type));
    clsolve_status status =
        values ? device->ops->buffer_create(device, (size_t)(ORDER * ORDER * cls_type_size(type)), &buffer)
               : cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    if (status == CLSOLVE_OK) status = try_all(device, type, t->checker, buffer, values, right);
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_COMPUTE); /* what is under way uses `values` */
    device->ops->buffer_destroy(device, buffer);
    cls_free(values);
    return status;
}

static clsolve_status require_right(cls_device *device, clsolve_type type, cls_symmetric_checker *checker) {
    tested tested = {device, type, checker};
    char name[32];
    int right;

    (void)snprintf(name, sizeof name, "symmetric.check.%s", cls_type_name(type));
    CLS_TRY(cls_test_once(device, name, try_kernel, &tested, &right));
    if (right) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "the kernel that looks whether a matrix is symmetric is wrong on this device");
}

/* ---- outside ---- */

clsolve_status cls_symmetric_checker_make(cls_device *device, clsolve_type type, cls_symmetric_checker *checker) {
    if (checker->kernel) return CLSOLVE_OK;
    if (checker->unusable || (cls_is_double(type) && !device->info.fp64))
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "this device has no kernel that looks whether a matrix is symmetric");
    clsolve_status status = create(device, type, checker);
    if (status == CLSOLVE_OK) status = require_right(device, type, checker);
    if (status == CLSOLVE_OK) return CLSOLVE_OK;
    cls_symmetric_checker_destroy(device, checker);
    checker->unusable = status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_UNSUPPORTED;
    return status;
}

clsolve_status cls_symmetric_check(cls_device *device, const clsolve_matrix *A, clsolve_symmetry symmetry, int positive,
                                   cls_symmetric_checker *checker, int *symmetric) {
    const question asked = {symmetry, positive};
    cls_buffer *buffer;

    *symmetric = 0;
    CLS_TRY(cls_symmetric_checker_make(device, A->type, checker));
    CLS_TRY(cls_transfer_adopt(device, A, &buffer));
    const cls_ref at = {buffer, A->offset, A->ld};
    const clsolve_status status = run(device, checker, at, A->rows, asked, symmetric);
    device->ops->buffer_destroy(device, buffer);
    return status;
}
