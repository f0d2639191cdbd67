/* copy_device.c: copies of A on the device, in the caller's type. */
#include "blas/blas.h"
#include "method/direct/copy.h"
#include "method/direct/refine.h"
#include "method/direct/vectors.h"
#include "method/mapped.h"

clsolve_status cls_copy_setup_matrices(cls_copy *copy, int64_t slab_bytes) {
    cls_device *device = copy->device;
    int64_t n = copy->n, columns = CLS_REFINE_COLUMNS;

    CLS_TRY(cls_matrix_create(device, copy->type, n, n, 1, slab_bytes, &copy->A));
    CLS_TRY(cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->X));
    return cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->R);
}

clsolve_status cls_copy_setup_device(cls_copy *copy, clsolve_type into, int mapped, int64_t slab_bytes) {
    cls_device *device = copy->device;

    copy->form = &cls_copy_on_device;
    CLS_TRY(cls_copy_setup_matrices(copy, slab_bytes));
    CLS_TRY(cls_scaling_create(device, copy->n, copy->type, into, mapped, &copy->scaling));
    if (mapped) {
        CLS_TRY(cls_matrix_map(device, &copy->A));
        CLS_TRY(cls_matrix_map(device, &copy->X));
        return cls_matrix_map(device, &copy->R);
    }
    CLS_TRY(cls_transfer_create(device, copy->type, &copy->transfer));
    return cls_check_create(device, copy->type, &copy->check);
}

static clsolve_status measure_device(cls_copy *copy) {
    CLS_TRY(cls_check_enqueue(copy->device, &copy->check, &copy->A, copy->n, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(copy->device, &copy->check, copy->n, &copy->measures, NULL));
    if (copy->n == 0) copy->measures = (cls_measures){.row = -1, .column = -1}; /* nothing was measured */
    return CLSOLVE_OK;
}

/* As cls_copy_largest, of columns alone; both arrays are the scaling's own. */
static clsolve_status largest_of(cls_copy *copy, int columns, const double *r, double *largest) {
    (void)columns, (void)r, (void)largest;
    return cls_scaling_find_columns(copy->device, &copy->scaling, &copy->A);
}

static clsolve_status take(cls_copy *copy, const clsolve_matrix *A, int scale) {
    cls_device *device = copy->device;

    CLS_TRY(copy->symmetric ? cls_symmetric_upload(device, &copy->transfer, A, copy->upper, &copy->A)
                            : cls_upload_square(device, &copy->transfer, A, &copy->A));
    if (copy->symmetric) CLS_TRY(cls_symmetric_mirror(device, &copy->mirror, &copy->A, copy->upper, copy->conjugate));
    CLS_TRY(measure_device(copy));
    if (copy->measures.row >= 0) return CLSOLVE_OK;
    copy->unit = cls_scaling_unit(copy->type, copy->measures.largest);
    if (copy->unit != 1) {
        CLS_TRY(cls_scaling_uniform(device, &copy->scaling, copy->A.mapped != NULL, copy->unit));
        CLS_TRY(cls_scaling_rows(device, &copy->scaling, &copy->A, copy->n, 1));
        CLS_TRY(measure_device(copy));
    }
    if (copy->symmetric) {
        copy->norm_inf = copy->measures.norm1;
        return cls_copy_find_symmetric(copy, scale, largest_of);
    }
    CLS_TRY(cls_scaling_find(device, &copy->scaling, &copy->A, copy->measures.largest, scale));
    copy->norm_inf = copy->scaling.norm_inf;
    return CLSOLVE_OK;
}

static clsolve_status write(cls_copy *copy, const cls_matrix *factors) {
    return cls_scaling_to(copy->device, &copy->scaling, &copy->A, factors);
}

static clsolve_status write_plain(cls_copy *copy, const cls_matrix *to) {
    cls_device *device = copy->device;
    int64_t n = copy->n, size = cls_type_size(copy->type);

    if (copy->A.mapped) {
        cls_mapped_copy(&copy->A, to);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < n; j += run) { /* both have the same rows and type, hence the same ld */
        run = cls_matrix_run(to, j, n);
        run = cls_matrix_run(&copy->A, j, j + run);
        cls_ref from = cls_matrix_at(&copy->A, 0, j), into = cls_matrix_at(to, 0, j);
        CLS_TRY(device->ops->copy(device, CLS_COMPUTE, from.buffer, (size_t)(from.offset * size), into.buffer,
                                  (size_t)(into.offset * size), (size_t)(run * from.ld * size)));
    }
    return CLSOLVE_OK;
}

/* One run of X's columns, which lie in one slab as R's do; A slab by slab. */
static clsolve_status multiply_run(cls_copy *copy, clsolve_op op, int64_t begin, int64_t cols) {
    cls_device *device = copy->device;
    int64_t n = copy->n;
    const int is_vector =
        cols == 1 && op == CLSOLVE_NO_TRANS && copy->scaling.row_residual && device->info.type == CLSOLVE_DEVICE_GPU;

    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(&copy->A, j, n);
        cls_ref A = cls_matrix_at(&copy->A, 0, j), X = cls_matrix_at(&copy->X, 0, begin);
        cls_ref R = cls_matrix_at(&copy->R, 0, begin);
        if (is_vector)
            CLS_TRY(cls_scaling_residual(device, &copy->scaling, A, run, cls_ref_at(X, j, 0), R));
        else if (op == CLSOLVE_NO_TRANS)
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, copy->type, op, CLSOLVE_NO_TRANS, n, cols, run, -1.0, A,
                             cls_ref_at(X, j, 0), 1.0, R));
        else
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, copy->type, op, CLSOLVE_NO_TRANS, run, cols, n, -1.0, A, X, 1.0,
                             cls_ref_at(R, j, 0)));
    }
    return CLSOLVE_OK;
}

static clsolve_status residual(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R) {
    cls_device *device = copy->device;
    const double *const values[2] = {X, R};
    const cls_matrix *const matrix[2] = {&copy->X, &copy->R};
    clsolve_status status = cls_vectors_up_both(device, &copy->transfer, cols, values, matrix);

    for (int64_t c = 0, run; c < cols && status == CLSOLVE_OK; c += run) {
        run = cls_matrix_run(&copy->X, c, cols);
        status = multiply_run(copy, op, c, run);
    }
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    return cls_vectors_down(device, &copy->transfer, cols, &copy->R, R);
}

const cls_copy_form cls_copy_on_device = {take, write, write_plain, residual};
