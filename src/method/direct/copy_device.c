/* copy_device.c: copies of A, and those on the device; copy_host.c has those on the host, copy_bits.c those of bits. */
#include "method/direct/copy.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/blas_int.h"
#include "base/memory.h"
#include "blas/blas.h"
#include "method/direct/refine.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"
#include "method/mapped.h"

/* ---- setup ---- */

static clsolve_status setup_device(cls_copy *copy, clsolve_type into, int mapped, int64_t slab_bytes) {
    cls_device *device = copy->device;
    int64_t n = copy->n, columns = CLS_REFINE_COLUMNS;

    CLS_TRY(cls_matrix_create(device, copy->type, n, n, 1, slab_bytes, &copy->A));
    CLS_TRY(cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->X));
    CLS_TRY(cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->R));
    CLS_TRY(cls_scaling_create(device, n, copy->type, into, mapped, &copy->scaling));
    if (mapped) {
        CLS_TRY(cls_matrix_map(device, &copy->A));
        CLS_TRY(cls_matrix_map(device, &copy->X));
        return cls_matrix_map(device, &copy->R);
    }
    CLS_TRY(cls_transfer_create(device, copy->type, &copy->transfer));
    return cls_check_create(device, copy->type, &copy->check);
}

static void release_device(cls_copy *copy) {
    cls_device *device = copy->device;
    cls_matrix_destroy(device, &copy->A);
    cls_matrix_destroy(device, &copy->X);
    cls_matrix_destroy(device, &copy->R);
    cls_transfer_destroy(device, &copy->transfer);
    cls_check_destroy(device, &copy->check);
    cls_scaling_destroy(device, &copy->scaling);
    cls_symmetric_destroy(device, &copy->mirror);
    cls_copy_release_bits(copy);
}

static clsolve_status take_scaling(cls_copy *copy) {
    cls_scaling *s = &copy->scaling;

    s->n = copy->n;
    s->type = copy->type;
    s->host_r = cls_alloc((size_t)copy->n, sizeof(double));
    s->host_c = cls_alloc((size_t)copy->n, sizeof(double));
    if (s->host_r && s->host_c) return CLSOLVE_OK;
    return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the scaling of %lld rows",
                    (long long)copy->n);
}

static clsolve_status setup_bits(cls_copy *copy, clsolve_type into, int64_t slab_bytes) {
    cls_device *device = copy->device;
    int64_t n = copy->n, columns = CLS_REFINE_COLUMNS;

    CLS_TRY(cls_matrix_create(device, copy->type, n, n, 1, slab_bytes, &copy->A));
    CLS_TRY(cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->X));
    CLS_TRY(cls_matrix_create(device, copy->type, n, columns, 1, slab_bytes, &copy->R));
    CLS_TRY(take_scaling(copy));
    CLS_TRY(cls_transfer_create(device, into, &copy->to_factors));
    return cls_copy_setup_bits(copy);
}

/* Room for n lines of `length` numbers each, and for r and c. */
static clsolve_status take_host(cls_copy *copy, int64_t length) {
    size_t n = (size_t)copy->n;

    copy->length = length;
    copy->values = cls_alloc(n, (size_t)(length * cls_type_parts(copy->type)) * sizeof *copy->values);
    if (copy->values) return take_scaling(copy);
    return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                    "no host memory for a copy of A: %lld x %lld doubles", (long long)length, (long long)copy->n);
}

static clsolve_status setup_host(cls_copy *copy, clsolve_type into, int mapped) {
    cls_error *error = copy->device->error;

    if (!CLS_BLAS_FITS(copy->n * cls_type_parts(copy->type)))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "refinement on the host counts no more than %d rows",
                        INT_MAX / (int)cls_type_parts(copy->type));
    CLS_TRY(take_host(copy, copy->n));
    copy->lines = cls_alloc((size_t)copy->n * CLS_COPY_LINES, (size_t)cls_type_size(into));
    if (!copy->lines) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for lines of a copy of A");
    return mapped ? CLSOLVE_OK : cls_transfer_create(copy->device, into, &copy->to_factors);
}

typedef struct types {
    cls_device *device;
    clsolve_type own, into;
} types;

static clsolve_status announced(void *what) {
    const types *t = what;
    cls_bits bits = {0};
    cls_scaling scaling = {0};
    cls_check check = {0};
    cls_transfer transfer = {0};
    if (cls_is_double(t->own) && !t->device->info.fp64) {
        if (cls_is_complex(t->own)) return cls_transfer_create(t->device, t->into, &transfer); /* a copy on the host */
        CLS_TRY(cls_transfer_create(t->device, t->into, &transfer));
        return cls_copy_build_bits(t->device, &bits);
    }
    CLS_TRY(cls_scaling_build(t->device, t->own, t->into, &scaling));
    CLS_TRY(cls_check_create(t->device, t->own, &check));
    return cls_transfer_create(t->device, t->own, &transfer);
}

clsolve_status cls_copy_announce(cls_device *device, clsolve_type type, clsolve_type into) {
    types t = {device, type, into};
    return cls_announce(device, announced, &t);
}

static clsolve_status ready(cls_copy *copy, clsolve_status status) {
    copy->r = copy->scaling.host_r;
    copy->c = copy->scaling.host_c;
    copy->unit = copy->scaling.uniform = 1;
    return status;
}

clsolve_status cls_copy_setup(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                              int on_host, int64_t slab_bytes, cls_copy *copy) {
    copy->device = device;
    copy->type = type;
    copy->n = n;
    int computes = !cls_is_double(type) || device->info.fp64;
    int no_bits = mapped || cls_is_complex(type); /* cl/double_bits.cl reads real doubles, on a device */
    clsolve_status status = on_host || (no_bits && !computes) ? CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY
                            : computes                        ? setup_device(copy, into, mapped, slab_bytes)
                                                              : setup_bits(copy, into, slab_bytes);
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) {
        release_device(copy);
        cls_transfer_destroy(device, &copy->to_factors);
        status = setup_host(copy, into, mapped);
    }
    return ready(copy, status);
}

clsolve_status cls_copy_setup_spread(cls_device *device, int64_t n, clsolve_type type, void *spread, cls_copy *copy) {
    copy->device = device;
    copy->type = type;
    copy->n = n;
    copy->spread = spread;
    return ready(copy, take_scaling(copy));
}

clsolve_status cls_copy_setup_symmetric(cls_copy *copy) {
    copy->symmetric = 1;
    if (copy->values || copy->A.mapped) return CLSOLVE_OK;
    return cls_symmetric_create(copy->device, copy->type, &copy->mirror);
}

clsolve_status cls_copy_setup_band(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                   cls_copy *copy) {
    int64_t length = kl + ku + 1;

    copy->device = device;
    copy->type = type;
    copy->n = n;
    copy->kl = kl;
    copy->ku = ku;
    copy->is_band = 1;
    if (!CLS_BLAS_FITS(n * cls_type_parts(type), length))
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "refinement and equilibration count no more than %d rows", INT_MAX / (int)cls_type_parts(type));
    return ready(copy, take_host(copy, length));
}

void cls_copy_release(cls_copy *copy) {
    if (!copy->device) return;
    /* Work that still runs uses a dense copy's buffers; a band's copy has none. */
    if (!copy->is_band) (void)copy->device->ops->finish(copy->device, CLS_COMPUTE);
    release_device(copy);
    cls_transfer_destroy(copy->device, &copy->to_factors);
    cls_free(copy->values);
    cls_free(copy->lines);
    *copy = (cls_copy){0};
}

int64_t cls_copy_bytes(const cls_copy *copy) {
    return copy->A.bytes + copy->X.bytes + copy->R.bytes;
}

/* ---- a matrix on the device ---- */

static clsolve_status measure_device(cls_copy *copy) {
    CLS_TRY(cls_check_enqueue(copy->device, &copy->check, &copy->A, copy->n, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(copy->device, &copy->check, copy->n, &copy->measures, NULL));
    if (copy->n == 0) copy->measures = (cls_measures){.row = -1, .column = -1}; /* nothing was measured */
    return CLSOLVE_OK;
}

static clsolve_status take_device(cls_copy *copy, const clsolve_matrix *A, int scale) {
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
        return cls_copy_find_symmetric(copy, scale);
    }
    CLS_TRY(cls_scaling_find(device, &copy->scaling, &copy->A, copy->measures.largest, scale));
    copy->norm_inf = copy->scaling.norm_inf;
    return CLSOLVE_OK;
}

/* One run of X's columns, which lie in one slab as R's do; A slab by slab. */
static clsolve_status multiply_run(cls_copy *copy, clsolve_op op, int64_t begin, int64_t cols) {
    cls_device *device = copy->device;
    int64_t n = copy->n;

    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(&copy->A, j, n);
        cls_ref A = cls_matrix_at(&copy->A, 0, j), X = cls_matrix_at(&copy->X, 0, begin);
        cls_ref R = cls_matrix_at(&copy->R, 0, begin);
        if (op == CLSOLVE_NO_TRANS)
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, copy->type, op, CLSOLVE_NO_TRANS, n, cols, run, -1.0, A,
                             cls_ref_at(X, j, 0), 1.0, R));
        else
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, copy->type, op, CLSOLVE_NO_TRANS, run, cols, n, -1.0, A, X, 1.0,
                             cls_ref_at(R, j, 0)));
    }
    return CLSOLVE_OK;
}

static clsolve_status residual_device(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R) {
    cls_device *device = copy->device;

    CLS_TRY(cls_vectors_up(device, &copy->transfer, cols, X, &copy->X));
    CLS_TRY(cls_vectors_up(device, &copy->transfer, cols, R, &copy->R));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&copy->X, c, cols);
        CLS_TRY(multiply_run(copy, op, c, run));
    }
    return cls_vectors_down(device, &copy->transfer, cols, &copy->R, R);
}

/* ---- either ---- */

/* `lines` lines of n elements into the copy's, from line `begin` on. */
static void take_lines(cls_copy *copy, clsolve_type type, const void *from, int64_t ld, int64_t begin, int64_t lines) {
    const int64_t parts = cls_type_parts(type), n = copy->n * parts;

    for (int64_t l = 0; l < lines; ++l)
        for (int64_t k = 0; k < n; ++k)
            copy->values[(begin + l) * n + k] = cls_type_get(type, from, l * ld * parts + k);
}

/* A that lies on the device comes to the host, because there is no room for a copy on the device. */
static clsolve_status fetch_lines(cls_copy *copy, const clsolve_matrix *A) {
    int64_t n = copy->n;

    if (cls_is_double(A->type)) return cls_fetch_lines(copy->device, A, 0, n, copy->values);
    float *singles = cls_alloc((size_t)(n * cls_type_parts(A->type)), CLS_COPY_LINES * sizeof *singles);
    if (!singles)
        return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for lines of a copy of A");
    clsolve_status status = CLSOLVE_OK;
    for (int64_t l = 0, lines; l < n && status == CLSOLVE_OK; l += lines) {
        lines = n - l < CLS_COPY_LINES ? n - l : CLS_COPY_LINES;
        status = cls_fetch_lines(copy->device, A, l, lines, singles);
        if (status == CLSOLVE_OK) take_lines(copy, A->type, singles, n, l, lines);
    }
    cls_free(singles);
    return status;
}

static clsolve_status take_dense_host(cls_copy *copy, const clsolve_matrix *A, int scale) {
    copy->by_rows = A->layout == CLSOLVE_ROW_MAJOR;
    if (A->place == CLSOLVE_ON_DEVICE)
        CLS_TRY(fetch_lines(copy, A));
    else
        take_lines(copy, A->type, A->data, A->ld, 0, copy->n);
    if (copy->symmetric)
        cls_symmetric_mirror_host(cls_double_type(copy->type), copy->n, copy->values, copy->n, copy->upper,
                                  copy->conjugate);
    cls_copy_prepare(copy, scale);
    return CLSOLVE_OK;
}

clsolve_status cls_copy_take(cls_copy *copy, const clsolve_matrix *A, int scale) {
    if (copy->bits.on) return cls_copy_take_bits(copy, A, scale);
    return copy->values ? take_dense_host(copy, A, scale) : take_device(copy, A, scale);
}

clsolve_status cls_copy_write(cls_copy *copy, const cls_matrix *factors) {
    if (copy->values) return cls_copy_write_host(copy, factors);
    if (copy->bits.on) return cls_copy_write_bits(copy, factors);
    return cls_scaling_to(copy->device, &copy->scaling, &copy->A, factors);
}

/* The host's lines go as the caller's did. */
static clsolve_status upload_lines(cls_copy *copy, const cls_matrix *to) {
    cls_device *device = copy->device;
    clsolve_matrix view = clsolve_matrix_f64(copy->n, copy->n, copy->values);
    view.type = cls_double_type(copy->type);
    cls_transfer transfer = {0};

    if (copy->by_rows) view.layout = CLSOLVE_ROW_MAJOR;
    clsolve_status status = cls_transfer_create(device, copy->type, &transfer);
    if (status == CLSOLVE_OK) status = cls_upload_square(device, &transfer, &view, to);
    clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
    cls_transfer_destroy(device, &transfer);
    return status != CLSOLVE_OK ? status : waited;
}

clsolve_status cls_copy_write_plain(cls_copy *copy, const cls_matrix *to) {
    cls_device *device = copy->device;
    int64_t n = copy->n, size = cls_type_size(copy->type);

    if (copy->values) return upload_lines(copy, to);
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

clsolve_status cls_copy_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_copy *copy = self;
    size_t bytes = (size_t)(copy->n * cols * cls_type_parts(copy->type)) * sizeof *R;

    if (B)
        memcpy(R, B, bytes);
    else
        memset(R, 0, bytes);
    if (copy->bits.on) return cls_copy_residual_bits(copy, op, cols, X, R);
    if (!copy->values) return residual_device(copy, op, cols, X, R);
    cls_copy_residual_host(copy, op, cols, X, R);
    return CLSOLVE_OK;
}

int64_t cls_copy_exponent(const cls_copy *copy) {
    return cls_scaling_exponent(&copy->scaling) - copy->n * ilogb(copy->unit);
}
