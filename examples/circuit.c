/*
 * circuit.c: the supply voltage on a chip while its loads switch. The supply is a mesh of SIDE x SIDE nodes with a
 * resistor between neighbours and a capacitor from each node to the ground. Sources of 1 V feed the four corners. Each
 * third node has a transistor that draws the current k(t) v^2 at the voltage v.
 *
 * Modified nodal analysis: unknown are the voltages of the nodes and the currents of the sources. A row of a node says
 * that its currents add up to 0, a row of a source what its voltage is. With the implicit Euler method for the
 * capacitors and Newton's method for the transistors, each step of Newton is a linear system A x = b. Only numbers on
 * the diagonal of A change, so the pattern is analysed once, and the matrix is factored again and again.
 */
#include <clsolve/clsolve.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SIDE = 60,
    NODES = SIDE * SIDE,
    SOURCES = 4,
    N = NODES + SOURCES,
    MOST = 6 * NODES + SOURCES,
    STEPS = 40,
    MOST_NEWTON = 20
};

static const double g = 1, c_over_h = 0.5; /* of a resistor; of a capacitor, over the time step */
static const int corner[SOURCES] = {0, SIDE - 1, NODES - SIDE, NODES - 1};

static int32_t row_start[N + 1], column[MOST], diagonal[NODES]; /* diagonal[k]: where the entry (k,k) lies */
static double linear[NODES], values[MOST];                      /* linear: what of (k,k) never changes */
static double voltage[N], before[N], b[N];

static void add(int *at, int col, double value) {
    column[*at] = col;
    values[(*at)++] = value;
}

static void make_circuit(void) {
    int at = 0;
    for (int k = 0; k < NODES; k++) {
        const int x = k % SIDE, y = k / SIDE;
        const int step[4] = {-SIDE, -1, 1, SIDE}, there[4] = {y > 0, x > 0, x + 1 < SIDE, y + 1 < SIDE};
        linear[k] = c_over_h;
        diagonal[k] = at;
        add(&at, k, 0);
        for (int d = 0; d < 4; d++) {
            if (!there[d]) continue;
            add(&at, k + step[d], -g);
            linear[k] += g;
        }
        for (int s = 0; s < SOURCES; s++)
            if (corner[s] == k) add(&at, NODES + s, -1);
        row_start[k + 1] = at;
    }
    for (int s = 0; s < SOURCES; s++) {
        add(&at, corner[s], 1);
        row_start[NODES + s + 1] = at;
    }
}

/* Transistors of the left half and of the right half work in turn. */
static double strength(int k, int step) {
    const int right = k % SIDE >= SIDE / 2;
    return k % 3 == 0 && right == (step / 10) % 2 ? 2e-3 : 0;
}

/* One Newton step: k v^2 is about k v0^2 + 2 k v0 (v - v0). */
static void linearise(int step) {
    for (int k = 0; k < NODES; k++) {
        const double slope = 2 * strength(k, step) * voltage[k];
        values[diagonal[k]] = linear[k] + slope;
        b[k] = c_over_h * before[k] + slope * voltage[k] / 2;
    }
    for (int s = 0; s < SOURCES; s++) b[NODES + s] = 1;
}

static clsolve_status simulate(clsolve_sparse *sparse, const clsolve_csr *A, int *factored, double *lowest) {
    clsolve_matrix B = clsolve_matrix_f64(N, 1, b);
    clsolve_status status = CLSOLVE_OK;
    for (int step = 0; step < STEPS; step++) {
        double change = 1;
        memcpy(before, voltage, sizeof before);
        for (int newton = 0; newton < MOST_NEWTON && change > 1e-12; newton++) {
            linearise(step);
            status = clsolve_sparse_factor_csr(sparse, A);
            if (status == CLSOLVE_OK) status = clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &B);
            if (status != CLSOLVE_OK) return status;
            change = 0;
            for (int k = 0; k < NODES; k++) change = fmax(change, fabs(b[k] - voltage[k]));
            memcpy(voltage, b, sizeof voltage);
            ++*factored;
        }
        for (int k = 0; k < NODES; k++) *lowest = fmin(*lowest, voltage[k]);
    }
    return status;
}

int main(void) {
    clsolve_context *context = NULL;
    clsolve_sparse *sparse = NULL;
    clsolve_sparse_analysis analysis;
    int factored = 0;
    double lowest = 1;

    make_circuit();
    for (int k = 0; k < NODES; k++) voltage[k] = 1;
    linearise(0); /* the analysis looks at values, too */
    clsolve_csr A = clsolve_csr_f64(N, row_start, column, values);
    clsolve_status status = clsolve_context_create("host", &context);
    if (status == CLSOLVE_OK) status = clsolve_sparse_create_csr(context, &A, NULL, &sparse);
    if (status == CLSOLVE_OK) status = simulate(sparse, &A, &factored, &lowest);
    if (status == CLSOLVE_OK) status = clsolve_sparse_get_analysis(sparse, &analysis);
    if (status == CLSOLVE_OK)
        printf("%d unknowns, %d time steps, factored %d times by %s in the order %s: lowest voltage %.4f\n", N, STEPS,
               factored, analysis.engine, analysis.order, lowest);
    else
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_sparse_destroy(sparse);
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK ? 0 : 1;
}
