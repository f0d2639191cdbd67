/*
 * gaussian_process.c: a field from few measurements, by a Gaussian process. The values y, measured with noise at N points x,
 * are taken for one draw of a random field whose values at two points correlate by their distance:
 *
 *     k(p, q) = exp(-|p - q|^2 / (2 l^2)),   K[i][j] = k(x[i], x[j]) + noise^2 [i = j]
 *
 * K is symmetric positive definite, so clsolve_cholesky factors it, in half the operations of LU:
 *
 *     the evidence   -1/2 y^T K^-1 y - 1/2 ln det K + const   tells which length l suits the data; each l is a factorization
 *     the mean       k(p)^T K^-1 y                            the field at p
 *     the variance   1 - k(p)^T K^-1 k(p)                     how sure that is; one right-hand side for each p
 *
 * The field is drawn into the file that is named, as PNG: the mean, and right of it the standard deviation.
 *     gaussian_process [picture.png [device]]
 */
#include <clsolve/clsolve.h>
#include <math.h>
#include <stdio.h>

#include "png.h"

enum { N = 150, SIDE = 64, POINTS = SIDE * SIDE };
static const double noise = 0.05, lengths[] = {0.05, 0.1, 0.2, 0.4, 0.8};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static double x[N][2], y[N], K[N * N], alpha[N], sides[N * POINTS], mean[POINTS], deviation[POINTS];

static double field(double u, double v) {
    return sin(6 * u) * cos(4 * v) / 2 + u / 2;
}

/* Points that fill the square evenly (multiples of two irrational numbers), and noise of that deviation. */
static void measure(void) {
    for (int i = 0; i < N; i++) {
        x[i][0] = fmod(0.7548776662466927 * (i + 1), 1);
        x[i][1] = fmod(0.5698402909980532 * (i + 1), 1);
        y[i] = field(x[i][0], x[i][1]) + noise * sqrt(2) * sin(12.9898 * i * i);
    }
}

static double correlation(const double *p, const double *q, double length) {
    const double u = p[0] - q[0], v = p[1] - q[1];
    return exp(-(u * u + v * v) / (2 * length * length));
}

/* Only the lower triangle of K: nobody reads the other. alpha = K^-1 y. */
static clsolve_status factor(clsolve_cholesky *cholesky, double length) {
    clsolve_matrix A = clsolve_matrix_f64(N, N, K), B = clsolve_matrix_f64(N, 1, alpha);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) K[i + j * N] = correlation(x[i], x[j], length) + (i == j) * noise * noise;
    for (int i = 0; i < N; i++) alpha[i] = y[i];
    clsolve_status status = clsolve_cholesky_factor(cholesky, CLSOLVE_LOWER, &A);
    return status == CLSOLVE_OK ? clsolve_cholesky_solve(cholesky, &B) : status;
}

/* Without what is the same for each length. */
static double evidence(const clsolve_cholesky *cholesky) {
    clsolve_report report;
    double fit = 0;
    if (clsolve_cholesky_report(cholesky, &report) != CLSOLVE_OK) return -HUGE_VAL;
    for (int i = 0; i < N; i++) fit += y[i] * alpha[i];
    return -(fit + report.direct.log_abs_det) / 2;
}

static clsolve_status predict(clsolve_cholesky *cholesky, double length) {
    clsolve_matrix B = clsolve_matrix_f64(N, POINTS, sides);
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < POINTS; p++) {
            const double place[2] = {(p % SIDE + 0.5) / SIDE, (p / SIDE + 0.5) / SIDE};
            double sum = 0;
            for (int i = 0; i < N; i++) {
                const double k = correlation(x[i], place, length);
                sum += k * (pass ? sides[i + p * N] : alpha[i]);
                if (!pass) sides[i + p * N] = k;
            }
            *(pass ? &deviation[p] : &mean[p]) = pass ? sqrt(fmax(0, 1 - sum)) : sum;
        }
        const clsolve_status status = pass ? CLSOLVE_OK : clsolve_cholesky_solve(cholesky, &B);
        if (status != CLSOLVE_OK) return status;
    }
    return CLSOLVE_OK;
}

static double error_of_mean(void) {
    double sum = 0;
    for (int p = 0; p < POINTS; p++) {
        const double off = mean[p] - field((p % SIDE + 0.5) / SIDE, (p / SIDE + 0.5) / SIDE);
        sum += off * off;
    }
    return sqrt(sum / POINTS);
}

/* Two squares of grey: the mean from -0.5 to 1, the deviation from 0 to 4 times the noise. */
static int draw(const char *path) {
    static unsigned char picture[2 * POINTS];
    for (int line = 0; line < SIDE; line++)
        for (int c = 0; c < 2 * SIDE; c++) {
            const int point = c % SIDE + (SIDE - 1 - line) * SIDE;
            const double grey = c < SIDE ? (mean[point] + 0.5) / 1.5 : deviation[point] / (4 * noise);
            picture[line * 2 * SIDE + c] = (unsigned char)(255 * fmin(1, fmax(0, grey)));
        }
    return png_write(path, 2 * SIDE, SIDE, picture);
}

int main(int argc, char **argv) {
    clsolve_context *context = NULL;
    clsolve_cholesky *cholesky = NULL;
    double best = -HUGE_VAL, length = 0;
    int drawn = 1;

    measure();
    clsolve_status status = clsolve_context_create(argc > 2 ? argv[2] : NULL, &context);
    if (status == CLSOLVE_OK) status = clsolve_cholesky_create(context, N, CLSOLVE_F64, NULL, &cholesky);
    for (int l = 0; l < LENGTHS && status == CLSOLVE_OK; l++) {
        status = factor(cholesky, lengths[l]);
        if (status != CLSOLVE_OK || !(evidence(cholesky) > best)) continue;
        best = evidence(cholesky);
        length = lengths[l];
    }
    if (status == CLSOLVE_OK) status = factor(cholesky, length);
    if (status == CLSOLVE_OK) status = predict(cholesky, length);
    if (status == CLSOLVE_OK)
        printf("%d measurements, noise %.2f: length %.1f, the field with an error of %.3f\n", N, noise, length,
               error_of_mean());
    else
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    if (status == CLSOLVE_OK && argc > 1 && !(drawn = draw(argv[1]))) fprintf(stderr, "%s: not written\n", argv[1]);
    clsolve_cholesky_destroy(cholesky);
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK && drawn ? 0 : 1;
}
