/* rows.h (private): the pattern of A, of its transpose, or of a symmetric matrix, for cl/front_residual.cl. */
#ifndef CLS_FRONTS_DEVICE_ROWS_H
#define CLS_FRONTS_DEVICE_ROWS_H

#include "method/fronts_device/device.h"

/* The rows of a matrix on the device. */
typedef struct cls_device_rows {
    cls_buffer *start, *column, *entry; /* entry NULL: entry e has value e */
    int32_t lanes;                      /* work-items of a row */
    int64_t limit;                      /* rows of more entries have a whole work-group */
    int32_t longer;                     /* there are such */
} cls_device_rows;

/*
 * `part`: of A, whose other triangle is its mirror, with `conjugates` of its values; of WHOLE there is none.
 * `transposed`: the rows of A^T. `at`: the position of each column of the rows. On failure *rows is empty.
 */
clsolve_status cls_device_rows_make(cls_device *device, const cls_csr *A, clsolve_sparse_part part, int conjugates,
                                    int transposed, const int32_t *at, cls_device_rows *rows);
void cls_device_rows_free(cls_device *device, cls_device_rows *rows);

#endif
