/*
 * network.h: the Jacobian of the power flow of an electrical network, in polar coordinates, for many scenarios: matrices of one
 * pattern. The network is made from random numbers: buses near each other have lines, 1.6 lines a bus.
 */
#ifndef BENCH_NETWORK_H
#define BENCH_NETWORK_H

#include <stdint.h>

/* n unknowns: the angle of each bus but the first, and the voltage of two buses in three. Compressed rows, from 0. */
typedef struct network {
    int buses, lines, n;
    int *from, *to;       /* of each line */
    double *g, *b;        /* its admittance */
    int *angle, *voltage; /* the unknown of each bus; -1: none */
    int *start, *column;
    int *
        place; /* where the 4 derivatives of each pair of neighbours are, -1: none: of buses, then of lines both ways */
} network;

/* 0: no memory. */
int network_make(int buses, network *net);
void network_free(network *net);

/* The values of a scenario: voltages and angles are drawn by its number. */
void network_values(const network *net, uint64_t scenario, double *value);

#endif
