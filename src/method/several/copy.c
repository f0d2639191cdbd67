/*
 * copy.c: a copy of A next to its factors, each device its own columns: for residuals, for scaling by rows and columns,
 * and for other factors of the same A. The copy that cls_copy_setup_spread made holds the numbers: r, c, norms.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/direct/vectors.h"
#include "method/several/direct.h"
#include "method/mapped.h"

/* ---- setup ---- */

typedef struct types {
    clsolve_type own, into; /* of A, and of its factors */
} types;

static clsolve_status setup_part(cls_several_part *part, void *what) {
    const types *t = what;
    cls_several_copy *copy = &part->copy;
    cls_device *device = part->lu.device;
    const int64_t n = part->several->n, cols = part->cols > 0 ? part->cols : 1, sides = CLS_REFINE_COLUMNS;
    const int mapped = part->lu.panel.mapped;

    CLS_TRY(cls_matrix_create(device, t->own, n, cols, part->several->width, 0, &copy->A));
    CLS_TRY(cls_matrix_create(device, t->own, n, sides, 1, 0, &copy->X));
    CLS_TRY(cls_matrix_create(device, t->own, n, sides, 1, 0, &copy->R));
    CLS_TRY(cls_scaling_create(device, n, t->own, t->into, mapped, &copy->scaling));
    const size_t numbers = (size_t)(n * sides * cls_type_parts(t->own));
    copy->partial = cls_alloc(numbers, sizeof *copy->partial);
    copy->local = cls_alloc(numbers, sizeof *copy->local);
    if (!copy->partial || !copy->local)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for vectors of refinement");
    if (mapped) {
        CLS_TRY(cls_matrix_map(device, &copy->A));
        CLS_TRY(cls_matrix_map(device, &copy->X));
        return cls_matrix_map(device, &copy->R);
    }
    CLS_TRY(cls_transfer_create(device, t->own, &copy->transfer));
    return cls_check_create(device, t->own, &copy->check);
}

clsolve_status cls_several_copy_setup(cls_several *several, clsolve_type type, cls_copy *copy) {
    types t = {type, several->type};
    CLS_TRY(cls_copy_setup_spread(several->parts[0].lu.device, several->n, type, several, copy));
    return cls_several_run(several, setup_part, &t);
}

void cls_several_copy_release(cls_several_part *part) {
    cls_several_copy *copy = &part->copy;
    cls_device *device = part->lu.device;

    cls_matrix_destroy(device, &copy->A);
    cls_matrix_destroy(device, &copy->X);
    cls_matrix_destroy(device, &copy->R);
    cls_transfer_destroy(device, &copy->transfer);
    cls_check_destroy(device, &copy->check);
    cls_scaling_destroy(device, &copy->scaling);
    cls_free(copy->partial);
    cls_free(copy->local);
}

/* ---- the columns that a device has ---- */

/* The device's columns and no more. */
static cls_matrix columns_of(const cls_several_part *part, const cls_matrix *A) {
    cls_matrix columns = *A;
    columns.cols = part->cols;
    return columns;
}

/* `local` is of the device's columns, `all` of A's, `size` numbers each. */
static void gather(const cls_several_part *part, int64_t size, const double *all, double *local) {
    const cls_several *several = part->several;
    CLS_SEVERAL_EACH_OWN(part, b)
    memcpy(local + several->local[b] * size, all + cls_several_column(several, b) * size,
           (size_t)(cls_several_width(several, b) * size) * sizeof *local);
}

static void scatter(const cls_several_part *part, int64_t size, const double *local, double *all) {
    const cls_several *several = part->several;
    CLS_SEVERAL_EACH_OWN(part, b)
    memcpy(all + cls_several_column(several, b) * size, local + several->local[b] * size,
           (size_t)(cls_several_width(several, b) * size) * sizeof *local);
}

/* ---- A comes ---- */

static clsolve_status take_part(cls_several_part *part, void *what) {
    cls_several_copy *copy = &part->copy;
    cls_matrix scratch = {0};

    clsolve_status status = cls_several_upload_part(part, what, &copy->transfer, &copy->A, &scratch);
    if (status == CLSOLVE_OK) status = cls_several_measure_part(part, &copy->check, &copy->A); /* waits */
    cls_matrix_destroy(part->lu.device, &scratch);
    return status;
}

static clsolve_status multiply_part(cls_several_part *part, void *what) {
    cls_several_copy *copy = &part->copy;
    cls_device *device = part->lu.device;

    CLS_TRY(cls_scaling_uniform(device, &copy->scaling, part->lu.panel.mapped, *(const double *)what));
    CLS_TRY(cls_scaling_rows(device, &copy->scaling, &copy->A, part->cols, 1));
    return cls_several_measure_part(part, &copy->check, &copy->A);
}

static clsolve_status rows_part(cls_several_part *part, void *what) {
    const cls_matrix A = columns_of(part, &part->copy.A);
    (void)what;
    return cls_scaling_find_rows(part->lu.device, &part->copy.scaling, &A);
}

/* `what`: r, or NULL. */
static clsolve_status columns_part(cls_several_part *part, void *what) {
    const cls_matrix A = columns_of(part, &part->copy.A);
    cls_scaling *s = &part->copy.scaling;
    const double *r = what;

    for (int64_t i = 0; i < part->several->n; ++i) s->host_r[i] = r ? r[i] : 1;
    return cls_scaling_find_columns(part->lu.device, s, &A);
}

/* As cls_copy_largest; the sums of rows come with their largest elements. */
static clsolve_status largest_of(cls_copy *copy, int columns, const double *r, double *largest) {
    cls_several *several = copy->spread;

    if (columns) {
        CLS_TRY(cls_several_run(several, columns_part, (void *)(uintptr_t)r));
        for (int p = 0; p < several->count; ++p)
            scatter(&several->parts[p], 1, several->parts[p].copy.scaling.host_c, largest);
        return CLSOLVE_OK;
    }
    memset(largest, 0, (size_t)several->n * sizeof *largest);
    for (int p = 0; p < several->count; ++p) /* found by cls_several_copy_take */
        for (int64_t i = 0; several->parts[p].cols > 0 && i < several->n; ++i)
            largest[i] = fmax(largest[i], several->parts[p].copy.scaling.host_r[i]);
    return CLSOLVE_OK;
}

static double norm_inf_of(const cls_several *several) {
    double most = 0;
    for (int64_t i = 0; i < several->n; ++i) {
        double sum = 0;
        for (int p = 0; p < several->count; ++p)
            if (several->parts[p].cols > 0) sum += several->parts[p].copy.scaling.host_c[i];
        most = fmax(most, sum);
    }
    return most;
}

clsolve_status cls_several_copy_take(cls_copy *copy, const clsolve_matrix *A, int scale) {
    cls_several *several = copy->spread;

    copy->unit = 1;
    CLS_TRY(cls_several_run(several, take_part, (void *)(uintptr_t)A));
    cls_several_join_measures(several, &copy->measures);
    if (copy->measures.row >= 0) return CLSOLVE_OK;
    copy->unit = cls_scaling_unit(copy->type, copy->measures.largest);
    if (copy->unit != 1) {
        CLS_TRY(cls_several_run(several, multiply_part, &copy->unit));
        cls_several_join_measures(several, &copy->measures);
    }
    CLS_TRY(cls_several_run(several, rows_part, NULL));
    copy->norm_inf = norm_inf_of(several);
    return cls_copy_find_scaling(copy, scale, largest_of);
}

/* ---- A goes to where it is factored ---- */

static clsolve_status write_part(cls_several_part *part, void *what) {
    const cls_copy *copy = what;
    cls_several_copy *mine = &part->copy;
    cls_scaling *s = &mine->scaling;
    const cls_matrix A = columns_of(part, &mine->A);

    memcpy(s->host_r, copy->r, (size_t)copy->n * sizeof *s->host_r);
    gather(part, 1, copy->c, s->host_c);
    CLS_TRY(cls_scaling_send(part->lu.device, s));
    CLS_TRY(cls_scaling_to(part->lu.device, s, &A, &part->lu.A));
    return cls_several_measure_part(part, &part->lu.check, &part->lu.A);
}

clsolve_status cls_several_copy_write(cls_copy *copy, double *largest) {
    cls_several *several = copy->spread;
    cls_measures measures;

    CLS_TRY(cls_several_run(several, write_part, copy));
    cls_several_join_measures(several, &measures);
    *largest = measures.largest;
    return CLSOLVE_OK;
}

/* ---- residuals ---- */

typedef struct residual {
    clsolve_op op;
    int64_t cols;
    const double *X;
} residual;

static clsolve_status multiply(cls_several_part *part, const residual *r) {
    cls_several_copy *copy = &part->copy;
    cls_device *device = part->lu.device;
    const clsolve_type type = copy->A.type;
    const int64_t n = part->several->n;
    const cls_ref X = cls_matrix_at(&copy->X, 0, 0), R = cls_matrix_at(&copy->R, 0, 0);

    for (int64_t j = 0, run; j < part->cols; j += run) {
        run = cls_matrix_run(&copy->A, j, part->cols);
        const cls_ref A = cls_matrix_at(&copy->A, 0, j);
        if (r->op == CLSOLVE_NO_TRANS)
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, type, r->op, CLSOLVE_NO_TRANS, n, r->cols, run, -1.0, A,
                             cls_ref_at(X, j, 0), j > 0 ? 1.0 : 0.0, R));
        else
            CLS_TRY(cls_gemm(device, CLS_BLAS_DEFAULT, type, r->op, CLSOLVE_NO_TRANS, run, r->cols, n, -1.0, A, X, 0.0,
                             cls_ref_at(R, j, 0)));
    }
    return CLSOLVE_OK;
}

static clsolve_status residual_part(cls_several_part *part, void *what) {
    const residual *r = what;
    cls_several_copy *copy = &part->copy;
    cls_device *device = part->lu.device;
    const int64_t n = part->several->n, parts = cls_type_parts(copy->A.type);
    const int plain = r->op == CLSOLVE_NO_TRANS;
    cls_matrix X = copy->X, R = copy->R;

    if (part->cols == 0) return CLSOLVE_OK;
    if (plain) {
        X.rows = part->cols;
        for (int64_t c = 0; c < r->cols; ++c)
            gather(part, parts, r->X + c * n * parts, copy->local + c * part->cols * parts);
    } else {
        R.rows = part->cols;
    }
    CLS_TRY(cls_vectors_up(device, &copy->transfer, r->cols, plain ? copy->local : r->X, &X));
    const clsolve_status status = multiply(part, r);
    if (status != CLSOLVE_OK) return cls_vectors_stop(device, status);
    return cls_vectors_down(device, &copy->transfer, r->cols, &R, copy->partial);
}

clsolve_status cls_several_copy_residual(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, const double *B,
                                         double *R) {
    cls_several *several = copy->spread;
    const int64_t n = several->n, parts = cls_type_parts(copy->type), count = n * parts;
    residual r = {op, cols, X};

    CLS_TRY(cls_several_run(several, residual_part, &r));
    for (int64_t k = 0; k < count * cols; ++k) R[k] = B ? B[k] : 0;
    for (int p = 0; p < several->count; ++p) {
        const cls_several_part *part = &several->parts[p];
        const double *partial = part->copy.partial;
        if (part->cols == 0) continue;
        for (int64_t k = 0; op == CLSOLVE_NO_TRANS && k < count * cols; ++k) R[k] += partial[k];
        for (int64_t c = 0; op != CLSOLVE_NO_TRANS && c < cols; ++c) CLS_SEVERAL_EACH_OWN(part, b) {
                const int64_t from = (c * part->cols + several->local[b]) * parts;
                const int64_t to = c * count + cls_several_column(several, b) * parts;
                for (int64_t k = 0; k < cls_several_width(several, b) * parts; ++k) R[to + k] += partial[from + k];
            }
    }
    return CLSOLVE_OK;
}

/* ---- other factors ---- */

/* `what`: the factors of the copy's own type, dealt out alike. */
static clsolve_status plain_part(cls_several_part *part, void *what) {
    const cls_several *wide = what;
    const cls_several_copy *copy = &part->copy;
    const cls_matrix *to = &wide->parts[part->number].lu.A;
    cls_device *device = part->lu.device;
    const size_t size = (size_t)cls_type_size(copy->A.type);

    for (int64_t j = 0, run; j < part->cols; j += run) {
        run = cls_matrix_run(to, j, part->cols);
        run = cls_matrix_run(&copy->A, j, j + run);
        const cls_ref from = cls_matrix_at(&copy->A, 0, j), into = cls_matrix_at(to, 0, j);
        if (to->mapped)
            memcpy(cls_matrix_host(to, 0, j), cls_matrix_host(&copy->A, 0, j), (size_t)(run * from.ld) * size);
        else
            CLS_TRY(device->ops->copy(device, CLS_COMPUTE, from.buffer, (size_t)from.offset * size, into.buffer,
                                      (size_t)into.offset * size, (size_t)(run * from.ld) * size));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_several_copy_write_plain(cls_copy *copy, cls_several *wide) {
    return cls_several_run(copy->spread, plain_part, wide);
}
