/*
 * resident.c: leaves of many rows in one launch, on devices whose work-groups run at the same time: a step by launches
 * costs a launch, a step inside one a meeting of the groups, several times less. See cl/lu_resident.cl.
 */
#include "method/lu/lu.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

enum { TEST_WIDTH = 4 };

static clsolve_status launch(cls_lu *lu, cls_ref A, int64_t m, int64_t width, int64_t top) {
    int64_t groups = (m + lu->work_group - 1) / lu->work_group;
    uint32_t before = lu->marks;
    cls_grid grid = {{(size_t)(groups * lu->work_group), 1, 1}, {(size_t)lu->work_group, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(A.buffer),    CLS_VALUE(A.offset),     CLS_VALUE(A.ld),      CLS_VALUE(m),
                      CLS_VALUE(width),        CLS_VALUE(top),          CLS_VALUE(before),    CLS_BUFFER(lu->offers),
                      CLS_BUFFER(lu->sources), CLS_BUFFER(lu->targets), CLS_BUFFER(lu->ipiv), CLS_BUFFER(lu->info)};

    lu->marks += (uint32_t)width;
    return lu->device->ops->launch_together(lu->device, CLS_COMPUTE, lu->leaf_resident, &grid, args, 12, NULL, NULL);
}

clsolve_status cls_lu_resident_leaf(cls_lu *lu, int64_t j, int64_t width) {
    return launch(lu, cls_matrix_at(&lu->A, j, j), lu->n - j, width, j);
}

/* ---- the test of the device ---- */

/* Partial pivoting of the m x TEST_WIDTH test matrix, plainly; rows are swapped. */
static void reference(int64_t m, double *A) {
    for (int64_t t = 0; t < TEST_WIDTH; ++t) {
        int64_t p = t;
        for (int64_t i = t; i < m; ++i)
            if (fabs(A[i + t * m]) > fabs(A[p + t * m])) p = i;
        for (int64_t k = 0; k < TEST_WIDTH; ++k) {
            double x = A[t + k * m];
            A[t + k * m] = A[p + k * m];
            A[p + k * m] = x;
        }
        for (int64_t i = t + 1; i < m; ++i) {
            double l = A[i + t * m] /= A[t + t * m];
            for (int64_t k = t + 1; k < TEST_WIDTH; ++k) A[i + k * m] -= l * A[t + k * m];
        }
    }
}

/* Small whole numbers over a power of two, all different in a column: exact in either type, and without ties. */
static double test_value(int64_t i, int64_t k, int64_t m) {
    return (double)((i * 40503 + k * 9176 + 12345) % 65537) / 65536.0 - (double)(i == m - 1 - k) * 2.0;
}

static double element(clsolve_type type, const void *data, int64_t index) {
    return type == CLSOLVE_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

static int agrees(clsolve_type type, int64_t m, const double *expected, const void *got) {
    double bound = type == CLSOLVE_F64 ? 1e-11 : 1e-2;
    for (int64_t k = 0; k < m * TEST_WIDTH; ++k)
        if (!(fabs(element(type, got, k) - expected[k]) <= bound * (1 + fabs(expected[k])))) return 0;
    return 1;
}

/* Runs the test matrix through the kernel, in `data` up and down. */
static clsolve_status run_test(cls_lu *lu, int64_t m, void *data) {
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    size_t bytes = (size_t)(m * TEST_WIDTH * cls_type_size(lu->type));
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *buffer = NULL;
    clsolve_status status;

    CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &buffer), end);
    CLS_TRY_GOTO(status, ops->fill(device, CLS_COMPUTE, lu->info, 0, 2 * sizeof(int64_t), 0), end);
    CLS_TRY_GOTO(status, ops->write(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    cls_ref A = {buffer, 0, m};
    CLS_TRY_GOTO(status, launch(lu, A, m, TEST_WIDTH, 0), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    status = ops->finish(device, CLS_COMPUTE);
end:
    ops->buffer_destroy(device, buffer);
    return status;
}

/* As many groups as will ever run, so that it is known whether they do. Sets device->resident_leaf. */
static clsolve_status test_device(cls_lu *lu, int64_t m) {
    double *expected = cls_alloc((size_t)(m * TEST_WIDTH), sizeof *expected);
    double *data = cls_alloc((size_t)(m * TEST_WIDTH), sizeof *data); /* room for either type */
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (!expected || !data) {
        (void)cls_fail(lu->device->error, status, "no host memory to test a kernel with");
        goto end;
    }
    for (int64_t k = 0; k < TEST_WIDTH; ++k)
        for (int64_t i = 0; i < m; ++i) {
            double value = expected[i + k * m] = test_value(i, k, m);
            if (lu->type == CLSOLVE_F64)
                data[i + k * m] = value;
            else
                ((float *)data)[i + k * m] = (float)value;
        }
    reference(m, expected);
    CLS_TRY_GOTO(status, run_test(lu, m, data), end);
    lu->device->resident_leaf = agrees(lu->type, m, expected, data) ? 1 : -1;
end:
    cls_free(expected);
    cls_free(data);
    return status;
}

/* The most groups whose offers a group's local memory holds (cl/lu_resident.cl), and that run at the same time. */
static int64_t most_groups(const cls_lu *lu) {
    const clsolve_device_info *info = &lu->device->info;
    int64_t row = lu->leaf * cls_type_size(lu->type) + 16;
    int64_t waves = lu->work_group / 32, room = (info->local_memory - 64) / row - waves - 1;
    int64_t rows = 65535 / lu->work_group; /* a row's place has 16 bits */
    int64_t most = info->compute_units < room ? info->compute_units : room;
    return most < rows ? most : rows;
}

static clsolve_status prepare(cls_lu *lu, int64_t most, size_t bytes) {
    cls_device *device = lu->device;
    cls_program *program;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DLS=%d -DWIDTH=%d -DMOST=%d", cls_type_option(lu->type),
                   device->matrix_unit, (int)lu->work_group, (int)lu->leaf, (int)most);
    CLS_TRY(device->ops->program_get(device, "lu_resident", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_leaf_resident", &lu->leaf_resident));
    CLS_TRY(device->ops->buffer_create(device, bytes, &lu->offers));
    lu->marks = 1; /* the mark of no step is 0 */
    return device->ops->fill(device, CLS_COMPUTE, lu->offers, 0, bytes, 0);
}

clsolve_status cls_lu_resident_setup(cls_lu *lu) {
    cls_device *device = lu->device;

    /* The test has at most n rows, for more would test more groups than this one has; a larger matrix later may still find that its
     * groups don't meet, and then says so itself. */
    if (!device->groups_together || device->resident_leaf < 0 || lu->leaf < TEST_WIDTH || lu->leaf > 32 ||
        lu->leaf % 2 != 0 || lu->work_group < 256 || lu->n < TEST_WIDTH)
        return CLSOLVE_OK;
    int64_t groups = most_groups(lu), most = groups * lu->work_group;
    if (groups < 1) return CLSOLVE_OK; /* not one group's offers fit its local memory */
    size_t bytes = (size_t)(2 * groups * lu->leaf) * 4 * sizeof(uint32_t);
    if (lu->memory_limit > 0 && (int64_t)bytes > lu->memory_limit / 16)
        return CLSOLVE_OK; /* what is left is wanted for A */
    CLS_TRY(prepare(lu, groups, bytes));
    if (device->resident_leaf == 0) CLS_TRY(test_device(lu, most < lu->n ? most : lu->n));
    if (device->resident_leaf != 1) return CLSOLVE_OK;
    lu->resident = most;
    lu->whole = 0; /* rows in registers beat rows in memory for few of them too */
    return CLSOLVE_OK;
}
