/*
 * vessel.c: pressure in a segment of a vessel over some heart beats.
 *
 * The vessel is a grid of N lines across by M points along. Its left half holds a narrowing where the wall closes in.
 * The vessel gives a little, so it takes time to fill:
 *
 *     s dp/dt = div(k grad p)
 *
 * with the pressure given at both ends (it pulses at the inlet) and nothing through the walls. One step of the implicit
 * Euler method is a block-tridiagonal system whose matrix stays; the right-hand side holds the pressure of before. So
 * clsolve_block_gs_factor runs once, and each step is a solve with a new right-hand side that starts from the last
 * pressure. The last one is drawn into the file that is named, as PNG:    vessel [picture.png [device]]
 *
 * Where the arrays live on the GPU anyway, clsolve_opencl_grid or clsolve_cuda_grid takes the place of clsolve_grid_f64.
 */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "png.h"

enum { N = 64, M = 200, STEPS = 20 };
static const double s = 2e-4; /* what it gives, over the time step */

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
            c[o] = s - (up[o] + down[o] + a[o] + b[o]) + (j == 0 || j == M - 1 ? 2 * k[o] : 0);
        }
}

static clsolve_status run(clsolve_context *context, clsolve_type type, clsolve_block_gs **vessel) {
    clsolve_grid g[] = {clsolve_grid_f64(N, M, up), clsolve_grid_f64(N, M, a), clsolve_grid_f64(N, M, c),
                        clsolve_grid_f64(N, M, b), clsolve_grid_f64(N, M, down)};
    clsolve_grid rhs = clsolve_grid_f64(N, M, F), pressure = clsolve_grid_f64(N, M, p);
    clsolve_report result = {0};
    long long iterations = 0;
    clsolve_status status = clsolve_block_gs_create(context, N, M, type, NULL, vessel);
    if (status == CLSOLVE_OK) status = clsolve_block_gs_factor(*vessel, &g[0], &g[1], &g[2], &g[3], &g[4]);
    for (int step = 0; step < STEPS && status == CLSOLVE_OK; step++) {
        double inlet = 100 + 20 * sin(6.283185307179586 * step / 10); /* mmHg; 80 at the outlet */
        for (int o = 0; o < N * M; o++) F[o] = s * p[o];
        for (int i = 0; i < N; i++) {
            F[i * M] += 2 * k[i * M] * inlet;
            F[i * M + M - 1] += 2 * k[i * M + M - 1] * 80;
        }
        status = clsolve_block_gs_solve(*vessel, &rhs, &pressure, 1);
        (void)clsolve_block_gs_report(*vessel, &result);
        iterations += result.iterations;
    }
    if (status == CLSOLVE_OK)
        printf("%d time steps of %d x %d points by %s: %.1f iterations a step, residual %.1e\n", STEPS, N, M,
               result.block_gs.method, (double)iterations / STEPS, result.block_gs.relative_residual);
    return status;
}

/* Black is 70 mmHg, white 134. */
static int draw(const char *path) {
    static unsigned char grey[N * M];
    for (int o = 0; o < N * M; o++) grey[o] = (unsigned char)fmax(0, fmin(255, (p[o] - 70) * 4));
    return png_write(path, M, N, grey);
}

int main(int argc, char **argv) {
    clsolve_context *context = NULL;
    clsolve_block_gs *vessel = NULL;
    make_vessel();
    for (int o = 0; o < N * M; o++) p[o] = 80;
    clsolve_status status = clsolve_context_create(argc > 2 ? argv[2] : NULL, &context);
    if (status == CLSOLVE_OK) status = run(context, CLSOLVE_F64, &vessel);
    if (status != CLSOLVE_OK)
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_block_gs_destroy(vessel);
    clsolve_context_destroy(context);
    if (status != CLSOLVE_OK) return 1;
    if (argc < 2 || draw(argv[1])) return 0;
    fprintf(stderr, "cannot write %s\n", argv[1]);
    return 1;
}
