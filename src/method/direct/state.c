/* state.c: what follows from the state of a factorization. */
#include "method/direct/direct.h"
#include "method/direct/failure.h"
#include "method/direct/vectors.h"

void *cls_direct_in_use(const cls_direct *direct) {
    return direct->wide ? direct->wide : direct->factors;
}

int cls_direct_in_float(const cls_direct *direct) {
    return direct->mixed && !direct->wide;
}

clsolve_type cls_direct_type_in_use(const cls_direct *direct) {
    return cls_direct_in_float(direct) ? cls_single_type(direct->type) : direct->type;
}

int cls_direct_is_unpivoted(const cls_direct *direct) {
    return direct->ops->is_unpivoted && direct->ops->is_unpivoted(cls_direct_in_use(direct));
}

int cls_direct_can_widen(const cls_direct *direct) {
    return cls_direct_in_float(direct) && !direct->alone;
}

const cls_scaling *cls_direct_scaling(const cls_direct *direct) {
    return direct->copies ? &direct->copy.scaling : &direct->scaling;
}

clsolve_status cls_direct_refuse(const cls_direct *direct, const char *call) {
    cls_error *error = direct->device->error;
    if (direct->ops->positive_definite)
        return cls_not_positive_definite(error, call, direct->info, cls_direct_in_float(direct));
    return cls_singular(error, call, direct->ops->factors_name, direct->info, cls_direct_scaled_lines(direct) != 0);
}

int cls_direct_scaled_lines(const cls_direct *direct) {
    const cls_scaling *scaling = cls_direct_scaling(direct);
    return direct->wide || scaling->uniform != 1 ? 0 : scaling->rows + 2 * scaling->cols;
}

double cls_direct_uniform(const cls_direct *direct) {
    if (cls_direct_scaled_lines(direct)) return 1;
    if (direct->copies) return direct->copy.unit;
    return direct->scaling.uniform;
}

/*
 * The size of right-hand sides: near the largest element, so that products of a solve are neither tiny nor huge. Near
 * the end of the range it is lower, because the terms of a substitution are as much larger as the matrix's condition,
 * of which estimates need room for 1 / epsilon.
 */
static double unit_of(clsolve_type type, double largest) {
    const double unit = cls_vector_unit(largest), room = cls_is_double(type) ? 0x1p-64 : 0x1p-40;
    return unit > room * cls_type_most(type) ? room * unit : unit;
}

cls_inverse cls_direct_inverse(const cls_direct *direct) {
    const cls_scaling *scaling = cls_direct_scaling(direct);
    double largest = direct->copies ? direct->copy.measures.largest : direct->largest;
    /* Rows and columns are scaled to size 1, but double factors are of the copy as it is. */
    int scaled = direct->copies && !direct->wide && (scaling->rows || scaling->cols);
    cls_inverse inverse = {.error = direct->device->error,
                           .n = direct->n,
                           .parts = cls_type_parts(direct->type),
                           .factors = cls_direct_in_use(direct),
                           .solve = direct->ops->solve,
                           .r = scaling->host_r,
                           .c = scaling->host_c,
                           .unit = scaled ? 1 : unit_of(direct->type, largest),
                           .tiny = cls_type_least(direct->type) / cls_type_epsilon(direct->type),
                           .plain_first = direct->copies && direct->ops->plain_first && !cls_direct_in_float(direct)};
    /* Measures of a matrix that was multiplied as a whole are those of the product. */
    if (direct->wide || (!direct->copies && cls_direct_uniform(direct) != 1)) inverse.r = inverse.c = NULL;
    return inverse;
}
