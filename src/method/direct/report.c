/* report.c: what a factorization and its solves report. */
#include <math.h>

#include "method/direct/direct.h"

static double known(double error) {
    return isfinite(error) ? error : -1;
}

static void report_steps(const cls_direct *direct, clsolve_report *report) {
    const cls_refined *steps = &direct->steps;

    report->precision = direct->mixed && !direct->fallback ? "mixed"
                        : cls_is_double(direct->type)      ? "double"
                                                           : "single";
    report->precision_reason = direct->precision.reason;
    report->direct.fallback = cls_direct_fallback_text(direct, direct->fallback);
    report->direct.fallback_reason = direct->fallback;
    report->refinement.backward_error = known(steps->backward_error);
    report->iterations = steps->iterations;
    report->refinement.gmres_iterations = steps->gmres;
    report->refinement.history_length = steps->history_length;
    for (int64_t k = 0; k < steps->history_length; ++k) report->refinement.history[k] = known(steps->history[k]);
}

/* -log2 of the product of all powers of two that the factored matrix was multiplied by: what its determinant lacks. */
static int64_t exponent_of(const cls_direct *direct) {
    if (!direct->copies && cls_direct_uniform(direct) != 1) return -direct->n * ilogb(cls_direct_uniform(direct));
    if (!direct->copies) return cls_scaling_exponent(&direct->scaling);
    return direct->wide ? -direct->n * ilogb(direct->copy.unit) : cls_copy_exponent(&direct->copy);
}

static void report_growth(const cls_direct *direct, clsolve_report *report) {
    const cls_growth *growth = &direct->growth;
    int scaled = cls_direct_uniform(direct) != 1 ? CLSOLVE_SCALED_UNIFORMLY : cls_direct_scaled_lines(direct);

    report->direct.equilibrated = scaled;
    if (!growth->known || growth->row >= 0) return;
    if (direct->n > 0 && !direct->imported) report->direct.growth = cls_growth_ratio(growth, direct->largest);
    report->direct.det_sign = growth->sign;
    report->direct.det_phase = growth->sign != 0 ? growth->phase : 0;
    /* Perturbed factors say nothing of the determinant: neither does the scaling then. */
    int det_known = growth->sign != 0 || isinf(growth->log_abs_det);
    report->direct.log_abs_det = det_known ? growth->log_abs_det + (double)exponent_of(direct) * log(2) : 0;
    int is_double = direct->fallback || (cls_is_double(direct->type) && !direct->mixed);
    report->direct.det_precision = is_double ? "double" : "single";
}

static void report_costs(const cls_costs *costs, clsolve_report *report) {
    const clsolve_seconds *f = &costs->factor, *s = &costs->solve;
    const cls_counters *a = &costs->factor_moved, *b = &costs->solve_moved;

    report->bytes_up = a->bytes_up + b->bytes_up;
    report->bytes_down = a->bytes_down + b->bytes_down;
    report->transfers_up = a->transfers_up + b->transfers_up;
    report->transfers_down = a->transfers_down + b->transfers_down;
    report->seconds = (clsolve_seconds){.build = costs->build,
                                        .upload = f->upload + s->upload,
                                        .factor = f->factor,
                                        .solve = s->solve,
                                        .download = s->download,
                                        .total = costs->create + f->total + s->total};
}

void cls_direct_report(const cls_direct *direct, clsolve_report *report) {
    report->n = direct->n;
    report->nrhs = direct->nrhs;
    report->info = direct->info;
    report->direct.rcond = direct->rcond;
    report->direct.rcond_is_bound = direct->rcond_is_bound;
    report_steps(direct, report);
    direct->ops->report(direct, report);
    if (direct->factored) report_growth(direct, report);
    report_costs(&direct->costs, report);
}
