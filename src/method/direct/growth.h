/* growth.h: what one pass over the factors finds: growth and determinant. */
#ifndef CLS_GROWTH_H
#define CLS_GROWTH_H

#include <stdint.h>

typedef struct cls_growth {
    int64_t row, column; /* of the first NaN or Inf in the factors; -1 when all is finite */
    double largest;      /* max |u(i,j)| */
    double log_abs_det;  /* natural; -Inf when a pivot is zero */
    int sign;            /* of the determinant: -1, 0, 1 */
    int known;           /* whether all of this has been computed */
} cls_growth;

/* Of no columns yet: the empty product is 1. */
static inline cls_growth cls_growth_begin(void) {
    return (cls_growth){.row = -1, .column = -1, .sign = 1, .known = 1};
}

/* Of no factors. */
static inline cls_growth cls_growth_unknown(void) {
    return (cls_growth){.row = -1, .column = -1};
}

#endif
