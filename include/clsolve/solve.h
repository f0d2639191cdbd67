/* solve.h: the one-call form: create, factor, solve, destroy. */
#ifndef CLSOLVE_SOLVE_H
#define CLSOLVE_SOLVE_H

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/gauss_jordan.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

typedef enum clsolve_method {
    CLSOLVE_METHOD_AUTO = 0, /* dense LU, for now */
    CLSOLVE_METHOD_LU = 1,
    CLSOLVE_METHOD_GAUSS_JORDAN = 2
} clsolve_method;

typedef struct clsolve_solve_options {
    clsolve_method method;
    clsolve_op op; /* 0 means CLSOLVE_NO_TRANS */
    clsolve_lu_options lu;
    clsolve_gauss_jordan_options gauss_jordan;
} clsolve_solve_options;

CLSOLVE_BEGIN_DECLS

/*
 * B (n x nrhs) becomes X with op(A) X = B; A is only read. Statuses as the method's own calls,
 * clsolve_lu_factor and clsolve_lu_solve or clsolve_gauss_jordan_solve; B is unchanged on any but OK. `options` and `report` may be NULL.
 */
CLSOLVE_API clsolve_status clsolve_solve(clsolve_context *context, const clsolve_matrix *A, clsolve_matrix *B,
                                         const clsolve_solve_options *options, clsolve_report *report);

CLSOLVE_END_DECLS

#endif
