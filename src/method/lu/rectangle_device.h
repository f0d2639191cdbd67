/* rectangle_device.h: what rectangle.h takes and tells, and its part on a device for a matrix that is no square. */
#ifndef CLS_LU_RECTANGLE_DEVICE_H
#define CLS_LU_RECTANGLE_DEVICE_H

#include "method/lu/direct.h"

typedef struct cls_rectangle {
    cls_device *device;
    const char *call; /* begins messages */
    const clsolve_lu_options *options;
    /* Out. */
    int64_t info; /* LAPACK's */
    const char *panel;
    clsolve_seconds seconds;
    int64_t device_bytes;
} cls_rectangle;

/* cls_rectangle_factor for a finite A of m != n that is not tiny, or says so: *measures. */
clsolve_status cls_rectangle_on_device(cls_rectangle *job, const clsolve_matrix *A, int64_t *ipiv,
                                       cls_measures *measures);

#endif
