#include "method/block_gs/lines_host.h"

#include "base/clones.h"
#include "base/type.h"

#define EACH_ELEMENT "method/block_gs/lines_element.h"
#include "method/elements_each.h"

typedef struct functions {
    int64_t (*factor)(int64_t n, const cls_line *line);
    void (*solve[2])(int64_t n, const cls_line *line, void *x); /* with the matrix, with the transpose */
    int (*gather)(const void *from, int64_t at, int64_t stride, int64_t count, void *to);
} functions;

static const functions *of(clsolve_type type) {
    static const functions real[] = {{factor_f32, {solve_f32, solve_transposed_f32}, gather_f32},
                                     {factor_f64, {solve_f64, solve_transposed_f64}, gather_f64}};
    static const functions pairs[] = {{factor_c32, {solve_c32, solve_transposed_c32}, gather_c32},
                                      {factor_c64, {solve_c64, solve_transposed_c64}, gather_c64}};
    return cls_is_complex(type) ? &pairs[cls_is_double(type)] : &real[cls_is_double(type)];
}

int64_t cls_line_factor(clsolve_type type, int64_t n, const cls_line *line) {
    return of(type)->factor(n, line);
}

void cls_line_solve(clsolve_type type, int transposed, int64_t n, const cls_line *line, void *x) {
    of(type)->solve[transposed != 0](n, line, x);
}

int cls_line_gather(clsolve_type type, const void *from, int64_t at, int64_t stride, int64_t count, void *to) {
    return of(type)->gather(from, at, stride, count, to);
}
