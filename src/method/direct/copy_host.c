/* copy_host.c: copies of A on the host, in double: lines of a dense matrix, or columns of a band. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/blas_int.h"
#include "base/memory.h"
#include "base/process.h"
#include "method/direct/copy.h"
#include "method/fetch.h"
#include "method/mapped.h"

/* ---- setup ---- */

clsolve_status cls_copy_setup_lines(cls_copy *copy, int64_t length) {
    size_t n = (size_t)copy->n;

    copy->length = length;
    copy->values = cls_alloc(n, (size_t)(length * cls_type_parts(copy->type)) * sizeof *copy->values);
    if (copy->values) return cls_copy_setup_numbers(copy);
    return cls_fail(copy->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                    "no host memory for a copy of A: %lld x %lld doubles", (long long)length, (long long)copy->n);
}

clsolve_status cls_copy_setup_host(cls_copy *copy, clsolve_type into, int mapped) {
    cls_error *error = copy->device->error;

    copy->form = &cls_copy_on_host;
    if (!CLS_BLAS_FITS(copy->n * cls_type_parts(copy->type)))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "refinement on the host counts no more than %d rows",
                        INT_MAX / (int)cls_type_parts(copy->type));
    CLS_TRY(cls_copy_setup_lines(copy, copy->n));
    copy->lines = cls_alloc((size_t)copy->n * CLS_COPY_LINES, (size_t)cls_type_size(into));
    if (!copy->lines) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for lines of a copy of A");
    return mapped ? CLSOLVE_OK : cls_transfer_create(copy->device, into, &copy->to_factors);
}

/* Elements first .. end-1 of a line are the matrix's. Element k of it lies at k + shift across the lines. */
typedef struct span {
    int64_t first, end, shift;
} span;

static span span_of(const cls_copy *copy, int64_t l) {
    int64_t n = copy->n, kl = copy->kl, ku = copy->ku;

    if (!copy->is_band) return (span){0, n, 0};
    return (span){l < ku ? ku - l : 0, n - l <= kl ? ku + n - l : copy->length, l - ku};
}

/* ---- measure ---- */

/* The first NaN or Inf in column order, whichever way the lines lie. */
static void note(cls_measures *m, int64_t row, int64_t column) {
    if (m->row >= 0 && (column > m->column || (column == m->column && row > m->row))) return;
    m->row = row;
    m->column = column;
}

/* Line l, and |a| and max(|re|, |im|) of its element k. */
static const double *line_of(const cls_copy *copy, int64_t l) {
    return copy->values + l * copy->length * cls_type_parts(copy->type);
}

static double modulus(const cls_copy *copy, const double *line, int64_t k) {
    return cls_is_complex(copy->type) ? hypot(line[2 * k] * CLS_NORM_SCALE, line[2 * k + 1] * CLS_NORM_SCALE)
                                      : fabs(line[k]) * CLS_NORM_SCALE;
}

static double larger_part(const cls_copy *copy, const double *line, int64_t k) {
    if (!cls_is_complex(copy->type)) return fabs(line[k]);
    const double re = fabs(line[2 * k]), im = fabs(line[2 * k + 1]);
    return re > im || isnan(re) ? re : im;
}

/* `across`: n numbers of room. */
static void measure(cls_copy *copy, double *across) {
    const int64_t n = copy->n;
    double along = 0, most = 0;
    cls_measures *m = &copy->measures;

    *m = (cls_measures){.row = -1, .column = -1};
    memset(across, 0, (size_t)n * sizeof *across);
    for (int64_t l = 0; l < n; ++l) {
        const double *line = line_of(copy, l);
        span s = span_of(copy, l);
        double sum = 0;
        for (int64_t k = s.first; k < s.end; ++k) {
            const double a = larger_part(copy, line, k), size = modulus(copy, line, k);
            if (!isfinite(a)) note(m, copy->by_rows ? l : k + s.shift, copy->by_rows ? k : l);
            sum += size;
            across[k + s.shift] += size;
            if (a > m->largest) m->largest = a;
        }
        along = fmax(along, sum);
    }
    for (int64_t k = 0; k < n; ++k) most = fmax(most, across[k]);
    m->norm1 = copy->by_rows ? most : along;
    copy->norm_inf = copy->by_rows ? along : most;
}

/* ---- scale ---- */

/* As cls_copy_largest. */
static clsolve_status largest_of(cls_copy *copy, int columns, const double *r, double *largest) {
    int by_line = columns != copy->by_rows; /* a number of its own for each line */

    memset(largest, 0, (size_t)copy->n * sizeof *largest);
    for (int64_t l = 0; l < copy->n; ++l) {
        const double *line = line_of(copy, l);
        span s = span_of(copy, l);
        for (int64_t k = s.first; k < s.end; ++k) {
            double *of = &largest[by_line ? l : k + s.shift];
            *of = fmax(*of, cls_scaled_size(larger_part(copy, line, k), r ? r[copy->by_rows ? l : k + s.shift] : 1));
        }
    }
    return CLSOLVE_OK;
}

void cls_copy_prepare(cls_copy *copy, int scale) {
    double *room = copy->scaling.host_c;

    copy->unit = 1;
    measure(copy, room);
    if (copy->measures.row >= 0) return;
    copy->unit = cls_scaling_unit(copy->type, copy->measures.largest);
    if (copy->unit != 1) {
        for (int64_t k = 0; k < copy->n * copy->length * cls_type_parts(copy->type); ++k) copy->values[k] *= copy->unit;
        measure(copy, room);
    }
    (void)cls_copy_find_scaling(copy, scale, largest_of); /* on the host nothing of it fails */
}

/* ---- take ---- */

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

static clsolve_status take(cls_copy *copy, const clsolve_matrix *A, int scale) {
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

/* ---- write ---- */

/* diag(r) A diag(c) where the factors lie in the host's memory. */
static void write_in_place(cls_copy *copy, const cls_matrix *factors) {
    cls_counters *counters = &copy->device->counters;
    const int64_t n = copy->n, parts = cls_type_parts(copy->type);
    const int64_t down = copy->by_rows ? n : 1, across = copy->by_rows ? 1 : n;
    for (int64_t j = 0; j < n; ++j) {
        void *to = cls_matrix_host(factors, 0, j);
        for (int64_t k = 0; k < n * parts; ++k) {
            const int64_t i = k / parts, from = (i * down + j * across) * parts + k % parts;
            cls_type_put(factors->type, to, k, copy->values[from] * copy->c[j] * copy->r[i]);
        }
    }
    if (!factors->slab) return; /* no memory of a device's */
    counters->transfers_up++;   /* counted as the copy that it is */
    counters->bytes_up += n * n * cls_type_size(factors->type);
}

/* The same on the device, a few lines at a time; it transposes rows into columns itself. */
static clsolve_status write_lines(cls_copy *copy, const cls_matrix *factors) {
    cls_device *device = copy->device;
    int64_t n = copy->n, size = cls_type_size(factors->type);
    const int64_t parts = cls_type_parts(copy->type), length = n * parts; /* of a line, in real numbers */

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    for (int64_t l = 0, run; l < n; l += run) {
        run = cls_matrix_run(factors, l, n);
        if (run > CLS_COPY_LINES) run = CLS_COPY_LINES;
        for (int64_t q = 0; q < run; ++q)
            for (int64_t k = 0; k < length; ++k) {
                const int64_t i = copy->by_rows ? l + q : k / parts, j = copy->by_rows ? k / parts : l + q;
                cls_type_put(factors->type, copy->lines, q * length + k,
                             copy->values[(l + q) * length + k] * copy->c[j] * copy->r[i]);
            }
        cls_ref ref = cls_matrix_at(factors, 0, l);
        size_t bytes = (size_t)(n * size);
        cls_rect rect = {bytes, (size_t)run, (size_t)(ref.offset * size), (size_t)(ref.ld * size), bytes};
        CLS_TRY(device->ops->write(device, CLS_UP, ref.buffer, copy->lines, &rect, NULL, NULL));
        CLS_TRY(device->ops->finish(device, CLS_UP));
    }
    return copy->by_rows && n > 1 ? cls_transpose_square(device, &copy->to_factors, factors, NULL) : CLSOLVE_OK;
}

static clsolve_status write(cls_copy *copy, const cls_matrix *factors) {
    if (!factors->mapped) return write_lines(copy, factors);
    write_in_place(copy, factors);
    return CLSOLVE_OK;
}

/* The host's lines go as the caller's did. */
static clsolve_status write_plain(cls_copy *copy, const cls_matrix *to) {
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

/* ---- residuals ---- */

/* With rows as lines, the copy is A^T: A^H is its conjugate, which BLAS has no name for. So conj(R) is computed
 * there. */
static void multiply_complex(const cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R) {
    const blasint n = cls_blas_int(copy->n), columns = cls_blas_int(cols);
    const double minus[2] = {-1, 0}, one[2] = {1, 0};
    const int conjugates = op == CLSOLVE_CONJ_TRANS && copy->by_rows;
    CBLAS_TRANSPOSE trans = op == CLSOLVE_CONJ_TRANS ? CblasConjTrans : CblasTrans;
    double *x = (double *)(uintptr_t)X; /* as it was again at the end */

    if ((op != CLSOLVE_NO_TRANS) == copy->by_rows) trans = CblasNoTrans;
    for (int64_t k = 1; conjugates && k < 2 * copy->n * cols; k += 2) {
        x[k] = -x[k];
        R[k] = -R[k];
    }
    CLS_HOST_BLAS;
    for (int64_t c = 0; c < cols && copy->is_band; ++c)
        cblas_zgbmv(CblasColMajor, trans, n, n, cls_blas_int(copy->kl), cls_blas_int(copy->ku), minus, copy->values,
                    cls_blas_int(copy->length), X + 2 * c * copy->n, 1, one, R + 2 * c * copy->n, 1);
    if (copy->is_band) return; /* its lines are columns: nothing is conjugated */
    cblas_zgemm(CblasColMajor, trans, CblasNoTrans, n, columns, n, minus, copy->values, n, x, n, one, R, n);
    for (int64_t k = 1; conjugates && k < 2 * copy->n * cols; k += 2) {
        x[k] = -x[k];
        R[k] = -R[k];
    }
}

/* The columns of X where BLAS multiplies by real numbers. */
static void multiply_real(const cls_copy *copy, CBLAS_TRANSPOSE trans, int64_t cols, const double *X, double *R) {
    blasint n = cls_blas_int(copy->n), ld = cls_blas_int(copy->length);

    CLS_HOST_BLAS;
    if (!copy->is_band)
        cblas_dgemm(CblasColMajor, trans, CblasNoTrans, n, cls_blas_int(cols), n, -1.0, copy->values, ld, X, n, 1.0, R,
                    n);
    for (int64_t c = 0; c < cols && copy->is_band; ++c)
        cblas_dgbmv(CblasColMajor, trans, n, n, cls_blas_int(copy->kl), cls_blas_int(copy->ku), -1.0, copy->values, ld,
                    X + c * copy->n, 1, 1.0, R + c * copy->n, 1);
}

static clsolve_status residual(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, double *R) {
    if (copy->n == 0) return CLSOLVE_OK;
    if (cls_is_complex(copy->type))
        multiply_complex(copy, op, cols, X, R);
    else
        multiply_real(copy, (op != CLSOLVE_NO_TRANS) != copy->by_rows ? CblasTrans : CblasNoTrans, cols, X, R);
    return CLSOLVE_OK;
}

const cls_copy_form cls_copy_on_host = {take, write, write_plain, residual};
const cls_copy_form cls_copy_of_band = {.residual = residual};
