#include "sparse_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- entries in any order become rows ---- */

typedef struct entry {
    int row, column, order;
    double value;
} entry;

typedef struct entries {
    entry *list;
    int64_t count, room;
} entries;

static int add(entries *e, int row, int column, double value) {
    if (e->count == e->room) {
        const int64_t room = 2 * e->room + 1024;
        entry *list = realloc(e->list, (size_t)room * sizeof *list);
        if (!list) return 0;
        e->list = list;
        e->room = room;
    }
    e->list[e->count] = (entry){row, column, (int)e->count, value};
    e->count++;
    return 1;
}

static int by_place(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order; /* so that (i, j) and (j, i) are the same sums */
}

/* Takes the list over. Entries at one place are added. b = A (1, ..., 1). */
static int finish(entries *e, int n, sparse_system *s) {
    int kept = 0;
    qsort(e->list, (size_t)e->count, sizeof *e->list, by_place);
    s->n = n;
    s->start = calloc((size_t)n + 1, sizeof *s->start);
    s->column = malloc((size_t)(e->count + 1) * sizeof *s->column);
    s->value = malloc((size_t)(e->count + 1) * sizeof *s->value);
    s->b = calloc((size_t)n + 1, sizeof *s->b);
    const int room = s->start && s->column && s->value && s->b;
    for (int64_t k = 0; k < e->count && room; k++) {
        const entry *at = &e->list[k];
        s->b[at->row] += at->value;
        if (k > 0 && at->row == at[-1].row && at->column == at[-1].column) {
            s->value[kept - 1] += at->value;
            continue;
        }
        s->column[kept] = at->column;
        s->value[kept++] = at->value;
        s->start[at->row + 1] = kept;
    }
    for (int i = 0; i < n && room; i++)
        if (s->start[i + 1] < s->start[i]) s->start[i + 1] = s->start[i];
    free(e->list);
    return room;
}

/* ---- grids ---- */

static int make_grid(int k, int dimensions, double convection, sparse_system *s) {
    const int n = dimensions == 3 ? k * k * k : k * k;
    entries e = {0};
    int fine = 1;
    for (int i = 0; i < n && fine; i++) {
        const int place[3] = {i % k, i / k % k, i / k / k};
        fine = add(&e, i, i, 2.0 * dimensions + 0.01);
        for (int d = 0, step = 1; d < dimensions && fine; d++, step *= k) {
            if (place[d] > 0) fine = add(&e, i, i - step, -1 - (d == 0 ? convection : 0));
            if (fine && place[d] + 1 < k) fine = add(&e, i, i + step, -1 + (d == 0 ? convection : 0));
        }
    }
    s->positive = convection == 0;
    return finish(&e, n, s) && fine;
}

/* ---- elasticity: cubes with eight corners, two Gauss points a direction ---- */

/* The element's stiffness, 24 x 24, for Young's modulus 1 and Poisson's ratio 0.3. */
static void stiffness(double K[24][24]) {
    const double nu = 0.3, lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu)), g = 1 / sqrt(3);
    memset(K, 0, 24 * 24 * sizeof(double));
    for (int q = 0; q < 8; q++) {
        const double at[3] = {q & 1 ? g : -g, q & 2 ? g : -g, q & 4 ? g : -g};
        double slope[8][3];
        for (int a = 0; a < 8; a++)
            for (int d = 0; d < 3; d++) {
                slope[a][d] = 0.25; /* 1/8 for each shape function, times 2 for cubes of edge 1 */
                for (int c = 0; c < 3; c++) {
                    const double sign = a >> c & 1 ? 1 : -1;
                    slope[a][d] *= c == d ? sign : 1 + sign * at[c];
                }
            }
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                double dot = 0;
                for (int d = 0; d < 3; d++) dot += slope[a][d] * slope[b][d];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        K[3 * a + i][3 * b + j] += (lambda * slope[a][i] * slope[b][j] +
                                                    mu * slope[a][j] * slope[b][i] + (i == j ? mu * dot : 0)) /
                                                   8;
            }
    }
}

/* Exactly symmetric, whatever the order of the sums was. */
static void symmetrize(double K[24][24]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < i; j++) K[j][i] = K[i][j];
}

/* Points of the plane x = 0 are clamped: their unknowns are left out. */
static int make_elasticity(int k, sparse_system *s) {
    const int length = 4 * k, points[3] = {length + 1, k + 1, k + 1};
    double K[24][24];
    entries e = {0};
    int fine = 1;
    stiffness(K);
    symmetrize(K);
    for (int cube = 0; cube < length * k * k && fine; cube++) {
        const int origin[3] = {cube % length, cube / length % k, cube / length / k};
        int unknown[24];
        for (int a = 0; a < 8; a++) {
            const int x = origin[0] + (a & 1), y = origin[1] + (a >> 1 & 1), z = origin[2] + (a >> 2);
            const int point = (z * points[1] + y) * length + x - 1;
            for (int d = 0; d < 3; d++) unknown[3 * a + d] = x == 0 ? -1 : 3 * point + d;
        }
        for (int i = 0; i < 24 && fine; i++)
            for (int j = 0; j < 24 && fine; j++)
                if (unknown[i] >= 0 && unknown[j] >= 0) fine = add(&e, unknown[i], unknown[j], K[i][j]);
    }
    s->positive = 1;
    return finish(&e, 3 * length * points[1] * points[2], s) && fine;
}

/* ---- a saddle point ---- */

/* The unknown of direction d (3: the pressure) at a cell or at the face above it; -1: on the wall, or the last pressure,
 * which is 0. */
static int stokes_unknown(int k, int d, const int *at) {
    const int cells = k * k * k, faces = (k - 1) * k * k, cell = (at[2] * k + at[1]) * k + at[0];
    if (d == 3) return cell == cells - 1 ? -1 : 3 * faces + cell;
    int place = 0;
    for (int c = 2; c >= 0; c--) {
        const int width = c == d ? k - 1 : k;
        if (at[c] < 0 || at[c] >= width) return -1;
        place = place * width + at[c];
    }
    return d * faces + place;
}

/* Marker and cell: a velocity has the seven-point operator, and pushes two pressures. */
static int make_stokes(int k, sparse_system *s) {
    entries e = {0};
    int fine = 1;
    for (int cell = 0; cell < 3 * k * k * k && fine; cell++) {
        const int d = cell % 3, at[3] = {cell / 3 % k, cell / 3 / k % k, cell / 3 / k / k};
        const int velocity = stokes_unknown(k, d, at);
        if (velocity < 0) continue;
        fine = add(&e, velocity, velocity, 6);
        for (int side = 0; side < 6 && fine; side++) {
            int next[3] = {at[0], at[1], at[2]};
            next[side / 2] += side % 2 ? 1 : -1;
            const int other = stokes_unknown(k, d, next);
            if (other >= 0) fine = add(&e, velocity, other, -1);
        }
        for (int side = 0; side < 2 && fine; side++) {
            int next[3] = {at[0], at[1], at[2]};
            next[d] += side;
            const int pressure = stokes_unknown(k, 3, next);
            const double slope = side ? 1 : -1;
            if (pressure >= 0) fine = add(&e, velocity, pressure, slope) && add(&e, pressure, velocity, slope);
        }
    }
    return finish(&e, 3 * (k - 1) * k * k + k * k * k - 1, s) && fine;
}

/* ---- a network ---- */

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/*
 * Modified nodal analysis: nodes joined by conductances, new ones mostly to nodes that have many; one in twenty nodes has a
 * voltage source to ground with a row of its own, whose diagonal is zero, one in ten a controlled current source.
 */
static int make_circuit(int nodes, sparse_system *s) {
    const int sources = nodes / 20;
    uint64_t state = (uint64_t)nodes;
    entries e = {0};
    int fine = 1;
    for (int i = 0; i < nodes && fine; i++) {
        const double small = 1e-9;
        fine = add(&e, i, i, small);
        for (int w = 0; w < 2 && i > 0 && fine; w++) {
            const int near =
                i > 50 ? i - 1 - (int)(next_random(&state) % 50) : (int)(next_random(&state) % (uint64_t)i);
            const int hub = (int)(next_random(&state) % (uint64_t)(1 + i / 200));
            const int j = next_random(&state) % 10 == 0 ? hub : near;
            const double g = pow(10, (double)(next_random(&state) % 600) / 100 - 5);
            fine = j == i || (add(&e, i, i, g) && add(&e, j, j, g) && add(&e, i, j, -g) && add(&e, j, i, -g));
        }
        if (fine && i % 10 == 3 && i > 3) fine = add(&e, i, i - 3, 1e-3 * (double)(1 + next_random(&state) % 100));
    }
    for (int v = 0; v < sources && fine; v++) fine = add(&e, nodes + v, 20 * v, 1) && add(&e, 20 * v, nodes + v, 1);
    return finish(&e, nodes + sources, s) && fine;
}

/* ---- files ---- */

static int read_file(const char *name, sparse_system *s) {
    FILE *file = fopen(name, "r");
    char line[1024] = "";
    entries e = {0};
    int rows = 0, columns = 0, count = 0, fine = 0;
    if (!file) return 0;
    const int has_head = fgets(line, sizeof line, file) != NULL;
    const int symmetric = strstr(line, "symmetric") != NULL,
              real = strstr(line, "complex") == NULL && strstr(line, "coordinate");
    while (has_head && fgets(line, sizeof line, file) && line[0] == '%') continue;
    if (real && sscanf(line, "%d %d %d", &rows, &columns, &count) == 3 && rows == columns) fine = 1;
    for (int k = 0; k < count && fine; k++) {
        int row, column;
        double value;
        fine = fscanf(file, "%d %d %lf", &row, &column, &value) == 3 && add(&e, row - 1, column - 1, value);
        if (fine && symmetric && row != column) fine = add(&e, column - 1, row - 1, value);
    }
    (void)fclose(file);
    return fine && finish(&e, rows, s);
}

static double value_at(const sparse_system *s, int row, int column) {
    for (int k = s->start[row]; k < s->start[row + 1]; k++)
        if (s->column[k] == column) return s->value[k];
    return 0;
}

static int is_symmetric(const sparse_system *s) {
    for (int i = 0; i < s->n; i++)
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            if (value_at(s, s->column[k], i) != s->value[k]) return 0;
    return 1;
}

static int make(const char *name, sparse_system *s) {
    int k;
    if (sscanf(name, "poisson2d:%d", &k) == 1) return make_grid(k, 2, 0, s);
    if (sscanf(name, "poisson3d:%d", &k) == 1) return make_grid(k, 3, 0, s);
    if (sscanf(name, "convection2d:%d", &k) == 1) return make_grid(k, 2, 0.4, s);
    if (sscanf(name, "convection3d:%d", &k) == 1) return make_grid(k, 3, 0.4, s);
    if (sscanf(name, "elasticity3d:%d", &k) == 1) return make_elasticity(k, s);
    if (sscanf(name, "stokes3d:%d", &k) == 1) return make_stokes(k, s);
    if (sscanf(name, "circuit:%d", &k) == 1) return make_circuit(k, s);
    return read_file(name, s);
}

int sparse_system_make(const char *name, sparse_system *s) {
    *s = (sparse_system){0};
    if (!make(name, s)) return 0;
    s->symmetric = is_symmetric(s);
    return 1;
}

void sparse_system_free(sparse_system *s) {
    free(s->start);
    free(s->column);
    free(s->value);
    free(s->b);
    *s = (sparse_system){0};
}

double sparse_system_error(const sparse_system *s, const double *x) {
    double residual = 0, of_A = 0, of_x = 0, of_b = 0;
    for (int i = 0; i < s->n; i++) {
        double r = s->b[i], sum = 0;
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            r -= s->value[k] * x[s->column[k]];
            sum += fabs(s->value[k]);
        }
        residual = fmax(residual, fabs(r));
        of_A = fmax(of_A, sum);
        of_x = fmax(of_x, fabs(x[i]));
        of_b = fmax(of_b, fabs(s->b[i]));
        if (isnan(x[i])) return NAN;
    }
    return residual / (of_A * of_x + of_b);
}
