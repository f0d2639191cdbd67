/*
 * beam.c: how far a beam of length 1 bends that rests on both ends: w'''' = q, w = w'' = 0 at 0 and 1. On n points
 * inside, h = 1 / (n + 1) apart, that is a band matrix with two diagonals on either side,
 *
 *      w[i-2] - 4 w[i-1] + 6 w[i] - 4 w[i+1] + w[i+2] = h^4 q[i]        (5 in the place of 6 next to the ends)
 *
 * factored once for several loads. Its condition grows as n^4, so that rounding eats a fine grid's digits: the report says when.
 */
#include <clsolve/clsolve.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS = 2, ROWS = 5 }; /* of the band's array: kl + ku + 1 */

/* Element (i,j), from 0, lies in column j of the array at row ku + i - j = 2 + i - j. */
static void fill_band(int64_t n, double *ab) {
    static const double stencil[ROWS] = {1, -4, 6, -4, 1};
    for (int64_t j = 0; j < n; j++)
        for (int r = 0; r < ROWS; r++) ab[j * ROWS + r] = stencil[r]; /* what is outside of the matrix is not read */
    ab[2] = ab[(n - 1) * ROWS + 2] = 5;
}

/* Column 0: the beam's weight, q = 1 everywhere. Column 1: the same weight in the middle point alone, q = 1 / h there. */
static void fill_loads(int64_t n, double *b) {
    double h = 1.0 / (double)(n + 1);
    for (int64_t i = 0; i < n; i++) {
        b[i] = h * h * h * h;
        b[n + i] = i == n / 2 ? h * h * h : 0;
    }
}

static clsolve_status bend(clsolve_context *context, int64_t n, double *ab, double *b, clsolve_report *report) {
    clsolve_matrix AB = clsolve_matrix_f64(ROWS, n, ab), B = clsolve_matrix_f64(n, LOADS, b);
    clsolve_band_options options = {.rcond = 1, .refine = 1};
    clsolve_band *band = NULL;

    clsolve_status status = clsolve_band_create(context, n, 2, 2, CLSOLVE_F64, &options, &band);
    if (status == CLSOLVE_OK) status = clsolve_band_factor(band, &AB); /* again and again, for other beams */
    if (status == CLSOLVE_OK) status = clsolve_band_solve(band, CLSOLVE_NO_TRANS, &B);
    if (status == CLSOLVE_OK) status = clsolve_band_report(band, report);
    clsolve_band_destroy(band);
    return status;
}

int main(void) {
    static const int64_t grids[] = {999, 99999};
    clsolve_context *context = NULL;
    clsolve_status status = clsolve_context_create(NULL, &context);

    for (int g = 0; g < 2 && status == CLSOLVE_OK; g++) {
        int64_t n = grids[g];
        double *ab = malloc((size_t)n * ROWS * sizeof *ab), *b = malloc((size_t)n * LOADS * sizeof *b);
        clsolve_report report;
        if (!ab || !b) return 1;
        fill_band(n, ab);
        fill_loads(n, b);
        status = bend(context, n, ab, b, &report);
        if (status == CLSOLVE_OK) {
            printf("%lld points, %lld + 1 + %lld diagonals, %s: sag %.4f under its weight, %.4f with all of it in the "
                   "middle\n",
                   (long long)n, (long long)report.band.lower, (long long)report.band.upper, report.band.panel,
                   b[n / 2], b[n + n / 2]);
            if (report.direct.rcond < 1e-14)
                printf("  but a condition of %.0e leaves no digit sure\n", 1 / report.direct.rcond);
        }
        free(ab);
        free(b);
    }
    if (status != CLSOLVE_OK)
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
