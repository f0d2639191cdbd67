/*
 * The same systems on several devices and through NVIDIA's own libraries, side by side: dense LU, the inverse, many small
 * inverses, tridiagonal lines; and, which those libraries have not, bands and block-tridiagonal systems. In double. All of
 * a row's candidates are verified, and then timed by turns. Two figures each: seconds on the device, between the copies (of
 * LU, the factorization alone; of lines, the solve, for ours are factored before, and cuSPARSE's factor each time), and
 * from host memory to host memory.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

enum { MOST = 101 };

static const family *const families[] = {&peers_lu,      &peers_mixed, &peers_rbt,  &peers_inverse,
                                         &peers_batched, &peers_lines, &peers_band, &peers_block_gs};
enum { FAMILIES = sizeof families / sizeof *families };

static int family_of(const char *name, size_t length) {
    for (int k = 0; k < FAMILIES; ++k)
        if (strlen(families[k]->name) == length && strncmp(families[k]->name, name, length) == 0) return k;
    return -1;
}

/* ---- one size ---- */

static const char *why(const problem *p, int c) {
    return peers_context(p, c) ? clsolve_context_message(peers_context(p, c)) : vendor_message();
}

static int verify(const family *f, problem *p, int c) {
    double device = 0, seconds = f->run(p, c, &device);
    double ratio = seconds < 0 ? (double)NAN : f->ratio(p);
    if (ratio < 30) return 1;
    fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: wrong: ratio %g; %s\n", f->name, (long long)p->n,
            p->field->candidates[c].name, ratio, why(p, c));
    return 0;
}

/* Seconds of each candidate on the device and in all. */
typedef struct figures {
    double device[MOST_CANDIDATES], total[MOST_CANDIDATES];
} figures;

static int measure(const family *f, problem *p, figures *medians) {
    static double times[2][MOST_CANDIDATES][MOST];
    int repeat = p->field->options->repeat < MOST ? p->field->options->repeat : MOST;
    for (int c = 0; c < p->count; ++c) {
        if (!peers_context(p, c) || f->create(p, c)) continue;
        fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: %s\n", f->name, (long long)p->n, p->field->candidates[c].name,
                why(p, c));
        return 0;
    }
    for (int c = 0; c < p->count; ++c)
        if (!verify(f, p, c)) return 0;
    for (int r = 0; r < repeat; ++r)
        for (int c = 0; c < p->count; ++c)
            if ((times[1][c][r] = f->run(p, c, &times[0][c][r])) < 0) return 0;
    for (int c = 0; c < p->count; ++c) {
        medians->device[c] = bench_median(times[0][c], repeat);
        medians->total[c] = bench_median(times[1][c], repeat);
    }
    return 1;
}

static void print_row(const family *f, const problem *p, const figures *t) {
    int peer = p->field->vendor && f->vendor ? p->count - 1 : -1;
    printf("%8lld", (long long)p->n);
    for (int c = 0; c < p->count; ++c)
        printf(" | %11.6f %11.6f %9.4g", t->device[c], t->total[c], 1e-9 * f->work(p) / t->device[c]);
    if (peer > 0) printf(" | %8.2f", t->device[peer] / t->device[0]);
    printf("\n");
    fflush(stdout);
    for (int c = 0; c < p->count && p->field->csv; ++c)
        fprintf(p->field->csv, "%s,%lld,%lld,%s,%.9f,%.9f\n", f->name, (long long)p->n, (long long)p->members,
                peers_context(p, c) ? p->field->candidates[c].name : f->vendor, t->device[c], t->total[c]);
}

static int row(const family *f, const field *all, int64_t n) {
    figures medians;
    problem p = {.field = all, .n = n, .members = 1, .count = all->count - (all->vendor && !f->vendor)};
    int made = f->make(&p);
    if (!made) fprintf(stderr, "clsolve-bench: out of host memory\n");
    int fine = made && measure(f, &p, &medians);
    if (fine) print_row(f, &p, &medians);
    for (int c = 0; c < all->count; ++c)
        if (p.handle[c]) f->destroy(p.handle[c]);
    free(p.A);
    free(p.B);
    free(p.X);
    free(p.info);
    return fine;
}

/* ---- the tables ---- */

static int family_table(const family *f, const field *all) {
    enum { SIZES = sizeof f->sizes / sizeof *f->sizes };
    const bench_options *o = all->options;
    printf("\n# %s; seconds on the device, host to host, and %s on the device\n%8s", f->title, f->unit, "n");
    for (int c = 0; c < all->count; ++c)
        if (all->candidates[c].context || f->vendor)
            printf(" | %33.33s", all->candidates[c].context ? all->candidates[c].name : f->vendor);
    printf("%s\n", all->vendor && f->vendor ? " | vendor's seconds by the first's" : "");
    for (int s = 0; o->count ? s < o->count : s < SIZES && f->sizes[s]; ++s) {
        int64_t n = o->count ? o->sizes[s] : f->sizes[s];
        if (strcmp(f->name, "batched") == 0 && n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST) continue;
        if (!row(f, all, n)) return 0;
    }
    return 1;
}

static int open_all(field *all, const bench_options *options) {
    int cuda = -1;
    all->options = options;
    int count = options->devices > 0 ? options->devices : 1;
    for (int d = 0; d < count; ++d) {
        char message[512];
        clsolve_context_options wanted = {.selector = options->devices > 0 ? options->device_list[d] : NULL,
                                          .message = message,
                                          .message_size = sizeof message};
        candidate *c = &all->candidates[all->count];
        if (clsolve_context_create_with(&wanted, &c->context) != CLSOLVE_OK) {
            fprintf(stderr, "clsolve-bench: %s\n", message);
            return 0;
        }
        clsolve_device_info info = clsolve_context_device(c->context);
        (void)snprintf(c->name, sizeof c->name, "%s", info.selector);
        if (strcmp(info.backend, "cuda") == 0 && cuda < 0) cuda = atoi(info.selector + strlen("cuda:"));
        printf("# %s: ", c->name);
        bench_print_device(stdout, c->context);
        all->count++;
    }
    /* Beside OpenCL alone NVIDIA's libraries compute on the first GPU. */
    all->vendor = vendor_open(cuda > 0 ? cuda : 0);
    if (all->vendor)
        (void)snprintf(all->candidates[all->count++].name, sizeof all->candidates->name, "vendor");
    else
        printf("# without NVIDIA's libraries: %s\n", vendor_message());
    return 1;
}

/* Which families the options name: all, where they name none. 0: there is no such family. */
static int choose(const bench_options *options, int wanted[FAMILIES]) {
    for (int k = 0; k < FAMILIES; ++k) wanted[k] = !options->families;
    for (const char *at = options->families, *end = at ? at + strlen(at) : NULL;
         at && (at < end || at == options->families);) {
        size_t length = strcspn(at, ",");
        int k = family_of(at, length);
        if (k < 0) {
            fprintf(stderr, "clsolve-bench: --family takes");
            for (int f = 0; f < FAMILIES; ++f) fprintf(stderr, "%s %s", f ? "," : "", families[f]->name);
            fprintf(stderr, ", or some of them as in lu,inverse\n");
            return 0;
        }
        wanted[k] = 1;
        at += length + (at[length] == ',');
    }
    return 1;
}

int bench_peers(const bench_options *options) {
    field all = {0};
    int wanted[FAMILIES];
    if (!choose(options, wanted)) return 2;
    int code = open_all(&all, options) ? 0 : 6;
    if (code == 0 && options->csv && !(all.csv = fopen(options->csv, "w"))) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        code = 2;
    }
    if (code == 0) printf("# double; medians of %d, by turns; each verified first\n", options->repeat);
    if (all.csv) fprintf(all.csv, "family,n,members,candidate,device,host_to_host\n");
    for (int k = 0; k < FAMILIES && code == 0; ++k)
        if (wanted[k]) code = family_table(families[k], &all) ? 0 : 1;
    if (all.csv && fclose(all.csv) != 0) code = 1;
    vendor_close(all.vendor);
    for (int c = 0; c < all.count; ++c) clsolve_context_destroy(all.candidates[c].context);
    return code;
}
