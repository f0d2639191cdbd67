#include "method/keep.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/memory.h"
#include "method/mapped.h"
#include "method/refine.h"
#include "method/vectors.h"

enum { LINES = 64 }; /* brought to the type of the factors at a time */

/* ---- setup ---- */

static clsolve_status setup_device(cls_keep *keep, clsolve_type into, int mapped, int64_t slab_bytes) {
    cls_device *device = keep->device;
    int64_t n = keep->n, columns = CLS_REFINE_COLUMNS;

    CLS_TRY(cls_matrix_create(device, keep->type, n, n, 1, slab_bytes, &keep->A));
    CLS_TRY(cls_matrix_create(device, keep->type, n, columns, 1, slab_bytes, &keep->X));
    CLS_TRY(cls_matrix_create(device, keep->type, n, columns, 1, slab_bytes, &keep->R));
    CLS_TRY(cls_scaling_create(device, n, keep->type, into, mapped, &keep->scaling));
    if (mapped) {
        CLS_TRY(cls_matrix_map(device, &keep->A));
        CLS_TRY(cls_matrix_map(device, &keep->X));
        return cls_matrix_map(device, &keep->R);
    }
    CLS_TRY(cls_transfer_create(device, keep->type, &keep->transfer));
    return cls_check_create(device, keep->type, &keep->check);
}

static void release_device(cls_keep *keep) {
    cls_device *device = keep->device;
    cls_matrix_destroy(device, &keep->A);
    cls_matrix_destroy(device, &keep->X);
    cls_matrix_destroy(device, &keep->R);
    cls_transfer_destroy(device, &keep->transfer);
    cls_check_destroy(device, &keep->check);
    cls_scaling_destroy(device, &keep->scaling);
}

static clsolve_status setup_host(cls_keep *keep, clsolve_type into, int mapped) {
    size_t n = (size_t)keep->n;
    cls_error *error = keep->device->error;

    if (keep->n > INT_MAX) /* what BLAS counts with */
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "refinement on the host counts no more than %d rows",
                        INT_MAX);
    keep->host = cls_alloc(n * n, sizeof *keep->host);
    keep->lines = cls_alloc(n * LINES, (size_t)cls_type_size(into));
    keep->scaling.n = keep->n;
    keep->scaling.type = keep->type;
    keep->scaling.host_r = cls_alloc(n, sizeof(double));
    keep->scaling.host_c = cls_alloc(n, sizeof(double));
    if (!keep->host || !keep->lines || !keep->scaling.host_r || !keep->scaling.host_c)
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a copy of A: %lld x %lld doubles",
                        (long long)keep->n, (long long)keep->n);
    return mapped ? CLSOLVE_OK : cls_transfer_create(keep->device, into, &keep->to_factors);
}

clsolve_status cls_keep_setup(cls_device *device, int64_t n, clsolve_type type, clsolve_type into, int mapped,
                              int on_host, int64_t slab_bytes, cls_keep *keep) {
    keep->device = device;
    keep->type = type;
    keep->n = n;
    int can = !on_host && (type == CLSOLVE_F32 || device->info.fp64);
    clsolve_status status = can ? setup_device(keep, into, mapped, slab_bytes) : CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) {
        release_device(keep);
        status = setup_host(keep, into, mapped);
    }
    keep->r = keep->scaling.host_r;
    keep->c = keep->scaling.host_c;
    keep->unit = keep->scaling.uniform = 1;
    return status;
}

void cls_keep_release(cls_keep *keep) {
    if (!keep->device) return;
    (void)keep->device->ops->finish(keep->device, CLS_COMPUTE); /* what still runs uses these buffers */
    release_device(keep);
    cls_transfer_destroy(keep->device, &keep->to_factors);
    cls_free(keep->host);
    cls_free(keep->lines);
    *keep = (cls_keep){0};
}

int64_t cls_keep_bytes(const cls_keep *keep) {
    return keep->A.bytes + keep->X.bytes + keep->R.bytes;
}

/* ---- a matrix on the device ---- */

static clsolve_status measure_device(cls_keep *keep) {
    CLS_TRY(cls_check_enqueue(keep->device, &keep->check, &keep->A, keep->n, 0));
    return cls_check_read(keep->device, &keep->check, keep->n, &keep->measures, NULL);
}

static clsolve_status set_device(cls_keep *keep, const clsolve_matrix *A, int scale, const cls_matrix *factors) {
    cls_device *device = keep->device;

    CLS_TRY(cls_upload_square(device, &keep->transfer, A, &keep->A));
    CLS_TRY(measure_device(keep));
    if (keep->measures.row >= 0) return CLSOLVE_OK;
    keep->unit = cls_scaling_lift(keep->type, keep->measures.largest);
    if (keep->unit != 1) {
        CLS_TRY(cls_scaling_uniform(device, &keep->scaling, keep->A.mapped != NULL, keep->unit));
        CLS_TRY(cls_scaling_rows(device, &keep->scaling, &keep->A, keep->n, 1));
        CLS_TRY(measure_device(keep));
    }
    CLS_TRY(cls_scaling_find(device, &keep->scaling, &keep->A, keep->measures.largest, scale));
    keep->norm_inf = keep->scaling.norm_inf;
    return cls_scaling_to(device, &keep->scaling, &keep->A, factors);
}

/* One run of X's columns, which lie in one slab as R's do; A slab by slab. */
static clsolve_status multiply_run(cls_keep *keep, clsolve_op op, int64_t begin, int64_t cols) {
    cls_device *device = keep->device;
    int64_t n = keep->n;

    for (int64_t j = 0, run; j < n; j += run) {
        run = cls_matrix_run(&keep->A, j, n);
        cls_ref A = cls_matrix_at(&keep->A, 0, j), X = cls_matrix_at(&keep->X, 0, begin);
        cls_ref R = cls_matrix_at(&keep->R, 0, begin);
        if (op == CLSOLVE_NO_TRANS)
            CLS_TRY(device->blas->gemm(device, keep->type, op, CLSOLVE_NO_TRANS, n, cols, run, -1.0, A,
                                       cls_ref_at(X, j, 0), 1.0, R));
        else
            CLS_TRY(device->blas->gemm(device, keep->type, op, CLSOLVE_NO_TRANS, run, cols, n, -1.0, A, X, 1.0,
                                       cls_ref_at(R, j, 0)));
    }
    return CLSOLVE_OK;
}

static clsolve_status residual_device(cls_keep *keep, clsolve_op op, int64_t cols, const double *X, double *R) {
    cls_device *device = keep->device;

    CLS_TRY(cls_vectors_up(device, &keep->transfer, cols, X, &keep->X));
    CLS_TRY(cls_vectors_up(device, &keep->transfer, cols, R, &keep->R));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&keep->X, c, cols);
        CLS_TRY(multiply_run(keep, op, c, run));
    }
    return cls_vectors_down(device, &keep->transfer, cols, &keep->R, R);
}

/* ---- a matrix on the host ---- */

/* Element `k` of line `l` is element (k, l) of A, or (l, k) with by_rows. */
static void measure_host(cls_keep *keep, double *across) {
    int64_t n = keep->n;
    double along = 0, most = 0;
    cls_measures *m = &keep->measures;

    *m = (cls_measures){.row = -1, .column = -1};
    memset(across, 0, (size_t)n * sizeof *across);
    for (int64_t l = 0; l < n; ++l) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k) {
            double value = keep->host[l * n + k], a = fabs(value);
            if (!isfinite(value)) { /* the first in column order, whichever way the lines lie */
                int64_t i = keep->by_rows ? l : k, j = keep->by_rows ? k : l;
                if (m->row < 0 || j < m->column || (j == m->column && i < m->row)) m->row = i, m->column = j;
            }
            sum += a * CLS_NORM_SCALE;
            across[k] += a * CLS_NORM_SCALE;
            if (a > m->largest) m->largest = a;
        }
        along = fmax(along, sum);
    }
    for (int64_t k = 0; k < n; ++k) most = fmax(most, across[k]);
    m->norm1 = keep->by_rows ? most : along;
    keep->norm_inf = keep->by_rows ? along : most;
}

static int any_zero(int64_t n, const double *v) {
    int any = 0;
    for (int64_t i = 0; i < n; ++i) any = any || v[i] == 0;
    return any;
}

static void largest_of_rows(const cls_keep *keep, double *r) {
    int64_t n = keep->n;
    memset(r, 0, (size_t)n * sizeof *r);
    for (int64_t l = 0; l < n; ++l)
        for (int64_t k = 0; k < n; ++k) {
            double *row = &r[keep->by_rows ? l : k];
            *row = fmax(*row, fabs(keep->host[l * n + k]));
        }
}

static void largest_of_columns(const cls_keep *keep, const double *r, double *c) {
    int64_t n = keep->n;
    memset(c, 0, (size_t)n * sizeof *c);
    for (int64_t l = 0; l < n; ++l)
        for (int64_t k = 0; k < n; ++k) {
            double *column = &c[keep->by_rows ? k : l];
            *column = fmax(*column, fabs(keep->host[l * n + k]) * r[keep->by_rows ? l : k]);
        }
}

/* The two passes of dgeequb, rows, then columns of what the rows' factors leave; as cls_scaling_find has it. */
static void scale_host(cls_keep *keep, int scale) {
    int64_t n = keep->n;
    cls_scaling *s = &keep->scaling;
    double *r = s->host_r, *c = s->host_c;

    s->rows = s->cols = keep->empty_line = 0;
    if (scale) {
        largest_of_rows(keep, r);
        keep->empty_line = any_zero(n, r);
        double ratio = cls_scaling_factors(keep->type, n, r, r);
        s->rows = scale == 2 || cls_scaling_worth(keep->type, ratio, keep->measures.largest, 1);
        largest_of_columns(keep, r, c);
        keep->empty_line = keep->empty_line || any_zero(n, c);
        ratio = cls_scaling_factors(keep->type, n, c, c);
        s->cols = scale == 2 || cls_scaling_worth(keep->type, ratio, keep->measures.largest, 0);
    }
    for (int64_t i = 0; i < n; ++i) {
        if (!s->rows) r[i] = 1;
        if (!s->cols) c[i] = 1;
    }
}

static void put(clsolve_type type, void *to, int64_t index, double value) {
    if (type == CLSOLVE_F64)
        ((double *)to)[index] = value;
    else
        ((float *)to)[index] = (float)value;
}

/* diag(r) A diag(c) where the factors lie in the host's memory. */
static void write_in_place(cls_keep *keep, const cls_matrix *factors) {
    cls_counters *counters = &keep->device->counters;
    int64_t n = keep->n, down = keep->by_rows ? n : 1, across = keep->by_rows ? 1 : n;
    for (int64_t j = 0; j < n; ++j) {
        void *to = cls_matrix_host(factors, 0, j);
        for (int64_t i = 0; i < n; ++i)
            put(factors->type, to, i, keep->host[i * down + j * across] * keep->r[i] * keep->c[j]);
    }
    if (!factors->slab) return; /* no memory of a device's */
    counters->transfers_up++;   /* counted as the copy that it is */
    counters->bytes_up += n * n * cls_type_size(factors->type);
}

/* The same on the device, a few lines at a time; it transposes rows into columns itself. */
static clsolve_status write_lines(cls_keep *keep, const cls_matrix *factors) {
    cls_device *device = keep->device;
    int64_t n = keep->n, size = cls_type_size(factors->type);
    const double *along = keep->by_rows ? keep->c : keep->r, *across = keep->by_rows ? keep->r : keep->c;

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    for (int64_t l = 0, run; l < n; l += run) {
        run = cls_matrix_run(factors, l, n);
        if (run > LINES) run = LINES;
        for (int64_t q = 0; q < run; ++q)
            for (int64_t k = 0; k < n; ++k)
                put(factors->type, keep->lines, q * n + k, keep->host[(l + q) * n + k] * along[k] * across[l + q]);
        cls_ref ref = cls_matrix_at(factors, 0, l);
        size_t bytes = (size_t)(n * size);
        cls_rect rect = {bytes, (size_t)run, (size_t)(ref.offset * size), (size_t)(ref.ld * size), bytes};
        CLS_TRY(device->ops->write(device, CLS_UP, ref.buffer, keep->lines, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_UP));
    }
    return keep->by_rows && n > 1 ? cls_transpose_square(device, &keep->to_factors, factors, NULL) : CLSOLVE_OK;
}

static clsolve_status write_host(cls_keep *keep, const cls_matrix *factors) {
    if (!factors->mapped) return write_lines(keep, factors);
    write_in_place(keep, factors);
    return CLSOLVE_OK;
}

static clsolve_status set_host(cls_keep *keep, const clsolve_matrix *A, int scale, const cls_matrix *factors) {
    int64_t n = keep->n;

    keep->by_rows = A->layout == CLSOLVE_ROW_MAJOR;
    for (int64_t l = 0; l < n; ++l)
        for (int64_t k = 0; k < n; ++k)
            keep->host[l * n + k] = A->type == CLSOLVE_F64 ? ((const double *)A->data)[l * A->ld + k]
                                                           : (double)((const float *)A->data)[l * A->ld + k];
    measure_host(keep, keep->scaling.host_c);
    if (keep->measures.row >= 0) return CLSOLVE_OK;
    keep->unit = cls_scaling_lift(keep->type, keep->measures.largest);
    if (keep->unit != 1) {
        for (int64_t k = 0; k < n * n; ++k) keep->host[k] *= keep->unit;
        measure_host(keep, keep->scaling.host_c);
    }
    scale_host(keep, scale);
    return write_host(keep, factors);
}

static void residual_host(const cls_keep *keep, clsolve_op op, int64_t cols, const double *X, double *R) {
    blasint n = (blasint)keep->n;
    int transposed = (op == CLSOLVE_TRANS) != keep->by_rows;
    if (n == 0) return;
    cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, n, (blasint)cols, n, -1.0,
                keep->host, n, X, n, 1.0, R, n);
}

/* ---- either ---- */

clsolve_status cls_keep_set(cls_keep *keep, const clsolve_matrix *A, int scale, const cls_matrix *factors) {
    return keep->host ? set_host(keep, A, scale, factors) : set_device(keep, A, scale, factors);
}

clsolve_status cls_keep_again(cls_keep *keep, const cls_matrix *factors) {
    return keep->host ? write_host(keep, factors) : cls_scaling_to(keep->device, &keep->scaling, &keep->A, factors);
}

clsolve_status cls_keep_copy(cls_keep *keep, const cls_matrix *to) {
    cls_device *device = keep->device;
    int64_t n = keep->n, size = cls_type_size(keep->type);

    if (keep->host) {
        clsolve_matrix view = clsolve_host_f64(n, n, keep->host);
        if (keep->by_rows) view.layout = CLSOLVE_ROW_MAJOR;
        cls_transfer transfer = {0};
        clsolve_status status = cls_transfer_create(device, keep->type, &transfer);
        if (status == CLSOLVE_OK) status = cls_upload_square(device, &transfer, &view, to);
        clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
        cls_transfer_destroy(device, &transfer);
        return status != CLSOLVE_OK ? status : waited;
    }
    if (keep->A.mapped) {
        cls_mapped_copy(&keep->A, to);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < n; j += run) { /* both have the same rows and type, hence the same ld */
        run = cls_matrix_run(to, j, n);
        run = cls_matrix_run(&keep->A, j, j + run);
        cls_ref from = cls_matrix_at(&keep->A, 0, j), into = cls_matrix_at(to, 0, j);
        CLS_TRY(device->ops->copy(device, CLS_COMPUTE, from.buffer, (size_t)(from.offset * size), into.buffer,
                                  (size_t)(into.offset * size), (size_t)(run * from.ld * size)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_keep_residual(void *self, clsolve_op op, int64_t cols, const double *X, const double *B, double *R) {
    cls_keep *keep = self;
    size_t bytes = (size_t)(keep->n * cols) * sizeof *R;

    if (B)
        memcpy(R, B, bytes);
    else
        memset(R, 0, bytes);
    if (!keep->host) return residual_device(keep, op, cols, X, R);
    residual_host(keep, op, cols, X, R);
    return CLSOLVE_OK;
}
