/*
 * auto.c: the table `auto`: what the library chooses by itself, beside each choice by name and beside LAPACK, from the
 * smallest systems to large ones. Warm: clsolve_calibrate has built the kernels of all families and measured this machine, and
 * each candidate has solved the system once; candidates run by turns, as often as
 * makes some milliseconds a turn. Cold (--cold): each figure is the first call of a process of its own, with nothing compiled
 * before; the time to open the device is not in it.
 *
 * A choice may fail where it is not offered (the host has no kernels): its place is empty. AUTO and LAPACK may not.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "auto.h"

extern char **environ;

static const auto_family *const families[] = {&auto_lu,    &auto_call,      &auto_inverse,
                                              &auto_band,  &auto_grid,      &auto_batched,
                                              &auto_lines, &auto_symmetric, &auto_band_cholesky};
enum { FAMILIES = sizeof families / sizeof *families, MOST = 101 };

/* A turn of a candidate lasts at least so long, seconds; and at most so many runs. */
static const double turn = 2e-3;
enum { RUNS = 1000 };

/* ---- one problem ---- */

static void free_problem(auto_problem *p) {
    for (int c = 0; c < AUTO_CHOICES; ++c)
        if (p->handle[c]) p->family->destroy(p->handle[c]);
    free(p->A);
    free(p->B);
    free(p->X);
    free(p->work);
    free(p->start);
    free(p->column);
    free(p->pivots);
    free(p->info);
}

static int prepare(auto_problem *p, int choice) {
    if (!p->family->choices[choice]) return 0;
    return choice == AUTO_LAPACK || p->family->create(p, (auto_choice)choice);
}

/* Seconds of a run, the mean of a turn; below 0: it failed. */
static double take_turn(auto_problem *p, int choice) {
    double sum = 0;
    int runs = 0;
    for (; runs < RUNS && (runs == 0 || sum < turn); ++runs) {
        double seconds = p->family->run(p, (auto_choice)choice);
        if (seconds < 0) return -1;
        sum += seconds;
    }
    return sum / runs;
}

/* Runs once, and looks at the answer. Below 0: wrong, or failed. */
static double verify(auto_problem *p, int choice) {
    double seconds = p->family->run(p, (auto_choice)choice);
    return seconds >= 0 && p->family->ratio(p) < 30 ? seconds : -1;
}

/* Medians by the choice; below 0: there is none. */
static void measure(auto_problem *p, int repeat, double medians[AUTO_CHOICES]) {
    static double times[AUTO_CHOICES][MOST];
    for (int c = 0; c < AUTO_CHOICES; ++c) medians[c] = prepare(p, c) ? verify(p, c) : -1;
    for (int r = 0; r < repeat; ++r)
        for (int i = 0; i < AUTO_CHOICES; ++i) {
            int c =
                r % 2 ? AUTO_CHOICES - 1 - i : i; /* not always behind the same: LAPACK's threads spin on for a while */
            if (medians[c] >= 0 && (times[c][r] = take_turn(p, c)) < 0) medians[c] = -1;
        }
    for (int c = 0; c < AUTO_CHOICES; ++c)
        if (medians[c] >= 0) medians[c] = bench_median(times[c], repeat);
}

/* Where AUTO went, in one word: the place, with the method before it where the family leaves that to AUTO too. */
static void place(const auto_problem *p, char *text, size_t size) {
    (void)snprintf(text, size, "%s%s%s", p->method ? p->method : "", p->method ? ":" : "", p->where ? p->where : "-");
}

/* ---- a process of its own ---- */

static void empty_folder(const char *folder) {
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0) fprintf(stderr, "clsolve-bench: %s stays\n", folder);
}

/* The first call of a child, which prints its seconds. */
static double run_child(const char *selector, const auto_problem *p, int choice, char *where, size_t size) {
    char folder[] = "/tmp/clsolve-bench-XXXXXX", n[24], k[24], number[8], out[64], cache[80], pocl[80];
    double seconds = -1;
    if (!mkdtemp(folder)) return -1;
    (void)snprintf(n, sizeof n, "%lld", (long long)p->n);
    (void)snprintf(k, sizeof k, "%lld", (long long)(p->k > 0 ? p->k : 1));
    (void)snprintf(number, sizeof number, "%d", choice);
    (void)snprintf(out, sizeof out, "%s/out", folder);
    (void)snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s/programs", folder);
    (void)snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/pocl", folder);
    char line[1024], self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    (void)snprintf(line, sizeof line,
                   "env '%s' '%s' CUDA_CACHE_DISABLE=1 '%s' auto --once=%s --family=%s -n %s -k %s %s%s%s >'%s'", cache,
                   pocl, self, number, p->family->name, n, k, selector ? "-d '" : "", selector ? selector : "",
                   selector ? "'" : "", out);
    char *arguments[] = {"sh", "-c", line, NULL};
    pid_t child;
    int status = -1;
    if (posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0) (void)waitpid(child, &status, 0);
    FILE *file = status == 0 ? fopen(out, "r") : NULL;
    char text[64] = "";
    if (file && fscanf(file, "%lf %63s", &seconds, text) < 1) seconds = -1;
    if (file) (void)fclose(file);
    if (where) (void)snprintf(where, size, "%s", text);
    empty_folder(folder);
    return seconds;
}

static void measure_cold(auto_problem *p, const char *selector, double seconds[AUTO_CHOICES], char *where,
                         size_t size) {
    for (int c = 0; c < AUTO_CHOICES; ++c)
        seconds[c] = p->family->choices[c] ? run_child(selector, p, c, c == AUTO_AUTO ? where : NULL, size) : -1;
}

/* What a child does: create and run, timed together. */
static int run_once(const bench_field *field, const auto_family *f) {
    const bench_options *o = field->options;
    auto_problem p = {.family = f, .context = field->candidates[0].context, .n = o->sizes[0], .k = o->halves[0]};
    double start, seconds = -1;
    int choice = o->once;
    if (f->make(&p)) {
        start = bench_seconds();
        if (prepare(&p, choice) && f->run(&p, (auto_choice)choice) >= 0) seconds = bench_seconds() - start;
        if (seconds >= 0 && !(f->ratio(&p) < 30)) seconds = -1;
    }
    char where[64];
    place(&p, where, sizeof where);
    printf("%.9f %s\n", seconds, where);
    free_problem(&p);
    return 0;
}

/* ---- the table ---- */

static void print_seconds(double seconds) {
    if (seconds < 0)
        printf(" | %11s", "-");
    else
        printf(" | %11.3e", seconds);
}

/* The best of the choices by name. */
static double best_of(const double seconds[AUTO_CHOICES]) {
    double best = HUGE_VAL;
    for (int c = AUTO_FIRST; c < AUTO_LAPACK; ++c)
        if (seconds[c] >= 0) best = fmin(best, seconds[c]);
    return best;
}

static void print_row(const bench_field *field, const auto_problem *p, const double seconds[AUTO_CHOICES],
                      const char *where, int cold) {
    double best = best_of(seconds), own = seconds[AUTO_AUTO];
    printf("%8lld %6lld", (long long)p->n, (long long)p->k);
    for (int c = 0; c < AUTO_CHOICES; ++c)
        if (p->family->choices[c]) print_seconds(seconds[c]);
    printf(" | %6.2f %6.2f | %s", best / own, seconds[AUTO_LAPACK] / own, where);
    if (p->expected[0] > 0) printf(" (host %.2g, device %.2g)", p->expected[0], p->expected[1]);
    printf("\n");
    (void)fflush(stdout);
    if (!field->csv) return;
    for (int c = 0; c < AUTO_CHOICES; ++c)
        if (p->family->choices[c] && seconds[c] >= 0)
            fprintf(field->csv, "%s,%s,%lld,%lld,%s,%.9f\n", cold ? "cold" : "warm", p->family->name, (long long)p->n,
                    (long long)p->k, p->family->choices[c], seconds[c]);
}

static int row(const bench_field *field, const auto_family *f, int64_t n, int64_t k) {
    const bench_options *o = field->options;
    auto_problem p = {.family = f, .context = field->candidates[0].context, .n = n, .k = k};
    double seconds[AUTO_CHOICES];
    char where[64] = "-";
    /* What takes LAPACK longer than the limit allows is left out. */
    if (f->work(&p) / 5e9 * (o->cold ? 4 : 4 * (o->repeat + 1)) > o->limit) return 1;
    if (!f->make(&p)) {
        fprintf(stderr, "clsolve-bench: out of host memory\n");
        free_problem(&p);
        return 0;
    }
    if (o->cold)
        measure_cold(&p, o->devices > 0 ? o->device_list[0] : NULL, seconds, where, sizeof where);
    else
        measure(&p, o->repeat, seconds);
    if (!o->cold) place(&p, where, sizeof where);
    int fine = seconds[AUTO_AUTO] >= 0 && seconds[AUTO_LAPACK] >= 0;
    if (fine)
        print_row(field, &p, seconds, where, o->cold);
    else
        fprintf(stderr, "clsolve-bench: %s, n = %lld, k = %lld: wrong or failed: %s\n", f->name, (long long)n,
                (long long)p.k, clsolve_context_message(p.context));
    free_problem(&p);
    return fine;
}

static int family_table(const bench_field *field, const auto_family *f) {
    enum { SIZES = sizeof f->sizes / sizeof *f->sizes, HALVES = sizeof f->k / sizeof *f->k };
    const bench_options *o = field->options;
    printf("\n# %s: %s; %s\n%8s %6s", f->name, f->title, o->cold ? "cold: the first call of a process" : "warm", "n",
           "k");
    for (int c = 0; c < AUTO_CHOICES; ++c)
        if (f->choices[c]) printf(" | %11.11s", f->choices[c]);
    printf(" | best/auto LAPACK/auto | auto went to (expected)\n");
    for (int s = 0; o->count ? s < o->count : s < SIZES && f->sizes[s]; ++s) {
        int64_t n = o->count ? o->sizes[s] : f->sizes[s];
        if (!f->k[0]) {
            if (!row(field, f, n, 0)) return 0;
            continue;
        }
        for (int h = 0; o->half_count ? h < o->half_count : h < HALVES && f->k[h]; ++h) {
            int64_t k = o->half_count ? o->halves[h] : f->k[h];
            if ((f == &auto_band || f == &auto_band_cholesky) && k >= n && h > 0) continue; /* the matrix is full */
            if (!row(field, f, n, k)) return 0;
        }
    }
    return 1;
}

static int is_wanted(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length])) return 1;
    return !list;
}

static int table(const bench_field *field) {
    const bench_options *o = field->options;
    int fine = 1;
    for (int f = 0; f < FAMILIES && o->once >= 0; ++f)
        if (is_wanted(o->families, families[f]->name)) return run_once(field, families[f]);
    if (!o->cold && clsolve_calibrate(field->candidates[0].context, CLSOLVE_F64) != CLSOLVE_OK) return 1;
    bench_print_field(field, 0);
    printf("# double; seconds from host to host%s\n",
           o->cold ? ", the create of a handle with them" : "; medians by turns; each verified first");
    if (field->csv) fprintf(field->csv, "state,family,n,k,candidate,seconds\n");
    for (int f = 0; f < FAMILIES && fine; ++f)
        if (is_wanted(o->families, families[f]->name)) fine = family_table(field, families[f]);
    return !fine;
}

int bench_auto(const bench_options *options) {
    int known = 0;
    for (int f = 0; f < FAMILIES; ++f) known |= is_wanted(options->families, families[f]->name);
    if (known) return bench_table(options, 0, table);
    fprintf(stderr, "clsolve-bench: --family takes, of auto, lu, call, inverse, band, grid, batched, lines, "
                    "symmetric, band-cholesky\n");
    return 2;
}
