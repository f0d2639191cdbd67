/*
 * generate_grid.c: five-point systems on a grid of lines, numbered along the lines. The two of haemodynamics are the
 * experiments of a study of block Gauss-Seidel for the pressure in a vessel; convection is the upwind scheme.
 */
#include "tool/generate.h"

#include <stdlib.h>
#include <string.h>

#include "io/message.h"

/* The row of point (i, k), from 0: up, a, c, b, down. Couplings out of the grid are cut off by the caller. */
typedef void (*stencil)(int64_t N, int64_t M, int64_t i, int64_t k, double parameter, double row[5]);

static void hemodynamics_1(int64_t N, int64_t M, int64_t i, int64_t k, double parameter, double row[5]) {
    (void)parameter;
    const double coupling = (double)(2 * (i + 1) + k + 1) / (double)(2 * N + M);
    row[0] = row[1] = row[3] = row[4] = coupling;
    row[2] = 4;
}

static void hemodynamics_2(int64_t N, int64_t M, int64_t i, int64_t k, double parameter, double row[5]) {
    (void)parameter;
    row[0] = row[1] = row[3] = row[4] = -1;
    row[2] = 4 + (k == 0) + (k + 1 == M) - (i == 0) - (i + 1 == N);
}

static void anisotropic(int64_t N, int64_t M, int64_t i, int64_t k, double parameter, double row[5]) {
    (void)N, (void)M, (void)i, (void)k;
    row[0] = row[4] = -1;
    row[1] = row[3] = -parameter;
    row[2] = 2 + 2 * parameter;
}

static void convection(int64_t N, int64_t M, int64_t i, int64_t k, double parameter, double row[5]) {
    (void)i, (void)k;
    row[0] = -1 - parameter / (double)(N + 1);
    row[1] = -1 - parameter / (double)(M + 1);
    row[3] = row[4] = -1;
    row[2] = -(row[0] + row[1] + row[3] + row[4]);
}

static const struct {
    generate_grid_kind kind;
    stencil row;
} kinds[] = {
    {{"hemodynamics-1", "grid, variable couplings in (0, 1), diagonal 4", NULL, 0}, hemodynamics_1},
    {{"hemodynamics-2", "grid, couplings -1: thousands of Gauss-Seidel sweeps", NULL, 0}, hemodynamics_2},
    {{"anisotropic", "grid, couplings -R along the lines and -1 across", "--ratio", 100}, anisotropic},
    {{"convection", "grid, upwind flow along the diagonal, Peclet number P", "--peclet", 100}, convection},
};

const generate_grid_kind *generate_grid_list(int index) {
    return index < (int)(sizeof kinds / sizeof kinds[0]) ? &kinds[index].kind : NULL;
}

const generate_grid_kind *generate_grid_find(const char *name) {
    for (size_t g = 0; g < sizeof kinds / sizeof kinds[0]; g++)
        if (strcmp(kinds[g].kind.name, name) == 0) return &kinds[g].kind;
    return NULL;
}

static stencil stencil_of(const generate_grid_kind *kind) {
    for (size_t g = 0; g < sizeof kinds / sizeof kinds[0]; g++)
        if (kind == &kinds[g].kind) return kinds[g].row;
    return NULL;
}

mm_result generate_grid(const generate_grid_kind *kind, int64_t N, int64_t M, double parameter, mm_matrix *A,
                        mm_message *message) {
    const stencil row_of = stencil_of(kind);
    const int64_t most = (int64_t)1 << 31;
    memset(A, 0, sizeof *A);
    if (N < 1 || M < 1 || N > most / M)
        return mm_fail(message, MM_MALFORMED, "the grid has no points, or more than a matrix file can hold");
    const size_t room = 5 * (size_t)(N * M);
    int64_t *row = malloc(room * sizeof *row), *column = malloc(room * sizeof *column), count = 0;
    double *value = malloc(room * sizeof *value);
    mm_result result = MM_OUT_OF_MEMORY;
    if (row && column && value) {
        const int64_t step[5] = {-M, -1, 0, 1, M};
        for (int64_t o = 0; o < N * M; o++) {
            const int64_t i = o / M, k = o % M;
            const int there[5] = {i > 0, k > 0, 1, k + 1 < M, i + 1 < N};
            double entries[5];
            row_of(N, M, i, k, parameter, entries);
            for (int q = 0; q < 5; q++) {
                if (!there[q]) continue;
                row[count] = o;
                column[count] = o + step[q];
                value[count++] = entries[q];
            }
        }
        result = mm_from_triplets(N * M, N * M, count, row, column, value, A, message);
    } else {
        (void)mm_fail(message, MM_OUT_OF_MEMORY, "out of memory for a grid of %lld points", (long long)(N * M));
    }
    free(row);
    free(column);
    free(value);
    return result;
}
