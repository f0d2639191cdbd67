/* small.c: factorizations of few rows: a launch, or a launch for 16 columns; the outcome. small.h has the picture. */
#include "method/lu/small.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/staging.h"
#include "method/lu/host_small.h"

enum { WIDTH = 16 }; /* as in cl/lu_small.cl */
/* Words of the record, likewise. */
enum { IN_A, LARGEST, NORM, INFO = CLS_LU_SMALL_INFO, IN_FACTORS, UPPER, EXPONENT, MANTISSA, IMAGINARY, WORDS };

/* ---- launches ---- */

/* The place where A is read, with any strides. */
typedef struct source {
    cls_buffer *buffer;
    int64_t offset, row_step, column_step;
} source;

/* The steps from .. to - 1 (cl/lu_small.cl). */
static clsolve_status launch(cls_lu *lu, const source *S, int32_t from, int32_t to, int64_t groups) {
    cls_lu_small *small = &lu->small;
    cls_ref A = cls_matrix_at(&lu->A, 0, 0);
    int32_t n = (int32_t)lu->n;
    size_t items = (size_t)(small->span * small->parts);
    cls_grid grid = {{(size_t)groups * items, 1, 1}, {items, 1, 1}};
    cls_arg args[] = {CLS_REF(A),
                      CLS_BUFFER(S->buffer),
                      CLS_VALUE(S->offset),
                      CLS_VALUE(S->row_step),
                      CLS_VALUE(S->column_step),
                      CLS_VALUE(n),
                      CLS_VALUE(from),
                      CLS_VALUE(to),
                      CLS_BUFFER(small->rows),
                      CLS_BUFFER(lu->panel.ipiv),
                      CLS_BUFFER(small->columns),
                      CLS_BUFFER(small->places),
                      CLS_BUFFER(small->record)};
    return cls_launch(lu->device, CLS_COMPUTE, small->steps, &grid, CLS_ARGS(args));
}

static clsolve_status enqueue(cls_lu *lu, const source *S) {
    int32_t chunks = (int32_t)((lu->n + WIDTH - 1) / WIDTH);

    lu->small.host_is_new = 0;
    if (lu->small.whole) return launch(lu, S, 0, chunks + 2, 1);
    for (int32_t k = 0; k <= chunks; ++k) CLS_TRY(launch(lu, S, k, k + 1, chunks));
    return launch(lu, S, chunks + 1, chunks + 2, 1);
}

clsolve_status cls_lu_small_factor(cls_lu *lu) {
    cls_ref A = cls_matrix_at(&lu->A, 0, 0);
    const source in_place = {A.buffer, A.offset, 1, A.ld};

    return enqueue(lu, &in_place);
}

/* ---- from the caller's matrix ---- */

static source source_of(const clsolve_matrix *view, cls_buffer *buffer, int64_t offset, int64_t ld) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    return (source){buffer, offset, by_column ? 1 : ld, by_column ? ld : 1};
}

/* In the place of an upload of its own, where kernels may read the caller's buffer. */
static clsolve_status factor_from_device(cls_lu *lu, const clsolve_matrix *A) {
    cls_buffer *buffer;

    CLS_TRY(cls_transfer_adopt(lu->device, A, &buffer));
    const int is_read = cls_buffer_takes_kernels(buffer, A->offset, cls_type_size(lu->type), 0);
    const source S = source_of(A, buffer, A->offset, A->ld);
    clsolve_status status = is_read ? enqueue(lu, &S) : CLSOLVE_OK;
    lu->device->ops->buffer_destroy(lu->device, buffer);
    if (is_read) return status;
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, A, &lu->A));
    return cls_lu_small_factor(lu);
}

/* Line by line into pinned memory, and from there in one copy, which the host need not wait for. */
static clsolve_status factor_packed(cls_lu *lu, const clsolve_matrix *A, double *upload) {
    cls_device *device = lu->device;
    double start = cls_seconds();
    size_t size = (size_t)cls_type_size(lu->type), line = (size_t)lu->n * size, bytes = line * (size_t)lu->n;
    cls_rect lines = {line, (size_t)lu->n, 0, line, (size_t)A->ld * size}, packed = {bytes, 1, 0, bytes, bytes};
    void *room;

    CLS_TRY(cls_staging_scratch(device, bytes, &room));
    cls_rect_pack(room, A->data, &lines);
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, lu->small.source, room, &packed, NULL, NULL));
    *upload = cls_seconds() - start;
    source S = source_of(A, lu->small.source, 0, lu->n);
    clsolve_status status = enqueue(lu, &S);
    if (status != CLSOLVE_OK) (void)device->ops->finish(device, CLS_COMPUTE); /* the room is others' too */
    return status;
}

clsolve_status cls_lu_small_factor_view(cls_lu *lu, const clsolve_matrix *A, double *upload) {
    double start = cls_seconds();

    *upload = 0;
    if (A->place == CLSOLVE_ON_DEVICE) return factor_from_device(lu, A);
    if (lu->small.source) return factor_packed(lu, A, upload);
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, A, &lu->A));
    *upload = cls_seconds() - start;
    return cls_lu_small_factor(lu);
}

/* ---- the factors on the host ---- */

/* All of lu->A with its gaps, which few rows hardly have. */
static size_t factor_bytes(const cls_lu *lu) {
    return (size_t)(lu->A.ld * lu->n * cls_type_size(lu->type));
}

clsolve_status cls_lu_small_keep(cls_lu *lu) {
    cls_lu_small *small = &lu->small;

    if (!small->whole || small->host) return CLSOLVE_OK;
    small->host_ipiv = cls_alloc((size_t)lu->n, sizeof *small->host_ipiv);
    small->host_pivots = cls_alloc((size_t)lu->n, sizeof *small->host_pivots);
    small->host = small->host_ipiv && small->host_pivots ? cls_alloc(1, factor_bytes(lu)) : NULL;
    if (small->host) return CLSOLVE_OK;
    return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the factors of %lld rows",
                    (long long)lu->n);
}

void cls_lu_small_host_solve(const cls_lu *lu, clsolve_op op, int64_t cols, double *x) {
    const cls_lu_small *small = &lu->small;
    const int64_t length = lu->n * cls_type_parts(lu->type);
    float single[2 * CLS_LU_SMALL_WHOLE];

    if (cls_is_double(lu->type)) {
        cls_lu_host_one_solve(lu->type, op, small->host, lu->n, small->host_pivots, x, cols);
        return;
    }
    for (int64_t c = 0; c < cols; ++c, x += length) {
        for (int64_t k = 0; k < length; ++k) single[k] = (float)x[k];
        cls_lu_host_one_solve(lu->type, op, small->host, lu->n, small->host_pivots, single, 1);
        for (int64_t k = 0; k < length; ++k) x[k] = (double)single[k];
    }
}

/* ---- the outcome ---- */

static void close_gaps(const cls_lu *lu) {
    const size_t size = (size_t)cls_type_size(lu->type), line = (size_t)lu->n * size, lead = (size_t)lu->A.ld * size;
    char *host = lu->small.host;
    for (int64_t j = 1; j < lu->n; ++j) memmove(host + (size_t)j * line, host + (size_t)j * lead, line);
    for (int64_t k = 0; k < lu->n; ++k) lu->small.host_pivots[k] = (int)lu->small.host_ipiv[k];
}

clsolve_status cls_lu_small_read(cls_lu *lu) {
    cls_lu_small *small = &lu->small;
    int64_t words[WORDS];
    const cls_fetch_part parts[] = {{small->record, words, sizeof words, 0},
                                    {lu->A.slab[0], small->host, factor_bytes(lu), 0},
                                    {lu->panel.ipiv, small->host_ipiv, (size_t)lu->n * sizeof(int64_t), 0}};

    CLS_TRY(cls_staging_fetch(lu->device, parts, small->host ? 3 : 1));
    small->host_is_new = small->host != NULL;
    if (small->host) close_gaps(lu);
    small->info = words[INFO];
    small->measures =
        (cls_measures){-1, -1, cls_check_real(&lu->check, &words[LARGEST]), cls_check_real(&lu->check, &words[NORM])};
    if (words[IN_A] != INT64_MAX) {
        small->measures.row = words[IN_A] % lu->n;
        small->measures.column = words[IN_A] / lu->n;
    }
    const int is_complex = cls_is_complex(lu->type);
    const double re = cls_check_real(&lu->check, &words[MANTISSA]);
    const double im = is_complex ? cls_check_imaginary(&lu->check, &words[MANTISSA]) : 0;
    cls_growth *growth = &small->growth;
    *growth = cls_growth_begin();
    if (words[IN_FACTORS] != INT64_MAX) {
        growth->row = words[IN_FACTORS] % lu->n;
        growth->column = words[IN_FACTORS] / lu->n;
    }
    growth->largest = cls_check_real(&lu->check, &words[UPPER]);
    cls_growth_multiply(growth, is_complex, re, im, (double)words[EXPONENT]);
    return CLSOLVE_OK;
}
