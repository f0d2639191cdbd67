/*
 * resident.c: leaves of many rows in one launch (cl/lu_resident.cl), on devices whose work-groups run at the same
 * time. A step by launches costs a launch; a step inside a launch costs a meeting of the groups, which is several
 * times less.
 */
#include "method/panel/resident_kinds.h"

#include "base/memory.h"

enum { MOST_ROWS = 65534, TEST_WIDTH = 40 /* more than a round of either kernel's */ };

/* The outcome of the test below: so many groups met; FAILS, or 0: the device was not tried yet. */
enum { FAILS = CLS_TOGETHER_FAILS };

/* The kernel for such leaves; NULL: the device has none. */
static const cls_leaf_kind *kind_of(const cls_device *device) {
    const cls_leaf_kind *k = device->promised_together ? &cls_leaf_by_lanes : &cls_leaf_by_barriers;
    return device->groups_together > 0 && device->info.max_work_group >= k->work_group ? k : NULL;
}

/* ---- leaves ---- */

/* Groups that run at the same time, as far as is known. */
static int64_t most_groups(const cls_device *device) {
    return cls_lesser(device->groups_together, kind_of(device)->most_groups);
}

static int64_t most_rows(const cls_device *device, clsolve_type type, int64_t width) {
    return cls_lesser(most_groups(device) * kind_of(device)->most_height(device, type, width), MOST_ROWS);
}

int64_t cls_panel_resident_width(const cls_device *device, clsolve_type type, int64_t rows) {
    const cls_leaf_kind *k = kind_of(device);
    if (!k || cls_fact_get(device, cls_panel_resident_fact(type)) == FAILS) return 0;
    const int64_t wide_rows = cls_lesser(k->wide_rows(device, type, most_groups(device)), MOST_ROWS);
    return rows <= wide_rows ? k->widest(type) : k->widest(type) / 2;
}

/* The panel's groups stay as they were found, because its kernels are of forms for as many. Another panel may find
 * fewer. */
static int64_t groups_of(const cls_panel *panel) {
    return panel->resident.together > 0 ? panel->resident.together : most_groups(panel->device);
}

static cls_leaf_form form_for(const cls_panel *panel, int64_t m) {
    return kind_of(panel->device)->form_for(panel, groups_of(panel), m);
}

static clsolve_status prepare(cls_panel *panel, cls_leaf_form f) {
    cls_device *device = panel->device;
    const cls_leaf_kind *k = kind_of(device);
    cls_program *program;
    char options[160];

    k->options(panel, f, options, sizeof options);
    CLS_TRY(device->ops->program_get(device, k->program, options, &program));
    return device->ops->kernel_create(device, program, k->kernel, &panel->resident.kernel[f.rows][f.batches]);
}

/* The kernels for leaves of up to m rows. They are built now, and not while something is timed. */
static clsolve_status prepare_all(cls_panel *panel, int64_t m) {
    for (; m > 0; m -= kind_of(panel->device)->least_height) {
        cls_leaf_form f = form_for(panel, m);
        if (!panel->resident.kernel[f.rows][f.batches]) CLS_TRY(prepare(panel, f));
    }
    return CLSOLVE_OK;
}

/* A leaf, and where it lies. */
typedef struct leaf {
    cls_ref A;
    int64_t m, width, top;
    int64_t inner; /* columns of the leaf before that it brings its own up to; 0: they are */
} leaf;

static clsolve_status launch(cls_panel *panel, const leaf *l, uint32_t spins) {
    const cls_leaf_kind *k = kind_of(panel->device);
    cls_leaf_form f = form_for(panel, l->m);
    int32_t inner = (int32_t)l->inner;
    uint32_t before;
    CLS_TRY(cls_offers_mark(panel->device, &panel->resident.candidates, l->width, &before));
    cls_grid grid = {{(size_t)(f.groups * k->work_group), 1, 1}, {(size_t)k->work_group, 1, 1}};
    cls_arg args[] = {CLS_REF(l->A),
                      CLS_VALUE(l->m),
                      CLS_VALUE(l->width),
                      CLS_VALUE(l->top),
                      CLS_VALUE(before),
                      CLS_BUFFER(panel->resident.candidates.words),
                      CLS_VALUE(panel->resident.most_groups),
                      CLS_BUFFER(panel->sources),
                      CLS_BUFFER(panel->targets),
                      CLS_BUFFER(panel->ipiv),
                      CLS_BUFFER(panel->info),
                      CLS_VALUE(spins),
                      CLS_VALUE(inner),
                      CLS_BUFFER(panel->resident.upper)};

    return cls_launch_together(panel->device, CLS_COMPUTE, panel->resident.kernel[f.rows][f.batches], &grid,
                               CLS_ARGS_BUT(args, k->missing));
}

clsolve_status cls_panel_resident_leaf(cls_panel *panel, const cls_matrix *A, int64_t j, int64_t m, int64_t width,
                                       int64_t inner) {
    const leaf l = {cls_matrix_at(A, j, j), m, width, j, inner};
    return launch(panel, &l, CLS_TOGETHER_PATIENCE);
}

int cls_panel_resident_updates(const cls_panel *panel) {
    return cls_leaf_updates(panel->device, kind_of(panel->device));
}

/* ---- the test of the device ---- */

static int outcome(const cls_panel *panel) {
    return cls_fact_get(panel->device, cls_panel_resident_fact(panel->type));
}

static clsolve_status set_outcome(cls_panel *panel, int number) {
    return cls_fact_set(panel->device, cls_panel_resident_fact(panel->type), number);
}

/* Columns of the first of two leaves: of TEST_WIDTH more than a part of U in cl/lu_together.cl. */
static int64_t first_of(const cls_panel *panel, int64_t width) {
    return cls_panel_resident_updates(panel) ? width * 3 / 5 : 0;
}

/* Both leaves of the test; the first of `first` columns, or none. */
static clsolve_status launch_test(cls_panel *panel, cls_buffer *buffer, int64_t m, int64_t width, int64_t first) {
    const uint32_t spins = panel->device->promised_together ? CLS_TOGETHER_PATIENCE : CLS_TOGETHER_LITTLE;
    const leaf before = {{buffer, 0, m}, m, first, 0, 0};
    const leaf after = {{buffer, first * m + first, m}, m - first, width - first, first, first};

    if (first > 0) CLS_TRY(launch(panel, &before, spins));
    return launch(panel, &after, spins);
}

/* Runs the test matrix through the kernel, in `data` up and down. */
static clsolve_status run_test(cls_panel *panel, int64_t m, int64_t width, int64_t first, void *data) {
    cls_device *device = panel->device;
    const cls_device_ops *ops = device->ops;
    size_t bytes = (size_t)(m * width * cls_type_size(panel->type));
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_buffer *buffer = NULL;
    clsolve_status status;

    CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &buffer), end);
    CLS_TRY_GOTO(status, ops->fill(device, CLS_COMPUTE, panel->info, 0, 2 * sizeof(int64_t), 0), end);
    CLS_TRY_GOTO(status, ops->write(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, launch_test(panel, buffer, m, width, first), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_COMPUTE, buffer, data, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, cls_panel_empty_lists(panel, width), end);
    status = ops->finish(device, CLS_COMPUTE);
end:
    ops->buffer_destroy(device, buffer);
    return status;
}

/* The leaf of m rows is as it should be; as two, where the second one has the update to do. */
static clsolve_status is_right(cls_panel *panel, int64_t m, int64_t width, int *right) {
    double *expected = cls_alloc((size_t)(2 * m * width), sizeof *expected);
    double *data = cls_alloc((size_t)(2 * m * width), sizeof *data); /* room for each type */
    const int64_t first = first_of(panel, width);
    clsolve_status status = CLSOLVE_ERROR_OUT_OF_MEMORY;

    if (!expected || !data) {
        (void)cls_fail(panel->device->error, status, "no host memory to test a kernel with");
        goto end;
    }
    cls_panel_leaf_matrix(panel->type, m, width, first, data, expected);
    status = run_test(panel, m, width, first, data);
    *right = status == CLSOLVE_OK && cls_panel_leaf_agrees(panel->type, m * width, expected, data);
end:
    cls_free(expected);
    cls_free(data);
    return status;
}

void cls_panel_resident_failed(cls_panel *panel) {
    cls_device *device = panel->device;

    (void)set_outcome(panel, FAILS); /* the test has set the outcome, so this call takes no memory */
    if (!device->promised_together)
        cls_panel_remember(device, cls_panel_resident_fact(panel->type), 0); /* to be tested anew */
    panel->resident.rows = 0; /* leaves go by steps from now on; steps.whole_rows may stay 0 */
}

/* Rows of the largest leaf, and its groups. */
static int64_t tallest(const cls_panel *panel) {
    return cls_lesser(most_rows(panel->device, panel->type, panel->leaf), panel->rows);
}

static int64_t groups_wanted(const cls_panel *panel) {
    return form_for(panel, tallest(panel)).groups;
}

/* Each form once, with as many rows as it will have; *right: all of them are. */
static clsolve_status try_forms(cls_panel *panel, int *right) {
    const int64_t width = cls_lesser(panel->leaf, TEST_WIDTH);
    cls_leaf_form last = {-1, -1, 0};

    *right = 1;
    for (int64_t m = tallest(panel); m >= width && *right; m -= kind_of(panel->device)->least_height) {
        const cls_leaf_form f = form_for(panel, m);
        if (f.rows != last.rows || f.batches != last.batches) CLS_TRY(is_right(panel, m, width, right));
        last = f;
    }
    return CLSOLVE_OK;
}

/* As many groups as any leaf of the panel will have; *right: they met, and did what they should. */
static clsolve_status try_groups(cls_panel *panel, int *right) {
    clsolve_status status = prepare_all(panel, tallest(panel));
    if (status == CLSOLVE_OK) status = try_forms(panel, right);
    if (status != CLSOLVE_OK) *right = 0;
    /* If a compiler or a device refuses the kernels, leaves go by steps. */
    return status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_DEVICE ? CLSOLVE_OK : status;
}

void cls_panel_resident_drop(cls_panel *panel) {
    for (int k = 0; k < CLS_PANEL_ROWS * CLS_PANEL_BATCHES; ++k) {
        cls_kernel **kernel = &panel->resident.kernel[k / CLS_PANEL_BATCHES][k % CLS_PANEL_BATCHES];
        panel->device->ops->kernel_destroy(panel->device, *kernel);
        *kernel = NULL;
    }
    panel->resident.rows = 0;
}

/* After a test that failed: is it the sub-groups? */
static clsolve_status try_without_sub_groups(cls_panel *panel, int *right) {
    cls_device *device = panel->device;
    const cls_sub_groups had = device->sub_groups;

    if (had == CLS_SUB_GROUPS_NONE || device->promised_together) return CLSOLVE_OK;
    cls_panel_resident_drop(panel);
    device->sub_groups = CLS_SUB_GROUPS_NONE;
    const clsolve_status status = try_groups(panel, right);
    if (status == CLSOLVE_OK && *right) {
        cls_panel_sub_groups_fail(device);
    } else {
        cls_panel_resident_drop(panel);
        device->sub_groups = had;
    }
    return status;
}

/* So many groups are known to meet. */
static clsolve_status use(cls_panel *panel, int known) {
    CLS_TRY(set_outcome(panel, known));
    return prepare_all(panel, tallest(panel));
}

static clsolve_status trial(void *what, int64_t groups, int last, int *right) {
    cls_panel *panel = what;
    panel->device->groups_together = (int)groups;
    CLS_TRY(try_groups(panel, right));
    return last && !*right ? try_without_sub_groups(panel, right) : CLSOLVE_OK;
}

/* Learns how many groups run together: as many as the panel wants, or fewer. cls_groups_remember keeps it. */
static clsolve_status test_device(cls_panel *panel, int known) {
    cls_device *device = panel->device;
    const int all = device->groups_together;
    int64_t groups = all;

    CLS_TRY(cls_together_find(trial, panel, device->promised_together, known, &groups));
    if (groups > 0) device->groups_together = (int)groups;
    if (known > 0 && groups == known) return use(panel, known);
    const int found = groups > 0 ? (int)groups_wanted(panel) : FAILS;
    if (!device->promised_together) cls_panel_remember_groups(device, panel->type, found, groups == all);
    return set_outcome(panel, found);
}

static clsolve_status prepare_and_test(cls_panel *panel) {
    cls_device *device = panel->device;
    int known = outcome(panel);

    if (known == 0 && !device->promised_together) known = cls_panel_recall_groups(device, panel->type);
    if (known == FAILS) return set_outcome(panel, FAILS);
    if (known == 0 || (!device->promised_together && groups_wanted(panel) > known)) return test_device(panel, known);
    return use(panel, known);
}

/* The test has no more rows than the panel, because more would need more groups. If the groups of a larger matrix do
 * not meet later, its factorization reports that itself. */
static int suits(const cls_panel *panel) {
    return cls_panel_resident_width(panel->device, panel->type, 0) >= panel->leaf &&
           (panel->rows >= cls_lesser(panel->leaf, TEST_WIDTH) || outcome(panel) > 0);
}

int cls_panel_resident_alone(const cls_panel *panel) {
    return suits(panel) && panel->rows <= most_rows(panel->device, panel->type, panel->leaf);
}

clsolve_status cls_panel_resident_announce(cls_panel *panel, int as_test) {
    if (!as_test && !suits(panel)) return CLSOLVE_OK;
    return prepare_all(panel, tallest(panel));
}

/* Room for the candidates of all forms. */
static clsolve_status take_offers(cls_panel *panel, int *taken) {
    cls_device *device = panel->device;
    const cls_leaf_kind *k = kind_of(device);
    int64_t groups = cls_lesser(most_groups(device), (panel->rows + k->least_height - 1) / k->least_height);
    const size_t side = (size_t)k->width_of(panel->leaf), upper = side * side * (size_t)cls_type_size(panel->type);
    const size_t bytes = cls_offers_bytes(device, panel->type, k->places * groups * ((int64_t)side + 1));

    *taken = panel->resident.candidates.words != NULL; /* by an earlier setup, whose test failed */
    if (*taken) return CLSOLVE_OK;
    if (panel->memory_limit > 0 && (int64_t)(bytes + upper) > panel->memory_limit / 64)
        return CLSOLVE_OK; /* A needs what is left */
    if (k->updates && !panel->resident.upper)
        CLS_TRY(device->ops->buffer_create(device, upper, &panel->resident.upper));
    panel->resident.most_groups = (int32_t)groups;
    *taken = 1;
    return cls_offers_take(device, bytes, &panel->resident.candidates);
}

clsolve_status cls_panel_resident_setup(cls_panel *panel) {
    int taken;

    panel->resident.together = 0;
    if (!suits(panel)) return CLSOLVE_OK;
    CLS_TRY(take_offers(panel, &taken));
    if (!taken) return CLSOLVE_OK;
    CLS_TRY(prepare_and_test(panel));
    if (outcome(panel) <= 0) return CLSOLVE_OK;
    panel->resident.together = most_groups(panel->device);
    panel->resident.rows = most_rows(panel->device, panel->type, panel->leaf);
    panel->steps.whole_rows = 0; /* also for few rows, registers are faster than memory */
    return CLSOLVE_OK;
}

void cls_panel_resident_release(cls_panel *panel) {
    cls_device *device = panel->device;

    cls_offers_release(device, &panel->resident.candidates);
    device->ops->buffer_destroy(device, panel->resident.upper);
    cls_panel_resident_drop(panel);
}
