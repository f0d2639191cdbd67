/*
 * network.c: the voltages of an alternating-current network: a ring of buses with a load each, fed at bus 0. Nodal
 * analysis has complex currents and voltages, Y V = I, where the admittance matrix Y has
 *
 *      Y[j][k] = -1 / z[j,k]      for a line of impedance z between buses j and k
 *      Y[k][k] = the sum of 1 / z over the lines at bus k, and the charging of their cables
 *
 * A load draws a constant power S, so its current -conj(S / V) depends on its voltage. Each step of the power flow
 * computes the currents from the last voltages and solves for new ones, with the same factors of Y. Numbers are per unit.
 */
#include <clsolve/clsolve.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUSES = 120, MOST_STEPS = 50 };

static const double line_r = 0.001, line_x = 0.004, charging = 1e-4, load_p = 0.01, load_q = 0.004;

/* Lines from bus k to k + 1, around the ring; `open` (or -1) is the first bus of a line that is switched off. */
static void fill_admittances(int open, double complex *Y) {
    const double complex through = 1 / (line_r + line_x * I), across = charging / 2 * I;
    for (int i = 0; i < BUSES * BUSES; i++) Y[i] = 0;
    for (int k = 0; k < BUSES; k++) {
        const int next = (k + 1) % BUSES;
        if (k == open) continue;
        Y[k * BUSES + k] += through + across;
        Y[next * BUSES + next] += through + across;
        Y[k * BUSES + next] -= through;
        Y[next * BUSES + k] -= through;
    }
}

/* The equation of bus 0 becomes V = 1. */
static void fix_voltage(double complex *Y) {
    for (int j = 0; j < BUSES; j++) Y[j * BUSES] = j == 0; /* by columns: row 0 */
}

/* Steps that were taken; 0: the voltages do not settle. */
static int power_flow(clsolve_lu *lu, double complex *V, clsolve_status *status) {
    const double complex load = load_p + load_q * I;
    double complex x[BUSES]; /* currents, and the voltages that come of them */
    for (int k = 0; k < BUSES; k++) V[k] = 1;
    for (int step = 1; step <= MOST_STEPS; step++) {
        clsolve_matrix B = clsolve_matrix_c64(BUSES, 1, x);
        double change = 0;
        x[0] = 1;
        for (int k = 1; k < BUSES; k++) x[k] = -conj(load / V[k]);
        *status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &B);
        if (*status != CLSOLVE_OK) return 0;
        for (int k = 0; k < BUSES; k++) {
            change = fmax(change, cabs(x[k] - V[k]));
            V[k] = x[k];
        }
        if (change < 1e-12) return step;
    }
    return 0;
}

/* What bus 0 feeds into the network; `Y` without fixed voltages. */
static double complex feed(const double complex *Y, const double complex *V) {
    double complex current = 0;
    for (int j = 0; j < BUSES; j++) current += Y[j * BUSES] * V[j];
    return V[0] * conj(current);
}

static void print(const char *name, int steps, const double complex *Y, const double complex *V) {
    int lowest = 0;
    for (int k = 0; k < BUSES; k++)
        if (cabs(V[k]) < cabs(V[lowest])) lowest = k;
    printf("%s: %d steps, lowest voltage %.3f at bus %d, losses %.4f of %.2f\n", name, steps, cabs(V[lowest]), lowest,
           creal(feed(Y, V)) - (BUSES - 1) * load_p, (BUSES - 1) * load_p);
}

int main(void) {
    static double complex Y[BUSES * BUSES], fixed[BUSES * BUSES], V[BUSES];
    static const struct {
        const char *name;
        int open;
    } cases[] = {{"whole ring", -1}, {"line 29-30 open", 29}};
    clsolve_context *context = NULL;
    clsolve_lu *lu = NULL;
    int steps = 1;

    clsolve_status status = clsolve_context_create(NULL, &context);
    if (status == CLSOLVE_OK) status = clsolve_lu_create(context, BUSES, CLSOLVE_C64, NULL, &lu);
    for (int c = 0; c < 2 && status == CLSOLVE_OK && steps > 0; c++) {
        clsolve_matrix A = clsolve_matrix_c64(BUSES, BUSES, fixed);
        fill_admittances(cases[c].open, Y);
        for (int i = 0; i < BUSES * BUSES; i++) fixed[i] = Y[i];
        fix_voltage(fixed);
        status = clsolve_lu_factor(lu, &A);
        if (status == CLSOLVE_OK) steps = power_flow(lu, V, &status);
        if (status == CLSOLVE_OK && steps > 0) print(cases[c].name, steps, Y, V);
        if (status == CLSOLVE_OK && steps == 0) fprintf(stderr, "%s: the voltages do not settle\n", cases[c].name);
    }
    if (status != CLSOLVE_OK)
        fprintf(stderr, "%s: %s\n", clsolve_status_text(status), clsolve_context_message(context));
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(context);
    return status == CLSOLVE_OK && steps > 0 ? 0 : 1;
}
