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
    {"band", "band LU over n, half-bandwidth and block order against LAPACK's gbtrf; overlap of copies", bench_band},
    {"block-gs", "block-tridiagonal systems: the study's tables, an iteration, time to 1e-10", bench_block_gs},
    {"peers", "each family on several devices and through NVIDIA's own libraries, side by side", bench_peers}};
enum { TABLES = sizeof tables / sizeof *tables };

static int read_list(const char *text, int64_t list[32], int *count) {
    for (const char *at = text; *at;) {
        char *end;
        long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > 100000000 || (*end && *end != ',') || *count == 32) return 0;
        list[(*count)++] = n;
        at = *end ? end + 1 : end;
    }
    return *count > 0;
}

static int usage(const char *what) {
    fprintf(stderr, "clsolve-bench: %s; the tables:", what);
    for (int t = 0; t < TABLES; ++t) fprintf(stderr, " %s", tables[t].name);
    fprintf(stderr, "; see --help\n");
    return 2;
}

static int run(poptContext popt, bench_options *options, const char *sizes, const char *halves, const char *blocks) {
    const char *name = poptGetArg(popt);
    if (!name) return usage("name a table");
    if (poptPeekArg(popt)) return usage("one table at a time");
    if (options->members < 1) return usage("--members takes 1 or more");
    if (options->repeat < 1 || options->repeat > 101) return usage("--repeat takes 1 to 101");
    if (!(options->limit > 0)) return usage("--limit takes seconds above 0");
    if (sizes && !read_list(sizes, options->sizes, &options->count))
        return usage("-n takes up to 32 sizes from 1 to 100000000, as in -n 512,1024");
    if (halves && !read_list(halves, options->halves, &options->half_count))
        return usage("-k takes up to 32 half-bandwidths from 1 on, as in -k 16,128");
    if (blocks && !read_list(blocks, options->blocks, &options->block_count))
        return usage("-b takes up to 32 block orders from 1 on, as in -b 32,64");
    for (int t = 0; t < TABLES; ++t)
        if (strcmp(name, tables[t].name) == 0) return tables[t].run(options);
    return usage("there is no such table");
}

int main(int argc, const char **argv) {
    bench_options options = {.repeat = 5, .members = 10000, .limit = 60};
    long long memory_limit = 0;
    char **devices = NULL, *csv = NULL, *sizes = NULL, *halves = NULL, *blocks = NULL, *panel = NULL, *pivoting = NULL,
         *families = NULL;
    const struct poptOption known[] = {
        {"sizes", 'n', POPT_ARG_STRING, &sizes, 0, "sizes instead of the table's own", "N,N,..."},
        {"half-bandwidths", 'k', POPT_ARG_STRING, &halves, 0, "of band, instead of the table's own; of peers the first",
         "K,K,..."},
        {"blocks", 'b', POPT_ARG_STRING, &blocks, 0, "of band, block orders instead of the table's own", "NB,NB,..."},
        {"device", 'd', POPT_ARG_ARGV, &devices, 0,
         "device, as in clsolve solve --device; again for more, side by side", "SEL"},
        {"repeat", 'r', POPT_ARG_INT, &options.repeat, 0, "timed runs of each candidate (5)", "N"},
        {"limit", 'l', POPT_ARG_DOUBLE, &options.limit, 0,
         "leaves out the study's schemes where they would run longer (60)", "SECONDS"},
        {"memory-limit", 'm', POPT_ARG_LONGLONG, &memory_limit, 0, "bytes of device memory for clsolve, a plain number",
         "BYTES"},
        {"panel", 0, POPT_ARG_STRING, &panel, 0, "of lu: native, hybrid or both (both)", "PANEL"},
        {"pivoting", 0, POPT_ARG_STRING, &pivoting, 0,
         "of lu: partial, or rbt or tournament for a column of it too (partial)", "NAME"},
        {"family", 0, POPT_ARG_STRING, &families, 0,
         "of peers: lu, mixed, rbt, inverse, batched, lines, band, block-gs (all)", "NAME,..."},
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
    } else if (pivoting && strcmp(pivoting, "partial") != 0 && strcmp(pivoting, "rbt") != 0 &&
               strcmp(pivoting, "tournament") != 0) {
        code = usage("--pivoting takes partial, rbt or tournament");
    } else {
        options.native = !panel || strcmp(panel, "hybrid") != 0;
        options.hybrid = !panel || strcmp(panel, "native") != 0;
        options.rbt = pivoting && strcmp(pivoting, "rbt") == 0;
        options.tournament = pivoting && strcmp(pivoting, "tournament") == 0;
        int named = 0;
        while (devices && devices[named]) ++named;
        for (int d = 0; devices && devices[d] && d < BENCH_DEVICES; ++d)
            options.device_list[options.devices++] = devices[d];
        options.memory_limit = memory_limit;
        options.csv = csv;
        options.families = families;
        code = named > BENCH_DEVICES ? usage("--device takes up to 8 devices")
                                     : run(popt, &options, sizes, halves, blocks);
    }
    poptFreeContext(popt);
    for (int d = 0; devices && devices[d]; ++d) free(devices[d]);
    free(devices);
    free(csv);
    free(sizes);
    free(halves);
    free(blocks);
    free(panel);
    free(pivoting);
    free(families);
    return code;
}
