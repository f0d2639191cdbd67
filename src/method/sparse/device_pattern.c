/*
 * device_pattern.c: kernels for residuals on the device, the pattern and the scales of the matrix by positions, and
 * memory of vectors.
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/type.h"
#include "method/sparse/device_vectors.h"

enum { GROUPS = 1024 }; /* work-groups of a column, at most */

/* ---- open, close ---- */

clsolve_status cls_vectors_no_memory(cls_device *device) {
    return cls_no_memory(device->error, "vectors on the device");
}

static clsolve_status get_kernels(cls_sparse_vectors *v, clsolve_type type) {
    const cls_named_kernel wanted[] = {{"residual_sizes", &v->sizes}, {"residual_spread", &v->spread},
                                       {"residual_add", &v->add},     {"residual_rows", &v->rows},
                                       {"residual_norm", &v->norm},   {"residual_gather", &v->gather},
                                       {"residual_most", &v->most},   {"residual_deliver", &v->deliver}};
    char options[160];
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)v->local);
    return CLS_KERNELS_MAKE(v->device, "front_residual", options, wanted);
}

/* Vectors stay on the device, whose kernels are not there yet. */
static int wants_vectors(const cls_sparse *sparse) {
    return !sparse->vectors && cls_is_double(sparse->there->type) && sparse->A.entries < INT32_MAX;
}

static int64_t group_of(const cls_device *device) {
    return cls_work_group(device, 256);
}

clsolve_status cls_vectors_announce(cls_device *device, clsolve_type type) {
    cls_sparse_vectors none = {.device = device, .local = group_of(device)};
    device->announcing = 1;
    const clsolve_status status = get_kernels(&none, type);
    device->announcing = 0;
    return status;
}

clsolve_status cls_sparse_vectors_announce(cls_sparse *sparse) {
    return wants_vectors(sparse) ? cls_vectors_announce(sparse->device, sparse->there->type) : CLSOLVE_OK;
}

clsolve_status cls_sparse_vectors_open(cls_sparse *sparse) {
    cls_device *device = sparse->device;
    if (!wants_vectors(sparse)) return CLSOLVE_OK;
    cls_sparse_vectors *v = cls_alloc(1, sizeof *v);
    if (!v) return cls_vectors_no_memory(device);
    *v = (cls_sparse_vectors){.device = device, .local = group_of(device)};
    v->groups = (sparse->A.n + v->local - 1) / v->local;
    if (v->groups > GROUPS) v->groups = GROUPS;
    sparse->vectors = v;
    const size_t count = (size_t)CLS_VECTORS_SIDES * CLS_VECTORS_SLOTS * sizeof(double);
    clsolve_status status = get_kernels(v, sparse->there->type);
    if (status == CLSOLVE_OK) status = device->ops->buffer_create(device, (size_t)v->groups * count, &v->partial);
    if (status == CLSOLVE_OK) status = device->ops->buffer_create(device, count, &v->found);
    if (status != CLSOLVE_OK) cls_sparse_vectors_close(sparse);
    return status;
}

static void free_places(cls_sparse_vectors *v) {
    if (v->row_at == v->column_at) v->column_at = NULL; /* one for both */
    CLS_BUFFERS_DESTROY(v->device, v->row_at, v->column_at, v->row_scale, v->col_scale);
    v->row_at = v->column_at = v->row_scale = v->col_scale = NULL;
    v->placed = 0;
}

static void free_columns(cls_sparse_vectors *v) {
    CLS_BUFFERS_DESTROY(v->device, v->b, v->x, v->next);
    v->b = v->x = v->next = NULL;
    v->sides = 0;
}

void cls_sparse_vectors_close(cls_sparse *sparse) {
    cls_sparse_vectors *v = sparse->vectors;
    if (!v) return;
    const cls_error first = *v->device->error; /* the wait may overwrite it */
    (void)v->device->ops->finish(v->device, CLS_COMPUTE);
    free_places(v);
    free_columns(v);
    for (int k = 0; k < 2; k++) cls_device_rows_free(v->device, &v->of[k]);
    CLS_BUFFERS_DESTROY(v->device, v->partial, v->found);
    CLS_KERNELS_DESTROY(v->device, v->sizes, v->spread, v->add, v->rows, v->norm, v->gather, v->most, v->deliver);
    *v->device->error = first;
    cls_free(v);
    sparse->vectors = NULL;
}

int cls_sparse_vectors_may(const cls_sparse *sparse) {
    return sparse->made_there && sparse->vectors;
}

void cls_sparse_vectors_renew(cls_sparse *sparse) {
    if (sparse->vectors) sparse->vectors->norm_of[0] = sparse->vectors->norm_of[1] = -1;
}

/* ---- what the device has of the matrix ---- */

static int64_t row_place(const cls_sparse *sparse, int64_t i) {
    return sparse->symbolic.tree.place[sparse->row_of ? sparse->row_of[i] : i];
}

static clsolve_status put_scales(cls_sparse_vectors *v, const cls_sparse *sparse) {
    const size_t bytes = (size_t)sparse->A.n * sizeof(double);
    double *by_place = cls_alloc((size_t)sparse->A.n + 1, sizeof *by_place);
    if (!by_place) return cls_vectors_no_memory(v->device);
    for (int64_t i = 0; i < sparse->A.n; i++) by_place[row_place(sparse, i)] = sparse->row_scale[i];
    clsolve_status status = cls_bytes_make(v->device, by_place, bytes, &v->row_scale);
    for (int64_t j = 0; j < sparse->A.n; j++) by_place[sparse->symbolic.tree.place[j]] = sparse->col_scale[j];
    if (status == CLSOLVE_OK) status = cls_bytes_make(v->device, by_place, bytes, &v->col_scale);
    cls_free(by_place);
    return status;
}

/* at: n, of the columns, and n, of the rows. */
static void find_places(const cls_sparse *sparse, int32_t *at) {
    const int64_t n = sparse->A.n;
    for (int64_t j = 0; j < n; j++) at[j] = (int32_t)sparse->symbolic.tree.place[j];
    for (int64_t i = 0; i < n; i++) at[n + i] = (int32_t)row_place(sparse, i);
}

static clsolve_status put_places(cls_sparse_vectors *v, const cls_sparse *sparse, const int32_t *at) {
    const size_t bytes = (size_t)sparse->A.n * sizeof *at;
    if (v->placed) return CLSOLVE_OK;
    clsolve_status status = cls_bytes_make(v->device, at, bytes, &v->column_at);
    v->row_at = v->column_at;
    if (status == CLSOLVE_OK && sparse->row_of) status = cls_bytes_make(v->device, at + sparse->A.n, bytes, &v->row_at);
    if (status == CLSOLVE_OK && sparse->row_scale) status = put_scales(v, sparse);
    v->placed = status == CLSOLVE_OK;
    if (!v->placed) free_places(v);
    return status;
}

/* When they are first wanted. */
clsolve_status cls_vectors_put_pattern(cls_sparse_vectors *v, const cls_sparse *sparse, int transposed) {
    const clsolve_sparse_part part = sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part;
    if (v->placed && v->of[transposed].start) return CLSOLVE_OK;
    int32_t *at = cls_alloc((size_t)sparse->A.n + 1, 2 * sizeof *at);
    if (!at) return cls_vectors_no_memory(v->device);
    find_places(sparse, at);
    clsolve_status status = put_places(v, sparse, at);
    if (status == CLSOLVE_OK && !v->of[transposed].start)
        status = cls_device_rows_make(v->device, &sparse->A, part, cls_form_conjugates(sparse->options.form),
                                      transposed, at + (transposed ? sparse->A.n : 0), &v->of[transposed]);
    cls_free(at);
    return status;
}

clsolve_status cls_vectors_reserve(cls_sparse_vectors *v, cls_sparse_device *there, int64_t sides) {
    cls_buffer **const buffers[] = {&v->b, &v->x, &v->next};
    CLS_TRY(cls_front_reserve(there, sides));
    if (sides <= v->sides) return CLSOLVE_OK;
    free_columns(v);
    for (size_t k = 0; k < sizeof buffers / sizeof buffers[0]; k++)
        CLS_TRY(v->device->ops->buffer_create(v->device, (size_t)(there->n * sides * cls_type_size(there->type)),
                                              buffers[k]));
    v->sides = sides;
    return CLSOLVE_OK;
}
