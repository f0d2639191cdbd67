/* transfer.h: the caller's matrices to the device and back, from and to either layout. */
#ifndef CLS_METHOD_TRANSFER_H
#define CLS_METHOD_TRANSFER_H

#include <clsolve/matrix.h>

#include "device/matrix.h"

struct cls_move; /* device/staging.h */

/* The transposition kernels for one type. A zeroed one is valid to destroy. */
typedef struct cls_transfer {
    cls_kernel *copy, *exchange;
    int64_t tile;
} cls_transfer;

clsolve_status cls_transfer_create(cls_device *device, clsolve_type type, cls_transfer *transfer);
void cls_transfer_destroy(cls_device *device, cls_transfer *transfer);

/*
 * `view`'s columns begin .. begin + cols - 1 to and from the first `cols` columns of `matrix`; both have the same rows.
 * A row-major view goes through `scratch`, at least cols x rows; column-major ones don't use it (NULL is fine then).
 * Returns when the copy is done, so that the caller's memory is free again; but a view on the device is read there, on
 * the compute queue, and nothing waits.
 */
clsolve_status cls_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int64_t begin,
                          int64_t cols, const cls_matrix *matrix, const cls_matrix *scratch);
clsolve_status cls_download(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int64_t cols,
                            const clsolve_matrix *view, int64_t begin, const cls_matrix *scratch);

/* A move of the rows first .. end - 1 of some columns, from column j on and in one slab, between a column-major view on
 * the host and the same place of `matrix`: for cls_staging_post, up or down, in the queue for that. */
struct cls_move cls_transfer_part(const cls_matrix *matrix, const clsolve_matrix *view, int64_t first, int64_t end,
                                  int64_t j, int64_t cols, int up);

/* The caller's buffer, when the view lies in it, else INVALID_ARGUMENT. The driver keeps it until what uses it is
 * done. */
clsolve_status cls_transfer_adopt(cls_device *device, const clsolve_matrix *view, cls_buffer **buffer);
/* That alone, of a view on the host or of nothing OK: for calls that are to refuse a view before they change
 * anything. */
clsolve_status cls_transfer_fits(cls_device *device, const clsolve_matrix *view);

/* A whole square view to a square matrix: a row-major one is transposed on the device, on the way where it lies there,
 * else in place, without scratch. */
clsolve_status cls_upload_square(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                 const cls_matrix *matrix);
/* The way back, which may leave `matrix` transposed. Done when it returns. */
clsolve_status cls_download_square(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix,
                                   const clsolve_matrix *view);

/* `to` (cols x rows) becomes `from` (rows x cols) transposed. Enqueued on the compute queue. */
clsolve_status cls_transpose_from(cls_device *device, cls_transfer *transfer, cls_ref from, int64_t rows, int64_t cols,
                                  const cls_matrix *to);

/* A^T into A, square. Enqueued on the compute queue. When a launch fails, those made before are undone, so that A is
 * what it was; where that fails too, *spoilt (may be NULL) becomes 1. */
clsolve_status cls_transpose_square(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int *spoilt);

/* On the host: `to` (cols x rows) = `from` (rows x cols) transposed, both column-major. */
void cls_transpose_host(clsolve_type type, int64_t rows, int64_t cols, const void *from, int64_t from_ld, void *to,
                        int64_t to_ld);

#endif
