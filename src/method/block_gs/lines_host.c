#include "method/block_gs/lines_host.h"

#include <float.h>
#include <math.h>

#include "base/clones.h"

#define REAL        double
#define LEAST       DBL_MIN
#define ABSOLUTE(x) fabs(x)
#define NAME(x)     x##_f64
#include "method/block_gs/lines_real.h"
#undef REAL
#undef LEAST
#undef ABSOLUTE
#undef NAME

#define REAL        float
#define LEAST       FLT_MIN
#define ABSOLUTE(x) fabsf(x)
#define NAME(x)     x##_f32
#include "method/block_gs/lines_real.h"

int64_t cls_line_factor(clsolve_type type, int64_t n, const cls_line *line) {
    return type == CLSOLVE_F64 ? factor_f64(n, line->dl, line->d, line->du, line->du2, line->inverse, line->swaps)
                               : factor_f32(n, line->dl, line->d, line->du, line->du2, line->inverse, line->swaps);
}

void cls_line_solve(clsolve_type type, int transposed, int64_t n, const cls_line *line, void *x) {
    if (type == CLSOLVE_F64)
        (transposed ? solve_transposed_f64 : solve_f64)(n, line->dl, line->d, line->du, line->du2, line->inverse,
                                                        line->swaps, x);
    else
        (transposed ? solve_transposed_f32 : solve_f32)(n, line->dl, line->d, line->du, line->du2, line->inverse,
                                                        line->swaps, x);
}

int cls_line_gather(clsolve_type type, const void *from, int64_t at, int64_t stride, int64_t count, void *to) {
    return type == CLSOLVE_F64 ? gather_f64((const double *)from + at, stride, count, to)
                               : gather_f32((const float *)from + at, stride, count, to);
}
