/* generate_sparse.c: patterns without a small band, for sparse LU and sparse Cholesky. */
#include "tool/generate_sparse.h"
#include "tool/generate_entries.h"
#include "tool/random.h"

/* The smallest cube with n points has `side` of them along an edge. Points count along x, then y, then z. */
mm_result generate_poisson_3d(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    (void)seed;
    entries list;
    const mm_result result = entries_reserve(n, 7, &list, A, message);
    if (result != MM_OK) return result;
    int64_t side = 1;
    while (side * side * side < n) side++;
    const int64_t step[3] = {1, side, side * side};
    for (int64_t j = 0; j < n; j++) {
        const int64_t at[3] = {j % side, j / side % side, j / (side * side)};
        entries_add(&list, j, j, 6.0);
        for (int d = 0; d < 3; d++) {
            if (at[d] > 0) entries_add(&list, j - step[d], j, -1.0);
            if (at[d] + 1 < side && j + step[d] < n) entries_add(&list, j + step[d], j, -1.0);
        }
    }
    return entries_finish(n, &list, A, message);
}

/* A conductance `g` between nodes j and k. */
static void add_resistor(entries *list, int64_t j, int64_t k, double g) {
    entries_add(list, j, j, g);
    entries_add(list, k, k, g);
    entries_add(list, j, k, -g);
    entries_add(list, k, j, -g);
}

/* 2^-4 .. 2^3, so that sums are exact. */
static double conductance(random_state *random) {
    return (double)(1 << random_below(random, 8)) / 16.0;
}

/*
 * Modified nodal analysis: n - n / 8 nodes, whose voltages are unknown, then n / 8 voltage sources, whose currents are.
 * Node 0 has a resistor to the ground. Each other node has a resistor to the node before it, or, each eighth, to one of
 * the first eighth of the nodes, which so have many neighbours. Each second node has one more to a node close to it.
 * Into each fourth node flows a current by another node's voltage, an amplifier: it makes the matrix unsymmetric. A
 * source has a zero on the diagonal. The nodes' part is an M-matrix, so A is regular.
 */
mm_result generate_circuit(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message) {
    entries list;
    const mm_result result = entries_reserve(n, 12, &list, A, message);
    if (result != MM_OK) return result;
    random_state random = random_start(seed);
    const int64_t sources = n / 8, nodes = n - sources;
    for (int64_t j = 0; j < nodes; j++) {
        if (j == 0) {
            entries_add(&list, 0, 0, 1.0);
            continue;
        }
        const int64_t bus = (int64_t)random_below(&random, (uint64_t)j) / 8;
        const int64_t other = j - 1 - (int64_t)random_below(&random, (uint64_t)(j < 8 ? j : 8));
        add_resistor(&list, j, j % 8 == 0 ? bus : j - 1, conductance(&random));
        if (j % 2 == 0) add_resistor(&list, j, other, conductance(&random));
        if (j % 4 != 0) continue;
        const double gain = conductance(&random);
        entries_add(&list, j, j, gain);
        entries_add(&list, j, other, -gain);
    }
    for (int64_t s = 0; s < sources; s++) {
        entries_add(&list, nodes + s, 7 * s, 1.0);
        entries_add(&list, 7 * s, nodes + s, 1.0);
    }
    return entries_finish(n, &list, A, message);
}
