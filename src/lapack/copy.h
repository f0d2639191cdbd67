/* copy.h (private): copies of matrices by columns, in the host's memory. */
#ifndef CLS_LAPACK_COPY_H
#define CLS_LAPACK_COPY_H

#include <stddef.h>

#include <clsolve/matrix.h>

size_t cls_device_size(clsolve_type type); /* of an element */

/* Element by element, without what lies between columns. */
void cls_device_copy(const clsolve_matrix *from, clsolve_matrix *to);

#endif
