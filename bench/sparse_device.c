/*
 * sparse_device.c: sparse systems on devices, in two measures:
 *
 *   host to host    clsolve_sparse_factor_csr and clsolve_sparse_solve with the host's arrays
 *   arrays there    clsolve_sparse_factor_values and clsolve_sparse_solve with values and B on the device, where X is
 *                   written
 *
 * A factorization takes new values of the same pattern, a solve has one right-hand side. The first runs, which compile
 * and learn, do not count. Backward errors are measured on the host, of both.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "caller.h"
#include "sparse_system.h"

enum { WARM = 3, RUNS = 101 };
enum { FACTOR, SOLVE, FACTOR_THERE, SOLVE_THERE, PARTS };

typedef struct field {
    bench_caller *caller;
    clsolve_context *context;
    const char *device;
    const bench_options *options;
    FILE *csv;
} field;

typedef struct problem {
    const sparse_system *system;
    clsolve_sparse *sparse;
    clsolve_matrix values, B; /* on the device */
    double *x;
    double part[PARTS][RUNS]; /* milliseconds */
    double analysis, error;
} problem;

static double milliseconds(double since) {
    return 1e3 * (bench_seconds() - since);
}

static void see_error(problem *p) {
    const double error = sparse_system_error(p->system, p->x);
    if (!(error <= p->error)) p->error = error;
}

/* ---- a run ---- */

static int from_host(problem *p, double *factor, double *solve) {
    const sparse_system *s = p->system;
    const clsolve_csr A = clsolve_csr_f64(s->n, s->start, s->column, s->value);
    clsolve_matrix X = clsolve_matrix_f64(s->n, 1, p->x);
    memcpy(p->x, s->b, (size_t)s->n * sizeof *p->x);
    double since = bench_seconds();
    if (clsolve_sparse_factor_csr(p->sparse, &A) != CLSOLVE_OK) return 0;
    *factor = milliseconds(since);
    since = bench_seconds();
    if (clsolve_sparse_solve(p->sparse, CLSOLVE_NO_TRANS, &X) != CLSOLVE_OK) return 0;
    *solve = milliseconds(since);
    see_error(p);
    return 1;
}

static int from_there(const field *f, problem *p, double *factor, double *solve) {
    if (!bench_caller_put(f->caller, &p->B, p->system->b)) return 0;
    double since = bench_seconds();
    if (clsolve_sparse_factor_values(p->sparse, &p->values) != CLSOLVE_OK) return 0;
    *factor = milliseconds(since);
    since = bench_seconds();
    if (clsolve_sparse_solve(p->sparse, CLSOLVE_NO_TRANS, &p->B) != CLSOLVE_OK) return 0;
    *solve = milliseconds(since);
    if (!bench_caller_get(f->caller, &p->B, p->x)) return 0;
    see_error(p);
    return 1;
}

static int run_all(const field *f, problem *p, int repeat) {
    int fine = 1;
    for (int r = -WARM; r < repeat && fine; r++) {
        const int at = r < 0 ? 0 : r;
        fine = from_host(p, &p->part[FACTOR][at], &p->part[SOLVE][at]);
    }
    for (int r = -WARM; r < repeat && fine; r++) {
        const int at = r < 0 ? 0 : r;
        fine = from_there(f, p, &p->part[FACTOR_THERE][at], &p->part[SOLVE_THERE][at]);
    }
    return fine;
}

/* ---- a row ---- */

static int make(const field *f, const sparse_system *s, clsolve_sparse_form form, problem *p) {
    const clsolve_sparse_options options = {.form = form,
                                            .where = CLSOLVE_WHERE_DEVICE,
                                            .order = f->options->metis ? CLSOLVE_ORDER_METIS : CLSOLVE_ORDER_AUTO,
                                            .device_memory_limit = f->options->memory_limit};
    const clsolve_csr A = clsolve_csr_f64(s->n, s->start, s->column, s->value);
    p->x = malloc((size_t)(s->n + 1) * sizeof *p->x);
    if (!p->x || !bench_caller_take(f->caller, s->start[s->n], &p->values) ||
        !bench_caller_take(f->caller, s->n, &p->B) || !bench_caller_put(f->caller, &p->values, s->value))
        return 0;
    const double since = bench_seconds();
    if (clsolve_sparse_create_csr(f->context, &A, &options, &p->sparse) != CLSOLVE_OK) return 0;
    p->analysis = milliseconds(since);
    return 1;
}

static void print(const field *f, const char *system, const char *solver, problem *p, int repeat) {
    double median[PARTS];
    for (int part = 0; part < PARTS; part++) median[part] = bench_median(p->part[part], repeat);
    printf("%-18s %8d %-9s %-9s %9.1f %9.3f %8.3f %9.3f %8.3f %9.1e\n", system, p->system->n, solver, f->device,
           p->analysis, median[FACTOR], median[SOLVE], median[FACTOR_THERE], median[SOLVE_THERE], p->error);
    if (f->csv)
        fprintf(f->csv, "%s,%d,%s,%g,%g,%g,%g,%g,%g,%s\n", system, p->system->n, solver, p->analysis, median[FACTOR],
                median[SOLVE], median[FACTOR_THERE], median[SOLVE_THERE], p->error, f->device);
    (void)fflush(stdout);
}

static int bench_form(const field *f, const char *name, const sparse_system *s, clsolve_sparse_form form) {
    static const char *const solvers[] = {[CLSOLVE_SPARSE_GENERAL] = "lu",
                                          [CLSOLVE_SPARSE_POSITIVE_DEFINITE] = "cholesky",
                                          [CLSOLVE_SPARSE_SYMMETRIC] = "ldl"};
    const int repeat = f->options->repeat < RUNS ? f->options->repeat : RUNS;
    problem *p = calloc(1, sizeof *p);
    if (p) p->system = s;
    const int fine = p && make(f, s, form, p) && run_all(f, p, repeat);
    if (fine) print(f, name, solvers[form], p, repeat);
    if (!fine)
        fprintf(stderr, "clsolve-bench: %s, %s, %s: %s\n", name, solvers[form], f->device,
                clsolve_context_message(f->context));
    if (p) {
        clsolve_sparse_destroy(p->sparse);
        bench_caller_drop(f->caller, &p->values);
        bench_caller_drop(f->caller, &p->B);
        free(p->x);
    }
    free(p);
    return fine;
}

static int bench_system(const field *f, const char *name) {
    sparse_system s;
    if (!sparse_system_make(name, &s)) {
        fprintf(stderr, "clsolve-bench: there is no sparse system '%s'\n", name);
        return 0;
    }
    int fine = bench_form(f, name, &s, CLSOLVE_SPARSE_GENERAL);
    if (fine && s.positive) fine = bench_form(f, name, &s, CLSOLVE_SPARSE_POSITIVE_DEFINITE);
    if (fine && s.symmetric) fine = bench_form(f, name, &s, CLSOLVE_SPARSE_SYMMETRIC);
    sparse_system_free(&s);
    return fine;
}

/* ---- the table ---- */

static int bench_device(const bench_options *options, const char *selector, const char *systems, FILE *csv) {
    char list[4096];
    field f = {.caller = bench_caller_open(selector), .options = options, .csv = csv};
    if (!f.caller) {
        fprintf(stderr, "clsolve-bench: %s\n", bench_caller_message());
        return 6;
    }
    f.context = bench_caller_context(f.caller);
    const clsolve_device_info info = clsolve_context_device(f.context);
    f.device = info.selector;
    printf("# %s: %s; %s; driver %s; clsolve %s\n", info.selector, info.name, info.platform, info.driver,
           clsolve_version());
    (void)snprintf(list, sizeof list, "%s", systems);
    int fine = 1;
    for (char *name = strtok(list, ","); name && fine; name = strtok(NULL, ",")) fine = bench_system(&f, name);
    bench_caller_close(f.caller);
    return fine ? 0 : 1;
}

int bench_sparse_device(const bench_options *options) {
    const char *const systems = options->families ? options->families
                                                  : "poisson2d:300,convection2d:300,poisson2d:1000,convection2d:1000,"
                                                    "poisson3d:40,convection3d:40,poisson3d:64,convection3d:64";
    FILE *csv = options->csv ? fopen(options->csv, "w") : NULL;
    int code = 0;
    if (options->csv && !csv) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        return 2;
    }
    printf("# sparse systems on devices, medians of %d, milliseconds; error: backward error\n", options->repeat);
    printf("%-18s %8s %-9s %-9s %9s %18s %18s %9s\n", "", "", "", "", "", "host to host", "arrays there", "");
    printf("%-18s %8s %-9s %-9s %9s %9s %8s %9s %8s %9s\n", "system", "n", "solver", "device", "analysis", "factor",
           "solve", "factor", "solve", "error");
    if (csv) fprintf(csv, "system,n,solver,analysis,factor,solve,factor_there,solve_there,error,device\n");
    for (int d = 0; d < options->devices && code == 0; d++)
        code = bench_device(options, options->device_list[d], systems, csv);
    if (csv && fclose(csv) != 0) code = 1;
    return code;
}
