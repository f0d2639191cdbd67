/*
 * band_device.c: a band on a device: the caller's triangle into the storage of cls_cholesky_setup_band, the factor and
 * right-hand sides as a dense matrix's.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/cholesky/band.h"
#include "method/cholesky/direct.h"
#include "method/direct/scaling.h"
#include "method/fetch.h"
#include "method/mapped.h"
#include "method/transfer.h"

enum { LS = 64, ACROSS = 1024 }; /* as in cl/band_triangle.cl; groups across columns at the most */

/* ---- the caller's triangle ---- */

/* All of the storage becomes zero. */
static clsolve_status clear(const cls_band_cholesky *b, const cls_matrix *stored) {
    const cls_device_ops *ops = b->device->ops;
    for (int64_t j = 0, run; j < b->n; j += run) {
        run = cls_matrix_run(stored, j, b->n);
        const cls_ref at = cls_matrix_at(stored, 0, j);
        CLS_TRY(ops->fill(b->device, CLS_COMPUTE, at.buffer, 0, (size_t)(run * at.ld * cls_type_size(b->type)), 0));
    }
    return CLSOLVE_OK;
}

/* Columns of a triangle on the device: element (d, c) at from[offset + d * down + c * across], in elements. */
typedef struct columns_there {
    cls_buffer *from;
    int64_t offset, down, across, begin, cols;
    int upper;
} columns_there;

/* Each slab of the storage takes what is its. */
static clsolve_status place(const cls_band_cholesky *b, const cls_matrix *stored, const columns_there *c) {
    const int64_t n = b->n, k = b->k, ld = stored->ld, groups = c->cols < ACROSS ? c->cols : ACROSS;
    const int64_t last = c->begin + c->cols, begin = c->upper && c->begin > k ? c->begin - k : c->upper ? 0 : c->begin;
    const int32_t upper = c->upper;
    const cls_grid grid = {{(size_t)((k + LS) / LS * LS), (size_t)groups, 1}, {LS, 1, 1}};

    for (int64_t j = begin, run; j < last; j += run) {
        run = cls_matrix_run(stored, j, last);
        const cls_ref to = cls_matrix_at(stored, b->core.A.offset, j);
        const int64_t end = j + run;
        cls_arg args[] = {CLS_BUFFER(c->from), CLS_VALUE(c->offset), CLS_VALUE(c->down),    CLS_VALUE(c->across),
                          CLS_VALUE(c->begin), CLS_VALUE(c->cols),   CLS_BUFFER(to.buffer), CLS_VALUE(to.offset),
                          CLS_VALUE(ld),       CLS_VALUE(j),         CLS_VALUE(end),        CLS_VALUE(n),
                          CLS_VALUE(k),        CLS_VALUE(upper)};
        CLS_TRY(cls_launch(b->device, CLS_COMPUTE, b->take, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

/* k + 1 rows of some columns, which begin at `host`, by way of the chunk. */
static clsolve_status send(const cls_band_cholesky *b, const cls_matrix *stored, const void *host, int by_column,
                           int64_t ld, int64_t begin, int64_t cols, int upper) {
    cls_device *device = b->device;
    const int64_t size = cls_type_size(b->type), rows = b->k + 1;
    const int64_t line = by_column ? rows : cols, lines = by_column ? cols : rows;
    const int64_t row = by_column ? 1 : cols, column = by_column ? rows : 1;
    const cls_rect rect = {(size_t)(line * size), (size_t)lines, 0, (size_t)(line * size), (size_t)(ld * size)};
    const columns_there there = {.from = b->chunk,
                                 .offset = (upper ? b->k * row : 0) - begin * column,
                                 .down = upper ? -row : row,
                                 .across = column,
                                 .begin = begin,
                                 .cols = cols,
                                 .upper = upper};

    CLS_TRY(device->ops->finish(device, CLS_COMPUTE)); /* nobody reads the chunk any more */
    clsolve_status status = device->ops->write(device, CLS_UP, b->chunk, host, &rect, NULL, NULL);
    const clsolve_status done = device->ops->finish(device, CLS_UP);
    CLS_TRY(status != CLSOLVE_OK ? status : done);
    return place(b, stored, &there);
}

static clsolve_status take_host(const cls_band_cholesky *b, const cls_matrix *stored, clsolve_uplo uplo,
                                const clsolve_matrix *m) {
    cls_counters *counters = &b->device->counters;
    const int upper = uplo == CLSOLVE_UPPER, by_column = m->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t before = counters->transfers_up, size = cls_type_size(b->type), top = upper ? b->given - b->k : 0;
    clsolve_status status = CLSOLVE_OK;

    for (int64_t j = 0, cols; j < b->n && status == CLSOLVE_OK; j += cols) {
        cols = b->n - j < b->columns ? b->n - j : b->columns;
        const char *host = (const char *)m->data + (by_column ? top + j * m->ld : j + top * m->ld) * size;
        status = send(b, stored, host, by_column, m->ld, j, cols, upper);
    }
    counters->transfers_up = before + 1; /* it is one band */
    return status;
}

/* Where the caller has it, nothing crosses. */
static clsolve_status take_there(const cls_band_cholesky *b, const cls_matrix *stored, clsolve_uplo uplo,
                                 const clsolve_matrix *m) {
    const cls_band_triangle t = cls_band_triangle_of(b, uplo, m);
    const int upper = uplo == CLSOLVE_UPPER, by_column = m->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t row = by_column ? 1 : m->ld;
    columns_there there = {.offset = m->offset + t.first,
                           .down = upper ? -row : row,
                           .across = by_column ? m->ld : 1,
                           .cols = b->n,
                           .upper = upper};

    CLS_TRY(cls_transfer_adopt(b->device, m, &there.from));
    const clsolve_status status = place(b, stored, &there);
    b->device->ops->buffer_destroy(b->device, there.from);
    return status;
}

/* The lower form, in pieces of the host's lines. */
static clsolve_status take_copy(const cls_band_cholesky *b, const cls_matrix *stored, const cls_copy *copy) {
    for (int64_t j = 0, cols; j < b->n; j += cols) {
        cols = b->n - j < b->columns ? b->n - j : b->columns;
        cls_band_cholesky_pack(b, copy, j, cols, b->lines);
        CLS_TRY(send(b, stored, b->lines, 1, b->k + 1, j, cols, 0));
    }
    return CLSOLVE_OK;
}

/* Measured as it lies, its padding of zeros too. */
static clsolve_status measure(cls_direct *direct, const cls_matrix *stored) {
    cls_band_cholesky *b = direct->factors;
    cls_measures *m = &direct->measures;

    CLS_TRY(cls_check_enqueue(b->device, &b->core.check, stored, b->n, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read(b->device, &b->core.check, stored->rows, m, NULL));
    direct->largest = m->largest;
    if (m->row < 0) return CLSOLVE_OK;
    const cls_place there = {m->row - b->core.A.offset + m->column, m->column};
    const cls_place named = cls_symmetric_place(b->uplo, there.row, there.column);
    m->row = named.row;
    m->column = named.column;
    return CLSOLVE_OK;
}

clsolve_status cls_band_cholesky_device_take(cls_direct *direct, const clsolve_matrix *m) {
    const cls_band_cholesky *b = direct->factors;
    const cls_matrix stored = cls_cholesky_stored(&b->core);

    CLS_TRY(clear(b, &stored));
    CLS_TRY(m->place == CLSOLVE_ON_HOST ? take_host(b, &stored, b->uplo, m) : take_there(b, &stored, b->uplo, m));
    return measure(direct, &stored);
}

/* Element (j + d, j) of the lower triangle times `unit`, of which `part` is 0, or 1 for the imaginary part. */
static double element_of(const cls_band_cholesky *b, const cls_band_triangle *t, int64_t j, int64_t d, int64_t part,
                         double unit) {
    const int64_t parts = cls_type_parts(b->type);
    if (d == 0 && part) return 0; /* the diagonal counts as real */
    const double value = cls_type_get(b->type, t->data, parts * (t->first + j * t->column + d * t->down) + part);
    return (part && t->conjugate ? -value : value) * unit;
}

/* A tiny A comes once more, by way of the host, which multiplies it. */
static clsolve_status take_scaled(cls_direct *direct, const clsolve_matrix *A) {
    const cls_band_cholesky *b = direct->factors;
    const cls_matrix stored = cls_cholesky_stored(&b->core);
    const int64_t parts = cls_type_parts(b->type), rows = b->k + 1;
    const double unit = cls_direct_uniform(direct);
    cls_fetched there;

    CLS_TRY(cls_fetch(b->device, A, &there));
    const cls_band_triangle t = cls_band_triangle_of(b, b->uplo, &there.view);
    clsolve_status status = clear(b, &stored);
    for (int64_t j = 0, cols; j < b->n && status == CLSOLVE_OK; j += cols) {
        cols = b->n - j < b->columns ? b->n - j : b->columns;
        for (int64_t k = 0; k < cols * rows * parts; ++k) {
            const int64_t c = j + k / parts / rows, d = k / parts % rows;
            cls_type_put(b->type, b->lines, k, c + d < b->n ? element_of(b, &t, c, d, k % parts, unit) : 0);
        }
        status = send(b, &stored, b->lines, 1, rows, j, cols, 0);
    }
    cls_fetched_free(&there);
    return status == CLSOLVE_OK ? measure(direct, &stored) : status;
}

/* ---- factor ---- */

clsolve_status cls_band_cholesky_device_run(cls_band_cholesky *band, const cls_copy *copy, int64_t *info,
                                            cls_growth *growth) {
    cls_cholesky *c = &band->core;

    *growth = cls_growth_unknown();
    if (copy) {
        const cls_matrix stored = cls_cholesky_stored(c);
        CLS_TRY(clear(band, &stored));
        CLS_TRY(take_copy(band, &stored, copy));
        c->whole_range = 0; /* the copy is scaled */
    }
    CLS_TRY(cls_cholesky_factor(c, &band->options, info));
    return *info > 0 ? CLSOLVE_OK : cls_cholesky_determinant(c, growth);
}

/* The 1-norm of what is factored, on the host: column j has the elements of row j left of the diagonal too. */
static clsolve_status find_norm(cls_direct *direct, const clsolve_matrix *A) {
    const cls_band_cholesky *b = direct->factors;
    const int64_t parts = cls_type_parts(b->type);
    const double unit = cls_direct_uniform(direct);
    double *sums = cls_alloc((size_t)b->n, sizeof *sums);
    cls_fetched there;

    if (!sums) return cls_fail(b->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a norm");
    const clsolve_status status = cls_fetch(b->device, A, &there);
    if (status != CLSOLVE_OK) {
        cls_free(sums);
        return status;
    }
    const cls_band_triangle t = cls_band_triangle_of(b, b->uplo, &there.view);
    for (int64_t j = 0; j < b->n; ++j)
        for (int64_t d = 0; d <= b->k && j + d < b->n; ++d) {
            const double re = CLS_NORM_SCALE * element_of(b, &t, j, d, 0, unit);
            const double im = parts == 2 ? CLS_NORM_SCALE * element_of(b, &t, j, d, 1, unit) : 0;
            const double size = parts == 2 ? hypot(re, im) : fabs(re);
            sums[j] += size;
            if (d > 0) sums[j + d] += size;
        }
    direct->measures.norm1 = 0;
    for (int64_t j = 0; j < b->n; ++j) direct->measures.norm1 = fmax(direct->measures.norm1, sums[j]);
    cls_fetched_free(&there);
    cls_free(sums);
    return CLSOLVE_OK;
}

clsolve_status cls_band_cholesky_device_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_band_cholesky *b = direct->factors;
    const double start = cls_seconds();

    *again = 0;
    if (b->n == 0) {
        direct->growth = cls_growth_begin();
        return CLSOLVE_OK;
    }
    if (!direct->copies) {
        CLS_TRY(cls_band_cholesky_device_take(direct, A));
        if (direct->measures.row >= 0) return CLSOLVE_OK;
        cls_direct_set_unit(direct, cls_scaling_tiny(b->type, direct->largest));
        if (cls_direct_uniform(direct) != 1) CLS_TRY(take_scaled(direct, A));
        if (direct->wants_rcond) CLS_TRY(find_norm(direct, A));
        b->core.whole_range = cls_scaling_unit(b->type, direct->largest) != 1;
        direct->costs.factor.upload += cls_seconds() - start;
    }
    return cls_band_cholesky_device_run(b, direct->copies ? &direct->copy : NULL, &direct->info, &direct->growth);
}

/* ---- the factor down ---- */

clsolve_status cls_band_cholesky_device_lines(cls_band_cholesky *band, int64_t begin, int64_t cols) {
    cls_device *device = band->device;
    const cls_matrix stored = cls_cholesky_stored(&band->core);
    const size_t size = (size_t)cls_type_size(band->type), column = (size_t)(band->k + 1) * size;
    clsolve_status status = device->ops->finish(device, CLS_COMPUTE);

    for (int64_t j = begin, run; j < begin + cols && status == CLSOLVE_OK; j += run) {
        run = cls_matrix_run(&stored, j, begin + cols);
        const cls_ref at = cls_matrix_at(&stored, band->core.A.offset, j);
        const cls_rect rect = {column, (size_t)run, (size_t)at.offset * size, (size_t)at.ld * size, column};
        char *to = (char *)band->lines + (size_t)(j - begin) * column;
        status = device->ops->read(device, CLS_DOWN, at.buffer, to, &rect, NULL, NULL);
    }
    const clsolve_status done = device->ops->finish(device, CLS_DOWN);
    return status != CLSOLVE_OK ? status : done;
}

/* ---- solve ---- */

clsolve_status cls_band_cholesky_device_solve(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_band_cholesky *b = factors;
    return cls_cholesky_solve_host(&b->core, op, cols, x);
}

cls_sides cls_band_cholesky_device_sides(void *factors, int64_t cols) {
    return cls_cholesky_sides(&((cls_band_cholesky *)factors)->core, cols);
}

/* ---- setup ---- */

enum { CHUNK_BYTES = 16 << 20 };

static clsolve_status build(void *what) {
    cls_band_cholesky *b = what;
    cls_program *program;

    CLS_TRY(b->device->ops->program_get(b->device, "band_triangle", cls_type_option(b->type), &program));
    return b->device->ops->kernel_create(b->device, program, "band_triangle", &b->take);
}

clsolve_status cls_band_cholesky_device_setup(cls_band_cholesky *band, int64_t beside) {
    cls_device *device = band->device;
    const int64_t column = (band->k + 1) * cls_type_size(band->type), before = device->counters.buffer_bytes;

    band->columns = column < CHUNK_BYTES ? CHUNK_BYTES / column : 1;
    if (band->columns > band->n) band->columns = band->n > 0 ? band->n : 1;
    CLS_TRY(build(band));
    CLS_TRY(device->ops->buffer_create(device, (size_t)(band->columns * column), &band->chunk));
    band->core.beside = beside + device->counters.buffer_bytes - before;
    band->lines = cls_alloc((size_t)band->columns, (size_t)column);
    if (!band->lines)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for columns of a band");
    return cls_cholesky_setup_band(device, band->n, band->k, band->type, &band->options, &band->core);
}

void cls_band_cholesky_device_release(cls_band_cholesky *band) {
    cls_cholesky_release(&band->core);
    band->device->ops->kernel_destroy(band->device, band->take);
    band->device->ops->buffer_destroy(band->device, band->chunk);
    cls_free(band->lines);
}
