/*
 * selftest.c: drivers' compilers err, and then a factorization is wrong without notice. So before a device's first
 * use its kernels solve one small system whose solution is known. The matrix is row-major and exchanges rows in every
 * column, so that panel, moves, transposition and triangular solves all take part. Where a leaf in one launch is
 * wrong, leaves take a launch a column.
 */
#include "method/panel/parts.h"

#include "method/transfer.h"

enum { N = 24 };

/* The state of one solution of the system. */
typedef struct trial {
    cls_panel panel;
    cls_transfer transfer;
    cls_matrix A, B;
} trial;

/* How the system is solved: with leaves of `leaf` columns, resident ones or a launch a column. */
typedef struct way {
    int64_t leaf;
    int by_steps, resident;
} way;

/* Leaves that take the system whole need no product, which would be one more program or library. */
static cls_panel_shape shape_for(const cls_device *device, clsolve_type type, int64_t leaf, int by_steps) {
    cls_panel_sizes sizes = cls_panel_sizes_of(device, type, N, 0, 1, 0);
    if (leaf >= N && leaf != sizes.leaf) sizes = (cls_panel_sizes){leaf, leaf};
    return (cls_panel_shape){
        .type = type, .rows = N, .cols = N, .leaf = sizes.leaf, .block = sizes.block, .by_steps = by_steps};
}

static clsolve_status prepare(cls_device *device, clsolve_type type, const way *way, trial *t) {
    cls_panel_shape shape = shape_for(device, type, way->leaf, way->by_steps);

    CLS_TRY(cls_panel_create(device, &shape, &t->panel));
    CLS_TRY(way->resident ? cls_panel_moves_build(&t->panel) : cls_panel_build(&t->panel));
    if (way->resident) CLS_TRY(cls_panel_resident_setup(&t->panel));
    CLS_TRY(cls_transfer_create(device, type, &t->transfer));
    CLS_TRY(cls_matrix_create(device, type, N, N, 1, 0, &t->A));
    return cls_matrix_create(device, type, N, 1, 1, 0, &t->B);
}

static void release(cls_device *device, trial *t) {
    cls_panel_release(&t->panel);
    cls_transfer_destroy(device, &t->transfer);
    cls_matrix_destroy(device, &t->A);
    cls_matrix_destroy(device, &t->B);
}

/* B = A^-1 B. */
static clsolve_status solve(trial *t, int64_t *info) {
    cls_panel *panel = &t->panel;
    cls_device *device = panel->device;
    cls_ref A = cls_matrix_at(&t->A, 0, 0), B = cls_matrix_at(&t->B, 0, 0);
    int again = 0;

    CLS_TRY(cls_panel_begin(panel, panel->resident.rows > 0 ? CLS_PANEL_REPEATABLE : CLS_PANEL_ONCE));
    CLS_TRY(cls_panel_factor(panel, &t->A, 0, N, N));
    CLS_TRY(cls_panel_merge_moves(panel, CLS_COMPUTE, 0, N));
    CLS_TRY(cls_panel_end(panel, info, &again));
    if (again) *info = -1;
    CLS_TRY(cls_panel_move_rows(panel, CLS_COMPUTE, &t->B, 0, 1, 1, 0, 0, N, 0));
    CLS_TRY(cls_trsm(device, CLS_BLAS_DEFAULT, panel->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, N, 1, A, B));
    return cls_trsm(device, CLS_BLAS_DEFAULT, panel->type, CLS_UPPER, CLSOLVE_NO_TRANS, N, 1, A, B);
}

static clsolve_status solve_system(cls_device *device, clsolve_type type, trial *t, int *right) {
    double a[2 * N * N], x[2 * N]; /* room for any type */
    clsolve_matrix A = {type, CLSOLVE_ROW_MAJOR, N, N, N, a, CLSOLVE_ON_HOST, 0};
    clsolve_matrix X = {type, CLSOLVE_COLUMN_MAJOR, N, 1, N, x, CLSOLVE_ON_HOST, 0};
    int64_t info = 0;

    cls_panel_test_system(type, N, 0, a, x);
    CLS_TRY(cls_upload_square(device, &t->transfer, &A, &t->A));
    CLS_TRY(cls_upload(device, &t->transfer, &X, 0, 1, &t->B, NULL));
    CLS_TRY(solve(t, &info));
    CLS_TRY(cls_download(device, &t->transfer, &t->B, 1, &X, 0, NULL));
    *right = info == 0 && cls_panel_test_right(type, N, x);
    return CLSOLVE_OK;
}

static clsolve_status try_way(cls_device *device, clsolve_type type, const way *way, int *right) {
    trial t = {0};
    clsolve_status status = prepare(device, type, way, &t);
    if (status == CLSOLVE_OK) status = solve_system(device, type, &t, right);
    release(device, &t);
    return status;
}

static int outcome_known(cls_device *device, const char *name) {
    int known = cls_fact_get(device, name);
    return known ? known : cls_panel_recall(device, name);
}

clsolve_status cls_panel_self_test_announce(cls_device *device, clsolve_type type, int64_t leaf, int resident) {
    cls_panel panel = {.device = device};
    cls_panel_shape shape = shape_for(device, type, leaf, 0);
    cls_transfer transfer;
    cls_ref none = {0};

    if (outcome_known(device, cls_panel_test_fact(type, resident))) return CLSOLVE_OK;
    cls_panel_choose(&panel, &shape);
    CLS_TRY(resident ? cls_panel_moves_build(&panel) : cls_panel_build(&panel));
    if (resident) CLS_TRY(cls_panel_resident_announce(&panel, 1));
    CLS_TRY(cls_transfer_create(device, type, &transfer));
    return cls_trsm(device, CLS_BLAS_DEFAULT, type, CLS_UPPER, CLSOLVE_NO_TRANS, N, 1, none, none);
}

static clsolve_status find_form(cls_device *device, clsolve_type type, int64_t leaf, int resident, int *found) {
    const way whole = {.leaf = leaf, .resident = resident}, steps = {.leaf = leaf, .by_steps = 1};
    int right = 0;

    *found = CLS_PANEL_KERNELS_RIGHT;
    CLS_TRY(try_way(device, type, &whole, &right));
    if (!right && !resident) {
        *found = CLS_PANEL_KERNELS_NO_WHOLE;
        CLS_TRY(try_way(device, type, &steps, &right));
    }
    if (!right) *found = CLS_PANEL_KERNELS_WRONG;
    return CLSOLVE_OK;
}

/* With sub-groups, where the device has them; without, where they do not build, do not start or are wrong. */
static clsolve_status find_outcome(cls_device *device, clsolve_type type, int64_t leaf, int resident, int *found) {
    const cls_sub_groups had = device->sub_groups;
    const cls_error before = *device->error;
    int plain = CLS_PANEL_KERNELS_WRONG;
    clsolve_status status = find_form(device, type, leaf, resident, found);

    if (had == CLS_SUB_GROUPS_NONE || (status == CLSOLVE_OK && *found == CLS_PANEL_KERNELS_RIGHT)) return status;
    if (status != CLSOLVE_OK && status != CLSOLVE_ERROR_BUILD && status != CLSOLVE_ERROR_DEVICE) return status;
    const int with = status == CLSOLVE_OK ? *found : CLS_PANEL_KERNELS_WRONG + 1;
    *device->error = before;
    device->sub_groups = CLS_SUB_GROUPS_NONE;
    status = find_form(device, type, leaf, resident, &plain);
    if (status == CLSOLVE_OK && plain < with) {
        cls_panel_sub_groups_fail(device);
        *found = plain;
    } else {
        device->sub_groups = had;
    }
    return status;
}

clsolve_status cls_panel_self_test(cls_device *device, clsolve_type type, int64_t leaf, int resident,
                                   cls_panel_kernels *form) {
    const char *name = cls_panel_test_fact(type, resident);
    int known = outcome_known(device, name);

    if (known == 0) {
        CLS_TRY(find_outcome(device, type, leaf, resident, &known));
        cls_panel_remember(device, name, known);
    }
    *form = (cls_panel_kernels)known;
    return cls_fact_set(device, name, known);
}
