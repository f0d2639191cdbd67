/*
 * direct.h: dense LU over several devices as a direct method (method/direct/direct.h), and what the table's files
 * share.
 */
#ifndef CLS_SEVERAL_DIRECT_H
#define CLS_SEVERAL_DIRECT_H

#include "method/direct/direct.h"
#include "method/several/several.h"

/* As cls_lu_direct_setup; *many is zeroed memory. Options that several devices do not have: see cls_several_has. */
clsolve_status cls_several_direct_setup(cls_device *const *devices, const cls_several_shape *shape,
                                        cls_several *several, cls_direct *direct);

/* Whether several devices do what these options ask for. */
int cls_several_has(const clsolve_lu_options *options);

/* invert.c: X, on the host, becomes the inverse, as cls_lu_invert. */
clsolve_status cls_several_invert(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);

/* ---- copy.c ---- */

clsolve_status cls_several_copy_setup(cls_several *several, clsolve_type type, cls_copy *copy);
void cls_several_copy_release(cls_several_part *part);
/* As cls_copy_take. */
clsolve_status cls_several_copy_take(cls_copy *copy, const clsolve_matrix *A, int scale);
/* diag(r) A diag(c) to where it is factored; its largest element. */
clsolve_status cls_several_copy_write(cls_copy *copy, double *largest);
/* A itself, to factors of its own type. */
clsolve_status cls_several_copy_write_plain(cls_copy *copy, cls_several *wide);
clsolve_status cls_several_copy_residual(cls_copy *copy, clsolve_op op, int64_t cols, const double *X, const double *B,
                                         double *R);

#endif
