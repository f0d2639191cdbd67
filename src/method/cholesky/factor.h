/* factor.h: the loop of Cholesky, A = L L^H, over columns that may lie anywhere (method/columns/columns.h). */
#ifndef CLS_CHOLESKY_FACTOR_H
#define CLS_CHOLESKY_FACTOR_H

#include "method/columns/columns.h"

/* Factors them. *word becomes columns->word; then, and after a failure, nothing is under way when it returns. NULL: it
 * enqueues, and all of it is behind what COMPUTE has then. */
clsolve_status cls_cholesky_factor_loop(const cls_columns *columns, int64_t *word);

#endif
