/* complex_problem.c: see complex_problem.h. */
#include "block_gs/complex_problem.h"

element *complex_elements(int64_t n) {
    element *made = test_room(n + 1, sizeof *made);
    return made;
}

static element number(test_random *random) {
    const double re = test_random_signed(random);
    return re + I * test_random_signed(random);
}

complex_problem complex_problem_make(int64_t N, int64_t M, test_random *random) {
    complex_problem p = {.N = N, .M = M, .F = complex_elements(N * M), .Y = complex_elements(N * M)};
    for (int q = 0; q < 5; ++q) p.q[q] = complex_elements(N * M);
    for (int64_t e = 0; e < N * M; ++e) p.F[e] = number(random);
    return p;
}

void complex_problem_mark_edges(complex_problem *p) {
    for (int64_t i = 0; i < p->N; ++i) p->q[A][i * p->M] = p->q[B][(i + 1) * p->M - 1] = NAN;
    for (int64_t k = 0; k < p->M; ++k) p->q[UP][k] = p->q[DOWN][(p->N - 1) * p->M + k] = NAN;
}

void complex_problem_free(complex_problem *p) {
    for (int q = 0; q < 5; ++q) free(p->q[q]);
    free(p->F);
    free(p->Y);
}

static double couplings(const complex_problem *p, int64_t e) {
    return cabs(p->q[A][e]) + cabs(p->q[B][e]) + cabs(p->q[UP][e]) + cabs(p->q[DOWN][e]);
}

complex_problem complex_problem_dominant(int64_t N, int64_t M, complex_kind what, uint64_t use) {
    test_random random = test_random_start(use);
    complex_problem p = complex_problem_make(N, M, &random);
    for (int64_t e = 0; e < N * M; ++e)
        for (int q = 0; q < 5; ++q) p.q[q][e] = number(&random);
    for (int64_t e = 0; e < N * M && what != GENERAL; ++e) {
        if (e % M > 0) p.q[A][e] = what == HERMITIAN ? conj(p.q[B][e - 1]) : p.q[B][e - 1];
        if (e >= M) p.q[UP][e] = what == HERMITIAN ? conj(p.q[DOWN][e - M]) : p.q[DOWN][e - M];
    }
    for (int64_t e = 0; e < N * M; ++e) {
        const double size = 1.5 * couplings(&p, e) + 0.1,
                     turn = what == HERMITIAN ? 0 : 3 * test_random_signed(&random);
        p.q[C][e] = size * cos(turn) + I * size * sin(turn);
    }
    complex_problem_mark_edges(&p);
    return p;
}

void complex_problem_rest(const complex_problem *p, const element *F, const element *Y, int64_t i, element *row) {
    for (int64_t k = 0; k < p->M; ++k) {
        const int64_t e = i * p->M + k;
        element r = F[e] - p->q[C][e] * Y[e];
        if (k > 0) r -= p->q[A][e] * Y[e - 1];
        if (k + 1 < p->M) r -= p->q[B][e] * Y[e + 1];
        if (i > 0) r -= p->q[UP][e] * Y[e - p->M];
        if (i + 1 < p->N) r -= p->q[DOWN][e] * Y[e + p->M];
        row[k] = r;
    }
}

double complex_problem_residual(const complex_problem *p, const element *F, const element *Y) {
    double rest = 0, size = 0;
    element *row = complex_elements(p->M);
    for (int64_t i = 0; i < p->N; ++i) {
        complex_problem_rest(p, F, Y, i, row);
        for (int64_t k = 0; k < p->M; ++k) {
            const element f = F[i * p->M + k];
            rest += creal(row[k] * conj(row[k]));
            size += creal(f * conj(f));
        }
    }
    free(row);
    return sqrt(rest / size);
}
