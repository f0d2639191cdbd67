/* failure.h: how a direct method says what is wrong with a matrix. `call` begins the message. */
#ifndef CLS_FAILURE_H
#define CLS_FAILURE_H

#include <stdint.h>

#include <clsolve/status.h>

#include "base/error.h"

/* NaN or Inf in `what`, "A" or "X": names the element, given from 0. */
clsolve_status cls_nonfinite(cls_error *error, clsolve_status status, const char *call, const char *what, int64_t row,
                             int64_t column);
/* The same of factors; `scaled`: rows and columns were brought to the same size already. */
clsolve_status cls_factors_overflow(cls_error *error, const char *call, const char *what, int64_t row, int64_t column,
                                    int scaled);
/* The pivot of column `info`, counted from 1, is zero: on the diagonal of `factor`, "U" or "D". `scaled`: rows or
 * columns of A were scaled, so that elements may have come to 0 by underflow. */
clsolve_status cls_singular(cls_error *error, const char *call, const char *factor, int64_t info, int scaled);
/* The leading minor of order `info` is not positive. `in_float`: the factorization was in float alone. */
clsolve_status cls_not_positive_definite(cls_error *error, const char *call, int64_t info, int in_float);

#endif
