/*
 * resident.c: leaves of many rows in one launch, on devices whose work-groups run at the same time: a step by launches
 * costs a launch, a step inside one a meeting of the groups, several times less. See cl/lu_resident.cl.
 */
#include "method/lu/lu.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

/* The kernel's shape, but for what differs between its forms: WAVES that work and one more; lanes. */
enum {
    WAVES = 8,
    LANES = 32,
    WORK_GROUP = (WAVES + 1) * LANES,
    MOST_GROUPS = 128,
    MOST_ROWS = 65534,
    LEAST_COLUMNS = 4,
    TEST_WIDTH = 40 /* more than a round of the kernel's */
};
/* Columns that a group of so many rows a lane holds in its registers. */
enum { WIDEST = 128, ROWS_OF_WIDEST = 4, ROWS_OF_REST = 8 };

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

/* Groups that run at the same time, of which a wave reads all offers. */
static int64_t most_groups(const cls_device *device) {
    return at_most(device->info.compute_units, MOST_GROUPS);
}

static int64_t most_rows(const cls_device *device, int64_t width) {
    int64_t rows = width > WIDEST / 2 ? ROWS_OF_WIDEST : ROWS_OF_REST;
    return at_most(most_groups(device) * rows * LANES, MOST_ROWS);
}

int64_t cls_lu_resident_width(const cls_device *device, clsolve_type type, int64_t rows) {
    if (!device->groups_together || device->resident_leaf[type == CLSOLVE_F64] < 0 ||
        device->info.max_work_group < WORK_GROUP)
        return 0;
    return rows <= most_rows(device, WIDEST) ? WIDEST : WIDEST / 2;
}

typedef struct form {
    int rows, batches; /* of cl/lu_resident.cl: its kernel's place in lu->leaf_resident */
    int64_t groups;
} form;

/*
 * Few rows a work-item make a step short, and so do few groups, whose offers the deciding wave reads in one go; that
 * counts for more up to two rows. Beyond, groups of half the device leave the other half to the trailing update.
 */
static form form_for(const cls_device *device, int64_t m) {
    form f = {0, 0, (m + LANES - 1) / LANES};
    while (f.groups > most_groups(device) || (f.rows < 1 && f.groups > LANES) || (f.rows < 2 && f.groups > 2 * LANES)) {
        f.rows++;
        f.groups = (f.groups + 1) / 2;
    }
    f.batches = f.rows > 1 || f.groups > 2 * LANES ? 2 : f.groups > LANES;
    return f;
}

/* Of a wave, for leaves of lu->leaf columns. */
static int64_t columns_of(const cls_lu *lu) {
    int64_t columns = WIDEST / WAVES;
    while (columns > LEAST_COLUMNS && columns / 2 * WAVES >= lu->leaf) columns /= 2;
    return columns;
}

static clsolve_status prepare(cls_lu *lu, form f) {
    cls_device *device = lu->device;
    cls_program *program;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DWAVES=%d -DROWS=%d -DCOLUMNS=%d -DBATCHES=%d",
                   cls_type_option(lu->type), device->matrix_unit, (int)WAVES, 1 << f.rows, (int)columns_of(lu),
                   1 << f.batches);
    CLS_TRY(device->ops->program_get(device, "lu_resident", options, &program));
    return device->ops->kernel_create(device, program, "lu_leaf_resident", &lu->leaf_resident[f.rows][f.batches]);
}

/* The kernels for leaves of up to m rows, now and not while something is timed. */
static clsolve_status prepare_all(cls_lu *lu, int64_t m) {
    for (; m > 0; m -= LANES) {
        form f = form_for(lu->device, m);
        if (!lu->leaf_resident[f.rows][f.batches]) CLS_TRY(prepare(lu, f));
    }
    return CLSOLVE_OK;
}

static clsolve_status launch(cls_lu *lu, cls_ref A, int64_t m, int64_t width, int64_t top) {
    form f = form_for(lu->device, m);
    uint32_t before = lu->marks;
    cls_grid grid = {{(size_t)(f.groups * WORK_GROUP), 1, 1}, {WORK_GROUP, 1, 1}};
    cls_arg args[] = {
        CLS_BUFFER(A.buffer),       CLS_VALUE(A.offset),     CLS_VALUE(A.ld),         CLS_VALUE(m),
        CLS_VALUE(width),           CLS_VALUE(top),          CLS_VALUE(before),       CLS_BUFFER(lu->offers),
        CLS_VALUE(lu->most_groups), CLS_BUFFER(lu->sources), CLS_BUFFER(lu->targets), CLS_BUFFER(lu->ipiv),
        CLS_BUFFER(lu->info)};

    lu->marks += (uint32_t)width;
    return lu->device->ops->launch_together(lu->device, CLS_COMPUTE, lu->leaf_resident[f.rows][f.batches], &grid, args,
                                            13, NULL, NULL);
}

clsolve_status cls_lu_resident_leaf(cls_lu *lu, int64_t j, int64_t width) {
    return launch(lu, cls_matrix_at(&lu->A, j, j), lu->n - j, width, j);
}

/* ---- the test of the device ---- */

static int *verdict(const cls_lu *lu) {
    return &lu->device->resident_leaf[lu->type == CLSOLVE_F64];
}

/* Partial pivoting of the m x width test matrix, plainly; rows are swapped. */
static void reference(int64_t m, int64_t width, double *A) {
    for (int64_t t = 0; t < width; ++t) {
        int64_t p = t;
        for (int64_t i = t; i < m; ++i)
            if (fabs(A[i + t * m]) > fabs(A[p + t * m])) p = i;
        for (int64_t k = 0; k < width; ++k) {
            double x = A[t + k * m];
            A[t + k * m] = A[p + k * m];
            A[p + k * m] = x;
        }
        for (int64_t i = t + 1; i < m; ++i) {
            double l = A[i + t * m] /= A[t + t * m];
            for (int64_t k = t + 1; k < width; ++k) A[i + k * m] -= l * A[t + k * m];
        }
    }
}

/* Numbers below 1, and the pivots, from the last row upwards: so large that no rounding makes another row the pivot. */
static double test_value(int64_t i, int64_t k, int64_t m) {
    return (double)((i * 40503 + k * 9176 + 12345) % 65537) / 65536.0 - (double)(i == m - 1 - k) * 64.0;
}

static double element(clsolve_type type, const void *data, int64_t index) {
    return type == CLSOLVE_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

static int agrees(clsolve_type type, int64_t elements, const double *expected, const void *got) {
    double bound = type == CLSOLVE_F64 ? 1e-11 : 1e-3;
    for (int64_t k = 0; k < elements; ++k)
        if (!(fabs(element(type, got, k) - expected[k]) <= bound * (1 + fabs(expected[k])))) return 0;
    return 1;
}

/* Runs the test matrix through the kernel, in `data` up and down. */
static clsolve_status run_test(cls_lu *lu, int64_t m, int64_t width, void *data) {
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    size_t bytes = (size_t)(m * width * cls_type_size(lu->type));
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *buffer = NULL;
    clsolve_status status;

    CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &buffer), end);
    CLS_TRY_GOTO(status, ops->fill(device, CLS_COMPUTE, lu->info, 0, 2 * sizeof(int64_t), 0), end);
    CLS_TRY_GOTO(status, ops->write(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    cls_ref A = {buffer, 0, m};
    CLS_TRY_GOTO(status, launch(lu, A, m, width, 0), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, cls_lu_empty_lists(lu, width), end);
    status = ops->finish(device, CLS_COMPUTE);
end:
    ops->buffer_destroy(device, buffer);
    return status;
}

/* As many groups as will ever run, so that it is known whether they do. Sets the verdict. */
static clsolve_status test_device(cls_lu *lu, int64_t m, int64_t width) {
    double *expected = cls_alloc((size_t)(m * width), sizeof *expected);
    double *data = cls_alloc((size_t)(m * width), sizeof *data); /* room for either type */
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (!expected || !data) {
        (void)cls_fail(lu->device->error, status, "no host memory to test a kernel with");
        goto end;
    }
    for (int64_t k = 0; k < width; ++k)
        for (int64_t i = 0; i < m; ++i) {
            double value = expected[i + k * m] = test_value(i, k, m);
            if (lu->type == CLSOLVE_F64)
                data[i + k * m] = value;
            else
                ((float *)data)[i + k * m] = (float)value;
        }
    reference(m, width, expected);
    CLS_TRY_GOTO(status, run_test(lu, m, width, data), end);
    *verdict(lu) = agrees(lu->type, m * width, expected, data) ? 1 : -1;
end:
    cls_free(expected);
    cls_free(data);
    return status;
}

/* Prepares the kernels, and tries the device once for each type. */
static clsolve_status prepare_and_test(cls_lu *lu, int64_t most, int64_t width) {
    clsolve_status status = prepare_all(lu, at_most(most, lu->n));
    if (status == CLSOLVE_OK && *verdict(lu) == 0) status = test_device(lu, at_most(most, lu->n), width);
    /* A compiler or a device that refuses them: leaves go by steps. */
    if (status != CLSOLVE_ERROR_BUILD && status != CLSOLVE_ERROR_DEVICE) return status;
    *verdict(lu) = -1;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_resident_setup(cls_lu *lu) {
    cls_device *device = lu->device;
    int64_t width = at_most(lu->leaf, TEST_WIDTH);

    /* The test has at most n rows, for more would test more groups than this one has; a larger matrix later may
     * still find that its groups don't meet, and then says so itself. */
    if (cls_lu_resident_width(device, lu->type, 0) < lu->leaf || lu->n < width) return CLSOLVE_OK;
    int64_t most = most_rows(device, lu->leaf);
    int64_t groups = at_most(most_groups(device), (lu->n + LANES - 1) / LANES);
    size_t bytes = (size_t)(3 * groups * (columns_of(lu) * WAVES + 1)) * 4 * sizeof(uint32_t);
    if (lu->memory_limit > 0 && (int64_t)bytes > lu->memory_limit / 64)
        return CLSOLVE_OK; /* what is left is wanted for A */
    CLS_TRY(device->ops->buffer_create(device, bytes, &lu->offers));
    lu->marks = 1; /* the mark of no step is 0 */
    lu->most_groups = (int32_t)groups;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, lu->offers, 0, bytes, 0));
    CLS_TRY(prepare_and_test(lu, most, width));
    if (*verdict(lu) != 1) return CLSOLVE_OK;
    lu->resident = most;
    lu->whole = 0; /* rows in registers beat rows in memory for few of them too */
    return CLSOLVE_OK;
}
