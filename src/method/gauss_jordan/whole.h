/*
 * whole.h: a whole solve and a whole inverse: take A and B, bring A to a safe size, eliminate, make the outcome, give X
 * back. src/api checks the arguments before, and reports after.
 */
#ifndef CLS_GAUSS_JORDAN_WHOLE_H
#define CLS_GAUSS_JORDAN_WHOLE_H

#include <clsolve/report.h>

#include "method/gauss_jordan/gauss_jordan.h"

/* The outcome of a call, also where it failed. */
typedef struct cls_gj_outcome {
    int64_t info;            /* as the report's */
    double rcond;            /* as the report's; the caller begins with -1 */
    clsolve_seconds seconds; /* upload, factor, download */
    int one_phase;           /* all of the call is `factor`, and the caller, who has its seconds, says so */
} cls_gj_outcome;

/* conjugate: of conj(A). */
clsolve_status cls_gj_system(cls_gj *gj, const clsolve_matrix *A, int conjugate, const clsolve_matrix *B,
                             cls_gj_outcome *outcome);
clsolve_status cls_gj_inverse(cls_gj *gj, const clsolve_matrix *A, const clsolve_matrix *X, cls_gj_outcome *outcome);

#endif
