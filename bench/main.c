/* clsolve-bench TABLE [options]: the measured tables of docs/performance.md, made anew on this machine. */
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct {
    const char *name, *summary;
    int (*run)(const bench_options *options);
} tables[] = {
    {"lu", "dense LU against a study's OpenCL schemes and LAPACK's dgesv", bench_lu},
    {"gauss-jordan", "Gauss-Jordan: the studies' schemes against the library's variants", bench_gauss_jordan},
    {"batched", "many small inverses against a loop of LAPACK calls", bench_batched},
    {"inverse", "Gauss-Jordan inverse against LAPACK's getrf and getri", bench_inverse},
    {"block-gs", "block-tridiagonal systems: the study's tables, an iteration, time to 1e-10", bench_block_gs}};
enum { TABLES = sizeof tables / sizeof *tables };

static int read_sizes(const char *text, bench_options *options) {
    for (const char *at = text; *at;) {
        char *end;
        long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > 1000000 || (*end && *end != ',') || options->count == 32) return 0;
        options->sizes[options->count++] = n;
        at = *end ? end + 1 : end;
    }
    return options->count > 0;
}

static int usage(const char *what) {
    fprintf(stderr, "clsolve-bench: %s; the tables:", what);
    for (int t = 0; t < TABLES; ++t) fprintf(stderr, " %s", tables[t].name);
    fprintf(stderr, "; see --help\n");
    return 2;
}

static int run(poptContext popt, bench_options *options, const char *sizes) {
    const char *name = poptGetArg(popt);
    if (!name) return usage("name a table");
    if (poptPeekArg(popt)) return usage("one table at a time");
    if (options->members < 1) return usage("--members takes 1 or more");
    if (options->repeat < 1 || options->repeat > 101) return usage("--repeat takes 1 to 101");
    if (!(options->limit > 0)) return usage("--limit takes seconds above 0");
    if (sizes && !read_sizes(sizes, options)) return usage("-n takes sizes from 1 on, as in -n 512,1024");
    for (int t = 0; t < TABLES; ++t)
        if (strcmp(name, tables[t].name) == 0) return tables[t].run(options);
    return usage("there is no such table");
}

int main(int argc, const char **argv) {
    bench_options options = {.repeat = 5, .members = 10000, .limit = 60};
    long long memory_limit = 0;
    char *device = NULL, *csv = NULL, *sizes = NULL, *panel = NULL;
    const struct poptOption known[] = {
        {"sizes", 'n', POPT_ARG_STRING, &sizes, 0, "sizes instead of the table's own", "N,N,..."},
        {"device", 'd', POPT_ARG_STRING, &device, 0, "device, as in clsolve solve --device", "SEL"},
        {"repeat", 'r', POPT_ARG_INT, &options.repeat, 0, "timed runs of each candidate (5)", "N"},
        {"limit", 'l', POPT_ARG_DOUBLE, &options.limit, 0,
         "leaves out the study's schemes where they would run longer (60)", "SECONDS"},
        {"memory-limit", 'm', POPT_ARG_LONGLONG, &memory_limit, 0, "device memory for clsolve", "BYTES"},
        {"panel", 0, POPT_ARG_STRING, &panel, 0, "of lu: native, hybrid or both (both)", "PANEL"},
        {"members", 0, POPT_ARG_INT, &options.members, 0, "matrices in a batch (10000)", "N"},
        {"csv", 0, POPT_ARG_STRING, &csv, 0, "write the table there too", "FILE"},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext popt = poptGetContext("clsolve-bench", argc, argv, known, 0);

    poptSetOtherOptionHelp(popt, "TABLE [options]");
    int code = poptGetNextOpt(popt); /* no option has a value to return: one call reads them all */
    if (code < -1) {
        code = usage(poptStrerror(code));
    } else if (panel && strcmp(panel, "native") != 0 && strcmp(panel, "hybrid") != 0 && strcmp(panel, "both") != 0) {
        code = usage("--panel takes native, hybrid or both");
    } else {
        options.native = !panel || strcmp(panel, "hybrid") != 0;
        options.hybrid = !panel || strcmp(panel, "native") != 0;
        options.device = device;
        options.memory_limit = memory_limit;
        options.csv = csv;
        code = run(popt, &options, sizes);
    }
    poptFreeContext(popt);
    free(device);
    free(csv);
    free(sizes);
    free(panel);
    return code;
}
