#include "api/door_band.h"

#include <math.h>
#include <string.h>

#include "api/expected.h"
#include "api/where.h"
#include "method/band/few.h"
#include "method/band/lapack.h"

int64_t cls_door_band_most(void) {
    return CLS_LAPACK_DIAGONALS;
}

int cls_door_band_is_on_host(clsolve_context *context, const cls_task *task, double most, clsolve_report *report) {
    cls_choice choice;
    if (cls_enter(context) != CLSOLVE_OK) return 0;
    /* A context of the host alone has nothing to compare. */
    int fits = context->device->no_kernels || cls_expected_host_seconds(context, task) <= most;
    if (fits && cls_where_choose(context, "clsolve_solve_csr", task, CLSOLVE_WHERE_AUTO, 1, &choice) != CLSOLVE_OK)
        fits = 0;
    if (fits) fits = strcmp(choice.where, "host") == 0;
    if (fits && report) cls_where_report(&choice, report);
    (void)cls_leave(context, CLSOLVE_OK);
    return fits;
}

static int64_t pitch(const cls_door_band *band) {
    return 2 * band->kl + band->ku + 1;
}

int64_t cls_door_band_factor(cls_door_band *band) {
    const int64_t kl = band->kl, kv = kl + band->ku;
    return cls_few_of(band->type)->factor(band->ab, pitch(band), band->n, kl, band->ku, kv, band->pivots, &band->above);
}

void cls_door_band_solve(const cls_door_band *band, void *x) {
    const int64_t kl = band->kl, kv = kl + band->ku;
    cls_few_of(band->type)->solve(band->ab, pitch(band), band->n, kl, kv, band->above, band->pivots, x);
}

/* ---- the report ---- */

static double largest_of_factors(const cls_door_band *band) {
    const int64_t kv = band->kl + band->ku;
    return cls_few_of(band->type)->largest(band->ab, pitch(band), band->n, kv, band->above);
}

static double diagonal_of(const cls_door_band *band, int64_t j) {
    const int64_t at = band->kl + band->ku + j * pitch(band);
    return band->type == CLSOLVE_F64 ? ((const double *)band->ab)[at] : (double)((const float *)band->ab)[at];
}

/* The product of the pivots is brought to a mantissa and an exponent where it leaves the middle of the range of
 * doubles, and so are the pivots that could carry it out of the range at once. */
static void report_determinant(const cls_door_band *band, clsolve_report_direct *direct) {
    double product = 1;
    int64_t exponent = 0;
    for (int64_t j = 0; j < band->n; ++j) {
        double u = diagonal_of(band, j);
        int more = 0;
        if (!(fabs(u) > 0x1p-400 && fabs(u) < 0x1p400)) u = frexp(u, &more);
        exponent += more;
        product *= band->pivots[j] == j + 1 ? u : -u;
        if (fabs(product) > 0x1p-400 && fabs(product) < 0x1p400) continue;
        product = frexp(product, &more);
        exponent += more;
    }
    direct->det_sign = product > 0 ? 1 : -1;
    direct->log_abs_det = log(fabs(product)) + (double)exponent * log(2);
}

void cls_door_band_report(const cls_door_band *band, double largest, clsolve_report *report) {
    const int64_t size = band->type == CLSOLVE_F64 ? sizeof(double) : sizeof(float);
    report->method = "band-lu";
    report->n = band->n;
    report->precision = report->direct.det_precision = band->type == CLSOLVE_F64 ? "double" : "single";
    report->direct.rcond = report->refinement.backward_error = -1;
    report->direct.growth = largest_of_factors(band) / largest;
    report_determinant(band, &report->direct);
    report->band.lower = band->kl;
    report->band.upper = band->ku;
    report->band.block = 1;
    report->band.panel = cls_band_lapack.name;
    report->host_bytes = band->n * pitch(band) * size;
}
