/*
 * elasticity.c: how far a steel beam bends that is built in at one end and carries a load at the other one, as a solid
 * of linear elasticity in three dimensions. The solid is made of cubes with a node at each corner, whose displacements
 * are linear along the edges (trilinear hexahedra). A cube adds to the entry of node a, direction i, and node b,
 * direction j, the integral of
 *
 *      lambda Na,i Nb,j + mu (Na,j Nb,i + delta(i,j) grad Na . grad Nb)
 *
 * where Na is the shape function of node a. The matrix is symmetric and positive definite: sparse Cholesky. Beam theory
 * says what to expect. Lengths are metres, forces newtons.
 */
#include <clsolve/clsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 48, THICK = 6, NODES = LONG * (THICK + 1) * (THICK + 1), N = 3 * NODES, CORNERS = 8 };

static const double side = 0.1 / THICK; /* of a cube; the beam is 0.1 thick and 0.8 long */
static const double young = 210e9, poisson = 0.3, load = 1e4;

/* Nodes at x = 0 do not move: they are no unknowns. */
static int node(int x, int y, int z) {
    return ((x - 1) * (THICK + 1) + y) * (THICK + 1) + z;
}

static double sign(int corner, int direction) {
    return corner >> direction & 1 ? 1 : -1;
}

/* Two Gauss points in each direction integrate the products exactly. */
static void integrate_cube(double K[CORNERS][3][CORNERS][3]) {
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
    for (int point = 0; point < 8; point++) {
        double grad[CORNERS][3];
        for (int a = 0; a < CORNERS; a++)
            for (int i = 0; i < 3; i++) {
                grad[a][i] = sign(a, i) / (4 * side);
                for (int d = 0; d < 3; d++)
                    if (d != i) grad[a][i] *= 1 + sign(a, d) * sign(point, d) / sqrt(3);
            }
        for (int a = 0; a < CORNERS; a++)
            for (int b = 0; b < CORNERS; b++) {
                double inner = 0;
                for (int d = 0; d < 3; d++) inner += grad[a][d] * grad[b][d];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        K[a][i][b][j] += side * side * side / 8 *
                                         (lambda * grad[a][i] * grad[b][j] + mu * grad[a][j] * grad[b][i] +
                                          (i == j ? mu * inner : 0));
            }
    }
}

/* The entries of all cubes; those at one place add up in the library. Pass 0 counts them, pass 1 fills them in. */
static void assemble(int32_t *row_start, int32_t *column, double *values) {
    static double K[CORNERS][3][CORNERS][3];
    if (column) integrate_cube(K);
    for (int cube = 0; cube < LONG * THICK * THICK; cube++) {
        int at[CORNERS];
        for (int a = 0; a < CORNERS; a++) {
            const int x = cube / (THICK * THICK) + (a & 1), y = cube / THICK % THICK + (a >> 1 & 1);
            at[a] = x > 0 ? node(x, y, cube % THICK + (a >> 2)) : -1;
        }
        for (int row = 0; row < 3 * CORNERS; row++)
            for (int col = 0; col < 3 * CORNERS; col++) {
                if (at[row / 3] < 0 || at[col / 3] < 0) continue;
                const int32_t e = row_start[3 * at[row / 3] + row % 3 + 1]++;
                if (!column) continue;
                column[e] = 3 * at[col / 3] + col % 3;
                values[e] = K[row / 3][row % 3][col / 3][col % 3];
            }
    }
}

/* Each cube at the free end passes a quarter of its load to each corner. */
static void hang_load(double *b) {
    for (int face = 0; face < 4 * THICK * THICK; face++) {
        const int y = face / 4 / THICK + (face & 1), z = face / 4 % THICK + (face >> 1 & 1);
        b[3 * node(LONG, y, z) + 2] -= load / (4 * THICK * THICK);
    }
}

int main(void) {
    const int most = LONG * THICK * THICK * 9 * CORNERS * CORNERS;
    int32_t *row_start = calloc(N + 2, sizeof *row_start), *column = calloc((size_t)most, sizeof *column);
    double *values = calloc((size_t)most, sizeof *values), *b = calloc(N, sizeof *b);
    clsolve_sparse_options options = {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE, .part = CLSOLVE_SPARSE_LOWER};
    clsolve_sparse_analysis analysis;
    clsolve_context *context = NULL;
    clsolve_sparse *sparse = NULL;
    if (!row_start || !column || !values || !b) return 1;

    assemble(row_start + 1, NULL, NULL); /* row_start[i + 2] has the entries of row i */
    for (int i = 0; i < N; i++) row_start[i + 2] += row_start[i + 1];
    assemble(row_start, column, values); /* row_start[i + 1] comes from the start of row i to its end */
    hang_load(b);
    clsolve_csr A = clsolve_csr_f64(N, row_start, column, values);
    clsolve_matrix B = clsolve_matrix_f64(N, 1, b);
    clsolve_status status = clsolve_context_create("host", &context);
    if (status == CLSOLVE_OK) status = clsolve_sparse_create_csr(context, &A, &options, &sparse);
    if (status == CLSOLVE_OK) status = clsolve_sparse_factor_csr(sparse, &A);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B);
    if (status == CLSOLVE_OK) status = clsolve_sparse_get_analysis(sparse, &analysis);
    if (status == CLSOLVE_OK) {
        const double length = LONG * side, thick = THICK * side, shear = young / (2 * (1 + poisson));
        const double theory = load * pow(length, 3) / (3 * young * pow(thick, 4) / 12) +
                              load * length / (5.0 / 6 * shear * thick * thick);
        printf("%d unknowns, order %s, %.1f million entries: the end sinks by %.3f mm, %.3f mm in theory\n", N,
               analysis.order, analysis.factor_entries * 1e-6, -1e3 * b[3 * node(LONG, THICK / 2, THICK / 2) + 2],
               1e3 * theory);
    } else {
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    }
    clsolve_sparse_destroy(sparse);
    clsolve_context_destroy(context);
    free(row_start);
    free(column);
    free(values);
    free(b);
    return status == CLSOLVE_OK ? 0 : 1;
}
