/*
 * device_values.c: values of A that lie in the caller's memory on the device. They are checked where they lie, copied
 * on the device and scaled there. The host gets them only when it wants them: A.value is stale until then.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/type.h"
#include "device/matrix.h"
#include "method/fronts_device/rows.h"
#include "method/sparse/engine.h"
#include "method/transfer.h"

enum { GROUPS = 512 };                                                             /* work-groups, at most */
enum { UNREAD = 1, REAL_ALONE = 2, UNIT = 4, AS_CONJUGATES = 1, AS_THEY_ARE = 2 }; /* as in cl/front_values.cl */

struct cls_sparse_values {
    cls_device *device;
    cls_kernel *check, *take;
    int64_t local, groups;
    int marked, paired;
    cls_buffer *mark, *twin; /* NULL: none */
    cls_buffer *given;       /* the values of the factors in use, as the caller gave them */
    cls_buffer *partial;
};

/* ---- open, close ---- */

static clsolve_status no_memory(cls_device *device) {
    return cls_no_memory(device->error, "values on the device");
}

/* The parts of each entry that are read, and its scale. */
static void make_marks(const cls_sparse *sparse, int32_t *mark) {
    const clsolve_sparse_part part = sparse->whole ? CLSOLVE_SPARSE_WHOLE : sparse->options.part;
    const int hermitian = cls_form_conjugates(sparse->options.form);
    for (int64_t i = 0; i < sparse->A.n; i++)
        for (int64_t e = sparse->A.start[i]; e < sparse->A.start[i + 1]; e++) {
            const int64_t j = sparse->A.column[e];
            int32_t bits = cls_sparse_reads(part, i, j) ? 0 : UNREAD;
            if (hermitian && i == j) bits |= REAL_ALONE;
            mark[e] = bits;
            if (sparse->row_scale) mark[e] += UNIT * (ilogb(sparse->row_scale[i]) + ilogb(sparse->col_scale[j]));
        }
}

static clsolve_status put_marks(cls_sparse_values *v, const cls_sparse *sparse) {
    const size_t count = (size_t)sparse->A.entries;
    v->marked =
        sparse->row_scale || !sparse->whole || (cls_form_conjugates(sparse->options.form) && sparse->A.parts == 2);
    if (!v->marked) return CLSOLVE_OK;
    int32_t *mark = cls_alloc(count + 1, sizeof *mark);
    if (!mark) return no_memory(v->device);
    make_marks(sparse, mark);
    const clsolve_status status = cls_bytes_make(v->device, mark, count * sizeof *mark, &v->mark);
    cls_free(mark);
    return status;
}

static clsolve_status put_twins(cls_sparse_values *v, cls_sparse *sparse) {
    if (cls_form_is_one_sided(sparse->options.form) && sparse->whole)
        v->paired = cls_form_conjugates(sparse->options.form) ? AS_CONJUGATES : AS_THEY_ARE;
    if (!v->paired) return CLSOLVE_OK;
    if (!cls_sparse_make_twins(sparse)) return no_memory(v->device);
    return cls_bytes_make(v->device, sparse->twin, (size_t)sparse->A.entries * sizeof *sparse->twin, &v->twin);
}

static clsolve_status get_kernels(cls_sparse_values *v, clsolve_type type) {
    char options[160];
    const cls_named_kernel wanted[] = {{"values_check", &v->check}, {"values_take", &v->take}};
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)v->local);
    return CLS_KERNELS_MAKE(v->device, "front_values", options, wanted);
}

static clsolve_status open_parts(cls_sparse *sparse) {
    cls_sparse_values *v = sparse->values;
    cls_device *device = v->device;
    const size_t bytes = (size_t)(sparse->A.entries * cls_type_size(sparse->type));
    CLS_TRY(get_kernels(v, sparse->type));
    CLS_TRY(put_marks(v, sparse));
    CLS_TRY(put_twins(v, sparse));
    CLS_TRY(device->ops->buffer_create(device, (size_t)v->groups * 2 * sizeof(double), &v->partial));
    return device->ops->buffer_create(device, bytes, &v->given);
}

static clsolve_status open_values(cls_sparse *sparse) {
    cls_device *device = sparse->device;
    if (sparse->values) return CLSOLVE_OK;
    cls_sparse_values *v = cls_alloc(1, sizeof *v);
    if (!v) return no_memory(device);
    *v = (cls_sparse_values){.device = device, .local = cls_work_group(device, 256)};
    v->groups = (sparse->A.entries + v->local - 1) / v->local;
    if (v->groups > GROUPS) v->groups = GROUPS;
    sparse->values = v;
    const clsolve_status status = open_parts(sparse);
    if (status != CLSOLVE_OK) cls_sparse_values_close(sparse);
    return status;
}

void cls_sparse_values_close(cls_sparse *sparse) {
    cls_sparse_values *v = sparse->values;
    if (!v) return;
    const cls_error first = *v->device->error; /* the wait may overwrite it */
    (void)v->device->ops->finish(v->device, CLS_COMPUTE);
    CLS_BUFFERS_DESTROY(v->device, v->mark, v->twin, v->given, v->partial);
    CLS_KERNELS_DESTROY(v->device, v->check, v->take);
    *v->device->error = first;
    cls_free(v);
    sparse->values = NULL;
    sparse->values_there = 0;
}

/* ---- from the caller ---- */

static clsolve_status launch(const cls_sparse_values *v, cls_kernel *kernel, const cls_arg *args, int32_t count) {
    const size_t local = (size_t)v->local;
    const cls_grid grid = {{(size_t)v->groups * local, 1, 1}, {local, 1, 1}};
    return cls_launch(v->device, CLS_COMPUTE, kernel, &grid, ((cls_args){args, count}));
}

static clsolve_status enqueue_check(const cls_sparse *sparse, cls_buffer *theirs, int64_t offset) {
    const cls_sparse_values *v = sparse->values;
    const int32_t marked = v->marked, paired = v->paired;
    const cls_arg args[] = {CLS_BUFFER(theirs),
                            CLS_VALUE(offset),
                            CLS_VALUE(sparse->A.entries),
                            CLS_BUFFER(v->marked ? v->mark : v->partial),
                            CLS_VALUE(marked),
                            CLS_BUFFER(v->paired ? v->twin : v->partial),
                            CLS_VALUE(paired),
                            CLS_BUFFER(v->partial)};
    return launch(v, v->check, args, 8);
}

/* *most: of the scaled parts; *fine 0: an entry is NaN or Inf, or A is not of its form. */
static clsolve_status check(const cls_sparse *sparse, cls_buffer *theirs, int64_t offset, double *most, int *fine) {
    const cls_sparse_values *v = sparse->values;
    double partial[2 * GROUPS];
    CLS_TRY(enqueue_check(sparse, theirs, offset));
    CLS_TRY(cls_bytes_get(sparse->device, v->partial, 0, partial, (size_t)v->groups * 2 * sizeof *partial));
    *most = 0;
    *fine = 1;
    for (int64_t k = 0; k < v->groups; k++) {
        *fine = *fine && isfinite(partial[2 * k]) && partial[2 * k + 1] == 0;
        *most = fmax(*most, partial[2 * k]);
    }
    return CLSOLVE_OK;
}

/* The values from the caller's buffer into `given`, and scaled into there->value. Their range is set. */
static clsolve_status take_copy(cls_sparse *sparse, const clsolve_matrix *values, cls_buffer *theirs) {
    const cls_sparse_values *v = sparse->values;
    const size_t size = (size_t)cls_type_size(sparse->type);
    const int32_t marked = v->marked, less = sparse->there->exponent;
    const cls_arg args[] = {CLS_BUFFER(v->given),
                            CLS_VALUE(sparse->A.entries),
                            CLS_BUFFER(v->marked ? v->mark : v->partial),
                            CLS_VALUE(marked),
                            CLS_VALUE(less),
                            CLS_BUFFER(sparse->there->value)};
    CLS_TRY(v->device->ops->copy(v->device, CLS_COMPUTE, theirs, (size_t)values->offset * size, v->given, 0,
                                 (size_t)sparse->A.entries * size));
    return launch(v, v->take, args, 6);
}

static clsolve_status take(cls_sparse *sparse, const clsolve_matrix *values, cls_buffer *theirs, int *taken) {
    const size_t size = (size_t)cls_type_size(sparse->type);
    double most;
    int fine, exponent = 0;
    if (!cls_buffer_takes_kernels(theirs, values->offset, (int64_t)size, 0)) return CLSOLVE_OK;
    CLS_TRY(check(sparse, theirs, values->offset, &most, &fine));
    if (!fine) return CLSOLVE_OK;
    (void)frexp(most, &exponent);
    (void)cls_front_set_range(sparse->there, exponent);
    CLS_TRY(take_copy(sparse, values, theirs));
    *taken = 1;
    return sparse->device->ops->finish(sparse->device, CLS_COMPUTE);
}

clsolve_status cls_sparse_values_take(cls_sparse *sparse, const clsolve_matrix *values, int *taken) {
    cls_device *device = sparse->device;
    cls_buffer *theirs;
    *taken = 0;
    CLS_TRY(cls_sparse_open_there(sparse));
    if (!sparse->vectors) return CLSOLVE_OK;
    CLS_TRY(open_values(sparse));
    CLS_TRY(cls_transfer_adopt(device, values, &theirs));
    clsolve_status status = take(sparse, values, theirs, taken);
    device->ops->buffer_destroy(device, theirs);
    sparse->values_there = sparse->values_there || *taken;
    return status;
}

clsolve_status cls_sparse_values_enqueue(cls_sparse *sparse, const clsolve_matrix *values, cls_buffer **partial,
                                         int64_t *groups, int *taken) {
    cls_buffer *theirs;
    CLS_TRY(cls_transfer_adopt(sparse->device, values, &theirs));
    *taken = cls_buffer_takes_kernels(theirs, values->offset, cls_type_size(sparse->type), 0);
    clsolve_status status = *taken ? enqueue_check(sparse, theirs, values->offset) : CLSOLVE_OK;
    if (status == CLSOLVE_OK && *taken) status = take_copy(sparse, values, theirs);
    sparse->device->ops->buffer_destroy(sparse->device, theirs);
    if (*taken) sparse->values_there = 1;
    *partial = sparse->values->partial;
    *groups = sparse->values->groups;
    return status;
}

/* ---- to the host ---- */

clsolve_status cls_sparse_values_here(cls_error *error, const char *call, cls_sparse *sparse) {
    const size_t size = (size_t)sparse->A.parts * sizeof *sparse->spare;
    if (!sparse->values_there) return CLSOLVE_OK;
    if (!sparse->spare) sparse->spare = cls_alloc((size_t)sparse->A.entries + 1, size);
    if (!sparse->spare) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for values", call);
    CLS_TRY(cls_bytes_get(sparse->device, sparse->values->given, 0, sparse->spare, (size_t)sparse->A.entries * size));
    const clsolve_csr view = {.type = sparse->type, .values = sparse->spare};
    sparse->values_there = 0;
    return cls_sparse_read_values(error, call, &view, sparse);
}
