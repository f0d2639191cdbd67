/* factor.h: the loop of LU, P A = L U, over columns that may lie anywhere (method/columns/columns.h). */
#ifndef CLS_LU_FACTOR_H
#define CLS_LU_FACTOR_H

#include "method/columns/columns.h"

/* Factors them. Enqueues, or in the host's memory works. After a failure nothing runs in SOON or BESIDE any more. */
clsolve_status cls_lu_factor_loop(const cls_columns *columns);

#endif
