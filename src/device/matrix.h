/*
 * matrix.h: a dense matrix in device memory as a list of column slabs, each one buffer, so that a matrix may be
 * larger than one allocation. Column-major; columns never cross slabs.
 *
 *      slab 0     slab 1     slab 2
 *     [ | | | ]  [ | | | ]  [ | ]        slab_cols columns each but the last, a multiple of `align`
 */
#ifndef CLS_MATRIX_H
#define CLS_MATRIX_H

#include <stdint.h>

#include "device/device.h"
#include "device/ref.h"

typedef struct cls_matrix {
    clsolve_type type;
    int64_t rows, cols;
    int64_t ld;        /* elements between columns, >= rows */
    int64_t slab_cols; /* columns in each slab but the last */
    int64_t slabs;
    cls_buffer **slab;
    int64_t bytes;  /* device memory held */
    int64_t origin; /* the number of the first column held, for a window on a larger matrix; else 0 */
    int64_t
        offset; /* of element (0, origin) in its slab, for a view of another matrix's memory; else 0. May be less than 0
                       where the view's first rows are not there */
    /* For a view whose ld is one less than its memory's: slab_cols, by which the next slab's rows lie lower; else 0. */
    int64_t shift;
    void **mapped; /* where each slab is in the host's memory while it is mapped, see cls_matrix_map; else NULL */
} cls_matrix;

/*
 * Takes the memory, uninitialised. A slab holds a multiple of `align` columns, so that a block of `align` columns that
 * starts at a multiple of it lies in one slab. `max_bytes` bounds a slab; 0: the device's own limit. A zeroed
 * cls_matrix is a valid empty one; on failure *matrix is that.
 */
clsolve_status cls_matrix_create(cls_device *device, clsolve_type type, int64_t rows, int64_t cols, int64_t align,
                                 int64_t max_bytes, cls_matrix *matrix);
void cls_matrix_destroy(cls_device *device, cls_matrix *matrix);

/* Elements between the columns of a matrix of that many rows, `size` bytes each. */
int64_t cls_matrix_ld(int64_t rows, int64_t size);

/* The same memory with another number for its first column. Owned by the matrix it comes from, as is that below by the
 * buffer's owner: neither is destroyed. */
cls_matrix cls_matrix_from(const cls_matrix *matrix, int64_t origin);
/* A matrix in one buffer that is there already, with the leading dimension of cls_matrix_ld. */
cls_matrix cls_matrix_in(cls_buffer **buffer, clsolve_type type, int64_t rows, int64_t cols);

/* The place of element (i, j); good for the columns up to the end of its slab. */
cls_ref cls_matrix_at(const cls_matrix *matrix, int64_t i, int64_t j);

/*
 * Maps all slabs, for devices with info.host_memory: the host then works on the matrix in place, and kernels don't,
 * until the matrix is destroyed.
 */
clsolve_status cls_matrix_map(cls_device *device, cls_matrix *matrix);

/*
 * Makes *matrix hold rows x cols at least, uninitialised, mapped where that is asked for. Keeps what is there when it
 * is enough. On failure *matrix is an empty one.
 */
clsolve_status cls_matrix_reserve(cls_device *device, clsolve_type type, int64_t rows, int64_t cols, int64_t max_bytes,
                                  int mapped, cls_matrix *matrix);

/* Element (i, j) of a mapped matrix; good for the columns up to the end of its slab. */
void *cls_matrix_host(const cls_matrix *matrix, int64_t i, int64_t j);

/* How many of the columns j, j+1, ..., limit-1 lie in j's slab. */
int64_t cls_matrix_run(const cls_matrix *matrix, int64_t j, int64_t limit);

/* The buffer as its backend names it: what `adopt` takes. */
void *cls_buffer_handle(const cls_buffer *buffer);

/* Which memory a buffer of the caller's is: two of one `whole` have those bytes in common that both ranges have.
 * `begin` is a multiple of whatever the address is. */
typedef struct cls_buffer_range {
    const void *whole;
    size_t begin, bytes;
} cls_buffer_range;
cls_buffer_range cls_buffer_place(const cls_buffer *buffer);
/* May kernels read such a buffer, or read and write it, from an element on? Its owner may keep them from it, and
 * elements must begin at multiples of their size, because complex ones are loaded whole. */
int cls_buffer_takes_kernels(const cls_buffer *buffer, int64_t offset, int64_t size, int written);

#endif
