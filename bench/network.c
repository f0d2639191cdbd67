#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *state) {
    return (double)(next(state) >> 11) * 0x1p-53;
}

void network_free(network *net) {
    free(net->from);
    free(net->to);
    free(net->g);
    free(net->b);
    free(net->angle);
    free(net->voltage);
    free(net->start);
    free(net->column);
    free(net->place);
    memset(net, 0, sizeof *net);
}

static int root(int *above, int bus) {
    while (above[bus] != bus) bus = above[bus] = above[above[bus]];
    return bus;
}

/* Lines between neighbours of a grid, in random order: those that join parts of the network, and others until there are enough. */
static int draw_lines(network *net, uint64_t *random) {
    const int width = (int)ceil(sqrt((double)net->buses)), most = 2 * net->buses, wanted = (int)(1.6 * net->buses);
    int *above = malloc((size_t)net->buses * sizeof *above), *all = malloc((size_t)(2 * most) * sizeof *all);
    int count = 0, spare = wanted - (net->buses - 1);
    for (int i = 0; i < net->buses && above && all; i++) {
        above[i] = i;
        if ((i + 1) % width != 0 && i + 1 < net->buses) all[2 * count] = i, all[2 * count++ + 1] = i + 1;
        if (i + width < net->buses) all[2 * count] = i, all[2 * count++ + 1] = i + width;
    }
    for (int k = count - 1; k > 0 && above && all; k--) {
        const int other = (int)(next(random) % (uint64_t)(k + 1)), a = all[2 * k], b = all[2 * k + 1];
        all[2 * k] = all[2 * other], all[2 * k + 1] = all[2 * other + 1];
        all[2 * other] = a, all[2 * other + 1] = b;
    }
    for (int k = 0; k < count && above && all; k++) {
        const int a = root(above, all[2 * k]), b = root(above, all[2 * k + 1]);
        if (a == b && spare-- <= 0) continue;
        above[a] = b;
        net->from[net->lines] = all[2 * k];
        net->to[net->lines] = all[2 * k + 1];
        const double x = 0.02 + 0.2 * unit(random), r = x * (0.1 + 0.3 * unit(random));
        net->g[net->lines] = r / (r * r + x * x);
        net->b[net->lines++] = -x / (r * r + x * x);
    }
    const int done = above && all;
    free(above);
    free(all);
    return done;
}

/* Pair k: bus k with itself, then the lines from and to. */
static void ends(const network *net, int pair, int *row, int *column) {
    const int line = (pair - net->buses) / 2, back = (pair - net->buses) % 2;
    *row = pair < net->buses ? pair : back ? net->to[line] : net->from[line];
    *column = pair < net->buses ? pair : back ? net->from[line] : net->to[line];
}

/* The four places of a pair: derivatives of active and reactive power with respect to angle and voltage. */
static int unknown(const network *net, int bus, int second) {
    return second ? net->voltage[bus] : net->angle[bus];
}

static int compare(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int make_pattern(network *net) {
    const int pairs = net->buses + 2 * net->lines;
    int row, column;
    net->start = calloc((size_t)net->n + 2, sizeof *net->start);
    net->column = calloc(4 * (size_t)pairs, sizeof *net->column);
    net->place = calloc(4 * (size_t)pairs, sizeof *net->place);
    if (!net->start || !net->column || !net->place) return 0;
    for (int pass = 0; pass < 3; pass++)
        for (int k = 0; k < 4 * pairs; k++) {
            ends(net, k / 4, &row, &column);
            const int i = unknown(net, row, k % 4 / 2), j = unknown(net, column, k % 2);
            if (k == 0 && pass == 1)
                for (int r = 0; r < net->n; r++) net->start[r + 2] += net->start[r + 1];
            if (k == 0 && pass == 2)
                for (int r = 0; r < net->n; r++)
                    qsort(net->column + net->start[r], (size_t)(net->start[r + 1] - net->start[r]), sizeof(int),
                          compare);
            net->place[k] = -1;
            if (i < 0 || j < 0) continue;
            if (pass == 0) net->start[i + 2]++;
            if (pass == 1) net->column[net->start[i + 1]++] = j;
            for (int e = net->start[i]; pass == 2 && e < net->start[i + 1]; e++)
                if (net->column[e] == j) net->place[k] = e;
        }
    return 1;
}

int network_make(int buses, network *net) {
    uint64_t random = (uint64_t)buses;
    const size_t most = 2 * (size_t)buses;
    *net = (network){.buses = buses,
                     .from = calloc(most, sizeof *net->from),
                     .to = calloc(most, sizeof *net->to),
                     .g = calloc(most, sizeof *net->g),
                     .b = calloc(most, sizeof *net->b),
                     .angle = calloc(most, sizeof *net->angle),
                     .voltage = calloc(most, sizeof *net->voltage)};
    int done = net->from && net->to && net->g && net->b && net->angle && net->voltage && draw_lines(net, &random);
    for (int i = 0; i < buses && done; i++) net->angle[i] = i > 0 ? net->n++ : -1;
    for (int i = 0; i < buses && done; i++) net->voltage[i] = i % 3 != 0 ? net->n++ : -1;
    done = done && make_pattern(net);
    if (!done) network_free(net);
    return done;
}

static void add(const network *net, int pair, int which, double *value, double more) {
    const int at = net->place[4 * pair + which];
    if (at >= 0) value[at] += more;
}

/* P_i = V_i^2 G - V_i V_k (g cos + b sin), Q_i = -V_i^2 B - V_i V_k (g sin - b cos), of the angle from i to k, summed over lines. */
void network_values(const network *net, uint64_t scenario, double *value) {
    uint64_t random = scenario * 7919 + 1;
    double *V = malloc(2 * (size_t)net->buses * sizeof *V), *angle = V ? V + net->buses : NULL;
    memset(value, 0, (size_t)net->start[net->n] * sizeof *value);
    for (int i = 0; i < net->buses && V; i++) {
        V[i] = 0.94 + 0.12 * unit(&random);
        angle[i] = 0.3 * (unit(&random) - 0.5);
    }
    for (int k = 0; k < 2 * net->lines && V; k++) {
        const int pair = net->buses + k;
        int i, j;
        ends(net, pair, &i, &j);
        const double g = net->g[k / 2], b = net->b[k / 2], delta = angle[i] - angle[j], s = sin(delta), c = cos(delta);
        const double active = V[i] * V[j] * (g * s - b * c), reactive = V[i] * V[j] * (g * c + b * s);
        add(net, i, 0, value, active);
        add(net, i, 1, value, 2 * V[i] * g - V[j] * (g * c + b * s));
        add(net, i, 2, value, -reactive);
        add(net, i, 3, value, -2 * V[i] * b - V[j] * (g * s - b * c));
        add(net, pair, 0, value, -active);
        add(net, pair, 1, value, -V[i] * (g * c + b * s));
        add(net, pair, 2, value, reactive);
        add(net, pair, 3, value, -V[i] * (g * s - b * c));
    }
    free(V);
}
