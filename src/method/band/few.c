#include "method/band/few.h"

#include "base/clones.h"

#define CLS_FEW_CLONES CLS_CLONES

#define EACH_ELEMENT "method/band/few_element.h"
#include "method/elements_each.h"

const cls_few *cls_few_of(clsolve_type type) {
    static const cls_few real[] = {{factor_f32, largest_of_f32, solve_f32, solve_transposed_f32},
                                   {factor_f64, largest_of_f64, solve_f64, solve_transposed_f64}};
    static const cls_few pairs[] = {{factor_c32, largest_of_c32, solve_c32, solve_transposed_c32},
                                    {factor_c64, largest_of_c64, solve_c64, solve_transposed_c64}};
    return cls_is_complex(type) ? &pairs[cls_is_double(type)] : &real[cls_is_double(type)];
}
