/* small.c: factorizations of few rows: a launch, or a launch for 16 columns; the outcome. small.h has the picture. */
#include "method/lu/small.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/staging.h"

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

static clsolve_status factor_from_device(cls_lu *lu, const clsolve_matrix *A) {
    cls_buffer *buffer;

    CLS_TRY(cls_transfer_adopt(lu->device, A, &buffer));
    source S = source_of(A, buffer, A->offset, A->ld);
    clsolve_status status = enqueue(lu, &S);
    lu->device->ops->buffer_destroy(lu->device, buffer);
    return status;
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

/* ---- the outcome ---- */

clsolve_status cls_lu_small_read(cls_lu *lu) {
    cls_lu_small *small = &lu->small;
    cls_device *device = lu->device;
    int64_t *words;
    cls_rect rect = {WORDS * sizeof *words, 1, 0, WORDS * sizeof *words, WORDS * sizeof *words};
    void *room;

    CLS_TRY(cls_staging_scratch(device, rect.bytes, &room));
    words = room;
    clsolve_status status = device->ops->read(device, CLS_COMPUTE, small->record, room, &rect, NULL, NULL);
    clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
    CLS_TRY(status);
    CLS_TRY(waited);
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
