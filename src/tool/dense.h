/* dense.h: dense matrices on the host: whether they fit, and how they become the library's views. */
#ifndef CLS_TOOL_DENSE_H
#define CLS_TOOL_DENSE_H

#include <clsolve/matrix.h>

#include "io/matrix_market.h"
#include "tool/outcome.h"

/*
 * Would rows x cols elements of `type` fit in this host's memory? The allocation itself is no test, for many
 * systems promise memory that they do not have. `what` begins the message: "A.mtx".
 */
exit_code dense_check(const char *what, int64_t rows, int64_t cols, clsolve_type type, outcome *out);

/* The library's type for the matrix: `real`, or the complex type of the same precision. */
clsolve_type dense_type(const mm_matrix *matrix, clsolve_type real);

/*
 * A view of `matrix`, column-major in `type`, CLSOLVE_F64 or _F32, or in the complex type of that precision. *owned is
 * the memory behind the view, for free(); NULL where the view looks at the matrix's own. A value that float cannot hold
 * is refused, naming the place; values that round to zero are counted into *lost (may be NULL).
 */
exit_code dense_view(const char *what, const mm_matrix *matrix, clsolve_type type, clsolve_matrix *view, void **owned,
                     int64_t *lost, outcome *out);

#endif
