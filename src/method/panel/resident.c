/*
 * resident.c: leaves of many rows in one launch (cl/lu_resident.cl), on devices whose work-groups run at the same
 * time. A step by launches costs a launch; a step inside a launch costs a meeting of the groups, which is several
 * times less.
 */
#include "method/panel/parts.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "tuning/fitted.h"

/* The kernel's shape, as far as all of its forms have it: WAVES that work and one that decides; lanes. */
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

/* The outcome of the test below; 0: the device was not tried yet. */
enum { WORKS = 1, FAILS = -1 };

static const char *fact_of(clsolve_type type) {
    return type == CLSOLVE_F64 ? "lu resident double" : "lu resident single";
}

/* Groups that run at the same time; a wave reads one candidate of each. */
static int64_t most_groups(const cls_device *device) {
    return at_most(device->info.compute_units, MOST_GROUPS);
}

static int64_t most_rows(const cls_device *device, int64_t width) {
    int64_t rows = width > WIDEST / 2 ? ROWS_OF_WIDEST : ROWS_OF_REST;
    return at_most(most_groups(device) * rows * LANES, MOST_ROWS);
}

int64_t cls_panel_resident_width(const cls_device *device, clsolve_type type, int64_t rows) {
    if (cls_fitted_of(device, type)->by_steps) return 0;
    if (!device->groups_together || cls_fact_get(device, fact_of(type)) == FAILS ||
        device->info.max_work_group < WORK_GROUP)
        return 0;
    return rows <= most_rows(device, WIDEST) ? WIDEST : WIDEST / 2;
}

typedef struct form {
    int rows, batches; /* of cl/lu_resident.cl: its kernel's place in resident.kernel */
    int64_t groups;
} form;

/*
 * A step is short with few rows a work-item, and with few groups, whose candidates the deciding wave reads at once.
 * Up to two rows, few groups count for more. Beyond, groups of half the device leave the other half to the trailing
 * update.
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

/* Columns of a wave, for leaves of panel->leaf columns. */
static int64_t columns_of(const cls_panel *panel) {
    int64_t columns = WIDEST / WAVES;
    while (columns > LEAST_COLUMNS && columns / 2 * WAVES >= panel->leaf) columns /= 2;
    return columns;
}

static clsolve_status prepare(cls_panel *panel, form f) {
    cls_device *device = panel->device;
    cls_program *program;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DCLS_UNIT=%d -DWAVES=%d -DROWS=%d -DCOLUMNS=%d -DBATCHES=%d",
                   cls_type_option(panel->type), device->matrix_unit, (int)WAVES, 1 << f.rows, (int)columns_of(panel),
                   1 << f.batches);
    CLS_TRY(device->ops->program_get(device, "lu_resident", options, &program));
    return device->ops->kernel_create(device, program, "lu_leaf_resident", &panel->resident.kernel[f.rows][f.batches]);
}

/* The kernels for leaves of up to m rows. They are built now, and not while something is timed. */
static clsolve_status prepare_all(cls_panel *panel, int64_t m) {
    for (; m > 0; m -= LANES) {
        form f = form_for(panel->device, m);
        if (!panel->resident.kernel[f.rows][f.batches]) CLS_TRY(prepare(panel, f));
    }
    return CLSOLVE_OK;
}

static clsolve_status launch(cls_panel *panel, cls_ref A, int64_t m, int64_t width, int64_t top) {
    form f = form_for(panel->device, m);
    uint32_t before = panel->resident.marks;
    cls_grid grid = {{(size_t)(f.groups * WORK_GROUP), 1, 1}, {WORK_GROUP, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(A.buffer),
                      CLS_VALUE(A.offset),
                      CLS_VALUE(A.ld),
                      CLS_VALUE(m),
                      CLS_VALUE(width),
                      CLS_VALUE(top),
                      CLS_VALUE(before),
                      CLS_BUFFER(panel->resident.candidates),
                      CLS_VALUE(panel->resident.most_groups),
                      CLS_BUFFER(panel->sources),
                      CLS_BUFFER(panel->targets),
                      CLS_BUFFER(panel->ipiv),
                      CLS_BUFFER(panel->info)};

    panel->resident.marks += (uint32_t)width;
    return cls_launch_together(panel->device, CLS_COMPUTE, panel->resident.kernel[f.rows][f.batches], &grid,
                               CLS_ARGS(args));
}

clsolve_status cls_panel_resident_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width) {
    return launch(panel, cls_matrix_at(A, j, j), m, width, j);
}

/* ---- the test of the device ---- */

static int outcome(const cls_panel *panel) {
    return cls_fact_get(panel->device, fact_of(panel->type));
}

static clsolve_status set_outcome(cls_panel *panel, int number) {
    return cls_fact_set(panel->device, fact_of(panel->type), number);
}

/* The m x width test matrix becomes L\U by plain partial pivoting; rows are swapped. */
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

/* Numbers below 1, and pivots from the last row upwards, so large that no rounding makes another row the pivot. */
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
static clsolve_status run_test(cls_panel *panel, int64_t m, int64_t width, void *data) {
    cls_device *device = panel->device;
    const cls_device_ops *ops = device->ops;
    size_t bytes = (size_t)(m * width * cls_type_size(panel->type));
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *buffer = NULL;
    clsolve_status status;

    CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &buffer), end);
    CLS_TRY_GOTO(status, ops->fill(device, CLS_COMPUTE, panel->info, 0, 2 * sizeof(int64_t), 0), end);
    CLS_TRY_GOTO(status, ops->write(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    cls_ref A = {buffer, 0, m};
    CLS_TRY_GOTO(status, launch(panel, A, m, width, 0), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, cls_panel_empty_lists(panel, width), end);
    status = ops->finish(device, CLS_COMPUTE);
end:
    ops->buffer_destroy(device, buffer);
    return status;
}

/* Runs as many groups as any leaf will have, to learn whether they run together. Sets the outcome. */
static clsolve_status test_device(cls_panel *panel, int64_t m, int64_t width) {
    double *expected = cls_alloc((size_t)(m * width), sizeof *expected);
    double *data = cls_alloc((size_t)(m * width), sizeof *data); /* room for either type */
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (!expected || !data) {
        (void)cls_fail(panel->device->error, status, "no host memory to test a kernel with");
        goto end;
    }
    for (int64_t k = 0; k < width; ++k)
        for (int64_t i = 0; i < m; ++i) {
            double value = expected[i + k * m] = test_value(i, k, m);
            if (panel->type == CLSOLVE_F64)
                data[i + k * m] = value;
            else
                ((float *)data)[i + k * m] = (float)value;
        }
    reference(m, width, expected);
    CLS_TRY_GOTO(status, run_test(panel, m, width, data), end);
    status = set_outcome(panel, agrees(panel->type, m * width, expected, data) ? WORKS : FAILS);
end:
    cls_free(expected);
    cls_free(data);
    return status;
}

void cls_panel_resident_failed(cls_panel *panel) {
    (void)set_outcome(panel, FAILS); /* the test has set the outcome, so this call takes no memory */
    panel->resident.rows = 0;        /* leaves go by steps from now on; steps.whole_rows may stay 0 */
}

/* Prepares the kernels, and tries the device once for each type. */
static clsolve_status prepare_and_test(cls_panel *panel, int64_t most, int64_t width) {
    clsolve_status status = prepare_all(panel, at_most(most, panel->rows));
    if (status == CLSOLVE_OK && outcome(panel) == 0) status = test_device(panel, at_most(most, panel->rows), width);
    /* If a compiler or a device refuses the kernels, leaves go by steps. */
    if (status != CLSOLVE_ERROR_BUILD && status != CLSOLVE_ERROR_DEVICE) return status;
    return set_outcome(panel, FAILS);
}

/* The test has no more rows than the panel, because more would need more groups. If the groups of a larger matrix do not
 * meet later, its factorization reports that itself. */
static int suits(const cls_panel *panel) {
    return cls_panel_resident_width(panel->device, panel->type, 0) >= panel->leaf &&
           (panel->rows >= at_most(panel->leaf, TEST_WIDTH) || outcome(panel) == WORKS);
}

int cls_panel_resident_alone(const cls_panel *panel) {
    return suits(panel) && panel->rows <= most_rows(panel->device, panel->leaf);
}

clsolve_status cls_panel_resident_announce(cls_panel *panel, int as_test) {
    if (!as_test && !suits(panel)) return CLSOLVE_OK;
    return prepare_all(panel, at_most(most_rows(panel->device, panel->leaf), panel->rows));
}

clsolve_status cls_panel_resident_setup(cls_panel *panel) {
    cls_device *device = panel->device;
    int64_t width = at_most(panel->leaf, TEST_WIDTH);

    if (!suits(panel)) return CLSOLVE_OK;
    int64_t most = most_rows(device, panel->leaf);
    int64_t groups = at_most(most_groups(device), (panel->rows + LANES - 1) / LANES);
    size_t bytes = (size_t)(3 * groups * (columns_of(panel) * WAVES + 1)) * 4 * sizeof(uint32_t);
    if (panel->memory_limit > 0 && (int64_t)bytes > panel->memory_limit / 64)
        return CLSOLVE_OK; /* A needs what is left */
    CLS_TRY(device->ops->buffer_create(device, bytes, &panel->resident.candidates));
    panel->resident.marks = 1; /* the mark of no step is 0 */
    panel->resident.most_groups = (int32_t)groups;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, panel->resident.candidates, 0, bytes, 0));
    CLS_TRY(prepare_and_test(panel, most, width));
    if (outcome(panel) != WORKS) return CLSOLVE_OK;
    panel->resident.rows = most;
    panel->steps.whole_rows = 0; /* also for few rows, registers are faster than memory */
    return CLSOLVE_OK;
}

void cls_panel_resident_release(cls_panel *panel) {
    cls_device *device = panel->device;

    device->ops->buffer_destroy(device, panel->resident.candidates);
    for (int k = 0; k < CLS_PANEL_ROWS * CLS_PANEL_BATCHES; ++k)
        device->ops->kernel_destroy(device, panel->resident.kernel[k / CLS_PANEL_BATCHES][k % CLS_PANEL_BATCHES]);
}
