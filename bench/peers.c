/*
 * The same systems on several devices and through NVIDIA's own libraries, side by side: dense LU, the inverse, many small
 * inverses, tridiagonal lines; and, which those libraries have not, bands and block-tridiagonal systems. All of a
 * row's candidates are verified, and then timed by turns. Two figures each: seconds on the device, between the copies (of
 * LU, the factorization, with what of a large matrix comes up meanwhile; of lines, the solve, for ours are factored before, and cuSPARSE's factor each time), and
 * from host memory to host memory.
 */
#include <stdlib.h>
#include <string.h>

#include "peers.h"

static const family *const families[] = {&peers_lu,      &peers_mixed, &peers_rbt,  &peers_inverse,
                                         &peers_batched, &peers_lines, &peers_band, &peers_block_gs};
enum { FAMILIES = sizeof families / sizeof *families };

static int family_of(const char *name, size_t length) {
    for (int k = 0; k < FAMILIES; ++k)
        if (strlen(families[k]->name) == length && strncmp(families[k]->name, name, length) == 0) return k;
    return -1;
}

/* ---- rows where the vendor is ahead ---- */

/* A candidate of ours that took longer than the vendor: the vendor's seconds over ours. */
typedef struct behind {
    const family *family;
    int64_t n;
    const char *name;
    double device, total;
} behind;

enum { BEHIND = 128 };
typedef struct behinds {
    behind of[BEHIND];
    int count; /* also of those that have no room */
} behinds;

static void note_behind(const family *f, const problem *p, const bench_figures *t, behinds *all) {
    const int peer = p->field->vendor && f->vendor ? p->count - 1 : 0;
    for (int c = 0; c < peer; ++c) {
        const behind b = {f, p->n, p->field->candidates[c].name, t->device[peer] / t->device[c],
                          t->total[peer] / t->total[c]};
        if (b.device >= 1 && b.total >= 1) continue;
        if (all->count < BEHIND) all->of[all->count] = b;
        all->count++;
    }
}

static void print_behind(const bench_field *field, const behinds *all) {
    if (!field->vendor) return;
    printf("\n# rows where the vendor is ahead, by its seconds over ours: on the device, host to host%s\n",
           all->count ? "" : "; none");
    for (int k = 0; k < all->count && k < BEHIND; ++k) {
        const behind *b = &all->of[k];
        printf("# %-10s %8lld   %-20s %6.2f %6.2f\n", b->family->name, (long long)b->n, b->name, b->device, b->total);
    }
    if (all->count > BEHIND) printf("# and %d more\n", all->count - BEHIND);
}

/* ---- one size ---- */

static double run_one(void *problem_, int who, double *device) {
    problem *p = problem_;
    return p->family->run(p, who, device);
}

static double ratio_of(const void *problem_) {
    const problem *p = problem_;
    return p->family->ratio(p);
}

static int measure(const family *f, problem *p, bench_figures *medians) {
    bench_contest contest = {p->field, p->count, f->name, NULL, p->n, run_one, ratio_of};
    for (int c = 0; c < p->count; ++c) {
        if (!peers_context(p, c) || f->create(p, c)) continue;
        fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: %s\n", f->name, (long long)p->n, bench_entrant(&contest, c),
                bench_why(p->field, c));
        return 0;
    }
    return bench_compare(&contest, p, medians);
}

static void print_row(const family *f, const problem *p, const bench_figures *t) {
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

static int row(const family *f, const bench_field *all, int64_t n, behinds *slower) {
    bench_figures medians;
    problem p = {.family = f,
                 .field = all,
                 .type = all->options->type,
                 .n = n,
                 .members = 1,
                 .count = all->count - (all->vendor && !f->vendor)};
    int made = f->make(&p);
    if (!made) fprintf(stderr, "clsolve-bench: out of host memory\n");
    int fine = made && measure(f, &p, &medians);
    if (fine) print_row(f, &p, &medians);
    if (fine) note_behind(f, &p, &medians, slower);
    for (int c = 0; c < all->count; ++c)
        if (p.handle[c]) f->destroy(p.handle[c]);
    peers_free_array(&p, p.A);
    peers_free_array(&p, p.B);
    peers_free_array(&p, p.X);
    free(p.info);
    return fine;
}

/* ---- the tables ---- */

static int family_table(const family *f, const bench_field *all, behinds *slower) {
    enum { SIZES = sizeof f->sizes / sizeof *f->sizes };
    const bench_options *o = all->options;
    if (!(f->types & 1 << o->type)) {
        printf("\n# %s left out: it is not measured in %s\n", f->name, cls_type_name(o->type));
        return 1;
    }
    printf("\n# %s; seconds on the device, host to host, and %s on the device\n%8s", f->title, f->unit, "n");
    for (int c = 0; c < all->count; ++c)
        if (all->candidates[c].context || f->vendor)
            printf(" | %33.33s", all->candidates[c].context ? all->candidates[c].name : f->vendor);
    printf("%s\n", all->vendor && f->vendor ? " | vendor's seconds by the first's" : "");
    for (int s = 0; o->count ? s < o->count : s < SIZES && f->sizes[s]; ++s) {
        int64_t n = o->count ? o->sizes[s] : f->sizes[s];
        if (strcmp(f->name, "batched") == 0 && n > CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST) {
            printf("# n = %lld left out: batches are of orders up to %d\n", (long long)n,
                   CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
            continue;
        }
        if (!row(f, all, n, slower)) return 0;
    }
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

static int table(const bench_field *field) {
    int wanted[FAMILIES], fine = choose(field->options, wanted); /* it was looked at before the devices were opened */
    behinds slower = {.count = 0};
    bench_print_field(field, 1);
    printf("# %s; medians of %d, by turns; each verified first\n", bench_type_words(field->options->type),
           field->options->repeat);
    if (field->csv) fprintf(field->csv, "family,n,members,candidate,device,host_to_host\n");
    for (int k = 0; k < FAMILIES && fine; ++k)
        if (wanted[k]) fine = family_table(families[k], field, &slower);
    print_behind(field, &slower);
    return !fine;
}

int bench_peers(const bench_options *options) {
    int wanted[FAMILIES];
    return choose(options, wanted) ? bench_table(options, 1, table) : 2;
}
