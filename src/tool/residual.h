/* residual.h: how well X solves A X = B, computed in double against the matrix as it was read. */
#ifndef CLS_TOOL_RESIDUAL_H
#define CLS_TOOL_RESIDUAL_H

#include <stdbool.h>

#include "io/matrix_market.h"

/* The scaled residual of an answer that LAPACK's own tests would take is below this. */
#define RESIDUAL_ACCEPTED 30

/* A quotient 0/0 counts as 0: the answer is exact. NaN in X gives NaN. */
typedef struct residuals {
    double relative; /* ||b-Ax||_2 / ||b||_2, the largest of all columns */
    double backward; /* ||b-Ax||_inf / (||A||_inf ||x||_inf + ||b||_inf), the largest of all columns */
    double scaled;   /* ||B-AX||_1 / (||A||_1 ||X||_1 n eps), LAPACK's: accepted below RESIDUAL_ACCEPTED */
} residuals;

/* B and X are dense, A.rows x k. `eps` is LAPACK's, the unit roundoff: 2^-53 or 2^-24. False: out of memory. */
bool residuals_compute(const mm_matrix *A, const mm_matrix *B, const mm_matrix *X, double eps, residuals *result);

#endif
