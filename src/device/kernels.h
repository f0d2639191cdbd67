/* kernels.h: the texts of cl/, embedded by the build (cmake/EmbedKernels.cmake). "dialect" is one of them. */
#ifndef CLS_KERNELS_H
#define CLS_KERNELS_H

#include <stddef.h>

typedef struct cls_kernel_source {
    const char *name; /* the file's name without .cl or .clh */
    const char *text; /* zero-terminated */
    size_t length;
} cls_kernel_source;

/* Ends with a NULL name. */
extern const cls_kernel_source cls_kernel_sources[];

#endif
