/*
 * vessel.c: pressure in a segment of a vessel over some heart beats.
 *
 * The vessel is a grid of N lines across by M points along. Its left half holds a narrowing where the wall closes in. At each
 * time step -div(k grad p) = 0 with the pressure given at both ends (it pulses at the inlet) and nothing through the
 * walls: the matrix stays, only the right-hand side is new, so it is set once and solved again and again, each time from the last
 * pressure. The last one is drawn into the file that is named, as PGM.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, M = 200, STEPS = 20 };

static double up[N * M], a[N * M], c[N * M], b[N * M], down[N * M], F[N * M], p[N * M], k[N * M];

/* Blood flows a thousand times more easily than through the wall that bulges in. */
static void make_vessel(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            double bulge = 0.3 * N * exp(-pow((j - 70) / 15.0, 2));
            k[i * M + j] = i < bulge || i >= N - bulge ? 1e-3 : 1;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            int o = i * M + j;
            up[o] = i > 0 ? -2 * k[o] * k[o - M] / (k[o] + k[o - M]) : 0;
            down[o] = i < N - 1 ? -2 * k[o] * k[o + M] / (k[o] + k[o + M]) : 0;
            a[o] = j > 0 ? -2 * k[o] * k[o - 1] / (k[o] + k[o - 1]) : 0;
            b[o] = j < M - 1 ? -2 * k[o] * k[o + 1] / (k[o] + k[o + 1]) : 0;
            c[o] = -(up[o] + down[o] + a[o] + b[o]) + (j == 0 || j == M - 1 ? 2 * k[o] : 0);
        }
}

static clsolve_status run(clsolve_context *context, clsolve_type type, clsolve_block_tridiag **vessel) {
    clsolve_grid g[] = {clsolve_grid_f64(N, M, up), clsolve_grid_f64(N, M, a), clsolve_grid_f64(N, M, c),
                        clsolve_grid_f64(N, M, b), clsolve_grid_f64(N, M, down)};
    clsolve_grid rhs = clsolve_grid_f64(N, M, F), pressure = clsolve_grid_f64(N, M, p);
    clsolve_block_tridiag_result result = {0};
    long long iterations = 0;
    clsolve_status status = clsolve_block_tridiag_create(context, N, M, type, NULL, vessel);
    if (status == CLSOLVE_OK) status = clsolve_block_tridiag_set(*vessel, &g[0], &g[1], &g[2], &g[3], &g[4]);
    for (int step = 0; step < STEPS && status == CLSOLVE_OK; step++) {
        double inlet = 100 + 20 * sin(6.283185307179586 * step / 10); /* mmHg; 80 at the outlet */
        for (int i = 0; i < N; i++) {
            F[i * M] = 2 * k[i * M] * inlet;
            F[i * M + M - 1] = 2 * k[i * M + M - 1] * 80;
        }
        status = clsolve_block_tridiag_solve(*vessel, &rhs, &pressure, 1);
        (void)clsolve_block_tridiag_result_get(*vessel, &result);
        iterations += result.report.iterations;
    }
    if (status == CLSOLVE_OK)
        printf("%d time steps of %d x %d points by %s: %.1f iterations a step, residual %.1e\n", STEPS, N, M,
               result.method, (double)iterations / STEPS, result.relative_residual);
    return status;
}

static int draw(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    fprintf(file, "P5 %d %d 255\n", M, N);
    for (int o = 0; o < N * M; o++) fputc((int)fmax(0, fmin(255, (p[o] - 70) * 4)), file);
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    clsolve_context *context = NULL;
    clsolve_block_tridiag *vessel = NULL;
    make_vessel();
    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = run(context, CLSOLVE_F64, &vessel);
    if (status != CLSOLVE_OK)
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_block_tridiag_destroy(vessel);
    clsolve_context_destroy(context);
    if (status == CLSOLVE_OK && argc > 1 && !draw(argv[1])) fprintf(stderr, "cannot write %s\n", argv[1]);
    return status == CLSOLVE_OK ? 0 : 1;
}
