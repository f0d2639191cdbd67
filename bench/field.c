/* field.c: who takes part in a table: the devices that the options name, NVIDIA's own libraries, the host; and by turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* One device more; 0: it cannot be opened. */
static int add_device(bench_field *field, const char *selector) {
    char message[512];
    clsolve_context_options wanted = {.selector = selector, .message = message, .message_size = sizeof message};
    bench_candidate *c = &field->candidates[field->count];

    if (clsolve_context_create_with(&wanted, &c->context) != CLSOLVE_OK) {
        fprintf(stderr, "clsolve-bench: %s\n", message);
        return 0;
    }
    clsolve_device_info info = clsolve_context_device(c->context);
    if (clsolve_context_device_count(c->context) > 1) /* a list names itself */
        (void)snprintf(c->name, sizeof c->name, "%s", selector);
    else
        (void)snprintf(c->name, sizeof c->name, "%s", info.selector);
    field->devices = ++field->count;
    return 1;
}

/* On the GPU of the first CUDA device; beside OpenCL alone on the first GPU. */
static void add_vendor(bench_field *field) {
    int ordinal = -1;
    for (int d = 0; d < field->devices && ordinal < 0; ++d)
        if (strncmp(field->candidates[d].name, "cuda:", 5) == 0) ordinal = atoi(field->candidates[d].name + 5);
    field->vendor = vendor_open(ordinal > 0 ? ordinal : 0);
    if (!field->vendor) return;
    bench_candidate *c = &field->candidates[field->count++];
    (void)snprintf(c->name, sizeof c->name, "vendor");
}

static void close_field(bench_field *field) {
    vendor_close(field->vendor);
    for (int d = 0; d < field->devices; ++d) clsolve_context_destroy(field->candidates[d].context);
}

static int open_field(const bench_options *options, int with_vendor, bench_field *field) {
    int count = options->devices > 0 ? options->devices : 1;
    *field = (bench_field){.options = options};
    for (int d = 0; d < count; ++d)
        if (!add_device(field, options->devices > 0 ? options->device_list[d] : NULL)) return 6;
    if (with_vendor) add_vendor(field);
    if (options->csv && !(field->csv = fopen(options->csv, "w"))) {
        fprintf(stderr, "clsolve-bench: cannot write %s\n", options->csv);
        return 2;
    }
    if (field->csv) (void)setvbuf(field->csv, NULL, _IOLBF, 4096); /* a long run that is cut short keeps its rows */
    return 0;
}

/* Lines are written as they come: what failed then is known of the stream, not by closing it. */
static int close_csv(FILE *csv) {
    int failed = ferror(csv);
    return fclose(csv) != 0 || failed;
}

void bench_print_field(const bench_field *field, int with_vendor) {
    for (int d = 0; d < field->devices; ++d) {
        clsolve_device_info info = clsolve_context_device(field->candidates[d].context);
        printf("# %s: %s; %s; driver %s; %s; clsolve %s\n", info.selector, info.name, info.platform, info.driver,
               info.version, clsolve_version());
    }
    if (with_vendor && !field->vendor) printf("# without NVIDIA's libraries: %s\n", vendor_message());
}

int bench_table(const bench_options *options, int with_vendor, int (*table)(const bench_field *field)) {
    bench_field field;
    int code = open_field(options, with_vendor, &field);
    if (code == 0) code = table(&field);
    if (field.csv && close_csv(field.csv) != 0 && code == 0) {
        fprintf(stderr, "clsolve-bench: %s is not whole: the disk is full or failing\n", options->csv);
        code = 1;
    }
    close_field(&field);
    return code;
}

int bench_inverters(const bench_field *field, int64_t n, clsolve_gauss_jordan *handles[BENCH_DEVICES]) {
    const clsolve_gauss_jordan_options options = {.where = CLSOLVE_WHERE_DEVICE};
    for (int d = 0; d < field->devices; ++d) {
        clsolve_context *context = field->candidates[d].context;
        if (clsolve_gauss_jordan_create(context, n, field->options->type, &options, &handles[d]) == CLSOLVE_OK)
            continue;
        fprintf(stderr, "clsolve-bench: n = %lld: %s\n", (long long)n, clsolve_context_message(context));
        return 0;
    }
    return 1;
}

/* ---- a contest ---- */

enum { MOST = 101 };

const char *bench_entrant(const bench_contest *contest, int who) {
    return who == BENCH_HOST ? contest->host : contest->field->candidates[who].name;
}

const char *bench_why(const bench_field *field, int who) {
    if (who == BENCH_HOST) return "LAPACK's info is not 0";
    return field->candidates[who].context ? clsolve_context_message(field->candidates[who].context) : vendor_message();
}

static int lost(const bench_contest *contest, int who, double ratio) {
    fprintf(stderr, "clsolve-bench: %s, n = %lld, %s: wrong: ratio %g; %s\n", contest->title, (long long)contest->n,
            bench_entrant(contest, who), ratio, bench_why(contest->field, who));
    return 0;
}

static int verify(const bench_contest *contest, void *problem, int who) {
    double device = 0, seconds = contest->run(problem, who, &device);
    double ratio = seconds < 0 ? (double)NAN : contest->ratio(problem);
    return ratio < 30 ? 1 : lost(contest, who, ratio);
}

int bench_compare(const bench_contest *contest, void *problem, bench_figures *medians) {
    static const double SHORT = 0.01; /* seconds */
    static double total[BENCH_ENTRANTS][MOST], device[BENCH_ENTRANTS][MOST];
    int repeat = contest->field->options->repeat, entrants = contest->count + (contest->host != NULL);
    int list[BENCH_ENTRANTS];

    for (int e = 0; e < entrants; ++e) list[e] = e < contest->count ? e : BENCH_HOST;
    for (int e = 0; e < entrants; ++e)
        if (!verify(contest, problem, list[e])) return 0;
    for (int r = 0; r < repeat; ++r)
        for (int e = 0; e < entrants; ++e) {
            device[e][r] = 0;
            /* A device takes about 0.1 ms from one context's work to another's: short runs come behind one of their
             * own. */
            if (r > 0 && total[e][r - 1] < SHORT) (void)contest->run(problem, list[e], &device[e][r]);
            if ((total[e][r] = contest->run(problem, list[e], &device[e][r])) < 0)
                return lost(contest, list[e], (double)NAN);
        }
    for (int e = 0; e < entrants; ++e) {
        medians->total[list[e]] = bench_median(total[e], repeat);
        medians->device[list[e]] = bench_median(device[e], repeat);
    }
    return 1;
}
