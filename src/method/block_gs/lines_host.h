/* lines_host.h: one tridiagonal matrix on the host: see lines_element.h. */
#ifndef CLS_BLOCK_GS_LINES_HOST_H
#define CLS_BLOCK_GS_LINES_HOST_H

#include <clsolve/matrix.h>
#include <stdint.h>

enum { CLS_LINE_PLAIN = 1, CLS_LINE_TINY = 2 }; /* in swaps[n] */

/* Arrays of n numbers each; swaps has n + 1. */
typedef struct cls_line {
    void *dl, *d, *du, *du2, *inverse;
    int8_t *swaps;
} cls_line;

/* Returns LAPACK's info. */
int64_t cls_line_factor(clsolve_type type, int64_t n, const cls_line *line);
void cls_line_solve(clsolve_type type, int transposed, int64_t n, const cls_line *line, void *x);
/* Copies `count` numbers, the first of which is element `at` of `from`, and `stride` apart; 0: NaN or Inf among
 * them. */
int cls_line_gather(clsolve_type type, const void *from, int64_t at, int64_t stride, int64_t count, void *to);

#endif
