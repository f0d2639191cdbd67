/*
 * Sparse systems of any pattern: analysis, factorization and solve, beside KLU, UMFPACK, CHOLMOD and MUMPS where the
 * program of the peers was built. Its name stands in CLSOLVE_BENCH_PEERS, or it lies beside clsolve-bench. Each entrant runs
 * alone, `repeat` times; medians are printed.
 */
#define _XOPEN_SOURCE 700 /* popen */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sparse_system.h"

enum { RUNS = 101, PARTS = 4 };
static const double KLU_MOST = 5e9; /* operations of a system that KLU gets */

typedef struct entrant {
    const char *name;
    double part[PARTS][RUNS]; /* analysis, factorization, another one, solve; milliseconds */
    double whole[RUNS], error;
    int runs;
} entrant;

static const char *const systems[] = {"circuit:2000",   "circuit:40000",     "poisson2d:300",   "convection2d:300",
                                      "poisson2d:1000", "convection2d:1000", "poisson3d:24",    "convection3d:24",
                                      "poisson3d:40",   "convection3d:40",   "elasticity3d:20", "stokes3d:16"};
static const char *const peers[] = {"klu", "umfpack", "mumps", "cholmod", "mumps-sym", "mumps-spd"};
enum { SYSTEMS = sizeof systems / sizeof *systems, PEERS = sizeof peers / sizeof *peers };

static void take(entrant *e, const double *part, double error) {
    for (int p = 0; p < PARTS; p++) e->part[p][e->runs] = part[p];
    e->whole[e->runs++] = part[0] + part[1] + part[3];
    if (!(error <= e->error)) e->error = error;
}

static void print(const char *system, const sparse_system *s, entrant *e, FILE *csv) {
    double median[PARTS];
    if (e->runs == 0) return;
    for (int p = 0; p < PARTS; p++) median[p] = bench_median(e->part[p], e->runs);
    const double whole = bench_median(e->whole, e->runs);
    printf("%-20s %8d %-16s %9.2f %9.2f %9.2f %8.2f %9.2f %9.1e\n", system, s->n, e->name, median[0], median[1],
           median[2], median[3], whole, e->error);
    if (csv)
        fprintf(csv, "%s,%d,%s,%g,%g,%g,%g,%g,%g\n", system, s->n, e->name, median[0], median[1], median[2], median[3],
                whole, e->error);
    (void)fflush(stdout);
}

/* ---- ours ---- */

static double milliseconds(double *since) {
    const double before = *since;
    *since = bench_seconds();
    return 1e3 * (*since - before);
}

static int run_ours(clsolve_context *context, const sparse_system *s, clsolve_sparse_form form, double *x, entrant *e,
                    double *operations) {
    const clsolve_sparse_options options = {.form = form};
    const clsolve_csr A = clsolve_csr_f64(s->n, s->start, s->column, s->value);
    clsolve_matrix X = clsolve_matrix_f64(s->n, 1, x);
    clsolve_sparse *sparse = NULL;
    double part[PARTS], moment = bench_seconds();
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    int done = clsolve_sparse_create_csr(context, &A, &options, &sparse) == CLSOLVE_OK;
    part[0] = milliseconds(&moment);
    done = done && clsolve_sparse_factor_csr(sparse, &A) == CLSOLVE_OK;
    part[1] = milliseconds(&moment);
    done = done && clsolve_sparse_factor_csr(sparse, &A) == CLSOLVE_OK;
    part[2] = milliseconds(&moment);
    done = done && clsolve_sparse_solve(sparse, CLSOLVE_NO_TRANS, &X) == CLSOLVE_OK;
    part[3] = milliseconds(&moment);
    clsolve_sparse_analysis analysis;
    if (done && clsolve_sparse_get_analysis(sparse, &analysis) == CLSOLVE_OK)
        *operations = fmax(*operations, analysis.operations); /* LU has the most */
    clsolve_sparse_destroy(sparse);
    if (done) take(e, part, sparse_system_error(s, x));
    return done;
}

/* ---- the peers ---- */

static const char *peers_program(char *path, size_t size) {
    const char *given = getenv("CLSOLVE_BENCH_PEERS");
    (void)snprintf(path, size, "%s", given ? given : BENCH_SPARSE_PEERS);
    return path;
}

static void run_peer(const char *peer, const char *system, int repeat, entrant *e) {
    char path[1024], command[4096];
    double part[PARTS], error;
    (void)snprintf(command, sizeof command, "'%s' %s '%s' %d 2>/dev/null", peers_program(path, sizeof path), peer,
                   system, repeat);
    FILE *pipe = popen(command, "r");
    while (pipe && e->runs < repeat &&
           fscanf(pipe, "%lf %lf %lf %lf %lf", &part[0], &part[1], &part[2], &part[3], &error) == 5)
        take(e, part, error);
    if (pipe) (void)pclose(pipe);
}

/* ---- the table ---- */

static int bench_system(const char *name, clsolve_context *context, int repeat, FILE *csv) {
    sparse_system s;
    if (!sparse_system_make(name, &s)) {
        fprintf(stderr, "clsolve-bench: there is no sparse system '%s'\n", name);
        return 0;
    }
    double *x = malloc((size_t)(s.n + 1) * sizeof *x);
    entrant *ours = calloc(1, sizeof *ours);
    double operations = 0;
    int fine = x && ours;
    static const struct {
        const char *name;
        clsolve_sparse_form form;
    } forms[] = {{"clsolve-lu", CLSOLVE_SPARSE_GENERAL},
                 {"clsolve-ldl", CLSOLVE_SPARSE_SYMMETRIC},
                 {"clsolve-cholesky", CLSOLVE_SPARSE_POSITIVE_DEFINITE}};
    for (int form = 0; form <= s.symmetric + s.positive && fine; form++) {
        *ours = (entrant){.name = forms[form].name};
        for (int k = 0; k < repeat && fine; k++) fine = run_ours(context, &s, forms[form].form, x, ours, &operations);
        if (fine)
            print(name, &s, ours, csv);
        else
            fprintf(stderr, "clsolve-bench: %s: %s\n", name, clsolve_context_message(context));
    }
    for (int p = 0; p < PEERS && fine; p++) {
        *ours = (entrant){.name = peers[p]};
        if (p == 0 && operations > KLU_MOST) continue; /* KLU has no blocks: minutes */
        run_peer(peers[p], name, repeat, ours);
        print(name, &s, ours, csv);
    }
    free(x);
    free(ours);
    sparse_system_free(&s);
    return fine;
}

int bench_sparse(const bench_options *options) {
    if (options->devices > 0) return bench_sparse_device(options);
    const int repeat = options->repeat < RUNS ? options->repeat : RUNS;
    FILE *csv = options->csv ? fopen(options->csv, "w") : NULL;
    clsolve_context *context = NULL;
    int fine = clsolve_context_create("host", &context) == CLSOLVE_OK;
    char list[4096] = "";
    (void)snprintf(list, sizeof list, "%s", options->families ? options->families : "");
    printf("# sparse systems on the host, medians of %d, milliseconds; error: backward error\n", repeat);
    printf("%-20s %8s %-16s %9s %9s %9s %8s %9s %9s\n", "system", "n", "solver", "analysis", "factor", "again", "solve",
           "whole", "error");
    if (csv) fprintf(csv, "system,n,solver,analysis,factor,again,solve,whole,error\n");
    for (char *name = strtok(list, ","); name && fine; name = strtok(NULL, ","))
        fine = bench_system(name, context, repeat, csv);
    for (int k = 0; k < SYSTEMS && fine && !options->families; k++)
        fine = bench_system(systems[k], context, repeat, csv);
    clsolve_context_destroy(context);
    if (csv && fclose(csv) != 0) fine = 0;
    return fine ? 0 : 1;
}
