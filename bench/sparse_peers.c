/*
 * bench_sparse_peers PEER SYSTEM REPEAT: another sparse solver on a system of sparse_system.h. It is a program of its own,
 * because UMFPACK and CHOLMOD's supernodal part are under the GPL. Prints one line for each run:
 *
 *      analysis factor again solve error        milliseconds; again: a factorization with the same analysis; -1: none
 *
 *      klu umfpack cholmod mumps mumps-sym mumps-spd
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>
#ifdef BENCH_MUMPS
#include <dmumps_c.h>
#endif

#include "sparse_system.h"

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

typedef struct times {
    double begin, analysis, factor, again, solve; /* the moments at which each ended; again 0: none */
} times;

/* Compressed rows are the compressed columns of the transpose. */
static int run_klu(const sparse_system *s, double *x, times *t) {
    klu_common common;
    (void)klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(s->n, s->start, s->column, &common);
    t->analysis = now();
    klu_numeric *numeric = symbolic ? klu_factor(s->start, s->column, s->value, symbolic, &common) : NULL;
    t->factor = now();
    if (numeric) (void)klu_refactor(s->start, s->column, s->value, symbolic, numeric, &common);
    t->again = now();
    const int done = numeric && klu_tsolve(symbolic, numeric, s->n, 1, x, &common);
    t->solve = now();
    if (numeric) (void)klu_free_numeric(&numeric, &common);
    if (symbolic) (void)klu_free_symbolic(&symbolic, &common);
    return done;
}

static int run_umfpack(const sparse_system *s, double *x, times *t) {
    void *symbolic = NULL, *numeric = NULL;
    int code = umfpack_di_symbolic(s->n, s->n, s->start, s->column, s->value, &symbolic, NULL, NULL);
    t->analysis = now();
    if (code == UMFPACK_OK) code = umfpack_di_numeric(s->start, s->column, s->value, symbolic, &numeric, NULL, NULL);
    t->factor = now();
    if (code == UMFPACK_OK)
        code = umfpack_di_solve(UMFPACK_At, s->start, s->column, s->value, x, s->b, numeric, NULL, NULL);
    t->solve = now();
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
    return code == UMFPACK_OK;
}

static int run_cholmod(const sparse_system *s, double *x, times *t) {
    cholmod_common c;
    (void)cholmod_start(&c);
    cholmod_sparse A = {.nrow = (size_t)s->n,
                        .ncol = (size_t)s->n,
                        .nzmax = (size_t)s->start[s->n],
                        .p = s->start,
                        .i = s->column,
                        .x = s->value,
                        .stype = 1,
                        .itype = CHOLMOD_INT,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1,
                        .packed = 1};
    cholmod_dense B = {.nrow = (size_t)s->n,
                       .ncol = 1,
                       .nzmax = (size_t)s->n,
                       .d = (size_t)s->n,
                       .x = s->b,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    t->begin = now();
    cholmod_factor *L = cholmod_analyze(&A, &c);
    t->analysis = now();
    (void)cholmod_factorize(&A, L, &c);
    t->factor = now();
    (void)cholmod_factorize(&A, L, &c);
    t->again = now();
    cholmod_dense *X = c.status == CHOLMOD_OK ? cholmod_solve(CHOLMOD_A, L, &B, &c) : NULL;
    t->solve = now();
    const int done = X != NULL;
    if (done) memcpy(x, X->x, (size_t)s->n * sizeof *x);
    (void)cholmod_free_dense(&X, &c);
    (void)cholmod_free_factor(&L, &c);
    (void)cholmod_finish(&c);
    return done;
}

#ifdef BENCH_MUMPS
/* symmetry: 0 none, 1 and definite, 2 and indefinite. */
static int run_mumps(const sparse_system *s, int symmetry, double *x, times *t) {
    const int world = -987654; /* MUMPS's number for all processes */
    DMUMPS_STRUC_C m = {.par = 1, .sym = symmetry, .comm_fortran = world, .job = -1};
    int *row = malloc((size_t)s->start[s->n] * sizeof *row), *column = malloc((size_t)s->start[s->n] * sizeof *column);
    double *value = malloc((size_t)s->start[s->n] * sizeof *value);
    int count = 0;
    for (int i = 0; i < s->n && row && column && value; i++)
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            if (symmetry && s->column[k] > i) continue;
            row[count] = i + 1;
            column[count] = s->column[k] + 1;
            value[count++] = s->value[k];
        }
    dmumps_c(&m);
    m.icntl[0] = m.icntl[1] = m.icntl[2] = -1;
    m.icntl[3] = 0;
    m.icntl[13] = 50; /* per cent of memory more than expected */
    m.n = s->n;
    m.nnz = count;
    m.irn = row;
    m.jcn = column;
    m.a = value;
    m.rhs = x;
    const int jobs[] = {1, 2, 2, 3};
    double *moments[] = {&t->analysis, &t->factor, &t->again, &t->solve};
    t->begin = now();
    for (int k = 0; k < 4 && m.infog[0] >= 0; k++) {
        m.job = jobs[k];
        dmumps_c(&m);
        *moments[k] = now();
    }
    const int done = m.infog[0] >= 0;
    m.job = -2;
    dmumps_c(&m);
    free(row);
    free(column);
    free(value);
    return done;
}
#endif

static int run(const char *peer, const sparse_system *s, double *x, times *t) {
    t->begin = now();
    if (strcmp(peer, "klu") == 0) return run_klu(s, x, t);
    if (strcmp(peer, "umfpack") == 0) return run_umfpack(s, x, t);
    if (strcmp(peer, "cholmod") == 0 && s->positive) return run_cholmod(s, x, t);
#ifdef BENCH_MUMPS
    if (strcmp(peer, "mumps") == 0) return run_mumps(s, 0, x, t);
    if (strcmp(peer, "mumps-sym") == 0 && s->symmetric) return run_mumps(s, 2, x, t);
    if (strcmp(peer, "mumps-spd") == 0 && s->positive) return run_mumps(s, 1, x, t);
#endif
    return 0;
}

int main(int argc, char **argv) {
    sparse_system s;
    if (argc != 4 || !sparse_system_make(argv[2], &s)) {
        fprintf(stderr, "usage: bench_sparse_peers klu|umfpack|cholmod|mumps|mumps-sym|mumps-spd SYSTEM REPEAT\n");
        return 2;
    }
    double *x = malloc((size_t)(s.n + 1) * sizeof *x);
    for (int k = 0; k < atoi(argv[3]) && x; k++) {
        times t = {0};
        memcpy(x, s.b, (size_t)s.n * sizeof *x);
        if (!run(argv[1], &s, x, &t)) return 1;
        const double before_solve = t.again > 0 ? t.again : t.factor;
        printf("%.4f %.4f %.4f %.4f %.2e\n", t.analysis - t.begin, t.factor - t.analysis,
               t.again > 0 ? t.again - t.factor : -1, t.solve - before_solve, sparse_system_error(&s, x));
    }
    free(x);
    sparse_system_free(&s);
    return 0;
}
